"""A session start brings one daemon up where it is wanted, and never otherwise."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import leftover
import pytest

from gieok import fs
from gieok.daemon.server import Server
from gieok.places.home import HOME_VARIABLE
from gieok.processes import autostart, wire
from gieok.processes.client import Daemon


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return fs.make_private(tmp_path / "home")


def _installed(home: Path) -> None:
    fs.replace_private(home / "installs" / "1.json", "{}")


def test_it_is_wanted_once_an_agent_was_installed_unless_somebody_said_no(home: Path) -> None:
    assert not autostart.is_wanted(str(home), "auto", {})
    assert autostart.is_wanted(str(home), "on", {"CI": "true"})
    _installed(home)
    assert autostart.is_wanted(str(home), "auto", {})
    assert not autostart.is_wanted(str(home), "auto", {"CI": "true"})
    assert not autostart.is_wanted(str(home), "off", {})


def test_down_keeps_it_down_until_it_is_wanted_again(home: Path) -> None:
    _installed(home)
    assert Daemon(home).stop() is False
    assert not autostart.is_wanted(str(home), "auto", {})
    assert not autostart.is_wanted(str(home), "on", {})
    autostart.allow_daemon_start(str(home))
    assert autostart.is_wanted(str(home), "auto", {})


_START = (
    "import sys; from gieok.processes import autostart; autostart.start_daemon_process(sys.argv[1])"
)


def test_what_starts_outlives_who_started_it_is_one_and_imports_nothing_of_the_folder(
    home: Path, tmp_path: Path
) -> None:
    for name in ("json.py", "gieok.py", "sqlite3.py"):
        (tmp_path / name).write_text("raise SystemExit('a project was imported')\n")
    environment = os.environ | {
        "GIEOK_EMBEDDER": "none",
        "HOME": str(tmp_path),
        HOME_VARIABLE: str(home),
    }
    for _ in range(3):
        subprocess.run(
            [sys.executable, "-P", "-c", _START, str(home)],
            cwd=tmp_path,
            env=environment,
            check=True,
        )
    daemon, pause = Daemon(home), threading.Event()
    try:
        running = daemon.status()
        while running is None:  # a hang, not a limit: the test's own timeout ends it
            pause.wait(0.05)
            running = daemon.status()
        assert os.getpgid(running.pid) != os.getpgrp()
        address = wire.address(home)
        assert address is not None
        assert address.pid == running.pid
        log = (home / "daemon.log").read_text()
        assert log.count("started, process") == 1
        assert "imported" not in log
    finally:
        daemon.stop()
        # The slower ones may not have come to the lock yet: what pytest removes of the home lets
        # them begin.
        assert not leftover.processes((str(home),))


def test_one_that_comes_to_the_lock_after_a_person_stopped_it_ends_at_once(home: Path) -> None:
    autostart.keep_down(str(home))
    environment = os.environ | {"GIEOK_EMBEDDER": "none", HOME_VARIABLE: str(home)}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gieok.daemon", autostart.IDLE],
        cwd=home,
        env=environment,
        check=True,
    )
    assert done.returncode == 0
    assert not (home / "daemon.log").exists()


def test_one_that_comes_after_its_home_was_erased_does_not_bring_it_back(
    home: Path, tmp_path: Path
) -> None:
    home.rmdir()
    environment = os.environ | {"GIEOK_EMBEDDER": "none", HOME_VARIABLE: str(home)}
    command = [sys.executable, "-P", "-m", "gieok.daemon", autostart.IDLE]
    done = subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    assert (done.returncode, home.exists()) == (0, False)


def test_stopping_asks_also_the_one_that_was_still_starting(home: Path) -> None:
    held, asked = threading.Event(), threading.Event()

    def starting() -> None:
        with fs.exclusive(wire.find_daemon_lock(home), wait=False):
            held.set()
            listening, address = wire.listen(home, "2026-01-01", "0")
            server = Server(listening, address.token, lambda _: (asked.set(), {"ok": True})[1])
            threading.Thread(target=server.serve, args=(lambda *_: {},), daemon=True).start()
            asked.wait()
            wire.remove_daemon_address(home)

    daemon = threading.Thread(target=starting)
    daemon.start()
    held.wait()  # it may not listen yet: then the first look finds no address
    assert Daemon(home).stop()
    daemon.join()
    assert asked.is_set()
