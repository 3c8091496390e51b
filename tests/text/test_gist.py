"""What a statement is about."""

import pytest

from gieok.text.gist import gist, holds, is_finished, is_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("배포는 금요일 오전에 하기로 했다", "금요일 오전에 배포하기로 결정했어"),
        ("커밋 메시지는 한국어로 써줘", "앞으로 커밋 메시지는 한국어로 쓰자"),
        ("I prefer tabs over spaces", "I really prefer tabs over spaces!"),
        ("My daughter is called Mina", "my daughter's name is Mina"),
        ("We deploy with Terraform on Mondays", "Deploys go out with terraform on Mondays"),
    ],
)
def test_the_same_in_other_words_is_the_same(one: str, other: str) -> None:
    assert is_same(gist(one), gist(other))
    assert is_same(gist(other), gist(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Busan", "I moved to Incheon"),
        ("재시도는 3번까지", "재시도는 5번까지"),
        ("캐시는 레디스에 둔다", "캐시는 레디스에 두지 않는다"),
        ("We use Redis", "We use Redis for sessions, carts, the search index and rate limits"),
    ],
)
def test_another_value_a_denial_or_much_more_is_not_the_same(one: str, other: str) -> None:
    assert not is_same(gist(one), gist(other))


def test_a_task_is_finished_without_its_day_being_named() -> None:
    task = gist("Send the offer to Hanbit by Friday (2026-11-27)")
    assert is_finished(task, gist("sent the offer to Hanbit"))
    assert not is_finished(task, gist("sent the invoice to Daon"))
    assert not is_finished(gist("test"), gist("test"))


def test_a_text_holds_a_statement_with_all_of_its_values() -> None:
    said = gist("The queue is Redis Streams with 4 workers")
    assert holds(
        gist("Since May: the queue runs on Redis Streams (4 workers), retries 3 times"), said
    )
    assert not holds(gist("The queue is Redis Streams with 8 workers"), said)


@pytest.mark.parametrize(
    ("task", "done"),
    [
        ("로드밸런서 설정은 내일까지 해야 해", "로드밸런서 설정은 끝났어"),
        ("로드밸런서 설정은 내일까지 해야 해", "로드밸런서 설정 작업은 어제 다 끝났어"),
        ("방화벽 이전을 금요일까지 끝내야 해", "방화벽 이전은 민수가 끝냈어"),
        ("The invoice needs to be sent before March 3", "the invoice was sent"),
        ("The certificate has to be renewed by tomorrow", "the certificate renewal is done"),
        ("The firewall migration must be finished by Monday", "firewall migration is now done"),
        ("A팀 보고서 제출해야 해", "A팀이랑 B팀 보고서 다 제출했어"),
        ("Send the offer to Hanbit by March 3", "On Monday I sent the offer to Hanbit"),
        ("3월 5일까지 정산 보고서 제출해야 해", "정산 보고서 2건 제출했어"),
    ],
)
def test_what_a_task_is_about_finishes_it_whatever_its_frame(task: str, done: str) -> None:
    assert is_finished(gist(task), gist(done))


@pytest.mark.parametrize(
    ("task", "done"),
    [
        ("로드밸런서 설정은 내일까지 해야 해", "로드밸런서 설정 회의는 끝났어"),
        ("인증서 갱신은 내일까지 해야 해", "인증서 갱신 교육은 지난주에 끝났어"),
        ("결제 서버 배포는 금요일까지 해야 해", "결제 서버 테스트는 완료됐어"),
        (
            "The release notes have to be written by Friday",
            "the release notes talk is done by Mina",
        ),
        ("The load balancer must be replaced by Friday", "the load balancer setup is done"),
        ("B팀 보고서 제출해야 해", "A팀 보고서 제출했어"),
        ("A팀이랑 B팀 보고서 제출해야 해", "A팀 보고서 제출했어"),
        ("3호기 필터 교체 금요일까지 해야 해", "2호기 필터 교체 완료했어"),
        ("I need to submit the report of team B by Friday", "I submitted the report of team A"),
        ("submit the Q3 report by Friday", "submitted the Q2 report"),
        ("submit the quarterly report to Hana by Friday", "submitted the quarterly report to Bob"),
    ],
)
def test_another_thing_in_the_words_of_a_task_does_not_finish_it(task: str, done: str) -> None:
    assert not is_finished(gist(task), gist(done))
