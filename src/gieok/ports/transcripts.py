"""Readers of transcripts that agents keep in databases."""

from typing import NamedTuple, Protocol


class StoredSession(NamedTuple):
    """A session in an agent's own database; `last_event` is the highest number of its events, -1
    where it has none.
    """

    id: str
    key: str
    last_event: int


class TranscriptStore(Protocol):
    """Reads transcripts that an agent keeps in a database rather than in files. Never writes to it.

    Raises TranscriptUnreadable, MissingExtra.
    """

    def sessions(self) -> list[StoredSession]:
        """Return every session, sorted by id."""

    def events(self, session: str, after: int, limit: int) -> list[tuple[int, str]]:
        """Return up to `limit` events numbered above `after` in order, each as the JSON line of a
        transcript file.
        """

    def close(self) -> None:
        """Close the database."""
