"""Reads the newest transcripts within a small budget, before a search or a session start.

For machines where no daemon follows the transcripts.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gieok.agents.sources import ScopedTranscript, sources
from gieok.memory.capture import spool
from gieok.memory.capture.freshness import Backlog
from gieok.memory.capture.tail import PORTION_BYTES
from gieok.memory.sidecar import Sidecar

#: Both budgets together take about half a second on one core.
BUDGET_BYTES = 500_000
BUDGET_TURNS = 400
#: Cost of reading a database, in bytes of a transcript file.
_DATABASE_BYTES = 50_000
_REALM = "catching-up"


class _Grown(NamedTuple):
    """Transcript with unread bytes, or whose current state was not looked at yet."""

    changed_ns: int
    bytes: int
    looks: str
    source: ScopedTranscript


def catch_up(
    sidecar: Sidecar, budget_bytes: int = BUDGET_BYTES, budget_turns: int = BUDGET_TURNS
) -> Backlog:
    """Read the transcripts that changed last, newest first, and make their messages searchable.

    A long transcript is read a megabyte at a time. Nothing is read while another process does the
    same. Raises StoreError.
    """
    with sidecar.journal.exclusive("catch-up", wait=False) as held:
        grown = (
            sorted(_find_grown_transcripts(sidecar), key=lambda found: -found.changed_ns)
            if held
            else []
        )
        looked: dict[str, str] = {}
        for found in list(grown):
            if budget_bytes <= 0:
                break
            budget_bytes -= min(
                found.bytes, _DATABASE_BYTES if found.source.database else PORTION_BYTES
            )
            if sidecar.capture_some(found.source):
                grown.remove(found)
                looked[str(found.source.path)] = found.looks
        if looked:
            sidecar.journal.keep(_REALM, looked)
        derived = sidecar.derive_turns(most=budget_turns, wait=False)
    return Backlog(len(grown), derived.waiting, derived.put, is_elsewhere=not held)


def patterns(sidecar: Sidecar) -> list[str]:
    """Return the path patterns of transcripts, as `freshness` takes them."""
    named = [
        str(place.folder / pattern)
        for place in sidecar.transcripts.places
        for pattern in (*place.files.split(), *place.databases.split())
    ]
    walls = [
        str(place.folder / f"{place.databases}-wal")
        for place in sidecar.transcripts.places
        if place.databases
    ]
    return [*named, *walls, str(sidecar.spool / "*.json")]


def _find_grown_transcripts(sidecar: Sidecar) -> Iterator[_Grown]:
    """Yield the transcripts that may hold unread lines.

    Only the size of a file and the time of its last change are compared. A file that was rewritten
    at the same size is left to the next complete capture.
    """
    known = {cursor.identity: cursor for cursor in sidecar.journal.cursors()}
    looked = sidecar.journal.kept(_REALM)
    transcripts = sidecar.transcripts
    waiting = (event.transcript for event in spool.events(sidecar.spool, sidecar.clock.now()))
    by_path = {
        source.path: source for source in sources(transcripts.places, transcripts.default_scope)
    }
    by_path |= {
        path: ScopedTranscript(path, transcripts.default_scope)
        for path in waiting
        if path not in by_path
    }
    for path, source in by_path.items():
        try:
            status = path.stat()
            changed_ns = max(status.st_mtime_ns, _wal_ns(path) if source.database else 0)
        except OSError:
            continue
        looks = f"{status.st_size} {changed_ns}"
        cursor = known.get(f"{status.st_dev}:{status.st_ino}")
        left = status.st_size - (cursor.offset if cursor and not cursor.is_rereading else 0)
        if left and looked.get(str(path)) != looks:
            yield _Grown(changed_ns, left, looks, source)


def _wal_ns(database: Path) -> int:
    log = database.with_name(f"{database.name}-wal")
    return log.stat().st_mtime_ns if log.exists() else 0
