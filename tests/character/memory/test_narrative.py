"""What a character tells itself: prose, the few memories that bear on a message, and what is always
told.
"""

from dataclasses import replace
from datetime import UTC, timedelta

import pytest
from character_talk import BOND, CharacterTalk

from gieok.character.memory.bearing import CUES
from gieok.character.memory.control import Control
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.narrative import NarrativeMemories, NarrativeView, narrative
from gieok.character.memory.said_words import UserQuote
from gieok.character.memory.service import TurnBudget
from gieok.character.predicates import PREDICATES
from gieok.text.tokens import estimate_tokens

_FACTS = (
    ("job", "제빵사"), ("lives_in", "혜화동"), ("drink", "라떼"), ("exercise", "수영"),
    ("pet", "보리 (고양이)"), ("partner", "하준"), ("friend", "민재"), ("boss", "김 팀장"),
    ("roommate", "수아"), ("dislikes", "가지"), ("major", "국문과"), ("hobby", "뜨개질"), ("from", "통영"), ("mbti", "INFP"),
)  # fmt: skip


@pytest.fixture
def control(talk: CharacterTalk) -> Control:
    return Control(memory=talk.characters)


def _set(control: Control, *facts: tuple[str, str], day: str = "") -> None:
    for predicate, value in facts:
        control.add(BOND, MemoryEdit(predicate=predicate, object=value, day=day or None))


def _keys(talk: CharacterTalk, text: str) -> list[str]:
    told = talk.characters.context(BOND, text).narrative.keys
    held = {one.key: one for one in talk.characters.memories(BOND).facts}
    return [held[key].predicate for key in told if key in held]


def test_five_memories_are_told_beside_what_is_always_told(
    talk: CharacterTalk, control: Control
) -> None:
    _set(control, *_FACTS, ("name", "서진"), ("allergy", "새우 알레르기"))
    _set(control, ("interview", "면접"), day="2026-03-04")
    told = _keys(talk, "나 무슨 일 하지?")
    assert told[:3] == ["name", "allergy", "interview"]
    assert told[3] == "job"
    assert len(told) == 3 + 5
    more = replace(talk.characters, budget=TurnBudget(memories=2))
    assert len(_keys(CharacterTalk(more, talk.clock), "나 무슨 일 하지?")) == 3 + 2


@pytest.mark.parametrize(
    ("asked", "predicate"),
    [
        ("내 고양이 이름이 뭐였지", "pet"),
        ("요즘 운동 뭐 한다고 했더라", "exercise"),
        ("늘 마시던 걸로 줘", "drink"),
        ("do you remember my job", "job"),
        ("민재 얘기 했었나", "friend"),
        ("다들 어떤 사람이랑 같이 산대, 나는?", "roommate"),
        ("다음에 오면 뭐 마실지 골라 놔", "drink"),
        ("저녁 메뉴 같이 정하자", "dislikes"),
    ],
)
def test_a_fact_bears_on_a_message_that_asks_for_its_kind_or_names_its_person(
    talk: CharacterTalk, control: Control, asked: str, predicate: str
) -> None:
    _set(control, *_FACTS)
    assert _keys(talk, asked)[0] == predicate


def test_what_a_fact_took_the_place_of_bears_on_a_message_about_the_past(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say("나는 요리사로 일해")
    talk.later(30)
    talk.say("나 이직했어, 이제 변호사로 일해")
    held = {one.object: one for one in talk.characters.memories(BOND).facts}
    assert held["요리사"].replaced_by == held["변호사"].key
    _set(control, *(row for row in _FACTS if row[0] != "job"))
    asked = "변호사 되기 전에 내가 어땠더라"
    told = talk.characters.context(BOND, asked).narrative.keys
    assert held["요리사"].key in told
    assert held["요리사"].key not in talk.characters.context(BOND, "변호사라 바빠").narrative.keys


def test_a_plan_that_is_near_is_told_with_its_words_and_their_day(talk: CharacterTalk) -> None:
    talk.say("5월 2일에 여행 가, 통영 바다 보러")
    assert "3월 2일에 한 말" not in talk.told("안녕")
    talk.later(59)
    assert "3월 2일에 한 말: “5월 2일에 여행 가, 통영 바다 보러”" in talk.told("안녕")


def test_the_narrative_is_prose_in_the_agreed_speech_level(
    talk: CharacterTalk, control: Control
) -> None:
    _set(control, ("job", "제빵사"), ("allergy", "새우 알레르기"), ("name", "서진"))
    assert talk.told("안녕") == (
        "서진을 나는 이렇게 기억해.\n"
        "이름은 서진이야. 서진은 새우 알레르기가 있으니까 꼭 조심해야 해.\n"
        "서진의 직업은 제빵사라고 했어."
    )
    _set(control, ("speech_level", "존댓말"))
    assert talk.told("안녕하세요") == (
        "서진을 저는 이렇게 기억해요.\n"
        "우리는 존댓말로 이야기해요. 이름은 서진이에요. 서진은 새우 알레르기가 있으니까 꼭 조심해야 해요.\n"
        "서진의 직업은 제빵사라고 했어요."
    )
    assert talk.told("hello there").startswith("This is what I remember of 서진.")


@pytest.mark.parametrize(
    ("predicate", "value", "told"),
    [
        ("name", "바다", "이름은 바다야."),
        ("pet", "판다", "반려동물은 판다라고 했어."),
        ("lives_in", "캐나다", "캐나다에 산다고 했어."),
        ("likes", "푸른 바다", "푸른 바다를 좋아한다고 했어."),
        ("from", "경기도 바다", "경기도 바다 출신이라고 했어."),
        ("job", "소다", "직업은 소다라고 했어."),
        ("taste", "깊고 푸른 바다", "취향은 깊고 푸른 바다라고 했어."),
        ("detail", "작은 마을에서 혼자 산다", "작은 마을에서 혼자 산다고 했어."),
        ("detail", "형이 둘 있다", "형이 둘 있다고 했어."),
        ("detail", "시를 몇 편 썼다", "시를 몇 편 썼다고 했어."),
    ],
)
def test_a_noun_that_ends_like_a_verb_is_told_as_a_noun(
    talk: CharacterTalk, control: Control, predicate: str, value: str, told: str
) -> None:
    _set(control, (predicate, value))
    assert talk.told("안녕").endswith(told)


def test_what_is_weakly_supported_is_told_as_such_with_its_words(talk: CharacterTalk) -> None:
    talk.say("I was a botanist for forty years at Kew, long since retired")
    (fact,) = [one for one in talk.characters.memories(BOND).facts if one.predicate == "job"]
    assert fact.confidence < 0.8
    told = talk.told("what was my job?")
    assert (
        "This person's work is botanist, I think (“I was a botanist for forty years at Kew, long "
        "since retired”)."
    ) in told
    Control(memory=talk.characters).edit(BOND, fact.key, MemoryEdit(object="gardener"))
    assert "This person's work is gardener." in talk.told("what was my job?")


def test_a_narrative_has_at_most_its_tokens_and_five_hundred_by_default(
    talk: CharacterTalk, control: Control
) -> None:
    long = "아주 긴 이야기 " * 20
    _set(control, *((name, f"{long}{name}") for name, _ in _FACTS))
    for memories in (5, 50):
        at = replace(talk.characters, budget=TurnBudget(memories=memories))
        text = at.context(BOND, "직업").narrative.text
        assert 0 < estimate_tokens(text) <= 500


def test_a_moment_is_told_in_a_sentence_and_with_what_was_felt(talk: CharacterTalk) -> None:
    talk.say("나 오늘 너무 힘들었어 계속 울었어")
    told = talk.told("그때 생각나?")
    assert (
        "3월 2일에 그 사람이 이렇게 말한 게 마음에 남아: “나 오늘 너무 힘들었어 계속 울었어”"
        in told
    )


def test_a_message_from_before_the_first_talk_is_no_anniversary(talk: CharacterTalk) -> None:
    talk.say("안녕 처음 왔어")
    at = talk.clock.now() - timedelta(days=363)
    talk.characters.hear(BOND, "예전에 하던 이야기야", is_user=True, at=at)
    assert not [one.text for one in talk.characters.memories(BOND).moments if "년" in one.text]


def test_a_hundred_days_and_a_year_are_moments_once(talk: CharacterTalk) -> None:
    def kinds() -> list[tuple[str, str]]:
        return [
            (one.type, one.text)
            for one in talk.characters.memories(BOND).moments
            if one.type in ("hundred_days", "anniversary")
        ]

    talk.say("안녕 처음 왔어")
    talk.later(98)
    talk.say("책방에 또 왔어")
    assert kinds() == []
    talk.later(2)
    talk.say("오늘 책 사러 왔어", "이 책 좋다")
    assert kinds() == [("hundred_days", "처음 이야기한 지 100일")]
    talk.later(1)
    talk.say("또 왔지")
    assert len(kinds()) == 1
    talk.later(365 - 101)
    talk.say("벌써 일 년이네")
    assert kinds()[1:] == [("anniversary", "처음 이야기한 지 1년")]
    talk.later(180)
    talk.say("여름이 왔어")
    assert len(kinds()) == 2
    first = talk.characters.memories(BOND).moments
    talk.clock.advance(timedelta(minutes=1))
    talk.characters.withdraw(BOND, [talk.characters.context(BOND, "").window[-1].id])
    assert talk.characters.memories(BOND).moments == first


def test_every_kind_of_fact_has_its_words() -> None:
    assert CUES.keys() == PREDICATES.keys()


def test_words_that_stand_beside_a_fact_are_not_quoted_again(talk: CharacterTalk) -> None:
    talk.say("저는 통영에 살아요")
    held = talk.characters.memories(BOND)
    at = talk.clock.now()
    quotes = (
        UserQuote("a", "저는 통영에 살아요", "", at, "a"),
        UserQuote("b", "굴은 겨울이 제철이지", "", at, "b"),
    )
    view = NarrativeView(lang="ko", now=at, zone=UTC)
    told = narrative(NarrativeMemories(facts=held.facts, quotes=quotes), view, 500)
    assert told.text.count("저는 통영에 살아요") == 1
    assert told.quoted == ("b",)
