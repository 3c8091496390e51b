"""The current memory of a scope: observations in order of time, the task, the patterns."""

from collections.abc import Mapping
from typing import NamedTuple

from gieok.memory import observation
from gieok.memory.observation import Observation
from gieok.model.memory import CORRECTED, IMPORTED, RETIRED, Document, Scope
from gieok.ports.journal import Archived
from gieok.ports.store import Documents

#: Archived memories that still stand, and are told of though they have left hot.
MOST_ARCHIVED = 500


class ScopeMemory(NamedTuple):
    """The documents of the observe rib in a scope."""

    documents: tuple[Document, ...]
    observations: tuple[Observation, ...]
    task: str
    patterns: tuple[Document, ...]

    @property
    def tokens(self) -> int:
        """Return how many tokens the observations have."""
        return sum(o.tokens for o in self.observations)


def uncorrected(held: ScopeMemory) -> ScopeMemory:
    """Return a memory without what a person corrected, and what another program kept: neither is
    ours to rewrite.
    """
    kept = tuple(
        d for d in held.documents if not (d.metadata.get(CORRECTED) or d.metadata.get(IMPORTED))
    )
    patterns = tuple(document for document in held.patterns if not document.metadata.get(CORRECTED))
    return ScopeMemory(kept, tuple(map(observation.observation_of, kept)), held.task, patterns)


def standing(journal: Archived, scope: Scope) -> dict[str, str]:
    """Return key → content hash of what an agent is told of: what is in hot, and what stands of
    other tiers.
    """
    return journal.standing(scope, MOST_ARCHIVED)


def load_scope_memory(
    store: Documents,
    scope: Scope,
    known: dict[str, Document] | None = None,
    *,
    hashes: Mapping[str, str] | None = None,
) -> ScopeMemory:
    """Read a scope's memory from the store; `known` caches documents between calls, so that only
    changes are read.

    `hashes` (`standing`) says which documents; None: all that the store holds, whatever their tier.
    For 1,000 observations, comparing hashes takes 1 ms, reading all of them 17.
    """
    found_hashes = store.hashes(scope) if hashes is None else hashes
    hashes = {
        key: found for key, found in found_hashes.items() if key.startswith(observation.PREFIX)
    }
    known = {} if known is None else known
    changed = [
        key for key, found in hashes.items() if key not in known or known[key].content_hash != found
    ]
    known |= {document.key: document for document in store.get(scope, changed)}
    for key in [key for key in known if key not in hashes]:
        del known[key]
    documents = [document for document in known.values() if not document.metadata.get(RETIRED)]
    kept = sorted(
        (d for d in documents if d.kind == observation.KIND),
        key=lambda d: (d.said_at, d.key),
    )
    task = next((d.text for d in documents if d.key == observation.TASK_KEY), "")
    patterns = sorted(
        (d for d in documents if d.kind == observation.PATTERN_KIND), key=lambda d: d.key
    )
    return ScopeMemory(
        tuple(kept), tuple(map(observation.observation_of, kept)), task, tuple(patterns)
    )


def format_observation_line(o: Observation) -> str:
    """Return an observation in the line format of prompts."""
    done = "✅ " if o.is_done else ""
    return f"* {o.priority.mark} {done}({o.at:%Y-%m-%d %H:%M}) [{o.category}] {o.text}"
