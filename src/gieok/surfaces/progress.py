"""One line of progress on a terminal, rewritten in place.

Nothing is shown where no person watches (an agent's transcript).
"""

from collections.abc import Callable
from types import TracebackType
from typing import TextIO

_CLEAR = "\r\033[K"


class Progress:
    """Progress line that shows the last message until the block ends.

    `told` translates a line into the reader's language.
    """

    def __init__(self, stream: TextIO, told: Callable[[str], str] = str) -> None:
        self._stream, self._told = stream, told
        self._is_shown = stream.isatty()

    def __enter__(self) -> "Progress":
        """Return the progress line itself."""
        return self

    def say(self, line: str) -> None:
        """Show a line in place of the last one."""
        if self._is_shown:
            self._stream.write(_CLEAR + self._told(line))
            self._stream.flush()

    def tell(self, line: str) -> None:
        """Print a line that stays, on a terminal or not."""
        self._stream.write((_CLEAR if self._is_shown else "") + self._told(line) + "\n")
        self._stream.flush()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Clear the line."""
        if self._is_shown:
            self._stream.write(_CLEAR)
            self._stream.flush()
