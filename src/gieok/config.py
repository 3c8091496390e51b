"""Settings as one frozen value, with the origin of each part.

Default < user file < project file < environment < flag. A project file comes with a repository that
somebody else wrote: it counts only after a person trusted it, and may only set options that are
marked `in_project`, never a path, a program or a destination of data. `~/.gieok/.env` stands in for
environment variables; secrets are in that file or in the environment, never in a configuration
file.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gieok import fs, paths, places, registry, resolved
from gieok.character.options import OPTIONS as CHARACTER_OPTIONS
from gieok.errors import BadConfig, BadRequest
from gieok.flow import schedule
from gieok.hook.options import (
    ACTIVE,
    EXCLUDED_AGENTS,
    EXCLUDED_FOLDERS,
    HYBRID,
    JOURNAL,
    RULES,
    STORE,
    ZONE,
)
from gieok.hook.options import OPTIONS as PROMPT_OPTIONS
from gieok.option import Option, Value
from gieok.resolved import FileSettings, SettingsFile
from gieok.text.catalogues import list_languages

if TYPE_CHECKING:  # a type alone
    from gieok.ports.keys import Secrets


def _kept_days(text: str) -> object:
    from gieok.flow import housekeeping  # only where it is set

    return housekeeping.parse_days_by_kind(text)


def _build_schedule_option(name: str, default: str, doc: str) -> Option:
    """Return the option of a setting that holds a schedule."""
    return Option(
        name,
        default,
        f"{doc}: minute hour day month weekday, or never",
        check=schedule.check_cron_expression,
        hint=(
            'five fields, such as "0 3 * * *": every day at 03:00, or "30 3 * * 0": Sundays at '
            "03:30; or never"
        ),
    )


def _check_agent_names(text: str) -> None:
    from gieok.agents.agent import list_readable_agents  # as above

    registry.check_names(list_readable_agents(), ("auto", "none"), text)


def _build_model_option(
    name: str, doc: str, default: str = "", alone: tuple[str, ...] = ("",)
) -> Option:
    """Return the option of a setting that names a model; setting an unknown provider is refused."""
    return Option(
        name,
        default,
        doc,
        check=partial(registry.check_model, registry.GENERATORS, alone),
        hint=registry.MODEL_HINT,
    )


OPTIONS = (
    Option(
        "lang",
        "auto",
        "language of what a person reads: auto, en or ko",
        choices=("auto", *list_languages()),
    ),
    Option(
        "scope",
        "auto",
        "whose memory is used; auto: the project's where a `.gieok` folder is, else agent:main",
        pattern=f"auto|{places.SCOPE_PATTERN}",
    ),
    ZONE,
    STORE,
    JOURNAL,
    HYBRID,
    Option("store.timeout_s", 5.0, "how long a database server may take for an answer", low=1),
    Option(
        "database.url",
        "",
        "server of `store: postgres`, `journal: postgres`: postgresql://me@host/name",
        is_address=True,
    ),
    Option(
        "database.connections",
        10,
        "connections of a process to it at most, shared by store, journal, accounts",
        low=1,
    ),
    Option(
        "redis.url",
        "",
        "Redis or Valkey that processes of a service share: rediss://host:6380/0",
        is_address=True,
    ),
    Option(
        "mongo.url",
        "",
        "texts of `journal: mongo`, beside database.url: mongodb://me@host/gieok",
        is_address=True,
    ),
    Option(
        "gemini.stores",
        "gieok",
        "File Search stores of `store: gemini`, found or made; several with commas, at most 5",
    ),
    Option("gemini.model", "gemini-3.5-flash-lite", "the model through which File Search is asked"),
    Option(
        "gemini.embedding_model",
        "",
        "what a new File Search store embeds with; the service's default where empty",
    ),
    Option("gemini.top_k", 10, "how many chunks a search asks for; each is paid as input", low=1),
    Option(
        "gemini.daily_calls", 1000, "searches a day, then local search only; 0: unlimited", low=0
    ),
    Option(
        "gemini.timeout_s", 15.0, "how long a call may take that uploads, deletes or lists", low=1
    ),
    Option(
        "gemini.search_timeout_s",
        2.0,
        "how long a search may wait for the service, all tries together",
        low=0.1,
    ),
    Option(
        "gemini.upload_timeout_s", 120.0, "how long an upload may take to become searchable", low=1
    ),
    Option(
        "gemini.price_input",
        0.30,
        "dollars for a million tokens in, for the cost that `gieok status` shows",
        low=0,
    ),
    Option("gemini.price_output", 2.50, "dollars for a million tokens out", low=0),
    Option("gemini.url", "", "another address of the service, such as a proxy's", is_address=True),
    Option(
        "embedder",
        "e5",
        (
            "what makes vectors: e5 (bundled), a model of yours (docs/backends.md), or none "
            "(keyword search only)"
        ),
        choices=(*registry.EMBEDDERS, "none"),
    ),
    Option(
        "embedder.model",
        "",
        "the model's name at its service; for onnx the folder of an exported model",
    ),
    Option(
        "embedder.base_url",
        "",
        "address of the service, if not the usual one; needed for compatible",
        is_address=True,
    ),
    Option(
        "embedder.key_variable", "", "variable that holds the key; else the service's usual one"
    ),
    Option(
        "embedder.dimension",
        0,
        "numbers a vector is cut to, for models that were trained so; 0: all",
        low=0,
    ),
    Option(
        "embedder.query_prompt", "auto", "put before a question; auto: as the model's makers say"
    ),
    Option(
        "embedder.passage_prompt", "auto", "put before a passage; auto: as the model's makers say"
    ),
    Option(
        "embedder.pooling",
        "auto",
        "for onnx, how tokens become one vector; auto: as the folder says",
        choices=("auto", "mean", "cls", "last", "max"),
    ),
    Option("embedder.timeout_s", 60.0, "how long a service may take for a request", low=1),
    Option(
        "embedder.daily_tokens",
        0,
        "tokens a service may embed in a day, then words alone; 0: no limit",
        low=0,
    ),
    Option(
        "reranker",
        "none",
        (
            "reads question and hits together, after ranking: a model of yours "
            "(docs/backends.md), or none"
        ),
        choices=(*registry.RERANKERS, "none"),
    ),
    Option(
        "reranker.model",
        "",
        "the model's name at its service; for onnx the folder of an exported cross-encoder",
    ),
    Option("reranker.base_url", "", "as embedder.base_url, for the reranker", is_address=True),
    Option("reranker.key_variable", "", "as embedder.key_variable, for the reranker"),
    Option("reranker.candidates", 20, "how many hits it reads", low=1),
    Option("reranker.timeout_s", 10.0, "how long it may take before hits stand as they are", low=1),
    Option("reranker.daily_tokens", 0, "as embedder.daily_tokens, for the reranker", low=0),
    Option("threads", 1, "threads for embedding; more is slower beside other work", low=1),
    Option(
        "search.profile",
        "files",
        "how hits are ranked",
        in_project=True,
        choices=("files", "openclaw"),
    ),
    Option("search.limit", 0, "how many hits; 0: what the profile says", in_project=True, low=0),
    Option(
        "search.min_score",
        -1.0,
        "hits below are left out; -1: what the profile says",
        in_project=True,
        low=-1,
    ),
    Option(
        "search.half_life_days",
        -1.0,
        "decay of dated notes; 0: none, -1: what the profile says",
        in_project=True,
        low=-1,
    ),
    Option("index.passage_tokens", 400, "size of a passage", low=32),
    Option("index.overlap_tokens", 80, "what a passage repeats of the one before it", low=0),
    Option(
        "index.sessions",
        True,
        "what users and agents said is searchable: every turn of the transcripts that are read",
    ),
    Option(
        "seed.files",
        True,
        "agents' own memory and files of instructions (CLAUDE.md, AGENTS.md …) are searched too",
    ),
    Option(
        "seed.commits",
        500,
        "newest commits of a project's Git log that are searched too; 0: none",
        low=0,
    ),
    RULES,
    Option(
        "watch.debounce_ms", 1500, "milliseconds without a change before a file is indexed", low=50
    ),
    Option(
        "watch.rescan_s",
        300,
        "seconds without an event after which everything is compared again",
        low=1,
    ),
    *PROMPT_OPTIONS,
    Option(
        "doctor.timeout_s",
        20.0,
        "how long a trial waits for a model or an archive at a service, all tries together",
        low=0.1,
    ),
    Option(
        "daemon.idle_hours",
        3.0,
        "a daemon that a session start brought up ends after so long unused; 0: never",
        low=0,
    ),
    Option(
        "observe.agents",
        "auto",
        "whose transcripts are read: auto, none, or names joined by commas",
        check=_check_agent_names,
        hint="agents: as `gieok install --help` lists them, or auto, or none",
    ),
    EXCLUDED_FOLDERS,
    EXCLUDED_AGENTS,
    Option("observe.folders", "", "more folders of JSONL transcripts, joined as in PATH"),
    Option(
        "observe.notes", "", "folders of Markdown that are mirrored for an agent, joined by commas"
    ),
    Option(
        "observe.notes_target",
        "",
        "where mirrors go; else the memory folder of OpenClaw's workspace",
    ),
    _build_model_option(
        "observe.model",
        "what observes: rules (no model), provider:model, or claude-code, codex (no key)",
        "rules",
        ("rules",),
    ),
    Option(
        "observe.base_url",
        "",
        "address of the model's provider, needed for compatible; or the path of claude, codex",
    ),
    Option(
        "observe.key_variable", "", "variable that holds the key; else the provider's usual one"
    ),
    Option("observe.temperature", 0.3, "temperature of the observer", low=0),
    Option(
        "observe.run_tokens",
        30_000,
        "tokens of messages that are observed together, as one span",
        low=100,
    ),
    Option(
        "observe.chunk_tokens",
        6_000,
        "tokens of messages that are observed ahead in the background",
        low=20,
    ),
    Option(
        "observe.hard_stop_tokens",
        36_000,
        "tokens of messages at which observing is no longer deferred",
        low=120,
    ),
    Option(
        "observe.idle_minutes",
        30,
        "minutes without a message after which the rest of a conversation is observed",
        low=1,
    ),
    Option("observe.daily_tokens", 1_000_000, "model tokens that may be used in a day", low=0),
    Option(
        "observe.price_in",
        -1.0,
        "dollars for a million tokens in, of all roles; -1: as Gieok knows",
        low=-1,
    ),
    Option(
        "observe.price_out", -1.0, "dollars for a million tokens out; both are set, or none", low=-1
    ),
    Option(
        "character.windows",
        "memory",
        "where messages after the last summary are held once they were read",
        choices=(*registry.CACHES, "none"),
    ),
    Option(
        "archive.hot_days",
        90,
        "days after which a memory leaves hot for a file that you can read",
        low=1,
    ),
    Option(
        "archive.hot_mb",
        30,
        "megabytes of a scope's memories in hot; what is more leaves early; 0: all",
        low=0,
    ),
    Option(
        "archive.hot_tokens",
        30_000,
        "tokens of a scope's memories in hot; what is more leaves early; 0: all",
        low=0,
    ),
    Option(
        "archive.journal_days",
        365,
        "days after which what was said leaves the database for a readable file a month; 0: never",
        low=0,
    ),
    Option(
        "archive.warm_days", 365, "days after which such a file may move on to archive.cold", low=1
    ),
    Option(
        "archive.cold",
        "none",
        "where old memory goes in the end: nowhere, a folder, an Obsidian vault, Dropbox",
        choices=("none", "folder", "obsidian", "dropbox"),
    ),
    Option(
        "archive.folder",
        "",
        "the folder or the vault of archive.cold; the vault that Obsidian opened last where empty",
    ),
    Option("archive.subfolder", "Gieok", "the folder in it that is Gieok's own"),
    Option(
        "archive.auto_approve",
        False,
        "move to archive.cold without asking (`gieok archive pending`)",
    ),
    _build_schedule_option(
        "archive.schedule_cold",
        "30 3 * * 0",
        "when what is old enough moves to archive.cold, or is asked about",
    ),
    _build_schedule_option(
        "archive.schedule_sync",
        "0 4 * * *",
        "when archive.cold and Gieok are synchronised, both ways",
    ),
    _build_schedule_option(
        "archive.schedule_warm", "0 3 * * *", "when memories move from hot to warm"
    ),
    *CHARACTER_OPTIONS,
    _build_model_option(
        "reflect.model",
        "what reflects: as observe.model, which it is where this is empty",
        alone=("", "rules"),
    ),
    Option("reflect.base_url", "", "as observe.base_url, for the model that reflects"),
    Option("reflect.key_variable", "", "as observe.key_variable, for the model that reflects"),
    Option("reflect.temperature", 0.0, "temperature of the reflector", low=0),
    Option(
        "reflect.tokens", 40_000, "tokens of observations at which they are reflected upon", low=100
    ),
    _build_schedule_option(
        "reflect.schedule",
        "0 2 * * 0",
        "when observations are reflected upon although there are not too many",
    ),
    _build_schedule_option(
        "gemini.schedule",
        "15 5 * * *",
        "when Gemini File Search is compared with what is here, and brought in line",
    ),
    _build_schedule_option(
        "housekeeping.schedule", "30 4 * * *", "when what is not needed any more is cleared away"
    ),
    Option(
        "housekeeping.keep",
        "",
        "days that logs, runs … are kept, where you want others: logs=14, runs=0 (for ever)",
        check=_kept_days,
        hint='write `housekeeping.keep: "logs=14, history=0"`; 0: for ever',
    ),
    _build_model_option(
        "code.model",
        (
            "the strong model: `gieok ask`, `code init --full`, `code escalate`: provider:model; "
            "empty: none"
        ),
    ),
    Option(
        "code.base_url", "", "as observe.base_url, for code.model and models of the same provider"
    ),
    Option(
        "code.key_variable",
        "",
        "as observe.key_variable, for code.model and models of the same provider",
    ),
    Option(
        "code.summary_tokens",
        200_000,
        "tokens that summaries may use in one `code init --full` or `code escalate`",
        low=0,
    ),
    Option(
        "code.embed_passages",
        2_000,
        "passages that one `code init` or `code sync` gives vectors at most, first of what a "
        "search needs first; the rest waits for the next; 0: all",
        low=0,
    ),
    _build_model_option(
        "code.upkeep_model",
        "the cheap model that summarises what changed at every sync; empty: none",
    ),
    Option(
        "code.upkeep_base_url",
        "",
        "as code.base_url, which it is where this is empty and the provider the same",
    ),
    Option(
        "code.upkeep_key_variable",
        "",
        "as code.key_variable, which it is where this is empty and the provider the same",
    ),
    Option(
        "code.upkeep_tokens",
        20_000,
        "tokens that summaries may use in one sync; what is left waits for the next",
        low=0,
    ),
    Option(
        "backup.folder",
        "",
        "where `gieok backup` puts backups; empty: beside the home, as `.gieok-backups`",
    ),
    _build_schedule_option("backup.schedule", "", "when a backup is made"),
    Option("backup.keep", 7, "how many of the newest backups stay; 0: all", low=0),
    Option(
        "keys.store",
        "file",
        "where `gieok keys set` puts keys: .env or the system's keyring",
        choices=("file", "keyring"),
    ),
    Option(
        "notify.to",
        "log",
        "how you are told of what waits for you: log, desktop, openclaw, smtp, joined by commas",
        check=partial(registry.check_names, registry.NOTIFIERS, ()),
        hint=f"one or more of {', '.join(registry.NOTIFIERS)}",
    ),
    Option("notify.timeout_s", 10.0, "how long each way of telling may take", low=1),
    Option(
        "notify.openclaw_url",
        "",
        "address of OpenClaw's gateway; empty: as its own configuration says",
        is_address=True,
    ),
    Option(
        "notify.openclaw_route",
        "wake",
        "wake (its next turn), agent (a run that answers you), or the path of a mapping",
    ),
    Option(
        "notify.smtp_host",
        "",
        "server that takes your mail; the password: SMTP_PASSWORD (environment, or .env)",
    ),
    Option("notify.smtp_port", 0, "its port; 0: the usual one of notify.smtp_security", low=0),
    Option(
        "notify.smtp_security",
        "starttls",
        "how the way there is encrypted",
        choices=("starttls", "tls", "none"),
    ),
    Option("notify.smtp_user", "", "name to log in with; empty: without"),
    Option("notify.mail_from", "", "sender; empty: notify.smtp_user, else the first recipient"),
    Option("notify.mail_to", "", "who gets mail, joined by commas"),
    ACTIVE,
    Option("active_memory.budget_tokens", 2_500, "size of active memory", low=200),
    Option("active_memory.template", "", "a file to use instead of the built-in template"),
)
_BY_NAME = {option.name: option for option in OPTIONS}
#: Where the password of an address is set, by the group of the address's setting.
_PASSWORDS = {"redis": "REDIS_PASSWORD", "mongo": "MONGO_PASSWORD"}


class Setting(NamedTuple):
    """A value with its origin: `default`, a file, an environment variable or `flag`."""

    value: Value
    origin: str


class Settings(NamedTuple):
    """All settings by name, the home folder that they were read from, and the secrets by name.

    Secrets are variables that are no settings.
    """

    home: Path
    values: Mapping[str, Setting]
    secrets: "Secrets"

    def secret(self, name: str) -> str:
        """Return a secret, or '' where there is none."""
        return self.secrets.secret(name)

    def text(self, name: str) -> str:
        """Return a text setting."""
        return str(self.values[name].value)

    def number(self, name: str) -> float:
        """Return a number setting."""
        return float(self.values[name].value)

    def flag(self, name: str) -> bool:
        """Return a yes-or-no setting."""
        return bool(self.values[name].value)

    def integer(self, name: str) -> int:
        """Return a whole-number setting."""
        return int(self.values[name].value)


def load_effective_settings(
    flags: Mapping[str, str],
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    troubles: list[BadConfig] | None = None,
) -> Settings:
    """Read every source of settings once.

    `flags` is name → text. Raises BadConfig, which names key, value and origin. With `troubles`, a
    wrong value is left out and its error is added there; a wrong flag raises all the same.
    """
    environment = os.environ if environment is None else environment
    home = paths.locate_home()
    project = places.project_root(str(folder or Path.cwd()))
    pairs, wrong = resolved.resolve_settings(
        str(home), project, OPTIONS, environment, parse_settings_file
    )
    if wrong and troubles is None:
        raise wrong[0]
    if troubles is not None:
        troubles += wrong
    values = {name: Setting(*pair) for name, pair in pairs.items()}
    for name, text in flags.items():
        values[name] = Setting(_find_option(name, "flag").parse(text, "flag"), "flag")
    has_keyring = values["keys.store"].value == "keyring"
    return Settings(
        home, MappingProxyType(values), HomeSecrets(str(home), environment, has_keyring)
    )


def parse_settings_file(home: str, file: SettingsFile) -> FileSettings:
    """Return the content of a settings file, and cache it in the home folder for the next process.

    The cache is `gieok.resolved`.
    """
    file_settings = _read_settings_lines(home, file)
    resolved.keep_parsed_settings(home, file, file_settings)
    return file_settings


def wrong(home: Path, text: str) -> list[BadConfig]:
    """Return the errors that a text would have as the user's settings file."""
    content = text.encode("utf-8", "surrogateescape")
    return _read_settings_lines(
        str(home), SettingsFile(str(paths.locate_user_config(home)), content, in_project=False)
    ).wrong


def _read_settings_lines(home: str, file: SettingsFile) -> FileSettings:
    file_settings = FileSettings({})
    try:
        for name, value in _flatten_settings(parse_yaml_mapping(file.path, file.content)):
            try:
                file_settings.values[name] = _parse_setting_value(home, file, name, value)
            except BadConfig as error:
                file_settings.wrong.append(error)
    except BadConfig as error:
        file_settings.wrong.append(error)
    return file_settings


def parse_yaml_mapping(file: str, content: bytes) -> dict[object, object]:
    """Return the mapping in a YAML file."""
    # only where a file is new or changed: parsing costs as much as the rest of a keyword search
    import yaml

    try:
        data = yaml.safe_load(content.decode("utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise resolved.unreadable(file, error) from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise BadConfig(
            "{file!r} must hold `name: value` lines, not a {kind}",
            file=file,
            kind=type(data).__name__,
            origin=file,
        )
    return data


def _flatten_settings(
    data: Mapping[object, object], prefix: str = ""
) -> Iterator[tuple[str, object]]:
    """Yield (dotted name, value): `search: {limit: 3}` and `search.limit: 3` are the same."""
    for name, value in data.items():
        if isinstance(value, dict) and not prefix:
            yield from _flatten_settings(value, f"{name}.")
        else:
            yield f"{prefix}{name}", value


def _parse_setting_value(home: str, file: SettingsFile, name: str, value: object) -> Value:
    """Return the value of one entry of a settings file. Raises BadConfig."""
    origin = file.path
    if isinstance(value, dict):
        raise BadConfig(
            "the setting {path!r} in {origin!r} is nested too deeply",
            path=f"{name}.{next(iter(value), '')}",
            hint="write `search: {limit: 3}`, one level",
            setting=name,
            origin=origin,
        )
    option = _find_option(name, origin)
    if file.in_project and not option.in_project:
        raise option.bad(
            "{origin!r} sets {setting!r}, which a project may not set",
            origin,
            "move it to the user file ({file}) or remove it",
            file=paths.locate_user_config(Path(home)),
        )
    if value is None:  # a name without a value
        return option.default
    if option.is_address and without_password(str(value)) != str(value):
        variable = _PASSWORDS.get(option.group, "PGPASSWORD")
        raise option.bad(
            "{setting!r} in {origin!r} holds a password",
            origin,
            "take it out, and write `{variable}=…` into {secrets} (chmod 600)",
            variable=variable,
            secrets=resolved.private_file(home),
        )
    return option.parse(
        json.dumps(value, ensure_ascii=False) if option.is_list else str(value), origin
    )


def supposing(settings: Settings, texts: Mapping[str, str], secrets: Mapping[str, str]) -> Settings:
    """Return the settings as if some had the given texts and secrets. Raises BadConfig."""
    values = {
        name: Setting(_find_option(name, "setup").parse(text, "setup"), "flag")
        for name, text in texts.items()
    }
    merged = MappingProxyType({**settings.values, **values})
    return settings._replace(values=merged, secrets=SupposedSecrets(secrets, settings.secrets))


def choose(settings: Settings, name: str, value: str) -> None:
    """Set one setting permanently in the user's file; see `change_settings`."""
    change_settings(settings, {name: value})


def change_settings(settings: Settings, texts: Mapping[str, str]) -> None:
    """Set settings permanently in the user's file, all in one step.

    The rest of the file, comments included, stays as it is. `texts` is name → text. After a kill at
    any moment, the file is the old one or the new one. Raises as `plan_settings_change`.
    """
    with changing(settings.home):
        if new_text := plan_settings_change(settings, texts):
            fs.replace_private(paths.locate_user_config(settings.home), new_text)


def changing(home: Path) -> fs.exclusive:
    """Return the lock under which the user's file is read and then written."""
    return fs.lock_resource(home, paths.locate_user_config(home))


def plan_settings_change(settings: Settings, texts: Mapping[str, str]) -> str:
    """Return the user's file with settings changed; '' where nothing changes.

    Raises BadRequest where another source would override the file, BadConfig for a wrong value.
    """
    file = paths.locate_user_config(settings.home)
    for name in texts:
        if (origin := settings.values[name].origin) not in ("default", str(file)):
            raise BadRequest(
                "{name!r} is set by {origin!r}, which wins over {file!r}",
                name=name,
                origin=origin,
                file=file,
                hint="remove it there first",
            )
    values = {
        name: _find_option(name, str(file)).parse(text, str(file)) for name, text in texts.items()
    }
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    new_text = _rewrite_settings_text(str(file), text, values)
    reread = dict(_flatten_settings(parse_yaml_mapping(str(file), new_text.encode())))
    if any(reread.get(name) != value for name, value in values.items()):
        raise BadConfig(
            "{file!r} is written in a way that cannot be changed without losing something",
            file=file,
            lines="; ".join(f"{name}: {texts[name]}" for name in texts),
            hint="write there yourself: {lines}",
        )
    return new_text if new_text != text else ""


def _rewrite_settings_text(file: str, text: str, values: Mapping[str, Value]) -> str:
    import yaml

    from gieok.settings_file import change_settings_text  # for commands that write settings

    try:
        return change_settings_text(text, values, _BY_NAME)
    except yaml.YAMLError as error:
        raise resolved.unreadable(file, error) from error


def without_password(address: str) -> str:
    """Return a URL or connection string with its password replaced by stars."""
    in_url = re.sub(r"^([\w+.-]+://[^:/?#@]*):[^/?#]*@", r"\1:***@", address)
    return re.sub(
        r"(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)", r"\1***", in_url, flags=re.IGNORECASE
    )


def _find_option(name: str, origin: str) -> Option:
    option = _BY_NAME.get(name)
    if option is None:
        from difflib import get_close_matches  # 2 ms

        near = get_close_matches(name, _BY_NAME, 1)
        raise BadConfig(
            "unknown setting {setting!r} in {origin!r}",
            near=", ".join(near),
            names=", ".join(_BY_NAME),
            hint="did you mean {near!r}?" if near else "settings: {names}",
            setting=name,
            origin=origin,
        )
    return option


class HomeSecrets(NamedTuple):
    """`Secrets` of the environment, then of `.env` in the home folder, then of the keyring.

    A secret is read anew every time, so that a replaced key takes effect at once.
    """

    home: str
    environment: Mapping[str, str]
    has_keyring: bool

    def secret(self, variable: str) -> str:
        """Return a secret, or '' where there is none."""
        found = self.environment.get(variable)
        found = found or resolved.private_variables(self.home).get(variable, "")
        if found or not self.has_keyring:
            return found
        return str(registry.load_backend(registry.KEYRINGS, "keyring")().read(variable))


class SupposedSecrets(NamedTuple):
    """`Secrets` that are supposed to be set, above those that are."""

    supposed: Mapping[str, str]
    known: "Secrets"

    def secret(self, variable: str) -> str:
        """Return a secret, or '' where there is none."""
        return self.supposed.get(variable) or self.known.secret(variable)
