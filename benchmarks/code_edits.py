"""Attack the index: edit a real source tree at random, sync after every few edits, and compare with
a fresh index.

    python benchmarks/code_edits.py --tree DIR [--tree DIR …] --edits 100 --seed 1 [--every 10]
    [--json]

A copy of DIR is edited: lines and definitions are inserted, deleted, swapped, moved, renamed; files
and folders are added, moved, deleted, broken; conftest.py, go.mod, package.json, tsconfig.json and
the like change; edits are taken back. Syncs look at everything, at some files alone, come from
another process or are killed. After every tenth edit files, symbols, edges, unresolved calls,
passages, search tables, executions and some answers have to be those of a fresh index. Where they
are not, what differs is shown with the last edits, and the exit status is 1; `--every 1` finds the
edit.
"""

import argparse
import json
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests/support"))
from edits import Tree, copied
from kept_index import KeptIndex


def attack(source: Path, edits: int, every: int, seed: int) -> dict[str, Any]:
    """Return how many comparisons were made, and of the first that failed what differs and the
    edits since the last.
    """
    before = resource.getrusage(resource.RUSAGE_SELF)
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(copied(source, Path(folder) / "tree"), seed)
        kept = KeptIndex(Path(folder), tree)
        found: dict[str, Any] = {
            "tree": source.name,
            "files": len(tree.paths()),
            "seed": seed,
            "edits": 0,
            "compared": 0,
        }
        while found["edits"] < edits:
            done = kept.follow(min(every, edits - found["edits"]))
            found["edits"] += len(done)
            found["compared"] += 1
            if differs := kept.differences():
                found |= {"differs": differs, "since": done}
                break
        kept.close()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        **found,
        "cpu_s": round(used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, action="append", required=True)
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = [attack(tree, given.edits, given.every, given.seed) for tree in given.tree]
    for row in rows:
        if given.json:
            print(json.dumps(row, ensure_ascii=False))
            continue
        result = "DIFFERS" if "differs" in row else "equal"
        print(
            f"{row['tree']}: {row['edits']} edits of {row['files']} files, {row['compared']} "
            f"comparisons: {result} "
            f"(seed {row['seed']}, {row['cpu_s']} s CPU)"
        )
        for line in [
            *row.get("differs", ()),
            *(f"  after: {edit}" for edit in row.get("since", ()) if "differs" in row),
        ]:
            print(f"  {line}")
    return int(any("differs" in row for row in rows))


if __name__ == "__main__":
    sys.exit(main())
