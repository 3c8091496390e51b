"""The tables of backends: name → where it is, the extra that it needs, the file that it keeps.

Adding a store is a folder and a row, adding another backend a file and a row. The strings keep heavy imports out of start-up.
The prompt hook reads these tables too: standard library, and none of it that is slow to import (such as `typing`).
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

#: A service is started with a short PATH.
_PROGRAM_FOLDERS = (
    "~/.local/bin",
    "~/.claude/local",
    "~/.npm-global/bin",
    "~/.bun/bin",
    "/opt/homebrew/bin",
    "/usr/local/bin",
)
#: The store of a home where nothing is configured; also the replica of a store on a server.
LOCAL_STORE = "sqlite"


class Backend:
    """`target` is `module:name`, imported on first use; `extra` is the extra of gieok that it needs ('': none)."""

    def __init__(self, target: str, *, extra: str = "") -> None:
        self.target = "gieok.backends." + target
        self.extra = extra


class StoreBackend(Backend):
    """`target` is a class with `open(opening)`; see `gieok.backends.opening`.

    `file` is the SQLite file in the home folder that holds its texts. Without one the data is on a server: with
    `hybrid: true`, the file of `LOCAL_STORE` is its replica, which answers while the server does not. `sent` is a file in the
    home folder that is there from when on it may have copies of documents at a service.
    """

    def __init__(self, target: str, *, file: str = "", extra: str = "", sent: str = "") -> None:
        super().__init__("stores." + target, extra=extra)
        self.file = file
        self.sent = sent

    @property
    def is_remote(self) -> bool:
        """Say whether the data is on a server."""
        return not self.file


class JournalBackend(Backend):
    """As `StoreBackend`; `file` is its file in the home folder, '' where it is on a server."""

    def __init__(self, target: str, *, file: str = "", extra: str = "") -> None:
        super().__init__("journals." + target, extra=extra)
        self.file = file


class AccountsBackend(Backend):
    """As `JournalBackend`."""

    def __init__(self, target: str, *, file: str = "", extra: str = "") -> None:
        super().__init__("accounts." + target, extra=extra)
        self.file = file


class GeneratorBackend(Backend):
    """`target` makes a generator of a model (`provider:name`), a key and an address; see `generators.providers`.

    `key_variable` is where the key is found, `address` where the provider listens, unless settings say otherwise. `program` is
    the command of an agent that is asked in place of a provider: it needs no key, and no name of a model.
    """

    def __init__(
        self, target: str, *, extra: str = "models", key_variable: str = "", address: str = "", program: str = ""
    ) -> None:
        super().__init__("generators." + target, extra=extra)
        self.key_variable = key_variable
        self.address = address
        self.program = program


class ModelBackend(Backend):
    """`target` is made of a `ModelOpening`; see `gieok.backends.opening`.

    `is_service`: it asks a service, so texts leave the process. `key_variable` and `address` as in `GeneratorBackend`.
    """

    def __init__(
        self, target: str, *, extra: str = "", is_service: bool = False, key_variable: str = "", address: str = ""
    ) -> None:
        super().__init__(target, extra=extra)
        self.is_service = is_service
        self.key_variable = key_variable
        self.address = address


class ChannelBackend(Backend):
    """`target` is made of a `ChannelOpening`; `key_variable` as in `GeneratorBackend`."""

    def __init__(self, target: str, *, key_variable: str = "") -> None:
        super().__init__("notifiers." + target)
        self.key_variable = key_variable


class ArchiveBackend(Backend):
    """`target` is made of an `ArchiveOpening`; `key_variables` are the secrets that it needs."""

    def __init__(self, target: str, *, extra: str = "", key_variables: tuple[str, ...] = ()) -> None:
        super().__init__("archives." + target, extra=extra)
        self.key_variables = key_variables


STORES = {
    "sqlite": StoreBackend("sqlite.store:SqliteStore", file="memory.sqlite"),
    "postgres": StoreBackend("postgres.store:PostgresStore", extra="postgres"),
    "gemini": StoreBackend("gemini.store:GeminiStore", file="gemini.sqlite", extra="gemini", sent="gemini.owner"),
    "lancedb": StoreBackend("lancedb.store:LanceStore", file="lancedb.sqlite", extra="lancedb"),
    "chroma": StoreBackend("chroma.store:ChromaStore", file="chroma.sqlite", extra="chroma"),
}
PROJECT_STORES = {"sqlite": Backend("stores.sqlite.graph:SqliteProjectStore")}
JOURNALS = {
    "sqlite": JournalBackend("sqlite.journal:SqliteJournal", file="journal.sqlite"),
    "postgres": JournalBackend("postgres.journal:PostgresJournal", extra="postgres"),
    "mongo": JournalBackend("mongo.journal:MongoJournal", extra="mongo"),
}
#: Users, characters, keys and points of a service.
ACCOUNTS = {
    "sqlite": AccountsBackend("sqlite:SqliteAccounts", file="accounts.sqlite"),
    "postgres": AccountsBackend("postgres:PostgresAccounts", extra="postgres"),
    "mongo": AccountsBackend("postgres:PostgresAccounts", extra="postgres"),
}
#: How much a key may ask: counted in one process, or by all that share a server.
RATE_LIMITERS = {
    "memory": Backend("rate_limits:MemoryLimiter", extra="serve"),
    "redis": Backend("shared_rates:RedisLimiter", extra="redis"),
}
#: Windows of characters that were read before.
CACHES = {
    "memory": Backend("caches.memory:MemoryCache"),
    "redis": Backend("caches.redis:RedisCache", extra="redis"),
}
EMBEDDERS = {
    "e5": ModelBackend("embedders.e5.runtime:opened"),
    "ollama": ModelBackend("embedders.ollama:Ollama", is_service=True, address="http://127.0.0.1:11434"),
    "openai": ModelBackend(
        "embedders.openai:OpenAi",
        is_service=True,
        key_variable="OPENAI_API_KEY",
        address="https://api.openai.com/v1",
    ),
    "compatible": ModelBackend("embedders.openai:OpenAi", is_service=True),
    "gemini": ModelBackend(
        "embedders.gemini:Gemini",
        is_service=True,
        key_variable="GEMINI_API_KEY",
        address="https://generativelanguage.googleapis.com/v1beta",
    ),
    "onnx": ModelBackend("embedders.onnx:OnnxEmbedder", extra="onnx"),
}
_RERANKING = "rerankers.services:HttpReranker"
RERANKERS = {
    "onnx": ModelBackend("rerankers.onnx:OnnxReranker", extra="onnx"),
    "cohere": ModelBackend(
        _RERANKING, is_service=True, key_variable="COHERE_API_KEY", address="https://api.cohere.com"
    ),
    "voyage": ModelBackend(
        _RERANKING, is_service=True, key_variable="VOYAGE_API_KEY", address="https://api.voyageai.com"
    ),
    "jina": ModelBackend(_RERANKING, is_service=True, key_variable="JINA_API_KEY", address="https://api.jina.ai"),
    "compatible": ModelBackend(_RERANKING, is_service=True),
}
GENERATORS = {
    "anthropic": GeneratorBackend("providers:anthropic", key_variable="ANTHROPIC_API_KEY"),
    "claude-code": GeneratorBackend("host_command:ClaudeCode", extra="", program="claude"),
    "codex": GeneratorBackend("host_command:Codex", extra="", program="codex"),
    "compatible": GeneratorBackend("providers:chat"),
    "gemini": GeneratorBackend("providers:gemini", key_variable="GEMINI_API_KEY"),
    "ollama": GeneratorBackend("ollama:OllamaGenerator", extra="", address="http://127.0.0.1:11434"),
    "openai": GeneratorBackend("providers:chat", key_variable="OPENAI_API_KEY", address="https://api.openai.com/v1"),
}
#: Models that talk, by the same names; `scripted` is none.
CHATS = {
    "anthropic": GeneratorBackend("chats:AnthropicChat", key_variable="ANTHROPIC_API_KEY"),
    "compatible": GeneratorBackend("chats:OpenAiChat"),
    "gemini": GeneratorBackend("chats:GeminiChat", key_variable="GEMINI_API_KEY"),
    "ollama": GeneratorBackend("ollama:OllamaChat", extra="", address="http://127.0.0.1:11434"),
    "openai": GeneratorBackend("chats:OpenAiChat", key_variable="OPENAI_API_KEY", address="https://api.openai.com/v1"),
    "scripted": GeneratorBackend("scripted:ScriptedChat", extra=""),
}
NOTIFIERS = {
    "log": ChannelBackend("log:LogChannel"),
    "desktop": ChannelBackend("desktop:DesktopChannel"),
    "openclaw": ChannelBackend("openclaw:OpenClawChannel", key_variable="OPENCLAW_HOOKS_TOKEN"),
    "smtp": ChannelBackend("smtp:SmtpChannel", key_variable="SMTP_PASSWORD"),
}
#: Where cold memories are kept, by `archive.cold`. Warm is a folder of the home.
ARCHIVES = {
    "folder": ArchiveBackend("vault:opened"),
    "obsidian": ArchiveBackend("vault:opened"),
    "dropbox": ArchiveBackend(
        "dropbox:opened", extra="dropbox", key_variables=("DROPBOX_REFRESH_TOKEN", "DROPBOX_APP_KEY")
    ),
}
WARM = {"folder": Backend("archives.folder:FolderArchive")}
#: Whether a provider takes a key: functions of the key, the address, the model ('' for none) and a time-out.
KEY_PROBES = {
    name: Backend(f"key_probes:{name}", extra="models") for name in ("anthropic", "compatible", "gemini", "openai")
}
KEYRINGS = {"keyring": Backend("system_keyring:SystemKeyring", extra="keyring")}
TRANSCRIPTS = {
    "openclaw": Backend("transcripts.openclaw:OpenClawDatabase", extra="openclaw"),
    "opencode": Backend("transcripts.opencode:OpenCodeDatabase"),
}
SEALERS = {"age": Backend("sealers.age:AgeSealer", extra="encryption")}
#: What other programs remembered, in the order in which a path is looked at.
IMPORTS = {
    "chatgpt": Backend("imports.chatgpt:ChatGptReader"),
    "claude": Backend("imports.claude:ClaudeReader"),
    "claude-mem": Backend("imports.claude_mem:ClaudeMemReader"),
    "mem0": Backend("imports.mem0:Mem0Reader"),
    "memsearch": Backend("imports.notes:MemsearchReader"),
    "basic-memory": Backend("imports.notes:BasicMemoryReader"),
    "claude-code": Backend("imports.notes:ClaudeCodeReader"),
}
PARSERS = {"tree-sitter": Backend("parsers.treesitter:TreeSitterParser")}
COVERAGE = {"coverage.py": Backend("coverage_file:CoverageFile")}
VERSIONS = {"git": Backend("git:Git")}
WATCHERS = {"watchfiles": Backend("watchers:FileWatcher")}


def find_program(program: str, environment: "Mapping[str, str]") -> str:
    """Return where a command is: at its path, on PATH or where agents install themselves; '' where it is not."""
    from shutil import which

    user = environment.get("HOME") or environment.get("USERPROFILE", "")
    folders = (folder.replace("~", user) for folder in _PROGRAM_FOLDERS)
    return which(program, path=os.pathsep.join((environment.get("PATH", os.defpath), *folders))) or ""


def load(table: "dict[str, Any]", name: str) -> "Any":  # noqa: ANN401 - a class; the caller knows its protocol
    """Return the class of a backend. Raises BadConfig for an unknown name, MissingExtra where a package is missing."""
    from importlib import import_module

    from gieok.errors import BadConfig, MissingExtra

    backend: Backend | None = table.get(name)
    if backend is None:
        raise BadConfig(f"unknown backend {name!r}", hint=f"known: {', '.join(sorted(table))}")
    module, _, attribute = backend.target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0].replace("_", "-")
        raise MissingExtra(
            f"{name!r} needs the Python package {package!r}, which is not installed",
            hint=install_hint(backend.extra, package),
        ) from error


def install_hint(extra: str, package: str = "") -> str:
    """Return the command that installs an extra of gieok, or a package of its core."""
    from gieok import extras  # only to tell of what is missing

    return f"run `{extras.command(extra)}`" if extra else f"run `pip install {package}`"


def local_journal(home: str, journal: str) -> str:
    """Return the file of a journal; '' where it is on a server."""
    row = JOURNALS.get(journal)
    return f"{home}{os.sep}{row.file}" if row and row.file else ""


def local_index(home: str, store: str, *, hybrid: bool) -> str:
    """Return the SQLite file in the `home` folder that holds the texts of a store; '' for a server without a replica."""
    row = STORES.get(store)
    file = row.file if row else ""
    if row and row.is_remote and hybrid:
        file = STORES[LOCAL_STORE].file
    return f"{home}{os.sep}{file}" if file else ""
