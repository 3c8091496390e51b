"""Removal of note parts that no person reads: images, compressed drawings, minified code.

The parts are removed within their lines, so that line numbers, and with them citations, stay valid.
The images are pasted ones.
"""

import re

#: Replaces a removed part.
LEFT_OUT = "…"
_DATA = re.compile(r"(data:[\w.+/-]{1,80}(?:;[\w=-]+)*,)[^\s\"'<>)\]}]{64,}")
#: A long run without a space. Of a URL, the beginning is kept, because it says where the URL leads.
#: Only ASCII: Korean and Chinese lines have hardly any spaces.
_RUN = re.compile(r"(https?://[!-~]{1,120})?[!-~]{256,}")
_WRAPPED = re.compile(r"[A-Za-z0-9+/=_-]{40,}")
#: Least number of consecutive base64-like lines that are one blob; two hashes or keys are none.
_LEAST_WRAPPED = 8
#: A longer line is examined: prose consists of letters and spaces, text that a program wrote for a
#: program has many signs and numbers.
_LONG_LINE, _KEPT_CHARS = 2_000, 200
_LEAST_LETTERS, _MOST_SIGNS = 0.5, 0.15


def without_blobs(text: str) -> str:
    """Return a text with `…` in place of each part that no person reads.

    A text without such parts is returned unchanged.
    """
    lines = text.split("\n")
    if max(map(len, lines)) < 256 and not _is_wrapped(lines):
        return text
    cleaned = [_without_runs(line) if len(line) >= 64 else line for line in lines]
    return "\n".join(_without_wrapped(cleaned))


def _is_wrapped(lines: list[str]) -> bool:
    return sum(1 for line in lines if len(line) >= 40 and " " not in line) >= _LEAST_WRAPPED


def _without_runs(line: str) -> str:
    line = _DATA.sub(rf"\1{LEFT_OUT}", line)
    line = _RUN.sub(lambda run: (run[1] or "") + LEFT_OUT, line)
    return line[:_KEPT_CHARS] + LEFT_OUT if len(line) >= _LONG_LINE and _is_machines(line) else line


def _is_machines(line: str) -> bool:
    letters = sum(map(str.isalpha, line))
    signs = sum(1 for char in line if "!" <= char <= "~" and not char.isalnum())
    return letters < _LEAST_LETTERS * len(line) or signs > _MOST_SIGNS * len(line)


def _without_wrapped(lines: list[str]) -> list[str]:
    """Replace each block of base64-like lines by one `…`, and keep the number of lines.

    The first line of a block becomes `…`, and its other lines become empty. An empty line does not
    end a block.
    """
    shortened: list[str] = []
    block: list[int] = []
    for line in [*lines, "end"]:
        if line.strip() == LEFT_OUT or _WRAPPED.fullmatch(line.strip()):
            block.append(len(shortened))
        elif line.strip() and block:
            if len(block) >= _LEAST_WRAPPED or all(
                shortened[at].strip() == LEFT_OUT for at in block
            ):
                for at in block:
                    shortened[at] = LEFT_OUT if at == block[0] else ""
            block = []
        shortened.append(line)
    return shortened[:-1]
