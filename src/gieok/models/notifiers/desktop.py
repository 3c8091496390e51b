"""Desktop notifications by the system's own program: `notify-send`, `osascript`."""

import html
import shutil
import subprocess
import sys

from gieok.errors import NotifierFailed, find_os_reason
from gieok.opening import ChannelOpening
from gieok.ports.system import Unseen

#: The texts are arguments of the script, never a part of it.
_APPLE = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
_MOST_CHARS = 500
_HINT = "it needs the desktop's session: start the daemon from there, `gieok down && gieok up`"


class DesktopChannel:
    """`Channel` to the screen of the person at this machine."""

    def __init__(self, opening: ChannelOpening) -> None:
        self._environment = dict(opening.environment)
        self._timeout_s = opening.timeout_s
        self._name = "osascript" if sys.platform == "darwin" else "notify-send"

    def send(self, title: str, text: str) -> str:
        """Show the notification."""
        program, text = self._program(), text[:_MOST_CHARS]
        if self._name == "osascript":
            words = ["-e", _APPLE, title, text]
        else:  # what it shows is markup
            words = ["--app-name=gieok", "--", title, html.escape(text, quote=False)]
        try:
            # The program is the system's, the words are arguments.
            completed = subprocess.run(  # noqa: S603
                [program, *words],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self._timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise NotifierFailed(
                "{name} did not end within {timeout_s:g} s",
                name=self._name,
                timeout_s=self._timeout_s,
                hint=_HINT,
            ) from error
        except OSError as error:
            raise NotifierFailed(
                "{name} cannot be run: {reason}",
                name=self._name,
                reason=find_os_reason(error),
                hint=_HINT,
            ) from error
        if completed.returncode:
            output = " ".join(completed.stderr.decode("utf-8", "replace").split())[:200]
            raise NotifierFailed(
                "{name} ended with {exit_status}: {output}",
                name=self._name,
                exit_status=completed.returncode,
                output=output,
                hint=_HINT,
            )
        return f"shown by {program}"

    def check(self) -> str:
        """Check that the program exists."""
        return Unseen(f"{self._program()} is there")

    def _program(self) -> str:
        program = shutil.which(self._name, path=self._environment.get("PATH"))
        if not program:
            hint = (
                "install it (Debian, Ubuntu: `apt install libnotify-bin`), or take another way in "
                "`notify.to`"
            )
            raise NotifierFailed("there is no {name} on the PATH", name=self._name, hint=hint)
        return program
