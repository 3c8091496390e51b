"""Which agent wrote a transcript, and the messages that its lines hold."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from gieok.agents import agent, table
from gieok.agents.transcripts import plain
from gieok.agents.transcripts.fields import Line, name_of
from gieok.agents.transcripts.own import is_own_call, is_own_tool, may_ask, names_any
from gieok.agents.transcripts.session import Format, Part, Said, Session, ToolUse, spoken, used
from gieok.model.conversation import Message, TranscriptEvent
from gieok.text.echo import MARKER

#: In the order in which they are tried: `plain` takes whatever has a role.
FORMATS = (*filter(None, (agent.load(row.name).format for row in table.ROWS)), plain.FORMAT)

#: How many lines `recognise` wants: a header may be damaged, or stand behind lines of other kinds.
SNIFFED_LINES = 20
#: A longer line is rejected: no agent writes one, and it would be held in memory whole.
LONGEST_LINE_BYTES = 64 << 20
#: How many positions in a torn line are tried as the beginning of a whole object.
_SALVAGE_TRIES = 20
#: A program that joins the system prompt to the first message may put a label before it.
_OWN_RUN = re.compile(rf"\s*(?:\W{{0,9}}(?:system|instructions?|user)\W{{0,9}})?{re.escape(MARKER)}", re.IGNORECASE)
#: Where texts stand: `payload.content[0].text`, and a level or two more.
_DEEPEST_TEXT = 6

#: Files beside transcripts that are none: OpenClaw's own records, checkpoints, backups.
_OTHER_FILES = (".trajectory.jsonl", ".checkpoint.", ".bak.", ".trajectory-path.json")


@dataclass(slots=True)
class Transcript:
    """A file whose format is known, and the calls in it that asked Gieok: what comes back from them is no evidence."""

    format: Format
    session: Session
    #: Gieok's folders where they are not called `.gieok`.
    folders: Sequence[str] = ()
    #: Folders that are nobody's business: what uses of tools show of them is left out.
    excluded: Sequence[str] = ()
    _own_calls: set[str] = field(default_factory=set)
    _excluded_calls: set[str] = field(default_factory=set)

    def events(self, line: Line, fallback_id: str) -> list[TranscriptEvent]:
        """Return the events of one line; none where the whole session is ignored."""
        if self.session.ignored:
            return []
        return [event for part in self.format.parts(self.session, line, fallback_id) for event in self._events(part)]

    def pass_by(self, lines: bytes) -> None:
        """Note the calls of lines that were read before: their results may follow."""
        signs = (*self.folders, *self.excluded)
        if self.session.ignored or not may_ask(lines, signs):
            return
        for data in lines.split(b"\n"):
            line = parse(data) if may_ask(data, signs) else None
            for part in self.format.parts(self.session, line, "") if line else ():
                if isinstance(part, ToolUse):
                    self._is_own(part)
                    self._is_excluded(part)

    def _events(self, part: Part) -> Sequence[TranscriptEvent]:
        match part:
            case Said():
                return spoken(self.session, part)
            case ToolUse() if self._is_excluded(part):
                return ()
            case ToolUse():
                return used(self.session, part, is_own=self._is_own(part))
        return (part,)

    def _is_own(self, use: ToolUse) -> bool:
        """Say whether a use of a tool asks Gieok, going by the call, which may stand in a line before."""
        if use.arguments is not None and is_own_call(use.name, use.arguments, self.folders):
            self._own_calls.add(use.call)
            return True
        return is_own_tool(use.name) or (bool(use.call) and use.call in self._own_calls)

    def _is_excluded(self, use: ToolUse) -> bool:
        """Say whether a use of a tool names something in an excluded folder, going by the call as above."""
        if use.arguments is not None and names_any(use.arguments, self.excluded):
            self._excluded_calls.add(use.call)
            return True
        return bool(use.call) and use.call in self._excluded_calls


def begin(name: str, first: Line) -> Transcript | None:
    """Return the transcript that a file of this name with this first line is; None where no format knows it."""
    for found in FORMATS:
        session = found.begin(PurePath(name).name, first)
        if session is not None:
            return Transcript(found, session)
    return None


def recognise(name: str, lines: Iterable[bytes]) -> Transcript | None:
    """Return the transcript that begins with these lines; one of Gieok's own runs is ignored. None: no format knows it."""
    parsed = [line for line in map(parse, lines) if line is not None]
    found = next(filter(None, (begin(name, line) for line in parsed)), None)
    if found is None:
        return None
    session = found.session
    if _is_own_run(found, parsed):
        session = session._replace(ignored="gieok's own")
    elif why := next(filter(None, map(found.format.ignores, parsed)), ""):
        session = session._replace(ignored=why)
    folders = (name_of(line.get("cwd")) for line in parsed)  # Claude Code says it on the lines of turns
    return Transcript(found.format, session._replace(cwd=session.cwd or next(filter(None, folders), "")))


def is_prelude(lines: Sequence[bytes]) -> bool:
    """Say whether lines that begin no transcript are empty, or such as an agent writes before anything is said."""
    parsed = [parse(line) or {} for line in lines if line.strip(b"\0 \r\t")]
    return all(any(found.is_prelude(line) for found in FORMATS) for line in parsed)


def _is_own_run(transcript: Transcript, lines: Iterable[Line]) -> bool:
    """Say whether a session begins with a prompt of Gieok's: the system's (also in a header), or what the user says first."""
    for line in lines:
        if any(_OWN_RUN.match(text) for text in _texts(line)):
            return True
        said = transcript.format.parts(transcript.session, line, "")
        if any(isinstance(part, Said) and part.text.strip() for part in said):
            return False
    return False


def _texts(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST_TEXT and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner, depth + 1)


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


def replay(events: Iterable[TranscriptEvent]) -> Iterator[Message]:
    """Yield the messages that hold after all turns, in order: the last version of each, without what was taken back."""
    held: dict[str, Message] = {}
    for event in events:
        if isinstance(event, Message):
            held[event.id] = event
        else:
            _take_back(held, event.id, event.session, after=event.after)
    yield from held.values()


def _take_back(held: dict[str, Message], first: str, session: str, *, after: bool) -> None:
    ids = [identity for identity, message in held.items() if message.session == session]
    if first:
        base = next((n for n, i in enumerate(ids) if i.partition("#")[0] == first), len(ids))
        ids = ids[base:] if after else [i for i in ids if i.partition("#")[0] == first]
    for identity in ids:
        del held[identity]
