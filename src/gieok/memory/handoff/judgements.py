"""Judgements of statements that are kept between two digests of a session.

Before a compaction and after it the same statements are judged, in two processes with little time.
A judgement is kept under the hash of its statement, which holds no words.
"""

import hashlib
from collections.abc import Callable, Sequence

from gieok import __version__
from gieok.memory.observer.rules import StatementJudge, StatementJudgement
from gieok.ports.journal import KeptValues
from gieok.ports.models import Reader

_REALM = "judgements"
#: Judgements that are kept, the newest: several digests of a context's length.
_MOST_KEPT = 600
_HEX = 24


class KeptJudge(StatementJudge):
    """Judge that asks the reader only for statements that it has not judged lately."""

    def __init__(
        self, reader: Callable[[], Reader | None], journal: KeptValues, now_s: float
    ) -> None:
        super().__init__(reader)
        self._journal, self._now_s = journal, now_s
        self._known: dict[str, str] | None = None

    def judged(self, texts: Sequence[str]) -> list[StatementJudgement]:
        """Return a judgement for each text."""
        if self._known is None:
            self._known = self._journal.kept(_REALM)
        names = [_hash_statement(text) for text in texts]
        new = {
            name: text for name, text in zip(names, texts, strict=True) if name not in self._known
        }
        if new:
            judged = super().judged(list(new.values()))
            values = {
                name: f"{self._now_s:.0f} {one.worth!r} {one.about_user!r}"
                for name, one in zip(new, judged, strict=True)
            }
            self._known |= values
            if self.is_read:  # else words judged, and a reader may come later
                oldest = sorted(self._known, key=self._known.__getitem__)
                self._journal.keep(_REALM, values, oldest[:-_MOST_KEPT])
        return [_parse_judgement(self._known[name]) for name in names]


def _hash_statement(text: str) -> str:
    return hashlib.sha256(f"{__version__}\n{text}".encode("utf-8", "replace")).hexdigest()[:_HEX]


def _parse_judgement(value: str) -> StatementJudgement:
    _, worth, about_user = value.split()
    return StatementJudgement(float(worth), float(about_user))
