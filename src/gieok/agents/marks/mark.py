"""One mark of a host: where it stands, and who speaks there."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Speaker(StrEnum):
    """Who a line is of. Only a person's words are the user's."""

    PERSON = "person"
    PROGRAM = "program"
    AGENT = "agent"
    TOOL = "tool"


class Kind(StrEnum):
    """What a mark is looked for in, and what follows from it."""

    #: A field of a line: the line is the speaker's.
    FIELD = "field"
    #: A field of a line that speaks of those after it: so are their user lines, where nothing else
    #: is said of them.
    HEAD = "head"
    #: A field of a line in the agent's place: a program wrote it.
    REPLY = "reply"
    #: The working folder of a session: none of the session is for memory.
    FOLDER = "folder"
    #: The beginning of a session's first prompt: none of the session is for memory.
    OPENING = "opening"
    #: A sign in a session's first prompt; signs of two groups (`values`) make it a program's.
    BRIEF = "brief"
    #: The beginning of a text: all of the text is a program's.
    WHOLE = "whole"
    #: An element that is all of a text: a program wrote it.
    ENVELOPE = "envelope"
    #: A pair of tags: what stands inside is the speaker's.
    BLOCK = "block"
    #: What a program puts before, or behind, a person's words.
    FRONT = "front"
    BEHIND = "behind"
    #: The text of a failed tool call that holds what a person said when they refused it (the group
    #: `said`).
    REASON = "reason"
    #: A field of a line that holds what a person said beside a decision.
    BESIDE = "beside"
    #: A tool whose result is what a person answered.
    ANSWER = "answer"
    #: A command of the program itself, whose arguments are a setting and no words.
    SETTING = "setting"


#: Any host: what other programs write, whichever host they write through.
ANY = ""
#: Stands for any value of a field that holds something.
SOMETHING = "*"
#: What the person says in every example of a mark that leaves something of a text.
SAID = "The depot opens at nine."

#: A line, or a text.
Sample = Mapping[str, object] | str


class Mark(NamedTuple):
    """A row of the table.

    `sign` is the dotted path of a field, a regular expression, or the name of a tag or a tool.
    `counter` looks alike and is none. Rows of a kind are tried in the order of the table, those of
    the host first; the first that fits decides.
    """

    host: str
    kind: Kind
    sign: str
    speaker: Speaker
    example: Sample
    counter: Sample
    #: Of a field: what it holds. Of a tag: a regular expression for its attributes. Of a command:
    #: names.
    values: tuple[str, ...] = ()
