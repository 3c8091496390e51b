"""Short answers to what a character asked, and who is told by name."""

from datetime import date

import pytest

from gieok.character.detect.detect import Spoken, detect_statements

_DAY = date(2026, 3, 3)  # a Tuesday


def _found(text: str, asked: str, before: str = "") -> dict[str, str]:
    spoken = Spoken(text, is_user=True, day=_DAY, answers=asked, earlier=(before,))
    return {
        one.predicate: one.object
        for one in detect_statements(spoken, []).findings
        if not one.is_idea
    }


@pytest.mark.parametrize(
    ("asked", "text", "predicate", "value"),
    [
        ("How old are you, lass?", "Thirty-one, and I feel it.", "age", "Thirty-one"),
        ("When's your birthday?", "the 9th of June", "birthday", "June 9"),
        (
            "Allergic to anything?",
            "Just penicillin. It was a bad week.",
            "allergy",
            "penicillin allergy",
        ),
        ("What can't you stand?", "Beetroot. Tastes of soil.", "dislikes", "Beetroot"),
        (
            "How do you take your coffee?",
            "White, two sugars.",
            "drink",
            "coffee, White, two sugars",
        ),
        ("What's your favourite film?", "Definitely Casablanca.", "likes", "Casablanca"),
        ("Which team do you support?", "Rovers, sadly", "likes", "Rovers"),
        ("What do you do for fun?", "Mostly pottery, when I can.", "hobby", "pottery"),
        ("And what do you do for a living?", "Bus driver. Nights.", "job", "Bus driver"),
        ("Exciting. When's the exam?", "Friday at nine", "exam", "March 6 exam"),
        ("몇 살이야?", "만으로 서른둘이야. 다 늙었지", "age", "서른둘"),
        ("생일이 언제야?", "6월 9일! 챙겨줘", "birthday", "6월 9일"),
        ("혹시 못 먹는 거 있어?", "가지요. 물컹해서", "dislikes", "가지"),
        ("제일 좋아하는 과일은?", "복숭아지 당연히", "likes", "복숭아"),
        ("알레르기 뭐 있어?", "복숭아. 슬프지", "allergy", "복숭아 알레르기"),
        ("오 면접은 언제야?", "다음 주 화요일! 떨려", "interview", "3월 10일 면접"),
    ],
)
def test_a_short_answer_is_a_fact_of_what_was_asked(
    asked: str, text: str, predicate: str, value: str
) -> None:
    assert _found(text, asked).get(predicate) == value
    assert predicate not in _found(text, "Go on.")


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("How old are you?", "Old enough. Don't ask."),
        ("How old are you?", "Forty years in the trade and you ask me that"),
        ("How old is she?", "Thirty-one."),
        ("What can't you stand?", "I don't know, people?"),
        ("What's your favourite film?", "Hard to say."),
        ("What's the best part of your day?", "Home time."),
        ("What do you do for a living?", "As little as I can."),
        ("Does your brother have allergies?", "Penicillin."),
        ("When is her exam?", "Friday at nine"),
        ("Any allergies?", "None."),
        ("제일 좋아하는 사람은?", "비밀이지"),
        ("못 먹는 거 있어?", "없어 다 먹어"),
        ("동생은 면접이 언제야?", "다음 주 화요일"),
        ("알레르기 뭐 있어?", "딱히 없는데"),
    ],
)
def test_what_answers_no_such_question_of_the_user_is_no_fact(asked: str, text: str) -> None:
    assert _found(text, asked) == {}


@pytest.mark.parametrize(
    ("before", "asked", "text", "found"),
    [
        ("My wife made me come.", "What's she called?", "Maureen.", {"partner": "Maureen"}),
        (
            "the dog ate it",
            "What do you call him?",
            "Biscuit, and he's a menace",
            {"pet": "Biscuit (dog)"},
        ),
        ("My sister's visiting.", "What's her name?", "Ailsa.", {"family": "sister Ailsa"}),
        ("", "What's your husband's name?", "Tomasz.", {"partner": "Tomasz"}),
        ("", "Have you got any mates round here?", "Gordon next door.", {"friend": "Gordon"}),
        ("", "Is that your dog?", "That's Pickle. Mind your ankles.", {"pet": "Pickle (dog)"}),
        ("", "남자친구 있어?", "응 있지. 도윤이라고 대구 사는 애", {"partner": "도윤"}),
        ("", "혼자 살아?", "동생 하나 있어. 나래라고 말 안 듣는 애", {"family": "동생 나래"}),
    ],
)
def test_a_name_belongs_to_whom_the_words_before_it_are_about(
    before: str, asked: str, text: str, found: dict[str, str]
) -> None:
    assert found.items() <= _found(text, asked, before).items()


@pytest.mark.parametrize(
    ("before", "asked", "text"),
    [
        ("My wife made me come.", "What's she called?", "None of your business."),
        ("My wife made me come.", "What's she called?", "Never."),
        ("My brother's visiting.", "What's her name?", "Ailsa."),
        ("Nice day.", "What's she called?", "Ailsa."),
        ("my wife and my sister are here", "What's she called?", "Ailsa."),
        ("", "Did you talk to your sister?", "That's Life."),
        ("", "동생 있어?", "엄마가 바보라고 놀려"),
        ("", "친구 없어?", "없어. 혼자라고 놀리지 마"),
        ("", "뭐래?", "도윤이라고 하더라"),
    ],
)
def test_a_name_without_an_owner_is_nobodys(before: str, asked: str, text: str) -> None:
    found = _found(text, asked, before)
    assert not found.keys() & {"name", "partner", "friend", "pet"}
    assert not any("Ailsa" in value for value in found.values())


@pytest.mark.parametrize(
    "text", ["Righto, the dog's barking", "Anyway, the cat's hungry", "Sorry, the horse is loose"]
)
def test_a_word_that_opens_a_sentence_names_no_animal(text: str) -> None:
    assert "pet" not in _found(text, "")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("짠 거는 못 먹어", {"dislikes": "짠 거"}),
        ("그거는 못 먹어", {}),
        ("나 어깨가 안 좋아서 쉬는 중이야", {"health": "어깨 안 좋음"}),
        ("오늘 기분이 안 좋아", {}),
        ("우리 할머니 무릎이 안 좋아", {}),
        ("나 요가 끊었어", {}),
        ("나 담배 끊었어", {"habit": "담배 끊음"}),
        ("내 동생 하람이는 두 살 아래야", {}),
        ("if anyone asks, i'm a plumber", {}),
        ("누가 물어보면 나 변호사야", {}),
        ("나 9월 20일에 들어가", {"plan": "9월 20일 들어가기"}),
    ],
)
def test_what_ails_one_and_what_one_pays_for_is_no_taste_and_no_end(
    text: str, found: dict[str, str]
) -> None:
    assert _found(text, "") == found
