"""The server as a part of the daemon: what falls is started again, with growing pauses, and a
person is told once.
"""

import sys
import threading
from pathlib import Path

import pytest
from contexts import opened_home, using

from gieok.daemon.board import Board
from gieok.daemon.http_child import Serving
from gieok.processes.launch import FAILED, PART, READY
from gieok.testing.clock import ManualClock

_IN_USE = "print('gieok: port 1 is in use', file=sys.stderr); sys.exit(2)"
_UP = f"print('{READY} http://127.0.0.1:1', file=sys.stderr, flush=True); sys.stdin.read()"


class _Pauses(threading.Event):
    """Waits no time at all, and is set after so many waits."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.taken: list[float | None] = []
        self._most = most

    def wait(self, timeout: float | None = None) -> bool:
        self.taken.append(timeout)
        if len(self.taken) == self._most:
            self.set()
        return self.is_set()


class _Told:
    """Tells a person."""

    def __init__(self, told: list[str]) -> None:
        self._told = told

    def notify(self, title: str, text: str) -> None:
        self._told.append(text)


def _command(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", f"import sys; {code}")


def test_a_server_that_cannot_start_is_tried_again_ever_more_rarely_and_told_of_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []
    notices = _Told(told)
    monkeypatch.setenv("GIEOK_DAEMON_SERVES", "")  # so that it is taken back
    with opened_home(tmp_path, monkeypatch, ManualClock()) as context:
        here = using(context, notices=notices)
        board = Board()
        board.stop = pauses = _Pauses(4)
        serving = Serving(tmp_path, lambda: here, board, _command(_IN_USE))
        serving.want()
        serving.keep()
        assert pauses.taken == [2.0, 4.0, 8.0, 16.0]
        assert board.parts[PART] == f"{FAILED}port 1 is in use"
        assert [row.name for row in here.home.journal.incidents()] == [PART]
        assert len(told) == 1
        assert capsys.readouterr().out.count("port 1 is in use") == 1
        # It is there again: nothing waits for a person, and it ends with the daemon.
        board = Board()
        serving = Serving(tmp_path, lambda: here, board, _command(_UP))
        monkeypatch.setattr(board, "say", lambda line: (board.stop.set(), serving.wake()))
        serving.want()
        serving.keep()
        assert board.parts[PART] == "http://127.0.0.1:1"
