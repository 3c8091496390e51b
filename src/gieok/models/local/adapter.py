"""Low-rank adapters: what training changed in the bundled encoder, a few megabytes each.

An adapter changes the map `part` of a layer from W to W + strength · b[layer] @ a[layer]. A head
brings the numbers of a small network, `head.…`. `training/` makes them; the build merges them into
the graph that runs, so an adapted encoder costs nothing more than the bundled one.
"""

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

#: Adapters of the vectors, of changes, of what is worth keeping, of secrets, of what helps, of
#: rules for the agent, and of uses of tools that break them.
FIND, RELATION, WORTH, SPANS, BEARS = "find", "relation", "worth", "spans", "bears"
RULES, BREAKS = "rules", "breaks"
#: Adapters whose head is no part of the graph: it judges many parts of a text.
OF_STATES = frozenset((SPANS, RULES))

_FOLDER = "adapters"


class Adapter:
    """Changes of the linear maps, and the numbers of a head."""

    def __init__(self, content: bytes, strength: float) -> None:
        """Read the bytes of an adapter's file, an `.npz` of fp16 arrays."""
        from io import BytesIO

        import numpy as np

        with np.load(BytesIO(content)) as arrays:
            self._arrays = {name: arrays[name].astype(np.float32) for name in arrays.files}
        self._strength = np.float32(strength)

    def change(self, layer: int, part: str) -> "NDArray[float32]":
        """Return what is added to the map `part` of a layer, (outputs, inputs) float32."""
        down, up = self._arrays[f"{part}.a"][layer], self._arrays[f"{part}.b"][layer]
        result: NDArray[float32] = self._strength * (up @ down)
        return result

    def head(self, name: str) -> "NDArray[float32]":
        """Return numbers of the head, such as `inner.weight`, float32."""
        numbers: NDArray[float32] = self._arrays[f"head.{name}"]
        return numbers


def open_adapter(name: str, strength: float = 1.0) -> Adapter:
    """Return the adapter `name` that ships with the package, at a share of its change."""
    return Adapter(_read_adapter(name), strength)


@cache
def hash_adapter(name: str) -> str:
    """Return the SHA-256 of an adapter's file, in hexadecimal."""
    return hashlib.sha256(_read_adapter(name)).hexdigest()


def _read_adapter(name: str) -> bytes:
    return Path(str(files(__package__))).joinpath(_FOLDER, f"{name}.npz").read_bytes()
