"""Connections whose request does not come are closed; benchmarks/server_attacks.py sees it over
sockets.
"""

import asyncio
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from uvicorn import Config
from uvicorn.server import ServerState

from gieok.surfaces.http import connections
from gieok.surfaces.http.connections import PatientProtocol

_HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


class _Line(asyncio.Transport):
    """Keeps what is written, and whether it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.is_closed = False

    def write(self, data: Any) -> None:
        self.written += data

    def close(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


def _connected(config: Config, state: ServerState) -> tuple[PatientProtocol, _Line]:
    made, line = PatientProtocol(config, state, {}), _Line()
    made.connection_made(line)
    return made, line


def test_who_sends_no_head_is_closed_and_who_waits_longest_makes_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "MOST_WAITING", 3)

    async def main() -> None:
        config = Config(PlainTextResponse("ok"), lifespan="off", ws="none")
        config.load()
        state = ServerState()
        (first, oldest), (second, line) = _connected(config, state), _connected(config, state)
        first.data_received(_HEAD[:-2])  # not whole
        assert first in PatientProtocol.waiting
        second.data_received(_HEAD)
        assert second not in PatientProtocol.waiting  # its answer has no limit here
        await asyncio.gather(*state.tasks)
        assert line.written.endswith(b"ok")
        assert second in PatientProtocol.waiting
        second.data_received(_HEAD[:5])
        assert second in PatientProtocol.waiting
        _connected(config, state)
        assert not oldest.is_closed
        late, last = _connected(config, state)
        assert (oldest.is_closed, line.is_closed, last.is_closed) == (True, False, False)
        second.connection_lost(None)
        assert second not in PatientProtocol.waiting
        PatientProtocol.waiting[late]._run()  # what the clock does after HEAD_S
        assert last.is_closed
        for one in [*PatientProtocol.waiting]:
            one.connection_lost(None)

    asyncio.run(main())
