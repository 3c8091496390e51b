"""Make truth of a Go project for benchmarks/code.py: each of its tests runs alone, with Go's own
coverage.

    python benchmarks/code_trace_go.py --tree DIR/trees/P --out DIR [--run FOLDER]

`go` is the one on PATH (1.20 or later). FOLDER holds the same files, where a project only builds in
a place of its own (below GOPATH); DIR/trees/P otherwise. Written is DIR/impact/P.json: `impact`,
for each function outside of test files, the numbers of the `tests` (and examples) that executed it.
Keys are Gieok's; a function literal belongs to the one around it.
"""

import argparse
import json
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from code_index import index
from gieok.code.languages.places import is_test_file

_BLOCK = re.compile(r"^(.+)/([^/]+\.go):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$", re.MULTILINE)
_TEST_S = 60
_BUILD_S = 900


class Functions:
    """The functions of a project by their place."""

    def __init__(self, tree: Path) -> None:
        self._lines: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
        self._tests: dict[tuple[str, str], str] = {}
        with tempfile.TemporaryDirectory() as folder:
            for symbol in index(tree, folder).store.all_symbols():
                if symbol.kind not in ("function", "method"):
                    continue
                self._lines[symbol.path].append((symbol.start_line, symbol.end_line, symbol.key))
                if symbol.path.endswith("_test.go"):
                    self._tests[Path(symbol.path).parent.as_posix(), symbol.name] = symbol.key

    def at(self, path: str, line: int) -> str:
        """Return the key of the innermost function around a line; empty where there is none."""
        around = [(start, key) for start, end, key in self._lines[path] if start <= line <= end]
        return max(around)[1] if around else ""

    def test(self, folder: str, name: str) -> str:
        """Return the key of a test of a package; empty where Gieok does not know it."""
        return self._tests.get((folder, name), "")


def go(run: Path, *arguments: str) -> str:
    """Return what a command of Go says. Raises CalledProcessError, TimeoutExpired."""
    done = subprocess.run(
        ["go", *arguments], cwd=run, capture_output=True, text=True, timeout=_BUILD_S, check=True
    )
    return done.stdout


def blocks(
    run: Path, binary: Path, test: str, folders: dict[str, str], out: Path
) -> set[tuple[str, int]]:
    """Return (file, first line) of the blocks that a test executed; nothing where it hangs."""
    cwd = run / next(folder for package, folder in folders.items() if binary.name == _name(package))
    command = [str(binary), f"-test.run=^{test}$", f"-test.coverprofile={out}"]
    out.unlink(missing_ok=True)
    try:
        subprocess.run(command, cwd=cwd, capture_output=True, timeout=_TEST_S, check=False)
    except subprocess.TimeoutExpired:
        return set()
    found = _BLOCK.findall(out.read_text(encoding="utf-8")) if out.exists() else ()
    return {
        (f"{folders[package]}/{name}".removeprefix("./"), int(line))
        for package, name, line, _, count in found
        if int(count) and package in folders
    }


def _name(package: str) -> str:
    return package.replace("/", "+")


def trace(tree: Path, run: Path) -> dict[str, Any]:
    """Run every test of a project and return what each executed."""
    functions = Functions(tree)
    shown = go(
        run, "list", "-e", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{len .DepsErrors}}", "./..."
    ).splitlines()
    listed = [
        (package, folder)
        for package, folder, errors in (line.split("\t") for line in shown)
        if errors == "0"
    ]
    folders = {
        package: f"./{Path(folder).relative_to(run).as_posix()}".removesuffix("/.")
        for package, folder in listed
    }
    ran: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for package, folder in folders.items():
            binary = Path(scratch) / _name(package)
            try:
                go(
                    run,
                    "test",
                    "-c",
                    "-vet=off",
                    "-cover",
                    f"-coverpkg={','.join(folders)}",
                    "-o",
                    str(binary),
                    package,
                )
            except subprocess.CalledProcessError as error:
                print(f"{package}: not built: {error.stderr[-300:]}")
            if not binary.exists():
                continue
            names = subprocess.run(
                [binary, "-test.list=^(Test|Example)"], capture_output=True, text=True, check=True
            )
            for name in names.stdout.split():
                key = functions.test(Path(folder).as_posix(), name)
                if key:
                    places = blocks(run, binary, name, folders, Path(scratch) / "profile")
                    ran[key] = {functions.at(path, line) for path, line in places} - {""}
    tests = sorted(ran)
    by_function: dict[str, list[int]] = defaultdict(list)
    for number, test in enumerate(tests):
        for key in ran[test]:
            if not is_test_file(key.partition("::")[0]):
                by_function[key].append(number)
    return {"project": tree.name, "tests": tests, "impact": dict(sorted(by_function.items()))}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--run", type=Path, help="where the tests run, if not in the tree")
    arguments = parser.parse_args()
    tree = arguments.tree.resolve()
    truth = trace(tree, (arguments.run or tree).resolve())
    (arguments.out / "impact").mkdir(parents=True, exist_ok=True)
    (arguments.out / "impact" / f"{tree.name}.json").write_text(json.dumps(truth), encoding="utf-8")
    print(f"{tree.name}: {len(truth['tests'])} tests, {len(truth['impact'])} functions")


if __name__ == "__main__":
    main()
