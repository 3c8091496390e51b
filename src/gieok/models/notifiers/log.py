"""Notifier that is always available: a line in the file that `gieok logs` shows."""

from gieok import fs
from gieok.errors import NotifierFailed, Phrase, find_os_reason
from gieok.opening import ChannelOpening


class LogChannel:
    """`Channel` that appends to a file (0600)."""

    def __init__(self, opening: ChannelOpening) -> None:
        self._file = opening.log
        self._clock = opening.clock
        self._zone = opening.zone

    def send(self, title: str, text: str) -> str:
        """Append one line."""
        at = self._clock.now().astimezone(self._zone)  # as the daemon's own lines
        self._append(f"{at:%Y-%m-%d %H:%M:%S} {title}: {' '.join(text.split())}\n")
        return f"a line in {self._file}; `gieok logs` shows it"

    def check(self) -> str:
        """Do nothing: the log is always available."""
        self._append("")
        return f"{self._file} can be written"

    def _append(self, line: str) -> None:
        try:
            fs.append_private_text(self._file, line)
        except OSError as error:
            message = Phrase(
                "cannot write {file!r}: {reason}",
                file=self._file,
                reason=find_os_reason(error),
            )
            raise NotifierFailed(
                message, hint="check the permissions and the free space of this place"
            ) from error
