import pytest

from gieok.memory.observer.repeats import content, is_repeated, repeats


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


def test_a_value_that_comes_back_after_another_is_said_anew() -> None:
    old, new = content("The port is 8443."), content("The port is 9443.")
    assert is_repeated(old, [old])
    assert not is_repeated(old, [old, new])
    assert is_repeated(old, [old, new, old])
