"""Lines that programs printed and words that others say are told from a writer's own."""

import re

import pytest

from gieok.text.binding import rules_in
from gieok.text.gates.prose import list_own_sentences
from gieok.text.printed import PRINTED, SAID, SHOWN, is_printed_line, strip_brought_lines

_ROWS = (*PRINTED, *SAID, *SHOWN)


@pytest.mark.parametrize(("pattern", "example", "counter"), _ROWS)
def test_each_pattern_matches_its_example_alone(pattern: str, example: str, counter: str) -> None:
    assert re.search(pattern, example)
    assert not any(re.search(one, counter) for one, _, _ in _ROWS)


@pytest.mark.parametrize(
    "said",
    [
        (
            "Here is the log I pasted:\nERROR: must not run migrations as root\n"
            "WARN: always use the replica for reads\nWhat does it mean?"
        ),
        "npm ERR! you must always run npm install first\nhelp",
        "The README says: never commit to main, always use rebase. Is that still right?",
        "README에 이렇게 적혀 있어: 절대 main에 커밋하지 말 것. 아직 맞아?",
        (
            "이 로그 봐줘:\nERROR: 루트로 마이그레이션을 실행하지 마세요\n"
            "WARN: 읽기는 항상 복제본을 써야 합니다\n무슨 뜻이야?"
        ),
        "My colleague wrote:\nNever deploy on Fridays\nAlways run the tests\n\nIs she right?",
        "Here's the wiki:\n\nAlways use yarn.\nNever commit to main.\n\nWhat do you think?",
        "팀장님이 슬랙에 남긴 말이야:\n\n절대 main에 commit하지 마.\n\n어때?",
        "팀장님이 말했어: 절대 main에 commit하지 마",
        "팀장님 왈: 절대 main에 commit하지 마",
        "팀장님 코멘트: 절대 main에 commit하지 마",
        "문서에 따르면: 절대 main에 commit하지 마",
        "The README says the following:\n- never commit to main\n- you must rebase",
        "Checking the tree\nNever commit secrets\n[ERROR] found two\nAlways run make lint",
    ],
)
def test_what_was_printed_or_quoted_states_no_rule(said: str) -> None:
    assert rules_in(said) == []
    assert not any(
        "commit" in sentence or "must" in sentence for sentence in list_own_sentences(said)
    )


@pytest.mark.parametrize(
    ("said", "rules"),
    [
        ("ERROR: disk full\n\nNever run that as root again.", ["Never run that as root again."]),
        (
            "Never push to main\nAlways run the tests\nUse pnpm, not npm\nNever deploy on Fridays",
            [
                "Never push to main",
                "Always run the tests",
                "Use pnpm, not npm",
                "Never deploy on Fridays",
            ],
        ),
        ("Warning: never touch the prod database.", ["Warning: never touch the prod database."]),
        ("As I said: never push to main.", ["As I said: never push to main."]),
        ("기억해: 금요일에는 절대 배포하지 마", ["기억해: 금요일에는 절대 배포하지 마"]),
    ],
)
def test_what_the_writer_says_beside_it_does(said: str, rules: list[str]) -> None:
    assert rules_in(said) == rules


@pytest.mark.parametrize(
    "said",
    [
        "This is my last warning: never force push.",
        "For all DB reads: never run psql against prod.",
        "From now on, outputs: always JSON.",
        "Weekly reports: always send them on Friday.",
        "We have three states: never add a fourth.",
        "Log output: never log tokens.",
        "This is about comments: never write them in English.",
        "Here is what I want in the docs: always use British spelling.",
        "These are my wishes for error messages: never blame the user.",
        "Never use prints: use logging.",
        "WARNING: never run migrations on prod.",
        "hint: always run tests with -x.",
        "ERROR: must be used only for 5xx.",
        "마지막 경고야: 절대 main에 푸시하지 마.",
        "결론이 나왔어: git push --force는 절대 하지 마.",
        "로그인데: 절대 전화번호 남기지 마.",
        "18:00:00 이후에는 절대 배포하지 마.",
    ],
)
def test_what_may_be_ordinary_speech_is_the_writers(said: str) -> None:
    assert rules_in(said) == [said]
    assert list_own_sentences(said) == [said]


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("The deploy log warns: disk full. Never run terraform apply.", "Never run terraform"),
        (
            "I got these errors:\nfatal: disk full\nNever run git clean again.",
            "Never run git clean",
        ),
        ("The README says: always use yarn. But we never use yarn here.", "But we never use yarn"),
        ("My boss said: use Postgres. Never use MySQL.", "Never use MySQL."),
        ("NOTES.md says: never commit to main. Never commit to main.", "Never commit to main."),
        ("The README says:\n- never use tabs\nAlways use tabs.", "Always use tabs."),
        ("Here's the README:\n```\nuse yarn\n```\nNever change it.", "Never change it."),
        ("이 에러 메시지야:\nTypeError: x\n앞으로 절대 null을 넘기지 마.", "앞으로 절대 null"),
        (
            "빌드 로그에 디스크 오류가 떠 있어: 내가 고칠게. 너는 rm -rf 절대 쓰지 마.",
            "너는 rm -rf",
        ),
    ],
)
def test_what_the_writer_says_behind_others_words_is_a_rule(said: str, own: str) -> None:
    assert [rule.startswith(own) for rule in rules_in(said)] == [True]
    assert list_own_sentences(said)[-1].startswith(own)


def test_a_list_under_the_writers_own_heading_is_theirs() -> None:
    said = "Log levels:\n- ERROR: always page me\n- WARN: never page me\n- INFO: never log tokens"
    assert len(rules_in(said)) == 3


@pytest.mark.parametrize(
    "part", ["says ", "a: ", "ERROR", "12:", "있어", "log ", "\\", "x\n", "a.b:1", "A. ", "hi, "]
)
def test_lines_are_read_in_linear_time(part: str) -> None:
    text = part * (40_000 // len(part))
    assert len(strip_brought_lines(text)) <= len(text) + 2
    assert not is_printed_line("x" + text)
