"""Progress of something that takes a while: how much is done, of how much, and how long it will
take.
"""

from collections.abc import Callable
from datetime import datetime

from gieok.text.messages import translate

#: Before so many seconds nobody can say how long the rest takes.
_SOON_S = 3.0


class Steps:
    """Shows a line for each number of things done. `total` 0: nobody knows how many there are."""

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
        """Show that so many are done."""
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
