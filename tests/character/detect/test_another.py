"""A state that a sentence tells of somebody else is no fact of the user."""

from datetime import date

import pytest

from gieok.character.detect.another import is_told_of_another
from gieok.character.detect.detect import Spoken, detect_statements
from gieok.character.detect.patterns import find_object
from gieok.character.facts import USER


def _list_states(text: str) -> list[str]:
    said = Spoken(text, is_user=True, day=date(2026, 3, 2))
    found = detect_statements(said, ()).findings
    return [one.object for one in found if one.subject == USER]


@pytest.mark.parametrize(
    ("of_another", "of_user", "value"),
    [
        (
            "짝지가 호두 알레르기 있대서 다 버렸어",
            "호두 알레르기 있어서 다 버렸어",
            "호두 알레르기",
        ),
        ("수영장 아저씨가 탁구를 쳐요", "주말마다 탁구를 쳐요", "주말 탁구"),
        ("옆집 박 주임은 오이를 못 먹어", "오이를 못 먹어", "오이"),
        ("거기서 첼로 배운다더라", "거기서 첼로 배운다", "첼로 배우기"),
        ("여든인데 탁구 다니십니다", "여든인데 탁구 다닙니다", "탁구"),
        ("my best friend is allergic to wasps", "I'm allergic to wasps", "wasps allergy"),
        ("she said I'm allergic to wasps", "turns out I'm allergic to wasps", "wasps allergy"),
        ("Mum: I live in Crail", "I live in Crail", "Crail"),
        ("gran's allergic to wasps", "gran, I'm allergic to wasps", "wasps allergy"),
        ("well dad lives in Crail", "I call dad every week, I live in Crail", "Crail"),
    ],
)
def test_whose_a_state_is_stands_around_it(of_another: str, of_user: str, value: str) -> None:
    assert value in _list_states(of_user)
    assert value not in _list_states(of_another)


@pytest.mark.parametrize(
    ("predicate", "value", "sentence"),
    [
        ("job", "출판사", "10월부터는 친구가 하는 출판사에서 일합니다"),
        ("lives_in", "Portobello", "I've moved in with my aunt in Portobello"),
        ("habit", "I babysit", "she's teething so I babysit mondays"),
        ("allergy", "새우 알레르기", "제가 새우 알레르기가 있어서 새우만 빼 주세요"),
        ("drink", "우유", "요즘은 우유만 마셔"),
        ("plan", "11월 4일 검사", "아버지가 11월 4일 검사래"),
        ("job", "솔로 (지금은 없음)", "친구가 헤어졌대"),
        ("job", "", ""),
        ("dislikes", "새우", "엄마가 새우 알레르기 있어서 나도 새우 못 먹어"),
        ("allergy", "호두 알레르기", "호두 알레르기 진짜 좀 있대"),
        ("allergy", "호두 알레르기", "호두 알레르기 있어, 걔도 그렇대"),
        ("allergy", "호두 알레르기", "호두 알레르기 나도 있대"),
        ("allergy", "호두 알레르기", "호두 빼 주세요"),
    ],
)
def test_what_may_be_the_users_stays(predicate: str, value: str, sentence: str) -> None:
    assert not is_told_of_another(predicate, value, sentence)


@pytest.mark.parametrize(
    ("predicate", "value", "sentence"),
    [
        ("allergy", "호두 알레르기", "호두 알레르기 좀 있대"),
        ("lives_in", "Leith", "my sister and I know he lives in Leith"),
    ],
)
def test_the_nearest_subject_and_the_third_word_behind_tell_of_another(
    predicate: str, value: str, sentence: str
) -> None:
    assert is_told_of_another(predicate, value, sentence)


def test_the_object_is_what_is_not_eaten_and_not_the_adverb_behind_it() -> None:
    assert find_object("저는 매운 음식을 ") == "매운 음식"
    assert find_object("저는 선지국을 ") == "선지국"
    assert find_object("저는 ") == ""
    assert _list_states("저는 매운 음식을 전혀 못 먹어요") == ["매운 음식"]
