"""opencode before 1.3: one file per session, message and part.

The files lie in `~/.local/share/opencode/storage`.
"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from gieok.errors import TranscriptUnreadable
from gieok.ports.transcripts import StoredSession

#: A larger file is no part of a conversation.
_MOST_BYTES = 64 << 20
#: Limit of what is read of one session.
_MOST_LINES = 100_000


class OpenCodeFiles:
    """`TranscriptStore` on the folder of messages, `storage/message`.

    Lines have the form of the database's lines. Line numbers start from the time of the session's
    last change: after another change, the whole session is read again.
    """

    def __init__(self, folder: Path) -> None:
        self._messages, self._storage = folder, folder.parent
        self._found: dict[str, dict[str, Any]] = {}

    def sessions(self) -> list[StoredSession]:
        """Return every session that has a message."""
        try:
            self._found = {session["id"]: session for session in self._list_sessions()}
        except OSError as error:
            raise TranscriptUnreadable(
                "cannot read {storage!r}: {error}", storage=self._storage, error=error
            ) from error
        return [
            StoredSession(identity, "", _find_first_line_number(session) + _MOST_LINES)
            for identity, session in sorted(self._found.items())
        ]

    def _list_sessions(self) -> Iterator[dict[str, Any]]:
        for file in self._storage.glob("session/*/*.json"):
            session = _read_opencode_file(file)
            identity = session.get("id")
            if (
                isinstance(identity, str)
                and identity == file.stem
                and (self._messages / identity).is_dir()
            ):
                yield session

    def events(self, session: str, after: int, limit: int) -> list[tuple[int, str]]:
        """Return the session's beginning and its parts; the last line has the session's number."""
        info = self._found.get(session)
        if info is None or after >= _find_first_line_number(info) + _MOST_LINES:
            return []
        lines = [
            json.dumps(line, ensure_ascii=False)
            for line in islice(self._lines(session, info), _MOST_LINES)
        ]
        numbered = list(enumerate(lines, start=_find_first_line_number(info)))
        numbered[-1] = (_find_first_line_number(info) + _MOST_LINES, lines[-1])
        return [(number, line) for number, line in numbered if number > after][:limit]

    def _lines(self, session: str, found: dict[str, Any]) -> Iterator[dict[str, object]]:
        info = {"directory": found.get("directory"), "parentID": found.get("parentID")}
        yield {
            "event": "session.created.1",
            "data": {"sessionID": session, "info": info},
            "message": None,
        }
        messages = [
            _read_opencode_file(file) for file in self._messages.joinpath(session).glob("*.json")
        ]
        for message in sorted(
            messages, key=lambda one: (_read_opencode_time(one, "created"), str(one.get("id")))
        ):
            folder = self._storage / "part" / str(message.get("id"))
            parts = sorted(
                (_read_opencode_file(file) for file in folder.glob("*.json")),
                key=lambda one: str(one.get("id")),
            )
            for part in filter(None, parts):
                data = {
                    "sessionID": session,
                    "time": _read_opencode_time(message, "created"),
                    "part": part,
                }
                yield {"event": "message.part.updated.1", "data": data, "message": message}

    def close(self) -> None:
        """Close nothing: no file stays open."""


def _find_first_line_number(session: dict[str, Any]) -> int:
    """Return the number of a session's first line."""
    return (
        max(_read_opencode_time(session, "updated"), _read_opencode_time(session, "created"), 1)
        * 2
        * _MOST_LINES
    )


def _read_opencode_time(record: dict[str, Any], name: str) -> int:
    times = record.get("time")
    value = times.get(name) if isinstance(times, dict) else None
    return int(value) if isinstance(value, int | float) else 0


def _read_opencode_file(file: Path) -> dict[str, Any]:
    """Return the object in a file; an empty one if the file is damaged."""
    try:
        content = json.loads(file.read_bytes()) if file.stat().st_size <= _MOST_BYTES else None
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
