"""Reads the short form of a tool use back: what was run or edited, and how it ended.

`shortened_lines` writes that form into the journal. A value that was cut there ends with an
ellipsis, and is read as cut.
"""

import json
import re
from typing import NamedTuple

#: Fields in which tools that run commands are given the line.
_LINE_FIELDS = ("command", "cmd", "CommandLine", "script")
#: Fields in which tools that change a file are given its path.
_PATH_FIELDS = (
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "target_file",
    "TargetFile",
)
#: Further fields of such tools: a value ends where one of them begins.
_OTHER_FIELDS = (
    "description timeout timeout_ms workdir cwd dir_path directory run_in_background "
    "yield_time_ms max_output_tokens sandbox_permissions justification login shell tty "
    "dangerouslyDisableSandbox old_string new_string oldString newString content new_source "
    "replace_all replaceAll edits instruction code_edit offset limit input patch"
).split()
_ALL_FIELDS = "|".join((*_LINE_FIELDS, *_PATH_FIELDS, *_OTHER_FIELDS))
_FIELD = re.compile(rf"(?:^| )({_ALL_FIELDS})=")
_RESULT = re.compile(r"(?:^|\] )\[([^\[\]]{1,80}) (ok|failed)\](?: |$)")
_CALL = re.compile(r"\[([^\s=\[\]]{1,80})(?: |\]|$)")
_EDITING = re.compile(r"(?i)write|edit|replace|patch|create|notebook")
_PATCHED = re.compile(r"\*\*\* (?:Update|Add|Delete) File: ([^\s*]+)")
_CUT = "…"
_SHELLS = ("bash", "sh", "zsh")


class ToolLine(NamedTuple):
    """What a message of a tool says.

    `command` is the line that was run, `paths` are the files that were edited; both are empty for
    other tools. `outcome` is `ok`, `failed`, or '' for a call alone, `result` the shortened output.
    """

    is_call: bool
    command: str = ""
    paths: tuple[str, ...] = ()
    outcome: str = ""
    result: str = ""
    is_cut: bool = False


def read_tool_line(text: str) -> ToolLine:
    """Return what the short form of a tool use says."""
    ending = _RESULT.search(text)
    outcome = ending[2] if ending else ""
    result = text[ending.end() :] if ending else ""
    call = text[: ending.start() + 1] if ending and ending.start() else ("" if ending else text)
    name = _CALL.match(call)
    if name is None:
        return ToolLine(is_call=False, outcome=outcome, result=result)
    values = _read_values(call[name.end() :].removesuffix("]"))
    line = next((values[field] for field in _LINE_FIELDS if values.get(field)), "")
    line = _join_argument_vector(line)
    paths: tuple[str, ...] = ()
    if not line or line.startswith("*** Begin Patch"):
        patched = tuple(_PATCHED.findall(call))
        given = (values[field] for field in _PATH_FIELDS if values.get(field))
        paths = patched or (tuple(given) if _EDITING.search(name[1]) else ())
        line = ""
    return ToolLine(
        is_call=True,
        command=line.removesuffix(_CUT),
        paths=tuple(path for path in paths if not path.endswith(_CUT)),
        outcome=outcome,
        result=result,
        is_cut=line.endswith(_CUT),
    )


def _read_values(text: str) -> dict[str, str]:
    marks = list(_FIELD.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    values: dict[str, str] = {}
    for mark, end in zip(marks, ends, strict=True):
        values.setdefault(mark[1], text[mark.end() : end].strip())
    return values


def _join_argument_vector(line: str) -> str:
    """Return the line of a command that is given as a list of words."""
    if not line.startswith("["):
        return line
    try:
        words = json.loads(line)
    except ValueError:
        return line
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return line
    if words[:1] and words[0].rpartition("/")[2] in _SHELLS and len(words) > 2:
        return str(words[2])
    return " ".join(words)
