"""One mark of a host: where it stands, and who speaks there."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Speaker(StrEnum):
    """Whose words a line holds. Only a person's words count as the user's."""

    PERSON = "person"
    PROGRAM = "program"
    AGENT = "agent"
    TOOL = "tool"


class SpeakerKind(StrEnum):
    """Where a mark is looked for, and what follows from a match."""

    #: A field of a line: the line is by the speaker.
    FIELD = "field"
    #: A field of a line that tells who speaks in later lines: later user lines are by that speaker,
    #: unless they say otherwise.
    HEAD = "head"
    #: A field of a line in the agent's place: a program wrote the line.
    REPLY = "reply"
    #: The working folder of a session: nothing of the session is remembered.
    FOLDER = "folder"
    #: The beginning of a session's first prompt: nothing of the session is remembered.
    OPENING = "opening"
    #: A sign in a session's first prompt; signs of two groups (`values`) make the prompt a
    #: program's.
    BRIEF = "brief"
    #: The beginning of a text: all of the text is a program's.
    WHOLE = "whole"
    #: An element that encloses all of a text: a program wrote the text.
    ENVELOPE = "envelope"
    #: A pair of tags: the text inside is by the speaker.
    BLOCK = "block"
    #: Text that a program puts before (FRONT) or behind (BEHIND) a person's words.
    FRONT = "front"
    BEHIND = "behind"
    #: The text of a failed tool call that holds the person's reason for refusing the call (the
    #: group `said`).
    REASON = "reason"
    #: A field of a line that holds a person's comment on a decision.
    BESIDE = "beside"
    #: A tool whose result is a person's answer.
    ANSWER = "answer"
    #: A command of the program itself, whose arguments are a setting and not words of the person.
    SETTING = "setting"


#: Any host: marks of other programs, whichever host those programs write through.
ANY = ""
#: Stands for any value of a field that holds something.
SOMETHING = "*"
#: The person's words in the example of every mark that removes only part of a text.
SAID = "The depot opens at nine."

#: A sample: a line, or a text.
Sample = Mapping[str, object] | str


class Mark(NamedTuple):
    """Row of the table of marks.

    `sign` is the dotted path of a field, a regular expression, or the name of a tag or a tool.
    `counter` is a sample that looks like the mark but must not match. Rows of a kind are tried in
    the order of the table, the host's own rows first; the first row that matches decides.
    """

    host: str
    kind: SpeakerKind
    sign: str
    speaker: Speaker
    example: Sample
    counter: Sample
    #: For a field: its values. For a tag: a regular expression for its attributes. For a command:
    #: names.
    values: tuple[str, ...] = ()


def build_program_text(host: str, example: str, counter: str, sign: str) -> Mark:
    """Return the mark of a whole text that a program of a host writes under the user's name."""
    return Mark(
        host=host,
        kind=SpeakerKind.WHOLE,
        sign=sign,
        speaker=Speaker.PROGRAM,
        example=example,
        counter=counter,
    )


def build_program_front(host: str, sign: str, example: str, counter: str) -> Mark:
    """Return the mark of a text that a program of a host puts before a person's words."""
    return Mark(
        host=host,
        kind=SpeakerKind.FRONT,
        sign=sign,
        speaker=Speaker.PROGRAM,
        example=f"{example}{SAID}",
        counter=counter,
    )


def build_program_behind(host: str, sign: str, example: str, counter: str) -> Mark:
    """Return the mark of a text that a program of a host puts behind a person's words."""
    return Mark(
        host=host,
        kind=SpeakerKind.BEHIND,
        sign=sign,
        speaker=Speaker.PROGRAM,
        example=f"{SAID}{example}",
        counter=counter,
    )
