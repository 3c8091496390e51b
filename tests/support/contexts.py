"""Contexts of which a part is another: a double of a port, a value that a test needs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from gieok.app import open_context
from gieok.ops.context import Context
from gieok.ports.system import Clock, Watcher


@contextmanager
def opened_home(
    home: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock, **settings: object
) -> Iterator[Context]:
    """Open a home without vectors and agents; `settings` are variables without `GIEOK_`."""
    for name, value in {
        "HOME": home,
        "EMBEDDER": "none",
        "OBSERVE_AGENTS": "none",
        **settings,
    }.items():
        monkeypatch.setenv(f"GIEOK_{name}", str(value))
    opened = open_context({}, clock=clock, zone=UTC)
    yield opened
    opened.memory.journal().close()
    opened.memory.store().close()


def using(context: Context, rib: str, **parts: object) -> Context:
    """Return a context whose `rib` has other parts."""
    opened = getattr(context.ribs, rib)
    return replace(context, ribs=context.ribs._replace(**{rib: lambda: opened()._replace(**parts)}))


def watching(context: Context, watcher: Callable[[], Watcher]) -> Context:
    """Return a context that watches files by `watcher`; whenever that tells nothing, everything is
    compared again.
    """
    return using(
        context, "admin", watching=context.admin.watching._replace(open=watcher, rescan_s=1)
    )


def called_in(context: Context, folder: Path) -> Context:
    """Return the context of a caller in another folder."""
    return replace(context, caller=context.caller._replace(folder=folder))
