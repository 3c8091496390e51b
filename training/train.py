"""Fit and measure the heads of the reader: `python training/train.py --kit KIT --all --out OUT`.

Each head is fitted to some authors and measured on others; README.md names them. A head's adapter
is written as soon as it is fitted, the figures to `report.json` and `report.txt`.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from bears import fit_bears, measure_bears
from bench import Bench
from breaks import fit_breaks, measure_breaks
from find import fit_find, measure_find
from heads import keep_bears
from mends import fit_mends, measure_mends
from relation import STRENGTH, fit_relation, measure_relation
from rules import fit_rules, measure_rules
from spans import fit_spans, measure_spans
from worth import fit_worth, measure_plain_worth, measure_worth

from adapters import Adapter, load_adapter, save

HEADS = ("find", "bears", "relation", "worth", "spans", "rules", "breaks")
#: Heads that are fitted where they are named: what they say is not sure enough to ship.
TRIED = ("mends",)
#: Runs that only tell how sure the figures are, and the curves over the number of rows.
EXTRAS = ("swapped", "curves")
#: Seconds that each part takes on an H100, for the plan that is printed first.
_ESTIMATES = {"find": 45, "bears": 130, "relation": 65, "worth": 20, "spans": 15, "rules": 10}
_ESTIMATES |= {"breaks": 30, "mends": 15, "swapped": 40, "curves": 60}
_SHARES = (0.25, 0.5)


def main() -> None:
    """Fit what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kit", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--all", action="store_true", help="all heads, then swapped and curves")
    parser.add_argument("--heads", nargs="*", choices=(*HEADS, *TRIED, *EXTRAS), default=[])
    parser.add_argument("--find", type=Path, help="an adapter of *find* to begin from")
    parser.add_argument("--bears", type=Path, help="an adapter of *bears* to begin *breaks* from")
    parser.add_argument(
        "--relation", type=Path, help="an adapter of *relation* to begin *mends* from"
    )
    parser.add_argument("--final", action="store_true", help="keep no author out, measure little")
    parser.add_argument("--seconds", type=float, default=420, help="begin nothing after so long")
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--smoke", action="store_true", help="40 rows and two steps a head")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.smoke and not torch.cuda.is_available():
        torch.set_num_threads(1)
    bench = Bench(options.kit, options.out, options.seed, smoke=options.smoke)
    if options.final:
        bench.kept_out = frozenset()
    chosen = [*HEADS, *EXTRAS] if options.all else options.heads
    if options.final:
        chosen = [name for name in chosen if name in {*HEADS, *TRIED}]
    session = _Session(bench, options.seconds, is_final=options.final)
    session.begin_from(options.find, options.bears, options.relation)
    session.run(chosen)


class _Session:
    """One run of this script: what it has fitted so far, and its report."""

    def __init__(self, bench: Bench, seconds: float, *, is_final: bool) -> None:
        self.bench = bench
        self.seconds = seconds
        self.is_final = is_final
        self.report: dict[str, object] = {}
        self._find: Adapter | None = None
        self._worth: Adapter | None = None
        self._bears: Adapter | None = None
        self._relation: Adapter | None = None

    def begin_from(self, find: Path | None, bears: Path | None, relation: Path | None) -> None:
        """Read the adapters that are fitted already."""
        self._find = self._load(find)
        self._bears = self._load(bears)
        self._relation = self._load(relation)

    def _load(self, file: Path | None) -> Adapter | None:
        return load_adapter(file).to(self.bench.device) if file else None

    def run(self, chosen: list[str]) -> None:
        """Run the parts, and write the report after each."""
        import time

        bench = self.bench
        name = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
        rows = {field: len(getattr(bench.rows, field)) for field in bench.rows.__slots__}
        bench.say(f"{name}, torch {torch.__version__}, {rows}, sets {len(bench.sets)}")
        plan = {part: _ESTIMATES[part] for part in chosen}
        bench.say(f"planned, in seconds on an H100: {plan}, {sum(plan.values())} in all")
        self.report = {"device": name, "seed": bench.seed, "rows": rows}
        parts: dict[str, Callable[[], Mapping[str, object]]] = {
            "find": self._fit_find,
            "bears": self._fit_bears,
            "relation": self._fit_relation,
            "worth": self._fit_worth,
            "spans": self._fit_spans,
            "rules": self._fit_rules,
            "breaks": self._fit_breaks,
            "mends": self._fit_mends,
            "swapped": self._swap,
            "curves": self._draw_curves,
        }
        for part in chosen:
            if time.monotonic() - bench.began > self.seconds:
                bench.say(f"{part}: left out, no time")
                continue
            start = time.monotonic()
            self._tell(part, parts[part]())
            bench.say(f"{part}: done in {time.monotonic() - start:.1f} s")

    @property
    def find(self) -> Adapter:
        """The adapter of *find*, fitted now if it was not."""
        if self._find is None:
            self._find = fit_find(self.bench)
            save(self.bench.out / "find.npz", self._find)
        return self._find

    def _fit_find(self) -> dict[str, object]:
        return measure_find(self.bench, self.find)

    def _fit_bears(self) -> dict[str, object]:
        adapter, head = fit_bears(self.bench, self.find)
        save(self.bench.out / "bears.npz", adapter, keep_bears(head))
        self._bears = adapter
        return {} if self.is_final else measure_bears(self.bench, self.find, adapter, head)

    def _fit_relation(self) -> Mapping[str, object]:
        adapter, head = fit_relation(self.bench, self.find)
        save(self.bench.out / "relation.npz", adapter, head)
        self._relation = adapter
        return {} if self.is_final else measure_relation(self.bench, adapter, head)

    @property
    def worth(self) -> Adapter:
        """The adapter of *worth*, fitted now if it was not; *spans* begins from it."""
        if self._worth is None:
            self._fit_worth()
        assert self._worth is not None
        return self._worth

    def _fit_worth(self) -> dict[str, object]:
        bench = self.bench
        adapter, head = fit_worth(bench, self.find)
        save(bench.out / "worth.npz", adapter, head)
        self._worth = adapter
        if self.is_final:
            return {}
        figures: dict[str, object] = {"own adapter": measure_worth(bench, adapter, head)}
        with torch.no_grad():
            tuned = self.find.merge(bench.base, STRENGTH)
        figures["regression on find"], numbers = measure_plain_worth(bench, tuned)
        figures["regression on the base"], _ = measure_plain_worth(bench, bench.plain)
        with (bench.out / "worth_plain.npy").open("wb") as stream:
            np.save(stream, numbers.astype(np.float32))
        return figures

    def _fit_spans(self) -> dict[str, object]:
        adapter, head = fit_spans(self.bench, self.worth)
        save(self.bench.out / "spans.npz", adapter, head)
        return {} if self.is_final else measure_spans(self.bench, adapter, head)

    def _fit_rules(self) -> dict[str, object]:
        adapter, head = fit_rules(self.bench, self.worth)
        save(self.bench.out / "rules.npz", adapter, head)
        return {} if self.is_final else measure_rules(self.bench, adapter, head)

    def _fit_breaks(self) -> dict[str, object]:
        if self._bears is None:
            self._fit_bears()
        assert self._bears is not None
        adapter, head = fit_breaks(self.bench, self._bears)
        save(self.bench.out / "breaks.npz", adapter, head)
        return {} if self.is_final else measure_breaks(self.bench, adapter, head)

    def _fit_mends(self) -> dict[str, object]:
        if self._relation is None:
            self._fit_relation()
        assert self._relation is not None
        adapter, head = fit_mends(self.bench, self._relation)
        save(self.bench.out / "mends.npz", adapter, head)
        return {} if self.is_final else measure_mends(self.bench, adapter, head)

    def _swap(self) -> dict[str, object]:
        """Fit to the authors kept out and measure on those fitted to, where there are two."""
        bench = self.bench
        figures: dict[str, object] = {}
        adapter, head = fit_relation(bench, self.find, swapped=True, label="relation, swapped")
        figures["relation"] = measure_relation(bench, adapter, head, swapped=True)
        adapter, spans = fit_spans(bench, self.worth, swapped=True, label="spans, swapped")
        figures["spans"] = measure_spans(bench, adapter, spans, swapped=True)
        return figures

    def _draw_curves(self) -> dict[str, object]:
        """Fit find, relation and worth to a quarter and a half of the rows."""
        bench = self.bench
        figures: dict[str, object] = {}
        for share in _SHARES:
            name = f"{share:.0%} of the rows"
            found = fit_find(bench, share, f"find, {name}")
            relation = fit_relation(bench, self.find, share=share, label=f"relation, {name}")
            worth = fit_worth(bench, self.find, share=share, label=f"worth, {name}")
            figures[name] = {
                "find": measure_find(bench, found, (0.5, 1.0)),
                "relation": measure_relation(bench, *relation),
                "worth": measure_worth(bench, *worth),
            }
        return figures

    def _tell(self, part: str, figures: Mapping[str, object]) -> None:
        self.report[part] = figures
        text = json.dumps(self.report, ensure_ascii=False, indent=1)
        (self.bench.out / "report.json").write_text(text + "\n", "utf-8")
        lines = list(_flatten(figures))
        with (self.bench.out / "report.txt").open("a", encoding="utf-8") as stream:
            stream.writelines(f"  {part} · {line}\n" for line in lines)
        print("\n".join(f"  {part} · {line}" for line in lines if _is_headline(line)), flush=True)


def _flatten(value: object, path: str = "") -> "list[str]":
    if not isinstance(value, dict):
        return [f"{path}: {value}"]
    if not any(isinstance(item, dict) for item in value.values()):
        return [f"{path}: " + ", ".join(f"{key} {item}" for key, item in value.items())]
    return [
        line
        for key, item in value.items()
        for line in _flatten(item, f"{path} · {key}" if path else str(key))
    ]


def _is_headline(line: str) -> bool:
    """Return whether a line belongs on the screen: the rest is in the report."""
    return not any(word in line for word in ("by predicate", "marked at", "lines in"))


if __name__ == "__main__":
    main()
