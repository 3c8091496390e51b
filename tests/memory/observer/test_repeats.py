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


_A_TO_I = "a1 b1 c1 d1 e1 f1 g1 h1 i1"


def _hold(words: str) -> Content:
    """Return content of made words, none of which begins with a digit unless it is a number."""
    return Content(words.split())


@pytest.mark.parametrize(
    ("new", "old", "is_repeated"),
    [
        ("a1 b1", "a1 b1 c1 d1 e1 f1", True),
        ("a1 b1", "a1 b1 c1 d1 e1 f1 g1", False),
        ("a1", "a1", False),
        ("a1 b1", "a1 b1", True),
        ("a1 b1 x1", "a1 b1", True),
        ("a1 x1", "a1", False),
        ("a1 b1 c1 d1 x1 y1", "a1 b1 c1 d1", False),
        (f"{_A_TO_I} x1", f"{_A_TO_I} y1 z1", True),
        (f"{_A_TO_I} x1", f"{_A_TO_I} y1 z1 w1", False),
        ("a1 b1 c1 d1 e1 f1 g1 h1 x1", "a1 b1 c1 d1 e1 f1 g1 h1 y1", True),
        ("a1 b1 c1 d1 e1 f1 g1 x1", "a1 b1 c1 d1 e1 f1 g1 y1", False),
        (f"{_A_TO_I} x1", f"{_A_TO_I} 5", False),
        (f"{_A_TO_I} 5", f"{_A_TO_I} y1", False),
        ("a1 b1", "a1 b1 5", True),
        ("a1 b1 5", "a1 b1", False),
        ("a1 b1", "a1 b1 not", False),
        ("", "a1 b1", False),
        ("a1 b1", "", False),
    ],
)
def test_how_many_words_a_repetition_may_lack_or_add(
    new: str, old: str, *, is_repeated: bool
) -> None:
    assert repeats(_hold(new), _hold(old)) is is_repeated


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("a1 b1 c1 d1 e1 x1", "a1 b1 c1 d1 e1 y1", True),
        ("a1 b1 c1 d1 e1 f1 x1", "a1 b1 c1 d1 e1 f1 y1", False),
        ("a1 b1 x1", "a1 b1", False),
        ("x1", "y1", False),
    ],
)
def test_statements_of_one_subject_are_short(one: str, other: str, *, is_one: bool) -> None:
    assert comparison.is_of_subject(_hold(one), _hold(other)) is is_one


@pytest.mark.parametrize(
    ("new", "denied"),
    [("not a1 b1", ["a1 b1"]), ("not a1", []), ("a1 b1", [])],
)
def test_a_denial_names_what_it_denies(new: str, denied: list[str]) -> None:
    assert comparison.list_denied_words(_hold(new)) == [frozenset(one.split()) for one in denied]


def test_a_later_statement_takes_another_back_by_all_its_words_but_one() -> None:
    opposites = comparison.list_opposites(_hold("a1 b1"))
    assert set(opposites) == {_hold("a1 b1"), _hold("a1"), _hold("b1")}
    assert comparison.list_opposites(_hold("not a1 b1")) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("은", []),
        ("에서", ["에서"]),
        ("gateway 5", ["gateway", "5"]),
        ("the port is now", ["port"]),
        ("서버는", ["서버"]),
    ],
)
def test_endings_and_words_that_say_nothing_are_no_content(text: str, words: list[str]) -> None:
    assert content(text) == frozenset(words)


def test_a_long_statement_is_found_without_a_quarter_of_its_words() -> None:
    held = [_hold(f"{_A_TO_I} y1"), *[_hold(_A_TO_I.replace("a1", "n1"))] * 3]
    assert is_repeated(_hold(f"{_A_TO_I} x1"), held)
    assert is_repeated(_hold(f"{_A_TO_I} x1 w1"), held)


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
