"""Calls of which a part is another: a double of a port, a value that a test needs."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.home import Home
from gieok.home.watching import Watching
from gieok.ports.system import Clock, Watcher


@contextmanager
def opened_home(
    home: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock, **settings: object
) -> Iterator[Call]:
    """Open a home without vectors and agents; `settings` are variables without `GIEOK_`."""
    for name, value in {
        "HOME": home,
        "EMBEDDER": "none",
        "OBSERVE_AGENTS": "none",
        **settings,
    }.items():
        monkeypatch.setenv(f"GIEOK_{name}", str(value))
    opened = open_call({}, clock=clock, zone=UTC)
    yield opened
    opened.home.journal.close()
    opened.home.store.close()


def using(call: Call, **parts: object) -> Call:
    """Return a call whose home has other parts: name of a member → its value, or its function."""
    return replace(call, home=change_home(call.home, **parts))


def change_home(home: Home, **parts: object) -> Home:
    """Return a copy of a home with other parts: name of a member → its value, or its function."""
    members = {name: staticmethod(part) if callable(part) else part for name, part in parts.items()}
    changed = copy.copy(home)
    for name in members:
        changed.__dict__.pop(name, None)
    changed.__class__ = type("ChangedHome", (type(home),), members)
    return changed


def watching(call: Call, watcher: Callable[[], Watcher]) -> Call:
    """Return a call that watches files by `watcher`; whenever that tells nothing, everything is
    compared again.
    """

    class WatchingBy(Watching):
        def open_watcher(self) -> Watcher:
            return watcher()

    return using(call, watching=WatchingBy(call.home.watching.debounce_ms, rescan_s=1))


def called_in(call: Call, folder: Path) -> Call:
    """Return the call of a caller in another folder."""
    return replace(call, caller=call.caller._replace(folder=folder))
