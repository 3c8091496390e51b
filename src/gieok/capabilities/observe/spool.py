"""What hooks leave behind: one small file per event, which says where a transcript is. See `gieok.surfaces.hook.trail`.

A file is removed only after the journal holds what it pointed to.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

#: After these the agent sees its conversation no more: what is left of it is observed at once.
ENDS = frozenset(("session-end", "pre-compact"))
#: A transcript that is not there by now will not come.
_PATIENCE = timedelta(days=7)


class Event(NamedTuple):
    """One event of a hook, and the file that tells of it."""

    file: Path
    name: str
    transcript: Path
    folder: str


def events(folder: Path, now: datetime) -> Iterator[Event]:
    """Yield the events that wait, oldest first; what is no event, or too old to come true, is moved out of the way."""
    for file in sorted(folder.glob("*.json")):
        try:
            row = json.loads(file.read_text(encoding="utf-8"))
            event = Event(file, str(row["event"]), Path(row["transcript_path"]), str(row.get("cwd") or ""))
        except FileNotFoundError:
            continue  # another process was faster
        except (OSError, ValueError, KeyError, TypeError):
            file.replace(file.with_suffix(".bad"))
            continue
        if event.transcript.is_file():
            yield event
        elif now.timestamp() - file.stat().st_mtime > _PATIENCE.total_seconds():
            file.replace(file.with_suffix(".bad"))
