"""Deadline for a server that falls silent, and the next step where it cannot be reached."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg

from gieok.errors import Phrase, StoreUnreachable
from gieok.storage.postgres.watchdog import Watchdog

#: The server ends a statement that takes too long; if it does not, the connection is closed after
#: this additional time.
_GRACE_S = 1.0

_WATCHDOG = Watchdog()


@contextmanager
def enforce_deadline(
    db: psycopg.Connection, timeout_s: float, location: str, hint: str = ""
) -> Iterator[None]:
    """Close the connection where the block takes longer than `timeout_s`: the server is silent.

    Raises StoreUnreachable, with a `hint` that is not ''.
    """
    late = threading.Event()
    # A duplicate of the socket: its number cannot become another file's meanwhile. The family does
    # not matter to `shutdown`.
    line = socket.fromfd(db.fileno(), socket.AF_INET, socket.SOCK_STREAM)

    def hang_up() -> None:
        late.set()
        with suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)

    try:
        with _WATCHDOG.watching(timeout_s + _GRACE_S, hang_up):
            yield
    except psycopg.Error:
        if late.is_set():
            reason = Phrase("no answer within {timeout_s:g} s", timeout_s=timeout_s)
            raise StoreUnreachable(
                "postgres unreachable: {location}: {reason}",
                location=location,
                reason=Phrase(reason),
                hint=hint or name_way_in(""),
            ) from None
        raise
    finally:
        line.close()


def name_way_in(said: str) -> str:
    """Return the next step after what a server, or its absence, said."""
    if "password" in said:
        return (
            "check PGPASSWORD in the environment or in ~/.gieok/.env, and the user in database.url"
        )
    if "database" in said and "exist" in said:
        return "create it on the server: `createdb NAME`"
    return "check that the server runs, and database.url (`gieok config show`)"
