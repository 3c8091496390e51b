"""Texts of memory on a page carry Gieok's marks in the language of the page."""

import re
from collections.abc import Iterator
from importlib.resources import files

import pytest

pytest.importorskip("jinja2")

from jinja2 import nodes

from gieok.surfaces.web.look import environment

_TEMPLATE = "{{ text | plain }}"


@pytest.mark.parametrize(
    ("lang", "shown"),
    [
        ("ko", "월세는 60 (2026-12-01 – 2026-12-31)"),
        ("en", "월세는 60 (2026-12-01 to 2026-12-31)"),
    ],
)
def test_the_days_of_a_line_are_in_the_language_of_the_page(lang: str, shown: str) -> None:
    template = environment().from_string(_TEMPLATE)
    text = "User: 월세는 60 (2026-12-01 to 2026-12-31)"
    assert template.render(lang=lang, text=text) == shown


def _iter_messages() -> Iterator[tuple[str, nodes.Call]]:
    """Yield each message of the templates that is written there, with its call."""
    folder = files("gieok.surfaces.web") / "templates"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        for call in environment().parse(file.read_text(encoding="utf-8")).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "say" and call.args:
                yield file.name, call


#: A number and what it counts: `{0} files`, `{0} more calls`.
_COUNTED = re.compile(r"\{[\w:,]*\} (?:more )?(?!(?:is|was|remembers)\b)[a-z]+s\b")
#: Only shown where there are many.
_MANY = ("All {0} days at once", "Only the last {0} changes", "said {0} times", "over {1} weeks")


def test_what_a_page_counts_has_a_form_for_one() -> None:
    messages = list(_iter_messages())
    assert len(messages) > 400
    without_one = [
        (name, message)
        for name, call in messages
        if isinstance(call.args[0], nodes.Const)
        and _COUNTED.search(message := str(call.args[0].value))
        and "plural" not in {given.key for given in call.kwargs}
        and not any(many in message for many in _MANY)
    ]
    assert without_one == []
    assert _COUNTED.search("{0} files")
    assert not _COUNTED.search("{0:+.2f} is {1} % likely to answer")
