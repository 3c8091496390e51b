"""A file that is too tangled to follow whole keeps its imports, names, calls and tests; every
answer says that it is.
"""

from collections.abc import Callable, Mapping

from gieok.code.index import project
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

_TANGLED = """
const { helper } = require("./h");
const p = {}; p.self = p;
const q = Object.create(p);
function alpha(x) { return helper(x) + q.self.self.y; }
function beta() { return alpha(1); }
module.exports = { alpha, beta };
"""
_TEST = """
const { alpha } = require("../p");
test("alpha works", () => { expect(alpha(1)).toBe(1); });
"""
_HELPER = "function helper(x) { return x; }\nmodule.exports = { helper };\n"


def test_a_tangled_file_keeps_its_calls_imports_and_tests(indexed: Make) -> None:
    made = indexed({"p.js": _TANGLED, "h.js": _HELPER, "test/p.test.js": _TEST})
    assert [note.path for note in project.unlinked(made)] == ["p.js"]
    into = {edge.source for edge in made.store.edges_into(["h.js::helper", "p.js::alpha"])}
    assert {"p.js::alpha", "p.js::beta", "test/p.test.js::alpha works"} <= into
    imports = {edge.source for edge in made.store.edges_into(["h.js::<module>"])}
    assert imports == {"p.js::<module>"}


def test_an_answer_is_whole_only_where_everything_was_followed(indexed: Make) -> None:
    made = indexed({"h.js": _HELPER})
    assert project.freshness(made).is_whole
    (made.root / "p.js").write_text(_TANGLED, encoding="utf-8")
    assert project.freshness(made).dirty == ("p.js",)
    project.sync_project(made)
    fresh = project.freshness(made)
    assert (fresh.dirty, fresh.in_part, fresh.is_whole) == ((), ("p.js",), False)
