"""The help of `gieok` and of its groups: commands by what they are for. No operation is loaded for
it.
"""

from collections.abc import Iterable, Iterator

from gieok import __version__
from gieok.agents.table import EVENTS
from gieok.ops.operation import Style, Words
from gieok.surfaces.commands import (
    ABOUT,
    DEFAULTS,
    GROUPS,
    doc_of,
    list_group_commands,
    list_help_parts,
    summaries,
)
from gieok.surfaces.layout import table

_EXAMPLES = (
    (
        "gieok setup",
        Words(
            "begin: finds your agents and notes, asks, connects",
            "시작: 에이전트와 노트를 찾아 묻고 연결",
        ),
    ),
    ("gieok index ~/notes", Words("take a folder of notes in", "노트 폴더를 받아들임")),
    ('gieok search "what did we decide"', Words("ask it", "물어봄")),
    ("gieok help code impact", Words("what a command does", "명령이 하는 일")),
)


def render_command_overview(style: Style, room: int) -> str:
    """Return the help of `gieok`."""
    usage = style.say(
        (
            "usage: gieok COMMAND [ARGUMENTS] [OPTIONS]    (--json, --scope, --lang may stand "
            "anywhere)"
        ),
        "사용법: gieok 명령 [인자] [옵션]    (--json, --scope, --lang은 어디에나)",
    )
    return "\n".join(
        [
            f"gieok {__version__}: {ABOUT.say(style.lang)}",
            "",
            usage,
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
    yield style.bold(style.say("examples", "예"))
    yield from (
        f"  {line:<{wide}}  {style.dim(words.say(style.lang))}" for line, words in _EXAMPLES
    )


def group(name: str, style: Style, room: int) -> str:
    """Return the help of a group: its commands."""
    rows = [
        (word, summaries()[f"{name} {word}"].say(style.lang)) for word in list_group_commands(name)
    ]
    rows += [(event, Words(*words).say(style.lang)) for event, words in _list_hook_events(name)]
    doc = GROUPS[name].say(style.lang) if name in GROUPS else rows[0][1]
    lines = [
        f"{doc}.",
        "",
        style.say(f"usage: gieok {name} COMMAND", f"사용법: gieok {name} 명령"),
        "",
    ]
    lines += table(rows, room, max(len(word) for word, _ in rows))
    more = [
        style.say(f"`gieok help {name} COMMAND` says more.", f"더 보기: `gieok help {name} 명령`")
    ]
    if name in DEFAULTS:
        default = f"gieok {name} {DEFAULTS[name]}"
        more.append(
            style.say(
                f"`gieok {name}` alone is `{default}`.", f"`gieok {name}`만 쓰면 `{default}`입니다."
            )
        )
    return "\n".join([*lines, "", *more])


def _list_hook_events(name: str) -> Iterable[tuple[str, tuple[str, str]]]:
    return EVENTS.items() if name == "hook" else ()
