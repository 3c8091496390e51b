"""Daily view of memory, for the pages.

A day has its sessions, what was remembered, and the runs of the observer; a session can be shown
whole.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from gieok.commands.memory.handles import NOTE, NamedMemory, find_memory_status, kind_of
from gieok.home.call import Call
from gieok.hook import stats
from gieok.memory import observation
from gieok.memory.corrections import unmarked
from gieok.memory.files import roots
from gieok.memory.talk import turns
from gieok.model.conversation import Run, Turn
from gieok.model.memory import Document, Scope
from gieok.model.retrieval import Filter, FoundPassage
from gieok.ports.store import Store
from gieok.ranking import timeline
from gieok.ranking.recall import first_answer
from gieok.text.markdown import front_matter
from gieok.zone import day_in

#: Passages of a scope that are read for one stretch of days; beyond this number, the oldest are not
#: counted.
_MOST_PASSAGES = 30_000
#: Margin for time zones: days of the user are not those of UTC.
_ASIDE = timedelta(hours=14)
#: Observations of a resumed session are dated at most so long after its end.
_AFTER = timedelta(days=1)
#: Kind of documents from the history of a repository.
COMMIT = "commit"
_ID_SIGNS = "0123456789abcdef-"
#: Kinds of documents that say which messages they were learned from.
_OBSERVED = frozenset((observation.KIND, observation.PATTERN_KIND))


class SessionName(NamedTuple):
    """Identity of a session: what tells it from all other sessions of all agents."""

    scope: Scope
    agent: str
    session: str


class DayOf(NamedTuple):
    """Items dated on a day: sessions, and keys of remembered documents by scope."""

    sessions: tuple[SessionName, ...]
    memories: tuple[tuple[Scope, str], ...]


class LearnedMemory(NamedTuple):
    """Memory that was learned.

    `category` is the category of an observation or record (decision, preference, state, task), else
    the memory's kind.
    """

    handle: str
    text: str
    category: str
    status: str
    scope: Scope
    at: datetime
    message_ids: frozenset[str]
    kind: str


class InjectedCount(NamedTuple):
    """Numbers of hook calls and of prompts that got an injection, and the longest time of a
    call.
    """

    prompts: int = 0
    given: int = 0
    ms: float = 0.0


class SessionSummary(NamedTuple):
    """Session in short, or its part of one day.

    `messages` are those of the user and the agent; `first` is the first request. `injected` is
    counted for a day alone.
    """

    name: SessionName
    begin: datetime
    end: datetime
    messages: int
    first: str
    learned: tuple[LearnedMemory, ...]
    injected: InjectedCount = InjectedCount()


class WholeDay(NamedTuple):
    """Day: its sessions in order, other memories of the day, and the runs of distilling."""

    sessions: tuple[SessionSummary, ...]
    others: tuple[LearnedMemory, ...]
    runs: tuple[Run, ...]
    injected: InjectedCount


class SessionWhole(NamedTuple):
    """Turns of a session, in order, and what was learned from the session."""

    name: SessionName
    turns: tuple[Turn, ...]
    learned: tuple[LearnedMemory, ...]


class _SessionPart(NamedTuple):
    """Turns of a session on one day in short: their ids, the first and last time, the request."""

    ids: tuple[str, ...]
    begin: datetime
    end: datetime
    first: str


class SessionParts:
    """Parts of sessions by day. Each session is read once, on however many days it was."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._by_day = dict[SessionName, dict[date, _SessionPart]]()

    def summarise(
        self, name: SessionName, day: date, learned: Iterable[LearnedMemory]
    ) -> SessionSummary | None:
        """Return what of a session falls on a day, with what was learned of it; None: nothing."""
        if name not in self._by_day:
            self._by_day[name] = self._read_parts(name)
        part = self._by_day[name].get(day)
        return None if part is None else _summarise_part(name, part, learned)

    def _read_parts(self, name: SessionName) -> dict[date, _SessionPart]:
        turns_by_day: dict[date, list[Turn]] = defaultdict(list)
        for turn in _list_session_turns(self._call, name):
            turns_by_day[turn.message.at.astimezone(self._call.zone).date()].append(turn)
        return {day: _build_session_part(day_turns) for day, day_turns in turns_by_day.items()}


def list_memory_days(
    call: Call,
    scopes: Iterable[Scope],
    first: date,
    last: date,
    kinds: frozenset[str] = frozenset(),
) -> dict[date, DayOf]:
    """Return the dated items of each day from `first` to `last` that has any.

    With `kinds`, only documents of these kinds are looked at.
    """
    sessions: dict[date, dict[SessionName, None]] = defaultdict(dict)
    memories: dict[date, dict[tuple[Scope, str], None]] = defaultdict(dict)
    for scope in scopes:
        dated_documents, _ = first_answer(
            call.home.stores.all(),
            lambda store: _list_dated_documents(store, scope, first, last, call, kinds),  # noqa: B023
        )
        for day, kind, key, metadata in dated_documents:
            if kind == turns.KIND:
                name = SessionName(scope, metadata.get("agent", ""), metadata.get("session", ""))
                sessions[day][name] = None
            elif key != observation.TASK_KEY:
                memories[day][scope, key] = None
    return {
        day: DayOf(tuple(sessions.get(day, ())), tuple(memories.get(day, ())))
        for day in sorted({*sessions, *memories})
        if first <= day <= last
    }


def _list_dated_documents(
    store: Store, scope: Scope, first: date, last: date, call: Call, kinds: frozenset[str]
) -> list[tuple[date, str, str, Mapping[str, str]]]:
    where = Filter(
        kinds,
        since=datetime.combine(first, time(), UTC) - _ASIDE,
        until=datetime.combine(last, time(), UTC) + timedelta(days=1) + _ASIDE,
    )
    rows = {}
    for p in store.passages(store.within(scope, where, _MOST_PASSAGES), scope):
        if p.key not in rows:
            rows[p.key] = (_find_dated_day(p, call.zone), p.kind, p.key, p.metadata)
    return list(rows.values())


def _find_dated_day(passage: FoundPassage, zone: tzinfo) -> date:
    """Return the day of a document; what was said has a time, midnight UTC among all others."""
    if passage.kind == turns.KIND and passage.valid_from is not None:
        return day_in(passage.valid_from, zone)
    return timeline.find_passage_day(passage, zone)


def build_whole_day(call: Call, scopes: Iterable[Scope], day: date, of: DayOf) -> WholeDay:
    """Return all items of a day."""
    part = build_day(call, day, of, SessionParts(call))
    calls = _group_hook_calls(call, day)
    return part._replace(
        sessions=tuple(
            session._replace(
                injected=_count_injected_prompts(calls.get(_counted_as(session.name.session), ()))
            )
            for session in part.sessions
        ),
        runs=_list_runs_of_day(call, scopes, day),
        injected=_count_injected_prompts([row for rows in calls.values() for row in rows]),
    )


def build_day(
    call: Call, day: date, of: DayOf, parts: SessionParts, category: str = ""
) -> WholeDay:
    """Return a day without its runs and without what was injected.

    With a category (or kind), only memories of it, and the sessions only where some of these were
    learned from talk.
    """
    learned = _list_learned_memories(call, of.memories)
    if category:
        learned = [one for one in learned if category in (one.category, one.kind)]
    names = of.sessions if not category or any(one.message_ids for one in learned) else ()
    some = (parts.summarise(name, day, learned) for name in names)
    sessions = sorted((one for one in some if one), key=lambda one: one.begin)
    taken = {one.handle for session in sessions for one in session.learned}
    return WholeDay(
        sessions=tuple(sessions),
        others=tuple(one for one in learned if one.handle not in taken),
        runs=(),
        injected=InjectedCount(),
    )


def list_last_sessions(
    call: Call, scopes: Iterable[Scope], first: date, last: date, most: int
) -> tuple[SessionSummary, ...]:
    """Return the sessions that ended last from one day to another, the newest first.

    Each is whole and stands once, on however many days it was. Notes are not read.
    """
    found = list_memory_days(call, scopes, first, last, frozenset((turns.KIND,)))
    said: dict[SessionName, list[Turn]] = {}
    for day in sorted(found, reverse=True):
        for name in found[day].sessions:
            if name not in said and (session_turns := _list_session_turns(call, name)):
                said[name] = session_turns
        if len(said) >= most:
            break
    newest = sorted(said.items(), key=lambda item: item[1][-1].message.at, reverse=True)[:most]
    return tuple(
        _summarise_session(name, session_turns, _list_learned_around(call, name, session_turns))
        for name, session_turns in newest
    )


def build_whole_session(call: Call, name: SessionName) -> SessionWhole:
    """Return a whole session; without turns where there is no session of this name."""
    session_turns = _list_session_turns(call, name)
    if not session_turns:
        return SessionWhole(name, (), ())
    learned = _list_learned_around(call, name, session_turns)
    own = _summarise_session(name, session_turns, learned).learned
    return SessionWhole(name, tuple(session_turns), own)


def _list_learned_around(
    call: Call, name: SessionName, session_turns: Sequence[Turn]
) -> list[LearnedMemory]:
    """Return what was learned in a scope in the time of a session."""
    begin, end = (
        session_turns[0].message.at.astimezone(call.zone).date(),
        (session_turns[-1].message.at + _AFTER).astimezone(call.zone).date(),
    )
    around = list_memory_days(call, [name.scope], begin, end, _OBSERVED)
    return _list_learned_memories(call, [key for day in around.values() for key in day.memories])


def _summarise_session(
    name: SessionName, session_turns: Sequence[Turn], learned: Iterable[LearnedMemory]
) -> SessionSummary:
    """Return a session with those memories that were learned of its turns."""
    return _summarise_part(name, _build_session_part(session_turns), learned)


def _build_session_part(some: Sequence[Turn]) -> _SessionPart:
    return _SessionPart(
        ids=tuple(turn.message.id for turn in some),
        begin=some[0].message.at,
        end=some[-1].message.at,
        first=_shorten_first_prompt(some),
    )


def _summarise_part(
    name: SessionName, part: _SessionPart, learned: Iterable[LearnedMemory]
) -> SessionSummary:
    """Return a session, or a part of it, with those memories that were learned of its turns."""
    return SessionSummary(
        name=name,
        begin=part.begin,
        end=part.end,
        messages=len(part.ids),
        first=part.first,
        learned=tuple(one for one in learned if not one.message_ids.isdisjoint(part.ids)),
    )


def _list_session_turns(call: Call, name: SessionName) -> list[Turn]:
    all_turns = call.home.journal.turns(name.scope, name.agent, name.session)
    return [turn for turn in all_turns if not turn.is_forgotten]


def _shorten_first_prompt(said: Sequence[Turn]) -> str:
    prompt_turn = next((turn for turn in said if turn.message.role == "user"), said[0])
    return " ".join(unmarked(prompt_turn.message.text).split())[:200]


def _list_learned_memories(call: Call, keys: Sequence[tuple[Scope, str]]) -> list[LearnedMemory]:
    by_scope: dict[Scope, list[str]] = defaultdict(list)
    for scope, key in keys:
        by_scope[scope].append(key)
    now, rows = call.clock.now(), list[LearnedMemory]()
    for scope, some in by_scope.items():
        documents, known = first_answer(
            call.home.stores.all(),
            lambda store: (store.get(scope, some), roots.load_roots(store, scope)),  # noqa: B023
        )[0]
        for d in documents:
            kind = COMMIT if d.kind == COMMIT else kind_of(d, known, str(call.home.folder))
            ids = frozenset(i for origin in d.provenance for i in origin.message_ids)
            rows.append(
                LearnedMemory(
                    handle=NamedMemory(d).handle,
                    text=_shorten_document_text(d),
                    category=d.metadata.get("category", "") or kind,
                    status=find_memory_status(d, now),
                    scope=d.scope,
                    at=d.said_at,
                    message_ids=ids,
                    kind=kind,
                )
            )
    return sorted(rows, key=lambda one: (one.kind == NOTE, one.at, one.handle))


def _shorten_document_text(document: Document) -> str:
    text = " ".join(document.text[front_matter(document.text).end :].split())
    return text if len(text) <= 240 else f"{text[:239]}…"


def _list_runs_of_day(call: Call, scopes: Iterable[Scope], day: date) -> tuple[Run, ...]:
    since = datetime.combine(day, time(), call.zone)
    journal = call.home.journal
    all_runs = (run for scope in scopes for run in journal.runs(scope, since))
    return tuple(run for run in all_runs if run.at.astimezone(call.zone).date() == day)


def _group_hook_calls(call: Call, day: date) -> dict[str, list[Mapping[str, object]]]:
    """Return the hook's counters of a day by session."""
    calls_by_session: dict[str, list[Mapping[str, object]]] = defaultdict(list)
    for row in stats.read_hook_calls(call.home.folder):
        at = row["at"]
        if isinstance(at, int) and datetime.fromtimestamp(at / 1000, call.zone).date() == day:
            calls_by_session[str(row.get("session", ""))].append(row)
    return calls_by_session


def _counted_as(name: str) -> str:
    """Return a session's name in the hook's counters; an id that is no plain id is hashed."""
    return f"{zlib.crc32(name.encode('utf-8', 'replace')):08x}" if name.strip(_ID_SIGNS) else name


def _count_injected_prompts(rows: Sequence[Mapping[str, object]]) -> InjectedCount:
    prompts = [row for row in rows if row.get("event") == "prompt"]
    answered_count = sum(1 for row in prompts if row.get("high") or row.get("medium"))
    spent = [float(ms) for row in prompts if isinstance(ms := row.get("ms"), int | float)]
    return InjectedCount(len(prompts), answered_count, max(spent, default=0.0))
