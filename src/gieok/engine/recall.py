"""Question → hits: ask the retrievers, fuse their rankings, weigh, diversify, cut, cite.

One pass for every rib; what differs is in the `Profile`. A retriever that cannot answer is named in `RankedHits.degraded`,
and the hits come from the others.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from math import sqrt
from typing import NamedTuple, TypeVar

from gieok.engine import rank
from gieok.engine.age import age_factor
from gieok.engine.profile import Profile
from gieok.engine.snippet import snippet
from gieok.errors import EmbedderFailed, StoreBusy, StoreUnreachable
from gieok.model.memory import PassageId, Scope
from gieok.model.retrieval import Filter, FoundPassage, Hit, KeywordQuery, Ranking, VectorQuery
from gieok.ports.models import Embedder
from gieok.ports.store import Documents, KeywordSearch, ManagedSearch, Store, VectorSearch
from gieok.ports.system import Clock
from gieok.text.dates import DateSpan, find_span
from gieok.text.keywords import is_statement, keyword_text, normalise, query_tokens
from gieok.text.language import language_of

_DATE_WORD_WEIGHT = 0.3
_TRIES = 5


class Question(NamedTuple):
    """What is asked, of which scopes, and within which bounds."""

    text: str
    scopes: tuple[Scope, ...]
    where: Filter = Filter()
    use_vectors: bool = True
    #: Where a service searches by meaning: search by keywords too. Without an answer of the service, both ways do.
    hybrid: bool = True


class RankedHits(NamedTuple):
    """Hits, best first; why they may be fewer or worse than usual; the days that the question was taken to name."""

    hits: tuple[Hit, ...]
    degraded: str | None = None
    span: DateSpan | None = None


class _Candidate(NamedTuple):
    passage: FoundPassage
    score: float
    signals: dict[str, float]


class _Query(NamedTuple):
    """A question prepared for every scope."""

    question: Question
    tokens: Mapping[str, float]
    vector: bytes | None
    profile: Profile


_S = TypeVar("_S", bound=Store)
_A = TypeVar("_A")


def first_answer(stores: Sequence[_S], ask: Callable[[_S], _A]) -> tuple[_A, str | None]:
    """Return the answer of the first store that answers in time, and why those before it did not."""
    silent: list[str] = []
    for store in stores[:-1]:
        try:
            return ask(store), "; ".join(silent) or None
        except (StoreUnreachable, StoreBusy) as error:
            silent.append(f"{error} ({error.hint})")
    return ask(stores[-1]), "; ".join(silent) or None


def recall(
    store: Documents,
    embedder: Embedder | None,
    question: Question,
    profile: Profile,
    clock: Clock,
    zone: tzinfo = UTC,
) -> RankedHits:
    """Return the hits for a question, ranked by one profile, from the retrievers that the store has."""
    question = question._replace(text=normalise(question.text))
    if profile.kinds:
        question = question._replace(where=question.where._replace(kinds=question.where.kinds or profile.kinds))
    if not keyword_text(question.text):  # "!!!" asks nothing, but its vector would be near to something
        return RankedHits(())
    now = clock.now()
    span = find_span(question.text, now.astimezone(zone).date())
    vector, degraded = _query_vector(store, embedder, question, profile)
    query = _Query(question, _tokens(question, span, profile), vector, profile)
    searched = [_search_scope(store, scope, query) for scope in question.scopes]
    # A stable sort: among equal scores the fused order stands.
    found = (_weighed(candidate, profile, now, span) for candidates, _ in searched for candidate in candidates)
    hits = _chosen(sorted(found, key=lambda c: -c.score)[: profile.considered], query.tokens, profile)
    reasons = [degraded, *(reason for _, reason in searched), _unfinished(store, question.scopes) if vector else None]
    return RankedHits(tuple(hits), "; ".join(dict.fromkeys(filter(None, reasons))) or None, span)


def _tokens(question: Question, span: DateSpan | None, profile: Profile) -> dict[str, float]:
    """Return the tokens to look for; the words of a date count little, because notes carry their date elsewhere."""
    tokens = query_tokens(question.text, profile.stop_words)
    dated = query_tokens(span.words) if span else ()
    return {token: _DATE_WORD_WEIGHT if token in dated else weight for token, weight in tokens.items()}


def _query_vector(
    store: Documents, embedder: Embedder | None, question: Question, profile: Profile
) -> tuple[bytes | None, str | None]:
    """Return the vector to look near, and why there is none where one was expected."""
    if embedder is None or not question.use_vectors or not isinstance(store, VectorSearch):
        return None, None
    store.use_model(embedder.model, embedder.dimension)
    try:
        vector = embedder.embed_query(question.text)
        imagined = profile.imagine(question.text)
        return (_unit_sum(vector, embedder.embed_passages([imagined])[0]) if imagined else vector), None
    except EmbedderFailed as error:
        return None, f"keyword search only: {error} ({error.hint})"


def _unit_sum(a: bytes, b: bytes) -> bytes:
    values = [x + y for x, y in zip(array("f", a), array("f", b), strict=True)]
    norm = sqrt(sum(v * v for v in values)) or 1.0
    return array("f", [v / norm for v in values]).tobytes()


def _unfinished(store: Documents, scopes: Sequence[Scope]) -> str | None:
    waiting = sum(_waiting(store, scope) for scope in scopes)
    return f"{waiting} passages have no vector yet" if waiting else None


def _waiting(store: Documents, scope: Scope) -> int:
    return store.waiting(scope) if isinstance(store, VectorSearch) else 0


def _search_scope(
    store: Documents, scope: Scope, query: _Query, tries: int = _TRIES
) -> tuple[list[_Candidate], str | None]:
    """Return candidates, and why a retriever did not take part."""
    rankings, degraded = _retrieve(store, scope, query)
    fused = _fuse(rankings, query)
    best = sorted(fused, key=lambda p: (-fused[p], p))[: query.profile.considered]
    all_have_vectors = query.vector is not None and not _waiting(store, scope)
    signals = _signals(rankings, fused)
    found = _candidates(store.passages(best), signals, query, all_have_vectors=all_have_vectors)
    if len(found) < len(best) and tries > 1:  # another process replaced documents in the meantime
        return _search_scope(store, scope, query, tries - 1)
    return found, degraded


def _retrieve(store: Documents, scope: Scope, query: _Query) -> tuple[list[Ranking], str | None]:
    """Ask every retriever of the store; one whose service cannot be reached is named and left out."""
    question, profile = query.question, query.profile
    rankings, degraded = list[Ranking](), None
    if question.use_vectors and isinstance(store, ManagedSearch):
        try:
            rankings.append(store.managed(scope, question.text, question.where, profile.candidates))
        except StoreUnreachable as error:
            degraded = f"{error} ({error.hint})"
    if query.vector is not None and isinstance(store, VectorSearch):
        near = VectorQuery(vector=query.vector, hub_weight=profile.hub_weight)
        rankings.append(store.nearest(scope, near, question.where, profile.candidates))
    if isinstance(store, KeywordSearch) and (question.hybrid or not isinstance(store, ManagedSearch) or not rankings):
        by = profile.bm25
        words = KeywordQuery(query.tokens, by.k1, by.b, by.context_weight, by.spread)
        rankings.insert(0, store.keyword(scope, words, question.where, profile.candidates))
    return rankings, degraded


def _fuse(rankings: Sequence[Ranking], query: _Query) -> rank.Scores:
    """Return one score per candidate of any ranking: keywords have their share, the others have the rest."""
    profile = query.profile
    share = profile.statement_keyword_share if is_statement(query.question.text) else profile.keyword_share
    words = [ranking for ranking in rankings if ranking.name == "keyword"]
    if profile.full_coverage and words:
        best = words[0].ranked[0][1] / words[0].ceiling if words[0].ranked else 0.0
        share *= min(1.0, best / profile.full_coverage)
    if len(rankings) == 1:
        return profile.fuse(rankings, (1.0,), profile.candidates)
    others = len(rankings) - len(words)
    weights = [share if r.name == "keyword" else (1 - share if words else 1.0) / others for r in rankings]
    return profile.fuse(rankings, weights, profile.candidates)


def _signals(rankings: Sequence[Ranking], fused: rank.Scores) -> dict[PassageId, dict[str, float]]:
    """Return the fused score, and each ranking's place and comparable value, by passage."""
    signals: dict[PassageId, dict[str, float]] = defaultdict(dict)
    for passage, score in fused.items():
        signals[passage]["fused"] = score
    for ranking in rankings:
        for place, (passage, score) in enumerate(ranking.ranked):
            signals[passage][f"{ranking.name}_rank"] = place + 1
            signals[passage][ranking.name] = ranking.cosines[place] if ranking.cosines else score / ranking.ceiling
    return signals


def _candidates(
    passages: Sequence[FoundPassage],
    signals: Mapping[PassageId, dict[str, float]],
    query: _Query,
    *,
    all_have_vectors: bool,
) -> list[_Candidate]:
    """Return the passages with their signals and a score that compares between queries.

    A passage without a vector yet is scored by its keywords alone: it can be found as soon as it is stored.
    """
    confidence, language = query.profile.confidence, language_of(query.question.text)
    found = []
    lowest = 1.0
    for passage in passages:
        own = signals[passage.id]
        has_vector = all_have_vectors or "vector" in own
        if language_of(passage.text) != language:
            own["other_language"] = 1.0
        score = confidence.of(own, has_vectors=has_vector) if confidence else own["fused"]
        if has_vector or "managed" in own:
            # Never above a passage that ranks before it: the order is the better judge, the score says how sure.
            score = lowest = min(lowest, score)
        found.append(_Candidate(passage, score, own))
    return found


def _weighed(candidate: _Candidate, profile: Profile, now: datetime, span: DateSpan | None) -> _Candidate:
    """Weigh a candidate by its age, its own mark, and the days that the question names."""
    day = candidate.passage.valid_from
    age_s = None if span or day is None else (now - day).total_seconds()
    factors = {
        "decay": age_factor(age_s, profile.half_life_days, profile.decay_floor),
        "mark": profile.weigh(candidate.passage),
        "days": _days_factor(day, span, profile) if span else 1.0,
    }
    score = candidate.score
    for factor in factors.values():
        score *= factor
    shown = {name: factor for name, factor in factors.items() if factor != 1.0}
    return _Candidate(candidate.passage, min(score, 1.0), {**candidate.signals, **shown})


def _days_factor(moment: datetime | None, span: DateSpan, profile: Profile) -> float:
    if moment is None:
        return profile.undated_share
    return 1.0 if span.first <= moment.date() <= span.last else profile.other_days_share


def _chosen(ranked: Sequence[_Candidate], tokens: Collection[str], profile: Profile) -> list[Hit]:
    """Diversify, cut at the threshold and the limit, and make snippets."""
    passing = {c.passage.id: c for c in ranked if c.score >= profile.min_score}
    is_diverse = profile.relevance_trade < 1
    words = {i: frozenset(c.passage.text.split()) for i, c in passing.items()} if is_diverse else {}
    scores = {i: c.score for i, c in passing.items()}
    order = rank.diversify(scores, words, profile.relevance_trade, profile.likeness_floor, profile.limit)
    return [_hit(passing[i], tokens, profile.snippet_chars) for i in order]


def _hit(candidate: _Candidate, tokens: Collection[str], snippet_chars: int) -> Hit:
    shown = snippet(candidate.passage.text, tokens, snippet_chars) if snippet_chars else ""
    return Hit(candidate.passage, candidate.score, shown, candidate.signals)
