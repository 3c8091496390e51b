"""What one message states, by rules: facts, ideas, plans with their day, what is given up.

The rules are rows (`patterns_ko`, `patterns_en`, `gates`, `corrections`); here they are applied. Nothing is guessed: a
message that a gate matches, a question, and a sentence about others give nothing of the user.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from gieok.capabilities.character import gates, patterns_en, patterns_ko, plans
from gieok.capabilities.character.corrections import settled
from gieok.capabilities.character.memory import CHARACTER, USER, Fact
from gieok.capabilities.character.patterns import OF_ANY, OF_OTHER, OF_USER, Pattern, tidy
from gieok.capabilities.character.predicates import PREDICATES
from gieok.text.day_ahead import day_ahead
from gieok.text.language import language_of

_SENTENCE = re.compile(r"(?<![A-Z][a-z])(?<!\bMr)[.!?…\n]+(?!\d)|[ㅋㅎ]{2,}|[ㅠㅜ]+")
_NUMBER = re.compile(r"\d{1,2}(?=일|st|nd|rd|th|\b)")
_AGE = re.compile(r"(?P<age>(?:\d{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열(?: ?(?:한|두|세|네|다섯))?) ?살)(?!반)")
_ASKS_KO = re.compile(r"(?:까|나요|니|냐|ㄴ가요|을까|지)\s*$")
_KIN_EN = re.compile(
    r"\bmy (?:\w+ )?(?P<kin>sister|brother|mom|mum|mother|dad|father|son|daughter|niece|nephew|cousin|aunt|uncle|husband|wife)\b|\b(?P<of>dad|mom|mum|sister|brother)'?s\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:s?he|s?hes)\b", re.IGNORECASE)
_KIN_KO = re.compile(r"(?P<kin>여동생|남동생|동생|조카|언니 딸|아들|딸|언니|오빠|누나|형|엄마|아빠)")
_DROPPED = re.compile(
    r"안 ?하기로|취소|접었|접고|폐기|환불|이제 ?안 ?(?:해|하|가|다녀)|그만(?:두|뒀|둔|하)|관뒀|포기|때려 ?치|없던 ?일|[은는] 안 ?(?:해|하려|할)|끊었|끊고"
    r"|\bscrap(?:ped)?\b|\bdropp(?:ed|ing)\b|\bcancel|\bgave up\b|\bgiving up\b|\bcalled off\b|\bnot doing\b|\bquit\b|\bbailed on\b|\bditched\b",
    re.IGNORECASE,
)
#: A number of month and day, as a birthday is kept.
_WORD = re.compile(r"[가-힣]{2,}|[A-Za-z]{4,}")
_MOST_THOUGHT = 120
_COMMON = frozenset(
    "this that with have just idea plan thing doing maybe thinking about eventually class 생각 요즘 이제 그냥 아직 모르 진짜 나중".split()
)


class Spoken(NamedTuple):
    """A message as the rules read it: its text, whether the user said it, what was said before by either, its day."""

    text: str
    is_user: bool
    day: date
    #: The other's message just before, '' for none, and what the user said just before that.
    answers: str = ""
    earlier: tuple[str, ...] = ()


class Finding(NamedTuple):
    """What a message states."""

    predicate: str
    object: str
    sentence: str
    subject: str = USER
    confidence: float = 0.9
    subtype: str = ""
    day: str = ""
    is_idea: bool = False
    #: It changes a plan that was told before.
    is_change: bool = False
    #: The model that found it; '' for rules.
    by: str = ""


class Detection(NamedTuple):
    """What a message states, and which held facts it gives up."""

    findings: tuple[Finding, ...] = ()
    dropped: tuple[Fact, ...] = ()
    #: Why nothing was looked for.
    gate: str = ""


def detect(said: Spoken, held: Sequence[Fact]) -> Detection:
    """Return what a message states. `held` are the facts and ideas that hold."""
    gate = gates.unmeant(said.text)
    if gate:
        return Detection(gate=gate)
    if not said.is_user:
        return Detection(tuple(_of_character(said)))
    text, wrong = settled(gates.without_quotes(said.text))
    names = _names(held)
    found = [*_stated(said, text, names, held), *plans.plans(said.day, text, said.earlier, held, Finding)]
    found += _righted(wrong, text, held, said.day) if not found else []
    found = [one for one in found if not _is_said_better(one, found)]
    found += [] if found else _ideas(text)
    unique = {(f.subject, f.predicate, f.object): f for f in reversed(found)}
    return Detection(tuple(reversed(unique.values())), tuple(_dropped(text, held)))


def _righted(wrong: Sequence[tuple[str, str]], text: str, held: Sequence[Fact], day: date) -> Iterator[Finding]:
    """Yield facts of today with the day that a message puts right: "not the 21st, the 22nd" names nothing but that."""
    for old, new in wrong:
        before, now = _NUMBER.search(old), _NUMBER.search(new)
        for fact in held if before and now else ():
            is_of_today = abs((fact.at.date() - day).days) <= 1
            pattern = rf"(?<!\d){before[0]}(?!\d)" if before else ""
            if is_of_today and re.search(pattern, fact.object) and now:
                value = re.sub(pattern, now[0], fact.object)
                yield Finding(fact.predicate, value, text.strip(), fact.subject, is_change=True)


def _is_said_better(one: Finding, found: Sequence[Finding]) -> bool:
    """Say whether another finding of the message says the same and more: whose age it is, where somebody moves."""
    if one.predicate == "family":
        return any(other.subject != USER and other.subject.lower() in one.object.lower() for other in found)
    return one.predicate in ("move", "trip") and any(other.predicate == "lives_in" for other in found)


def sentences(text: str) -> list[str]:
    """Return the sentences of a chat message, without what ends them; a question keeps its mark."""
    parts, start = list[str](), 0
    for end in _SENTENCE.finditer(text):
        parts.append(text[start : end.start()] + ("?" if "?" in end[0] else ""))
        start = end.end()
    return [part for part in (*parts, text[start:]) if part.strip(" ?,~")]


def _names(held: Sequence[Fact]) -> frozenset[str]:
    """Return the names of people and animals near the user."""
    near = ("partner", "friend", "roommate", "family", "boss", "colleague", "pet")
    words = (word for fact in held if fact.predicate in near for word in re.findall(r"[가-힣]{2,4}", fact.object))
    both = (name for word in words for name in (word, word[1:]) if len(name) > 1)
    return frozenset(
        word for word in both if word not in ("고양이", "강아지", "솔로", "헤어짐", "지금은", "없음", "혼자")
    )


def _stated(said: Spoken, text: str, names: frozenset[str], held: Sequence[Fact]) -> Iterator[Finding]:
    rows = patterns_ko.PATTERNS if language_of(text) == "ko" else patterns_en.PATTERNS
    about = gates.Topic()
    taken: set[tuple[str, int]] = set()
    for number, sentence in enumerate(sentences(text)):
        if gates.is_idea(sentence):
            continue
        about = gates.topic(sentence, names) or about
        about = (
            about if number == 0 or (about.who and gates.topic(sentence, names).who) else gates.topic(sentence, names)
        )
        yield from _of_pets(sentence, about, held)
        for row in rows:
            if row.predicate == "age" and _is_animal(about, held):
                continue
            if (row.about == OF_USER and about.who and not _owns(sentence, row)) or _place(
                row.predicate, number
            ) in taken:
                continue
            found = _matched(row, sentence, said, text, about)
            if found:
                taken.add(_place(found.predicate, number))
                yield found


def _place(predicate: str, sentence: int) -> tuple[str, int]:
    """Return what one finding of a message takes: a single-valued predicate whole, another in its sentence."""
    row = PREDICATES.get(predicate)
    return predicate, 0 if row and row.is_single else sentence


def _is_animal(about: gates.Topic, held: Sequence[Fact]) -> bool:
    return any(fact.predicate == "pet" and fact.object.split(" (")[0] == about.who for fact in held)


def _owns(sentence: str, row: Pattern) -> bool:
    """Say whether a sentence that begins with somebody else speaks of the user's own all the same."""
    return row.predicate in (
        "partner",
        "friend",
        "colleague",
        "boss",
        "roommate",
        "speech_level",
        "address_form",
    ) or bool(re.search(r"(?<![가-힣])(?:저는|나는|난|제가|내가|저도|나도|나 |저 |제 |내 )", sentence))


def _matched(row: Pattern, sentence: str, said: Spoken, text: str, about: gates.Topic) -> Finding | None:
    """Return what a row finds in a sentence."""
    found = row.compiled.search(sentence)
    if found is None or not _may_match(row, sentence, said.answers) or (row.never and re.search(row.never, text)):
        return None
    before = said.earlier[-2:] if row.looks_back else ()
    near = re.search(row.near, " ".join((*before, text)), re.IGNORECASE) if row.near else None
    if row.near and near is None:
        return None
    words = {name: value or "" for name, value in {**(near.groupdict() if near else {}), **found.groupdict()}.items()}
    if "v" in words:
        words["v"] = _named(row.predicate, words["v"])
    words.setdefault("v", "")
    value = " ".join(row.value.format_map({"label": "", "when": "", "kind": "", "w": "", "kin": "", **words}).split())
    value = value if row.value == "{v}" else tidy(value)
    if len(value) < 1 or (row.predicate == "birthday" and not (value := _birthday(value, said.day))):
        return None
    age = _AGE.search(text) if row.predicate == "pet" else None
    value = value.removesuffix(")") + f", {age['age']})" if age and value.endswith(")") else value
    subject = USER
    if row.about in (OF_OTHER, OF_ANY) and not (subject := _other(text, about, row, said.earlier)):
        return None
    return Finding(row.predicate, value, sentence.strip(), subject, row.confidence, row.subtype)


def _may_match(row: Pattern, sentence: str, answers: str) -> bool:
    """Say whether nothing around the words speaks against a row; a question states nothing but a wish how to speak."""
    if sentence.rstrip().endswith("?") and row.predicate not in ("speech_level", "address_form"):
        return False
    if row.unless and re.search(row.unless, sentence, re.IGNORECASE if row.unless.isascii() else 0):
        return False
    return not row.asked or re.search(row.asked, answers, re.IGNORECASE) is not None


def _other(text: str, about: gates.Topic, row: Pattern, earlier: Sequence[str]) -> str:
    """Return whom a row of others is about: a name in the message, else the word for kin, of who is "he" the one before."""
    if row.predicate == "family":
        return USER
    named = re.search(
        r"(?:여동생|남동생|동생|조카|언니|누나|오빠|형)(?: 이름은?)? (?P<n>[가-힣]{2,4}?)(?:,|인데|이고|이? |$)|이름 (?P<m>[가-힣]{2,3}?)(?:이)? ",
        text,
    )
    if named:
        return named["n"] or named["m"]
    near = _KIN_EN.search(text) or _KIN_KO.search(text)
    if near is None and _PRONOUN.search(text):
        near = _KIN_EN.search(" ".join(earlier[-1:]))
    if near:
        return next(word for word in near.groups() if word).lower()
    return about.who


def _named(predicate: str, value: str) -> str:
    """Return a value without particles, a nickname with the 이 that it is said with."""
    value = tidy(value)
    if predicate == "address_form" and re.fullmatch(r"[가-힣]{2,}이", value) and len(value) > 2:
        return value
    return value


def _birthday(value: str, said: date) -> str:
    """Return a month and a day in words; '' for none."""
    found = day_ahead(value, said)
    if found is None:
        return ""
    return (
        f"{found.day.month}월 {found.day.day}일" if re.search(r"[월일]", value) else f"{found.day:%B} {found.day.day}"
    )


def _of_pets(sentence: str, about: gates.Topic, held: Sequence[Fact]) -> Iterator[Finding]:
    """Yield a new age of an animal that is known by name."""
    age = _AGE.search(sentence)
    for fact in held if age and about.who else ():
        name = fact.object.split(" (")[0]
        if fact.predicate == "pet" and name == about.who and age:
            kind = fact.object.partition(" (")[2].rstrip(")").split(",")[0]
            yield Finding("pet", f"{name} ({kind}, {age['age']})", sentence.strip(), is_change=True)


def _of_character(said: Spoken) -> Iterator[Finding]:
    """Yield what the character says of itself: what it likes, how it speaks, what it will call the user."""
    rows = patterns_ko.OF_CHARACTER if language_of(said.text) == "ko" else patterns_en.OF_CHARACTER
    for number, sentence in enumerate(sentences(gates.without_quotes(said.text))):
        for row in rows:
            if row.asked and number:
                continue
            found = _matched(row, sentence, said, said.text, gates.Topic())
            if found:
                is_shared = found.predicate in ("speech_level", "address_form")
                yield found._replace(subject=USER if is_shared else CHARACTER)


def _ideas(text: str) -> list[Finding]:
    """Return what the user only thinks of, in their words: short ones say nothing."""
    is_thought = any(gates.is_idea(sentence) for sentence in sentences(text)) and len(_WORD.findall(text)) >= 2
    thought = text.strip()[:_MOST_THOUGHT]
    return [Finding("plan", thought, thought, confidence=0.4, is_idea=True)] if is_thought else []


def _dropped(text: str, held: Sequence[Fact]) -> Iterator[Fact]:
    """Yield ideas, classes and plans that a message gives up: it names a word of them."""
    if not _DROPPED.search(text):
        return
    told = {_stem(word) for word in _WORD.findall(text)} - _COMMON
    for fact in held:
        is_open = fact.is_idea or fact.type == "plan"
        own = {_stem(word) for word in _WORD.findall(fact.object)} - _COMMON
        if is_open and own & told:
            yield fact


def _stem(word: str) -> str:
    return word[:3].rstrip("은는이가을를도의에") if "가" <= word[0] <= "힣" else word.lower()[:5]
