"""Settings: one frozen value, and where each part of it came from.

Default < user file < project file < environment < flag. A project file comes with a repository that somebody else wrote:
it counts once a person trusted it, and may only set what is marked `in_project`, never a path, a program or where data
goes. `~/.gieok/.env` stands in for environment variables; secrets stand there or in the environment, never in a
configuration file.
"""

import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gieok import fs, paths, places, registry, trust
from gieok.capabilities.prompt.options import BOOLEANS
from gieok.capabilities.prompt.options import OPTIONS as PROMPT_OPTIONS
from gieok.errors import BadConfig, BadRequest

if TYPE_CHECKING:
    from gieok.text.redact.rule import Rule

Value = str | int | float | bool


class Option(NamedTuple):
    """One setting. `choices` closes its values; `low` is the least a number may be."""

    name: str
    default: Value
    doc: str
    in_project: bool = False
    choices: tuple[str, ...] = ()
    low: float | None = None
    #: A database's URL or connection string, in which a password may not stand in a file and is never shown.
    is_address: bool = False
    #: Its value is a list, kept as JSON; this raises ValueError, which says what is wrong with it.
    check: Callable[[str], object] | None = None

    @property
    def variable(self) -> str:
        """Return the environment variable, e.g. GIEOK_SEARCH_LIMIT."""
        return "GIEOK_" + self.name.replace(".", "_").upper()


def rules(text: str) -> "tuple[Rule, ...]":
    """Return the rules of redaction that a setting tells, as JSON. Raises ValueError."""
    if not text:
        return ()
    from gieok.text.redact import own  # a third of what a cold search has

    return own.made(json.loads(text))


OPTIONS = (
    Option("lang", "auto", "language of what a person reads: auto, en or ko", choices=("auto", "en", "ko")),
    Option("scope", "auto", "whose memory is used; auto: the project's where a `.gieok` folder is, else agent:main"),
    Option("store", "sqlite", "where memory is kept", choices=tuple(registry.STORES)),
    Option("hybrid", False, "beside a remote store, answer from a local index too"),
    Option("store.timeout_s", 5.0, "how long a database server may take for an answer", low=1),
    Option("database.url", "", "the database of `store: postgres`, such as postgresql://me@host/memory", is_address=True),
    Option("gemini.stores", "gieok", "File Search stores of `store: gemini`, found or made; several with commas, at most 5"),
    Option("gemini.model", "gemini-3.5-flash-lite", "the model through which File Search is asked"),
    Option("gemini.embedding_model", "", "what a new File Search store embeds with; the service's default where empty"),
    Option("gemini.top_k", 10, "how many chunks a search asks for; each is paid as input", low=1),
    Option("gemini.daily_calls", 1000, "searches a day, then the local legs answer alone; 0: no end", low=0),
    Option("gemini.timeout_s", 15.0, "how long a call may take", low=1),
    Option("gemini.upload_timeout_s", 120.0, "how long an upload may take to become searchable", low=1),
    Option("gemini.price_input", 0.30, "dollars for a million tokens in, for the cost that `gieok status` shows", low=0),
    Option("gemini.price_output", 2.50, "dollars for a million tokens out", low=0),
    Option("gemini.url", "", "another address of the service, such as a proxy's", is_address=True),
    Option("embedder", "e5", "what makes vectors: e5 (bundled), or none (keyword search only)", choices=("e5", "none")),
    Option("threads", 1, "threads for embedding; more is slower beside other work", low=1),
    Option("search.profile", "files", "how hits are ranked", in_project=True, choices=("files", "openclaw")),
    Option("search.limit", 0, "how many hits; 0: what the profile says", in_project=True, low=0),
    Option("search.min_score", -1.0, "hits below are left out; -1: what the profile says", in_project=True, low=-1),
    Option("search.half_life_days", -1.0, "decay of dated notes; 0: none, -1: what the profile says", in_project=True, low=-1),
    Option("index.passage_tokens", 400, "size of a passage", low=32),
    Option("index.overlap_tokens", 80, "what a passage repeats of the one before it", low=0),
    Option("index.sessions", False, "OpenClaw's transcripts are memory too, in every scope but a project's"),
    Option("redact.rules", "", "your own rules of what is cut: a list of name, pattern, example, counter_example", check=rules),
    Option("watch.debounce_ms", 1500, "how long a file must be quiet before it is indexed", low=50),
    Option("watch.rescan_s", 300, "how often everything is compared again while watching", low=1),
    *(Option(*row) for row in PROMPT_OPTIONS),
    Option("observe.agents", "auto", "whose transcripts are read: auto, none, or names joined by commas"),
    Option("observe.folders", "", "more folders of JSONL transcripts, joined as in PATH"),
    Option("observe.notes", "", "folders of Markdown that are mirrored for an agent, joined by commas"),
    Option("observe.notes_target", "", "where mirrors go; else the memory folder of OpenClaw's workspace"),
    Option("observe.model", "rules", "what observes: rules (no model), or provider:model, as gemini:gemini-2.5-flash"),
    Option("observe.base_url", "", "address of the model's provider; needed for compatible"),
    Option("observe.key_variable", "", "variable that holds the key; else the provider's usual one"),
    Option("observe.temperature", 0.3, "temperature of the observer", low=0),
    Option("observe.run_tokens", 30_000, "tokens of messages that are observed and let go together", low=100),
    Option("observe.chunk_tokens", 6_000, "tokens of messages that are observed ahead in the background", low=20),
    Option("observe.hard_stop_tokens", 36_000, "tokens of messages at which nothing is put off any more", low=120),
    Option("observe.idle_minutes", 30, "a conversation that rests this long is observed whole", low=1),
    Option("observe.daily_tokens", 1_000_000, "model tokens that may be used in a day", low=0),
    Option("observe.price_in", -1.0, "dollars for a million tokens in, of all roles; -1: as Gieok knows", low=-1),
    Option("observe.price_out", -1.0, "dollars for a million tokens out; both are set, or none", low=-1),
    Option("reflect.model", "", "what reflects: as observe.model, which it is where this is empty"),
    Option("reflect.base_url", "", "as observe.base_url, for the model that reflects"),
    Option("reflect.key_variable", "", "as observe.key_variable, for the model that reflects"),
    Option("reflect.temperature", 0.0, "temperature of the reflector", low=0),
    Option("reflect.tokens", 40_000, "tokens of observations at which they are reflected upon", low=100),
    Option("code.model", "", "the strong model: `gieok ask`, `code init --full`, `code escalate`: provider:model; empty: none"),
    Option("code.base_url", "", "as observe.base_url, for code.model and models of the same provider"),
    Option("code.key_variable", "", "as observe.key_variable, for code.model and models of the same provider"),
    Option("code.summary_tokens", 200_000, "tokens that summaries may use in one `code init --full` or `code escalate`", low=0),
    Option("code.upkeep_model", "", "the cheap model that summarises what changed at every sync; empty: none"),
    Option("code.upkeep_base_url", "", "as code.base_url, which it is where this is empty and the provider the same"),
    Option("code.upkeep_key_variable", "", "as code.key_variable, which it is where this is empty and the provider the same"),
    Option("code.upkeep_tokens", 20_000, "tokens that summaries may use in one sync; what is left waits for the next", low=0),
    Option("active_memory.path", "", "where active memory is written; else active_memory.md in Gieok's home"),
    Option("active_memory.budget_tokens", 2_500, "size of active memory", low=200),
    Option("active_memory.template", "", "a file to use instead of the built-in template"),
)  # fmt: skip
_BY_NAME = {option.name: option for option in OPTIONS}


class Setting(NamedTuple):
    """A value with its origin: `default`, a file, a variable or `flag`."""

    value: Value
    origin: str


class Settings(NamedTuple):
    """All settings by name, the home folder they were read from, and variables that are no settings (secrets) by name."""

    home: Path
    values: Mapping[str, Setting]
    secret: Callable[[str], str]

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


def load(
    flags: Mapping[str, str],
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    troubles: list[BadConfig] | None = None,
) -> Settings:
    """Read every source once. `flags` is name → text. Raises BadConfig, which names key, value and origin.

    With `troubles`, a source that is wrong is left out, and why is put there.
    """
    environment = os.environ if environment is None else environment
    home = paths.home()
    values = {option.name: Setting(option.default, "default") for option in OPTIONS}

    @contextmanager
    def source() -> Iterator[None]:
        before = dict(values)
        try:
            yield
        except BadConfig as error:
            if troubles is None:
                raise
            troubles.append(error)
            values.update(before)

    user = paths.user_config(home)
    if user.is_file():
        with source():
            _merge(values, _read(user), str(user))
    project = places.project_root(str(folder or Path.cwd()))
    # What nobody trusted is not read at all: not even its errors may stand in a user's way.
    if project and (trusted := trust.settings(str(home), project)):
        with source():
            origin = trust.settings_file(project)
            _merge(values, _read(Path(origin), trusted), origin, allowed=lambda option: option.in_project)
    private: dict[str, str] = {}
    with source():
        private = _read_private(home)
    for option in OPTIONS:
        with source():
            if text := environment.get(option.variable):
                values[option.name] = Setting(_parse(option, text, option.variable), option.variable)
            elif text := private.get(option.variable):
                values[option.name] = Setting(_parse(option, text, origin := str(paths.private(home))), origin)
    for name, text in flags.items():
        values[name] = Setting(_parse(_option(name, "flag"), text, "flag"), "flag")
    return Settings(home, MappingProxyType(values), partial(_secret, home, environment))


def _read_private(home: Path) -> dict[str, str]:
    """Return the variables of `.env`: `NAME=value` lines, quotes and `export` allowed, `#` begins a comment line."""
    file = paths.private(home)
    if not file.is_file():
        return {}
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadConfig(f"{str(file)!r} holds secrets and can be read by others", hint=f"run `chmod 600 {file}`")
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"cannot read {str(file)!r}: {error}") from error
    return {found["name"]: found["value"] for line in lines if (found := _VARIABLE.fullmatch(line))}


_VARIABLE = re.compile(r"""\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<quote>["']?)(?P<value>.*?)(?P=quote)\s*""")


def _read(file: Path, text: str | None = None) -> dict[str, object]:
    """Return the settings of a file, of which `text` was read already."""
    import yaml  # only where there is a file: it costs as much as the rest of a keyword search

    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8") if text is None else text)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadConfig(
            f"cannot read {str(file)!r}: {' '.join(str(error).split())}",
            hint="mend the file, or move it away; `gieok doctor` goes on without it",
        ) from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise BadConfig(f"{str(file)!r} must hold `name: value` lines, not a {type(data).__name__}")
    return dict(_flat(data, ""))


def _flat(data: Mapping[object, object], prefix: str) -> list[tuple[str, object]]:
    """Return dotted names: `search: {limit: 3}` and `search.limit: 3` are the same."""
    pairs: list[tuple[str, object]] = []
    for name, value in data.items():
        dotted = f"{prefix}{name}"
        if isinstance(value, dict) and prefix:
            raise BadConfig(
                f"the setting {dotted!r} is nested too deeply", hint="write `search: {limit: 3}`, one level"
            )
        pairs += _flat(value, f"{dotted}.") if isinstance(value, dict) else [(dotted, value)]
    return pairs


def _merge(
    values: dict[str, Setting],
    found: Mapping[str, object],
    origin: str,
    allowed: Callable[[Option], bool] = lambda option: True,
) -> None:
    for name, value in found.items():
        option = _option(name, origin)
        if not allowed(option):
            raise BadConfig(
                f"{origin!r} sets {name!r}, which a project may not set",
                hint=f"move it to the user file ({paths.user_config(paths.home())}) or remove it",
            )
        if option.is_address and without_password(str(value)) != str(value):
            raise BadConfig(
                f"{name!r} in {origin!r} holds a password",
                hint=f"take it out, and write `PGPASSWORD=…` into {paths.private(paths.home())} (chmod 600)",
            )
        text = json.dumps(value, ensure_ascii=False) if option.check else str(value)
        values[name] = Setting(_parse(option, text, origin), origin)


def choose(settings: Settings, name: str, value: str) -> None:
    """Set one top-level setting in the user's file for good; the rest of the file, comments too, stays as it is.

    Killed at any moment, the file is the old one or the new one. Raises BadRequest where another source would win.
    """
    file, origin = paths.user_config(settings.home), settings.values[name].origin
    if origin not in ("default", str(file)):
        raise BadRequest(f"{name!r} is set by {origin!r}, which wins over {str(file)!r}", hint="remove it there first")
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    line = f"{name}: {value}\n"
    changed, found = re.subn(rf"^{re.escape(name)}\s*:.*(\n|$)", line, text, count=1, flags=re.MULTILINE)
    fs.replace_private(file, changed if found else text + ("" if text.endswith("\n") or not text else "\n") + line)


def without_password(address: str) -> str:
    """Return a URL or connection string with its password replaced by stars."""
    in_url = re.sub(r"^(\w+://[^:/?#@]*):[^/?#]*@", r"\1:***@", address)
    return re.sub(r"(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)", r"\1***", in_url, flags=re.IGNORECASE)


def _option(name: str, origin: str) -> Option:
    option = _BY_NAME.get(name)
    if option is None:
        from difflib import get_close_matches  # 2 ms

        near = get_close_matches(name, _BY_NAME, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"settings: {', '.join(_BY_NAME)}"
        raise BadConfig(f"unknown setting {name!r} in {origin!r}", hint=hint)
    return option


def _parse(option: Option, text: str, origin: str) -> Value:
    try:
        value = BOOLEANS[text.lower()] if isinstance(option.default, bool) else type(option.default)(text)
    except KeyError:
        raise BadConfig(f"{option.name} is {text!r} in {origin!r}; it must be true or false") from None
    except ValueError:
        kind = "a whole number" if isinstance(option.default, int) else "a number"
        raise BadConfig(f"{option.name} is {text!r} in {origin!r}; it must be {kind}") from None
    if option.check:
        try:
            option.check(text)
        except ValueError as error:
            hint = "each rule: name, pattern, example, counter_example (docs/privacy.md)"
            raise BadConfig(f"{option.name} in {origin!r}: {error}", hint=hint) from None
    if option.choices and value not in option.choices:
        raise BadConfig(f"{option.name} is {text!r} in {origin!r}; it must be one of {', '.join(option.choices)}")
    if option.low is not None and not float(value) >= option.low:
        raise BadConfig(f"{option.name} is {text!r} in {origin!r}; it must be at least {option.low:g}")
    return value


def ignored(file: Path) -> tuple[str, ...]:
    """Return the patterns under `ignore` in a project's settings of its code. Raises BadConfig."""
    if not file.is_file():
        return ()
    found = _read(file)
    patterns: object = found.pop("ignore", None) or []
    if found:
        raise BadConfig(f"unknown setting {min(found)!r} in {str(file)!r}", hint="known: ignore")
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise BadConfig(f"`ignore` in {str(file)!r} must be a list of patterns")
    return tuple(patterns)


def _secret(home: Path, environment: Mapping[str, str], name: str) -> str:
    """Return a secret from the environment, else from `.env` in the home folder, '' where it is in neither.

    Read anew every time: a key that is replaced holds at once.
    """
    return environment.get(name) or _read_private(home).get(name, "")
