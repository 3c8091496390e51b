"""Map a run under coverage.py to pairs: which test ran which function.

coverage.py keeps line numbers but no file hashes: in a file that was changed after the run, the
lines would name other functions than those that ran. A file is therefore believed only where the
file is not newer than the run or, if the commit of the run is given, where the file equals its
version in that commit.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gieok.code.ask import changes
from gieok.code.index import scan
from gieok.code.index.graph import INHERITS
from gieok.code.index.project import Project
from gieok.code.languages.table import LANGUAGES
from gieok.code.model.facts import FUNCTIONS
from gieok.errors import BadRequest
from gieok.model.code import Execution, SourceFile, Symbol, key_path
from gieok.ports.code import SyntaxNode

if TYPE_CHECKING:
    from gieok.machine.coverage_file import CoverageFile

_AGAIN = "run the tests again with `pytest --cov --cov-context=test`"
_PHASE = re.compile(r"\|(setup|run|teardown)$")
#: A pytest node id, perhaps preceded by the label of the whole run:
#: `3.11|tests/test_a.py::TestA::test_b[x]`.
_NODE = re.compile(r"(?:[^\[]*?\|)?([^|\[]+?\.py)::([^\[]+)")
#: Syntax nodes inside of which a definition may stand.
_BLOCKS = frozenset(
    """
        module block if_statement elif_clause else_clause try_statement except_clause
        except_group_clause finally_clause with_statement for_statement while_statement
        match_statement case_clause decorated_definition ERROR
    """.split()
)


class LearnedExecutions(NamedTuple):
    """Result of reading a coverage run.

    `paths` are the files that were believed, `changed` the files that were not; `outside` are
    measured files that do not belong to the project, `unknown` contexts that name no test of the
    project.

    `unread` are tests with the files among `changed` in which they ran something; which function
    ran there is not known, so no function is named.
    """

    executions: tuple[Execution, ...]
    unread: tuple[Execution, ...]
    tests: tuple[str, ...]
    paths: tuple[str, ...]
    changed: tuple[str, ...]
    outside: int
    unknown: tuple[str, ...]


def learn(project: Project, run: "CoverageFile", commit: str = "") -> LearnedExecutions:
    """Read from a coverage run which test of the project ran which function.

    The index must be in line with the files. Raises BadRequest.
    """
    files = {
        path: file for path, file in project.store.files().items() if file.language == "python"
    }
    measured = run.files()
    places = map_measured_paths(project.root, measured, files)
    symbols = [s for s in project.store.all_symbols() if s.path in files]
    tests = _Tests(project, symbols).named(run.contexts())
    unknown = tuple(context for context in run.contexts() if context not in tests)
    _refuse_foreign_run(run, measured, places, tests)
    fresh = _Fresh(project, run, files, commit)
    functions = {s.key: s for s in symbols if s.kind in FUNCTIONS}
    executed_pairs, unread = set[tuple[str, str]](), set[tuple[str, str]]()
    believed, changed = set[str](), set[str]()
    for name, path in places.items():
        pairs = (
            _pair_executed_functions(project, run, name, files[path], tests)
            if fresh.holds(path)
            else None
        )
        if pairs is None:
            changed.add(path)
            unread |= {
                (tests[context], f"{path}::") for context, _ in run.lines(name) if context in tests
            }
        else:
            believed.add(path)
            executed_pairs |= pairs
    if not believed:
        raise BadRequest(
            "all {count} files of the run were changed after it",
            count=len(changed),
            hint=(
                "run the tests again with `pytest --cov --cov-context=test`, or name the commit "
                "that ran with --commit"
            ),
        )
    hashes = {key: s.code_hash if fresh.holds(s.path) else "" for key, s in functions.items()}
    valid_pairs = sorted(
        (t, f)
        for t, f in executed_pairs
        if f in functions and t != f and key_path(f) not in changed
    )
    return LearnedExecutions(
        executions=tuple(Execution(t, f, hashes[t], hashes[f]) for t, f in valid_pairs),
        unread=tuple(Execution(t, f, hashes[t], "") for t, f in sorted(unread)),
        tests=tuple(sorted(set(tests.values()))),
        paths=tuple(sorted(believed - changed)),
        changed=tuple(sorted(changed)),
        outside=len(measured) - len(places),
        unknown=unknown,
    )


def _refuse_foreign_run(
    run: "CoverageFile",
    measured: Sequence[str],
    places: Mapping[str, str],
    tests: Mapping[str, str],
) -> None:
    contexts = run.contexts()
    if not contexts:
        raise BadRequest("the run names no tests: it has no contexts", hint=_AGAIN)
    if not places:
        raise BadRequest(
            "none of the {count} files of the run is indexed here, such as {file!r}"
            if measured
            else "none of the {count} files of the run is indexed here",
            count=len(measured),
            file=next(iter(measured), ""),
            hint="run in the project that was measured; `coverage combine` maps paths by [paths]",
        )
    if not tests:
        raise BadRequest(
            "none of the {count} contexts is a test of this project, such as {context!r}",
            count=len(contexts),
            context=contexts[0],
            hint=_AGAIN,
        )


class _Fresh:
    """Finder of the files that have not changed since the run."""

    def __init__(
        self, project: Project, run: "CoverageFile", files: Mapping[str, SourceFile], commit: str
    ) -> None:
        self._root, self._run, self._files = project.root, run, files
        self._differing = (
            {d.new_path for d in changes.parse_unified_diff(project.versions.diff(commit))}
            if commit
            else None
        )

    def holds(self, path: str) -> bool:
        if self._differing is not None:
            return path not in self._differing
        return self._files[path].mtime_ns <= self._run.finished_ns


def _pair_executed_functions(
    project: Project, run: "CoverageFile", name: str, file: SourceFile, tests: Mapping[str, str]
) -> set[tuple[str, str]] | None:
    """Return the (test, function) pairs of a file; None where the file is not the one that ran."""
    try:
        data = scan.read_source_bytes(project.root, file.path)
        if sha256(data).hexdigest() != file.content_hash:
            return None
        text = scan.decode_source(data)
    except (OSError, scan.Unwanted):
        return None
    written = {number for number, line in enumerate(text.split("\n"), 1) if line.strip()}
    owners = owners_of(
        project.parser.parse(LANGUAGES["python"].grammar, text.encode("utf-8", "surrogatepass"))
    )
    pairs: set[tuple[str, str]] = set()
    for context, lines in run.lines(name):
        if not lines <= written:  # an empty line never runs
            return None
        if context in tests:
            pairs |= {
                (tests[context], f"{file.path}::{owners[line]}") for line in lines & owners.keys()
            }
    return pairs


def owners_of(root: SyntaxNode) -> dict[int, str]:
    """Return line → qualified name of the innermost function whose body holds the line.

    The head of a function is executed where the function is defined and is left out; so is a body
    on the same line as its head.
    """
    owners: dict[int, str] = {}
    waiting = [(root, "")]
    while waiting:
        node, prefix = waiting.pop()
        name = node.child_by_field_name("name")
        if node.type in ("function_definition", "class_definition") and name is not None:
            prefix += f"{_decode_node_text(name)}."
            body = node.child_by_field_name("body")
            if node.type == "function_definition" and body is not None:
                first = max(body.start_point[0], _head_end(node) + 1)
                owners |= dict.fromkeys(range(first + 1, node.end_point[0] + 2), prefix[:-1])
            waiting += [(body, prefix)] if body is not None else []
        elif node.type in _BLOCKS:
            waiting += [(child, prefix) for child in node.named_children]
    return owners


def _decode_node_text(node: SyntaxNode) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _head_end(node: SyntaxNode) -> int:
    """Return the last row of a definition's head."""
    parts = [node.child_by_field_name(field) for field in ("name", "parameters", "return_type")]
    return max(part.end_point[0] for part in parts if part is not None)


def map_measured_paths(
    root: Path, measured: Sequence[str], files: Mapping[str, object]
) -> dict[str, str]:
    """Return measured path → indexed path; files outside of the project are left out.

    Measured paths below the project's folder count. Where there are none, the run was made in
    another folder: that single folder is taken whose files are mostly found at the same relative
    paths here.
    """
    here = f"{root.resolve().as_posix()}/"
    inside = {
        name: name.removeprefix(here).removeprefix(f"{root.as_posix()}/") for name in measured
    }
    indexed = {name: path for name, path in inside.items() if path in files}
    if indexed:
        return indexed
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in files:
        by_name[path.rpartition("/")[2]].append(path)
    rules = Counter(
        rule
        for name in measured
        for rule in _iter_prefix_rules(name, by_name[name.rpartition("/")[2]])
    )
    best = min(rules, key=lambda rule: (-rules[rule], len(rule[1]), rule), default=("", ""))
    return {
        name: best[1] + name[len(best[0]) :]
        for name in measured
        if name.startswith(best[0]) and best[1] + name[len(best[0]) :] in files
    }


def _iter_prefix_rules(name: str, namesakes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (old prefix, new prefix) that map a measured path to an indexed one.

    The rule with the longest common tail comes first.
    """
    parts = name.split("/")
    for path in namesakes:
        others = path.split("/")
        same = next(
            (
                n
                for n, (a, b) in enumerate(zip(reversed(parts), reversed(others), strict=False))
                if a != b
            ),
            None,
        )
        same = min(len(parts), len(others)) if same is None else same
        yield "/".join([*parts[:-same], ""]), "/".join([*others[:-same], ""])


class _Tests:
    """Finder of the test function that a coverage context names."""

    def __init__(self, project: Project, symbols: Sequence[Symbol]) -> None:
        self._store = project.store
        self._keys = {s.key for s in symbols if s.kind in FUNCTIONS}
        self._paths = sorted({s.path for s in symbols})
        self._dotted: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for key in sorted(self._keys):
            path, _, qualified = key.partition("::")
            dotted = f"{path.removesuffix('.py').replace('/', '.')}.{qualified}"
            self._dotted[dotted.rpartition(".")[2]].append((dotted, key))

    def named(self, contexts: Sequence[str]) -> dict[str, str]:
        """Return context → key of its test; contexts that name no test are left out."""
        keys = {context: self._find(_PHASE.sub("", context)) for context in contexts}
        return {context: key for context, key in keys.items() if key}

    def _find(self, context: str) -> str:
        if node := _NODE.match(context):
            return self._node(node[1].replace("\\", "/"), node[2].split("::"))
        return self._function(context.rpartition("|")[2])

    def _node(self, name: str, names: Sequence[str]) -> str:
        """Return the key of a pytest node id, relative to a folder above or inside the project."""
        paths = [p for p in self._paths if p == name] or [
            p for p in self._paths if _is_tail(p, name, "/")
        ]
        if len(paths) != 1:
            return ""
        key = f"{paths[0]}::{'.'.join(names)}"
        return (
            key
            if key in self._keys
            else self._inherited(f"{paths[0]}::{'.'.join(names[:-1])}", names[-1])
        )

    def _inherited(self, owner: str, name: str) -> str:
        """Return the key of a test method that a class inherits from its nearest base."""
        seen = frontier = [owner]
        while frontier:
            edges = self._store.edges_out_of(frontier)
            frontier = [e.target for e in edges if e.kind == INHERITS and e.target not in seen]
            seen = [*seen, *frontier]
            if key := next(
                (f"{base}.{name}" for base in frontier if f"{base}.{name}" in self._keys), ""
            ):
                return key
        return ""

    def _function(self, name: str) -> str:
        """Return the key of `module.Class.test`; the last parts of a module's name are enough."""
        candidates = self._dotted.get(name.rpartition(".")[2], [])
        exact = [key for dotted, key in candidates if dotted == name]
        keys = exact or [key for dotted, key in candidates if _is_tail(dotted, name, ".")]
        return keys[0] if len(keys) == 1 else ""


def _is_tail(one: str, other: str, separator: str) -> bool:
    """Return whether either of two names is the end of the other."""
    return one.endswith(f"{separator}{other}") or other.endswith(f"{separator}{one}")
