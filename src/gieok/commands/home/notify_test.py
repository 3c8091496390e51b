"""`gieok notify test`: send a test notice through every chosen channel, with the outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.flow.notices import LOG, NoticeReport
from gieok.home.call import Call
from gieok.text.messages import Words

_TITLE = Words("gieok: a test")
_TEXT = Words("This is how Gieok tells you of what waits for you. Nothing waits now.")


@dataclass(frozen=True, slots=True)
class NotifyTestResult:
    """Outcome of each channel; `chosen` are the channels that notify the user of pending
    matters.
    """

    told: tuple[NoticeReport, ...]
    chosen: tuple[str, ...]

    @property
    def found(self) -> bool:
        """True where every channel worked."""
        return all(attempt.ok for attempt in self.told)


def render_notify_test(result: NotifyTestResult, style: Style) -> str:
    """Show a line for each channel, and the next step."""
    lines = []
    for sent_notice in result.told:
        what = style.say("sent") if sent_notice.ok else style.say("not sent")
        lines.append(
            f"{'✓' if sent_notice.ok else '✗'} {style.bold(sent_notice.channel)}: {what}: "
            f"{printable(style.told(sent_notice.said))}"
        )
        lines += [f"    → {printable(style.told(sent_notice.hint))}"] if not sent_notice.ok else []
    return "\n".join([*lines, *_render_notify_step(result, style)])


def _render_notify_step(result: NotifyTestResult, style: Style) -> list[str]:
    """Return the lines of the next step."""
    new = [
        attempt.channel
        for attempt in result.told
        if attempt.ok and attempt.channel not in result.chosen
    ]
    if new:
        ways = ", ".join([*(way for way in result.chosen if way != LOG), *new])
        setting_hint = style.say("to be told this way, set `notify.to: {ways}` in", ways=ways)
        return [f"{setting_hint} ~/.gieok/config.yaml (`gieok setup`)"]
    if [attempt.channel for attempt in result.told] == [LOG]:
        return [
            style.say(
                "only the log is told: try `gieok notify test desktop`, openclaw or smtp "
                "(docs/notify.md)"
            )
        ]
    return []


@command(
    "notify test",
    Words("Tell you something now, in every way you chose"),
    present=render_notify_test,
    effect=Effect.WRITE,
    examples=(
        "gieok notify test",
        "gieok notify test desktop",
        "gieok notify test openclaw smtp --json",
    ),
)
def test_notifications(
    call: Call,
    *,
    ways: Annotated[
        Sequence[str],
        Parameter(
            Words("log, desktop, openclaw, smtp (default: those of `notify.to`)"), positional=True
        ),
    ] = (),
) -> NotifyTestResult:
    """Send one notice through each channel."""
    notices = call.home.notices
    title, text = (words.say(call.lang) for words in (_TITLE, _TEXT))
    notices_sent = notices.send(title, text, tuple(dict.fromkeys(ways)) or notices.names)
    return NotifyTestResult(tuple(notices_sent), notices.names)
