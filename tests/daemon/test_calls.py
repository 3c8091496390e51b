"""The daemon answers for the command line and MCP, and nobody could tell by the answer."""

import contextlib
import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
import world as worlds
from forked import Commands, Done
from world import CALLS, GIEOK, World

from gieok import __version__
from gieok.commands import load_command
from gieok.commands.command import Effect
from gieok.commands.run import decode_failure
from gieok.daemon import answers
from gieok.daemon.server import Answering, Server
from gieok.home.resident import Resident
from gieok.processes import wire
from gieok.processes.call import DaemonCall, DaemonLost, ask_daemon
from gieok.text.messages import in_language

_WAYS = [(), ("--json",), ("--lang", "ko")]
#: Each operation in one way, in turn: an answer is JSON and text at once, whoever gives it.
_ASKED = list(zip((name for name in CALLS if load_command(name).runs_in_daemon), cycle(_WAYS)))
_READ = [(name, more) for name, more in _ASKED if load_command(name).effect is Effect.READ]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, commands: Commands) -> World:
    """Return a user for whom everything was done that can be asked about."""
    made = worlds.make(tmp_path_factory.mktemp("calls") / "user")
    for name in ("index", "remember", "code init", "observe run"):
        assert _answer(commands, made, name).status == 0
    return made


@pytest.fixture(scope="module")
def alone(commands: Commands, world: World) -> dict[tuple[str, tuple[str, ...]], Done]:
    """Return what each operation that reads answers without a daemon."""
    return {(name, more): _answer(commands, world, name, *more) for name, more in _READ}


@pytest.fixture(scope="module")
def home(world: World, alone: object) -> Iterator[Path]:
    """Return the home of the user, whose daemon runs; it was started elsewhere, by somebody who
    speaks another language.
    """
    environment = _environment(world, LANG="ko_KR.UTF-8", NO_COLOR="1")
    subprocess.run([*GIEOK, "up"], cwd="/", env=environment, check=True, capture_output=True)
    yield world.home
    subprocess.run([*GIEOK, "down"], cwd="/", env=environment, check=True, capture_output=True)


def _environment(world: World, **more: str) -> dict[str, str]:
    return world.environment(GIEOK_EMBEDDER="none", **more)


def _answer(commands: Commands, world: World, name: str, *more: str) -> Done:
    return commands.run(world.words(name, *more), _environment(world), world.project)


def _without_the_daemon_itself(text: str) -> object:
    """Return an answer without what is other because a daemon runs: that it does, the size of an
    open database, accounts.

    Those are there from the first command on that looks for characters.
    """
    try:
        data = json.loads(text)
    except ValueError:
        return [
            line
            for line in text.splitlines()
            if not re.search(r"daemon|데몬|MB|bytes each|바이트|accounts:|계정:", line)
        ]
    return _without(data, "daemon", "disk_bytes", "bytes_each", "accounts")


def _without(value: object, *names: str) -> object:
    if isinstance(value, dict):
        return {name: _without(one, *names) for name, one in value.items() if name not in names}
    return [_without(one, *names) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("name", "more"), _READ, ids=lambda one: one if isinstance(one, str) else " ".join(one)
)
def test_an_answer_is_the_same_with_and_without_a_daemon(
    commands: Commands,
    world: World,
    alone: dict[tuple[str, tuple[str, ...]], Done],
    home: Path,
    name: str,
    more: tuple[str, ...],
) -> None:
    status, out, err = _answer(commands, world, name, *more)
    was_status, was_out, was_err = alone[name, more]
    assert (status, err) == (was_status, was_err)
    assert _without_the_daemon_itself(out) == _without_the_daemon_itself(was_out)


def _call(world: World, name: str, surface: str = "cli", **values: object) -> DaemonCall:
    return DaemonCall(name, values, surface, str(world.project), _environment(world))


def _ask(home: Path, call: DaemonCall, *, writes: bool = False) -> dict[str, Any] | None:
    return ask_daemon(home, call, writes=writes, say=lambda line: None, tell=lambda line: None)


@pytest.mark.parametrize("name", sorted({name for name, _ in _READ}))
def test_the_daemon_answers_whatever_reads(world: World, home: Path, name: str) -> None:
    assert (found := _ask(home, _call(world, name)))
    assert set(found) == {"found", "data", "text", "status", "failure"}


def test_errors_come_back_as_they_are(world: World, home: Path) -> None:
    found = _ask(home, _call(world, "search", query=["x"], limit="many"))
    assert found
    assert found["failure"] == {
        "code": "bad_request",
        "message": "--limit is 'many'",
        "hint": "it must be a whole number",
        "template": "{name} is {value!r}",
        "values": {"name": "--limit", "value": "many"},
        "hint_template": "it must be a whole number",
        "hint_values": {},
    }
    assert (found["status"], found["found"]) == (2, False)


def test_an_error_of_the_daemon_is_shown_in_korean_by_its_template(
    world: World, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "{0} 100% `the journal`"
    found = _ask(home, _call(world, "search", query=["x"], source=name))
    assert found
    failure = decode_failure(found["failure"])
    assert failure.message == found["failure"]["message"]
    monkeypatch.setattr("gieok.text.retranslation.load_templates", _never)
    told, hint = in_language(failure.message, "ko"), in_language(failure.hint, "ko")
    assert name in told
    assert re.search("[가-힣]", told.replace(name, ""))
    assert re.search("[가-힣]", hint)


def _never(lang: str) -> None:
    raise AssertionError(f"a text was matched with the templates of {lang}")


def test_settings_and_folder_are_the_callers(world: World, home: Path) -> None:
    call = _call(world, "config show")
    shown = _ask(home, call._replace(environment={**call.environment, "GIEOK_SEARCH_LIMIT": "7"}))
    assert shown
    assert shown["data"]["search.limit"] == {"value": "7", "origin": "GIEOK_SEARCH_LIMIT"}
    elsewhere = _ask(home, _call(world, "status")._replace(folder="/"))
    assert elsewhere
    assert elsewhere["data"]["scope"] == "agent:main"


def test_a_path_is_meant_from_the_folder_of_the_caller(world: World, home: Path) -> None:
    (record,) = (world.project / ".gieok" / "memory").rglob("*.md")
    for folder, path in (
        (world.project, record.relative_to(world.project)),
        (record.parent, Path(record.name)),
    ):
        found = _ask(home, _call(world, "get", path=str(path))._replace(folder=str(folder)))
        assert found
        assert (found["status"], found["failure"]) == (0, None)


def test_what_only_the_caller_can_do_is_left_to_it(world: World, home: Path) -> None:
    call = _call(world, "status")
    assert _ask(home, call._replace(environment={**call.environment, "TZ": "Asia/Seoul"})) is None
    for name in ("PGHOST", "HTTPS_PROXY", "ssl_proxy", "SSL_CERT_FILE", "GIT_DIR"):
        assert _ask(home, call._replace(environment={**call.environment, name: "x"})) is None
    assert _ask(home, call._replace(environment={**call.environment, "OTHER": "x"})) is not None
    assert _ask(home, call._replace(folder=str(home / "nowhere"))) is None
    address = wire.address(home)
    assert address is not None
    other = home.parent / "other"
    other.mkdir()
    (other / "daemon.json").write_text(json.dumps({**address._asdict(), "version": "0.0.1"}))
    assert _ask(other, call) is None


def test_calls_at_the_same_time_are_all_answered(world: World, home: Path) -> None:
    with ThreadPoolExecutor(20) as pool:
        answers = list(
            pool.map(
                lambda n: _ask(home, _call(world, ("status", "search")[n % 2], **_QUERY[n % 2])),
                range(60),
            )
        )
    given = [found for found in answers if found]  # the others were told to answer themselves
    assert len(given) >= 8
    assert all(found["status"] == 0 for found in given)


_QUERY: tuple[dict[str, object], ...] = ({}, {"query": ["결제"]})


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[[Answering], Path]]:
    """Return what serves a home in this process."""
    servers = []

    def serve(answer: Answering) -> Path:
        listening, address = wire.listen(tmp_path, "now", __version__)
        servers.append(listening)
        server = Server(listening, address.token, lambda what: {"ok": True, "asked": what})
        threading.Thread(target=_until_closed, args=(server, answer), daemon=True).start()
        return tmp_path

    yield serve
    for listening in servers:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def _until_closed(server: Server, answer: Answering) -> None:
    with contextlib.suppress(OSError):
        server.serve(answer)


def test_a_slow_call_holds_up_no_other_and_one_too_many_is_left_to_its_caller(
    served: Callable[[Answering], Path],
) -> None:
    go, begun = threading.Event(), threading.Semaphore(0)
    quick_threads: list[threading.Thread] = []

    def answer(
        call: DaemonCall, say: Callable[[str], None], tell: Callable[[str], None]
    ) -> Mapping[str, object]:
        if call.operation == "quick":
            quick_threads.append(threading.current_thread())
        begun.release()
        if call.operation == "slow":
            assert go.wait(20)
        return {"found": call.operation}

    home = served(answer)
    slow, quick = (DaemonCall(name, {}, "cli", "/", dict(os.environ)) for name in ("slow", "quick"))
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(_ask, home, slow) for _ in range(7)]
        for _ in waiting:
            begun.acquire()
        assert _ask(home, quick) == {"found": "quick"}
        quick_threads[0].join()  # its place among the calls is free only when it has ended
        waiting.append(pool.submit(_ask, home, slow))
        begun.acquire()
        begun.acquire()
        assert _ask(home, quick) is None
        address = wire.address(home)
        assert address is not None
        assert wire.ask_one_line(address, "status") == {"ok": True, "asked": "status"}
        go.set()
        assert [one.result() for one in waiting] == [{"found": "slow"}] * 8


def test_a_call_that_runs_is_waited_for_and_the_next_is_left_to_its_caller(tmp_path: Path) -> None:
    go, begun = threading.Event(), threading.Event()

    def answer(
        call: DaemonCall, say: Callable[[str], None], tell: Callable[[str], None]
    ) -> Mapping[str, object]:
        begun.set()
        assert go.wait(20)
        return {"found": True}

    listening, address = wire.listen(tmp_path, "now", __version__)
    server = Server(listening, address.token, lambda what: {"ok": True})
    threading.Thread(target=_until_closed, args=(server, answer), daemon=True).start()
    call = DaemonCall("any", {}, "cli", "/", dict(os.environ))
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(_ask, tmp_path, call)
        assert begun.wait(20)
        draining = pool.submit(server.drain, 20)
        assert not draining.done()
        go.set()
        draining.result()
        assert running.result() == {"found": True}
    assert _ask(tmp_path, call) is None
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


def test_progress_reaches_the_caller_while_it_waits(served: Callable[[Answering], Path]) -> None:
    def answer(
        call: DaemonCall, say: Callable[[str], None], tell: Callable[[str], None]
    ) -> Mapping[str, object]:
        say("half")
        tell(f"done with \udce9 in {call.folder}")
        return {}

    told: list[str] = []
    call = DaemonCall("any", {}, "cli", "/", dict(os.environ))
    assert ask_daemon(served(answer), call, writes=False, say=told.append, tell=told.append) == {}
    assert told == ["half", "done with \udce9 in /"]


def test_of_a_daemon_that_dies_a_read_is_done_again_and_a_write_is_told(tmp_path: Path) -> None:
    for kept, writes in (([{"begun": True}], True), ([{"begun": True}], False), ([], True)):
        (tmp_path / "home").mkdir(exist_ok=True)
        listening, _ = wire.listen(tmp_path / "home", "now", __version__)
        thread = threading.Thread(target=_die, args=(listening, kept))
        thread.start()
        call = DaemonCall("remember", {}, "mcp", "/", dict(os.environ))
        if kept and writes:
            with pytest.raises(DaemonLost, match="ended in the middle of 'remember'"):
                _ask(tmp_path / "home", call, writes=True)
        else:
            assert _ask(tmp_path / "home", call, writes=writes) is None
        thread.join()
        assert _ask(tmp_path / "home", call, writes=writes) is None, "nobody listens any more"


def _die(listening: socket.socket, said: list[dict[str, object]]) -> None:
    connection, _ = listening.accept()
    lines = wire.WireLines(connection)
    lines.receive()
    for row in said:
        lines.send(row)
    lines.close()
    listening.close()


def test_what_is_unexpected_is_told_as_at_a_terminal(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(answers, "run_operation", broken)
    found = answers.answer_call(
        Resident(), _call(world, "status"), lambda line: None, lambda line: None
    )
    assert found["failure"]["message"] == "unexpected ZeroDivisionError: by nothing"
    assert "GIEOK_TRACEBACK=1" in found["failure"]["hint"]
    assert found["status"] == 2
