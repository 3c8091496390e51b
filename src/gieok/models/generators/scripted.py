"""Scripted character without a model: short replies by rules, to try everything without a key.

No download is needed either.
"""

import re
import zlib
from collections.abc import Sequence

from gieok.ports.models import ChatMessage, ReplyPart, ReplyParts, Sampling
from gieok.text.language import detect_text_language
from gieok.text.tokens import estimate_tokens

_QUESTIONS = {
    "ko": ("글쎄, 너는 어떻게 생각해?", "음… 조금 더 말해 줘."),
    "en": ("Hm, what do you think?", "Let me think. Tell me a little more."),
}
_OTHERS = {
    "ko": ("응, 듣고 있어. 더 이야기해 줘.", "그랬구나. 기억해 둘게.", "그래서 어떻게 됐어?"),
    "en": ("I'm listening. Go on.", "I see. I'll remember that.", "And then?"),
}
_WORDS = re.compile(r"\S+\s*")


class ScriptedChat:
    """`ChatModel` without a model or key. The same message gets the same reply."""

    def __init__(self, model: str, key: str, address: str) -> None:
        del key, address
        self.model = model

    def stream(self, messages: Sequence[ChatMessage], sampling: Sampling) -> ReplyParts:
        """Yield a reply word by word."""
        del sampling
        text = next((message.text for message in reversed(messages) if message.role == "user"), "")
        replies = (_QUESTIONS if text.rstrip().endswith("?") else _OTHERS)[
            detect_text_language(text)
        ]
        reply = replies[zlib.crc32(text.encode("utf-8", "replace")) % len(replies)]
        for word in _WORDS.findall(reply):
            yield ReplyPart(word)
        yield ReplyPart(
            "",
            "stop",
            sum(estimate_tokens(message.text) for message in messages),
            estimate_tokens(reply),
        )
