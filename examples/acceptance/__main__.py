"""`make acceptance`: walk through the success criteria of the five documents Gieok was made from.

`python examples/acceptance [DOCUMENT …]` walks through some of them. Each walk has a temporary home
and reaches no network; services of the internet are loopback servers of `tests/support`.
"""

import importlib
import sys
import tempfile
import time
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parents[1] / "tests" / "support")]

from walk import Walk  # noqa: E402 - found by the line above

DOCUMENTS = (
    "openclaw_memory_migration",
    "prompt_recall",
    "project_intelligence",
    "observational_sidecar",
    "character_memory",
)


def run_walk(document: str, folder: Path) -> Walk:
    """Walk through one document in an empty folder and return what was found."""
    module = importlib.import_module(f"{document}.criteria")
    walk = Walk(document.replace("_", "-"), folder, module.KNOWN)
    module.walk(walk)
    print(f"\n{walk.count()}", flush=True)
    return walk


def main(documents: list[str]) -> int:
    """Walk through the documents; 1 where a criterion is unmet and not known to be."""
    walks, started = [], time.monotonic()
    for document in documents or DOCUMENTS:
        with tempfile.TemporaryDirectory(prefix="gieok-acceptance-") as folder:
            walks.append(run_walk(document, Path(folder)))
    print(f"\n{time.monotonic() - started:.0f} s")
    for walk in walks:
        print(walk.count())
        for fault in walk.faults:
            print(f"  not as listed in KNOWN: {fault}")
    return any(walk.faults for walk in walks)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
