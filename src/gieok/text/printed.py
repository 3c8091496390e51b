"""Lines of a turn that a program printed, and words that a document or somebody else says in it.

Who pastes a log or quotes a README states nothing by it. Standard library, quick to import;
patterns are strings, which `re` compiles at their first use.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_STAMP = r"(?:[\[(]?\d[\d:.,TZ/+ -]{3,}[\])]?\s+)?"
_LEVEL = r"(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|SEVERE)"

#: (pattern, example of a line that a program printed, counter-example).
PRINTED = (
    (
        rf"^[\s>|*-]*+{_STAMP}(?:\[{_LEVEL}\]|{_LEVEL}(?::|\s+-\s))",
        "ERROR: must not run migrations as root",
        "Never log at DEBUG level: use INFO.",
    ),
    (
        r"^\W*+(?:error|warning|fatal|hint|remote|panic)(?:\[\w+\])?: ",
        "fatal: you must never use two branches",
        "Warning: never touch prod.",
    ),
    (
        r"^\W*+[\w@./\\-]+(?:[:(]\d+)*\)?: (?:\w+ )?(?:error|warning|fatal)(?:\[\w+\])?: ",
        "src/a.py:3: error: must not be None",
        "For tests: error messages must never be empty.",
    ),
    (
        (
            r"^\W*+(?:npm|yarn|pnpm|bun|pip|cargo|gradle|mvn|go|brew|apt)\s+"
            r"(?:ERR!|WARN\b|warn\b|error\b|notice\b)"
        ),
        "npm ERR! you must always run npm install first",
        "npm must never run as root.",
    ),
    (
        r'^\s*(?:\$ |>>> |at \S+\(|Traceback \(|File "|[\w.]*[a-z](?:Error|Exception|Warning): )',
        "ValueError: must never be empty",
        "Errors: never swallow them.",
    ),
    (
        r"^\W*+(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\b",
        "2026-11-27 10:00:01 never reuse a token",
        "2026-11-27 is a freeze day: never deploy.",
    ),
)
#: (pattern, example of a line whose colon introduces what somebody else says, counter-example).
BROUGHT = (
    (
        (
            r"(?i)\b(?:says|reads|states|shows|prints|printed|outputs?|warns|reports|complains"
            r"|pasted|returns|returned|(?<!\bi )(?<!\bwe )(?:said|wrote|told (?:me|us)))"
            r"(?: (?:this|that|so|me|us|the following|as follows))?\s?[:：](?=\s|$)"
        ),
        "The README says: never commit to main.",
        "As I said: never commit to main.",
    ),
    (
        (
            r"(?i)^(?!.*\b(?:rules?|conventions?|requirements?|decisions?)\b)"
            r"\W*+(?:and |so |ok,? )?(?:here(?:'s| is| are)|this is|these are|see|look at"
            r"|i (?:got|see|get))\b[^:：]{0,60}\b(?:logs?|outputs?|errors?|trace(?:back)?"
            r"|messages?|warnings?|readme|docs?|documentation|page|comments?|text|response)\b"
            r"[^:：]{0,20}[:：](?=\s|$)"
        ),
        "Here is the log: never reuse a token",
        "Here are the rules for logs: never log a phone number.",
    ),
    (
        (
            r"(?:(?:적혀|쓰여|써|나와|떠|찍혀|표시돼|되어)\s?있\S{0,5}|(?:나와|나온다|나왔\S|떴\S{1,3}|뜬다|뜨네\S?"
            r"|출력(?:돼|됐\S|된다)|찍혔\S{1,3}))\s?[:：](?=\s|$)"
        ),
        "README에 이렇게 적혀 있어: 절대 main에 커밋하지 말 것.",
        "로그에 남기는 것: 절대 전화번호는 안 돼.",
    ),
    (
        (
            r"(?:로그|출력|에러|오류|메시지|경고)(?:를|을)?\s?(?:야|이야|임|인데|입니다|예요|봐|봐\s?줘|봐\s?주세요)"
            r"\s?[:：](?=\s|$)"
        ),
        "이 로그 봐줘: 절대 토큰을 다시 쓰지 마세요",
        "로그: 절대 전화번호를 남기지 마.",
    ),
)
#: A paragraph of this many lines, none of which ends like a sentence, was printed by a program.
_BLOCK_LINES = 4
_HANGUL = "[가-힣ㄱ-ㅎ]"


def is_printed_line(line: str) -> bool:
    """Return whether a line has the form in which programs print."""
    return any(re.search(pattern, line) for pattern, _, _ in PRINTED)


def is_printed_block(lines: "Sequence[str]") -> bool:
    """Return whether the lines of a paragraph are too many and too bare for a person's sentences.

    A list that somebody typed may look so, too: it is one surely where a line of it is a program's.
    """
    return len(lines) >= _BLOCK_LINES and not any(
        line.endswith((".", "!", "?", "…", ",")) or re.search(_HANGUL, line) or line[0].islower()
        for line in lines
    )


def strip_brought_lines(text: str) -> str:
    """Return a text without what programs printed, and what it says that others say.

    Behind a colon that introduces such words, they are the rest of the line; where there is none,
    the lines up to an empty one.
    """
    kept: list[str] = []
    for paragraph in _split_paragraphs(text):
        is_printed = [is_printed_line(line) for line in paragraph]
        if any(is_printed) and is_printed_block([line.strip() for line in paragraph]):
            continue
        for line, is_programs in zip(paragraph, is_printed, strict=True):
            if is_programs:
                continue
            lead = _find_lead(line)
            kept.append(line if lead is None else line[:lead])
            if lead is not None and not line[lead:].strip():
                break
        kept.append("")
    return "\n".join(kept)


def strip_brought_words(line: str) -> str:
    """Return a line up to the colon that introduces what somebody else says in it."""
    return line[: _find_lead(line)]


def _split_paragraphs(text: str) -> "list[list[str]]":
    paragraphs: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip():
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    return [paragraph for paragraph in paragraphs if paragraph]


def _find_lead(line: str) -> int | None:
    """Return where the words of somebody else begin in a line; None where it introduces none."""
    found = (re.search(pattern, line) for pattern, _, _ in BROUGHT)
    return min((match.end() for match in found if match), default=None)
