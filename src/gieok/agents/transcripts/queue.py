"""Queue of prompts that were typed while the agent worked.

Each prompt is read once, in whichever ways and however often a transcript reports it.
"""

import re
from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from gieok.agents.transcripts.session import Queued, SpokenPart

#: A prompt that was taken in comes back as a line of its own within one turn, or not at all; no
#: turn is longer than this.
_LONGEST_TURN = timedelta(hours=1)


#: Placeholders in one report of a prompt: `_PICTURE` for content that another report omits,
#: `_PASTED` for a long text that another report holds in full.
_PICTURE = re.compile(r"\[(?:Image|File|Document|PDF|Audio)\b[^\]\n]{0,80}\]", re.IGNORECASE)
_PASTED = re.compile(r"\[(?:Pasted text|\.\.\.Truncated text)\b[^\]\n]{0,80}\]", re.IGNORECASE)
#: A prompt that is little more than a placeholder would match any prompt; fewer letters than this
#: match none.
_LEAST_CHARS = 8


def _normalise_prompt(text: str) -> str:
    """Return the words of a prompt as the key by which prompts are compared."""
    words = " ".join(text.split())
    return " ".join(_PICTURE.sub(" ", words).split()) or words if "[" in words else words


def _is_same_prompt(one: str, other: str) -> bool:
    """Return whether two keys belong to one prompt: they are alike except for pasted text."""
    return one == other or _is_shortened_prompt(one, other) or _is_shortened_prompt(other, one)


def _is_shortened_prompt(told: str, whole: str) -> bool:
    """Return whether a key with placeholders fits a whole prompt."""
    pieces = [piece.strip() for piece in _PASTED.split(told)] if "[" in told else []
    if len(pieces) < 2 or sum(map(len, pieces)) < _LEAST_CHARS:
        return False
    position = 0
    for piece in pieces[:-1]:
        position = whole.find(piece, position) + len(piece)
        if position < len(piece):
            return False
    return (
        whole.startswith(pieces[0])
        and whole.endswith(pieces[-1])
        and len(whole) - len(pieces[-1]) >= position
    )


@dataclass(slots=True)
class PromptQueue:
    """Queue of one transcript, as its lines report it."""

    #: Waiting prompts, in order: some versions do not say which prompt is taken in.
    _waiting: deque[SpokenPart] = field(default_factory=deque)
    #: How often each prompt was taken in, by its key: a counter for each way of reporting, and one
    #: for prompts that were returned.
    _told: dict[str, Counter[str]] = field(default_factory=dict)
    #: When each prompt that has not come back was taken in.
    _taken: dict[str, datetime] = field(default_factory=dict)
    _last: str = ""

    def take(self, event: Queued, at: datetime) -> SpokenPart | None:
        """Return the prompt that the running turn took in, when it is first reported; else None."""
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
                prompt = event.said if event.said.text else self._next(event.said)
                self._leave(prompt)
                return self._first_told(prompt, event.way, at)
        return None

    def _next(self, said: SpokenPart) -> SpokenPart:
        return self._waiting[0]._replace(id=said.id) if self._waiting else said

    def _leave(self, said: SpokenPart) -> None:
        key = _normalise_prompt(said.text)
        held = next(
            (
                prompt
                for prompt in self._waiting
                if _is_same_prompt(_normalise_prompt(prompt.text), key)
            ),
            None,
        )
        if held is not None:
            self._waiting.remove(held)

    def _first_told(self, said: SpokenPart, way: str, at: datetime) -> SpokenPart | None:
        key = self._find_told(said.text)
        counts = self._told.setdefault(key, Counter())
        counts[way] += 1
        if not key or counts[way] <= counts["given"]:
            return None
        counts["given"] += 1
        if _is_same_prompt(key, self._last):
            return None  # its line came before
        self._taken[key] = at
        return said

    def _find_told(self, text: str) -> str:
        """Return the key under which a prompt was reported in another way, else its own key."""
        key = _normalise_prompt(text)
        if key in self._told or not key:
            return key
        return next((known for known in self._told if _is_same_prompt(known, key)), key)

    def is_repeated(self, said: SpokenPart, at: datetime) -> bool:
        """Return whether a user line repeats a prompt that was taken in before.

        Such a prompt came back from the queue as a line of its own.
        """
        key = _normalise_prompt(said.text)
        known = (
            key
            if key in self._taken
            else next((other for other in self._taken if _is_same_prompt(other, key)), key)
        )
        taken = self._taken.pop(known, None)
        self._last = key
        return taken is not None and at - taken <= _LONGEST_TURN
