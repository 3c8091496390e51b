"""Reads and writes a weights file: a line of JSON, then half-precision numbers.

The JSON describes the numbers, which are little-endian. The standard library is enough: 12,000
numbers are read in a millisecond, and the engine imports no numpy.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from struct import pack, unpack
from typing import NamedTuple

_FOLDER = Path(__file__).parent


class LearnedWeights(NamedTuple):
    """Content of a weights file.

    Matrices by name, each a list of rows; the embedding model whose vectors the matrices take;
    single numbers by name.
    """

    model: str
    matrices: Mapping[str, list[tuple[float, ...]]]
    numbers: Mapping[str, float]


def encoded(weights: LearnedWeights) -> bytes:
    """Return the bytes of a weights file."""
    shapes = {name: [len(rows), len(rows[0])] for name, rows in weights.matrices.items()}
    head = json.dumps({"model": weights.model, "shapes": shapes, "numbers": dict(weights.numbers)})
    return (
        head.encode() + b"\n" + b"".join(_pack_halves(rows) for rows in weights.matrices.values())
    )


def decode_weights(content: bytes) -> LearnedWeights:
    """Return the weights in the bytes of a weights file."""
    line, _, body = content.partition(b"\n")
    head = json.loads(line)
    matrices, start = dict[str, list[tuple[float, ...]]](), 0
    for name, (height, width) in head["shapes"].items():
        size = 2 * width
        rows = range(start, start + height * size, size)
        matrices[name] = [unpack(f"<{width}e", body[at : at + size]) for at in rows]
        start += height * size
    return LearnedWeights(head["model"], matrices, head["numbers"])


def learned(name: str) -> LearnedWeights:
    """Return the weights of a file in this folder."""
    return decode_weights((_FOLDER / f"{name}.weights").read_bytes())


def _pack_halves(rows: Sequence[Sequence[float]]) -> bytes:
    return b"".join(pack(f"<{len(row)}e", *row) for row in rows)
