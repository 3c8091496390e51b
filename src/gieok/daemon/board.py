"""State that the daemon's parts share: the stop event, the state of each part, and the log."""

import contextlib
import threading
import time
from collections.abc import Callable

from gieok.text.redact import redact

_LONGEST_PAUSE_S = 300.0


class Board:
    """Shared state of the daemon's parts.

    `stop` is set when the process is to end; `parts` is shown by `gieok status`.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._lock = threading.Lock()
        self._parts: dict[str, str] = {}
        self._used_s = time.monotonic()

    def touch(self) -> None:
        """Note that the process is needed now: by a call, or by a message of a conversation."""
        self._used_s = time.monotonic()

    @property
    def idle_s(self) -> float:
        """Return the seconds since the process was last needed."""
        return time.monotonic() - self._used_s

    @property
    def parts(self) -> dict[str, str]:
        """Return part → its current state."""
        with self._lock:
            return dict(self._parts)

    def note(self, part: str, text: str) -> None:
        """Set the state of a part; '' removes the part."""
        with self._lock:
            self._parts[part] = text
            if not text:
                del self._parts[part]

    def say(self, line: str) -> None:
        """Write a line to the log."""
        with contextlib.suppress(OSError):  # a full disk, a reader that left: no reason to stop
            # The process's standard output is the log.
            print(time.strftime("%Y-%m-%d %H:%M:%S"), redact(line), flush=True)  # noqa: T201

    def start(self, name: str, work: Callable[[], None]) -> threading.Thread:
        """Start a part in its own thread, and again whenever the part fails."""
        thread = threading.Thread(target=self._guarded, args=(name, work), name=name, daemon=True)
        thread.start()
        return thread

    def _guarded(self, name: str, work: Callable[[], None]) -> None:
        """Run a part, and again when it fails.

        A full disk or a locked file must not stop the other parts, or this part for ever.
        """
        pause_s = 1.0
        while not self.stop.is_set():
            try:
                work()
            except Exception as error:  # noqa: BLE001 - the daemon's own loop
                self.note(name, f"failed: {error}")
                self.say(f"{name} failed: {type(error).__name__}: {error}")
                self.stop.wait(pause_s)
                pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
            else:
                return
