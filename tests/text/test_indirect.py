"""Which sentences may state a rule in polite or everyday words, and which only look so."""

import re

import pytest

from gieok.text import indirect


@pytest.mark.parametrize(
    ("pattern", "one", "none"), indirect.FORMS, ids=[one for _, one, _ in indirect.FORMS]
)
def test_a_form_has_an_example_and_a_counter_example(pattern: str, one: str, none: str) -> None:
    assert re.search(pattern, one)
    assert indirect.may_forbid_indirectly(one)
    assert not re.search(pattern, none)
    assert not indirect.may_forbid_indirectly(none)


@pytest.mark.parametrize(
    "said",
    [
        "Should we stop deploying on Fridays?",
        "did you leave the nginx config alone like I asked?",
        "I wish people would stop renaming things.",
        "Nobody has touched the terraform state since March.",
        "hands off the sheet for now",
        "The button must not call the api, leave that to me",
        "you don't have to ask me before you push",
        "예전에는 서버에 접속하지 말라고 했어",
        "main에 푸시하면 안 되나?",
        "왜 서버에 접속하지 말라는 거야",
        "챗봇이 주문을 취소하면 안 돼",
        "지금은 배포하지 마",
        "서버를 재시작하지 말라고 했는데요",
    ],
)
def test_reports_questions_wishes_and_programs_state_none(said: str) -> None:
    assert not indirect.may_forbid_indirectly(said)


def test_a_reason_behind_a_rule_may_be_of_the_past() -> None:
    assert indirect.may_forbid_indirectly("크론 서버에서 뭐 돌리지 마라, 저번에 한 번 터졌어")
    assert not indirect.may_forbid_indirectly("크론 서버에서 뭐 돌리지 말라고 들었어")


def test_what_is_quoted_is_not_the_users() -> None:
    said = "Translate “could you stay away from the server please” into Korean."
    assert list(indirect.find_indirect_rules(said)) == []
    own = "Fix the footer. Please keep out of the prod cluster. Thanks!"
    ((start, end, sentence),) = indirect.find_indirect_rules(own)
    assert own[start:end] == sentence == "Please keep out of the prod cluster."
