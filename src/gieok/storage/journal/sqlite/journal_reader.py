"""Reads the end of the last session for the prompt hook.

Writes nothing, waits for no lock, ends at a deadline. Standard library, and none of it that is slow
to import (as `storage.index.sqlite.index_reader`).
"""

import os
import time

from gieok.storage.journal import CORRECTIONS
from gieok.storage.sqlite import driver, readonly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_BUSY_S = 0.05
_STEPS = 2_000
#: Number of sessions that are looked at: sessions of tools alone are passed over.
_MOST_SESSIONS = 5
_MOST_TURNS = 12
#: The last message of each source, by an index. Transcripts may be taken in in any order, so the
#: newest session is found by time.
_SESSIONS = """
    SELECT s.id, s.agent FROM sources s
    JOIN messages m ON m.seq = (SELECT max(seq) FROM messages WHERE source_id = s.id)
    WHERE m.scope_id = (SELECT id FROM scopes WHERE path = ?) AND s.session <> ?
    ORDER BY m.at DESC LIMIT ?
"""
#: A person's correction of a message takes the place of its text.
_TURNS = """
    SELECT m.role, coalesce(k.value, m.text), m.at FROM messages m
    LEFT JOIN kept k ON k.realm = ? AND k.name = m.id
    WHERE m.source_id = ? AND m.retracted = 0 AND m.role IN ('user', 'assistant')
        AND m.text <> '' ORDER BY m.seq DESC LIMIT ?
"""


class LastSession:
    """End of a session: its agent, and its last turns in order.

    A turn is (role, text, Unix milliseconds).
    """

    __slots__ = ("agent", "turns")

    def __init__(self, agent: str, turns: list[tuple[str, str, int]]) -> None:
        self.agent, self.turns = agent, turns


def last_session(
    file: str,
    scope: str,
    session: str,
    deadline: float = float("inf"),
    now: "Callable[[], float]" = time.monotonic,
    is_wanted: "Callable[[list[tuple[str, str, int]]], bool]" = bool,
) -> LastSession | None:
    """Return the end of the last session of a scope before `session`, which begins now.

    None where there is no earlier session, and where the deadline passes (`now`, in seconds). A
    session whose end fails `is_wanted` is passed over. Raises sqlite3.Error.
    """
    if not os.path.exists(file):
        return None
    db = readonly.connect_readonly(file, _BUSY_S)
    try:
        db.set_progress_handler(lambda: now() > deadline, _STEPS)
        for source, agent in db.execute(_SESSIONS, (scope, session, _MOST_SESSIONS)).fetchall():
            turns = db.execute(_TURNS, (f"{CORRECTIONS}{scope}", source, _MOST_TURNS)).fetchall()
            if turns and is_wanted(turns):
                return LastSession(agent, turns[::-1])
    except driver.OPERATIONAL:
        if now() > deadline or not db.execute("PRAGMA user_version").fetchone()[0]:
            return None
        raise
    finally:
        db.close()
    return None
