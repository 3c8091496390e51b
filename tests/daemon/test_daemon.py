"""The daemon as a user meets it: real processes, one home folder."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import leftover
import pytest

import gieok
from gieok.code.index import watch_list
from gieok.code.model import layout
from gieok.commands import load_command
from gieok.commands.code.watch import HandedResult
from gieok.commands.command import Style
from gieok.home.calls import open_call
from gieok.model.memory import Scope
from gieok.processes import wire
from gieok.processes.client import Daemon
from gieok.storage.index.sqlite.graph import ProjectStore
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.surfaces.hook import trail
from gieok.testing.model_server import ModelServer

_SOURCE = str(Path(gieok.__file__).parents[1])
_SCOPE = Scope("agent:main")
_PATIENCE_S = 180.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "home"
    folder.mkdir()
    for name, value in {
        "GIEOK_HOME": folder,
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": tmp_path / "t",
        "PYTHONPATH": _SOURCE,
    }.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "t").mkdir()
    yield folder
    leftover.stop_daemon(folder)


def _until(true: Callable[[], bool]) -> None:
    """Wait for another process; how long that takes is no part of any test."""
    deadline = time.monotonic() + _PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.02)


def _say(home: Path, *texts: str) -> None:
    with (home.parent / "t" / "a.jsonl").open("a", encoding="utf-8") as out:
        for text in texts:
            row = {
                "role": "user",
                "content": text,
                "timestamp": "2099-01-01T00:00:00Z",
            }  # never idle
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def _texts(home: Path) -> list[str]:
    journal = SqliteJournal(home / "journal.sqlite")
    try:
        return [found.message.text for found in journal.read(_SCOPE, 0, budget_tokens=1 << 40)]
    finally:
        journal.close()


def _gieok(*arguments: str, cwd: str | Path = "/") -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gieok", *arguments, "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )
    return {"status": done.returncode, **json.loads(done.stdout)}


def test_it_starts_once_watches_answers_and_stops(home: Path) -> None:
    _say(home, "하나")
    first = _gieok("up")
    assert first["started"] is True
    again = _gieok("up")
    assert (again["started"], again["pid"]) == (False, first["pid"])
    _until(lambda: _texts(home) == ["하나"])
    _say(home, "둘")
    _until(lambda: _texts(home) == ["하나", "둘"])
    status = Daemon(home).status()
    assert status is not None
    assert status.parts["capture"] == "watching 1 folders"
    assert _gieok("down") == {"status": 0, "stopped": True}
    assert Daemon(home).status() is None
    assert not (home / "daemon.json").exists()
    assert _gieok("down") == {"status": 1, "stopped": False}
    lines = _gieok("logs")["lines"]
    assert isinstance(lines, list)
    assert lines[-1].endswith("stopped")


def test_what_a_killed_daemon_left_behind_heals(home: Path) -> None:
    daemon = Daemon(home)
    pid = daemon.start()[0].pid
    os.kill(pid, signal.SIGKILL)
    _until(lambda: daemon.status() is None)
    assert (home / "daemon.json").exists()
    _say(home, "그 사이에 한 말")
    status, started = daemon.start()
    assert started
    assert status.pid != pid
    _until(lambda: _texts(home) == ["그 사이에 한 말"])


def test_settings_that_change_hold_in_the_daemon_too_and_wrong_ones_do_not(home: Path) -> None:
    pid = Daemon(home).start()[0].pid
    _say(home, "ticket ZQX-111111")
    _until(lambda: len(_texts(home)) == 1)
    rule = {
        "name": "ticket",
        "pattern": "ZQX-[0-9]{6}",
        "example": "ZQX-123456",
        "counter_example": "ZQX-12",
    }
    (home / "config.yaml").write_text(json.dumps({"redact": {"rules": [rule]}}), encoding="utf-8")
    log = home / "daemon.log"
    _until(lambda: log.read_text(encoding="utf-8").count("started, process") == 2)
    _say(home, "ticket ZQX-222222")
    _until(lambda: len(_texts(home)) == 2)
    (home / "config.yaml").write_text("redact: {rules: [", encoding="utf-8")
    _say(home, "ticket ZQX-333333")
    _until(lambda: len(_texts(home)) == 3)
    assert _texts(home) == [
        "ticket ZQX-111111",
        "ticket [redacted:ticket]",
        "ticket [redacted:ticket]",
    ]
    status = Daemon(home).status()
    assert status is not None
    assert status.pid == pid


def test_a_daemon_that_starts_anew_is_not_said_to_be_off(home: Path) -> None:
    daemon = Daemon(home)
    assert not daemon.is_starting()
    assert "daemon: not running" in _say_status()
    wire.mark_renewal(home)  # as before the daemon replaces its program
    assert daemon.is_starting()
    assert "daemon: starting, or busy: no answer yet" in _say_status()
    pid = daemon.start()[0].pid
    assert f"daemon: runs, process {pid}" in _say_status()
    daemon.stop()
    assert not daemon.is_starting()
    assert "daemon: not running" in _say_status()


def test_a_daemon_that_never_came_back_is_said_to_be_off(home: Path) -> None:
    wire.mark_renewal(home)
    long_ago = time.time() - 3600
    os.utime(next(home.glob("daemon.renewal")), (long_ago, long_ago))
    assert "daemon: not running" in _say_status()


def _say_status() -> str:
    call = open_call({}, has_daemon=True)
    status = load_command("status")
    shown = status.present(status(call), Style("en", colour=False))
    call.home.store.close()
    return shown


def test_a_signal_ends_it_and_nothing_stays_behind(home: Path) -> None:
    daemon = Daemon(home)
    pid = daemon.start()[0].pid
    os.kill(pid, signal.SIGTERM)
    _until(lambda: not daemon._is_alive())
    assert not (home / "daemon.sock").exists()


def test_what_is_said_is_searchable_and_has_vectors_while_it_runs(
    home: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_EMBEDDER", "e5")
    shutil.copytree(models, home / "models")
    _say(home, "회의는 몇 시로 할까?")
    Daemon(home).start()
    store = SqliteStore(home / "memory.sqlite")
    _until(lambda: store.stats(_SCOPE).vectors == store.stats(_SCOPE).passages == 1)
    _say(home, "9시 반")
    _until(lambda: store.stats(_SCOPE).vectors == store.stats(_SCOPE).passages == 2)
    (document,) = store.get(_SCOPE, list(store.hashes(_SCOPE)))
    assert document.text == "User: 회의는 몇 시로 할까?\nUser: 9시 반"
    status = Daemon(home).status()
    assert status is not None
    assert {"turns", "vectors", "schedules", "validation"} <= status.parts.keys()
    store.close()


def test_the_end_of_a_session_is_observed_at_once(home: Path) -> None:
    Daemon(home).start()
    _say(home, "출시는 2099년 1월 2일로 정했어.")
    row: dict[str, object] = {
        "event": "session-end",
        "agent": "codex",
        "transcript_path": str(home.parent / "t" / "a.jsonl"),
        "cwd": "/",
    }
    trail.spool_transcript(str(home), row)
    memory = home / "active_memory.md"
    _until(lambda: memory.exists() and "2099년" in memory.read_text(encoding="utf-8"))
    assert list((home / "spool").glob("*.json")) == []


def test_a_note_is_mirrored_while_it_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault, copy = home.parent / "vault", home.parent / "memory" / "plan.md"
    vault.mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_NOTES", str(vault))
    monkeypatch.setenv("GIEOK_OBSERVE_NOTES_TARGET", str(copy.parent))
    Daemon(home).start()
    for text in ("one", "two"):
        (vault / "plan.md").write_text(text, encoding="utf-8")
        _until(lambda text=text: copy.exists() and copy.read_text(encoding="utf-8") == text)


def test_memory_files_of_every_scope_are_kept_indexed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_WATCH_DEBOUNCE_MS", "50")
    for name, scope in (("notes", "agent:main"), ("diary", "user:kim")):
        (home.parent / name).mkdir()
        (home.parent / name / "a.md").write_text("처음", encoding="utf-8")
        _gieok("index", str(home.parent / name), "--scope", scope)
    (home.parent / "notes" / "a.md").write_text("그 사이에", encoding="utf-8")
    Daemon(home).start()
    store = SqliteStore(home / "memory.sqlite")

    def texts(scope: str) -> dict[str, str]:
        keys = list(store.hashes(Scope(scope)))
        return {document.key: document.text for document in store.get(Scope(scope), keys)}

    _until(lambda: texts("agent:main") == {"notes/a.md": "그 사이에"})
    (home.parent / "notes" / "b.md").write_text("새것", encoding="utf-8")
    (home.parent / "diary" / "a.md").unlink()
    _until(lambda: texts("agent:main") == {"notes/a.md": "그 사이에", "notes/b.md": "새것"})
    _until(lambda: texts("user:kim") == {})
    status = Daemon(home).status()
    assert status
    assert status.parts["memory"] == "watching 2 folders"
    store.close()


def test_the_vectors_of_memory_files_are_made_too(
    home: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_WATCH_DEBOUNCE_MS", "50")
    monkeypatch.setenv("GIEOK_EMBEDDER", "e5")
    shutil.copytree(models, home / "models")
    (home.parent / "notes").mkdir()
    (home.parent / "notes" / "a.md").write_text("결제는 화요일에 정산한다.", encoding="utf-8")
    _gieok("index", str(home.parent / "notes"), "--no-wait")
    Daemon(home).start()
    store = SqliteStore(home / "memory.sqlite")
    (home.parent / "notes" / "b.md").write_text("배포는 목요일이다.", encoding="utf-8")
    _until(lambda: store.stats(_SCOPE).vectors == store.stats(_SCOPE).passages == 2)
    store.close()


def test_the_model_is_loaded_at_the_start_before_any_prompt(
    home: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_EMBEDDER", "e5")
    shutil.copytree(models, home / "models")
    daemon = Daemon(home)
    daemon.start()
    _until(lambda: bool((status := daemon.status()) and status.parts.get("model") == "loaded"))


def test_a_home_with_a_long_name_is_served_on_a_port_that_asks_for_the_token(
    tmp_path: Path,
) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()
    server, address = wire.listen(long, "now", "1")
    try:
        assert (address.socket, address.port > 0) == ("", True)
        assert wire.address(long) == address
        assert (long / "daemon.json").stat().st_mode & 0o777 == 0o600
    finally:
        server.close()
    assert wire.ask_one_line(address, "status") is None, "nobody answers any more"
    wire.remove_daemon_address(long)
    assert wire.address(long) is None


def test_who_does_not_know_the_token_is_not_answered(home: Path) -> None:
    Daemon(home).start()
    address = wire.address(home)
    assert address is not None
    assert wire.ask_one_line(address._replace(token="guess"), "stop") is None
    assert Daemon(home).status() is not None


@pytest.fixture
def shop(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an indexed project, in which we stand, with a file that must never be imported."""
    monkeypatch.setenv("GIEOK_WATCH_DEBOUNCE_MS", "50")
    root = home.parent / "shop"
    root.mkdir()
    monkeypatch.chdir(root)
    _define(root, "first")
    (root / "yaml.py").write_text("open('imported', 'w')\n", encoding="utf-8")
    _do(home, "code init")
    return root


def _do(home: Path, name: str, **request: object) -> Any:
    """Run a command in this process, beside the daemon's own."""
    found = load_command(name)
    call = open_call({}, has_daemon=True)
    assert call.home.folder == home
    return found(call, **request)


def _define(root: Path, name: str) -> None:
    (root / "a.py").write_text(f"def {name}():\n    return 1\n", encoding="utf-8")


def _functions(root: Path) -> list[str]:
    store = ProjectStore(layout.index_file(root))
    try:
        assert store.check() == []
        return [symbol.name for symbol in store.all_symbols() if symbol.kind == "function"]
    finally:
        store.close()


def _state(home: Path, root: Path) -> str:
    """Return what the daemon says of a project; '' where it says nothing."""
    status = Daemon(home).status()
    return status.parts.get(watch_list.name_watched_part(root), "") if status else ""


def test_a_project_that_was_handed_over_is_kept_in_line_after_a_restart_too(
    home: Path, shop: Path
) -> None:
    handed = _do(home, "code watch", daemon=True)
    assert (handed.handed, handed.daemon, handed.watching) == (True, None, False)
    assert "`gieok up`" in load_command("code watch").present(handed, Style("en", colour=False))
    assert _do(home, "code status").watched == ""
    _define(shop, "while_it_did_not_run")
    pid = Daemon(home).start()[0].pid
    _until(lambda: _functions(shop) == ["while_it_did_not_run"])
    again = _do(home, "code watch", daemon=True)
    assert (again.daemon, again.watching) == (pid, True)
    _define(shop, "while_it_ran")
    _until(lambda: _functions(shop) == ["while_it_ran"])
    _until(lambda: _state(home, shop).startswith("up to date"))
    assert _do(home, "code status").watched.startswith("up to date")
    assert [root for root, _ in _do(home, "status").sidecar.projects] == [str(shop)]
    assert Daemon(home).stop()
    _define(shop, "after_a_restart")
    Daemon(home).start()
    _until(lambda: _functions(shop) == ["after_a_restart"])
    _until(
        lambda: (
            [row["trigger"] for row in layout.read_code_log(shop, "changes")]
            == ["init", *["daemon"] * 3]
        )
    )
    assert not list(home.parent.rglob("imported"))
    assert _do(home, "code watch", stop=True).found
    _until(lambda: not _state(home, shop))
    assert _do(home, "code status").watched is None
    assert not _do(home, "code watch", stop=True).found


@pytest.mark.skipif(find_spec("pydantic_ai") is None, reason="needs gieok[models]")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_daemon_lets_the_cheap_model_summarise_what_changed(
    home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ModelServer()
    try:
        server.script = ['{"1": "It does what it says."}']
        monkeypatch.setenv("GIEOK_CODE_UPKEEP_MODEL", "compatible:cheap")
        monkeypatch.setenv("GIEOK_CODE_UPKEEP_BASE_URL", f"{server.url}/v1")
        _define(shop, "changed")
        watch_list.watch_project(home, shop)
        Daemon(home).start()
        _until(
            lambda: [row["tokens"] for row in layout.read_code_log(shop, "changes")] == [0, 11 + 7]
        )
        (shown,) = _do(home, "code show", symbol="a.py").symbols
        assert (shown.summary, shown.summary_by) == ("It does what it says.", "compatible:cheap")
    finally:
        server.shutdown()
        server.server_close()


def test_a_project_that_vanished_is_dropped_and_one_that_cannot_be_synced_says_why(
    home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, foreign = home.parent / "gone", home.parent / "foreign"
    for root in (gone, foreign):
        shutil.copytree(shop, root)
    monkeypatch.chdir(gone)
    _do(home, "code init")
    for root in (gone, foreign, shop):
        watch_list.watch_project(home, root)
    Daemon(home).start()
    _until(lambda: _state(home, gone).startswith("up to date"))
    _until(lambda: "not made by you" in _state(home, foreign))
    monkeypatch.chdir(shop)
    shutil.rmtree(gone)
    _define(shop, "still_there")
    _until(lambda: _functions(shop) == ["still_there"])
    _until(lambda: not _state(home, gone))
    assert watch_list.list_watched_roots(home) == [foreign, shop]
    assert not HandedResult(
        foreign, True, True, Daemon(home).status().pid, _state(home, foreign)
    ).watching
    assert f"{gone} is not watched any more" in (home / "daemon.log").read_text(encoding="utf-8")


def test_a_project_that_cannot_be_looked_at_is_not_dropped(home: Path) -> None:
    closed, gone = home.parent / "closed", home.parent / "gone"
    closed.mkdir()
    (closed / ".gieok").symlink_to(closed / ".gieok")  # as good as no permission, for root too
    for root in (closed, gone):
        watch_list.watch_project(home, root)
    Daemon(home).start()
    _until(lambda: watch_list.list_watched_roots(home) == [closed])
    _until(lambda: _state(home, closed).startswith("failed"))


def test_a_daemon_that_is_killed_in_the_middle_of_a_sync_leaves_a_project_whole(
    home: Path, shop: Path
) -> None:
    watch_list.watch_project(home, shop)
    daemon = Daemon(home)
    for turn in range(2):
        for number in range(40):
            text = f"from a import first\n\n\ndef f{turn}_{number}():\n    return first()\n"
            (shop / f"m{number}.py").write_text(text, encoding="utf-8")
        pid = daemon.start()[0].pid
        _until(lambda: _state(home, shop) not in ("", "watching"))
        os.killpg(pid, signal.SIGKILL)  # the process that syncs, too
        _until(lambda: daemon.status() is None)
        _functions(shop)
    daemon.start()
    _until(lambda: _state(home, shop).startswith("up to date"))
    assert _do(home, "code status").freshness.dirty == ()
    assert len(_functions(shop)) == 41
    graph = _graph(shop)
    daemon.stop()
    shutil.rmtree(shop / ".gieok")
    _do(home, "code init")
    assert graph == _graph(shop)


def _graph(root: Path) -> list[object]:
    store = ProjectStore(layout.index_file(root))
    try:
        return [*store.all_symbols(), *store.all_edges()]
    finally:
        store.close()
