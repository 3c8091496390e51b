"""What the documents that Gieok was made from call its commands and options.

A line that is such a command as a document types it runs ours. One that only begins like one stays
a question, for its words are words of every day ("memory status of the van"); whoever typed it is
told the command that there is.
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
#: Option before a file that ours takes without one.
_FILE_OPTION = {"code sync": "--file"}
#: Commands of ours that take any words behind them.
_TAKE_WORDS = frozenset(("search", "code query"))


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


def read_document_line(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return our command and its arguments for the words of a line that a document gives.

    None where the line has words that no document puts there.
    """
    found = find_document_command(words)
    if found is None:
        return None
    command, rest = found.command, list(words[len(found.typed.split()) :])
    takes_words = command in _TAKE_WORDS
    for option, instead in _OPTIONS.get(command, {}).items():
        if option in rest:
            rest.remove(option)
            command, takes_words = instead, True
    if command in _FILE_OPTION and _FILE_OPTION[command] in rest:
        rest.remove(_FILE_OPTION[command])
        takes_words = True
    if rest and not takes_words and not rest[0].startswith("-"):
        return None
    return command, rest


def find_document_option(command: str, flag: str) -> str:
    """Return the command that does what a document's option of a command is for; '' for none."""
    return _OPTIONS.get(command, {}).get(flag, "")
