"""Reader of the spool of hook events: one small file per event, which names a transcript.

The files are written by `gieok.surfaces.hook.trail`. A file is removed only after the journal holds
the messages of its transcript.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

#: Events after which the agent loses its conversation from its context: the rest of it is observed
#: at once.
ENDS = frozenset(("session-end", "pre-compact"))
#: Age at which an event without a transcript expires.
_PATIENCE = timedelta(days=7)


class Event(NamedTuple):
    """Hook event, and its file."""

    file: Path
    name: str
    transcript: Path
    folder: str


def events(folder: Path, now: datetime) -> Iterator[Event]:
    """Yield the waiting events, oldest first; invalid and expired ones are renamed to `.bad`."""
    for file in sorted(folder.glob("*.json")):
        try:
            row = json.loads(file.read_text(encoding="utf-8"))
            event = Event(
                file, str(row["event"]), Path(row["transcript_path"]), str(row.get("cwd") or "")
            )
        except FileNotFoundError:
            continue  # another process was faster
        except (OSError, ValueError, KeyError, TypeError):
            file.replace(file.with_suffix(".bad"))
            continue
        if event.transcript.is_file():
            yield event
        elif now.timestamp() - file.stat().st_mtime > _PATIENCE.total_seconds():
            file.replace(file.with_suffix(".bad"))
