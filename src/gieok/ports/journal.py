"""The journal of raw messages and what Gieok made of them."""

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
    """Keeps every raw message for ever, append-only. Every method that writes is one transaction.
    Raises as Store does.
    """

    def append(
        self,
        scope: Scope,
        events: Sequence[TranscriptEvent],
        cursor: Cursor,
        expected: Cursor | None,
        rejects: Sequence[Reject] = (),
    ) -> bool:
        """Add messages and move the cursor of the transcript they came from, or do nothing and
        return False.

        Nothing is done where the cursor stored for `cursor.identity` is not `expected`: another
        process has read on. A message whose id and text are known is not added again; one with a
        known id and another text retracts the versions before.
        """

    def say(self, scope: Scope, events: Sequence[TranscriptEvent]) -> None:
        """Add messages that come from no transcript, or take such back; one that is known is
        treated as `append` does.
        """

    def cursors(self) -> list[Cursor]:
        """Return the cursor of every transcript."""

    def occurrences(self, scope: Scope, ids: Sequence[str]) -> dict[str, int]:
        """Return how many messages have each of these ids, alone or followed by `~` and a number;
        none: left out.
        """

    def read(
        self, scope: Scope, after: int, *, budget_tokens: int, limit: int = 10_000
    ) -> list[Journalled]:
        """Return messages that hold, in order, from `after` (exclusive) until they have at least
        `budget_tokens`.
        """

    def messages(self, scope: Scope, ids: Sequence[str]) -> list[Journalled]:
        """Return the last version of each of these messages, in the order in which they were
        journalled.
        """

    def scopes(self) -> list[Scope]:
        """Return every scope that has a message, sorted."""

    def rejects(self, limit: int) -> list[Reject]:
        """Return rejected lines, the newest first."""


class Conversations(Protocol):
    """What users and assistants said, by conversation: for documents that are derived from it.

    Each change of a message that is held (taken back, forgotten, rewritten) has a number, so that a
    reader learns of it.
    """

    def conversations(
        self, scope: Scope, after: Heard, limit: int
    ) -> tuple[Heard, list[Conversation]]:
        """Return how far `limit` more messages reach, and the conversations that are new or changed
        up to there.

        The same `Heard` again: there is nothing new.
        """

    def turns(
        self, scope: Scope, agent: str, session: str, start: int = 0, upto: int = 0
    ) -> list[Turn]:
        """Return what was said and holds from a place on, by place, and the one turn before.

        With `upto`, of the messages up to this number alone.
        """

    def correct(self, scope: Scope, identity: str, text: str) -> None:
        """Let `turns` give this text for a message, which stays as it was said; '': what was said
        again. It is a change.
        """

    def corrections(self, scope: Scope) -> dict[str, str]:
        """Return message id → the text that stands in its place."""

    def spoken(self) -> int:
        """Count what was said and holds, in all scopes."""

    def unheard(self, scope: Scope, after: Heard) -> int:
        """Count the messages after a position, and the changes, which count as one each."""


class JournalUpkeep(Protocol):
    """What a journal tells of itself, and the locks that come with it."""

    @property
    def location(self) -> str:
        """Return the file, or the address of a server, without secrets."""

    def identity(self) -> str:
        """Return the journal's own name: a store that several journals share keeps a position for
        each.
        """

    def stats(self, scope: Scope | None = None) -> JournalStats:
        """Count what is held."""

    def exclusive(self, name: str, *, wait: bool = True) -> AbstractContextManager[bool]:
        """Hold a lock that one thread of one process holds at a time; False where it is taken and
        `wait` is off.

        A process that dies releases it.
        """

    def tiers(self) -> dict[str, int]:
        """Count the memories of all scopes by tier; a tier without any is left out."""

    def grown(self) -> dict[str, int]:
        """Count what grows beside messages and memories: kind (`prune`) → rows."""

    def prune(self, before: Mapping[str, datetime], *, most_rejects: int = 0) -> dict[str, int]:
        """Drop `runs`, `history` and `usage` from before a time, and all but the newest rejects;
        return how many, by kind.
        """

    def compact(self, spare_bytes: int = 0) -> int:
        """Give space back where that pays, without letting others wait for long; return the bytes.

        `spare_bytes` is known to be free inside of what looks full: texts that were taken out.
        """

    def close(self) -> None:
        """Release everything."""


class Positions(Protocol):
    """How far each reader (a rib) has distilled the journal of a scope, and what it has made but
    not activated yet.

    The invariant: the chunks of a reader follow one another without a gap, and the first begins at
    the reader's position.
    """

    def position(self, scope: Scope, reader: str) -> int:
        """Return the sequence number up to which messages are distilled; 0 at first."""

    def state(self, scope: Scope, reader: str, held: HeldWindow | None = None) -> ScopeState:
        """Return what a turn needs of a scope in one snapshot; its window is that of `window`."""

    def skip(self, scope: Scope, reader: str, expected: int, end: int) -> bool:
        """Move the position of a reader that buffers nothing over messages of which nothing is
        made; False as `commit`.
        """

    def window(self, scope: Scope, reader: str, held: HeldWindow | None = None) -> Window:
        """Return the messages that hold behind the reader's position, in one snapshot.

        Of a window that the caller holds and that still stands, only what came since: it stands
        while neither position nor any message of the scope changed, and its last message is there.
        """

    def chunks(self, scope: Scope, reader: str) -> list[BufferedSpan]:
        """Return the buffered chunks in order."""

    def buffer(self, scope: Scope, reader: str, chunk: BufferedSpan) -> bool:
        """Add a chunk; False, and nothing is done, where it does not begin where the last one (or
        the position) ends.
        """

    def commit(
        self,
        expected: int,
        run: Run,
        *,
        put: Sequence[Entry] = (),
        forget: Sequence[Document] = (),
    ) -> bool:
        """Move the reader's position from `expected` to `run.end`, and hand documents over, in one
        step.

        Chunks up to there are dropped, what is put and forgotten waits for delivery to the store,
        what is forgotten goes to the history. False, and nothing is done, where the position is not
        `expected`, or `run.end` is inside a chunk.
        """


class Outbox(Protocol):
    """What waits for delivery to the store, in order."""

    def undelivered(self, limit: int) -> list[tuple[int, Scope, Entry | str]]:
        """Return what the store has not got yet, in order: an entry to put, or the key of a
        document to forget.
        """

    def delivered(self, ids: Sequence[int]) -> None:
        """Say that the store has got these."""

    def hand_out(
        self, scope: Scope, take: Callable[[Sequence[Entry | str]], None], limit: int
    ) -> int:
        """Give what waits of one scope to `take`, in order, and strike it off; return how much that
        was.

        Meanwhile nobody else hands out of this scope, nor holds the lock `deliver`. What `take`
        raises leaves all waiting.
        """


class RunHistory(Protocol):
    """What the readers have done, and what they replaced."""

    def history(self, scope: Scope, limit: int) -> list[Document]:
        """Return documents that were replaced, the newest first."""

    def runs(self, scope: Scope, since: datetime) -> list[Run]:
        """Return the runs of all readers, oldest first."""


class MadeDocuments(Protocol):
    """Documents that Gieok made and cannot read again from the user's files. Every store is derived
    from both.

    Documents are made durable by `Positions.commit`, in the transaction that moves the position.
    """

    def made_scopes(self) -> list[Scope]:
        """Return every scope of which there are documents, archived ones too, sorted."""

    def made(self, scope: Scope) -> list[Entry]:
        """Return the documents in hot, those that wait for delivery too, by key."""

    def hand_over(
        self, put: Sequence[Entry] = (), forget: Sequence[tuple[Scope, str]] = ()
    ) -> None:
        """Make documents durable and queue them for delivery, without a run; what is forgotten goes
        first.

        Whatever is put lives in hot then, wherever it lived before.
        """

    def adopt(self, entries: Sequence[Entry]) -> None:
        """Make durable what a store of an older release holds alone; a document that is known here
        stays as it is.
        """


class Archived(Protocol):
    """Where memories live that left hot. A memory lives where it is said here, or in hot
    (`MadeDocuments`): never in both.

    Whatever makes a document durable brings it back to hot, and forgetting takes it out of here;
    the place that it leaves is
    stale then: its file still holds a copy, which lives no more.
    """

    def archive(self, moves: Sequence[Move]) -> list[Move]:
        """Move memories in one step, and queue what the store has to learn; return the moves that
        were refused.

        Refused is what does not live any more as its move says: other text, another place,
        forgotten. The place that a memory leaves is stale then, and so is the one that a refused
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
        """Return what is archived of a scope, by key: all, these keys, what lives in one place, or
        what is of a day.
        """

    def places(self) -> list[ArchivedPlace]:
        """Return every place where something lives, sorted."""

    def standing(self, scope: Scope, limit: int) -> dict[str, str]:
        """Return key → content hash of what is in hot, and of the newest `limit` archived memories
        that still stand.
        """

    def mark_stale(self, places: Sequence[Place]) -> list[StalePlace]:
        """Say that places may hold what does not live there."""

    def stale_places(self) -> list[StalePlace]:
        """Return the stale places, each once, in the order of their marks."""

    def settle(self, swept: Sequence[tuple[StalePlace, str]]) -> list[StalePlace]:
        """Drop marks, and say which revision the file of each place has now ('' where it is gone).

        Return those places which were marked again since: they stay stale.
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
        """Set one value to what `change` makes of it ('': there is none) and return it; no one
        writes in between.
        """


class Realm(Protocol):
    """The values of one realm of `KeptValues`."""

    def kept(self) -> dict[str, str]:
        """Return the values by name."""

    def keep(self, values: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """Set values, and forget others, in one step."""


class MessageFilter(NamedTuple):
    """Which messages: each that is given must fit. `match` is a part of the text, in any case;
    `source` a file or folder.
    """

    ids: frozenset[str] = frozenset()
    match: str = ""
    source: str = ""
    before: datetime | None = None


class Forgetting(Protocol):
    """Removes what a person wants forgotten from a journal that is append-only otherwise."""

    def find(self, scope: Scope, wanted: MessageFilter) -> list[Journalled]:
        """Return messages, those that were taken back too, in order; none for a filter without a
        condition.
        """

    def replaced(self, scope: Scope) -> list[tuple[int, Document]]:
        """Return what is in the history, with a number for each."""

    def erase(
        self,
        scope: Scope,
        seqs: Sequence[int],
        documents: Sequence[str] = (),
        replaced: Sequence[int] = (),
        *,
        blanks: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """Take the text out of messages, and documents out of what is made, waits or was replaced.

        The messages stay known by their id, so that reading their transcript again does not bring
        them back. With `blanks` (number → white space) in the place of its text, a turn still holds
        its place in the conversation. Buffered chunks that were made of them are made anew. The
        store is told through the outbox.
        """

    def rewrite(self, change: Callable[[str], str], *, is_dry: bool = False) -> int:
        """Replace texts of messages, history, incidents and summaries by what `change` makes of
        them; return how many differ.

        A chunk that would differ is dropped with those behind it: what it was made of is read
        again.
        """

    def scrub(self) -> list[str]:
        """Leave nothing of what was taken out in the files; return what could not be done, and
        why.
        """


@runtime_checkable
class ArchivedTalk(Protocol):
    """A journal that lets texts of messages be in files of months, for people to read; other
    methods give them all the same.

    One on a server has none: the files would be on one machine of many.
    """

    def archive_talk(
        self, before: datetime, is_stopped: Callable[[], bool] = lambda: False
    ) -> TalkMoved:
        """Move texts from before a time into files: written, read back, then taken out in one
        transaction. Safe to kill.
        """

    def sweep_talk(self, *, renew: bool = False) -> TalkMoved:
        """Leave in the files what lives there; with `renew`, write all of them anew (another
        key).
        """

    def talk_places(self) -> list[TalkPlace]:
        """Return the months that are in files, by scope."""


class Ledger(Protocol):
    """What models cost, and what is wrong right now."""

    def charge(self, day: date, role: str, usage: Usage) -> None:
        """Add to the usage of a role on a day."""

    def usage(self, since: date) -> dict[tuple[date, str], Usage]:
        """Return the usage by day and role, from a day on."""

    def raise_incident(self, incident: Incident) -> bool:
        """Keep an incident; True where there was none of this name before."""

    def resolve_incident(self, name: str) -> bool:
        """Forget an incident; True where there was one."""

    def incidents(self) -> list[Incident]:
        """Return what is wrong right now, oldest first."""


class Durable(MadeDocuments, KeptValues, Archived, Protocol):
    """What Gieok made itself."""


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
