"""Messages of a session with those that it goes on from: a fork or a resumed session copies them.

The journal keeps what was copied once, with the session that said it first (`capture.copies`).
"""

from collections.abc import Collection
from itertools import groupby
from typing import NamedTuple

from gieok.memory.capture.copies import MOST_FORK_DEPTH, CopiesJournal, read_fork
from gieok.model.conversation import Journalled
from gieok.model.memory import Scope


class SourceSession(NamedTuple):
    """Session of an agent, with its scope."""

    scope: Scope
    agent: str
    session: str


class _SaidTurn(NamedTuple):
    """Turn of a history: the session that said it, and its place."""

    name: SourceSession
    place: int


def read_session_history(
    journal: CopiesJournal, name: SourceSession, scopes: Collection[Scope]
) -> tuple[list[Journalled], list[SourceSession]]:
    """Return a session's messages behind those that it copied, and the sessions that said them.

    Of a session outside the given scopes nothing is returned. Every message is returned as the
    session's own.
    """
    # What was copied is counted in the whole history: other scopes are left out only now.
    turns = [
        turn for turn in _list_turns(journal, name) if turn.name.scope in {name.scope, *scopes}
    ]
    own_places = {turn.place for turn in turns if turn.name == name}
    copied = turns[: len(turns) - len(own_places)]
    found: list[Journalled] = []
    names = []
    for said_by, group in groupby(copied, key=lambda turn: turn.name):
        places = [turn.place for turn in group]
        names.append(said_by)
        found += _list_range(journal, said_by, places[0], places[-1])
    own = journal.session_messages(*name)
    whole = [
        one._replace(message=one.message._replace(session=name.session)) for one in (*found, *own)
    ]
    return whole, [*names, name]


def _list_turns(journal: CopiesJournal, name: SourceSession, depth: int = 0) -> list[_SaidTurn]:
    """Return the turns of a session, also the forgotten ones, behind those that it copied."""
    own = [_SaidTurn(name, turn.place) for turn in journal.turns(*name)]
    forked = read_fork(journal, name.agent, name.session)
    if forked is None or depth > MOST_FORK_DEPTH:
        return own
    parent = SourceSession(forked.scope, name.agent, forked.parent)
    before = _list_turns(journal, parent, depth + 1)
    return [*before[forked.start : forked.start + forked.length], *own]


def _list_range(
    journal: CopiesJournal, name: SourceSession, first: int, last: int
) -> list[Journalled]:
    """Return a session's messages from a turn to the end of another: tools follow their turn."""
    behind = min(
        (turn.place for turn in journal.turns(*name) if turn.place > last), default=float("inf")
    )
    return [one for one in journal.session_messages(*name) if first <= one.place < behind]
