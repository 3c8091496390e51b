"""Schedules in words: `0 2 * * 0` is every Sunday at 02:00."""

import re

from gieok.flow.schedule import NEVER
from gieok.text.messages import Words

#: Name of a weekday in a cron expression, or its number, where 7 is 0 → its name for people.
_WEEKDAYS = {
    "sun": Words("Sunday"),
    "mon": Words("Monday"),
    "tue": Words("Tuesday"),
    "wed": Words("Wednesday"),
    "thu": Words("Thursday"),
    "fri": Words("Friday"),
    "sat": Words("Saturday"),
}
_TIME = r"(?P<minute>\d+) (?P<hour>\d+)"
_STEP = r"(?:\*/(?P<step>\d+))"
#: Shape of a cron expression → the same in words.
_SHAPES = (
    (rf"{_TIME} \* \* \*", Words("every day at {at}")),
    (rf"{_TIME} \* \* (?P<weekday>[0-7]|[a-z]{{3}})", Words("every {weekday} at {at}")),
    (rf"{_TIME} (?P<day>\d+) \* \*", Words("on day {day} of every month at {at}")),
    (r"\* \* \* \* \*", Words("every minute")),
    (rf"{_STEP} \* \* \* \*", Words("every {step} minutes")),
    (r"(?P<minute>\d+) \* \* \* \*", Words("every hour at minute {minute}")),
    (rf"0+ {_STEP} \* \* \*", Words("every {step} hours")),
    (rf"(?P<minute>\d+) {_STEP} \* \* \*", Words("every {step} hours at minute {minute}")),
)
#: Field of minutes or hours → how many there are, and its step.
_FIELDS = ((0, 60), (1, 24))


def describe_schedule(expression: str) -> Words:
    """Return a cron expression in words; the expression itself where it is none of the usual."""
    if expression in NEVER:
        return Words("never", about="a choice")
    fields = [_simplify_step(field) for field in expression.lower().split()]
    if _has_even_steps(fields):
        for shape, words in _SHAPES:
            if (found := re.fullmatch(shape, " ".join(fields))) is not None:
                return words._replace(values=tuple(_fill_schedule_values(found).items()))
    return Words.of("{expression}", expression=expression)


def _simplify_step(field: str) -> str:
    """Return a field; `*/1` is `*`."""
    return "*" if field == "*/1" else field


def _has_even_steps(fields: list[str]) -> bool:
    """Say whether the steps of minutes and hours are even.

    `*/7` hours are not: cron begins anew at midnight, three hours after the last.
    """
    return all(
        not fields[place].startswith("*/")
        or (
            (step := fields[place][2:]).isdecimal()
            and 0 < int(step) < count
            and count % int(step) == 0
        )
        for place, count in _FIELDS
        if place < len(fields)
    )


def _fill_schedule_values(found: re.Match[str]) -> dict[str, object]:
    """Return what goes into the words of a shape."""
    values: dict[str, object] = dict(found.groupdict())
    if "hour" in values:
        values["at"] = f"{int(found['hour']):02}:{int(found['minute']):02}"
    if "weekday" in values:
        day = found["weekday"]
        name = list(_WEEKDAYS)[int(day) % len(_WEEKDAYS)] if day.isdecimal() else day
        values["weekday"] = _WEEKDAYS[name]
    return values
