"""Readers of transcripts that agents keep in databases."""

from typing import NamedTuple, Protocol


class StoredSession(NamedTuple):
    """Session in an agent's own database.

    `last_event` is the highest number of its events, -1 where it has none.
    """

    id: str
    key: str
    last_event: int


class TranscriptStore(Protocol):
    """Read-only access to transcripts that an agent keeps in a database rather than in files.

    Raises TranscriptUnreadable, MissingExtra.
    """

    def sessions(self) -> list[StoredSession]:
        """Return every session, sorted by id."""

    def events(self, session: str, after: int, limit: int) -> list[tuple[int, str]]:
        """Return up to `limit` events numbered above `after` in order, as lines of a transcript.

        Each line is JSON.
        """

    def close(self) -> None:
        """Close the database."""
