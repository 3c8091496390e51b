"""Sentences that the writer of a message says themselves.

Code, quotations, headings and what a line introduces ("translate this:") are text that a message
carries along: nobody says it to the agent.
"""

import re
from collections.abc import Iterator

from gieok.text.gates.reading import is_form, is_own_label
from gieok.text.printed import strip_brought_lines

#: A quotation: marks that open behind a space and close before one. A command in marks is short.
_QUOTATION = (
    r"(?s)(?<!\w)(?:\"([^\"]{1,600})\"|“([^”]{1,600})”|「([^」]{1,600})」|『([^』]{1,600})』"
    r"|'([^']{1,600})'|‘([^’]{1,600})’)"
)
_FEWEST_QUOTED_WORDS = 6
#: Quoted lines, tables, headings, indented code, prompts, comments, markup, parts of programs.
_CARRIED = (
    r"\s*(?:>|\||#{1,6}\s|\$\s|//|/\*|@@|<[/!A-Za-z])|(?: {4}|\t)\s*\S|.*(?<![;가-힣ㄱ-ㅣ])[;{}]\s*$"
    r"|\s*\[[^\]]{1,40}\]\s"
)
_BULLET = r"^\s*(?:[-*•·+]|\d{1,2}[.)])\s+"
_LEAD = r"[:：]\s*$"
_EXAMPLE = r"(?ai)\b(?:e\.g\.|i\.e\.|for (?:example|instance)\b)[,:]?\s*|예를\s?들(?:어서?|면|자면)[,:]?\s*"
_SENTENCE_END = r"(?<=[^\s.][.!?。！？])[\"'”’)\]]*\s+(?=\S)|;\s+"
#: A Korean prohibition ends its sentence, also where no mark does: "make clean 하지마 다시 빌드하는데 …".
#: What quotes it, or asks whether it was heard, goes on.
_KOREAN_END = (
    r"((?<=[가-힣])지(?:는|도)?\s?(?:마(?:라|요|세요|십시오)?|말아(?:라|요|줘요?|주세요)?)"
    r"(?:\.{2,}|…+|[ㅋㅎㅠㅜ]+)?)\s+(?=\S)"
    r"(?!그[랬러래]|라[고는]|주[세시셔]|줘|줄|달|걍|그냥|했|하[고는던래자더]|한[다대]|알[겠았]|오케이|ㅇㅋ|제발|진짜|정말|절대|부탁|네|응|고\b"
    r"|(?:ok|please|pls)\b)"
)
#: A prohibition that another one follows in the same sentence: "커밋하지 말고 푸시도 하지 마",
#: "push 금지, 배포 금지".
_KOREAN_JOINT = (
    r"((?<=[가-힣])지(?:는|도)?\s?(?:말고|마(?:라|요|세요|십시오)?(?=,)|말아(?:라|요)?(?=,))|금지)"
    r"(?:,\s*|\s+)"
    r"(?=\S.{0,80}?(?:[가-힣]지(?:는|도)?\s?(?:마|말)|금지))"
)
#: What a prohibition is about or where it holds, which one behind it shares: "main에 푸시하지 말고
#: 머지하지도 마", ".env는 열지 말고 고치지도 마"; and the beginning of one that names that anew.
_KOREAN_PLACE = r"(?:[은는에로]|에서|에게|한테)\s"
_OWN_PLACE = rf"^(?:\S+\s){{0,2}}?\S*[가-힣\w/]{_KOREAN_PLACE}"
#: What a prohibition may hold under, which one behind it shares: "금요일엔 푸시하지 말고 배포도 하지 마".
_KOREAN_CONDITION = (
    r"(?:에는|엔|에선|에서는?|때는?|면|까지는?|전에는?|[후뒤]에는?|동안은?|없이는?|중에는?|이외에는?|말고는)\s"
    r"|요일|주말|오전|오후|새벽|밤에|\d시"
)


def list_own_sentences(text: str) -> list[str]:
    """Return the sentences that the writer says; quotations are emptied, but for short names."""
    plain = re.sub(_QUOTATION, _empty_quotation, strip_brought_lines(text))
    plain = re.sub(_EXAMPLE, "for example: ", plain)
    parts = (part.strip() for line in _iter_own_lines(plain) for part in _split_sentences(line))
    return [part for part in parts if part]


def split_korean_rules(sentence: str) -> list[str]:
    """Return the parts of a sentence behind each of whose prohibitions another one begins.

    A prohibition under a condition or in a place stays together with the one that is joined to it:
    alone, the second would hold always, or everywhere.
    """
    parts = re.sub(_KOREAN_END, r"\1\n", sentence).split("\n")
    return [piece for part in parts for piece in _split_joined_prohibitions(part)]


def _split_joined_prohibitions(part: str) -> list[str]:
    first, *rest = re.sub(_KOREAN_JOINT, r"\1\n", part).split("\n")
    is_shared = re.search(_KOREAN_PLACE, first) and not all(
        re.search(_OWN_PLACE, other) for other in rest
    )
    return [part] if is_shared or re.search(_KOREAN_CONDITION, first) else [first, *rest]


def _empty_quotation(match: re.Match[str]) -> str:
    words = next(filter(None, match.groups()))
    is_said = is_form(words) or len(words.split()) >= _FEWEST_QUOTED_WORDS
    return '""' if is_said or "\n" in words else match[0]


def _iter_own_lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if not line.strip():
            continue
        if re.match(_CARRIED, line):
            if re.match(r"\s*#{1,6}\s", line):
                return  # a document that was pasted
            continue
        own = re.sub(_BULLET, "", line).strip()
        if re.search(_LEAD, own):
            if not is_own_label(own):
                return  # what follows is what it introduces
            continue
        yield own


def _split_sentences(line: str) -> list[str]:
    return re.split(_SENTENCE_END, line)
