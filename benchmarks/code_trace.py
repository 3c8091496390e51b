"""Make truth for benchmarks/code.py: run a project's own tests, and note who called whom and which
test ran what.

    VENV/bin/python benchmarks/code_trace.py --tree DIR/trees/P --out DIR [pytest's arguments …]

VENV is an environment in which P's tests run (CPython 3.11 or later, pytest); nothing else is
needed, Gieok neither. The tests run inside the tree (a leading `src/` stripped), which comes before
anything installed. Written are

- DIR/callgraph_dyn/P.json: `edges`, calls [caller, callee, flag] that were seen, with flag n (the
  callee is named at the call), c (another call node) or d (property, operator, decorator, loop);
  `indirect`, callees reached through code outside of the project; `executed` functions;
  `executed_sites` [caller, line, end line, column, end column] of the calls made;
- DIR/impact/P.json: `impact`, for each function that is no test, the numbers of the `tests` that
  executed it.

Keys are `path::qualified.name`. Lambdas and comprehensions belong to the function around them. A
wrapper made by `functools.wraps` or `update_wrapper` is seen through: who calls it calls what it
wraps; the wrapper itself is `indirect`.
"""

import argparse
import ast
import dis
import inspect
import json
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import pytest

#: How far up a call from outside of the project is followed to a caller inside.
_FARTHEST = 60
#: Instructions that stand for a call node, though their own place may begin later (3.11) or is that
#: of `await`, `for`.
_CALLING = ("CALL", "PRECALL", "SEND", "FOR_ITER", "GET_ANEXT", "INSTRUMENTED_CALL")
_WITH = ("__enter__", "__exit__", "__aenter__", "__aexit__")
_TESTS = ("tests", "test", "testing")


class Edge(NamedTuple):
    """A call that was seen; codes by their number, the place by the caller's instruction."""

    caller: int
    instruction: int
    callee: int
    is_direct: bool


class Recorder:
    """A pytest plugin: notes calls between functions of the project, and per test what was
    executed.
    """

    def __init__(self, root: Path) -> None:
        self.root = f"{root}/"
        self.codes: list[CodeType] = []
        self.places = Places()
        self.edges: set[Edge] = set()
        #: (call in a wrapper, call of the wrapper by what is none)
        self.through: set[tuple[Edge, Edge]] = set()
        self.sites: set[tuple[int, int]] = set()
        self.tests: dict[str, set[int]] = defaultdict(set)
        self._numbers: dict[int, int] = {}  # by identity: equal codes of two files are two
        self._kept: list[CodeType] = []
        self._executed: set[int] = set()

    def start(self) -> None:
        """Begin to note, in this thread and in those that are started later."""
        threading.setprofile(self._noted)
        sys.setprofile(self._noted)

    def stop(self) -> None:
        """Stop noting."""
        sys.setprofile(None)
        threading.setprofile(None)

    def _number(self, code: CodeType) -> int:
        """Return the number of a code of the project, -1 for one from outside."""
        number = self._numbers.get(id(code))
        if number is None:
            self._kept.append(code)
            inside = code.co_filename.startswith(self.root) and code.co_filename.endswith(".py")
            number = self._numbers[id(code)] = len(self.codes) if inside else -1
            if inside:
                self.codes.append(code)
        return number

    def _noted(self, frame: FrameType, event: str, argument: object) -> None:
        del argument
        if event == "c_call":
            caller = self._number(frame.f_code)
            if caller >= 0:
                self.sites.add((caller, frame.f_lasti))
            return
        if event != "call":
            return
        callee = self._number(frame.f_code)
        back = frame.f_back
        if callee >= 0:
            self._executed.add(callee)
        if back is None:
            return
        caller = self._number(back.f_code)
        if caller >= 0:
            self.sites.add((caller, back.f_lasti))
            if callee >= 0:
                self.edges.add(Edge(caller, back.f_lasti, callee, True))
                if self.places.wrapped(back.f_code):
                    self._note_through(back, caller, callee)
        elif callee >= 0:
            self._note_from_outside(back, callee)

    def _note_through(self, wrapper: FrameType, number: int, callee: int) -> None:
        """Note who called the wrapper that calls now, past wrappers of that and code from
        outside.
        """
        back = wrapper.f_back
        for _ in range(_FARTHEST):
            if back is None:
                return
            caller = self._number(back.f_code)
            if caller >= 0 and not self.places.wrapped(back.f_code):
                inner = Edge(number, wrapper.f_lasti, callee, True)
                self.through.add((inner, Edge(caller, back.f_lasti, callee, True)))
                return
            back = back.f_back

    def _note_from_outside(self, frame: FrameType, callee: int) -> None:
        back: FrameType | None = frame
        for _ in range(_FARTHEST):
            if back is None:
                return
            caller = self._number(back.f_code)
            if caller >= 0:
                self.edges.add(Edge(caller, back.f_lasti, callee, False))
                return
            back = back.f_back

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, None, None]:
        """Note what one test executes, its fixtures included."""
        self._executed = set()
        self.start()  # again: a test may have turned it off
        yield
        if isinstance(item, pytest.Function):
            self.tests[self._test_key(item)] |= self._executed

    def _test_key(self, item: pytest.Function) -> str:
        code = getattr(inspect.unwrap(item.function), "__code__", None)
        if code is not None and code.co_filename.startswith(self.root):
            return key_of(code, self.root)
        path, _, name = item.nodeid.partition("[")[0].partition("::")
        return f"{path}::{name.replace('::', '.')}"


def key_of(code: CodeType, root: str) -> str:
    """Return `path::qualified.name`; what has no name of its own has that of the function around
    it.
    """
    parts: list[str] = []
    for part in code.co_qualname.split("."):
        if part.startswith("<") and part not in ("<locals>", "<module>"):
            break
        if part != "<locals>":
            parts.append(part)
    return f"{code.co_filename.removeprefix(root)}::{'.'.join(parts) or '<module>'}"


class Places:
    """The call nodes of a project's files, by where they end."""

    def __init__(self) -> None:
        self._calls: dict[str, dict[tuple[int, int], ast.Call]] = {}
        self._positions: dict[int, list[tuple[int | None, ...]]] = {}
        self._opcodes: dict[int, dict[int, str]] = {}
        self._wrappers: dict[str, dict[int, str]] = {}

    def call(self, code: CodeType, instruction: int) -> ast.Call | None:
        """Return the call node at which an instruction of `code` is, if it is at one."""
        if id(code) not in self._positions:
            self._positions[id(code)] = list(code.co_positions())
            self._opcodes[id(code)] = {i.offset: i.opname for i in dis.get_instructions(code)}
        places = self._positions[id(code)]
        line, end, column, end_column = (
            places[instruction // 2] if 0 <= instruction // 2 < len(places) else (None,) * 4
        )
        if end is None or end_column is None:
            return None
        self._read(code.co_filename)
        node = self._calls[code.co_filename].get((end, end_column))
        is_call = self._opcodes[id(code)].get(instruction, "").startswith(_CALLING)
        return (
            node if node and (is_call or (node.lineno, node.col_offset) == (line, column)) else None
        )

    def wrapped(self, code: CodeType) -> str:
        """Return the name of what a function stands for (`functools.wraps(name)`); empty where it
        stands for itself.
        """
        self._read(code.co_filename)
        return self._wrappers[code.co_filename].get(code.co_firstlineno, "")

    def _read(self, path: str) -> None:
        if path in self._calls:
            return
        self._calls[path], self._wrappers[path] = {}, {}
        try:
            tree = ast.parse(Path(path).read_bytes())
        except (OSError, SyntaxError, ValueError):
            return
        updated: dict[str, str] = {}
        functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                self._calls[path][node.end_lineno or 0, node.end_col_offset or 0] = node
                if _name(node.func) == "update_wrapper" and len(node.args) > 1:
                    updated[_name(node.args[0])] = _name(node.args[1])
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions.append(node)
        for function in functions:
            names = [
                _name(decorator.args[0])
                for decorator in function.decorator_list
                if isinstance(decorator, ast.Call)
                and _name(decorator.func) == "wraps"
                and decorator.args
            ]
            if wrapped := next(iter(names), updated.get(function.name, "")):
                first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
                self._wrappers[path][first] = wrapped


def _name(node: ast.expr) -> str:
    return (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )


def called_name(key: str) -> str:
    """Return the name by which a function is called: a class's for its constructor."""
    parts = key.partition("::")[2].split(".")
    return parts[-2] if parts[-1] in ("__init__", "__new__") and len(parts) > 1 else parts[-1]


def call_graph(recorder: Recorder) -> dict[str, Any]:
    """Return who called whom."""
    places, codes = recorder.places, recorder.codes
    keys = [key_of(code, recorder.root) for code in codes]
    functions = [bool(code.co_flags & inspect.CO_OPTIMIZED) for code in codes]
    flags: dict[tuple[str, str], str] = {}
    indirect: set[tuple[str, str]] = set()
    for edge in seen_through(recorder):
        pair = keys[edge.caller], keys[edge.callee]
        name = codes[edge.callee].co_name
        # A comprehension that runs elsewhere (a generator) is no call of its function; a lambda is,
        # unless by that itself.
        if not functions[edge.callee] or (
            name[0] == "<" and (name != "<lambda>" or pair[0] == pair[1])
        ):
            continue
        # Whoever happens to drop the last reference calls no finalizer.
        if not edge.is_direct or places.wrapped(codes[edge.callee]) or name == "__del__":
            indirect.add(pair)
            continue
        flag = flag_of(places.call(codes[edge.caller], edge.instruction), pair[1])
        flags[pair] = max(flags.get(pair, "d"), flag, key="dcn".index)
    nodes = (
        (keys[code], places.call(codes[code], instruction)) for code, instruction in recorder.sites
    )
    sites = {
        (key, n.lineno, n.end_lineno, n.col_offset, n.end_col_offset)
        for key, n in nodes
        if n is not None
    }
    executed = (
        set().union(*recorder.tests.values())
        | {e.callee for e in recorder.edges}
        | {c for c, _ in recorder.sites}
    )
    return {
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "edges": sorted((a, b, flag) for (a, b), flag in flags.items()),
        "indirect": sorted(indirect - set(flags)),
        "executed": sorted({keys[code] for code in executed}),
        "executed_sites": sorted(sites),
    }


def flag_of(node: ast.Call | None, callee: str) -> str:
    """Say how a callee was called at a call node: by its name (n), otherwise (c); d where the call
    is not written.
    """
    last = callee.rpartition(".")[2]
    if node is None or last in _WITH:
        return "d"
    return "n" if _name(node.func) in (last, called_name(callee)) else "c"


def seen_through(recorder: Recorder) -> Iterator[Edge]:
    """Yield the edges, and from the callers of wrappers those to what was wrapped."""
    yield from recorder.edges
    for inner, outer in recorder.through:
        wrapper = recorder.codes[inner.caller]
        node = recorder.places.call(wrapper, inner.instruction)
        if node is not None and _name(node.func) == recorder.places.wrapped(wrapper):
            yield outer


def impact(recorder: Recorder) -> dict[str, Any]:
    """Return which tests executed each function."""
    tests = sorted(recorder.tests)
    keys = [key_of(code, recorder.root) for code in recorder.codes]
    by_function: dict[str, set[int]] = defaultdict(set)
    for number, test in enumerate(tests):
        for code in recorder.tests[test]:
            if recorder.codes[code].co_flags & inspect.CO_OPTIMIZED and not is_test(keys[code]):
                by_function[keys[code]].add(number)
    for test in tests:  # of a class that is imported from elsewhere
        by_function.pop(test, None)
    return {
        "tests": tests,
        "impact": {key: sorted(by_function[key]) for key in sorted(by_function)},
    }


def is_test(key: str) -> bool:
    """Say whether a function stands in a test's file."""
    path = Path(key.partition("::")[0])
    return (
        path.name == "conftest.py"
        or path.name.startswith("test_")
        or any(p in _TESTS for p in path.parts[:-1])
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments, for_pytest = parser.parse_known_args()
    tree, out = arguments.tree.resolve(), arguments.out.resolve()
    os.chdir(tree)
    # in place of this file's folder, whose code.py would stand before the standard library's
    sys.path[0] = str(tree)
    recorder = Recorder(tree)
    recorder.start()
    status = int(pytest.main(["-q", "-p", "no:cacheprovider", *for_pytest], plugins=[recorder]))
    recorder.stop()
    for folder, truth in (("callgraph_dyn", call_graph(recorder)), ("impact", impact(recorder))):
        (out / folder).mkdir(parents=True, exist_ok=True)
        text = json.dumps({"project": tree.name, **truth})
        (out / folder / f"{tree.name}.json").write_text(text, encoding="utf-8")
    print(
        f"{tree.name}: {len(recorder.codes)} bodies of code, {len(recorder.edges)} places of "
        f"calls, {len(recorder.tests)} tests"
    )
    return status if status > 1 else 0  # a test that fails was executed all the same


if __name__ == "__main__":
    sys.exit(main())
