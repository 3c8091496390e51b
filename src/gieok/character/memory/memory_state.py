"""All memories between a user and a character, and the documents that hold them."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from gieok.character.facts import (
    EPISODE,
    FACT,
    IDEA,
    MOMENT,
    Episode,
    Fact,
    Moment,
    episode_entry,
    episode_of,
    fact_entry,
    fact_of,
    moment_entry,
    read_moment_document,
)
from gieok.model.memory import Document, Entry, Scope


class Memories(NamedTuple):
    """All memories between a user and a character, each kind in order of time."""

    facts: list[Fact]
    moments: list[Moment]
    episodes: list[Episode]

    @property
    def every(self) -> list[Fact | Moment | Episode]:
        """Return the memories of all kinds."""
        return [*self.facts, *self.moments, *self.episodes]


def read_held_memories(made: Sequence[Document]) -> Memories:
    """Return the memories in documents, with ideas among the facts."""
    return Memories(
        sorted(
            map(fact_of, _select_kind_documents(made, FACT, IDEA)),
            key=lambda fact: (fact.at, fact.key),
        ),
        sorted(
            map(read_moment_document, _select_kind_documents(made, MOMENT)),
            key=lambda moment: moment.at,
        ),
        sorted(
            map(episode_of, _select_kind_documents(made, EPISODE)),
            key=lambda episode: episode.start,
        ),
    )


def differing(
    scope: Scope, held: Memories, now: Memories, edited: Collection[str] = ()
) -> tuple[list[Entry], list[Document]]:
    """Return the documents to put and to forget so that the store holds the present memories.

    `held` is the stored state, `now` the present one; edited memories get a history.
    """
    same = {id(memory) for part in held for memory in part} & {
        id(memory) for part in now for memory in part
    }
    old, new = _build_held_entries(scope, held, same), _build_held_entries(scope, now, same)
    put = {key: entry for key, entry in new.items() if old.get(key) != entry}
    gone = [
        entry.document
        for key, entry in old.items()
        if key not in new or (key in edited and key in put)
    ]
    return list(put.values()), gone


def _select_kind_documents(made: Sequence[Document], *kinds: str) -> list[Document]:
    return [document for document in made if document.kind in kinds]


def _build_held_entries(scope: Scope, held: Memories, but: Collection[int]) -> dict[str, Entry]:
    entries = [
        *(fact_entry(scope, memory) for memory in held.facts if id(memory) not in but),
        *(moment_entry(scope, memory) for memory in held.moments if id(memory) not in but),
        *(episode_entry(scope, memory) for memory in held.episodes if id(memory) not in but),
    ]
    return {entry.document.key: entry for entry in entries}
