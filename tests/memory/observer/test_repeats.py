import pytest

from gieok.memory.observer import repeats as comparison
from gieok.memory.observer.repeats import Content, HeldStatements, content, repeats


def is_repeated(new: Content, held: list[Content]) -> bool:
    return HeldStatements(held).is_repeated_by(new)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The port is 8443.", "remember, the port is 8443"),
        ("We decided to use Redis Streams.", "let's go with redis streams"),
        ("커밋 메시지는 한국어로 써줘", "앞으로 커밋 메시지는 꼭 한국어로 해줘"),
        (
            "I have to call Petra by Friday (2026-11-27)",
            "I have to call Petra by Friday (2026-12-04)",
        ),
        ("우리 디자이너는 김서연이야", "디자이너는 김서연"),
    ],
)
def test_other_wordings_of_one_statement_repeat_it(one: str, other: str) -> None:
    assert repeats(content(other), content(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The port is 8443.", "The port is 9443."),
        ("커밋 메시지는 한국어로 써줘", "커밋 메시지는 영어로 써줘"),
        ("We use Redis.", "We don't use Redis anymore."),
        ("매운 거 먹어", "매운 거 안 먹어"),
        ("The launch is on Friday.", "The launch is on Monday."),
        ("We deploy with Fly.", "We deploy with Fly in 3 regions."),
        ("Hana reviews the docs.", "Ravi reviews the docs."),
    ],
)
def test_another_value_is_never_a_repetition(one: str, other: str) -> None:
    assert not repeats(content(other), content(one))


def test_a_part_of_what_was_said_says_nothing_new() -> None:
    said = content("redis queue deploy postgres region cache")
    assert repeats(content("redis queue"), said)
    assert not repeats(content("redis"), said), "a single word may be an answer"
    assert not repeats(content("redis queue"), said | {"table"})


def test_statements_of_one_subject_differ_in_one_word() -> None:
    port = content("port gateway staging")
    assert comparison.is_of_subject(content("port gateway production"), port)
    assert not comparison.is_of_subject(port, port)
    assert not comparison.is_of_subject(content("port server production"), port)
    assert not comparison.is_of_subject(content("redis"), content("postgres"))


def test_a_value_that_comes_back_after_another_is_said_anew() -> None:
    old, new = content("The port is 8443."), content("The port is 9443.")
    assert is_repeated(old, [old])
    assert not is_repeated(old, [old, new])
    assert is_repeated(old, [old, new, old])


def test_only_few_of_many_held_statements_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def count(new: Content, old: Content) -> bool:
        compared.append(old)
        return repeats(new, old)

    monkeypatch.setattr(comparison, "repeats", count)
    held = HeldStatements()
    for number in range(2_000):
        own = content(f"We decided to move the service {number} to region eu-west-{number}.")
        assert not held.is_repeated_by(own)
        held.add(own)
    assert len(compared) < 4 * 2_000
    assert held.is_repeated_by(content("We move the service 1999 to region eu-west-1999."))


def test_what_is_found_by_words_is_what_a_comparison_with_each_finds() -> None:
    words = (
        "redis queue deploy friday postgres not table move region cache index retry 5 8443".split()
    )
    state, held, known = 7, HeldStatements(), list[Content]()
    for _ in range(1_500):
        own = set()
        for word in words:
            state = state * 1_103_515_245 + 12_345 & 0x7FFFFFFF
            if state >> 16 & 1:
                own.add(word)
        new = Content(own)
        expected = False
        for old in known:
            if repeats(new, old):
                expected = True
            elif expected and comparison.is_of_subject(new, old):
                expected = False
        assert held.is_repeated_by(new) is expected, new
        if not expected:
            held.add(new)
            known.append(new)
