"""Lines of a turn that a program printed, and words that a document or somebody else says in it.

Who pastes a log or quotes a README states nothing by it. What cannot be told from ordinary speech
is ordinary speech: a prohibition that is lost is worse than a quoted one. Standard library, quick
to import; patterns are strings, which `re` compiles at their first use.
"""

import re

_LEVEL = r"(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|SEVERE)"

#: (pattern, example of a line that a program printed, counter-example).
PRINTED = (
    (
        rf"^[\s>|*-]*+(?:[\[(]?\d[\d:.,TZ/+ -]{{3,}}[\])]?\s+{_LEVEL}\b|\[{_LEVEL}\])",
        "10:00:01 ERROR must not run migrations as root",
        "WARNING: never run migrations on prod.",
    ),
    (
        (
            r"^\W*+(?=[^\s:]*[./\\])[\w@./\\-]+(?:[:(]\d+)*\)?: (?:\w+ )?"
            r"(?:error|warning|fatal)(?:\[\w+\])?: "
        ),
        "src/a.py:3: error: must not be None",
        "prod: warning: never touch it.",
    ),
    (
        (
            r"^\s*(?:\$ |>>> |at \S+\(|Traceback \(|File \"|[\w.]*[a-z](?:Error|Exception|Warning): "
            r"|(?:npm|yarn|pnpm) (?:ERR!|WARN\b))"
        ),
        "npm ERR! you must always run npm install first",
        "npm error codes must never be swallowed.",
    ),
    (
        r"^\W*+\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\b(?!\s*[가-힣])",
        "2026-11-27 10:00:01 never reuse a token",
        "18:00:00 이후에는 절대 배포하지 마.",
    ),
)
#: Lines that people write, too: printed beside a printed line, or behind one that introduces a log.
_MAYBE_PRINTED = rf"^[\s>|]*+(?:{_LEVEL}\b|(?:error|warning|fatal|hint|remote|panic)(?:\[\w+\])?: )"
#: A word before a noun that is of the same noun phrase.
_WORD = (
    r"(?!(?:i|we|you|be|been|being|to|for|about|in|on|of|with|how|what|that|must|should"
    r"|(?:i|we)['’]ve)\b)[\w./'’-]{1,30}"
)
_KOREAN_SOURCE = r"(?:README|[\w-]+\.md|문서|위키|로그|페이지|가이드|공지|이슈|메일|슬랙)"

#: (pattern, example of a lead, whose colon introduces what somebody else says, counter-example).
SAID = (
    (
        (
            r"(?i)(?:^|(?<=[.!?]\s))\W*+(?:(?:and|but|so|now|ok(?:ay)?|hey|hi),? ){0,3}"
            r"(?!.{0,90}\b(?:rules?|polic(?:y|ies)|decisions?) says?\b)"
            rf"(?:(?:(?:the|our|my|this|your|their|his|her) (?:{_WORD} ){{0,3}}?{_WORD}|he|she|they)"
            r" (?:says?|said|wrote|warns|complains|told (?:me|us))"
            r"|(?-i:[A-Z])[\w.-]{1,30} (?:says|wrote|told (?:me|us))"
            rf"|(?:here(?:['’]s| is)|this is) (?:{_WORD} ){{0,3}}?(?:readme|documentation|wiki|guide"
            r"|article|handbook|manual|e-?mail|ticket|review)(?=\s?[:：]\s*$))"
            r"(?: (?:this|that|so|the following|as follows))?\s?[:：](?=\s|$)"
        ),
        "The README says: never commit to main.",
        "Here is what I want in the docs: always use British spelling.",
    ),
    (
        (
            r"(?i)^(?!.*(?:내가|제가|나는|난|저는|우리가)\s)[^:：]{0,60}?(?:"
            rf"{_KOREAN_SOURCE}(?:에|에는|엔|에서)\s(?:(?:이렇게|다음과 같이|이런 \S{{1,6}})\s)?"
            r"(?:적혀|쓰여|써|나와|떠|찍혀)\s?있(?:어요?|다|네요?|음|습니다|는데|더라)"
            rf"|{_KOREAN_SOURCE}에 따르면"
            r"|\S(?:님|씨|께서|[이가은는])\s(?:\S{1,20}\s){0,3}?"
            r"(?:말했(?:어요?|다|습니다)|말하길|왈|말씀하셨\S{1,3}|[고게]\s하셨\S{1,3}|남긴 말\S{0,3})"
            r"|\S(?:님|씨)의?\s(?:\S{1,20}\s){0,2}?코멘트\S{0,3})\s?[:：](?=\s|$)"
        ),
        "README에 이렇게 적혀 있어: 절대 main에 커밋하지 말 것.",
        "빌드 로그에 디스크 오류가 떠 있어: 너는 rm -rf 절대 쓰지 마.",
    ),
)
#: (pattern, example of a line that introduces a log, counter-example).
SHOWN = (
    (
        (
            r"(?i)^\W*+(?:here(?:['’]s| is| are)|this is|these are|i (?:got|get|see)|see|look at)\b"
            r"[^:：]{0,40}\b(?:logs?|outputs?|errors?|messages?|trace(?:back)?)\b[^:：]{0,40}[:：]\s*$"
            r"|(?:로그|출력|에러|오류|메시지)(?:를|을)?\s?(?:좀\s)?(?:야|이야|임|인데|입니다|예요|봐\S{0,4}"
            r"|봐\s\S{1,3})\s?[:：]\s*$"
        ),
        "Here is the log I pasted:",
        "Log levels:",
    ),
)
#: A paragraph with a printed line, and with so many of which none is like this, was printed.
_BLOCK_LINES = 4
_PERSONS_LINE = r"(?m)[.!?…,]\s*$|[가-힣ㄱ-ㅎ]|^\s*[a-z]"
_SENTENCE_END = r"[.!?。！？…][\"'”’)\]]*\s+(?=\S)"
_FENCE = r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|```.*?(?:```|\Z)"
_CODE = "\0"  # in the place of what is fenced


def is_printed_line(line: str) -> bool:
    """Return whether a line has the form in which only programs print."""
    return any(re.search(pattern, line) for pattern, _, _ in PRINTED)


def strip_brought_lines(text: str) -> str:
    """Return a text without code, what programs printed, and what it says that others say.

    Behind a colon that introduces such words, they are the rest of the sentence; where there is
    none, the lines of one form that follow, also behind an empty line.
    """
    kept: list[str] = []
    is_said = is_shown = False  # by the end of the line before
    for lines in re.split(r"\n(?:[^\S\n]*\n)+", re.sub(_FENCE, f"\n\n{_CODE}\n\n", text)):
        paragraph = lines.split("\n")
        has_log = any(map(is_printed_line, paragraph))
        is_block = len(paragraph) >= _BLOCK_LINES and not re.search(_PERSONS_LINE, lines)
        if paragraph == [_CODE] or (has_log and is_block):
            is_said = is_shown = False
            continue
        brought_form: str | None = None
        for line in paragraph:
            has_log |= is_shown
            form = _find_form(line)
            brought_form = form if is_said or form == brought_form else None
            own, is_said = _take_brought_words(line)
            is_shown = any(re.search(pattern, line) for pattern, _, _ in SHOWN)
            if brought_form is not None or (has_log and form == "log"):
                is_said = is_shown = False
            elif own.strip() and not is_shown:
                kept.append(own)
        kept.append("")
    return "\n".join(kept)


def _find_form(line: str) -> str:
    """Return what lines of one origin have in common: the form of a log, or the mark before them."""
    if is_printed_line(line) or re.search(_MAYBE_PRINTED, line):
        return "log"
    mark = re.match(r"\s*([>|*•+-]|\d+[.)])", line)
    return mark[1][-1] if mark else ""


def _take_brought_words(line: str) -> tuple[str, bool]:
    """Return a line without a lead and the sentence behind it, and whether a lead ends the line."""
    lead = next(filter(None, (re.search(pattern, line) for pattern, _, _ in SAID)), None)
    if lead is None:
        return line, False
    behind = line[lead.end() :]
    end = re.search(_SENTENCE_END, behind)
    return line[: lead.start()] + (behind[end.end() :] if end else ""), not behind.strip()
