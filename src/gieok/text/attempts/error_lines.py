"""Lines of a tool's output that say what went wrong, in a form in which they are known again.

Numbers, addresses, times and the folders of paths differ from run to run, and are left out of the
form. The rules know nothing of single programs. Imported by the hook: see the package.
"""

import re

#: Words by which a line says that something went wrong, in most programs and languages.
_CUES = re.compile(
    r"\b(?i:error|fatal|failed|failure|exception|panic|cannot|can't|could not|couldn't|unable"
    r"|not found|no such|no module|no rule|denied|refused|invalid|unknown|unrecogni[sz]ed"
    r"|unexpected|missing|undefined|unresolved|timed? ?out|already (?:in use|exists)"
    r"|not (?:installed|permitted|allowed|supported|running|set|defined)|required|conflict"
    r"|unsupported|expected|caused by|(?:does|do|did|is|was|are|were|has|have)(?: not|n't))"
    r"|\b(?:[A-Z][a-z]+)+(?:Error|Exception)\b|\bE[A-Z]{3,}"
    r"|오류|에러|실패|없습니다|거부|찾을 수 없"
)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_EXIT = re.compile(r"(?i)^(?:error: )?(?:process |command )?exit(?:ed)?(?: with)?(?: code| status)")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]?|\d\d:\d\d:\d\d(?:[.,]\d+)?Z?")
_HEX = re.compile(
    r"\b0x[0-9a-f]+\b|\b(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])[0-9a-f-]{7,}\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+")
#: Folders before the last part of a path.
_FOLDERS = re.compile(r"(?:[A-Za-z]:)?(?:[\w.@~-]*[/\\])+(?=[\w.@~-])")
_FILE = re.compile(r"[\w-]+\.[A-Za-z]\w{0,5}\b")
_NO_LETTER = re.compile(r"[\W\d_]+")
_LINE_CHARS = 200
_MOST_CHARS = 20_000
_MOST_LINES = 6
#: A line with fewer letters says nothing of its own.
_FEWEST_LETTERS = 12
_FEWEST_WORDS = 2
_FEWEST_LOOSE_WORDS = 5
#: "python: can't open file 'a.py': [Errno 2] No such file or directory" has seven.
_FEWEST_WORDS_BESIDE_FILE = 8
#: Words that every failure has: a line of these alone is no error of its own.
_COMMON = frozenset(
    """
    error errors failed failure fatal exit exited code status with the a an of to in on at for is
    was were and or not no command process returned non zero run test tests build err npm
    """.split()
)


def fold_error_line(line: str) -> str:
    """Return the form of a line in which it is known again; '' where it says nothing of its own."""
    line = _ESCAPES.sub("", line[: 4 * _LINE_CHARS]).strip()
    if _EXIT.match(line):
        return ""
    line = _FOLDERS.sub("", _TIME.sub("", line))
    line = " ".join(_NUMBER.sub("#", _HEX.sub("#", line)).split())[:_LINE_CHARS]
    letters = _NO_LETTER.sub("", line)
    words = {word for word in _NO_LETTER.split(line.lower()) if word} - _COMMON
    return line if len(letters) >= _FEWEST_LETTERS and len(words) >= _FEWEST_WORDS else ""


def loosen_error_line(folded: str) -> str:
    """Return the form of a line without the files that it names; '' where little is left of it.

    The same error of another file is the same error only where the line says much else.
    """
    loose = _FILE.sub("*", folded)
    words = {word for word in _NO_LETTER.split(loose.lower()) if word[2:]} - _COMMON
    least = _FEWEST_LOOSE_WORDS if loose == folded else _FEWEST_WORDS_BESIDE_FILE
    return loose if len(words) >= least else ""


def list_error_lines(output: str) -> "list[tuple[str, str]]":
    """Return the lines that say what went wrong, each as it is shown and in its form.

    The last ones come first: programs end with what matters. Without any such line, the last line
    of the output stands for it.
    """
    lines = [line.strip() for line in _cut_middle(output).splitlines() if line.strip()]
    telling = [line for line in lines if _CUES.search(line)] or lines[-1:]
    found: dict[str, str] = {}
    for line in reversed(telling):
        folded = fold_error_line(line)
        if folded and folded not in found:
            found[folded] = _ESCAPES.sub("", line)[:_LINE_CHARS].strip()
        if len(found) == _MOST_LINES:
            break
    return [(shown, folded) for folded, shown in found.items()]


def _cut_middle(output: str) -> str:
    if len(output) <= _MOST_CHARS:
        return output
    return output[: _MOST_CHARS // 2] + "\n" + output[-_MOST_CHARS // 2 :]


_EXIT_CODE = re.compile(
    r"(?i)\bexit(?:ed)?(?: with)?[ _]?(?:code|status)?[\"']?\s?[:=]?\s?\(?(-?\d{1,3})\b"
)
_HEAD_CHARS = 300


def read_exit_code(output: str) -> "int | None":
    """Return the exit code that a tool's output begins or ends with; None where it names none."""
    for part in (output[:_HEAD_CHARS], output[-_HEAD_CHARS:]):
        if match := _EXIT_CODE.search(part):
            return int(match[1])
    return None
