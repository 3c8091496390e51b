"""A sentence of a rule is taken apart: its form, what it forbids, and what narrows that."""

import pytest

from gieok.text.gates.reading import drop_reasons, has_foreign_head, is_own_label, read_form


def _describe_form(said: str) -> str:
    """Return the parts of a sentence that are there; '' where it has no form of a rule."""
    reading = read_form(said)
    if reading is None:
        return ""
    parts = [f"{reading.mode}{' asking' if reading.is_asking else ''}", f"text {reading.text}"]
    parts += [
        f"{name} {value}" for name in ("head", "front") if (value := getattr(reading, name)).strip()
    ]
    parts += [
        f"{name} {' | '.join(value)}"
        for name in ("exceptions", "allowed", "conditions")
        if (value := getattr(reading, name))
    ]
    return "; ".join(parts)


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ("never push", "stop; text never push"),
        ("don't push", "ask; text don't push"),
        ("ask me before you push", "ask asking; text you push"),
        ("we never push", "stop; text never push; head we; front we "),
        ("never push, except to docs", "stop; text never push; exceptions  docs"),
        ("never push except when i say so", "stop; text never push; exceptions  i say so"),
        ("npm 말고 pnpm은 쓰지 마", "ask; text pnpm은 쓰지 마; allowed npm "),
        ("dev 말고 main에는 푸시하지 마", "ask; text main에는 푸시하지 마; allowed dev "),
        ("never push, docs is fine", "stop; text never push; allowed docs is fine"),
        (
            "main에는 푸시하지 마, docs는 괜찮아",
            "ask; text main에는 푸시하지 마; allowed docs는 괜찮아",
        ),
        ("docs 빼고 main에는 푸시하지 마", "ask; text main에는 푸시하지 마; exceptions docs"),
        ("use pnpm instead of npm", "ask; text npm"),
        ("use pnpm rather than npm, please", "ask; text npm, please"),
        ("never use pnpm instead of npm", "stop; text never use pnpm instead of npm"),
        (
            "run the tests, then never push to main",
            "stop; text never push to main; head run the tests, then; front then ",
        ),
        ("never push to main, run the tests", "stop; text never push to main"),
        ("never push to main, on fridays", "stop; text never push to main, on fridays"),
        (
            "never push to main, force push, merge",
            "stop; text never push to main, force push, merge",
        ),
        ("never push to main, it is slow", "stop; text never push to main"),
        ("never push to main, vendor is nice", "stop; text never push to main"),
        ("please, ask me before you push", "ask asking; text you push; head please"),
        ("for npm, ask me first", "ask asking; text for npm, ask me first"),
        ("ask me first", "ask asking; text ask me first"),
        (
            "in the docs, ask me before you do that",
            "ask asking; text in the docs, ask me before you do that",
        ),
        ("on main never push", "stop; text never push; head on main; front on main "),
        ("when on main, never push", "stop; text never push; head when on main"),
        ("when tired, never push", "stop; text never push; head when tired; conditions when tired"),
        ("when it rains, never do it", "stop; text when it rains, never do it"),
        ("before lunch never", "stop; text before lunch never; front before lunch "),
        (
            "never push without running npm test",
            "stop; text never push ; conditions  running npm test",
        ),
        ("never push until Friday", "stop; text never push "),
        ("never push unless npm test ran", "stop; text never push ; conditions  npm test ran"),
        ("without asking me never push", "ask asking; text without asking me never push"),
        ("never push when the build is red", "stop; text never push; conditions  the build is red"),
        ("never push when on main", "stop; text never push when on main"),
        ("never push if on fridays", "stop; text never push if on fridays"),
        ("main에 푸시하기 전에 물어봐", "ask asking; text main에 푸시 하기"),
        ("푸시는 물어봐", "ask asking; text 푸시는 물어봐"),
        ("물어봐", ""),
        ("npm은 물어보고 써", "ask asking; text npm은 물어보고 써"),
        (
            "스테이징에만 배포하고 프로덕션에는 배포하지 마",
            "ask; text 프로덕션에는 배포하지 마; head 스테이징에만 배포하고",
        ),
        ("테스트 없이 푸시하지 마", "ask; text 푸시하지 마; conditions 테스트 없이"),
        ("테스트 없이 하지 마", "ask; text 테스트 없이 하지 마"),
        ("main에서는 푸시하지 마", "ask; text main에서는 푸시하지 마"),
        ("비가 오면 푸시하지 마", "ask; text 푸시하지 마; head 비가 오면; conditions 비가 오"),
        ("비가 오면 하지 마", "ask; text 비가 오면 하지 마"),
        ("npm 대신 pnpm 써", "ask; text npm"),
        ("npm 대신 pnpm 절대 쓰지 마", "stop; text npm 대신 pnpm 절대 쓰지 마"),
        ("푸시하지 마 그리고 커밋해", "ask; text 푸시하지 마"),
        ("npm, 그건 쓰지 마", "ask; text npm 그건 쓰지 마"),
        ("so never push", "stop; text never push; head so"),
        ("it broke so never push", "stop; text never push; head it broke so"),
        ("never", "stop; text never"),
    ],
)
def test_a_sentence_is_taken_apart(said: str, parts: str) -> None:
    assert _describe_form(said) == parts


@pytest.mark.parametrize(
    ("said", "is_foreign"),
    [
        ("my first boss had a rule, never push", True),
        ("thanks, never push", False),
        ("fix it, never push", False),
        ("it broke, so never push", False),
        ("it broke, never push", True),
        ("docs is fine, never push", False),
        ("Kim: never push", True),
        ("Rules: never push", False),
        ("never push: ok", False),
        ("yes, never push", False),
        ("서버는 푸시하면 안 돼", True),
        ("서버는 푸시하지 마", False),
        ("코드는 푸시하면 안 돼", True),
        ("never push", False),
    ],
)
def test_words_before_a_rule_may_say_that_it_is_somebody_elses(said: str, is_foreign: bool) -> None:
    assert has_foreign_head(said, "") is is_foreign


def test_what_asks_to_write_a_rule_states_none() -> None:
    assert has_foreign_head("write never push into the file", "write ")
    assert not has_foreign_head("never push", "also ")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("never push, it broke", "never push"),
        ("never push, it must not", "never push, it must not"),
        ("it broke, never push", "it broke, never push"),
        ("push, it broke", "push, it broke"),
        ("never push, never merge, we like it", "never push, never merge"),
    ],
)
def test_a_reason_behind_a_rule_is_left_out(said: str, kept: str) -> None:
    assert drop_reasons(said) == kept


def test_a_label_of_ones_own_announces_a_rule() -> None:
    assert [
        label for label in ("Rules", "Please note", "앞으로는") if not is_own_label(label)
    ] == []
    assert [label for label in ("Kim", "Kim's rules", "김씨") if is_own_label(label)] == []
