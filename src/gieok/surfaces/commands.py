"""The rest of the command line beside operations: groups, servers, global options, help order."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gieok.commands import NAMES
from gieok.text.messages import Words

ABOUT = Words("One long-term memory for AI agents: local, offline, Korean and English.")
#: Options that every command takes, at any place of the command line: flag, setting, value,
#: description.
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
#: Descriptions of groups with several commands; a group with a single command has the description
#: of that command.
GROUPS = {
    "code": Words("Project intelligence: what is where, what breaks if this changes"),
    "character": Words("Characters that remember their user: make, import, talk, points, keys"),
    "observe": Words("What Gieok distils from agents' transcripts"),
    "config": Words("Settings: what is in force and why; change them"),
    "encryption": Words("Encryption at rest of archives and backups"),
    "backup": Words("Backups of the home: make, check, restore them"),
    "archive": Words("Tiers of memory: what is in hot, warm and cold, and what moves"),
    "keys": Words("Keys of services: where they are, whether they are valid"),
    "rules": Words("What you forbade: asked or stopped before a tool runs"),
    "hook": Words("What agents call at every prompt to get memories; how well it decides"),
    "sync": Words("One memory on several devices, over a Git repository or a folder of your own"),
    "store": Words("Where memory is searched: move it to another store"),
}
#: Group → the command that runs where only the group is named.
DEFAULTS = {
    "archive": "status",
    "backup": "create",
    "encryption": "status",
    "rules": "list",
    "sync": "run",
}


class ServerCommand(NamedTuple):
    """Command that starts another surface; `cli` runs it.

    `flags` are options that stand for settings: (flag, setting, description).
    """

    doc: Words
    flags: tuple[tuple[str, str, Words], ...] = ()
    #: The name and the choices of the argument that the command requires.
    word: tuple[str, tuple[str, ...]] = ("", ())
    examples: tuple[str, ...] = ()


SERVERS = {
    "mcp": ServerCommand(
        Words("Serve the memory tools to an agent (MCP over stdio)"),
        examples=("gieok mcp",),
    ),
    "serve": ServerCommand(
        Words("Serve characters that remember, over HTTP"),
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
        word=("shell", ("bash", "zsh", "fish")),
        examples=(
            "gieok completion bash > ~/.local/share/bash-completion/completions/gieok",
            "gieok completion zsh > ~/.zfunc/_gieok",
            "gieok completion fish > ~/.config/fish/completions/gieok.fish",
        ),
    ),
}
#: Sections of the help. Commands that no section names stand in the last section.
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
            "rules",
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
        ("import", "export", "move", "sync", "store", "journal", "rebuild", "uninstall", "erase"),
    ),
    (Words("more"), ("help", "completion")),
)
OWN = {"help": Words("Show what a command does: `gieok help COMMAND`")}


@cache
def summaries() -> Mapping[str, Words]:
    """Return operation → description, without loading any operation; `make docs` writes the
    file.
    """
    rows = json.loads(SUMMARIES.read_text(encoding="utf-8"))
    return {name: Words(doing) for name, doing in rows.items()}


SUMMARIES = Path(__file__).with_name("summaries.json")


def list_group_commands(group: str) -> list[str]:
    """Return the last words of the commands in a group; an empty list where `group` is no group."""
    return [
        name.partition(" ")[2] for name in NAMES if name.partition(" ")[0] == group and " " in name
    ]


def first_words() -> list[str]:
    """Return every word that a command line may begin with: commands and groups."""
    return list(dict.fromkeys([*(name.partition(" ")[0] for name in NAMES), *SERVERS, *OWN]))


def doc_of(word: str) -> Words:
    """Return the description of a command or a group at the top level."""
    if word in OWN:
        return OWN[word]
    if word in SERVERS:
        return SERVERS[word].doc
    if inner := list_group_commands(word):
        return GROUPS.get(word) or summaries()[f"{word} {inner[0]}"]
    return summaries()[word]


def list_help_parts() -> list[tuple[Words, list[str]]]:
    """Return the sections of the help, each with its commands."""
    known = first_words()
    placed = {word for _, words in PARTS for word in words}
    help_parts = [(title, [word for word in words if word in known]) for title, words in PARTS]
    help_parts[-1][1][:0] = [word for word in known if word not in placed]
    return help_parts
