"""What a person sees first: the last sessions, what is due, what changed, what waits for them."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from gieok.commands.archive.pending import list_pending
from gieok.commands.changes import Change, list_changes
from gieok.commands.memory import untrusted
from gieok.commands.memory.listing import LEARNED, ListedMemory, list_memories
from gieok.commands.observe import days
from gieok.commands.observe.days import SessionSummary
from gieok.errors import NotIndexed
from gieok.home.call import Call
from gieok.memory.observation import Category
from gieok.model.conversation import Incident
from gieok.model.memory import Scope
from gieok.text.appointments import find_day_ahead
from gieok.text.due import due_day

#: Days that are looked at for the last sessions, the second where the first have none.
_RECENT_DAYS = (14, 400)
_MOST_SESSIONS, _MOST_DUE, _MOST_CHANGES, _MOST_LEARNED = 3, 6, 5, 6
#: Learned memories that may be due; older ones are not looked at.
_LOOKED_AT = 300
#: Days for which the words of a statement ("by next Friday") can name a day that is near now.
_WORDS_HOLD = timedelta(days=45)
#: Changes that are older are no news; clocks of several machines differ by less than this.
_NEWS, _AHEAD = timedelta(days=30), timedelta(days=1)


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
    """Return the memories that are due, the soonest first, each statement once.

    A task stays due for a while after its day, as it does at a session's start.
    """
    now = call.clock.now().astimezone(call.zone).date()
    today = str(now)
    due: dict[str, tuple[date, ListedMemory]] = {}
    for memory in memories:
        is_task = memory.category == Category.TASK
        named = find_day_ahead(memory.text, memory.day) if now - memory.day < _WORDS_HOLD else None
        day = due_day(
            memory.text, str(memory.day), today, is_task=is_task, named=str(named) if named else ""
        )
        if day and memory.text not in due:
            due[memory.text] = date.fromisoformat(day), memory
    return tuple(sorted(due.values(), key=lambda pair: pair[0])[:_MOST_DUE])
