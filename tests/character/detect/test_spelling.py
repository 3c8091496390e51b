"""Dialect and chat spelling as the rules read them."""

import pytest

from gieok.character.detect.spelling import spelled


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("오늘 겁나 춥당께", "오늘 겁나 춥다니까"),
        ("밥 먹자. 나 집에 있응께 와", "밥 먹자. 나 집에 있으니까 와"),
        ("나는 광양 살어", "나는 광양 살아"),
        ("거기는 가봤는디 별로여", "거기는 가봤는데 별로여"),
        ("나가 학생인디 돈이 없제", "나가 학생인데 돈이 없지"),
        ("어제 청소했제. 겁나 깨끗허고", "어제 청소했지. 겁나 깨끗하고"),
        ("혼자 공부혀. 셤 보믄 끝나", "혼자 공부해. 셤 보면 끝나"),
        ("나 고기 안 묵어", "나 고기 안 먹어"),
        ("나 인자 퇴근이여", "나 이제 퇴근이야"),
        ("서산에 살아유", "서산에 살아요"),
        ("글고 나 이사 갔슈", "그리고 나 이사 갔슈"),
        ("거위가 아이고 오리다", "거위가 아니고 오리다"),
        ("전문대는 아이라", "전문대는 아니라"),
        ("간호대 카니까", "간호대라니까"),
    ],
)
def test_dialect_is_read_as_standard_korean(said: str, read: str) -> None:
    assert spelled(said) == read


@pytest.mark.parametrize(
    "text",
    [
        "숙제 문제 형제 어제 축제.",
        "아이고 허리야",
        "우리 아이고 남의 아이가 아니다",
        "혀 깨물었어",
        "바닷가 호텔에 묵었어",
        "묵은지랑 인디 음악 좋아해",
        "몽골어랑 아랍어 배워",
        "상어 광어 홍어 무서워",
        "여유 있는 이유가 우유 덕분",
        "위험 인자 때문에 걱정",
        "허리 아파. 허니 브레드 먹을래",
        "허무하고 허전해",
        "잘 보여. 하나도 안 움직여",
        "캔디 어디 있어",
    ],
)
def test_words_that_look_like_dialect_stay(text: str) -> None:
    assert spelled(text) == text
