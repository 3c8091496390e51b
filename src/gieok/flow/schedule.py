"""Schedule of a job: a cron expression in the user's time zone.

Wall clock times that daylight saving skips are due when the clocks go forward (02:30 at 03:00);
times that occur twice are due the first time. That is the rule of cronsim, and of Debian. All
comparisons are made in UTC, because within one zone Python compares wall clocks.
"""

from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

NEVER = ("", "never")
#: Minute, hour, day of the month, month, day of the week.
_FIELDS = 5


class Schedule(NamedTuple):
    """Cron expression with the time zone that it is meant in, or one of `NEVER`."""

    expression: str
    zone: tzinfo

    def after(self, moment: datetime) -> datetime | None:
        """Return the first time after a moment, in UTC; None for never."""
        if self.expression in NEVER:
            return None
        from cronsim import CronSim  # who only wants to know a setting has no time for it

        for occurrence in CronSim(self.expression, moment.astimezone(self.zone)):
            # In the hour that occurs twice, its first pass may be over already.
            if (at := occurrence.astimezone(UTC)) > moment:
                return at
        return None

    def is_due(self, done: datetime, now: datetime) -> bool:
        """Say whether a due time has passed since `done`; missed times count once.

        After the clock was set back, `done` may be later than `now`: the caller then counts from
        `now`.
        """
        next_at = self.after(done)
        return next_at is not None and next_at <= now


def check_cron_expression(text: str) -> None:
    """Raise ValueError unless a text is a cron expression of five fields or a word for never."""
    if text in NEVER:
        return
    from cronsim import CronSim, CronSimError

    if (count := len(text.split())) != _FIELDS:
        raise ValueError(f"a schedule has {_FIELDS} fields, not {count}")
    try:
        CronSim(text, datetime(2026, 1, 1, tzinfo=UTC))
    except CronSimError as error:
        raise ValueError(str(error).lower()) from None
