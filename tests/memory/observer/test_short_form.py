import pytest

from gieok.memory.observer.short_form import ENDERS, OPENERS, EndWords, shorten_statement


@pytest.mark.parametrize("words", [*OPENERS, *ENDERS], ids=lambda words: words.example[:20])
def test_a_row_shortens_its_example_and_leaves_its_counter_example(words: EndWords) -> None:
    assert len(shorten_statement(words.example)) < len(words.example)
    assert shorten_statement(words.counter_example) == words.counter_example


@pytest.mark.parametrize(
    ("said", "short"),
    [
        (
            "And who reviews? – btw, 하늘님 reviews all of it, thanks",
            "who reviews? – 하늘님 reviews all of it",
        ),
        ("아 맞다, 참고로 배포는 화요일 오전에 한다 ㅎㅎ", "배포는 화요일 오전에 한다"),
        ("and that's it", "and that's it"),  # nothing would be left of it
        ("but not tbh", "but not tbh"),
    ],
)
def test_both_ends_are_shortened_and_the_middle_stays(said: str, short: str) -> None:
    assert shorten_statement(said) == short
