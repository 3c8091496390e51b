"""Record of where a server of the home listens.

A record is believed only after the server proved that it knows the home's secret: a killed server
may leave its record behind, and its port may belong to another program by now, which must get no
link to the pages.
"""

import hmac
import json
import os
import secrets
import signal
import time
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from gieok import fs, paths
from gieok.errors import GieokError
from gieok.processes.gate import Gate

#: Path at which a server proves which home it belongs to.
WHO = "/who"
#: Value for a server's starter: `gieok open`.
OPEN = "open"
_TIMEOUT_S = 5.0
_STOP_S, _GONE_S, _POLL_S = 30.0, 5.0, 0.05
_MOST_BYTES = 10_000


class ServerStatus(NamedTuple):
    """Running HTTP server: its address, its process, and its starter (`serve`, `open`,
    `daemon`).
    """

    url: str
    pid: int
    by: str
    started_at: str
    version: str


def url(host: str, port: int) -> str:
    """Return the address for a browser of this machine.

    A server that listens on all addresses is asked on the first.
    """
    # Replaced.
    host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def note_listening_server(home: Path, status: ServerStatus) -> None:
    """Record where this process listens, once it listens."""
    fs.replace_private(paths.locate_server_record(home), json.dumps(status._asdict()))


def forget_listening_server(home: Path, pid: int) -> None:
    """Remove the record of a process, unless the record is another process's by now."""
    if is_noted(home, pid):
        paths.locate_server_record(home).unlink(missing_ok=True)


def is_noted(home: Path, pid: int) -> bool:
    """Return whether the record is of this process."""
    record = _read_listening_record(home)
    return record is not None and record.pid == pid


def find_listening_server(home: Path) -> ServerStatus | None:
    """Return the recorded server.

    None where it does not answer, or does not belong to this home.
    """
    record = _read_listening_record(home)
    if record is None:
        return None
    nonce = secrets.token_hex(16)
    status, proof = _fetch_server_page(record.url, f"{WHO}?nonce={nonce}")
    due = Gate(home, time.time).proof(nonce, urlsplit(record.url).port or 0, record.pid)
    return record if status == 200 and hmac.compare_digest(proof, due.encode()) else None


def is_ready(status: ServerStatus) -> bool:
    """Return whether a server can answer, which means that its journal, store and accounts do."""
    return _fetch_server_page(status.url, "/ready")[0] == 200


def stop(home: Path) -> bool:
    """Stop a server that `gieok open` started; False where there is none. Raises GieokError."""
    status = find_listening_server(home)
    if status is None or status.by != OPEN:
        return False
    os.kill(status.pid, signal.SIGTERM)
    begun = time.monotonic()
    while is_noted(home, status.pid):
        waited = time.monotonic() - begun
        if (
            waited > _GONE_S and find_listening_server(home) is None
        ):  # it was killed meanwhile, and left its record
            break
        if waited > _STOP_S:
            raise GieokError("the server does not stop", pid=status.pid, hint="end process {pid}")
        time.sleep(_POLL_S)
    return True


def _fetch_server_page(address: str, path: str) -> tuple[int, bytes]:
    """Return the HTTP status and the body of a page; status 0 where nobody answers."""
    from http.client import HTTPConnection, HTTPException  # 20 ms, for who has a record

    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read(_MOST_BYTES)
    except (OSError, HTTPException):
        return 0, b""
    finally:
        connection.close()


def _read_listening_record(home: Path) -> ServerStatus | None:
    try:
        row = json.loads(paths.locate_server_record(home).read_text(encoding="utf-8"))
        status = ServerStatus(**{name: row[name] for name in ServerStatus._fields})
        return status if urlsplit(status.url).port and isinstance(status.pid, int) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
