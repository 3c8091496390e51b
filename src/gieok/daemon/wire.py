"""How a client and the daemon talk: one JSON line each way over a local socket, then it is closed.

A Unix socket in the home folder (0700) where there are such and the path is short enough for one; else a loopback port, which
takes only who knows the token in `daemon.json` (0600). Fields may be added to both; unknown ones are ignored.
"""

import json
import os
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gieok import fs

#: The longest path of a Unix socket, on the strictest system.
_LONGEST_SOCKET_PATH = 100
_MOST_BYTES = 1 << 16
TIMEOUT_S = 5.0


class DaemonAddress(NamedTuple):
    """Where the daemon of a home folder listens."""

    pid: int
    socket: str
    port: int
    token: str
    started_at: str
    version: str


def lock_file(home: Path) -> Path:
    """Return the file whose lock the daemon holds as long as it lives."""
    return home / "daemon.lock"


def listen(home: Path, started_at: str, version: str) -> tuple[socket.socket, DaemonAddress]:
    """Open the socket and write down where it is. Whoever calls holds the lock, so what is there is stale."""
    path = home / "daemon.sock"
    token = secrets.token_hex(16)
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        path.unlink(missing_ok=True)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(str(path))
        path.chmod(0o600)
        address = DaemonAddress(os.getpid(), str(path), 0, token, started_at, version)
    else:
        server = socket.create_server(("127.0.0.1", 0))
        address = DaemonAddress(os.getpid(), "", server.getsockname()[1], token, started_at, version)
    server.listen()
    fs.replace_private(home / "daemon.json", json.dumps(address._asdict()))
    return server, address


def address(home: Path) -> DaemonAddress | None:
    """Return where a daemon listens, or listened last."""
    try:
        row = json.loads((home / "daemon.json").read_text(encoding="utf-8"))
        return DaemonAddress(**{name: row[name] for name in DaemonAddress._fields})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def forget(home: Path) -> None:
    """Remove what `listen` left."""
    for name in ("daemon.sock", "daemon.json"):
        (home / name).unlink(missing_ok=True)


def ask(to: DaemonAddress, what: str) -> dict[str, Any] | None:
    """Send one request and return the answer; None where nobody answers."""
    try:
        with _connect(to) as connection:
            connection.settimeout(TIMEOUT_S)
            send(connection, {"do": what, "token": to.token})
            return receive(connection)
    except (OSError, ValueError):
        return None


def _connect(to: DaemonAddress) -> socket.socket:
    if not to.socket:
        return socket.create_connection(("127.0.0.1", to.port), TIMEOUT_S)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(TIMEOUT_S)
        connection.connect(to.socket)
    except OSError:
        connection.close()
        raise
    return connection


def send(connection: socket.socket, row: Mapping[str, object]) -> None:
    """Send one line."""
    connection.sendall(json.dumps(row).encode() + b"\n")


def receive(connection: socket.socket) -> dict[str, Any]:
    """Receive one line. Raises ValueError, OSError."""
    data = b""
    while not data.endswith(b"\n"):
        piece = connection.recv(4096)
        if not piece or len(data) > _MOST_BYTES:
            raise ValueError("no whole line came")
        data += piece
    row = json.loads(data)
    if not isinstance(row, dict):
        raise ValueError("not an object")  # noqa: TRY004 - the callers' one error for a bad line
    return row
