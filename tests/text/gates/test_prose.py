"""What of a message its writer says, and on which days it holds."""

import pytest

from gieok.text.gates.places import find_days
from gieok.text.gates.prose import list_own_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        # Five words are a name or a command; six are somebody's sentence.
        ('Run "one two three four five" now.', ['Run "one two three four five" now.']),
        ('Run "one two three four five six" now.', ['Run "" now.']),
        ('It said "never push to main".', ['It said "".']),
        ("# Heading\nNever push.", []),
        ("Never push. Never tag.", ["Never push.", "Never tag."]),
    ],
)
def test_what_is_quoted_or_pasted_is_not_said(text: str, sentences: list[str]) -> None:
    assert list_own_sentences(text) == sentences


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("never deploy on weekdays", [0, 1, 2, 3, 4]),
        ("주말에는 배포하지 마", [5, 6]),
        ("never deploy on Fridays", [4]),
        ("월요일과 수요일에는 배포하지 마", [0, 2]),
        ("never deploy until Friday", []),
        ("금요일까지 배포하지 마", []),
    ],
)
def test_the_days_of_a_rule_are_those_it_names_and_an_end_is_none(
    text: str, days: list[int]
) -> None:
    assert find_days(text) == days
