"""Client of Gemini's embeddings by REST: `POST …/models/MODEL:batchEmbedContents`.

`gemini-embedding-001` takes a task type, `gemini-embedding-2` a prompt instead. Shortened vectors
are not of unit length.
"""

from collections.abc import Sequence

from gieok.errors import EmbedderFailed
from gieok.models.embedders import prompts, shape
from gieok.models.http import Service, build_key_hints
from gieok.opening import ModelOpening
from gieok.ports.models import Embedded

_DEFAULT_MODEL = "gemini-embedding-001"
_TASKS = {True: "RETRIEVAL_QUERY", False: "RETRIEVAL_DOCUMENT"}


class Gemini:
    """`EmbeddingService` on a model of Google."""

    most_texts = 100

    def __init__(self, opening: ModelOpening) -> None:
        self._opening = opening = opening._replace(
            model=opening.model.removeprefix("models/") or _DEFAULT_MODEL
        )
        self._prompts = prompts.select_prompts(opening)
        self.model = shape.format_vector_model_name(opening, self._prompts)
        headers = {"x-goog-api-key": opening.key} if opening.key else {}
        self._service = Service(
            "Gemini", opening.address, headers, opening.timeout_s, EmbedderFailed
        )
        # A key that is wrong is answered with 400.
        hints = build_key_hints(opening.key_variable, opening.home)
        self._hints = hints | {400: hints[401]} if hints else {}

    def embed(self, texts: Sequence[str], *, is_query: bool) -> Embedded:
        """Send one request for the vectors of the texts."""
        name = f"models/{self._opening.model}"
        more: dict[str, object] = {}
        if self._opening.model == _DEFAULT_MODEL:
            more["taskType"] = _TASKS[is_query]
        if self._opening.dimension:
            more["outputDimensionality"] = self._opening.dimension
        prompted = [self._prompts.before(text, is_query=is_query) for text in texts]
        requests = [
            {"model": name, "content": {"parts": [{"text": text}]}, **more} for text in prompted
        ]
        answer = self._service.post(
            f"/{name}:batchEmbedContents", {"requests": requests}, self._hints
        )
        rows = answer.get("embeddings")
        if not isinstance(rows, list) or not all(
            isinstance(row, dict) and "values" in row for row in rows
        ):
            raise self._service.misunderstood("there are no `embeddings` in its answer")
        return Embedded(
            shape.pack_unit_vectors([row["values"] for row in rows], self._opening.dimension)
        )
