"""Finds what one message states, by rules: facts, ideas, plans with their day, facts given up.

This module applies the rules; the rules are rows (`patterns_ko`, `patterns_en`, `gates`,
`corrections`). Nothing is guessed: a message that a gate matches, a question, and a sentence about
other people state nothing about the user.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, date, timedelta, tzinfo
from typing import NamedTuple

from gieok.character.detect import gates, general_en, general_ko, patterns_en, patterns_ko, plans
from gieok.character.detect.abandonment import iter_given_up_facts, iter_lost_animals
from gieok.character.detect.another import is_told_of_another
from gieok.character.detect.answers import iter_answered_facts, name_asked_event
from gieok.character.detect.contrasts import Correction, iter_corrections
from gieok.character.detect.corrections import Settled, holds_kind_value, settle_corrections
from gieok.character.detect.denials import iter_given_up_plans
from gieok.character.detect.formers import Former, iter_formers
from gieok.character.detect.introductions import iter_introduced
from gieok.character.detect.patterns import (
    OF_ANY,
    OF_OTHER,
    OF_USER,
    Pattern,
    complete_bound_noun,
    find_object,
    is_clause,
    regex,
    split_chat_sentences,
    strip_place_day,
    tidy_fact_value,
)
from gieok.character.detect.person import person_name, strip_name_ending
from gieok.character.detect.righted.claim_kinds import name_claim_kind
from gieok.character.detect.righted.claims import Righted, names_other
from gieok.character.detect.righted.kept_words import (
    RightingWords,
    find_righting_words,
    is_own_statement,
    list_stems,
)
from gieok.character.detect.righted.openings import find_righted_statement
from gieok.character.detect.righted.restatement import find_other, format_righted, restate
from gieok.character.detect.righted.search import iter_righted
from gieok.character.detect.righted_days import RightedDay, iter_righted_days
from gieok.character.detect.spelling import spelled
from gieok.character.detect.take_backs import cut_take_back
from gieok.character.detect.words import ANIMAL, NO_NAME, NO_VALUE
from gieok.character.facts import CHARACTER, USER, Fact, FactType, same_value
from gieok.character.predicates import PREDICATES
from gieok.text.day_ahead import day_ahead
from gieok.text.language import detect_text_language
from gieok.text.persons import ANIMALS_EN
from gieok.zone import day_in

_NUMBER = re.compile(r"\d{1,2}(?=일|st|nd|rd|th|\b)")
_WRONG_DAY = re.compile(r"(?<!\d)(\d{1,2})(?:일|st|nd|rd|th)(?!생)", re.IGNORECASE)
_AGE = re.compile(
    r"(?P<age>(?:\d{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열(?: ?(?:한|두|세|네|다섯))?) ?살)(?!반)"
)
_ASKS_KO = re.compile(r"(?:까|나요|니|냐|ㄴ가요|을까|지)\s*$")
_KIN_EN = re.compile(
    (
        r"\bmy (?:\w+ )?(?P<kin>sister|brother|mom|mum|mother|dad|father|son|daughter|niece|nephew"
        r"|cousin|aunt|uncle|husband|wife)\b|\b(?P<of>dad|mom|mum|sister|brother)'?s\b"
    ),
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:s?he|s?hes)\b", re.IGNORECASE)
_KIN_KO = re.compile(
    r"(?P<kin>여동생|남동생|동생|조카|언니 딸|아들|딸|언니|오빠|누나|형|엄마|아빠)"
)
#: A word that counts when an idea is tested for being too short.
_WORD = re.compile(r"[가-힣]{2,}|[A-Za-z]{4,}")
_MOST_THOUGHT = 120
#: A statement about the character is not about the user.
_OF_YOU = re.compile(
    r"^[\s,.~]*(?:근데 |그리고 |하긴 |너 )?(?:너는|넌|너도|당신은|당신도|네가|니가)(?![가-힣])"
)
#: A known name is replaced only where the user says so.
_OWN_NAME = re.compile(
    r"(?:내|제) ?(?:진짜 |본래 |원래 |풀 ?)?이름|개명|본명|이름(?:을)? ?바|\bmy\b[^.]{0,14}\bname\b|\bactually\b",
    re.IGNORECASE,
)
#: A user who asks or says how they will address the character wants the character to be called so.
_OF_THE_OTHER = re.compile(
    r"(?:불러|해)도 ?(?:될까|되나|되냐|되겠|됨 ?\?|돼[가-힣]* ?\?|되요 ?\?)|(?:라고|라) ?(?:부를|불러 ?볼)(?:게|래|까|거)"
)
#: A speaker who is not sure of a liking speaks of somebody else.
_UNSURE = re.compile(r"[는은] ?(?:거|것) ?같")
#: Longest answer, in characters, to a question about somebody.
_SHORT = 40


#: Rows with exact words come before rows with frames alone.
_KO = (*patterns_ko.PATTERNS, *general_ko.PATTERNS)
_EN = (*patterns_en.PATTERNS, *general_en.PATTERNS)
_KO_OF_CHARACTER = (*patterns_ko.OF_CHARACTER, *general_ko.OF_CHARACTER)
_EN_OF_CHARACTER = (*patterns_en.OF_CHARACTER, *general_en.OF_CHARACTER)
#: Predicates whose object is a person's name.
_PERSONS = ("partner", "friend", "boss", "colleague", "roommate")
#: Predicates whose value is the object of a verb.
_OF_OBJECT = ("likes", "dislikes", "drink", "food")
#: Predicates of the user that are told of kin in the same words.
_TOLD_OF_KIN = ("job", "lives_in", "major", "from")
#: Confidence of facts of kin, and of corrected facts: they are told as what may have been said.
_HEDGED = 0.75
#: Days after which a denied value may be anybody's.
_LATELY_DAYS = 3
#: Confidence of what a row finds by its own words, and not as an answer.
_STATED = 0.9
#: Another person behind the one whom a sentence is about.
_ANOTHER = re.compile(rf"(?:^|\s)(?:{gates.KIN}|{gates.PARTNERS})(?:{gates.OF_PERSON})?(?![가-힣])")
#: Predicates that may be asked for, too: how to speak.
_MANNERS = ("speech_level", "address_form")


class Spoken(NamedTuple):
    """Message as the rules read it.

    The fields give its text, whether the user said it, the messages before it from either side, and
    its day.
    """

    text: str
    is_user: bool
    day: date
    #: `answers` is the other side's message just before, '' for none; `earlier` is what the user
    #: said just before that.
    answers: str = ""
    earlier: tuple[str, ...] = ()
    #: Time zone of the day.
    zone: tzinfo = UTC
    #: What the user said before it in the last turns, `earlier` among it: what a message that says
    #: so puts right.
    recent: tuple[str, ...] = ()
    #: What the other side said in the last turns.
    replies: tuple[str, ...] = ()


class Finding(NamedTuple):
    """One fact that a message states."""

    predicate: str
    object: str
    sentence: str
    subject: str = USER
    confidence: float = 0.9
    subtype: str = ""
    day: str = ""
    is_idea: bool = False
    #: `is_change`: the finding changes a plan told before; `replaces` is that plan's object, '' for
    #: any plan of its slot.
    is_change: bool = False
    replaces: str = ""
    #: The model that found the fact; '' for rules.
    by: str = ""
    #: Key of the held fact that was misunderstood or misspoken, and never held; '' for none.
    corrects: str = ""


class Detection(NamedTuple):
    """All facts that a message states, and the held facts that it gives up."""

    findings: tuple[Finding, ...] = ()
    dropped: tuple[Fact, ...] = ()
    #: The reason for which nothing was looked for.
    gate: str = ""


def detect_statements(said: Spoken, held: Sequence[Fact]) -> Detection:
    """Return what a message states. `held` are the facts and ideas that are currently held."""
    said = said._replace(
        text=spelled(said.text),
        answers=spelled(said.answers),
        earlier=tuple(map(spelled, said.earlier)),
        recent=tuple(map(spelled, said.recent)),
    )
    meant = cut_take_back(said.text) if said.is_user else said.text
    gate = gates.unmeant(meant)
    if gate or not meant:
        return Detection(gate=gate or "joke")
    is_taken_back = meant != said.text
    said = said._replace(text=meant)
    if not said.is_user:
        stated = list(_of_character(said))
        is_called = any(finding.predicate == "address_form" for finding in stated)
        stated = _settle_findings(stated)
        return Detection((*stated, *(() if is_called else _iter_address_forms(said, held))))
    told = gates.without_quotes(said.text)
    names = _list_near_names(held)
    corrections = _find_corrections(said, told, names, held)
    for correction in corrections:  # what corrects states nothing else
        told = told.replace(correction.sentence, " ")
    settled = settle_corrections(told)
    text, wrong = settled
    findings = [
        *_iter_stated_findings(said, text, names, held),
        *plans.plans(
            plans.PlanMessage(
                said.day,
                name_asked_event(text, said.answers, said.day),
                said.earlier,
                _list_wrong_days(wrong),
            ),
            held,
            Finding,
        ),
    ]
    if not findings and not gates.topic(text, names).who:
        findings += _iter_righted_facts(wrong, text, held, said)
    findings = [finding for finding in map(_with_name, findings) if finding.object]
    findings = [finding for finding in findings if not _is_said_better(finding, findings)]
    findings += [] if findings or corrections else _find_thought_plans(text)
    findings += map(_build_corrected_finding, corrections)
    if not corrections:
        findings = _add_righted_findings(findings, said, told, names, held)
    own = (*said.earlier, *said.recent)
    righting = find_righting_words(told, said.answers, own, said.replies)
    if is_taken_back and not findings and is_own_statement(told):
        righting = righting._replace(kept=told.strip())
    if righting.is_whose:
        findings = [one for one in findings if one.is_change or one.sentence not in righting.kept]
    if not any(finding.is_change or finding.corrects for finding in findings):
        findings += _keep_righting_words(righting, told, settled, findings)
    formers = list(iter_formers(split_chat_sentences(told), held))
    findings += (_build_next_finding(one) for one in formers if one.value)
    sentences = split_chat_sentences(text)
    given_up = (
        *(one.fact for one in formers),
        *iter_given_up_facts(sentences, held, said.day, said.zone),
        *iter_given_up_plans(sentences, held, said.day),
        *iter_lost_animals(sentences, held),
        *_iter_denied_facts(righting, findings, said, held),
    )
    return Detection(tuple(_settle_findings(findings)), given_up)


def _find_corrections(
    said: Spoken, text: str, names: frozenset[str], held: Sequence[Fact]
) -> list[Correction]:
    """Return what a message corrects of the facts that are held: of each fact the likeliest."""
    corrections: dict[str, Correction] = {}
    sentences: set[str] = set()
    for one in iter_corrections(text, said.earlier, said.answers, held):
        if one.fact.key in corrections or one.sentence in sentences:
            continue
        if not one.restated or _is_restated(one, said, names):
            corrections[one.fact.key] = one
            sentences.add(one.sentence)
    return list(corrections.values())


def _is_restated(one: Correction, said: Spoken, names: frozenset[str]) -> bool:
    """Return whether the rules find the right value of a correction in its statement."""
    if gates.topic(one.sentence, frozenset()).who:
        return False
    again = said._replace(text=one.restated, answers="", earlier=())
    found = map(_with_name, _iter_stated_findings(again, one.restated, names, ()))
    return any(
        (other.subject, other.predicate, same_value(other.object))
        == (one.subject, one.fact.predicate, same_value(one.value))
        for other in found
    )


def _build_corrected_finding(one: Correction) -> Finding:
    return Finding(
        predicate=one.fact.predicate,
        object=one.value,
        sentence=one.sentence,
        subject=one.subject,
        confidence=min(one.fact.confidence, _HEDGED),
        subtype=one.fact.subtype,
        day=one.fact.day,
        is_idea=one.fact.is_idea,
        corrects=one.fact.key,
    )


def _add_righted_findings(
    findings: Sequence[Finding],
    said: Spoken,
    text: str,
    names: frozenset[str],
    held: Sequence[Fact],
) -> list[Finding]:
    """Return the findings of a message with what it puts right of the last turn.

    What the rules found of the right value in the message itself stands.
    """
    kept = list(findings)
    for moved in iter_righted_days(text, said.day, said.earlier, held):
        if any(one.is_change and one.day for one in kept):
            return kept
        day = moved.day.isoformat()
        return [*(one for one in kept if one.day != day), _build_moved_plan(moved, text)]
    for one in iter_righted(text, said.answers, said.earlier, said.recent):
        if any(_holds_word(other, one.right) for other in kept):
            # the reader need not see again what is said to be so
            kept = [
                other._replace(is_change=True)
                if _holds_word(other, one.right) and not other.day
                else other
                for other in kept
            ]
            continue
        right = _find_righted_fact(one, said, names, held)
        kept = [other for other in kept if other.sentence not in one.sentence or other.day == ""]
        kept.append(right)
    if not kept and (statement := find_righted_statement(text)):
        kept.append(_build_detail(statement, text.strip()))
    return kept


def _keep_righting_words(
    righting: RightingWords,
    told: str,
    settled: Settled,
    findings: Sequence[Finding],
) -> list[Finding]:
    """Return the words with which a message puts something right, where no rule read them.

    `settled` is the message `told` without its own slips.
    """
    kept = _find_slip_sentence(told, settled, findings) or righting.kept
    read = [one for one in findings if one.sentence in kept and not one.is_idea]
    if not kept or any(PREDICATES[one.predicate].is_single for one in read):
        return []
    return [_build_detail(kept.strip(" ,"), kept.strip())]


def _find_slip_sentence(told: str, settled: Settled, findings: Sequence[Finding]) -> str:
    """Return the sentence with the right figure, day or age of a slip that no finding holds.

    '' for none, and where somebody else is named.
    """
    if not settled.wrong or not holds_kind_value(settled.wrong[-1][0]):
        return ""
    right = re.split(r"[.,!?]", settled.wrong[-1][1])[0].strip()
    if not right or any(
        right in one.object or right in one.sentence
        for one in findings
        if one.day or right in one.object
    ):
        return ""
    sentences = (*split_chat_sentences(told), *split_chat_sentences(settled.text))
    longest = max((one for one in sentences if right in one), key=len, default="")
    return "" if names_other(longest) else longest


def _iter_denied_facts(
    righting: RightingWords, findings: Sequence[Finding], said: Spoken, held: Sequence[Fact]
) -> Iterator[Fact]:
    """Yield the facts of the user whose whole value a message denies.

    The value was told in the last days, or by the character just now: after a month, of whom it is
    denied nobody says.
    """
    replied = list_stems(said.answers)
    for fact in held:
        is_open = fact.is_current and fact.subject == USER and fact.type is not FactType.PLAN
        stems = list_stems(fact.object)
        is_lately = abs((day_in(fact.at, said.zone) - said.day).days) <= _LATELY_DAYS
        is_open = is_open and (is_lately or stems <= replied)
        is_said = any(
            one.predicate == fact.predicate and one.object == fact.object for one in findings
        )
        if is_open and stems and stems <= righting.denied and not is_said:
            yield fact


def _build_moved_plan(one: RightedDay, text: str) -> Finding:
    """Return a held plan on the day that is right."""
    return Finding(
        predicate=one.plan.predicate,
        object=one.value,
        sentence=text.strip(),
        subject=one.plan.subject,
        confidence=one.plan.confidence,
        day=one.day.isoformat(),
        is_change=True,
        replaces=one.plan.object,
    )


def _holds_word(one: Finding, value: str) -> bool:
    return same_value(value) in same_value(one.object)


def _find_righted_fact(
    one: Righted, said: Spoken, names: frozenset[str], held: Sequence[Fact]
) -> Finding:
    """Return what holds of a value that is put right: what the wrong sentence says of it.

    That is a held fact with the wrong value, else what the rules read in the sentence, said with
    the right one. Where they read nothing there, the words themselves are kept.
    """
    detail = _build_detail(format_righted(one), one.sentence)
    if find_other(one):
        return detail
    for fact in reversed(held):
        if fact.is_current and same_value(fact.object) == same_value(one.wrong):
            right = Correction(fact, fact.subject, one.right, one.sentence)
            return _build_corrected_finding(right)
    text = restate(one)
    again = said._replace(text=text, answers="", earlier=())
    found = [
        *map(_with_name, _iter_stated_findings(again, text, names, ())),
        *plans.plans(plans.PlanMessage(said.day, text), held, Finding),
    ]
    for other in found:
        if other.subject == USER and _holds_word(other, one.right):
            return other._replace(
                sentence=one.sentence,
                confidence=min(other.confidence, _HEDGED),
                is_change=True,
            )
    kind = name_claim_kind(one)
    if kind and (kind != "name" or _may_be_own_name(one, said.recent, held)):
        return detail._replace(predicate=kind, object=one.right)
    return detail


def _may_be_own_name(one: Righted, recent: Sequence[str], held: Sequence[Fact]) -> bool:
    """Return whether a name that is put right may be the user's.

    Nobody else is named beside it, there or in the `recent` messages of the user that have it, and
    none is known, or one like it.
    """
    if any(names_other(text) for text in (one.sentence, *recent) if one.right in text):
        return False
    names = [fact.object for fact in held if fact.predicate == "name" and fact.subject == USER]
    return not names or any(one.right in name or one.wrong in name for name in names)


def _build_detail(value: str, sentence: str) -> Finding:
    """Return what is put right in its own words: "drums, not bass"."""
    return Finding(
        predicate="detail",
        object=value,
        sentence=sentence,
        confidence=_HEDGED,
        is_change=True,
    )


def _build_next_finding(one: Former) -> Finding:
    """Return what holds in the place of a fact that a message tells as a former one."""
    return Finding(
        predicate=one.predicate or one.fact.predicate,
        object=one.value,
        sentence=one.sentence,
        confidence=min(one.fact.confidence, _HEDGED),
        subtype=one.fact.subtype,
        is_change=True,
    )


def _with_name(one: Finding) -> Finding:
    """Return a finding with the name stripped of its Korean ending; the object is '' for no
    name.
    """
    if one.predicate == "address_form":
        return one._replace(object=strip_name_ending(one.object, one.sentence))
    return (
        one._replace(object=person_name(one.object, one.sentence))
        if one.predicate == "name"
        else one
    )


def _settle_findings(found: Sequence[Finding]) -> list[Finding]:
    """Return each finding once; for a single-valued predicate the last one.

    A speaker who goes on talking states the value more exactly.
    """
    latest_findings: dict[tuple[str, str, str], Finding] = {}
    for finding in found:
        row = PREDICATES.get(finding.predicate)
        what = "" if row is not None and row.is_single else finding.object
        latest_findings.setdefault((finding.subject, finding.predicate, what), finding)
        if (
            what == ""
            and finding.predicate != "name"
            and finding.sentence != latest_findings[finding.subject, finding.predicate, ""].sentence
        ):
            latest_findings[finding.subject, finding.predicate, ""] = finding
    return list(latest_findings.values())


def _iter_righted_facts(
    wrong: Sequence[tuple[str, str]], text: str, held: Sequence[Fact], said: Spoken
) -> Iterator[Finding]:
    """Yield today's facts with the day that a message corrects.

    "not the 21st, the 22nd" names nothing but the day.
    """
    for old, new in wrong:
        before, now = _NUMBER.search(old), _NUMBER.search(new)
        for fact in held if before and now else ():
            is_of_today = abs((day_in(fact.at, said.zone) - said.day).days) <= 1
            pattern = rf"(?<!\d){before[0]}(?!\d)" if before else ""
            if is_of_today and re.search(pattern, fact.object) and now:
                value = re.sub(pattern, now[0], fact.object)
                day = fact.day and f"{fact.day[:-2]}{int(now[0]):02}"
                yield Finding(
                    predicate=fact.predicate,
                    object=value,
                    sentence=text.strip(),
                    subject=fact.subject,
                    day=day if _is_date(day) else "",
                    is_change=True,
                )


def _is_date(day: str) -> bool:
    """Return whether a text is a date."""
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True


def _list_wrong_days(wrong: Sequence[tuple[str, str]]) -> frozenset[int]:
    """Return the days of the month that a message puts right."""
    days = (_WRONG_DAY.search(old) for old, _ in wrong)
    return frozenset(int(day[1]) for day in days if day)


_DAILY = ("exercise", "before_sleep", "drink", "food", "hobby", "job", "routine", "plan")


def _is_said_better(one: Finding, found: Sequence[Finding]) -> bool:
    """Return whether another finding of the message says the same and more.

    Examples: whose age it is, or where somebody moves.
    """
    if one.predicate in ("family", "partner"):
        of_others = [other for other in found if other.subject != USER]
        return any(
            other.object == one.object
            if one.predicate == "partner"
            else other.subject.lower() in one.object.lower()
            for other in of_others
        )
    if one.predicate in ("habit", "routine"):
        return any(
            other is not one and other.sentence == one.sentence and other.predicate in _DAILY
            for other in found
        )
    if one.predicate == "name":
        return any(
            (other.predicate in ("pet", "family", *_PERSONS) and one.object in other.object)
            # "call me X" says how to be called; the name may be another
            or (
                (other.predicate, other.object) == ("address_form", one.object)
                and other.confidence >= _STATED > one.confidence
            )
            for other in found
        )
    if one.predicate == "plan":
        return any(other.predicate in ("anniversary", "birthday") for other in found)
    if one.predicate == "age":
        return any(
            other.predicate == "pet" and other.object.startswith(one.subject) for other in found
        )
    return one.predicate in ("move", "trip") and any(
        other.predicate == "lives_in" for other in found
    )


def _list_near_names(held: Sequence[Fact]) -> frozenset[str]:
    """Return the names of the user's people and animals."""
    near = ("partner", "friend", "roommate", "family", "boss", "colleague", "pet")
    words = (
        word
        for fact in held
        if fact.predicate in near
        for word in re.findall(r"[가-힣]{2,4}", fact.object)
    )
    both = (name for word in words for name in (word, word[1:]) if len(name) > 1)
    return frozenset(word for word in both if word not in _NO_NAMES)


_NO_NAMES = frozenset(
    "고양이 강아지 솔로 헤어짐 지금은 없음 혼자 남동생 여동생 동생 조카 아내 남편 와이프 신랑 마누라 집사람".split()
)


def _iter_stated_findings(
    said: Spoken, text: str, names: frozenset[str], held: Sequence[Fact]
) -> Iterator[Finding]:
    rows = _KO if detect_text_language(text) == "ko" else _EN
    about = gates.Topic()
    taken: set[tuple[str, int]] = set()
    known = {fact.predicate for fact in held if fact.subject == USER and not fact.is_idea}
    answered = (
        *iter_answered_facts(text, said.answers, said.earlier),
        *iter_introduced(text, said.answers),
    )
    for predicate, words, sentence, sureness in () if gates.is_idea(text) else answered:
        value = _format_birthday(words, said.day) if predicate == "birthday" else words
        if value and not (predicate == "name" and predicate in known):
            taken.add((predicate, 0))
            yield Finding(predicate, tidy_fact_value(value), sentence, confidence=sureness)
    for number, sentence in enumerate(split_chat_sentences(text)):
        is_idea = gates.is_idea(sentence)
        if _OF_YOU.match(sentence):
            continue
        about = gates.topic(sentence, names) or about
        about = (
            about
            if number == 0 or (about.who and gates.topic(sentence, names).who)
            else gates.topic(sentence, names)
        )
        yield from [] if is_idea else _of_pets(sentence, about, held)
        for row in rows:
            if (row.predicate == "age" and _is_animal(about, held)) or (row.whole and number):
                continue
            if (is_idea and row.predicate not in _MANNERS) or not _may_be_new(row, known, text):
                continue
            if (row.predicate, number) in taken:
                continue
            finding = _match_row_by_topic(row, text if row.whole else sentence, said, text, about)
            if finding and not (
                finding.predicate in ("likes", "dislikes") and finding.object in names
            ):
                taken.add((finding.predicate, number))
                yield finding


def _match_row_by_topic(
    row: Pattern, sentence: str, said: Spoken, text: str, about: gates.Topic
) -> Finding | None:
    """Return the finding of a row in a sentence: of the user, or of kin whom it is about."""
    is_of_other = row.about == OF_USER and about.who and not _is_own_statement(sentence, row)
    if not is_of_other:
        finding = _match_pattern_row(row, sentence, said, text, about)
        is_of_another = (
            finding is not None
            and row.about == OF_USER
            and is_told_of_another(finding.predicate, finding.object, finding.sentence)
        )
        return None if is_of_another else finding
    if row.predicate not in _TOLD_OF_KIN or not re.fullmatch(gates.ONE_RELATIVE, about.who):
        return None
    finding = _match_pattern_row(row, sentence, said, text, about)
    return _give_to_kin(finding, about.who) if finding else None


def _give_to_kin(finding: Finding, who: str) -> Finding | None:
    """Return a finding as one of the user's kin.

    None where it is of somebody of theirs, or untrue now, or where its value is a person or a
    clause.
    """
    value = re.sub(
        rf"^(?:우리 |내 |제 )?{re.escape(who)}(?:은|는|이|가|도|께서)? ", "", finding.object
    )
    before, _, told = finding.sentence.partition(who)[2].partition(value.split(" ")[-1])
    is_place = finding.predicate == "job" and f"{value}에서" in finding.sentence
    if is_place or is_clause(value) or _KIN_KO.search(value):
        return None
    if _ANOTHER.search(before) or gates.is_unreal(told):
        return None
    return finding._replace(subject=who, object=value, confidence=min(finding.confidence, _HEDGED))


def _may_be_new(row: Pattern, known: Collection[str], text: str) -> bool:
    """Return whether a row may find a value beside the known values.

    A known name changes only where its owner says so.
    """
    if row.predicate == "name" and "name" in known and not _OWN_NAME.search(text):
        return False
    return not (row.unknown and row.predicate in known) and (
        row.predicate in known or not row.needs_known
    )


def _is_animal(about: gates.Topic, held: Sequence[Fact]) -> bool:
    return any(fact.predicate == "pet" and fact.object.split(" (")[0] == about.who for fact in held)


def _is_own_statement(sentence: str, row: Pattern) -> bool:
    """Return whether a sentence that begins with another person still speaks of the user."""
    return row.predicate in (
        "partner",
        "friend",
        "colleague",
        "boss",
        "roommate",
        "speech_level",
        "address_form",
    ) or bool(
        re.search(
            r"(?<![가-힣])(?:저는|나는|난|제가|내가|저도|나도|나 |저 |(?:제|내) (?!"
            rf"{gates.KIN}))",
            sentence,
        )
    )


def _match_pattern_row(
    row: Pattern, sentence: str, said: Spoken, text: str, about: gates.Topic
) -> Finding | None:
    """Return the finding of a row in a sentence; None where the row does not match."""
    sentence_match = row.compiled.search(sentence)
    if (
        sentence_match is None
        or not _may_match(row, sentence, said.answers)
        or (row.never and regex(row.never).search(text))
    ):
        return None
    before = said.earlier[-2:] if row.looks_back else ()
    near = regex(row.near).search(" ".join((*before, text))) if row.near else None
    if row.near and near is None:
        return None
    words = {
        name: value or ""
        for name, value in {
            **(near.groupdict() if near else {}),
            **sentence_match.groupdict(),
        }.items()
    }
    if "v" in words:
        words["v"] = (
            strip_place_day(tidy_fact_value(words["v"]))
            if row.predicate == "lives_in"
            else tidy_fact_value(words["v"])
        )
        words["v"] = complete_bound_noun(sentence[: sentence_match.start("v")], words["v"])
        if regex(NO_VALUE).fullmatch(words["v"]):
            return None
        if row.predicate in _OF_OBJECT:
            words["v"] = find_object(sentence[: sentence_match.start("v")]) or words["v"]
    words.setdefault("v", "")
    value = " ".join(
        row.value.format_map(
            {"label": "", "when": "", "kind": "", "w": "", "kin": "", **words}
        ).split()
    )
    value = value if row.value == "{v}" else tidy_fact_value(value)
    if (
        len(value) < 1
        or regex(NO_VALUE).fullmatch(value)
        or (row.predicate in _PERSONS and regex(NO_NAME).fullmatch(value))
        or (row.predicate == "birthday" and not (value := _format_birthday(value, said.day)))
    ):
        return None
    age = _AGE.search(text) if row.predicate == "pet" else None
    value = value.removesuffix(")") + f", {age['age']})" if age and value.endswith(")") else value
    subject = USER
    if row.about in (OF_OTHER, OF_ANY) and not (
        subject := _find_other_subject(text, about, row, said.earlier, said.answers)
    ):
        return None
    return Finding(
        predicate=row.predicate,
        object=value,
        sentence=sentence.strip(),
        subject=subject,
        confidence=row.confidence,
        subtype=row.subtype,
    )


def _may_match(row: Pattern, sentence: str, answers: str) -> bool:
    """Return whether no word around a match speaks against a row.

    A question states nothing, except a wish how to be spoken to.
    """
    if sentence.rstrip().endswith("?") and row.predicate not in _MANNERS:
        return False
    if row.predicate == "address_form" and _OF_THE_OTHER.search(sentence):
        return False
    if row.predicate in ("likes", "dislikes") and _UNSURE.search(sentence):
        return False
    if row.unless and regex(row.unless).search(sentence):
        return False
    return not row.asked or regex(row.asked).search(answers) is not None


#: Words for kin in `_KIN_EN` to which "he" refers, and to which "she" refers.
_HE = frozenset(("brother", "dad", "father", "son", "uncle", "nephew", "husband"))
_SHE = frozenset(("sister", "mum", "mom", "mother", "daughter", "aunt", "niece", "wife"))


def _find_kin_word(near: "re.Match[str]") -> str:
    return next(word for word in near.groups() if word).lower()


def _find_other_subject(
    text: str, about: gates.Topic, row: Pattern, earlier: Sequence[str], answers: str
) -> str:
    """Return the person whom a row about others is about.

    That is a name in the message, else the word for kin; "he" is the person named before.
    """
    if row.predicate == "family":
        return USER
    named = re.search(
        (
            r"이름(?:은|이)? (?P<o>[가-힣]{2,3}?)(?:이?고|인데|이?라|이?야|이에요|예요)(?![가-힣])|(?:여동생|남동생|동생|조카|언니"
            r"|누나|오빠|형)(?: 이름은?)? (?P<n>[가-힣]{2,4}?)(?:,|인데|이고|이? |$)|이름 (?P<m>[가-힣]{2,3}?)(?:이)? "
        ),
        text,
    )
    if named:
        return named["o"] or named["n"] or named["m"]
    near = (
        _KIN_EN.search(text)
        or _KIN_KO.search(text)
        or _KIN_KO.search(answers if len(text) < _SHORT else "")
    )
    if near is None and _PRONOUN.search(text):
        near = _KIN_EN.search(" ".join(earlier[-1:]))
        if near and _find_kin_word(near) in (
            _HE if regex(r"\b(?:she|her)\b").search(text) else _SHE
        ):
            return ""  # somebody else, who was not named
    if near:
        return _find_kin_word(near)
    return about.who


def _format_birthday(value: str, said: date) -> str:
    """Return a month and a day in words; '' for none."""
    before = {"오늘": 0, "어제": 1, "그저께": 2, "그제": 2}.get(value)
    if before is not None:
        day = said - timedelta(days=before)
        return f"{day.month}월 {day.day}일"
    named_day = day_ahead(value, said)
    if named_day is None:
        return ""
    return (
        f"{named_day.day.month}월 {named_day.day.day}일"
        if re.search(r"[월일]", value)
        else f"{named_day.day:%B} {named_day.day.day}"
    )


def _of_pets(sentence: str, about: gates.Topic, held: Sequence[Fact]) -> Iterator[Finding]:
    """Yield a new age, or another kind, of an animal whose name is known."""
    for fact in held if not re.search(r"[?？]\s*$", sentence) else ():
        name, _, known = fact.object.partition(" (")
        if fact.predicate != "pet" or not known:
            continue
        held_kind, *rest = known.rstrip(")").split(",")
        kind = _find_kind_of_animal(sentence, name)
        if kind and kind != held_kind:
            value = ",".join((kind, *rest))
            yield Finding("pet", f"{name} ({value})", sentence.strip(), is_change=True)
            return
    age = _AGE.search(sentence)
    for fact in held if age and about.who else ():
        name = fact.object.split(" (")[0]
        if fact.predicate == "pet" and name == about.who and age:
            kind = fact.object.partition(" (")[2].rstrip(")").split(",")[0]
            yield Finding("pet", f"{name} ({kind}, {age['age']})", sentence.strip(), is_change=True)


def _find_kind_of_animal(sentence: str, name: str) -> str:
    """Return the kind that a sentence says an animal is: "Pip is a cat", 콩이는 고양이야."""
    named = re.search(
        rf"(?<![가-힣]){re.escape(name)}이?(?:는|은|가)? (?:사실 |실은 )?(?:아직 )?(?P<kind>{ANIMAL})"
        rf"(?:이?야|이?에요|예요|입니다|이?지|거든|임)(?![가-힣])"
        rf"|\b{re.escape(name)}(?:['’]s| is) (?:actually |really |in fact )?"
        rf"an? (?P<kind_en>{ANIMALS_EN})\b",
        sentence,
    )
    return (named["kind"] or named["kind_en"]) if named else ""


def _of_character(said: Spoken) -> Iterator[Finding]:
    """Yield facts about the character: what it likes, how it speaks, what it will call the user."""
    rows = _KO_OF_CHARACTER if detect_text_language(said.text) == "ko" else _EN_OF_CHARACTER
    for number, sentence in enumerate(split_chat_sentences(gates.without_quotes(said.text))):
        for row in rows:
            if row.asked and number:
                continue
            finding = _match_pattern_row(row, sentence, said, said.text, gates.Topic())
            if finding:
                is_shared = finding.predicate in ("speech_level", "address_form")
                yield finding._replace(subject=USER if is_shared else CHARACTER)


_ASKED_TO_CALL = re.compile(
    r"불러|부르|호칭|반말|말씀? ?(?:놓|편|트|낮추)|라고 ?해|\bcall(?:ed)? (?:me|you)\b|\bgo by\b",
    re.IGNORECASE,
)


def _iter_address_forms(said: Spoken, held: Sequence[Fact]) -> Iterator[Finding]:
    """Yield the form of address that the character uses with a known name.

    A form counts the first time it is used, and where the user asked for it.
    """
    names = [fact.object for fact in held if fact.predicate == "name" and fact.subject == USER]
    is_known = any(fact.predicate == "address_form" and fact.subject == USER for fact in held)
    if not names or (
        is_known and not _ASKED_TO_CALL.search(" ".join((said.answers, *said.earlier[-1:])))
    ):
        return
    full = names[-1]
    given_name = full[1:] if re.fullmatch(r"[가-힣]{3}", full) else full.split(" ")[0]
    if detect_text_language(said.text) == "ko":
        form = (
            rf"(?<![가-힣])(?P<v>(?:{full}|{given_name})(?: ?(?:씨|님|양|군|선생님?|쌤|경|언니|오빠|형|누나)|아|야"
            r"|이(?=라|야"
            rf"|[.,!~\s]))|{given_name[-1]}(?:이|아|야)(?=[.,!~\s라]))"
        )
    else:
        family = full.split(" ")[-1]
        form = (
            rf"\b(?P<v>(?:Mrs?|Ms|Miss|Dr|Captain|Professor)\.? (?:{given_name}|{family})"
            r"|(?-i:[A-Z])\w+(?= it is\b))"
        )
    match = re.search(form, said.text)
    if match:
        yield Finding("address_form", match["v"], said.text.strip(), confidence=0.75)


def _find_thought_plans(text: str) -> list[Finding]:
    """Return ideas that the user only thinks of, in the user's words; short sentences say
    nothing.
    """
    is_thought = (
        any(gates.is_plan(sentence) for sentence in split_chat_sentences(text))
        and len(_WORD.findall(text)) >= 2
    )
    thought = text.strip()[:_MOST_THOUGHT]
    return [Finding("plan", thought, thought, confidence=0.4, is_idea=True)] if is_thought else []
