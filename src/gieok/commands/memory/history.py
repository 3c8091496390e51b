"""`gieok history`: the versions of a memory, and which of them were believed on a day."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from itertools import pairwise
from typing import Annotated, NamedTuple

from gieok.commands.command import Parameter, Style, command
from gieok.commands.encode import Hidden, OrNull, mark_encoded_getter
from gieok.commands.memory import handles, newest, origin
from gieok.commands.memory.handles import NamedMemory, strip_speaker_label
from gieok.commands.memory.predecessors import (
    find_ended_documents,
    find_predecessors,
    load_memories_by_key,
)
from gieok.commands.memory.search import span_of_days
from gieok.home.call import Call
from gieok.hook.validity import EndedClaim, Standing
from gieok.hook.window import strip_to_letters
from gieok.memory.corrections import is_agents_document, unmarked
from gieok.memory.talk import turns
from gieok.model.conversation import AGENT_MARK, CORRECTED_MARK, Role
from gieok.model.memory import (
    CORRECTED,
    EDITED_AT,
    EDITED_TO,
    REPLACED_BY,
    Document,
    Entry,
)
from gieok.ranking.recall import first_answer
from gieok.text.columns import count_text_columns
from gieok.text.messages import Words

#: Columns of a day.
_DAY_COLUMNS = 10
#: A longer chain of replacements is cut: this is a value that changes daily for two months.
_MOST_LINKS = 60
#: How a version came that a person wrote, and one that they had an agent write.
CORRECTED_BY_PERSON, CORRECTED_BY_AGENT = "corrected", "corrected_by_agent"
#: Each way in which a version came, as a person reads it.
WAYS = {
    "said": Words("said"),
    "observed": Words("observed"),
    "kept": Words("kept"),
    CORRECTED_BY_PERSON: Words("corrected by you"),
    CORRECTED_BY_AGENT: Words("corrected through an agent"),
}


class Version(NamedTuple):
    """Version of a memory, believed from one time until another (None: no end is known).

    `how` the version came: `said`, `observed`, `kept`, `corrected`, `corrected_by_agent`. `ended`:
    `replaced` by a later statement, `corrected` by a person, '' where no end is known. `is_asked`:
    the version is of the memory that was asked for. `is_current`: no end is known, and the version
    took the place of an earlier belief.
    """

    handle: str
    text: str
    since: datetime
    until: datetime | None
    how: str
    ended: str
    who: OrNull[str]
    is_asked: bool
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class HistoryResult:
    """Versions of a memory, oldest first; with a day, the versions believed on that day."""

    versions: tuple[Version, ...]
    day: date | None
    zone: Hidden[tzinfo]

    @property
    def found(self) -> bool:
        """False where nothing was believed on the day."""
        return bool(self.versions)

    @property
    @mark_encoded_getter
    def changes(self) -> int:
        """Return how often the memory changed; a change back to an earlier text counts."""
        return sum(one.text != after.text for one, after in pairwise(self.versions))


class _Statement(NamedTuple):
    """Document, or a line of a document, with the end of its validity.

    `has_won`: the statement took the place of another statement.
    """

    memory: NamedMemory
    text: str
    ended: EndedClaim | None
    has_won: bool

    @property
    def name(self) -> tuple[str, str, int]:
        document = self.memory.document
        return document.scope.path, document.key, self.memory.line


def render_memory_history(result: HistoryResult, style: Style) -> str:
    """Show a line for each version: from, until, text.

    `now` marks a version that replaced another; otherwise the end is left open.
    """
    lines = []
    for version in result.versions:
        since = f"{version.since.astimezone(result.zone):%Y-%m-%d}"
        open_end = style.say("now") if version.is_current else ""
        until = f"{version.until.astimezone(result.zone):%Y-%m-%d}" if version.until else open_end
        gap = " " * (_DAY_COLUMNS - count_text_columns(until))
        how = WAYS[version.how].say(style.lang)
        text = style.memory(" ".join(version.text.split()))
        lines.append(
            f"{since} – {until}{gap}  {style.bold(text) if not version.until else text}  "
            f"{style.dim(f'{how}, {version.handle}')}"
        )
    if not lines:
        return style.say("Nothing was believed of it then.")
    return "\n".join(lines)


@command(
    "history",
    Words("Show what was believed when: the versions of a memory"),
    present=render_memory_history,
    examples=("gieok history 3fa9c01e", "gieok history 3fa9c01e --on 2026-10-01"),
)
def trace_memory_history(
    call: Call,
    *,
    handle: Annotated[
        str,
        Parameter(
            Words("the memory's handle"),
            positional=True,
            needed="gieok history 3fa9c01e --on 2026-10-01",
        ),
    ] = "",
    on: Annotated[str, Parameter(Words("only what was believed on this day"))] = "",
) -> HistoryResult:
    """Return the versions of a memory: its replacements, forward and back, and its corrections.

    Raises BadRequest.
    """
    memory = handles.require_memory(call, handle)
    statements = _build_statement_chain(call, memory)
    versions = _merge_same_versions(
        [
            version
            for statement in statements
            for version in _iter_statement_versions(call, statement, memory)
        ]
    )
    if not any(version.is_asked and version.who == Role.ASSISTANT.value for version in versions):
        versions = [
            version for version in versions if version.who != Role.ASSISTANT.value
        ]  # what was believed of the user's word
    span = span_of_days(call, on)
    if span is not None:
        versions = [
            version for version in versions if _is_version_valid_on(version, span.last, call.zone)
        ]
    return HistoryResult(tuple(versions), span.last if span else None, call.zone)


def _merge_same_versions(versions: list[Version]) -> list[Version]:
    """Return versions, oldest first, merging a message and an observation in the same words.

    The version that was asked for is kept. A memory that says again what it said before on the same
    day has a version for each time.
    """
    version_by_name: dict[tuple[str, date, int], Version] = {}
    times = Counter[tuple[str, str, date]]()
    for version in versions:
        words, day = strip_to_letters(version.text), version.since.date()
        name = words, day, times[version.handle, words, day]
        times[version.handle, words, day] += 1
        if name not in version_by_name or version.is_asked:
            version_by_name[name] = version
    return sorted(version_by_name.values(), key=lambda version: (version.since, version.handle))


def _is_version_valid_on(version: Version, day: date, zone: tzinfo) -> bool:
    since = version.since.astimezone(zone).date()
    until = version.until.astimezone(zone).date() if version.until else None
    return since <= day and (until is None or day < until or (until == since == day))


def _build_statement_chain(call: Call, memory: NamedMemory) -> list[_Statement]:
    """Return the statement that now holds in place of a memory, and all that it replaced."""
    standing = newest.open_standing(call)
    asked_statement = last = _build_history_statement(call, memory, standing)
    statement_by_name = {asked_statement.name: asked_statement}
    while len(statement_by_name) < _MOST_LINKS and (after := _find_successors(call, last)):
        last = _build_history_statement(call, after[0], standing)
        if last.name in statement_by_name:
            break
        statement_by_name[last.name] = last
    waiting = find_predecessors(call, last.memory, standing)
    while waiting and len(statement_by_name) < _MOST_LINKS:
        statement = _build_history_statement(call, waiting.pop(0), standing)
        if statement.name not in statement_by_name:
            statement_by_name[statement.name] = statement
            waiting += find_ended_documents(call, statement.memory.document)
    return list(statement_by_name.values())


def _build_history_statement(call: Call, memory: NamedMemory, standing: Standing) -> _Statement:
    """Return a memory as a statement, with its end.

    A longer text is a single statement, which ends with any of its parts.
    """
    document = memory.document
    passages = (
        _read_document_passages(call, document) if not memory.line else [(memory.line, memory.text)]
    )
    ends = (
        standing.ended(document.scope.path, document.key, line, text) for line, text in passages
    )
    ended = next((end for end in ends if end is not None), None)
    if ended is None and document.valid_to is not None and not memory.line:
        ended = EndedClaim(
            document.scope.path,
            document.metadata.get(REPLACED_BY, ""),
            1,
            0,
            document.valid_to.timestamp(),
        )
    scopes = [scope.path for scope in call.scopes]
    has_won = all(
        standing.won(scopes, document.scope.path, document.key, line) for line, _ in passages
    )
    return _Statement(
        memory, memory.text, ended, has_won=ended is None and bool(passages) and has_won
    )


def _read_document_passages(call: Call, document: Document) -> list[tuple[int, str]]:
    def held(store: object) -> list[Entry]:
        return store.entries(document.scope, [document.key])  # type: ignore[attr-defined,no-any-return]

    entries, _ = first_answer(call.home.stores.all(), held)
    return [
        (p.start_line, document.text[p.start : p.end]) for entry in entries for p in entry.passages
    ]


def _find_successors(call: Call, one: _Statement) -> list[NamedMemory]:
    """Return the memories that replaced a statement."""
    end = one.ended
    return (
        load_memories_by_key(call, end.scope, end.key, end.line)
        if end is not None and end.key
        else []
    )


def _find_belief_start(call: Call, memory: NamedMemory) -> tuple[datetime, str, str]:
    """Return since when a memory was believed, how it came, and who said it."""
    document = memory.document
    if document.kind == turns.KIND:
        messages = origin.messages_of(call, memory)
        return (
            (messages[0].at, "said", messages[0].role.value)
            if messages
            else (document.created_at, "said", "")
        )
    is_observed = handles.kind_of(document, (), "") == handles.OBSERVATION
    return document.valid_from or document.created_at, "observed" if is_observed else "kept", ""


def _iter_statement_versions(call: Call, one: _Statement, asked: NamedMemory) -> Iterator[Version]:
    """Yield the versions of a statement before and after each correction by a person."""
    memory = one.memory
    until = datetime.fromtimestamp(one.ended.at, UTC) if one.ended else None
    is_asked = one.name == (asked.document.scope.path, asked.document.key, asked.line)
    since, how, who = _find_belief_start(call, memory)
    ended = one.ended.name if one.ended else ""
    latest = _Wording(one.text, call.clock.now(), _is_agents_wording(memory))
    for wording, after in pairwise([*_iter_corrected_wordings(call, memory), latest]):
        at = wording.until
        since = min(since, at)  # a file that was written anew is younger than what it said before
        if wording.text != after.text:
            yield Version(
                handle=memory.handle,
                text=strip_speaker_label(wording.text),
                since=since,
                until=at,
                how=how,
                ended="corrected",
                who=who,
                is_asked=is_asked,
            )
            since, how = at, find_correction_way(is_agents=after.is_agents)
    is_corrected = how in (CORRECTED_BY_PERSON, CORRECTED_BY_AGENT)
    is_current = one.ended is None and (one.has_won or is_corrected)
    yield Version(
        handle=memory.handle,
        text=strip_speaker_label(unmarked(one.text)),
        since=since,
        until=until,
        how=how,
        ended=ended,
        who=who,
        is_asked=is_asked,
        is_current=is_current,
    )


class _Wording(NamedTuple):
    """Text of a memory, until when it stood or stands, and whether an agent had written it."""

    text: str
    until: datetime
    is_agents: bool = False


def _is_agents_wording(memory: NamedMemory) -> bool:
    """Say whether an agent wrote the text that a memory has now."""
    if memory.line:
        return memory.text.rpartition(CORRECTED_MARK)[2].endswith(f"{AGENT_MARK})")
    return is_agents_document(memory.document)


def find_correction_way(*, is_agents: bool) -> str:
    """Return how a corrected version came: through an agent or by the person alone."""
    return CORRECTED_BY_AGENT if is_agents else CORRECTED_BY_PERSON


def _iter_corrected_wordings(call: Call, memory: NamedMemory) -> Iterator[_Wording]:
    """Yield the wordings of a memory before each correction, oldest first."""
    document = memory.document
    if memory.line:
        _, mark, day = memory.text.rpartition(CORRECTED_MARK)
        messages = origin.messages_of(call, memory) if mark else ()
        if messages:
            until = datetime.fromisoformat(day[:10]).replace(tzinfo=call.zone).astimezone(UTC)
            yield _Wording(messages[0].text, until)
        return
    if not document.metadata.get(CORRECTED):
        yield from _record_wordings(call, document)
        return
    older = [
        old for old in call.home.journal.history(document.scope, 1 << 30) if old.key == document.key
    ]
    times = [
        *(old.metadata.get(CORRECTED, "") for old in older[::-1][1:]),
        document.metadata[CORRECTED],
    ]
    for old, at in zip(older[::-1], times, strict=True):
        until = datetime.fromisoformat(at) if at else document.updated_at
        yield _Wording(old.text, until, is_agents_document(old))


def _record_wordings(call: Call, document: Document) -> Iterator[_Wording]:
    """Yield the wordings of a record before each edit, oldest first.

    Includes texts under the record's earlier names.
    """
    edited = [
        d for d in call.home.journal.history(document.scope, 1 << 30) if EDITED_TO in d.metadata
    ]
    keys, wordings = {document.key}, list[Document]()
    while earlier := [
        old for old in edited if old.metadata[EDITED_TO] in keys and old not in wordings
    ]:
        wordings += earlier
        keys |= {old.key for old in earlier}
    for old in sorted(wordings, key=lambda old: old.metadata[EDITED_AT]):
        until = datetime.fromisoformat(old.metadata[EDITED_AT])
        yield _Wording(old.text, until, is_agents_document(old))
