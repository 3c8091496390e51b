"""Folder with an exported model: its graph (`model.onnx`) and its `tokenizer.json`.

External weights lie beside the graph. The layout is that of `optimum`, sentence-transformers and
onnx-community: the graph stands in the folder or in `onnx/`, the other files beside or above it.
Nothing is downloaded, and no code of the folder is run.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from gieok import extras
from gieok.errors import MissingExtra, ModelFailed
from gieok.models.onnx_errors import run_errors
from gieok.opening import ModelOpening

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

#: Graph names by preference: the exact graph, then the smaller ones that run well on a processor.
_GRAPHS = (
    "model.onnx",
    "model_quantized.onnx",
    "model_int8.onnx",
    "model_uint8.onnx",
    "model_q4.onnx",
    "model_fp16.onnx",
)
_TOKENIZER = "tokenizer.json"
#: A passage has some 400 tokens; attention over more than this takes seconds.
_MOST_TOKENS = 2_048
_USUAL_TOKENS = 512
#: Files that say what the model is, read whole into its fingerprint.
_SMALL_FILES = (
    "modules.json",
    "1_Pooling/config.json",
    "config_sentence_transformers.json",
    "config.json",
)
_EDGE_BYTES = 65_536
_KINDS = {
    "tensor(int64)": "int64",
    "tensor(int32)": "int32",
    "tensor(float)": "float32",
    "tensor(float16)": "float16",
    "tensor(bool)": "bool",
}


class OnnxFolder:
    """Graph and tokenizer of a folder, loaded at the first text. Safe to share between threads."""

    def __init__(self, opening: ModelOpening, setting: str, failed: type[ModelFailed]) -> None:
        self._failed = failed
        self._threads = opening.threads
        if not opening.model:
            raise failed(
                opening.needs("the folder of an exported model", setting),
                setting=setting,
                hint="such as `{setting}: ~/bge-m3`",
            )
        named = Path(opening.model).expanduser()
        named = named if named.is_absolute() else opening.home / named
        self.graph = named if named.suffix == ".onnx" else self._found(named)
        places = (self.graph.parent, self.graph.parent.parent)
        folder = next((place for place in places if (place / _TOKENIZER).is_file()), None)
        if folder is None or not self.graph.is_file():
            has_graph = self.graph.is_file()
            hint = "it needs model.onnx (or onnx/model.onnx) and tokenizer.json"
            raise failed(
                "{folder!r} holds no exported model: there is no {file}"
                if has_graph
                else "{folder!r} holds no exported model: there is no graph",
                folder=named,
                file=_TOKENIZER,
                hint=hint,
            )
        self.folder = folder
        self._lock = Lock()
        self._loaded: tuple[InferenceSession, Tokenizer] | None = None

    def _found(self, folder: Path) -> Path:
        places = (folder / sub / name for name in _GRAPHS for sub in ("", "onnx"))
        return next((place for place in places if place.is_file()), folder / _GRAPHS[0])

    # Untrusted JSON: each reader checks the values that it takes.
    def read(self, name: str) -> Any:  # noqa: ANN401
        """Return the JSON of a small file of the folder; {} where there is none."""
        try:
            return json.loads((self.folder / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise self._failed(
                "{file!r} cannot be read: {error}", file=self.folder / name, error=error
            ) from error

    def fingerprint(self) -> str:
        """Return six digits that change with the model.

        They are a hash of the sizes and edges of large files and of small files whole.
        """
        digest = hashlib.sha1(usedforsecurity=False)
        weights = sorted(self.graph.parent.glob(f"{self.graph.name}[_.]*data*"))
        for file in (
            self.graph,
            *weights,
            self.folder / _TOKENIZER,
            *(self.folder / name for name in _SMALL_FILES),
        ):
            if not file.is_file():
                continue
            size = file.stat().st_size
            digest.update(f"{file.name}\0{size}\0".encode())
            with file.open("rb") as data:
                digest.update(data.read(_EDGE_BYTES))
                data.seek(max(size - _EDGE_BYTES, 0))
                digest.update(data.read(_EDGE_BYTES))
        return digest.hexdigest()[:6]

    def windows(self, text: str, pair: str | None = None) -> "list[Encoding]":
        """Return the tokens of a text or a pair, cut into windows that the model reads at once.

        Raises ModelFailed.
        """
        tokenizer = self._session()[1]
        encoded = tokenizer.encode(
            _replace_surrogates(text), None if pair is None else _replace_surrogates(pair)
        )
        return [encoded, *encoded.overflowing]

    def run(self, encoded: "Encoding") -> dict[str, "NDArray[Any]"]:
        """Return the graph's outputs by name for some tokens, each with one row.

        Texts run one at a time and without padding: the result for a text never depends on other
        texts. Raises ModelFailed.
        """
        import numpy as np

        session = self._session()[0]
        inputs = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
            "position_ids": list(range(len(encoded.ids))),
        }
        feeds = {}
        for graph_input in session.get_inputs():
            kind = np.dtype(_KINDS.get(graph_input.type, "int64"))
            if graph_input.name in inputs:
                feeds[graph_input.name] = np.array([inputs[graph_input.name]], kind)
            elif graph_input.name.startswith("past_key_values"):
                feeds[graph_input.name] = np.zeros(
                    _build_empty_cache_shape(graph_input.shape), kind
                )
            else:
                raise self._failed(
                    "{graph!r} wants an input that is not known: {name!r}",
                    graph=self.graph,
                    name=graph_input.name,
                )
        names = [
            output.name for output in session.get_outputs() if not output.name.startswith("present")
        ]
        errors: tuple[type[Exception], ...] = (MemoryError, *run_errors())
        try:
            return dict(zip(names, session.run(names, feeds), strict=True))
        except errors as error:
            raise self._failed(
                "{graph!r} failed: {error}", graph=self.graph, error=error
            ) from error

    def _session(self) -> "tuple[InferenceSession, Tokenizer]":
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> "tuple[InferenceSession, Tokenizer]":
        try:
            with extras.imports_of("onnx", "onnx"):
                import onnxruntime
                from tokenizers import Tokenizer
        except MissingExtra as error:  # words still work
            raise self._failed(str(error), hint=error.hint) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(
                str(self.graph), options, providers=["CPUExecutionProvider"]
            )
            tokenizer = Tokenizer.from_file(str(self.folder / _TOKENIZER))
        except Exception as error:  # `tokenizers` raises plain ones, onnxruntime has no base class
            raise self._failed(
                "the model in {folder!r} cannot be loaded: {error}",
                folder=self.folder,
                error=error,
            ) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._most_tokens())
        return session, tokenizer

    def _most_tokens(self) -> int:
        """Return how many tokens the model reads at once, by the first file that says so."""
        config = self.read("config.json")
        # Of 514 positions, those of RoBERTa's kin begin at 2.
        positions = int(config.get("max_position_embeddings") or 0)
        limits = (
            self.read("sentence_bert_config.json").get("max_seq_length"),
            self.read("tokenizer_config.json").get("model_max_length"),
            positions - 2 if "roberta" in str(config.get("model_type")) else positions,
        )
        known = next(
            (int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < 1e6),
            _USUAL_TOKENS,
        )
        return min(known, _MOST_TOKENS)


def _replace_surrogates(text: str) -> str:
    """Return a text with lone surrogates replaced: the tokenizer refuses them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _build_empty_cache_shape(shape: Sequence[object]) -> list[int]:
    """Return the shape of an empty cache: one row, zero tokens, the other axes as in the graph."""
    sizes = [size if isinstance(size, int) else 0 for size in shape]
    return [1, *sizes[1:]]


def plain_name(folder: Path) -> str:
    """Return the name of a folder as part of a model's name.

    For `…/snapshots/HASH` the name is that of the model folder above.
    """
    parts = [
        part
        for part in folder.parts
        if part not in ("onnx", "snapshots") and not re.fullmatch(r"[0-9a-f]{40}", part)
    ]
    return re.sub(r"^models--(.+--)?", "", parts[-1]) if parts else folder.name
