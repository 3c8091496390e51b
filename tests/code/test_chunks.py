"""Passages are functions with the comments above them; what is small stays with its neighbour,
whole symbols stay whole.
"""

import pytest

from gieok.code.index.chunks import cut, head, symbol_key
from gieok.code.index.read import read_source_file
from gieok.code.model.facts import SymbolFact, SymbolKind
from gieok.code.model.tuning import Chunking
from gieok.machine.parsers.treesitter import TreeSitterParser
from gieok.model.code import Symbol

_LONG = "says at some length what it does and why"
_CASES = {
    "a.go": (
        "go",
        (
            f"package a\n\n// Open {_LONG}.\n// It fails.\nfunc Open() {{}}\n\n/*\nClose "
            f"{_LONG}.\n*/\nfunc Close() {{}}\n"
        ),
        [(1, 5, "a Open"), (7, 10, "a Close")],
    ),
    "M.java": (
        "java",
        (
            f"/** {_LONG} */\nclass M {{\n  int x;\n\n  /** {_LONG} */\n  @A\n  void f() {{}}\n\n "
            f" // {_LONG}\n  void g() {{}}\n}}\n"
        ),
        [(1, 4, "M M"), (5, 7, "M M.f"), (9, 11, "M M.g")],
    ),
    "m.ts": (
        "typescript",
        (
            f'import a from "b";\n\n/**\n * {_LONG}\n */\nexport function f() {{ return a; '
            f'}}\nconst LIMIT = "{_LONG}";\n'
        ),
        [(1, 6, "m f"), (7, 7, "m")],
    ),
    "lib.rs": (
        "rust",
        f"//! {_LONG}\n\nuse std::fmt;\n\n/// {_LONG}\n#[inline]\nfn f() {{}}\n",
        [(1, 4, "lib"), (5, 7, "lib f")],
    ),
    "a/b.py": (
        "python",
        (
            f"def a():\n    return 1\n    # {_LONG}\n\n\n# {_LONG}\n@cache\ndef b(): "
            "...\n\n\nclass E(Exception): ...\n"
        ),
        [(1, 2, "a b a"), (3, 5, "a b"), (6, 8, "a b b"), (11, 11, "a b E")],
    ),
    "docs/y.rst": (
        "restructuredtext",
        f"===\nOne\n===\n\n{_LONG}\n\nTwo\n---\n\n{_LONG}\n",
        [(1, 6, "docs y One"), (7, 10, "docs y One > Two")],
    ),
    "x.md": ("markdown", f"# One\n\n{_LONG}\n\n## Two\n\n{_LONG}\n", None),
}


@pytest.mark.parametrize("path", list(_CASES))
def test_comments_stay_with_what_they_are_about(path: str) -> None:
    language, text, wanted = _CASES[path]
    source = read_source_file(path, language, text, TreeSitterParser())
    passages = source.passages(text)
    if wanted is not None:
        assert [(p.start_line, p.end_line, p.context) for p in passages] == wanted
    shown = "".join(text[p.start : p.end] for p in passages)
    assert [line for line in shown.split("\n") if line] == [
        line for line in text.split("\n") if line
    ]
    keys = {symbol.key for symbol in source.symbols}
    assert {symbol_key(path, p.context) for p in passages} <= {*keys, ""}


def test_a_stray_end_of_a_comment_is_no_comment() -> None:
    text = "x = 1 */\n  */\nfunction f() { return 1; }\n"
    assert [
        p.context
        for p in read_source_file("s.js", "javascript", text, TreeSitterParser()).passages(text)
    ]


def test_a_vector_is_made_of_the_first_whole_lines() -> None:
    line = "x = compute(y)\n"
    assert head(line) == line
    assert head(line * 100) == (line * 20).rstrip("\n")
    assert head("x" * 1000) == "x" * 300
    assert head("x" * 300) == "x" * 300
    assert head("x" * 300 + "\ny") == "x" * 300
    assert head("x" * 150 + "\n" + "y" * 400) == "x" * 150
    assert head("x" * 149 + "\n" + "y" * 400) == "x" * 149 + "\n" + "y" * 150


def _cut_lines(text: str, largest: int = 3_000) -> list[tuple[int, int]]:
    source = read_source_file("m.py", "python", text, TreeSitterParser())
    return [(p.start_line, p.end_line) for p in source.passages(text, Chunking(largest))]


def test_what_is_tiny_between_two_functions_stays_with_the_second() -> None:
    text = "def a():\n    return 1\n\n\nx = 1\n\n\ndef b():\n    return 2\n"
    assert _cut_lines(text) == [(1, 2), (5, 9)]
    longer = f"x = '{'y' * 34}'"
    assert _cut_lines(text.replace("x = 1", longer)) == [(1, 2), (5, 7), (8, 9)]
    assert _cut_lines(text.replace("x = 1", longer.replace("yy", "y", 1))) == [(1, 2), (5, 9)]


@pytest.mark.parametrize(
    ("largest", "runs"),
    [
        (4, [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]),
        (11, [(1, 2), (3, 4), (5, 5)]),
        (16, [(1, 2), (3, 5)]),  # and not 1–3, before the indented line
        (27, [(1, 5)]),
    ],
)
def test_a_long_passage_is_cut_before_the_line_that_is_indented_least(
    largest: int, runs: list[tuple[int, int]]
) -> None:
    assert _cut_lines("aaaa\n  bbb\ncccc\n  ddd\neeee\n", largest) == runs


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("  b\n  b\n  b\n  b\n  b\n  b\n  b\n  b\n", [(1, 7), (8, 8)]),
        # The fourth line is indented least, and stands in the first half; the fifth does not.
        ("  b\n  b\n  b\nb\n  b\n  b\n  b\n  b\n", [(1, 7), (8, 8)]),
        ("  b\n  b\n  b\n  b\nb\n  b\n  b\n  b\n  b\n", [(1, 4), (5, 9)]),
        # A passage does not begin with what closes one.
        ("  b\n  b\n  b\n  b\n  b\n)\n  b\n  b\n", [(1, 7), (8, 8)]),
    ],
)
def test_a_passage_is_cut_in_its_second_half(text: str, runs: list[tuple[int, int]]) -> None:
    whole = SymbolFact(
        name="m", qualified="m", kind=SymbolKind.MODULE, start=1, end=text.count("\n"), parent=-1
    )
    assert [(p.start_line, p.end_line) for p in cut(text, "m.txt", [whole], Chunking(28))] == runs


def test_a_head_of_a_function_is_shown_for_eight_lines() -> None:
    text = "def f(\n" + "".join(f"    p{n},\n" for n in range(12)) + "): ...\n"
    symbols = read_source_file("m.py", "python", text, TreeSitterParser()).symbols
    assert symbols[-1].signature == "def f( p0, p1, p2, p3, p4, p5, p6,"


def _read_last_symbol(text: str) -> Symbol:
    return read_source_file("m.py", "python", text, TreeSitterParser()).symbols[-1]


def test_the_texts_of_a_symbol_are_cut_where_they_are_long() -> None:
    parameters = ", ".join(f"p{n}" for n in range(99))
    read = _read_last_symbol(f'def f({parameters}):\n    """{"a" * 500}"""\n')
    assert read.signature == f"def f({parameters}"[:240]
    assert read.doc == "a" * 400
    assert len(read.code_hash) == 16
    # Blanks do not count, as far as they are looked through.
    assert _read_last_symbol(f'def f():\n    """a{" " * 1598}bc"""\n').doc == "a b"


@pytest.mark.parametrize(
    ("lines", "signature"), [(36, "def f()"), (37, "@d( 1, 1, 1, 1, 1, 1, 1,")]
)
def test_the_name_of_a_function_is_looked_for_in_forty_lines(lines: int, signature: str) -> None:
    text = "@d(\n" + "1,\n" * lines + ")\n@e\ndef f():\n    return 1\n"
    assert _read_last_symbol(text).signature == signature


def test_each_note_to_oneself_has_its_line() -> None:
    text = "# TODO one\nx = 1\n\n# FIXME: two\n# XXX three\n"
    symbols = read_source_file("m.py", "python", text, TreeSitterParser()).symbols
    assert [(s.name, s.start_line, s.end_line, s.signature) for s in symbols[1:]] == [
        ("TODO", 1, 1, "one"),
        ("FIXME", 4, 4, "two"),
        ("XXX", 5, 5, "three"),
    ]


def test_each_symbol_but_the_file_names_what_it_stands_in() -> None:
    text = "class A:\n    def f(self):\n        return 1\n"
    symbols = read_source_file("m.py", "python", text, TreeSitterParser()).symbols
    assert [(s.name, s.parent) for s in symbols] == [
        ("m.py", ""),
        ("A", "m.py::<module>"),
        ("f", "m.py::A"),
    ]


def _symbol(name: str, start: int, end: int, parent: int = 0, **more: object) -> SymbolFact:
    given: dict[str, object] = {"kind": SymbolKind.FUNCTION, "qualified": name, **more}
    return SymbolFact(name=name, start=start, end=end, parent=parent, **given)  # type: ignore[arg-type]


def _cut_symbols(text: str, *symbols: SymbolFact, tiny: int = 0) -> list[tuple[int, int, str]]:
    whole = _symbol("m", 1, text.count("\n") + 1, -1, kind=SymbolKind.MODULE)
    found = cut(text, "m.py", [whole, *symbols], Chunking(3_000, tiny))
    return [(p.start_line, p.end_line, p.context) for p in found]


_ROW = "a row of some length"


def test_a_line_belongs_to_the_innermost_symbol_but_not_to_one_in_a_function() -> None:
    text = f"{_ROW}\n" * 6
    outer = _symbol("A", 2, 5, kind=SymbolKind.CLASS)
    inner = _symbol("f", 3, 4, 1)
    assert _cut_symbols(text, outer, inner) == [
        (1, 1, "m"),
        (2, 2, "m A"),
        (3, 4, "m f"),
        (5, 5, "m A"),
        (6, 6, "m"),
    ]
    function = _symbol("g", 2, 5)
    assert _cut_symbols(text, function, _symbol("h", 3, 4, 1)) == [
        (1, 1, "m"),
        (2, 5, "m g"),
        (6, 6, "m"),
    ]
    deep = (_symbol("g", 2, 5), _symbol("B", 3, 5, 1, kind=SymbolKind.CLASS), _symbol("h", 4, 4, 2))
    assert _cut_symbols(text, *deep) == [(1, 1, "m"), (2, 5, "m g"), (6, 6, "m")]


def test_a_symbol_that_ends_behind_the_file_ends_with_it() -> None:
    assert _cut_symbols(f"{_ROW}\n{_ROW}", _symbol("f", 2, 9)) == [(1, 1, "m"), (2, 2, "m f")]


def test_what_is_tiny_joins_the_next_and_at_the_end_the_one_before() -> None:
    text = f"x\n{_ROW}\ny\n"
    function = _symbol("f", 2, 2)
    assert _cut_symbols(text, function, tiny=2) == [(1, 3, "m f")]
    assert _cut_symbols(text, function, tiny=1) == [(1, 1, "m"), (2, 2, "m f"), (3, 3, "m")]
    assert _cut_symbols("x\n", tiny=2) == [(1, 1, "m")]
    assert _cut_symbols(f"x\n\n{_ROW}\nf\n", _symbol("f", 4, 4), tiny=9) == [
        (1, 3, "m"),
        (4, 4, "m f"),
    ]


def test_a_comment_of_another_indentation_or_apart_is_not_of_the_symbol() -> None:
    for above, first in (("# c\n", 1), ("  # c\n", 2), ("# c\n\n", 3), ("x\n", 2)):
        text = f"{above}def f(): pass\n"
        line = text[: text.index("def")].count("\n") + 1
        found = _cut_symbols(text, _symbol("f", line, line))
        assert found[-1] == (first, line, "m f")
    block = "/* c\n c */\nf\n"
    assert _cut_symbols(block, _symbol("f", 3, 3)) == [(1, 3, "m f")]
    assert _cut_symbols("*/\nf\n", _symbol("f", 2, 2)) == [(1, 1, "m"), (2, 2, "m f")]


def test_a_passage_begins_and_ends_with_its_lines() -> None:
    text = f"\n\n{_ROW}\n\n"
    (passage,) = cut(text, "m.py", [_symbol("m", 1, 4, -1, kind=SymbolKind.MODULE)])
    assert (passage.start, passage.end, passage.start_line, passage.end_line) == (
        2,
        len(text),
        3,
        4,
    )
    assert cut("\n \n", "m.py", [_symbol("m", 1, 2, -1, kind=SymbolKind.MODULE)]) == ()
    assert symbol_key("a/m.py", "a m f") == "a/m.py::f"
    assert symbol_key("a/m.py", "a m") == ""
