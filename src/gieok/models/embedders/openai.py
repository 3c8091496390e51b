"""Client of OpenAI's embedding protocol, `POST …/embeddings`, which most servers speak.

Among them are vLLM, llama.cpp, LM Studio, TEI, LiteLLM, Mistral.
"""

from collections.abc import Sequence
from typing import Any

from gieok.errors import EmbedderFailed
from gieok.models.embedders import prompts, shape
from gieok.models.http import Service, build_bearer_header, build_key_hints
from gieok.opening import ModelOpening
from gieok.ports.models import Embedded


class OpenAi:
    """`EmbeddingService` on OpenAI, or on an endpoint that speaks its protocol."""

    #: TEI takes 32 unless it is told otherwise; OpenAI 2,048.
    most_texts = 32

    def __init__(self, opening: ModelOpening) -> None:
        if not opening.model:
            raise EmbedderFailed(
                opening.needs("a model", "embedder.model"), hint="the name that the endpoint knows"
            )
        if not opening.address:
            hint = "such as `embedder.base_url: http://127.0.0.1:8080/v1`"
            raise EmbedderFailed(opening.needs("an address", "embedder.base_url"), hint=hint)
        self._opening = opening
        self._prompts = prompts.select_prompts(opening)
        self.model = shape.format_vector_model_name(opening, self._prompts)
        name = "OpenAI" if opening.provider == "openai" else "the endpoint"
        self._service = Service(
            name,
            opening.address,
            build_bearer_header(opening.key),
            opening.timeout_s,
            EmbedderFailed,
        )
        self._hints = build_key_hints(opening.key_variable, opening.home)

    def embed(self, texts: Sequence[str], *, is_query: bool) -> Embedded:
        """Send one request for the vectors of the texts."""
        size = {"dimensions": self._opening.dimension} if self._opening.dimension else {}
        prompted = [self._prompts.before(text, is_query=is_query) for text in texts]
        body = {"model": self._opening.model, "input": prompted, "encoding_format": "float", **size}
        answer = self._service.post("/embeddings", body, self._hints)
        usage = answer.get("usage")
        tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else 0
        return Embedded(
            shape.pack_unit_vectors(self._rows(answer.get("data")), self._opening.dimension),
            int(tokens or 0),
        )

    def _rows(self, data: object) -> list[list[float]]:
        """Return the vectors in the order of the texts; servers may answer in another order."""
        try:
            rows: list[dict[str, Any]] = sorted(data, key=lambda row: int(row.get("index", 0)))  # type: ignore[call-overload]
            return [row["embedding"] for row in rows]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._service.misunderstood("there are no vectors in its answer") from error
