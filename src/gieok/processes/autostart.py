"""Start of the daemon of a home folder at a session start, without waiting for the daemon.

The hook imports this module: standard library, and only modules that import fast. Two daemons that
start at once do no harm: only the holder of the lock stays, and the other one ends.
"""

import os
import sys
from collections.abc import Mapping

from gieok import fs
from gieok.places.home import DAEMON_DOWN, HOME_VARIABLE

#: File in which `gieok install` keeps its changes: a person who installed an agent wants its memory
#: up to date.
_INSTALLS = "installs"
#: Argument of a daemon that ends by itself when nobody needs it.
IDLE = "--idle"


def is_wanted(home: str, setting: str, environment: Mapping[str, str]) -> bool:
    """Return whether a session start may start the daemon; never in CI, where no person is.

    `setting` is `daemon.autostart`.
    """
    if setting == "off" or is_kept_down(home):
        return False
    return setting == "on" or (
        not environment.get("CI") and _has_installs(os.path.join(home, _INSTALLS))
    )


def _has_installs(folder: str) -> bool:
    return os.path.isdir(folder) and any(name.endswith(".json") for name in os.listdir(folder))


def start_daemon_process(home: str) -> None:
    """Start the daemon in a process that outlives this process. Raises OSError."""
    log = os.path.join(home, "daemon.log")
    fs.create_private(log)
    # -P: the daemon starts in the agent's folder, whose files must not be imported.
    command = [sys.executable, "-P", "-m", "gieok.daemon", IDLE]
    environment = os.environ | {HOME_VARIABLE: home}
    # `posix_spawn` has no `setsid` on these systems
    if not hasattr(os, "posix_spawn") or sys.platform == "darwin":
        import subprocess

        with open(log, "ab") as out:
            subprocess.Popen(  # noqa: S603 - fixed program, no shell
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=home,
                env=environment,
                start_new_session=True,
                creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
            ).returncode = 0  # nobody waits for it
        return
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_APPEND, 0),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    os.posix_spawn(sys.executable, command, environment, file_actions=files, setsid=True)


def keep_down(home: str) -> None:
    """Prevent automatic starts of the daemon from now on."""
    fs.create_private(os.path.join(home, DAEMON_DOWN))


def is_kept_down(home: str) -> bool:
    """Return whether a person stopped the daemon and has not started it since."""
    return os.path.exists(os.path.join(home, DAEMON_DOWN))


def allow_daemon_start(home: str) -> None:
    """Allow automatic starts of the daemon again."""
    if os.path.exists(file := os.path.join(home, DAEMON_DOWN)):
        os.unlink(file)
