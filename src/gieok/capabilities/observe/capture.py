"""Transcripts → journal: every line once, whatever is killed when.

What a portion of lines comes to is added in the transaction that moves the cursor behind it. A line's identity does not
depend on where it was read, so that a file that is copied, rotated or rewritten adds nothing twice.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from gieok.capabilities.observe import tail
from gieok.errors import GieokError, TranscriptUnreadable
from gieok.model import Cursor, Message, Reject, Scope, Turn
from gieok.ports import Journal, StoredSession, TranscriptStore
from gieok.text.redact import redact
from gieok.text.redact.names import named
from gieok.text.tokens import count_tokens
from gieok.transcripts import formats, openclaw
from gieok.transcripts.formats import Transcript
from gieok.transcripts.session import fingerprint

_EVENTS = 500


@dataclass(slots=True)
class Captured:
    """What a capture did. `troubles` is path → why it cannot be read."""

    messages: int = 0
    rejects: int = 0
    troubles: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Capture:
    """Follows transcripts into a journal. Holds what is known of cursors; another process may move them at any time."""

    journal: Journal
    #: The scope of the project that a folder lies in, None where it is in none: coding agents say where they work.
    project_scope: Callable[[str], Scope | None] = lambda folder: None
    captured: Captured = field(default_factory=Captured)
    _known: dict[str, Cursor] = field(default_factory=dict)
    _is_loaded: bool = False
    #: What each file looked like when all of it had been read: a look at everything passes over it without opening it.
    _seen: dict[Path, tuple[int, ...]] = field(default_factory=dict)
    #: For files being read again: how often each line has come by so far.
    _counts: dict[str, Counter[str]] = field(default_factory=dict)

    def file(self, scope: Scope, path: Path) -> int:
        """Bring the journal in line with a file; return how many messages came. What cannot be read is in `troubles`."""
        try:
            looks = tail.looks(path)
            if self._seen.get(path) == looks:
                return 0
            with tail.open_transcript(path) as file:
                added = self._follow(scope, Path(named(path.as_posix())), file)
            self._seen[path] = looks
        except FileNotFoundError:
            return 0  # gone between being seen and being opened; where it was renamed to is seen next
        except OSError as error:
            self.captured.troubles[str(path)] = error.strerror or str(error)
            return 0
        self.captured.troubles.pop(str(path), None)
        self.captured.messages += added
        return added

    def _load(self) -> None:
        self._known = {cursor.identity: cursor for cursor in self.journal.cursors()}
        self._is_loaded = True

    def _follow(self, scope: Scope, path: Path, file: BinaryIO) -> int:
        if not self._is_loaded:
            self._load()
        transcript = _recognise(path, file)
        if transcript is None:
            return 0  # not a transcript, or not yet
        if transcript.session.agent != openclaw.AGENT:
            scope = self.project_scope(transcript.session.cwd) or scope
        added = 0
        cursor = self._resume(scope, transcript, path, file)
        while True:
            portion = tail.read(file, cursor)
            if portion.cursor == cursor and not cursor.is_rereading:
                return added
            turns, rejects = self._turns(scope, path, transcript, cursor, portion)
            done = portion.cursor._replace(is_rereading=cursor.is_rereading and not portion.is_last)
            if not self._append(scope, turns, done, rejects):
                cursor = self._resume(scope, transcript, path, file)
                continue
            added += sum(isinstance(turn, Message) for turn in turns)
            if portion.is_last:
                return added
            cursor = done

    def _resume(self, scope: Scope, transcript: Transcript, path: Path, file: BinaryIO) -> Cursor:
        cursor = tail.resume(file, path, self._known.values())
        if cursor.is_rereading or not cursor.offset:
            self._counts[cursor.identity] = Counter()
            cursor = Cursor(cursor.identity, cursor.path, is_rereading=self._is_known(scope, transcript, file))
        return cursor

    def _is_known(self, scope: Scope, transcript: Transcript, file: BinaryIO) -> bool:
        """Say whether a file without ids of its own begins with a line that the journal has: it is a copy, or rewritten."""
        if transcript.format.has_ids:
            return False
        for data in tail.first_lines(file, formats.SNIFFED_LINES):
            line = formats.parse(data)
            turns = transcript.turns(line, fingerprint(data)) if line is not None else []
            ids = [turn.id.partition("#")[0] for turn in turns if isinstance(turn, Message)]
            if ids:
                return bool(self.journal.occurrences(scope, ids[:1]))
        return False

    def _turns(
        self, scope: Scope, path: Path, transcript: Transcript, cursor: Cursor, portion: tail.Portion
    ) -> tuple[list[Turn], list[Reject]]:
        turns: list[Turn] = []
        rejects = list(portion.rejects)
        numbered = self._numbered(scope, transcript, cursor, portion.lines)
        for line, identity in numbered:
            data = formats.parse(line.data)
            if data is None:
                if line.data.strip(b"\0 \r\t"):
                    rejects.append(Reject(str(path), line.number, line.offset, len(line.data), "not a JSON object"))
                data = formats.salvage(line.data)
            if data is not None:
                turns += (_kept(turn, str(path), line.number) for turn in transcript.turns(data, identity))
        return turns, rejects

    def _numbered(
        self, scope: Scope, transcript: Transcript, cursor: Cursor, lines: list[tail.Line]
    ) -> Iterator[tuple[tail.Line, str]]:
        """Give each line an id of its own: its contents, and behind `~` which of several equal lines it is."""
        hashes = [fingerprint(line.data) for line in lines]
        if transcript.format.has_ids:
            yield from zip(lines, hashes, strict=True)
            return
        prefix = f"{transcript.session.id}/"
        if cursor.is_rereading:
            counts = self._counts[cursor.identity]
        else:
            found = self.journal.occurrences(scope, [prefix + identity for identity in hashes])
            counts = Counter({identity.removeprefix(prefix): count for identity, count in found.items()})
        for line, identity in zip(lines, hashes, strict=True):
            counts[identity] += 1
            yield line, identity if counts[identity] == 1 else f"{identity}~{counts[identity]}"

    def database(self, scope: Scope, path: Path, store: TranscriptStore) -> int:
        """Bring the journal in line with an agent's database; return how many messages came."""
        if not self._is_loaded:
            self._load()
        added = 0
        for session in store.sessions():
            if not openclaw.is_system_session(session.key):
                added += self._session(scope, path, store, session)
        self.captured.messages += added
        return added

    def _session(self, scope: Scope, path: Path, store: TranscriptStore, session: StoredSession) -> int:
        path = Path(named(path.as_posix()))
        own, added = f"{path}#{named(session.id)}", 0
        cursor = self._known.get(own, Cursor(own, str(path)))
        if session.last_event + 1 < cursor.offset:
            cursor = Cursor(own, str(path))  # written anew; entries have ids, so nothing comes twice
        if cursor.offset == session.last_event + 1:
            return 0
        transcript = _recognise_events(store.events(session.id, -1, formats.SNIFFED_LINES))
        while transcript and (events := store.events(session.id, cursor.offset - 1, _EVENTS)):
            turns: list[Turn] = []
            rejects: list[Reject] = []
            for number, text in events:
                data = formats.parse(text.encode("utf-8", "replace"))
                if data is None:
                    rejects.append(Reject(own, number, number, len(text), "not a JSON object"))
                else:
                    turns += (_kept(turn, str(path), number) for turn in transcript.turns(data, str(number)))
            done = cursor._replace(offset=events[-1][0] + 1, line=cursor.line + len(events))
            if self._append(scope, turns, done, rejects):
                added += sum(isinstance(turn, Message) for turn in turns)
                cursor = done
            else:
                cursor = self._known.get(own, Cursor(own, str(path)))
        return added

    def _append(self, scope: Scope, turns: list[Turn], cursor: Cursor, rejects: list[Reject]) -> bool:
        """Write to the journal; where another process was faster, learn where it is and return False."""
        if self.journal.append(scope, turns, cursor, self._known.get(cursor.identity), rejects):
            self._known[cursor.identity] = cursor
            self.captured.rejects += len(rejects)
            return True
        self._load()
        return False


def capture_database(capture: Capture, scope: Scope, path: Path, open_store: Callable[[Path], TranscriptStore]) -> int:
    """Open an agent's database and read what is new. What cannot be read is in `troubles`."""
    try:
        store = open_store(path)
        try:
            added = capture.database(scope, path, store)
        finally:
            store.close()
    except GieokError as error:
        if not isinstance(error, TranscriptUnreadable) and error.code != "missing_extra":
            raise
        capture.captured.troubles[str(path)] = f"{error} ({error.hint})"
        return 0
    capture.captured.troubles.pop(str(path), None)
    return added


def _kept(turn: Turn, source: str, line: int) -> Turn:
    """Return a turn as it is journalled: without secrets, counted, with the place it came from."""
    if not isinstance(turn, Message):
        return turn
    text = redact(turn.text)
    return turn._replace(text=text, tokens=count_tokens(text), source=source, line=line)


def _recognise(path: Path, file: BinaryIO) -> Transcript | None:
    return _clean(formats.recognise(path.name, tail.first_lines(file, formats.SNIFFED_LINES)))


def _recognise_events(events: Iterable[tuple[int, str]]) -> Transcript | None:
    return _clean(formats.recognise("", [text.encode("utf-8", "replace") for _, text in events]))


def _clean(transcript: Transcript | None) -> Transcript | None:
    """Return a transcript whose session has no secret in its name."""
    return transcript and replace(transcript, session=transcript.session._replace(id=named(transcript.session.id)))
