"""What a sentence states, and what states nothing."""

import re
from datetime import date

import pytest

from gieok.character.detect import general_en, general_ko, patterns_en, patterns_ko
from gieok.character.detect.detect import Spoken, detect_statements
from gieok.character.detect.patterns import Pattern

_DAY = date(2026, 3, 2)  # a Monday


def _found(text: str, answers: str = "", earlier: tuple[str, ...] = ()) -> dict[str, str]:
    found = detect_statements(
        Spoken(text, is_user=True, day=_DAY, answers=answers, earlier=earlier), []
    )
    return {f.predicate: f.object for f in found.findings if not f.is_idea}


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("나 지난주에 강릉으로 이사했어", "lives_in", "강릉"),
        ("작년 봄에 제주로 이사 왔어요", "lives_in", "제주"),
        ("내 생일은 3월 15일이야", "birthday", "3월 15일"),
        ("내 생일은 3월 15일 말고 16일", "birthday", "3월 16일"),
        ("나 태어났어 3월 15일에", "birthday", "3월 15일"),
        ("저는 성수동에 살아요", "lives_in", "성수동"),
        ("나 새우 알레르기 있어", "allergy", "새우 알레르기"),
        ("저는 약사예요", "job", "약사"),
        ("저는 남자인데 화장품 좋아해요", "gender", "남자"),
        ("I'm a woman, by the way", "gender", "woman"),
        ("나 가지 진짜 싫어해", "dislikes", "가지"),
        ("아침마다 수영 다녀", "exercise", "아침 수영"),
        ("우리 이제 말 놓자", "speech_level", "반말"),
        ("그냥 민이라고 불러줘", "address_form", "민이"),
        ("서윤이라고 불러줘", "address_form", "서윤"),
        ("my daughter is called Siún", "family", "daughter Siún"),
        ("다음 주 금요일에 면접이야", "interview", "3월 13일 면접"),
        ("내일 면접이 있어서 떨려", "interview", "3월 3일 면접"),
        ("나 여친이랑 헤어졌어", "partner", "솔로 (헤어짐, 지금은 없음)"),
        ("고양이 키워 이름은 보리야 세 살", "pet", "보리 (고양이, 세 살)"),
        ("나 고양이 좋아해", "likes", "고양이"),
        ("요즘 재즈가 좋아졌어", "likes", "재즈"),
        ("나 거북이 싫어해", "dislikes", "거북이"),
        ("나 떡볶이 못 먹어", "dislikes", "떡볶이"),
        ("나는 벌레가 진짜 싫어", "dislikes", "벌레"),
        ("call me Min", "address_form", "Min"),
        ("my birthday's on the 4th of april", "birthday", "April 4"),
        ("my birthday is may 3. wait no, may 4", "birthday", "May 4"),
        ("i'm allergic to shellfish", "allergy", "shellfish allergy"),
        ("i live in Leeds btw", "lives_in", "Leeds"),
        ("i work as a nurse in a clinic", "job", "nurse"),
        ("i can't stand celery", "dislikes", "celery"),
        ("got a dentist appointment tomorrow", "dentist", "March 3 dentist"),
    ],
)
def test_a_statement_is_found_with_its_value(text: str, predicate: str, value: str) -> None:
    assert _found(text).get(predicate) == value


@pytest.mark.parametrize(
    "text",
    [
        "만약에 내가 부산에 살았으면 매일 회 먹었을 텐데",
        "꿈에서 나 의사였어",
        "나 주말마다 바빠",
        "윗집은 새우만 먹으면 두드러기가 나서 전을 따로 부쳐",
        "옥자네는 서울에 살아",
        "제주도 가서 한 달만 살아봤으면 원이 없겠다",
        "드라마에서 남주가 나 제주로 이사 간다 이러더라",
        "역할극 하자 나는 왕이야",
        "나 이제 농부야 뻥이야",
        "너 생일은 3월 15일이야?",
        "나 여자 만나",
        "내가 여자라면 좋겠다",
        "imagine I'm a man",
        "I'm a man of my word",
        "엄마는 견과류 알레르기 있어",
        "나 커피 좋아한다고 한 적 없어",
        "야근 진짜 최고의 복지네^^",
        "요리사나 할까 모르겠어",
        '"나는 서울에 살아" 이 노래 알아?',
        "if i won the lottery i'd live in Paris",
        "i'm a pilot jk",
        "my guy in this game is a doctor",
        "maybe i should learn guitar, dunno",
        "let's do a bit. i'm a doctor",
    ],
)
def test_what_is_not_meant_of_the_user_is_no_fact(text: str) -> None:
    assert not _found(text)


def test_an_answer_stands_at_the_beginning_of_a_message() -> None:
    asked = "뭐라고 부르면 될까?"
    assert _found("선장", answers=asked)["address_form"] == "선장"
    assert "address_form" not in _found(
        "음 글쎄 천천히. 사장님 사장님 하는 소리 지겨워", answers=asked
    )


def test_how_to_be_called_is_no_name() -> None:
    found = _found("문병장이라고 불러라", answers="뭐라고 부르면 되겠나?")
    assert found == {"address_form": "문병장"}


def test_the_answer_to_a_name_is_a_name() -> None:
    assert _found("박서준이요", answers="성함이 어떻게 되세요?") == {"name": "박서준"}
    assert "name" not in _found("그냥이요", answers="왜요?")


def test_a_change_of_day_is_of_the_event_that_was_spoken_of() -> None:
    assert _found("20일 금요일로 바뀌었어", earlier=("나 면접 밀렸대",)) == {
        "interview": "3월 20일 면접"
    }


def test_what_the_character_says_of_itself_is_not_of_the_user() -> None:
    found = detect_statements(
        Spoken("나는 고래를 좋아해. 부산에 살아", is_user=False, day=_DAY), []
    ).findings
    assert [(f.subject, f.predicate, f.object) for f in found] == [("character", "likes", "고래")]


def test_no_repeat_of_a_pattern_became_a_tuple() -> None:
    """In an f-string `{1,4}` is a tuple and `{{1,4}}` a repeat."""
    rows = [
        row
        for module in (patterns_ko, patterns_en, general_ko, general_en)
        for table in vars(module).values()
        if isinstance(table, tuple)
        for row in table
        if isinstance(row, Pattern)
    ]
    broken = re.compile(r"\(\d+, ?\d*\)")
    assert rows
    assert [row for row in rows if broken.search(repr(row))] == []
