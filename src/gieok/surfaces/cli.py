"""The command line, made from the table of operations.

Answers go to stdout, messages to stderr. Exit status: 0 done, 1 nothing found, 2 error.
"""

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gieok import __version__
from gieok.agents.table import EVENTS
from gieok.commands import NAMES, load_command
from gieok.commands.command import Command, Effect, Style, Surface
from gieok.errors import TRACEBACK_VARIABLE, BadRequest, GieokError, OutputLost, Phrase, unexpected
from gieok.places.home import build_home_path
from gieok.process_zone import set_process_zone
from gieok.surfaces import bare_question, parser, streams
from gieok.surfaces.arguments import VERSION, CommandLine, read_command_line
from gieok.surfaces.commands import GLOBAL, SERVERS, ServerCommand, list_group_commands
from gieok.surfaces.hook import trail
from gieok.surfaces.language import TerminalReader, language
from gieok.surfaces.layout import has_colour, width
from gieok.surfaces.progress import Progress
from gieok.text.messages import Words

if TYPE_CHECKING:
    from gieok.commands.run import OperationAnswer
    from gieok.home.call import Call
    from gieok.home.resident import Resident

_FAILED = 2
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    line, reader = read_command_line(arguments), TerminalReader(arguments, os.environ)
    lang = reader.lang if line.is_help or not line.name else language(arguments, os.environ)
    report = partial(_report_cli_error, reader, as_json="--json" in arguments)
    try:
        return _answer_command_line(line, lang, reader, report)
    except GieokError as error:
        return report(error)
    except KeyboardInterrupt:
        return _report_stopped_command(line, lang)
    except BrokenPipeError:  # of stderr: nobody follows any more (`streams.run`)
        raise
    except Exception as error:
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        return report(unexpected(error))


def _report_stopped_command(line: CommandLine, lang: str) -> int:
    """Tell the person what an interrupted command leaves behind; return the exit status."""
    remains = load_command(line.name).when_stopped.say(lang) if line.name in NAMES else ""
    if remains:
        streams.print_error(Words.of("stopped; {remains}", remains=remains).say(lang))
    return _INTERRUPTED


def _answer_command_line(
    line: CommandLine, lang: str, reader: TerminalReader, report: Callable[[GieokError], int]
) -> int:
    """Run the command that a command line calls. Raises GieokError."""
    if (status := _answer_help(line, lang)) is not None:
        return status
    if not _is_command(line) and (named := bare_question.read_document_command(line)):
        line = named
    elif not _is_command(line):
        question = bare_question.read_bare_question(line)
        if question is None:
            raise _build_unknown_command_error(line)
        if (notice := bare_question.describe_bare_question(line)) is not None:
            print(notice.say(lang), file=sys.stderr)
        line = question
    command_parser = parser.of_command(line.name, lang, report)
    if line.is_help:
        return _print_help_text(command_parser.format_help())
    parsed = command_parser.parsed(line.arguments)
    if line.name in SERVERS:
        return _run_server_command(line.name, SERVERS[line.name], parsed, lang)
    return _run_cli_operation(load_command(line.name), parsed, lang, reader)


def _is_command(line: CommandLine) -> bool:
    if line.is_sentence:  # it stands in quotes, which promise a question
        return False
    is_event = (
        line.is_help and line.name.startswith("hook ") and line.name.partition(" ")[2] in EVENTS
    )
    return (
        is_event
        or line.name in SERVERS
        or (line.name in NAMES and Surface.CLI in load_command(line.name).surfaces)
    )


def _answer_help(line: CommandLine, lang: str) -> int | None:
    """Answer a call for help or for the version; return None where a command is called.

    No operation is loaded for the answer.
    """
    if line.arguments[:1] and line.arguments[0] in VERSION:
        return _print_help_text(f"gieok {__version__}")
    if line.name and not line.is_group:
        return None
    from gieok.surfaces import overview

    stream = sys.stdout if line.is_help else sys.stderr
    style = Style(lang, has_colour(stream, os.environ))
    text = (
        overview.group(line.name, style, width(stream))
        if line.name
        else overview.render_command_overview(style, width(stream))
    )
    if line.is_help:
        return _print_help_text(text)
    print(text, file=stream)
    return _FAILED


def _print_help_text(text: str) -> int:
    streams.write_answer_text(text, sys.stdout.encoding or "utf-8")
    return 0


def _build_unknown_command_error(line: CommandLine) -> BadRequest:
    """Return the error for an unknown command.

    The error does not repeat the words typed behind `keys`, because they may be a key.
    """
    group, _, word = line.name.partition(" ")
    if group.startswith("-"):
        return BadRequest(
            "there is no command in front of {group}",
            group=group,
            hint="write the command first, then its options: `gieok help`",
        )
    commands = [f"{group} {command}" for command in list_group_commands(group)]
    typed = f"gieok {group} …" if group == "keys" and word else f"gieok {line.name}"
    help_command = f"`gieok help {group}`" if commands else "`gieok help`"
    hint = Phrase("all of them: {all_of_them}", all_of_them=help_command)
    if commands and word and group != "keys":
        template = '{commands}. A question stands in quotes: `gieok "…"`'
        hint = Phrase(template, commands=hint)
    if not commands and (mistyped := bare_question.find_mistyped_command(line.name)):
        template = 'did you mean `gieok {closest}`? A question stands in quotes: `gieok "…"`'
        hint = Phrase(template, closest=mistyped)
    elif group != "keys" and (closest := parser.close(line.name, commands)):
        hint = Phrase("did you mean `gieok {closest}`? {hint}", closest=closest, hint=hint)
    return BadRequest("there is no command `{typed}`", typed=typed, hint=hint)


def _run_server_command(
    name: str, server: ServerCommand, parsed: argparse.Namespace, lang: str
) -> int:
    """Run another surface, such as `gieok mcp` or `gieok serve`."""
    given = [*(setting for _, setting, _ in server.flags), *filter(None, server.word[:1])]
    settings = {key: text for key in given if (text := getattr(parsed, key)) is not None}
    match name:
        case "serve":
            from gieok.surfaces.http.serve import main as serve_http

            return serve_http(settings, lang)
        case "completion":
            from gieok.surfaces.completion import main as print_completion

            return print_completion(settings, lang)
        case _:
            from gieok.surfaces.mcp import main as serve_tools

            return serve_tools()


def _run_cli_operation(
    chosen: Command[..., Any], parsed: argparse.Namespace, lang: str, reader: TerminalReader
) -> int:
    values = parser.values(chosen, parsed)
    flags = {
        setting: getattr(parsed, setting)
        for _, setting, *_ in GLOBAL
        if getattr(parsed, setting) is not None
    }
    with Progress(sys.stderr, reader.told) as progress:
        answer = (
            _ask_daemon_for_answer(chosen, values, flags, lang, progress)
            if chosen.runs_in_daemon
            else None
        )
        if answer is None:
            answer = _run_in_this_process(chosen, values, flags, lang, progress)
    if answer.failure:
        return _show_failed_answer(reader, answer, as_json=parsed.json)
    if chosen.name == "search" and (session := os.environ.get("CLAUDE_CODE_SESSION_ID")):
        trail.count_hook_call(
            build_home_path(), {"event": "search", "agent": "cli", "session": session}
        )
    if chosen.name in ("install", "setup", "up"):
        from gieok.surfaces import tools

        # keeps the tool definitions in the home, so that the first start of `gieok mcp` by the
        # agent finds them
        tools.list_tool_definitions()
    if parsed.json:
        _write_json(answer.data)
    elif chosen.is_verbatim:
        streams.write_bytes(answer.text.encode("utf-8", "surrogateescape"))
    else:
        streams.write_answer_text(answer.text, sys.stdout.encoding or "utf-8")
    return answer.status


def _run_in_this_process(
    chosen: Command[..., Any],
    values: Mapping[str, object],
    flags: Mapping[str, str],
    lang: str,
    progress: Progress,
) -> "OperationAnswer":
    """Run an operation in this process."""
    from gieok.commands.run import run_operation
    from gieok.home.calls import open_call  # after the arguments: `--help` needs none of it

    open_for = partial(
        open_call,
        flags,
        say=progress.say,
        tell=progress.tell,
        ask=_ask_terminal if sys.stdin.isatty() and sys.stderr.isatty() else None,
        lang=lang,
        resident=_build_cli_resident() if values.get("watch") else None,
        has_daemon=True,
    )

    def opened(found: Command[..., Any]) -> "Call":
        call = open_for(forgiving=found.runs_without_settings)
        set_process_zone(call.home.settings.text("zone"))
        return call

    return run_operation(chosen.name, values, opened, colour=_has_colour())


def _ask_daemon_for_answer(
    chosen: Command[..., Any],
    values: Mapping[str, object],
    flags: Mapping[str, str],
    lang: str,
    progress: Progress,
) -> "OperationAnswer | None":
    """Return the daemon's answer to an operation; None where no daemon runs that could answer."""
    home = Path(build_home_path())
    if not (home / "daemon.json").exists():
        return None
    from gieok.commands.run import OperationAnswer, decode_failure
    from gieok.processes.call import DaemonCall, ask_daemon

    call = DaemonCall(
        chosen.name,
        values,
        Surface.CLI.value,
        os.getcwd(),  # noqa: PTH109
        dict(os.environ),
        flags,
        lang,
        colour=_has_colour(),
    )
    answer = ask_daemon(
        home, call, writes=chosen.effect is not Effect.READ, say=progress.say, tell=progress.tell
    )
    if answer is None:
        return None
    failure = decode_failure(answer["failure"]) if answer["failure"] else None
    return OperationAnswer(**{**answer, "failure": failure})


def _build_cli_resident() -> "Resident":
    from gieok.home.resident import Resident

    return Resident()


def _ask_terminal(what: str) -> str:
    print(what, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()


def _write_json(data: object) -> None:
    # JSON is always UTF-8, whatever the terminal's encoding.
    streams.write_answer_text(json.dumps(data, ensure_ascii=False), "utf-8")


def _has_colour() -> bool:
    return has_colour(sys.stdout, os.environ)


def _report_cli_error(reader: TerminalReader, error: GieokError, *, as_json: bool) -> int:
    from gieok.commands.run import build_failed_answer

    return _show_failed_answer(reader, build_failed_answer(error), as_json=as_json)


def _show_failed_answer(reader: TerminalReader, answer: "OperationAnswer", *, as_json: bool) -> int:
    """Show an error, and return its exit status.

    With `as_json` the text is English, because programs read JSON; a person reads Korean where the
    terminal's language is Korean.
    """
    if as_json:
        with contextlib.suppress(OutputLost):  # then the words on stderr have to do
            _write_json(answer.data)
    if answer.failure:
        streams.print_error(reader.told(answer.failure.message), reader.told(answer.failure.hint))
    return answer.status
