"""What formats share: the session that a transcript belongs to, and how its parts become
messages.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts import speakers
from gieok.agents.transcripts.fields import Line, read_text_field
from gieok.agents.transcripts.own import is_own_tool
from gieok.agents.transcripts.shortened import tool_call, tool_result
from gieok.model.conversation import Message, Retraction, Role
from gieok.text.echo import is_echo, strip_echo
from gieok.text.private_tags import is_all_private
from gieok.text.redact import redact

#: No store can keep these in a text; JSON can write them.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class Session(NamedTuple):
    """Whose lines follow. `ignored` says why none of them is for memory; '' means that they are."""

    id: str
    agent: str
    ignored: str = ""
    cwd: str = ""
    #: Who writes its user lines, where a line itself says nothing of it.
    driver: Speaker = Speaker.PERSON
    #: The session whose history this one begins with.
    copied_from: str = ""
    #: SHA-256 of the working folder's path, where that is all that is told of it.
    cwd_sum: str = ""


class SpokenPart(NamedTuple):
    """What a user or an assistant said, as the transcript has it; `at` is a time in any form that
    `moment` reads.
    """

    id: str
    role: Role
    text: str
    at: object
    #: Who wrote it, of a user's: only what a person did is kept.
    speaker: Speaker = Speaker.PERSON
    #: The host says of this very line who wrote it.
    is_sure: bool = False


class Queued(NamedTuple):
    """What became of a prompt that was typed while the agent worked.

    One that waits for its turn comes again as a user line; one that the running turn takes in does
    not, and hosts tell that in more than one way.
    """

    said: SpokenPart
    #: `enqueue`, `dequeue` (its line follows), `absorb` (none does), `clear` (taken back before the
    #: agent saw it).
    what: str
    #: Where it is told: one way tells it once.
    way: str = ""


class ToolUse(NamedTuple):
    """A call of a tool, what came back, or both. `call` joins the two where they stand in different
    lines.
    """

    id: str
    call: str
    name: str
    at: object
    #: None where only the result is told of.
    arguments: object = None
    #: None where only the call is told of.
    result: str | None = None
    failed: bool = False
    #: What a person answered, where a field of the line holds it.
    answered: object = None
    #: What a person said beside letting the tool run, or not.
    beside: str = ""


#: What a line holds.
Part = SpokenPart | ToolUse | Retraction | Queued


class Format(NamedTuple):
    """How one agent writes.

    `begin` takes a file's name and first line and returns its session, or None where the file is of
    another format. `parts` takes the session, a line and an id to use where the line has none.
    """

    name: str
    begin: Callable[[str, Line], Session | None]
    parts: Callable[[Session, Line, str], Sequence[Part]]
    #: Lines carry ids of their own, so that reading one again is harmless wherever it then stands.
    has_ids: bool = True
    #: Why a line tells that its whole session is none of memory's business; '' where it does not.
    ignores: Callable[[Line], str] = lambda line: ""
    #: Whether a line is the agent's, though it begins no session.
    is_prelude: Callable[[Line], bool] = lambda line: False
    #: The speaker that a line names for what follows it; None where it names none.
    driver: Callable[[Line], Speaker | None] = lambda line: None
    #: The working folder that a line tells of, '' for none.
    folder: Callable[[Line], str] = lambda line: read_text_field(line.get("cwd"))
    #: The lines that one JSON object of an older release holds, header first; none where it is no
    #: session.
    lines: Callable[[Line], Sequence[Line]] = lambda whole: ()
    #: A place gives its sessions their scope; elsewhere the project does in whose folder a session
    #: works.
    has_own_scope: bool = False


def heard(
    session: Session, line: Line, identity: str, texts: str | Sequence[str], at: object
) -> SpokenPart:
    """Return what stands in the user's place of a line: whose it is, and of a person's what they
    wrote.

    Of several texts each is somebody's for itself: a program puts one of its own beside the
    person's.
    """
    verdict = speakers.judge_user_line(session.agent, line, session.driver)
    parted = [texts] if isinstance(texts, str) else speakers.parts_of(session.agent, texts)
    is_person = verdict.speaker is Speaker.PERSON
    told = (speakers.words_of(session.agent, text) if is_person else text for text in parted)
    words = "\n".join(filter(None, told))
    return SpokenPart(
        id=identity,
        role=Role.USER,
        text=words,
        at=at,
        speaker=verdict.speaker,
        is_sure=verdict.is_sure,
    )


def build_spoken_messages(session: Session, said: SpokenPart, at: datetime) -> list[Message]:
    """Return what was said as a message, without secrets and without what Gieok put there; none
    where nothing is left.
    """
    return _build_session_message(session, said.id, said.role, redact(strip_echo(said.text)), at)


def used(session: Session, use: ToolUse, at: datetime, *, is_own: bool) -> list[Message]:
    """Return a use of a tool as a message: shortened, without secrets. Gieok's own answers give
    none.
    """
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
    """Return the text without what no store can keep. Encoding it finds that out five times as fast
    as a search does.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return _UNSTORABLE.sub("\ufffd", text)
    return text.replace("\0", "\ufffd")


def calls(
    identity: str, found: Iterable[Line], at: object, arguments: str = "arguments"
) -> Iterator[ToolUse]:
    """Yield the calls of tools that one entry makes; `arguments` is the field that holds them."""
    for number, call in enumerate(found):
        given = call.get(arguments) or {}
        yield ToolUse(
            id=f"{identity}#{number}",
            call=read_text_field(call.get("id")),
            name=read_text_field(call.get("name")),
            at=at,
            arguments=given,
        )
