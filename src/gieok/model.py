"""The nouns. Each word means one thing everywhere; see DESIGN notes in ARCHITECTURE.md for the flow they travel.

Plain, frozen data: no I/O, no behaviour beyond their own arithmetic. Times are aware datetimes in UTC. The small ones are
named tuples, because making a dataclass takes a millisecond at import and a cold keyword search has eighty.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from gieok.errors import BadRequest

_SCOPE = re.compile(r"[^\s/:]+:[^\s/]+(/[^\s/:]+:[^\s/]+)*")

#: Identifies a passage within one store; never reused.
PassageId = int


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """Whose memory it is: an ordered path of `kind:name` parts, e.g. `user:kim/character:mina`. A partition."""

    path: str

    def __post_init__(self) -> None:
        if not _SCOPE.fullmatch(self.path):
            raise BadRequest(
                f"bad scope {self.path!r}",
                hint="a scope is `kind:name` parts joined by `/`, such as `agent:main` or `user:kim/character:mina`",
            )

    def __str__(self) -> str:
        return self.path


class Tier(StrEnum):
    """How warm a document is kept."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


class Provenance(NamedTuple):
    """Where a document came from: a path with 1-based inclusive lines, or message ids of the journal."""

    source: str
    start_line: int | None = None
    end_line: int | None = None
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The unit that is put, replaced and forgotten. `key` is stable and unique within its scope."""

    scope: Scope
    key: str
    kind: str
    text: str
    content_hash: str
    created_at: datetime
    updated_at: datetime
    title: str = ""
    importance: float = 0.5
    tier: Tier = Tier.HOT
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    provenance: tuple[Provenance, ...] = ()


class Passage(NamedTuple):
    """A slice `text[start:end]` of its document that is searched, with its 1-based inclusive line range.

    `context` is what surrounds the slice and explains it (heading path); it is searched with a lower weight.
    """

    start: int
    end: int
    start_line: int
    end_line: int
    context: str = ""


class Entry(NamedTuple):
    """A document with its passages, in order: what a store takes in one piece."""

    document: Document
    passages: tuple[Passage, ...]


class Filter(NamedTuple):
    """Which documents a search may return. Times compare with `valid_from`, else `updated_at`; `until` is exclusive."""

    kinds: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None

    def __bool__(self) -> bool:
        return bool(self.kinds or self.since or self.until)


class KeywordQuery(NamedTuple):
    """Tokens to look for with their weights, and how BM25 is to count them (see `gieok.text.bm25`)."""

    weights: Mapping[str, float]
    k1: float = 1.2
    b: float = 0.75
    #: What an occurrence in a passage's context counts beside one in its text.
    context_weight: float = 0.5
    #: What an occurrence 1, 2 … passages away in the same document counts: a turn alone is often unintelligible.
    spread: tuple[float, ...] = ()
    #: A passage of more tokens than this lends its neighbours proportionally less: it speaks for itself.
    spread_tokens: int = 40


class VectorQuery(NamedTuple):
    """A unit vector to look near, and how much to hold against passages that are near to everything (hubs)."""

    vector: bytes
    hub_weight: float = 0.0


class Leg(NamedTuple):
    """One ranked list from one way of searching one scope: passage ids with scores, best first, ties by id."""

    name: str
    ranked: tuple[tuple[PassageId, float], ...]
    #: The best score that any passage could have reached for this query; scores divided by it compare across queries.
    ceiling: float = 1.0
    #: Beside each of `ranked`, its cosine before any correction; empty for legs without vectors.
    cosines: tuple[float, ...] = ()


class FoundPassage(NamedTuple):
    """A passage as a store hands it out: its text, and what of its document ranking and citing need."""

    id: PassageId
    scope: Scope
    key: str
    kind: str
    title: str
    text: str
    context: str
    start_line: int
    end_line: int
    importance: float
    tier: Tier
    updated_at: datetime
    valid_from: datetime | None
    metadata: Mapping[str, str]


class Hit(NamedTuple):
    """A passage that answers a query. `score` is 0–1 and comparable between queries; `signals` made it."""

    passage: FoundPassage
    score: float
    snippet: str
    signals: Mapping[str, float]


class StoreStats(NamedTuple):
    """What a store holds, for one scope or for all. `vectors` counts passages that have one for the active model."""

    documents: int
    passages: int
    vectors: int
    disk_bytes: int
    cached_vectors: int


class SourceFile(NamedTuple):
    """A file of a project as it was when its facts were read. `note` says why `status` is not `parsed`."""

    path: str
    language: str
    content_hash: str
    size: int
    mtime_ns: int
    status: str
    note: str = ""


class Symbol(NamedTuple):
    """A named stretch of a project: `key` is `path::qualified.name` (`path::<module>` for the file itself)."""

    key: str
    path: str
    name: str
    kind: str
    start_line: int
    end_line: int
    parent: str
    signature: str
    doc: str
    complexity: int
    traits: str
    status: str
    code_hash: str


class Summary(NamedTuple):
    """What a model said that the code of this hash is for; '' where it is still to be asked."""

    code_hash: str
    text: str
    model: str


class Edge(NamedTuple):
    """That one symbol depends on another: how (`kind`), where (`line` of the source's file), how sure, and why."""

    source: str
    target: str
    kind: str
    tier: int
    reason: str
    line: int


class Execution(NamedTuple):
    """That a test ran a function, with the hash of the code of each at that time ('' where it is not known)."""

    test: str
    function: str
    test_hash: str
    function_hash: str


class Executed(NamedTuple):
    """An execution that is kept, and whether the code of both ends is still what it was."""

    test: str
    function: str
    is_test_same: bool
    is_function_same: bool


class ExecutionCount(NamedTuple):
    """Pairs whose ends are both there, of how many tests and functions; those with changed code; and pairs without an end."""

    pairs: int
    tests: int
    functions: int
    changed: int
    gone: int


class OpenCall(NamedTuple):
    """A call of which no target is known, though symbols of that name exist."""

    source: str
    name: str
    line: int


class Role(StrEnum):
    """Who speaks in a message; `TOOL` is a call of a tool or what came back from it, shortened."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Message(NamedTuple):
    """One raw turn of a conversation.

    `id` is the same whenever the same turn is read again, and no other turn of its agent has it. A message that is read
    with an id known before and another text is a later version of that turn (Gemini CLI writes a turn as it grows).
    """

    id: str
    role: Role
    text: str
    at: datetime
    session: str = ""
    agent: str = ""
    #: 0: not counted yet.
    tokens: int = 0
    #: Where it was read: a file with a 1-based line, or a database with the number of an event.
    source: str = ""
    line: int = 0


class Retraction(NamedTuple):
    """Says that turns of a session hold no longer: one message, or it and all after it; '' with `after`: all of them.

    Only messages that were read from `source` are meant, where that is given: another file of the session stays as it is.
    """

    session: str
    id: str = ""
    after: bool = False
    source: str = ""


#: What one line of a transcript comes to.
Turn = Message | Retraction


class Journalled(NamedTuple):
    """A message as the journal keeps it; `seq` grows with every message of any scope and is never used again."""

    seq: int
    message: Message


class Cursor(NamedTuple):
    """How far a transcript has been read. `identity` is the file's own (device and inode), which outlives its name.

    `head` and `tail` are hashes of the first `head_bytes` and of the `tail_bytes` before `offset`: a file that begins and
    goes on like that is the one that was read, whatever it is called now. For a database, `offset` is the next event.
    """

    identity: str
    path: str
    offset: int = 0
    line: int = 0
    head: str = ""
    head_bytes: int = 0
    tail: str = ""
    tail_bytes: int = 0
    #: The file was rewritten and is being read again from its beginning; until that is done, a restart begins anew.
    is_rereading: bool = False


class Reject(NamedTuple):
    """A line that was set aside: where it begins, how long it is, and why. Its text stays where it is."""

    path: str
    line: int
    offset: int
    length: int
    reason: str


class Chunk(NamedTuple):
    """What was made of the messages after `start` up to `end`, kept until it is activated. `body` is the reader's own."""

    start: int
    end: int
    tokens: int
    body: str


class Run(NamedTuple):
    """One run of a distiller: what went in, what came out, what it cost. `model` is '' where rules did it."""

    scope: Scope
    reader: str
    kind: str
    at: datetime
    start: int
    end: int
    messages: int
    source_tokens: int
    documents: int
    document_tokens: int
    model: str = ""


class Usage(NamedTuple):
    """What a role has asked of models in a day."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    failures: int = 0
    seconds: float = 0.0


class Incident(NamedTuple):
    """Something that waits for a person or for a provider to come back; `next_try` is when to try again."""

    name: str
    detail: str
    since: datetime
    tries: int
    next_try: datetime


class JournalStats(NamedTuple):
    """What a journal holds."""

    messages: int
    tokens: int
    transcripts: int
    rejects: int
    chunks: int
    undelivered: int
    disk_bytes: int
