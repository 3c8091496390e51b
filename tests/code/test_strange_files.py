"""One strange file never stops an index: it is named, and the others are there."""

import json
import random
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gieok.code.index import project
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]
_OK = "def ok(): ...\nok()\n"
_DEEP = 5_000


def _is_indexed(made: Project) -> bool:
    return [e.source for e in made.store.edges_into(["ok.py::ok"]) if e.kind == "calls"] == [
        "ok.py::<module>"
    ]


_CIRCLES = {
    "an object that is its class's call": "class A: pass\nA.__call__ = A()\na = A(); a()\n",
    "a class that is its own constructor": (
        "class A: pass\nclass B: pass\nA.__init__ = A\nA.__new__ = B\nB.__init__ = A\nA()\n"
    ),
    "a descriptor that gives itself": (
        "class D: pass\nD.__get__ = D.__set__ = D.__call__ = D()\nclass C:\n    d = "
        "D()\nC().d()()\nC().d = 1\n"
    ),
    "a property that gives its object": (
        "class A:\n    @property\n    def __call__(self): return self\nA()()()\n"
    ),
    "special methods that are objects": (
        "class A: pass\nA.__getattr__ = A.__iter__ = A.__next__ = A.__enter__ = A()\nfor i in "
        "A(): i.x()\nwith A() as b: b.y\n"
    ),
    "a container of its own elements": (
        "x = {}\nwhile 1:\n    x = sorted(zip(map(x, x), [x.items()]), key=x)\n    x.update(x)\n"
    ),
    "classes that inherit from each other": "class A(B): pass\nclass B(A): pass\nB()()\n",
    "names of names": "a0 = len\n"
    + "".join(f"a{i} = a{i - 1}\n" for i in range(1, _DEEP))
    + f"a0 = a{_DEEP - 1}\na0()\n",
    "a long line of classes": "class C0: pass\n"
    + "".join(f"class C{i}(C{i - 1}): pass\n" for i in range(1, 2_000))
    + "C1999().f()\n",
    "a long line of classes, the last first": "".join(
        f"class C{i}(C{i - 1}): pass\n" for i in range(1200, 0, -1)
    )
    + "class C0: pass\nC1200().f()\n",
    "dictionaries that update each other": "d0 = {}\n"
    + "".join(f"d{i} = {{}}\nd{i}.update(d{i - 1})\n" for i in range(1, _DEEP))
    + "d0['k'] = len\n",
    "decorators of decorators": "def d0(f): return f\n"
    + "".join(f"@d{i - 1}\ndef d{i}(f): return f\n" for i in range(1, _DEEP)),
    "many decorators of one function": "def d(f): return d\n" + "@d\n" * _DEEP + "def g(): pass\n",
}


@pytest.mark.parametrize("text", _CIRCLES.values(), ids=_CIRCLES)
def test_calls_and_names_that_lead_back_to_themselves_end(indexed: Make, text: str) -> None:
    made = indexed({"a.py": text, "ok.py": _OK})
    assert _is_indexed(made)
    assert project.unlinked(made) == []
    assert made.store.files()["a.py"].status == "parsed"


def test_modules_that_import_all_of_each_other_in_a_long_circle_are_linked(indexed: Make) -> None:
    modules = {f"m{i}.py": f"from m{i + 1} import *\n" for i in range(600)}
    made = indexed(
        {
            **modules,
            "m600.py": "from m0 import *\n",
            "use.py": "import m0\nm0.nothing()\n",
            "ok.py": _OK,
        }
    )
    assert _is_indexed(made)


_DEPTHS = {
    "a.py": "x = (\n" + "[\n" * _DEEP + "]\n" * _DEEP + ")\n",
    "b.py": "x = f(\n" + "+ f(\n" * _DEEP + ")\n" * (_DEEP + 1),
    "c.py": "if 1: pass\n" + "elif 1: pass\n" * _DEEP,
    "d.py": "x = (\n" + "1 +\n" * _DEEP + "1)\n",
    "e.py": "x = (f\n" + ".f()\n" * _DEEP + ")\n",
    "f.py": "x = " + "-" * 4_900 + "1\n",
    "a.js": "".join(f"function f{i}(){{\n" for i in range(500)) + "}\n" * 500,
    "b.js": "if (1)\n" * _DEEP + "x\n",
    "c.js": "x\n" + ".f()\n" * _DEEP,
    "a.go": "package a\nfunc f() {\n" + "if x {\n" * _DEEP + "}\n" * _DEEP + "}\n",
    "A.java": "class A { void f() {\n" + "{\n" * _DEEP + "}\n" * _DEEP + "}}\n",
    "B.java": "class B { Object o = x\n" + ".f()\n" * _DEEP + ";}\n",
    "a.rs": "mod a {\n" * 500 + "}\n" * 500,
    "b.rs": "fn f() { x\n" + ".f()\n" * _DEEP + "; }\n",
    "a.ts": "type A =\n" + "Array<\n" * _DEEP + "x" + ">\n" * _DEEP,
    "a.tsx": "x = (\n" + "<a>\n" * _DEEP + "</a>\n" * _DEEP + ")\n",
    "a.md": "# TODO\n## deep\n" * 30_000,
    "g.py": "# TODO x\n" * 50_000,
}


def test_what_is_nested_five_thousand_deep_is_text_at_worst(indexed: Make) -> None:
    made = indexed({**_DEPTHS, "ok.py": _OK})
    assert _is_indexed(made)
    assert sorted(made.store.files()) == sorted([*_DEPTHS, "ok.py"])
    assert project.unlinked(made) == []


def test_odd_characters_are_indexed(indexed: Make) -> None:
    """Escapes of half a character, which no store takes; marks of byte order; NULs behind what is
    looked at; long files.
    """
    made = indexed(
        {
            "a.py": (
                '"""\\ud800"""\ndef f(x="\\ud800"):\n    "\\udfff \\U0000d800"\nx = {"\\ud800": '
                'f}\nx["\\ud800"]()\ngetattr(f, "\\ud800")()\n'
            ),
            "b.py": "\ufeff\ufeffdef g(): ...\n",
            "c.py": "\ufeffdef h(): ...\n",
            "d.py": "x = 1\n" * 2_000 + 'y = "\0"\n',
            "e.js": 'x["\\ud800"] = function () {};\n' + "x = 1\n" * 2_000 + "\0",
            "package.json": '{"name": "\\ud800", "main": {}}',
            "tsconfig.json": (
                '{"compilerOptions": {"paths": {"a": [3, null], "*": {}}, "baseUrl": 3}}'
            ),
            "f.py": "f()\n" * 40_000,
            "ok.py": _OK,
        }
    )
    assert _is_indexed(made)
    assert len(made.store.files()) == 9
    assert [s.name for s in made.store.symbols(names=["f", "g", "h"])] == ["f", "g", "h"]


_NAMES = "a b c A B C f g".split()
_ATTRIBUTES = """x y __call__ __get__ __set__ __getattr__ __iter__ __next__ __init__ __new__ __enter__ __getitem__
    __init_subclass__ items update append get map prototype""".split()
_CALLS = (
    "map filter sorted partial zip next iter list dict type super property classmethod getattr "
    "wraps"
).split()


def _expression(r: random.Random, depth: int = 0) -> str:
    inner = lambda: _expression(r, depth + 1)  # noqa: E731
    simple = [lambda: r.choice(_NAMES), lambda: f"{r.choice(_NAMES)}.{r.choice(_ATTRIBUTES)}"]
    rest = [
        lambda: f"{inner()}({inner()})",
        lambda: f"{inner()}.{r.choice(_ATTRIBUTES)}({inner()})",
        lambda: f"{r.choice(_CALLS)}({inner()})",
        lambda: f"[{inner()}, {inner()}]",
        lambda: f'{{"k": {inner()}}}',
        lambda: f"{inner()}[{r.choice(('0', '-1', repr('k')))}]",
        lambda: f"(lambda a: {inner()})",
        lambda: f"[{inner()} for b in {inner()}]",
        lambda: f"{inner()}(*{inner()}, **{inner()})",
    ]
    return r.choice(simple if depth > 2 else simple + rest)()


def _statement(r: random.Random, indent: str = "") -> str:
    name = r.choice(_NAMES)
    simple = [
        lambda: f"{name} = {_expression(r)}",
        lambda: f"{name}.{r.choice(_ATTRIBUTES)} = {_expression(r)}",
        lambda: f"for {name} in {_expression(r)}: {_expression(r)}",
        lambda: f"with {_expression(r)} as {name}: {_expression(r)}",
        lambda: f"from m{r.randrange(3)} import {name}",
        lambda: _expression(r),
    ]
    if len(indent) > 8 or r.random() < 0.7:
        return f"{indent}{r.choice(simple)()}\n"
    body = "".join(_statement(r, indent + "    ") for _ in range(r.randrange(1, 4)))
    head = r.choice([f"def {name}(a, *b)", f"class {name}({_expression(r, 2)})"])
    last = "return" if head.startswith("def") else "x ="
    return (
        f"{indent}@{_expression(r, 2)}\n{indent}{head}:\n{body}{indent}    {last} "
        f"{_expression(r)}\n"
    )


_SOURCES = {
    "py": (
        "import a\n@b\nclass A(B):\n    x = {1: f}\n    def f(self, *a): return "
        "self.f(a)[0]\nasync def g():\n    yield A()\n"
    ),
    "js": (
        "const {a} = require('./b'); class A extends B { get x() { return a(this) } "
        "}\nA.prototype.f = async (x) => `${x}`;\n"
    ),
    "ts": (
        "import type {A} from './a';\nexport abstract class B<T> implements A { "
        "constructor(private x: T) { super() } }\nenum E { a = 1 }\n"
    ),
    "tsx": "export const A = <T,>(p: T) => <div a={p}>{f(<B {...p}/>)}</div>;\n",
    "go": (
        'package a\nimport . "b"\ntype T[K any] struct { B }\nfunc (t *T) F(x ...int) (y error) { '
        "defer t.F()\n return }\n"
    ),
    "rs": (
        "use crate::a::*; pub trait T { fn f(&self) -> Self; }\nimpl<T> S<T> { fn g(x: u8) -> "
        "Box<dyn T> { m!(x); S { a: g(x) } } }\n"
    ),
    "java": (
        "package a; import b.*;\n@A class B<T extends C> extends D { static int f(int... x) { "
        "return new B<>() {}.g(x -> x, B::f); } }\n"
    ),
    "md": "# a\n```py\n# b\n```\n## c\n- TODO: d\n",
}
_PIECES = """( ) [ ] { } < > ; : , . = == => -> ' " ` ''' \"\"\" /* */ // # @ \\ \n \t ... ** * & | ! ? $ 0 0x 1e9 _ __ self this super
    class def fn func function async await yield lambda return new import from package mod use impl trait enum type \ufeff \0 \u200b
    \u202e \r 가 𝕏 \xa0""".split(" ")


def _mutated(r: random.Random, text: str) -> str:
    parts = [text[i : i + r.randrange(1, 12)] for i in range(0, len(text), 6)]
    for _ in range(r.randrange(1, 12)):
        at = r.randrange(len(parts))
        kind = r.randrange(4)
        if kind == 0:
            parts[at] = r.choice(_PIECES) * r.choice((1, 1, 2, 300))
        elif kind == 1:
            del parts[at : at + r.randrange(1, 4)]
            parts = parts or [""]
        elif kind == 2:
            parts.insert(at, parts[r.randrange(len(parts))])
        else:
            parts[at : at + 1] = [parts[at], r.choice(_PIECES)]
    return "".join(parts)


@pytest.mark.parametrize("seed", range(3))
def test_programs_made_at_random_are_indexed_beside_each_other(indexed: Make, seed: int) -> None:
    r = random.Random(seed)
    files = {f"m{i}.py": "".join(_statement(r) for _ in range(15)) for i in range(10)}
    for suffix, text in _SOURCES.items():
        files |= {f"{suffix}{i}.{suffix}": _mutated(r, text * r.randrange(1, 3)) for i in range(25)}
    made = indexed({**files, "ok.py": _OK})
    assert _is_indexed(made)
    assert project.unlinked(made) == []


def test_a_knot_of_calls_without_end_is_left_out_and_named(indexed: Make) -> None:
    r = random.Random(0)
    knot = "".join(_statement(r) for _ in range(60)) + "".join(
        (
            f"{a}.__get__ = map(len, [{b}])\n{a}.__call__ = {a}.__iter__ = {a}.__next__ = "
            f"{a}.__getitem__ = {b}\n{a} = {b}()\n"
        )
        for a in _NAMES
        for b in _NAMES
    )
    made = indexed({"knot.py": knot, "ok.py": _OK})
    assert _is_indexed(made)
    assert [note.path for note in project.list_partial_files(made)] == ["knot.py"]
    assert made.store.symbols(paths=["knot.py"])


def test_a_file_whose_facts_the_solver_cannot_take_is_named_and_its_symbols_are_there(
    indexed: Make, tmp_path: Path
) -> None:
    made = indexed(
        {
            "strange.py": "def strange(): ...\nstrange()\n",
            "ok.py": _OK,
            "other.py": "import ok\nok.ok()\n",
        }
    )
    with sqlite3.connect(tmp_path / "index.sqlite") as db:  # facts as no reader writes them
        (text,) = db.execute("SELECT facts FROM code_files WHERE path = 'strange.py'").fetchone()
        facts = json.loads(text)
        facts[7] = [*facts[7], [0, 10**9, 10**9 + 1]]
        db.execute(
            "UPDATE code_files SET facts = ? WHERE path = 'strange.py'", (json.dumps(facts),)
        )
    (made.root / "new.py").write_text("x = 1\n", encoding="utf-8")
    change = project.sync_project(made)
    assert [(n.path, n.reason.split(":")[0]) for n in change.notes] == [
        ("strange.py", "calls followed in part")
    ]
    assert [s.path for s in project.unlinked(made)] == ["strange.py"]
    assert {e.source for e in made.store.edges_into(["ok.py::ok"])} == {
        "ok.py::<module>",
        "other.py::<module>",
    }
    assert made.store.symbols(keys=["strange.py::strange"])
    assert made.store.edges_into(["strange.py::strange"]) == []
    (made.root / "strange.py").write_text(
        "def strange(): ...\nstrange()  # again\n", encoding="utf-8"
    )
    project.sync_project(made)
    assert project.unlinked(made) == []
    assert made.store.edges_into(["strange.py::strange"]) != []
