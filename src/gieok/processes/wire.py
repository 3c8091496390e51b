"""Protocol between a client and the daemon: lines of JSON over a local socket.

One line is the request, one or more lines are the answer. The socket is a Unix socket in the home
folder (0700) where the system has such sockets and the path is short enough; else a loopback port,
which accepts only clients that know the token in `daemon.json` (0600). Fields may be added to
requests and answers; unknown fields are ignored. The prompt hook imports this module: standard
library, and only modules that import fast.
"""

import json
import os
import socket
import time
from collections import namedtuple
from collections.abc import Iterator, Mapping

from gieok import fs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

#: The longest path of a Unix socket on the system with the strictest limit.
_LONGEST_SOCKET_PATH = 100
#: An answer may be as long as the longest source file.
_MOST_BYTES = 1 << 28
TIMEOUT_S = 5.0
#: File that a daemon leaves when it starts anew, and the longest time that this takes.
_RENEWAL, _RENEWAL_S = "daemon.renewal", 60.0


# A `namedtuple`, because importing `typing` is slow.
class DaemonAddress(namedtuple("DaemonAddress", ("pid socket port token started_at version"))):  # noqa: PYI024
    """Address at which the daemon of a home folder listens."""

    __slots__ = ()


class WireLines:
    """One end of a connection, sending and receiving lines of JSON."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._reader = connection.makefile("rb")

    def send(self, row: Mapping[str, object]) -> None:
        """Send one line. Raises OSError."""
        # A lone surrogate, as in a file name that is no UTF-8, is sent as an escape.
        self._connection.sendall(json.dumps(row).encode() + b"\n")

    def receive(self) -> "dict[str, Any]":
        """Receive one line. Raises ValueError, OSError."""
        line = self._reader.readline(_MOST_BYTES)
        if not line.endswith(b"\n"):
            raise ValueError("no whole line came")
        row = json.loads(line)
        if not isinstance(row, dict):
            # ValueError is the one error that callers expect for a bad line.
            raise ValueError("not an object")  # noqa: TRY004
        return row

    def close(self) -> None:
        """Close the connection."""
        self._reader.close()
        self._connection.close()


def find_daemon_lock(home: "Path") -> "Path":
    """Return the lock file that the daemon holds as long as it runs."""
    return home / "daemon.lock"


def listen(home: "Path", started_at: str, version: str) -> tuple[socket.socket, DaemonAddress]:
    """Open the socket and record its address.

    The caller holds the lock, so an existing record is stale.
    """
    path = home / "daemon.sock"
    (home / _RENEWAL).unlink(missing_ok=True)
    token = os.urandom(16).hex()
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        path.unlink(missing_ok=True)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(str(path))
        path.chmod(0o600)
        address = DaemonAddress(os.getpid(), str(path), 0, token, started_at, version)
    else:
        server = socket.create_server(("127.0.0.1", 0))
        address = DaemonAddress(
            os.getpid(), "", server.getsockname()[1], token, started_at, version
        )
    server.listen(64)
    fs.replace_private(home / "daemon.json", json.dumps(address._asdict()))
    return server, address


def address(home: "Path | str") -> DaemonAddress | None:
    """Return the address at which a daemon listens, or listened last; None without a record."""
    try:
        with open(os.path.join(home, "daemon.json"), encoding="utf-8") as opened:
            row = json.load(opened)
        return DaemonAddress(**{name: row[name] for name in DaemonAddress._fields})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remove_daemon_address(home: "Path") -> None:
    """Remove the socket and the record that `listen` made."""
    for name in ("daemon.sock", "daemon.json"):
        (home / name).unlink(missing_ok=True)


def mark_renewal(home: "Path") -> None:
    """Note that the daemon of this process starts anew: it holds no lock until it runs again."""
    (home / _RENEWAL).touch(mode=0o600)


def is_renewed_now(home: "Path") -> bool:
    """Return whether the daemon was about to start anew a moment ago, and did not yet."""
    try:
        return 0 <= time.time() - (home / _RENEWAL).stat().st_mtime < _RENEWAL_S
    except OSError:
        return False


def ask_one_line(to: DaemonAddress, what: str) -> "dict[str, Any] | None":
    """Send a request with an answer of one line and return it; None where nobody answers."""
    try:
        return next(converse(to, {"do": what}))
    except (OSError, ValueError):
        return None


def is_listening(to: DaemonAddress, within_s: float) -> bool:
    """Return whether somebody listens at an address."""
    try:
        _connect_to_daemon(to, within_s).close()
    except OSError:
        return False
    return True


def converse(
    to: DaemonAddress, row: Mapping[str, object], within_s: float = 0
) -> "Iterator[dict[str, Any]]":
    """Send a request and yield the lines of the answer; the first line comes soon.

    Raises OSError, ValueError. The whole answer takes at most `within_s` seconds, else TimeoutError
    is raised; 0 means no limit.
    """
    end = time.monotonic() + within_s
    connection = _connect_to_daemon(to, min(within_s or TIMEOUT_S, TIMEOUT_S))
    lines = WireLines(connection)
    try:
        lines.send({**row, "token": to.token})
        while True:
            yield lines.receive()
            connection.settimeout(_left_s(end) if within_s else None)
    finally:
        lines.close()


def _left_s(end: float) -> float:
    """Return the seconds until `end`. Raises TimeoutError where none are left."""
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connect_to_daemon(to: DaemonAddress, timeout_s: float) -> socket.socket:
    if not to.socket:
        return socket.create_connection(("127.0.0.1", to.port), timeout_s)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout_s)
        connection.connect(to.socket)
    except OSError:
        connection.close()
        raise
    return connection
