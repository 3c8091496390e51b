"""How people say who they are."""

from datetime import date

import pytest

from gieok.character.detect.detect import Spoken, detect_statements
from gieok.character.detect.person import person_name


@pytest.mark.parametrize(
    ("said", "asked", "name"),
    [
        ("안녕하세요 저는 지호예요", "", "지호"),
        ("안녕하세요 저는 지호예요", "성함이 어떻게 되세요?", "지호"),
        ("내 이름 도윤이야", "", "도윤"),
        ("저는 민수예요", "성함이 어떻게 되세요?", "민수"),
        ("민수예요", "이름이 뭐예요?", "민수"),
        ("저 지훈이에요", "성함이 어떻게 되세요?", "지훈"),
        ("나 은호야", "이름이 뭐야?", "은호"),
        ("내 이름은 지예야", "", "지예"),
        ("제 이름은 박서연이에요", "", "박서연"),
        ("저는 학생이에요", "성함이 어떻게 되세요?", ""),
        ("나는 간호사예요", "이름이 뭐예요?", ""),
        ("안녕하세요 반가워요", "성함이 어떻게 되세요?", ""),
    ],
)
def test_a_name_is_kept_as_it_is(said: str, asked: str, name: str) -> None:
    found = detect_statements(Spoken(said, True, date(2026, 3, 1), asked, ()), []).findings
    assert [one.object for one in found if one.predicate == "name"] == ([name] if name else [])


def test_a_name_that_ends_like_an_ending_keeps_it() -> None:
    assert person_name("지예", "지예예요") == "지예"
    assert person_name("준이", "준이라고 해") == "준이"
    assert person_name("Yujin", "I'm Yujin") == "Yujin"
