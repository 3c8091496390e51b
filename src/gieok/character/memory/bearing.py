"""Which memories bear on a message: those that a search finds, and those that it asks for.

A question seldom has the words of its answer: "what do I do for a living", "늘 마시던 거". So a fact
also bears on a message that has a word of its kind, or names its person. By the same words it is
seen that a question asks for what nothing is kept of.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from gieok.character.facts import USER, Episode, Fact, Moment
from gieok.character.memory.recollection import RecalledDocument, RecallWeights
from gieok.text.keywords import keyword_tokens

#: Words by which one speaks of drinking and of eating, Korean and English.
_DRINKING = (
    "마시- 커피 음료 한잔 늘먹던 목마 카페 drink usual coffee tea kettle pour order cup thirsty"
)
_EATING = (
    "먹을 먹는 메뉴 밥은 식사 시켰 시키- 주문 반찬 배고 eat food meal dinner lunch luncheon supper cook "
    "menu order hungry recipe"
)
#: Predicate → words by which one asks for it, Korean and English. A Korean word may have an ending;
#: behind `-` the ending may close the last syllable: 같이사- is also in 같이 살던.
CUES: Mapping[str, str] = {
    "name": "이름 성함 name",
    "birthday": "생일 생신 귀빠진 태어난 birthday bday born",
    "anniversary": "기념일 anniversary",
    "age": "나이 살이 연세 몇살 age old years",
    "gender": "성별 여잔지 남잔지 gender",
    "job": (
        "직업 직장 회사 일자리 출근 하는일 뭐하는 무슨일하- 무슨일해- 무슨일을 어디서일 어디다니 "
        "job work living office career boss colleague"
    ),
    "lives_in": "사는 살아 살지 살았 살던 동네 집에 집이 이사 live lived living home house neighborhood town city",
    "major": "전공 학과 과목 major study studies degree",
    "mbti": "mbti 성격유형",
    "hobby": "취미 여가 심심 hobby hobbies fun weekend",
    "detail": "",
    "taste": "취향 taste favorite favourite",
    "tie": "사이 친구 friend",
    "from": "고향 출신 hometown from grew",
    "exam_score": "점수 성적 score grade",
    "title": "제목 작품 title called book",
    "health": "건강 아프 아팠 몸은 health sick ill doctor hurt pills medicine",
    "allergy": "알레르기 알러지 allergy allergic allergies",
    "likes": "좋아 최애 favorite favourite like likes love treat sweet snack",
    "dislikes": "싫어 질색 못먹 빼고 빼달 빼줘 hate hates dislike stand avoid without",
    "drink": _DRINKING,
    "food": _EATING,
    "before_sleep": "자기전 잠들 자기 sleep bed night",
    "exercise": (
        "운동 몸풀 땀 근육통 알배 exercise gym workout worked working fit training sore sweat sweaty "
        "muscles"
    ),
    "study_language": "언어 외국어 배우 공부 language learning class lesson",
    "routine": "하루 일과 아침에 routine morning day",
    "habit": "습관 버릇 맨날 habit always every",
    "pet": "반려 고양이 강아지 멍멍 냥이 키우 pet cat dog puppy kitten",
    "partner": (
        "애인 남친 여친 남자친구 여자친구 연애 만나는 사귀 결혼 "
        "boyfriend girlfriend partner dating date husband wife seeing single"
    ),
    "friend": "친구 절친 friend buddy mate bestie",
    "colleague": "동료 같이일 colleague coworker team",
    "boss": "상사 사장 팀장 부장 과장 점장 boss manager",
    "roommate": "룸메 같이사- 동거 누구랑사- 누구와사- 혼자사- roommate flatmate live",
    "family": "가족 형제 식구 부모 family sister brother mother father mom mum dad son daughter kids",
    "school_year": "학년 학교 grade year school",
    "marital_status": "결혼 미혼 married single",
    "address_form": "부르 호칭 call",
    "speech_level": "말투 반말 존댓말 talk speak",
    "class": "수업 학원 강좌 class course",
    "interview": "면접 interview",
    "exam": "시험 exam test",
    "trip": "여행 놀러 어디가 trip travel going flight holiday",
    "appointment": "예약 진료 병원 검진 appointment doctor",
    "dentist": "치과 dentist",
    "meeting": "회의 미팅 meeting",
    "deadline": "마감 제출 deadline due",
    "wedding": "결혼식 wedding",
    "surgery": "수술 surgery operation",
    "discharge": "제대 전역 discharge",
    "move": "이사 move moving",
    "job_start": "첫출근 입사 start",
    "performance": "공연 콘서트 show gig concert",
    "date": "데이트 date",
    "plan": "일정 약속 계획 plan plans coming",
}
#: Predicate → words of occasions on which it is good to know: what one dislikes, at every meal.
_OCCASIONS = {"dislikes": f"{_DRINKING} {_EATING}"}
_PLAN_ASKED = re.compile(
    r"언제|일정|약속|다음 ?주|내일|모레|\bwhen\b|\bnext\b|\bcoming\b|\bplans?\b"
)
_PAST_ASKED = re.compile(
    r"전에|예전|옛날|원래|[가-힣]던(?![가-힣])|처음|였지|었지|았지"
    r"|\bbefore\b|\bused to\b|\bwas i\b|\bdid i\b|\bback in\b|\bex\b",
    re.IGNORECASE,
)
#: How similar a fact counts that the message asks for: by its kind, by its person, by both; or that
#: the message is an occasion for.
_BY_KIND, _BY_PERSON, _BY_BOTH, _BY_OCCASION = 0.7, 0.6, 1.0, 0.5
#: Share of that for what holds no more, where the message does not ask for the past.
_OVER = 0.4
_LATIN = re.compile(r"[a-z]+")
#: Kinds of people and animals: a question that has a word for one is about that one, whatever else
#: it asks for.
_OF_SOMEBODY = frozenset("pet partner friend colleague boss roommate family".split())
#: Kinds whose words name an occasion ("eat", "always"), and seldom the kind that is asked for.
_OF_OCCASIONS = frozenset(
    "address_form before_sleep class dislikes drink food habit likes move plan routine trip".split()
)


def rank_bearing(
    memories: Sequence[Fact | Moment | Episode],
    hits: Sequence[RecalledDocument],
    text: str,
    weights: RecallWeights,
    asked_at: Mapping[str, float],
) -> tuple[str, ...]:
    """Return the keys of the memories that bear on a message, best first.

    `hits` are what a search found; `asked_at` is the recency of each memory by its key.
    """
    found = {hit.document.key: hit.signals["similarity"] for hit in hits}
    asking = AskingMessage.of(text)
    asked = {one.key: asking.measure(one) for one in memories if isinstance(one, Fact)}
    if asking.is_about_past:
        # What stood in the place of a fact that is named here: "before I was a baker".
        asked |= {
            one.key: max(asked[one.key], asked.get(one.replaced_by, 0.0))
            for one in memories
            if isinstance(one, Fact) and one.replaced_by
        }
    scored: list[tuple[float, str]] = []
    for one in memories:
        similarity = max(found.get(one.key, 0.0), asked.get(one.key, 0.0))
        if similarity <= 0:
            continue
        score = weights.score(similarity, asked_at.get(one.key, 0.0), one.weight)
        scored.append((score, one.key))
    return tuple(key for _, key in sorted(scored, key=lambda row: (-row[0], row[1])))


def list_unknown_words(text: str, memories: Sequence[Fact | Moment | Episode]) -> tuple[str, ...]:
    """Return the words by which a question asks for what nothing is kept of, as they are cues.

    No memory is of a kind that such a word stands for, and none has the word. Where something is
    kept of another kind that the question asks for, only words for people and animals are
    returned: "what is my cat called" is about the cat, though the user's own name is kept.
    """
    kinds: dict[str, set[str]] = {}
    asking = AskingMessage.of(text)
    for predicate, words in CUES.items():
        if predicate in _OF_OCCASIONS:
            continue
        for cue in asking.find_cues(words):
            kinds.setdefault(cue, set()).add(predicate)
    held = {one.predicate for one in memories if isinstance(one, Fact)}
    texts = [_join_texts(one) for one in memories]
    missing = {
        cue: predicates
        for cue, predicates in kinds.items()
        if predicates.isdisjoint(held) and not any(cue in told for told in texts)
    }
    if len(missing) < len(kinds):
        missing = {cue: of for cue, of in missing.items() if of & _OF_SOMEBODY}
    return tuple(sorted(missing, key=lambda cue: (asking.packed.find(cue), cue)))


def _join_texts(memory: Fact | Moment | Episode) -> str:
    """Return all words of a memory, in lower case."""
    if isinstance(memory, Fact):
        return f"{memory.subject} {memory.object} {memory.source}".casefold()
    return memory.text.casefold()


class AskingMessage(NamedTuple):
    """Message as a question for facts: its text in lower case, and its words.

    `packed` is the text without gaps, `letters` that with each Korean syllable taken apart.
    """

    text: str
    packed: str
    letters: str
    latin: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "AskingMessage":
        """Return a message as it is read here."""
        lowered = text.casefold()
        return cls(
            text=lowered,
            packed=lowered.replace(" ", ""),
            letters=_take_apart(lowered.replace(" ", "")),
            latin=frozenset(_LATIN.findall(lowered)),
            words=frozenset(keyword_tokens(text)),
        )

    @property
    def is_about_past(self) -> bool:
        """Return whether the message asks for what was so before."""
        return _PAST_ASKED.search(self.text) is not None

    def measure(self, fact: Fact) -> float:
        """Return how much the message asks for a fact, 0 to 1."""
        asks_when = bool(fact.day) and _PLAN_ASKED.search(self.text) is not None
        is_of_kind = asks_when or self._has_cue(CUES.get(fact.predicate, ""))
        is_of_person = fact.subject != USER and fact.subject.casefold() in self.text
        if not is_of_person:
            is_of_person = not self.words.isdisjoint(_list_value_words(fact.object))
        if is_of_kind and is_of_person:
            share = _BY_BOTH
        elif is_of_kind:
            share = _BY_KIND
        elif is_of_person:
            share = _BY_PERSON
        else:
            is_occasion = self._has_cue(_OCCASIONS.get(fact.predicate, ""))
            share = _BY_OCCASION if is_occasion else 0.0
        is_over = not fact.is_current or fact.is_idea
        return share * (_OVER if is_over and not self.is_about_past else 1.0)

    def find_cues(self, words: str) -> list[str]:
        """Return those of the words that the message has; of stems none is returned."""
        cues = _split_cues(words)
        return [cue for cue in cues.korean if cue in self.packed] + sorted(cues.latin & self.latin)

    def _has_cue(self, words: str) -> bool:
        cues = _split_cues(words)
        return (
            any(cue in self.packed for cue in cues.korean)
            or any(stem in self.letters for stem in cues.stems)
            or not cues.latin.isdisjoint(self.latin)
        )


class _Cues(NamedTuple):
    """Cues apart: Korean words, letters of Korean stems, and Latin words."""

    korean: tuple[str, ...]
    stems: tuple[str, ...]
    latin: frozenset[str]


@lru_cache(maxsize=1 << 14)  # asked for again at every message
def _list_value_words(value: str) -> frozenset[str]:
    """Return the words of a fact's value."""
    return frozenset(keyword_tokens(value))


@cache
def _split_cues(words: str) -> _Cues:
    """Return the cues of a row."""
    latin = frozenset(word for word in words.split() if _LATIN.fullmatch(word))
    korean = [word for word in words.split() if word not in latin]
    return _Cues(
        korean=tuple(word for word in korean if not word.endswith("-")),
        stems=tuple(_take_apart(word[:-1]) for word in korean if word.endswith("-")),
        latin=latin,
    )


def _take_apart(text: str) -> str:
    """Return a text with its Korean syllables as letters, so that an open syllable may close."""
    return unicodedata.normalize("NFD", text)
