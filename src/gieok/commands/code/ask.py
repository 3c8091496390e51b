"""`gieok ask`: let a model answer a question over the project's code and its memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from gieok.code.ask.query import search_symbols
from gieok.code.deepen import conversation, escalation
from gieok.code.deepen.escalation import Escalation
from gieok.commands.code.project import (
    open_current_project,
    open_search_embedder,
    render_waiting_escalation,
)
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.ranking.recall import Question, recall
from gieok.text.messages import Words

_ANSWERS = 8
_LONGEST_QUESTION = 4_000


@dataclass(frozen=True, slots=True)
class AskResult:
    """Answer of the model, with its sources."""

    answer: str
    sources: tuple[str, ...]
    pending: Hidden[Escalation | None] = None

    @property
    def found(self) -> bool:
        """True where the model answered."""
        return bool(self.answer)


def render_code_model_answer(result: AskResult, style: Style) -> str:
    """Show the answer, then its sources."""
    return "\n".join(
        [
            printable(result.answer),
            "",
            *(style.dim(printable(place)) for place in result.sources),
            *render_waiting_escalation(result.pending, style),
        ]
    )


@command(
    "ask",
    Words("Let a model answer a question about the project"),
    present=render_code_model_answer,
    examples=(
        'gieok ask "how is an order paid?"',
        'gieok ask "what does this do?" --files src/shop/order.py',
    ),
    effect=Effect.WRITE,
)
def ask_code_model(
    call: Call,
    *,
    question: Annotated[
        Sequence[str], Parameter(Words("what to ask"), positional=True, needed='gieok ask "…"')
    ] = (),
    files: Annotated[
        Sequence[str],
        Parameter(Words("lines that the answer must know: path or path:10-40, by commas")),
    ] = (),
    model: Annotated[
        str, Parameter(Words("provider:model (default: the setting code.model)"))
    ] = "",
) -> AskResult:
    """Retrieve passages, ask the model, and keep the exchange."""
    text = " ".join(question).strip()[:_LONGEST_QUESTION]
    project = open_current_project(call)
    asker = call.home.open_code_asker(project.root, model)
    if asker is None:
        raise BadRequest(
            "no model is configured that could answer",
            hint=(
                'set `code.model`, or name one with `--model`; `gieok code query "…"` answers '
                "without"
            ),
        )
    embedder = open_search_embedder(call, project)
    code_answers = search_symbols(project, embedder, text, _ANSWERS).answers
    sources = [(f"{a.symbol.path}#L{a.start_line}-L{a.end_line}", a.snippet) for a in code_answers]
    sources += _recall_project_memory(call, text)
    line_ranges = [part for name in files for part in name.split(",") if part]
    answer = conversation.ask_about_code(project, asker, text, sources, line_ranges)
    places = tuple(place for place, _ in sources)
    return AskResult(answer, places, escalation.read_pending(project.root))


def _recall_project_memory(call: Call, text: str) -> list[tuple[str, str]]:
    """Return the project's memories that answer the question."""
    store = call.home.store
    if call.scope not in store.scopes():
        return []
    question = Question(text=text, scopes=(call.scope,), use_vectors=False)
    recalled = recall(store, None, question, call.home.build_profile(""), call.clock, call.zone)
    return [
        (f"{hit.passage.key}#L{hit.passage.start_line}", hit.snippet) for hit in recalled.hits[:3]
    ]
