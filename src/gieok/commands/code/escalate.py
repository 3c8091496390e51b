"""`gieok code escalate`: let a strong model summarise only the code that was marked for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Annotated

from gieok import fs
from gieok.code.deepen import deeper, escalation, summarise
from gieok.code.deepen.escalation import Escalation
from gieok.code.index import ownership
from gieok.code.index.project import Project
from gieok.commands.code import estimate
from gieok.commands.code import model as code_model
from gieok.commands.code.init import log_change
from gieok.commands.code.project import open_current_project
from gieok.commands.code.validate import validate_project
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest
from gieok.flow.generate import Asker
from gieok.home.call import Call
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class EscalateResult:
    """Files that waited, the number of summaries written, and the quality of the index after it.

    `quality` is None where no model looked.
    """

    reasons: tuple[str, ...]
    files: tuple[str, ...]
    summaries: int
    quality: int | None = None
    is_dismissed: Hidden[bool] = False

    @property
    def found(self) -> bool:
        """True where files waited."""
        return bool(self.reasons)


def render_escalation(result: EscalateResult, style: Style) -> str:
    """Show the waiting files and the work done."""
    if not result.reasons:
        return style.say("Nothing waits.")
    head = (
        style.say("forgotten without a look:")
        if result.is_dismissed
        else style.say("{summaries} summaries written for:", summaries=result.summaries)
    )
    lines = [head, *(f"  {printable(style.told(reason))}" for reason in result.reasons)]
    if result.quality is not None:
        lines.append(style.say("Quality {quality}/100", quality=result.quality))
    return "\n".join(lines)


@command(
    "code escalate",
    Words("Let a strong model look at changes that ask for it"),
    present=render_escalation,
    examples=("gieok code escalate",),
    effect=Effect.WRITE,
)
def escalate_project(
    call: Call,
    *,
    dismiss: Annotated[bool, Parameter(Words("forget what waits without a look"))] = False,
    model: Annotated[
        str, Parameter(Words("provider:model (default: the setting code.model)"))
    ] = "",
) -> EscalateResult:
    """Process the waiting files; they keep waiting where there is no model, or the model fails."""
    project = open_current_project(call)
    waiting = escalation.read_pending(project.root)
    if waiting is None:
        return EscalateResult((), (), 0)
    if not dismiss:
        asker = call.home.open_code_asker(project.root, model)
        if asker is None:
            raise BadRequest(
                "no model is configured that could look",
                hint="set `code.model`, or name one with `--model`; `--dismiss` forgets what waits",
            )
        return look_at_waiting_files(call, project, asker, waiting)
    escalation.clear(call.home.folder, project.root, waiting)
    return EscalateResult(waiting.reasons, waiting.files, 0, is_dismissed=True)


def look_at_waiting_files(
    call: Call, project: Project, asker: Asker, waiting: Escalation
) -> EscalateResult:
    """Let a model look at what waits, take it off the list and check the index.

    Raises GeneratorFailed.
    """
    summaries = _run_deeper_look(call, project, asker, waiting.files)
    escalation.clear(call.home.folder, project.root, waiting)
    checked = validate_project(call, project)
    return EscalateResult(waiting.reasons, waiting.files, summaries, quality=checked.quality)


def _run_deeper_look(call: Call, project: Project, asker: Asker, files: Sequence[str]) -> int:
    """Let the strong model summarise these files, and describe the project anew.

    Summaries of a weaker model are replaced. Raises GeneratorFailed; the summaries made until then
    are kept, and their tokens are in the log.
    """
    begin, started = asker.meter.tokens, monotonic()
    model = asker.generator.model
    code_model.tell_estimate(call, estimate.estimate_escalation(call, project, model), model)
    status = "partly"
    try:
        # A summary that the cheap model makes of the same code meanwhile must not replace this one.
        with fs.exclusive(ownership.find_index_lock(call.home.folder, project.root, "summaries")):
            outcome = code_model.summarise_within_budget(
                call,
                project,
                asker,
                summarise.in_files(project, files, asker.generator.model),
                anew=True,
            )
            if outcome.failure is not None:
                raise outcome.failure
            deeper.describe(project, asker)
        status = "done"
    finally:
        milliseconds = round(1000 * (monotonic() - started))
        log_change(
            call,
            project,
            "escalate",
            files,
            (0, 0, 0),
            milliseconds,
            tokens=asker.meter.tokens - begin,
            model=model,
            status=status,
        )
    return outcome.written
