"""Low-rank adapters over the linear maps of all layers: a few megabytes that change the encoder."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from base import Encoder, Merged
from shape import LAYERS, LINEARS
from torch import Tensor, nn

RANK = 16
#: A change is this times B·A; folded into B where an adapter is saved.
_SCALE = 2.0


class Adapter(nn.Module):
    """W + s·B·A for each of the six linear maps of the twelve layers, 1.3 million numbers.

    B begins as zeros, so a new adapter changes nothing.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        source = torch.Generator().manual_seed(seed)
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        for name, (inputs, outputs) in LINEARS.items():
            start = torch.rand(LAYERS, RANK, inputs, generator=source) * 2 - 1
            self.down[name] = nn.Parameter(start * inputs**-0.5)
            self.up[name] = nn.Parameter(torch.zeros(LAYERS, outputs, RANK))

    def merge(self, base: Encoder, strength: float = 1.0) -> Merged:
        """Return the weights of `base` with this share of the adapter's change added."""
        weights = {
            name: getattr(base, f"{name}_w")
            + strength * _SCALE * torch.bmm(self.up[name], self.down[name])
            for name in LINEARS
        }
        return _join(weights)

    def merge_upper(self, base: Encoder, frozen: int) -> Merged:
        """Return merged weights, layer by layer, of which the first `frozen` layers learn nothing.

        What they read is not kept for learning either, which saves a third of the time at half of
        the layers.
        """
        parts = []
        for merged in self.merge(base):
            layers = tuple(merged)
            parts.append([*(layer.detach() for layer in layers[:frozen]), *layers[frozen:]])
        return Merged(*parts)

    def begin_from(self, other: "Adapter") -> "Adapter":
        """Take over the numbers of another adapter, and return self."""
        self.load_state_dict(other.state_dict())
        return self

    @torch.no_grad()
    def weaken(self, strength: float) -> "Adapter":
        """Keep a share of the change, and return self."""
        for up in self.up.values():
            up.mul_(strength)
        return self

    def arrays(self) -> dict[str, np.ndarray]:
        """Return what is saved, fp16: `NAME.a` (12, 16, inputs) and `NAME.b` (12, outputs, 16).

        The change of a layer's map is b[layer] @ a[layer].
        """
        found = {}
        for name in LINEARS:
            found[f"{name}.a"] = _half(self.down[name])
            found[f"{name}.b"] = _half(self.up[name] * _SCALE)
        return found


def merge_nothing(base: Encoder) -> Merged:
    """Return the weights of the bundled model."""
    return _join({name: getattr(base, f"{name}_w") for name in LINEARS})


def load_adapter(file: Path) -> Adapter:
    """Return the adapter that `save` wrote."""
    adapter, arrays = Adapter(0), np.load(file)
    with torch.no_grad():
        for name in LINEARS:
            adapter.down[name].copy_(torch.from_numpy(arrays[f"{name}.a"].astype(np.float32)))
            up = torch.from_numpy(arrays[f"{name}.b"].astype(np.float32))
            adapter.up[name].copy_(up / _SCALE)
    return adapter


def save(file: Path, adapter: Adapter, head: nn.Module | None = None) -> None:
    """Write an adapter, and the numbers of a head as `head.NAME`, in fp16."""
    arrays: dict[str, Any] = {**adapter.arrays()}
    if head is not None:
        arrays |= {f"head.{name}": _half(value) for name, value in head.state_dict().items()}
    np.savez_compressed(file, **arrays)


def _join(weights: dict[str, Tensor]) -> Merged:
    qkv = torch.cat([weights["q"], weights["k"], weights["v"]], dim=1)
    return Merged(qkv, weights["ao"], weights["fi"], weights["fo"])


def _half(value: Tensor) -> np.ndarray:
    return np.asarray(value.detach().float().cpu().numpy(), np.float16)
