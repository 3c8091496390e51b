"""Keys of services: found, stored and tested.

The tables of backends and the settings name the keys; `.env` or the system's keyring stores them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gieok import fs, paths, registry
from gieok.env_file import assigned, private_variables
from gieok.errors import BadConfig, BadRequest, GieokError, MissingExtra, ServiceFailed
from gieok.home import archive, models, notices
from gieok.home.home import Home
from gieok.opening import ModelOpening
from gieok.ports.keys import KeyRow, SecretStore, Trial, Verdict
from gieok.text.redact import redact

_TIMEOUT_S = 20.0
#: Settings that name a model, each with the prefix of the settings for its address and key.
_MODELS = (
    ("observe.model", "observe."),
    ("reflect.model", "reflect."),
    ("code.model", "code."),
    ("code.upkeep_model", "code.upkeep_"),
    ("character.model", "character."),
    ("character.memory_model", "character.memory_"),
)
#: Statuses of a service that read a request which it cannot serve; or of one that does not know the
#: address and did not read the key.
_UNSURE = (400, 404, 422)
_TABLES = (registry.GENERATORS, registry.EMBEDDERS, registry.RERANKERS, registry.NOTIFIERS)


class KeyUse(NamedTuple):
    """Service that takes a key.

    The fields give the setting that chose the service ('': none did), its table, and the values
    that open it.
    """

    setting: str
    table: "Mapping[str, registry.Backend]"
    provider: str
    variable: str
    address: str = ""
    model: str = ""


class HomeKeys:
    """Keys of a caller's home and environment; no method returns the value of a key."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._settings = home.settings
        self._file = paths.locate_secrets_file(home.settings.home)

    def rows(self) -> Sequence[KeyRow]:
        """Return every key that may be set, keys in use first. Raises BadConfig."""
        uses: dict[str, list[KeyUse]] = {}
        for use in (*self._chosen(), *_iter_key_uses()):
            uses.setdefault(use.variable, []).append(use)
        private = private_variables(str(self._settings.home))
        return [
            KeyRow(
                variable,
                tuple(dict.fromkeys(use.provider for use in key_uses)),
                tuple(dict.fromkeys(use.setting for use in key_uses if use.setting)),
                self._place(variable, private),
            )
            for variable, key_uses in uses.items()
        ]

    def row(self, name: str) -> KeyRow:
        """Return the key of a service or a variable. Raises BadRequest."""
        rows = self.rows()
        key_row = next((row for row in rows if name == row.variable or name in row.names), None)
        if key_row is None:  # what was given may be the key itself: it is not shown
            known = sorted({name for row in rows for name in row.names})
            raise BadRequest(
                "that names no key that Gieok uses",
                known=", ".join(known),
                hint="names: {known}, or a variable of `gieok keys list`",
            )
        return key_row

    def put(self, row: KeyRow, value: str) -> str:
        """Set a key permanently, in one step; return where it is kept.

        All other lines of `.env` stay as they are. Raises BadRequest where another source would
        win, BadConfig.
        """
        self.require_free(row)
        return self.keep({row.variable: value})

    def keep(self, values: Mapping[str, str]) -> str:
        """Set secrets by variable, those of `.env` in one step; return where they are stored.

        Raises BadRequest, BadConfig.
        """
        if self._settings.text("keys.store") == "keyring":
            for variable, value in values.items():
                _open_system_keyring().write(variable, value)
            if self._file.exists():
                self._rewrite(dict.fromkeys(values, ""))
            return "the system's keyring"
        self._rewrite(values)
        return str(self._file)

    def place(self, variable: str) -> str:
        """Return where a secret is set; '' where it is not."""
        return self._place(variable, private_variables(str(self._settings.home)))

    def require_free(self, row: KeyRow) -> None:
        """Raise BadRequest where the environment sets a key, which overrides every other place."""
        if self._home.caller.environment.get(row.variable):
            raise BadRequest(
                "{variable} is set in the environment, which wins over what would be kept here",
                variable=row.variable,
                hint=(
                    "take it out there (`unset {variable}`, your shell's profile), or change "
                    "it there"
                ),
            )

    def test(self, row: KeyRow, value: str = "") -> Sequence[Trial]:
        """Ask each service that uses a key once, with `value` or with the key that is set.

        Where no such service is chosen, the first that would take the key is asked.
        """
        chosen = [use for use in self._chosen() if use.variable == row.variable]
        uses = chosen or [use for use in _iter_key_uses() if use.variable == row.variable][:1]
        unique = {(id(use.table), use.provider, use.address, use.model): use for use in uses}
        return [
            self.tried(use, value or self._settings.secret(row.variable)) for use in unique.values()
        ]

    def tried(self, use: KeyUse, key: str) -> Trial:
        """Ask a service once whether it accepts a key."""
        hint = f"`gieok keys set {use.provider}`"
        if not key:
            needed = f"`{use.setting}` needs it" if use.setting else "nothing uses it"
            return Trial(
                name=use.provider,
                variable=use.variable,
                verdict=Verdict.MISSING,
                said=needed,
                hint=hint,
            )
        try:
            answer = self._probe(use, key)
        except MissingExtra as error:
            return Trial(
                name=use.provider,
                variable=use.variable,
                verdict=Verdict.UNTRIED,
                said=str(error),
                hint=error.hint,
            )
        except ServiceFailed as error:
            if error.status in _UNSURE and use.table is not registry.NOTIFIERS:
                return self._listed(use, key, error)
            return _judge_key_failure(use, error, hint, key)
        except GieokError as error:
            return Trial(
                name=use.provider,
                variable=use.variable,
                verdict=Verdict.UNTRIED,
                said=_redact_key(str(error), key),
                hint=error.hint,
            )
        return Trial(use.provider, use.variable, Verdict.VALID, answer)

    def _listed(self, use: KeyUse, key: str, error: ServiceFailed) -> Trial:
        """Judge a key by the provider's list of models.

        Used where a request failed, perhaps for a reason other than the key.
        """
        failure, setting = _redact_key(str(error), key), use.setting or "the address"
        untried = Trial(
            name=use.provider,
            variable=use.variable,
            verdict=Verdict.UNTRIED,
            said=f"{failure}, which does not say whether it takes the key",
            hint=f"check `{setting}`, then `gieok keys test {use.provider}`",
        )
        if (
            not use.model
            or use.provider not in registry.KEY_PROBES
            or not registry.GENERATORS[use.provider].key_variable
        ):
            return untried
        is_usual = use.address == getattr(use.table[use.provider], "address", "")
        address = "" if is_usual and use.provider == "gemini" else use.address
        try:
            registry.load_backend(registry.KEY_PROBES, use.provider)(key, address, "", _TIMEOUT_S)
        except ServiceFailed as again:
            return (
                untried
                if again.status in _UNSURE
                else _judge_key_failure(use, again, f"`gieok keys set {use.provider}`", key)
            )
        except MissingExtra:
            return untried
        return Trial(
            use.provider,
            use.variable,
            Verdict.VALID,
            f"the key is taken, but {failure}: check `{setting}`",
        )

    def _probe(self, use: KeyUse, key: str) -> str:
        """Ask a service once; return what was seen. Raises ServiceFailed, MissingExtra,
        BadConfig.
        """
        if use.table is registry.GENERATORS:
            registry.load_backend(registry.KEY_PROBES, use.provider)(
                key, use.address, use.model, _TIMEOUT_S
            )
            return f"{use.model} answered" if use.model else "it is taken; no model was asked"
        if use.table is registry.NOTIFIERS:
            answer: str = notices.channel(self._home, use.provider, {use.variable: key}).check()
            return answer
        if use.table is registry.ARCHIVES:
            return archive.looked_into(
                self._home.supposing({"archive.cold": use.provider}, {use.variable: key})
            )
        opening = ModelOpening(
            provider=use.provider,
            model=use.model,
            home=self._settings.home,
            address=use.address,
            key=key,
            key_variable=use.variable,
            timeout_s=_TIMEOUT_S,
        )
        if use.table is registry.EMBEDDERS:
            model = registry.load_backend(registry.EMBEDDERS, use.provider)(opening)
            model.embed(["ok"], is_query=False)
        else:
            model = registry.load_backend(registry.RERANKERS, use.provider)(opening)
            model.rerank("ok", ["ok"])
        return f"{model.model} answered"

    def _chosen(self) -> Iterator[KeyUse]:
        """Yield the services that settings choose and that take a key."""
        settings = self._settings
        for setting, begin in _MODELS:
            provider, _, model = settings.text(setting).partition(":")
            row = registry.GENERATORS.get(provider)
            prefix = self._prefix(begin, provider)
            variable = settings.text(f"{prefix}key_variable") if prefix else ""
            if row and model and not row.program and (variable := variable or row.key_variable):
                address = settings.text(f"{prefix}base_url") if prefix else ""
                yield KeyUse(
                    setting=setting,
                    table=registry.GENERATORS,
                    provider=provider,
                    variable=variable,
                    address=address or row.address,
                    model=model,
                )
        if settings.text("store") == "gemini":
            variable = registry.GENERATORS["gemini"].key_variable
            yield KeyUse(
                setting="store",
                table=registry.GENERATORS,
                provider="gemini",
                variable=variable,
                address=settings.text("gemini.url"),
            )
        for setting, table in (("embedder", registry.EMBEDDERS), ("reranker", registry.RERANKERS)):
            provider = settings.text(setting)
            backend = table.get(provider)
            if (
                backend
                and backend.is_service
                and (variable := settings.text(f"{setting}.key_variable") or backend.key_variable)
            ):
                address = settings.text(f"{setting}.base_url") or backend.address
                yield KeyUse(
                    setting=setting,
                    table=table,
                    provider=provider,
                    variable=variable,
                    address=address,
                    model=settings.text(f"{setting}.model"),
                )
        for provider in notices.names(settings):
            way = registry.NOTIFIERS.get(provider)
            if (
                way
                and way.key_variable
                and (provider != "smtp" or settings.text("notify.smtp_user"))
            ):
                yield KeyUse("notify.to", registry.NOTIFIERS, provider, way.key_variable)

        cold = settings.text("archive.cold")
        for variable in registry.ARCHIVES[cold].key_variables if cold in registry.ARCHIVES else ():
            yield KeyUse("archive.cold", registry.ARCHIVES, cold, variable)

    def _prefix(self, begin: str, provider: str) -> str:
        """Return the prefix of the settings that hold the address and key of a model.

        The settings of one provider are never used for another.
        """
        settings = self._settings
        if begin == "character.memory_":
            return models.memory_prefix(settings)
        if (
            begin != "code.upkeep_"
            or settings.text(f"{begin}base_url")
            or settings.text(f"{begin}key_variable")
        ):
            return begin
        return "code." if settings.text("code.model").partition(":")[0] == provider else ""

    def _place(self, variable: str, private: dict[str, str]) -> str:
        if self._home.caller.environment.get(variable):
            return "environment"
        if private.get(variable):
            return ".env"
        return (
            "keyring"
            if self._settings.text("keys.store") == "keyring"
            and _open_system_keyring().read(variable)
            else ""
        )

    def _rewrite(self, values: Mapping[str, str]) -> None:
        """Change lines of `.env` in one step; the value '' removes a line."""
        fs.make_private(self._file.parent)
        with fs.exclusive(self._file.with_name(".env.lock")):
            try:
                text = self._file.read_bytes().decode("utf-8") if self._file.exists() else ""
            except (OSError, UnicodeDecodeError) as error:
                raise BadConfig(
                    "cannot read {file!r}: {kind}",
                    file=self._file,
                    kind=type(error).__name__,
                    origin=str(self._file),
                ) from error
            for variable, value in values.items():
                text = edit_env_text(text, variable, value)
            fs.replace_private(self._file, text)


def edit_env_text(text: str, variable: str, value: str) -> str:
    """Return the text of a `.env` with one variable set, or removed where the value is ''.

    Other lines stay. Raises BadRequest.
    """
    lines = text.splitlines(keepends=True)
    own = [number for number, line in enumerate(lines) if variable in assigned(line.rstrip("\r\n"))]
    if not value:
        return "".join(line for number, line in enumerate(lines) if number not in own)
    line = _format_env_line(variable, value)
    if not own:
        return text + ("\n" if text and not text.endswith("\n") else "") + line + "\n"
    last = lines[own[-1]]
    begin = "export " if last.lstrip().startswith("export ") else ""
    lines[own[-1]] = begin + line + (last[len(last.rstrip("\r\n")) :] or "\n")
    return "".join(line for number, line in enumerate(lines) if number not in own[:-1])


def _format_env_line(variable: str, value: str) -> str:
    """Return the line that sets exactly this value. Raises BadRequest."""
    for quote in ("", '"', "'"):
        line = f"{variable}={quote}{value}{quote}"
        if line.splitlines() == [line] and assigned(line) == {variable: value}:
            return line
    raise BadRequest(
        "a key cannot hold line breaks or both kinds of quotes at its ends",
        hint="copy it again, alone",
    )


def _iter_key_uses() -> Iterator[KeyUse]:
    """Yield the services that take a key, chosen or not."""
    for table in _TABLES:
        for provider, row in table.items():
            if row.key_variable:
                yield KeyUse(
                    setting="",
                    table=table,
                    provider=provider,
                    variable=row.key_variable,
                    address=getattr(row, "address", ""),
                )
    for provider, cold in registry.ARCHIVES.items():
        yield from (
            KeyUse("", registry.ARCHIVES, provider, variable) for variable in cold.key_variables
        )


def _judge_key_failure(use: KeyUse, error: ServiceFailed, hint: str, key: str) -> Trial:
    """Return what a failure says about the key."""
    status, failure_text = error.status, _redact_key(str(error), key)
    if status in (401, 403):
        again = (
            error.hint
            if use.table is registry.NOTIFIERS
            else f"get another from the provider, then {hint}"
        )
        return Trial(
            name=use.provider,
            variable=use.variable,
            verdict=Verdict.INVALID,
            said=failure_text,
            hint=again,
        )
    if status in (402, 429):
        advice = "wait, or look at the account: too much was asked, or nothing is left to spend"
        return Trial(
            name=use.provider,
            variable=use.variable,
            verdict=Verdict.QUOTA,
            said=failure_text,
            hint=advice,
        )
    return Trial(
        name=use.provider,
        variable=use.variable,
        verdict=Verdict.UNREACHABLE,
        said=failure_text,
        hint=error.hint or "check the network and the address, then try again",
    )


def _redact_key(text: str, key: str) -> str:
    return redact(text.replace(key, "…"))


def _open_system_keyring() -> SecretStore:
    keyring: SecretStore = registry.load_backend(registry.KEYRINGS, "keyring")()
    return keyring
