"""What a person puts away: it is found no more, and all of it is kept, so that they can bring it
back.

An observation stays durable without passages, marked by `RETIRED`. In the place of a message stands
a blank, as a correction does; what stood there before is kept beside it first, so that a kill
between both steps loses nothing.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from gieok.memory import observation
from gieok.model.memory import RETIRED, Document, Entry, Scope
from gieok.ports.journal import FullJournal

#: Metadata of an observation that was put away with the message that it was made of: the id of
#: that.
_WITH = "retired_with"
_REALM = "retired:"
#: What is said in the place of a message that was put away: nothing that a line could be made of.
_BLANK = " "


class AwayTurn(NamedTuple):
    """A message that was put away: where its first line stands, what stood in its place ('': as it
    was said), and when.
    """

    id: str
    key: str
    line: int
    before: str
    at: str


def build_retired_entry(document: Document, now: datetime, message: str = "") -> Entry:
    """Return an observation as it is put away, alone or with a message."""
    more = {RETIRED: now.isoformat(timespec="seconds"), **({_WITH: message} if message else {})}
    fresh = replace(document, metadata={**document.metadata, **more})
    return Entry(replace(fresh, content_hash=observation.stamp(fresh)), ())


def restored(document: Document) -> Entry:
    """Return an observation as it was before it was put away."""
    metadata = {
        name: value for name, value in document.metadata.items() if name not in (RETIRED, _WITH)
    }
    fresh = replace(document, metadata=metadata)
    return observation.build_whole_entry(replace(fresh, content_hash=observation.stamp(fresh)))


def is_retired_with(document: Document, message: str) -> bool:
    """Say whether an observation was put away with a message."""
    return bool(message) and document.metadata.get(_WITH) == message


def turns(journal: FullJournal, scope: Scope) -> list[AwayTurn]:
    """Return the messages of a scope that are put away."""
    kept = journal.kept(_REALM + scope.path)
    blank = (
        {name for name, text in journal.corrections(scope).items() if text == _BLANK}
        if kept
        else set()
    )
    return [AwayTurn(name, *json.loads(value)) for name, value in kept.items() if name in blank]


def retire_turn(journal: FullJournal, scope: Scope, turn: AwayTurn) -> None:
    """Put a message away."""
    journal.keep(_REALM + scope.path, {turn.id: json.dumps(turn[1:], ensure_ascii=False)})
    journal.correct(scope, turn.id, _BLANK)


def restore_turn(journal: FullJournal, scope: Scope, turn: AwayTurn) -> None:
    """Bring a message back as it was."""
    journal.correct(scope, turn.id, turn.before)
    drop_turns(journal, scope, [turn.id])


def drop_turns(journal: FullJournal, scope: Scope, ids: Iterable[str]) -> None:
    """Keep nothing of these messages: they came back, or were forgotten."""
    journal.keep(_REALM + scope.path, {}, ids)
