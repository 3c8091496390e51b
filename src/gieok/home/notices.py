"""Opens the channels that notify a person, and the record of channels that failed.

`notify.to` names the channels.
"""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from gieok import paths, registry
from gieok.errors import BadConfig
from gieok.flow.notices import FailureRecord, Notices
from gieok.home.home import Home
from gieok.opening import ChannelOpening
from gieok.ports.system import Channel
from gieok.settings.values import Settings
from gieok.zone import find_zone


def open_notices(home: Home) -> Notices:
    """Build the notices; a channel is opened when it is used."""
    settings = home.settings
    record = FailureRecord(
        settings.home, paths.locate_notices_record(settings.home), home.clock, home.zone
    )
    return Notices(
        names(settings),
        partial(channel, home),
        record,
        settings.number("notify.timeout_s"),
        home.lang,
    )


def names(settings: Settings) -> list[str]:
    """Return the channels that the user chose."""
    return [name.strip() for name in settings.text("notify.to").split(",") if name.strip()]


class MailedLetters:
    """`Letters` by the mail server that `notify` names."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def send(self, address: str, title: str, text: str) -> str:
        """Mail a text, and return what happened."""
        return channel(self._home, "smtp", to={"mail_to": address}).send(title, text)


class NotifierSettings:
    """`SettingsReader` of the settings `notify.…`; `secrets` and `to` override them."""

    def __init__(
        self, settings: Settings, secrets: Mapping[str, str], to: Mapping[str, str]
    ) -> None:
        self._settings = settings
        self._secrets = secrets
        self._to = to

    def text(self, name: str) -> str:
        """Return the text of the setting `notify.` and this name."""
        return self._to.get(name) or self._settings.text(f"notify.{name}")

    def secret(self, name: str) -> str:
        """Return a secret; '' for none."""
        return self._secrets.get(name) or self._settings.secret(name)


def channel(
    home: Home,
    name: str,
    secrets: Mapping[str, str] = MappingProxyType({}),
    to: Mapping[str, str] = MappingProxyType({}),
) -> Channel:
    """Open a channel by its name; `secrets` and `to` override secrets and settings.

    Raises BadConfig.
    """
    row = registry.NOTIFIERS.get(name)
    if row is None:
        raise BadConfig(
            "there is no way to tell you called {name!r}",
            name=name,
            notifiers=", ".join(registry.NOTIFIERS),
            hint="`notify.to`: {notifiers}",
        )
    settings = home.settings
    opening = ChannelOpening(
        settings=NotifierSettings(settings, secrets, to),
        environment=home.caller.environment,
        user=home.caller.user,
        log=paths.locate_daemon_log(settings.home),
        clock=home.clock,
        timeout_s=settings.number("notify.timeout_s"),
        zone=find_zone(settings.text("zone")),
        key_variable=row.key_variable,
        key_hint=f"run `gieok keys set {name}` ({row.key_variable})",
    )
    notifier: Channel = registry.load_backend(registry.NOTIFIERS, name)(opening)
    return notifier
