"""Test reading of each agent's newest transcripts: can messages be read? Nothing is kept.

Transcripts are read as capture reads them.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gieok.agents import agent, formats
from gieok.agents.formats import Transcript
from gieok.agents.sources import ScopedTranscript, sources
from gieok.agents.transcripts.place import TranscriptPlace
from gieok.errors import TranscriptUnreadable
from gieok.memory.capture import tail
from gieok.model.conversation import Cursor, Message
from gieok.model.memory import Scope
from gieok.ports.transcripts import TranscriptStore

#: How many of the newest transcripts are read until one holds a message: the last session may just
#: have begun.
_NEWEST = 3
_EVENTS = 500
_ANYONE = Scope("agent:main")


class AgentTranscripts(NamedTuple):
    """Transcripts of an agent, newest first; the agent is '' for folders that the user named."""

    agent: str
    found: tuple[ScopedTranscript, ...]


class TranscriptSample(NamedTuple):
    """What was read: messages in the last transcript that was opened, and how many were opened."""

    path: Path
    messages: int
    opened: int


def by_agent(places: Sequence[TranscriptPlace]) -> Iterator[AgentTranscripts]:
    """Yield the agents that have transcripts on this machine."""
    for name in dict.fromkeys(place.agent for place in places):
        own = [place for place in places if place.agent == name]
        transcripts = sorted(
            set(sources(own, _ANYONE)),
            key=lambda source: (-_read_mtime_ns(source.path), str(source.path)),
        )
        if transcripts:
            yield AgentTranscripts(name, tuple(transcripts))


def read_transcript_sample(
    transcripts: AgentTranscripts, open_database: Callable[[str, Path], TranscriptStore]
) -> TranscriptSample:
    """Read the newest transcripts until one of them holds a message.

    Raises TranscriptUnreadable, MissingExtra, OSError for a transcript that cannot be read.
    """
    newest = transcripts.found[:_NEWEST]
    for opened, source in enumerate(newest, start=1):
        messages = _of_database(source, open_database) if source.database else _of_file(source.path)
        if messages or opened == len(newest):
            return TranscriptSample(source.path, messages, opened)
    raise AssertionError("unreachable")


def _of_file(path: Path) -> int:
    """Count the messages in the first megabyte of a file, or in the single JSON object of a
    file.
    """
    with tail.open_transcript(path) as file:
        if formats.is_whole(path.name):
            return _of_whole(path, file.read(formats.LONGEST_LINE_BYTES))
        first = list(tail.first_lines(file, formats.SNIFFED_LINES))
        transcript = formats.recognise(str(path), first)
        if transcript is None:
            if formats.is_prelude(first):
                return 0
            raise TranscriptUnreadable(
                "{path!r} is not in the format of a known transcript", path=path
            )
        lines = [line.data for line in tail.read_new_lines(file, Cursor("", "")).lines]
    return _count_sample_messages(transcript, lines)


def _of_whole(path: Path, data: bytes) -> int:
    recognised = formats.recognise_whole(path.name, data)
    if recognised is None:
        raise TranscriptUnreadable("{path!r} is not in the format of a known transcript", path=path)
    transcript, lines = recognised
    return sum(
        isinstance(event, Message) for line in lines for event in transcript.events(line, "0")
    )


def _of_database(
    source: ScopedTranscript, open_database: Callable[[str, Path], TranscriptStore]
) -> int:
    """Count the messages at the beginning of the newest sessions in a database."""
    store = open_database(source.database, source.path)
    try:
        is_system = agent.load_agent(source.database).is_system_session
        sessions = [
            stored
            for stored in store.sessions()
            if not is_system(stored.key) and stored.last_event >= 0
        ]
        for session in sessions[-_NEWEST:][::-1]:
            events = [
                text.encode("utf-8", "replace") for _, text in store.events(session.id, -1, _EVENTS)
            ]
            transcript = formats.recognise("", events[: formats.SNIFFED_LINES])
            if transcript is None and not formats.is_prelude(events):
                raise TranscriptUnreadable(
                    "a session of {path!r} is not in a format that is known", path=source.path
                )
            if transcript is not None and (messages := _count_sample_messages(transcript, events)):
                return messages
    finally:
        store.close()
    return 0


def _count_sample_messages(found: Transcript, lines: Sequence[bytes]) -> int:
    parsed = (formats.parse_transcript_line(line) for line in lines)
    events = [event for line in parsed if line is not None for event in found.events(line, "0")]
    return sum(isinstance(event, Message) for event in events)


def _read_mtime_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
