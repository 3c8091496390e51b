"""What a person sees first: the last sessions, what is due, what changed, what waits for them."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from gieok.commands.archive.pending import list_pending
from gieok.commands.memory import untrusted
from gieok.commands.memory.handles import NamedMemory
from gieok.commands.memory.history import strip_speaker_label
from gieok.commands.memory.listing import LEARNED, ListedMemory, list_memories
from gieok.commands.observe import days
from gieok.commands.observe.days import SessionSummary
from gieok.errors import NotIndexed
from gieok.home.call import Call
from gieok.hook.validity import EndedClaim, Standing
from gieok.memory.corrections import unmarked
from gieok.model.conversation import Incident
from gieok.model.memory import Scope
from gieok.ranking.recall import first_answer
from gieok.text.due import due_day

#: Days that are looked at for the last sessions, the second where the first have none.
_RECENT_DAYS = (14, 400)
_MOST_SESSIONS, _MOST_DUE, _MOST_CHANGES, _MOST_LEARNED = 3, 6, 5, 6
#: Learned memories that may be due; older ones are not looked at.
_LOOKED_AT = 300
#: Changes that are older are no news; clocks of several machines differ by less than this.
_NEWS, _AHEAD = timedelta(days=30), timedelta(days=1)
_TEXT_CHARS = 200


class Change(NamedTuple):
    """Statement that holds no more, since when, and the statement that holds instead ('': none)."""

    at: datetime
    scope: Scope
    before: str
    after: str
    handle: str


class WaitingForPerson(NamedTuple):
    """What waits for the word of a person: days and questions of the archive, records to trust, and
    incidents.
    """

    days: int
    questions: int
    records: int
    incidents: tuple[Incident, ...]

    def __bool__(self) -> bool:
        return any(self)


class Today(NamedTuple):
    """The last sessions, newest first, and what is due, changed, was learned lately, and waits.

    `due` has the days near today, each with a memory that names it.
    """

    sessions: tuple[SessionSummary, ...]
    due: tuple[tuple[date, ListedMemory], ...]
    changes: tuple[Change, ...]
    learned: tuple[ListedMemory, ...]
    waiting: WaitingForPerson


def look_at_today(call: Call, scopes: Sequence[Scope]) -> Today:
    """Return what is new and near in these scopes."""
    try:
        learned = list_memories(call, kind=LEARNED, everywhere=True, limit=_LOOKED_AT).memories
    except NotIndexed:
        learned = ()
    now = call.clock.now()
    holding = [memory for memory in learned if memory.status in ("stands", "current", "corrected")]
    return Today(
        sessions=_list_last_sessions(call, scopes),
        due=_list_due_memories(call, holding),
        changes=list_changes(call, scopes, now - _NEWS, now + _AHEAD, _MOST_CHANGES),
        learned=tuple(holding[:_MOST_LEARNED]),
        waiting=_find_waiting(call),
    )


def _find_waiting(call: Call) -> WaitingForPerson:
    """Return what waits for the word of a person."""
    pending = list_pending(call)
    incidents = call.home.journal.incidents() if call.home.stores.has_journal() else []
    return WaitingForPerson(
        days=len(pending.days),
        questions=len(pending.questions),
        records=untrusted.count_waiting_records(call),
        incidents=tuple(incidents),
    )


def _list_last_sessions(call: Call, scopes: Sequence[Scope]) -> tuple[SessionSummary, ...]:
    today = call.clock.now().astimezone(call.zone).date()
    for back in _RECENT_DAYS:
        first = today - timedelta(days=back)
        if sessions := days.list_last_sessions(call, scopes, first, today, _MOST_SESSIONS):
            return sessions
    return ()


def _list_due_memories(
    call: Call, memories: Sequence[ListedMemory]
) -> tuple[tuple[date, ListedMemory], ...]:
    """Return the memories that are due, the soonest first, each statement once."""
    today = str(call.clock.now().astimezone(call.zone).date())
    due: dict[str, tuple[date, ListedMemory]] = {}
    for memory in memories:
        day = due_day(memory.text, str(memory.day), today, is_task=False)
        if day and memory.text not in due:
            due[memory.text] = date.fromisoformat(day), memory
    return tuple(sorted(due.values(), key=lambda pair: pair[0])[:_MOST_DUE])


def list_changes(
    call: Call, scopes: Sequence[Scope], since: datetime, until: datetime, most: int
) -> tuple[Change, ...]:
    """Return the statements that were replaced in a time, the newest change first."""
    now = call.clock.now()
    standing = Standing(str(call.home.folder), now.timestamp())
    ended = [
        (claim, scope, key, line)
        for scope in scopes
        for key, line, claim in standing.every(str(scope))
        if since.timestamp() <= claim.at < until.timestamp()
    ]
    ended.sort(key=lambda row: -row[0].at)
    changes: dict[tuple[str, str], Change] = {}
    for claim, scope, key, line in ended:
        change = _read_change(call, claim, scope, key, line)
        if change is not None:
            changes.setdefault((change.before, change.after), change)
        if len(changes) == most:
            break
    return tuple(changes.values())


def _read_change(call: Call, claim: EndedClaim, scope: Scope, key: str, line: int) -> Change | None:
    """Return a change in words; None where one of its statements is not there any more."""
    before = _read_line(call, scope, key, line)
    after = _read_line(call, Scope(claim.scope), claim.key, claim.line)
    if not before or not claim.still_says(after):
        return None
    return Change(
        at=datetime.fromtimestamp(claim.at, UTC),
        scope=scope,
        before=_shorten_statement(before),
        after=_shorten_statement(after),
        handle=claim.handle,
    )


def _read_line(call: Call, scope: Scope, key: str, line: int) -> str:
    """Return a line of a document; '' where it is gone."""
    documents, _ = first_answer(call.home.stores.all(), lambda store: store.get(scope, [key]))
    lines = NamedMemory(documents[0]).text.split("\n") if documents else []
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _shorten_statement(line: str) -> str:
    text = " ".join(unmarked(strip_speaker_label(line)).split())
    return text if len(text) <= _TEXT_CHARS else f"{text[: _TEXT_CHARS - 1]}…"
