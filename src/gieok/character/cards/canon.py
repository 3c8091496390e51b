"""Canon of a character: its lorebook as documents of a scope of its own.

The module also selects the entries that belong to a reply.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random, SystemRandom
from typing import NamedTuple

from gieok.character.cards.card import card_of
from gieok.character.cards.entry_matcher import (
    Active,
    LoreTalk,
    find_active_entries,
    may_be_recalled,
)
from gieok.character.cards.lorebook import Lorebook, LoreEntry
from gieok.character.facts import PREFIX, digest, scope_of
from gieok.character.memory.recollection import RecallWeights, recalled
from gieok.flow.distil import hand_over_scope
from gieok.model.accounts import StoredCharacter
from gieok.model.conversation import Role
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.ports.journal import FullJournal
from gieok.ports.models import Embedder
from gieok.ports.store import Store
from gieok.ports.system import Clock
from gieok.text.language import detect_text_language
from gieok.text.tokens import estimate_tokens

#: Kind of the canon's documents.
CANON = "canon"
#: Reason for which an entry is told although its keys were not said.
RECALLED = "recalled"
_MOST_KEYS_CHARS = 400
_MOST_REPLIES = 10_000
_ALL = 1 << 40


class CanonEntry(NamedTuple):
    """Statement about a character's world: the text, the entry, and why it is told.

    The reason is `constant`, the key that was said, or `recalled`.
    """

    text: str
    entry: LoreEntry
    why: str


class CanonChange(NamedTuple):
    """How many documents were put, and how many were forgotten."""

    put: int = 0
    forgotten: int = 0


def canon_scope(owner: str, character: str) -> Scope:
    """Return the scope of a character's canon.

    A service's character has a scope of its own; a user's character has one among the user's
    scopes.
    """
    return Scope(f"user:{owner}/canon:{character}" if owner else f"character:{character}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Canon:
    """Canon of all characters.

    `recall` is how many entries may be told without their keys being said, `least` is the
    similarity that such entries need.
    """

    journal: FullJournal
    store: Store
    clock: Clock
    embedder: Embedder | None = None
    weights: RecallWeights = field(
        default_factory=lambda: RecallWeights(similarity=1.0, recency=0.0, importance=0.0)
    )
    recall: int = 2
    least: float = 0.1
    #: Decides about entries that are told now and then.
    random: Random = field(default_factory=SystemRandom)

    def keep(self, character: StoredCharacter) -> CanonChange:
        """Put a character's new or changed entries, and forget entries that are gone."""
        scope = canon_scope(character.owner, character.id)
        held = {
            entry.document.key: entry.document.content_hash for entry in self.journal.made(scope)
        }
        entries = {entry.document.key: entry for entry in _list_canon_entries(scope, character)}
        put = [
            entry for key, entry in entries.items() if held.get(key) != entry.document.content_hash
        ]
        gone = [key for key in held if key not in entries]
        hand_over_scope(self.journal, self.store, scope, put, gone)
        return CanonChange(len(put), len(gone))

    def drop(self, owner: str, character: str) -> CanonChange:
        """Forget the whole canon of a character."""
        scope = canon_scope(owner, character)
        gone = [entry.document.key for entry in self.journal.made(scope)]
        hand_over_scope(self.journal, self.store, scope, gone=gone)
        return CanonChange(0, len(gone))

    def entries(
        self,
        character: StoredCharacter,
        text: str,
        said: Sequence[str],
        budget: int,
        replies: int | None = None,
    ) -> list[CanonEntry]:
        """Return the entries that belong to a message within so many tokens, in the order of the
        book.

        `said` holds the messages before it, oldest first; `replies` is how many replies the
        character gave in all, None for unknown. Constant entries get room first, then entries whose
        keys were said, then entries that are similar to the message.
        """
        book = card_of(character.card).book
        if not book.entries or budget <= 0:
            return []
        talk = LoreTalk(tuple(reversed((*said, text))), replies)
        active_entries = _rank_active_entries(find_active_entries(book, talk, self.random))
        known = {active.entry.number for active in active_entries}
        active_entries += [
            active
            for active in self._recalled(character, book, talk)
            if active.entry.number not in known
        ]
        budget = min(budget, book.token_budget or budget)
        return [
            CanonEntry(active.entry.text, active.entry, active.why)
            for active in _select_entries_within(active_entries, budget)
        ]

    def tell(self, character: StoredCharacter, user: str, texts: Sequence[str], budget: int) -> str:
        """Return the entries for the last of some messages as one text under its heading; '' for
        none.

        The messages are given oldest first.
        """
        *earlier, text = texts or ("",)
        book = card_of(character.card).book
        counts = any(entry.after or entry.every for entry in book.entries)
        replies = self._replies(scope_of(user, character.id)) if counts else None
        entries = self.entries(character, text, earlier, budget, replies)
        head = (
            "[캐릭터의 설정: 늘 그렇다]"
            if detect_text_language(" ".join(texts)) == "ko"
            else "[Canon: always so]"
        )
        return "\n\n".join((head, *(entry.text for entry in entries))) if entries else ""

    def _recalled(self, character: StoredCharacter, book: Lorebook, talk: LoreTalk) -> list[Active]:
        numbers = {_build_canon_key(one): one for one in book.entries if may_be_recalled(one, talk)}
        scope = canon_scope(character.owner, character.id)
        hits = recalled(
            self.store,
            self.embedder,
            scope,
            talk.texts[0],
            self.clock.now(),
            self.weights,
            self.recall,
            frozenset((CANON,)),
        )
        near = [one.document.key for one in hits if one.score >= self.least]
        return [Active(numbers[key], RECALLED) for key in near if key in numbers]

    def _replies(self, scope: Scope) -> int:
        read = self.journal.read(scope, 0, budget_tokens=_ALL, limit=_MOST_REPLIES)
        return sum(entry.message.role is Role.ASSISTANT for entry in read)


def _rank_active_entries(found: Sequence[Active]) -> list[Active]:
    """Return entries in the order in which they get room."""
    return sorted(
        found, key=lambda one: (one.entry.is_spare, not one.entry.is_constant, -one.entry.priority)
    )


def _select_entries_within(found: Sequence[Active], budget: int) -> list[Active]:
    chosen_entries = []
    for one in found:
        tokens = estimate_tokens(one.entry.text) + 2
        if tokens <= budget:
            budget -= tokens
            chosen_entries.append(one)
    return sorted(chosen_entries, key=lambda one: (one.entry.order, one.entry.number))


def _list_canon_entries(scope: Scope, character: StoredCharacter) -> list[Entry]:
    """Return one document for each entry of the book; equal entries give one document."""
    return [
        _build_canon_document(scope, character, entry)
        for entry in card_of(character.card).book.entries
        if entry.is_enabled
    ]


def _build_canon_key(entry: LoreEntry) -> str:
    """Return the key of an entry, made from its content.

    Moving an entry in the book therefore changes nothing.
    """
    return f"{PREFIX}{CANON}:{digest(entry.text)}"


def _build_canon_document(scope: Scope, character: StoredCharacter, entry: LoreEntry) -> Entry:
    keys = ", ".join(entry.keys)[:_MOST_KEYS_CHARS]
    document = Document(
        scope=scope,
        key=_build_canon_key(entry),
        kind=CANON,
        text=entry.text,
        content_hash=digest(f"{entry.name}\x00{keys}\x00{entry.text}"),
        created_at=character.created_at,
        updated_at=character.updated_at,
        title=entry.name,
        metadata={"keys": keys} if keys else {},
    )
    return Entry(
        document,
        (
            Passage(
                start=0,
                end=len(entry.text),
                start_line=1,
                end_line=entry.text.count("\n") + 1,
                context=keys,
            ),
        ),
    )
