"""Calls to services for vectors and scores: redacted, batched, retried, budgeted, metered.

The embedding of a question is retried once at most, after a short wait: somebody waits for the
answer, and keyword search answers without the vector.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, TypeVar

from gieok.errors import EmbedderFailed, ModelFailed, RerankerFailed, StoreError
from gieok.model.conversation import Usage
from gieok.ports.journal import Ledger
from gieok.ports.models import EmbeddingService, Vector
from gieok.ports.system import Clock
from gieok.text.redact import redact
from gieok.text.tokens import estimate_tokens

if TYPE_CHECKING:  # it loads an HTTP client
    from gieok.models.rerankers.services import HttpReranker

_T = TypeVar("_T")

#: Roles in the ledger. Embedding and reranking have budgets of their own: a million tokens embed
#: for cents.
EMBEDDER, RERANKER = "embedder", "reranker"
ROLES = (EMBEDDER, RERANKER)
#: Waits before a retry, in seconds: for passages, which can wait, and for a question.
PATIENT_S, HURRIED_S = (1.0, 4.0, 15.0), (0.5,)
#: A service that asks for a longer pause than this is not retried.
_LONGEST_WAIT_S = 60.0
#: For some models 8,000 Korean characters are 8,000 tokens, which is the most that OpenAI's models
#: accept.
_MOST_CHARACTERS = 8_000
_MOST_CHARACTERS_A_REQUEST = 100_000
_LEAST_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Metered:
    """Role that asks a service. `wait` sleeps; `ledger` opens the ledger of tokens.

    `daily_tokens` 0 means no limit.
    """

    role: str
    ledger: Callable[[], Ledger]
    clock: Clock
    zone: tzinfo
    wait: Callable[[float], object]
    daily_tokens: int
    failed: type[ModelFailed]

    def ask(
        self, once: Callable[[], _T], tokens: Callable[[_T], int], delays_s: Sequence[float]
    ) -> _T:
        """Return the answer of `once`, which is retried when a retry may help.

        Raises ModelFailed of the role's kind.
        """
        self._check_budget()
        for delay_s in (*delays_s, None):
            began = self.clock.now()
            try:
                answer = once()
            except ModelFailed as error:
                self._charge(Usage(calls=1, failures=1, seconds=self._since(began)))
                pause_s = max(delay_s or 0.0, error.retry_after_s)
                if delay_s is None or not error.worth_retrying or pause_s > _LONGEST_WAIT_S:
                    raise
                if delays_s is HURRIED_S and pause_s > delay_s:
                    raise
                self.wait(pause_s)
            else:
                self._charge(
                    Usage(calls=1, input_tokens=tokens(answer), seconds=self._since(began))
                )
                return answer
        raise AssertionError("unreachable")

    def _check_budget(self) -> None:
        if not self.daily_tokens:
            return
        today = self._today()
        spent = sum(
            u.input_tokens
            for (day, role), u in self.ledger().usage(today).items()
            if (day, role) == (today, self.role)
        )
        if spent >= self.daily_tokens:
            raise self.failed(
                "{spent:,} of {most:,} tokens for the {role} are spent today",
                spent=spent,
                most=self.daily_tokens,
                role=self.role,
                hint="raise `{role}.daily_tokens`, or wait until tomorrow",
            )

    def _charge(self, usage: Usage) -> None:
        try:
            self.ledger().charge(self._today(), self.role, usage)
        # A search in a read-only or busy home is not held up by its meter.
        except StoreError:
            return

    def _today(self) -> date:
        return self.clock.now().astimezone(self.zone).date()

    def _since(self, began: datetime) -> float:
        return max((self.clock.now() - began) / timedelta(seconds=1), 0.0)


class ServiceEmbedder:
    """`Embedder` on a service.

    When `dimension` is set to 0 and no vector has come yet, the dimension is asked for.
    """

    def __init__(self, service: EmbeddingService, metered: Metered, dimension: int = 0) -> None:
        self.model = service.model
        self._service = service
        self._metered = metered
        self._dimension = dimension

    @property
    def dimension(self) -> int:
        """Return how many numbers a vector has. Raises EmbedderFailed."""
        return self._dimension or len(self.embed_query("기억")) // 4

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, in order. Raises EmbedderFailed."""
        clean = [redact(text)[:_MOST_CHARACTERS].strip() or "-" for text in texts]
        return [
            vector
            for batch in _split_request_batches(clean, self._service.most_texts)
            for vector in self._embed(batch)
        ]

    def embed_query(self, text: str) -> Vector:
        """Return the unit vector of a question. Raises EmbedderFailed."""
        return self._embed([redact(text)[:_MOST_CHARACTERS].strip() or "-"], is_query=True)[0]

    def _embed(self, texts: list[str], *, is_query: bool = False) -> list[Vector]:
        """Return the vectors of some texts, in one request.

        When the texts are too long for the service, each half of them is sent alone; a single text
        is cut to its first half.
        """
        delays_s = HURRIED_S if is_query else PATIENT_S
        try:
            reply = self._metered.ask(
                lambda: self._service.embed(texts, is_query=is_query),
                lambda answer: answer.tokens or sum(map(estimate_tokens, texts)),
                delays_s,
            )
        except EmbedderFailed as error:
            half = len(texts) // 2
            if error.is_too_long and half:
                first, rest = texts[:half], texts[half:]
                return self._embed(first, is_query=is_query) + self._embed(rest, is_query=is_query)
            if not error.is_too_long or len(texts[0]) < _LEAST_CHARACTERS:
                raise
            return self._embed([texts[0][: len(texts[0]) // 2]], is_query=is_query)
        self._verify(texts, reply.vectors)
        return reply.vectors

    def _verify(self, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        if len(vectors) != len(texts):
            raise EmbedderFailed(
                "{model} gave {count} vectors for {text_count} texts",
                model=self.model,
                count=len(vectors),
                text_count=len(texts),
            )
        sizes = {len(vector) // 4 for vector in vectors}
        known = self._dimension or max(sizes)
        if sizes != {known}:
            raise EmbedderFailed(
                "{model} gives vectors of {size} dimensions now, and of {known} before",
                model=self.model,
                size=max(sizes),
                known=known,
                hint="set `embedder.dimension: {size}`, and run `gieok index --rebuild`",
            )
        self._dimension = known


class ServiceReranker:
    """`Reranker` on a service."""

    def __init__(self, service: "HttpReranker", metered: Metered) -> None:
        self.model = service.model
        self._service = service
        self._metered = metered

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score for each text, in order. Raises RerankerFailed."""
        if not texts:
            return []
        query, clean = (
            redact(question)[:_MOST_CHARACTERS],
            [redact(text)[:_MOST_CHARACTERS] or "-" for text in texts],
        )
        reply = self._metered.ask(
            lambda: self._service.rerank(query, clean),
            lambda answer: (
                answer.tokens
                or estimate_tokens(query) * len(clean) + sum(map(estimate_tokens, clean))
            ),
            HURRIED_S,
        )
        if len(reply.scores) != len(texts):
            raise RerankerFailed(
                "{model} gave {count} scores for {text_count} texts",
                model=self.model,
                count=len(reply.scores),
                text_count=len(texts),
            )
        return reply.scores


def _split_request_batches(texts: Sequence[str], most: int) -> list[list[str]]:
    """Split texts into requests within the limits of texts and characters per request."""
    batches: list[list[str]] = []
    characters = 0
    for text in texts:
        characters += len(text)
        if not batches or len(batches[-1]) >= most or characters > _MOST_CHARACTERS_A_REQUEST:
            batches.append([])
            characters = len(text)
        batches[-1].append(text)
    return batches
