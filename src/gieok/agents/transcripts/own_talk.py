"""Recognises the calls by which an agent asks Gieok: its tools, its command, its files.

The output of such calls is memory, not evidence.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gieok.agents.transcripts.shortened_lines import decode_arguments
from gieok.text.late_pattern import defer_pattern

#: Tool names without the prefix that agents add (`mcp__gieok__memory_search`,
#: `mcp_gieok_memory_search`, `gieok.memory_search`). A test compares the names with the table of
#: operations.
TOOLS = (
    "memory_search",
    "memory_get",
    "memory_list",
    "memory_remember",
    "memory_status",
    "memory_why",
    "memory_correct",
    "memory_forget",
    "code_explore",
    "code_impact",
    "code_overview",
    "code_search",
    "code_symbol",
)
_SIGNS = (b"gieok", b"active_memory", b"memory_", b"code_")
_TOOL = defer_pattern(
    rf"(?:^|[^a-z0-9])(?:{'|'.join(TOOLS)})$|(?:^|[^a-z0-9])gieok(?:$|[^a-z0-9])", re.IGNORECASE
)
#: Gieok's home and its folder in a project are called `.gieok`; a home with another name is passed
#: in `folders`.
_FILE = defer_pattern(
    r"(?<![\w.-])\.gieok(?:[/\\]|$|(?=[\s\"']))|(?<![\w-])active_memory[\w-]{0,100}\.md\b"
)
_COMMANDS = defer_pattern(r"[\n;&|()`{}\"'\[\],]+")
#: Words before the program that a command line runs.
_WRAPPERS = frozenset(
    (
        "sudo env uv uvx run exec nohup time command xargs then do else if while timeout watch "
        "pipx npx poetry -m"
    ).split()
    + "bash sh zsh fish python python3 py $".split()
)
_PROGRAM = defer_pattern(r"(?:.*[/\\])?gieok(?:\.exe)?$", re.IGNORECASE)
_ASSIGNMENT = defer_pattern(r"[A-Za-z_]\w*=|-|\d|\$")
_FIRST_WORDS = 12
#: How many characters of one argument are searched: a command or a path is short, the contents of a
#: written file are not.
_LOOKED_AT_CHARS = 20_000
_DEEPEST = 6


def may_ask(lines: bytes, folders: Sequence[str] = ()) -> bool:
    """Return whether lines of a transcript may hold a call that asks Gieok.

    Only the bytes are searched, which is much faster than parsing them.
    """
    return any(sign in lines for sign in _SIGNS) or any(
        folder.encode() in lines for folder in folders
    )


def is_own_tool(name: str) -> bool:
    """Return whether a tool name is one of Gieok's, under any prefix."""
    return _TOOL.search(name) is not None


def is_own_call(name: str, arguments: object, folders: Sequence[str] = ()) -> bool:
    """Return whether a call asks Gieok: by a tool, by its command, or by reading one of its files.

    `folders` are Gieok's own folders where they are not called `.gieok`.
    """
    if is_own_tool(name):
        return True
    return any(
        _FILE.search(text) or any(folder in text for folder in folders) or _runs_gieok(text)
        for text in _iter_argument_texts(decode_arguments(arguments))
    )


def names_any(arguments: object, folders: Sequence[str]) -> bool:
    """Return whether a call's arguments name one of the folders, or a path below one."""
    if not folders:
        return False
    written = (re.escape(folder.rstrip("/")).replace(r"\*", "[^/]*") for folder in folders)
    names = re.compile("|".join(rf"{name}(?![\w.-])" for name in written))
    return any(names.search(text) for text in _iter_argument_texts(decode_arguments(arguments)))


def _iter_argument_texts(arguments: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts in a call's arguments; a list of words is joined into one text."""
    if isinstance(arguments, str):
        yield arguments[:_LOOKED_AT_CHARS]
    if depth == _DEEPEST:
        return
    if isinstance(arguments, list):
        yield " ".join(item for item in arguments if isinstance(item, str))[:_LOOKED_AT_CHARS]
    if isinstance(arguments, dict):
        arguments = list(arguments.values())
    for value in arguments if isinstance(arguments, list) else ():
        yield from _iter_argument_texts(value, depth + 1)


def _runs_gieok(command: str) -> bool:
    if "gieok" not in command:
        return False
    return any(
        _is_gieok(part.split(maxsplit=_FIRST_WORDS)[:_FIRST_WORDS])
        for part in _COMMANDS.split(command)
    )


def _is_gieok(words: Sequence[str]) -> bool:
    """Return whether the first program in a command is `gieok`, followed by another word."""
    before = ""
    for word, following in pairwise(words):
        if _PROGRAM.match(word):
            return re.match(r"[a-z-]", following) is not None
        if not (word in _WRAPPERS or _ASSIGNMENT.match(word) or before.startswith("-")):
            return False
        before = word
    return False
