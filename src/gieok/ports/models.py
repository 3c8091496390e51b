"""Embedders and language models."""

from collections.abc import Generator as Produced
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

#: One unit vector of `Embedder.dimension` float32 values, little-endian, as raw bytes.
Vector = bytes


class Embedder(Protocol):
    """Turns text into unit vectors. The same text gives the same vector in every process."""

    @property
    def model(self) -> str:
        """Return what decides the shape of stored vectors: changes whenever they would; e.g.
        `e5-small-koen-int8@1`.
        """

    @property
    def dimension(self) -> int:
        """Return how many numbers a vector has."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. An empty text gives a vector too. Raises
        EmbedderFailed.
        """

    def embed_query(self, text: str) -> Vector:
        """Return the vector that finds passages which answer `text`. Raises EmbedderFailed."""


@runtime_checkable
class Followed(Protocol):
    """An embedder of whichever model the vectors of a store are of: another process may switch it
    at any moment.
    """

    @property
    def behind(self) -> str:
        """Return how the store's model differs from the settings, and the command that ends it; ''
        where it does not.
        """

    def of(self, store: object) -> Embedder:
        """Return the same for a store, as its model is now."""

    def wanted(self) -> Embedder:
        """Return the embedder that the settings ask for. Raises EmbedderFailed."""


class Embedded(NamedTuple):
    """What a service made of texts: unit vectors in order, and the tokens that it says it counted
    (0: it does not say).
    """

    vectors: list[Vector]
    tokens: int = 0


class EmbeddingService(Protocol):
    """Asks a service for vectors. One request, one try: `gieok.flow.service` does the rest."""

    #: As `Embedder.model`.
    model: str
    #: Texts that one request may hold.
    most_texts: int

    def embed(self, texts: Sequence[str], *, is_query: bool) -> Embedded:
        """Return the vectors of texts that hold no secrets. Raises EmbedderFailed, which says
        whether to try again.
        """


class Reranker(Protocol):
    """Says how well texts answer a question, reading both together."""

    @property
    def model(self) -> str:
        """Return its name, as `Embedder.model`: calibrations belong to it."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score for each text, in order, 0–1, higher is better. Raises
        RerankerFailed.
        """


class Reranked(NamedTuple):
    """What a service made of a question and texts."""

    scores: list[float]
    tokens: int = 0


class RerankingService(Protocol):
    """Asks a service for scores, as `EmbeddingService` asks for vectors."""

    model: str

    def rerank(self, question: str, texts: Sequence[str]) -> Reranked:
        """Return the scores of texts that hold no secrets. Raises RerankerFailed."""


@runtime_checkable
class SelfCheck(Protocol):
    """A backend that can tell what is wrong with itself on this machine."""

    def check(self) -> list[str]:
        """Return what is wrong, each with what to do about it; empty: nothing."""


class Prompt(NamedTuple):
    """What a model is asked. It holds no secrets: `gieok.flow.generate` has cut them out."""

    system: str
    text: str
    temperature: float
    max_output_tokens: int
    #: What a model that thinks may use for that, beside the answer. Others are given the answer's
    #: room alone.
    thinking_tokens: int = 8_000
    #: JSON Schema of the answer, for models that can be held to one; '' for prose. It has to be
    #: checked all the same.
    schema: str = ""
    #: How long the model may take, where that is less than what it has else; 0: as long as it has.
    timeout_s: float = 0.0


class Generated(NamedTuple):
    """What a model answered, and what it says that it counted and cost (0: it does not say).

    `is_cut`: it reached the limit of its length before the end.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    is_cut: bool = False
    dollars: float = 0.0


class Generator(Protocol):
    """Asks a language model. One try: retrying, budgets and redaction are the engine's
    (`gieok.flow.generate`).
    """

    #: Provider and model, e.g. `gemini:gemini-2.5-flash`.
    model: str

    def generate(self, prompt: Prompt) -> Generated:
        """Return the answer. Raises GeneratorFailed, which says whether another try may help."""


class ChatMessage(NamedTuple):
    """A message of a chat as a model is given it. `role`: system, user or assistant."""

    role: str
    text: str


class Sampling(NamedTuple):
    """How a reply is made. `temperature` is None, and `max_tokens` 0, where the model's own holds.

    `more` has what else the caller asked for, named as in OpenAI's protocol (`top_p`, `seed` …); a
    model takes what it knows.
    """

    temperature: float | None = None
    max_tokens: int = 0
    stop: tuple[str, ...] = ()
    more: Mapping[str, object] = MappingProxyType({})


class ReplyPart(NamedTuple):
    """A piece of a reply. The last one has no text: how it ended (`stop`, `length`, …), and what
    the model says it counted.
    """

    text: str = ""
    finish: str = ""
    input_tokens: int = 0
    output_tokens: int = 0


#: A reply as it is made. Closing it ends the connection to the model.
ReplyParts = Produced[ReplyPart, None, None]


class ChatModel(Protocol):
    """A language model that talks. One try; safe to use from several threads."""

    #: As `Generator.model`.
    model: str

    def stream(self, messages: Sequence[ChatMessage], sampling: Sampling) -> ReplyParts:
        """Yield a reply piece by piece. Raises GeneratorFailed, at any piece."""
