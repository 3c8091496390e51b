"""Client of Ollama's own embedding protocol: `POST /api/embed`.

A request takes many texts, and the server cuts those that are too long for the model.
"""

from collections.abc import Sequence

from gieok.errors import EmbedderFailed
from gieok.models.embedders import prompts, shape
from gieok.models.http import Service, build_bearer_header, build_key_hints
from gieok.opening import ModelOpening
from gieok.ports.models import Embedded


class Ollama:
    """`EmbeddingService` on a model that Ollama has pulled."""

    #: It embeds one after the other; a request of more holds its queue too long for a question in
    #: between.
    most_texts = 16

    def __init__(self, opening: ModelOpening) -> None:
        if not opening.model:
            raise EmbedderFailed(
                opening.needs("a model", "embedder.model"), hint="such as `embedder.model: bge-m3`"
            )
        self._opening = opening
        self._prompts = prompts.select_prompts(opening)
        self.model = shape.format_vector_model_name(opening, self._prompts)
        headers = build_bearer_header(opening.key)
        self._service = Service(
            "Ollama", opening.address, headers, opening.timeout_s, EmbedderFailed
        )
        pull = f"run `ollama pull {opening.model}`"
        self._hints = {
            **build_key_hints(opening.key_variable, opening.home),
            404: pull,
            400: f"does {opening.model} embed?",
        }

    def embed(self, texts: Sequence[str], *, is_query: bool) -> Embedded:
        """Send one request for the vectors of the texts."""
        size = {"dimensions": self._opening.dimension} if self._opening.dimension else {}
        prompted = [self._prompts.before(text, is_query=is_query) for text in texts]
        answer = self._service.post(
            "/api/embed", {"model": self._opening.model, "input": prompted, **size}, self._hints
        )
        rows = answer.get("embeddings")
        if not isinstance(rows, list):
            raise self._service.misunderstood("there are no `embeddings` in its answer")
        return Embedded(
            shape.pack_unit_vectors(rows, self._opening.dimension),
            int(answer.get("prompt_eval_count") or 0),
        )
