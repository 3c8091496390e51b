"""What a user decided about their memory, as messages of the journal that nobody shows: in order
with what was said.

A decision and the position of what was learned move together: of two processes one takes it in, and
a kill loses none. Nothing that was deleted stands in one.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from gieok.character.facts import digest
from gieok.model.conversation import Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.ports.journal import KeptValues

#: What was said was changed, taken back or deleted; a memory was refused; one was edited; an
#: episode is what it was before.
REFORM, REFUSE, EDIT, RESTORE = "reform", "refuse", "edit", "restore"
#: The agent and session of these messages.
AGENT = "character-user"
_REFUSED = "refused:"


class MemoryEdit(NamedTuple):
    """What an edit sets; None: left as it is."""

    object: str | None = None
    day: str | None = None
    text: str | None = None
    importance: float | None = None
    is_important: bool | None = None

    @property
    def is_empty(self) -> bool:
        """Say whether nothing is set."""
        return all(value is None for value in self)


class UserDecision(NamedTuple):
    """A decision. `start` is the place from which memory is formed again, `ids` are the messages
    that it is about.

    An edit names a memory by `key`, and a fact also by `value_id`, which outlives its key.
    `version` is the content hash of an episode before.
    """

    do: str
    id: str = ""
    start: int = 0
    ids: tuple[str, ...] = ()
    key: str = ""
    value_id: str = ""
    version: str = ""
    change: MemoryEdit = MemoryEdit()


def message_of(decision: UserDecision, at: datetime, number: str) -> Message:
    """Return a decision as a message; `number` tells it from others of the same moment."""
    row: dict[str, Any] = {
        "do": decision.do,
        "start": decision.start,
        "ids": decision.ids,
        "key": decision.key,
    }
    row |= {"value_id": decision.value_id, "version": decision.version, **decision.change._asdict()}
    text = json.dumps(
        {
            name: value
            for name, value in row.items()
            if value not in (None, "", (), 0) or value is False
        }
    )
    identity = decision.id or digest(f"{at.isoformat()}\0{number}\0{text}")
    return Message(
        id=identity, role=Role.TOOL, text=text, at=at, session=AGENT, agent=AGENT, tokens=1
    )


def decision_of(message: Message) -> UserDecision | None:
    """Return the decision that a message holds; None for any other."""
    if message.agent != AGENT:
        return None
    row = json.loads(message.text or "{}")
    change = MemoryEdit(*(row.get(name) for name in MemoryEdit._fields))
    return UserDecision(
        do=row.get("do", ""),
        id=message.id,
        start=row.get("start", 0),
        ids=tuple(row.get("ids", ())),
        key=row.get("key", ""),
        value_id=row.get("value_id", ""),
        version=row.get("version", ""),
        change=change,
    )


def select_spoken_messages(found: Sequence[Journalled]) -> list[Journalled]:
    """Return what was said, without decisions, as the conversation has it."""
    return sorted(
        (one for one in found if one.message.role is not Role.TOOL), key=lambda one: one.place
    )


def refused(values: KeptValues, scope: Scope) -> dict[str, frozenset[str]]:
    """Return what the user refused to have learned: value or key → the messages that it must not be
    learned from.
    """
    return {name: frozenset(ids.split()) for name, ids in values.kept(f"{_REFUSED}{scope}").items()}


def refuse(values: KeptValues, scope: Scope, what: str, ids: Sequence[str]) -> None:
    """Remember that something must not be learned again from messages."""
    values.update_kept(
        f"{_REFUSED}{scope}", what, lambda text: " ".join(sorted({*text.split(), *ids}))
    )


def drop_memory_refusal(values: KeptValues, scope: Scope, what: str) -> None:
    """Forget a refusal."""
    values.keep(f"{_REFUSED}{scope}", {}, [what])


def format_refusal_realm(scope: Scope) -> str:
    """Return the realm of refusals."""
    return f"{_REFUSED}{scope}"
