"""Desktop notifications, by a program on the PATH that keeps what it was called with."""

import sys
from pathlib import Path

import pytest

from gieok.errors import NotifierFailed
from gieok.models.notifiers.desktop import DesktopChannel

_FAKE = """#!{python}
import json, os, pathlib, sys
pathlib.Path({seen!r}).write_text(json.dumps([sys.argv[1:], os.environ.get("DBUS_SESSION_BUS_ADDRESS")]))
{then}
"""
_NAME = "osascript" if sys.platform == "darwin" else "notify-send"


@pytest.fixture
def program(tmp_path: Path):
    """Return a function that puts the system's program on a PATH; it returns the PATH and the file
    of its words.
    """

    def put(then: str = "") -> tuple[str, Path]:
        seen = tmp_path / "seen.json"
        file = tmp_path / "bin" / _NAME
        file.parent.mkdir(exist_ok=True)
        file.write_text(
            _FAKE.format(python=sys.executable, seen=str(seen), then=then), encoding="utf-8"
        )
        file.chmod(0o755)
        return str(file.parent), seen

    return put


def test_title_and_text_are_words_of_their_own_and_no_markup(program, opening) -> None:
    path, seen = program()
    said = DesktopChannel(
        opening(environment={"PATH": path, "DBUS_SESSION_BUS_ADDRESS": "unix:x"})
    ).send("gieok: 관찰자가 기다립니다", 'it <b>waits</b> "x"; rm -rf /')
    text = seen.read_text(encoding="utf-8")
    assert said == f"shown by {path}/{_NAME}"
    assert "unix:x" in text
    assert "rm -rf /" in text
    assert ("&lt;b&gt;waits" in text) is (_NAME == "notify-send")


def test_without_the_program_it_says_how_to_get_it(opening, tmp_path: Path) -> None:
    channel = DesktopChannel(opening(environment={"PATH": str(tmp_path)}))
    for way in (channel.check, lambda: channel.send("a", "b")):
        with pytest.raises(NotifierFailed, match=f"there is no {_NAME} on the PATH"):
            way()


def test_a_program_that_fails_is_quoted(program, opening) -> None:
    path, _ = program('sys.exit("Cannot autolaunch D-Bus without X11")')
    channel = DesktopChannel(opening(environment={"PATH": path}))
    assert channel.check() == f"{path}/{_NAME} is there"
    with pytest.raises(NotifierFailed, match="ended with 1: Cannot autolaunch D-Bus") as failed:
        channel.send("a", "b")
    assert "desktop's session" in failed.value.hint


def test_a_program_that_hangs_is_ended(program, opening) -> None:
    path, _ = program("import threading; threading.Event().wait(30)")
    with pytest.raises(NotifierFailed, match=r"did not end within 0\.5 s"):
        DesktopChannel(opening(environment={"PATH": path}, timeout_s=0.5)).send("a", "b")
