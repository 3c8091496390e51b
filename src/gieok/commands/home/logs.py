"""`gieok logs`: the last lines of the daemon's log."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from gieok import paths
from gieok.commands.command import Parameter, Style, command, printable
from gieok.home.call import Call
from gieok.text.messages import Words

_POLL_S = 0.5
_READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class LogsResult:
    """Last lines of the log."""

    lines: tuple[str, ...]

    @property
    def found(self) -> bool:
        """True where there is a line."""
        return bool(self.lines)


def render_daemon_log(result: LogsResult, style: Style) -> str:
    """Show the lines."""
    nothing = Words("The daemon has said nothing yet; `gieok up` starts it.")
    return "\n".join(map(printable, result.lines)) or nothing.say(style.lang)


@command(
    "logs",
    Words("Show what the daemon has said"),
    present=render_daemon_log,
    examples=("gieok logs --lines 100", "gieok logs --follow"),
    is_endless=True,
)
def read_daemon_log(
    call: Call,
    *,
    lines: Annotated[int, Parameter(Words("how many of the last lines"))] = 50,
    follow: Annotated[bool, Parameter(Words("go on as more comes"))] = False,
) -> LogsResult:
    """Read the end of the log."""
    file = paths.locate_daemon_log(call.home.folder)
    last = tuple(_read_log_tail(file, lines))
    if follow:
        for line in (*last, *_iter_new_log_lines(file)):
            call.tell(printable(line))
        return LogsResult(())
    return LogsResult(last)


def _read_log_tail(file: Path, count: int) -> list[str]:
    try:
        with file.open("rb") as log:
            log.seek(max(log.seek(0, 2) - _READ_BYTES, 0))
            return log.read().decode("utf-8", "replace").splitlines()[-count:] if count > 0 else []
    except FileNotFoundError:
        return []


def _iter_new_log_lines(file: Path) -> Iterator[str]:
    position = file.stat().st_size if file.exists() else 0
    while True:
        time.sleep(_POLL_S)
        size = file.stat().st_size if file.exists() else 0
        position = 0 if size < position else position  # a new log
        if size > position:
            with file.open("rb") as log:
                log.seek(position)
                data = log.read()
            position += len(data)
            yield from data.decode("utf-8", "replace").splitlines()
