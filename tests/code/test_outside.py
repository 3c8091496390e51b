"""Impact of changed lines outside of functions: what reads the names on them, not the whole
file.
"""

import subprocess
from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask import analysis, outside
from gieok.code.ask.analysis import Analysis
from gieok.code.ask.outside import BoundNames
from gieok.code.index import project
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

_SHOP = {
    "shop.py": '"""A shop."""\n\nimport os\n\nRATE = 3\n_TABLE = {\n    "a": RATE,\n}\n\n\ndef '
    "price():\n    return RATE\n\n\n"
    'def look():\n    return _TABLE["a"]\n\n\ndef name():\n    # a name, at any RATE\n    '
    "return os.sep\n",
    "till.py": (
        "from shop import RATE, name\n\n\ndef due():\n    return RATE * 2\n\n\ndef greet():\n    "
        "return name()\n"
    ),
    "test_till.py": (
        "from till import due, greet\n\n\ndef test_due():\n    assert due()\n\n\ndef "
        "test_greet():\n    assert greet()\n"
    ),
}


def _diff(indexed: Make, before: Mapping[str, str], after: Mapping[str, str]) -> Analysis:
    made = indexed(before)
    git = [
        "git",
        "-c",
        "user.name=Kim",
        "-c",
        "user.email=kim@example.org",
        "-c",
        "commit.gpgsign=false",
    ]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], cwd=made.root, check=True, capture_output=True)
    for path, text in after.items():
        (made.root / path).write_text(text, encoding="utf-8")
    project.sync_project(made)
    return analysis.of_diff(made, "HEAD")


def _reached(found: Analysis) -> set[str]:
    return {one.key.partition("::")[2] for one in found.impact.symbols}


def _run(found: Analysis) -> list[str]:
    return [one.key.partition("::")[2] for one in found.impact.tests[: found.impact.run]]


def test_a_constant_concerns_those_that_read_it_wherever_they_are(indexed: Make) -> None:
    found = _diff(indexed, _SHOP, {"shop.py": _SHOP["shop.py"].replace("RATE = 3", "RATE = 4")})
    assert found.changed == ("shop.py::<module>",)
    assert _reached(found) == {"price", "look", "due"}
    assert _run(found) == ["test_due"]
    reader = next(one for one in found.impact.symbols if one.key == "till.py::due")
    assert [(edge.reason, edge.line) for edge in reader.via] == [("reads what changed", 5)]


def test_an_import_concerns_those_that_name_it_in_the_file(indexed: Make) -> None:
    found = _diff(
        indexed, _SHOP, {"shop.py": _SHOP["shop.py"].replace("import os", "import os, sys")}
    )
    assert _reached(found) == {"name", "greet"}
    assert _run(found) == ["test_greet"]


def test_a_comment_a_docstring_and_space_change_nothing(indexed: Make) -> None:
    text = (
        _SHOP["shop.py"]
        .replace("A shop.", "Our shop.")
        .replace("# a name, at any RATE", "# a word\n\n")
    )
    found = _diff(indexed, _SHOP, {"shop.py": text})
    assert (found.changed, _reached(found), _run(found)) == ((), set(), [])


def test_a_line_that_binds_no_name_stands_for_its_whole_file(indexed: Make) -> None:
    found = _diff(
        indexed,
        _SHOP,
        {"shop.py": _SHOP["shop.py"].replace("RATE = 3\n", "RATE = 3\nprint(RATE)\n")},
    )
    assert _reached(found) == {"greet"}, "what is in the file itself is taken for changed"
    assert _run(found) == ["test_greet"]


@pytest.mark.parametrize(
    ("language", "lines", "numbers", "expected"),
    [
        (
            "python",
            ["from a import (", "    b,", "    c as d,", ")"],
            [2],
            BoundNames(frozenset({"b"})),
        ),
        ("python", ["if X:", "    import y.z"], [2], BoundNames(frozenset({"y", "z"}))),
        ("python", ["a, b = 1, 2"], [1], BoundNames(names=frozenset({"a", "b"}))),
        (
            "python",
            ["A: dict[str, int] = {", "    'x': 1,", "}"],
            [2],
            BoundNames(names=frozenset({"A"})),
        ),
        ("python", ["register(x=1)"], [1], BoundNames(is_whole=True)),
        ("go", ["import (", '\t"net/http"', ")"], [2], BoundNames(frozenset({"http"}))),
        ("go", ["const (", "\tMost = 10", ")"], [2], BoundNames(names=frozenset({"Most"}))),
        (
            "typescript",
            ["export const limit: number = 3;"],
            [1],
            BoundNames(names=frozenset({"limit"})),
        ),
        (
            "javascript",
            ["const { a, b } = require('x')"],
            [1],
            BoundNames(names=frozenset({"a", "b"})),
        ),
        ("javascript", ["import './side.js'"], [1], BoundNames(is_whole=True)),
        ("rust", ["pub const MOST: u8 = 3;"], [1], BoundNames(names=frozenset({"MOST"}))),
    ],
)
def test_what_a_line_binds(
    language: str, lines: list[str], numbers: list[int], expected: BoundNames
) -> None:
    assert outside.find_bound_names(lines, numbers, language) == expected


def test_comments_of_each_language_tell_nothing() -> None:
    assert outside.telling(["# a", "", "b = 1"], [1, 2, 3], "python") == [3]
    assert outside.telling(
        ["// a", " * b", "#include <x>", "*p = 1;", "//go:embed x"], range(1, 6), "go"
    ) == [3, 4, 5]
