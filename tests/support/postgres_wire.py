"""A listener between a client and PostgreSQL that notes what is sent: statements, transactions and
round trips, as the server gets them, however the client's library sends them.
"""

import re
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

_STATEMENT = re.compile(r"(?:'(?:[^']|'')*'|[^;'])+")
_TABLE = re.compile(
    r"\b(?:FROM|INTO|UPDATE|COPY)\s+(?:ONLY\s+)?(?:gieok(?:_journal|_accounts)?\.)?([a-z_]+)",
    re.IGNORECASE,
)
_CONTROL = ("BEGIN", "COMMIT", "ROLLBACK", "SET ")
#: Settings of a transaction that is sent in a pipeline.
_SETTINGS = "SELECT set_config"
_SIMPLE, _PARSE = b"Q", b"P"


class Wire:
    """What was sent since `clear`."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Forget what was sent."""
        with self._guard:
            self.sent: list[str] = []
            self.round_trips = 0

    def note(self, texts: list[str], *, is_turned: bool) -> None:
        """Note statements; `is_turned`: the server had answered before."""
        with self._guard:
            self.sent += [
                " ".join(one.split())
                for text in texts
                for one in _STATEMENT.findall(text)
                if one.strip()
            ]
            self.round_trips += is_turned

    @property
    def transactions(self) -> int:
        """Return how many transactions began."""
        return sum(one.startswith("BEGIN") for one in self.sent)

    @property
    def statements(self) -> list[str]:
        """Return the statements but those that begin, set up and end a transaction."""
        return [one for one in self.sent if not one.startswith((*_CONTROL, _SETTINGS))]

    @property
    def kinds(self) -> Counter[str]:
        """Return how many statements there are of each kind: its verb and its first table."""
        return Counter(map(_kind_of, self.statements))


def _kind_of(statement: str) -> str:
    if "pg_advisory" in statement or "pg_try_advisory" in statement:
        return "advisory lock"
    table = _TABLE.search(statement)
    return f"{statement.split(maxsplit=1)[0]} {table[1] if table else '-'}"


@contextmanager
def note_traffic(url: str, wire: Wire) -> Iterator[str]:
    """Yield an address at which the server of `url` answers, and note in `wire` what is sent."""
    parts = conninfo_to_dict(url)
    target = str(Path(str(parts["host"])) / f".s.PGSQL.{parts.get('port') or 5432}")
    listener = socket.create_server(("127.0.0.1", 0))
    opened: list[socket.socket] = [listener]

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(target)
            opened.extend((client, server))
            _Line(client, server, wire).start()

    threading.Thread(target=accept, daemon=True).start()
    port = listener.getsockname()[1]
    try:
        yield f"postgresql://{parts['user']}@127.0.0.1:{port}/{parts['dbname']}?sslmode=disable"
    finally:
        for one in opened:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


class _Line:
    """One connection."""

    def __init__(self, client: socket.socket, server: socket.socket, wire: Wire) -> None:
        self._client, self._server, self._wire = client, server, wire
        self._has_answered = True
        self._is_started = False
        self._rest = b""

    def start(self) -> None:
        """Pass on what both sides say."""
        for pump in (self._pass_questions, self._pass_answers):
            threading.Thread(target=pump, daemon=True).start()

    def _pass_questions(self) -> None:
        with suppress(OSError):
            while data := self._client.recv(1 << 16):
                is_turned, self._has_answered = self._has_answered, False
                self._wire.note(self._read(data), is_turned=is_turned)
                self._server.sendall(data)
        _hang_up(self._server)

    def _pass_answers(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(1 << 16):
                self._has_answered = True
                self._client.sendall(data)
        _hang_up(self._client)

    def _read(self, data: bytes) -> list[str]:
        """Return the statements in the messages that are complete now."""
        self._rest += data
        texts: list[str] = []
        while True:
            head = 0 if not self._is_started else 1
            if len(self._rest) < head + 4:
                return texts
            length = int.from_bytes(self._rest[head : head + 4], "big")
            if len(self._rest) < head + length:
                return texts
            kind, body = self._rest[:head], self._rest[head + 4 : head + length]
            self._rest, self._is_started = self._rest[head + length :], True
            if kind == _SIMPLE:
                texts.append(body.rstrip(b"\0").decode())
            elif kind == _PARSE:
                texts.append(body.split(b"\0")[1].decode())


def _hang_up(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
