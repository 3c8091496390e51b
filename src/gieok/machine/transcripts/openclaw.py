"""OpenClaw 2026.8 and later: one database per agent.

Its path is `~/.openclaw/agents/<agent>/agent/openclaw-agent.sqlite`. The schema uses functions of
SQLite 3.43; an older SQLite cannot prepare even a read. Debian 12 has 3.40.
"""

from pathlib import Path
from typing import Any

from gieok import extras
from gieok.machine.transcripts.database import TranscriptDatabase

#: An event has at most 4 MiB (a check of OpenClaw's own schema).
_LARGEST_EVENT_BYTES = 4 * 1024 * 1024


class OpenClawDatabase(TranscriptDatabase):
    """`TranscriptStore` on one agent's database."""

    AGENT = "OpenClaw"
    NEEDS = ("transcript_events", frozenset(("session_id", "seq", "event_json")))
    SESSIONS = (
        "SELECT w.session_id, w.session_key, "
        "coalesce((SELECT max(seq) FROM transcript_events e WHERE e.session_id = "
        "w.session_id), -1) "
        "FROM session_windows w ORDER BY w.session_id"
    )
    OLDEST_SQLITE = (3, 43)
    EXTRA = "openclaw"

    def __init__(self, file: Path) -> None:
        super().__init__(file)
        compressed = "event_zstd" if "event_zstd" in self.columns else "NULL"
        self.EVENTS = (
            f"SELECT seq, event_json, {compressed} FROM transcript_events "
            "WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"
        )

    def line(self, row: tuple[Any, ...]) -> str:
        """Return the event of a row; a long event may be compressed."""
        _, text, packed = row
        return text if text is not None else self._decompressed(packed)

    def _decompressed(self, packed: bytes) -> str:
        with extras.imports_of(self.EXTRA, "openclaw"):  # long events are compressed
            import zstandard
        data = zstandard.ZstdDecompressor().decompress(packed, max_output_size=_LARGEST_EVENT_BYTES)
        return data.decode("utf-8")
