"""The part of a passage that is shown: where the words of the question are, cut between words."""

from collections.abc import Collection

from gieok.text.keywords import keyword_tokens


def snippet(text: str, wanted: Collection[str], limit: int) -> str:
    """Return at most `limit` characters of `text`, around the line that holds most of the `wanted` tokens.

    Cuts fall between words and are marked by an ellipsis, which the limit includes.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    start = _best_line(text, wanted)
    if len(text) - start < limit:
        start = max(len(text) - limit, 0)
    start = _after_space(text, start) if start else 0
    head = "… " if start else ""
    room = limit - len(head)
    if len(text) - start <= room:
        return head + text[start:]
    cut = text.rfind(" ", start, start + room - 1)
    newline = text.rfind("\n", start, start + room - 1)
    end = max(cut, newline) if max(cut, newline) > start else start + room - 2
    return f"{head}{text[start:end].rstrip()} …"


def _best_line(text: str, wanted: Collection[str]) -> int:
    """Return where the line begins that holds most wanted tokens; the first of equals."""
    best, place, start = -1, 0, 0
    for line in text.split("\n"):
        count = len(set(keyword_tokens(line)) & set(wanted))
        if count > best:
            best, place = count, start
        start += len(line) + 1
    return place


def _after_space(text: str, start: int) -> int:
    """Return the beginning of the first word at or after `start`."""
    if text[start - 1] in " \n":
        return start
    found = text.find(" ", start, start + 40)
    return found + 1 if found >= 0 else start
