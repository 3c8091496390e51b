"""Makes the vectors of what a character remembers, beside the conversation; until then it is found
by its words.
"""

from gieok.character.memory.service import Bond, CharacterService
from gieok.flow.distil import deliver_scope
from gieok.flow.lifecycle import fill_vectors
from gieok.ports.store import VectorSearch


def embed_recent_memories(memory: CharacterService, bond: Bond) -> int:
    """Embed what was remembered last, where there is an embedder; return how many passages. Raises
    EmbedderFailed.

    What other memories wait for may come along.
    """
    deliver_scope(memory.journal, memory.store, bond.scope)
    if not isinstance(memory.store, VectorSearch) or not memory.store.waiting(bond.scope):
        return 0
    embedder = memory.embedder()
    return fill_vectors(memory.store, embedder, batches=1) if embedder else 0
