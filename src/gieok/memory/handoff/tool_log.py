"""Reads the commands and changed files of a session from its messages of tools.

The journal keeps a call in one line and its result in short (`agents.transcripts.shortened_lines`),
in one message or in two. A result that stands alone does not name its call: it is taken for that of
the one call that waits. Of several calls that wait together the outcome is known only where all
their results agree.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gieok.model.conversation import Message, Role
from gieok.text.gates import touched
from gieok.text.gates.shell import read_shell_line

#: What a step did beside changing a file.
RUN = touched.RUN
_CHANGES = (touched.WRITE, touched.DELETE)
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
#: Shells say in their output how a command ended.
_EXIT = re.compile(r"(?i)\bexit(?:ed with)?(?: code|_code\"?|status)?[: ]+(-?\d{1,3})\b")
_PATCHED = re.compile(
    r"\*\*\* (?P<deed>Add|Update|Delete) File: (?P<path>.{1,200}?)(?= \*\*\*| @@| [+-]|\\n|…|$)"
)
#: How an argument vector of a shell begins as JSON.
_VECTOR = re.compile(r'\["(?:\S*/)?(?:ba|z|da)?sh", ?"-l?c", ?"')
#: Programs and what Git does that only look: such a command tells nothing to do again.
_LOOKING = frozenset(
    """
    ls cd pwd echo printf cat head tail less more wc tree find grep rg egrep which type true sleep
    date stat file env whoami hostname ps sed nl
    """.split()
)
_GIT_LOOKING = frozenset("status log diff show branch remote blame rev-parse ls-files".split())


class LoggedStep(NamedTuple):
    """Command that ran or file that was changed: `place` is that of its message in the session.

    `worked` is None where the outcome is not known; `said` is the last line of a failure.
    """

    deed: str
    text: str
    place: int
    worked: bool | None = None
    said: str = ""


def read_tool_steps(messages: Sequence[Message]) -> list[LoggedStep]:
    """Return the commands and changes of a session's messages, in order."""
    steps: list[LoggedStep] = []
    waiting: list[list[int]] = []
    results: list[tuple[bool, str]] = []
    for place, message in enumerate(messages):
        if message.role is not Role.TOOL:
            if message.role is Role.USER:  # a call without a result by now was interrupted
                waiting, results = [], []
            continue
        call, outcome = _split_call(message.text)
        if call:
            made = [step._replace(place=place) for step in _read_call(call)]
            numbers = list(range(len(steps), len(steps) + len(made)))
            steps += made
            if outcome is None:
                if results:  # of calls before, not all of which were answered
                    waiting, results = [], []
                waiting.append(numbers)
            else:
                _settle_steps(steps, [numbers], [outcome])
        elif outcome is not None and waiting:
            results.append(outcome)
            if len(results) == len(waiting):
                _settle_steps(steps, waiting, results)
                waiting, results = [], []
    return steps


def is_looking(line: str) -> bool:
    """Say whether a command line only looks at things."""
    programs = read_shell_line(line)
    return bool(programs) and all(
        not program.written
        and (
            program.program in _LOOKING
            or (program.program == "git" and bool(_GIT_LOOKING & {*program.arguments[:3]}))
        )
        for program in programs
    )


def _settle_steps(
    steps: list[LoggedStep], calls: Sequence[list[int]], results: Sequence[tuple[bool, str]]
) -> None:
    """Give the steps of calls their outcome, where it is known whose result is whose."""
    outcomes = {worked for worked, _ in results}
    if len(calls) > 1 and len(outcomes) > 1:
        return
    said = results[0][1] if len(results) == 1 else ""
    for number in (number for numbers in calls for number in numbers):
        steps[number] = steps[number]._replace(worked=results[0][0], said=said)


def _split_call(text: str) -> tuple[str, tuple[bool, str] | None]:
    """Return the call in a message ('' for none), and the outcome with its last line."""
    if alone := _RESULT.match(text):
        return "", _read_outcome(alone, text)
    name = _CALL_NAME.match(text)
    if name is None:
        return "", None
    for found in _RESULT.finditer(text):
        if found["name"] in (name[1], "tool") and text[: found.start()].endswith("] "):
            return text[: found.start()].rstrip(), _read_outcome(found, text)
    return text, None


def _read_outcome(found: re.Match[str], text: str) -> tuple[bool, str]:
    said = text[found.end() :].strip()
    exits = _EXIT.findall(said)
    worked = found["outcome"] == "ok" and not (exits and exits[-1] != "0")
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return worked, "" if worked or not lines else lines[-1][:160]


def _read_call(call: str) -> Iterator[LoggedStep]:
    """Yield what a call runs or changes."""
    name, _, arguments = call.removeprefix("[").removesuffix("]").partition(" ")
    patched = list(_PATCHED.finditer(call))
    for patch in patched:
        deed = touched.DELETE if patch["deed"] == "Delete" else touched.WRITE
        yield LoggedStep(deed, patch["path"].strip(), 0)
    if patched:
        return
    if command := _find_value(arguments, _COMMAND_FIELDS, _BEFORE_BESIDE):
        yield LoggedStep(RUN, _read_vector(command), 0)
        return
    deed = touched.find_tool_deed(name)
    path = _find_value(arguments, touched.PATH_FIELDS, _BEFORE_ANY)
    if deed in _CHANGES and path and not path.startswith(("[", "{")):
        yield LoggedStep(deed, path, 0)


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
