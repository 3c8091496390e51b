"""Splits what a person wrote into their own sentences.

Code, logs, quotations and pasted text are left out. Every step takes linear time, by lines: a turn
may be a book.
"""

import re
from collections.abc import Iterator

from gieok.text.late_pattern import defer_pattern
from gieok.text.printed import is_printed_line, strip_brought_lines
from gieok.text.quotations import quotes_speech

#: Only this much of a longer turn is looked at.
_LOOKED_AT_CHARS = 20_000
#: A turn with more prose than this is pasted: only its first and last paragraph are the user's, if
#: they are short.
_TYPED_CHARS, _PARAGRAPH_CHARS = 1_200, 300
#: A turn with more list items, or with a longer item, was not typed item by item.
_MOST_ITEMS = 8
_SHORTEST, _LONGEST = 2, 400
_ITEM = defer_pattern(r"\s*(?:[-*•+·]|\d{1,2}[.)]|[a-zA-Z][.)])\s+")
_BULLET = defer_pattern(rf"^{_ITEM.pattern}", re.MULTILINE)
_LOG = defer_pattern(
    r"""\s{4,}\S | \t\S | \s*[|<>{}\[\]}] | \s*\#{1,6}\s
    | \s*(?:at\ \S+\(|File\ "|Traceback|\$\ |>>>\ |//|/\*|--\s)
    | \s*\[?\d{4}-\d\d-\d\d[T\ ]\d\d: | \s*\d\d:\d\d:\d\d | .*[{};]\s*$
    | .*(?:=>|==|!=|\(\)\s*\{|</|&&|\|\|)
    | \s*(?:import|from|def|class|const|let|var|return|SELECT|INSERT|UPDATE|npm|git|pip|curl|sudo
    |docker)\s+[\w'"@./{*-]+(?:\s+\S+){0,3}$
    | \s*[\w./-]*(?:error|exception|warning|panicked|fatal|failed)\w*\s*[:(\[]""",
    re.IGNORECASE | re.VERBOSE,
)
#: Lines that programs print: signs, columns, addresses.
_PRINTED = defer_pattern(
    r"\W*[\u2190-\u2bff\U0001F300-\U0001FAFF✨❌✅✖⨯]|.*\S {3,}\S|\W*(?:https?://|[~/][\w.-]+/\S+\W*$|"
    r"#[0-9a-f]{6}\b)|.*\b(?:INF|WRN|ERR|DBG)\b"
    r"|\W*(?:issue|symptom|recommendation|recommended|expected|actual|minor|major|nit|note"
    r"|tradeoff|impact|"
    r"severity|location|version)\b[^.]{0,20}:",
    re.IGNORECASE,
)
#: Places in files, counters, progress: nobody types them.
_MACHINE = defer_pattern(
    r"\w\.\w+:\d+(?::\d+)?\b|\[\d+/\d+\]|\.{4,}|[❌✅⚠⨯✖]|\b(?:QF|SA|E|W|F)\d{3,4}\b:?"
)
_DOCUMENT = defer_pattern(r"\s*#{1,6}\s+\S")
#: A line that ends with a colon introduces other people's words, unless it announces rules.
_OWN_LIST = defer_pattern(
    r"\b(?:rules?|conventions?|remember|preferences?|decided|decisions?|facts?|always|agreed"
    r"|requirements?|"
    r"here)\b|규칙|원칙|기억|결정|정한|약속|요건",
    re.IGNORECASE,
)
#: Text that is given to be worked on is material, whoever speaks in it.
_WORKED_ON = defer_pattern(
    r"^\W*(?:please |can you |could you |now )*(?:translate|proofread|summari[sz]e|rewrite"
    r"|paraphrase|rephrase|"
    r"correct|edit|analy[sz]e|"
    r"fix the (?:grammar|wording)|check (?:the|my) (?:grammar|spelling))\b"
    r"|(?:번역|교정|윤문|요약|첨삭|분류|의역)(?:을|를)?\s*(?:좀|부탁)?\s*(?:해|하(?!지\s?[마말않못])|부탁)|다듬어|맞춤법|(?:영어|"
    r"한국어|한글|일본어)로 (?:바꿔|옮겨|번역)"
    r"|\b(?:act as|you are (?:an?|the)|pretend|imagine (?:you|that)|role-?play|write "
    r"(?:a|an|the|me|"
    r"in)\b.{0,40}\b(?:story|poem|song|scene|dialogue|essay|letter|script))\b"
    r"|(?<![가-힣])(?:너는|네가|당신은) .{1,30}(?:라고 (?:생각|가정)|이야$|입니다$|역할)|(?:소설|시|이야기|대본|편지|"
    r"가사)(?:를|을)? (?:하나 |한 편 |좀 )?써",
    re.IGNORECASE,
)
#: Texts of programs in the user's name: reports of OpenClaw's sub-agents and scheduled runs,
#: prompts of orchestrators.
_PROGRAM = defer_pattern(
    r"\binternal context private\b|\bStats: runtime \d|\b(?:sub-?agent task|cron "
    r"job)\b.{0,80}\b(?:completed|"
    r"finished|ready|delivery)\b"
    r"|\bfull transcript available at\b|\bcompleted (?:cron|scheduled|sub-?agent)\b|\boutput only:|"
    r"^\W*(?:you are|act as) \w+,",
    re.IGNORECASE,
)
_LASTS = defer_pattern(
    r"\b(?:always|from now on|never|every time|whenever)\b|앞으로|항상|언제나|매번|절대",
    re.IGNORECASE,
)
_END = defer_pattern(
    (
        r"(?<=[.!?。！？…])[\"'”’)\]]*\s+|(?<=[ㅋㅠㅎㅜ])\s+(?=\S)|\s+(?=(?:참고로|아 참|그리고 참|btw|by the "
        r"way|fyi)\b)"
    ),
    re.IGNORECASE,
)
_ABBREVIATION = defer_pattern(
    r"(?:\b(?:e\.g|i\.e|vs|etc|mr|mrs|ms|dr|no|approx|st|mag|prof|inc|ltd|ca)|\b[A-Z]|^\d{1,2})\.$",
    re.IGNORECASE,
)
_FILLER = defer_pattern(
    r"^(?:(?:ok(?:ay)?|yes|yeah|yep|right|sure|oh|hm+|um+|well|great|perfect|cool|nice"
    r"|thanks?(?: you)?|hi|hello|"
    r"hey|lol|haha)\b[\s,.!:–-]*"
    r"|(?:ㅇㅇ|ㅋㅋ+|응|어|아|네|예|음+|흠+|글쎄|그래|오케이|오키|굿|좋아|고마워|감사합니다|안녕)(?=[\s,.!~])[\s,.!~:–-]*)+",
    re.IGNORECASE,
)
#: Beginnings that a filler in front would hide.
_IRONY = defer_pattern(r"\W*(?:yeah,? right|oh,? sure|sure,? sure)\b", re.IGNORECASE)
_LETTER = defer_pattern(r"[^\W\d_]")
_HANGUL = defer_pattern("[가-힣ㄱ-ㅎㅏ-ㅣ]")
_LATIN = defer_pattern(r"[A-Za-z]")
_ENGLISH = defer_pattern(
    r"\b(?:the|and|with|we|we're|our|my|i|i'm|i've|i'll|i'd|it|it's|not|to|this|that|are"
    r"|should|use|used|from|"
    r"only|never|always|don't|"
    r"you|your|have|has|by|at|be|keep|for|goes|of|is|was|no|one|let's|all|any|every|each|out"
    r"|before|after|there|"
    r"they|he|she|she's|he's|"
    r"make|until|than|then|when|if|but|so|can|can't|must|need|needs|on|in|an|as|off|up|two"
    r"|three|new|old|both|under|over)\b",
    re.IGNORECASE,
)
_FOREIGN = defer_pattern(
    r"[äöüßñçéèêàìòùãõåøæ¿¡œ]|\b(?:que|para|los|las|una|por|wir|und|nicht|das|der|ist|nous"
    r"|vous|avec|pour|les|"
    r"des|est|een|het|niet|uso|siempre|immer|toujours|sempre|kita|yang)\b",
    re.IGNORECASE,
)


def own_sentences(text: str) -> list[str]:
    """Return the user's own sentences in Korean or English, in order.

    Of a pasted turn, few sentences or none are returned; none that only introduces what follows.
    """
    text = text[:_LOOKED_AT_CHARS]
    if _PROGRAM.search(text):
        return []
    is_typed = len(text) <= _TYPED_CHARS and sum(1 for _ in _BULLET.finditer(text)) <= _MOST_ITEMS
    paragraphs = _split_prose_paragraphs(text, has_items=is_typed)
    if sum(map(len, paragraphs)) > _TYPED_CHARS:
        ends = (paragraphs[:1], paragraphs[1:][-1:])
        paragraphs = [p for end in ends for p in end if len(p) <= _PARAGRAPH_CHARS]
    sentences = [sentence for paragraph in paragraphs for sentence in split_sentences(paragraph)]
    if any(_WORKED_ON.search(sentence) and not _LASTS.search(sentence) for sentence in sentences):
        return []
    said = (sentence for sentence in sentences if not _introduces_others(sentence))
    return [own for sentence in said if (own := strip_filler(sentence)) and is_understood(own)]


def split_sentences(paragraph: str) -> Iterator[str]:
    """Yield the sentences of a paragraph's lines."""
    for line in paragraph.split("\n"):
        held = ""
        for part in _END.split(line):
            sentence = f"{held} {part}".strip()
            held = (
                sentence
                if len(sentence) < _LONGEST and _ABBREVIATION.search(sentence[-_LONGEST:])
                else ""
            )
            if sentence and not held:
                yield sentence
        if held:
            yield held


def is_understood(text: str) -> bool:
    """Say whether a sentence is Korean or English."""
    letters = len(_LETTER.findall(text))
    hangul, latin = len(_HANGUL.findall(text)), len(_LATIN.findall(text))
    if hangul + latin < 0.8 * letters:
        return False
    if hangul or len(text.split()) < 4:
        return not (not hangul and _FOREIGN.search(text) and not _ENGLISH.search(text))
    return len(_ENGLISH.findall(text)) > len(_FOREIGN.findall(text))


def is_prose(line: str) -> bool:
    """Say whether a line is no code, no log and no table."""
    words = sum(char.isalnum() or char == " " for char in line)
    return (
        not is_printed_line(line)
        and not _LOG.match(line)
        and not _PRINTED.match(line)
        and not _MACHINE.search(line)
        and words >= 0.75 * len(line.strip())
        and _LETTER.search(line) is not None
    )


def _split_prose_paragraphs(text: str, *, has_items: bool) -> list[str]:
    """Return the paragraphs of prose.

    List items are included if they were typed by hand, each item as a line.
    """
    paragraphs: list[list[str]] = [[]]
    is_brought = False
    for line in strip_brought_lines(text).split("\n"):
        if not line.strip():
            is_brought = is_brought and not paragraphs[-1]
            paragraphs.append([])
        elif _DOCUMENT.match(line):
            break  # a document begins: whatever follows was not typed here
        elif not is_brought:
            item = _ITEM.match(line)
            bare = line[item.end() :] if item else line
            if item and not has_items:
                continue
            if is_prose(bare.strip()) and not (line.startswith(("    ", "\t")) and not item):
                paragraphs[-1].append(bare.strip())
            is_brought = _introduces_others(line)
    return ["\n".join(lines) for lines in paragraphs if lines]


def _introduces_others(line: str) -> bool:
    """Say whether a line introduces other people's words."""
    return line.rstrip().endswith((":", "：")) and not _OWN_LIST.search(line)


def is_filler(text: str) -> bool:
    """Say whether a text is fillers and nothing else, such as "hmm."."""
    return _FILLER.fullmatch(f"{text.strip()}.") is not None


def strip_filler(sentence: str) -> str:
    """Return a sentence without a filler in front.

    '' for a quotation, and for a sentence too short or too long for a statement.
    """
    if _IRONY.match(sentence):
        return ""
    bare = _FILLER.sub("", sentence).strip(" \t*_")
    bare = bare if len(bare) >= _SHORTEST else sentence.strip(" \t*_")
    return bare if _SHORTEST <= len(bare) <= _LONGEST and not quotes_speech(bare) else ""
