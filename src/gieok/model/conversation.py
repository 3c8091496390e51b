"""Messages, and how far they have been read and distilled."""

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
    """One raw message of a conversation.

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
    """Withdraws messages of a session: one, or with `after` that one and all later; '' with
    `after`: all.

    With `source`, only messages read from there; other files of the session are not affected.
    """

    session: str
    id: str = ""
    after: bool = False
    source: str = ""


#: An event parsed from a transcript line.
TranscriptEvent = Message | Retraction


class Journalled(NamedTuple):
    """A message in the journal; `seq` increases over all scopes and is never reused.

    `first` is the number of the first version of a message that was said anew, 0 where this is the
    first.
    """

    seq: int
    message: Message
    first: int = 0

    @property
    def place(self) -> int:
        """Return what orders messages as a conversation holds them: later versions keep the place
        of the first.
        """
        return self.first or self.seq


class WindowMark(NamedTuple):
    """What a window depends on: the position of its reader, and the number of the newest change of
    what was said.
    """

    position: int
    change: int


class Window(NamedTuple):
    """Messages behind a reader's position, in order: all, or those alone that came after what the
    caller held (`is_rest`).
    """

    mark: WindowMark
    messages: list[Journalled]
    is_rest: bool = False


class HeldWindow(NamedTuple):
    """A window that was read before: at least one message."""

    mark: WindowMark
    messages: tuple[Journalled, ...]


class ScopeState(NamedTuple):
    """What a journal holds of a scope at one moment: a window, how far readers are, documents in
    hot, whether any waits.
    """

    window: Window
    positions: Mapping[str, int]
    made: tuple[Entry, ...]
    is_waiting: bool


class ForgottenMessage(NamedTuple):
    """What stands for a message that a person forgot: its text is blank, `digest` is of the text
    that it had.
    """

    message: Message
    digest: str


class Heard(NamedTuple):
    """How far what was said has been derived: the newest message, and the newest change of an older
    one.
    """

    seq: int = 0
    change: int = 0


class Conversation(NamedTuple):
    """A conversation with something new. `place`: that of its first new message; 0: older ones may
    have changed.
    """

    agent: str
    session: str
    place: int


#: Ends a turn that a person corrected, before the day and a bracket.
CORRECTED_MARK = " (corrected on "


class Turn(NamedTuple):
    """What somebody said, as a conversation holds it. `place` orders it: later versions of a
    message keep it.

    `said` is the text that a correction stands in the place of. Of what is forgotten the message
    holds the blanks that `Forgetting.erase` was given.
    """

    place: int
    message: Message
    said: str = ""
    is_forgotten: bool = False


class Cursor(NamedTuple):
    """How far a transcript has been read. `identity` is the file's device and inode, which outlive
    its name.

    `head` and `tail` are hashes of the first `head_bytes` and of the `tail_bytes` before `offset`;
    they identify the file under any name. For a database, `offset` is the next event.
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
    """A rejected line: its offset, its length, and why. Its text stays in the file."""

    path: str
    line: int
    offset: int
    length: int
    reason: str


class BufferedSpan(NamedTuple):
    """The result of distilling messages after `start` up to `end`, kept until activation. `body`:
    in the reader's format.
    """

    start: int
    end: int
    tokens: int
    body: str


class Run(NamedTuple):
    """One run of a distiller: its input, its output, its cost. `model` is '' for rules."""

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
    """A role's use of models in a day."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    failures: int = 0
    seconds: float = 0.0
    #: What the models themselves said that it cost.
    reported_dollars: float = 0.0


class Incident(NamedTuple):
    """A problem that waits for a person or a provider; `next_try` is the time of the next
    attempt.
    """

    name: str
    detail: str
    since: datetime
    tries: int
    next_try: datetime


class TalkPlace(NamedTuple):
    """A month (`2025-11`) of a scope whose messages have their text in a file; `bytes` is its size,
    None where it is gone.
    """

    scope: Scope
    month: str
    messages: int
    bytes: int | None


class TalkMoved(NamedTuple):
    """How many messages gave their text to files, how many bytes that was, and what is wrong with
    which file.
    """

    messages: int = 0
    bytes: int = 0
    wrong: tuple[str, ...] = ()

    def __add__(self, other: object) -> "TalkMoved":
        """Return the sums."""
        if not isinstance(other, TalkMoved):
            return NotImplemented
        return TalkMoved(
            self.messages + other.messages, self.bytes + other.bytes, (*self.wrong, *other.wrong)
        )


class JournalRow(NamedTuple):
    """A row of a journal that is copied: its table, and values that every journal understands."""

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
