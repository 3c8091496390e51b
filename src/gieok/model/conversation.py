"""Messages, and the positions up to which they have been read and distilled."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from gieok.model.memory import Entry, Scope


class Role(StrEnum):
    """The speaker of a message; `TOOL` is a tool call or its shortened result."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Message(NamedTuple):
    """Raw message of a conversation.

    `id` is stable between readings and unique for its agent. A known id with another text is a
    later version of the message (Gemini CLI writes a message as it grows).
    """

    id: str
    role: Role
    text: str
    at: datetime
    session: str = ""
    agent: str = ""
    #: 0: not counted yet.
    tokens: int = 0
    #: Origin: a file with a 1-based line, or a database with the number of an event.
    source: str = ""
    line: int = 0


class Retraction(NamedTuple):
    """Withdrawal of messages of a session: one message, or with `after` also all later ones.

    An empty id with `after` withdraws all. With `source`, only messages read from that file are
    withdrawn; other files of the session are not affected.
    """

    session: str
    id: str = ""
    after: bool = False
    source: str = ""


#: An event parsed from a transcript line.
TranscriptEvent = Message | Retraction


class Journalled(NamedTuple):
    """Message in the journal; `seq` increases over all scopes and is never reused.

    `first` is the number of the first version of a message that has later versions, 0 where this
    message is the first.
    """

    seq: int
    message: Message
    first: int = 0

    @property
    def place(self) -> int:
        """Return the sort key of a message in its conversation.

        Later versions of a message keep the place of the first.
        """
        return self.first or self.seq


class WindowMark(NamedTuple):
    """State that a window depends on: its reader's position, and the number of the newest change.

    The change is that of a message.
    """

    position: int
    change: int


class Window(NamedTuple):
    """Messages behind a reader's position, in order.

    Holds all such messages, or with `is_rest` only those after the messages that the caller held.
    """

    mark: WindowMark
    messages: list[Journalled]
    is_rest: bool = False


class HeldWindow(NamedTuple):
    """A window that was read before: at least one message."""

    mark: WindowMark
    messages: tuple[Journalled, ...]


class ScopeState(NamedTuple):
    """Snapshot of a scope in the journal.

    A window, the positions of readers, the documents in hot, and whether any message waits.
    """

    window: Window
    positions: Mapping[str, int]
    made: tuple[Entry, ...]
    is_waiting: bool


class ForgottenMessage(NamedTuple):
    """Placeholder of a message that a person forgot: blank text, and the old text's `digest`."""

    message: Message
    digest: str


class Heard(NamedTuple):
    """Position up to which messages are derived: the newest message, and the newest change.

    The change is that of an older message.
    """

    seq: int = 0
    change: int = 0


class Conversation(NamedTuple):
    """Conversation with new messages; `place` is that of its first new message.

    A `place` of 0 means that older messages may have changed.
    """

    agent: str
    session: str
    place: int


class KnownSession(NamedTuple):
    """Session of an agent in the journal, and the time of its last message."""

    agent: str
    session: str
    at: datetime


#: Suffix of a turn that a person corrected; the day and a bracket follow.
CORRECTED_MARK = " (corrected on "
#: Stands between the day and the bracket where the person had an agent write the correction.
AGENT_MARK = " through an agent"


class Turn(NamedTuple):
    """Turn of a conversation; `place` orders it: later versions of a message keep the place.

    `said` is the original text that a correction replaced. The message of a forgotten turn holds
    the blanks that `Forgetting.erase` was given.
    """

    place: int
    message: Message
    said: str = ""
    is_forgotten: bool = False


class Cursor(NamedTuple):
    """Position up to which a transcript has been read; `identity` is the file's device and inode.

    The identity outlives the file's name. `head` and `tail` are hashes of the first `head_bytes`
    and of the `tail_bytes` before `offset`; they identify the file under any name. For a database,
    `offset` is the next event.
    """

    identity: str
    path: str
    offset: int = 0
    line: int = 0
    head: str = ""
    head_bytes: int = 0
    tail: str = ""
    tail_bytes: int = 0
    #: The file was rewritten and is being read again from its beginning; a restart in between
    #: starts over.
    is_rereading: bool = False


class Reject(NamedTuple):
    """Rejected line: its offset, its length, and the reason; its text stays in the file."""

    path: str
    line: int
    offset: int
    length: int
    reason: str


class BufferedSpan(NamedTuple):
    """Result of distilling messages after `start` up to `end`, kept until activation.

    `body` is in the reader's format.
    """

    start: int
    end: int
    tokens: int
    body: str


class Run(NamedTuple):
    """Run of a distiller: its input, its output, its cost; `model` is '' for rules."""

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
    """Usage of models by one role in a day."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    failures: int = 0
    seconds: float = 0.0
    #: Cost as reported by the models themselves.
    reported_dollars: float = 0.0


class Incident(NamedTuple):
    """Problem that waits for a person or a provider; `next_try` is the time of the next attempt."""

    name: str
    detail: str
    since: datetime
    tries: int
    next_try: datetime


class TalkPlace(NamedTuple):
    """Month (`2025-11`) of a scope whose messages have their text in a file.

    `bytes` is the size of the file, None where the file is gone.
    """

    scope: Scope
    month: str
    messages: int
    bytes: int | None


class TalkMoved(NamedTuple):
    """Result of moving message texts to files: messages, bytes, and faults by file."""

    messages: int = 0
    bytes: int = 0
    wrong: tuple[str, ...] = ()

    def __add__(self, other: object) -> "TalkMoved":
        """Return the sums of the fields."""
        if not isinstance(other, TalkMoved):
            return NotImplemented
        return TalkMoved(
            self.messages + other.messages, self.bytes + other.bytes, (*self.wrong, *other.wrong)
        )


class JournalRow(NamedTuple):
    """Row of a journal that is copied: its table, and values that every journal understands."""

    table: str
    values: tuple[Any, ...]


class JournalStats(NamedTuple):
    """Contents of a journal."""

    messages: int
    tokens: int
    transcripts: int
    rejects: int
    chunks: int
    undelivered: int
    disk_bytes: int
