"""The end that a statement gives itself, said on Wednesday, 18 March 2026."""

from datetime import date

import pytest

from gieok.text.ends import find_end

_SAID = date(2026, 3, 18)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Until Friday the staging database is read-only.", "2026-03-20"),
        ("The staging database is read-only until Friday.", "2026-03-20"),
        ("The staging database is read-only until 14 April", "2026-04-14"),
        ("The staging database is read-only until 6 May 2026", "2026-05-06"),
        ("The staging database is read-only until 6 on Friday", "2026-03-20"),
        ("Deploys are frozen till end of month", "2026-03-31"),
        ("We are on the old cluster through April 3.", "2026-04-03"),
        ("This week only, ask Kim for reviews", "2026-03-22"),
        ("Use the replica for reports, today only", "2026-03-18"),
        ("Don't merge into main until tomorrow", "2026-03-19"),
        ("Code freeze until the end of the quarter.", "2026-03-31"),
        ("Only this month we pay for two regions", "2026-03-31"),
        ("다음 주까지 스테이징은 읽기 전용이야", "2026-03-29"),
        ("이번 달만 결제는 토스로 해", "2026-03-31"),
        ("오늘만 8080 포트를 써", "2026-03-18"),
        ("금요일까지만 재택이야", "2026-03-20"),
        ("금요일까지 배포하지 마", "2026-03-20"),
        ("4월 3일까지 민수가 당직이야", "2026-04-03"),
        ("이번 주는 코드 프리즈야", "2026-03-22"),
        ("내일까지 서버 점검 중이야", "2026-03-19"),
        ("이번 분기까지만 구버전을 지원해", "2026-03-31"),
    ],
)
def test_a_statement_that_lasts_until_a_day_ends_then(text: str, last: str) -> None:
    end = find_end(text, _SAID)
    assert end is not None
    assert str(end.last) == last
    assert not end.is_estimated
    assert end.words in text


@pytest.mark.parametrize(
    "text",
    [
        "The report is due by Friday",
        "We must submit the report until Friday",
        "Finish the migration by tomorrow",
        "금요일까지 보고서를 내야 해",
        "금요일까지만 제출하면 돼",
        "다음 주까지 인증서를 갱신해 줘",
        "내일까지 배포해 줘",
        "Is staging read-only until Friday?",
        "금요일까지 읽기 전용이야?",
        "금요일까지 읽기 전용인가요",
        "If staging is read-only until Friday, use the replica",
        "Kim said staging is read-only until Friday",
        "민수가 금요일까지 휴가라고 했어",
        "금요일까지 휴가면 좋겠다고 하더라",
        "The office is open Monday through Friday",
        "We worked on it until Friday",
        "지난주까지 MySQL을 썼어",
        "오늘만 세 번 실패했어",
        "The freeze is not only until Friday",
        "금요일까지가 아니라 계속 읽기 전용이야",
        "Retry until it works",
        "We deploy on Fridays",
        "매주 금요일에 배포해",
        "staging is read-only",
        "Staging is read-only until Friday. Kim owns billing.",
        "",
    ],
)
def test_a_deadline_a_question_or_hearsay_ends_nothing(text: str) -> None:
    assert find_end(text, _SAID) is None


@pytest.mark.parametrize(
    "text", ["For this sprint we skip the linters", "이번 스프린트 동안은 코드 리뷰를 둘이서 해"]
)
def test_a_sprint_ends_on_no_known_day(text: str) -> None:
    end = find_end(text, _SAID)
    assert end is not None
    assert end.last is None


def test_until_next_week_may_or_may_not_take_that_week_in() -> None:
    end = find_end("The cluster is down until next week", _SAID)
    assert end is not None
    assert (end.last, end.is_estimated) == (date(2026, 3, 29), True)


@pytest.mark.parametrize(
    "text",
    [
        "The house has to be quiet until early afternoon.",
        "The pump is off until late evening.",
        "The gate stays open until the early morning.",
    ],
)
def test_a_time_of_any_day_ends_nothing(text: str) -> None:
    assert find_end(text, _SAID) is None
