"""Lines that programs printed and words that others say are told from a writer's own."""

import re

import pytest

from gieok.text.binding import rules_in
from gieok.text.gates.prose import list_own_sentences
from gieok.text.printed import BROUGHT, PRINTED, is_printed_line, strip_brought_lines


@pytest.mark.parametrize(("pattern", "example", "counter"), [*PRINTED, *BROUGHT])
def test_each_pattern_matches_its_example_alone(pattern: str, example: str, counter: str) -> None:
    assert re.search(pattern, example)
    assert not any(re.search(one, counter) for one, _, _ in (*PRINTED, *BROUGHT))


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


@pytest.mark.parametrize("part", ["says ", "a: ", "ERROR", "12:", "있어", "log ", "\\", "x\n"])
def test_lines_are_read_in_linear_time(part: str) -> None:
    text = part * (40_000 // len(part))
    assert len(strip_brought_lines(text)) <= len(text) + 2
    assert not is_printed_line("x" + text)
