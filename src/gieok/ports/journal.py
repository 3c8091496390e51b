"""Journal of raw messages and of what Gieok made of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

from gieok.model.archive import ArchivedMemory, ArchivedPlace, Move, Place, StalePlace
from gieok.model.conversation import (
    BufferedSpan,
    Conversation,
    Cursor,
    Heard,
    HeldWindow,
    Incident,
    Journalled,
    JournalStats,
    KnownSession,
    Message,
    Reject,
    Run,
    ScopeState,
    TalkMoved,
    TalkPlace,
    TranscriptEvent,
    Turn,
    Usage,
    Window,
)
from gieok.model.memory import Document, Entry, Scope
from gieok.ports.journal_rows import CopiedJournal
from gieok.ports.relocation import Relocation


class Journal(Protocol):
    """Append-only store of every raw message.

    Every method that writes is one transaction. Raises as Store does.
    """

    def append(
        self,
        scope: Scope,
        events: Sequence[TranscriptEvent],
        cursor: Cursor,
        expected: Cursor | None,
        rejects: Sequence[Reject] = (),
    ) -> bool:
        """Add messages and move their transcript's cursor, or do nothing and return False.

        Nothing is done where the cursor stored for `cursor.identity` is not `expected`: another
        process has read on. A message whose id and text are known is not added again; a message
        with a known id and another text retracts the versions before.
        """

    def say(self, scope: Scope, events: Sequence[TranscriptEvent]) -> None:
        """Add messages that come from no transcript, or retract such messages.

        A known message is treated as `append` does.
        """

    def say_new(self, scope: Scope, message: Message) -> Journalled | None:
        """Add one message fast, and return it as `read` would.

        None, and nothing is done, where `say` has to look closer: the id is known, or the message
        the first of its session. Some journals always do.
        """

    def cursors(self) -> list[Cursor]:
        """Return the cursor of every transcript."""

    def occurrences(self, scope: Scope, ids: Sequence[str]) -> dict[str, int]:
        """Return how many messages have each of these ids, alone or followed by `~` and a number.

        Ids without a message are left out.
        """

    def read(
        self, scope: Scope, after: int, *, budget_tokens: int, limit: int = 10_000
    ) -> list[Journalled]:
        """Return the valid messages after number `after` (exclusive), in journal order.

        Reading stops at the first message with which the tokens reach `budget_tokens`, or after
        `limit` messages.
        """

    def messages(self, scope: Scope, ids: Sequence[str]) -> list[Journalled]:
        """Return the last version of each of these messages, in journal order."""

    def scopes(self) -> list[Scope]:
        """Return every scope that has a message, sorted."""

    def rejects(self, limit: int) -> list[Reject]:
        """Return rejected lines, the newest first."""


class Conversations(Protocol):
    """Messages of users and assistants by conversation, for derived documents.

    Each change of a stored message (retracted, forgotten, rewritten) has a number, so that a reader
    learns of the change.
    """

    def conversations(
        self, scope: Scope, after: Heard, limit: int
    ) -> tuple[Heard, list[Conversation]]:
        """Return the position after `limit` more messages, and the conversations changed up to
        there.

        An unchanged `Heard` means that there is nothing new.
        """

    def turns(
        self, scope: Scope, agent: str, session: str, start: int = 0, upto: int = 0
    ) -> list[Turn]:
        """Return the valid turns of a session from place `start` on, and the one turn before.

        With `upto`, only messages up to this number are read.
        """

    def newest_sessions(self, scope: Scope, limit: int) -> list[KnownSession]:
        """Return the sessions of a scope whose last messages are newest, newest first."""

    def session_messages(self, scope: Scope, agent: str, session: str) -> list[Journalled]:
        """Return the valid messages of a session in order, tools' included, as corrected."""

    def session_gaps(self, scope: Scope, agent: str, session: str) -> list[int]:
        """Return the places where a session's user or agent said what is valid no more, in order.

        A place that a valid version of the message has is none.
        """

    def correct(self, scope: Scope, identity: str, text: str) -> None:
        """Let `turns` give this text for a message; '' restores the original text.

        The message itself stays as it was said. The correction counts as a change.
        """

    def corrections(self, scope: Scope) -> dict[str, str]:
        """Return message id → corrected text."""

    def spoken(self) -> int:
        """Return the number of valid turns in all scopes."""

    def unheard(self, scope: Scope, after: Heard) -> int:
        """Return the number of messages and of changes after a position."""


class JournalUpkeep(Protocol):
    """State and maintenance of a journal, and its locks."""

    @property
    def location(self) -> str:
        """Return the file, or the address of a server, without secrets."""

    def identity(self) -> str:
        """Return the journal's own name: a store shared by journals keeps a position for each."""

    def stats(self, scope: Scope | None = None) -> JournalStats:
        """Return counts of what the journal holds."""

    def exclusive(self, name: str, *, wait: bool = True) -> AbstractContextManager[bool]:
        """Hold a lock that one thread of one process holds at a time.

        False where the lock is taken and `wait` is off. A process that dies releases the lock.
        Inside a transaction, a lock that the thread holds stays held; raises StoreError for another
        one, since its holder may wait for the scope.
        """

    def transaction(self, scope: Scope, lock: str = "") -> AbstractContextManager[None]:
        """Let what this thread reads and writes of a scope inside the block be one transaction.

        Nobody else writes to the scope meanwhile, or holds the lock `lock` (`exclusive`). Nothing
        in it is durable before the block ends, and nothing of it is kept where the block raises, or
        where what it reads or writes of the scope raised, even if the error was caught.

        A transaction on the same scope inside is part of it. One on another scope is one of its
        own, or part of it too. Raises StoreError for a lock that the thread does not hold where
        a transaction is in progress, since its holder may wait for the scope, and for a write to
        several scopes of which one is in a transaction.
        """

    def tiers(self) -> dict[str, int]:
        """Return the number of memories of all scopes by tier; an empty tier is left out."""

    def grown(self) -> dict[str, int]:
        """Return row counts of what grows beside messages and memories: kind (of `prune`) →
        rows.
        """

    def prune(self, before: Mapping[str, datetime], *, most_rejects: int = 0) -> dict[str, int]:
        """Drop `runs`, `history` and `usage` from before a time, and all but the newest rejects.

        Returns the number of dropped rows by kind.
        """

    def compact(self, spare_bytes: int = 0) -> int:
        """Give disk space back where that pays, without blocking others for long; return the bytes.

        `spare_bytes` are known to be free inside pages that look full, because texts were removed.
        """

    def close(self) -> None:
        """Close the files and connections of the journal."""


class Positions(Protocol):
    """Position of each reader (a rib) in the journal of a scope, and the reader's buffered chunks.

    A chunk holds what was made and is not activated yet. The invariant: the chunks of a reader
    follow one another without a gap, and the first chunk begins at the reader's position.
    """

    def position(self, scope: Scope, reader: str) -> int:
        """Return the sequence number up to which messages are distilled; 0 at first."""

    def state(self, scope: Scope, reader: str, held: HeldWindow | None = None) -> ScopeState:
        """Return what a turn needs of a scope in one snapshot; its window is that of `window`."""

    def skip(self, scope: Scope, reader: str, expected: int, end: int) -> bool:
        """Move a reader's position over messages of which nothing is made; return False as
        `commit`.

        The reader must buffer nothing.
        """

    def move(self, scope: Scope, reader: str, end: int) -> None:
        """Set a reader's position, as `skip`, inside a `transaction` in which it was read."""

    def window(self, scope: Scope, reader: str, held: HeldWindow | None = None) -> Window:
        """Return the valid messages behind the reader's position, in one snapshot.

        For a `held` window that is still valid, only newer messages are read. A held window is
        valid while neither the position nor any of its messages changed, and its last message
        exists.
        """

    def chunks(self, scope: Scope, reader: str) -> list[BufferedSpan]:
        """Return the buffered chunks in order."""

    def buffer(self, scope: Scope, reader: str, chunk: BufferedSpan) -> bool:
        """Add a chunk that begins where the last chunk (or the position) ends.

        Returns False, and does nothing, for any other chunk.
        """

    def commit(
        self,
        expected: int,
        run: Run,
        *,
        put: Sequence[Entry] = (),
        forget: Sequence[Document] = (),
    ) -> bool:
        """Move the reader's position from `expected` to `run.end`; hand documents over, in one
        step.

        Chunks up to there are dropped; documents to put and to forget wait for delivery to the
        store; forgotten documents go to the history. Returns False, and does nothing, where the
        position is not `expected`, or `run.end` is inside a chunk.
        """


class Outbox(Protocol):
    """Queue of changes to deliver to the store, in order."""

    def undelivered(self, limit: int) -> list[tuple[int, Scope, Entry | str]]:
        """Return undelivered changes in order: an entry to put, or the key of a document to
        forget.
        """

    def delivered(self, ids: Sequence[int]) -> None:
        """Mark these changes as delivered."""

    def hand_out(
        self, scope: Scope, take: Callable[[Sequence[Entry | str]], None], limit: int
    ) -> int:
        """Pass the waiting changes of one scope to `take`, in order, and remove them; return how
        many.

        Meanwhile nobody else hands out changes of this scope, nor holds the lock `deliver`. If
        `take` raises, all changes stay in the queue.
        """


class RunHistory(Protocol):
    """Runs of the readers, and documents that were replaced."""

    def history(self, scope: Scope, limit: int) -> list[Document]:
        """Return documents that were replaced, the newest first."""

    def runs(self, scope: Scope, since: datetime) -> list[Run]:
        """Return the runs of all readers, oldest first."""


class MadeDocuments(Protocol):
    """Documents that Gieok made and cannot read again from the user's files.

    Every store is derived from these documents and the user's files. `Positions.commit` makes
    documents durable, in the transaction that moves the position.
    """

    def made_scopes(self) -> list[Scope]:
        """Return every scope with made documents, archived documents included, sorted."""

    def made(self, scope: Scope) -> list[Entry]:
        """Return the hot documents by key, including those that wait for delivery."""

    def hand_over(
        self, put: Sequence[Entry] = (), forget: Sequence[tuple[Scope, str]] = ()
    ) -> None:
        """Make documents durable and queue them for delivery, without a run.

        Documents are forgotten first. A document that is put is then hot, wherever it was before.
        """

    def adopt(self, entries: Sequence[Entry]) -> None:
        """Make durable the documents that only a store of an older release holds.

        A document that is known here stays as it is.
        """


class Archived(Protocol):
    """Places of memories that left hot.

    A memory lives in an archive place, or in hot (`MadeDocuments`): never in both. Whatever makes a
    document durable brings it back to hot, and forgetting removes it from here; the place that the
    document leaves is then stale: its file still holds a copy, which is no longer valid.
    """

    def archive(self, moves: Sequence[Move]) -> list[Move]:
        """Move memories in one step, and queue the changes for the store; return the refused moves.

        A move is refused if the memory is no longer as the move says: other text, another place,
        forgotten. The place that a memory leaves is then stale, and so is the place that a refused
        memory was written to.
        """

    def archived(
        self,
        scope: Scope,
        *,
        keys: Sequence[str] | None = None,
        place: Place | None = None,
        day: date | None = None,
    ) -> list[ArchivedMemory]:
        """Return archived memories of a scope, by key: all, these keys, one place's, or one
        day's.
        """

    def places(self) -> list[ArchivedPlace]:
        """Return every place that holds a memory, sorted."""

    def standing(self, scope: Scope, limit: int) -> dict[str, str]:
        """Return key → content hash of hot memories and of the newest `limit` archived ones.

        Archived memories count only where they still stand.
        """

    def mark_stale(self, places: Sequence[Place]) -> list[StalePlace]:
        """Mark places as stale: their files may hold memories that do not live there."""

    def stale_places(self) -> list[StalePlace]:
        """Return the stale places, each once, in the order of their marks."""

    def settle(self, swept: Sequence[tuple[StalePlace, str]]) -> list[StalePlace]:
        """Drop the marks of swept places, and record each file's revision ('' for a deleted file).

        Returns the places that were marked again since: they stay stale.
        """


class KeptValues(Protocol):
    """Small values that Gieok made, by realm and name."""

    def realms(self, prefix: str = "") -> list[str]:
        """Return the realms under which values are kept, sorted."""

    def kept(self, realm: str) -> dict[str, str]:
        """Return the values of a realm by name."""

    def keep(self, realm: str, values: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """Set values of a realm, and forget others, in one step."""

    def update_kept(self, realm: str, name: str, change: Callable[[str], str]) -> str:
        """Set one value to the result of `change` and return it; no one writes in between.

        `change` gets '' for a missing value.
        """


class Realm(Protocol):
    """The values of one realm of `KeptValues`."""

    def kept(self) -> dict[str, str]:
        """Return the values by name."""

    def keep(self, values: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """Set values, and forget others, in one step."""


class MessageFilter(NamedTuple):
    """Conditions on messages; a message must meet every condition that is given.

    `match` is a part of the text, in any case; `source` a file or folder.
    """

    ids: frozenset[str] = frozenset()
    match: str = ""
    source: str = ""
    before: datetime | None = None


class Forgetting(Protocol):
    """Removal of what a person wants forgotten from an otherwise append-only journal."""

    def find(self, scope: Scope, wanted: MessageFilter) -> list[Journalled]:
        """Return the messages that fit, retracted ones too, in order; none for an empty filter."""

    def replaced(self, scope: Scope) -> list[tuple[int, Document]]:
        """Return the documents of the history, with a number for each."""

    def erase(
        self,
        scope: Scope,
        seqs: Sequence[int],
        documents: Sequence[str] = (),
        replaced: Sequence[int] = (),
        *,
        blanks: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """Erase the text of messages, and made, queued or replaced documents.

        The messages stay known by their id, so that reading their transcript again does not bring
        them back. With `blanks` (number → white space) in place of its text, a turn keeps its place
        in the conversation. Buffered chunks that were made of the messages are made anew. The store
        is told through the outbox.
        """

    def rewrite(self, change: Callable[[str], str], *, is_dry: bool = False) -> int:
        """Rewrite texts of messages, history, incidents and summaries by `change`.

        Returns how many texts differ. A chunk that would differ is dropped with the chunks behind
        it: its messages are read again.
        """

    def scrub(self) -> list[str]:
        """Scrub erased data from the files; return what could not be done, and why."""


@runtime_checkable
class ArchivedTalk(Protocol):
    """Journal that can move texts of messages into monthly files for people to read.

    Other methods return these texts all the same. A journal on a server lacks this ability: the
    files would be on one machine of many.
    """

    def archive_talk(
        self, before: datetime, is_stopped: Callable[[], bool] = lambda: False
    ) -> TalkMoved:
        """Move texts from before a time into files; safe to kill.

        The texts are written, read back, then removed from the journal in one transaction.
        """

    def sweep_talk(self, *, renew: bool = False) -> TalkMoved:
        """Remove from the files what no longer lives there.

        With `renew`, all files are written anew (for another key).
        """

    def talk_places(self) -> list[TalkPlace]:
        """Return the archived months by scope."""


class Ledger(Protocol):
    """Cost of models, and open incidents."""

    def charge(self, day: date, role: str, usage: Usage) -> None:
        """Add to the usage of a role on a day."""

    def usage(self, since: date) -> dict[tuple[date, str], Usage]:
        """Return the usage by day and role, from a day on."""

    def raise_incident(self, incident: Incident) -> bool:
        """Store an incident; return whether it is the first of its name."""

    def resolve_incident(self, name: str) -> bool:
        """Remove an incident; return whether there was one."""

    def incidents(self) -> list[Incident]:
        """Return the open incidents, oldest first."""


class Durable(MadeDocuments, KeptValues, Archived, Protocol):
    """Everything that Gieok made itself."""


class FullJournal(
    Journal,
    Conversations,
    Positions,
    Outbox,
    RunHistory,
    Durable,
    Forgetting,
    Relocation,
    Ledger,
    CopiedJournal,
    JournalUpkeep,
    Protocol,
):
    """A journal with every ability."""
