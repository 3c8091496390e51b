"""Finds which held facts a message gives up: ideas, plans without a day, habits, work."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, tzinfo

from gieok.character.detect import gates
from gieok.character.facts import Fact
from gieok.text import persons
from gieok.text.hearsay import is_handed_on
from gieok.zone import day_in

_DROPPED = re.compile(
    r"안 ?하기로|나왔어|나왔다|졸업했|수료|팔았|넘겼|퇴사|사표|안 ?다녀|못 ?하게 ?됐|관두|취소|접었|접고|폐기|환불|이제 ?안 ?(?:해|하|가|다녀)"
    r"|그만(?:두|뒀|둔|하)|관뒀|포기|때려 ?[치쳤]|없던 ?일|[은는] 안 ?(?:해|하려|할)|끊었|끊고"
    r"|\bscrap(?:ped)?\b|\bdropp(?:ed|ing)\b|\bcancel|\bgave up\b|\bgiving up\b|\bgiven "
    r"up\b|\bcalled off\b|\bnot doing\b|\bquit\b|\bbailed on\b|\bditched\b",
    re.IGNORECASE,
)
_LEFT_WORK = re.compile(
    r"퇴사(?:했|함|하고|하기로)|사표 ?(?:를 )?(?:냈|던졌|썼)|(?:회사|직장|일)(?:를|을|은|는)? ?(?:그만뒀|관뒀|때려 ?[쳤치])|짤렸|잘렸|해고"
    r"|\b(?:quit|left|lost) my job\b|\bgot (?:fired|laid off)\b|\bhanded in my notice\b|\bi "
    r"(?:quit|resigned)\b[.!]",
    re.IGNORECASE,
)
_DAY_WORD = re.compile(
    r"(?:이번|다음|내일|모레|글피|주말|[월화수목금토일]요일|오전|오후|아침|저녁)|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|tomorrow|next|week",
    re.IGNORECASE,
)
#: Giving up that is wished for, thought of or asked, and not done.
_ONLY_WISHED = re.compile(
    r"싶|[가-힣]까(?![가-힣])|까 ?(?:봐|하|생각)|으?면 ?(?:좋|어떨|안)|\b(?:want(?:ed)? to|wanna"
    r"|feel(?:ing)? like|tempted to"
    r"|wish|would love to|i'?d love to|might|should i|could just|if i|thinking (?:of|about))\b",
    re.IGNORECASE,
)
#: What ends a clause before another: 엄마가 뭐라 해서, my boss yelled so.
_CLAUSE_END = re.compile(
    r"[,;]|(?<=[가-힣])(?:고(?! ?싶)|서|니까|는데|지만|느라)(?=\s)|\b(?:and|but|so|because|since|when)\b",
    re.IGNORECASE,
)
#: The user as the subject of a clause.
_OF_USER = re.compile(
    r"(?<![가-힣])(?:나|난|나는|나도|내가|저|전|저는|저도|제가)(?![가-힣])|\bi\b", re.IGNORECASE
)
#: Somebody else as the subject of an English sentence.
_SUBJECT_EN = re.compile(
    rf"^\W*(?:(?:then|oh|well) )*(?:he|she|they|you|my (?:\w+ )?(?:{persons.ANYBODY_EN})s?)\b"
    r"(?! and i\b)",
    re.IGNORECASE,
)
#: What befalls an animal that its people have no longer.
_LOST = re.compile(
    r"하늘나라|하늘로 (?:갔|떠났|보냈)|무지개 ?다리|(?<![가-힣])죽었|떠나 ?보냈|세상을? 떠났|입양 ?보냈|파양"
    r"|\b(?:died|passed(?: away)?|put (?:\w+ ){1,2}(?:down|to sleep)|rehomed|gave \w+ away)\b"
    r"|\bwe lost\b",
    re.IGNORECASE,
)
#: Words that may name a thing.
_WORD = re.compile(r"[가-힣]{2,}|[A-Za-z]{4,}")
_COMMON = frozenset(
    (
        "this that with have just idea plan thing doing maybe thinking about eventually class 생각 "
        "요즘 이제 그냥 아직 모르 진짜 나중"
    ).split()
)


def iter_given_up_facts(
    parts: Sequence[str], held: Sequence[Fact], day: date, zone: tzinfo = UTC
) -> Iterator[Fact]:
    """Yield the ideas, undated plans, habits and work that the sentences of a message give up.

    A fact is given up by a word of it; work also by a general statement about work. Plans with a
    day are given up in `denials`.
    """
    given_up = ". ".join(
        sentence
        for sentence in parts
        if (dropped := _DROPPED.search(sentence) or _LEFT_WORK.search(sentence))
        and not _tells_of_another(sentence, dropped.start())
        and not _ONLY_WISHED.search(_cut_clause(sentence, dropped.start()))
    )
    given_up_words = {word for word in _WORD.findall(given_up) if word not in _COMMON}
    if not given_up:
        return
    for fact in held:
        is_undated_plan = fact.type == "plan" and not fact.day
        is_open = fact.is_idea or is_undated_plan or fact.type == "habit" or fact.predicate == "job"
        own = {word for word in _WORD.findall(fact.object) if word not in _COMMON}
        is_left = (
            fact.predicate == "job" and day_in(fact.at, zone) < day and _LEFT_WORK.search(given_up)
        )
        is_named = any(
            cut_word_stem(own_word) == cut_word_stem(other)
            for own_word in own
            for other in given_up_words
        )
        if (is_open and is_named) or is_left:
            yield fact


def iter_lost_animals(parts: Sequence[str], held: Sequence[Fact]) -> Iterator[Fact]:
    """Yield the animals of whom a message tells that they died or were given away."""
    lost = [one for one in parts if _LOST.search(one) and not one.rstrip().endswith("?")]
    for fact in held:
        name = fact.object.split(" (")[0].strip()
        if fact.predicate == "pet" and fact.is_current and name:
            named = re.compile(rf"(?<![가-힣\w]){re.escape(name)}", re.IGNORECASE)
            if any(named.search(one) and not _ONLY_WISHED.search(one) for one in lost):
                yield fact


def _tells_of_another(sentence: str, place: int) -> bool:
    """Return whether the clause at a place of a sentence begins with somebody else, or tells what
    others say.
    """
    begins = [end.end() for end in _CLAUSE_END.finditer(sentence, 0, place)]
    clause = sentence[begins[-1] if begins else 0 :]
    if _OF_USER.search(clause[: place - (begins[-1] if begins else 0)]):
        return False
    words = clause.split()
    return (
        bool(gates.topic(clause, frozenset()).who)
        or _SUBJECT_EN.search(clause) is not None
        or (bool(words) and is_handed_on(words[-1]))
    )


def _cut_clause(sentence: str, place: int) -> str:
    """Return the clause at a place of a sentence."""
    ends = [end.span() for end in _CLAUSE_END.finditer(sentence)]
    first = max((behind for _, behind in ends if behind <= place), default=0)
    last = min((before for before, _ in ends if before > place), default=len(sentence))
    return sentence[first:last]


def cut_word_stem(word: str) -> str:
    """Return the beginning of a word by which its forms are compared."""
    return word[:2] if "가" <= word[0] <= "힣" else word.lower()[:5]


def shares_word(one: str, other: str) -> bool:
    """Return whether two texts share a word that may name a thing, days left out."""
    words = {cut_word_stem(word) for word in _iter_names(one)}
    return any(cut_word_stem(word) in words for word in _iter_names(other))


def _iter_names(text: str) -> Iterator[str]:
    return (
        word
        for word in _WORD.findall(text)
        if word.lower() not in _COMMON and not _DAY_WORD.match(word)
    )
