"""Counts prompts in a host's prompt history that no transcript holds any more.

Hosts keep a list of prompts for the arrow keys. They remove old transcripts (Claude Code after
thirty days by default) and keep the list. The list is not read as memory: it does not hold the
answers, and prompts that were read while their transcript existed would be read a second time.
"""

import json
from collections.abc import Callable
from pathlib import Path

from gieok.agents.transcripts.fields import read_text_field


def count_orphans(file: Path, identity: str, text: str, is_there: Callable[[str], bool]) -> int:
    """Return how many prompts of a list belong to no existing transcript.

    `identity` and `text` are the names of the fields for the session's id and for the typed text. A
    prompt that names no session is counted, although it may be in a transcript: nothing says that
    it is.
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
    """Return whether a prompt is more than a command of the program."""
    return bool(typed.strip()) and not (typed.startswith("/") and " " not in typed.strip())
