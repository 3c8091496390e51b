"""Takes out of a text what Gieok itself put there, so that memory never feeds on its own echo.

What is injected stands between `<memory-context …>`, `<memory-compact …>` or `<memory-note …>` and the closing tag.
"""

import re

#: Stands in every prompt that Gieok sends to a model. A session that begins with one is Gieok's own (the model may be reached
#: through an agent that keeps transcripts), and is not for memory.
MARKER = "gieok-memory-run: not for memory"

_TAG = re.compile(r"<(/?)memory-(context|compact|note)\b[^>]*>", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n[ \t]*\n([ \t]*\n)+")


def strip_echo(text: str) -> str:
    """Return `text` without injected memory; a text without any is returned as it is.

    Blocks may be nested (memory about memory). One that is never closed (a text that was cut) goes to its end; a closing
    tag alone is taken out with nothing else.
    """
    if "memory-" not in text and "MEMORY-" not in text:
        return text
    kept: list[str] = []
    depth = position = 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            kept.append(text[position : tag.start()])
        depth = max(depth - 1, 0) if tag[1] else depth + 1
        position = tag.end()
    if position == 0:
        return text
    if depth == 0:
        kept.append(text[position:])
    return _BLANK_LINES.sub("\n\n", "".join(kept)).strip()
