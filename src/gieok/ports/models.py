"""Embedders and language models."""

from collections.abc import Generator as Produced
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

#: One unit vector of `Embedder.dimension` float32 values, little-endian, as raw bytes.
Vector = bytes


class Embedder(Protocol):
    """Turns text into unit vectors. The same text gives the same vector in every process."""

    @property
    def model(self) -> str:
        """Return the identity of the model, which changes whenever stored vectors would.

        For example `e5-small-koen-int8@2`.
        """

    @property
    def dimension(self) -> int:
        """Return how many numbers a vector has."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. Raises EmbedderFailed.

        An empty text gives a vector too.
        """

    def embed_query(self, text: str) -> Vector:
        """Return the vector that finds passages which answer `text`. Raises EmbedderFailed."""


@runtime_checkable
class Followed(Protocol):
    """Embedder that follows the model of a store's vectors.

    Another process may switch the model at any moment.
    """

    @property
    def behind(self) -> str:
        """Return how the store's model differs from the settings; '' where it does not.

        The text names the command that ends the difference.
        """

    @property
    def is_upgrade(self) -> bool:
        """Say whether the store's vectors are of an earlier release of the model that is wanted."""

    def of(self, store: object) -> Embedder:
        """Return the embedder for a store, with the store's current model."""

    def wanted(self) -> Embedder:
        """Return the embedder that the settings ask for. Raises EmbedderFailed."""


class Embedded(NamedTuple):
    """Result of an embedding service: unit vectors in order, and the reported token count.

    0: the service reports no count.
    """

    vectors: list[Vector]
    tokens: int = 0


class EmbeddingService(Protocol):
    """Client of an embedding service.

    One request, one try: `gieok.flow.service` does the rest.
    """

    #: As `Embedder.model`.
    model: str
    #: Number of texts that one request may hold.
    most_texts: int

    def embed(self, texts: Sequence[str], *, is_query: bool) -> Embedded:
        """Return the vectors of texts that hold no secrets.

        Raises EmbedderFailed, which says whether to try again.
        """


class SentenceReading(NamedTuple):
    """Probabilities that a sentence is worth keeping, and that it is about its speaker."""

    worth: float
    about_user: float


class ChangeReading(NamedTuple):
    """Probabilities that a later statement changes an earlier one: the whole of it, or a part.

    A whole change ends the earlier statement, or takes its place.
    """

    whole: float
    part: float


class RuleKind(StrEnum):
    """What a stretch of a message says of the agent's actions."""

    NEVER = "never"
    ASK = "ask"
    DO = "do"
    ALLOWED = "allowed"


class RuleStretch(NamedTuple):
    """Stretch of a message, its characters [start, end), that states a standing rule for the agent.

    The agent must never do what it names, must ask about it first, or must work so; or it may do it
    beside a rule. `chance`: that the stretch says so, 0–1.
    """

    start: int
    end: int
    kind: RuleKind
    chance: float


class Reader(Protocol):
    """Small model of our own that reads statements, alone and beside each other."""

    def read_sentence(self, text: str, before: str = "") -> SentenceReading:
        """Return what a user's sentence is worth; `before` is what the assistant said before it.

        Raises EmbedderFailed.
        """

    def read_change(self, earlier: str, later: str) -> ChangeReading:
        """Return whether a later statement changes an earlier one.

        Raises EmbedderFailed.
        """

    def find_secrets(self, text: str, *, is_said: bool) -> list[tuple[int, int]]:
        """Return the places [start, end) of secrets in a text, in order, none inside of another.

        `is_said`: somebody said the text; else it is a document, of which less is read.
        Raises EmbedderFailed.
        """

    @property
    def rules_model(self) -> str:
        """Return the identity of what finds rules: another one may find others."""

    def find_rules(self, text: str, before: str = "") -> list[RuleStretch]:
        """Return the stretches of a user's message that state standing rules, in order.

        `before` is what the assistant said before it. Raises EmbedderFailed.
        """

    def measure_breaks(self, rules: Sequence[str], use: str) -> list[float]:
        """Return the chance that a tool's use is what each rule forbids or asks about, in order.

        `use` is a command line, or a tool's name with what it is given. Raises EmbedderFailed.
        """

    def measure_help(self, question: str, lines: Sequence[str]) -> list[float]:
        """Return the log-odds that each of the first lines helps with a question, in order.

        The question and a line are read together, and of both the beginning alone. Long lines take
        the time of several short ones, so that fewer than `lines` may be read: the others have no
        figure. Raises EmbedderFailed.
        """

    def measure_told(
        self, line: str, before: str, readings: Sequence[tuple[str, str]]
    ) -> list[float]:
        """Return the log-odds that who wrote a chat line says each reading of themselves, in order.

        A reading is what is told ("job", "lives in") and its value; `before` is what the other side
        said before the line. Empty where nothing can be told. Raises EmbedderFailed.
        """


class Reranker(Protocol):
    """Model that scores how well texts answer a question, reading both together."""

    @property
    def model(self) -> str:
        """Return the identity of the model, as `Embedder.model`: calibrations belong to a model."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score for each text, in order, 0–1, higher is better.

        Raises RerankerFailed.
        """


class Reranked(NamedTuple):
    """Result of a reranking service for a question and texts."""

    scores: list[float]
    tokens: int = 0


@runtime_checkable
class SelfCheck(Protocol):
    """Backend that can find its own problems on this machine."""

    def check(self) -> list[str]:
        """Return the problems, each with what to do about it; empty for none."""


class Prompt(NamedTuple):
    """Prompt for a model.

    It holds no secrets: `gieok.flow.generate` has cut them out.
    """

    system: str
    text: str
    temperature: float
    max_output_tokens: int
    #: Tokens that a thinking model may use for thinking, beside the answer. Other models get the
    #: room for the answer alone.
    thinking_tokens: int = 8_000
    #: JSON Schema of the answer, for models that can be held to a schema; '' for prose. The answer
    #: has to be checked all the same.
    schema: str = ""
    #: Seconds that the model may take, where that is less than its usual limit; 0: the usual limit.
    timeout_s: float = 0.0


class Generated(NamedTuple):
    """Answer of a model, with the reported token counts and cost (0: not reported).

    `is_cut`: the answer reached the limit of its length before the end.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    is_cut: bool = False
    dollars: float = 0.0


class Generator(Protocol):
    """Language model that answers one prompt.

    One try: retrying, budgets and redaction are the engine's (`gieok.flow.generate`).
    """

    #: Provider and model, e.g. `gemini:gemini-3.5-flash`.
    model: str

    def generate(self, prompt: Prompt) -> Generated:
        """Return the answer. Raises GeneratorFailed, which says whether another try may help."""


class ChatMessage(NamedTuple):
    """Message of a chat with a model; `role` is system, user or assistant."""

    role: str
    text: str


class Sampling(NamedTuple):
    """Sampling settings of a reply.

    `temperature` None and `max_tokens` 0 stand for the model's own values. `more` has what else the
    caller asked for, named as in OpenAI's protocol (`top_p`, `seed` …); a model takes what it
    knows.
    """

    temperature: float | None = None
    max_tokens: int = 0
    stop: tuple[str, ...] = ()
    more: Mapping[str, object] = MappingProxyType({})


class ReplyPart(NamedTuple):
    """Piece of a reply.

    The last piece has no text, but how the reply ended (`stop`, `length`, …), and the token counts
    that the model reports.
    """

    text: str = ""
    finish: str = ""
    input_tokens: int = 0
    output_tokens: int = 0


#: Reply as it is generated. Closing the reply ends the connection to the model.
ReplyParts = Produced[ReplyPart, None, None]


class ChatModel(Protocol):
    """A language model that talks. One try; safe to use from several threads."""

    #: As `Generator.model`.
    model: str

    def stream(self, messages: Sequence[ChatMessage], sampling: Sampling) -> ReplyParts:
        """Yield a reply piece by piece. Raises GeneratorFailed, at any piece."""
