"""What may be on the subject of a statement: near by vectors, crowded by nothing, with its words."""

import struct
from collections.abc import Sequence

import pytest
from tests.support.talk import SHOP, build_key, build_turns

from gieok.memory.talk.nearness import OWN_HUB_WEIGHT, rank_near_passages
from gieok.model.retrieval import Filter, VectorQuery
from gieok.testing import MemoryStore
from gieok.text.embedform import text_to_embed

_MODEL = "three-axes"
_SAID = "The importer reads the tides from a feed."


def _pack(*numbers: float) -> bytes:
    length = sum(number * number for number in numbers) ** 0.5
    return struct.pack("<3f", *(number / length for number in numbers))


def _rank(told: Sequence[tuple[str, bytes]], limit: int = 24) -> list[str]:
    """Return the sessions of what was told, nearest to `_SAID` first."""
    store = MemoryStore()
    store.put([build_turns(text, 1, text) for text, _ in told])
    store.use_model(_MODEL, 3)
    vectors = {text_to_embed(f"User: {text}"): vector for text, vector in told}
    store.put_vectors(_MODEL, {id_: vectors[text] for id_, text in store.missing(100)})
    near = rank_near_passages(
        store,
        SHOP,
        _SAID,
        VectorQuery(_pack(1, 0, 0), hub_weight=OWN_HUB_WEIGHT, model=_MODEL),
        Filter(),
        limit,
    )
    session_of = {build_key(text): text for text, _ in told}
    keys = {
        passage.id: passage.key for passage in store.passages(sorted(id_ for id_, _ in near), SHOP)
    }
    return [session_of[keys[id_]] for id_, _ in near]


def test_a_passage_in_a_crowd_stands_behind_one_that_is_nearly_as_near_and_alone() -> None:
    crowd = [(f"lamp {n}", _pack(1, 0.5, n / 100)) for n in range(12)]
    assert _rank([*crowd, ("alone", _pack(1, 0, -0.6))])[0] == "alone"


@pytest.mark.parametrize(
    ("text", "is_first"),
    [("The importer scans the tides from a fax.", True), ("Mira feeds the cat.", False)],
)
def test_words_of_the_statement_bring_a_passage_forward(text: str, is_first: bool) -> None:
    told = [("lamp", _pack(1, 0.5, 0)), (text, _pack(1, 0, 0.62))]
    assert (_rank(told)[0] == text) is is_first


def test_no_more_than_asked_for_is_returned_and_nothing_of_an_empty_memory() -> None:
    assert len(_rank([("lamp", _pack(1, 0.5, 0)), ("key", _pack(1, 0, 0.6))], 1)) == 1
    assert _rank([]) == []
