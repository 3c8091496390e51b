"""Tables of backends: name → import target, extra of gieok, file in the home folder.

Adding a store is a folder and a row, adding another backend a file and a row. The strings keep
heavy imports out of start-up. The prompt hook reads these tables too: standard library, and none of
it that is slow to import (such as `typing`).
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

#: A service is started with a short PATH, so the folders where agents install themselves are
#: searched too.
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
    """Row of a table of backends.

    `target` is `module:name`, imported on first use; `extra` is the extra of gieok that the target
    needs ('': none). `modules` are those modules of the extra that the target imports only when it
    works: a missing one is reported when the backend is opened.
    """

    def __init__(self, target: str, *, extra: str = "", modules: "tuple[str, ...]" = ()) -> None:
        self.target = "gieok." + target
        self.extra = extra
        self.modules = modules


class StoreBackend(Backend):
    """Row for a store; `target` is a class with `open(opening)`, see `gieok.opening`.

    `file` is the SQLite file in the home folder that holds the store's texts. A store without a
    file has its data on a server: with `hybrid: true`, the file of `LOCAL_STORE` is its replica,
    which answers while the server does not. `sent` is a file in the home folder that exists from
    the moment when a service may have copies of documents.
    """

    def __init__(self, target: str, *, file: str = "", extra: str = "", sent: str = "") -> None:
        super().__init__("storage.index." + target, extra=extra)
        self.file = file
        self.sent = sent

    @property
    def is_remote(self) -> bool:
        """Say whether the data is on a server."""
        return not self.file


class JournalBackend(Backend):
    """Row for a journal, as `StoreBackend`.

    `file` is the journal's file in the home folder, '' for a journal on a server.
    """

    def __init__(self, target: str, *, file: str = "", extra: str = "") -> None:
        super().__init__("storage.journal." + target, extra=extra)
        self.file = file


class AccountsBackend(Backend):
    """Row for accounts, as `JournalBackend`."""

    def __init__(self, target: str, *, file: str = "", extra: str = "") -> None:
        super().__init__("storage.accounts." + target, extra=extra)
        self.file = file


class GeneratorBackend(Backend):
    """Row for a text generator.

    `target` makes a generator of a model (`provider:name`), a key and an address; see
    `generators.providers`. `key_variable` names the variable of the key, `address` is where the
    provider listens, unless settings say otherwise. `program` is the command of an agent that is
    asked in place of a provider: it needs no key, and no name of a model.
    """

    def __init__(
        self,
        target: str,
        *,
        modules: "tuple[str, ...]" = (),
        key_variable: str = "",
        address: str = "",
        program: str = "",
    ) -> None:
        super().__init__(
            "models.generators." + target, extra="models" if modules else "", modules=modules
        )
        self.key_variable = key_variable
        self.address = address
        self.program = program


class ModelBackend(Backend):
    """Row for a model such as an embedder; `target` takes a `ModelOpening`, see `gieok.opening`.

    `is_service`: the model asks a service, so texts leave the process. `key_variable` and `address`
    as in `GeneratorBackend`.
    """

    def __init__(
        self,
        target: str,
        *,
        extra: str = "",
        is_service: bool = False,
        key_variable: str = "",
        address: str = "",
    ) -> None:
        super().__init__(target, extra=extra)
        self.is_service = is_service
        self.key_variable = key_variable
        self.address = address


class ChannelBackend(Backend):
    """Row for a channel; `target` takes a `ChannelOpening`.

    `key_variable` as in `GeneratorBackend`.
    """

    def __init__(self, target: str, *, key_variable: str = "") -> None:
        super().__init__("models.notifiers." + target)
        self.key_variable = key_variable


class ArchiveBackend(Backend):
    """Row for an archive; `target` takes an `ArchiveOpening`.

    `key_variables` are the secrets that the archive needs.
    """

    def __init__(
        self, target: str, *, extra: str = "", key_variables: tuple[str, ...] = ()
    ) -> None:
        super().__init__("storage.archives." + target, extra=extra)
        self.key_variables = key_variables


class ModelProvider:
    """Provider of models: what it can do, where it listens, and which key it takes.

    A row says everything that is known of a provider; the tables below it are made from the rows.
    `generate`, `talk`, `embed` and `rerank` are the targets that write a text, answer in a chat,
    make vectors and rerank ('': the provider does not). `is_probed`: `models.key_probes` has a
    function of its name that checks a key. `modules` are those that generating and talking import;
    `program` is the command of an agent that generates in place of a service. `embed_address` is
    where vectors are made, if elsewhere than at `address`.
    """

    def __init__(
        self,
        *,
        generate: str = "",
        talk: str = "",
        embed: str = "",
        rerank: str = "",
        is_probed: bool = False,
        modules: "tuple[str, ...]" = (),
        key_variable: str = "",
        address: str = "",
        embed_address: str = "",
        program: str = "",
    ) -> None:
        self.generate = generate
        self.talk = talk
        self.embed = embed
        self.rerank = rerank
        self.is_probed = is_probed
        self.modules = modules
        self.key_variable = key_variable
        self.address = address
        self.embed_address = embed_address or address
        self.program = program

    def build_generator_row(self, target: str) -> GeneratorBackend:
        """Return the row of a target that writes texts or answers."""
        return GeneratorBackend(
            target,
            modules=self.modules,
            key_variable=self.key_variable,
            address=self.address,
            program=self.program,
        )

    def build_service_row(self, target: str, address: str) -> ModelBackend:
        """Return the row of a target that asks a service for vectors or an order."""
        return ModelBackend(
            target, is_service=True, key_variable=self.key_variable, address=address
        )


STORES = {
    "sqlite": StoreBackend("sqlite.store:SqliteStore", file="memory.sqlite"),
    "postgres": StoreBackend("postgres.store:PostgresStore", extra="postgres"),
    "gemini": StoreBackend(
        "gemini.store:GeminiStore", file="gemini.sqlite", extra="gemini", sent="gemini.owner"
    ),
    "lancedb": StoreBackend("lancedb.store:LanceStore", file="lancedb.sqlite", extra="lancedb"),
    "chroma": StoreBackend("chroma.store:ChromaStore", file="chroma.sqlite", extra="chroma"),
}
JOURNALS = {
    "sqlite": JournalBackend("sqlite.journal:SqliteJournal", file="journal.sqlite"),
    "postgres": JournalBackend("postgres.journal:PostgresJournal", extra="postgres"),
    "mongo": JournalBackend("mongo.journal:MongoJournal", extra="mongo"),
}
#: Users, characters, keys and points of a service.
ACCOUNTS = {
    "sqlite": AccountsBackend("sqlite:SqliteAccounts", file="accounts.sqlite"),
    "postgres": AccountsBackend("postgres:PostgresAccounts", extra="postgres"),
    "mongo": AccountsBackend("postgres:PostgresAccounts", extra="mongo"),
}
#: Rate limits of keys: counted in one process, or by all processes that share a server.
RATE_LIMITERS = {
    "memory": Backend("storage.rate_limits:MemoryLimiter", extra="serve"),
    "redis": Backend("storage.shared_rates:RedisLimiter", extra="redis"),
}
#: Caches of windows, the characters' recent messages.
CACHES = {
    "memory": Backend("storage.caches.memory:MemoryCache"),
    "redis": Backend("storage.caches.redis:RedisCache", extra="redis"),
}
_RERANKING = "models.rerankers.services:HttpReranker"
PROVIDERS = {
    "anthropic": ModelProvider(
        generate="providers:build_anthropic_generator",
        talk="chats:AnthropicChat",
        is_probed=True,
        modules=("pydantic_ai", "anthropic"),
        key_variable="ANTHROPIC_API_KEY",
    ),
    "claude-code": ModelProvider(generate="host_command:ClaudeCode", program="claude"),
    "codex": ModelProvider(generate="host_command:Codex", program="codex"),
    "cohere": ModelProvider(
        rerank=_RERANKING, key_variable="COHERE_API_KEY", address="https://api.cohere.com"
    ),
    "compatible": ModelProvider(
        generate="providers:build_chat_generator",
        talk="chats:OpenAiChat",
        embed="models.embedders.openai:OpenAi",
        rerank=_RERANKING,
        is_probed=True,
        modules=("pydantic_ai", "openai"),
    ),
    "gemini": ModelProvider(
        generate="providers:build_gemini_generator",
        talk="chats:GeminiChat",
        embed="models.embedders.gemini:Gemini",
        is_probed=True,
        modules=("pydantic_ai", "google.genai"),
        key_variable="GEMINI_API_KEY",
        embed_address="https://generativelanguage.googleapis.com/v1beta",
    ),
    "jina": ModelProvider(
        rerank=_RERANKING, key_variable="JINA_API_KEY", address="https://api.jina.ai"
    ),
    "ollama": ModelProvider(
        generate="ollama:OllamaGenerator",
        talk="ollama:OllamaChat",
        embed="models.embedders.ollama:Ollama",
        address="http://127.0.0.1:11434",
    ),
    "openai": ModelProvider(
        generate="providers:build_chat_generator",
        talk="chats:OpenAiChat",
        embed="models.embedders.openai:OpenAi",
        is_probed=True,
        modules=("pydantic_ai", "openai"),
        key_variable="OPENAI_API_KEY",
        address="https://api.openai.com/v1",
    ),
    #: No model: what a test wrote down.
    "scripted": ModelProvider(talk="scripted:ScriptedChat"),
    "voyage": ModelProvider(
        rerank=_RERANKING, key_variable="VOYAGE_API_KEY", address="https://api.voyageai.com"
    ),
}
GENERATORS = {
    name: row.build_generator_row(row.generate) for name, row in PROVIDERS.items() if row.generate
}
#: Chat models, by the same provider names; `scripted` is no model.
CHATS = {name: row.build_generator_row(row.talk) for name, row in PROVIDERS.items() if row.talk}
EMBEDDERS = {
    "e5": ModelBackend("models.local.runtime:open_e5_embedder"),
    "onnx": ModelBackend("models.embedders.onnx:OnnxEmbedder", extra="onnx"),
    **{
        name: row.build_service_row(row.embed, row.embed_address)
        for name, row in PROVIDERS.items()
        if row.embed
    },
}
RERANKERS = {
    "onnx": ModelBackend("models.rerankers.onnx:OnnxReranker", extra="onnx"),
    **{
        name: row.build_service_row(row.rerank, row.address)
        for name, row in PROVIDERS.items()
        if row.rerank
    },
}
_COMMANDS = ", ".join(name for name, row in GENERATORS.items() if row.program)
#: Hint on how a setting names a model.
MODEL_HINT = (
    f"write provider:model ({_COMMANDS} alone will do); providers: {', '.join(sorted(GENERATORS))}"
)
NOTIFIERS = {
    "log": ChannelBackend("log:LogChannel"),
    "desktop": ChannelBackend("desktop:DesktopChannel"),
    "openclaw": ChannelBackend("openclaw:OpenClawChannel", key_variable="OPENCLAW_HOOKS_TOKEN"),
    "smtp": ChannelBackend("smtp:SmtpChannel", key_variable="SMTP_PASSWORD"),
}
#: Archives of cold memories, by `archive.cold`. The warm tier is a folder of the home.
ARCHIVES = {
    "folder": ArchiveBackend("vault:open_vault_archive"),
    "obsidian": ArchiveBackend("vault:open_vault_archive"),
    "dropbox": ArchiveBackend(
        "dropbox:open_dropbox_archive",
        extra="dropbox",
        key_variables=("DROPBOX_REFRESH_TOKEN", "DROPBOX_APP_KEY"),
    ),
}
WARM = {"folder": Backend("storage.archives.folder:FolderArchive")}
#: Checks whether a provider accepts a key: functions of the key, the address, the model ('' for
#: none) and a time-out.
KEY_PROBES = {
    name: Backend(f"models.key_probes:{name}", extra="models", modules=row.modules[1:])
    for name, row in PROVIDERS.items()
    if row.is_probed
}
#: Trials of a managed store with the user's own key.
SERVICE_TRIALS = {
    "gemini": Backend("storage.index.gemini.trial:try_service", extra="gemini"),
}
KEYRINGS = {"keyring": Backend("machine.system_keyring:SystemKeyring", extra="keyring")}
TRANSCRIPTS = {
    "openclaw": Backend("machine.transcripts.openclaw:OpenClawDatabase", extra="openclaw"),
    "opencode": Backend("machine.transcripts.opencode:open_transcripts"),
    "kilo": Backend("machine.transcripts.opencode:KiloDatabase"),
    "hermes": Backend("machine.transcripts.hermes:HermesDatabase"),
}
SEALERS = {"age": Backend("storage.sealers.age:AgeSealer", extra="encryption")}
#: Importers of the memories of other programs, in the order in which a path is looked at.
IMPORTS = {
    "chatgpt": Backend("machine.imports.chatgpt:ChatGptReader"),
    "claude": Backend("machine.imports.claude:ClaudeReader"),
    "claude-mem": Backend("machine.imports.claude_mem:ClaudeMemReader"),
    "mem0": Backend("machine.imports.mem0:Mem0Reader"),
    "basic-memory": Backend("machine.imports.notes:BasicMemoryReader"),
}
WATCHERS = {"watchfiles": Backend("machine.watchers:FileWatcher")}


def find_program(program: str, environment: "Mapping[str, str]") -> str:
    """Return the path of a command; '' where it is not found.

    The command is looked for at its path, on PATH, and where agents install themselves.
    """
    from shutil import which

    user = environment.get("HOME") or environment.get("USERPROFILE", "")
    folders = (folder.replace("~", user) for folder in _PROGRAM_FOLDERS)
    return (
        which(program, path=os.pathsep.join((environment.get("PATH", os.defpath), *folders))) or ""
    )


def check_model(table: "dict[str, Any]", alone: "tuple[str, ...]", text: str) -> None:
    """Raise ValueError where a text names no model.

    A model is `provider:model`, the command of an agent, or a word that stands alone. Whether the
    provider has a model of that name is not known here.
    """
    provider, colon, name = text.partition(":")
    if text in alone:
        return
    if any(char.isspace() or not char.isprintable() for char in text):
        raise ValueError("a model's name has no spaces")
    if provider in alone:
        raise ValueError(f"{provider!r} stands alone: it takes no model's name")
    if provider not in table:
        raise ValueError(
            "there is no provider "
            f"{provider!r}{_suggest_backend_name(provider, [*table, *filter(None, alone)])}"
        )
    if not name and (colon or not getattr(table[provider], "program", "")):
        raise ValueError(f"it lacks the model's name, as in {provider}:NAME")


def check_names(known: "Iterable[str]", alone: "tuple[str, ...]", text: str) -> None:
    """Raise ValueError where one of the names in a text, joined by commas, is not known.

    A word of `alone` must be the only name.
    """
    names = [*known]
    if text in alone:
        return
    for name in filter(None, (part.strip() for part in text.split(","))):
        if name in alone:
            raise ValueError(f"{name!r} stands alone")
        if name not in names:
            raise ValueError(
                f"there is no {name!r}{_suggest_backend_name(name, [*names, *filter(None, alone)])}"
            )


def _suggest_backend_name(name: str, known: "list[str]") -> str:
    """Return the known name nearest to a wrong one; all known names where none is near."""
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), known, 1)
    return f"; did you mean {near[0]!r}?" if near else f": {', '.join(sorted(known))}"


# The result is a class; the caller knows its protocol.
def load_backend(table: "dict[str, Any]", name: str) -> "Any":  # noqa: ANN401
    """Return the class of a backend.

    Raises BadConfig for an unknown name, MissingExtra where a package is missing.
    """
    from importlib import import_module

    from gieok import extras
    from gieok.errors import BadConfig

    backend: Backend | None = table.get(name)
    if backend is None:
        raise BadConfig(
            "unknown backend {name!r}",
            name=name,
            table=", ".join(sorted(table)),
            hint="known: {table}",
        )
    module, _, attribute = backend.target.partition(":")
    if backend.modules:
        extras.require(backend.extra, name, backend.modules)
    with extras.imports_of(backend.extra, name):
        return getattr(import_module(module), attribute)


def local_journal(home: str, journal: str) -> str:
    """Return the file of a journal; '' for a journal on a server."""
    row = JOURNALS.get(journal)
    return f"{home}{os.sep}{row.file}" if row and row.file else ""


def local_index(home: str, store: str, *, hybrid: bool) -> str:
    """Return the SQLite file in the `home` folder that holds the texts of a store.

    '' for a store on a server without a replica.
    """
    row = STORES.get(store)
    file = row.file if row else ""
    if row and row.is_remote and hybrid:
        file = STORES[LOCAL_STORE].file
    return f"{home}{os.sep}{file}" if file else ""
