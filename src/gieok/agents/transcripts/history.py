"""Counts prompts in a host's prompt history that no transcript holds any more.

Hosts keep a list of prompts for the arrow keys. They remove old transcripts (Claude Code after
thirty days by default) and keep the list. The list is not read as memory: it does not hold the
answers, and prompts that were read while their transcript existed would be read a second time.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import ClassVar

from gieok.agents.transcripts.fields import read_text_field
from gieok.agents.transcripts.place import TranscriptPlace, Unread


class HistoryPlace(TranscriptPlace):
    """Folder of a prompt history, in which no file is a transcript."""

    def is_silent(self, path: Path) -> bool:
        """Return True for every file."""
        del path
        return True


#: Why the prompts of a history are not read.
SESSIONS_GONE = (
    "prompts of sessions that are gone, or that it does not name, are not read from this list"
)


class PromptHistory(Unread, ABC):
    """Prompt history, reported where it holds prompts that no transcript holds any more."""

    #: Names of the fields for the session's id and for the typed text.
    session_field: ClassVar[str]
    text_field: ClassVar[str]

    @abstractmethod
    def find_kept_sessions(self, folder: Path) -> Container[str]:
        """Return what contains the id of each session whose transcript exists below a folder."""

    def explain_files(self, folder: Path) -> Iterator[tuple[Path, str]]:
        """Yield each history that holds such prompts, with their number."""
        for file in sorted(folder.glob(self.names)):
            if count := self._count_orphans(file, self.find_kept_sessions(folder)):
                yield file, f"{self.why} ({count:,} prompts)"

    def _count_orphans(self, file: Path, kept: Container[str]) -> int:
        """Return how many prompts of a history belong to no existing transcript.

        A prompt that names no session is counted, although it may be in a transcript: nothing says
        that it is.
        """
        try:
            lines = file.read_bytes().splitlines()
        except OSError:
            return 0
        prompts = Counter[str]()
        for data in lines:
            try:
                line = json.loads(data)
            except (ValueError, RecursionError):
                continue
            if isinstance(line, dict) and _says_something(
                read_text_field(line.get(self.text_field))
            ):
                prompts[read_text_field(line.get(self.session_field))] += 1
        return sum(
            number for session, number in prompts.items() if not session or session not in kept
        )


def _says_something(typed: str) -> bool:
    """Return whether a prompt is more than a command of the program."""
    return bool(typed.strip()) and not (typed.startswith("/") and " " not in typed.strip())
