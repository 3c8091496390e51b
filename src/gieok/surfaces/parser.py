"""Parser of a single command, made from its operation's request; its help and its errors.

argparse rather than typer: a whole cold keyword search may take 80 ms, and importing typer alone
takes 61.
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from gieok.agents.table import EVENTS, HOOKED
from gieok.commands import load_command
from gieok.commands.command import Command, CommandParameter, Surface
from gieok.commands.request import default_of, find_parameter_name, shown_name
from gieok.errors import BadRequest, Phrase
from gieok.surfaces.commands import GLOBAL, SERVERS, ServerCommand
from gieok.surfaces.document_names import find_document_option
from gieok.surfaces.layout import width
from gieok.text.messages import Words, translate

_JSON = Words("print JSON (docs/cli.md)")
#: Begins the name under which the other flag of a positional parameter is parsed.
_ALSO = "also "
_HELP = Words("show this help")
_USAGE = Words("usage")
_OPTIONS = Words("[OPTIONS]")
_GROUPS = {
    "arguments": Words("arguments"),
    "options": Words("options"),
    "global": Words("options of every command"),
}
_EXAMPLES = Words("examples")
_NEEDS = re.compile(r"argument (\S+): expected one argument")
#: Least similarity of a word that is suggested.
_LIKE = 0.7
_VALUES = {int: "N", float: "X", str: "TEXT", list: "TEXT"}


class CommandParser(argparse.ArgumentParser):
    """Parser of one command. `report` is called with an error, and returns the exit status."""

    def __init__(
        self,
        name: str,
        doc: str,
        lang: str,
        report: Callable[[BadRequest], int],
        examples: str = "",
    ) -> None:
        super().__init__(
            prog=f"gieok {name}",
            description=f"{doc}.",
            allow_abbrev=False,
            add_help=False,
            epilog=examples or None,
            formatter_class=lambda prog: _Help(prog, (_USAGE.say(lang), _OPTIONS.say(lang))),
        )
        self._report = report
        self.sections = {
            key: self.add_argument_group(title.say(lang)) for key, title in _GROUPS.items()
        }

    def parsed(self, arguments: tuple[str, ...]) -> argparse.Namespace:
        """Return the parsed arguments; options and words may stand in any order.

        Exits where an argument is invalid.
        """
        namespace, unknown = self.parse_known_intermixed_args(list(arguments))
        if unknown:
            self._refuse(unknown[0])
        return namespace

    def error(self, message: str) -> Any:  # noqa: ANN401 - never returns
        """Report an error of argparse in Gieok's own form."""
        if match := _NEEDS.match(message):
            self._leave(Phrase("{flag} needs a value", flag=match[1]))
        self._leave(message.partition(":")[0] if self._hides_words else message)

    @property
    def _hides_words(self) -> bool:
        """Return whether the typed words may be a key, which an error must not repeat."""
        return self.prog.split()[1] == "keys"

    def _refuse(self, word: str) -> None:
        if self._hides_words:
            self._leave("there is an argument too many")
        if not word.startswith("-"):
            self._leave(
                Phrase("there is an argument too many: {word!r}", word=word),
                Phrase(
                    'see `{prog} --help`; a question stands in quotes: `gieok "…"`', prog=self.prog
                ),
            )
        flag = word.partition("=")[0]
        near = close(flag, [flag for action in self._actions for flag in action.option_strings])
        hint = ""
        if command := find_document_option(self.prog.partition(" ")[2], flag):
            hint = Phrase("that is `gieok {command}`", command=command)
        elif near:
            hint = Phrase("did you mean {near}? `{prog} --help`", near=near, prog=self.prog)
        self._leave(Phrase("`{prog}` has no option {flag}", prog=self.prog, flag=flag), hint)

    def _leave(self, what: str, hint: str = "") -> None:
        """Exit with an error, whose text is English.

        `report` knows the language of the reader and of the settings.
        """
        self.exit(
            self._report(
                BadRequest(what, hint=hint or Phrase("see `{prog} --help`", prog=self.prog))
            )
        )


class _Help(argparse.HelpFormatter):
    """Help formatter with a given width.

    To find the width out, argparse would load modules for half of the time of a cold search.
    """

    def __init__(self, prog: str, usage: tuple[str, str]) -> None:
        super().__init__(prog, width=width(sys.stdout))
        self._title, self._options = usage

    # Argparse's own.
    def add_usage(
        self,
        usage: str | None,
        actions: Any,  # noqa: ANN401
        groups: Any,  # noqa: ANN401
        prefix: str | None = None,
    ) -> None:
        """Show the arguments, and a word that stands for the options, which are listed below."""
        del usage, groups, prefix
        words = [_format_usage_argument(action) for action in actions if not action.option_strings]
        super().add_usage(
            " ".join([self._prog, *words, self._options]).replace("%", "%%"),
            [],
            [],
            f"{self._title}: ",
        )

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Leave the line breaks of examples as they are."""
        return text if "\n" in text else super()._fill_text(text, width, indent)


def _format_usage_argument(action: argparse.Action) -> str:
    many = "…" if action.nargs == "*" else ""
    return f"{action.metavar}{many}" if action.required else f"[{action.metavar}{many}]"


def close(word: str, known: "list[str]") -> str:
    """Return the known word that is most similar to `word`; '' where none is similar."""
    from difflib import get_close_matches  # 2 ms, for an error

    return next(iter(get_close_matches(word, known, 1, _LIKE)), "")


def of_command(name: str, lang: str, report: Callable[[BadRequest], int]) -> CommandParser:
    """Return the parser of an operation, of a server, or of a hook event (for its help)."""
    if name in SERVERS:
        return _of_server(name, SERVERS[name], lang, report)
    group, _, event = name.partition(" ")
    if group == "hook" and event in EVENTS:
        return _of_event(name, Words(EVENTS[event]), lang, report)
    command = load_command(name)
    parser = CommandParser(
        name, command.doc.say(lang), lang, report, _format_command_examples(command.examples, lang)
    )
    for field in command.parameters:
        _add_field_argument(parser, field, lang)
    _add_global(parser, lang)
    return parser


def _format_command_examples(lines: tuple[str, ...], lang: str) -> str:
    return (
        "\n".join([f"{_EXAMPLES.say(lang)}:", *(f"  {translate(line, lang)}" for line in lines)])
        if lines
        else ""
    )


def _of_server(
    name: str, server: ServerCommand, lang: str, report: Callable[[BadRequest], int]
) -> CommandParser:
    parser = CommandParser(
        name, server.doc.say(lang), lang, report, _format_command_examples(server.examples, lang)
    )
    metavar, words = server.word
    if words:
        parser.sections["arguments"].add_argument(
            metavar, nargs="?", default="", metavar=metavar.upper(), help=", ".join(words)
        ).required = True
    for flag, setting, doc in server.flags:
        parser.sections["options"].add_argument(
            flag, dest=setting, help=doc.say(lang), metavar=flag[2:].upper()
        )
    _add_help(parser, lang)
    return parser


def _of_event(
    name: str, doc: Words, lang: str, report: Callable[[BadRequest], int]
) -> CommandParser:
    """Return the parser of a hook event, for `--help` alone.

    `gieok.__main__` runs the hook without any of this module.
    """
    parser = CommandParser(name, doc.say(lang), lang, report)
    words = Words("whose payload is on stdin (default: seen from it)")
    parser.sections["options"].add_argument("--agent", choices=tuple(HOOKED), help=words.say(lang))
    _add_help(parser, lang)
    return parser


def _add_global(parser: CommandParser, lang: str) -> None:
    parser.sections["global"].add_argument("--json", action="store_true", help=_JSON.say(lang))
    for flag, setting, value, words in GLOBAL:
        parser.sections["global"].add_argument(
            flag, dest=setting, help=words.say(lang), metavar=value
        )
    _add_help(parser, lang)


def _add_help(parser: CommandParser, lang: str) -> None:
    parser.sections["global"].add_argument("-h", "--help", action="help", help=_HELP.say(lang))


def _add_field_argument(parser: CommandParser, field: "CommandParameter", lang: str) -> None:
    default, about = default_of(field), field.about
    options: dict[str, Any] = {"help": about.doc.say(lang).replace("%", "%%")}
    if isinstance(default, bool):
        parser.sections["options"].add_argument(
            shown_name(field, Surface.CLI), action="store_true", dest=field.name, **options
        )
        return
    options["metavar"] = (
        f"{{{','.join(about.choices)}}}" if about.choices else _VALUES[type(default)]
    )
    if about.positional:
        options |= {
            "nargs": "*" if isinstance(default, list) else "?",
            "metavar": field.name.upper(),
        }
        added = parser.sections["arguments"].add_argument(field.name, default=default, **options)
        # for the help alone: an invalid value is refused by the one check of requests
        added.required = bool(about.needed)
        if about.also:
            parser.sections["options"].add_argument(
                *about.also,
                dest=_ALSO + field.name,
                action="append",
                default=[],
                metavar=options["metavar"],
                help=argparse.SUPPRESS,
            )
    else:
        parser.sections["options"].add_argument(
            shown_name(field, Surface.CLI), dest=field.name, default=default, **options
        )
        if about.also:
            unlisted = {**options, "help": argparse.SUPPRESS, "default": argparse.SUPPRESS}
            parser.sections["options"].add_argument(*about.also, dest=field.name, **unlisted)


def values(found: Command[..., Any], parsed: argparse.Namespace) -> Mapping[str, object]:
    """Return the parameters of an operation by name, from the parsed arguments."""
    return {find_parameter_name(field): _read_value(parsed, field) for field in found.parameters}


def _read_value(parsed: argparse.Namespace, field: "CommandParameter") -> object:
    """Return the value of a parameter; what its other flag named stands behind positional ones."""
    value = getattr(parsed, field.name)
    named = getattr(parsed, _ALSO + field.name, [])
    if isinstance(value, list):
        if field.about.takes_stdin and value == ["-"]:
            value = [sys.stdin.buffer.read().decode("utf-8", "replace").strip()]
        return [*value, *named]
    return named[-1] if named else value
