"""What stands in notes and no person reads: pasted images, compressed drawings, minified code. Left
out, line by line.

The lines keep their numbers, so that what is cited stands where it is said to stand.
"""

import re

#: What is put in place of what is left out.
LEFT_OUT = "…"
_DATA = re.compile(r"(data:[\w.+/-]{1,80}(?:;[\w=-]+)*,)[^\s\"'<>)\]}]{64,}")
#: A run without a space; of one that begins as an address, its beginning says where it leads.
#: Korean and Chinese lines have no spaces to speak of, so a run is of ASCII.
_RUN = re.compile(r"(https?://[!-~]{1,120})?[!-~]{256,}")
_WRAPPED = re.compile(r"[A-Za-z0-9+/=_-]{40,}")
#: So many lines of code letters below each other are one thing; two hashes or keys are none.
_LEAST_WRAPPED = 8
#: A longer line is looked at: prose has letters and spaces, what a program wrote for a program has
#: signs and numbers.
_LONG_LINE, _KEPT_CHARS = 2_000, 200
_LEAST_LETTERS, _MOST_SIGNS = 0.5, 0.15


def without_blobs(text: str) -> str:
    """Return a text in which `…` stands for what no person reads; as it is where there is nothing
    of that.
    """
    lines = text.split("\n")
    if max(map(len, lines)) < 256 and not _is_wrapped(lines):
        return text
    kept = [_without_runs(line) if len(line) >= 64 else line for line in lines]
    return "\n".join(_without_wrapped(kept))


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
    """Return the lines with one `…` for each block of code letters, which may have empty lines in
    it.
    """
    found: list[str] = []
    block: list[int] = []
    for line in [*lines, "end"]:
        if line.strip() == LEFT_OUT or _WRAPPED.fullmatch(line.strip()):
            block.append(len(found))
        elif line.strip() and block:
            if len(block) >= _LEAST_WRAPPED or all(found[at].strip() == LEFT_OUT for at in block):
                for at in block:
                    found[at] = LEFT_OUT if at == block[0] else ""
            block = []
        found.append(line)
    return found[:-1]
