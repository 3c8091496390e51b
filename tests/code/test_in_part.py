"""A file that is too tangled to follow whole keeps its imports, names, calls and tests; every
answer says that it is.
"""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask import analysis
from gieok.code.index import graph, project
from gieok.code.index.project import Project
from gieok.code.model.facts import Facts
from gieok.code.resolve.flows import Tangled
from gieok.code.resolve.frozen.solution import SolutionRecorder
from gieok.code.resolve.import_links import Linker
from gieok.code.resolve.program import Program
from gieok.commands.code import impact as impact_command
from gieok.commands.command import Style

Make = Callable[[Mapping[str, str]], Project]

_TANGLED = """
const { helper } = require("./h");
function alpha(x) { return helper(x); }
function beta() { return alpha(1); }
module.exports = { alpha, beta };
"""
_TEST = """
const { alpha } = require("../p");
test("alpha works", () => { expect(alpha(1)).toBe(1); });
"""
_HELPER = "function helper(x) { return x; }\nmodule.exports = { helper };\n"


@pytest.fixture
def tangling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the solver give up `p.js`: no file is known to tangle it for real."""
    solve = graph.solve

    def given_up(
        files: list[tuple[str, Facts]],
        linker: Linker,
        *,
        is_lenient: bool = False,
        recorder: SolutionRecorder | None = None,
    ) -> Program:
        if not is_lenient and any(path == "p.js" for path, _ in files):
            raise Tangled("without end")
        return solve(files, linker, is_lenient=is_lenient, recorder=recorder)

    monkeypatch.setattr(graph, "solve", given_up)


@pytest.mark.usefixtures("tangling")
def test_a_tangled_file_keeps_its_calls_imports_and_tests(indexed: Make) -> None:
    made = indexed({"p.js": _TANGLED, "h.js": _HELPER, "test/p.test.js": _TEST})
    assert [note.path for note in project.unlinked(made)] == ["p.js"]
    into = {edge.source for edge in made.store.edges_into(["h.js::helper", "p.js::alpha"])}
    assert {"p.js::alpha", "p.js::beta", "test/p.test.js::alpha works"} <= into
    imports = {edge.source for edge in made.store.edges_into(["h.js::<module>"])}
    assert imports == {"p.js::<module>"}


@pytest.mark.usefixtures("tangling")
def test_an_answer_is_whole_only_where_everything_was_followed(indexed: Make) -> None:
    made = indexed({"h.js": _HELPER})
    assert project.freshness(made).is_whole
    (made.root / "p.js").write_text(_TANGLED, encoding="utf-8")
    assert project.freshness(made).dirty == ("p.js",)
    project.sync_project(made)
    fresh = project.freshness(made)
    assert (fresh.dirty, fresh.in_part, fresh.is_whole) == ((), ("p.js",), False)


def test_calls_that_are_not_linked_yet_are_no_zero(
    indexed: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = indexed({"h.js": _HELPER})

    def stopped(*arguments: object, **more: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(graph, "build", stopped)
        (made.root / "k.js").write_text("require('./h').helper(1);\n", encoding="utf-8")
        with pytest.raises(KeyboardInterrupt):
            project.sync_project(made)
    fresh = project.freshness(made)
    assert (fresh.dirty, fresh.due, fresh.is_whole) == ((), ("javascript",), False)
    project.sync_project(made)
    assert project.freshness(made).is_whole
    assert made.store.edges_into(["h.js::helper"])


def test_no_test_is_said_only_where_all_was_looked_at(indexed: Make) -> None:
    made = indexed({"h.js": _HELPER, "p.min.js": "helper(1);\n"})
    symbols = made.store.symbols(names=["helper"])
    result = impact_command.build_impact_result(
        made, analysis.of_symbols(made, symbols), limit=30, also=False
    )
    text = impact_command.render_code_impact(result, Style("en", colour=False))
    assert "No test reaches it, but not all files were looked at: 1 not read." in text
    assert "0 of 0" not in text


@pytest.mark.parametrize(
    "text",
    [
        "const p = {}; p.self = p;\nconst q = Object.create(p); q.self.self.y;\n",
        "let o = {}; for (;;) { const n = Object.create(o); n.prev = o; o.next = n; o = n; }\n",
        "const a = {}, b = {}; a.b = b; b.a = a;\nObject.assign(a, b); Object.assign(b, a);\n",
        (
            "function A() {}\nfunction B() {}\nA.prototype = Object.create(B.prototype);\n"
            "B.prototype = Object.create(A.prototype); new A().x.prototype.y;\n"
        ),
        "const l = [() => l]; l.push(...l.map((f) => f())); l.concat(l).forEach((g) => g()());\n",
        (
            "class K { constructor() { this.k = new K(); Object.assign(this, this.k, K.prototype); } }\n"
            "Object.assign(K.prototype, new K());\n"
        ),
    ],
)
def test_objects_that_hold_themselves_are_followed_whole(indexed: Make, text: str) -> None:
    made = indexed({"p.js": text + _TANGLED, "h.js": _HELPER, "test/p.test.js": _TEST})
    assert project.unlinked(made) == []
    into = {edge.source for edge in made.store.edges_into(["h.js::helper", "p.js::alpha"])}
    assert {"p.js::alpha", "p.js::beta", "test/p.test.js::alpha works"} <= into
