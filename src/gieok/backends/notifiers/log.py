"""Default notifier: a line in the file that `gieok logs` shows."""

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from gieok import fs
from gieok.text.redact import redact


class LogNotifier:
    """`Notifier` that appends to a file (0600)."""

    def __init__(self, file: Path, now: Callable[[], datetime]) -> None:
        self._file = file
        self._now = now

    def notify(self, title: str, text: str) -> None:
        """Append one line; a full disk is no reason to stop."""
        line = f"{self._now():%Y-%m-%d %H:%M:%S} {title}: {redact(' '.join(text.split()))}\n"
        try:
            fs.create_private(self._file)
            with os.fdopen(os.open(self._file, os.O_WRONLY | os.O_APPEND), "w", encoding="utf-8") as out:
                out.write(line)
        except OSError:
            pass
