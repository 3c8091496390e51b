"""An embedder without a model: hashed keyword tokens.

Texts that share words are near; nothing else is understood.
"""

import hashlib
import math
import struct
from collections.abc import Sequence

from gieok.text.keywords import keyword_tokens


class HashEmbedder:
    """`Embedder` for tests: deterministic and instant.

    It counts the texts that it was given.
    """

    def __init__(self, dimension: int = 64, *, model: str = "") -> None:
        self.dimension = dimension
        self.model = model or f"hash-{dimension}@1"
        self.embedded: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text."""
        self.embedded += texts
        return [self._embed(text) for text in texts]

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a question."""
        return self._embed(text)

    def _embed(self, text: str) -> bytes:
        values = [0.0] * self.dimension
        for token in keyword_tokens(text) or [""]:
            digest = hashlib.blake2b(f"{self.model}\0{token}".encode(), digest_size=8).digest()
            place, sign = divmod(int.from_bytes(digest, "little"), 2)
            values[place % self.dimension] += 1.0 if sign else -1.0
        norm = math.sqrt(sum(v * v for v in values))
        if not norm:
            values, norm = [1.0] * self.dimension, math.sqrt(self.dimension)
        return struct.pack(f"<{self.dimension}f", *(v / norm for v in values))
