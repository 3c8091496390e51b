"""The system's keyring (Secret Service, Keychain, Credential Manager), by `keyring`."""

from collections.abc import Callable
from typing import TypeVar

import keyring
from keyring.errors import KeyringError

from gieok.errors import BadConfig

_SERVICE = "gieok"
T = TypeVar("T")


class SystemKeyring:
    """`SecretStore` of the person who is logged in."""

    def read(self, name: str) -> str:
        """Return a secret, '' for none."""
        return _call_keyring(lambda: keyring.get_password(_SERVICE, name)) or ""

    def write(self, name: str, value: str) -> None:
        """Set a secret."""
        _call_keyring(lambda: keyring.set_password(_SERVICE, name, value))


def _call_keyring(do: Callable[[], T]) -> T:
    try:
        return do()
    except (KeyringError, OSError) as error:
        kind = type(error).__name__  # its words may hold what was to be kept
        raise BadConfig(
            "the system's keyring cannot be used ({kind})",
            kind=kind,
            hint="unlock it, or set `keys.store: file` and run `gieok keys set NAME`",
            setting="keys.store",
        ) from error
