"""Fit a head further to the rows of new authors, which two cores can do in half an hour.

    python training/further.py --kit KIT --head relation --from FILE --authors pairs_p4 judge_j5
    --out OUT

`FILE` is an adapter with its head, as train.py or the package has it. Besides the rows of the named
authors, `--old` examples of the authors that it knows are drawn, so that it forgets nothing.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from bench import Bench
from heads import TextHead, relation_head, worth_head
from relation import continue_relation, measure_relation
from worth import continue_worth, measure_worth

from adapters import load_adapter, save


def main() -> None:
    """Fit one head further, and measure it on the authors kept out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kit", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--head", choices=("relation", "worth"), required=True)
    parser.add_argument("--from", type=Path, required=True, dest="file")
    parser.add_argument("--authors", nargs="+", required=True)
    parser.add_argument("--old", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=31)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.kit, options.out, options.seed, smoke=False)
    adapter = load_adapter(options.file).to(bench.device)
    head = relation_head() if options.head == "relation" else worth_head()
    load_head(options.file, head)
    head.to(bench.device)
    fit, measure = {
        "relation": (continue_relation, measure_relation),
        "worth": (continue_worth, measure_worth),
    }[options.head]
    fit(bench, adapter, head, tuple(options.authors), options.old, options.epochs)
    save(options.out / f"{options.head}.npz", adapter, head)
    bench.say(str(measure(bench, adapter, head)))


def load_head(file: Path, head: TextHead) -> None:
    """Read the numbers of a head that `save` wrote."""
    arrays = np.load(file)
    state = {
        name.removeprefix("head."): torch.from_numpy(arrays[name].astype(np.float32))
        for name in arrays.files
        if name.startswith("head.")
    }
    head.load_state_dict(state)


if __name__ == "__main__":
    main()
