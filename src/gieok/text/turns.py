"""Lines of a conversation: `User: …`, `Assistant: …`, each a turn or a part of one.

Standard library, quick to import.
"""

import re

from gieok.text.assent import accepts, is_small_talk

USER, ASSISTANT = "User", "Assistant"
_SPEAKERS = {USER: "user", ASSISTANT: "assistant"}
#: A narrower turn may be unintelligible alone: "9시 반", "the second one". A Hangul syllable counts
#: double.
_FEW_COLUMNS = 60
_FOLLOWING_CHARS = 160
#: Lines behind the one that opens a matter in which it may be closed.
_CLOSING_LINES = 8
#: A string, which `re` compiles at its first use.
_ASKS = r"(?:[?？]|까요|나요|ㄹ까)[.!~\s]*$"
#: A turn of so few words is a bare value, and one that begins so points to what was said before.
_BARE_WORDS = 2
_POINTS_BACK = (
    r"(?i)^\W*(?:(?:and|but|so|no|yes|ok(?:ay)?|not),? )*(?:it|its|it's|that|that's|this|they|them"
    r"|those|these|then|both|neither|either|same|(?:the )?(?:first|second|third|last|other|former"
    r"|latter)(?: one)?)\b"
    r"|\b(?:that|this|the other|the first|the second|the last) one\b|\bthe other way\b"
    r"|\b(?:it|them|that|those)(?=[\s.!,]*$|,? (?:as|on|at|in|for|to|with|before|after|by|instead"
    r"|then|too|again|now|later|first|only|everywhere|please)\b)"
    r"|^\W*(?:(?:응|아니|네|음)[,.]? )?(?:그거|그건|그게|그걸|그것|그럼|그대로|그렇게|이거|이건|이게|이걸|이렇게|거기"
    r"|둘 다|둘다|첫|두 ?번째|나머지|같은|반대로|[그이저] [가-힣])"
    r"|(?<![가-힣])(?:그거|그걸|그건|이걸|저거|저걸|그쪽|거기)"
)


def is_users(text: str) -> bool:
    """Return whether a line was said by a user."""
    return text.startswith("User: ")


def asks(line: str) -> bool:
    """Return whether a line asks something near its end."""
    return "?" in line[-_FOLLOWING_CHARS:] or re.search(_ASKS, line) is not None


def is_answer(text: str, before: str) -> bool:
    """Return whether a line is a short answer to the line before, unintelligible alone.

    The line before asks something near its end.
    """
    return asks(before) and _is_short_answer(text) and not re.search(_ASKS, text)


def _is_short_answer(text: str) -> bool:
    return len(text) + sum(char > "\u10ff" for char in text) <= _FEW_COLUMNS


class SpokenLine:
    """A turn as it is shown: its speaker and words, with its question or its answer.

    The question is added where the turn answers it with few words, the answer where the turn asks.
    """

    __slots__ = ("answer", "answers", "text", "who")

    def __init__(self, who: str, text: str, answers: str = "", answer: str = "") -> None:
        self.who, self.text, self.answers, self.answer = who, text, answers, answer


def read_spoken_line(lines: "list[str]", number: int) -> "SpokenLine | None":
    """Return the turn in a line (from 1) of a document of turns; None where the line is no turn."""
    who, text = _split_speaker(lines, number)
    if not who:
        return None
    before_who, before = _split_speaker(lines, number - 1)
    after_who, after = _split_speaker(lines, number + 1)
    asks = text.rstrip().endswith(("?", "？"))
    is_reply = before_who not in ("", who) and not asks and needs_turn_before(text, before)
    return SpokenLine(
        who,
        text,
        _cut_turn_end(before) if is_reply else "",
        _cut_turn_start(after) if asks and after_who not in ("", who) else "",
    )


def needs_turn_before(text: str, before: str) -> bool:
    """Return whether a short turn says too little without the turn before it.

    It does where that one asks, and where the turn is a bare value, mere assent, or points back.
    Beside "Noted." it stands by itself, whatever it says.
    """
    if not _is_short_answer(text) or is_small_talk(before):
        return False
    is_bare = len(text.split()) <= _BARE_WORDS
    return asks(before) or is_bare or accepts(text) or re.search(_POINTS_BACK, text) is not None


def find_answered_question(lines: "list[str]", number: int) -> str:
    """Return the end of the agent's question that a user's line answers with few words.

    '' where there is none.
    """
    (who, text), (before_who, before) = (
        _split_speaker(lines, number),
        _split_speaker(lines, number - 1),
    )
    is_one = (
        who == _SPEAKERS[USER] and before_who == _SPEAKERS[ASSISTANT] and is_answer(text, before)
    )
    return _cut_turn_end(before) if is_one else ""


def find_closing_words(lines: "list[str]", number: int) -> int:
    """Return the line of the user's turn that closes the matter of a line; 0 for none.

    It is the user's next turn that asks nothing, where the line or the reply to it asks something,
    and where the turn is surely on the matter: it accepts or shortly answers what the agent asked
    just before, or has a word of the matter. A turn of the user that asks goes on with the matter,
    once.
    """
    reply = lines[number] if number < len(lines) else ""
    if not (asks(lines[number - 1]) or asks(reply)):
        return 0
    previous, before = _split_speaker(lines, number)
    matter = before
    questions = 0
    for place in range(number + 1, min(len(lines), number + _CLOSING_LINES) + 1):
        who, text = _split_speaker(lines, place)
        if who == _SPEAKERS[USER] and previous != who:
            if not text.rstrip().endswith(("?", "？")):
                is_on_it = _shares_word(text, matter) or (
                    asks(before)
                    and _shares_word(before, lines[number - 1])
                    and (accepts(text) or is_answer(text, before))
                )
                return place if is_on_it else 0
            questions += 1
            if questions > 1:
                return 0
        matter = f"{matter}\n{text}"
        if who:
            previous, before = who, text
    return 0


def _shares_word(one: str, other: str) -> bool:
    """Say whether two texts have a word that searches would look for."""
    from gieok.text.keywords import query_tokens  # 15 ms, which a session's start has not

    return not {*query_tokens(one)}.isdisjoint(query_tokens(other))


def exchange(lines: "list[str]", number: int) -> str:
    """Return a turn with its context, a labelled line each.

    The context is the question that the turn answers, or the answer to the turn.
    """
    shown = read_spoken_line(lines, number)
    if shown is None:
        return ""
    other = USER if shown.who == _SPEAKERS[ASSISTANT] else ASSISTANT
    before = f"{other}: {shown.answers}\n" if shown.answers else ""
    after = f"\n{other}: {shown.answer}" if shown.answer else ""
    return f"{before}{lines[number - 1]}{after}"


def _split_speaker(lines: "list[str]", number: int) -> "tuple[str, str]":
    """Return the speaker of a line, and the words; ('', '') where the line is no turn."""
    label, colon, text = (
        lines[number - 1].partition(": ") if 0 < number <= len(lines) else ("", "", "")
    )
    return (_SPEAKERS[label], text) if colon and label in _SPEAKERS else ("", "")


def _cut_turn_start(said: str) -> str:
    return said if len(said) <= _FOLLOWING_CHARS else said[: _FOLLOWING_CHARS - 1] + "…"


def _cut_turn_end(said: str) -> str:
    """Return the end of a turn, from a word on: a question stands at the end."""
    if len(said) <= _FOLLOWING_CHARS:
        return said
    space = said.find(" ", len(said) - _FOLLOWING_CHARS)
    return "… " + said[space + 1 if space > 0 else -_FOLLOWING_CHARS :]
