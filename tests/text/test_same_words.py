"""Which texts are one statement, said twice in the same words."""

import pytest

from gieok.text.same_words import StatedText, says_the_same


def _is_same(one: str, other: str) -> bool:
    answers = {says_the_same(StatedText(a), StatedText(b)) for a, b in ((one, other), (other, one))}
    assert len(answers) == 1
    return answers.pop()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User: We ship on Fridays.", "User: we ship on Fridays"),
        ("User: 배포는 금요일", "User: 배포는 금요일."),
        ("Assistant: Noted.\nUser: we ship on Fridays", "User: We ship on Fridays!"),
        ("We ship on Fridays.", "User: we ship on Fridays"),
        ("We ship on Fridays. (2026-11-27)", "User: we ship on Fridays"),
        (
            "We ship the letter with buttondown.",
            "User: we ship the letter with buttondown. can you fix the typo in its header",
        ),
        ("텃밭 물은 새벽에만 준다", "User: 텃밭 물은 새벽에만 준다. 호스 길이 좀 찾아 줘"),
        ("We ship on Fridays", "User: who reads the log? We ship on Fridays."),
    ],
)
def test_the_same_words_are_one_statement(one: str, other: str) -> None:
    assert _is_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use tabs in Makefiles", "User: don't use tabs in Makefiles"),
        ("use tabs in Makefiles", "User: Rejected: use tabs in Makefiles"),
        ("use tabs in Makefiles", "User: use tabs in Makefiles. No, that was wrong."),
        ("use tabs in Makefiles", "User: use tabs in Makefiles. can you ignore that please"),
        ("use tabs in Makefiles", "User: use tabs in Makefiles. please do not"),
        ("배포는 금요일에 한다.", "User: 배포는 금요일에 한다. 아니다."),
        ("배포는 금요일에 한다", "User: 정우: 배포는 금요일에 한다"),
        ("회의실 예약은 정우가 한다", "User: 회의실 예약은 정우가 한다. 이제는 아니다."),
        ("User: we ship on Fridays", "User: we ship on Fridays?"),
        ("User: where do we keep the keys?", "User: where do we keep the keys?"),
        ("User: where do we keep the keys", "User: where do we keep the keys"),
        ("User: we ship on Fridays", "Assistant: we ship on Fridays"),
        ("Assistant: we ship on Fridays", "Assistant: we ship on Fridays"),
        ("User: the alarm fires when load > 5", "User: the alarm fires when load < 5"),
        ("User: write it in C++", "User: write it in C#"),
        ("User: it costs $40", "User: it costs £40"),
        ("User: the offset is -5", "User: the offset is 5"),
        ("User: ship by Friday (2026-11-27)", "User: ship by Friday (2026-01-02)"),
        ("User: let me know. the front gate opens at 5", "User: let me know. it rains"),
        ("on Fridays", "User: on Fridays"),
        ("", "User: "),
    ],
)
def test_anything_else_is_another_statement(one: str, other: str) -> None:
    assert not _is_same(one, other)
