"""Small programs, each with the calls of every line in a comment beside it: no more and no fewer
are found.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gieok.code.index.project import Project

_CASES = Path(__file__).parent / "cases"
_EXPECTED = re.compile(r"(?://|#) -> (.+)")


@pytest.mark.parametrize("case", sorted(folder.name for folder in _CASES.iterdir()))
def test_every_line_calls_what_its_comment_says(
    case: str, indexed: Callable[[Mapping[str, str]], Project]
) -> None:
    folder = _CASES / case
    files = {
        f.relative_to(folder).as_posix(): f.read_text(encoding="utf-8")
        for f in folder.rglob("*")
        if f.is_file()
    }
    expected = {
        (path, line, target)
        for path, text in files.items()
        for line, source in enumerate(text.split("\n"), 1)
        for comment in _EXPECTED.findall(source)
        for target in comment.split(", ")
    }
    found = {
        (e.source.partition("::")[0], e.line, e.target.partition("::")[2])
        for e in indexed(files).store.all_edges()
        if e.kind == "calls" and e.tier <= 1
    }
    missing, wrong = sorted(expected - found), sorted(found - expected)
    assert expected
    assert (missing, wrong) == ([], [])
