"""Lines of what was said: `User: …`, `Assistant: …`, a turn or a part of one each. Standard
library, quick to import.
"""

import re

USER, ASSISTANT = "User", "Assistant"
_SPEAKERS = {USER: "user", ASSISTANT: "assistant"}
#: A turn that is narrower than this may be unintelligible alone: "9시 반", "the second one". A Hangul
#: syllable counts double.
_FEW_COLUMNS = 60
_FOLLOWING_CHARS = 160
#: A string, which `re` compiles at its first use.
_ASKS = r"(?:[?？]|까요|나요|ㄹ까)[.!~\s]*$"


def is_users(text: str) -> bool:
    """Say whether a line is what a user said."""
    return text.startswith("User: ")


def asks(line: str) -> bool:
    """Say whether a line asks something near its end."""
    return "?" in line[-_FOLLOWING_CHARS:] or re.search(_ASKS, line) is not None


def is_answer(text: str, before: str) -> bool:
    """Say whether a line is a short answer to the one before, which asks something near its end:
    unintelligible alone.
    """
    return asks(before) and _is_short_answer(text) and not re.search(_ASKS, text)


def _is_short_answer(text: str) -> bool:
    return len(text) + sum(char > "\u10ff" for char in text) <= _FEW_COLUMNS


class SpokenLine:
    """A turn as it is shown: who said it, their words, what they answer where they are few, what
    answers a question.
    """

    __slots__ = ("answer", "answers", "text", "who")

    def __init__(self, who: str, text: str, answers: str = "", answer: str = "") -> None:
        self.who, self.text, self.answers, self.answer = who, text, answers, answer


def read_spoken_line(lines: "list[str]", number: int) -> "SpokenLine | None":
    """Return the turn in a line (from 1) of a document of turns; None where it is none."""
    who, text = _split_speaker(lines, number)
    if not who:
        return None
    before_who, before = _split_speaker(lines, number - 1)
    after_who, after = _split_speaker(lines, number + 1)
    asks = text.rstrip().endswith(("?", "？"))
    is_short = _is_short_answer(text)
    return SpokenLine(
        who,
        text,
        _cut_turn_end(before) if is_short and not asks and before_who not in ("", who) else "",
        _cut_turn_start(after) if asks and after_who not in ("", who) else "",
    )


def find_answered_question(lines: "list[str]", number: int) -> str:
    """Return the agent's question that a user's line answers with few words, its end; '' for
    none.
    """
    (who, text), (before_who, before) = (
        _split_speaker(lines, number),
        _split_speaker(lines, number - 1),
    )
    is_one = (
        who == _SPEAKERS[USER] and before_who == _SPEAKERS[ASSISTANT] and is_answer(text, before)
    )
    return _cut_turn_end(before) if is_one else ""


def exchange(lines: "list[str]", number: int) -> str:
    """Return a turn with what makes it intelligible, a labelled line each: what it answers, or what
    answers it.
    """
    shown = read_spoken_line(lines, number)
    if shown is None:
        return ""
    other = USER if shown.who == _SPEAKERS[ASSISTANT] else ASSISTANT
    before = f"{other}: {shown.answers}\n" if shown.answers else ""
    after = f"\n{other}: {shown.answer}" if shown.answer else ""
    return f"{before}{lines[number - 1]}{after}"


def _split_speaker(lines: "list[str]", number: int) -> "tuple[str, str]":
    """Return who speaks in a line, and the words; ('', '') for no turn."""
    label, colon, text = (
        lines[number - 1].partition(": ") if 0 < number <= len(lines) else ("", "", "")
    )
    return (_SPEAKERS[label], text) if colon and label in _SPEAKERS else ("", "")


def _cut_turn_start(said: str) -> str:
    return said if len(said) <= _FOLLOWING_CHARS else said[: _FOLLOWING_CHARS - 1] + "…"


def _cut_turn_end(said: str) -> str:
    """Return the end of what was said, from a word on: a question stands there."""
    if len(said) <= _FOLLOWING_CHARS:
        return said
    space = said.find(" ", len(said) - _FOLLOWING_CHARS)
    return "… " + said[space + 1 if space > 0 else -_FOLLOWING_CHARS :]
