"""Docstrings have one shape, so that a stranger reads each alone."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import gieok

_PACKAGE = Path(gieok.__file__).parent
#: Texts of the HTTP API, which FastAPI shows: they may begin with a longer sentence.
_SHOWN = ("surfaces/http/",)


class Docstring(NamedTuple):
    """A docstring, whose it is, and where."""

    place: str
    name: str
    text: str


@cache
def _docstrings() -> list[Docstring]:
    found = []
    for file in sorted(_PACKAGE.rglob("*.py")):
        path = file.relative_to(_PACKAGE).as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for name, node in _documented(tree):
            if text := ast.get_docstring(node):
                found.append(Docstring(f"{path}:{node.body[0].lineno}", name, text))
    return found


def _documented(
    tree: ast.Module,
) -> Iterator[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    yield "module", tree
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node


def _first_paragraph(docstring: Docstring) -> str:
    return re.split(r"\n\s*\n", docstring.text)[0]


def test_a_docstring_begins_with_a_paragraph_of_its_own() -> None:
    """The first paragraph ends as a sentence does, and takes two lines at most."""
    wrong = [
        (one.place, _first_paragraph(one))
        for one in _docstrings()
        if not _first_paragraph(one).endswith((".", "?", "!", ":"))
        or (_first_paragraph(one).count("\n") > 1 and not one.place.startswith(_SHOWN))
    ]
    assert wrong == []


def test_marks_of_code_come_in_pairs() -> None:
    wrong = [
        (one.place, paragraph)
        for one in _docstrings()
        for paragraph in re.split(r"\n\s*\n", one.text)
        if paragraph.count("`") % 2 and "```" not in one.text
    ]
    assert wrong == []


def test_no_docstring_is_broken_letter_by_letter() -> None:
    wrong = [
        one.place for one in _docstrings() if re.search(r"(?:^|\n)\s*\S\n\s*\S\n\s*\S\n", one.text)
    ]
    assert wrong == []


def test_a_functions_docstring_says_what_it_does() -> None:
    """A function's docstring begins with a verb in the imperative, never with an article."""
    wrong = [
        (one.place, _first_paragraph(one))
        for one in _docstrings()
        if re.match(r"[a-z_]", one.name)
        and one.name != "module"
        and re.match(r"(?:This|It|The function)\b", one.text)
    ]
    assert wrong == []
