"""Judgements of statements that are kept between two digests of a session.

Before a compaction and after it the same statements are judged, in two processes with little time.
A judgement is kept under the hash of its statement, which holds no words.
"""

import hashlib
from collections.abc import Callable, Sequence

from gieok import __version__
from gieok.memory.observer.rules import StatementJudge, StatementJudgement
from gieok.memory.observer.standalone import UserStatement
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

    def judge_statements(self, statements: Sequence[UserStatement]) -> list[StatementJudgement]:
        """Return a judgement for each statement."""
        if self._known is None:
            self._known = self._journal.kept(_REALM)
        known = self._known
        names = [_hash_statement(stated) for stated in statements]
        new = {
            name: stated
            for name, stated in zip(names, statements, strict=True)
            if name not in known
        }
        if new:
            judged = super().judge_statements(list(new.values()))
            # A clock that was set back must not make the newest judgements the oldest.
            newest_s = max((_parse_kept_at(value) for value in known.values()), default=0)
            kept_at_s = max(round(self._now_s), newest_s + 1)
            values = {
                name: f"{kept_at_s} {one.worth!r} {one.about_user!r}"
                for name, one in zip(new, judged, strict=True)
            }
            known |= values
            if self.is_read:  # else words judged, and a reader may come later
                oldest = sorted(known, key=lambda name: _parse_kept_at(known[name]))
                self._journal.keep(_REALM, values, oldest[:-_MOST_KEPT])
        return [_parse_judgement(known[name]) for name in names]


def _hash_statement(stated: UserStatement) -> str:
    judged = f"{__version__}\n{stated.text}\n{stated.asked}\n{stated.own}"
    return hashlib.sha256(judged.encode("utf-8", "replace")).hexdigest()[:_HEX]


def _parse_kept_at(value: str) -> int:
    return int(value.partition(" ")[0])


def _parse_judgement(value: str) -> StatementJudgement:
    _, worth, about_user = value.split()
    return StatementJudgement(float(worth), float(about_user))
