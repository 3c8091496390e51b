"""A reranker has the last word on the best hits; where it fails they stand as they were."""

from datetime import UTC, datetime

import pytest

from gieok.errors import RerankerFailed
from gieok.model.memory import Scope
from gieok.ranking.calibration import Calibration
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, recall
from gieok.ranking.rerank import RerankedPlace, Reranking, rerank_texts
from gieok.testing import ManualClock, MemoryStore
from gieok.testing.samples import build_entry

_TEXTS = ["one", "two", "three", "four"]
_SCORES = [0.9, 0.6, 0.4, 0.2]
_SCOPE = Scope("agent:main")


class _ByLength:
    model = "by-length"

    def __init__(self, failure: RerankerFailed | None = None) -> None:
        self.failure = failure
        self.asked: list = []

    def scores(self, question, texts):
        self.asked.append((question, list(texts)))
        if self.failure:
            raise self.failure
        return [len(text) / 10 for text in texts]


def test_uncalibrated_it_decides_the_order_alone() -> None:
    found, why = rerank_texts("q", _TEXTS, _SCORES, Reranking(_ByLength(), 3, {}))
    assert why is None
    assert found == [
        RerankedPlace(2, 0.9, 0.5),
        RerankedPlace(0, 0.6, 0.3),
        RerankedPlace(1, 0.4, 0.3),
        RerankedPlace(3, 0.2),
    ]


def test_calibrated_its_score_is_the_probability_and_what_it_did_not_read_stays_below() -> None:
    known = {"by-length": Calibration(slope=2.0, shift=-1.0)}
    found, _ = rerank_texts("q", _TEXTS, [0.9, 0.6, 0.4, 0.39], Reranking(_ByLength(), 3, known))
    assert [one.at for one in found] == [2, 0, 1, 3]
    assert found[0].score == pytest.approx(known["by-length"].score(0.5))
    assert found[3].score == found[2].score < 0.39


def test_a_failure_leaves_the_hits_as_they_were_and_is_told() -> None:
    found, why = rerank_texts(
        "q", _TEXTS, _SCORES, Reranking(_ByLength(RerankerFailed("busy", hint="wait")), 3, {})
    )
    assert found == [RerankedPlace(i, score) for i, score in enumerate(_SCORES)]
    assert why == "not reranked: busy (wait)"


def test_nothing_is_asked_without_hits_or_without_a_reranker() -> None:
    ranker = _ByLength()
    assert rerank_texts("q", [], [], Reranking(ranker, 3, {})) == ([], None)
    assert ranker.asked == []
    assert rerank_texts("q", _TEXTS, _SCORES, None)[0] == [
        RerankedPlace(i, score) for i, score in enumerate(_SCORES)
    ]


def test_recall_shows_hits_in_its_order_with_its_score() -> None:
    store = MemoryStore()
    store.put(
        [
            build_entry("short", "payment Tuesday"),
            build_entry("long", "payment Tuesday and every other Tuesday of the month"),
        ]
    )
    question = Question("when is payment?", (_SCOPE,), use_vectors=False)
    profile, clock = (
        Profile(name="test", min_score=0.0),
        ManualClock(datetime(2026, 11, 22, tzinfo=UTC)),
    )
    by = Reranking(_ByLength(), 20, {})
    hits = recall(store, None, question, profile, clock, UTC, by).hits
    assert [hit.passage.key for hit in hits] == ["long", "short"]
    assert hits[0].signals["reranker"] > hits[1].signals["reranker"]
    assert hits[0].score >= hits[1].score
    failing = Reranking(_ByLength(RerankerFailed("busy")), 20, {})
    found = recall(store, None, question, profile, clock, UTC, failing)
    assert len(found.hits) == 2
    assert "not reranked: busy" in found.degraded
