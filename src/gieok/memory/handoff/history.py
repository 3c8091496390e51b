"""Messages of a session with those that it goes on from: a fork or a resumed session copies them.

The journal keeps what was copied once, with the session that said it first (`capture.copies`).
"""

import json
from collections.abc import Collection
from itertools import groupby
from typing import NamedTuple

from gieok.memory.capture.copies import FORKS, CopiesJournal
from gieok.model.conversation import Journalled
from gieok.model.memory import Scope

#: Forks of forks that are followed.
_MOST_DEPTH = 24


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

    Only sessions of the given scopes are followed. Every message is returned as the session's own.
    """
    turns = _list_turns(journal, name, scopes)
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


def _list_turns(
    journal: CopiesJournal, name: SourceSession, scopes: Collection[Scope], depth: int = 0
) -> list[_SaidTurn]:
    """Return the turns of a session, also the forgotten ones, behind those that it copied."""
    own = [_SaidTurn(name, turn.place) for turn in journal.turns(*name)]
    forked = journal.kept(f"{FORKS}{name.agent}").get(name.session)
    if not forked or depth > _MOST_DEPTH:
        return own
    scope, parent, start, count = json.loads(forked)
    if Scope(scope) not in scopes:
        return own
    before = _list_turns(
        journal, SourceSession(Scope(scope), name.agent, parent), scopes, depth + 1
    )
    return [*before[start : start + count], *own]


def _list_range(
    journal: CopiesJournal, name: SourceSession, first: int, last: int
) -> list[Journalled]:
    """Return a session's messages from a turn to the end of another: tools follow their turn."""
    behind = min(
        (turn.place for turn in journal.turns(*name) if turn.place > last), default=float("inf")
    )
    return [one for one in journal.session_messages(*name) if first <= one.place < behind]
