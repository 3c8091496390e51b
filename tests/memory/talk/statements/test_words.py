"""Stems that the forms of a word share."""

import pytest

from gieok.memory.talk.statements.words import read_words, stem_word


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


def test_a_topic_particle_contrasts_and_a_unit_belongs_to_its_number() -> None:
    by_stem = {word.stem: word for word in read_words("은행은 3개가 있고 서버를 껐다")}
    assert [stem for stem, word in by_stem.items() if word.is_contrast] == ["은행"]
    assert not read_words("은행 서버를 껐다")[0].is_contrast
    (counter,) = [word for word in read_words("3개만 산다") if word.is_counter]
    assert counter.start == 1
