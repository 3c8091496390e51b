"""Words that ask for an order, not for days: 최근, 요즘, lately, latest, most recent."""

import re

from gieok.text.late_pattern import defer_pattern

#: Patterns of words that ask for the newest first. Beside a number such words name days (최근 3일),
#: and a newest version is a thing.
_NEWEST = defer_pattern(
    r"(?:(?:가장|제일|맨)\s*)?(?<![가-힣])최근(?!\s*(?:\d+\s*(?:일|주|달|개월|년|분기)|(?:한|두|세|석|네|넉|몇)\s*(?:주"
    r"|달|해|개월)|일주일"
    r"|이틀|사흘|나흘|닷새|열흘|보름|반년|하루))(?:에|의|엔|에는)?(?![가-힣])"
    r"|(?<![가-힣])(?:요즘(?:에|은|엔)?|요새|근래(?:에)?|최신(?!\s*(?:버전|판|형)))(?![가-힣])"
    r"|\b(?:most |more )?recent(?:ly)?\b|\blately\b|\bnewest\b|\bthese days\b"
    r"|(?<![:@/])\blatest\b(?!\s+(?:version|release|tag|image|stable|lts))",
    re.IGNORECASE,
)


def asks_newest(question: str) -> bool:
    """Return whether a question asks for the newest first."""
    return bool(_NEWEST.search(question))


def without_order(question: str) -> str:
    """Return a question without its words for "newest first"."""
    return " ".join(_NEWEST.sub(" ", question).split())
