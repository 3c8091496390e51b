"""`make acceptance`: walk through the success criteria of the five documents Gieok was made from.

`python examples/acceptance [DOCUMENT …]` walks through some of them; with `--forks`, which the
tests give, commands whose time is not measured are forks of one process and start no Python. Each walk has a temporary home
and reaches no network; services of the internet are loopback servers of `tests/support`.
"""

import importlib
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parents[1] / "tests" / "support")]

import forked  # noqa: E402 - found by the line above
from forked import Commands  # noqa: E402
from walk import Walk  # noqa: E402

#: A core each on the smallest machine that CI has.
_AT_ONCE = 2
#: Document → modules that most commands of its walk import, and that take long.
_SLOW_IMPORTS = {
    "openclaw_memory_migration": ("gieok.storage.index.gemini.sdk", "httpcore2"),
    "observational_sidecar": ("pydantic_ai.direct", "pydantic_ai.models.openai"),
}
DOCUMENTS = (
    "openclaw_memory_migration",
    "prompt_recall",
    "project_intelligence",
    "observational_sidecar",
    "character_memory",
)


def run_walk(document: str, folder: Path, forks: Commands | None = None) -> Walk:
    """Walk through one document in an empty folder and return what was found."""
    module = importlib.import_module(f"{document}.criteria")
    walk = Walk(document.replace("_", "-"), folder, module.KNOWN, forks=forks)
    module.walk(walk)
    print(f"\n{walk.count()}", flush=True)
    return walk


def main(documents: list[str]) -> int:
    """Walk through the documents; 1 where a criterion is not as its walk lists it."""
    is_forked = "--forks" in documents
    documents = [document for document in documents if document != "--forks"]
    if len(documents) == 1:
        with (
            tempfile.TemporaryDirectory(prefix="gieok-acceptance-") as folder,
            forked.commands(*_SLOW_IMPORTS.get(documents[0], ()))
            if is_forked
            else nullcontext() as forks,
        ):
            walk = run_walk(documents[0], Path(folder), forks)
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
