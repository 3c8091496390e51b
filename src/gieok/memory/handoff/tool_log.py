"""Reads the commands and changed files of a session from its messages of tools.

The journal keeps a call in one line and its result in short (`agents.transcripts.shortened_lines`),
in one message or in two. A result that stands alone does not name its call: it is taken for that of
the one call that waits. Of several calls that wait together the outcome is known only where all
their results agree. That a command line worked is known only where its exit status tells so of all
its programs. A call that the user rejected or interrupted did nothing, and is left out.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gieok.model.conversation import Message, Role
from gieok.text.gates import touched
from gieok.text.gates.programs import CommandWords
from gieok.text.gates.shell import Invocation, is_known_by_exit, read_shell_line

#: What a step did beside changing a file.
RUN = touched.RUN
#: Tools that write or delete the file that they are given, in lower case without `_` and `-`: what
#: a tool of another name does with its `path`, nobody knows.
_WRITERS = frozenset(
    """
    applypatch createfile edit editfile editnotebook inserteditintofile inserttextatcursor multiedit
    notebookedit patch replace replacestringinfile searchreplace strreplacebasededittool
    strreplaceeditor write writefile writetofile
    """.split()
)
_DELETERS = frozenset("delete deletefile".split())
#: What one of these editors does that changes nothing.
_VIEWS = re.compile(r"(?:^| )command=view(?: |$)")
_COMMAND_FIELDS = ("command", "cmd")
#: Fields of shells beside the command: a command line may hold other words with `=`.
_BESIDE = """
    description timeout timeout_ms run_in_background is_background workdir cwd directory dir_path
    working_directory yield_time_ms max_output_tokens login shell tty justification
    with_escalated_permissions sandbox_permissions dangerouslyDisableSandbox explanation
"""
_BEFORE_BESIDE = re.compile(rf" (?=(?:{'|'.join(_BESIDE.split())})=)")
_BEFORE_ANY = re.compile(r" (?=[A-Za-z_]{2,40}=)")
_RESULT = re.compile(r"\[(?P<name>[^\[\]]{1,80}) (?P<outcome>ok|failed)\](?: |$)")
_CALL_NAME = re.compile(r"\[([^\s\]]{1,80})")
#: How a host says in a result that a command failed: the first line, or a line behind its labels
#: (`Exit Code: 1` behind `Output:`, in Gemini CLI), or the data beside it. A program's output may
#: hold the same words elsewhere.
_EXIT = re.compile(
    r"\A(?:(?:Command|Directory|Chunk ID|Wall time): .*\n)*(?:Output: (?:.*\n)*)?"
    r"(?:Process exited with code|Exit code:?|Exit Code:) (?P<code>-?\d{1,3})$"
    r'|"metadata": ?\{"exit_code": ?(?P<data>-?\d{1,3})\b[^{}]*\}\}?\Z',
    re.MULTILINE,
)
#: How a host says that a call was not carried out.
_NOT_DONE = re.compile(
    r"(?i)\A\W*(?:the user doesn't want to (?:proceed with this tool use|take this action)"
    r"|request interrupted by user|interrupted by user|tool use (?:was )?rejected"
    r"|(?:exec command |patch |tool call )?rejected by user|aborted by user"
    r"|\[?(?:operation |tool call )?cancell?ed(?: by user)?)"
)
_PATCHED = re.compile(
    r"\*\*\* (?P<deed>Add|Update|Delete) File: (?P<path>.{1,200}?)(?= \*\*\*| @@| [+-]|\\n|…|$)"
)
_IN_BACKGROUND = re.compile(r"(?i)(?:^| )(?:run_in_background|is_background)=true(?: |$)")
#: How an argument vector of a shell begins as JSON.
_VECTOR = re.compile(r'\["(?:\S*/)?(?:ba|z|da)?sh", ?"-l?c", ?"')
#: Programs and what Git does that only look: such a command tells nothing to do again.
_LOOKING = frozenset(
    """
    ls cd pwd echo printf cat head tail less more wc tree find grep rg egrep which type true sleep
    date stat file env whoami hostname ps sed nl
    """.split()
)
_GIT_LOOKING = frozenset("status log diff show blame rev-parse ls-files".split())
#: Subcommands of Git that look only with these options, and with one of these words or, for "",
#: without any.
_GIT_LISTS = {
    "branch": (frozenset("-a -r -v -vv --all --remotes --list --show-current".split()), ("",)),
    "remote": (frozenset("-v --verbose".split()), ("", "show", "get-url")),
    "stash": (frozenset("-p --stat".split()), ("list", "show")),
}
#: Options by which a program that looks writes something, beside those that `touched` knows.
_WRITING_OPTIONS = {
    "date": ("-s", "--set"),
    "find": ("-fprint", "-fprint0", "-fprintf", "-fls"),
    "git": ("--output",),
    "hostname": ("-F", "--file", "-b", "--boot"),
    "less": ("-o", "-O", "--log-file", "--LOG-FILE"),
    "tree": ("-o",),
}


class LoggedStep(NamedTuple):
    """Command that ran or file that was changed: `place` is that of its message in the session.

    `worked` is None where the outcome is not known; `said` is the last line of a failure.
    `tells_all`: that it worked says so of all that ran.
    """

    deed: str
    text: str
    place: int
    worked: bool | None = None
    said: str = ""
    tells_all: bool = True


class _Outcome(NamedTuple):
    """Outcome of a call, the last line of its failure, and whether it was carried out at all."""

    worked: bool
    said: str
    is_done: bool = True


def read_tool_steps(messages: Sequence[Message]) -> list[LoggedStep]:
    """Return the commands and changes of a session's messages, in order."""
    steps: list[LoggedStep] = []
    waiting: list[list[int]] = []
    results: list[_Outcome] = []
    left_out: set[int] = set()
    has_results = False
    for place, message in enumerate(messages):
        if message.role is not Role.TOOL:
            if message.role is Role.USER:  # a call without a result by now was interrupted
                left_out.update(number for numbers in waiting for number in numbers)
                waiting, results = [], []
            continue
        call, outcome = _split_call(message.text)
        has_results = has_results or outcome is not None
        if call:
            made = [step._replace(place=place) for step in _read_call(call)]
            numbers = list(range(len(steps), len(steps) + len(made)))
            steps += made
            if outcome is None:
                if results:  # of calls before, not all of which were answered
                    waiting, results = [], []
                waiting.append(numbers)
            else:
                left_out |= _settle_steps(steps, [numbers], [outcome])
        elif outcome is not None and waiting:
            results.append(outcome)
            if len(results) == len(waiting):
                left_out |= _settle_steps(steps, waiting, results)
                waiting, results = [], []
    if not has_results:  # of a host that writes none
        return steps
    return [step for number, step in enumerate(steps) if number not in left_out]


def is_looking(line: str) -> bool:
    """Say whether a command line only looks at things."""
    programs = read_shell_line(line)
    return bool(programs) and all(_is_program_looking(program) for program in programs)


def _is_program_looking(program: Invocation) -> bool:
    """Say whether a program looks, with these arguments, and writes and deletes nothing."""
    parsed = CommandWords(program.program, program.arguments)
    if program.written or any(
        parsed.has_flag(option) for option in _WRITING_OPTIONS.get(parsed.program, ())
    ):
        return False
    if parsed.program == "git":
        return _is_git_looking(parsed)
    if parsed.program == "hostname" and parsed.words:
        return False
    paths = touched.iter_touched_paths(program.path, parsed, program.arguments)
    return parsed.program in _LOOKING and not any(
        path.deed in (touched.WRITE, touched.DELETE) for path in paths
    )


def _is_git_looking(parsed: CommandWords) -> bool:
    subcommand, *words = parsed.words or [""]
    if subcommand not in _GIT_LISTS:
        return subcommand in _GIT_LOOKING
    options, kinds = _GIT_LISTS[subcommand]
    is_listed = (words[0] if words else "") in kinds or "--list" in parsed.flags
    return is_listed and options.issuperset(parsed.flags)


def _settle_steps(
    steps: list[LoggedStep], calls: Sequence[list[int]], results: Sequence[_Outcome]
) -> set[int]:
    """Give the steps of calls their outcome, where it is known whose result is whose.

    Return the numbers of those that were not carried out.
    """
    outcomes = {(result.worked, result.is_done) for result in results}
    if len(calls) > 1 and len(outcomes) > 1:
        return set()
    made = [number for numbers in calls for number in numbers]
    if not results[0].is_done:
        return {*made}
    said = results[0].said if len(results) == 1 else ""
    for number in made:
        step = steps[number]
        worked: bool | None = results[0].worked
        if worked and not step.tells_all:
            worked = None
        steps[number] = step._replace(worked=worked, said=said)
    return set()


def _tells_all(line: str, arguments: str) -> bool:
    """Say whether a command's exit status tells of all its programs."""
    is_whole = not line.endswith("…") and not _IN_BACKGROUND.search(arguments)
    return is_whole and is_known_by_exit(line)


def _split_call(text: str) -> tuple[str, _Outcome | None]:
    """Return the call in a message ('' for none), and the outcome, None for none."""
    if alone := _RESULT.match(text):
        return "", _read_outcome(alone, text)
    name = _CALL_NAME.match(text)
    if name is None:
        return "", None
    for found in _RESULT.finditer(text):
        if found["name"] in (name[1], "tool") and text[: found.start()].endswith("] "):
            return text[: found.start()].rstrip(), _read_outcome(found, text)
    return text, None


def _read_outcome(found: re.Match[str], text: str) -> _Outcome:
    said = text[found.end() :].strip()
    ended = _EXIT.search(said)
    worked = found["outcome"] == "ok" and (ended is None or "0" in (ended["code"], ended["data"]))
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return _Outcome(
        worked, "" if worked or not lines else lines[-1][:160], is_done=not _NOT_DONE.match(said)
    )


def _read_call(call: str) -> Iterator[LoggedStep]:
    """Yield what a call runs or changes."""
    name, _, arguments = call.removeprefix("[").removesuffix("]").partition(" ")
    patched = list(_PATCHED.finditer(call))
    for patch in patched:
        deed = touched.DELETE if patch["deed"] == "Delete" else touched.WRITE
        yield LoggedStep(deed, patch["path"].strip(), 0)
    if patched:
        return
    tool = name.lower().replace("_", "").replace("-", "")
    is_editor = tool in _WRITERS | _DELETERS  # whose `command` says what it does with a file
    command = "" if is_editor else _find_value(arguments, _COMMAND_FIELDS, _BEFORE_BESIDE)
    if command:
        line = _read_vector(command)
        yield LoggedStep(RUN, line, 0, tells_all=_tells_all(line, arguments))
        return
    if not is_editor or _VIEWS.search(arguments):
        return
    path = _find_value(arguments, touched.PATH_FIELDS, _BEFORE_ANY)
    if path and not path.startswith(("[", "{")):
        yield LoggedStep(touched.DELETE if tool in _DELETERS else touched.WRITE, path, 0)


def _find_value(arguments: str, fields: Iterable[str], border: re.Pattern[str]) -> str:
    """Return the value of the first of the fields that stands among the arguments of a call."""
    for field in fields:
        before, sign, rest = f" {arguments}".partition(f" {field}=")
        if sign and not before.strip():
            return border.split(rest, maxsplit=1)[0].strip()
    for field in fields:
        _, sign, rest = f" {arguments}".partition(f" {field}=")
        if sign:
            return border.split(rest, maxsplit=1)[0].strip()
    return ""


def _read_vector(command: str) -> str:
    """Return the script of a shell that is called with an argument vector."""
    start = _VECTOR.match(command)
    if start is None:
        return command
    try:
        return " ".join(str(json.loads(command)[-1]).split())
    except ValueError:  # it was cut
        return command[start.end() :].removesuffix('"]')
