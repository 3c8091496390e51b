"""What stands on the command line beside the operations: groups, servers, global options, the order
of the help.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gieok.ops import NAMES
from gieok.text.messages import Words

ABOUT = Words("One long-term memory for AI agents: local, offline, Korean and English.")
#: Options of every command, which may stand anywhere: flag, setting, value, its words.
GLOBAL = (
    (
        "--scope",
        "scope",
        "SCOPE",
        Words("whose memory, e.g. agent:main"),
    ),
    (
        "--lang",
        "lang",
        "en|ko",
        Words("language of what you read: en or ko"),
    ),
)
#: What a group of several commands is for; a group of one says what that does.
GROUPS = {
    "code": Words("Project intelligence: what is where, what breaks if this changes"),
    "character": Words("Characters that remember their user: make, import, talk, points, keys"),
    "observe": Words("The sidecar: what agents' transcripts say, distilled"),
    "config": Words("Settings: what is in force and why; change them"),
    "encryption": Words("Encryption at rest of archives and backups"),
    "backup": Words("Backups of the home: make, check, restore them"),
    "archive": Words("Tiers of memory: what is in hot, warm and cold, and what moves"),
    "keys": Words("Keys of services: where they are, whether they are valid"),
    "hook": Words("What coding agents call at every prompt; how well it decides"),
    "store": Words("Where memory is searched: move it to another store"),
}
#: What a group does where no command of it is named: group → command.
DEFAULTS = {"archive": "status", "backup": "create", "encryption": "status"}


class ServerCommand(NamedTuple):
    """A command that is no operation but a surface: what it does, and the module whose `main` runs
    it.

    `flags` stand for settings: flag, setting, its words. `main` gets them (setting → text) and the
    language.
    """

    doc: Words
    module: str
    flags: tuple[tuple[str, str, Words], ...] = ()
    #: A word that must follow, and which there are.
    word: tuple[str, tuple[str, ...]] = ("", ())
    examples: tuple[str, ...] = ()


SERVERS = {
    "mcp": ServerCommand(
        Words("Serve the memory tools to an agent (MCP over stdio)"),
        "gieok.surfaces.mcp",
        examples=("gieok mcp",),
    ),
    "serve": ServerCommand(
        Words("Serve characters that remember, over HTTP"),
        "gieok.surfaces.http.serve",
        (
            ("--host", "serve.host", Words("address to listen on")),
            ("--port", "serve.port", Words("port; 0: any that is free")),
            (
                "--lang",
                "lang",
                Words("language of what you read: en or ko"),
            ),
        ),
        examples=("gieok serve", "gieok serve --port 8080"),
    ),
    "completion": ServerCommand(
        Words("Print a script by which a shell completes commands"),
        "gieok.surfaces.completion",
        word=("shell", ("bash", "zsh", "fish")),
        examples=(
            "gieok completion bash > ~/.local/share/bash-completion/completions/gieok",
            "gieok completion zsh > ~/.zfunc/_gieok",
            "gieok completion fish > ~/.config/fish/completions/gieok.fish",
        ),
    ),
}
#: How the help is divided. What no part names stands in the last one.
PARTS = (
    (Words("begin"), ("setup", "index", "install", "status", "doctor", "open")),
    (
        Words("every day"),
        (
            "search",
            "list",
            "get",
            "remember",
            "edit",
            "retire",
            "restore",
            "forget",
            "why",
            "ask",
            "recall",
            "pause",
            "resume",
        ),
    ),
    (Words("what remembers"), ("observe", "hook", "code", "character", "archive")),
    (Words("run"), ("up", "down", "logs", "service", "serve", "mcp", "notify")),
    (
        Words("settings and safety"),
        ("config", "keys", "trust", "encryption", "backup", "redact", "calibrate"),
    ),
    (
        Words("move and clear away"),
        ("import", "export", "move", "store", "journal", "rebuild", "uninstall", "erase"),
    ),
    (Words("more"), ("help", "completion")),
)
OWN = {
    "help": Words(
        "Show what a command does: `gieok help COMMAND`; with --man, all of them as a manual page"
    )
}


@cache
def summaries() -> Mapping[str, Words]:
    """Return operation → what it does, without loading any: `make docs` writes the file."""
    rows = json.loads(SUMMARIES.read_text(encoding="utf-8"))
    return {name: Words(doing) for name, doing in rows.items()}


SUMMARIES = Path(__file__).with_name("summaries.json")


def list_group_commands(group: str) -> list[str]:
    """Return the commands of a group by their last word; nothing where it is none."""
    return [
        name.partition(" ")[2] for name in NAMES if name.partition(" ")[0] == group and " " in name
    ]


def first_words() -> list[str]:
    """Return every word that may stand first: commands and groups."""
    return list(dict.fromkeys([*(name.partition(" ")[0] for name in NAMES), *SERVERS, *OWN]))


def doc_of(word: str) -> Words:
    """Return what a command or a group at the top is for."""
    if word in OWN:
        return OWN[word]
    if word in SERVERS:
        return SERVERS[word].doc
    if inner := list_group_commands(word):
        return GROUPS.get(word) or summaries()[f"{word} {inner[0]}"]
    return summaries()[word]


def list_help_parts() -> list[tuple[Words, list[str]]]:
    """Return the parts of the help, with their commands."""
    known = first_words()
    placed = {word for _, words in PARTS for word in words}
    help_parts = [(title, [word for word in words if word in known]) for title, words in PARTS]
    help_parts[-1][1][:0] = [word for word in known if word not in placed]
    return help_parts
