"""Where a server of the home listens: a record, believed once the server proved that it knows the
home's secret.

A record may be left of a server that was killed, and its port be another program's by now, which
must get no link to the pages.
"""

import hmac
import json
import os
import secrets
import signal
import time
from pathlib import Path
from urllib.parse import urlsplit

from gieok import fs, paths
from gieok.errors import GieokError
from gieok.ops.control import ServerStatus
from gieok.ops.home.gate import Gate

#: Where a server answers by whom it is known.
WHO = "/who"
#: Who started a server: `gieok open`.
OPEN = "open"
_TIMEOUT_S = 5.0
_STOP_S, _GONE_S, _POLL_S = 30.0, 5.0, 0.05
_MOST_BYTES = 10_000


def url(host: str, port: int) -> str:
    """Return the address that a browser of this machine uses; a server on all of them is asked on
    the first.
    """
    # Replaced.
    host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def note(home: Path, status: ServerStatus) -> None:
    """Write down where this process listens, once it does."""
    fs.replace_private(paths.listening(home), json.dumps(status._asdict()))


def forget(home: Path, pid: int) -> None:
    """Remove the record of a process, unless it is another's by now."""
    if is_noted(home, pid):
        paths.listening(home).unlink(missing_ok=True)


def is_noted(home: Path, pid: int) -> bool:
    """Say whether the record is of this process."""
    kept = _kept(home)
    return kept is not None and kept.pid == pid


def found(home: Path) -> ServerStatus | None:
    """Return the server of the record; None where it does not answer, or is none of this home's."""
    kept = _kept(home)
    if kept is None:
        return None
    asked = secrets.token_hex(16)
    status, said = _get(kept.url, f"{WHO}?nonce={asked}")
    due = Gate(home, time.time).proof(asked, urlsplit(kept.url).port or 0, kept.pid)
    return kept if status == 200 and hmac.compare_digest(said, due.encode()) else None


def is_ready(status: ServerStatus) -> bool:
    """Say whether a server can answer: its journal, store and accounts do."""
    return _get(status.url, "/ready")[0] == 200


def stop(home: Path) -> bool:
    """Stop a server that `gieok open` started; False where none is there. Raises GieokError."""
    status = found(home)
    if status is None or status.by != OPEN:
        return False
    os.kill(status.pid, signal.SIGTERM)
    begun = time.monotonic()
    while is_noted(home, status.pid):
        waited = time.monotonic() - begun
        if waited > _GONE_S and found(home) is None:  # it was killed meanwhile, and left its record
            break
        if waited > _STOP_S:
            raise GieokError("the server does not stop", hint=f"end process {status.pid}")
        time.sleep(_POLL_S)
    return True


def _get(address: str, path: str) -> tuple[int, bytes]:
    """Return a status and a body; 0 where nobody answers."""
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


def _kept(home: Path) -> ServerStatus | None:
    try:
        row = json.loads(paths.listening(home).read_text(encoding="utf-8"))
        status = ServerStatus(**{name: row[name] for name in ServerStatus._fields})
        return status if urlsplit(status.url).port and isinstance(status.pid, int) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
