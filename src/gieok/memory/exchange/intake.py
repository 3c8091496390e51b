"""Import of other programs' memory: conversations become messages, statements observations.

Safe to kill and to repeat. A cursor holds how many pieces of a source were imported, and the ids of
imported statements are kept with a hash of their words: a statement that was imported before stays
as a person left it since, edited or forgotten, and a statement that the source words differently
now replaces the earlier one.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from gieok.errors import GieokError
from gieok.flow.distil import deliver, finish_span
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.observer import categories
from gieok.model.conversation import Cursor, Message, Reject, Run
from gieok.model.memory import CORRECTED, IMPORTED, REPLACED_BY, Document, Entry, Provenance, Scope
from gieok.ports.imports import ImportedFact, ImportedTalk, ImportPiece
from gieok.ports.journal import FullJournal
from gieok.ports.store import Documents
from gieok.ports.system import Clock
from gieok.private import Privacy
from gieok.text.echo import strip_echo
from gieok.text.private_tags import is_all_private
from gieok.text.redact.sense import redact_said
from gieok.text.tokens import estimate_tokens

READER = "import"
#: Prefix of a realm of the journal, before a scope: hash of a statement's id → the hash of its
#: words, and the key of its memory.
REALM = "imported:"
_MESSAGES, _FACTS = 500, 200
_LONGEST_CHARS = 2_000
_MOST_REJECTS = 1_000


class ImportSource(NamedTuple):
    """Source of an import: the program, its path, and a fingerprint that changes with its
    content.
    """

    name: str
    path: str
    print: str


@dataclass(slots=True)
class TakenIn:
    """Counts of an import.

    `known` pieces were there already; `rejected` pieces could not be read, and the first thousand
    of them are named in `rejects`.
    """

    conversations: int = 0
    messages: int = 0
    memories: int = 0
    replaced: int = 0
    known: int = 0
    rejected: int = 0
    withheld: int = 0
    rejects: list[Reject] = field(default_factory=list)
    scopes: set[Scope] = field(default_factory=set)


@dataclass(slots=True)
class Intake:
    """Importer of one source.

    `scope_of` returns the scope for the name or folder of a project, and the default scope for ''.
    """

    journal: FullJournal
    store: Documents
    clock: Clock
    source: ImportSource
    scope_of: Callable[[str], Scope]
    is_dry: bool = False
    progress: Callable[[int], None] = lambda done: None
    #: Rules for private pieces: they are skipped, and counted.
    privacy: Privacy = field(default_factory=Privacy)
    done: TakenIn = field(default_factory=TakenIn)
    _cursor: Cursor | None = None
    #: Statement → key of its memory, for statements that others name as their replacement.
    _keys: dict[str, str] = field(default_factory=dict)
    _known_as: dict[tuple[str, str], bool] = field(default_factory=dict)
    #: Scope → what was imported into it before, by the id of the statement.
    _taken: dict[Scope, dict[str, str]] = field(default_factory=dict)

    def take(self, pieces: Iterable[ImportPiece]) -> TakenIn:
        """Import all pieces that were not imported before.

        Raises StoreError; the next run then continues with the rest.
        """
        identity = self._identity()
        self._cursor = next((c for c in self.journal.cursors() if c.identity == identity), None)
        start = (
            self._cursor.offset if self._cursor and self._cursor.head == self.source.print else 0
        )
        batch: list[ImportPiece] = []
        scope, size, upto = self.scope_of(""), 0, 0
        for upto, original in enumerate(_guard_import_pieces(pieces, self.source.path), start=1):
            if upto <= start:
                self.done.known += not isinstance(original, Reject)
                continue
            piece = self._without_withheld(original)
            if piece is None:
                continue
            own = scope if isinstance(piece, Reject) else self.scope_of(piece.project)
            if batch and (own != scope or size >= _MESSAGES):
                self._flush(scope, batch, upto - 1)
                batch, size = [], 0
            scope = own
            batch.append(piece)
            size += len(piece.messages) if isinstance(piece, ImportedTalk) else _MESSAGES // _FACTS
        if batch:
            self._flush(scope, batch, upto)
        return self.done

    def _without_withheld(self, piece: ImportPiece) -> ImportPiece | None:
        """Return a piece without its private parts; None if all of it is private."""
        if isinstance(piece, Reject):
            return piece
        if self.privacy.excludes_project(piece.project) or self.privacy.excludes_agent(
            self.source.name
        ):
            self.done.withheld += 1
            return None
        if isinstance(piece, ImportedFact):
            is_withheld = self.privacy.is_withheld("", "", piece.at.timestamp())
            self.done.withheld += is_withheld
            return None if is_withheld else piece
        messages = tuple(message for message in piece.messages if not self._is_withheld(message))
        self.done.withheld += len(piece.messages) - len(messages)
        return piece._replace(messages=messages) if messages else None

    def _is_withheld(self, message: Message) -> bool:
        is_excluded = self.privacy.excludes_agent(message.agent)
        return is_excluded or self.privacy.is_withheld(
            message.agent, message.session, message.at.timestamp()
        )

    def _identity(self) -> str:
        place = hashlib.sha256(
            f"{self.source.path}\0{self.scope_of('')}".encode("utf-8", "surrogateescape")
        )
        return f"{READER}:{self.source.name}:{place.hexdigest()[:24]}"

    def _flush(self, scope: Scope, batch: Sequence[ImportPiece], upto: int) -> None:
        """Write a batch: statements, then messages together with the cursor.

        A kill in between repeats work and loses nothing.
        """
        report = self.done
        report.scopes.add(scope)
        rejects = [piece for piece in batch if isinstance(piece, Reject)]
        report.rejected += len(rejects)
        report.rejects += rejects[: _MOST_REJECTS - len(report.rejects)]
        self._keep_facts(scope, [piece for piece in batch if isinstance(piece, ImportedFact)])
        events = [
            m
            for piece in batch
            if isinstance(piece, ImportedTalk)
            for m in self._messages(scope, piece)
        ]
        self.progress(report.messages + report.memories)
        if self.is_dry:
            return
        fresh = Cursor(self._identity(), self.source.path, upto, head=self.source.print)
        if not self.journal.append(scope, events, fresh, self._cursor):
            raise GieokError(
                "{path!r} is being imported by another process",
                path=self.source.path,
                hint="run the command again when that is done",
            )
        self._cursor = fresh

    # Conversations

    def _messages(self, scope: Scope, talk: ImportedTalk) -> Iterator[Message]:
        first = talk.messages[0]
        if talk.known_as and self._is_told(talk.known_as, first.session):
            self.done.known += 1
            return
        ids = [message.id for message in talk.messages]
        known = {m.message.id for m in self.journal.messages(scope, ids)}
        self.done.known += bool(known.issuperset(ids))
        self.done.conversations += not known.issuperset(ids)
        for message in talk.messages:
            text = redact_said(strip_echo(message.text)).strip()
            if text and not is_all_private(text):
                self.done.messages += message.id not in known
                yield message._replace(text=text, tokens=estimate_tokens(text))

    def _is_told(self, agent: str, session: str) -> bool:
        """Say whether the agent's own transcript has supplied this session already."""
        if (agent, session) not in self._known_as:
            turns = (
                t
                for scope in self.journal.scopes()
                for t in self.journal.turns(scope, agent, session)
            )
            own = any(not turn.message.id.startswith(f"{self.source.name}:") for turn in turns)
            self._known_as[agent, session] = own
        return self._known_as[agent, session]

    # Statements

    def _keep_facts(self, scope: Scope, facts: Sequence[ImportedFact]) -> None:
        if not facts:
            return
        realm = REALM + scope.path
        if scope not in self._taken:
            self._taken[scope] = self.journal.kept(realm)
        before = self._taken[scope]
        values: dict[str, str] = {}
        fresh: dict[str, Entry] = {}
        for fact in facts:
            name, text = (
                _hash_fact_text(fact.id),
                redact_said(strip_echo(fact.text)).strip()[:_LONGEST_CHARS],
            )
            if not text or is_all_private(text):
                continue
            o = _build_fact_observation(fact, text)
            self._keys[fact.id] = o.key
            value = f"{_hash_fact_text(text + str(fact.until))} {o.key}"
            if before.get(name) == value:
                self.done.known += 1
                continue
            values[name] = value
            fresh[o.key] = self._entry(scope, fact, o)
            self._end_older(scope, before.get(name, "").partition(" ")[2], o, fresh)
        put = self._new(scope, fresh)
        self.done.memories += len(put)
        if self.is_dry:
            return
        now, position = self.clock.now(), self.journal.position(scope, READER)
        tokens = sum(estimate_tokens(entry.document.text) for entry in put)
        run = Run(
            scope=scope,
            reader=READER,
            kind="imported",
            at=now,
            start=position,
            end=position + 1,
            messages=0,
            source_tokens=0,
            documents=len(put),
            document_tokens=tokens,
            model="",
        )
        if put and not finish_span(self.journal, self.store, position, run, put=put):
            raise GieokError(
                "another import is running", hint="run the command again when that is done"
            )
        self.journal.keep(realm, values)
        before |= values

    def _new(self, scope: Scope, fresh: dict[str, Entry]) -> list[Entry]:
        """Return the entries that the memory does not hold yet.

        A memory that is held already may have been corrected or replaced since, and stays.
        """
        if not self.is_dry:
            deliver(self.journal, self.store)
        held = {d.key: d for d in self.store.get(scope, sorted(fresh))}
        ends = {
            key
            for key, entry in fresh.items()
            if key in held and _is_newly_ended(held[key], entry.document)
        }
        self.done.known += len(held) - len(ends)
        self.done.replaced += len(ends)
        return [entry for key, entry in fresh.items() if key not in held or key in ends]

    def _end_older(
        self, scope: Scope, key: str, newer: Observation, fresh: dict[str, Entry]
    ) -> None:
        """Mark the memory of a statement's earlier wording as ended by the newer wording, in
        `fresh`.

        `key` names the earlier memory. A memory that is corrected or ended already stays as it is.
        """
        older = next(iter(self.store.get(scope, [key])), None) if key and key != newer.key else None
        if older is not None and older.valid_to is None and not older.metadata.get(CORRECTED):
            fresh[key] = observation.build_whole_entry(
                observation.end_document(older, fresh[newer.key].document)
            )

    def _entry(self, scope: Scope, fact: ImportedFact, o: Observation) -> Entry:
        """Return the document of a statement: an observation whose provenance is the source."""
        (entry,) = observation.build_observed_entries(scope, Observed((o,)), self.clock.now())
        document = entry.document
        metadata = {**document.metadata, IMPORTED: self.source.name}
        until = max(fact.until, o.at) if fact.until else None
        if until and fact.replaced_by:
            metadata[REPLACED_BY] = self._keys.get(fact.replaced_by, "")
        origin = Provenance(fact.place or self.source.path, fact.line or None, fact.line or None)
        document = replace(
            document,
            metadata={k: v for k, v in metadata.items() if v},
            valid_to=until,
            provenance=(origin,),
        )
        return observation.build_whole_entry(
            replace(document, content_hash=observation.stamp(document))
        )


def _is_newly_ended(held: Document, fresh: Document) -> bool:
    return fresh.valid_to is not None and held.valid_to is None and not held.metadata.get(CORRECTED)


def _build_fact_observation(fact: ImportedFact, said: str) -> Observation:
    category = Category(fact.category) if fact.category else categories.classify_statement(said)
    weighty = category in (Category.PREFERENCE, Category.DECISION)
    priority = (
        Priority(fact.priority) if fact.priority else Priority.HIGH if weighty else Priority.MEDIUM
    )
    is_done = fact.is_done or (not fact.category and categories.is_done(said))
    return Observation(
        text=" ".join(said.split()),
        at=fact.at,
        priority=priority,
        category=category,
        is_done=is_done,
    )


def _hash_fact_text(said: str) -> str:
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]


def _guard_import_pieces(pieces: Iterable[ImportPiece], path: str) -> Iterator[ImportPiece]:
    """Yield pieces; a source that breaks off is reported, and the pieces before stay."""
    stream = iter(pieces)
    while True:
        try:
            piece = next(stream)
        except StopIteration:
            return
        except (OSError, EOFError, ValueError) as error:
            yield Reject(
                path=path, line=0, offset=0, length=0, reason=f"it breaks off here: {error}"
            )
            return
        yield piece
