"""How pages look: templates in both languages, marked words, days, and pictures of numbers."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from gieok.ops.operation import Words
from gieok.text.keywords import query_tokens

if TYPE_CHECKING:
    from jinja2 import Environment

_LEAST_WORD = 2
_CELL, _GAP = 11, 3
_LEVELS = 4


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
    made.globals.update(marked=marked, calendar=calendar, bar=bar)
    made.filters.update(number=lambda value: f"{value:,}", percent=lambda value: f"{value:.0%}")
    return made


def rendered(template: str, lang: str, values: Mapping[str, object]) -> str:
    """Return a page. In a template, `say(en, ko)` is the text in the reader's language."""
    return (
        environment()
        .get_template(template)
        .render({**values, "lang": lang, "say": lambda en, ko: Words(en, ko).say(lang)})
    )


def marked(text: str, question: str) -> Markup:
    """Return a text with the words of a question marked, escaped: Latin words by their stem, Korean ones as they begin."""
    stems = [token for token in query_tokens(question) if len(token) >= _LEAST_WORD]
    korean = [word for word in re.findall(r"[가-힣]+", question) if len(word) >= _LEAST_WORD]
    begun = [token for token in stems if any(word.startswith(token) for word in korean)]
    forms = [re.escape(word) for word in sorted({*korean, *begun}, key=len, reverse=True)]
    forms += [rf"\b{re.escape(stem)}\w*" for stem in stems if stem.isascii() and stem.isalnum()]
    if not forms:
        return escape(text)
    parts = re.split(f"({'|'.join(forms)})", text, flags=re.IGNORECASE | re.ASCII)
    return Markup("").join(Markup("<mark>{}</mark>").format(p) if i % 2 else escape(p) for i, p in enumerate(parts))


def calendar(counts: Mapping[date, int], last: date, lang: str, weeks: int = 26) -> Markup:
    """Return a picture of how much was remembered each day; each day links to itself."""
    first = last - timedelta(days=last.weekday() + 7 * (weeks - 1))
    most = max(counts.values(), default=0)
    cells = [_cell(day, counts.get(day, 0), most, (day - first).days) for day in _days(first, last)]
    width, height = weeks * (_CELL + _GAP), 7 * (_CELL + _GAP)
    title = Words(f"What was remembered in {weeks} weeks", f"{weeks}주 동안 기억한 것").say(lang)
    return Markup('<svg class="calendar" viewBox="0 0 {} {}" role="group" aria-label="{}">{}</svg>').format(
        width, height, title, Markup("").join(cells)
    )


def _days(first: date, last: date) -> Sequence[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def _cell(day: date, count: int, most: int, place: int) -> Markup:
    level = 0 if not count else 1 + min(_LEVELS - 1, count * _LEVELS // (most + 1))
    x, y = place // 7 * (_CELL + _GAP), place % 7 * (_CELL + _GAP)
    shape = Markup('<rect class="d{}" x="{}" y="{}" width="{}" height="{}" rx="2"><title>{}: {}</title></rect>').format(
        level, x, y, _CELL, _CELL, day.isoformat(), count
    )
    if not count:
        return shape
    return Markup('<a href="/timeline?day={}" aria-label="{}: {}">{}</a>').format(
        day.isoformat(), day.isoformat(), count, shape
    )


def bar(share: float, label: str = "") -> Markup:
    """Return a bar of a share of 1."""
    filled = max(0.0, min(share, 1.0)) * 100
    return Markup(
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<rect class="b0" width="100" height="6"/><rect class="b1" width="{:.1f}" height="6"/></svg>'
    ).format(label or f"{filled:.0f} %", filled)
