"""How pages look: templates in both languages, marked words, days, and pictures of numbers."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from gieok import extras
from gieok.ops.absence import GAPS_HEAD
from gieok.ops.home.growth import Size, WeekOfHook
from gieok.ops.operation import Words, said_on
from gieok.surfaces.web.pictures import (
    Stack,
    area,
    draw_columns,
    draw_reliability,
    draw_shares,
    stacks,
)
from gieok.text import marks
from gieok.text.josa import fill_particles
from gieok.text.korean import in_language

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> "Environment":
    """Return the templates. Everything that is put in is escaped."""
    with extras.imports_of("serve", "gieok open"):
        import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("gieok.surfaces.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        marked=mark_question_words,
        josa=fill_particles,
        bar=bar,
        columns=draw_columns,
        area=area,
        stacks=stacks,
        reliability=draw_reliability,
        shares=draw_shares,
        hook_stacks=hook_stacks,
        growth_titles=growth_titles,
    )
    made.filters.update(
        plain=strip_line_markup,
        number=lambda value: f"{value:,}",
        percent=lambda value: f"{value:.0%}",
        size=format_byte_size,
        ago=ago,
    )
    return made


def render_template(template: str, lang: str, values: Mapping[str, object]) -> str:
    """Return a page.

    In a template, `say(en, ko)` is the reader's text, `in_language(text)` one that was said in
    English, `said_on(days)` on how many days something was said.
    """
    return (
        environment()
        .get_template(template)
        .render(
            {
                **values,
                "lang": lang,
                "gaps_head": GAPS_HEAD,
                "say": lambda en, ko: Words(en, ko).say(lang),
                "said_on": lambda days: said_on(days).say(lang),
                "in_language": lambda text: in_language(text, lang),
            }
        )
    )


def strip_line_markup(text: str) -> str:
    """Return a line of the list without marks of Markdown, and without the label of who said it."""
    text = re.sub(r"(?:^|\s)#{1,6}\s", " · ", text).strip(" ·")
    return text.removeprefix("User: ").removeprefix("Assistant: ")


def mark_question_words(text: str, question: str) -> Markup:
    """Return a text with the words of a question marked, escaped: Latin words by their stem, Korean
    ones as they begin.
    """
    pieces = marks.split_at_question_words(text, question)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(p) if i % 2 else escape(p) for i, p in enumerate(pieces)
    )


def bar(share: float, label: str = "") -> Markup:
    """Return a bar of a share of 1."""
    filled = max(0.0, min(share, 1.0)) * 100
    return Markup(
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" '
        'aria-label="{}">'
        '<rect class="b0" width="100" height="6"/><rect class="b1" width="{:.1f}" '
        'height="6"/></svg>'
    ).format(label or f"{filled:.0f} %", filled)


def format_byte_size(count: int | None) -> str:
    """Return bytes as a person reads them."""
    if count is None:
        return "–"
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count / 1e3:,.1f} kB"


def ago(moment: datetime, now: datetime, lang: str) -> str:
    """Return how long ago a moment is."""
    seconds = max((now - moment).total_seconds(), 0)
    units = ((86_400, "day", "일"), (3_600, "hour", "시간"), (60, "minute", "분"))
    for length, en, ko in units:
        if seconds >= length:
            count = int(seconds // length)
            return Words(f"{count} {en}{'s' * (count != 1)} ago", f"{count}{ko} 전").say(lang)
    return Words("just now", "방금").say(lang)


def growth_titles(growth: Sequence[Size], name: str, lang: str) -> list[str]:
    """Return what each point of a curve of growth says."""
    words = {
        "documents": Words("documents", "문서"),
        "passages": Words("passages", "구절"),
        "bytes": Words("bytes", "바이트"),
    }
    return [f"{one.day}: {getattr(one, name):,} {words[name].say(lang)}" for one in growth]


def hook_stacks(weeks: Sequence[WeekOfHook], lang: str) -> list[Stack]:
    """Return a column a week: prompts with a sure memory, with titles alone, and with nothing."""
    rows = []
    for monday, stats in weeks:
        nothing = stats.silent + stats.notes
        titles = max(stats.prompts - nothing - stats.high, 0)
        said = Words(
            (
                f"{monday}: {stats.prompts} prompts, {stats.high} sure, {titles} titles, "
                f"{nothing} nothing"
            ),
            f"{monday}: 프롬프트 {stats.prompts}, 확실 {stats.high}, 제목 {titles}, 없음 {nothing}",
        )
        rows.append(Stack(f"{monday:%m-%d}", (stats.high, titles, nothing), said.say(lang)))
    return rows
