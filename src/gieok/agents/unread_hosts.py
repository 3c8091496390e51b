"""Table of hosts whose conversations are not read yet, with the folders in which they lie.

Such a host has no row in `gieok.agents.table`: its transcripts are named, so that nobody takes a
search that finds nothing for one that looked there. Source: recordings of Cline CLI 3.0.65 and Grok
Build 1.0.41; documentation of the others.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from gieok.agents.transcripts.place import TranscriptPlace, Unread
from gieok.text.messages import Words

_WHY = "conversations of this agent are not read yet"
_DATA = ".local/share"


class UnreadHost(NamedTuple):
    """Host, a folder of its conversations below the user's folder, and patterns of their files."""

    name: str
    folder: str
    files: str


UNREAD_HOSTS = (
    UnreadHost("Antigravity", ".gemini/antigravity/brain", "*/.system_generated/logs/*.jsonl"),
    UnreadHost("Antigravity", ".gemini/antigravity-cli/brain", "*/.system_generated/logs/*.jsonl"),
    UnreadHost("Cline", ".cline/data/sessions", "*/*.messages.json"),
    UnreadHost("Droid", ".factory/sessions", "*/*.jsonl"),
    UnreadHost("Goose", f"{_DATA}/goose/sessions", "sessions.db *.jsonl"),
    UnreadHost("Grok Build", ".grok/sessions", "*/*/chat_history.jsonl"),
    UnreadHost("Kiro", ".kiro/sessions/cli", "*.jsonl"),
    UnreadHost("Zed", f"{_DATA}/zed/threads", "threads.db"),
)


class FoundUnreadHost(NamedTuple):
    """Host that keeps conversations on this machine, and where."""

    name: str
    folder: Path


class UnreadFolder(Unread):
    """Conversations of which the folder is named, and no file."""

    __slots__ = ()

    def explain_files(self, folder: Path) -> Iterator[tuple[Path, str]]:
        """Yield the folder with the reason, where it holds one conversation or more."""
        patterns = self.names.split()
        if any(path.is_file() for pattern in patterns for path in folder.glob(pattern)):
            yield folder, self.why


class UnreadHostPlace(TranscriptPlace):
    """Folder of a host's conversations, none of which is read."""

    __slots__ = ()

    def is_silent(self, path: Path) -> bool:
        """Return True: nothing there is read."""
        del path
        return True


def list_unread_host_places(
    home: Path, environment: Mapping[str, str]
) -> tuple[UnreadHostPlace, ...]:
    """Return the places of the hosts, whether or not they exist."""
    return tuple(
        UnreadHostPlace(
            _locate_folder(host, home, environment),
            is_watched=False,
            unread=(UnreadFolder(host.files, _WHY),),
        )
        for host in UNREAD_HOSTS
    )


def find_unread_hosts(home: Path, environment: Mapping[str, str]) -> tuple[FoundUnreadHost, ...]:
    """Return the hosts that keep conversations on this machine."""
    places = list_unread_host_places(home, environment)
    return tuple(
        FoundUnreadHost(host.name, folder)
        for host, place in zip(UNREAD_HOSTS, places, strict=True)
        for unread in place.unread
        for folder, _ in unread.explain_files(place.folder)
    )


def name_unread_hosts(hosts: tuple[FoundUnreadHost, ...]) -> Words:
    """Return the sentence that names hosts whose conversations are not read yet."""
    named = ", ".join(f"{host.name} ({host.folder})" for host in hosts)
    return Words.of("not read yet, conversations of: {hosts}", hosts=named)


def _locate_folder(host: UnreadHost, home: Path, environment: Mapping[str, str]) -> Path:
    data = environment.get("XDG_DATA_HOME", "")
    if data and host.folder.startswith(f"{_DATA}/"):
        return Path(data) / host.folder.removeprefix(f"{_DATA}/")
    return home / host.folder
