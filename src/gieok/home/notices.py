"""Opens the channels that notify a person, and the record of channels that failed.

`notify.to` names the channels.
"""

import contextlib
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType

from gieok import fs, paths, registry
from gieok.config import Settings
from gieok.errors import BadConfig
from gieok.flow.notices import FailureRecord, NoticeReport, Notices
from gieok.home.home import Home
from gieok.opening import ChannelOpening
from gieok.ports.system import Channel


def open_notices(home: Home) -> Notices:
    """Build the notices; a channel is opened when it is used."""
    settings, file = home.settings, paths.locate_notices_record(home.settings.home)
    record = FailureRecord(
        partial(_read_notice_failures, file),
        lambda told: _update_notice_failures(home, file, told),
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
            f"there is no way to tell you called {name!r}",
            hint=f"`notify.to`: {', '.join(registry.NOTIFIERS)}",
        )
    settings = home.settings
    opening = ChannelOpening(
        setting=lambda setting: to.get(setting) or settings.text(f"notify.{setting}"),
        secret=lambda variable: secrets.get(variable) or settings.secret(variable),
        environment=home.caller.environment,
        user=home.caller.user,
        log=paths.locate_daemon_log(settings.home),
        now=home.clock.now,
        timeout_s=settings.number("notify.timeout_s"),
        key_variable=row.key_variable,
        key_hint=f"run `gieok keys set {name}` ({row.key_variable})",
    )
    notifier: Channel = registry.load_backend(registry.NOTIFIERS, name)(opening)
    return notifier


def _read_notice_failures(file: Path) -> Mapping[str, str]:
    try:
        failures = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return (
        {name: text for name, text in failures.items() if isinstance(text, str)}
        if isinstance(failures, dict)
        else {}
    )


def _update_notice_failures(home: Home, file: Path, told: Sequence[NoticeReport]) -> None:
    """Store the failures among `told` with their time, and drop failures of channels that work."""
    now = f"{home.clock.now().astimezone(home.zone):%Y-%m-%d %H:%M}"
    works = {outcome.channel for outcome in told if outcome.ok}
    with contextlib.suppress(OSError), fs.lock_resource(home.settings.home, file):
        before = dict(_read_notice_failures(file))
        after = {name: text for name, text in before.items() if name not in works}
        after |= {outcome.channel: f"{now} {outcome.said}" for outcome in told if not outcome.ok}
        if after != before:
            fs.replace_private(file, json.dumps(after, ensure_ascii=False, indent=1) + "\n")
