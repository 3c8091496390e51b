"""What the engine asks of the outside: small protocols, batch first.

An ability that not every store has is a protocol of its own (`KeywordSearch`, `VectorSearch`), never a method
that raises NotImplementedError. `gieok.testing.contracts` pins each sentence below; every backend passes it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from gieok.model import (
    Chunk,
    Cursor,
    Document,
    Edge,
    Entry,
    Executed,
    Execution,
    ExecutionCount,
    Filter,
    FoundPassage,
    Incident,
    Journalled,
    JournalStats,
    KeywordQuery,
    Leg,
    OpenCall,
    PassageId,
    Reject,
    Run,
    Scope,
    SourceFile,
    StoreStats,
    Summary,
    Symbol,
    Turn,
    Usage,
    VectorQuery,
)

#: One unit vector of `Embedder.dimension` float32 values, little-endian, as raw bytes.
Vector = bytes
#: Scores are compared at this many digits, so that every store orders near-equal scores by id and agrees.
SCORE_DIGITS = 6


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""


class Embedder(Protocol):
    """Turns text into unit vectors. The same text gives the same vector in every process."""

    #: Decides the shape of stored vectors: changes whenever vectors would; e.g. `e5-small-koen-int8@1`.
    model: str
    dimension: int

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. An empty text gives a vector too. Raises EmbedderFailed."""

    def embed_query(self, text: str) -> Vector:
        """Return the vector that finds passages which answer `text`. Raises EmbedderFailed."""


@runtime_checkable
class SelfCheck(Protocol):
    """A backend that can tell what is wrong with itself on this machine."""

    def check(self) -> list[str]:
        """Return what is wrong, each with what to do about it; empty: nothing."""


class Notes(Protocol):
    """Small key-value notes that a rib keeps beside a scope (such as its roots). Every store has them."""

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the notes of a scope by name."""

    def update_note(self, scope: Scope, name: str, change: Callable[[str], str]) -> None:
        """Set one note to what `change` makes of it ('' where there is none); nobody else writes in between."""


class Store(Notes, Protocol):
    """Keeps documents by (scope, key). Every method that writes is one transaction, durable when it returns.

    Raises StoreBusy, StoreUnreachable, StoreCorrupt, StoreFull or StoreError; whatever is raised, nothing of the call
    was written.
    """

    @property
    def location(self) -> str:
        """Where it keeps data, as a person reads it: a path, or a URL without its password."""

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert documents, or replace those with the same scope and key, passages included. Idempotent."""

    def forget(self, scope: Scope, keys: Sequence[str]) -> int:
        """Remove documents with everything that hangs on them; return how many there were."""

    def get(self, scope: Scope, keys: Sequence[str]) -> list[Document]:
        """Return the documents that exist, in the order of `keys`."""

    def entries(self, scope: Scope, keys: Sequence[str]) -> list[Entry]:
        """Return documents with their passages, in the order of `keys`: what another store can be given."""

    def hashes(self, scope: Scope) -> dict[str, str]:
        """Return key → content hash of every document of the scope."""

    def scopes(self) -> list[Scope]:
        """Return every scope that holds a document or a note, sorted."""

    def passages(self, ids: Sequence[PassageId]) -> list[FoundPassage]:
        """Return the passages that still exist, in the order of `ids`."""

    def write_note(self, scope: Scope, name: str, value: str) -> None:
        """Set one note."""

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Count what is held."""

    def check(self) -> list[str]:
        """Verify the store's own integrity by reading all of it; return what is wrong (empty: sound)."""

    def compact(self) -> None:
        """Give back space: forget cached vectors beyond the cap, merge the keyword index. Called after bulk writes."""

    def close(self) -> None:
        """Release everything; a closed store is not used again."""


@runtime_checkable
class Adoptable(Store, Protocol):
    """A store that an older release wrote may hold what the journal has to know (`Durable.adopt`)."""

    def is_unadopted(self) -> bool:
        """Say whether what it holds has not been made durable yet."""

    def set_adopted(self) -> None:
        """Say that it has."""


@runtime_checkable
class Renewable(Protocol):
    """A store that can be made anew beside itself while others go on using it."""

    def renewed(self) -> AbstractContextManager[Store]:
        """Give an empty store, which takes the place of this one in one step where the block ends without an error."""


@runtime_checkable
class Scrubbing(Protocol):
    """A store that can leave nothing of what was forgotten in its files."""

    def scrub(self) -> list[str]:
        """Overwrite what was removed: texts, keywords, vectors of no text; return what could not be done, and why."""


@runtime_checkable
class KeywordSearch(Protocol):
    """BM25 over keyword tokens with the scope's own statistics; the same scores in every store."""

    def keyword(self, scope: Scope, query: KeywordQuery, where: Filter, limit: int) -> Leg:
        """Rank passages by `gieok.text.bm25`, best first, ties (at six digits) by id.

        Passages that hold no token, near or in themselves, are left out. `Leg.ceiling` is `bm25.ceiling` of the query.
        """


@runtime_checkable
class VectorSearch(Protocol):
    """Exact nearest-neighbour search over the active model's vectors."""

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Leg:
        """Return the `limit` passages of highest cosine similarity, best first, ties (at six digits) by id.

        With a `hub_weight`, the scores of those passages are then lowered by it times `hubs.crowding`, and ranked again.
        """

    def use_model(self, model: str, dimension: int) -> None:
        """Declare the model that vectors come from. Raises ShapeMismatch if the store holds another one's."""

    def missing(self, limit: int) -> list[tuple[PassageId, str]]:
        """Return passages without a vector, newest first, each with the text to embed."""

    def waiting(self, scope: Scope) -> int:
        """Count the passages of a scope that have no vector."""

    def put_vectors(self, model: str, vectors: Mapping[PassageId, Vector]) -> None:
        """Store vectors; ids that are gone by now are skipped. They are kept by text, so equal text is embedded once.

        Raises ShapeMismatch where `model` is not the active one (any more): another process may have switched.
        """


@runtime_checkable
class ManagedSearch(Protocol):
    """Search by a service that embeds and ranks by itself, on passages that the store knows by its own ids."""

    def managed(self, scope: Scope, text: str, where: Filter, limit: int) -> Leg:
        """Return what the service finds for a question, best first. Raises StoreUnreachable: other legs then answer.

        The scores are 0–1. A service that gives none but an order: 1 for the first, falling evenly to 1 / `limit`.
        """


@runtime_checkable
class ManagedCopy(Protocol):
    """Keeps a copy of its documents at a service. `put` and `forget` send nothing; the copy follows when it is told to."""

    #: What a person reads in the place of an embedder: the service makes the vectors.
    service_name: str

    def push(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Bring the copy in line; return how many documents were uploaded or deleted.

        Raises StoreUnreachable, which says what still waits; what was done before stays done, and is not done again.
        """


@runtime_checkable
class VectorCopy(Protocol):
    """Hands vectors to another store, so that moving costs no embedding."""

    def active_model(self) -> tuple[str, int] | None:
        """Return the name and dimension of the model that vectors are of; None before `use_model`."""

    def vectors_of(self, model: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Return text → vector of `model` for those texts to embed (as `missing` gives them) that have one here."""


@runtime_checkable
class Described(Protocol):
    """A store with something of its own to tell in `gieok status`: a server's version, calls, cost."""

    def describe(self) -> list[str]:
        """Return lines that a person reads, without asking a remote service for more than it costs nothing."""


@runtime_checkable
class ModelSwitch(VectorSearch, Protocol):
    """Replaces every vector by another model's, without a moment in which search has none."""

    def missing_for(
        self, model: str, dimension: int, before: PassageId | None, limit: int
    ) -> list[tuple[PassageId, str]]:
        """Return passages with an id below `before` whose text has no vector of `model`, newest first."""

    def keep_vectors(self, model: str, vectors: Mapping[PassageId, Vector]) -> None:
        """Store vectors of a model that is not active yet; search does not see them."""

    def switch_model(self, model: str, dimension: int) -> None:
        """Make `model` the active one in one step, and drop the vectors of others."""


class Watcher(Protocol):
    """Tells what changed below folders."""

    def changes(self, folders: Sequence[Path], debounce_ms: int, rescan_s: int) -> Iterator[set[Path]]:
        """Yield the paths that changed, once all have been quiet for `debounce_ms`; an empty set when a rescan is due.

        Ends when the process is interrupted.
        """


@runtime_checkable
class Graph(Protocol):
    """Symbols of one project and the edges between them, kept beside its documents."""

    def files(self) -> dict[str, SourceFile]:
        """Return every file that is held, by path."""

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield (path, facts) of every file that has any, by path."""

    def replace(
        self,
        files: Sequence[tuple[SourceFile, str]],
        gone: Sequence[str],
        graph: tuple[Sequence[Symbol], Sequence[Edge], Sequence[OpenCall]] | None,
    ) -> None:
        """Put files with their facts, forget others and make the graph what is given (None: as it is), in one transaction."""

    def symbols(
        self, *, keys: Sequence[str] = (), names: Sequence[str] = (), paths: Sequence[str] = (), ending: str = ""
    ) -> list[Symbol]:
        """Return symbols by key, name, path, or by the end of their qualified name, sorted by path and line."""

    def all_symbols(self) -> Iterator[Symbol]:
        """Yield every symbol by path and line."""

    def edges_into(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that end in these symbols, sorted."""

    def edges_out_of(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that begin in these symbols, sorted."""

    def all_edges(self, kind: str = "") -> Iterator[Edge]:
        """Yield every edge, or those of one kind, sorted."""

    def open_calls(self, names: Sequence[str]) -> list[OpenCall]:
        """Return the calls that bear one of these names and whose target is not known, sorted."""

    def count_open_calls(self) -> int:
        """Count the calls whose target is not known."""

    def summaries(self, hashes: Sequence[str] | None = None) -> dict[str, Summary]:
        """Return the summaries of code with these hashes, or all, by hash; those that wait have no text.

        They lie beside the graph and are kept whatever becomes of the symbols, so that a revert finds them again.
        """

    def write_summaries(self, rows: Sequence[Summary], gone: Sequence[str] = ()) -> None:
        """Put summaries and forget those of the hashes in `gone`, in one transaction; one that waits replaces none."""

    def put_executions(self, seen: Sequence[Execution], tests: Sequence[str], paths: Sequence[str]) -> None:
        """Keep what ran, in place of what is kept of these tests in these files, in one transaction.

        It stays whatever happens to symbols and edges, and is believed as far as its ends are there.
        """

    def executed(self, functions: Sequence[str]) -> list[Executed]:
        """Return which of the tests that are there ran these functions, also those that are gone, sorted."""

    def settled(self, tests: Sequence[str]) -> set[str]:
        """Return those of `tests` of which executions are kept, if their code and that of all they ran is still the same."""

    def count_executions(self) -> ExecutionCount:
        """Count what is kept."""

    def forget_executions(self) -> None:
        """Forget all of it."""


class Versions(Protocol):
    """The version control of a folder. Everything is empty where there is none."""

    def head(self) -> str:
        """Return the commit that is checked out, or ''."""

    def author(self) -> str:
        """Return who commits here, or ''."""

    def files(self) -> frozenset[str] | None:
        """Return the files that are tracked or not ignored, those of repositories inside too; None where nobody says."""

    def ignored(self, paths: Sequence[str]) -> frozenset[str] | None:
        """Return those of `paths`, which need not be there, that are ignored; None where nobody says."""

    def diff(self, revision: str) -> str:
        """Return the unified diff, without context, from a revision to the files on disk. Raises BadRequest."""

    def old_text(self, revision: str, path: str) -> str | None:
        """Return a file as it was at a revision; None where it was not there."""

    def hooks_folder(self) -> Path | None:
        """Return where git looks for hooks; None without git."""


class SyntaxNode(Protocol):
    """A node of a syntax tree: its kind, its lines (0-based) and bytes, and what is inside of it."""

    @property
    def type(self) -> str:
        """Return the grammar's name for it."""

    @property
    def text(self) -> bytes | None:
        """Return its source."""

    @property
    def start_byte(self) -> int:
        """Return where it begins."""

    @property
    def end_byte(self) -> int:
        """Return where it ends."""

    @property
    def start_point(self) -> tuple[int, int]:
        """Return row and column of the begin."""

    @property
    def end_point(self) -> tuple[int, int]:
        """Return row and column of the end."""

    @property
    def named_children(self) -> Sequence["SyntaxNode"]:
        """Return the children that the grammar names."""

    @property
    def children(self) -> Sequence["SyntaxNode"]:
        """Return all children."""

    @property
    def has_error(self) -> bool:
        """Say whether something inside could not be parsed."""

    def child_by_field_name(self, name: str, /) -> "SyntaxNode | None":
        """Return the child in a role."""


class Parser(Protocol):
    """Grammars of programming languages."""

    def parse(self, language: str, source: bytes) -> SyntaxNode:
        """Return the root of the syntax tree; what does not parse is a node of type ERROR. Raises MissingExtra."""


class CoverageRun(Protocol):
    """What a coverage tool wrote down while tests ran. Raises BadRequest where its file is none, or damaged."""

    @property
    def finished_ns(self) -> int:
        """Return when it was written, in nanoseconds since 1970: what changed later was not run as it is now."""

    def files(self) -> list[str]:
        """Return the paths of all files that were measured, with `/`, as the tool wrote them, sorted."""

    def contexts(self) -> list[str]:
        """Return the names under which lines were run, without the empty one, sorted."""

    def lines(self, path: str) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield (context, 1-based lines that ran in it) of a file; '' is what ran outside of any."""


class StoredSession(NamedTuple):
    """A session in an agent's own database; `last_event` is the highest number of its events, -1 where it has none."""

    id: str
    key: str
    last_event: int


class TranscriptStore(Protocol):
    """Reads transcripts that an agent keeps in a database rather than in files. Never writes to it.

    Raises TranscriptUnreadable, MissingExtra.
    """

    def sessions(self) -> list[StoredSession]:
        """Return every session, sorted by id."""

    def events(self, session: str, after: int, limit: int) -> list[tuple[int, str]]:
        """Return up to `limit` events numbered above `after` in order, each as the JSON line of a transcript file."""

    def close(self) -> None:
        """Let go of the database."""


class Journal(Protocol):
    """Keeps every raw message for ever, append-only. Every method that writes is one transaction. Raises as Store does."""

    def append(
        self,
        scope: Scope,
        turns: Sequence[Turn],
        cursor: Cursor,
        expected: Cursor | None,
        rejects: Sequence[Reject] = (),
    ) -> bool:
        """Add messages and move the cursor of the transcript they came from, or do nothing and return False.

        Nothing is done where the cursor stored for `cursor.identity` is not `expected`: somebody else has read on. A message
        whose id and text are known is not added again; one with a known id and another text retracts the versions before.
        """

    def cursors(self) -> list[Cursor]:
        """Return the cursor of every transcript."""

    def occurrences(self, scope: Scope, ids: Sequence[str]) -> dict[str, int]:
        """Return how many messages have each of these ids, alone or followed by `~` and a number; none: left out."""

    def read(self, scope: Scope, after: int, *, budget_tokens: int, limit: int = 10_000) -> list[Journalled]:
        """Return messages that hold, in order, from `after` (exclusive) until they have at least `budget_tokens`."""

    def messages(self, scope: Scope, ids: Sequence[str]) -> list[Journalled]:
        """Return the last version of each of these messages, in the order in which they were journalled."""

    def stats(self, scope: Scope | None = None) -> JournalStats:
        """Count what is held."""

    def scopes(self) -> list[Scope]:
        """Return every scope that has a message, sorted."""

    def rejects(self, limit: int) -> list[Reject]:
        """Return lines that were set aside, the newest first."""

    def exclusive(self, name: str, *, wait: bool = True) -> AbstractContextManager[bool]:
        """Hold a lock that one thread of one process holds at a time; False where it is taken and `wait` is off.

        It is let go when its process dies.
        """

    def close(self) -> None:
        """Release everything."""


class Positions(Protocol):
    """How far each reader (a rib) has distilled the journal of a scope, and what it has made but not activated yet.

    The invariant: the chunks of a reader follow one another without a gap, and the first begins at the reader's position.
    """

    def position(self, scope: Scope, reader: str) -> int:
        """Return the sequence number up to which messages are distilled; 0 at first."""

    def chunks(self, scope: Scope, reader: str) -> list[Chunk]:
        """Return the buffered chunks in order."""

    def buffer(self, scope: Scope, reader: str, chunk: Chunk) -> bool:
        """Add a chunk; False, and nothing is done, where it does not begin where the last one (or the position) ends."""

    def commit(
        self,
        expected: int,
        run: Run,
        *,
        put: Sequence[Entry] = (),
        forget: Sequence[Document] = (),
    ) -> bool:
        """Move the reader's position from `expected` to `run.end`, and hand documents over, in one step.

        Chunks up to there are dropped, what is put and forgotten waits for delivery to the store, what is forgotten goes
        to the history. False, and nothing is done, where the position is not `expected`, or `run.end` is inside a chunk.
        """

    def undelivered(self, limit: int) -> list[tuple[int, Scope, Entry | str]]:
        """Return what the store has not got yet, in order: an entry to put, or the key of a document to forget."""

    def delivered(self, ids: Sequence[int]) -> None:
        """Say that the store has got these."""

    def history(self, scope: Scope, limit: int) -> list[Document]:
        """Return documents that were replaced, the newest first."""

    def runs(self, scope: Scope, since: datetime) -> list[Run]:
        """Return the runs of all readers, oldest first."""


class Durable(Protocol):
    """What Gieok made itself and cannot read again from the user's files. Every store is derived from it and from them.

    Documents are made durable by `Positions.commit`, in the transaction that moves the position.
    """

    def made_scopes(self) -> list[Scope]:
        """Return every scope of which there are documents, sorted."""

    def made(self, scope: Scope) -> list[Entry]:
        """Return the documents that hold, those that wait for delivery too, by key."""

    def hand_over(self, put: Sequence[Entry] = (), forget: Sequence[tuple[Scope, str]] = ()) -> None:
        """Make documents durable and queue them for delivery, without a run; what is forgotten goes first."""

    def adopt(self, entries: Sequence[Entry]) -> None:
        """Make durable what a store of an older release holds alone; a document that is known here stays as it is."""

    def realms(self, prefix: str = "") -> list[str]:
        """Return the realms under which values are kept, sorted."""

    def kept(self, realm: str) -> dict[str, str]:
        """Return the values of a realm by name."""

    def keep(self, realm: str, values: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """Set values of a realm, and forget others, in one step."""

    def update_kept(self, realm: str, name: str, change: Callable[[str], str]) -> str:
        """Set one value to what `change` makes of it ('' where there is none) and return it; nobody writes in between."""


class Realm(Protocol):
    """The values of one realm of `Durable`, for who needs no other."""

    def kept(self) -> dict[str, str]:
        """Return the values by name."""

    def keep(self, values: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """Set values, and forget others, in one step."""


class MessageFilter(NamedTuple):
    """Which messages: each that is given must fit. `match` is a part of the text, in any case; `source` a file or folder."""

    ids: frozenset[str] = frozenset()
    match: str = ""
    source: str = ""
    before: datetime | None = None


class Forgetting(Protocol):
    """Takes out what a person wants gone, of a journal that is append-only otherwise."""

    def find(self, scope: Scope, wanted: MessageFilter) -> list[Journalled]:
        """Return messages, those that were taken back too, in order; none for a filter without a condition."""

    def replaced(self, scope: Scope) -> list[tuple[int, Document]]:
        """Return what is in the history, with a number for each."""

    def erase(
        self, scope: Scope, seqs: Sequence[int], documents: Sequence[str] = (), replaced: Sequence[int] = ()
    ) -> None:
        """Take the text out of messages, and documents out of what is made, waits or was replaced.

        The messages stay known by their id, so that reading their transcript again does not bring them back. Buffered
        chunks that were made of them are made anew. The store is told through the outbox.
        """

    def rewrite(self, change: Callable[[str], str], *, is_dry: bool = False) -> int:
        """Replace texts of messages, history, incidents and summaries by what `change` makes of them; return how many differ.

        A chunk that would differ is dropped with those behind it: what it was made of is read again.
        """

    def scrub(self) -> list[str]:
        """Leave nothing of what was taken out in the files; return what could not be done, and why."""


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


class Notifier(Protocol):
    """Tells a person something that waits for them."""

    def notify(self, title: str, text: str) -> None:
        """Tell it, once. Never raises: what cannot be told is logged."""


class Prompt(NamedTuple):
    """What a model is asked. It holds no secrets: `gieok.engine.generate` has cut them out."""

    system: str
    text: str
    temperature: float
    max_output_tokens: int


class Generated(NamedTuple):
    """What a model answered, and what it says that it counted (0: it does not say)."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class Generator(Protocol):
    """Asks a language model. One try: retrying, budgets and redaction are the engine's (`gieok.engine.generate`)."""

    #: Provider and model, e.g. `gemini:gemini-2.5-flash`.
    model: str

    def generate(self, prompt: Prompt) -> Generated:
        """Return the answer. Raises GeneratorFailed, which says whether another try may help."""
