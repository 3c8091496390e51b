"""Call graphs of small cases in several languages, for `code.py graph`: JCG's (opalj/JCG) and those
that the tests keep.

`DIR/jcg/jcg_js.md`, `jcg_python.md`, `jcg_java.md` are JCG's Markdown: `## ID`, then fenced blocks,
each file's path in a comment on its first line. JavaScript and Python have their truth in a `json`
block, Java in `@DirectCall` and `@IndirectCall`. Or `DIR/jcg/jcg_cases.json`: `[{"language", "id",
"files": {path: text}, "links": [[caller, callee]]}]`.

What a link names: a simple name, with `:line` where several bear it; `<global>` is the module. A
function without a name is the named one around it, as everywhere in Gieok. A call out of
`Native.map` is a call by whoever calls that. Links into `Native` are left out. An indirect link
only has to be reached. Java's `prohibitedTargets` are the only edges known to be
wrong: precision is of those alone, and only Java has it. `edges` is how much was answered in all.

`DIR/js-callgraph` is the folder `tests` of the npm package @persper/js-callgraph: `x.truth` beside
`x.js` lists every call of that file, so that precision is of all: `x.js:caller:line of the call ->
y.js:name:line of the function`.

`DIR/callgraph_js/P.json` is what code_trace_js.py wrote of `DIR/trees/P`; its name is `js:P`.
`DIR/callgraph_go/P.json` (`go:P`) is code_calls_go.py's. An edge that was not seen is refuted where
its caller and all calls that name it ran.
"""

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from code_peers import codegraph
from gieok.code.index.graph import CALLS, Certainty
from gieok.code.index.project import Project
from gieok.model.code import Edge, Symbol

_CASE = re.compile(r"^##\s*(\S+)[ \t]*\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PATH = re.compile(r"(?://|#)\s*(\S+\.\w+)\s*\n")
_ANNOTATION = re.compile(
    r"@(Direct|Indirect)Call\((.*?)\)\s*(?=@|\}|public|private|protected|static|void)", re.DOTALL
)
_METHOD = re.compile(r"(\w+)\s*\([^()]*\)\s*(?:throws [\w, ]+)?\{")
_CALLED = re.compile(r"([\w$]+)\s*\(")
_SUFFIXES = {"js": "js", "python": "py", "java": "java"}
_TRUTH = re.compile(r"^(\S+?):\S+:(\d+) -> (\S+?):(\S+):(\d+)$", re.MULTILINE)
_IMPORTED = re.compile(r"(?:from|import|require\()\s*['\"]([^'\"]+)['\"]|define\(\[?['\"]([^'\"]+)")
_CONSTRUCTORS = ("constructor", "__init__", "<init>")


class Link(NamedTuple):
    """One thing that is true (or, `wrong`, is not). `reached`: through others is enough; `at`: the
    line of the call, or 0.
    """

    caller: str
    callee: str
    reached: bool = False
    wrong: bool = False
    at: int = 0


class Truth(TypedDict):
    """What JCG's JSON block holds: [caller, callee], or the callee alone of an indirect link."""

    directLinks: list[list[str]]
    indirectLinks: list[str | list[str]]


class Case(NamedTuple):
    """A small program and what is known of its calls."""

    id: str
    files: dict[str, str]
    links: list[Link]


def read(folder: Path) -> dict[str, list[Case]]:
    """Return the cases of each language that a folder holds. Raises ValueError where a block of
    JSON is none.
    """
    found: dict[str, list[Case]] = {}
    for file in sorted(folder.glob("jcg_*.md")):
        found[file.stem] = list(_cases(file.read_text(encoding="utf-8")))
    plain = folder / "jcg_cases.json"
    for row in json.loads(plain.read_text(encoding="utf-8")) if plain.exists() else ():
        links = [Link(_node(a), _node(b)) for a, b in row["links"]]
        found.setdefault(f"jcg_{row['language']}", []).append(Case(row["id"], row["files"], links))
    return found


def _cases(text: str) -> Iterator[Case]:
    for match in _CASE.finditer(text):
        files: dict[str, str] = {}
        links: list[Link] = []
        for language, block in _BLOCK.findall(match[2]):
            if language == "json":
                links = _json_links(json.loads(re.sub(r",(\s*[\]}])", r"\1", block)))
                continue
            path = _PATH.match(block)
            name = path[1] if path else f"{match[1]}.{_SUFFIXES[language]}"
            files[name] = block[path.end() :] if path else block
            links += _java_links(files[name]) if language == "java" else []
        yield Case(match[1], files, links)


def _json_links(truth: Truth) -> list[Link]:
    callers: dict[str, list[str]] = defaultdict(list)
    for caller, callee in truth["directLinks"]:
        callers[callee].append(caller)
    links = [
        Link(_node(source), _node(callee))
        for caller, callee in truth["directLinks"]
        for source in (callers[caller] if caller.startswith("Native.") else [caller])
        if not callee.startswith("Native.")
    ]
    targets = [link if isinstance(link, str) else link[-1] for link in truth["indirectLinks"]]
    return links + [Link("<module>", _node(target), reached=True) for target in targets]


def _node(name: str) -> str:
    """`C1.foo:3` → `foo:3`; `<global>` → `<module>`."""
    return "<module>" if name == "<global>" else name.rpartition(".")[2]


def _java_links(text: str) -> Iterator[Link]:
    for match in _ANNOTATION.finditer(text):
        method = _METHOD.search(text, match.end())
        name, line = (
            re.search(r'name\s*=\s*"([^"]+)"', match[2]),
            re.search(r"line\s*=\s*(\d+)", match[2]),
        )
        if method is None or name is None:
            continue
        for key in ("resolvedTargets", "prohibitedTargets"):
            listed = re.search(key + r"\s*=\s*(\{[^}]*\}|\"[^\"]*\")", match[2])
            for owner in re.findall(r"L([\w/$]+);", listed[1] if listed else ""):
                callee = f"{owner.rpartition('/')[2].replace('$', '.')}.{name[1]}"
                at = int(line[1]) if line and match[1] == "Direct" else 0
                yield Link(
                    method[1], callee, match[1] == "Indirect", key == "prohibitedTargets", at
                )


class Answer(NamedTuple):
    """The calls that something found in a case."""

    edges: list[Edge]
    symbols: list[Symbol]

    def names(self, key: str, node: str) -> bool:
        """Say whether a node of the truth means a symbol."""
        path, _, qualified = key.partition("::")
        name, _, line = node.partition(":")
        if name == "<anonymous" or not line:
            wanted = self.around(path, int(line.rstrip(">"))) if line else ""
            return key == wanted if line else f".{qualified}".endswith(f".{name}")
        starts = [s for s in self.symbols if s.key == key]
        return qualified.rpartition(".")[2] == name and any(
            s.start_line <= int(line) <= s.end_line for s in starts
        )

    def around(self, path: str, line: int) -> str:
        inside = [s for s in self.symbols if s.path == path and s.start_line <= line <= s.end_line]
        return (
            max(inside, key=lambda s: (s.start_line, -s.end_line, len(s.key))).key if inside else ""
        )

    def has(self, link: Link) -> bool:
        """Say whether the link was found."""
        if not link.reached:
            return any(
                self.names(e.source, link.caller)
                and self.names(e.target, link.callee)
                and link.at in (0, e.line)
                for e in self.edges
            )
        after: dict[str, list[str]] = defaultdict(list)
        for edge in self.edges:
            after[edge.source].append(edge.target)
        waiting = [e.source for e in self.edges if self.names(e.source, link.caller)]
        seen = set(waiting)
        while waiting:
            for target in after[waiting.pop()]:
                if self.names(target, link.callee):
                    return True
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return False


def by_name(symbols: list[Symbol], files: dict[str, str]) -> list[Edge]:
    """Return an edge from every `name(` to every function of that name."""
    functions = [s for s in symbols if s.kind in ("function", "method")]
    named: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in functions:
        named[_called(symbol.key)].append(symbol)
    edges = []
    for path, text in files.items():
        for line, source in enumerate(text.split("\n"), 1):
            inside = [s for s in functions if s.path == path and s.start_line <= line <= s.end_line]
            caller = max(inside, key=lambda s: s.start_line).key if inside else f"{path}::<module>"
            defined = {s.name for s in inside if s.start_line == line}
            for name in set(_CALLED.findall(source)) - defined:
                edges += [
                    Edge(caller, s.key, CALLS, Certainty.RESOLVED, "", line) for s in named[name]
                ]
    return edges


def names(data: Path) -> list[str]:
    """Return what a folder has of cases."""
    traced = sorted(
        f"{kind}:{f.stem}"
        for kind in ("js", "go")
        for f in (data / f"callgraph_{kind}").glob("*.json")
    )
    return [
        *sorted(read(data / "jcg")),
        *(["js-callgraph"] if (data / "js-callgraph").is_dir() else []),
        *traced,
    ]


def score(
    data: Path, name: str, index: Callable[[Path, str], Project]
) -> dict[str, dict[str, float]]:
    """Return how well each method does on the cases of a name."""
    if name == "js-callgraph":
        return score_truths(data / name, index)
    if name[:3] in ("js:", "go:"):
        return score_traced(data, name, index)
    return score_cases(read(data / "jcg")[name], index)


def score_truths(
    folder: Path, index: Callable[[Path, str], Project]
) -> dict[str, dict[str, float]]:
    """Return precision and recall of the calls of every file beside which a `.truth` lies, by
    method.
    """
    totals: dict[str, dict[str, float]] = {}
    for truth in sorted(folder.rglob("*.truth")):
        file = next((f for f in (truth.with_suffix(s) for s in (".js", ".ts")) if f.exists()), None)
        if file is None:
            continue
        files = _imported(file)
        found, symbols = _indexed(files, index)
        wanted = {
            (int(a), p, n, int(b)) for _, a, p, n, b in _TRUTH.findall(truth.read_text("utf-8"))
        }
        for method, edges in (("gieok", found), ("names", by_name(symbols, files))):
            answer = Answer(edges, symbols)
            own = {(e.line, e.target) for e in edges if e.source.partition("::")[0] == file.name}
            true = set()
            for at, path, name, line in wanted:
                key = next(
                    (answer.around(f, line) for f in files if f"/{f}".endswith(f"/{path}")), ""
                )
                if name != "anon" or key != answer.around(
                    file.name, at
                ):  # what a nameless function does, its owner does
                    true.add((at, key))
            total = totals.setdefault(method, defaultdict(float))
            for key, count in (
                ("hits", len(own & true)),
                ("links", len(true)),
                ("edges", len(own)),
                ("cases", 1),
                ("exact", own == true),
            ):
                total[key] += count
    return {
        method: {
            "precision": t["hits"] / max(t["edges"], 1),
            "recall": t["hits"] / max(t["links"], 1),
            "links": int(t["links"]),
            "cases": int(t["cases"]),
            "exact": int(t["exact"]),
        }
        for method, t in totals.items()
    }


def score_traced(
    data: Path, name: str, index: Callable[[Path, str], Project]
) -> dict[str, dict[str, float]]:
    """Return precision and recalls against the calls that were seen while a project's tests ran, by
    method.
    """
    kind, _, name = name.partition(":")
    truth = json.loads((data / f"callgraph_{kind}" / f"{name}.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        store = index(data / "trees" / name, folder).store
        peer = codegraph(data / "trees" / name, store.all_symbols())
        found = {
            (e.source, e.target)
            for e in store.all_edges()
            if e.kind == CALLS and e.tier <= Certainty.UNIQUE_NAME
        }
        named = defaultdict(list)
        for symbol in store.all_symbols():
            named[_called(symbol.key)].append(symbol.key)
    sites = [site.rpartition(" ") for site in truth["sites"]]
    by_names = {(caller, key) for caller, _, called in sites for key in named.get(called, ())}
    results = {"gieok": _against(found, truth), "names": _against(by_names, truth)}
    return results | ({"codegraph": _against(peer.calls, truth)} if peer else {})


def _called(key: str) -> str:
    parts = key.partition("::")[2].split(".")
    return parts[-2] if parts[-1] in _CONSTRUCTORS and len(parts) > 1 else parts[-1]


def _against(predicted: set[tuple[str, str]], truth: dict[str, Any]) -> dict[str, float]:
    allowed = {(a, b) for a, b, _ in truth["edges"]} | {(a, b) for a, b in truth["indirect"]}
    executed = set(truth["executed"])
    confirmed = len(predicted & allowed)
    rest = [(a, b) for a, b in predicted - allowed if a in executed]
    refuted = sum(truth["sites"].get(f"{a} {_called(b)}", False) for a, b in rest)
    shares = {"precision": confirmed / max(confirmed + refuted, 1)}
    for key, flags in (("recall_named", "n"), ("recall_call", "nc"), ("recall_all", "ncd")):
        wanted = {(a, b) for a, b, flag in truth["edges"] if set(flag) & set(flags)}
        shares[key] = len(wanted & predicted) / max(len(wanted), 1)
    return shares | {"edges": len(predicted)}


def _imported(file: Path) -> dict[str, str]:
    """Return a file and what it imports, all below its folder. Bare names mean files beside it
    there: they get a `./`.
    """
    found: dict[str, str] = {}
    waiting = [file]
    while waiting:
        path = waiting.pop()
        text = path.read_text("utf-8")
        for quoted in {a or b for a, b in _IMPORTED.findall(text)}:
            named = [path.parent / f"{quoted}{suffix}" for suffix in ("", ".js", ".ts")]
            target = next((p.resolve() for p in named if p.is_file()), None)
            if target is not None and file.parent in target.parents:
                text = (
                    re.sub(rf"(['\"]){re.escape(quoted)}\1", f"'./{quoted}'", text)
                    if quoted[0] != "."
                    else text
                )
                waiting += (
                    [target] if target.relative_to(file.parent).as_posix() not in found else []
                )
        found[path.relative_to(file.parent).as_posix()] = text
    return found


def _indexed(
    files: dict[str, str], index: Callable[[Path, str], Project]
) -> tuple[list[Edge], list[Symbol]]:
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        for path, text in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text, encoding="utf-8")
        store = index(tree, folder).store
        found = [
            e for e in store.all_edges() if e.kind == CALLS and e.tier <= Certainty.UNIQUE_NAME
        ]
        return found, list(store.all_symbols())


def score_cases(
    cases: list[Case], index: Callable[[Path, str], Project]
) -> dict[str, dict[str, float]]:
    """Return recall of links, cases without a miss or a wrong edge, and how many edges were
    answered, by method.
    """
    totals: dict[str, dict[str, float]] = {}
    for case in cases:
        if not case.links:
            continue
        found, symbols = _indexed(case.files, index)
        for method, edges in (("gieok", found), ("names", by_name(symbols, case.files))):
            _add(totals.setdefault(method, defaultdict(float)), case, Answer(edges, symbols))
    return {method: _shares(total) for method, total in totals.items()}


def _add(total: dict[str, float], case: Case, answer: Answer) -> None:
    wanted = [link for link in case.links if not link.wrong]
    hits = sum(answer.has(link) for link in wanted)
    wrong = sum(answer.has(link) for link in case.links if link.wrong)
    total["links"] += len(wanted)
    total["hits"] += hits
    total["refuted"] += wrong
    total["prohibited"] += len(case.links) - len(wanted)
    total["cases"] += 1
    total["exact"] += hits == len(wanted) and not wrong
    total["edges"] += len({(e.source, e.target) for e in answer.edges})


def _shares(total: dict[str, float]) -> dict[str, float]:
    shares = {
        "recall": total["hits"] / max(total["links"], 1),
        "links": int(total["links"]),
        "cases": int(total["cases"]),
        "exact": int(total["exact"]),
        "edges": int(total["edges"]),
    }
    if total["prohibited"]:
        shares |= {
            "precision": total["hits"] / max(total["hits"] + total["refuted"], 1),
            "prohibited": int(total["prohibited"]),
        }
    return shares
