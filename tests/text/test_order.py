"""Words that ask for the newest first."""

import pytest

from gieok.text.times.order import asks_newest, without_order


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("최근에 정한 것", "정한 것"),
        ("가장 최근에 바뀐 것", "바뀐 것"),
        ("최근 한 일", "한 일"),
        ("요즘 뭐 하고 있지", "뭐 하고 있지"),
        ("the most recent decision", "the decision"),
        ("what did we change lately", "what did we change"),
        ("latest decision on payments", "decision on payments"),
    ],
)
def test_recent_is_an_order(question: str, rest: str) -> None:
    assert asks_newest(question)
    assert without_order(question) == rest


@pytest.mark.parametrize(
    "question",
    [
        "최근 3일간",
        "최근 두 달 동안",
        "node:latest",
        "the latest version of node",
        "최신 버전",
        "최근접 이웃",
    ],
)
def test_days_that_are_counted_and_versions_are_no_order(question: str) -> None:
    assert not asks_newest(question)
