"""How pages look: templates in both languages, marked words, days, and pictures of numbers."""

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from gieok.ops.operation import Words
from gieok.surfaces.web.pictures import columns
from gieok.text.keywords import query_tokens
from gieok.text.korean import in_language

if TYPE_CHECKING:
    from jinja2 import Environment

_LEAST_WORD = 2


@cache
def environment() -> "Environment":
    """Return the templates. Everything that is put in is escaped."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("gieok.surfaces.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(marked=marked, bar=bar, columns=columns)
    made.filters.update(number=lambda value: f"{value:,}", percent=lambda value: f"{value:.0%}")
    return made


def rendered(template: str, lang: str, values: Mapping[str, object]) -> str:
    """Return a page. In a template, `say(en, ko)` is the reader's text, `in_language(text)` one that was said in English."""
    return (
        environment()
        .get_template(template)
        .render(
            {
                **values,
                "lang": lang,
                "say": lambda en, ko: Words(en, ko).say(lang),
                "in_language": lambda text: in_language(text, lang),
            }
        )
    )


def marked(text: str, question: str) -> Markup:
    """Return a text with the words of a question marked, escaped."""
    words = sorted({w for w in re.findall(r"\w+", question) if len(w) >= _LEAST_WORD}, key=len, reverse=True)
    words += [token for token in query_tokens(question) if len(token) >= _LEAST_WORD and token.isalnum()]
    if not words:
        return escape(text)
    parts = re.split(f"({'|'.join(map(re.escape, words))})", text, flags=re.IGNORECASE)
    return Markup("").join(Markup("<mark>{}</mark>").format(p) if i % 2 else escape(p) for i, p in enumerate(parts))


def bar(share: float, label: str = "") -> Markup:
    """Return a bar of a share of 1."""
    filled = max(0.0, min(share, 1.0)) * 100
    return Markup(
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<rect class="b0" width="100" height="6"/><rect class="b1" width="{:.1f}" height="6"/></svg>'
    ).format(label or f"{filled:.0f} %", filled)
