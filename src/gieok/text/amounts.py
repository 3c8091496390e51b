"""Amounts as people read them: sizes and ages."""

from datetime import datetime

from gieok.text.messages import Words

_AGES = (
    (86_400, "{count} day ago", "{count} days ago"),
    (3_600, "{count} hour ago", "{count} hours ago"),
    (60, "{count} minute ago", "{count} minutes ago"),
)


def format_size(count_bytes: int | None) -> str:
    """Return bytes as kB or MB (powers of 1,000); `–` where nobody knows how many."""
    if count_bytes is None:
        return "–"
    if count_bytes >= 100_000:
        return f"{count_bytes / 1e6:,.1f} MB"
    return f"{count_bytes / 1e3:,.1f} kB"


def describe_age(moment: datetime, now: datetime) -> Words:
    """Return how long ago a moment was, in the largest unit that it fills."""
    seconds = max((now - moment).total_seconds(), 0)
    for length_s, one, many in _AGES:
        if seconds >= length_s:
            return Words.of(one, plural=many, count=int(seconds // length_s))
    return Words("just now")
