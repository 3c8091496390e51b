"""Attacks on `gieok serve` that need sockets: what is slow, endless, malformed, or too much at
once.

    python benchmarks/server_attacks.py [--idle 1000] [--only WORD]

A server of its own, in a new home, on a free port. Each attack says what it saw; the exit status is
1 where one got through. The deterministic ones are tests: tests/surfaces/http/test_attacks.py.
Takes a minute: heads and bodies have 20 seconds to come.
"""

import argparse
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

_HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
_POST = (
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: "
    b"application/json\r\n"
)
_PATIENCE_S = 45.0


class Seen(NamedTuple):
    """What an attack saw, and whether it was refused or survived."""

    ok: bool
    what: str


class Target(NamedTuple):
    """A server, its process and its owner's token."""

    port: int
    pid: int
    token: bytes

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=_PATIENCE_S)

    def say(self, sent: bytes, *, most: int = 65_536) -> bytes:
        """Send bytes, and return what comes back until the server closes or says no more."""
        with self.connect() as connection:
            connection.sendall(sent)
            connection.settimeout(3)
            return _read(connection, most)

    def answer_s(self) -> float:
        """Return how long an honest client waits."""
        begun = time.perf_counter()
        with self.connect() as connection:
            connection.sendall(_HEAD)
            assert connection.recv(100).startswith(b"HTTP/1.1 200")
        return time.perf_counter() - begun

    def rss_mb(self) -> float:
        rows = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8").splitlines()
        return next(int(row.split()[1]) for row in rows if row.startswith("VmRSS")) / 1000


def _read(connection: socket.socket, most: int) -> bytes:
    got = b""
    try:
        while len(got) < most and (part := connection.recv(65_536)):
            got += part
    except (TimeoutError, ConnectionResetError):
        pass
    return got


def _statuses(answer: bytes) -> list[int]:
    return [int(line.split()[1]) for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]


def _refused(target: Target, sent: bytes, *allowed: int) -> Seen:
    found = _statuses(target.say(sent))
    return Seen(bool(found) and set(found) <= set(allowed), f"answered {found}")


def two_hosts(target: Target) -> Seen:
    return _refused(
        target, b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400
    )


def no_host(target: Target) -> Seen:
    return _refused(target, b"GET /health HTTP/1.1\r\n\r\n", 400)


def host_of_old_http(target: Target) -> Seen:
    return _refused(target, b"GET /health HTTP/1.0\r\n\r\n", 421)


def absolute_target(target: Target) -> Seen:
    hosts = (b"evil.example", b"localhost")
    found = [
        _statuses(target.say(b"GET http://evil.example/status HTTP/1.1\r\nHost: %s\r\n\r\n" % host))
        for host in hosts
    ]
    return Seen(all(set(one) <= {404, 421, 401} and one for one in found), f"answered {found}")


def folded_and_split(target: Target) -> Seen:
    """Headers that proxies and servers read differently."""
    heads = (
        (
            b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: "
            b"chunked\r\n\r\n0\r\n\r\n"
        ),
        (
            b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: "
            b"6\r\n\r\nhello"
        ),
        b"GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        b"GET /health\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1e3\r\n\r\n",
    )
    found = [_statuses(target.say(head)) for head in heads]
    # RFC 9112 6.1: chunked overrides a length, and the connection ends or goes on without what was
    # behind it.
    return Seen(
        all(len(one) == 1 and one[0] in (200, 400, 501) for one in found), f"answered {found}"
    )


def garbage(target: Target) -> Seen:
    sent = (
        os.urandom(4096),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\r\n" * 1000,
        b"GET\r\n\r\n",
        b"\x00" * 9000,
    )
    found = [_statuses(target.say(one)) for one in sent]
    return Seen(all(set(one) <= {400} for one in found), f"answered {found}")


def pipelined(target: Target) -> Seen:
    found = target.say(_HEAD * 50).count(b"HTTP/1.1 200")
    return Seen(found == 50, f"answered {found} of 50")


def long_head(target: Target) -> Seen:
    found = _statuses(
        target.say(b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
    )
    more = _statuses(
        target.say(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 50_000 + b"\r\n")
    )
    return Seen(set(found + more) <= {400, 414, 431}, f"answered {found} and {more}")


def declared_too_large(target: Target) -> Seen:
    found = _statuses(target.say(_POST % target.token + b"Content-Length: 99999999999\r\n\r\n{"))
    return Seen(found == [413], f"answered {found}")


def endless_chunks(target: Target) -> Seen:
    """Chunks until the server has enough; it holds no more than the limit of them."""
    before, sent = target.rss_mb(), 0
    with target.connect() as connection:
        connection.sendall(_POST % target.token + b"Transfer-Encoding: chunked\r\n\r\n")
        part = b"10000\r\n" + b"a" * 65_536 + b"\r\n"
        try:
            while sent < 1 << 30:
                connection.sendall(part)
                sent += 65_536
        except OSError:
            pass
        found = _statuses(_read(connection, 4096))
    grown = target.rss_mb() - before
    return Seen(
        sent < 1 << 28 and grown < 50,
        f"cut off after {sent >> 20} MB ({found or 'closed'}); memory grew by {grown:.0f} MB",
    )


def tiny_chunks(target: Target) -> Seen:
    """A body of chunks of one byte, many events for few bytes, while an honest client asks."""
    sent = (
        _POST % target.token
        + b"Transfer-Encoding: chunked\r\n\r\n"
        + b"1\r\na\r\n" * 100_000
        + b"0\r\n\r\n"
    )
    begun, waits = time.perf_counter(), [0.0]
    with ThreadPoolExecutor(1) as other:
        answer = other.submit(target.say, sent)
        while not answer.done():
            waits.append(target.answer_s())
            time.sleep(0.02)
    found, took = _statuses(answer.result()), time.perf_counter() - begun
    return Seen(
        found == [400] and max(waits) < 2,
        f"answered {found} after {took:.1f} s; others waited {max(waits):.1f} s",
    )


def slow_head(target: Target) -> Seen:
    """A head that comes byte by byte (slowloris)."""
    return _dripped(target, b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ", b"y", 25)


def slow_second_head(target: Target) -> Seen:
    """The same on a connection that was answered once."""
    return _dripped(target, _HEAD + b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ", b"y", 25)


def slow_body(target: Target) -> Seen:
    return _dripped(target, _POST % target.token + b"Content-Length: 1000\r\n\r\n", b" ", 25)


def _dripped(target: Target, begin: bytes, drop: bytes, most_s: float) -> Seen:
    begun, got = time.perf_counter(), b""
    with target.connect() as connection:
        connection.sendall(begin)
        connection.settimeout(0.5)
        while time.perf_counter() - begun < _PATIENCE_S:
            try:
                connection.sendall(drop)
                part = connection.recv(4096)
            except TimeoutError:
                continue
            except OSError:
                break
            if not part:
                break
            got += part
    took = time.perf_counter() - begun
    return Seen(took < most_s, f"closed after {took:.0f} s ({_statuses(got) or 'no answer'})")


def idle(target: Target, count: int) -> Seen:
    """Connections that say nothing, while an honest client asks; and that they do not stay."""
    before = target.rss_mb()
    held = [target.connect() for _ in range(count)]
    waits = sorted(target.answer_s() for _ in range(20))
    grown = target.rss_mb() - before
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline and (left := _open(target)) > 2:
        time.sleep(0.5)
    took = _PATIENCE_S - (deadline - time.monotonic())
    for one in held:
        one.close()
    waited = f"{count} idle: a client waits {waits[10] * 1000:.0f} ms (most {waits[-1] * 1000:.0f})"
    return Seen(
        waits[-1] < 2 and left <= 2,
        f"{waited}; memory grew by {grown:.0f} MB; {left} left after {took:.0f} s",
    )


def _open(target: Target) -> int:
    """Return how many connections the server holds."""
    rows = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    fields = [row.split() for row in rows]
    return sum(one[1].endswith(f":{target.port:04X}") and one[3] == "01" for one in fields)


def busy_and_idle(target: Target) -> Seen:
    """More connections than may wait, opened again and again."""
    for _ in range(4):
        held = [target.connect() for _ in range(700)]
        slowest = max(target.answer_s() for _ in range(10))
        for one in held:
            one.close()
    return Seen(slowest < 2, f"4 × 700 connections: a client waits {slowest * 1000:.0f} ms at most")


ATTACKS: tuple[Callable[[Target], Seen], ...] = (
    two_hosts,
    no_host,
    host_of_old_http,
    absolute_target,
    folded_and_split,
    garbage,
    pipelined,
    long_head,
    declared_too_large,
    endless_chunks,
    tiny_chunks,
    slow_head,
    slow_second_head,
    slow_body,
    busy_and_idle,
)


def _served(folder: Path) -> Iterator[Target]:
    environment = os.environ | {
        "HOME": str(folder),
        "GIEOK_HOME": str(folder / "home"),
        "GIEOK_EMBEDDER": "none",
    }
    command = [sys.executable, "-P", "-m", "gieok", "serve", "--port", "0"]
    with (folder / "log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=environment | {"GIEOK_LANG": "en"}, stderr=log
        )
    record = folder / "home" / "serve.json"
    while not record.exists():
        assert server.poll() is None, (folder / "log").read_text(encoding="utf-8")
        time.sleep(0.05)
    port = int(record.read_text(encoding="utf-8").partition("127.0.0.1:")[2].partition('"')[0])
    try:
        yield Target(port, server.pid, (folder / "home" / "serve.token").read_bytes().strip())
    finally:
        server.terminate()
        server.wait(30)
        logged = (folder / "log").read_text(encoding="utf-8")
        print(f"log: {len(logged.splitlines()):,} lines; tracebacks: {logged.count('Traceback')}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--idle", type=int, default=1000)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, given.idle + 200)), hard))
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for target in _served(Path(folder)):
            attacks = [(one.__name__, one) for one in ATTACKS] + [
                ("idle", lambda to: idle(to, given.idle))
            ]
            for name, attack in attacks:
                if given.only in name:
                    seen = attack(target)
                    bad += not seen.ok
                    print(f"{'ok ' if seen.ok else 'BAD'} {name:20} {seen.what}", flush=True)
            print(
                f"after all of them a client waits {target.answer_s() * 1000:.0f} ms, "
                f"{target.rss_mb():.0f} MB"
            )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
