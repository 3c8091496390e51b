"""What stands on the command line beside the operations: groups, servers, global options, the order
of the help.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gieok.ops import NAMES
from gieok.ops.operation import Words

ABOUT = Words(
    "One long-term memory for AI agents: local, offline, Korean and English.",
    "AI 에이전트를 위한 하나의 장기 기억: 내 컴퓨터에서, 인터넷 없이, 한국어와 영어로.",
)
#: Options of every command, which may stand anywhere: flag, setting, value, its words.
GLOBAL = (
    (
        "--scope",
        "scope",
        "SCOPE",
        Words("whose memory, e.g. agent:main", "누구의 기억인지, 예: agent:main"),
    ),
    (
        "--lang",
        "lang",
        "en|ko",
        Words("language of what you read: en or ko", "화면의 언어: en 또는 ko"),
    ),
)
#: What a group of several commands is for; a group of one says what that does.
GROUPS = {
    "code": Words(
        "Project intelligence: what is where, what breaks if this changes",
        "프로젝트 이해: 무엇이 어디 있고, 바꾸면 무엇이 깨지는지",
    ),
    "character": Words(
        "Characters that remember their user: make, import, talk, points, keys",
        "사용자를 기억하는 캐릭터: 만들기, 가져오기, 대화, 포인트, 키",
    ),
    "observe": Words(
        "The sidecar: what agents' transcripts say, distilled",
        "사이드카: 에이전트 대화에서 추려 낸 기억",
    ),
    "config": Words(
        "Settings: what is in force and why; change them", "설정: 지금 값과 그 출처, 바꾸기"
    ),
    "encryption": Words(
        "Encryption at rest of archives and backups", "보관한 기억과 백업의 암호화"
    ),
    "backup": Words(
        "Backups of the home: make, check, restore them", "홈의 백업: 만들기, 확인, 복원"
    ),
    "archive": Words(
        "Tiers of memory: what is in hot, warm and cold, and what moves",
        "기억의 층: hot, warm, cold에 있는 것과 옮기는 것",
    ),
    "keys": Words(
        "Keys of services: where they are, whether they are valid",
        "서비스의 키: 어디에 있고 통하는지",
    ),
    "hook": Words(
        "What coding agents call at every prompt; how well it decides",
        "코딩 에이전트가 프롬프트마다 부르는 것, 그 정확도",
    ),
    "store": Words(
        "Where memory is searched: move it to another store", "기억을 찾는 곳: 다른 저장소로 옮기기"
    ),
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
        Words(
            "Serve the memory tools to an agent (MCP over stdio)",
            "에이전트에 기억 도구를 제공합니다 (MCP, stdio)",
        ),
        "gieok.surfaces.mcp",
        examples=("gieok mcp",),
    ),
    "serve": ServerCommand(
        Words("Serve characters that remember, over HTTP", "기억하는 캐릭터를 HTTP로 제공합니다"),
        "gieok.surfaces.http.serve",
        (
            ("--host", "serve.host", Words("address to listen on", "들을 주소")),
            ("--port", "serve.port", Words("port; 0: any that is free", "포트; 0: 비어 있는 것")),
            (
                "--lang",
                "lang",
                Words("language of what you read: en or ko", "화면의 언어: en 또는 ko"),
            ),
        ),
        examples=("gieok serve", "gieok serve --port 8080"),
    ),
    "completion": ServerCommand(
        Words(
            "Print a script by which a shell completes commands",
            "셸이 명령을 완성하게 하는 스크립트를 출력합니다",
        ),
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
    (Words("begin", "시작"), ("setup", "index", "install", "status", "doctor", "open")),
    (
        Words("every day", "매일"),
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
    (Words("what remembers", "기억하는 것"), ("observe", "hook", "code", "character", "archive")),
    (Words("run", "실행"), ("up", "down", "logs", "service", "serve", "mcp", "notify")),
    (
        Words("settings and safety", "설정과 안전"),
        ("config", "keys", "trust", "encryption", "backup", "redact", "calibrate"),
    ),
    (
        Words("move and clear away", "옮기기와 치우기"),
        ("import", "export", "move", "store", "journal", "rebuild", "uninstall", "erase"),
    ),
    (Words("more", "그 밖"), ("help", "completion")),
)
OWN = {
    "help": Words(
        "Show what a command does: `gieok help COMMAND`; with --man, all of them as a manual page",
        "명령이 하는 일을 봅니다: `gieok help 명령`; --man이면 전체를 매뉴얼 페이지로",
    )
}


@cache
def summaries() -> Mapping[str, Words]:
    """Return operation → what it does, without loading any: `make docs` writes the file."""
    rows = json.loads(SUMMARIES.read_text(encoding="utf-8"))
    return {name: Words(*words) for name, words in rows.items()}


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
