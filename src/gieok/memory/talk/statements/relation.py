"""Judges two statements: does the later one replace the earlier one?

A false "was replaced" is worse than no mark, and in a real memory one pair of neighbours in a
thousand is a change. So a change is sure only on three conditions, none of which is a likeness of
vectors:

1. the later sentence asserts something (no question, plan, hearsay, joke, exception);
2. it *names the old value as given up* (`given_up`), or it gives another value of the same measure
  with words of change;
3. both are on one subject: what the later sentence says of the old value, in the clause that
  gives the value up, the earlier sentence says too. A word that only the later sentence has in
  that clause (`differing`) means another subject: "2층 바닥은 강마루 빼고" is not about
  "1층 바닥은 강마루".

A weaker relation is `UNSURE`: the two statements seem to be on one subject; both stand, dated;
nothing is marked, ranked or fetched because of it. `benchmarks/claims.py` measures how many of the
marks are right among the neighbours of a real memory. A model that reads pairs would replace
`relation` alone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from gieok.memory.talk.statements.given_up import Loss, find_losses
from gieok.memory.talk.statements.statement import (
    Sentence,
    find_cue,
    read_sentence,
    read_sentences,
)
from gieok.memory.talk.statements.words import TOPIC, Word
from gieok.text.late_pattern import defer_pattern

#: How sure it is that a later statement replaces an earlier one.
SURE, UNSURE, UNRELATED = "sure", "unsure", "unrelated"
#: Groups of words of change; the later sentence needs one where it names no old value.
_CHANGING = ("change", "now", "correction")
#: A sentence with a word of the first groups asserts nothing, or nothing for good; a word of the
#: second groups does the same to its clause.
_DOUBTFUL = ("unsure", "joke", "once", "past")
_NOT_ASSERTED = ("theirs", "also")
_NOT_ASSERTED_MOODS = ("question", "supposed", "quoted")
#: Units of amounts. Other numbers may name a thing (a room, a version); only for these units is
#: another value a change.
_AMOUNTS = frozenset(
    (
        "weekday oclock minute hour second day week month date % won dollar euro person port kg "
        "mg km gb"
    ).split()
)
#: Head nouns that add nothing to the phrase that they end: "PDF 발송", "8시 제한".
_GENERIC = frozenset(
    """
    사용 이용 발송 제출 예약 구독 계약 약정 제한 방식 정책 규칙 방침 등록 복용 서비스 생활 갱신
    체제 버전 histori dead tabl discontinu deprec decommiss shut good subscription membership setup plan
    """.split()
)
#: Words that say of a thing how old it is and, alone, do not say of what is spoken: "the old host
#: is gone" ends nothing that was said of "the old major".
_TELLS_AGE = frozenset(("old", "new", "former", "previous"))
#: Korean stems shorter than this begin too many other words.
_SHORTEST_HANGUL = 2
#: Names up to this length are abbreviations that many things share.
_SHORTEST_NAME = 2
#: Shared words, besides the value, that another value of the same measure needs.
_FEWEST_ANCHORS = 2
#: For an earlier statement of at most this many words, a shared word outside of the clause that
#: gives something up shows the common subject, too.
_SHORT_STATEMENT = 8
#: Two sentences that share this much of the shorter one may be on one subject.
_SUBJECT_SHARE = 0.5
#: A statement of at most this many words says nothing but what somebody does or something is.
_PLAIN_WORDS = 2
_KOREAN_HABIT = defer_pattern(
    r"(?:마셔|마신|마심|마십|먹|써|쓴|씀|씁|쓰|피워|피운|피움|타|탄|탐|탑"
    r"|다녀|다닌|다님|다닙|살|하고 있|배우|배워|키워|보고 있|중이|중임|구독"
    r"|[가-힣]하거든|[가-힣]해|[가-힣]한다|[가-힣]합니)[가-힣]{0,3}\s*[.!~]*$"
)
_FIRST_PERSON = defer_pattern(r"(?:i|i['’]m|i['’]ve|we|we['’]re|we['’]ve|im)\b", re.IGNORECASE)
#: A request. (`_PART` below matches the change of a part: "힐만 민수에서 가영이로", "replaced one anyhow".)
_REQUEST = defer_pattern(
    r"(?:줘|주세요|봐|봐요|해라|하자|부탁해|부탁해요|부탁드려요)[.!~ㅋㅎ ]*$|\b(?:please|pls)\b",
    re.IGNORECASE,
)
_IDENTITY = defer_pattern(r"(?:the|our|my) [\w -]+ (?:is|are) ", re.IGNORECASE)
_DENIAL = defer_pattern(
    r"\b(?:no|not|never|without|cannot)\b|n['’]t\b"
    r"|(?<![가-힣])(?:안|못) [가-힣]|[가-힣](?:지 ?않|지 ?마|지 ?말|지 ?못)|(?<![가-힣])(?:없|말고|아니)",
    re.IGNORECASE,
)
_PAST = "".join(
    chr(code)
    for code in range(ord("가") + 20, ord("힣") + 1, 28)
    if chr(code) not in "있겠놨뒀됐썼"
)
_KOREAN_EVENT = defer_pattern(
    rf"[{_PAST}](?:다|어|어요|음|습니다|지|네|네요|는데|거든|거든요|구요|고요|슈|유)[.!~ㅋㅎㅠㅜ ]*$"
)
_ENGLISH_EVENT = defer_pattern(
    (
        r"\b(?:gave|went|got|made|took|had|was|were|did|said|told|came|saw|found|bought|broke|fell"
        r"|wrote|ate|met|[a-z]{3,}ed)\b"
    ),
    re.IGNORECASE,
)
_ENGLISH_STATE = defer_pattern(
    r"['’](?:s|re|m)\b|\b(?:is|are|am|has|have|do|does|must|should|will|always|never|every"
    r"|only|uses?|runs?|goes|go|lives?|works?"
    r"|gets?|takes?|keeps?|needs?|likes?|prefers?|drinks?|eats?|pays?|sits?|meets?)\b",
    re.IGNORECASE,
)
_OF_SUBJECT = defer_pattern(r"\b(?:for|on|in|at|of)\s", re.IGNORECASE)
#: Words of change that may give something up for the moment only: "diff 말고 파일로".
_MOMENTARY = frozenset(("말고", "대신", "instead", "rather than"))
#: An event on such a day is no rule for other days, but a decision made on it is.
_OF_A_DAY = defer_pattern(
    r"(?<![가-힣])(?:오늘|어제|그제|방금|아까)|\b(?:today|yesterday|tonight|this morning|last night)\b",
    re.IGNORECASE,
)
_FOR_NOW = defer_pattern(r"\W*(?:일단은?(?![가-힣])|for (?:now|the moment)\b)", re.IGNORECASE)
#: What holds for a while only, such as during an absence: "while I'm away", "in that time".
_FOR_WHILE = defer_pattern(
    r"\b(?:in|during|for|over) (?:that|this|those|these) (?:time|period|days|weeks?|weekend|month)\b"
    r"|\b(?:meanwhile|in the meantime)\b|\bwhile (?:i|we|he|she|they)(?:['’]|\b)"
    r"|\b(?:i|we)(?:['’]m|['’]re|['’]ll be| am| are| will be) (?:away|abroad|travell?ing|off\b(?! the)"
    r"|out(?! of (?!(?:the )?(?:office|town|country)))|on (?:vacation|holidays?|leave|a trip|sick leave))"
    r"|그 ?(?:동안|사이|기간)|(?<=[는은한할인일간가]) (?:동안|사이)(?:에|은|는|엔|만)?(?![가-힣])"
    r"|(?:휴가|출장|병가|연차|입원)(?:라서?|이라서?| ?(?:중|동안|기간|가는|간))",
    re.IGNORECASE,
)
_COMING_DAY = defer_pattern(
    r"(?<![가-힣])(?:오늘|내일|모레|이따)|\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening))\b",
    re.IGNORECASE,
)
_DENIES = defer_pattern(
    r"\b(?:no|not|never|without)\b|n['’]t\b|(?<![가-힣])[안못](?![가-힣])|지 ?(?:않|마|말)|없|쉬[어는고]",
    re.IGNORECASE,
)
_FROM_DAY = defer_pattern(
    r"(?:오늘|내일|모레)(?:부[터턴로]|자로| ?이후| ?기준)"
    r"|\b(?:from|as of|starting|beginning|effective|since|after) "
    r"(?:today|tonight|tomorrow)\b",
    re.IGNORECASE,
)
#: What a day brought to light, or brought about, holds beyond it.
_FINDS = defer_pattern(
    r"확인해 ?보니|알았|알게|알고 ?보니|결론|결정|\b(?:learn(?:ed|t)|found out|turns out|realised"
    r"|realized|decision|conclusion)\b",
    re.IGNORECASE,
)
_DECIDES = defer_pattern(r"정했|결정|확정|합의|\b(?:decid|agree|settl)ed\b", re.IGNORECASE)
_SINCE_WHEN = defer_pattern(r"\b(?:on|from|by|in|since)\s$", re.IGNORECASE)
_WHEN = defer_pattern(
    r"\b(?:last|this|next|since|as of|starting|in early|in late|in mid)\s$", re.IGNORECASE
)
_PART = defer_pattern(
    r"[가-힣]만(?=[ ,]|$)|\bonly\b|\b(?:one|some|a few|half|most|two) (?:of )?[a-z]", re.IGNORECASE
)
#: The successor stands behind the given-up value, up to one of these.
_END_OF_SUCCESSOR = defer_pattern(r"(?:으로|로|만|을|를|이|가|에|에서)(?= |$|[,.])")


class Relation(NamedTuple):
    """Relation of a later statement to an earlier one.

    `claim` and `by` are the sentences that were compared; `spoke_for` names the evidence of a
    change, `differing` the words by which their subjects differ.
    """

    sureness: str
    claim: str = ""
    by: str = ""
    takes_back: bool = False
    spoke_for: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Say whether the earlier statement may be marked as replaced."""
        return self.sureness == SURE


class _GivenUp(NamedTuple):
    """Value of the earlier sentence that the later one gives up.

    `lost`: the words of the old value. `anchors`: other words that both sentences share.
    `differing`: words that only the later sentence has in what it says of the old value. `said`:
    the clause.
    """

    lost: tuple[str, ...]
    anchors: tuple[str, ...]
    differing: tuple[str, ...]
    said: str
    is_denial: bool
    is_part: bool = False


def relation(earlier: str, later: str) -> Relation:
    """Judge a pair of texts: does the later one replace the earlier one?

    Only this function decides that. People state facts in passing, so each pair of sentences is
    judged, and the surest relation counts.
    """
    return _find_surest(
        _judge_sentences(sentence, other)
        for sentence in read_sentences(earlier)
        for other in read_sentences(later)
    )


@lru_cache(50_000)
def tells_change(later: str) -> bool:
    """Say whether a text has words that a sure relation to an earlier one needs."""
    return any(
        find_losses(sentence.text) or any(sentence.find_cue(name) for name in _CHANGING)
        for sentence in read_sentences(later)
    )


def list_anchored_pairs(earlier: str, later: str) -> list[tuple[str, str]]:
    """Return the sentences of two texts that share a word which can name a subject, as pairs.

    Those that share most words come first; questions are left out, and what states nothing that a
    later sentence could change.
    """
    pairs = []
    for sentence in read_sentences(earlier):
        for other in read_sentences(later):
            if not states_something(sentence) or other.has_mood("question"):
                continue
            shared = list_shared(sentence, other)
            if _is_anchored(other, shared):
                pairs.append((len(shared), (sentence.text, other.text)))
    pairs.sort(key=lambda pair: -pair[0])
    return [sentences for _, sentences in pairs]


def names_coming_day(text: str) -> bool:
    """Say whether a sentence names today or a day to come, and not as a beginning."""
    return _COMING_DAY.search(text) is not None and _FROM_DAY.search(text) is None


def is_for_now(text: str) -> bool:
    """Say whether a sentence begins by saying that it is for now."""
    return _FOR_NOW.match(text) is not None


def is_for_while(text: str) -> bool:
    """Say whether a sentence tells what holds for a while only, such as during an absence."""
    return _FOR_WHILE.search(text) is not None


def denies_for_day(text: str) -> bool:
    """Say whether a sentence only says that something is not so on one day, today or to come.

    That ends nothing which holds beyond the day. Not so where something begins with the day, or is
    reported as changed.
    """
    sentence = read_sentence(text)
    if sentence.find_cue("change") or sentence.find_cue("now") or _is_past(sentence):
        return False
    if _FINDS.search(text) or _DECIDES.search(text):
        return False
    return names_coming_day(text) and _DENIES.search(text) is not None


def states_something(sentence: Sentence) -> bool:
    """Say whether a sentence states what may hold no more later: no question, no single request."""
    return not (sentence.has_mood("question") or sentence.asks_once)


def has_common_subject(earlier: str, later: str) -> bool:
    """Say whether two sentences share a word which can name a subject."""
    other = read_sentence(later)
    return _is_anchored(other, list_shared(read_sentence(earlier), other))


def _find_surest(found: Iterable[Relation]) -> Relation:
    best = Relation(UNRELATED)
    for candidate in found:
        if candidate.is_sure:
            return candidate
        if best.sureness == UNRELATED:
            best = candidate
    return best


def _judge_sentences(earlier: Sentence, later: Sentence) -> Relation:
    shared = list_shared(earlier, later)
    if _TELLS_AGE.issuperset(shared) or earlier.text == later.text:
        return Relation(UNRELATED)
    given_up = _find_given_up(earlier, later)
    conflicts = list_conflicts(earlier, later) if given_up is None else []
    differing = given_up.differing if given_up else tuple(list_differing(earlier, later))
    is_related = (
        not differing
        and not _is_asking_sentence(later)
        and (
            given_up is not None
            or _is_amount_conflict(later, shared, conflicts)
            or _is_on_one_subject(earlier, later, shared)
        )
    )
    related = Relation(
        sureness=UNSURE if is_related else UNRELATED,
        claim=earlier.text,
        by=later.text,
        takes_back=bool(later.find_cue("cancel")),
        spoke_for=given_up.lost if given_up else tuple(f"another {unit}" for unit in conflicts),
        differing=differing,
    )
    if differing or not (given_up or conflicts):
        return related
    is_change = (
        _is_given_up(earlier, later, given_up)
        if given_up
        else _is_changed_value(earlier, later, shared)
    )
    wording = given_up.said if given_up else later.text
    if (
        is_change
        and _is_asserted(later, beside=earlier, said=wording)
        and _is_asserted(earlier, beside=later, said=earlier.text)
        and not earlier.asks_once
    ):
        return related._replace(sureness=SURE)
    return related


def _is_amount_conflict(later: Sentence, shared: Sequence[str], conflicts: Sequence[str]) -> bool:
    """Say whether two sentences differ in an amount and share a word besides."""
    return bool(conflicts) and _is_anchored(later, shared)


def _is_anchored(later: Sentence, shared: Sequence[str]) -> bool:
    """Say whether one of the shared words can name a subject."""
    return any(word.is_anchor for word in later.words if word.stem in shared)


def _find_given_up(earlier: Sentence, later: Sentence) -> _GivenUp | None:
    """Return what the later sentence gives up of the earlier one; None for nothing.

    A result without differing words is preferred.
    """
    best = None
    for loss in find_losses(later.text):
        read = _read_korean_loss if later.is_korean else _read_english_loss
        given_up = read(earlier, later, loss)
        if (
            given_up is None
            or _gives_up(earlier, given_up.lost)
            or _is_denied(earlier, given_up.lost)
        ):
            continue
        changed = _PART.search(later.text, *loss.clause)
        given_up = given_up._replace(
            is_part=changed is not None and changed[0].lower() not in earlier.text.lower()
        )
        if not given_up.differing and not given_up.is_part:
            return given_up
        best = best or given_up
    return best


def _gives_up(sentence: Sentence, lost: Sequence[str]) -> bool:
    """Say whether a sentence itself gives up the words of `lost`."""
    for start, end in (loss.old for loss in find_losses(sentence.text)):
        words = [word for word in sentence.words if start <= word.start < end]
        if words and any(is_same_word(words[-1].stem, stem) for stem in lost):
            return True
    return False


def _is_denied(sentence: Sentence, lost: Sequence[str]) -> bool:
    """Say whether a sentence itself denies the words of `lost`, in the clause that holds them."""
    starts = [
        word.start
        for word in sentence.words
        if word.stem in lost or any(is_same_word(word.stem, stem) for stem in lost)
    ]
    clauses = [match.span() for match in re.finditer(r"[^,;.!?]+", sentence.text)]
    return any(
        _DENIAL.search(sentence.text, *span)
        for span in clauses
        if any(span[0] <= start < span[1] for start in starts)
    )


def _read_korean_loss(earlier: Sentence, later: Sentence, loss: Loss) -> _GivenUp | None:
    """Read the words before a Korean expression of giving up: the subject, then the old value."""
    zone = [word for word in later.words if loss.clause[0] <= word.start < loss.clause[1]]
    while zone and zone[-1].stem in _GENERIC and not has_word(earlier, zone[-1].stem):
        zone.pop()
    held = [word for word in zone if has_word(earlier, word.stem)]
    lost = [word for word in held if _holds_value(earlier, word.stem)]
    if not lost or held[-1] is not zone[-1]:
        return None
    others = [word for word in zone if _is_later_own_word(word, earlier)]
    # A contrast word before the clause names the subject: "저녁은 돈 없어서 구내식당 끊고".
    others += [
        word
        for word in later.words
        if word.start < loss.clause[0] and word.is_contrast and not has_word(earlier, word.stem)
    ]
    successor = _END_OF_SUCCESSOR.search(later.text, loss.new[0])
    beyond = successor.end() if successor else len(later.text)
    is_beside = (
        word for word in later.words if word.start < loss.clause[0] or word.start >= beyond
    )
    beside = [word for word in is_beside if has_word(earlier, word.stem)]
    topics, own = _read_named_again(earlier, later, (loss.new[0], beyond))
    return _GivenUp(
        lost=tuple(word.stem for word in lost),
        anchors=tuple(
            word.stem
            for word in (*held, *beside, *topics)
            if word not in lost and _is_anchor(word, earlier)
        ),
        differing=(*(word.stem for word in (*others, *own)), *_list_own_modifiers(earlier, later)),
        said=later.text[loss.clause[0] : loss.clause[1]],
        is_denial=loss.is_denial,
    )


def _read_named_again(
    earlier: Sentence, later: Sentence, zone: tuple[int, int]
) -> tuple[list[Word], list[Word]]:
    """Return the bare words before a successor: topics of the earlier sentence, and others.

    Example: "집 인터넷 LG로". Without a topic of the earlier sentence there, all words belong to the
    successor, and both lists are empty.
    """
    words = [word for word in later.words if zone[0] <= word.start < zone[1]]
    topics = [word for word in words[:-1] if word.is_bare and _is_topic(earlier, word.stem)]
    if not topics:
        return [], []
    own = [
        word
        for word in words
        if word.start < topics[-1].start and _is_later_own_word(word, earlier)
    ]
    return topics, own


def _is_topic(sentence: Sentence, stem: str) -> bool:
    return any(
        is_same_word(stem, word.stem) and word.place == TOPIC and not word.is_object
        for word in sentence.words
    )


def _is_anchor(word: Word, earlier: Sentence) -> bool:
    """Say whether a shared word names a subject.

    A time or number does only if it is a topic of the earlier sentence.
    """
    if word.is_anchor:
        return True
    if word.stem[0].isdigit() and not earlier.is_korean:
        return False
    return _is_topic(earlier, word.stem)


def _list_own_modifiers(earlier: Sentence, later: Sentence) -> Iterator[str]:
    """Yield the first word of the earlier sentence's topic if the later sentence lacks it.

    운영 DB is not DB.
    """
    end = next(
        (word.start for word in earlier.words if word.place == TOPIC and not word.is_bare), -1
    )
    topics = [word for word in earlier.words if word.place == TOPIC and word.start <= end]
    if len(topics) == _FEWEST_ANCHORS and topics[0].is_bare and not has_word(later, topics[0].stem):
        yield topics[0].stem


def _read_english_loss(earlier: Sentence, later: Sentence, loss: Loss) -> _GivenUp | None:
    """Read an English clause that gives something up.

    All its words except the successor belong to the old value and its subject.
    """
    zone = [
        word
        for word in later.words
        if loss.clause[0] <= word.start < loss.clause[1]
        and (not loss.new[0] <= word.start < loss.new[1] or _is_of_subject(word, later, loss))
        and not loss.verb[0] <= word.start < loss.verb[1]
        and not _is_time(later.text, word, loss)
    ]
    held = [word for word in zone if has_word(earlier, word.stem)]
    lost = [word for word in held if loss.old[0] <= word.start < loss.old[1]]
    if not lost:
        return None
    is_short = len(earlier.words) <= _SHORT_STATEMENT
    anchors = [
        word
        for word in (later.words if is_short else zone)
        if word not in lost and has_word(earlier, word.stem)
    ]
    names = (
        word.stem for word in earlier.words if word.is_possessor and not has_word(later, word.stem)
    )
    return _GivenUp(
        lost=tuple(word.stem for word in lost),
        anchors=tuple(word.stem for word in anchors if _is_anchor(word, earlier)),
        differing=(*(word.stem for word in zone if _is_later_own_word(word, earlier)), *names),
        said=later.text[loss.clause[0] : loss.clause[1]],
        is_denial=loss.is_denial,
    )


def _is_of_subject(word: Word, later: Sentence, loss: Loss) -> bool:
    """Say whether a word beside the successor belongs to the subject.

    Example: "Turnstile on the signup form".
    """
    if loss.has_subject:
        return word.place == TOPIC
    return word.is_anchor and _OF_SUBJECT.search(later.text, loss.new[0], word.start) is not None


def _is_time(text: str, word: Word, loss: Loss) -> bool:
    """Say whether a word of time says when something was given up: "last month", "as of Monday"."""
    if word.is_anchor:
        return False
    is_behind = word.start >= loss.old[1] and _SINCE_WHEN.search(text, 0, word.start) is not None
    return is_behind or _WHEN.search(text, 0, word.start) is not None


def _is_later_own_word(word: Word, earlier: Sentence) -> bool:
    """Say whether only the later sentence has a word, and the word names something.

    A verb does not count: it may be another verb for the same fact.
    """
    return not (word.is_verb or word.stem in _GENERIC or has_word(earlier, word.stem))


def _holds_value(sentence: Sentence, stem: str) -> bool:
    """Say whether a word is part of what a sentence says, and not only of its topic."""
    return any(
        is_same_word(stem, word.stem) and (word.place != TOPIC or word.is_object)
        for word in sentence.words
    )


def _is_given_up(earlier: Sentence, later: Sentence, given_up: _GivenUp) -> bool:
    """Say whether the given-up words suffice to tie two sentences, or both share a subject too."""
    cues = later.find_cue("change") | later.find_cue("now")
    is_for_once = given_up.is_denial and cues <= _MOMENTARY
    if given_up.is_part or _tells_event(earlier) or (is_for_once and _is_of_a_day(later)):
        return False
    words = {word.stem: word for word in later.words}
    if given_up.anchors:
        return True
    named = [stem for stem in given_up.lost if words[stem].is_anchor and not words[stem].is_verb]
    if len([stem for stem in given_up.lost if words[stem].is_anchor]) > 1:
        return True
    if is_for_once:
        return False
    if any(_is_proper_name(stem, earlier) for stem in named):
        return not later.has_mood("request")
    return bool(named) and _is_plain_statement(earlier, named[-1]) and _is_of_a_person(later)


def _tells_event(sentence: Sentence) -> bool:
    """Say whether a sentence tells a single event, which nothing replaces.

    A change or a decision is no such event: it holds on.
    """
    return not (sentence.find_cue("change") or sentence.has_mood("decided")) and _is_past(sentence)


def _is_of_a_day(sentence: Sentence) -> bool:
    """Say whether a sentence tells the state of a single day, and decides nothing."""
    return (
        _OF_A_DAY.search(sentence.text) is not None
        and _is_past(sentence)
        and _DECIDES.search(sentence.text) is None
    )


def _is_past(sentence: Sentence) -> bool:
    """Say whether a sentence is in the past tense and states nothing about the present."""
    if sentence.is_korean:
        return _KOREAN_EVENT.search(sentence.text) is not None
    return _ENGLISH_EVENT.search(sentence.text) is not None and not _ENGLISH_STATE.search(
        sentence.text
    )


def _is_proper_name(stem: str, sentence: Sentence) -> bool:
    """Say whether a word is a proper name in a sentence.

    A person who gives up something by its proper name can mean no other thing.
    """
    return len(stem) > _SHORTEST_NAME and any(
        word.stem == stem and word.is_name for word in sentence.words
    )


def _is_plain_statement(sentence: Sentence, stem: str) -> bool:
    """Say whether a sentence only states a person's habit, or what a thing is."""
    if _REQUEST.search(sentence.text):
        return False
    clause = re.split(r"[,;.]", sentence.text)[0]
    words = [word for word in sentence.words if word.start < len(clause) and word.is_anchor]
    # In a Korean sentence, the verb counts as a word.
    if len(words) > _PLAIN_WORDS + sentence.is_korean or not any(
        is_same_word(word.stem, stem) for word in words
    ):
        return False
    if sentence.is_korean:
        return (
            _KOREAN_HABIT.search(clause) is not None
            or re.search(r"(?:야|이에요|예요|입니다|이다|임)[.!~]*$", clause) is not None
        )
    return _FIRST_PERSON.match(clause) is not None or _IDENTITY.match(clause) is not None


def _is_of_a_person(sentence: Sentence) -> bool:
    """Say whether a sentence is about its speaker, or about nobody in particular."""
    if sentence.is_korean or _FIRST_PERSON.match(sentence.text):
        return True
    return not (sentence.words and sentence.words[0].place == TOPIC)


def _is_changed_value(earlier: Sentence, later: Sentence, shared: Sequence[str]) -> bool:
    """Say whether the later sentence gives another value of one measure with words of change.

    The earlier sentence must not have words of change: else both may tell of one change. A later
    sentence that gives up something else is about that.
    """
    words = {word.stem: word for word in later.words}
    if sum(words[stem].is_anchor for stem in shared) < _FEWEST_ANCHORS or find_losses(later.text):
        return False
    if _PART.search(later.text) or not _share_most(earlier, later, shared):
        return False
    return any(later.find_cue(name) for name in _CHANGING) and not any(
        earlier.find_cue(name) for name in _CHANGING
    )


def _is_asserted(sentence: Sentence, *, beside: Sentence, said: str) -> bool:
    """Say whether a sentence asserts what it says in a clause.

    Words of doubt that the other sentence has too cast no doubt.
    """
    if _is_asking_sentence(sentence):
        return False
    if any(sentence.find_cue(name) - beside.find_cue(name) for name in _DOUBTFUL):
        return False
    if any(find_cue(said, name) - beside.find_cue(name) for name in _NOT_ASSERTED):
        return False
    return not any(sentence.has_mood(name) for name in _NOT_ASSERTED_MOODS)


def _is_on_one_subject(earlier: Sentence, later: Sentence, shared: Sequence[str]) -> bool:
    """Say whether the later sentence names every topic of the earlier one, and shares more
    words.
    """
    words = {word.stem: word for word in later.words}
    if sum(words[stem].is_anchor for stem in shared) < _FEWEST_ANCHORS:
        return False
    topics = [word for word in list_topics(earlier) if word.is_anchor and not word.is_object]
    return bool(topics) and all(has_word(later, word.stem) for word in topics)


def _share_most(earlier: Sentence, later: Sentence, shared: Sequence[str]) -> bool:
    shorter = max(2, min(len(earlier.stems), len(later.stems)))
    return len(shared) / shorter >= _SUBJECT_SHARE


def _is_asking_sentence(sentence: Sentence) -> bool:
    return sentence.text.rstrip().endswith(("?", "？"))


def is_same_word(one: str, other: str) -> bool:
    """Say whether two stems belong to one word.

    Korean endings are stripped only roughly, and long words are abbreviated.
    """
    if one == other:
        return True
    if one[0] != other[0] or one[0] < "가" or min(len(one), len(other)) < _SHORTEST_HANGUL:
        return False
    if one.startswith(other) or other.startswith(one):
        return True
    short, long = sorted((one, other), key=len)
    # 선대: 선형대수.
    return len(short) == _SHORTEST_HANGUL and short[1] in long[_SHORTEST_HANGUL:]


def list_shared(earlier: Sentence, later: Sentence) -> list[str]:
    """Return the stems of the later sentence that the earlier one has too."""
    return [stem for stem in later.stems if has_word(earlier, stem)]


def has_word(sentence: Sentence, stem: str) -> bool:
    """Say whether a sentence has a word of this stem."""
    if stem in sentence.stems:
        return True
    first = stem[0]
    if first < "가":
        return False
    # Most words of a sentence begin otherwise: a call for each of them took a tenth of an index.
    return any(other[0] == first and is_same_word(stem, other) for other in sentence.stems)


def list_conflicts(earlier: Sentence, later: Sentence) -> list[str]:
    """Return the measures for which the two sentences give different values."""
    units = sorted(earlier.values.keys() & later.values.keys() - {""})
    return [
        unit for unit in units if unit in _AMOUNTS and not earlier.values[unit] & later.values[unit]
    ]


def list_differing(earlier: Sentence, later: Sentence) -> Iterator[str]:
    """Yield the words by which two sentences are about different things.

    A word in the topic of the later sentence that the earlier one lacks is such a word; a number
    there too (1층, 2층; Heat 3, 4). So is a name or possessor of either sentence that the other
    lacks.
    """
    for word in later.words:
        if not has_word(earlier, word.stem) and (word.place == TOPIC or word.is_possessor):
            yield word.stem
    for word in earlier.words:
        if word.is_possessor and not has_word(later, word.stem):
            yield word.stem


def list_topics(sentence: Sentence) -> list[Word]:
    """Return the words of a sentence's topic."""
    return [word for word in sentence.words if word.place == TOPIC]
