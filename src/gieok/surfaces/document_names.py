"""What the documents that Gieok was made from call its commands and options.

A line that begins with such a name stays a question, for its words are words of every day; but
whoever follows a document is told the command that there is.
"""

from collections.abc import Sequence
from typing import NamedTuple

#: Programs whose commands a document gives, before the group.
_PROGRAMS = frozenset(("openclaw", "oracle"))
#: Group of commands in a document → the commands in it, and our group, where they have the same
#: names; '' for no group. Other words behind the group's name ("memory down") are in no document.
_GROUPS = {
    "rag": ("init query sync status stats validate watch escalate".split(), "code"),
    "memory": ("status index search".split(), ""),
}
#: Command in a document → ours.
_COMMANDS = {"memory:search": "search", "oc-memory": "setup", "ttl_manager": "archive run"}
#: Command of ours → option that a document gives it → command that does it.
_OPTIONS = {"code query": {"--impact": "code impact"}}


class DocumentCommand(NamedTuple):
    """Command under the name of a document, and ours."""

    typed: str
    command: str


def find_document_command(words: Sequence[str]) -> DocumentCommand | None:
    """Return what a document calls a command, given the words of a line; None for none.

    A group's name alone is no command: people ask about memory.
    """
    program = f"{words[0]} " if words[0] in _PROGRAMS else ""
    word, following = ([*words[bool(program) :], "", ""])[:2]
    if word in _COMMANDS:
        return DocumentCommand(f"{program}{word}", _COMMANDS[word])
    commands, ours = _GROUPS.get(word, ((), ""))
    if following not in commands:
        return None
    return DocumentCommand(f"{program}{word} {following}", f"{ours} {following}".strip())


def find_document_option(command: str, flag: str) -> str:
    """Return the command that does what a document's option of a command is for; '' for none."""
    return _OPTIONS.get(command, {}).get(flag, "")
