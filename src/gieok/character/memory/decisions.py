"""Decisions of users about their memory, as hidden messages of the journal.

The journal orders decisions and spoken messages together. A decision and the position of learning
are moved in one transaction: of two processes one applies the decision, and a kill loses none. No
decision contains deleted content.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from gieok.character.facts import USER, digest, same_value, value_id
from gieok.character.predicates import PREDICATES
from gieok.model.conversation import Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.ports.journal import KeptValues

#: Kinds of decisions: messages were changed, taken back or deleted (REFORM); a memory was refused
#: (REFUSE) or edited (EDIT); a person states a fact, perhaps in the place of another one (SET); an
#: episode returns to its former version (RESTORE).
REFORM, REFUSE, EDIT, SET, RESTORE = "reform", "refuse", "edit", "set", "restore"
#: Agent and session of decision messages.
AGENT = "character-user"
_REFUSED = "refused:"


class MemoryEdit(NamedTuple):
    """Values that an edit sets; None: left unchanged.

    `subject`, `predicate` and `subtype` say what a fact is about; a change of them makes another
    fact.
    """

    object: str | None = None
    day: str | None = None
    text: str | None = None
    importance: float | None = None
    is_important: bool | None = None
    topics: tuple[str, ...] | None = None
    subject: str | None = None
    predicate: str | None = None
    subtype: str | None = None

    @property
    def is_empty(self) -> bool:
        """Say whether nothing is set."""
        return all(value is None for value in self)


class UserDecision(NamedTuple):
    """Decision of a user.

    `start` is the place from which memory is formed again, `ids` are the messages that the decision
    is about. An edit names a memory by `key`, and a fact also by `value_id`, which outlives its
    key. `version` is the content hash of an episode before the edit. A set fact has all its values
    in `change`; `key` and `value_id` name the fact in whose place it stands, '' for none.

    What REFUSE and SET name by `value_id` must not be learned again from the messages `refused`;
    with REFORM and RESTORE it may be learned again from them, or from all where none are named.
    `freed` are messages of which the messages `ids` had taken something back.
    """

    do: str
    id: str = ""
    start: int = 0
    ids: tuple[str, ...] = ()
    key: str = ""
    value_id: str = ""
    version: str = ""
    change: MemoryEdit = MemoryEdit()
    refused: tuple[str, ...] = ()
    freed: tuple[str, ...] = ()


class Refusals(NamedTuple):
    """Values and keys that the user does not want learned → messages."""

    by: Mapping[str, frozenset[str]]

    def of(self, what: str, message_id: str) -> bool:
        """Return whether a value or key must not be learned from a message."""
        return message_id in self.by.get(what, ())

    def find_values(self, texts: Iterable[str], messages: Iterable[str]) -> set[str]:
        """Return the refused values of the user's facts that texts name in words of their own.

        A refusal does not reveal its value, so each run of words is looked up.
        """
        said = frozenset(messages)
        named = {
            same_value(" ".join(words[start:end]))
            for words in map(str.split, texts)
            for start in range(len(words))
            for end in range(start + 1, len(words) + 1)
        }
        return {
            value
            for value in named
            for predicate in PREDICATES
            if not said.isdisjoint(self.by.get(value_id(USER, predicate, value), ()))
        }


def message_of(decision: UserDecision, at: datetime, number: str) -> Message:
    """Return a decision as a message; `number` tells it from others of the same moment."""
    named: dict[str, Any] = {
        "do": decision.do,
        "start": decision.start,
        "ids": decision.ids,
        "key": decision.key,
        "value_id": decision.value_id,
        "version": decision.version,
        "refused": decision.refused,
        "freed": decision.freed,
    }
    change = decision.change._asdict()
    # An edit may set a value to nothing: the day of a plan, the topics of an episode.
    row = {name: value for name, value in named.items() if value} | {
        name: value for name, value in change.items() if value is not None
    }
    text = json.dumps(row)
    identity = decision.id or digest(f"{at.isoformat()}\0{number}\0{text}")
    return Message(
        id=identity, role=Role.TOOL, text=text, at=at, session=AGENT, agent=AGENT, tokens=1
    )


def list_decisions(entries: Sequence[Journalled]) -> list[UserDecision]:
    """Return the decisions among entries of a journal."""
    return [decision for one in entries if (decision := decision_of(one.message))]


def decision_of(message: Message) -> UserDecision | None:
    """Return the decision that a message holds; None for any other message."""
    if message.agent != AGENT:
        return None
    row = json.loads(message.text or "{}")
    change = MemoryEdit(*(row.get(name) for name in MemoryEdit._fields))
    if change.topics is not None:
        change = change._replace(topics=tuple(change.topics))
    return UserDecision(
        do=row.get("do", ""),
        id=message.id,
        start=row.get("start", 0),
        ids=tuple(row.get("ids", ())),
        key=row.get("key", ""),
        value_id=row.get("value_id", ""),
        version=row.get("version", ""),
        change=change,
        refused=tuple(row.get("refused", ())),
        freed=tuple(row.get("freed", ())),
    )


def select_spoken_messages(found: Sequence[Journalled]) -> list[Journalled]:
    """Return the spoken messages of a conversation, without decisions."""
    return sorted(
        (one for one in found if one.message.role is not Role.TOOL), key=lambda one: one.place
    )


def refused(values: KeptValues, scope: Scope) -> dict[str, frozenset[str]]:
    """Return the user's refusals: value or key → messages from which it must not be learned."""
    return {
        name: frozenset(ids.split())
        for name, ids in values.kept(format_refusal_realm(scope)).items()
    }


def changes_refusals(decision: UserDecision) -> bool:
    """Return whether a decision refuses a memory, or lets one be learned again."""
    return bool(decision.value_id) and decision.do in (REFUSE, SET, REFORM, RESTORE)


def settle_refusals(values: KeptValues, scope: Scope, decision: UserDecision) -> None:
    """Record what a decision refuses, or drop what it lets be learned again. Safe to repeat.

    What other decisions refuse of the same values, from other messages, is left refused.
    """
    realm, named = format_refusal_realm(scope), decision.value_id.split()
    held = refused(values, scope)
    if decision.do in (REFUSE, SET):
        left = {what: held.get(what, frozenset()).union(decision.refused) for what in named}
    elif decision.refused:
        left = {what: held.get(what, frozenset()).difference(decision.refused) for what in named}
    else:
        left = dict.fromkeys(named, frozenset[str]())
    values.keep(
        realm,
        {what: " ".join(sorted(ids)) for what, ids in left.items() if ids},
        [what for what, ids in left.items() if not ids],
    )


def format_refusal_realm(scope: Scope) -> str:
    """Return the realm of refusals."""
    return f"{_REFUSED}{scope}"
