"""Particles fit the word before them."""

from gieok.text.josa import fill_particles, get_final, get_vowel, is_closed


def test_a_particle_fits_how_its_word_ends() -> None:
    form = "{o:은/는} {o:이/가} {o:으로/로}"
    assert fill_particles(form, o="수영") == "수영은 수영이 수영으로"
    assert fill_particles(form, o="요가") == "요가는 요가가 요가로"
    assert fill_particles(form, o="서울") == "서울은 서울이 서울로"


def test_signs_and_brackets_are_not_read() -> None:
    assert is_closed("보리 (강아지)") is False
    assert is_closed("'김밥'") is True
    assert fill_particles("{who}의 {o}", who="민", o="책") == "민의 책"


def test_a_latin_word_is_read_as_a_word_and_a_short_name_by_its_letters() -> None:
    form = "{o:을/를} {o:으로/로}"
    assert fill_particles(form, o="handle") == "handle을 handle로"
    assert fill_particles(form, o="~/name") == "~/name을 ~/name으로"
    assert fill_particles(form, o="'server'") == "'server'를 'server'로"
    assert fill_particles(form, o="GIEOK_JWT_SECRET") == "GIEOK_JWT_SECRET을 GIEOK_JWT_SECRET으로"
    assert fill_particles(form, o="URL") == "URL을 URL로"
    assert fill_particles(form, o="API") == "API를 API로"
    assert fill_particles(form, o="code") == "code를 code로"


def test_a_syllable_has_a_vowel_and_perhaps_a_final_consonant() -> None:
    assert [get_vowel(syllable) for syllable in "가센힣"] == ["ㅏ", "ㅔ", "ㅣ"]
    assert [bool(get_final(syllable)) for syllable in "가센힣"] == [False, True, True]
