"""Particles fit the word before them."""

from gieok.text.josa import filled, is_closed


def test_a_particle_fits_how_its_word_ends() -> None:
    form = "{o:은/는} {o:이/가} {o:으로/로}"
    assert filled(form, o="수영") == "수영은 수영이 수영으로"
    assert filled(form, o="요가") == "요가는 요가가 요가로"
    assert filled(form, o="서울") == "서울은 서울이 서울로"


def test_signs_and_brackets_are_not_read() -> None:
    assert is_closed("보리 (강아지)") is False
    assert is_closed("'김밥'") is True
    assert filled("{who}의 {o}", who="민", o="책") == "민의 책"
