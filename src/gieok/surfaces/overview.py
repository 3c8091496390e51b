"""The help of `gieok` and of its groups, which lists commands by purpose.

No operation is loaded for it.
"""

from collections.abc import Iterable, Iterator

from gieok import __version__
from gieok.agents.table import EVENTS
from gieok.commands.command import Style
from gieok.surfaces.commands import (
    ABOUT,
    DEFAULTS,
    GROUPS,
    doc_of,
    list_group_commands,
    list_help_parts,
    summaries,
)
from gieok.surfaces.layout import table, wrapped
from gieok.text.messages import Words

_EXAMPLES = (
    (
        "gieok setup",
        Words("begin: finds your agents and notes, asks, connects"),
    ),
    ("gieok index ~/notes", Words("read a folder of notes")),
    ('gieok "what did we decide"', Words("ask your memory")),
    ("gieok help code impact", Words("what a command does")),
)


def render_command_overview(style: Style, room: int) -> str:
    """Return the help of `gieok`."""
    usage = style.say(
        "usage: gieok COMMAND [ARGUMENTS] [OPTIONS]    (--json, --scope, --lang may stand anywhere)"
    )
    question = style.say(
        'a line without a command is a search: gieok "when does the lease end"; a word one letter '
        "away from a command is taken for a mistyped command, and in quotes all is a question"
    )
    return "\n".join(
        [
            f"gieok {__version__}: {ABOUT.say(style.lang)}",
            "",
            usage,
            *wrapped(question, room),
            *_format_command_parts(style, room),
            *_format_overview_end(style),
        ]
    )


def _format_command_parts(style: Style, room: int) -> Iterator[str]:
    names = max(len(word) for _, words in list_help_parts() for word in words)
    for title, words in list_help_parts():
        yield ""
        yield style.bold(title.say(style.lang))
        yield from table(((word, doc_of(word).say(style.lang)) for word in words), room, names)


def _format_overview_end(style: Style) -> Iterator[str]:
    wide = max(len(line) for line, _ in _EXAMPLES)
    yield ""
    yield style.bold(style.say("examples"))
    yield from (
        f"  {line:<{wide}}  {style.dim(words.say(style.lang))}" for line, words in _EXAMPLES
    )


def group(name: str, style: Style, room: int) -> str:
    """Return the help of a group: a list of its commands."""
    rows = [
        (word, summaries()[f"{name} {word}"].say(style.lang)) for word in list_group_commands(name)
    ]
    rows += [(event, Words(doing).say(style.lang)) for event, doing in _list_hook_events(name)]
    doc = GROUPS[name].say(style.lang) if name in GROUPS else rows[0][1]
    lines = [
        f"{doc}.",
        "",
        style.say("usage: gieok {name} COMMAND", name=name),
        "",
    ]
    lines += table(rows, room, max(len(word) for word, _ in rows))
    more = [style.say("`gieok help {name} COMMAND` says more.", name=name)]
    if name in DEFAULTS:
        default = f"gieok {name} {DEFAULTS[name]}"
        more.append(style.say("`gieok {name}` alone is `{default}`.", name=name, default=default))
    return "\n".join([*lines, "", *more])


def _list_hook_events(name: str) -> Iterable[tuple[str, str]]:
    return EVENTS.items() if name == "hook" else ()
