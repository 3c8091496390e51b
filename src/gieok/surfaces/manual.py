"""`gieok help --man`: every command as a manual page, in roff."""

from collections.abc import Iterator

from gieok import __version__
from gieok.commands import NAMES, load_command
from gieok.commands.command import CommandParameter, Surface
from gieok.commands.request import default_of, find_parameter_name, shown_name
from gieok.surfaces.commands import ABOUT, GLOBAL, SERVERS, list_help_parts
from gieok.text.messages import Words

_STATUSES = (
    ("0", Words("done")),
    (
        "1",
        Words("nothing was found, or `doctor` found something broken"),
    ),
    (
        "2",
        Words("an error, which says what, where, and the next step"),
    ),
    ("130", Words("interrupted")),
)
_HEADS = {
    "name": Words("NAME"),
    "synopsis": Words("SYNOPSIS"),
    "options": Words("OPTIONS OF EVERY COMMAND"),
    "status": Words("EXIT STATUS"),
    "files": Words("FILES"),
}


def render_manual_page(lang: str) -> str:
    """Return the manual page of all commands."""
    lines = [f'.TH GIEOK 1 "" "Gieok {__version__}"', *_format_manual_heading("name", lang)]
    lines += [_escape_roff(f"gieok - {ABOUT.say(lang)}"), *_format_manual_heading("synopsis", lang)]
    lines += [".B gieok", r"\fICOMMAND\fR [\fIARGUMENTS\fR] [\fIOPTIONS\fR]"]
    for title, words in list_help_parts():
        lines.append(f".SH {_escape_roff(title.say(lang).upper())}")
        for word in words:
            lines += [
                line
                for name in _list_named_commands(word)
                for line in _format_manual_command(name, lang)
            ]
    lines += [
        *_format_manual_heading("options", lang),
        *_format_manual_term("--json", Words("print JSON").say(lang)),
    ]
    for flag, _, value, doc in GLOBAL:
        lines += _format_manual_term(f"{flag} {value}", doc.say(lang))
    lines += _format_manual_heading("status", lang)
    lines += [
        line for status, doc in _STATUSES for line in _format_manual_term(status, doc.say(lang))
    ]
    lines += _format_manual_heading("files", lang)
    lines += _format_manual_term("~/.gieok", Words("the home folder (GIEOK_HOME)").say(lang))
    lines += _format_manual_term("~/.gieok/config.yaml", Words("settings (gieok config)").say(lang))
    return "\n".join(lines) + "\n"


def _list_named_commands(word: str) -> list[str]:
    return [name for name in (*NAMES, *SERVERS) if name.partition(" ")[0] == word]


def _format_manual_heading(key: str, lang: str) -> list[str]:
    return [f".SH {_escape_roff(_HEADS[key].say(lang))}"]


def _format_manual_command(name: str, lang: str) -> Iterator[str]:
    if name in SERVERS:
        server = SERVERS[name]
        yield from _format_manual_title(
            name, [server.word[0].upper()] if server.word[0] else [], server.doc.say(lang)
        )
        for flag, _, doc in server.flags:
            yield from _format_manual_term(f"{flag} {flag[2:].upper()}", doc.say(lang))
        return
    command = load_command(name)
    if Surface.CLI not in command.surfaces:
        return
    fields = command.parameters
    yield from _format_manual_title(
        name,
        [_format_manual_argument(field) for field in fields if field.about.positional],
        command.doc.say(lang),
    )
    for field in fields:
        yield from _format_manual_term(_format_manual_option(field), field.about.doc.say(lang))
    for example in command.examples:
        yield from (".RS", ".EX", _escape_roff(example), ".EE", ".RE")


def _format_manual_title(name: str, words: list[str], doc: str) -> Iterator[str]:
    yield f".SS {_escape_roff(' '.join(['gieok', name, *words]))}"
    yield _escape_roff(f"{doc}.")


def _format_manual_argument(field: CommandParameter) -> str:
    word = field.name.upper() + ("..." if isinstance(default_of(field), list) else "")
    return word if field.about.needed else f"[{word}]"


def _format_manual_option(field: CommandParameter) -> str:
    default = default_of(field)
    if field.about.positional:
        return field.name.upper()
    flag = shown_name(field, Surface.CLI)
    return (
        flag
        if isinstance(default, bool)
        else f"{flag} {'|'.join(field.about.choices) or find_parameter_name(field).upper()}"
    )


def _format_manual_term(term: str, doc: str) -> Iterator[str]:
    yield from (".TP", rf"\fB{_escape_roff(term)}\fR", _escape_roff(doc))


def _escape_roff(text: str) -> str:
    """Return text as roff shows it in any encoding.

    No part of the text is an escape, or a request at the beginning of a line.
    """
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    shown = "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in shown)
    return f"\\&{shown}" if shown.startswith((".", "'")) else shown
