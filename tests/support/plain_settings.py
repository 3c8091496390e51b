"""Settings and secrets that a test writes down, for what is opened without a home."""

from collections.abc import Mapping
from types import MappingProxyType

_NOTHING: Mapping[str, str] = MappingProxyType({})


class PlainSettings:
    """`SettingsReader` of given texts; what is not given is ''."""

    def __init__(self, texts: Mapping[str, str], secrets: Mapping[str, str] = _NOTHING) -> None:
        self._texts = texts
        self._secrets = secrets

    def text(self, name: str) -> str:
        return self._texts.get(name, "")

    def secret(self, name: str) -> str:
        return self._secrets.get(name, "")
