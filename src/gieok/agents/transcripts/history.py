"""The list of prompts that a host keeps for its arrow keys: what of it stands in no transcript any
more.

Hosts remove old transcripts (Claude Code after thirty days, as shipped) and keep the list. It is
not read: it says nothing of what a prompt was answered, and what was read while its transcript was
there would come a second time.
"""

import json
from collections.abc import Callable
from pathlib import Path

from gieok.agents.transcripts.fields import read_text_field


def count_orphans(file: Path, identity: str, text: str, is_there: Callable[[str], bool]) -> int:
    """Return how many prompts of a list belong to no transcript that is there.

    `identity` and `text` are the fields of a session's id and of what was typed. A prompt that
    names no session may be in one: it is counted, for nothing says that it is.
    """
    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return 0
    known: dict[str, bool] = {}
    count = 0
    for data in lines:
        try:
            line = json.loads(data)
        except (ValueError, RecursionError):
            continue
        if not isinstance(line, dict) or not _says_something(read_text_field(line.get(text))):
            continue
        session = read_text_field(line.get(identity))
        if session not in known:
            known[session] = bool(session) and is_there(session)
        count += not known[session]
    return count


def _says_something(typed: str) -> bool:
    """Say whether a prompt is more than a command of the program."""
    return bool(typed.strip()) and not (typed.startswith("/") and " " not in typed.strip())
