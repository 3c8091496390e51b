"""`make acceptance`: walk through the success criteria of the five documents Gieok was made from.

`python examples/acceptance [DOCUMENT …]` walks through some of them. Each walk has a temporary home
and reaches no network; services of the internet are loopback servers of `tests/support`.
"""

import importlib
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parents[1] / "tests" / "support")]

from walk import Walk  # noqa: E402 - found by the line above

#: A core each on the smallest machine that CI has.
_AT_ONCE = 2
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
    """Walk through the documents; 1 where a criterion is not as its walk lists it."""
    if len(documents) == 1:
        with tempfile.TemporaryDirectory(prefix="gieok-acceptance-") as folder:
            walk = run_walk(documents[0], Path(folder))
        for fault in walk.faults:
            print(f"  not as listed in KNOWN: {fault}")
        return bool(walk.faults)
    started = time.monotonic()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        walks = [pool.submit(_walk_apart, document) for document in documents or DOCUMENTS]
        results = []
        for future in walks:
            results.append(future.result())
            print(results[-1].stdout, end="", flush=True)
    lines = [line for done in results for line in done.stdout.splitlines()]
    print(f"\n{time.monotonic() - started:.0f} s")
    print(*(line for line in lines if " criteria, " in line or "not as listed" in line), sep="\n")
    return any(done.returncode for done in results)


def _walk_apart(document: str) -> "subprocess.CompletedProcess[str]":
    """Walk through one document in a process of its own, and return what it printed."""
    return subprocess.run(
        [sys.executable, str(_HERE), document], text=True, stdout=subprocess.PIPE, check=False
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
