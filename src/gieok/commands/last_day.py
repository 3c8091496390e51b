"""The last day that a person names in words: `2026-11-27`, `friday`, `다음 주까지`."""

from datetime import date

from gieok.errors import BadRequest
from gieok.text.dates import find_last_day


def parse_last_day(words: str, today: date) -> date:
    """Return the last day that words name, seen from `today`.

    Raises BadRequest where they name none, or say anything more.
    """
    day = find_last_day(words, today)
    if day is None:
        raise BadRequest(
            "{words!r} is no day",
            words=words,
            hint="write 2026-11-27, `friday`, `end of month`, `다음 주` …",
        )
    return day


def parse_coming_day(words: str, today: date) -> date:
    """Return the last day that words name, which is today or later.

    Raises BadRequest where they name none, say anything more, or name a day that is over.
    """
    day = parse_last_day(words, today)
    if day < today:
        raise BadRequest(
            "{words!r} is over: {day}", words=words, day=day, hint="name today or a later day"
        )
    return day
