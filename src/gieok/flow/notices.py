"""Notifications to a person through every channel that they chose, and always through the log.

A channel that fails stops nothing and raises no incident, so that no notification leads to another
one: the failure is one line in the log, and is kept for `gieok doctor` until the channel works
again.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.errors import GieokError, NotifierFailed, unexpected
from gieok.ports.system import Channel, Clock, Unseen
from gieok.text.messages import in_language
from gieok.text.redact import redact

LOG = "log"
_GRACE_S = 1.0


class NoticeReport(NamedTuple):
    """Outcome of one channel: what happened and, after a failure, what to do next.

    A check of some channels sends nothing.
    """

    channel: str
    ok: bool
    said: str
    hint: str = ""
    was_tried: bool = True


class FailureRecord(NamedTuple):
    """File of a home that holds the channels that failed: channel → time and error text.

    A file that cannot be read is treated as empty.
    """

    home: Path
    file: Path
    clock: Clock
    zone: tzinfo

    def read(self) -> Mapping[str, str]:
        """Return the last failure of each channel that has not worked since."""
        try:
            failures = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(failures, dict):
            return {}
        return {name: text for name, text in failures.items() if isinstance(text, str)}

    def update(self, outcomes: Sequence[NoticeReport]) -> None:
        """Store the failures among outcomes with their time; drop those of channels that work."""
        now = f"{self.clock.now().astimezone(self.zone):%Y-%m-%d %H:%M}"
        works = {outcome.channel for outcome in outcomes if outcome.ok}
        with contextlib.suppress(OSError), fs.lock_resource(self.home, self.file):
            before = dict(self.read())
            after = {name: text for name, text in before.items() if name not in works}
            after |= {
                failed.channel: f"{now} {failed.said}" for failed in outcomes if not failed.ok
            }
            if after != before:
                text = json.dumps(after, ensure_ascii=False, indent=1) + "\n"
                fs.replace_private(self.file, text)


class Notices:
    """Notifies a person, in the person's language, of something that waits for them.

    `names` are the chosen channels, opened on use.
    """

    def __init__(
        self,
        names: Sequence[str],
        opened: Callable[[str], Channel],
        record: FailureRecord,
        timeout_s: float,
        lang: str = "en",
    ) -> None:
        self.names = tuple(dict.fromkeys((LOG, *names)))
        self._opened = opened
        self._record = record
        self._timeout_s = timeout_s
        self._lang = lang

    def notify(self, title: str, text: str) -> None:
        """Notify through every channel at once, and wait for none beyond the deadline. Never
        raises.
        """
        self.send(title, text, self.names)

    def send(self, title: str, text: str, names: Sequence[str]) -> list[NoticeReport]:
        """Send a notification through the given channels; return the outcome of each."""
        title, text = (redact(in_language(one, self._lang)) for one in (title, text))
        outcomes = self._each(names, lambda channel: channel.send(title, text))
        failed = [one for one in outcomes if not one.ok and one.channel != LOG]
        for one in failed:
            self._each([LOG], partial(_tell_failure, one, self._lang))
        self._record.update(outcomes)
        return outcomes

    def check(self, names: Sequence[str]) -> list[NoticeReport]:
        """Check the given channels without sending anything.

        For a channel that seems to work, the last recorded failure is named.
        """
        last = self._record.read()
        return [
            outcome._replace(said=f"{outcome.said}; but the last time: {last[outcome.channel]}")
            if outcome.ok and outcome.channel in last
            else outcome
            for outcome in self._each(names, lambda channel: channel.check())
        ]

    def _each(self, names: Sequence[str], use: Callable[[Channel], str]) -> list[NoticeReport]:
        """Use each channel in a thread of its own; a thread past the deadline is abandoned."""
        outcomes: dict[str, NoticeReport] = {}

        def one(name: str) -> None:
            outcomes[name] = self._used(name, use)

        threads = [
            threading.Thread(target=one, args=(name,), daemon=True, name=f"notify {name}")
            for name in names
        ]
        for thread in threads:
            thread.start()
        # Each channel ends by itself after `timeout_s` of silence; a channel that sends data drop
        # by drop is abandoned here.
        deadline = time.monotonic() + self._timeout_s + _GRACE_S
        for thread in threads:
            thread.join(max(deadline - time.monotonic(), 0))
        late = f"nothing came of it within {self._timeout_s:g} s"
        return [
            outcomes.get(name) or NoticeReport(name, False, late, NotifierFailed.hint)
            for name in names
        ]

    def _used(self, name: str, use: Callable[[Channel], str]) -> NoticeReport:
        try:
            result = use(self._opened(name))
            if isinstance(result, Unseen):
                return NoticeReport(name, True, redact(result), was_tried=False)
            return NoticeReport(name, True, redact(result))
        except GieokError as error:
            failed = error
        # No exception of a library may stop the observer.
        except Exception as error:  # noqa: BLE001
            failed = unexpected(error)
        return NoticeReport(name, False, redact(str(failed)), failed.hint)


def _tell_failure(failed: NoticeReport, lang: str, log: Channel) -> str:
    title, text = f"gieok: {failed.channel} told nobody", f"{failed.said} ({failed.hint})"
    return log.send(in_language(title, lang), in_language(text, lang))
