"""Retiring by a person: a memory is found no more, and is kept whole so that it can come back.

A retired observation stays durable without passages, marked by `RETIRED`. A retired message is
replaced by a blank, in the way of a correction; the text before is saved first, so that a kill
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

#: Metadata of an observation that was retired together with its source message: the id of the
#: message.
_WITH = "retired_with"
_REALM = "retired:"
#: The text in the place of a retired message: no line can be made of it.
_BLANK = " "


class AwayTurn(NamedTuple):
    """Retired message.

    Where its first line stands, the correction that stood in its place ('': the message as it was
    said), and when it was retired.
    """

    id: str
    key: str
    line: int
    before: str
    at: str


def build_retired_entry(document: Document, now: datetime, message: str = "") -> Entry:
    """Return an observation as retired, alone or together with a message."""
    more = {RETIRED: now.isoformat(timespec="seconds"), **({_WITH: message} if message else {})}
    fresh = replace(document, metadata={**document.metadata, **more})
    return Entry(replace(fresh, content_hash=observation.stamp(fresh)), ())


def restored(document: Document) -> Entry:
    """Return an observation as it was before it was retired."""
    metadata = {
        name: value for name, value in document.metadata.items() if name not in (RETIRED, _WITH)
    }
    fresh = replace(document, metadata=metadata)
    return observation.build_whole_entry(replace(fresh, content_hash=observation.stamp(fresh)))


def is_retired_with(document: Document, message: str) -> bool:
    """Say whether an observation was retired together with a message."""
    return bool(message) and document.metadata.get(_WITH) == message


def turns(journal: FullJournal, scope: Scope) -> list[AwayTurn]:
    """Return the retired messages of a scope."""
    values = journal.kept(_REALM + scope.path)
    blank = (
        {name for name, text in journal.corrections(scope).items() if text == _BLANK}
        if values
        else set()
    )
    return [AwayTurn(name, *json.loads(value)) for name, value in values.items() if name in blank]


def load_saved_turns(journal: FullJournal, scope: Scope) -> dict[str, str]:
    """Return message id → what was saved when the message was retired, as text."""
    return journal.kept(_REALM + scope.path)


def save_turn(journal: FullJournal, scope: Scope, identity: str, saved: str) -> None:
    """Save what `load_saved_turns` of another device gives for a message; '' drops it."""
    if saved:
        journal.keep(_REALM + scope.path, {identity: saved})
    else:
        drop_turns(journal, scope, [identity])


def retire_turn(journal: FullJournal, scope: Scope, turn: AwayTurn) -> None:
    """Retire a message."""
    journal.keep(_REALM + scope.path, {turn.id: json.dumps(turn[1:], ensure_ascii=False)})
    journal.correct(scope, turn.id, _BLANK)


def restore_turn(journal: FullJournal, scope: Scope, turn: AwayTurn) -> None:
    """Restore a message as it was before it was retired."""
    journal.correct(scope, turn.id, turn.before)
    drop_turns(journal, scope, [turn.id])


def drop_turns(journal: FullJournal, scope: Scope, ids: Iterable[str]) -> None:
    """Delete the saved texts of messages that were restored or forgotten."""
    journal.keep(_REALM + scope.path, {}, ids)
