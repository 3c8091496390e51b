"""Row of a rule: a predicate, the words that state it, and how the object is made."""

import re
from dataclasses import dataclass, field
from functools import cache

from gieok.text.josa import get_final
from gieok.text.late_pattern import defer_pattern

#: Whom a row may be about.
OF_USER, OF_OTHER, OF_ANY = "user", "other", "any"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row of a rule.

    `words` has the group `v`, or `value` is the object itself; `near` must match in the message.
    `unless` must not match in the sentence, `never` not in the message; `asked` must match in the
    character's turn before; `value` may name groups.
    """

    predicate: str
    words: str
    value: str = "{v}"
    about: str = OF_USER
    confidence: float = 0.9
    near: str = ""
    unless: str = ""
    never: str = ""
    asked: str = ""
    subtype: str = ""
    #: `near` may also match in the user's messages just before.
    looks_back: bool = False
    #: `unknown`: the row applies only where the predicate has no known value; `needs_known`: only
    #: where it has one.
    unknown: bool = False
    needs_known: bool = False
    #: The whole message is searched once, instead of each sentence.
    whole: bool = False
    compiled: "re.Pattern[str]" = field(init=False, repr=False, compare=False)

    # Patterns of a row are compiled when needed: the `words` of all rows take most of a second.
    def __post_init__(self) -> None:
        object.__setattr__(self, "compiled", defer_pattern(self.words, re.IGNORECASE))


@cache
def regex(words: str) -> "re.Pattern[str]":
    """Return a compiled pattern that ignores case, cached without limit.

    The module `re` caches only five hundred patterns.
    """
    return re.compile(words, re.IGNORECASE)


#: Korean words that a value does not begin or end with.
_LEADS = defer_pattern(
    r"^(?:(?:응|네|넵|넹|일하는|저는?|나는?|난|전|제가|내가|제|내|우리|이제|지금|요즘|그냥|사실|원래|진짜|완전|너무|아|어|근데|그리고|또|정말|제일"
    r"|젤|가장"
    r"|맨날|매일|거의|좀|약간|다시|드디어|방금|먹을때|사실은|집은|집이|하는|다니는|운영하는|일하는|다음 ?달부터|오늘부로|오늘부터"
    r"|직업은|직업이|전공은|고향은)\s+)+"
)
_LEADING_TIME = defer_pattern(r"^(?:\S*(?:부터는?|까지는?|에서는|에는)\s+)+(?=\S)")
_TAILS = defer_pattern(r"(?:\s|[.,!?~…ㅋㅎㅠㅜ^'\"])+$")
_HEADS = defer_pattern(r"^(?:\s|[.,!?~…ㅋㅎㅠㅜ^'\"])+")
_LEADS_EN = defer_pattern(
    r"^(?:(?:a|an|the|my|our|some|really|just|this|that|those|these|any|all|its|it's)\s+)+",
    re.IGNORECASE,
)
_TAILS_EN = defer_pattern(
    (
        r"\s+(?:lol|lmao|now|too|btw|tho|though|rn|again|yet|actually|haha|ok|so|and|but|also"
        r"|anyway|either|even|much|more|at all|for now|fr|either way|anymore|these days|or "
        r"something)$"
    ),
    re.IGNORECASE,
)


#: A time before a place: when somebody moved there.
_WHEN = defer_pattern(
    r"^(?:(?:지난|저번|이번|다음|작|재작|올) ?(?:주|달|해|년|봄|여름|가을|겨울)(?:에|에는)?|(?:봄|여름|가을|겨울|연초|연말|주말)에|어제"
    r"|오늘|내일|최근에?|얼마 ?전에?|드디어|이제|곧) (?=\S)"
)


#: Days and months: "moved to Friday", 22일로 옮겼어.
_NAMES_DAY = defer_pattern(
    r"^(?:달|년|해|주|일|개월)(?:만|정도|쯤)?$|^(?:(?:this|next) )?(?:(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day|january|february"
    r"|march|april|may"
    r"|june|july|august|september|october|november|december|today|tomorrow|tonight"
    r"|week\w*|month|noon|midnight)\b"
    r"|^(?:.* )?(?:[월화수목금토일]요일|[월화수목금토일]욜|\d{1,2}월|\d{1,2}일|모레|글피|주말|다음 ?[주달]|담주|담달)$",
    re.IGNORECASE,
)
#: Words that end in a particle, or that deny: no value ends in them, or holds them before its end.
_NO_VALUE_END = defer_pattern(r"(?<!중)랑$|(?:[가-힣](?:에|에서|을|를|한테|하고)|(?:^| )[안못])$")
_NO_VALUE_START = defer_pattern(r"(?<!중)랑 |[가-힣](?:이|가|은|는|을|를|에|에서|한테|하고) ")


def strip_place_day(value: str) -> str:
    """Return the name of a place without the time before it; '' where the value is no place.

    A weekday and a month are none.
    """
    return "" if is_clause(value) or _NAMES_DAY.search(value) else _WHEN.sub("", value)


def is_clause(value: str) -> bool:
    """Return whether a Korean value is part of a clause: 부산에 안, 남친이 부산, 보리랑."""
    return bool(_NO_VALUE_END.search(value) or _NO_VALUE_START.search(value))


#: A noun marked as an object at the end of what stands before a value, and a word that describes
#: it.
_OBJECT = defer_pattern(r"(?:([가-힣]{1,5}) )?([가-힣]{1,7})[을를]\s+$")
_DESCRIBING_FINAL = 4


def find_object(before: str) -> str:
    """Return the object that stands right before a Korean verb's adverb; '' for none.

    In 매운 음식을 전혀 못 먹어, a row takes the adverb for what is not eaten.
    """
    found = _OBJECT.search(before)
    if found is None:
        return ""
    last = (found[1] or " ")[-1]
    describes = get_final(last) == _DESCRIBING_FINAL and last not in "은는"
    return f"{found[1]} {found[2]}" if describes else found[2]


#: Nouns that say nothing without the word that describes them: 거 in 매운 거.
_BOUND = re.compile(r"(거|것|음식)[은는도만을를]?")
_BEFORE_BOUND = re.compile(r"(?<![가-힣])([가-힣]{1,4}) ?$")


def complete_bound_noun(before: str, value: str) -> str:
    """Return a Korean value with the word that describes it, where it says nothing alone.

    `before` is the sentence up to the value. '' where nothing describes it; other values as they
    are.
    """
    bound = _BOUND.fullmatch(value)
    if bound is None:
        return value
    found = _BEFORE_BOUND.search(before)
    if found is None or get_final(found[1][-1]) != _DESCRIBING_FINAL:
        return value if bound[1] == "음식" else ""
    return f"{found[1]} {bound[1]}"


def tidy_fact_value(value: str) -> str:
    """Return a value without the surrounding words and signs that do not belong to it."""
    value = _HEADS.sub("", _TAILS.sub("", value))
    value = _LEADING_TIME.sub("", _LEADS.sub("", value))
    before = ""
    while before != value:
        before = value
        value = _TAILS_EN.sub("", _TAILS.sub("", value))
    return _LEADS_EN.sub("", value).strip()


_SENTENCE = defer_pattern(r"(?<![A-Z][a-z])(?<!\bMr)[.!?…\n]+(?!\d)|[ㅋㅎ]{2,}|[ㅠㅜ]+")


def split_chat_sentences(text: str) -> list[str]:
    """Return the sentences of a chat message, without end marks; a question keeps its mark."""
    parts, start = list[str](), 0
    for end in _SENTENCE.finditer(text):
        parts.append(text[start : end.start()] + ("?" if "?" in end[0] else ""))
        start = end.end()
    return [part for part in (*parts, text[start:]) if part.strip(" ?,~")]
