"""The table of formats, and which of them a file is in. A new agent is a file beside this one and a row."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from gieok.model import Message, Turn
from gieok.text.echo import MARKER
from gieok.transcripts import claude_code, codex, gemini_cli, openclaw, plain
from gieok.transcripts.session import Format, Line, Session, name_of

#: In the order in which they are tried: `plain` takes whatever has a role.
FORMATS = (openclaw.FORMAT, codex.FORMAT, gemini_cli.FORMAT, claude_code.FORMAT, plain.FORMAT)

#: How many lines `recognise` wants: a header may be damaged, or stand behind lines of other kinds.
SNIFFED_LINES = 20
#: A line that was torn and then written on: a whole object may stand behind the torn one.
_SALVAGE_TRIES = 20

#: Beside transcripts stand files that are none: OpenClaw's own records, checkpoints and backups of what was read before.
_OTHER_FILES = (".trajectory.jsonl", ".checkpoint.", ".bak.", ".trajectory-path.json")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file whose format is known."""

    format: Format
    session: Session

    def turns(self, line: Line, fallback_id: str) -> list[Turn]:
        """Return what a line comes to; nothing where the whole session is none of memory's business."""
        return [] if self.session.ignored else list(self.format.turns(self.session, line, fallback_id))


def begin(name: str, first: Line) -> Transcript | None:
    """Return the transcript that a file of this name with this first line is; None where no format knows it."""
    for found in FORMATS:
        session = found.begin(PurePath(name).name, first)
        if session is not None:
            return Transcript(found, session)
    return None


def recognise(name: str, lines: Sequence[bytes]) -> Transcript | None:
    """Return the transcript that begins with these lines; one of Gieok's own runs is ignored. None: no format knows it."""
    parsed = [line for line in map(parse, lines) if line is not None]
    found = next(filter(None, (begin(name, line) for line in parsed)), None)
    if found is None:
        return None
    session = found.session
    if any(MARKER.encode() in line for line in lines):
        session = session._replace(ignored="gieok's own")
    elif any(map(openclaw.is_dream, parsed)):
        session = session._replace(ignored="a dream of OpenClaw's")
    folders = (name_of(line.get("cwd")) for line in parsed)  # Claude Code says it on the lines of turns
    return Transcript(found.format, session._replace(cwd=session.cwd or next(filter(None, folders), "")))


def parse(data: bytes) -> dict[str, Any] | None:
    """Return a line's object; None where it is none."""
    try:
        found = json.loads(data.strip(b"\0 \r\t").removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def salvage(data: bytes) -> dict[str, Any] | None:
    """Return the whole object at the end of a line that begins with a torn one."""
    start = 0
    for _ in range(_SALVAGE_TRIES):
        start = data.find(b'{"', start + 1)
        if start < 0:
            return None
        found = parse(data[start:])
        if found is not None:
            return found
    return None


def is_transcript(name: str) -> bool:
    """Say whether a file's name is one that transcripts have, rotated ones (`a.jsonl.reset.2026-…`) included."""
    return (
        ".jsonl" in name
        and not name.endswith((".lock", ".tmp", ".zst", ".gz"))
        and not any(other in name for other in _OTHER_FILES)
    )


def replay(turns: Iterable[Turn]) -> Iterator[Message]:
    """Yield the messages that hold after all turns, in order: the last version of each, without what was taken back."""
    held: dict[str, Message] = {}
    for turn in turns:
        if isinstance(turn, Message):
            held[turn.id] = turn
        else:
            _take_back(held, turn.id, turn.session, after=turn.after)
    yield from held.values()


def _take_back(held: dict[str, Message], first: str, session: str, *, after: bool) -> None:
    ids = [identity for identity, message in held.items() if message.session == session]
    if first:
        base = next((n for n, i in enumerate(ids) if i.partition("#")[0] == first), len(ids))
        ids = ids[base:] if after else [i for i in ids if i.partition("#")[0] == first]
    for identity in ids:
        del held[identity]
