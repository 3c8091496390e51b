"""The verdicts of `docs/documents.md` name what is there, and are counted right."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

_ROOT = Path(__file__).parents[1]
_PAGE = _ROOT / "docs" / "documents.md"
_VERDICTS = ("works", "differently", "in part", "missing")
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


class _Row(NamedTuple):
    """What a document asks, and what became of it."""

    document: str
    section: str
    asked: str
    verdict: str
    where: str

    def list_quoted(self, word: str) -> list[str]:
        """Return what is quoted behind a word, `decision` or `walk`."""
        return re.findall(rf"{word} “([^”]+)”", self.where)


def _read_rows() -> list[_Row]:
    parts = re.split(r"^## ", _PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [
        _Row(part.partition("\n")[0], *cells) for part in parts[1:] for cells in _read_table(part)
    ]


def _read_table(text: str) -> list[list[str]]:
    """Return the cells of a table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@cache
def _list_functions(path: Path) -> frozenset[str]:
    return frozenset(
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    )


@cache
def _list_criteria() -> frozenset[str]:
    """Return every text in the walks: the criteria are among them."""
    walks = (_ROOT / "examples" / "acceptance").glob("*/criteria.py")
    return frozenset(
        node.value
        for walk in walks
        for node in ast.walk(ast.parse(walk.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def test_the_counts_at_the_head_are_those_of_the_tables() -> None:
    head = _PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    rows = _read_rows()
    documents = list(dict.fromkeys(row.document for row in rows))
    counts = Counter((row.document, row.verdict) for row in rows)
    expected = [
        [name, *(counts[document, verdict] for verdict in _VERDICTS)]
        for document in documents
        for name in [f"[{document}](#{document.lower().replace(' ', '-')})"]
    ]
    expected.append(
        ["all", *(sum(row.verdict == verdict for row in rows) for verdict in _VERDICTS)]
    )
    stated = _read_table(head)
    assert stated == [[str(cell) for cell in (*row, sum(row[1:]))] for row in expected]
    assert f"the {len(rows)} below" in head
    assert len(documents) == 5


@pytest.mark.parametrize("row", _read_rows(), ids=lambda row: f"{row.document}: {row.asked}"[:60])
def test_a_verdict_names_what_shows_it(row: _Row) -> None:
    tests, decisions, criteria = (
        _TEST.findall(row.where),
        row.list_quoted("decision"),
        row.list_quoted("walk"),
    )
    assert row.verdict in _VERDICTS
    assert ("missing: " in row.where) == (row.verdict in ("in part", "missing"))
    if row.verdict == "works":
        assert tests or criteria or re.search(r"`(gieok|python benchmarks/)", row.where)
    if row.verdict == "differently":
        assert decisions
    assert len(tests) == row.where.count("::")
    assert len(decisions) == row.where.count("decision “")
    assert len(criteria) == row.where.count("walk “")
    for path, name in tests:
        assert name in _list_functions(_ROOT / path), f"{path}::{name}"
    assert set(criteria) <= _list_criteria()
    text = (_ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    for quoted in decisions:
        assert re.search(rf"^- \*\*{re.escape(quoted)}", text, re.MULTILINE), quoted
