"""Where agents keep their transcripts, on this machine and for this user."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePath
from typing import NamedTuple

from gieok.agents import agent
from gieok.agents.agent import TranscriptPlace
from gieok.agents.formats import is_transcript
from gieok.model.memory import Scope

#: How many unread files of a folder are named one by one.
_MOST_NAMED = 5
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
        for place in agent.load_agent(name).places(home, environment)
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
    """Yield files of conversations that are not read, each with the reason.

    Where a folder has more than a few such files, the folder is yielded instead.
    """
    for place in found:
        for names, why, unless, orphans in place.unread:
            paths = [
                path
                for path in sorted(place.folder.glob(names))
                if not (unless and (path.parent / unless).exists())
            ]
            if orphans is not None:
                counted = ((path, orphans(path)) for path in paths)
                yield from (
                    (path, f"{why} ({number:,} prompts)") for path, number in counted if number
                )
            elif len(paths) > _MOST_NAMED:
                yield place.folder, f"{why} ({len(paths):,} files)"
            else:
                yield from ((path, why) for path in paths if path.is_file() or any(path.iterdir()))


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
    scope = place.scope_of(path.relative_to(place.folder)) or default
    database = path.with_name(_BESIDE.sub("", path.name))
    if place.databases and fnmatch(database.name, PurePath(place.databases).name):
        return ScopedTranscript(database, scope, place.agent)
    if not is_transcript(path.name) or place.is_silent(path):
        return None
    return ScopedTranscript(path, scope, cwd=place.cwd_of(path))
