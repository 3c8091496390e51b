"""Base of every head: the bundled multilingual-e5-small as a torch encoder.

`kit.py` writes its weights into a folder, once, with the product's own code. What trains on that
folder needs torch and numpy alone, and nothing else of this repository.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from shape import ATTENTION_HEADS, LAYERS, LINEARS, WIDTH
from texts import END
from torch import Tensor, nn
from torch.nn import functional

#: Values that share one scale, as the weights are stored.
_BLOCK = 32


def decode_blocks(scales: np.ndarray, nibbles: np.ndarray) -> np.ndarray:
    """Return a 4-bit matrix as float32.

    `scales` is (rows, blocks) fp16. A block of 32 values is 16 low nibbles, then 16 high ones,
    offset by 8.
    """
    blocks = nibbles.reshape(*scales.shape, _BLOCK // 2)
    values = np.concatenate([blocks & 15, blocks >> 4], axis=-1).astype(np.float32) - 8
    return (values * scales.astype(np.float32)[..., None]).reshape(len(scales), -1)


class Merged(NamedTuple):
    """Weights of the linear maps of all layers, adapter included: (outputs, inputs) of each."""

    qkv: Sequence[Tensor] | Tensor
    ao: Sequence[Tensor] | Tensor
    fi: Sequence[Tensor] | Tensor
    fo: Sequence[Tensor] | Tensor


class Encoder(nn.Module):
    """multilingual-e5-small with frozen weights; an adapter's weights come with each call."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        arrays = np.load(folder / "base.npz")

        def floats(name: str) -> Tensor:
            return torch.from_numpy(arrays[name].astype(np.float32))

        def matrix(name: str) -> Tensor:
            scales = arrays[f"{name}.scales"]
            return torch.from_numpy(decode_blocks(scales, arrays[f"{name}.nibbles"]))

        def stack(part: str, read: Callable[[str], Tensor]) -> Tensor:
            return torch.stack([read(f"l{layer}.{part}") for layer in range(LAYERS)])

        self.register_buffer("rows", matrix("rows"))
        self.register_buffer("positions", floats("positions"))
        for part in ("emb.ln.w", "emb.ln.b"):
            self.register_buffer(part.replace(".", "_"), floats(part))
        for part in LINEARS:
            self.register_buffer(f"{part}_w", stack(f"{part}.w", matrix))
            self.register_buffer(f"{part}_b", stack(f"{part}.b", floats))
        for part in ("aln.w", "aln.b", "oln.w", "oln.b"):
            self.register_buffer(part.replace(".", "_"), stack(part, floats))
        self.epsilon = float(arrays["epsilon"])

    def forward(self, ids: Tensor, mask: Tensor, weights: Merged) -> Tensor:
        """Return the last states, (texts, tokens, 384), of padded ids and their mask."""
        count, size = ids.shape
        state = functional.embedding(ids, self.rows) + self.positions[:size]
        state = self._norm(state, self.emb_ln_w, self.emb_ln_b)
        seen = mask[:, None, None, :]
        bias = torch.cat([self.q_b, self.k_b, self.v_b], dim=1)
        for layer in range(LAYERS):
            product = functional.linear(state, weights.qkv[layer], bias[layer])
            heads = product.view(count, size, 3, ATTENTION_HEADS, -1).permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(*heads, attn_mask=seen)
            joined = mixed.transpose(1, 2).reshape(count, size, WIDTH)
            change = functional.linear(joined, weights.ao[layer], self.ao_b[layer])
            state = self._norm(state + change, self.aln_w[layer], self.aln_b[layer])
            inner = functional.gelu(functional.linear(state, weights.fi[layer], self.fi_b[layer]))
            change = functional.linear(inner, weights.fo[layer], self.fo_b[layer])
            state = self._norm(state + change, self.oln_w[layer], self.oln_b[layer])
        return state

    def _norm(self, state: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return functional.layer_norm(state, (WIDTH,), weight, bias, self.epsilon)


def pad(sequences: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Return ids padded to a common length, and the mask of those that are real.

    The length is a multiple of eight, which fast attention on a GPU needs.
    """
    size = -(-max(map(len, sequences)) // 8) * 8
    ids = np.full((len(sequences), size), END, np.int64)
    mask = np.zeros((len(sequences), size), bool)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = True
    return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)


def mean(states: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of each text's states, (texts, 384)."""
    share = mask.to(states.dtype)
    return (states * share[..., None]).sum(1) / share.sum(1, keepdim=True)


def pool(states: Tensor, mask: Tensor) -> Tensor:
    """Return the unit vector of each text, (texts, 384)."""
    return functional.normalize(mean(states, mask).float(), dim=-1)
