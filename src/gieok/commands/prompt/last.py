"""Last injection into an agent's prompt, for `gieok why --last`: text, sources and cost."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple

from gieok.commands.command import Style, printable
from gieok.commands.encode import Hidden, Omitted, Score
from gieok.commands.memory.shown_words import (
    CORRECTED,
    CORRECTED_LINES,
    FORGOTTEN,
    FORGOTTEN_LINE,
)
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.hook import window
from gieok.text.messages import Words
from gieok.text.redact import redact

#: What became of a memory after it was shown.
_CORRECTED, _FORGOTTEN = "corrected", "forgotten"
_SINCE = {
    _CORRECTED: Words("corrected since"),
    _FORGOTTEN: Words("forgotten since"),
}


class ShownMemory(NamedTuple):
    """Memory that was shown, with the probability that it bore on the prompt.

    `since`: `corrected` or `forgotten` after it was shown; left out where it is neither.
    """

    handle: str
    score: Score
    status: str
    title: str
    since: Omitted[str] = None


@dataclass(frozen=True, slots=True)
class LastResult:
    """Injection: time, session, agent, exact text, source memories and cost.

    A line whose memory was forgotten since is `[forgotten since]`. `corrected_lines` are the
    numbers, from 1, of lines whose memories were corrected since: left out where there are none.
    `by` is the ranker: `daemon` (words and vectors) or `words`; '' at a session's start.
    """

    at: datetime
    event: str
    agent: str
    session: str
    text: str
    memories: tuple[ShownMemory, ...]
    tokens: int
    ms: float
    by: str
    zone: Hidden[tzinfo]
    corrected_lines: Omitted[tuple[int, ...]] = None

    @property
    def found(self) -> bool:
        """Return whether anything was injected."""
        return bool(self.text)


def find_last_injection(call: Call, session: str) -> LastResult:
    """Return the last injection of one session, or of all.

    Raises BadRequest where none is kept.
    """
    rows = window.sessions(str(call.home.folder))
    row = next((row for row in rows if session in ("", row["session"])), None)
    if row is None:
        listed = ", ".join(str(listed_row["session"]) for listed_row in rows[:5])
        raise BadRequest(
            "no agent was given anything in session {session!r}"
            if session
            else "no agent was given anything yet",
            session=session,
            listed=listed,
            hint="sessions: {listed}"
            if listed
            else '`gieok recall "…"` shows what an agent would be given',
        )
    return _build_last_result(row, row["last"], call.zone)


def list_last_injections(call: Call, limit: int) -> list[LastResult]:
    """Return the last injections of all sessions, newest first."""
    injections = [
        (row, injection)
        for row in window.sessions(str(call.home.folder))
        for injection in (row["last"], *row.get("earlier", ()))
    ]
    injections.sort(key=lambda pair: -float(pair[1]["at"]))
    return [_build_last_result(row, injection, call.zone) for row, injection in injections[:limit]]


def _build_last_result(row: dict[str, Any], shown: dict[str, Any], zone: tzinfo) -> LastResult:
    return LastResult(
        at=datetime.fromtimestamp(shown["at"], UTC),
        event=shown["event"],
        agent=row["agent"],
        session=row["session"],
        text=redact(shown["text"]),  # rules of the user's may be newer than the text
        memories=tuple(_build_shown_memory(memory) for memory in shown["memories"]),
        tokens=shown["tokens"],
        ms=shown.get("ms", 0.0),
        by=shown.get("by", ""),
        zone=zone,
        corrected_lines=tuple(sorted(map(int, shown.get(CORRECTED_LINES, {})))) or None,
    )


def _build_shown_memory(memory: dict[str, Any]) -> ShownMemory:
    if memory.get(FORGOTTEN):
        return ShownMemory(handle="", score=memory["score"], status="", title="", since=_FORGOTTEN)
    title = " ".join((memory["title"] or memory["text"]).split())[:60]
    return ShownMemory(
        handle=memory["handle"],
        score=memory["score"],
        status=memory["status"] or "said",
        title=redact(title),
        since=_CORRECTED if CORRECTED in memory else None,
    )


def render_last_injection(result: LastResult, style: Style) -> str:
    """Show time and session, the text, a line for each memory, and the cost."""
    at = f"{result.at.astimezone(result.zone):%Y-%m-%d %H:%M:%S}"
    lines = [
        style.dim(
            printable(
                f"{at}  {result.agent}  {result.session}  {result.event}  {result.by}"
            ).rstrip()
        )
    ]
    lines += _format_shown_text(result, style) or [style.say("The agent was given nothing.")]
    lines += [style.dim(printable(_format_shown_memory(m, style))) for m in result.memories]
    cost = style.say("{tokens} tokens, {ms:.0f} ms", tokens=result.tokens, ms=result.ms)
    return "\n".join((*lines, style.dim(cost)))


def _format_shown_text(result: LastResult, style: Style) -> list[str]:
    """Return the lines as the agent got them, each with what became of its memory since."""
    shown: list[str] = []
    for number, line in enumerate(printable(result.text).split("\n"), start=1):
        if line == FORGOTTEN_LINE:
            shown.append(style.dim(f"[{_SINCE[_FORGOTTEN].say(style.lang)}]"))
        elif number in (result.corrected_lines or ()):
            shown.append(f"{line}  {style.dim(f'← {_SINCE[_CORRECTED].say(style.lang)}')}")
        else:
            shown.append(line)
    return shown if result.text else []


def _format_shown_memory(memory: ShownMemory, style: Style) -> str:
    since = _SINCE[memory.since].say(style.lang) if memory.since else ""
    status = "; ".join(filter(None, (_say_status(memory.status, style), since)))
    return f"{memory.score:.2f}  {memory.handle:<12} {status}  {memory.title}".rstrip()


def _say_status(status: str, style: Style) -> str:
    """Return what an agent was told of a memory, which is English, in the reader's language."""
    return "; ".join(style.told(part) for part in status.split("; "))
