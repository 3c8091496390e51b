"""Embedders and language models."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

#: One unit vector of `Embedder.dimension` float32 values, little-endian, as raw bytes.
Vector = bytes


class Embedder(Protocol):
    """Turns text into unit vectors. The same text gives the same vector in every process."""

    #: Decides the shape of stored vectors: changes whenever vectors would; e.g. `e5-small-koen-int8@1`.
    model: str
    dimension: int

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. An empty text gives a vector too. Raises EmbedderFailed."""

    def embed_query(self, text: str) -> Vector:
        """Return the vector that finds passages which answer `text`. Raises EmbedderFailed."""


@runtime_checkable
class SelfCheck(Protocol):
    """A backend that can tell what is wrong with itself on this machine."""

    def check(self) -> list[str]:
        """Return what is wrong, each with what to do about it; empty: nothing."""


class Prompt(NamedTuple):
    """What a model is asked. It holds no secrets: `gieok.engine.generate` has cut them out."""

    system: str
    text: str
    temperature: float
    max_output_tokens: int


class Generated(NamedTuple):
    """What a model answered, and what it says that it counted (0: it does not say)."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class Generator(Protocol):
    """Asks a language model. One try: retrying, budgets and redaction are the engine's (`gieok.engine.generate`)."""

    #: Provider and model, e.g. `gemini:gemini-2.5-flash`.
    model: str

    def generate(self, prompt: Prompt) -> Generated:
        """Return the answer. Raises GeneratorFailed, which says whether another try may help."""
