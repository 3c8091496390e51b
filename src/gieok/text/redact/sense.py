"""Secrets that no rule can tell: a reader finds them by the sense of a text.

The rules of `text.redact` come first, and hold everywhere. The reader is there where the process
has opened a home with a model, and reads only what stands near a cue (`text.secrets.cues`): each
window costs 30 to 100 ms.
"""

import unicodedata

from gieok.text.redact import redact, redact_counted
from gieok.text.secrets.finder import find_secrets

#: What stands in the place of a secret that was found by sense.
_KIND = "secret"
_PLACEHOLDER = f"[redacted:{_KIND}]"


def redact_said(text: str) -> str:
    """Return what somebody said with each secret replaced: by rules, then by sense."""
    return _redact_by_sense(redact(text), is_said=True)


def redact_document(text: str) -> str:
    """Return a document with each secret replaced: by rules, then by sense near clear cues."""
    return _redact_by_sense(redact(text), is_said=False)


def redact_said_counted(text: str, *, source: bool = False) -> tuple[str, dict[str, int]]:
    """Return a text as `redact_said` does, and how many secrets of each kind there were.

    Source code is redacted by rules alone.
    """
    clean, counts = redact_counted(text, source=source)
    if source:
        return clean, counts
    read = _redact_by_sense(clean, is_said=True)
    found = read.count(_PLACEHOLDER) - clean.count(_PLACEHOLDER)
    if found:
        counts[_KIND] = counts.get(_KIND, 0) + found
    return read, dict(sorted(counts.items()))


def _redact_by_sense(text: str, *, is_said: bool) -> str:
    parts, at = [], 0
    for start, end in find_secrets(_blank_decomposed(text), is_said=is_said):
        parts += [text[at:start], _PLACEHOLDER]
        at = end
    return "".join([*parts, text[at:]])


def _blank_decomposed(text: str) -> str:
    """Return a text with blanks for lines in decomposed form, whose places a reader cannot tell."""
    if unicodedata.is_normalized("NFC", text):
        return text
    return "\n".join(
        line if unicodedata.is_normalized("NFC", line) else " " * len(line)
        for line in text.split("\n")
    )
