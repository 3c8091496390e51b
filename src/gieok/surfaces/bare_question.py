"""A command line without a command: `gieok "when does my lease end"` is a search.

The first argument decides. The name of a command is that command; a word that is one slip away from
such a name is a mistyped command; anything else, and all that stands in quotes, is a question.
"""

import re
from collections.abc import Iterable

from gieok.commands.command import printable
from gieok.surfaces.arguments import CommandLine
from gieok.surfaces.commands import first_words
from gieok.surfaces.document_names import find_document_command, read_document_line
from gieok.text.messages import Words

#: Command that answers a question.
SEARCH = "search"
#: Letters of the shortest name that a mistyped word is taken for: `who` is no mistyped `why`.
_SHORTEST_GUESSED = 4
_HANGUL = re.compile("[가-힣ㄱ-ㅎㅏ-ㅣ]")


def read_bare_question(line: CommandLine) -> CommandLine | None:
    """Return the search that a line without a command means.

    None where it is no question: a mistyped command, an option, a call for help.
    """
    is_command = line.name.partition(" ")[0] in first_words() or find_mistyped_command(line.name)
    is_question = line.is_sentence or not (is_command or line.name.startswith("-"))
    is_question = is_question and bool(line.name.strip()) and not line.is_help
    return CommandLine(SEARCH, (line.name, *line.arguments)) if is_question else None


def read_document_command(line: CommandLine) -> CommandLine | None:
    """Return our command for a line as a document types it: `oracle rag sync`; None for others."""
    found = None if line.is_sentence else read_document_line([line.name, *line.arguments])
    if found is None:
        return None
    command, arguments = found
    return line._replace(name=command, arguments=tuple(arguments), is_group=False)


def find_mistyped_command(word: str) -> str:
    """Return the command whose name is one slip away from `word`; '' where none is."""
    return find_one_slip(word, first_words())


def find_one_slip(word: str, names: Iterable[str]) -> str:
    """Return the name that is one slip away from `word`; '' where none is."""
    long = (name for name in names if len(name) >= _SHORTEST_GUESSED)
    return next((name for name in long if _is_one_slip(word, name)), "")


def describe_bare_question(line: CommandLine) -> Words | None:
    """Return the notice of how a line without a command was taken.

    None where its first word is Hangul: no command is written so, and nobody meant one.
    """
    if _HANGUL.search(line.name):
        return None
    if line.is_sentence:
        return Words("taken as a question")
    if named := find_document_command([line.name, *line.arguments]):
        return Words.of(
            "taken as a question: there is no command `{word}`; what a document calls so is "
            "`gieok {command}`",
            word=printable(named.typed),
            command=named.command,
        )
    return Words.of("taken as a question: there is no command `{word}`", word=printable(line.name))


def _is_one_slip(typed: str, name: str) -> bool:
    """Say whether one letter is wrong, missing or too many, or two neighbours are swapped."""
    start = next(
        (at for at, (one, other) in enumerate(zip(typed, name, strict=False)) if one != other),
        min(len(typed), len(name)),
    )
    rest, right = typed[start:], name[start:]
    is_swapped = rest[:2] == right[:2][::-1] and rest[2:] == right[2:]
    return typed != name and (
        rest[1:] == right[1:] or rest[1:] == right or rest == right[1:] or is_swapped
    )
