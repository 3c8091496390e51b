"""One ranking of several scopes: what stands out is measured against all of them."""

from datetime import UTC, datetime

import pytest

from gieok.flow.lifecycle import fill_vectors
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.model.retrieval import Hit, Ranking
from gieok.ranking.pool import pool_rankings
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, recall
from gieok.testing import HashEmbedder, ManualClock, MemoryStore

_MOMENT = datetime(2026, 11, 20, tzinfo=UTC)
_PROFILE = Profile(name="test", min_score=0.0, least_best=0.0, relevance_trade=1.0)
_TOPICS = (
    "invoice",
    "garden",
    "server",
    "violin",
    "kettle",
    "ferry",
    "mortar",
    "ledger",
    "glacier",
    "pepper",
)


def _entry(scope: Scope, number: int, text: str) -> Entry:
    document = Document(
        scope=scope,
        key=f"note-{number}",
        kind="memory",
        text=text,
        content_hash=text,
        created_at=_MOMENT,
        updated_at=_MOMENT,
    )
    return Entry(document, (Passage(0, len(text), 1, 1),))


def _texts() -> list[str]:
    return [
        f"the {one} stands beside the {other}"
        for one in _TOPICS
        for other in _TOPICS
        if one < other
    ]


def _best(apart: int, question: str) -> Hit:
    """Return the best hit where so many of the notes are in a scope of their own, and both scopes
    are asked.
    """
    store, embedder = MemoryStore(), HashEmbedder()
    scopes = Scope("user:me"), Scope("project:p")
    store.put(
        [_entry(scopes[number >= apart], number, text) for number, text in enumerate(_texts())]
    )
    fill_vectors(store, embedder)
    asked = scopes if apart else scopes[1:]
    found = recall(store, embedder, Question(question, asked), _PROFILE, ManualClock())
    return found.hits[0]


def test_the_rankings_of_one_scope_are_its_own() -> None:
    rankings = [
        Ranking("keyword", ((1, 3.0),), ceiling=6.0),
        Ranking("vector", ((1, 0.5),), cosines=(0.8,)),
    ]
    assert pool_rankings([rankings]) == rankings


def test_shares_of_words_compare_between_scopes_and_their_counts_add_up() -> None:
    few = Ranking("keyword", ((1, 3.0),), ceiling=6.0, passages=2, holding={"tea": 1})
    many = Ranking(
        "keyword", ((2, 8.0), (3, 1.0)), ceiling=10.0, passages=40, holding={"tea": 3, "pot": 2}
    )
    (made,) = pool_rankings([[few], [many]])
    assert made.ranked == ((2, 0.8), (1, 0.5), (3, 0.1))
    assert (made.ceiling, made.passages, made.holding) == (1.0, 42, {"tea": 4, "pot": 2})


def test_a_hub_without_fellows_is_crowded_as_the_others_are() -> None:
    alone = Ranking("vector", ((1, 0.75),), cosines=(0.75,))
    crowded = Ranking("vector", ((2, 0.5), (3, 0.4)), cosines=(0.8, 0.7))
    (made,) = pool_rankings([[alone], [crowded]])
    assert made.ranked == ((2, 0.5), (1, pytest.approx(0.45)), (3, 0.4))
    assert made.cosines == (0.8, 0.75, 0.7)


def test_what_is_more_crowded_than_the_largest_scope_gains_nothing() -> None:
    crowded = Ranking("vector", ((1, 0.2),), cosines=(0.8,))
    large = Ranking("vector", ((2, 0.5), (3, 0.4)), cosines=(0.6, 0.5))
    (made,) = pool_rankings([[crowded], [large]])
    assert dict(made.ranked)[1] == 0.2


@pytest.mark.parametrize(
    "question", ["where does the violin stand?", "ferry and mortar", "who paid the plumber?"]
)
def test_the_best_is_as_sure_as_if_all_were_in_one_scope(question: str) -> None:
    together = _best(0, question)
    for apart in (1, 3, 10):
        assert _best(apart, question).score == pytest.approx(together.score, abs=0.03)
