"""Prompts that were typed while the agent worked: each once, whichever way and however often a transcript tells it."""

from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from gieok.agents.transcripts.session import Queued, Said

#: A prompt that was taken in comes back as a line of its own within a turn, or not at all.
_LONGEST_TURN = timedelta(hours=1)


def _key(text: str) -> str:
    return " ".join(text.split())


@dataclass(slots=True)
class PromptQueue:
    """The queue of one transcript, as its lines tell it."""

    #: Prompts that wait, in order: some versions do not say which one is taken in.
    _waiting: deque[Said] = field(default_factory=deque)
    #: How often a prompt was taken in, by its words: as each way tells it, and as it was given out.
    _told: dict[str, Counter[str]] = field(default_factory=dict)
    #: When each prompt that has not come back was taken in.
    _taken: dict[str, datetime] = field(default_factory=dict)
    _last: str = ""

    def take(self, event: Queued, at: datetime) -> Said | None:
        """Return the prompt that the running turn took in, the first time that it is told."""
        match event.what:
            case "enqueue":
                self._waiting.append(event.said)
            case "dequeue" if self._waiting:
                self._waiting.popleft()
            case "clear":
                self._waiting.clear()
            case "drop":
                self._leave(event.said)
            case "absorb":
                said = event.said if event.said.text else self._next(event.said)
                self._leave(said)
                return self._first_told(said, event.way, at)
        return None

    def _next(self, said: Said) -> Said:
        return self._waiting[0]._replace(id=said.id) if self._waiting else said

    def _leave(self, said: Said) -> None:
        held = next((one for one in self._waiting if _key(one.text) == _key(said.text)), None)
        if held is not None:
            self._waiting.remove(held)

    def _first_told(self, said: Said, way: str, at: datetime) -> Said | None:
        key = _key(said.text)
        told = self._told.setdefault(key, Counter())
        told[way] += 1
        if not key or told[way] <= told["given"]:
            return None
        told["given"] += 1
        if key == self._last:
            return None  # its line came before
        self._taken[key] = at
        return said

    def is_repeated(self, said: Said, at: datetime) -> bool:
        """Say whether a line of the user's is a prompt that was taken in before: it came back from the queue."""
        key = _key(said.text)
        taken = self._taken.pop(key, None)
        self._last = key
        return taken is not None and at - taken <= _LONGEST_TURN
