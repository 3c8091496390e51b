"""Observations of tool calls: the edited file, the failed command; never a word of a tool's output.

Of the arguments, only a path and the first words of a command: a web page may have chosen the rest.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from gieok.capabilities.observe.observation import Category, Observation, Priority
from gieok.model.conversation import Journalled, Role

_CALL = re.compile(r"\[(?P<name>[\w.:-]{1,60}) (?P<arguments>[^\n]+)")
_OUTCOME = re.compile(r"\[(?P<name>[\w.:-]{1,60}) (?P<outcome>ok|failed)\]")
#: Gemini CLI reports a call together with its outcome.
_OUTCOME_BEHIND = re.compile(r"\] " + _OUTCOME.pattern)
_EDITS = frozenset("write edit multiedit notebookedit apply_patch write_file replace create_file str_replace".split())
_PATH = re.compile(
    r"(?:\b(?:file_?path|path|filename|file|target_file|notebook_path|absolute_path)=|\*\*\* \w+ File: )([^\s\]…]{1,200})",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"\b(?:command|cmd)=(.+)")
_WORD = re.compile(r"[\w./+-]{1,120}")
_SHELLS = frozenset(("bash", "sh", "zsh", "-lc", "-c", "-l", "cd", "sudo"))
_COMMAND_WORDS = 2
#: An observation of this module: `[Edit src/a.py]`, `[Bash failed: npm test]`.
_DEED = re.compile(r"\[[\w.:-]{1,60} (?:failed: (?P<failed>.{1,400})|(?P<path>\S{1,200}))\]$")
#: Of so many days the deeds are shown, so many a day.
SHOWN_DAYS = 2
_SHOWN = 4
#: A tool message begins with its call and its outcome.
_LOOKED_AT_CHARS = 2_000


def observations(messages: Sequence[Journalled]) -> Iterator[Observation]:
    """Yield the edits and failures of a span. With several pending calls, it is unknown which of them failed."""
    waiting: dict[str, list[str]] = defaultdict(list)
    for journalled in messages:
        message = journalled.message
        if message.role is not Role.TOOL:
            continue
        text = message.text[:_LOOKED_AT_CHARS]
        call = None if _OUTCOME.match(text) else _CALL.match(text)
        outcome = _OUTCOME.match(text) if call is None else _OUTCOME_BEHIND.search(text)
        failed = outcome is not None and outcome["outcome"] == "failed"
        commands = waiting[message.session]
        if call:
            commands.append(_command(call["arguments"]))
            if call["name"].lower() in _EDITS and not failed and (path := _PATH.search(call["arguments"])):
                yield _state(journalled, f"[{call['name']} {path[1]}]")
        if outcome:
            if failed and len(commands) == 1 and commands[0]:
                yield _state(journalled, f"[{outcome['name']} failed: {commands[0]}]")
            commands.clear()


def _state(journalled: Journalled, text: str) -> Observation:
    return Observation(text, journalled.message.at, Priority.LOW, Category.STATE, False, (journalled.message.id,))


def _command(arguments: str) -> str:
    found = _COMMAND.search(arguments)
    words = _WORD.findall(found[1][:200]) if found else []
    return " ".join([word for word in words if word not in _SHELLS][:_COMMAND_WORDS])


def is_deed(text: str) -> bool:
    """Say whether an observation is one of this module."""
    return text.startswith("[") and _DEED.match(text) is not None


def summed_up(texts: Sequence[str]) -> str:
    """Return the deeds of a day in one line: `[edited: a.py, b.py, 3 more; failed: npm test]`."""
    found = [deed for deed in map(_DEED.match, texts) if deed]
    named = (("edited", [deed["path"] for deed in found]), ("failed", [deed["failed"] for deed in found]))
    parts = [f"{what}: {_first(names)}" for what, names in named if any(names)]
    return f"[{'; '.join(parts)}]"


def _first(names: Sequence[str | None]) -> str:
    kept = list(dict.fromkeys(name for name in names if name))
    more = f", {len(kept) - _SHOWN} more" if len(kept) > _SHOWN else ""
    return ", ".join(name.rsplit("/", 1)[-1] for name in kept[-_SHOWN:]) + more
