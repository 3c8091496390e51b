"""Python that does not parse: what is left of it is in the graph, and it is said that it is not
all.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import gieok
from gieok.code.index import project
from gieok.code.index.project import Project
from gieok.code.languages.python import reader
from gieok.code.languages.table import LANGUAGES
from gieok.code.model.facts import Facts, SymbolFact
from gieok.code.report import validate
from gieok.machine.parsers.treesitter import TreeSitterParser
from gieok.ports.code import SyntaxNode

Make = Callable[[Mapping[str, str]], Project]
Edges = Callable[[Mapping[str, str]], set[str]]
_PARSER = TreeSitterParser()
_ERROR = "\n\nx = = 1\n"


def _read(text: str) -> Facts:
    return LANGUAGES["python"].read(text, _PARSER)


def _symbols(text: str) -> list[tuple[str, int, int]]:
    return [(s.qualified, s.start, s.end) for s in _read(text).symbols if s.parent >= 0]


def test_a_file_that_parses_is_read_by_the_parser_of_python() -> None:
    text = "def f():\n    return [g() for g in (f,)]\n"
    assert _read(text) == reader.read_python(text)


def test_the_grammar_sees_the_symbols_that_the_parser_sees() -> None:
    """On this very package, with an error at the end of each file."""
    seen = known = 0
    for file in sorted((Path(gieok.__file__).parent / "code").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        by_ast = {
            _named(s)
            for s in reader.read_python(text).symbols
            if s.kind != "lambda" and s.parent >= 0
        }
        facts = _read(text + _ERROR)
        assert "did not parse" in facts.error
        seen += len(by_ast & {_named(s) for s in facts.symbols})
        known += len(by_ast)
    assert known > 400
    assert seen / known > 0.99


def _named(symbol: SymbolFact) -> tuple[object, ...]:
    return (
        symbol.qualified,
        symbol.kind,
        symbol.start,
        symbol.end,
        symbol.traits,
        " ".join(symbol.doc.split()),
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "def a(x):\n    return foo(x, [1,\n\n\nclass B:\n    def m(self):\n        pass\n",
            ["a", "B", "B.m"],
        ),
        (
            "class A:\n    def f(self):\n        x = (1 +\n    def g(self):\n        self.f()\n",
            ["A", "A.f", "A.g"],
        ),
        ("def a():\n    s = '''open\n\n\ndef last():\n    pass\n", ["a", "last"]),
        ("((( def class {{{\ndef a():\n    return 1\n", ["a"]),
        (
            (
                "<<<<<<< HEAD\ndef a():\n    return 1\n=======\ndef a():\n    return 2\n>>>>>>> "
                "other\n"
            ),
            ["a", "a"],
        ),
        ("def a():\n    if a\n        b()\n\n\n@d\n@e(1)\ndef f(x):\n    pass\n", ["a", "f"]),
        ("def a(:\n    pass\ndef", ["a"]),
        ("", []),
    ],
    ids=[
        "bracket",
        "in a class",
        "string",
        "garbage",
        "merge",
        "decorators",
        "half a line",
        "empty",
    ],
)
def test_what_stands_around_an_error_is_found(text: str, names: list[str]) -> None:
    assert [name for name, _, _ in _symbols(text)] == names


def test_lines_are_those_of_the_file_also_behind_the_error() -> None:
    text = (
        "import x\n\n\ndef a(x):\n    return foo(x, [1,\n\n\n@d\nclass B:\n    def m(self):\n     "
        "   pass\n"
    )
    assert [symbol[:2] for symbol in _symbols(text)] == [("a", 4), ("B", 8), ("B.m", 10)]
    assert _symbols(text)[1:] == [("B", 8, 11), ("B.m", 10, 11)]


def test_calls_imports_and_classes_are_linked_in_both_directions(edges: Edges) -> None:
    broken = (
        "from pkg import tools as t\nfrom .tools import Base, made as make, Thing\nimport "
        "pkg.other\n"
        "class Own(Base):\n    kind: Thing\n    def __init__(self, thing: Thing):\n        "
        "self.thing = thing\n"
        "    def go(self):\n        self.thing.act()\n        super().go()\n        "
        "self.kind.act()\n        return make(key=t.free())\n"
        "    def say(self):\n        return f'{t.free()} {self.go()!r:>{make()}}'\n"
        "    @staticmethod\n    def still():\n        for n in pkg.other.far():\n            pass\n"
        "def use():\n    global own\n    own = Own(None)\n    own.go()\n    Own.still()\n    "
        "with make() as made:\n        made()\n"
    )
    found = edges(
        {
            "pkg/__init__.py": "",
            "pkg/tools.py": (
                "def free(): ...\ndef made(key=None): ...\nclass Base:\n    def go(self): "
                "...\nclass Thing:\n    def act(self): ...\n"
            ),
            "pkg/other.py": "def far(): ...\n",
            "pkg/main.py": broken + _ERROR,
            "test_main.py": (
                "from pkg.main import use, Own\ndef test_use():\n    use()\n    Own(1).go()\n"
            ),
        }
    )
    assert found == {
        "Own.go -> Thing.act",
        "Own.go -> Base.go",
        "Own.go -> made",
        "Own.go -> free",
        "Own.still -> far",
        "Own.say -> free",
        "Own.say -> Own.go",
        "Own.say -> made",
        "use -> Own.__init__",
        "use -> Own.go",
        "use -> Own.still",
        "use -> made",
        "test_use -> use",
        "test_use -> Own.__init__",
        "test_use -> Own.go",
    }


def test_python_two_is_read(edges: Edges) -> None:
    text = (
        "def helper(x):\n    return `x`\n\n\nclass Old:\n    def run(self, (a, b), *rest, "
        "**more):\n        print helper(1), 2\n"
        "        try:\n            exec helper(2)\n        except (A, B), e:\n            "
        "raise A, 'no'\n        print >>out, 0777\n"
    )
    assert edges({"old.py": text}) == {"Old.run -> helper"}


def test_fixtures_reach_a_broken_test_file(edges: Edges) -> None:
    found = edges(
        {
            "conftest.py": (
                "import pytest\n@pytest.fixture\ndef shop():\n    return Shop()\nclass Shop:\n    "
                "def open(self): ...\n"
            ),
            "test_shop.py": "def test_open(shop):\n    shop.open()\n" + _ERROR,
        }
    )
    assert "test_open -> Shop.open" in found


def test_an_edit_in_the_middle_keeps_callers_and_says_so(indexed: Make) -> None:
    made = indexed(
        {
            "a.py": "def one():\n    return two()\n\n\ndef two():\n    return 1\n",
            "b.py": "import a\ndef three():\n    a.one()\n",
        }
    )
    before = [e for e in made.store.all_edges() if e.kind == "calls"]
    (made.root / "a.py").write_text(
        "def one():\n    return two(\n\n\ndef two():\n    return 1\n", encoding="utf-8"
    )
    change = project.sync_project(made)
    assert [
        (n.path, "line 2" in n.reason, "tolerant grammar" in n.reason) for n in change.notes
    ] == [("a.py", True, True)]
    file = made.store.files()["a.py"]
    assert (file.status, file.note) == ("partly", change.notes[0].reason)
    assert [e for e in made.store.all_edges() if e.kind == "calls"][-1] == before[-1]
    assert {e.source for e in made.store.edges_into(["a.py::one"])} == {"b.py::three"}
    assert made.store.symbols(names=["two"])[0].start_line == 5
    assert not next(c for c in validate.validate(made, None) if c.name == "files accounted for").ok


def test_what_has_no_definitions_is_parsed_twice_at_most() -> None:
    class Counting(TreeSitterParser):
        parsed = 0

        def parse(self, grammar: str, source: bytes) -> SyntaxNode:
            Counting.parsed += 1
            return _PARSER.parse(grammar, source)

    LANGUAGES["python"].read("x = (\n" * 30, Counting())
    assert Counting.parsed == 2


def test_what_is_nested_too_deep_for_either_is_an_answer_all_the_same() -> None:
    for text in (
        "x = " + "(" * 5000,
        "x = " + "-" * 30_000 + "1",
        "x = " + "f(" * 3000 + ")" * 3000,
    ):
        facts = _read(text + "\n\n\ndef a():\n    pass\n")
        assert facts.error
        assert facts.symbols[-1].name == "a"
