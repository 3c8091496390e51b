"""OpenClaw's transcripts as memory: the messages of user and assistant, by the rules of OpenClaw's own index.

Documents are virtual. Their path is `sessions/<agent>/<file>`, whether OpenClaw keeps files or a database, and citations count
the document's own lines: `User: …` and `Assistant: …`, as stored.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from itertools import islice
from pathlib import Path

from gieok.agents import formats
from gieok.agents.openclaw import transcript as openclaw
from gieok.agents.transcripts.fields import fingerprint
from gieok.capabilities.files import roots
from gieok.capabilities.files.cut import Cut
from gieok.capabilities.files.read import shape
from gieok.engine.durable import forgotten
from gieok.engine.ingest import Failed, Report, SourceItem, ingest
from gieok.errors import BadRequest, GieokError
from gieok.model.conversation import Message, Role
from gieok.model.memory import Document, Passage, Provenance, Scope
from gieok.places import SESSIONS
from gieok.ports.journal import StoredSession, TranscriptStore
from gieok.ports.store import Store
from gieok.text.chunk import chunk
from gieok.text.redact import redact
from gieok.text.redact.names import named

KIND = "session"
#: Part of every stamp: to be raised whenever the text made of a transcript would change.
_VERSION = 2
_LABELS = {Role.USER: "User", Role.ASSISTANT: "Assistant"}
#: Longest line, without the label; a longer message continues in another line with its label.
_LINE_CHARS = 800
_EVENTS = 500


def sync(
    store: Store,
    scope: Scope,
    state: Path,
    cut: Cut,
    open_database: Callable[[Path], TranscriptStore],
    *,
    force: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> Report:
    """Make the scope hold the conversations below OpenClaw's state folder, and forget deleted ones.

    The scope of an agent (`agent:main`) holds that agent's; any other scope those of all. Raises BadRequest, StoreError.
    """
    if any(root.name == SESSIONS for root in roots.load(store, scope) + roots.retired(store, scope)):
        raise BadRequest(
            f"a folder is indexed under the name {SESSIONS!r}, which is reserved for transcripts",
            hint="`gieok index --remove FOLDER`, then index it again: it gets another name",
        )
    reader = _Reader(scope, cut, store.hashes(scope), open_database)
    items = (item for folder in _agents(state, scope) for item in reader.agent(folder))
    return ingest(
        store, scope, items, owns=is_session, force=force, forgotten=forgotten(store, scope), progress=progress
    )


def forget(store: Store, scope: Scope) -> list[str]:
    """Forget all conversations of a scope; return their keys."""
    keys = sorted(filter(is_session, store.hashes(scope)))
    store.forget(scope, keys)
    return keys


def is_session(key: str) -> bool:
    """Say whether a key is a conversation's."""
    return key.startswith(f"{SESSIONS}/")


def _agents(state: Path, scope: Scope) -> list[Path]:
    kind, _, name = scope.path.partition("/")[0].partition(":")
    folders = (path for path in (state / "agents").glob("*") if path.is_dir())
    return sorted(path for path in folders if kind != "agent" or path.name == name)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads agents' folders. `known` is key → stamp; a conversation with an unchanged stamp is not read."""

    scope: Scope
    cut: Cut
    known: Mapping[str, str]
    open_database: Callable[[Path], TranscriptStore]

    def agent(self, folder: Path) -> Iterator[SourceItem | Failed]:
        """Yield an agent's conversations; those in its database are not taken from leftover files again."""
        taken: set[str] = set()
        database = folder / "agent" / openclaw.DATABASE
        if database.is_file():
            yield from self._database(folder.name, database, taken)
        listed = _text(folder / "sessions" / "sessions.json")
        taken |= openclaw.system_sessions(listed)
        for file in sorted((folder / "sessions").glob("*.jsonl*")):
            if _is_conversation(file.name) and openclaw.session_of(file.name) not in taken:
                yield from self._file(folder.name, file)

    def _file(self, agent: str, file: Path) -> Iterator[SourceItem | Failed]:
        key = _key(agent, file.name)
        try:
            if file.is_file():
                found = file.stat()
                yield from self._offer(
                    key, (found.st_size, found.st_mtime_ns), lambda: _said(file.name, _lines(file)), agent, file
                )
        except FileNotFoundError:
            return  # deleted since the folder was listed
        except OSError as error:
            yield Failed(key, error.strerror or str(error))

    def _database(self, agent: str, file: Path, taken: set[str]) -> Iterator[SourceItem | Failed]:
        """Yield the conversations of a database, adding their sessions to `taken`; an unreadable one keeps its documents."""
        try:
            store = self.open_database(file)
        except GieokError as error:
            yield Failed(f"{SESSIONS}/{agent}", f"{error} ({error.hint})" if error.hint else str(error))
            return
        try:
            for session in store.sessions():
                taken.add(session.id)
                if not openclaw.is_system_session(session.key):
                    yield from self._stored(agent, file, store, session)
        except GieokError as error:
            yield Failed(f"{SESSIONS}/{agent}", str(error))
        finally:
            store.close()

    def _stored(
        self, agent: str, file: Path, store: TranscriptStore, session: StoredSession
    ) -> Iterator[SourceItem | Failed]:
        name = f"{session.id}.jsonl"
        facts = (session.id, session.last_event)
        yield from self._offer(_key(agent, name), facts, lambda: _said(name, _events(store, session.id)), agent, file)

    def _offer(
        self, key: str, facts: tuple[object, ...], read: Callable[[], list[Message]], agent: str, source: Path
    ) -> Iterator[SourceItem]:
        """Yield a conversation, unless it is new or changed and has no messages."""
        stamp = hashlib.sha256(repr((_VERSION, shape(self.cut), *facts)).encode()).hexdigest()
        said = None if self.known.get(key) == stamp else read()
        if said is None or said:
            yield SourceItem(
                key,
                stamp,
                lambda: _document(self.scope, key, stamp, said or read(), agent, source),
                lambda document: passages(document, self.cut),
            )


def passages(document: Document, cut: Cut) -> tuple[Passage, ...]:
    """Cut a conversation."""
    return chunk(
        document.text,
        budget_tokens=cut.budget_tokens,
        overlap_tokens=cut.overlap_tokens,
        context=document.title,
    )


def _is_conversation(name: str) -> bool:
    """Say whether a file is a conversation, also one kept by a reset, but not one that the user deleted."""
    return formats.is_transcript(name) and ".jsonl.deleted." not in name


def _key(agent: str, name: str) -> str:
    return named(f"{SESSIONS}/{agent}/{name}".encode("utf-8", "backslashreplace").decode())


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _lines(file: Path) -> Iterator[bytes]:
    """Yield a file's lines; an overlong one is skipped without being held."""
    with file.open("rb") as opened:
        is_whole = True
        while piece := opened.readline(formats.LONGEST_LINE_BYTES):
            if is_whole and (piece.endswith(b"\n") or len(piece) < formats.LONGEST_LINE_BYTES):
                yield piece
            is_whole = piece.endswith(b"\n")


def _events(store: TranscriptStore, session: str) -> Iterator[bytes]:
    after = -1
    while events := store.events(session, after, _EVENTS):
        yield from (text.encode("utf-8", "replace") for _, text in events)
        after = events[-1][0]


def _said(name: str, lines: Iterable[bytes]) -> list[Message]:
    """Return the messages of a conversation, in order; none for another file or a system session."""
    following = iter(lines)
    first = list(islice(following, formats.SNIFFED_LINES))
    transcript = formats.recognise(name, first)
    if transcript is None or transcript.session.agent != openclaw.NAME:
        return []
    said = (
        event
        for data in (*first, *following)
        if (line := formats.parse(data.rstrip(b"\n")) or formats.salvage(data)) is not None
        for event in transcript.events(line, fingerprint(data))
    )
    return [message for message in formats.replay(said) if message.role in _LABELS]


def _document(scope: Scope, key: str, stamp: str, said: list[Message], agent: str, source: Path) -> Document:
    first, last = said[0].at, said[-1].at
    return Document(
        scope=scope,
        key=key,
        kind=KIND,
        # The first day: it stays as the conversation grows, and with it the vectors of earlier messages.
        title=f"{agent} {first:%Y-%m-%d}",
        text="\n".join(line for message in said for line in _written(message)),
        content_hash=stamp,
        created_at=first,
        updated_at=last,
        valid_from=datetime.combine(last.date(), time(), last.tzinfo),
        metadata={"agent": agent, "session": said[0].session},
        provenance=(Provenance(str(source)),),
    )


def _written(message: Message) -> Iterator[str]:
    """Yield a message's lines, redacted before they are broken: a secret over two lines is not recognised."""
    text = " ".join(redact(message.text).split())
    while text:
        space = text.rfind(" ", 1, _LINE_CHARS + 1) if len(text) > _LINE_CHARS else -1
        end = space if space > 0 else _LINE_CHARS
        yield f"{_LABELS[message.role]}: {text[:end]}"
        text = text[end:].lstrip()
