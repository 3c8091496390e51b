"""Texts of memory on a page carry Gieok's marks in the language of the page."""

import pytest

pytest.importorskip("jinja2")

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
