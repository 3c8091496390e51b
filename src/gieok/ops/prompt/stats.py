"""`gieok hook stats`: what the hook did, from counters that never leave this machine."""

from dataclasses import dataclass

from gieok.hook import stats
from gieok.ops.context import Context
from gieok.ops.encode import Hidden, Inline
from gieok.ops.operation import Operation, Style, Words, argument


@dataclass(frozen=True, slots=True, kw_only=True)
class HookStatsRequest:
    """Parameters of `gieok hook stats`."""

    days: int = argument(Words("of the last days (0: all)", "최근 며칠 (0: 모두)"), 30)


@dataclass(frozen=True, slots=True)
class HookStatsResult:
    """The figures."""

    stats: Inline[stats.Stats]
    #: Of how many days, and how often the hook was called before them.
    days: Hidden[int] = 0
    earlier: Hidden[int] = 0

    @property
    def found(self) -> bool:
        """True where the hook was called."""
        return bool(self.stats.events)


def collect_hook_stats(context: Context, request: HookStatsRequest) -> HookStatsResult:
    """Count."""
    now_ms = round(context.clock.now().timestamp() * 1000)
    since_ms = now_ms - request.days * 86_400_000 if request.days else 0
    rows = stats.read_hook_calls(context.home)
    counted = stats.count_hook_calls(rows, since_ms)
    return HookStatsResult(counted, request.days, len(rows) - sum(counted.events.values()))


def render_hook_stats(result: HookStatsResult, style: Style) -> str:
    """Show a line a figure."""
    s = result.stats
    if not result.found and result.earlier:
        return style.say(
            (
                f"The hook was not called in the last {result.days} days; before that "
                f"{result.earlier:,} times: `--days 0`"
            ),
            f"훅이 지난 {result.days}일 동안 불리지 않았습니다. 그 전에는 {result.earlier:,}번: `--days 0`",
        )
    if not result.found:
        return style.say("The hook was not called yet.", "훅이 아직 불리지 않았습니다.")
    rows = (
        (Words("prompts", "프롬프트"), s.prompts),
        (Words("with a sure memory", "확실한 기억을 받음"), s.high),
        (Words("with titles", "제목을 받음"), s.medium),
        (Words("titles followed by a search", "제목 뒤에 검색이 이어짐"), s.followed),
        (Words("told that nothing is known", "아는 것이 없다고 들음"), s.notes),
        (Words("silent", "침묵"), s.silent),
        (
            Words("answered by words alone, without meaning", "뜻 없이 낱말로만 답함"),
            _format_word_share(s),
        ),
        (Words("milliseconds, p50 / p95", "밀리초, p50 / p95"), f"{s.p50_ms:.1f} / {s.p95_ms:.1f}"),
    )
    return "\n".join(f"{value!s:>12}  {words.say(style.lang)}" for words, value in rows)


def _format_word_share(s: stats.Stats) -> str:
    share = stats.share_by_words(s)
    return "–" if share is None else f"{s.by_words} ({share:.0%})"


OPERATION = Operation(
    name="hook stats",
    examples=("gieok hook stats", "gieok hook stats --days 30"),
    handler=collect_hook_stats,
    present=render_hook_stats,
    doc=Words(
        "Count what the hook did: levels, latencies, searches after it",
        "훅이 한 일을 셉니다: 확신의 단계, 걸린 시간, 이어진 검색",
    ),
)
