"""Which fact of a sentence a later one is about: by vectors, by words, or not known."""

from pathlib import Path

import pytest

from gieok.errors import EmbedderFailed
from gieok.memory.talk.fact_finder import FactFinder
from gieok.models.local.runtime import E5Embedder
from gieok.testing.hash_embedder import HashEmbedder

_TOLD = "The kiln sits in the barn and glazes are mixed on Fridays."
_KILN, _GLAZES = "The kiln sits in the barn", "glazes are mixed on Fridays."


class _Failing(HashEmbedder):
    def embed_passages(self, texts: "list[str]") -> "list[bytes]":  # type: ignore[override]
        raise EmbedderFailed("no runtime")


def test_a_sentence_that_tells_one_fact_is_that_fact() -> None:
    assert FactFinder(None).find("The kiln sits in the barn.", "It is in the shed now.") == (
        "The kiln sits in the barn."
    )
    assert FactFinder(None).find("", "It is in the shed now.") == ""


@pytest.mark.parametrize(
    ("told", "later", "fact"),
    [
        (_TOLD, "Our oven stands in the shed now", _KILN),
        (_TOLD, "Colours get prepared at the weekend from now on", _GLAZES),
        (
            "닭장은 뒷마당에 있고 달걀은 목요일에 걷어.",
            "이제 계란 모으는 건 주말이야",
            "달걀은 목요일에 걷어.",
        ),
        ("서버는 안양, 백업은 대전이야.", "사본 두는 데를 부산으로 바꿨어", "백업은 대전이야."),
    ],
)
def test_the_nearest_fact_is_found_in_other_words(
    models: Path, told: str, later: str, fact: str
) -> None:
    assert FactFinder(E5Embedder(models)).find(told, later) == fact


def test_without_vectors_the_fact_that_shares_more_words_is_found_or_none() -> None:
    for finder in (FactFinder(None), FactFinder(_Failing())):
        assert finder.find(_TOLD, "The kiln moved to the shed.") == _KILN
        assert finder.find(_TOLD, "Colours get prepared at the weekend.") is None
        assert finder.find(_TOLD, "The kiln is warm while the glazes are wet.") is None


def test_what_is_asked_after_its_end_is_counted_and_found_by_words() -> None:
    finder = FactFinder(HashEmbedder())
    finder.vectors.close()
    assert finder.find(_TOLD, "The kiln moved to the shed.") == _KILN
    assert finder.vectors.missed


@pytest.mark.parametrize(
    ("told", "later", "is_sure"),
    [
        ("Staging and production run in Seoul.", "Staging moved to Busan.", False),
        ("Staging and production run in Seoul.", "Staging and production moved to Busan.", True),
        ("Staging and production run in Seoul.", "All of it moved to Busan.", True),
        ("스테이징이랑 운영 둘 다 서울에 있어.", "스테이징은 부산으로 옮겼어.", False),
        ("스테이징이랑 운영 둘 다 서울에 있어.", "서울 건 다 부산으로 옮겼어.", True),
    ],
)
def test_what_is_said_of_two_is_unsure_where_one_of_them_is_named(
    told: str, later: str, *, is_sure: bool
) -> None:
    assert FactFinder(None).find(told, later) == (told if is_sure else None)
