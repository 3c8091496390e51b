"""A secret that stands where a name does becomes no name: of no symbol, edge or open call."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask.spelling import iter_spellings
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

_TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", 'table["{}"] = function () {{ return 1; }};\n'),
        ("a.js", 'exports["{}"] = () => 1;\n'),
        ("a.js", 'const o = {{ "{}": function () {{ return 1; }} }};\n'),
        ("a.js", 'const o = {{ "{}"() {{ return 1; }} }};\n'),
        ("a.js", 'export default {{ methods: {{ "{}": () => 1 }} }};\n'),
        ("a.js", 'class A {{ "{}"() {{ return 1; }} }}\n'),
        ("a.js", 'Object.defineProperty(o, "{}", {{ get() {{ return 1; }} }});\n'),
        ("a.js", 'app.get("/x?token={}", () => 1);\n'),
        ("a.js", "table[`{}`] = function () {{ return 1; }};\n"),
        ("a.ts", 'const o = {{ "{}": wrap(async () => 1) }};\n'),
        ("a.md", "# The key is {}\n\nSome text.\n"),
        ("a.kt", "class T {{ fun `logs in with {}`() {{ go() }} }}\n"),
        ("a.cpp", 'TEST_CASE("takes {}") {{ int x = 1; }}\n'),
        ("a.py", "def go():\n    table = {{}}\n    table['{}']()\n"),
        ("a.py", "class A:\n    pass\n\nsetattr(A, '{}', lambda self: 1)\n"),
    ],
)
def test_a_secret_is_no_name(indexed: Make, path: str, text: str) -> None:
    made = indexed({path: text.format(_TOKEN)})
    assert made.store.files()[path].status in ("parsed", "text", "partly")
    told = [f"{s.key} {s.name} {s.signature} {s.doc}" for s in made.store.all_symbols()]
    told += [f"{edge.source} {edge.target} {edge.reason}" for edge in made.store.all_edges()]
    told += [repr(call) for call in made.store.unresolved_calls([_TOKEN])]
    assert not [line for line in told if _TOKEN in line]


def test_symbols_and_edges_of_a_redacted_name_agree(indexed: Make) -> None:
    made = indexed(
        {
            "a.js": "function help() { return 1; }\n"
            f'table["{_TOKEN}"] = function () {{ return help(); }};\n'
            "table['plain key'] = function () { return help(); };\n"
        }
    )
    keys = {symbol.key for symbol in made.store.all_symbols()}
    callers = {edge.source for edge in made.store.edges_into(["a.js::help"])}
    assert len(callers) == 2
    assert callers <= keys


@pytest.mark.parametrize("text", ["a" + "." * 100_000, "a" + "-" * 100_000 + "b", "a.b" * 50_000])
def test_a_long_word_is_taken_apart_in_time(text: str) -> None:
    assert list(iter_spellings(text)) == []
