"""The command line, made from the operations table.

Data goes to stdout, talk to stderr. Exit status: 0 done, 1 nothing found, 2 error. argparse rather than typer: the whole
of a cold keyword search may take 80 ms, and importing typer alone takes 61.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gieok import __version__, places
from gieok.agents.table import EVENTS, HOOKED
from gieok.errors import TRACEBACK_VARIABLE, BadRequest, GieokError, OutputLost, unexpected
from gieok.ops import NAMES, operation
from gieok.ops.context import DaemonControl
from gieok.ops.operation import Effect, Operation, Surface, Words
from gieok.ops.request import default_of
from gieok.surfaces import streams
from gieok.surfaces.hook import trail
from gieok.surfaces.language import language
from gieok.surfaces.progress import Progress

if TYPE_CHECKING:
    from gieok.app.resident import Resident
    from gieok.ops.run import Answer
    from gieok.ports.dialogue import Dialogue

_NOTHING_FOUND = 1
_FAILED = 2
_INTERRUPTED = 130
_ABOUT = Words(
    "One long-term memory for AI agents: local, offline, Korean and English.",
    "AI 에이전트를 위한 하나의 장기 기억: 내 컴퓨터에서, 인터넷 없이, 한국어와 영어로.",
)
_GLOBAL = (
    ("--scope", "scope", Words("whose memory, e.g. agent:main", "누구의 기억인지, 예: agent:main")),
    ("--lang", "lang", Words("language of what you read: en or ko", "화면의 언어: en 또는 ko")),
)


#: What a group of several commands is for; a group of one says what that does.
GROUPS = {
    "code": Words(
        "Project intelligence: what is where, what breaks if this changes",
        "프로젝트 이해: 무엇이 어디 있고, 바꾸면 무엇이 깨지는지",
    ),
    "character": Words(
        "Characters that remember their user: make, import, talk, points, keys",
        "사용자를 기억하는 캐릭터: 만들기, 가져오기, 대화, 포인트, 키",
    ),
    "observe": Words(
        "The sidecar: what agents' transcripts say, distilled", "사이드카: 에이전트 대화에서 추려 낸 기억"
    ),
    "config": Words("Settings: what is in force and why; change one", "설정: 지금 값과 그 출처, 하나 바꾸기"),
    "encryption": Words("Encryption at rest of archives and backups", "보관한 기억과 백업의 암호화"),
    "backup": Words("Backups of the home: make, check, restore them", "홈의 백업: 만들기, 확인, 복원"),
    "archive": Words(
        "Tiers of memory: what is in hot, warm and cold, and what moves",
        "기억의 층: hot, warm, cold에 있는 것과 옮기는 것",
    ),
    "keys": Words("Keys of services: where they are, whether they are valid", "서비스의 키: 어디에 있고 통하는지"),
    "hook": Words(
        "What coding agents call at every prompt; how well it decides",
        "코딩 에이전트가 프롬프트마다 부르는 것, 그 정확도",
    ),
}
#: What a group does where no command of it is named: group → command.
DEFAULTS = {"archive": "status", "backup": "create", "encryption": "status"}


class Server(NamedTuple):
    """A command that is no operation but another surface: what it does, and the module whose `main` runs it.

    `flags` stand for settings: flag, setting, its words. `main` gets them (setting → text) and the language.
    """

    doc: Words
    module: str
    flags: tuple[tuple[str, str, Words], ...] = ()


SERVERS = {
    "mcp": Server(
        Words("Serve the memory tools to an agent (MCP over stdio)", "에이전트에 기억 도구를 제공합니다 (MCP, stdio)"),
        "gieok.surfaces.mcp",
    ),
    "serve": Server(
        Words("Serve characters that remember, over HTTP", "기억하는 캐릭터를 HTTP로 제공합니다"),
        "gieok.surfaces.http.serve",
        (
            ("--host", "serve.host", Words("address to listen on", "들을 주소")),
            ("--port", "serve.port", Words("port; 0: any that is free", "포트; 0: 비어 있는 것")),
            ("--lang", "lang", Words("language of what you read: en or ko", "화면의 언어: en 또는 ko")),
        ),
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = _completed(sys.argv[1:] if arguments is None else arguments)
    lang = language(arguments, os.environ)
    parser = _parser(lang, _wanted(arguments))
    parser.hides_words = arguments[:1] == ["keys"]
    parsed = parser.parse_args(arguments)
    if not hasattr(parsed, "run"):
        parser.print_help(sys.stderr)
        return _FAILED
    try:
        status: int = parsed.run(parsed, lang)
    except GieokError as error:
        return _report(error, as_json=parsed.json)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # of stderr: nobody follows any more (`streams.run`)
        raise
    except Exception as error:
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        return _report(unexpected(error), as_json=parsed.json)
    else:
        return status


def _completed(arguments: Sequence[str]) -> list[str]:
    """Return the arguments, with the command of a group that is called without one; `help …` as `… --help`."""
    group, *more = arguments or ("",)
    if group == "help":
        return [*more, "--help"]
    if group.startswith("-") and group not in ("-h", "--help", "-V", "--version"):
        return _behind(arguments)
    is_bare = group in DEFAULTS and (not more or (more[0].startswith("-") and more[0] not in ("-h", "--help")))
    return [group, DEFAULTS[group], *more] if is_bare else list(arguments)


def _behind(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the options in front of the command behind it, where argparse looks for them."""
    front, rest = list[str](), list(arguments)
    while rest and rest[0].startswith("-"):
        front.append(rest.pop(0))
        if front[-1] in {flag for flag, *_ in _GLOBAL} and rest:
            front.append(rest.pop(0))
    return [*_completed(rest), *front] if rest else front


def _serve(server: Server, parsed: argparse.Namespace, lang: str) -> int:
    """Run another surface."""
    given = {name: text for _, name, _ in server.flags if (text := getattr(parsed, name)) is not None}
    main = import_module(server.module).main
    status: int = main(given, lang) if server.flags else main()
    return status


def _run(parsed: argparse.Namespace, lang: str) -> int:
    chosen: Operation[Any, Any] = parsed.operation
    values = {field.name: getattr(parsed, field.name) for field in dataclasses.fields(chosen.request)}
    flags = {setting: getattr(parsed, setting) for _, setting, _ in _GLOBAL if getattr(parsed, setting) is not None}
    with Progress(sys.stderr) as progress:
        answer = _daemons(chosen, values, flags, lang, progress) if chosen.runs_in_daemon else None
        if answer is None:
            answer = _own(chosen, values, flags, lang, progress)
    if answer.failure:
        return _fail(answer, as_json=parsed.json)
    if chosen.name == "search" and (session := os.environ.get("CLAUDE_CODE_SESSION_ID")):
        trail.count(places.home(), {"event": "search", "agent": "cli", "session": session})
    if chosen.name in ("install", "setup", "up"):
        from gieok.surfaces import tools

        tools.listed()  # keeps the definitions, so that the agent's first start of `gieok mcp` finds them
    if parsed.json:
        _write_json(answer.data)
    elif chosen.is_verbatim:
        streams.write_bytes(answer.text.encode("utf-8", "surrogateescape"))
    else:
        streams.write(answer.text, sys.stdout.encoding or "utf-8")
    return answer.status


def _own(
    chosen: Operation[Any, Any], values: Mapping[str, object], flags: Mapping[str, str], lang: str, progress: Progress
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
    return run(chosen.name, values, lambda found: open_for(forgiving=found.runs_without_settings), colour=_has_colour())


def _daemons(
    chosen: Operation[Any, Any], values: Mapping[str, object], flags: Mapping[str, str], lang: str, progress: Progress
) -> "Answer | None":
    """Return the daemon's answer; None where none runs that could give it."""
    home = Path(places.home())
    if not (home / "daemon.json").exists():
        return None
    from gieok.daemon.call import Call, ask
    from gieok.ops.run import Answer, Failure

    call = Call(
        chosen.name, values, Surface.CLI.value, os.getcwd(), dict(os.environ), flags, lang, colour=_has_colour()  # noqa: PTH109
    )  # fmt: skip
    found = ask(home, call, writes=chosen.effect is not Effect.READ, say=progress.say, tell=progress.tell)
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
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _width() -> int:
    return os.get_terminal_size().columns if sys.stdout.isatty() else 100


def _report(error: GieokError, *, as_json: bool) -> int:
    from gieok.ops.run import failed

    return _fail(failed(error), as_json=as_json)


def _fail(answer: "Answer", *, as_json: bool) -> int:
    """Show an error, and return its exit status."""
    if as_json:
        with contextlib.suppress(OutputLost):  # then the words on stderr have to do
            _write_json(answer.data)
    if answer.failure:
        streams.print_error(answer.failure.message, answer.failure.hint)
    return answer.status


class _Help(argparse.HelpFormatter):
    """Takes the width as given: to find it out, argparse would load half of a cold search's time."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_width())

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Leave lines of examples as they are."""
        return text if "\n" in text else super()._fill_text(text, width, indent)


class _Parser(argparse.ArgumentParser):
    """Errors in our own form and exit status."""

    #: What was typed may be a key: an error does not repeat it.
    hides_words = False

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - argparse's own
        super().__init__(formatter_class=_Help, allow_abbrev=False, **options)

    def error(self, message: str) -> Any:  # noqa: ANN401 - never returns
        from difflib import get_close_matches  # 2 ms, for an error

        hint, wrong = f"see `{self.prog} --help`", message.split("'")
        groups = (action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001 - argparse has no other way
        known = next(groups, None)
        if known and message.endswith("COMMAND"):
            message = f"`{self.prog}` needs a command: {', '.join(known)}"
        elif self.hides_words or "keys" in self.prog.split():
            message = message.partition(":")[0]
        elif known and message.startswith("argument COMMAND") and len(wrong) > 1:
            message = f"there is no command `{self.prog} {wrong[1]}`"
            near = get_close_matches(wrong[1], known, 1)
            hint = f"did you mean `{self.prog} {near[0]}`? All of them: `{self.prog} --help`" if near else hint
        self.exit(_report(BadRequest(message, hint=hint), as_json="--json" in sys.argv))


def _wanted(arguments: Sequence[str]) -> Sequence[str]:
    """Return the operations to load: those of the command that is named first, or all of them (help, a mistyped name)."""
    if " ".join(arguments[:2]) in NAMES:
        return [" ".join(arguments[:2])]
    first = arguments[0] if arguments else ""
    return [name for name in NAMES if name.split()[0] == first] or NAMES


def _parser(lang: str, names: Sequence[str]) -> _Parser:
    parser = _Parser(prog="gieok", description=_ABOUT.say(lang))
    parser.add_argument("-V", "--version", action="version", version=f"gieok {__version__}")
    commands = parser.add_subparsers(title=Words("commands", "명령").say(lang), metavar="COMMAND")
    groups: dict[str, Any] = {}
    for found in map(operation, names):
        if Surface.CLI in found.surfaces:
            group, _, name = found.name.rpartition(" ")
            if group and group not in groups:
                inner = commands.add_parser(group, help=GROUPS.get(group, found.doc).say(lang))
                groups[group] = inner.add_subparsers(required=True, metavar="COMMAND")
                _add_events(groups[group], group, lang)
            _add_command(groups[group] if group else commands, name, found, lang)
    for name, server in SERVERS.items():
        added = commands.add_parser(name, help=server.doc.say(lang), description=server.doc.say(lang))
        for flag, setting, words in server.flags:
            added.add_argument(flag, dest=setting, help=words.say(lang), metavar=flag[2:].upper())
        added.set_defaults(run=partial(_serve, server), json=False)
    return parser


def _add_events(group: Any, name: str, lang: str) -> None:  # noqa: ANN401 - argparse's own type is private
    """Add what an agent calls, for `--help`: `gieok.__main__` runs it, without any of this module."""
    for event, (en, ko) in EVENTS.items() if name == "hook" else ():
        doc = Words(en, ko).say(lang)
        called = group.add_parser(event, help=doc, description=doc)
        called.add_argument(
            "--agent",
            choices=tuple(HOOKED),
            help=Words(
                "whose payload is on stdin (default: seen from it)", "표준 입력이 누구의 것인지 (기본: 보고 앎)"
            ).say(lang),
        )


def _add_command(commands: Any, name: str, found: Operation[Any, Any], lang: str) -> None:  # noqa: ANN401 - argparse's own type is private
    doc = found.doc.say(lang)
    examples = [f"  {line}" for line in found.examples]
    epilog = "\n".join([Words("examples:", "예:").say(lang), *examples]) if examples else None
    command = commands.add_parser(name, help=doc, description=doc, epilog=epilog)
    for field in dataclasses.fields(found.request):
        _add_argument(command, field, lang)
    command.add_argument(
        "--json", action="store_true", help=Words("print JSON (docs/cli.md)", "JSON으로 출력 (docs/cli.md)").say(lang)
    )
    for flag, setting, doc_words in _GLOBAL:
        command.add_argument(flag, dest=setting, help=doc_words.say(lang))
    command.set_defaults(operation=found, run=_run)


def _add_argument(command: argparse.ArgumentParser, field: Any, lang: str) -> None:  # noqa: ANN401 - a dataclass field
    default = default_of(field)
    options: dict[str, Any] = {"help": field.metadata["doc"].say(lang).replace("%", "%%")}
    if isinstance(default, bool):
        command.add_argument(_flag(field.name), action="store_true", dest=field.name, **options)
        return
    if choices := field.metadata["choices"]:
        options["metavar"] = f"{{{','.join(choices)}}}"
    if field.metadata["positional"]:
        options["nargs"] = "*" if isinstance(default, list) else "?"
        command.add_argument(field.name, default=default, metavar=field.name.upper(), **options)
    else:
        command.add_argument(_flag(field.name), dest=field.name, default=default, **options)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
