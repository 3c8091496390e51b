"""Settings as one frozen value, with the origin of each part.

Default < user file < project file < environment < flag. `~/.gieok/.env` stands in for environment
variables; secrets are in that file or in the environment, never in a configuration file.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gieok import paths, registry
from gieok.env_file import private_variables
from gieok.errors import BadConfig
from gieok.places.workplace import project_root
from gieok.settings import synonyms
from gieok.settings.file import parse_settings_file
from gieok.settings.option import Value
from gieok.settings.resolved import resolve_settings
from gieok.settings.table import OPTIONS, find_option

if TYPE_CHECKING:  # a type alone
    from gieok.ports.keys import Secrets


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
    project = project_root(str(folder or Path.cwd()))
    pairs, wrong = resolve_settings(str(home), project, OPTIONS, environment, parse_settings_file)
    if wrong and troubles is None:
        raise wrong[0]
    if troubles is not None:
        troubles += wrong
    values = {name: Setting(*pair) for name, pair in pairs.items()}
    for name, text in flags.items():
        option = find_option(name, "flag")
        values[option.name] = Setting(option.parse(text, "flag"), "flag")
    has_keyring = values["keys.store"].value == "keyring"
    return Settings(
        home, MappingProxyType(values), HomeSecrets(str(home), environment, has_keyring)
    )


def suppose_settings(
    settings: Settings, texts: Mapping[str, str], secrets: Mapping[str, str]
) -> Settings:
    """Return the settings as if some had the given texts and secrets. Raises BadConfig."""
    options = {name: find_option(name, "setup") for name in texts}
    values = {
        options[name].name: Setting(options[name].parse(text, "setup"), "flag")
        for name, text in texts.items()
    }
    merged = MappingProxyType({**settings.values, **values})
    return settings._replace(values=merged, secrets=SupposedSecrets(secrets, settings.secrets))


class HomeSecrets(NamedTuple):
    """`Secrets` of the environment, then of `.env` in the home folder, then of the keyring.

    A secret is read anew every time, so that a replaced key takes effect at once.
    """

    home: str
    environment: Mapping[str, str]
    has_keyring: bool

    def secret(self, variable: str) -> str:
        """Return a secret, also by its name in a document, or '' where there is none."""
        found = self._read(variable)
        other = synonyms.VARIABLES.get(variable, "")
        return found or (self._read(other) if other else "")

    def _read(self, variable: str) -> str:
        found = self.environment.get(variable)
        found = found or private_variables(self.home).get(variable, "")
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
