"""What was said, and how far it has been read and distilled."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from gieok.model.memory import Scope


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
TranscriptEvent = Message | Retraction


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


class BufferedSpan(NamedTuple):
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
