"""Stems that the forms of a word share."""

import pytest

from gieok.memory.talk.statements.words import stem_word


@pytest.mark.parametrize(
    ("surface", "stem"),
    [
        ("센서", "센서"),
        ("센서는", "센서"),
        ("도서", "도서"),
        ("질서", "질서"),
        ("분야", "분야"),
        ("노랑", "노랑"),
        ("가서", "가"),
        ("켜서", "켜"),
        ("나랑", ""),
        ("누나랑", "누나"),
        ("옥상에서", "옥상"),
    ],
)
def test_a_noun_of_two_syllables_keeps_an_end_that_looks_like_a_particle(
    surface: str, stem: str
) -> None:
    assert stem_word(surface) == stem
