"""Finds processes that tests started and left behind: a daemon has left its parent, but not its
environment.
"""

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

#: What was told to end may take so long on a busy machine.
_END_S = 20.0
_POLL_S = 0.05


def stop_daemon(home: Path) -> None:
    """Stop the daemon of a home; where that takes too long on a busy machine, end its process."""
    from gieok.errors import GieokError
    from gieok.processes import wire
    from gieok.processes.client import Daemon

    address = wire.address(home)
    try:
        Daemon(home).stop()
    except GieokError:
        if address is not None:
            os.kill(address.pid, signal.SIGKILL)


def processes(folders: Sequence[str]) -> list[str]:
    """Return the command lines and folders of processes whose environment or working folder is in
    one of these folders.

    Nothing where there is no `/proc`.
    """
    deadline = time.monotonic() + _END_S
    while (left := _living(folders)) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return left


def _living(folders: Sequence[str]) -> list[str]:
    own = {os.getpid(), os.getppid()}
    found = (one for one in Path("/proc").glob("[0-9]*") if int(one.name) not in own)
    return [told for one in found if (told := _told(one, folders))]


def _told(process: Path, folders: Sequence[str]) -> str:
    try:
        words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        around = (process / "environ").read_bytes().decode("utf-8", "replace").split("\0")
        where = str((process / "cwd").readlink())
    except OSError:  # it has ended, or is another user's
        return ""
    homes = [
        value
        for name, _, value in (one.partition("=") for one in around)
        if name in ("HOME", "GIEOK_HOME")
    ]
    inside = next((at for at in (*homes, where) if at.startswith(tuple(folders))), "")
    return f"{process.name}: {words} ({inside})" if words and inside else ""
