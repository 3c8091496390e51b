"""Progress of a long task: items done, total, and the time left."""

from collections.abc import Callable
from datetime import datetime

from gieok.text.messages import translate

#: Seconds before which the remaining time cannot be estimated.
_SOON_S = 3.0


class Steps:
    """Progress display that shows a line for each reported count.

    `total` 0: the number of items is not known.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        now: Callable[[], datetime],
        lang: str,
        what: str,
        total: int = 0,
    ) -> None:
        self._say, self._now, self._what, self._total = say, now, what, total
        self._lang = lang
        self._began = now()

    def __call__(self, done: int) -> None:
        """Show that `done` items are done."""
        if not self._total:
            self._say(f"{self._what} {done:,}")
            return
        done = min(done, self._total)
        share = f"{self._what} {done:,}/{self._total:,} ({done / self._total:.0%})"
        spent_s = (self._now() - self._began).total_seconds()
        left_s = spent_s * (self._total - done) / done if done else 0.0
        self._say(f"{share}, {self._left(left_s)}" if spent_s >= _SOON_S and left_s >= 1 else share)

    def _left(self, left_s: float) -> str:
        minutes, hours = left_s / 60, left_s / 3600
        if minutes < 1:
            return translate("{seconds:.0f} s left", self._lang, {"seconds": left_s})
        if hours < 1:
            return translate("{minutes:.0f} min left", self._lang, {"minutes": minutes})
        return translate("{hours:.1f} h left", self._lang, {"hours": hours})
