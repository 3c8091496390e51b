"""Query → hits, over the in-memory store."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from gieok.errors import EmbedderFailed, ShapeMismatch
from gieok.flow.lifecycle import fill_vectors
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.model.retrieval import Filter, FoundPassage, Ranking
from gieok.ranking import rank
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, RankedHits, recall
from gieok.testing import HashEmbedder, ManualClock, MemoryStore

_MAIN, _OTHER = Scope("agent:main"), Scope("agent:other")
_CLOCK = ManualClock()
_TODAY = _CLOCK.now()
_PROFILE = Profile(
    name="test", min_score=0.0, least_best=0.0, half_life_days=30.0, relevance_trade=1.0
)


def _entry(
    key: str, text: str, *, scope: Scope = _MAIN, day: date | None = None, age_days: int = 0
) -> Entry:
    moment = _TODAY - timedelta(days=age_days)
    document = Document(
        scope=scope,
        key=key,
        kind="memory",
        text=text,
        content_hash=text,
        created_at=moment,
        updated_at=moment,
        valid_from=datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None,
    )
    return Entry(document, (Passage(0, len(text), 1, 1),))


def _store(*entries: Entry) -> MemoryStore:
    store = MemoryStore()
    filler = [
        "점심은 김치찌개",
        "the cat sleeps",
        "회의는 길었다",
        "boiler was fixed",
        "서버를 배포했다",
        "weather is fine",
    ]
    store.put([*entries, *(_entry(f"filler-{n}", text) for n, text in enumerate(filler))])
    return store


def _ask(
    store: MemoryStore,
    text: str,
    profile: Profile = _PROFILE,
    *,
    embedder: HashEmbedder | None = None,
    scopes: tuple[Scope, ...] = (_MAIN,),
    where: Filter | None = None,
    zone: timezone = UTC,
) -> RankedHits:
    question = Question(text=text, scopes=scopes, where=where or Filter())
    return recall(store, embedder, question, profile, _CLOCK, zone)


def _keys(found: RankedHits) -> list[str]:
    return [hit.passage.key for hit in found.hits]


@pytest.mark.parametrize("text", ["결제", "", "?!", "what is it", "지난주"])
@pytest.mark.parametrize("embedder", [None, HashEmbedder()])
def test_an_empty_store_gives_nothing(text: str, embedder: HashEmbedder | None) -> None:
    found = _ask(MemoryStore(), text, embedder=embedder)
    assert (found.hits, found.degraded) == ((), None)


def test_an_inflected_word_is_found_first() -> None:
    store = _store(_entry("pay", "결제했다, 어제 밤에"), _entry("refund", "환불은 없었다"))
    assert _keys(_ask(store, "결제를 언제 했나?"))[0] == "pay"
    assert _keys(_ask(store, "\u1100\u1167\u11af\u110c\u1166"))[0] == "pay"


class _Failing(HashEmbedder):
    def embed_query(self, text: str) -> bytes:
        raise EmbedderFailed("out of memory", hint="close something")


def test_without_the_embedder_words_still_answer_and_the_result_says_so() -> None:
    store = _store(_entry("pay", "결제했다"))
    fill_vectors(store, HashEmbedder())
    found = _ask(store, "결제", embedder=_Failing())
    assert _keys(found)[0] == "pay"
    assert found.degraded == "keyword search only: out of memory (close something)"


def test_another_models_vectors_are_an_error() -> None:
    store = _store()
    fill_vectors(store, HashEmbedder(64))
    with pytest.raises(ShapeMismatch):
        _ask(store, "결제", embedder=HashEmbedder(32))


def test_missing_vectors_are_counted_for_the_scope_that_is_asked() -> None:
    store, embedder = _store(_entry("pay", "결제했다")), HashEmbedder()
    assert _ask(store, "결제", embedder=embedder).degraded == "7 passages have no vector yet"
    fill_vectors(store, embedder)
    store.put([_entry("else", "다른 사람의 것", scope=_OTHER)])
    assert _ask(store, "결제", embedder=embedder).degraded is None


def test_a_new_note_is_found_by_its_words_before_it_has_a_vector() -> None:
    profile = replace(_PROFILE, min_score=0.2)
    store, embedder = _store(), HashEmbedder()
    fill_vectors(store, embedder)
    store.put([_entry("pay", "결제했다")])
    alone = _ask(store, "결제", profile)
    found = _ask(store, "결제", profile, embedder=embedder)
    assert _keys(found)[0] == "pay"
    assert found.hits[0].score == alone.hits[0].score


class _Replaced(MemoryStore):
    """Another process replaces every document between the moment of searching and the moment of
    fetching, once.
    """

    is_replaced = False

    def passages(self, ids: Sequence[int], scope: Scope | None = None) -> list[FoundPassage]:
        if not self.is_replaced:
            self.is_replaced = True
            self.put([_entry("pay", "결제했다"), _entry("other", "다른 것")])
        return super().passages(ids, scope)


def test_a_document_that_is_replaced_meanwhile_is_still_found() -> None:
    store = _Replaced()
    store.put([_entry("pay", "결제했다"), _entry("other", "다른 것")])
    assert _keys(_ask(store, "결제")) == ["pay"]


class _Vanished(MemoryStore):
    """Other processes remove every passage between each search and what it fetches."""

    fetched = 0

    def passages(self, ids: Sequence[int], scope: Scope | None = None) -> list[FoundPassage]:
        self.fetched += 1
        return []


def test_a_search_that_documents_vanish_under_is_tried_five_times() -> None:
    store = _Vanished()
    store.put([_entry("pay", "결제했다")])
    assert _ask(store, "결제").hits == ()
    assert store.fetched == 5


def test_vectors_are_not_used_where_the_question_says_so() -> None:
    store = _store(_entry("pay", "결제했다"))
    question = Question(text="결제", scopes=(_MAIN,), use_vectors=False)
    found = recall(store, _Failing(), question, _PROFILE, _CLOCK)
    assert found.degraded is None
    assert "vector" not in found.hits[0].signals


@pytest.mark.parametrize("question", ["지난주에 배운 요리", "what recipe last week 요리"])
def test_the_days_that_the_question_names_come_first(question: str) -> None:
    store = _store(
        _entry("old", "요리 recipe 새로", day=date(2026, 8, 1)),
        _entry("undated", "요리 recipe 새로"),
        _entry("last-week", "요리 recipe 새로", day=date(2026, 11, 11)),
    )
    found = _ask(store, question)
    assert _keys(found)[:3] == ["last-week", "undated", "old"]
    assert found.span is not None
    assert found.span.first == date(2026, 11, 9)
    assert [hit.signals.get("days", 1.0) for hit in found.hits[:3]] == [1.0, 0.8, 0.5]


def test_today_is_the_day_of_the_asker() -> None:
    found = _ask(_store(), "오늘", zone=timezone(timedelta(hours=14)))
    assert found.span is not None
    assert found.span.first == date(2026, 11, 22)


def test_older_dated_notes_fall_behind_and_undated_ones_never_do() -> None:
    ages = {"today": 0, "month": 30, "year": 365}
    store = _store(
        *(
            _entry(key, "요리 새로", day=_TODAY.date() - timedelta(days=age))
            for key, age in ages.items()
        ),
        _entry("undated", "요리 새로", age_days=3000),
    )
    found = _ask(store, "요리")
    assert _keys(found)[-2:] == ["month", "year"]
    decays = {hit.passage.key: hit.signals.get("decay", 1.0) for hit in found.hits}
    assert decays["undated"] == 1.0
    assert 1.0 >= decays["today"] > decays["month"] > decays["year"] >= _PROFILE.decay_floor


def test_nothing_decays_without_a_half_life() -> None:
    store = _store(_entry("old", "요리 새로", day=date(2020, 1, 1)))
    assert "decay" not in _ask(store, "요리", replace(_PROFILE, half_life_days=0.0)).hits[0].signals


def test_a_filter_bounds_the_days() -> None:
    store = _store(*(_entry(f"d{day}", "요리 새로", day=date(2026, 11, day)) for day in (1, 2, 3)))
    where = Filter(
        frozenset(), datetime(2026, 11, 2, tzinfo=UTC), datetime(2026, 11, 3, tzinfo=UTC)
    )
    assert _keys(_ask(store, "요리", where=where)) == ["d2"]
    assert _keys(_ask(store, "요리", where=Filter(kinds=frozenset(["session"])))) == []


def test_scopes_never_mix_unless_both_are_named() -> None:
    store = _store(_entry("mine", "결제했다"), _entry("theirs", "결제했다", scope=_OTHER))
    assert _keys(_ask(store, "결제")) == ["mine"]
    assert _keys(_ask(store, "결제", scopes=(_OTHER,))) == ["theirs"]
    assert sorted(_keys(_ask(store, "결제", scopes=(_MAIN, _OTHER)))) == ["mine", "theirs"]


def test_the_limit_and_the_threshold_cut_the_list() -> None:
    store = _store(*(_entry(f"pay-{n}", "결제 " + "다른 낱말 " * n) for n in range(9)))
    everything = _ask(store, "결제", replace(_PROFILE, limit=30))
    assert len(everything.hits) == 9
    assert _keys(_ask(store, "결제", replace(_PROFILE, limit=2))) == _keys(everything)[:2]
    threshold = everything.hits[3].score
    passing = _ask(store, "결제", replace(_PROFILE, limit=30, min_score=threshold)).hits
    assert len(passing) >= 4
    assert all(hit.score >= threshold for hit in passing)
    assert _ask(store, "결제", replace(_PROFILE, min_score=1.01)).hits == ()


def test_a_limit_reaches_the_families_beside() -> None:
    turns = replace(_PROFILE, name="turns", kinds=frozenset(("turn",)))
    profile = replace(_PROFILE, without=turns.kinds, beside=(turns,))
    said = [_entry(f"talk-{n}", "User: 결제 " + "다른 낱말 " * n) for n in range(45)]
    store = _store(
        *(entry._replace(document=replace(entry.document, kind="turn")) for entry in said)
    )
    assert len(_ask(store, "결제", profile.with_limit(40)).hits) == 40
    assert len(_ask(store, "결제", profile.with_limit(3)).hits) == 3


def test_scores_fall_and_lie_between_nought_and_one() -> None:
    store, embedder = (
        _store(*(_entry(f"pay-{n}", "결제 정산 " * n + "서버") for n in range(9))),
        HashEmbedder(),
    )
    fill_vectors(store, embedder)
    for text in ("결제", "결제 서버", "boiler", "결제했다."):
        scores = [hit.score for hit in _ask(store, text, embedder=embedder).hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)


def test_repeats_make_room() -> None:
    store = _store(
        *(_entry(f"same-{n}", "결제 서버가 멈췄다 다시 켰다") for n in range(3)),
        _entry("other", "결제 서버가 멈췄다 사과문을 보내고 손님에게 쿠폰을 주었다"),
    )
    assert (
        _keys(_ask(store, "결제 서버 멈췄다", replace(_PROFILE, relevance_trade=0.3)))[1] == "other"
    )


def test_signals_say_what_made_the_score() -> None:
    store, embedder = _store(_entry("pay", "결제했다")), HashEmbedder()
    fill_vectors(store, embedder)
    signals = _ask(store, "결제", embedder=embedder).hits[0].signals
    assert {"fused", "keyword", "keyword_rank", "vector", "vector_rank"} <= set(signals)
    assert signals["keyword_rank"] == 1
    assert 0 < signals["keyword"] <= 1


def test_asking_changes_nothing_and_gives_the_same_again() -> None:
    store, embedder = _store(_entry("pay", "결제했다")), HashEmbedder()
    fill_vectors(store, embedder)
    assert _ask(store, "결제 서버", embedder=embedder) == _ask(
        store, "결제 서버", embedder=embedder
    )


@pytest.mark.parametrize(
    "text",
    [
        "결제 " * 3000,
        "\x00\x1b[2J",
        "\ud800",
        "a" * 100_000,
        "(((((",
        '" OR 1=1 --',
        "*",
        "NEAR(a b)",
    ],
)
def test_no_question_is_too_strange(text: str) -> None:
    store, embedder = _store(_entry("pay", "결제했다")), HashEmbedder()
    fill_vectors(store, embedder)
    assert isinstance(_ask(store, text, embedder=embedder), RankedHits)


def test_the_hash_embedder_is_asked_for_a_list(  # statements are also imagined as an answer
) -> None:
    store, embedder = _store(_entry("pay", "결제했다")), HashEmbedder()
    fill_vectors(store, embedder)
    embedder.embedded.clear()
    _ask(store, "결제했다.", embedder=embedder)
    asked: Sequence[str] = embedder.embedded
    assert asked == ["결제했다."]


def test_only_what_is_likely_is_put_in_the_order_of_its_days() -> None:
    store = _store(
        _entry("old", "결제 서버를 정했다", day=date(2026, 11, 1)),
        _entry("new", "결제 서버를 바꿨다", day=date(2026, 11, 9)),
        _entry("weak", "서버 이야기", day=date(2026, 11, 20)),
    )
    found = _ask(store, "최근 결제 서버", replace(_PROFILE, half_life_days=0.0))
    scores = {hit.passage.key: hit.score for hit in found.hits}
    assert _keys(found)[:2] == ["new", "old"]
    assert scores["weak"] < 0.5 * max(scores.values())


@pytest.mark.parametrize(("least", "is_found"), [(0.0, True), (1.0, False)])
def test_a_family_whose_best_is_too_unlikely_gives_its_nearest_alone(
    least: float, is_found: bool
) -> None:
    store = _store(_entry("pay", "결제 서버"))
    found = _ask(store, "결제 서버", replace(_PROFILE, least_best=least))
    assert bool(found.hits) is is_found
    assert (found.nearest is None) is is_found
    if found.nearest:
        assert found.nearest.passage.key == "pay"
        best = found.nearest.score
        assert _ask(store, "결제 서버", replace(_PROFILE, least_best=best)).hits


def test_days_that_a_question_names_keep_undated_notes_before_those_of_other_days() -> None:
    texts = {"of the day": date(2026, 11, 11), "of another day": date(2026, 10, 1), "undated": None}
    store = _store(*(_entry(key, "결제 서버를 정했다", day=day) for key, day in texts.items()))
    profile = replace(
        _PROFILE, learned="", relevance_trade=1.0, other_days_share=0.4, undated_share=0.7
    )
    found = _ask(store, "11월 11일에 정한 결제 서버", profile)
    scores = {hit.passage.key: hit.score for hit in found.hits}
    factors = {key: hit.signals.get("days", 1.0) for hit in found.hits for key in [hit.passage.key]}
    assert {key: factors[key] for key in texts} == {
        "of the day": 1.0,
        "of another day": 0.4,
        "undated": 0.7,
    }
    assert scores["of the day"] > scores["undated"] > scores["of another day"]


@pytest.mark.parametrize(
    ("text", "has_vectors", "full_coverage", "weights"),
    [
        ("결제 서버", False, 0.0, (1.0,)),
        ("결제 서버", True, 0.0, (0.4, 0.6)),
        ("결제 서버를 정했다.", True, 0.0, (0.3, 0.7)),
        ("결제 서버", True, 0.3, (0.4, 0.6)),
    ],
)
def test_words_and_vectors_have_their_shares(
    text: str, *, has_vectors: bool, full_coverage: float, weights: tuple[float, ...]
) -> None:
    assert _record_weights(text, has_vectors=has_vectors, full_coverage=full_coverage) == weights


def test_words_count_less_as_far_as_their_best_holds_less_of_the_question() -> None:
    rare = "결제 서버 고장 원인 담당 부서 연락 번호"
    whole, part = (
        _record_weights(text, has_vectors=True, full_coverage=1.0)
        for text in ("결제 서버", f"결제 {rare} 이월 처리")
    )
    assert 0 < part[0] < whole[0] <= 0.4
    assert part[1] == pytest.approx(1 - part[0])
    assert _record_weights("zzyzx", has_vectors=True, full_coverage=1.0) == (0.0, 1.0)


def _record_weights(text: str, *, has_vectors: bool, full_coverage: float) -> tuple[float, ...]:
    """Return the weights by which the rankings of a question are added."""
    recorded: list[tuple[float, ...]] = []

    def fuse(rankings: Sequence[Ranking], weights: Sequence[float], full: int) -> rank.Scores:
        recorded.append(tuple(round(weight, 6) for weight in weights))
        assert full == _PROFILE.candidates
        return rank.standardised_sum(rankings, weights, full)

    store, embedder = _store(_entry("pay", "결제 서버"), _entry("cart", "서버")), HashEmbedder()
    fill_vectors(store, embedder)
    profile = replace(_PROFILE, fuse=fuse, full_coverage=full_coverage)
    _ask(store, text, profile, embedder=embedder if has_vectors else None)
    return recorded[0]


def test_the_words_of_a_day_count_a_third_of_others() -> None:
    store = _store(_entry("day", "어제 있었다"), _entry("pay", "결제 있었다"))
    signals = {hit.passage.key: hit.signals for hit in _ask(store, "어제 결제").hits}
    assert signals["pay"]["keyword"] > 2 * signals.get("day", {"keyword": 0.0})["keyword"]


def test_kinds_that_are_asked_for_are_searched_and_no_others() -> None:
    store = _store(_entry("pay", "결제했다"))
    assert _keys(_ask(store, "결제", where=Filter(kinds=frozenset(["memory"])))) == ["pay"]
    no_notes = replace(_PROFILE, without=frozenset(["memory"]))
    assert _keys(_ask(store, "결제", no_notes, where=Filter(kinds=frozenset(["memory"])))) == []


class _Switched(HashEmbedder):
    """Follows a store whose model another process switches each time between two steps."""

    behind, is_upgrade = "", False

    def __init__(self) -> None:
        super().__init__()
        self.followed = 0

    def wanted(self) -> HashEmbedder:
        return self

    def of(self, store: object) -> HashEmbedder:
        self.followed += 1
        raise ShapeMismatch("another model", hint="ask again")


def test_a_switch_of_models_under_a_question_is_followed_three_times() -> None:
    embedder = _Switched()
    with pytest.raises(ShapeMismatch):
        _ask(_store(_entry("pay", "결제했다")), "결제", embedder=embedder)
    assert embedder.followed == 3
