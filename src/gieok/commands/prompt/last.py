"""Last injection into an agent's prompt, for `gieok why --last`: text, sources and cost."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple

from gieok.commands.command import Style, printable
from gieok.commands.encode import Hidden, Score
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.hook import window
from gieok.text.redact import redact


class ShownMemory(NamedTuple):
    """Memory that was shown, with the probability that it bore on the prompt."""

    handle: str
    score: Score
    status: str
    title: str


@dataclass(frozen=True, slots=True)
class LastResult:
    """Injection: time, session, agent, exact text, source memories and cost.

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
            hint="sessions: {listed}" if listed else None,
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
    )


def _build_shown_memory(memory: dict[str, Any]) -> ShownMemory:
    title = " ".join((memory["title"] or memory["text"]).split())[:60]
    return ShownMemory(memory["handle"], memory["score"], memory["status"] or "said", redact(title))


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
    lines.append(printable(result.text) or style.say("The agent was given nothing."))
    lines += [
        style.dim(
            printable(f"{m.score:.2f}  {m.handle:<12} {_say_status(m.status, style)}  {m.title}")
        )
        for m in result.memories
    ]
    cost = style.say("{tokens} tokens, {ms:.0f} ms", tokens=result.tokens, ms=result.ms)
    return "\n".join((*lines, style.dim(cost)))


def _say_status(status: str, style: Style) -> str:
    """Return what an agent was told of a memory, which is English, in the reader's language."""
    return "; ".join(style.told(part) for part in status.split("; "))
