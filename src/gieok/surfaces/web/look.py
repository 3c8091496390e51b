"""Appearance of the pages: templates in both languages, marked words, days, charts."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cache, partial
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from gieok import extras
from gieok.commands.absence import GAPS_HEAD
from gieok.commands.command import said_on
from gieok.commands.home.growth import Size, WeekOfHook
from gieok.commands.memory.gaps import ONLY_FILTERED
from gieok.commands.memory.history import WAYS
from gieok.commands.memory.hits import describe_sureness, lower_doubted_level
from gieok.commands.scope_names import name_scope
from gieok.surfaces.web.markdown import (
    render_markdown,
    render_markdown_words,
)
from gieok.surfaces.web.pictures import (
    Stack,
    area,
    draw_columns,
    draw_reliability,
    draw_shares,
    stacks,
)
from gieok.text.amounts import describe_age, format_size
from gieok.text.catalogues import ENGLISH
from gieok.text.josa import fill_particles
from gieok.text.messages import WordList, Words, in_language, translate
from gieok.text.own_marks import translate_own_marks

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.runtime import Context

#: Options of the command line, in brackets behind what they change: a page has none.
_OPTIONS = re.compile(r" \(`--[a-z-]+`(?:, `--[a-z-]+`)*\)")
#: Filter → its field on a page, where that has another name; kind or source → its name there.
_FIELDS = {"source": Words("of what")}
_KINDS = {
    "learned": Words("Learned"),
    "note": Words("Notes"),
    "turn": Words("Said"),
    "memory": Words("records and notes"),
    "sessions": Words("conversations"),
}
#: Mark of a heading or an item, at the beginning of a line.
_MARK_OF_LINE = re.compile(r"^\s*(?:#{1,6}|[-*])\s+")


@cache
def environment() -> "Environment":
    """Return the template environment, which escapes every value."""
    with extras.imports_of("serve", "gieok open"):
        import jinja2

    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("gieok.surfaces.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals.update(
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
    templates.filters.update(
        plain=jinja2.pass_context(_render_plain),
        commands=mark_commands,
        number=lambda value: f"{value:,}",
        percent=lambda value: f"{value:.0%}",
        size=format_size,
        ago=ago,
        moment=format_moment,
    )
    return templates


def render_template(template: str, lang: str, values: Mapping[str, object]) -> str:
    """Return a page as HTML.

    In a template, `say(template, …)` is a message in the reader's language, `in_language(text)`
    translates an English text, `said_on(days)` says on how many days something was said, `way(how)`
    says how a version of a memory came, `scope_name(path)` is the name of a scope, `of_scope(path)`
    the same as markup unless the value `has_scopes` is false, and `sureness(level)` how sure a hit
    answers.
    """
    return (
        environment()
        .get_template(template)
        .render(
            {
                **values,
                "lang": lang,
                "gaps_head": GAPS_HEAD,
                "describe_gaps": partial(_describe_gaps, lang),
                "say": partial(_say_in_template, lang),
                "way": lambda how: WAYS[how].say(lang),
                "said_on": lambda days: said_on(days).say(lang),
                "in_language": lambda text: in_language(text, lang),
                "scope_name": lambda path: name_scope(str(path)).say(lang),
                "of_scope": partial(_mark_scope, lang, values.get("has_scopes", True)),
                "markdown": lambda text, question="": render_markdown(
                    translate_own_marks(text, lang), question
                ),
                "markdown_words": lambda text, question="": render_markdown_words(
                    translate_own_marks(text, lang), question
                ),
                "sureness": lambda level: describe_sureness(level).say(lang),
                "lower_doubted": lambda level, why: lower_doubted_level(
                    level, is_doubted=bool(why)
                ),
            }
        )
    )


def _mark_scope(lang: str, has_scopes: object, path: object) -> Markup:
    """Return the name of a scope as markup; '' where there is no other scope to tell it from."""
    if not has_scopes:
        return Markup()
    return Markup("<span>{}</span>").format(name_scope(str(path)).say(lang))


def _describe_gaps(lang: str, gaps: Sequence[Words] | None) -> list[str]:
    """Return the gaps of an answer as a page says them: scopes by name, and no options."""
    return [_OPTIONS.sub("", _word_gap_for_page(gap).say(lang)) for gap in gaps or ()]


def _word_gap_for_page(gap: Words) -> Words:
    """Return a gap with the field of a page in the place of an option, and with names of scopes.

    Names of files, which gaps list too, stay as they are.
    """
    values = dict(gap.values)
    if gap.template == ONLY_FILTERED:
        name, value = str(values["name"]), str(values["value"])
        return Words.of(
            "the filter “{field}: {value}” left the rest out",
            field=_FIELDS.get(name, Words(name)),
            value=_KINDS.get(value, value) if name in ("kind", "source") else value,
        )
    if isinstance(names := values.get("names"), WordList):
        without_paths = (dict(name.values).get("name", name) for name in names.messages)
        values["names"] = WordList(tuple(name for name in without_paths if isinstance(name, Words)))
    return gap._replace(values=tuple(values.items()))


def mark_commands(text: str) -> Markup:
    """Return a message as markup, with what stands in backticks as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a backtick without its pair is a sign of the text
        return escape(text)
    code = Markup("<code>{}</code>")
    return Markup().join(
        code.format(piece) if place % 2 else escape(piece) for place, piece in enumerate(pieces)
    )


def _say_in_template(
    lang: str,
    message: str | Words,
    *values: object,
    about: str = "",
    plural: str = "",
    count: int | None = None,
) -> str:
    """Return a message, or a template with numbered places and what goes into them.

    With `plural`, the template is for a `count` of one.
    """
    if isinstance(message, Words):
        return message.say(lang)
    named = None if count is None else {"count": count}
    return translate(message, lang, named, arguments=values, about=about, plural=plural)


def _render_plain(context: "Context", text: str) -> str:
    """Return a text of memory as one line of a list, with Gieok's marks in the page's language."""
    return translate_own_marks(strip_line_markup(text), context.get("lang", ENGLISH))


def strip_line_markup(text: str) -> str:
    """Return a line of the list without the label of its speaker and without the Markdown mark that
    a line of the text begins with. Other signs are words of the sentence.
    """
    text = text.removeprefix("User: ").removeprefix("Assistant: ")
    words = (_MARK_OF_LINE.sub("", line).strip() for line in text.split("\n"))
    return " · ".join(filter(None, words))


def bar(share: float, label: str = "") -> Markup:
    """Return a bar of which `share` (0 to 1) is filled."""
    filled = max(0.0, min(share, 1.0)) * 100
    return Markup(
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" '
        'aria-label="{}">'
        '<rect class="b0" width="100" height="6"/><rect class="b1" width="{:.1f}" '
        'height="6"/></svg>'
    ).format(label or f"{filled:.0f} %", filled)


def ago(moment: datetime, now: datetime, lang: str) -> str:
    """Return how long ago a moment is, in the language of a reader."""
    return describe_age(moment, now).say(lang)


def format_moment(moment: str, zone: tzinfo) -> str:
    """Return an ISO time to the minute in a zone; another text as it is."""
    try:
        return f"{datetime.fromisoformat(moment).astimezone(zone):%Y-%m-%d %H:%M}"
    except ValueError:
        return moment


def growth_titles(growth: Sequence[Size], name: str, lang: str) -> list[str]:
    """Return the tooltip of each point of a growth curve."""
    words = {
        "documents": Words("documents"),
        "passages": Words("pieces of text"),
        "bytes": Words("bytes"),
    }
    return [f"{size.day}: {getattr(size, name):,} {words[name].say(lang)}" for size in growth]


def hook_stacks(weeks: Sequence[WeekOfHook], lang: str) -> list[Stack]:
    """Return a stacked column for each week of the hook.

    Its parts are the prompts with a sure memory, with titles alone, and with nothing.
    """
    rows = []
    for monday, stats in weeks:
        nothing = stats.silent + stats.notes
        titles = max(stats.prompts - nothing - stats.high, 0)
        tooltip = Words.of(
            "{monday}: {prompts} prompts, {high} sure, {titles} titles, {nothing} nothing",
            monday=monday,
            prompts=stats.prompts,
            high=stats.high,
            titles=titles,
            nothing=nothing,
        )
        rows.append(Stack(f"{monday:%m-%d}", (stats.high, titles, nothing), tooltip.say(lang)))
    return rows
