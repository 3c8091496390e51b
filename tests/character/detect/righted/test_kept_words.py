"""Words that put something right are kept where no rule reads the right value."""

import pytest
from character_talk import BOND, CharacterTalk

from gieok.character.detect.righted.kept_words import find_righting_words
from gieok.character.facts import Fact


@pytest.mark.parametrize(
    ("before", "answers", "text"),
    [
        # a guess of the character, and what is so
        ("원래는 강릉에 살았어", "그럼 지금은 강릉에 사는 거네?", "아니 거꾸로야, 지금이 원주라니까"),
        ("I rent a flat in Hull", "So you grew up in Hull?", "nope, grew up in Leeds actually"),
        ("had a long walk", "How's your beagle?", "he's a whippet, and he is fine"),
        # what was denied stands in what the character said
        ("오늘 데려왔어", "하얀 고양이구나!", "하얀 거 아니고 치즈색이야"),
        ("I teach", "You must like the big ones.", "Primary, dear, not the big ones."),
        ("발표가 있어", "발표가 월요일이지?", "아 그거 아니고 수요일에 한대서 그때 해"),
        ("가족이 많아", "누나가 둘이구나?", "누나 아니고 형 둘이야"),
        ("I'm tired", "Long day at the bank?", "I don't work at a bank, it's a credit union"),
        ("주말에 산에 가", "북한산 가는구나", "북한산은 지난주고 이번엔 관악산"),
        ("저는 교사예요", "중학교 선생님이시구나.", "초등이요 초등"),
        # a slip that the message names itself
        ("수영은 화목에 가", "그렇구나.", "아까 수영 화목이라고 했는데 월수금이야"),
        ("my lab is on Monday", "Noted.", "I mixed my days up, the lab comes on Friday"),
        ("토끼 두 살이야", "귀엽겠다!", "아니다 세 살이네 지난달에 생일이었어"),
        # said again with emphasis
        ("딸 이름이 정숙이야", "정순 씨가 오셨어요?", "정숙이라니까요"),
        # the user and somebody else told apart
        ("형이랑 살아", "형님이 요리를 잘하시나 봐요.", "요리하는 건 저고 형은 설거지해요"),
        ("my aunt works nights", "You must nurse so many.", "my aunt's the one who nurses, not me"),
        # what is over, and what is so now
        ("마라톤 해", "마라톤 준비는 잘돼?", "마라톤은 관뒀어 요새는 탁구 쳐"),
        ("I play the cello", "How's the cello?", "I gave it up. getting into pottery instead"),
    ],
)  # fmt: skip
def test_a_correction_is_told_by_its_form(before: str, answers: str, text: str) -> None:
    found = find_righting_words(text, answers, [before], [answers])
    assert found.kept
    assert found.kept.split()[0] in text


@pytest.mark.parametrize(
    ("before", "answers", "text"),
    [
        # an open question is answered, or an exclamation opens the message
        ("나 오늘 늦었어", "왜 늦었어?", "아니 버스가 안 왔어"),
        ("나 게임해", "재밌겠다.", "아니 등급"),
        # a question, a wish, others
        ("I teach", "You must like the big ones.", "are the big ones not the small ones?"),
        ("나는 요리사야", "", "꿈이 요리사 아니고 가수였어"),
        ("나는 요리사야", "", "친구는 요리사 아니고 가수래"),
        # whom the question names may be meant
        ("나 망원동에 살아", "언니도 망원동에 살아?", "망원동 아니고 망미동이야"),
        # given up, and nothing said of what is so now
        ("군대 가려고 했어", "언제 가?", "군대는 가기로 했는데 지금은 접었어"),
        # a story
        ("I walk a lot", "Lovely.", "no, " + "and then we walked by the river " * 9),
    ],
)
def test_other_words_are_not_kept(before: str, answers: str, text: str) -> None:
    assert not find_righting_words(text, answers, [before], [answers]).kept


def _list_current(talk: CharacterTalk) -> list[Fact]:
    return [fact for fact in talk.characters.memories(BOND).facts if fact.is_current]


def test_a_value_that_is_denied_ends_without_another(talk: CharacterTalk) -> None:
    talk.say(
        "I'm vegetarian",
        "c: So no fish?",
        "I do eat fish, so pescatarian, not vegetarian. my flatmate keeps correcting me",
    )
    assert "vegetarian" not in [fact.object for fact in _list_current(talk)]


def test_a_joke_that_opens_with_an_exclamation_is_taken_back(talk: CharacterTalk) -> None:
    talk.say("I'm flying to Monaco tomorrow", "c: Wow!", "omg I'm kidding. I live in Hull")
    assert [fact.object for fact in _list_current(talk)] == ["Hull"]


def test_a_statement_beside_a_joke_is_read(talk: CharacterTalk) -> None:
    talk.say("I'm a pilot", "c: Cool!", "haha kidding, I drive a bus")
    assert [fact.object for fact in _list_current(talk)] == ["bus driver"]


def test_a_date_that_is_cited_gives_way_to_the_other(talk: CharacterTalk) -> None:
    talk.say("내 생일은 5월 3일이야", "c: 기억할게.", "아 아까 생일 5월 3일이라 한 거 13일임 오타")
    assert [fact.object for fact in _list_current(talk)] == ["5월 13일"]


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("우리 강아지 이름은 보리야", "보리가 지난주에 하늘나라 갔어"),
        ("we have a dog named Rufus", "we had to put Rufus down last week"),
    ],
)
def test_an_animal_that_died_is_no_longer_there(
    talk: CharacterTalk, before: str, text: str
) -> None:
    talk.say(before)
    assert [fact for fact in _list_current(talk) if fact.predicate == "pet"]
    talk.say("c: How nice.", text)
    assert not [fact for fact in _list_current(talk) if fact.predicate == "pet"]


def test_the_day_is_that_of_the_sentence_that_names_the_plan(talk: CharacterTalk) -> None:
    talk.say(
        "I've got a chem midterm next Wednesday",
        "c: Good luck!",
        "I mixed something up, my midterm is on Friday. Wednesday is the lab",
    )
    days = [fact.object for fact in _list_current(talk) if fact.day]
    assert len(days) == 1
    assert "midterm" in days[0]


def test_a_name_of_somebody_else_is_not_taken_for_the_users_home(talk: CharacterTalk) -> None:
    talk.say("I live in Nenagh", "c: Nice.", "Maureen's gone to live in Salthill")
    assert [fact.object for fact in _list_current(talk) if fact.predicate == "lives_in"] == [
        "Nenagh"
    ]


def test_a_place_that_ends_in_a_word_for_a_lie_is_no_joke(talk: CharacterTalk) -> None:
    talk.say("나 대구라는 데 살아", "c: 대구?", "나는 간호사야 집은 대구라고")
    assert "간호사" in [fact.object for fact in _list_current(talk)]
