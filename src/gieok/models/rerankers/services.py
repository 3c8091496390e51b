"""Rerankers by HTTP: Cohere, Voyage, Jina, and servers with Jina's protocol.

Such servers are TEI, vLLM, llama.cpp, Infinity. All take `query` and `documents`, and answer
indexes with scores; the path and the field names differ.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from gieok.errors import RerankerFailed
from gieok.models.http import Service, build_bearer_header, build_key_hints
from gieok.opening import ModelOpening
from gieok.ports.models import Reranked


class _Dialect(NamedTuple):
    """Protocol variant of a service: path, default model, name of the rows, other parameters."""

    path: str
    model: str
    rows: str
    more: dict[str, Any]


_DIALECTS = {
    "cohere": _Dialect("/v2/rerank", "rerank-v3.5", "results", {}),
    "voyage": _Dialect("/v1/rerank", "rerank-2.5", "data", {"truncation": True}),
    "jina": _Dialect(
        "/v1/rerank", "jina-reranker-v2-base-multilingual", "results", {"return_documents": False}
    ),
    "compatible": _Dialect("/rerank", "", "results", {}),
}


class HttpReranker:
    """Client of one of the services. One request, one try: `gieok.flow.service` does the rest."""

    def __init__(self, opening: ModelOpening) -> None:
        self._dialect = _DIALECTS[opening.provider]
        name = opening.model or self._dialect.model
        if not name:
            raise RerankerFailed(
                opening.needs("a model", "reranker.model"), hint="the name that the endpoint knows"
            )
        if not opening.address:
            hint = "such as `reranker.base_url: http://127.0.0.1:8080/v1`"
            raise RerankerFailed(opening.needs("an address", "reranker.base_url"), hint=hint)
        self._name = name
        self.model = f"{opening.provider}:{name}"
        service_name = (
            "the endpoint" if opening.provider == "compatible" else opening.provider.capitalize()
        )
        self._service = Service(
            service_name,
            opening.address,
            build_bearer_header(opening.key),
            opening.timeout_s,
            RerankerFailed,
        )
        self._hints = build_key_hints(opening.key_variable, opening.home)

    def rerank(self, question: str, texts: Sequence[str]) -> Reranked:
        """Return the scores of texts that hold no secrets. Raises RerankerFailed."""
        body = {
            "model": self._name,
            "query": question,
            "documents": list(texts),
            **self._dialect.more,
        }
        answer = self._service.post(self._dialect.path, body, self._hints)
        rows = answer.get(self._dialect.rows)
        try:
            by_place = {int(row["index"]): float(row["relevance_score"]) for row in rows or []}
            scores = [by_place[place] for place in range(len(texts))]
        except (KeyError, TypeError, ValueError) as error:
            raise self._service.misunderstood(
                "there is not one score for each text in its answer"
            ) from error
        usage = answer.get("usage")
        tokens = usage.get("total_tokens") if isinstance(usage, dict) else 0
        return Reranked(scores, int(tokens or 0))
