"""`gieok pause`, `gieok resume`: a pause during which nothing is stored.

Messages of the pause are not stored later either.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from gieok.commands.command import Effect, Parameter, Style, command
from gieok.commands.encode import Hidden, Omitted
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.text.messages import Words

_UNITS = {
    "seconds": 1, "second": 1, "sec": 1, "s": 1, "초": 1, "minutes": 60, "minute": 60, "min": 60,
    "m": 60, "분": 60, "hours": 3_600, "hour": 3_600, "hr": 3_600, "h": 3_600, "시간": 3_600,
    "days": 86_400, "day": 86_400, "d": 86_400, "일": 86_400, "weeks": 604_800, "week": 604_800,
    "w": 604_800, "주": 604_800,
}  # fmt: skip
_PIECE = re.compile(
    rf"(\d+(?:\.\d+)?)\s*({'|'.join(_UNITS)})(?:동안|간)?(?=$|[\s,\d])", re.IGNORECASE
)
#: Longest pause: a longer duration is taken for a typing error.
_LONGEST_S = 366 * 86_400


@dataclass(frozen=True, slots=True)
class PauseResult:
    """Start and end of the pause; `until` is left out where only `gieok resume` ends the pause."""

    since: datetime
    until: Omitted[datetime] = None
    found: Hidden[bool] = True


@dataclass(frozen=True, slots=True)
class ResumeResult:
    """Whether memory was paused, and since when."""

    was_paused: bool
    since: Omitted[datetime] = None
    found: Hidden[bool] = True


def render_pause(result: PauseResult, style: Style) -> str:
    """Say until when nothing is stored, and how to resume."""
    if result.until is None:
        return style.say("Paused: nothing is kept or given to agents until `gieok resume`.")
    until = f"{result.until:%Y-%m-%d %H:%M}"
    return style.say(
        "Paused until {until}: nothing is kept or given to agents. `gieok resume` ends it earlier.",
        until=until,
    )


@command(
    "pause",
    Words("Remember nothing and give agents nothing, until `gieok resume` or for a while"),
    present=render_pause,
    effect=Effect.WRITE,
    examples=("gieok pause", "gieok pause --for 2h", 'gieok pause --for "1시간 30분"'),
)
def pause_memory(
    call: Call,
    *,
    for_: Annotated[
        str, Parameter(Words("how long, such as 2h, 30m, 1d (default: until `gieok resume`)"))
    ] = "",
) -> PauseResult:
    """Pause memory durably, and read the pause back."""
    now = call.clock.now().timestamp()
    length_s = parse_duration_s(for_) if for_.strip() else None
    span = call.privacy.begin_pause(now, None if length_s is None else now + length_s)
    until = datetime.fromtimestamp(span.until, call.zone) if span.until is not None else None
    return PauseResult(datetime.fromtimestamp(span.since, call.zone), until)


def render_resume(result: ResumeResult, style: Style) -> str:
    """Say that memory goes on, and that messages of the pause are not stored."""
    if result.since is None:
        return style.say("Nothing was paused.")
    since = f"{result.since:%Y-%m-%d %H:%M}"
    return style.say("Memory goes on. What was said since {since} stays out of it.", since=since)


@command(
    "resume",
    Words("End a pause; what was said in it stays out of memory"),
    present=render_resume,
    effect=Effect.WRITE,
    examples=("gieok resume",),
)
def resume_memory(call: Call) -> ResumeResult:
    """End the pause, durably."""
    span = call.privacy.end_pause(call.clock.now().timestamp())
    return ResumeResult(
        span is not None, datetime.fromtimestamp(span.since, call.zone) if span else None
    )


def parse_duration_s(words: str) -> float:
    """Return a duration in seconds: `2h`, `1h30m`, `30분`, `1시간 30분`, `2 days`.

    Raises BadRequest.
    """
    rest = _PIECE.sub("", words.strip()).replace(",", "").replace("동안", "").strip()
    total = sum(
        float(number) * _UNITS[unit.lower()] for number, unit in _PIECE.findall(words.strip())
    )
    if rest or not total:
        raise BadRequest(
            "{words!r} is no length of time",
            words=words,
            hint="write 30m, 2h, 1d, `1h 30m`, `2시간` …",
        )
    if total > _LONGEST_S:
        raise BadRequest(
            "{words!r} is more than a year",
            words=words,
            hint="leave out --for: it lasts until `gieok resume`",
        )
    return total
