"""Transcripts → journal: every line exactly once, also after a kill at any moment.

The events of a portion of lines are added in the transaction that moves the cursor behind it. A
line's identity does not depend on its place, so a copied, rotated or rewritten file adds nothing
twice.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from gieok.agents import agent, formats
from gieok.agents.formats import Transcript
from gieok.agents.sources import ScopedTranscript
from gieok.agents.transcripts.fields import Line, hash_line_data
from gieok.agents.transcripts.session import Queued
from gieok.errors import GieokError, TranscriptUnreadable
from gieok.memory.capture import tail
from gieok.memory.capture.copies import Copies, CopiesJournal
from gieok.memory.capture.line_ids import LineCounts, number_equal_lines
from gieok.memory.capture.session_folders import SessionFolders
from gieok.memory.capture.withheld import Sieve
from gieok.model.conversation import Cursor, Message, Reject, TranscriptEvent
from gieok.model.memory import Scope
from gieok.ports.transcripts import StoredSession, TranscriptStore
from gieok.private import Privacy
from gieok.text.redact.names import redact_path_names
from gieok.text.tokens import estimate_tokens

_EVENTS = 500
#: How far back to look for the calls of pending tool results when reading of a file resumes.
_LOOKBACK_BYTES = 2 << 20
_LOOKBACK_EVENTS = 50
_UNKNOWN = "not in the format of a known transcript"


@dataclass(slots=True)
class Captured:
    """Counts of a capture. `troubles`: path → why the file cannot be read."""

    messages: int = 0
    rejects: int = 0
    #: Messages that were skipped because they are paused, private or excluded.
    withheld: int = 0
    troubles: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Capture:
    """Follows transcripts into a journal.

    Cursors are cached; another process may move them at any time.
    """

    journal: CopiesJournal
    #: Scopes of the working folders that transcripts of coding agents name.
    session_folders: SessionFolders = field(default_factory=SessionFolders)
    #: Receives a transcript (or `path#line`) and why it cannot be read; '' once it can be read.
    tell: Callable[[str, str], None] = lambda path, why: None
    #: Gieok's own folders that are not named `.gieok`.
    folders: Sequence[str] = ()
    #: Rules for messages that are not to be remembered: they are skipped.
    privacy: Privacy = field(default_factory=Privacy)
    captured: Captured = field(default_factory=Captured)
    _known: dict[str, Cursor] = field(default_factory=dict)
    #: Path up to `.jsonl` → identities of the transcripts with that path: of ten thousand cursors,
    #: few belong to one file.
    _stems: dict[str, set[str]] = field(default_factory=dict)
    _is_loaded: bool = False
    #: Status of each file when it had been read to its end: a full scan skips an unchanged file
    #: without opening it.
    _seen: dict[Path, tuple[int, ...]] = field(default_factory=dict)
    #: The transcript of each file, and the cursor that this process reached in the file.
    _followed: dict[str, tuple[Cursor, Transcript]] = field(default_factory=dict)
    #: The sieve of each transcript, by the identity of its file.
    _sieves: dict[str, Sieve] = field(default_factory=dict)
    _counts: LineCounts = field(default_factory=LineCounts)
    _copies: Copies = field(init=False)

    def __post_init__(self) -> None:
        self._copies = Copies(self.journal)

    def file(self, scope: Scope, path: Path, cwd: str = "", *, portions: int = 0) -> int:
        """Add the new messages of a file, or of some portions of the file; return how many.

        An unreadable file is named in `troubles`.
        """
        try:
            looks = tail.looks(path)
            if self._seen.get(path) == looks:
                return 0
            with tail.open_transcript(path) as file:
                if formats.is_whole(path.name):
                    added, is_whole = (
                        self._take_whole(
                            scope, Path(redact_path_names(path.as_posix())), file, cwd
                        ),
                        True,
                    )
                else:
                    added, is_whole = self._follow(
                        scope, Path(redact_path_names(path.as_posix())), file, cwd, portions
                    )
            if is_whole:
                self._seen[path] = looks
        except FileNotFoundError:
            # The file was removed or renamed since it was listed; its new name comes with the next
            # event.
            return 0
        except OSError as error:
            self.captured.troubles[str(path)] = error.strerror or str(error)
            return 0
        self.captured.troubles.pop(str(path), None)
        self.captured.messages += added
        return added

    def is_read(self, path: Path) -> bool:
        """Say whether this process read a file to its end, or cannot read it."""
        return path in self._seen or str(path) in self.captured.troubles

    def _load(self) -> None:
        self._known, self._stems = {}, {}
        for cursor in self.journal.cursors():
            self._learn(cursor)
        self._is_loaded = True

    def _learn(self, cursor: Cursor) -> None:
        self._known[cursor.identity] = cursor
        self._stems.setdefault(tail.strip_rotation_suffix(cursor.path), set()).add(cursor.identity)

    def _follow(
        self, scope: Scope, path: Path, file: BinaryIO, cwd: str, portions: int
    ) -> tuple[int, bool]:
        """Add the new messages of a file; return how many, and whether the whole file was read."""
        if not self._is_loaded:
            self._load()
        transcript = self._transcript(path, file)
        if transcript is None:
            return 0, True
        scope = self._scope(transcript, scope, cwd)
        added = 0
        cursor = self._resume(scope, transcript, path, file)
        while True:
            portion = tail.read_new_lines(file, cursor)
            if portion.cursor == cursor and not cursor.is_rereading:
                return added, True
            self._look_back(transcript, file, cursor, cwd)
            events, rejects = self._new_events(scope, path, transcript, cursor, portion, file)
            is_first = not cursor.offset and not cursor.is_rereading
            events = self._copies.without_copies(scope, transcript, events, is_first=is_first)
            next_cursor = portion.cursor._replace(
                is_rereading=cursor.is_rereading and not portion.is_last
            )
            if not self._append(scope, events, next_cursor, rejects):
                cursor = self._resume(scope, transcript, path, file)
                continue
            for reject in portion.rejects:
                self.tell(f"{path}#{reject.line}", f"this line was not read: {reject.reason}")
            self._followed[next_cursor.identity] = (next_cursor, transcript)
            added += sum(isinstance(event, Message) for event in events)
            portions -= 1
            # A re-read that stops halfway would start over, so it goes on beyond `portions`.
            if portion.is_last or not (portions or cursor.is_rereading):
                return added, portion.is_last
            cursor = next_cursor

    def _take_whole(self, scope: Scope, path: Path, file: BinaryIO, cwd: str) -> int:
        """Add the messages of a file that is one JSON object; return how many.

        Such a file is rewritten whole as it grows.
        """
        if not self._is_loaded:
            self._load()
        own, size = tail.read_file_identity(file), os.fstat(file.fileno()).st_size
        if size > formats.LONGEST_LINE_BYTES:
            self.tell(str(path), f"longer than {formats.LONGEST_LINE_BYTES:,} bytes")
            return 0
        data = file.read(size)
        known = self._known.get(own)
        cursor = tail.pass_whole(own, str(path), data)
        if known is not None and known._replace(line=0) == cursor:
            return 0
        recognised = formats.recognise_whole(path.name, data)
        self.tell(str(path), "" if recognised else _UNKNOWN)
        if recognised is None:
            return 0
        transcript, lines = recognised
        transcript = self._prepare(transcript, tail.find_write_time(file, path))
        self._sieves[own] = Sieve(self.privacy, folder=transcript.session.cwd or cwd)
        events: list[TranscriptEvent] = []
        for number, line in enumerate(lines, start=1):
            line_events = self._sift(own, transcript, line, str(number))
            events += (_annotate_captured_event(event, str(path), number) for event in line_events)
        scope = self._scope(transcript, scope, cwd)
        events = self._copies.without_copies(scope, transcript, events, is_first=known is None)
        if not self._append(scope, events, cursor._replace(line=len(lines)), []):
            return self._take_whole(scope, path, file, cwd)
        return sum(isinstance(event, Message) for event in events)

    def _prepare(self, transcript: Transcript, written: datetime) -> Transcript:
        """Return a recognised transcript with secrets removed from its name and with its file's
        time.
        """
        clean = replace(
            transcript,
            session=transcript.session._replace(id=redact_path_names(transcript.session.id)),
        )
        clean.folders, clean.excluded, clean.written = self.folders, self.privacy.names, written
        if self.privacy.excludes_agent(clean.session.agent):
            clean.session = clean.session._replace(ignored="excluded")
        return clean

    def _transcript(self, path: Path, file: BinaryIO) -> Transcript | None:
        """Return the transcript in a file; None if the file is no transcript, or not yet one."""
        cursor, followed = self._followed.get(tail.read_file_identity(file), (None, None))
        is_settled = (
            cursor is not None and cursor.line >= formats.SNIFFED_LINES and cursor.path == str(path)
        )
        if (
            cursor
            and is_settled
            and cursor == self._known.get(cursor.identity)
            and tail.continues(file, cursor)
        ):
            return followed
        lines = list(tail.first_lines(file, formats.SNIFFED_LINES))
        transcript = formats.recognise(str(path), lines)
        if transcript is not None or not formats.is_prelude(lines):
            self.tell(str(path), "" if transcript else _UNKNOWN)
        return self._prepare(transcript, tail.find_write_time(file, path)) if transcript else None

    def _scope(self, transcript: Transcript, scope: Scope, cwd: str = "") -> Scope:
        """Return the scope of a session.

        The scope is that of the project in which the session works, unless the transcript's place
        determines the scope.
        """
        if transcript.format.has_own_scope:
            return scope
        session = transcript.session
        folder = session.cwd or cwd
        if not folder and session.cwd_sum:
            folder = self.session_folders.find_folder(session.cwd_sum)
        return self.session_folders.find_project_scope(folder) or scope

    def _look_back(self, transcript: Transcript, file: BinaryIO, cursor: Cursor, cwd: str) -> None:
        """Parse the lines before a cursor that affect the lines behind it.

        Nothing is done if this process has read those lines itself.
        """
        if self._followed.get(cursor.identity) == (cursor, transcript):
            return
        before = tail.bytes_before(file, cursor.offset, _LOOKBACK_BYTES)
        transcript.pass_by(before)
        is_whole = len(before) == cursor.offset
        sieve = Sieve(self.privacy, not is_whole, transcript.session.cwd or cwd)
        self._sieves[cursor.identity] = sieve
        self._sift_before(transcript, sieve, before.split(b"\n"))

    def _resume(self, scope: Scope, transcript: Transcript, path: Path, file: BinaryIO) -> Cursor:
        """Return the cursor at which to resume.

        A copy of a file whose lines have no ids is read from its beginning: counting equal lines
        tells which of them are new.
        """
        near = self._stems.get(tail.strip_rotation_suffix(str(path)), set()) | {
            tail.read_file_identity(file)
        }
        known = [self._known[identity] for identity in near if identity in self._known]
        cursor = tail.find_resume_cursor(file, path, known, skips_copies=transcript.format.has_ids)
        if cursor.is_rereading or not cursor.offset:
            self._counts.forget(cursor.identity)
            cursor = Cursor(
                cursor.identity, cursor.path, is_rereading=self._is_known(scope, transcript, file)
            )
        return cursor

    def _is_known(self, scope: Scope, transcript: Transcript, file: BinaryIO) -> bool:
        """Say whether a file without ids is a copy or was rewritten.

        The journal then holds most of its first lines.
        """
        if transcript.format.has_ids:
            return False
        ids: list[str] = []
        for data in tail.first_lines(file, formats.SNIFFED_LINES):
            line = formats.parse_transcript_line(data)
            parts = (
                transcript.format.read_parts(transcript.session, line, hash_line_data(data))
                if line is not None
                else ()
            )
            ids.extend(
                part.id.partition("#")[0] for part in parts[:1] if not isinstance(part, Queued)
            )
        held = self.journal.occurrences(scope, ids)
        return 2 * sum(identity in held for identity in ids) > len(ids)

    def _new_events(
        self,
        scope: Scope,
        path: Path,
        transcript: Transcript,
        cursor: Cursor,
        portion: tail.Portion,
        file: BinaryIO,
    ) -> tuple[list[TranscriptEvent], list[Reject]]:
        events: list[TranscriptEvent] = []
        rejects = list(portion.rejects)
        ids = [hash_line_data(line.data) for line in portion.lines]
        if not transcript.format.has_ids:
            counts = self._counts.before(file, cursor)
            ids = number_equal_lines(
                self.journal, scope, f"{transcript.session.id}/", cursor, portion.lines, ids, counts
            )
        for line, identity in zip(portion.lines, ids, strict=True):
            data = formats.parse_transcript_line(line.data)
            if data is None:
                if line.data.strip(b"\0 \r\t"):
                    rejects.append(
                        Reject(
                            path=str(path),
                            line=line.number,
                            offset=line.offset,
                            length=len(line.data),
                            reason="not a JSON object",
                        )
                    )
                data = formats.salvage(line.data)
            if data is not None:
                line_events = self._sift(cursor.identity, transcript, data, identity)
                events += (
                    _annotate_captured_event(event, str(path), line.number) for event in line_events
                )
        return events, rejects

    def database(self, source: ScopedTranscript, store: TranscriptStore) -> int:
        """Add the new messages of an agent's database; return how many."""
        if not self._is_loaded:
            self._load()
        added, is_system = 0, agent.load_agent(source.database).is_system_session
        for session in store.sessions():
            if not is_system(session.key):
                added += self._session(source.scope, source.path, store, session)
        self.captured.messages += added
        return added

    def _session(
        self, scope: Scope, path: Path, store: TranscriptStore, session: StoredSession
    ) -> int:
        path = Path(redact_path_names(path.as_posix()))
        own, added = f"{path}#{redact_path_names(session.id)}", 0
        cursor = self._known.get(own, Cursor(own, str(path)))
        if session.last_event + 1 < cursor.offset:
            cursor = Cursor(own, str(path))  # rewritten; entries have ids, so nothing comes twice
        if cursor.offset == session.last_event + 1:
            return 0
        transcript = self._events_transcript(own, store, session.id, cursor)
        scope = self._scope(transcript, scope) if transcript else scope
        while transcript and (rows := store.events(session.id, cursor.offset - 1, _EVENTS)):
            events: list[TranscriptEvent] = []
            rejects: list[Reject] = []
            for number, text in rows:
                data = formats.parse_transcript_line(text.encode("utf-8", "replace"))
                if data is None:
                    rejects.append(
                        Reject(
                            path=own,
                            line=number,
                            offset=number,
                            length=len(text),
                            reason="not a JSON object",
                        )
                    )
                else:
                    line_events = self._sift(own, transcript, data, str(number))
                    events += (
                        _annotate_captured_event(event, str(path), number) for event in line_events
                    )
            events = self._copies.without_copies(
                scope, transcript, events, is_first=not cursor.offset
            )
            next_cursor = cursor._replace(offset=rows[-1][0] + 1, line=cursor.line + len(rows))
            if self._append(scope, events, next_cursor, rejects):
                added += sum(isinstance(event, Message) for event in events)
                cursor = next_cursor
            else:
                cursor = self._known.get(own, Cursor(own, str(path)))
        return added

    def _events_transcript(
        self, own: str, store: TranscriptStore, session: str, cursor: Cursor
    ) -> Transcript | None:
        first = store.events(session, -1, formats.SNIFFED_LINES)
        transcript = formats.recognise("", [text.encode("utf-8", "replace") for _, text in first])
        if transcript is None:
            if first:
                self.tell(own, _UNKNOWN)
            return None
        transcript = self._prepare(transcript, tail.read_change_time(Path(cursor.path)))
        sieve = self._sieves[cursor.identity] = Sieve(
            self.privacy, bool(cursor.offset), transcript.session.cwd
        )
        if cursor.offset:
            for _, text in store.events(
                session, cursor.offset - 1 - _LOOKBACK_EVENTS, _LOOKBACK_EVENTS
            ):
                data = text.encode("utf-8", "replace")
                transcript.pass_by(data)
                self._sift_before(transcript, sieve, [data])
        return transcript

    def _sift(
        self, identity: str, transcript: Transcript, line: Line, fallback_id: str
    ) -> list[TranscriptEvent]:
        """Return the events of a line that may be kept."""
        events = transcript.events(line, fallback_id)
        sifted = self._sieves[identity].sift(line, events, transcript.undated)
        self.captured.withheld += len(events) - len(sifted)
        return sifted

    def _sift_before(self, transcript: Transcript, sieve: Sieve, lines: Iterable[bytes]) -> None:
        """Let a sieve see lines that were read before; the next lines may belong to the same
        turn.
        """
        # A transcript of its own, because `pass_by` has noted these lines in `transcript` already.
        apart = Transcript(
            transcript.format, transcript.session, transcript.folders, transcript.excluded
        )
        for data in lines:
            if sieve.has_begun and not sieve.is_needed:
                return
            line = formats.parse_transcript_line(data)
            if line is not None:
                sieve.sift(line, apart.events(line, "0"), apart.undated)

    def _append(
        self, scope: Scope, events: list[TranscriptEvent], cursor: Cursor, rejects: list[Reject]
    ) -> bool:
        """Write events to the journal and move the cursor.

        If another process was faster, the cursors are reloaded and False is returned.
        """
        if self.journal.append(scope, events, cursor, self._known.get(cursor.identity), rejects):
            self._learn(cursor)
            self.captured.rejects += len(rejects)
            return True
        self._load()
        return False


def capture_database(
    capture: Capture, source: ScopedTranscript, open_store: Callable[[str, Path], TranscriptStore]
) -> int:
    """Add the new messages of an agent's database; return how many.

    An unreadable database is named in `troubles`.
    """
    try:
        store = open_store(source.database, source.path)
        try:
            added = capture.database(source, store)
        finally:
            store.close()
    except GieokError as error:
        if not isinstance(error, TranscriptUnreadable) and error.code != "missing_extra":
            raise
        capture.captured.troubles[str(source.path)] = error.in_full
        return 0
    capture.captured.troubles.pop(str(source.path), None)
    return added


def _annotate_captured_event(event: TranscriptEvent, source: str, line: int) -> TranscriptEvent:
    """Return an event with its token count and its source, as the journal keeps it."""
    if not isinstance(event, Message):
        return event._replace(source=source)
    return event._replace(tokens=estimate_tokens(event.text), source=source, line=line)
