"""The current memory of a scope: observations in order of time, the task, the patterns."""

from collections.abc import Mapping
from typing import NamedTuple

from gieok.memory import observation
from gieok.memory.observation import Observation
from gieok.model.memory import CORRECTED, IMPORTED, RETIRED, Document, Scope
from gieok.ports.journal import Archived
from gieok.ports.store import Documents

#: Limit of archived memories that still stand, and are told of although they have left hot.
MOST_ARCHIVED = 500


class ScopeMemory(NamedTuple):
    """The observer's documents in a scope."""

    documents: tuple[Document, ...]
    observations: tuple[Observation, ...]
    task: str
    patterns: tuple[Document, ...]

    @property
    def tokens(self) -> int:
        """Return the number of tokens of all observations."""
        return sum(o.tokens for o in self.observations)


def uncorrected(held: ScopeMemory) -> ScopeMemory:
    """Return a memory without a person's corrections and another program's memories.

    Gieok must rewrite neither.
    """
    documents = tuple(
        d for d in held.documents if not (d.metadata.get(CORRECTED) or d.metadata.get(IMPORTED))
    )
    patterns = tuple(document for document in held.patterns if not document.metadata.get(CORRECTED))
    return ScopeMemory(
        documents, tuple(map(observation.observation_of, documents)), held.task, patterns
    )


def standing(journal: Archived, scope: Scope) -> dict[str, str]:
    """Return key → content hash of the memory that an agent is told of.

    It is the memory in hot, and the memory of other tiers that still stands.
    """
    return journal.standing(scope, MOST_ARCHIVED)


def load_scope_memory(
    store: Documents,
    scope: Scope,
    known: dict[str, Document] | None = None,
    *,
    hashes: Mapping[str, str] | None = None,
) -> ScopeMemory:
    """Read a scope's memory from the store.

    `known` caches documents between calls, so that only changes are read. `hashes` (`standing`)
    says which documents to read; None: all that the store holds, whatever their tier. For 1,000
    observations, comparing hashes takes 1 ms, reading all of them 17.
    """
    found_hashes = store.hashes(scope) if hashes is None else hashes
    hashes = {
        key: content_hash
        for key, content_hash in found_hashes.items()
        if key.startswith(observation.PREFIX)
    }
    known = {} if known is None else known
    changed = [
        key
        for key, content_hash in hashes.items()
        if key not in known or known[key].content_hash != content_hash
    ]
    known |= {document.key: document for document in store.get(scope, changed)}
    for key in [key for key in known if key not in hashes]:
        del known[key]
    documents = [document for document in known.values() if not document.metadata.get(RETIRED)]
    observed = sorted(
        (d for d in documents if d.kind == observation.KIND),
        key=lambda d: (d.said_at, d.key),
    )
    task = next((d.text for d in documents if d.key == observation.TASK_KEY), "")
    patterns = sorted(
        (d for d in documents if d.kind == observation.PATTERN_KIND), key=lambda d: d.key
    )
    return ScopeMemory(
        tuple(observed), tuple(map(observation.observation_of, observed)), task, tuple(patterns)
    )


def format_observation_line(o: Observation) -> str:
    """Return an observation in the line format of prompts."""
    tick = "✅ " if o.is_done else ""
    return f"* {o.priority.mark} {tick}({o.at:%Y-%m-%d %H:%M}) [{o.category}] {o.text}"
