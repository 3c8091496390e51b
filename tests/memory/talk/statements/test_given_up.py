"""What a sentence gives up: rows with their examples, verbs in their forms."""

import re

import pytest

from gieok.memory.talk.statements.given_up import (
    GivingUp,
    connect_verb,
    find_losses,
    inflect,
    list_rows,
)


def list_given_up(sentence: str) -> list[str]:
    return [sentence[slice(*loss.old)] for loss in find_losses(sentence)]


@pytest.mark.parametrize("row", list_rows(), ids=lambda row: row.example)
def test_a_row_finds_what_its_example_gives_up(row: GivingUp) -> None:
    marked = re.search("<(.+?)>", row.example)
    assert marked is not None
    sentence = row.example.replace(marked[0], marked[1])
    assert any(old.strip().lower().endswith(marked[1].lower()) for old in list_given_up(sentence))


@pytest.mark.parametrize("row", list_rows(), ids=lambda row: row.counter_example)
def test_a_row_finds_nothing_in_its_counter_example(row: GivingUp) -> None:
    assert list_given_up(row.counter_example) == []


@pytest.mark.parametrize(
    ("stem", "forms"),
    [
        ("접", ["접고", "접었", "접기로", "접음"]),
        ("버리", ["버리고", "버렸", "버린", "버림"]),
        ("그만두", ["그만두고", "그만뒀", "그만둠"]),
        ("없애", ["없앴", "없앰", "없앤"]),
        ("갈아타", ["갈아탔", "갈아탐"]),
        ("바꾸", ["바꿨", "바꿈", "바꾼"]),
        ("바뀌", ["바뀌었", "바뀜", "바뀐"]),
        ("취소되", ["취소됐", "취소됨", "취소된"]),
        ("해지하", ["해지하고", "해지했", "해지함"]),
        ("오르", ["올랐", "오름"]),
        ("퇴직하", ["퇴직하셔서", "퇴직하셨"]),
        ("쓰", ["썼", "씀", "씁"]),
        ("팔", ["팔고", "팔았", "판"]),
    ],
)
def test_a_korean_verb_is_known_in_its_forms(stem: str, forms: list[str]) -> None:
    assert set(forms) <= set(inflect(stem))


def test_a_korean_verb_is_connected_by_its_vowel() -> None:
    forms = {
        "접": "접어",
        "팔": "팔아",
        "뽑": "뽑아",
        "취소하": "취소해",
        "가": "가",
        "빼": "빼",
        "서": "서",
        "메": "메",
        "켜": "켜",
        "보": "봐",
        "되": "돼",
        "바꾸": "바꿔",
        "쓰": "써",
        "버리": "버려",
        "바뀌": "바뀌어",
    }
    assert {stem: connect_verb(stem) for stem in forms} == forms


@pytest.mark.parametrize("ending", ["을까", "으면", "을지", "어야", "나요"])
def test_a_doubtful_form_gives_nothing_up(ending: str) -> None:
    assert list_given_up(f"회의는 헬스장 접{ending}") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "I have pasta and canned goods at home.",
        "The noise-cancelling feature is great.",
        "I just got back from a trip to the coast.",
        "I'm not sure where to start, but I know the budget.",
        "It left my car looking great.",
        "feature branches come off develop",
        "We haven't dropped Jenkins for the build.",
        "Don't forget to store your food.",
        "I have not quit the choir.",
        "The notes say what can be done with the information.",
        "이거 위키에 보내지 마",
        "부산에서 회의를 목요일로 옮겼어",
    ],
)
def test_what_only_sounds_like_it_gives_nothing_up(sentence: str) -> None:
    assert list_given_up(sentence) == []
