"""The vector of a statement's subject: asked and told, without what all statements have in common."""

import struct
from collections.abc import Sequence

import pytest

from gieok.errors import EmbedderFailed
from gieok.memory.talk.subject_finder import SubjectFinder

_LATER = "The pipe burst and the disks are scrap."


def _pack(*numbers: float) -> bytes:
    return struct.pack("<3f", *numbers)


class _Embedder:
    """Gives all everyday statements one vector as questions and one as statements."""

    model, dimension = "three-axes", 3

    def __init__(self, asked: bytes = b"", *, fails: bool = False) -> None:
        self.asked, self.fails, self.questions = asked, fails, list[str]()

    def embed_query(self, text: str) -> bytes:
        self.questions.append(text)
        if self.fails:
            raise EmbedderFailed("no runtime")
        return self.asked if text == _LATER else _pack(0, 0, 1)

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        assert all(text.startswith("User: ") for text in texts), "as turns are stored"
        return [_pack(0, 1, 0) for _ in texts]


@pytest.mark.parametrize(
    ("asked", "own", "subject"),
    [
        ((1, 0, 1), (0, 1, 0), (1, 0, 0)),
        ((0, 0, 1), (0, 1, 3), (0, 0, 1)),
        ((3, 0, 1), (8, 1, 0), (1, 0, 0)),
        ((4, 0, 1), (0, 1, 6), (0.8, 0, 0.6)),
    ],
)
def test_the_question_counts_twice_the_statement_and_what_is_common_counts_nothing(
    asked: tuple[float, ...], own: tuple[float, ...], subject: tuple[float, ...]
) -> None:
    found = SubjectFinder(_Embedder(_pack(*asked))).find(_LATER, _pack(*own), "three-axes")
    assert found is not None
    assert struct.unpack("<3f", found) == pytest.approx(subject)


def test_an_everyday_statement_by_itself_has_no_subject() -> None:
    finder = SubjectFinder(_Embedder(_pack(0, 0, 1)))
    assert finder.find(_LATER, _pack(0, 1, 0), "three-axes") is None


def test_without_an_embedder_of_the_store_there_is_no_vector() -> None:
    own = _pack(1, 0, 0)
    embedder = _Embedder(_pack(1, 0, 1))
    assert SubjectFinder(embedder).find(_LATER, own, "another-model") is None
    assert embedder.questions == []
    assert SubjectFinder(None).find(_LATER, own, "") is None
    assert SubjectFinder(_Embedder(fails=True)).find(_LATER, own, "three-axes") is None


def test_what_was_asked_before_its_end_is_known_and_the_rest_is_counted() -> None:
    own, embedder = _pack(1, 1, 0), _Embedder(_pack(1, 0, 1))
    finder = SubjectFinder(embedder)
    first = finder.find(_LATER, own, "three-axes")
    asked = len(embedder.questions)
    finder.close()
    assert finder.find(_LATER, own, "three-axes") == first
    assert finder.missed == 0
    assert finder.find("The queen has a yellow mark.", own, "three-axes") is None
    assert finder.missed == 1
    assert len(embedder.questions) == asked
