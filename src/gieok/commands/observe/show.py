"""`gieok observe show`: the observations with their sources."""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Annotated, NamedTuple

from gieok.commands.absence import absence
from gieok.commands.command import STATUSES, Parameter, Style, command
from gieok.commands.encode import Hidden, Omitted, OrNull, mark_encoded_getter
from gieok.commands.memory import gaps
from gieok.commands.memory.handles import NamedMemory
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.memory import scope_memory
from gieok.memory.observation import KIND, Category, Observation, observation_of
from gieok.model.memory import Document, Scope, find_document_status
from gieok.text.messages import Words

_NOTHING = Words(
    "There are no observations yet: `gieok observe run --once` reads what agents have written."
)
_CATEGORY_WORDS = {
    Category.STATE: Words("state", about="a kind of memory"),
    Category.DECISION: Words("decision", about="a kind of memory"),
    Category.PREFERENCE: Words("preference", about="a kind of memory"),
    Category.TASK: Words("task", about="a kind of memory"),
}
_NOTHING_REPLACED = Words("Nothing has been replaced by reflection yet.")


class ObservationRow(NamedTuple):
    """Observation, and the messages that it comes from."""

    id: str
    handle: str
    scope: Scope
    at: datetime
    priority: str
    category: str
    done: bool
    text: str
    messages: tuple[str, ...]
    #: As `model.memory.find_document_status` has it: `replaced` by a newer statement, or `stands`.
    #: What reflection replaced is `replaced` too.
    status: str


@dataclass(frozen=True, slots=True)
class ObserveShowResult:
    """Observations with their documents, oldest first, and the current task."""

    rows: Hidden[tuple[tuple[Document, Observation], ...]]
    current_task: OrNull[str]
    zone: Hidden[tzinfo]
    now: Hidden[datetime]
    is_history: Hidden[bool] = False
    #: Where there are no observations: places that were not searched. Left out where every place
    #: was searched.
    not_looked_at: Omitted[tuple[Words, ...]] = None

    @property
    def found(self) -> bool:
        """True where there are observations."""
        return bool(self.rows)

    @property
    @mark_encoded_getter
    def observations(self) -> list[ObservationRow]:
        """Return the observations, oldest first."""
        return [
            ObservationRow(
                id=d.key,
                handle=NamedMemory(d).handle,
                scope=d.scope,
                at=o.at,
                priority=o.priority.value,
                category=o.category.value,
                done=o.is_done,
                text=o.text,
                messages=o.message_ids,
                status=self.find_status(d),
            )
            for d, o in self.rows
        ]

    def find_status(self, document: Document) -> str:
        """Return the status of one of the observations."""
        return "replaced" if self.is_history else find_document_status(document, self.now)


def render_observations(result: ObserveShowResult, style: Style) -> str:
    """Show a line for each observation, under its day."""
    lines: list[str] = []
    day = None
    for document, o in result.rows:
        at = o.at.astimezone(result.zone)
        if at.date() != day:
            day = at.date()
            lines.append(style.bold(day.isoformat()))
        tick = "✅ " if o.is_done else ""
        category = _CATEGORY_WORDS[o.category].say(style.lang)
        lines.append(f"  {o.priority.mark} {tick}{at:%H:%M} [{category}] {style.memory(o.text)}")
        facts = [NamedMemory(document).handle, name_scope(document.scope).say(style.lang)]
        status = result.find_status(document)
        if status not in ("stands", "done") and not result.is_history:  # all of it was replaced
            facts.append(STATUSES[status].say(style.lang))
        lines.append(style.dim(f"      {'  '.join(facts)}"))
    if result.current_task:
        lines += ["", *style.memory(result.current_task).splitlines()]
    nothing = _NOTHING_REPLACED if result.is_history else _NOTHING
    return "\n".join(lines) or absence(nothing, result.not_looked_at, style)


@command(
    "observe show",
    Words("Show what was observed, and where it came from"),
    present=render_observations,
    examples=("gieok observe show", "gieok observe show --limit 50"),
)
def show_observations(
    call: Call,
    *,
    limit: Annotated[int, Parameter(Words("how many, the newest (0: all)"))] = 50,
    history: Annotated[bool, Parameter(Words("what was replaced by reflection instead"))] = False,
) -> ObserveShowResult:
    """Return the observations in the scopes of the call."""
    if limit < 0:
        raise BadRequest("limit is {limit}", limit=limit, hint="it may not be negative")
    store, journal = call.home.store, call.home.journal
    held = [
        scope_memory.load_scope_memory(store, s, hashes=scope_memory.standing(journal, s))
        for s in call.scopes
    ]
    documents = [document for memory in held for document in memory.documents]
    if history:
        old = [d for s in call.scopes for d in call.home.journal.history(s, limit or 1 << 30)]
        documents = [document for document in reversed(old) if document.kind == KIND]
    rows = sorted(((d, observation_of(d)) for d in documents), key=lambda row: row[1].at)
    task = next((memory.task for memory in held if memory.task), "")
    missed = () if rows else tuple(gaps.gaps_of_observing(call, call.scopes))
    return ObserveShowResult(
        rows=tuple(rows[-limit:]),
        current_task=task,
        zone=call.zone,
        now=call.clock.now(),
        is_history=history,
        not_looked_at=missed or None,
    )
