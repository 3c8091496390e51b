"""What asks services: redacted, in batches, tried again, within a budget, counted."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from gieok.errors import EmbedderFailed, RerankerFailed, StoreReadOnly
from gieok.flow.service import EMBEDDER, RERANKER, Metered, ServiceEmbedder, ServiceReranker
from gieok.model.conversation import Usage
from gieok.ports.models import Embedded, Reranked
from gieok.testing import ManualClock

_KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
_NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)


class _Ledger:
    def __init__(self) -> None:
        self.used: dict = {}

    def charge(self, day, role, usage) -> None:
        held = self.used.get((day, role), Usage())
        self.used[day, role] = Usage(*(a + b for a, b in zip(held, usage, strict=True)))

    def usage(self, since):
        return self.used


class _Service:
    model = "some:model"
    most_texts = 3

    def __init__(self, *failures: EmbedderFailed) -> None:
        self.failures = list(failures)
        self.asked: list[list[str]] = []
        self.longest = 10_000
        self.size = 2

    def embed(self, texts: Sequence[str], *, is_query: bool) -> Embedded:
        self.asked.append(list(texts))
        if self.failures:
            raise self.failures.pop(0)
        if any(len(text) > self.longest for text in texts):
            raise EmbedderFailed("too long", is_too_long=True)
        return Embedded([bytes(4 * self.size)] * len(texts), 10 * len(texts))


def _metered(
    waits: list[float], ledger: object, daily_tokens: int = 0, role: str = EMBEDDER
) -> Metered:
    failed = EmbedderFailed if role == EMBEDDER else RerankerFailed
    return Metered(role, lambda: ledger, ManualClock(_NOW), UTC, waits.append, daily_tokens, failed)


def _embedder(
    service: _Service,
    waits: list[float] | None = None,
    ledger: object = None,
    daily_tokens: int = 0,
):
    return ServiceEmbedder(
        service, _metered([] if waits is None else waits, ledger or _Ledger(), daily_tokens)
    )


def test_secrets_are_cut_out_before_a_text_goes_out() -> None:
    service = _Service()
    embedder = _embedder(service)
    embedder.embed_passages([f"the key is {_KEY}"])
    embedder.embed_query(f"what is {_KEY}?")
    assert _KEY not in str(service.asked)
    assert "redacted" in str(service.asked)


def test_texts_go_out_in_requests_of_as_many_as_the_service_takes() -> None:
    service = _Service()
    assert len(_embedder(service).embed_passages([str(n) for n in range(7)])) == 7
    assert [len(batch) for batch in service.asked] == [3, 3, 1]
    long = _Service()
    _embedder(long).embed_passages(["가" * 9_000] * 2)
    assert all(len(text) == 8_000 for batch in long.asked for text in batch)


def test_what_may_pass_is_tried_again_after_longer_waits_and_what_will_not_is_not() -> None:
    waits: list[float] = []
    again = EmbedderFailed("busy", worth_retrying=True)
    assert _embedder(_Service(again, again), waits).embed_passages(["a"])
    assert waits == [1.0, 4.0]
    waits.clear()
    with pytest.raises(EmbedderFailed, match="busy"):
        _embedder(_Service(*[again] * 9), waits).embed_passages(["a"])
    assert waits == [1.0, 4.0, 15.0]
    waits.clear()
    with pytest.raises(EmbedderFailed, match="no"):
        _embedder(_Service(EmbedderFailed("no")), waits).embed_passages(["a"])
    assert waits == []


def test_a_service_is_left_alone_for_as_long_as_it_says_within_reason() -> None:
    waits: list[float] = []
    assert _embedder(
        _Service(EmbedderFailed("busy", worth_retrying=True, retry_after_s=7)), waits
    ).embed_passages(["a"])
    assert waits == [7]
    with pytest.raises(EmbedderFailed):
        _embedder(
            _Service(EmbedderFailed("busy", worth_retrying=True, retry_after_s=3_600)), waits
        ).embed_passages(["a"])
    assert waits == [7]


def test_a_question_does_not_wait_long() -> None:
    waits: list[float] = []
    again = EmbedderFailed("busy", worth_retrying=True)
    assert _embedder(_Service(again), waits).embed_query("a")
    with pytest.raises(EmbedderFailed):
        _embedder(_Service(again, again), waits).embed_query("a")
    with pytest.raises(EmbedderFailed):
        _embedder(
            _Service(EmbedderFailed("busy", worth_retrying=True, retry_after_s=20)), waits
        ).embed_query("a")
    assert waits == [0.5, 0.5]


def test_one_text_that_is_too_long_holds_up_no_other() -> None:
    service = _Service()
    service.longest = 2_000
    assert len(_embedder(service).embed_passages(["a", "b" * 7_000, "c"])) == 3
    assert [len(text) for batch in service.asked[-2:] for text in batch][-1] == 1
    service.longest = 10
    with pytest.raises(EmbedderFailed, match="too long"):
        _embedder(service).embed_passages(["b" * 300])


def test_another_number_of_vectors_or_of_dimensions_is_refused() -> None:
    service = _Service()
    embedder = _embedder(service)
    assert embedder.dimension == 2
    service.size = 3
    with pytest.raises(EmbedderFailed, match="3 dimensions now, and of 2 before") as failed:
        embedder.embed_passages(["a"])
    assert "gieok index --rebuild" in failed.value.hint
    service.embed = lambda texts, is_query: Embedded([])
    with pytest.raises(EmbedderFailed, match="0 vectors for 1 texts"):
        embedder.embed_passages(["a"])


def test_calls_failures_and_tokens_are_counted_for_the_role() -> None:
    ledger = _Ledger()
    _embedder(_Service(EmbedderFailed("busy", worth_retrying=True)), ledger=ledger).embed_passages(
        list("abcd")
    )
    assert ledger.used == {(_NOW.date(), EMBEDDER): Usage(calls=3, input_tokens=40, failures=1)}


def test_a_budget_ends_the_day_and_names_its_setting() -> None:
    embedder = _embedder(_Service(), daily_tokens=25)
    embedder.embed_passages(list("abc"))
    with pytest.raises(EmbedderFailed, match="30 of 25") as failed:
        embedder.embed_query("a")
    assert "embedder.daily_tokens" in failed.value.hint


def test_a_meter_that_cannot_be_written_stops_no_search() -> None:
    class Closed(_Ledger):
        def charge(self, *row) -> None:
            raise StoreReadOnly("no")

    assert _embedder(_Service(), ledger=Closed()).embed_query("a")


def test_a_reranker_gives_a_score_for_each_text_and_sends_no_secret() -> None:
    asked: list = []

    class Ranker:
        model = "some:ranker"

        def rerank(self, question, texts) -> Reranked:
            asked.append((question, texts))
            return Reranked([0.5] * len(texts))

    reranker = ServiceReranker(Ranker(), _metered([], _Ledger(), role=RERANKER))
    assert reranker.scores("a", []) == []
    assert asked == []
    assert reranker.scores(f"what is {_KEY}?", ["a", f"it is {_KEY}"]) == [0.5, 0.5]
    assert _KEY not in str(asked)
    Ranker.rerank = lambda self, question, texts: Reranked([])
    with pytest.raises(RerankerFailed, match="0 scores for 1 texts"):
        reranker.scores("a", ["b"])
