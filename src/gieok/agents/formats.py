"""Recognises which agent wrote a transcript, and reads the messages of its lines."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from gieok.agents import agent, table
from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts import plain, speakers
from gieok.agents.transcripts.fields import Line, find_line_time, parse_moment
from gieok.agents.transcripts.own_talk import is_own_call, is_own_tool, may_ask, names_any
from gieok.agents.transcripts.queue import PromptQueue
from gieok.agents.transcripts.session import (
    Format,
    Part,
    Queued,
    Session,
    SpokenPart,
    ToolUse,
    build_spoken_messages,
    build_tool_messages,
)
from gieok.model.conversation import Message, Role, TranscriptEvent
from gieok.text.echo import MARKER, strip_echo
from gieok.text.redact.sense import redact_said

#: In the order in which the formats are tried: `plain` accepts any line that has a role.
FORMATS = (*filter(None, (agent.load_agent(row.name).format for row in table.ROWS)), plain.FORMAT)

#: How many lines `recognise` needs: a header may be damaged, or stand behind lines of other kinds.
SNIFFED_LINES = 20
#: A longer line is rejected: no agent writes such lines, and the line would be held in memory
#: whole.
LONGEST_LINE_BYTES = 64 << 20
#: How many positions in a torn line are tried as the beginning of a whole object.
_SALVAGE_TRIES = 20
#: Matches Gieok's marker at the beginning of a prompt. A program that joins the system prompt to
#: the first message may put a label before the marker.
_OWN_RUN = re.compile(
    rf"\s*(?:\W{{0,9}}(?:system|instructions?|user)\W{{0,9}})?{re.escape(MARKER)}", re.IGNORECASE
)
#: How deep a text may stand: `payload.content[0].text`, and a level or two more.
_DEEPEST_TEXT = 6

_WHOLE = re.compile(r"(?:session|rollout)-[\w.:-]{1,200}\.json")
#: Stands for an unknown time.
_NEVER = datetime.fromtimestamp(0, UTC)
#: How many of the last lines that were read before are searched for a time.
_DATED_LINES = 50

#: Files beside transcripts that are no transcripts: OpenClaw's own records, checkpoints, backups.
_OTHER_FILES = (".trajectory.jsonl", ".checkpoint.", ".bak.", ".trajectory-path.json")


@dataclass(slots=True)
class Transcript:
    """File whose format is known, with the state from earlier lines that later lines need.

    The state includes the calls that asked Gieok, whose results are no evidence, and the calls that
    asked the person, whose results are the person's words.
    """

    format: Format
    session: Session
    #: Gieok's own folders, where they are not called `.gieok`.
    folders: Sequence[str] = ()
    #: Excluded folders: what tool uses show of their content is left out.
    excluded: Sequence[str] = ()
    #: When the file was written; the time of messages that no line dates.
    written: datetime = _NEVER
    #: The first prompt of the session, as it is stored; '' where it is not among the first lines.
    opening: str = ""
    #: The latest time that an earlier line states; at the beginning of the file, the first stated
    #: time.
    at: datetime | None = None
    #: Ids of messages that a person typed, according to the host itself.
    typed: set[str] = field(default_factory=set)
    #: Ids of messages without a time of their own: their time is that of a neighbour, or of the
    #: file.
    undated: set[str] = field(default_factory=set)
    _is_dated: bool = False
    _excluded_calls: set[str] = field(default_factory=set)
    _own_calls: set[str] = field(default_factory=set)
    #: Questions of a dialogue, by the id of its call.
    _asked: dict[str, object] = field(default_factory=dict)
    _queue: PromptQueue = field(default_factory=PromptQueue)

    def events(self, line: Line, fallback_id: str) -> list[TranscriptEvent]:
        """Return the events of one line; none where the whole session is ignored."""
        if self.session.ignored:
            return []
        self._note(line)
        return [
            event
            for part in self.format.read_parts(self.session, line, fallback_id)
            for event in self._events(part)
        ]

    def pass_by(self, lines: bytes) -> None:
        """Take the state that later lines need from lines that were read before.

        The state is the calls, the queue, who drives the session, and the time.
        """
        if self.session.ignored:
            return
        rows = lines.split(b"\n")
        signs = self._signs
        if self._bears_on_later(lines, signs):
            for data in rows:
                if self._bears_on_later(data, signs) and (line := parse_transcript_line(data)):
                    self._pass_line(line)
        for data in reversed(rows[-_DATED_LINES:]):
            if at := find_line_time(parse_transcript_line(data) or {}):
                self.at = at
                break

    def _bears_on_later(self, lines: bytes, signs: Sequence[bytes]) -> bool:
        """Return whether lines may hold something that later lines need, by their bytes."""
        return any(sign in lines for sign in signs) or may_ask(
            lines, (*self.folders, *self.excluded)
        )

    def _pass_line(self, line: Line) -> None:
        self._note(line)
        for part in self.format.read_parts(self.session, line, ""):
            match part:
                case ToolUse():
                    self._is_own(part)
                    self._is_excluded(part)
                    self._note_asking(part)
                case Queued():
                    self._queue.take(part, self._time(part.said.at))

    @property
    def _signs(self) -> tuple[bytes, ...]:
        asking = (name.encode() for name in speakers.list_asking_tools(self.format.name))
        return (b'"queue-operation"', b'"queued_command"', b'"turn_trigger"', *asking)

    def _note(self, line: Line) -> None:
        """Remember who drives the following lines, and their time."""
        driver = self.format.find_driver(line)
        if driver is not None and driver is not Speaker.AGENT and driver is not self.session.driver:
            self.session = self.session._replace(driver=driver)
        line_time = find_line_time(line)
        self._is_dated = line_time is not None
        self.at = line_time or self.at

    def _keep_undated(self, identity: str, value: object) -> None:
        """Record a message whose time is that of a neighbour, or of the file."""
        if not self._is_dated and parse_moment(value) is None:
            self.undated.add(identity)

    def _time(self, value: object) -> datetime:
        """Return a part's time: its own, else the line's, an earlier line's, or the file's."""
        self.at = parse_moment(value) or self.at  # some say it in the text of a prompt alone
        return self.at or self.written

    def _events(self, part: Part) -> Sequence[TranscriptEvent]:
        match part:
            case SpokenPart():
                return self._said(part)
            case Queued():
                return self._queued(part)
            case ToolUse() if self._is_excluded(part):
                return ()
            case ToolUse():
                return self._used(part)
        return (part,)

    def _said(self, part: SpokenPart) -> Sequence[TranscriptEvent]:
        if part.speaker is not Speaker.PERSON:
            return ()
        at = self._time(part.at)
        if part.role is Role.USER and part.text.strip() and self._queue.is_repeated(part, at):
            return ()
        if part.is_sure:
            self.typed.add(part.id)
        self._keep_undated(part.id, part.at)
        return build_spoken_messages(self.session, part, at)

    def _queued(self, part: Queued) -> Sequence[TranscriptEvent]:
        at = self._time(part.said.at)
        prompt = self._queue.take(part, at)
        self._keep_undated(part.said.id, part.said.at)
        if prompt is None or prompt.speaker is not Speaker.PERSON:
            return ()
        return build_spoken_messages(self.session, prompt, at)

    def _used(self, use: ToolUse) -> Sequence[TranscriptEvent]:
        at = self._time(use.at)
        self._keep_undated(use.id, use.at)
        events = build_tool_messages(self.session, use, at, is_own=self._is_own(use))
        spoken = self._told_by(use) if self.session.driver is Speaker.PERSON else ()
        for number, (role, text) in enumerate(spoken):
            events += build_spoken_messages(
                self.session, SpokenPart(f"{use.id}#said{number}", role, text, at), at
            )
        return events

    def _told_by(self, use: ToolUse) -> list[tuple[Role, str]]:
        """Return what a person said through a tool.

        That is each answer with its question, or the reason for which the person refused the tool.
        """
        arguments = self._note_asking(use)
        if use.result is None:
            return []
        reason = use.beside
        if use.failed and not reason:
            reason = speakers.extract_refusal(self.format.name, use.result)
        if reason:
            return [(Role.USER, reason)]
        if use.answered is None and arguments is None:
            return []
        pairs = speakers.extract_answers(use.answered, arguments) or speakers.extract_answers(
            use.result, arguments
        )
        spoken: list[tuple[Role, str]] = []
        for question, answer in pairs:
            spoken += [(Role.ASSISTANT, question), (Role.USER, answer)]
        return [(role, text) for role, text in spoken if text]

    def _note_asking(self, use: ToolUse) -> object | None:
        """Record the questions of a call that asks the person; return the questions of a result."""
        if use.arguments is not None and use.name in speakers.list_asking_tools(self.format.name):
            self._asked[use.call] = use.arguments
        return self._asked.get(use.call) if use.result is not None else None

    def _is_own(self, use: ToolUse) -> bool:
        """Return whether a tool use asks Gieok, judged by its call.

        The call may stand in an earlier line.
        """
        if use.arguments is not None and is_own_call(use.name, use.arguments, self.folders):
            self._own_calls.add(use.call)
            return True
        return is_own_tool(use.name) or (bool(use.call) and use.call in self._own_calls)

    def _is_excluded(self, use: ToolUse) -> bool:
        """Return whether a tool use names something in an excluded folder.

        The call decides, which may stand in an earlier line.
        """
        if use.arguments is not None and names_any(use.arguments, self.excluded):
            self._excluded_calls.add(use.call)
            return True
        return bool(use.call) and use.call in self._excluded_calls


def begin_transcript(name: str, first: Line) -> Transcript | None:
    """Return the transcript for a file's path and its first line; None where no format fits."""
    for known_format in FORMATS:
        shown = "/".join(PurePath(name).parts[-known_format.name_parts :])
        session = known_format.begin_session(shown, first)
        if session is not None:
            return Transcript(known_format, session)
    return None


def recognise(name: str, lines: Iterable[bytes]) -> Transcript | None:
    """Return the transcript that begins with these lines; None where no format fits.

    A transcript of one of Gieok's own runs is marked as ignored.
    """
    parsed = [line for line in map(parse_transcript_line, lines) if line is not None]
    transcript = next(filter(None, (begin_transcript(name, line) for line in parsed)), None)
    if transcript is None:
        return None
    session = transcript.session
    if _is_own_run(transcript, parsed):
        session = session._replace(ignored="gieok's own")
    elif why := next(filter(None, map(transcript.format.explain_ignored, parsed)), ""):
        session = session._replace(ignored=why)
    # Claude Code names the folder on the lines of turns.
    folders = map(transcript.format.read_folder, parsed)
    session = session._replace(cwd=session.cwd or next(filter(None, folders), ""))
    drivers = (
        driver
        for line in parsed
        if (driver := transcript.format.find_driver(line)) and driver is not Speaker.AGENT
    )
    session = session._replace(driver=next(drivers, session.driver))
    opening = _find_opening(transcript.format, session, parsed)
    dated = next(filter(None, map(find_line_time, parsed)), None)
    if opening is None:
        return Transcript(transcript.format, _judge_session(session, ""), at=dated)
    is_person = opening.speaker is Speaker.PERSON
    is_told = any(speakers.find_line_driver(transcript.format.name, line) for line in parsed)
    is_typed = is_person and opening.is_sure
    opening_text = redact_said(strip_echo(opening.text)).strip() if is_person else ""
    return Transcript(
        transcript.format,
        _judge_session(session, opening.text, is_told=is_told, is_typed=is_typed),
        opening=opening_text,
        at=dated,
    )


def _judge_session(
    session: Session, opening: str, *, is_told: bool = False, is_typed: bool = False
) -> Session:
    """Return the session with its driver set.

    A session that another memory or a title maker began is ignored. `is_told`: the host says how
    the session was started; `is_typed`: the host says that a person typed the first prompt.
    """
    if is_typed:
        return session
    if speakers.is_foreign_folder(session.cwd) or speakers.is_foreign_opening(opening):
        return session._replace(ignored=session.ignored or "another program's")
    if not is_told and speakers.is_brief(opening):
        return session._replace(driver=Speaker.PROGRAM)
    return session


def _find_opening(found: Format, session: Session, lines: Iterable[Line]) -> SpokenPart | None:
    """Return the first prompt of a session."""
    spoken_parts = (
        part
        for line in lines
        for part in found.read_parts(session, line, "")
        if isinstance(part, SpokenPart)
    )
    return next(
        (part for part in spoken_parts if part.role is Role.USER and part.text.strip()), None
    )


def recognise_whole(name: str, data: bytes) -> tuple[Transcript, list[Line]] | None:
    """Return the transcript and the lines of a file that is one JSON object; None for other files.

    Older releases wrote such files.
    """
    whole = parse_transcript_line(data)
    if whole is None:
        return None
    for candidate in FORMATS:
        if lines := list(candidate.split_session(whole)):
            transcript = recognise(
                name, [json.dumps(line).encode() for line in lines[:SNIFFED_LINES]]
            )
            return (transcript, lines) if transcript else None
    return None


def is_prelude(lines: Sequence[bytes]) -> bool:
    """Return whether lines that begin no transcript may still precede one.

    Such lines are empty, or lines that an agent writes before anything is said.
    """
    parsed = [parse_transcript_line(line) or {} for line in lines if line.strip(b"\0 \r\t")]
    return all(any(candidate.is_prelude(line) for candidate in FORMATS) for line in parsed)


def _is_own_run(transcript: Transcript, lines: Iterable[Line]) -> bool:
    """Return whether a session begins with a prompt of Gieok's.

    That is the system prompt (also in a header), or the first user message.
    """
    for line in lines:
        if any(_OWN_RUN.match(text) for text in _iter_nested_texts(line)):
            return True
        parts = transcript.format.read_parts(transcript.session, line, "")
        if any(isinstance(part, SpokenPart) and part.text.strip() for part in parts):
            return False
    return False


def _iter_nested_texts(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST_TEXT and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _iter_nested_texts(inner, depth + 1)


def parse_transcript_line(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object of a line; None where the line holds none."""
    try:
        record = json.loads(data.strip(b"\0 \r\t").removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def salvage(data: bytes) -> dict[str, Any] | None:
    """Return the whole object at the end of a line that begins with a torn object."""
    start = 0
    for _ in range(_SALVAGE_TRIES):
        start = data.find(b'{"', start + 1)
        if start < 0:
            return None
        parsed = parse_transcript_line(data[start:])
        if parsed is not None:
            return parsed
    return None


def is_transcript(name: str) -> bool:
    """Return whether a file name is one that transcripts have.

    Rotated files (`a.jsonl.reset.2026-…`) are included. Older releases of some agents wrote a
    session into one JSON object (`session-….json`).
    """
    return is_whole(name) or (
        ".jsonl" in name
        and not name.endswith((".lock", ".tmp", ".zst", ".gz"))
        and not any(other in name for other in _OTHER_FILES)
    )


def is_whole(name: str) -> bool:
    """Return whether a file name is one of a session kept in one JSON object."""
    return _WHOLE.fullmatch(name) is not None


def replay(events: Iterable[TranscriptEvent]) -> Iterator[Message]:
    """Yield the messages that remain after all turns, in order.

    Of each message the last version counts; messages that were taken back are left out.
    """
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
