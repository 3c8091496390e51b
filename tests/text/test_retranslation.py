"""Everything that is said in English where it arises has its Korean, and the Korean is well
made.
"""

import re
from functools import cache

import pytest
from tests.support.said import NAMED_PLACE, Walk
from tests.support.said_tables import OTHERS

from gieok.text.catalogues import list_translations
from gieok.text.josa import with_particle
from gieok.text.messages import in_language
from gieok.text.retranslation import load_templates

_PLACE = re.compile(r"\{(\d?)(?::([^{}/]*)/([^{}]*))?\}")
_PARTICLES = {
    "은/는",
    "이/가",
    "을/를",
    "과/와",
    "으로/로",
    "이라고/라고",
    "이라는/라는",
    "이고/고",
    "이어야/여야",
}


@cache
def _said() -> dict[str, str]:
    return Walk().run()


def _pairs() -> list[tuple[str, str]]:
    """Return the messages that arise in English as a finished text: without named places."""
    return [pair for pair in list_translations("ko").items() if not NAMED_PLACE.search(pair[0])]


def test_every_text_that_a_person_reads_has_its_korean() -> None:
    known = list_translations("ko")
    missing = {text: place for text, place in _said().items() if text not in known}
    assert not missing, "give each its Korean in locale/ko/LC_MESSAGES/gieok.po"


@pytest.mark.parametrize("form", ["places", "hangul", "particles"])
def test_the_korean_is_well_made(form: str) -> None:
    wrong, said_anywhere = [], _said().keys() | set(OTHERS)
    for english, said in _pairs():
        if english not in said_anywhere:  # a template of a page, which fills its places itself
            continue
        numbers = set(re.findall(r"\{(\d)(?:!r|:,)?\}", english))
        used = {place[0] for place in _PLACE.findall(said)} - {""}
        particles = {f"{closed}/{open_}" for _, closed, open_ in _PLACE.findall(said) if closed}
        is_wrong = {
            "places": not used <= numbers or (numbers != used and english not in OTHERS),
            "hangul": re.search("[가-힣]", said) is None
            and re.search("[A-Za-z]", _PLACE.sub("", said)) is not None,
            "particles": bool(particles - _PARTICLES)
            or re.search(r"\{\d\}[`'\")\]]*(?:을|를|은|는|와|과)(?= )", said) is not None,
        }[form]
        wrong += [(english, said)] * is_wrong
    assert wrong == []


def _sample(english: str) -> tuple[str, list[str]]:
    """Return a message of a template, and what stands in its places."""
    values = [
        "'가나'" if form == "!r" else "17" if form == ":," else f"값{number}"
        for number, form in re.findall(r"\{(\d)(!r|:,)?\}", english)
    ]
    filled = re.sub(r"\{(\d)(?:!r|:,)?\}", lambda place: values[int(place[1])], english)
    return filled, values


def test_a_message_is_matched_by_its_own_template() -> None:
    wrong, said_anywhere = [], _said().keys() | set(OTHERS)
    for english, said in _pairs():
        if english not in said_anywhere:
            continue
        message, values = _sample(english)
        expected, end = "", 0
        for place in _PLACE.finditer(said):
            expected += said[end : place.start()] + (values[int(place[1])] if place[1] else "")
            expected = with_particle(expected, place[2], place[3]) if place[2] else expected
            end = place.end()
        expected = expected + said[end:]
        found = in_language(message, "ko")
        wrong += [(english, found)] * (found != expected)
    assert wrong == []


def test_what_is_put_in_is_korean_too() -> None:
    assert (
        in_language("the backup 'b.tar' is damaged: it is cut off", "ko")
        == "백업 'b.tar'가 손상되었습니다: 뒤가 잘렸습니다"
    )
    message = "the journal '/h/journal.db' is damaged or not a database: file is not a database"
    assert (
        in_language(message, "ko")
        == "저널 '/h/journal.db'가 손상되었거나 데이터베이스가 아닙니다: 데이터베이스 파일이 아닙니다"
    )
    wrong = (
        "search.limit is 'x' in '/h/config.yaml'; it must be a whole number; it is left out: "
        "`gieok config show`"
    )
    assert "정수여야 합니다" in in_language(wrong, "ko")
    assert in_language("/n/a.md: binary, not text", "ko") == "/n/a.md: 글이 아니라 이진 파일입니다"


def test_a_message_with_a_semicolon_is_one_behind_another_message_too() -> None:
    status = "said earlier; perhaps changed by what was said on 2026-09-27: b5c8950f.1"
    alone = in_language(status, "ko")
    assert "perhaps" not in alone
    assert in_language(f"unsure; {status}; replaced", "ko") == f"확실하지 않음; {alone}; 바뀜"


def test_what_has_no_pair_stays_as_it_is() -> None:
    for text in (
        "out of the blue (and back); said nobody: ever",
        "a memory of a cat",
        "",
        "기억 3개",
    ):
        assert in_language(text, "ko") == text
    assert in_language("run `gieok doctor`", "en") == "run `gieok doctor`"
    assert load_templates("ko") is load_templates("ko")
