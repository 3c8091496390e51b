"""Documents: their headings are concepts, in Markdown and in reStructuredText."""

from pathlib import Path

import pytest

from gieok.code.index.ignore_rules import IgnoreRules
from gieok.code.index.read import read_source_file
from gieok.code.index.scan import count_unread_kinds
from gieok.code.languages import places
from gieok.machine.parsers.treesitter import TreeSitterParser

_MANUAL = """.. _start:

========
 Manual
========

What it is.
It does this::

    Not a title
    -----------

First step
==========
Second step
===========

=====  =====
a      b
=====  =====
1      2
=====  =====

시작하기
--------

Text of two lines
is no title
---

----

::

Short
==

* Only a mark
-

.. code:: python

    # Comment
    # =======

Last step
=========
"""


def _concepts(path: str, language: str, text: str) -> list[tuple[str, int, int]]:
    source = read_source_file(path, language, text, TreeSitterParser())
    assert (source.status, source.note) == ("parsed", "")
    return [(s.qualified, s.start_line, s.end_line) for s in source.symbols[1:]]


def test_the_titles_of_restructured_text_are_concepts() -> None:
    assert _concepts("docs/a.rst", "restructuredtext", _MANUAL) == [
        ("Manual", 3, 48),
        ("Manual > First step", 13, 14),
        ("Manual > Second step", 15, 45),
        ("Manual > Second step > 시작하기", 24, 45),
        ("Manual > Last step", 46, 48),
    ]


@pytest.mark.parametrize("text", ["", "=====", "=====\n", "=\n=\n=\n", "A", "A\n", "\n\n====\n\n"])
def test_what_is_no_title_is_none(text: str) -> None:
    assert _concepts("a.rst", "restructuredtext", text) == []


def test_a_title_at_the_end_of_a_file_is_one() -> None:
    assert _concepts("a.rst", "restructuredtext", "A b\n===") == [("A b", 1, 2)]
    assert _concepts("a.rst", "restructuredtext", "===\nA b\n===") == [("A b", 1, 3)]


def test_documents_are_told_by_their_language() -> None:
    documents = ["docs/a.rst", "A.MD", "b.markdown", "README.rst"]
    assert [places.is_document(path) for path in documents] == [True] * 4
    assert [places.is_document(path) for path in ("a.py", "rst", "a.rst.py")] == [False] * 3
    assert [path for path in documents if places.is_readme(path)] == ["README.rst"]
    assert not places.is_readme("docs/README.md")


def test_files_of_kinds_that_are_not_read_are_counted(tmp_path: Path) -> None:
    for name in ("a.py", "a.rst", "b.css", "c.CSS", "LICENSE", "node_modules/d.css", "left/e.css"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n")
    assert count_unread_kinds(tmp_path, IgnoreRules(("left/",))) == {".css": 2, "LICENSE": 1}
