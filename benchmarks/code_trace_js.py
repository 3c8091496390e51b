"""Make truth of a JavaScript project for benchmarks/code.py: its tests run with a probe at the head
of every function.

    python benchmarks/code_trace_js.py instrument DIR/trees/P COPY
    cd COPY; npm install …; NODE_V8_COVERAGE=$PWD/.coverage NODE_OPTIONS="--require $PWD/.probe.cjs"
    node test/a.test.js … python benchmarks/code_trace_js.py collect DIR/trees/P COPY DIR

A probe notes the function, the test that runs and, from the stack, the place of its caller. Written
are

- DIR/callgraph_js/P.json: `edges` [caller, callee, flag]: n (the callee is named at the call), c
  (another call there, or a method of the language such as `map` between) or d (getters);
  `indirect`, with code outside of the project between; `executed` functions; and of each called
  name in a function whether all such calls ran (`sites`), by V8's coverage;
- DIR/impact/P.json: `impact`, for each function outside of test files, the numbers of the `tests`
  that executed it. A test is a function handed to `test` or `it`; it has run what those inside of
  it ran, and what `beforeEach` did before it.

Gieok's reader gives functions their keys, nothing else. TypeScript runs with a loader that blanks
types out where they stand (amaro, `mode: "strip-only"`, which Node's own stripping uses): lines and
columns stay what they are.
"""

import argparse
import json
import shutil
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gieok.code.index.graph import fold_lambda_key
from gieok.code.languages.language import Language
from gieok.code.languages.places import is_test_file
from gieok.code.languages.table import LANGUAGES
from gieok.code.languages.tree import TreeReader
from gieok.machine.parsers.treesitter import TreeSitterParser

_FUNCTIONS = frozenset(
    """function_declaration generator_function_declaration function_expression generator_function arrow_function
    method_definition""".split()
)
_CALLS = ("call_expression", "new_expression")
_PROBE = "__gieok("
_TESTS = frozenset("test it specify".split())
_SETUPS = frozenset("before beforeEach beforeAll setup suiteSetup".split())
_PARSER = TreeSitterParser()
_ENDS = (".js", ".mjs", ".cjs", ".ts")
_RUNTIME = """
const fs = require('fs'), seen = new Set(), root = __dirname + '/'
const running = new (require('async_hooks').AsyncLocalStorage)(), tests = new Map()
let prepared = [], last = null
function begin(role, name) {
  last = new Set()
  if (role === 'setup') prepared.push(last)
  else {
    tests.set(name, [...(tests.get(name) || []), ...prepared, last])
    prepared = []
  }
  running.enterWith(last)
}
globalThis.__gieok = function (file, id, role) {
  if (role) begin(role, file + '|' + id)
  const test = running.getStore() || last
  if (test) test.add(file + '|' + id)
  const before = Error.prepareStackTrace, limit = Error.stackTraceLimit, held = {}
  Error.stackTraceLimit = 12
  Error.prepareStackTrace = (error, frames) => frames
  Error.captureStackTrace(held, globalThis.__gieok)
  const frames = held.stack
  Error.prepareStackTrace = before
  Error.stackTraceLimit = limit
  let via = 'n', place = '||'
  for (const frame of Array.isArray(frames) ? frames.slice(1) : []) {
    const name = (frame.getFileName() || '').replace('file://', '')
    if (name.startsWith(root) && !name.includes('node_modules')) {
      place = name.slice(root.length) + '|' + frame.getLineNumber() + '|' + frame.getColumnNumber()
      break
    }
    via = name === '' || frame.isNative() ? (via === 'n' ? 'c' : via) : 'x'
  }
  seen.add([file, id, via, place].join('|'))
}
process.on('exit', () => {
  fs.mkdirSync(root + '.trace', { recursive: true })
  const ran = {}
  for (const [test, sets] of tests) ran[test] = [...new Set(sets.flatMap(set => [...set]))]
  fs.writeFileSync(root + '.trace/' + process.pid + '-' + Date.now(), JSON.stringify({ seen: [...seen], ran }))
})
"""


def inside(node: Any) -> Iterator[Any]:
    """Yield a node and all below it, in the order of the source."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.named_children))


def functions(root: Any) -> list[Any]:
    return [
        n
        for n in inside(root)
        if n.type in _FUNCTIONS and n.child_by_field_name("body") is not None
    ]


def sources(folder: Path) -> list[Path]:
    files = (
        f for f in sorted(folder.rglob("*")) if f.suffix in _ENDS and "node_modules" not in f.parts
    )
    return [
        f
        for f in files
        if f.is_file() and not f.name.startswith(".") and not f.name.endswith(".d.ts")
    ]


def language(file: Path) -> Language:
    return LANGUAGES["typescript" if file.suffix == ".ts" else "javascript"]


def instrument(tree: Path, copy: Path) -> None:
    """Copy a tree, with a probe in every function; lines stay lines."""
    shutil.copytree(tree, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    for file in sources(copy):
        source = file.read_bytes()
        added: list[tuple[int, int, str]] = []
        for number, function in enumerate(functions(_PARSER.parse(language(file).grammar, source))):
            body = function.child_by_field_name("body")
            role = f",'{named}'" if (named := _role(function)) else ""
            probe = f"{_PROBE}{json.dumps(file.relative_to(copy).as_posix())},{number}{role})"
            if body.type == "statement_block":
                added.append((_after_directives(body), 0, f";{probe};"))
            else:
                added += [(body.start_byte, 0, f"({probe},"), (body.end_byte, -1, ")")]
        out, last = bytearray(), 0
        for at, _, text in sorted(added):
            out += source[last:at] + text.encode()
            last = at
        file.write_bytes(bytes(out + source[last:]))
    (copy / ".probe.cjs").write_text(_RUNTIME, encoding="utf-8")


def _role(function: Any) -> str:
    """Say whether a function is handed to the test runner, as a test or to prepare one."""
    call = (
        function.parent.parent
        if function.parent is not None and function.parent.type == "arguments"
        else None
    )
    if call is None or call.type != "call_expression":
        return ""
    names = set(call.child_by_field_name("function").text.decode().split("."))
    return "test" if names & _TESTS else "setup" if names & _SETUPS else ""


def _after_directives(body: Any) -> int:
    at: int = body.start_byte + 1
    for child in body.named_children:
        if child.type != "expression_statement" or child.named_children[0].type != "string":
            break
        at = child.end_byte
    return at


class File(NamedTuple):
    """A file of the copy: its functions with the keys that they have in the tree, and its calls."""

    source: bytes
    lines: list[int]
    ranges: list[tuple[int, int]]
    keys: list[str | None]
    calls: list[Any]
    path: str

    def owner(self, at: int) -> str:
        """Return the key of the innermost function around a byte."""
        around = [n for n, (start, end) in enumerate(self.ranges) if start <= at < end]
        named = [
            self.keys[n]
            for n in sorted(around, key=lambda n: self.ranges[n][0])
            if self.keys[n] is not None
        ]
        return fold_lambda_key(f"{self.path}::{named[-1]}") if named else f"{self.path}::<module>"

    def around(self, number: int) -> Iterator[int]:
        """Yield a function and those around it."""
        start, end = self.ranges[number]
        yield from (
            n for n, (first, last) in enumerate(self.ranges) if first <= start and end <= last
        )

    def called(self, call: Any) -> str:
        """Return the name at a call."""
        callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
        callee = (callee and callee.child_by_field_name("property")) or callee
        return (
            self.source[callee.start_byte : callee.end_byte].decode() if callee is not None else ""
        )


def read(tree: Path, copy: Path) -> dict[str, File]:
    """Return the files of the copy; a function is the same in both by its place among them."""
    found: dict[str, File] = {}
    known: dict[tuple[int, int], str] = {}
    function = TreeReader.function

    def noting(self: TreeReader, node: Any, *rest: Any, **named: Any) -> Any:
        number, scope = function(self, node, *rest, **named)
        known[node.start_byte, node.end_byte] = self.builder.symbols[scope.symbol].qualified
        return number, scope

    # Facts keep no bytes of a function, so its keys are noted while it is read.
    TreeReader.function = noting  # type: ignore[method-assign]
    for file in sources(tree):
        path = file.relative_to(tree).as_posix()
        known.clear()
        language(file).read(file.read_text(encoding="utf-8", errors="replace"), _PARSER)
        own = functions(_PARSER.parse(language(file).grammar, file.read_bytes()))
        source = (copy / path).read_bytes()
        root = _PARSER.parse(language(file).grammar, source)
        calls = [n for n in inside(root) if n.type in _CALLS]
        found[path] = File(
            source,
            [0, *(n + 1 for n, byte in enumerate(source) if byte == ord("\n"))],
            [(f.start_byte, f.end_byte) for f in functions(root)],
            [known.get((f.start_byte, f.end_byte)) for f in own],
            [
                n
                for n in calls
                if source[n.start_byte : n.start_byte + len(_PROBE)] != _PROBE.encode()
            ],
            path,
        )
    TreeReader.function = function  # type: ignore[method-assign]
    return found


def call_graph(traces: list[dict[str, Any]], files: dict[str, File], copy: Path) -> dict[str, Any]:
    """Return who called whom, from what the probes and V8 wrote."""
    edges: dict[tuple[str, str], set[str]] = defaultdict(set)
    indirect: set[tuple[str, str]] = set()
    executed: set[str] = set()
    rows = {row for trace in traces for row in trace["seen"]}
    for file, number, via, path, line, column in (row.split("|") for row in sorted(rows)):
        start = files[file].ranges[int(number)][0]
        callee = files[file].owner(start)
        executed.add(callee)
        if path not in files:
            continue
        at = files[path].lines[int(line) - 1] + int(column) - 1
        caller = files[path].owner(at)
        own = files[file].keys[int(number)]
        if caller == callee and (own is None or own.endswith(">")):
            continue  # what a function without a name does, its owner does
        if via == "x":
            indirect.add((caller, callee))
        else:
            edges[caller, callee].add(_flag(files[path], at, callee, via))
    ran = _coverage(copy, files)
    executed |= {f"{path}::<module>" for path in ran}
    sites: dict[str, list[bool]] = defaultdict(list)
    for path, file_ in files.items():
        for call in file_.calls:
            is_run = any(_count(functions_, call.start_byte) for functions_ in ran.get(path, ()))
            sites[f"{file_.owner(call.start_byte)} {file_.called(call)}"].append(is_run)
    return {
        "edges": [[a, b, "".join(sorted(flags))] for (a, b), flags in sorted(edges.items())],
        "indirect": sorted(indirect),
        "executed": sorted(executed),
        "sites": {site: all(each) for site, each in sorted(sites.items())},
    }


def impact(traces: list[dict[str, Any]], files: dict[str, File]) -> dict[str, Any]:
    """Return which tests executed each function."""

    def key(place: str) -> str:
        file, number = place.rsplit("|", 1)
        return files[file].owner(files[file].ranges[int(number)][0])

    started = {test for trace in traces for test in trace["ran"]}
    by_function: dict[str, set[str]] = defaultdict(set)
    for trace in traces:
        for test, ran in trace["ran"].items():
            file, number = test.rsplit("|", 1)
            around = {
                place
                for n in files[file].around(int(number))
                if (place := f"{file}|{n}") in started
            }
            for function in map(key, ran):
                if not is_test_file(function.partition("::")[0]) and not function.endswith(
                    "::<module>"
                ):
                    by_function[function] |= set(map(key, around))
    tests = sorted(set(map(key, started)))
    numbers = {test: number for number, test in enumerate(tests)}
    return {
        "tests": tests,
        "impact": {f: sorted(numbers[t] for t in ran) for f, ran in sorted(by_function.items())},
    }


def _flag(file: File, at: int, callee: str, via: str) -> str:
    line = bisect_right(file.lines, at) - 1
    here = [
        c
        for c in file.calls
        if c.start_byte <= at < c.end_byte and c.start_point[0] <= line <= c.end_point[0]
    ]
    parts = callee.partition("::")[2].split(".")
    name = parts[-2] if parts[-1] == "constructor" and len(parts) > 1 else parts[-1]
    return "d" if not here else "n" if via == "n" and name in map(file.called, here) else "c"


def _coverage(copy: Path, files: dict[str, File]) -> dict[str, list[list[dict[str, Any]]]]:
    found: dict[str, list[list[dict[str, Any]]]] = defaultdict(list)
    start = f"file://{copy.resolve()}/"
    for report in (copy / ".coverage").glob("*.json"):
        for script in json.loads(report.read_text(encoding="utf-8"))["result"]:
            path = script["url"].removeprefix(start)
            if path in files:
                found[path].append(script["functions"])
    return found


def _count(covered: list[dict[str, Any]], at: int) -> int:
    """Return how often the code at a byte ran: the smallest range around it says."""
    around = [r for f in covered for r in f["ranges"] if r["startOffset"] <= at < r["endOffset"]]
    return min(around, key=lambda r: r["endOffset"] - r["startOffset"])["count"] if around else 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("instrument", "collect"))
    parser.add_argument("tree", type=Path)
    parser.add_argument("copy", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    arguments = parser.parse_args()
    tree, copy = arguments.tree, arguments.copy
    if arguments.verb == "instrument":
        instrument(tree, copy)
        return
    if arguments.out is None:
        parser.error("collect needs a folder to write to")
    files = read(tree, copy)
    traces = [
        json.loads(trace.read_text(encoding="utf-8"))
        for trace in sorted((copy / ".trace").iterdir())
    ]
    for folder, truth in (
        ("callgraph_js", call_graph(traces, files, copy)),
        ("impact", impact(traces, files)),
    ):
        (arguments.out / folder).mkdir(parents=True, exist_ok=True)
        (arguments.out / folder / f"{tree.name}.json").write_text(
            json.dumps(truth), encoding="utf-8"
        )
        print(
            f"{tree.name}, {folder}:",
            ", ".join(f"{len(part)} {name}" for name, part in truth.items()),
        )


if __name__ == "__main__":
    main()
