"""`gieok code validate`: check the index by named, repeatable checks."""

from dataclasses import dataclass
from typing import NamedTuple

from gieok.code.deepen import escalation
from gieok.code.index.project import Project
from gieok.code.model import layout
from gieok.code.report import validate
from gieok.commands.code.project import open_current_project
from gieok.commands.command import Effect, Style, command, printable
from gieok.commands.encode import Score, mark_encoded_getter
from gieok.home.call import Call
from gieok.text.messages import Words

_GOOD = 80


class ValidationRow(NamedTuple):
    """Check with its share of sound items, 0–1, and its findings."""

    name: str
    ok: bool
    share: Score
    detail: str
    weight: float


@dataclass(frozen=True, slots=True)
class ValidateResult:
    """Checks and their total score.

    `found` is False where the score is low, so that the exit status says so.
    """

    checks: tuple[ValidationRow, ...]
    quality: int

    @property
    def found(self) -> bool:
        """True where the quality is good."""
        return self.quality >= _GOOD

    @property
    @mark_encoded_getter
    def ok(self) -> bool:
        """Say whether the quality is good."""
        return self.found


def render_code_validation(result: ValidateResult, style: Style) -> str:
    """Show the score and each check."""
    head = style.say("Quality {quality}/100", quality=result.quality)
    rows = [
        (
            f"  {'✓' if c.ok else '·'} {style.bold(style.told(c.name))}: {100 * c.share:.0f} %, "
            f"{printable(style.told(c.detail))}"
        )
        for c in result.checks
    ]
    return "\n".join([style.bold(head), *rows])


@command(
    "code validate",
    Words("Check the project's index and score its quality"),
    present=render_code_validation,
    examples=("gieok code validate",),
    effect=Effect.WRITE,
)
def validate_code_index(call: Call) -> ValidateResult:
    """Check the index, log the result, and request an escalation where the score is low."""
    return validate_project(call, open_current_project(call))


def validate_project(call: Call, project: Project) -> ValidateResult:
    """Check an index, log the result, and request an escalation where the score is low."""
    checks = validate.validate(project, call.home.open_embedder())
    rows = tuple(
        ValidationRow(name=c.name, ok=c.ok, share=c.share, detail=c.detail, weight=c.weight)
        for c in checks
    )
    result = ValidateResult(rows, validate.quality(checks))
    at = call.clock.now().isoformat()
    layout.append_log(
        project.root,
        "validations",
        {
            "at": at,
            "quality": result.quality,
            "status": "done" if result.found else "failed",
            "checks": {c.name: round(c.share, 4) for c in checks},
        },
    )
    earlier = list(layout.read_code_log(project.root, "validations"))
    escalation.add_escalation(
        project.root,
        escalation.reasons_of_validation(project.tuning.escalation, result.quality, earlier),
        (),
        at,
    )
    return result
