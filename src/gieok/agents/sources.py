"""Where agents keep their transcripts, on this machine and for this user."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePath
from typing import NamedTuple

from gieok.agents import agent
from gieok.agents.formats import is_transcript
from gieok.agents.transcripts.place import TranscriptPlace
from gieok.model.memory import Scope

#: Suffixes of files that SQLite keeps beside a database; changes show up there first.
_BESIDE = re.compile(r"-(?:wal|shm|journal)$")


class ScopedTranscript(NamedTuple):
    """Transcript, or database of transcripts, with the scope whose memory it belongs to."""

    path: Path
    scope: Scope
    #: The agent that owns the database; '' for a file.
    database: str = ""
    #: Working folder of a file's session, where something beside the file says it.
    cwd: str = ""


def list_transcript_places(
    home: Path, environment: Mapping[str, str], names: Sequence[str], folders: Sequence[Path]
) -> list[TranscriptPlace]:
    """Return the places of these agents and of the user's own folders, whether or not they
    exist.
    """
    own = [TranscriptPlace(folder, "**/*.jsonl*") for folder in folders]
    known = [
        place._replace(agent=name)
        for name in names
        for place in agent.load_agent(name).list_places(home, environment)
    ]
    return known + own


def sources(found: Sequence[TranscriptPlace], default: Scope) -> Iterator[ScopedTranscript]:
    """Yield every transcript of the places.

    Some places give an agent a scope of its own; the others share the default scope.
    """
    for place in found:
        for pattern in (*place.databases.split(), *place.files.split()):
            sources = (
                _match_place_transcript(place, path, default)
                for path in sorted(place.folder.glob(pattern))
            )
            yield from filter(None, sources)


def iter_unread_transcripts(found: Sequence[TranscriptPlace]) -> Iterator[tuple[Path, str]]:
    """Yield files, or folders of files, of conversations that are not read, with the reasons."""
    for place in found:
        for unread in place.unread:
            yield from unread.explain_files(place.folder)


def find_changed_transcript(
    path: Path, found: Sequence[TranscriptPlace], default: Scope
) -> ScopedTranscript | None:
    """Return the transcript to which a changed path belongs.

    None where the path is no transcript of these places.
    """
    inside = (place for place in found if path.is_relative_to(place.folder))
    return next(
        filter(None, (_match_place_transcript(place, path, default) for place in inside)), None
    )


def _match_place_transcript(
    place: TranscriptPlace, path: Path, default: Scope
) -> ScopedTranscript | None:
    scope = place.find_scope(path.relative_to(place.folder)) or default
    database = path.with_name(_BESIDE.sub("", path.name))
    if place.databases and fnmatch(database.name, PurePath(place.databases).name):
        return ScopedTranscript(database, scope, place.agent)
    if not is_transcript(path.name) or place.is_silent(path):
        return None
    return ScopedTranscript(path, scope, cwd=place.find_working_folder(path))
