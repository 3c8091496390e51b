"""Sentences that the writer of a message says themselves.

Code, quotations, headings and what a line introduces ("translate this:") are text that a message
carries along: nobody says it to the agent.
"""

import re
from collections.abc import Iterator

from gieok.text.gates.reading import is_form

_FENCE = r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|```.*?(?:```|\Z)"
#: A quotation: marks that open behind a space and close before one. A command in marks is short.
_QUOTATION = (
    r"(?s)(?<!\w)(?:\"([^\"]{1,600})\"|“([^”]{1,600})”|「([^」]{1,600})」|『([^』]{1,600})』"
    r"|'([^']{1,600})'|‘([^’]{1,600})’)"
)
_FEWEST_QUOTED_WORDS = 6
#: Quoted lines, tables, headings, indented code, prompts, comments, markup, parts of programs.
_CARRIED = r"\s*(?:>|\||#{1,6}\s|\$\s|//|/\*|@@|<[/!A-Za-z])|(?: {4}|\t)\s*\S|.*[;{}]\s*$"
_BULLET = r"^\s*(?:[-*•·+]|\d{1,2}[.)])\s+"
_LEAD = r"[:：]\s*$"
#: Leads and labels of rules that are the writer's own.
_OWN_LEAD = (
    r"(?ai)^\W*(?:(?:and|also|so|ok(?:ay)?|hey|please|some|a few|the|my|our|house|hard|general|new|one"
    r"|two|three|more|ground|these|here are|remember|note|important|reminder|heads up|warning"
    r"|rules?|things?|fyi|ps|btw|from now on|going forward|always|never|don'?ts?|do not|claude"
    r"|codex|gemini|cursor|agents?|for (?:this|the) (?:project|repo(?:sitory)?)|in (?:this|the)"
    r" (?:project|repo(?:sitory)?)|number|\d+|앞으로(?:는)?|규칙\S*|원칙\S*|주의\S*|중요\S*|참고|부탁\S*|몇\s?가지|다음|금지\S*"
    r"|이\s?(?:프로젝트|레포|저장소)\S*|우리|내|제)[\s,]*)+[:：]?\s*$"
)
_SENTENCE_END = r"(?<=[^\s.][.!?。！？])[\"'”’)\]]*\s+(?=\S)|;\s+"


def list_own_sentences(text: str) -> list[str]:
    """Return the sentences that the writer says; quotations are emptied, but for short names."""
    plain = re.sub(_QUOTATION, _empty_quotation, re.sub(_FENCE, "\n", text))
    parts = (part.strip() for line in _iter_own_lines(plain) for part in _split_sentences(line))
    return [part for part in parts if part]


def is_own_label(words: str) -> bool:
    """Return whether words before a colon announce a rule of the writer's own."""
    return re.match(_OWN_LEAD, words) is not None


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
