"""The command line, made from the operations table.

Data goes to stdout, talk to stderr. Exit status: 0 done, 1 nothing found, 2 error.
"""

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gieok import __version__, places
from gieok.agents.table import EVENTS
from gieok.errors import TRACEBACK_VARIABLE, BadRequest, GieokError, OutputLost, unexpected
from gieok.ops import NAMES, operation
from gieok.ops.control import DaemonControl
from gieok.ops.operation import Effect, Operation, Style, Surface, Words
from gieok.surfaces import parser, streams
from gieok.surfaces.arguments import VERSION, Line, read
from gieok.surfaces.commands import GLOBAL, SERVERS, Server, first_words, members
from gieok.surfaces.hook import trail
from gieok.surfaces.language import Reader, language
from gieok.surfaces.layout import has_colour, width
from gieok.surfaces.progress import Progress

if TYPE_CHECKING:
    from gieok.app.resident import Resident
    from gieok.ops.context import Context
    from gieok.ops.run import Answer
    from gieok.ports.dialogue import Dialogue

_FAILED = 2
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    line, reader = read(arguments), Reader(arguments, os.environ)
    lang = reader.lang if line.is_help or not line.name else language(arguments, os.environ)
    report = partial(_report, reader, as_json="--json" in arguments)
    try:
        return _answered(line, lang, reader, report)
    except GieokError as error:
        return report(error)
    except KeyboardInterrupt:
        return _stopped(line, lang)
    except BrokenPipeError:  # of stderr: nobody follows any more (`streams.run`)
        raise
    except Exception as error:
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        return report(unexpected(error))


def _stopped(line: Line, lang: str) -> int:
    """Say what an interrupted command leaves behind."""
    kept = operation(line.name).when_stopped.say(lang) if line.name in NAMES else ""
    if kept:
        streams.print_error(Words(f"stopped; {kept}", f"멈췄습니다. {kept}").say(lang))
    return _INTERRUPTED


def _answered(line: Line, lang: str, reader: Reader, report: Callable[[GieokError], int]) -> int:
    """Run what a line calls. Raises GieokError."""
    if (status := _helped(line, lang)) is not None:
        return status
    if not _is_command(line):
        raise _unknown(line, reader.lang)
    called = parser.of_command(line.name, lang, report)
    if line.is_help:
        return _printed(called.format_help())
    parsed = called.parsed(line.arguments)
    if line.name in SERVERS:
        return _serve(SERVERS[line.name], parsed, lang)
    return _run(operation(line.name), parsed, lang, reader)


def _is_command(line: Line) -> bool:
    is_event = (
        line.is_help and line.name.startswith("hook ") and line.name.partition(" ")[2] in EVENTS
    )
    return (
        is_event
        or line.name in SERVERS
        or (line.name in NAMES and Surface.CLI in operation(line.name).surfaces)
    )


def _helped(line: Line, lang: str) -> int | None:
    """Answer what asks for help or the version; None where a command is called. No operation is
    loaded.
    """
    if line.arguments[:1] and line.arguments[0] in VERSION:
        return _printed(f"gieok {__version__}")
    if line.name == "help" and line.arguments[:1] == ("--man",):
        from gieok.surfaces import manual

        return _printed(manual.page(lang))
    if line.name and not line.is_group:
        return None
    from gieok.surfaces import overview

    stream = sys.stdout if line.is_help else sys.stderr
    style = Style(lang, has_colour(stream, os.environ))
    text = (
        overview.group(line.name, style, width(stream))
        if line.name
        else overview.whole(style, width(stream))
    )
    if line.is_help:
        return _printed(text)
    print(text, file=stream)
    return _FAILED


def _printed(text: str) -> int:
    streams.write(text, sys.stdout.encoding or "utf-8")
    return 0


def _unknown(line: Line, lang: str) -> BadRequest:
    """Return what is wrong with a command that there is not; what was typed behind `keys` may be a
    key.
    """
    group, _, word = line.name.partition(" ")
    if group.startswith("-"):
        told = Words(f"there is no command in front of {group}", f"{group} 앞에 명령이 없습니다")
        hint = Words(
            "write the command first, then its options: `gieok help`",
            "명령을 먼저, 옵션은 뒤에: `gieok help`",
        )
        return BadRequest(told.say(lang), hint=hint.say(lang))
    known = [f"{group} {one}" for one in members(group)] or first_words()
    shown = f"gieok {group} …" if group == "keys" and word else f"gieok {line.name}"
    near = parser.close(line.name, known) if group != "keys" else ""
    all_of_them = f"`gieok help {group}`" if members(group) else "`gieok help`"
    hint = Words(f"all of them: {all_of_them}", f"명령 전부: {all_of_them}")
    if near:
        hint = Words(f"did you mean `gieok {near}`? {hint.en}", f"`gieok {near}`인가요? {hint.ko}")
    told = Words(f"there is no command `{shown}`", f"`{shown}` 명령은 없습니다")
    return BadRequest(told.say(lang), hint=hint.say(lang))


def _serve(server: Server, parsed: argparse.Namespace, lang: str) -> int:
    """Run another surface."""
    names = [*(name for _, name, _ in server.flags), *([server.word[0]] if server.word[0] else [])]
    given = {name: text for name in names if (text := getattr(parsed, name)) is not None}
    main = import_module(server.module).main
    status: int = main(given, lang) if names else main()
    return status


def _run(chosen: Operation[Any, Any], parsed: argparse.Namespace, lang: str, reader: Reader) -> int:
    values = parser.values(chosen, parsed)
    flags = {
        setting: getattr(parsed, setting)
        for _, setting, *_ in GLOBAL
        if getattr(parsed, setting) is not None
    }
    with Progress(sys.stderr, reader.told) as progress:
        answer = _daemons(chosen, values, flags, lang, progress) if chosen.runs_in_daemon else None
        if answer is None:
            answer = _own(chosen, values, flags, lang, progress)
    if answer.failure:
        return _fail(reader, answer, as_json=parsed.json)
    if chosen.name == "search" and (session := os.environ.get("CLAUDE_CODE_SESSION_ID")):
        trail.count(places.home(), {"event": "search", "agent": "cli", "session": session})
    if chosen.name in ("install", "setup", "up"):
        from gieok.surfaces import tools

        # keeps the definitions, so that the agent's first start of `gieok mcp` finds them
        tools.listed()
    if parsed.json:
        _write_json(answer.data)
    elif chosen.is_verbatim:
        streams.write_bytes(answer.text.encode("utf-8", "surrogateescape"))
    else:
        streams.write(answer.text, sys.stdout.encoding or "utf-8")
    return answer.status


def _own(
    chosen: Operation[Any, Any],
    values: Mapping[str, object],
    flags: Mapping[str, str],
    lang: str,
    progress: Progress,
) -> "Answer":
    """Run an operation in this process."""
    from gieok.app import open_context  # after the arguments: `--help` needs none of it
    from gieok.ops.run import run

    open_for = partial(
        open_context,
        flags,
        say=progress.say,
        tell=progress.tell,
        ask=_ask if sys.stdin.isatty() and sys.stderr.isatty() else None,
        dialogue=_dialogue if sys.stdin.isatty() and sys.stderr.isatty() else None,
        lang=lang,
        resident=_resident() if values.get("watch") else None,
        daemon=_daemon,
    )

    def opened(found: Operation[Any, Any]) -> "Context":
        context = open_for(forgiving=found.runs_without_settings)
        places.set_process_zone(context.admin.setting("zone"))
        return context

    return run(chosen.name, values, opened, colour=_has_colour())


def _daemons(
    chosen: Operation[Any, Any],
    values: Mapping[str, object],
    flags: Mapping[str, str],
    lang: str,
    progress: Progress,
) -> "Answer | None":
    """Return the daemon's answer; None where none runs that could give it."""
    home = Path(places.home())
    if not (home / "daemon.json").exists():
        return None
    from gieok.daemon.call import Call, ask
    from gieok.ops.run import Answer, Failure

    call = Call(
        chosen.name,
        values,
        Surface.CLI.value,
        os.getcwd(),  # noqa: PTH109
        dict(os.environ),
        flags,
        lang,
        colour=_has_colour(),
    )
    found = ask(
        home, call, writes=chosen.effect is not Effect.READ, say=progress.say, tell=progress.tell
    )
    if found is None:
        return None
    return Answer(**{**found, "failure": Failure(**found["failure"]) if found["failure"] else None})


def _resident() -> "Resident":
    from gieok.app.resident import Resident

    return Resident()


def _ask(what: str) -> str:
    print(what, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()


def _dialogue() -> "Dialogue":
    from gieok.surfaces.wizard import TerminalDialogue  # prompt_toolkit: 150 ms, for one command

    return TerminalDialogue()


def _daemon() -> DaemonControl:
    from gieok import paths
    from gieok.daemon.client import Daemon  # subprocess and socket: most commands need neither

    return Daemon(paths.home())


def _write_json(data: object) -> None:
    # JSON is always UTF-8, whatever the terminal's encoding.
    streams.write(json.dumps(data, ensure_ascii=False), "utf-8")


def _has_colour() -> bool:
    return has_colour(sys.stdout, os.environ)


def _report(reader: Reader, error: GieokError, *, as_json: bool) -> int:
    from gieok.ops.run import failed

    return _fail(reader, failed(error), as_json=as_json)


def _fail(reader: Reader, answer: "Answer", *, as_json: bool) -> int:
    """Show an error, and return its exit status. JSON is for programs: it says in English what a
    person reads in Korean.
    """
    if as_json:
        with contextlib.suppress(OutputLost):  # then the words on stderr have to do
            _write_json(answer.data)
    if answer.failure:
        streams.print_error(reader.told(answer.failure.message), reader.told(answer.failure.hint))
    return answer.status
