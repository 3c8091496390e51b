"""Embedder on a local folder with an exported model.

Examples: bge-m3, EmbeddingGemma, Qwen3-Embedding and their kin.

The pooling of token vectors into one is read from the folder: the graph's own sentence vector where
it has one, else `1_Pooling/config.json` of sentence-transformers, else the architecture where it
has only one pooling.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gieok.errors import EmbedderFailed
from gieok.models.embedders import prompts, shape
from gieok.models.embedders.prompts import Prompts
from gieok.models.onnx_folder import OnnxFolder, plain_name
from gieok.opening import ModelOpening

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SENTENCE_OUTPUTS = ("sentence_embedding", "dense_vecs", "text_embeds", "pooled_embedding")
#: Keys of sentence-transformers' `1_Pooling/config.json`.
_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "last",
    "pooling_mode_max_tokens": "max",
}
#: Decoders, whose last token alone has read the whole text.
_DECODERS = ("qwen", "mistral", "llama")
#: Exports without `1_Pooling`, by the folder's name.
_BY_NAME = {
    "bge": "cls",
    "arctic-embed": "cls",
    "mxbai": "cls",
    "e5": "mean",
    "minilm": "mean",
    "nomic": "mean",
}
#: A text is read up to here: a 10 MB line must not hold the tokenizer.
_MOST_CHARACTERS = 65_536
_MOST_WINDOWS = 16


class OnnxEmbedder:
    """`Embedder` on a folder. Cheap to make, safe to share between threads.

    A text's vector depends on the text alone.
    """

    def __init__(self, opening: ModelOpening) -> None:
        self._opening = opening
        self._folder = OnnxFolder(opening, "embedder.model", EmbedderFailed)
        self._name = plain_name(self._folder.folder)
        self._prompts = prompts.select_prompts(opening, self._own_prompts())

    @cached_property
    def model(self) -> str:
        """Return the folder's name with its fingerprint."""
        pooling = f"+{self._opening.pooling}" if self._opening.pooling != prompts.AUTO else ""
        return shape.format_vector_model_name(
            self._opening, self._prompts, f"{self._name}@{self._folder.fingerprint()}{pooling}"
        )

    @cached_property
    def dimension(self) -> int:
        """Return how many numbers a vector has."""
        return len(self.embed_query("기억")) // 4

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector per text, in order, little-endian float32.

        Raises EmbedderFailed.
        """
        rows = [
            self._vector(self._prompts.before(text[:_MOST_CHARACTERS], is_query=False))
            for text in texts
        ]
        return shape.pack_unit_vectors(rows, self._opening.dimension)

    def embed_query(self, text: str) -> bytes:
        """Return the unit vector of a question. Raises EmbedderFailed."""
        row = self._vector(self._prompts.before(text[:_MOST_CHARACTERS], is_query=True))
        return shape.pack_unit_vectors([row], self._opening.dimension)[0]

    def _vector(self, text: str) -> "NDArray[Any]":
        """Return the vector of a text; for a text beyond the window, the mean over its parts.

        The mean is weighted by the length of the parts.
        """
        parts = self._folder.windows(text)[:_MOST_WINDOWS]
        vectors = [
            len(part.ids) * self._of_tokens(self._folder.run(part)).astype("float32")
            for part in parts
        ]
        total: NDArray[Any] = sum(vectors[1:], start=vectors[0])
        return total

    def _of_tokens(self, outputs: "Mapping[str, NDArray[Any]]") -> "NDArray[Any]":
        for name in _SENTENCE_OUTPUTS:
            if name in outputs and outputs[name].ndim == 2:
                row: NDArray[Any] = outputs[name][0]
                return row
        tokens = next((rows for rows in outputs.values() if rows.ndim == 3), None)
        if tokens is None:
            matrix = next((rows for rows in outputs.values() if rows.ndim == 2), None)
            if matrix is None:
                raise EmbedderFailed(
                    "the graph in {folder!r} gives no vectors", folder=self._folder.folder
                )
            alone: NDArray[Any] = matrix[0]
            return alone
        return _pool_token_vectors(tokens[0].astype("float32"), self._pooling)

    @cached_property
    def _pooling(self) -> str:
        """Return the name of the pooling of token vectors.

        Raises EmbedderFailed where the folder leaves the pooling open.
        """
        folder = self._folder
        modules = folder.read("modules.json") or []
        if any(str(module.get("type", "")).endswith(".Dense") for module in modules):
            raise EmbedderFailed(
                "the graph in {folder!r} ends before the model's own last layers",
                folder=folder.folder,
                hint=(
                    "use an export whose graph gives `sentence_embedding`, such as onnx-community's"
                ),
            )
        if self._opening.pooling != prompts.AUTO:
            return self._opening.pooling
        config = folder.read("1_Pooling/config.json")
        modes = [mode for key, mode in _MODES.items() if config.get(key)]
        if config and len(modes) != 1:
            raise EmbedderFailed(
                "the pooling in {folder!r} is not known here: {config}",
                folder=folder.folder,
                config=config,
            )
        kind = str(folder.read("config.json").get("model_type", "")).lower()
        if not modes and kind.startswith(_DECODERS):
            modes = ["last"]
        modes = modes or [mode for part, mode in _BY_NAME.items() if part in self._name.lower()]
        if not modes:
            raise EmbedderFailed(
                "{folder!r} does not say how the vectors of tokens become one",
                folder=folder.folder,
                hint="set `embedder.pooling` to mean, cls or last, as the model's card says",
            )
        return modes[0]

    def _own_prompts(self) -> Prompts:
        """Return the prompts that come with the folder, else those known for its name."""
        own_prompts = self._folder.read("config_sentence_transformers.json").get("prompts")
        if not isinstance(own_prompts, dict) or not any(own_prompts.values()):
            return prompts.find_prompts_by_model(self._name)
        passage = next(
            (
                own_prompts[name]
                for name in ("document", "passage", "corpus")
                if own_prompts.get(name)
            ),
            "",
        )
        return Prompts(str(own_prompts.get("query") or ""), str(passage))


def _pool_token_vectors(tokens: "NDArray[Any]", how: str) -> "NDArray[Any]":
    """Return one vector for the vectors of tokens; all tokens count, because there is no
    padding.
    """
    pooled: NDArray[Any] = tokens[0] if how == "cls" else tokens[-1]
    if how in ("mean", "max"):
        pooled = tokens.mean(axis=0) if how == "mean" else tokens.max(axis=0)
    return pooled
