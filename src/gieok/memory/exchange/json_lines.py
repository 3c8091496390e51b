"""Complete export of Gieok's memory as lines of JSON, and its import.

The same memory gives the same lines.

    {"gieok": "export", "version": 1}
    {"is": "replaced" | "memory" | "known" | "message" | "correction" | "forgotten" | "observed",
    "scope": …, …}

An import can be repeated any number of times: lines that are there already are skipped.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any

from gieok.errors import BadRequest, GieokError
from gieok.flow.distil import deliver
from gieok.memory import observation
from gieok.memory.exchange.intake import REALM, TakenIn
from gieok.memory.observer import buffer
from gieok.memory.tiers.fields import from_fields, to_fields
from gieok.model.conversation import Cursor, ForgottenMessage, Message, Reject, Role, Run
from gieok.model.memory import CORRECTED, Document, Entry, Passage, Scope, Tier
from gieok.ports.journal import FullJournal
from gieok.ports.store import Documents
from gieok.ports.system import Clock

VERSION = 1
HEADER = {"gieok": "export", "version": VERSION}
_READER = "carried"
_AT_ONCE = 200
_PAGE_TOKENS = 200_000
#: More documents than a history has.
EVERYTHING = (1 << 31) - 1


def iter_export_entries(journal: FullJournal, store: Documents, scope: Scope) -> Iterator[Entry]:
    """Yield every memory of a scope by key, whatever its tier.

    Archived memories are yielded as the store holds them.
    """
    archived = (memory.key for memory in journal.archived(scope))
    yield from merge(
        journal.made(scope), _iter_stored_entries(store, scope, archived), key=_read_entry_key
    )


def _iter_stored_entries(store: Documents, scope: Scope, keys: Iterator[str]) -> Iterator[Entry]:
    while some := list(islice(keys, _AT_ONCE)):
        yield from sorted(store.entries(scope, some), key=_read_entry_key)


def _read_entry_key(entry: Entry) -> str:
    return entry.document.key


def iter_export_lines(
    journal: FullJournal, store: Documents, scopes: Sequence[Scope]
) -> Iterator[dict[str, Any]]:
    """Yield the lines of some scopes, a few in memory at a time. Raises StoreError."""
    deliver(journal, store)
    for scope in scopes:
        for document in reversed(journal.history(scope, EVERYTHING)):
            yield {"is": "replaced", **build_export_fields(document)}
        for entry in iter_export_entries(journal, store, scope):
            yield {
                "is": "memory",
                **build_export_fields(entry.document),
                "passages": [list(p) for p in entry.passages],
            }
        for name, value in sorted(journal.kept(REALM + scope.path).items()):
            yield {"is": "known", "scope": scope.path, "name": name, "value": value}
        yield from _iter_message_lines(journal, scope)


def build_export_fields(document: Document) -> dict[str, Any]:
    """Return a document as a line of an export has it."""
    return {**to_fields(document), "text": document.text}


def _iter_message_lines(journal: FullJournal, scope: Scope) -> Iterator[dict[str, Any]]:
    corrections, after = journal.corrections(scope), 0
    observed, last = journal.position(scope, buffer.READER), ""
    while page := journal.read(scope, after, budget_tokens=_PAGE_TOKENS, limit=_AT_ONCE):
        for seq, message, _ in page:
            yield {"is": "message", "scope": scope.path, **build_message_fields(message)}
            if message.id in corrections:
                yield {
                    "is": "correction",
                    "scope": scope.path,
                    "id": message.id,
                    "text": corrections[message.id],
                }
            last = message.id if seq <= observed else last
        after = page[-1].seq
    for mark in journal.forgotten_messages(scope):
        yield {"is": "forgotten", "scope": scope.path, **build_forgotten_fields(mark)}
    if last:
        yield {"is": "observed", "scope": scope.path, "id": last}


def build_message_fields(message: Message) -> dict[str, Any]:
    """Return the fields of a message that are not empty."""
    row = message._asdict() | {"at": message.at.isoformat()}
    return {name: value for name, value in row.items() if value not in ("", 0)}


def build_forgotten_fields(mark: ForgottenMessage) -> dict[str, Any]:
    """Return the mark of a forgotten message, which has no text."""
    row = mark.message._asdict() | {"at": mark.message.at.isoformat(), "tokens": 0}
    held = {name: value for name, value in row.items() if value not in ("", 0) or name == "text"}
    return {**held, "digest": mark.digest}


@dataclass(slots=True)
class Carrying:
    """Importer of export lines.

    `place` is the file, for errors and for its cursor; `other` receives lines of kinds that do not
    belong to this rib.
    """

    journal: FullJournal
    store: Documents
    clock: Clock
    place: str
    #: Scope that takes everything; None: each scope stays itself.
    into: Scope | None = None
    other: Callable[[Mapping[str, Any]], bool] = lambda row: False
    is_dry: bool = False
    progress: Callable[[int], None] = lambda done: None
    done: TakenIn = field(default_factory=TakenIn)
    _sessions: set[str] = field(default_factory=set)
    #: Marks of the documents in the history of each scope.
    _there: dict[Scope, set[tuple[object, ...]]] = field(default_factory=dict)

    def scope_of(self, scope: Scope) -> Scope:
        """Return the scope that takes the memory of an exported scope."""
        return self.into or scope

    def take(self, rows: Iterable[bytes]) -> TakenIn:
        """Import the lines of a file. Raises BadRequest if the file is no export; StoreError."""
        return self.take_rows(
            filter(None, (self._row(number, data) for number, data in enumerate(rows, start=1)))
        )

    def take_rows(self, rows: Iterable[dict[str, Any]]) -> TakenIn:
        """Import rows, each a line of an export."""
        held: list[dict[str, Any]] = []
        for row in rows:
            if held and (
                (held[0]["is"], held[0]["scope"]) != (row["is"], row["scope"])
                or len(held) >= _AT_ONCE
            ):
                self._flush(held)
                held = []
            held.append(row)
        if held:
            self._flush(held)
        self.done.conversations += len(self._sessions)
        self._sessions.clear()
        return self.done

    def _row(self, number: int, data: bytes) -> dict[str, Any]:
        try:
            row = json.loads(data)
        except ValueError as error:
            return self._reject(number, f"no JSON: {error}")
        if number == 1:
            check_header(row if isinstance(row, dict) else {}, self.place)
            return {}
        if not isinstance(row, dict) or not {"is", "scope"} <= row.keys():
            return self._reject(number, "no line of an export")
        return row | {"#": number}

    def _reject(self, number: int, why: str) -> dict[str, Any]:
        self.done.rejected += 1
        self.done.rejects.append(
            Reject(path=self.place, line=number, offset=0, length=0, reason=why)
        )
        return {}

    def _flush(self, rows: Sequence[dict[str, Any]]) -> None:
        take = {
            "memory": self._memories,
            "replaced": self._replaced,
            "known": self._known,
            "message": self._said,
            "correction": self._corrections,
            "forgotten": self._forgotten,
            "observed": self._observed,
        }.get(rows[0]["is"])
        try:
            scope = self.scope_of(Scope(rows[0]["scope"]))
            if take is None:
                for row in rows:
                    self.done.memories += self.other(row)
            else:
                self.done.scopes.add(scope)
                take(scope, rows)
        except (KeyError, TypeError, ValueError, AttributeError, BadRequest) as error:
            if len(rows) > 1:  # which of them it is
                for row in rows:
                    self._flush([row])
            else:
                self._reject(rows[0].get("#", 0), f"no {rows[0]['is']}: {error!r}")
        self.progress(self.done.messages + self.done.memories)

    def _memories(self, scope: Scope, rows: Sequence[dict[str, Any]]) -> None:
        self.put(
            scope,
            [
                Entry(
                    replace(from_fields(row, row["text"]), scope=scope),
                    tuple(Passage(*passage) for passage in row["passages"]),
                )
                for row in rows
            ],
        )

    def put(self, scope: Scope, entries: Sequence[Entry]) -> None:
        """Make memories durable that are missing here, or older here than in the export.

        A person's correction made here stays.
        """
        if not self.is_dry:
            deliver(self.journal, self.store)
        held = {d.key: d for d in self.store.get(scope, [entry.document.key for entry in entries])}
        entries = [self._as_edited(held.get(entry.document.key), entry) for entry in entries]
        fresh = [
            entry for entry in entries if _is_newer(held.get(entry.document.key), entry.document)
        ]
        self.done.memories += len(fresh)
        self.done.known += len(entries) - len(fresh)
        if fresh and not self.is_dry:
            self.journal.hand_over(put=fresh)
            deliver(self.journal, self.store)

    def _as_edited(self, held: Document | None, entry: Entry) -> Entry:
        """Return an imported memory as a person's correction, if its text differs from the held
        one's.

        The held and the imported memory are the same one when their content hashes are equal.
        """
        fresh = entry.document
        if held is None or held.text == fresh.text or held.content_hash != fresh.content_hash:
            return entry
        return observation.corrected(held, fresh.text, self.clock.now())

    def _replaced(self, scope: Scope, rows: Sequence[dict[str, Any]]) -> None:
        """Add missing history; the current memory under the same key is put again in the same
        step.
        """
        if scope not in self._there:
            self._there[scope] = set(
                map(build_document_mark, self.journal.history(scope, EVERYTHING))
            )
        there = self._there[scope]
        documents = [replace(from_fields(row, row["text"]), scope=scope) for row in rows]
        # One document may come twice at once, such as by the history of two devices.
        marked = {build_document_mark(document): document for document in documents}
        fresh = [document for mark, document in marked.items() if mark not in there]
        self.done.replaced += len(fresh)
        if not fresh or self.is_dry:
            return
        deliver(self.journal, self.store)
        held = self.store.entries(scope, sorted({document.key for document in fresh}))
        position = self.journal.position(scope, _READER)
        run = Run(
            scope=scope,
            reader=_READER,
            kind="carried",
            at=self.clock.now(),
            start=position,
            end=position + 1,
            messages=0,
            source_tokens=0,
            documents=0,
            document_tokens=0,
            model="",
        )
        # What files hold is in the index alone: made durable, it would outlast them.
        of_files = [entry for entry in held if "root" in entry.document.metadata]
        hot = [
            Entry(replace(entry.document, tier=Tier.HOT), entry.passages)
            for entry in held
            if entry not in of_files
        ]
        if not self.journal.commit(position, run, put=hot, forget=fresh):
            raise GieokError(
                "another import is running", hint="run the command again when that is done"
            )
        there |= set(map(build_document_mark, fresh))
        deliver(self.journal, self.store)
        if of_files:
            self.store.put(of_files)

    def _known(self, scope: Scope, rows: Sequence[dict[str, Any]]) -> None:
        if not self.is_dry:
            self.journal.keep(REALM + scope.path, {row["name"]: row["value"] for row in rows})

    def _said(self, scope: Scope, rows: Sequence[dict[str, Any]]) -> None:
        messages = [parse_export_message(row) for row in rows]
        known = {
            journalled.message.id
            for journalled in self.journal.messages(scope, [message.id for message in messages])
        }
        self.done.messages += sum(message.id not in known for message in messages)
        self.done.known += len(known)
        self._sessions |= {message.session for message in messages if message.id not in known}
        if not self.is_dry and not self.journal.append(scope, messages, *self._cursors()):
            raise GieokError(
                "another import is running", hint="run the command again when that is done"
            )

    def _cursors(self) -> tuple[Cursor, Cursor | None]:
        identity = f"import:gieok:{self.place}"
        before = next(
            (cursor for cursor in self.journal.cursors() if cursor.identity == identity), None
        )
        return Cursor(identity, self.place, before.offset + 1 if before else 1), before

    def _corrections(self, scope: Scope, rows: Sequence[dict[str, Any]]) -> None:
        held = self.journal.corrections(scope)
        for row in rows:
            if not self.is_dry and row["id"] not in held:
                self.journal.correct(scope, row["id"], row["text"])

    def _forgotten(self, scope: Scope, rows: Sequence[dict[str, Any]]) -> None:
        if not self.is_dry:
            self.journal.keep_forgotten(
                scope, [ForgottenMessage(parse_export_message(row), row["digest"]) for row in rows]
            )

    def _observed(self, scope: Scope, rows: Sequence[dict[str, Any]]) -> None:
        """Let an observer that has not begun here begin behind the messages that were observed
        before.

        Their observations are part of the export.
        """
        messages = self.journal.messages(scope, [row["id"] for row in rows])
        if self.is_dry or not messages or self.journal.position(scope, buffer.READER):
            return
        end = messages[-1].seq
        run = Run(
            scope=scope,
            reader=buffer.READER,
            kind="carried",
            at=self.clock.now(),
            start=0,
            end=end,
            messages=0,
            source_tokens=0,
            documents=0,
            document_tokens=0,
            model="",
        )
        self.journal.commit(0, run)


def check_header(row: Mapping[str, Any], place: str) -> None:
    """Check the first line of an export. Raises BadRequest."""
    if row.get("gieok") != HEADER["gieok"] or not isinstance(row.get("version"), int):
        raise BadRequest("{place!r} is no export of Gieok", place=place)
    if row["version"] > VERSION:
        raise BadRequest(
            "{place!r} was written by a newer Gieok (version {version})",
            place=place,
            version=row["version"],
            hint="update this one",
        )


def is_export(first: bytes) -> bool:
    """Say whether the first bytes of a file are those of an export."""
    return first.startswith(b'{"gieok": "export"')


def _is_newer(held: Document | None, fresh: Document) -> bool:
    if held is None:
        return True
    is_same = (held.content_hash, held.valid_to, held.text) == (
        fresh.content_hash,
        fresh.valid_to,
        fresh.text,
    )
    outranks = bool(fresh.metadata.get(CORRECTED)) or not held.metadata.get(CORRECTED)
    return not is_same and outranks and fresh.updated_at >= held.updated_at


def build_document_mark(document: Document) -> tuple[object, ...]:
    """Return what tells a document of the history from every other."""
    return (
        document.key,
        document.content_hash,
        document.updated_at,
        document.valid_to,
        document.text,
    )


def parse_export_message(row: Mapping[str, Any]) -> Message:
    """Return the message of a line of an export. Raises KeyError, ValueError."""
    return Message(
        id=row["id"],
        role=Role(row["role"]),
        text=row["text"],
        at=datetime.fromisoformat(row["at"]),
        session=row.get("session", ""),
        agent=row.get("agent", ""),
        tokens=row.get("tokens", 0),
        source=row.get("source", ""),
        line=row.get("line", 0),
    )
