"""Types that all formats share, from the session to the messages.

The module also turns the parts of a session into messages.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts import speakers
from gieok.agents.transcripts.fields import Line, read_text_field
from gieok.agents.transcripts.own_talk import is_own_tool
from gieok.agents.transcripts.shortened_lines import tool_call, tool_result
from gieok.model.conversation import Message, Retraction, Role
from gieok.text.echo import is_echo, strip_echo
from gieok.text.private_tags import is_all_private
from gieok.text.redact.sense import redact_document, redact_said

#: Characters that no store can keep in a text, although JSON can write them.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class Session(NamedTuple):
    """Session to which the following lines belong.

    `ignored` says why no line is remembered; '' means that the lines are remembered.
    """

    id: str
    agent: str
    ignored: str = ""
    cwd: str = ""
    #: Who writes the user lines of the session that do not name a speaker.
    driver: Speaker = Speaker.PERSON
    #: Id of the session whose history this session begins with.
    copied_from: str = ""
    #: SHA-256 of the working folder's path, where nothing else is known of the folder.
    cwd_sum: str = ""


class SpokenPart(NamedTuple):
    """Words of a user or an assistant, as the transcript has them.

    `at` is a time in any form that `parse_moment` reads.
    """

    id: str
    role: Role
    text: str
    at: object
    #: Who wrote a user's text: only a person's words are kept.
    speaker: Speaker = Speaker.PERSON
    #: True where the host names the writer of this very line.
    is_sure: bool = False


class Queued(NamedTuple):
    """Event of a prompt that was typed while the agent worked.

    A prompt that waits for its turn comes again as a user line; a prompt that the running turn
    takes in does not, and hosts report such a prompt in more than one way.
    """

    said: SpokenPart
    #: `enqueue`, `dequeue` (the prompt's line follows), `absorb` (no line follows), `clear` (taken
    #: back before the agent saw it), `drop`.
    what: str
    #: The kind of record that reports the event: one kind reports each event once.
    way: str = ""


class ToolUse(NamedTuple):
    """Call of a tool, its result, or both.

    `call` joins call and result where they stand in different lines.
    """

    id: str
    call: str
    name: str
    at: object
    #: None where only the result is known.
    arguments: object = None
    #: None where only the call is known.
    result: str | None = None
    failed: bool = False
    #: A person's answer, where a field of the line holds it.
    answered: object = None
    #: A person's comment beside allowing or refusing the tool.
    beside: str = ""


#: One piece of what a line holds.
Part = SpokenPart | ToolUse | Retraction | Queued


class Format(ABC):
    """Transcript format of one agent."""

    name: str
    #: Whether lines carry ids of their own, so that reading a line again is harmless wherever it
    #: then stands.
    has_ids = True
    #: How many parts of a file's path `begin_session` gets: the name, and folders above.
    name_parts = 1
    #: True where a transcript place gives its sessions their scope; for other formats the project
    #: decides in whose folder a session works.
    has_own_scope = False

    @abstractmethod
    def begin_session(self, name: str, first: Line) -> Session | None:
        """Return the session of a file, by the file's name and first line.

        None where the file has another format.
        """

    @abstractmethod
    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of a line; `fallback_id` is the id of a line that has none."""

    def explain_ignored(self, line: Line) -> str:
        """Return the reason that a line gives for ignoring its whole session; '' for none."""
        del line
        return ""

    def is_prelude(self, line: Line) -> bool:
        """Return whether a line is this agent's, although it begins no session."""
        del line
        return False

    def find_driver(self, line: Line) -> Speaker | None:
        """Return the speaker that a line names for the following lines; None for none."""
        del line
        return None

    def read_folder(self, line: Line) -> str:
        """Return the working folder that a line names; '' for none."""
        return read_text_field(line.get("cwd"))

    def split_session(self, whole: Line) -> Sequence[Line]:
        """Return the lines in the one JSON object of an older release, header first.

        The lines are empty where the object is no session.
        """
        del whole
        return ()


def build_user_part(
    session: Session, line: Line, identity: str, texts: str | Sequence[str], at: object
) -> SpokenPart:
    """Return the text of a line in the user's place, with its speaker.

    Of a person's text only the words that the person wrote are kept. With several texts, each text
    is judged by itself: a program puts a text of its own beside the person's.
    """
    verdict = speakers.judge_user_line(session.agent, line, session.driver)
    parted = (
        [texts] if isinstance(texts, str) else speakers.split_program_texts(session.agent, texts)
    )
    is_person = verdict.speaker is Speaker.PERSON
    cleaned_texts = (
        speakers.extract_words(session.agent, text) if is_person else text for text in parted
    )
    words = "\n".join(filter(None, cleaned_texts))
    return SpokenPart(
        id=identity,
        role=Role.USER,
        text=words,
        at=at,
        speaker=verdict.speaker,
        is_sure=verdict.is_sure,
    )


def build_spoken_messages(session: Session, said: SpokenPart, at: datetime) -> list[Message]:
    """Return the message for spoken words, without secrets and without text that Gieok added.

    The list is empty where no text is left.
    """
    # Agents write ten times as much as people do: of that, only what stands by clear cues is read.
    redact_text = redact_said if said.role is Role.USER else redact_document
    text = redact_text(strip_echo(said.text))
    return _build_session_message(session, said.id, said.role, text, at)


def build_tool_messages(
    session: Session, use: ToolUse, at: datetime, *, is_own: bool
) -> list[Message]:
    """Return a tool use as a message: shortened, without secrets. Gieok's own answers give none."""
    shown: list[str] = []
    if use.arguments is not None and not is_own_tool(use.name):
        shown.append(tool_call(use.name, use.arguments))
    if use.result is not None and not is_own and not is_echo(use.result):
        shown.append(tool_result(use.name, use.result, failed=use.failed))
    return _build_session_message(session, use.id, Role.TOOL, " ".join(shown), at)


def _build_session_message(
    session: Session, identity: str, role: Role, text: str, at: datetime
) -> list[Message]:
    text = _replace_unstorable_chars(text).strip()
    if not text or is_all_private(text):
        return []
    return [
        Message(id=identity, role=role, text=text, at=at, session=session.id, agent=session.agent)
    ]


def _replace_unstorable_chars(text: str) -> str:
    """Return the text without the characters that no store can keep.

    Encoding the text detects such characters five times as fast as searching for them.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return _UNSTORABLE.sub("\ufffd", text)
    return text.replace("\0", "\ufffd")


def iter_tool_calls(
    identity: str, found: Iterable[Line], at: object, arguments: str = "arguments"
) -> Iterator[ToolUse]:
    """Yield the tool calls of one entry; `arguments` is the name of the field that holds them."""
    for number, call in enumerate(found):
        call_arguments = call.get(arguments) or {}
        yield ToolUse(
            id=f"{identity}#{number}",
            call=read_text_field(call.get("id")),
            name=read_text_field(call.get("name")),
            at=at,
            arguments=call_arguments,
        )
