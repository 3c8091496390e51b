"""A chat model with scripted replies."""

from collections.abc import Callable, Iterable, Sequence

from gieok.model.accounts import StoredCharacter
from gieok.ports.models import ChatMessage, ReplyPart, ReplyParts, Sampling

ScriptedReply = Iterable[str | Exception]


class ScriptedReplies:
    """`ChatModel` for tests, with scripted replies; as `ReplyModels` it answers for everybody.

    It gives the replies in turn, piece by piece (the last one is repeated), raises those that are
    errors, and records the messages that it was given. `closed` counts the replies that were not
    read to their end.
    """

    model = "scripted:1"

    def __init__(self, *replies: ScriptedReply | Callable[[], ScriptedReply]) -> None:
        self.replies = replies or (("그래, ", "들었어."),)
        self.told: list[tuple[ChatMessage, ...]] = []
        self.samplings: list[Sampling] = []
        self.closed = 0

    def open(self, stored: StoredCharacter) -> "ScriptedReplies":
        """Return itself, whatever the character's model is."""
        del stored
        return self

    def stream(self, messages: Sequence[ChatMessage], sampling: Sampling) -> ReplyParts:
        """Yield the next reply."""
        self.told.append(tuple(messages))
        self.samplings.append(sampling)
        pieces = self.replies[min(len(self.told), len(self.replies)) - 1]
        is_whole = False
        try:
            for piece in pieces() if callable(pieces) else pieces:
                if isinstance(piece, Exception):
                    raise piece
                yield ReplyPart(piece)
            yield ReplyPart("", "stop", 11, 7)
            is_whole = True
        finally:
            self.closed += not is_whole
