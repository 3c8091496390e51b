"""Encoder that holds a converted model in memory: text in, one unit vector out.

The embedding table stays on disk in 4 bits (mapped, 21 MB) and its rows are decoded as they are
used: it is three quarters of the model and a text touches a few dozen rows of it.
"""

import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gieok.errors import EmbedderFailed
from gieok.models.local.tokenizer import BEGIN, END, TextPiece, Tokenizer
from gieok.models.onnx_errors import run_errors

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

ENCODER, CONSTANTS, ROWS, SCALES, POSITIONS = (
    "encoder.onnx",
    "encoder.bin",
    "rows.npy",
    "scales.npy",
    "positions.npy",
)
FILES = (ENCODER, CONSTANTS, ROWS, SCALES, POSITIONS)

#: The graph's input, (tokens, 384) float32: embedding rows plus positions; and its output, their
#: mean, (384).
INPUT, OUTPUT = "rows", "mean"

DIMENSION = 384
#: Values that share one scale.
BLOCK = 32
PASSAGE, QUERY = "passage: ", "query: "

#: The model reads 512 tokens at once, two of which mark begin and end.
_WINDOW = 510
#: A text is read up to here: passages are far shorter, and a 10 MB line must not hold the embedder
#: for minutes. 16 windows are about 35,000 English or 15,000 Korean characters, and take 2 seconds.
_MOST_WINDOWS = 16
_MOST_CHARACTERS = 65_536


class InferenceSession(Protocol):
    """The part of `onnxruntime.InferenceSession` that the encoder uses."""

    def run(
        self, outputs: list[str] | None, inputs: "dict[str, NDArray[float32]]"
    ) -> "list[NDArray[float32]]":
        """Return the outputs."""


class TokenTable:
    """Tokenizer and embedding rows of a model: text in, the rows that a graph reads out."""

    def __init__(self, folder: Path) -> None:
        """Open the files of a converted model. Raises OSError or ValueError."""
        import numpy as np

        self._tokenizer = Tokenizer(folder)
        self._rows = np.load(folder / ROWS, mmap_mode="r")
        self._scales = np.load(folder / SCALES, mmap_mode="r")
        self._positions = np.load(folder / POSITIONS).astype(np.float32)

    def ids(self, text: str) -> Iterator[int]:
        """Yield the ids of a text, without the marks of begin and end."""
        return self._tokenizer.ids(text)

    def pieces(self, text: str) -> "Iterator[TextPiece]":
        """Yield the pieces of a text in composed form, with the characters that each covers."""
        return self._tokenizer.pieces(text)

    def embed(self, ids: list[int]) -> "NDArray[float32]":
        """Return the rows of ids between the marks of begin and end, (ids + 2, 384) float32."""
        import numpy as np

        marked = [BEGIN, *ids, END]
        rows = decode_nibble_rows(self._scales[marked], self._rows[marked])
        return np.asarray(rows + self._positions[: len(marked)], np.float32)


class Encoder:
    """Embedder of one text at a time: a text's vector never depends on other texts."""

    def __init__(self, session: InferenceSession, table: TokenTable) -> None:
        self._session = session
        self._table = table

    def vector(self, prefix: str, text: str) -> "NDArray[float32]":
        """Return the unit vector of `text`, (384) float32.

        Windows of a long text are averaged, weighted by their length. Raises EmbedderFailed if the
        result has no direction, which only damaged weights cause, or one of `run_errors`.
        """
        import numpy as np

        total = np.zeros(DIMENSION, np.float32)
        for window in self._windows(prefix, text):
            total += len(window) * self._mean(window)
        length = math.sqrt(float(total @ total))
        if not 0 < length < math.inf:
            raise EmbedderFailed("the embedding model gives no vectors: its files are damaged")
        return np.asarray(total / length, dtype=np.float32)

    def _windows(self, prefix: str, text: str) -> Iterator[list[int]]:
        lead = list(self._table.ids(prefix))
        tokens = self._table.ids(text[:_MOST_CHARACTERS])
        size = _WINDOW - len(lead)
        first = list(islice(tokens, size))
        yield lead + first
        for _ in range(_MOST_WINDOWS - 1):
            window = list(islice(tokens, size))
            if not window:
                return
            yield lead + window

    def _mean(self, window: list[int]) -> "NDArray[float32]":
        return self._session.run(None, {INPUT: self._table.embed(window)})[0]


def decode_nibble_rows(scales: "NDArray[Any]", nibbles: "NDArray[Any]") -> "NDArray[float32]":
    """Return 4-bit rows as float32.

    A block of 32 values is 16 low nibbles, then 16 high ones, offset by 8.
    """
    import numpy as np

    blocks = nibbles.reshape(*scales.shape, BLOCK // 2)
    values = np.concatenate([blocks & 15, blocks >> 4], axis=-1).astype(np.float32) - 8
    return np.asarray(values * scales.astype(np.float32)[..., None], np.float32).reshape(
        len(scales), -1
    )


def open_encoder(folder: Path, threads: int) -> Encoder:
    """Load the model in `folder`. Raises one of `load_errors` if it is damaged."""
    return Encoder(open_session(str(folder / ENCODER), threads), TokenTable(folder))


def open_session(model: str | bytes, threads: int) -> InferenceSession:
    """Return a session that runs `model` (a path or its bytes) without an optimiser pass."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session: InferenceSession = onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"]
    )
    return session


def load_errors() -> tuple[type[Exception], ...]:
    """Return the exception types that opening a damaged model raises.

    Raises ImportError without onnxruntime.
    """
    return (OSError, ValueError, KeyError, TypeError, *run_errors())
