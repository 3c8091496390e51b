"""What every head is fitted on and with: rows, tokens, the encoder, and the loop of training."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from base import Encoder, Merged, pad
from rows import KEPT_OUT, Rows, read_rows
from sets import MeasuringSet, read_sets
from texts import Texts
from torch import Tensor, nn

from adapters import merge_nothing


class _Authored(Protocol):
    @property
    def author(self) -> str:
        """Who wrote the row."""


_Row = TypeVar("_Row", bound=_Authored)
_Batch = TypeVar("_Batch")
#: Tokens in one batch of texts that are only read.
_READ_TOKENS = 1 << 17
_SMOKE_ROWS, _SMOKE_KEPT, _SMOKE_STEPS, _SMOKE_BATCH = 40, 12, 2, 8


@dataclass
class Bench:
    """Everything that a head needs; `smoke` cuts it down to a minute on a slow machine."""

    kit: Path
    out: Path
    seed: int
    smoke: bool
    kept_out: frozenset[str] = KEPT_OUT
    device: torch.device = field(init=False)
    texts: Texts = field(init=False)
    base: Encoder = field(init=False)
    rows: Rows = field(init=False)
    sets: list[MeasuringSet] = field(init=False)
    plain: Merged = field(init=False)
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = time.monotonic()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.set_float32_matmul_precision("high")
        self.texts = Texts(self.kit)
        self.base = Encoder(self.kit).to(self.device)
        self.rows = read_rows(self.kit / "training" / "data")
        self.sets = read_sets(self.kit / "sets")
        self.plain = merge_nothing(self.base)

    def say(self, text: str) -> None:
        """Print a line with the seconds since the start, and append it to report.txt."""
        line = f"[{time.monotonic() - self.began:6.1f} s] {text}"
        print(line, flush=True)
        with (self.out / "report.txt").open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")

    def seed_all(self, offset: int = 0) -> np.random.Generator:
        """Make what follows depend on the seed alone; return the numpy generator to draw from."""
        torch.manual_seed(self.seed + offset)
        return np.random.default_rng(self.seed + offset)

    def fitted(self, rows: Iterable[_Row], share: float = 1.0) -> list[_Row]:
        """Return the rows of authors that are fitted to, or a random share of them."""
        return self._cut([row for row in rows if row.author not in self.kept_out], share)

    def batch(self, size: int) -> int:
        """Return the size of a batch."""
        return _SMOKE_BATCH if self.smoke else size

    def kept(self, rows: Iterable[_Row]) -> dict[str, list[_Row]]:
        """Return the rows of each author that is kept out."""
        found: dict[str, list[_Row]] = {}
        for row in rows:
            if row.author in self.kept_out:
                found.setdefault(row.author, []).append(row)
        return {
            author: self._cut(mine, smoke=_SMOKE_KEPT) for author, mine in sorted(found.items())
        }

    def of_authors(self, rows: Iterable[_Row], *authors: str) -> list[_Row]:
        """Return the rows of these authors."""
        return self._cut([row for row in rows if row.author in authors])

    def _cut(self, rows: list[_Row], share: float = 1.0, smoke: int = _SMOKE_ROWS) -> list[_Row]:
        most = min(len(rows), smoke) if self.smoke else math.ceil(share * len(rows))
        if most == len(rows):
            return rows
        chosen = np.random.default_rng(self.seed).permutation(len(rows))[:most]
        return [rows[number] for number in sorted(chosen)]

    def fit(
        self,
        modules: Sequence[tuple[nn.Module, float]],
        epochs: Sequence[Sequence[_Batch]],
        loss: Callable[[_Batch], Tensor],
        *,
        label: str,
        watch: Callable[[], str] | None = None,
    ) -> None:
        """Minimise `loss` over the batches of all epochs; each module has its own rate.

        Rates rise over the first steps and fall to zero. `watch` is asked after each epoch for a
        figure to print.
        """
        if self.smoke:
            epochs = [epochs[0][:_SMOKE_STEPS]]
        groups: list[dict[str, Any]] = [
            {"params": list(module.parameters()), "lr": rate} for module, rate in modules
        ]
        steps = sum(map(len, epochs))
        warm = max(1, steps // 20)
        fused = self.device.type == "cuda"
        optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=fused)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer,
            lambda step: min((step + 1) / warm, (steps - step) / max(1, steps - warm)),
        )
        parameters = [value for group in groups for value in group["params"]]
        start = time.monotonic()
        for number, epoch in enumerate(epochs, 1):
            total = torch.zeros((), device=self.device)
            for module, _ in modules:
                module.train()
            for batch in epoch:
                with torch.autocast(self.device.type, torch.bfloat16, enabled=fused):
                    value = loss(batch)
                optimizer.zero_grad()
                value.backward()
                nn.utils.clip_grad_norm_(parameters, 1.0)
                optimizer.step()
                schedule.step()
                total += value.detach()
            for module, _ in modules:
                module.eval()
            seconds = time.monotonic() - start
            seen = f", {watch()}" if watch else ""
            self.say(
                f"{label}: epoch {number}/{len(epochs)}, loss {float(total) / len(epoch):.4f},"
                f" {len(epoch)} steps, {seconds:.1f} s{seen}"
            )

    @torch.no_grad()
    def read(
        self,
        sequences: Sequence[Sequence[int]],
        weights: Merged,
        function: Callable[[Tensor, Tensor], Tensor],
    ) -> Tensor:
        """Return `function(states, mask)` of every sequence, in order, on the CPU as float32."""
        order = sorted(range(len(sequences)), key=lambda number: -len(sequences[number]))
        found: list[Tensor | None] = [None] * len(sequences)
        limit = _READ_TOKENS if self.device.type == "cuda" else 1 << 12
        start = 0
        while start < len(order):
            size = max(1, limit // (len(sequences[order[start]]) + 7))
            part = order[start : start + size]
            start += size
            ids, mask = pad([sequences[number] for number in part], self.device)
            values = function(self.base(ids, mask, weights), mask).float().cpu()
            for number, value in zip(part, values, strict=True):
                found[number] = value
        return torch.stack([value for value in found if value is not None])


def bucket(
    lengths: Sequence[int], size: int, source: np.random.Generator, epochs: int
) -> list[list[np.ndarray]]:
    """Return the batches of each epoch: random, but with texts of about one length in each."""
    found = []
    for _ in range(epochs):
        order = source.permutation(len(lengths))
        batches = []
        for start in range(0, len(order), size * 16):
            part = order[start : start + size * 16]
            part = part[np.argsort([lengths[number] for number in part], kind="stable")]
            batches += [part[at : at + size] for at in range(0, len(part), size)]
        found.append([batches[number] for number in source.permutation(len(batches))])
    return found
