"""Which statements are rules, and what they govern."""

import re

import pytest

from gieok.memory.talk.rule_readings import list_said_rules
from gieok.ports.models import RuleKind, RuleStretch
from gieok.text import binding


@pytest.mark.parametrize(
    "said", ["배포가 금지돼 있어서 못 올렸어요", "절대 못 바꿨어", "반드시 지켜 줬다"]
)
def test_what_is_told_of_the_past_is_no_rule(said: str) -> None:
    assert binding.is_reported(said)
    assert binding.rules_in(said) == []


def test_a_reason_asks_nothing_though_it_ends_as_a_question() -> None:
    assert not binding.asks_question("결제 모듈은 건들지 말라니까")
    assert binding.asks_question("배포해도 됩니까")


_ROWS = (*binding.SURE, *binding.BARE)


@pytest.mark.parametrize(("pattern", "one", "none"), _ROWS, ids=[one for _, one, _ in _ROWS])
def test_a_row_has_an_example_and_a_counter_example(pattern: str, one: str, none: str) -> None:
    assert binding.rules_in(one) == [one]
    assert binding.rules_in(none) == []


@pytest.mark.parametrize(
    ("pattern", "one", "none"), binding.MOMENT, ids=[one for _, one, _ in binding.MOMENT]
)
def test_what_is_forbidden_for_the_moment_is_no_rule(pattern: str, one: str, none: str) -> None:
    assert re.search(pattern, one)
    assert not re.search(pattern, none)
    assert binding.is_of_moment(one)
    assert binding.rules_in(one) == []
    assert not binding.is_of_moment(none)
    assert binding.rules_in(none) == [none]


@pytest.mark.parametrize(
    ("pattern", "one", "none"), binding.ABSENCE, ids=[one for _, one, _ in binding.ABSENCE]
)
def test_what_is_forbidden_during_an_absence_is_no_rule_and_not_over_with_its_day(
    pattern: str, one: str, none: str
) -> None:
    assert re.search(pattern, one)
    assert not re.search(pattern, none)
    assert binding.rules_in(one) == []
    assert binding.is_of_moment(one)
    assert not binding.is_all_of_moment(one)
    assert not binding.is_all_for_once(one)
    assert binding.rules_in(none) == [none]


@pytest.mark.parametrize(
    "text",
    [
        "Never push right now or ever",
        "From this commit on, never skip the hooks.",
        "이번부터는 항상 테스트를 먼저 돌리고 절대 건너뛰지 마",
        "이번 세션뿐 아니라 앞으로도 절대 푸시하지 마",
        "Never run this step without a backup.",
        "Never deploy while we're in a code freeze.",
        "지금 브랜치 말고 main에는 절대 푸시하지 마",
        "이 이슈 트래커는 절대 건드리지 마",
        "내가 자는 동안에는 절대 배포하지 마",
        "잠시라도 서버를 끄지 마",
        "당장 급해도 운영 DB는 절대 직접 고치지 마",
    ],
)
def test_a_rule_that_merely_holds_such_a_word_stands(text: str) -> None:
    assert binding.rules_in(text) == [text]
    assert not binding.is_of_moment(text)
    assert not binding.is_for_once(text)


def test_a_turn_is_of_the_moment_where_all_that_it_says_is() -> None:
    assert binding.is_all_of_moment("Don't run the tests right now. 지금은 배포하지 마.")
    assert not binding.is_all_of_moment("Don't run the tests right now. Never push to main.")
    assert not binding.is_all_of_moment("I moved to Busan. Don't run the tests right now.")


@pytest.mark.parametrize(
    ("pattern", "one", "none"), binding.SUPPOSED, ids=[one for _, one, _ in binding.SUPPOSED]
)
def test_what_is_only_supposed_is_known(pattern: str, one: str, none: str) -> None:
    assert re.search(pattern, one)
    assert not re.search(pattern, none)
    assert binding.is_supposed(one)
    assert not binding.is_supposed(none)


@pytest.mark.parametrize(
    ("wanted", "rule"),
    [
        ("Write a script that merges duplicates.", "Show me the list before you merge."),
        ("중복된 책 합치는 스크립트 써줘", "지울 일 생기면 목록부터 보여줘"),
        ("run the migration", "run the migration past Anna, she decides"),
    ],
)
def test_a_request_for_work_says_no_more_than_which_work(wanted: str, rule: str) -> None:
    assert binding.is_plain_request(wanted)
    assert not binding.is_plain_request(rule)


@pytest.mark.parametrize(
    ("pattern", "one", "none"), binding.OBJECTLESS, ids=[one for _, one, _ in binding.OBJECTLESS]
)
def test_a_sentence_without_its_object_is_known(pattern: str, one: str, none: str) -> None:
    assert re.search(pattern, one)
    assert not re.search(pattern, none)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("운영 DB! 절대 함부로 허지 마", "운영 DB! 절대 함부로 허지 마"),
        ("결제 모듈은\n절대 건드리지 마", "결제 모듈은 절대 건드리지 마"),
        ("Legacy folder. Never touch it.", "Legacy folder. Never touch it."),
        ("We met today. Never push to main.", "Never push to main."),
        ("We met today. Never delete anything.", "Never delete anything."),
        ("Thanks! Never touch it.", "Never touch it."),
        ("결제 모듈이야.\n\n---\n\n네. 절대 건드리지 마", "결제 모듈이야. 절대 건드리지 마"),
    ],
)
def test_a_rule_is_told_with_what_it_is_about(text: str, rule: str) -> None:
    assert binding.rules_in(text) == [rule]
    stretch = RuleStretch(len(text) - 4, len(text), RuleKind.NEVER, 1.0)
    assert list_said_rules(text, "", [stretch]) == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "For now we use Postgres.",
        "지금은 레디스를 쓰고 있어",
        "Should I not push yet?",
        "never force push to main",
    ],
)
def test_a_state_or_a_question_of_the_moment_forbids_nothing(text: str) -> None:
    assert not binding.is_of_moment(text)


@pytest.mark.parametrize(
    "text",
    [
        "don't merge anything into release/ without Dana's approval",
        "PR 올리기 전에 꼭 린트 돌려줘",
        "and never commit .env files, ok?",
        "All migrations have to be reversible.",
        "Tests must not hit the network.",
        "고객 데이터는 절대 외부 API로 보내면 안 돼",
        "kubectl delete는 내 허락 없이 실행하지 마세요",
        "매번 배포 끝나면 슬랙에 공지 남겨줘",
        "저번에 다들 고생했어. 금욜 점심 이후로는 prod에 손대지 마",
    ],
)
def test_a_rule_is_one_in_whatever_form_it_is_said(text: str) -> None:
    assert binding.has_binding_rule(text)


@pytest.mark.parametrize(
    "text",
    [
        "should we never deploy on Fridays?",
        "절대 안 되나?",
        "He said never push to main.",
        '"Never trust a cache" is what the book says.',
        "문서에는 절대 쓰지 말라고 적혀 있더라",
        "don't run it yet",
        "이번 커밋에는 테스트 넣지 마",
        "Add a retry to the client. Don't touch the tests.",
        "I never eat meat",
        "나는 항상 늦게 자",
        "The server always crashes at night.",
        "빌드가 항상 실패해",
        "write a story where the hero must never lie",
        "If I run into any issues, I can always call a plumber.",
    ],
)
def test_questions_quotations_habits_and_what_is_for_this_once_are_no_rules(text: str) -> None:
    assert not binding.has_binding_rule(text)


def test_a_rule_is_whole_with_the_sentence_that_carries_it_on() -> None:
    said = "Never log customer phone numbers. Instead, mask all but the last four digits. Thanks!"
    assert binding.rules_in(said) == [
        "Never log customer phone numbers.",
        "Instead, mask all but the last four digits.",
    ]


def test_a_yes_makes_a_rule_of_what_was_offered_for_every_time() -> None:
    offer = "The linter found three. Should I run it before every commit from now on?"
    assert binding.rules_in("yes, do that", offer) == [
        "Should I run it before every commit from now on?"
    ]
    assert binding.rules_in("no", offer) == []
    assert binding.rules_in("yes, do that", "Should I run it now?") == []


@pytest.mark.parametrize(
    ("rule", "prompt", "bears"),
    [
        ("never run migrations straight against prod", "운영 DB에 마이그레이션 돌려줘", True),
        ("로그에 고객 전화번호 절대 남기지 마", "add debug logging to the signup handler", True),
        ("don't touch src/legacy/auth.py", "clean up src/legacy/auth.py", True),
        ("Always run the tests before a commit", "fix the failing test", False),
        ("금요일에는 배포하지 마", "write the about page", False),
    ],
)
def test_a_rule_bears_on_what_it_governs_in_either_language(
    rule: str, prompt: str, bears: bool
) -> None:
    assert binding.bears_on(rule, prompt) is bears


def test_a_rule_is_lifted_by_a_text_that_takes_back_what_it_governs() -> None:
    rule = "금요일에는 배포하지 마"
    assert binding.lifted_by(rule, "이제 금요일에 배포해도 돼")
    assert binding.lifted_by(rule, "you can deploy on Fridays again")
    assert not binding.lifted_by(rule, "이제 로그 지워도 돼")
    assert not binding.lifted_by(rule, "금요일에 배포해도 돼?")


@pytest.mark.parametrize(
    "said",
    [
        "he said it's fine to push without asking",
        "I doubt that it's fine to push without asking",
        "It's okay to wait rather than push without asking",
        "it's hardly okay to push without asking",
        "if the tests pass, it's fine to push without asking",
        "it's fine to push without asking today",
        "go ahead and push without asking",
        "안 물어보고 배포해도 된다는 뜻이 아니야",
        "물어보지 않고 배포해도 괜찮다고 한 적 없어",
        "배포는 물어볼 필요 없대",
        "급하면 안 물어보고 배포해도 돼",
    ],
)
def test_a_permission_that_the_user_does_not_give_for_good_lifts_nothing(said: str) -> None:
    assert not binding.lifts(said)


@pytest.mark.parametrize(
    "said",
    ["it's fine to push without asking", "안 물어보고 배포해도 돼", "화면 배포는 물어볼 필요 없어"],
)
def test_a_permission_of_the_users_own_lifts(said: str) -> None:
    assert binding.lifts(said)


@pytest.mark.parametrize(
    ("said", "is_bounded"),
    [
        ("휴가 기간 배포하지 마", True),
        ("내가 올 때까지 서버 끄지 마", True),
        ("don't push while I'm out of the office", True),
        ("don't merge over our break in May", True),
        ("휴가 기간 테이블은 건드리지 마", False),
        ("응답이 올 때까지 재시도하지 마", False),
        ("don't retry while we're out of disk space", False),
        ("don't write over our leave table", False),
    ],
)
def test_an_absence_is_of_persons_and_no_name_of_data(said: str, is_bounded: bool) -> None:
    assert binding.names_absence(said) is is_bounded


@pytest.mark.parametrize(
    "text",
    [
        "house rule: mocks stay out of the integration folder",
        "rule of this repo: one reviewer per change",
        "우리 팀 원칙: 쿼리 하나에 함수 하나",
        "스테이징에서 실결제 금지",
        "변수 이름은 영어로 지어주세요",
    ],
)
def test_a_plain_rule_that_says_nothing_else_is_known_by_its_words(text: str) -> None:
    assert binding.plain_rules_in(text) == [text]
    assert binding.plain_rules_in(f"{text}\nadd the endpoint for refunds") == []


@pytest.mark.parametrize(
    "text",
    [
        "공지 다듬어줘: 스포 금지, 욕설 금지",
        "오늘은 배포 금지",
        "예전 회사는 금요일 배포 금지였어",
        "규칙 2: 토큰이 모자람",
        "rule of thumb: smaller batches converge faster",
        "our rule: is it still needed?",
        "「주말 배포 금지」 금지",
        "never push to main",
    ],
)
def test_other_words_leave_a_doubt(text: str) -> None:
    assert binding.plain_rules_in(text) == []


@pytest.mark.parametrize(
    ("text", "only_worry"),
    [
        ("와이파이 이름 잊지 마세요", True),
        ("창고 열쇠는 왼쪽 서랍이야 까먹지 마", True),
        ("don't worry about the red lamp", True),
        ("don't forget the pump key is on the nail", True),
        ("don't forget to run the linter before each commit", False),
        ("잊지 말고 커밋 전에 테스트 돌려", False),
        ("main에 푸시하면 안 돼 잊지 마", False),
        ("never touch the pump folder", False),
    ],
)
def test_a_reminder_forbids_nothing_beside(text: str, *, only_worry: bool) -> None:
    assert binding.forbids_only_worry(text) is only_worry
