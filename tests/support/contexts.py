"""Contexts of which a part is another: a double of a port, a value that a test needs."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from gieok.ops.context import Context
from gieok.ports.system import Watcher


def using(context: Context, rib: str, **parts: object) -> Context:
    """Return a context whose `rib` has other parts."""
    opened = getattr(context.ribs, rib)
    return replace(context, ribs=context.ribs._replace(**{rib: lambda: opened()._replace(**parts)}))


def watching(context: Context, watcher: Callable[[], Watcher]) -> Context:
    """Return a context that watches files by `watcher`; whenever that tells nothing, everything is compared again."""
    return using(context, "admin", watching=context.admin.watching._replace(open=watcher, rescan_s=1))


def called_in(context: Context, folder: Path) -> Context:
    """Return the context of a caller in another folder."""
    return replace(context, caller=context.caller._replace(folder=folder))
