"""`gieok hook stats`: the hook's activity, from counters that never leave this machine."""

from dataclasses import dataclass
from typing import Annotated

from gieok.commands.command import Parameter, Style, command
from gieok.commands.encode import Hidden, Inline
from gieok.home.call import Call
from gieok.hook import stats
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class HookStatsResult:
    """Figures of the hook's activity."""

    stats: Inline[stats.Stats]
    #: Number of days with counters, and how often the hook was called before them.
    days: Hidden[int] = 0
    earlier: Hidden[int] = 0

    @property
    def found(self) -> bool:
        """True where the hook was called."""
        return bool(self.stats.events)


def render_hook_stats(result: HookStatsResult, style: Style) -> str:
    """Show a line for each figure."""
    s = result.stats
    if not result.found and result.earlier:
        return style.say(
            (
                "The hook was not called in the last {days} days; before that {earlier:,} times: "
                "`--days 0`"
            ),
            days=result.days,
            earlier=result.earlier,
        )
    if not result.found:
        return style.say("The hook was not called yet.")
    rows = (
        (Words("prompts"), s.prompts),
        (Words("with a sure memory"), s.high),
        (Words("with titles"), s.medium),
        (Words("titles followed by a search"), s.followed),
        (Words("told that something near is there"), s.notes),
        (Words("silent"), s.silent),
        (Words("notes before an edit"), s.actions),
        (Words("reminders of a rule"), s.reminders),
        (
            Words("answered by words alone, without meaning"),
            _format_word_share(s),
        ),
        (Words("milliseconds, p50 / p95"), f"{s.p50_ms:.1f} / {s.p95_ms:.1f}"),
    )
    return "\n".join(f"{value!s:>12}  {words.say(style.lang)}" for words, value in rows)


def _format_word_share(s: stats.Stats) -> str:
    share = stats.share_by_words(s)
    return "–" if share is None else f"{s.by_words} ({share:.0%})"


@command(
    "hook stats",
    Words("Count what the hook did: levels, latencies, searches after it"),
    present=render_hook_stats,
    examples=("gieok hook stats", "gieok hook stats --days 30"),
)
def collect_hook_stats(
    call: Call, *, days: Annotated[int, Parameter(Words("of the last days (0: all)"))] = 30
) -> HookStatsResult:
    """Return the figures."""
    now_ms = round(call.clock.now().timestamp() * 1000)
    since_ms = now_ms - days * 86_400_000 if days else 0
    rows = stats.read_hook_calls(call.home.folder)
    counted = stats.count_hook_calls(rows, since_ms)
    return HookStatsResult(counted, days, len(rows) - sum(counted.events.values()))
