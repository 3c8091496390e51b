"""Makes the vectors of a character's memories beside the conversation.

Until then the memories are found by their words.
"""

from gieok.character.memory.service import Bond, CharacterService
from gieok.flow.lifecycle import fill_vectors
from gieok.ports.store import VectorSearch


def embed_recent_memories(memory: CharacterService, bond: Bond) -> int:
    """Embed the newest memories, where there is an embedder; return how many passages.

    Passages of other memories that wait for vectors may be embedded too. Raises EmbedderFailed.
    """
    if not isinstance(memory.store, VectorSearch) or not memory.store.waiting(bond.scope):
        return 0
    return fill_vectors(memory.store, memory.embedder, batches=1) if memory.embedder else 0
