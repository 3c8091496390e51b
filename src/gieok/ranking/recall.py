"""Question → hits: ask the retrievers, fuse their rankings, weigh, diversify, cut, cite.

One pass for every rib; the differences are in the `Profile`. A retriever that cannot answer is
named in `RankedHits.degraded`, and the hits come from the others.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from math import sqrt
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from gieok.errors import EmbedderFailed, ShapeMismatch, StoreBusy, StoreUnreachable
from gieok.flow import lifecycle
from gieok.model.memory import MADE_THEN, Document, PassageId, Scope
from gieok.model.retrieval import (
    Filter,
    FoundPassage,
    Hit,
    KeywordQuery,
    Line,
    NearLine,
    Ranking,
    VectorQuery,
)
from gieok.ports.models import Embedder, Followed, Reader
from gieok.ports.store import (
    Documents,
    KeywordSearch,
    LineSearch,
    ManagedStore,
    Store,
    VectorSearch,
)
from gieok.ports.system import Clock
from gieok.ranking import calibration, coming, likelihood, managed_leg, rank, timeline
from gieok.ranking.age import age_factor
from gieok.ranking.calibration import Calibrations
from gieok.ranking.claim_rows import RecordedClaims
from gieok.ranking.evidence import (
    AnswerCandidate,
    HelpMeter,
    RankedPassages,
    judge_candidates,
)
from gieok.ranking.managed_leg import ManagedLeg
from gieok.ranking.pool import pool_rankings
from gieok.ranking.profile import Profile
from gieok.ranking.rerank import Reranking, rerank_texts
from gieok.ranking.snippet import snippet
from gieok.text.annotations import importance_factor
from gieok.text.dates import DateSpan, find_asked_span, name_past_year, refused_times
from gieok.text.keywords import is_statement, keyword_text, normalise, query_tokens
from gieok.text.lines import line_number
from gieok.text.times.order import asks_newest, without_order

_DATE_WORD_WEIGHT = 0.3
_TRIES = 5
_SWITCHES = 2
#: Where a question asks for the newest, likely hits are ordered by their day; a hit is likely that
#: has this share of the best hit's probability.
_LIKELY_SHARE = 0.5


class Question(NamedTuple):
    """Question with the scopes to search and the bounds of the search."""

    text: str
    scopes: tuple[Scope, ...]
    where: Filter = Filter()
    use_vectors: bool = True
    #: Where a service searches by meaning: search by keywords too. Without an answer of the
    #: service, both keywords and vectors are searched.
    hybrid: bool = True
    #: What is known of claims that ended, and of what was said later: versions of one statement are
    #: no rivals.
    claims: RecordedClaims | None = None


class RankedHits(NamedTuple):
    """Hits, best first, with notes on how the search went.

    Besides the hits: why they may be fewer or worse than usual, and the days that the question was
    taken to name. `is_timeline`: the question asked for those days, and the hits list them.
    `nearest`: the nearest passages, where nothing answers.
    """

    hits: tuple[Hit, ...]
    degraded: str | None = None
    span: DateSpan | None = None
    is_timeline: bool = False
    nearest: Hit | None = None
    #: Words that look like a time and were not taken as a time, because only a part of them is
    #: understood.
    refused: tuple[str, ...] = ()


def holding(store: Store, scopes: Sequence[Scope]) -> tuple[Scope, ...]:
    """Return those scopes that hold any document."""
    # Reading the notes of a scope costs one look; listing all scopes, where there are thousands,
    # costs more than the search.
    if all(map(store.notes, scopes)):
        return tuple(scopes)
    known = store.scopes()
    return tuple(scope for scope in scopes if scope in known)


def documents_of(store: Documents, hits: Iterable[Hit]) -> dict[tuple[Scope, str], Document]:
    """Return the documents of hits by scope and key; deleted documents are left out."""
    keys: dict[Scope, dict[str, None]] = {}
    for hit in hits:
        keys.setdefault(hit.passage.scope, {})[hit.passage.key] = None
    documents = (
        document for scope, named in keys.items() for document in store.get(scope, list(named))
    )
    return {(document.scope, document.key): document for document in documents}


class _PreparedQuestion(NamedTuple):
    """A question prepared for every scope."""

    question: Question
    tokens: Mapping[str, float]
    vector: bytes | None
    profile: Profile
    #: The model of the vector, and the calibrations fitted for models.
    model: str = ""
    calibrations: Calibrations = MappingProxyType({})
    #: The answer of a service, which is asked once for all scopes.
    service: ManagedLeg = ManagedLeg()
    meter: HelpMeter | None = None


_S = TypeVar("_S", bound=Store)
_A = TypeVar("_A")


def first_answer(stores: Sequence[_S], ask: Callable[[_S], _A]) -> tuple[_A, str | None]:
    """Return the answer of the first store that answers in time.

    The second value says why the stores before it did not answer.
    """
    silent: list[str] = []
    for store in stores[:-1]:
        try:
            return ask(store), "; ".join(silent) or None
        except (StoreUnreachable, StoreBusy) as error:
            silent.append(error.in_full)
    return ask(stores[-1]), "; ".join(silent) or None


def recall(
    store: Documents,
    embedder: Embedder | None,
    question: Question,
    profile: Profile,
    clock: Clock,
    zone: tzinfo = UTC,
    reranking: Reranking | None = None,
    reader: Reader | None = None,
) -> RankedHits:
    """Return the hits for a question, ranked by one profile.

    The hits come from the retrievers that the store has. A `reader` measures how close the best few
    come to the question. Where another process switches the store
    to another embedding model between two steps, the question is embedded by the new model.
    """
    for _ in range(_SWITCHES):
        try:
            return _recall_hits(store, embedder, question, profile, clock, zone, reranking, reader)
        except ShapeMismatch:
            if not isinstance(embedder, Followed):
                raise
    return _recall_hits(store, embedder, question, profile, clock, zone, reranking, reader)


def _recall_hits(
    store: Documents,
    embedder: Embedder | None,
    question: Question,
    profile: Profile,
    clock: Clock,
    zone: tzinfo,
    reranking: Reranking | None,
    reader: Reader | None,
) -> RankedHits:
    question = question._replace(text=normalise(question.text))
    # "!!!" asks nothing, but its vector would be near to some passage.
    if not keyword_text(question.text):
        return RankedHits(())
    now = clock.now()
    today = now.astimezone(zone).date()
    span = find_asked_span(question.text, today)
    if coming_span := coming.find_coming_span(question.text, today):
        limit = profile.limit
        named = coming.list_coming_hits(store, question.scopes, question.where, coming_span, limit)
        if named:
            return RankedHits(named, None, coming_span, is_timeline=True)
    vector, model, degraded = _query_vector(store, embedder, question, profile)
    if period := timeline.find_asked_period(question.text, today):
        period_question = timeline.PeriodQuestion(
            period=period, scopes=question.scopes, where=question.where, vector=vector, zone=zone
        )
        # A question that is only a day (화요일) may also mean a word in notes: 매주 화요일.
        if (hits := timeline.list_period_hits(store, period_question, profile)) or not (
            period.is_newest or period.words or question.text == period.span.words
        ):
            listed_span = None if period.is_newest else period.span
            return RankedHits(hits, degraded, listed_span, is_timeline=not period.is_newest)
    tokens = _build_query_tokens(question, span, profile)
    # The weights that know how surely a line helps were fitted beside vectors of the bundled model.
    is_fitted = vector is not None and model == calibration.FITTED_ON
    dated_text = name_past_year(question.text, span, today)
    meter = HelpMeter(reader, dated_text) if reader and is_fitted else None
    query = _PreparedQuestion(
        question=question,
        tokens=tokens,
        vector=vector,
        profile=profile,
        model=model,
        calibrations=profile.calibrations,
        meter=meter,
    )
    candidates, below, reasons = _find_candidates(
        store, query, lambda one, family: _weigh_candidate(one, family, now, span, zone)
    )
    # A stable sort: candidates with equal scores stay in the fused order.
    ordered = sorted(candidates, key=lambda c: -c.score)
    distinct = {passage.id for passage in _drop_doubles(c.passage for c in ordered)}
    best = [c for c in ordered if c.passage.id in distinct][: profile.considered]
    ranked, unread = _rerank_candidates(best, question.text, reranking)
    chosen = _choose_hits(ranked, tokens, profile)
    reasons = [
        degraded,
        unread,
        meter.failure if meter else None,
        *reasons,
        _explain_waiting_vectors(store, question.scopes) if vector else None,
    ]
    near = max((*below, *best), key=lambda c: c.score, default=None) if not chosen else None
    if asks_newest(question.text):
        chosen = _sort_likely_by_day(chosen, zone)
    return RankedHits(
        tuple(chosen),
        "; ".join(dict.fromkeys(filter(None, reasons))) or None,
        span,
        nearest=_build_hit(near, tokens, profile.snippet_chars) if near else None,
        refused=refused_times(question.text, today),
    )


def _sort_likely_by_day(hits: Sequence[Hit], zone: tzinfo) -> list[Hit]:
    """Return likely hits by day, the newest first, and the other hits behind them."""
    least = hits[0].score * _LIKELY_SHARE if hits else 0.0
    likely = [hit for hit in hits if hit.score >= least]
    rest = [hit for hit in hits if hit.score < least]
    return [
        *sorted(likely, key=lambda hit: timeline.find_passage_day(hit.passage, zone), reverse=True),
        *rest,
    ]


def _find_candidates(
    store: Documents,
    query: _PreparedQuestion,
    weighed: Callable[[AnswerCandidate, Profile], AnswerCandidate],
) -> tuple[list[AnswerCandidate], list[AnswerCandidate], list[str | None]]:
    """Return the candidates of every family and scope.

    Three lists: the candidates, the candidates of families without an answer, and why retrievers
    took no part.
    """
    candidates, below, reasons = (
        list[AnswerCandidate](),
        list[AnswerCandidate](),
        list[str | None](),
    )
    for family in _select_families(store, query.question, query.profile):
        question = _of_family(query.question, family)
        if question is None:
            continue
        service = ManagedLeg()
        if question.use_vectors:
            service = managed_leg.ask_managed_service(
                store, question.scopes, question.text, question.where, family.candidates
            )
            reasons.append(service.note)
        own = query._replace(question=question, profile=family, service=service)
        of_family: list[AnswerCandidate] = []
        for scopes in _searched_together(own):
            of_family += (
                weighed(candidate, family) for candidate in _search_scopes(store, scopes, own)
            )
        answers = (
            max((candidate.score for candidate in of_family), default=0.0) >= family.least_best
        )
        (candidates if answers else below).extend(of_family)
    return candidates, below, reasons


def _select_families(store: Documents, question: Question, profile: Profile) -> tuple[Profile, ...]:
    """Return the families of documents to search, each by itself.

    A service is asked once for all families, because every call costs.
    """
    if question.use_vectors and isinstance(store, ManagedStore):
        return (replace(profile, without=frozenset()),)
    return (profile, *profile.beside)


def _of_family(question: Question, profile: Profile) -> Question | None:
    """Return the question to one family of documents; None where the asker wants other kinds
    only.
    """
    where = question.where
    kinds = (
        where.kinds & profile.kinds
        if where.kinds and profile.kinds
        else where.kinds or profile.kinds
    )
    kinds -= profile.without
    if where.kinds and not kinds:
        return None
    # Where the wanted kinds are named, no kind needs to be left out.
    return question._replace(
        where=where._replace(kinds=kinds, without=frozenset() if kinds else profile.without)
    )


def _build_query_tokens(
    question: Question, span: DateSpan | None, profile: Profile
) -> dict[str, float]:
    """Return the tokens to look for, with their weights.

    The words of a date count little, because notes carry their date outside the text.
    """
    tokens = query_tokens(question.text, profile.stop_words)
    dated = set(query_tokens(span.words)) if span else set()
    dated |= tokens.keys() - query_tokens(without_order(question.text), profile.stop_words).keys()
    own = {
        token: _DATE_WORD_WEIGHT if token in dated else weight for token, weight in tokens.items()
    }
    return {**profile.also(question.text), **own}


def _query_vector(
    store: Documents, embedder: Embedder | None, question: Question, profile: Profile
) -> tuple[bytes | None, str, str | None]:
    """Return the vector to look near, its model, and why an expected vector is missing."""
    if embedder is None or not question.use_vectors or not isinstance(store, VectorSearch):
        return None, "", None
    embedder = lifecycle.for_store(embedder, store)
    try:
        vector = embedder.embed_query(question.text)
        # Ask after the first vector: a service tells its dimension with that vector.
        store.use_model(embedder.model, embedder.dimension)
        restated, imagined = profile.restate(question.text), profile.imagine(question.text)
        behind = embedder.behind if isinstance(embedder, Followed) else ""
        vector = _unit_sum(vector, embedder.embed_query(restated)) if restated else vector
        vector = _unit_sum(vector, embedder.embed_passages([imagined])[0]) if imagined else vector
    except EmbedderFailed as error:
        return None, "", f"keyword search only: {error} ({error.hint})"
    return vector, embedder.model, behind or None


def _unit_sum(a: bytes, b: bytes) -> bytes:
    values = [x + y for x, y in zip(array("f", a), array("f", b), strict=True)]
    norm = sqrt(sum(v * v for v in values)) or 1.0
    return array("f", [v / norm for v in values]).tobytes()


def _explain_waiting_vectors(store: Documents, scopes: Sequence[Scope]) -> str | None:
    waiting = sum(_count_waiting_vectors(store, scope) for scope in scopes)
    if waiting == 1:
        return "1 passage has no vector yet"
    return f"{waiting:,} passages have no vector yet" if waiting else None


def _count_waiting_vectors(store: Documents, scope: Scope) -> int:
    return store.waiting(scope) if isinstance(store, VectorSearch) else 0


def _drop_doubles(passages: Iterable[FoundPassage]) -> list[FoundPassage]:
    """Return each line once where the same document is in two scopes; the first one stays.

    A document that holds everywhere is in two scopes. A duplicate would take away the best
    passage's lead, which is a part of how sure the passage is.
    """
    first: dict[tuple[str, str, object], FoundPassage] = {}
    for p in passages:
        first.setdefault((p.kind, p.text, p.valid_from or p.id), p)
    return list(first.values())


def _searched_together(query: _PreparedQuestion) -> list[tuple[Scope, ...]]:
    """Return the groups of scopes that are judged together.

    All scopes are one group; each is its own where no probability is made or a service answers.
    """
    scopes = query.question.scopes
    is_alone = not query.profile.learned or query.service.by_scope
    return [(scope,) for scope in scopes] if is_alone else [scopes]


def _search_scopes(
    store: Documents, scopes: Sequence[Scope], query: _PreparedQuestion, tries: int = _TRIES
) -> list[AnswerCandidate]:
    """Return the candidates of scopes that are judged together."""
    retrieved = {scope: _retrieve_rankings(store, scope, query) for scope in scopes}
    rankings = [_as_judged(one, query) for one in pool_rankings(list(retrieved.values()))]
    rankings, lines = _add_line_ranking(store, rankings, query)
    is_answered = not query.service.by_scope.keys().isdisjoint(scopes)
    # Where the service alone searches, keywords say how sure its passages are, and add no passages.
    is_services = is_answered and not query.question.hybrid
    fused = _fuse_rankings(
        [one for one in rankings if not (is_services and one.name == "keyword")], query
    )
    profile = query.profile
    judged = likelihood.JUDGED if profile.learned else 0
    best = sorted(fused, key=lambda p: (-fused[p], p))[: max(profile.considered, judged)]
    passages = _read_passages(store, best, retrieved)
    # Another process replaced documents in the meantime.
    if len(passages) < len(best) and tries > 1:
        return _search_scopes(store, scopes, query, tries - 1)
    all_have_vectors = query.vector is not None and not any(
        _count_waiting_vectors(store, scope) for scope in scopes
    )
    ranked = RankedPassages(
        _drop_doubles(passages), rankings, fused, all_have_vectors, lines, query.question.claims
    )
    candidates = judge_candidates(query.question.text, query.tokens, ranked, profile, query.meter)
    if is_answered:
        candidates = managed_leg.weigh(candidates, fused)
    return [
        _calibrate_candidate(one, query)._replace(line=_find_best_line(one.passage, lines))
        for one in candidates[: profile.considered]
    ]


def _read_passages(
    store: Documents, ids: Sequence[PassageId], retrieved: Mapping[Scope, Sequence[Ranking]]
) -> list[FoundPassage]:
    """Return passages in order, each read from the scope where the retrievers found it."""
    by_id: dict[PassageId, FoundPassage] = {}
    for scope, rankings in retrieved.items():
        own = {passage for ranking in rankings for passage, _ in ranking.ranked}
        by_id.update(
            (found_passage.id, found_passage)
            for found_passage in store.passages([i for i in ids if i in own], scope)
        )
    return [by_id[i] for i in ids if i in by_id]


def _as_judged(ranking: Ranking, query: _PreparedQuestion) -> Ranking:
    """Return a ranking with its cosines on the scale that was fitted."""
    return ranking._replace(
        cosines=calibration.cosines(ranking.cosines, query.model, query.calibrations)
    )


def _add_line_ranking(
    store: Documents, rankings: list[Ranking], query: _PreparedQuestion
) -> tuple[list[Ranking], Mapping[PassageId, NearLine]]:
    """Return the rankings with the one by vectors extended by best lines, and these lines.

    A list of facts is one vector that is near to none of the facts; and a note of one sentence is
    nearer to every question than a long note. Half of the score is therefore that of each passage's
    best line.
    """
    near = next((ranking for ranking in rankings if ranking.name == "vector"), None)
    if (
        near is None
        or query.vector is None
        or not query.profile.line_share
        or not isinstance(store, LineSearch)
    ):
        return rankings, {}
    by = VectorQuery(vector=query.vector, hub_weight=query.profile.hub_weight, model=query.model)
    lines = {
        line.passage: line for line in store.best_lines(by, [passage for passage, _ in near.ranked])
    }
    extended = rank.with_lines(
        near, {passage: line.score for passage, line in lines.items()}, query.profile.line_share
    )
    return [extended if ranking is near else ranking for ranking in rankings], lines


def _find_best_line(passage: FoundPassage, lines: Mapping[PassageId, NearLine]) -> Line | None:
    """Return the best line of a passage.

    None where the best line is the passage itself, whose lines have no vectors.
    """
    near = lines.get(passage.id)
    if near is None or (
        near.start == 0 and near.end >= len(passage.text) and "\n" in passage.text.strip()
    ):
        return None
    text = passage.text[near.start : near.end]
    return Line(passage.start_line + line_number(passage.text, near.start), text.strip())


def _calibrate_candidate(candidate: AnswerCandidate, query: _PreparedQuestion) -> AnswerCandidate:
    """Return a candidate with the probability calibrated for the model of the vectors."""
    fitted = query.calibrations.get(query.model)
    return (
        candidate._replace(score=fitted.score(candidate.score))
        if fitted and query.vector
        else candidate
    )


def _rerank_candidates(
    ranked: Sequence[AnswerCandidate], text: str, by: Reranking | None
) -> tuple[Sequence[AnswerCandidate], str | None]:
    """Return the candidates in the reranker's order, and why the reranker took no part."""
    if by is None:
        return ranked, None
    order, why = rerank_texts(
        text,
        [candidate.passage.text for candidate in ranked],
        [candidate.score for candidate in ranked],
        by,
    )
    reordered = []
    for to in order:
        candidate = ranked[to.at]
        signals = (
            candidate.signals if to.said is None else {**candidate.signals, "reranker": to.said}
        )
        reordered.append(candidate._replace(score=to.score, signals=signals))
    return reordered, why


def _retrieve_rankings(store: Documents, scope: Scope, query: _PreparedQuestion) -> list[Ranking]:
    """Ask every retriever of the store except a service, which has answered before."""
    question, profile = query.question, query.profile
    rankings = [query.service.by_scope[scope]] if scope in query.service.by_scope else []
    if query.vector is not None and isinstance(store, VectorSearch):
        near = VectorQuery(vector=query.vector, hub_weight=profile.hub_weight, model=query.model)
        rankings.append(store.nearest(scope, near, question.where, profile.candidates))
    if isinstance(store, KeywordSearch):
        by = profile.bm25
        words = KeywordQuery(
            weights=query.tokens,
            k1=by.k1,
            b=by.b,
            context_weight=by.context_weight,
            spread=by.spread,
        )
        rankings.insert(0, store.keyword(scope, words, question.where, profile.candidates))
    return rankings


def _fuse_rankings(rankings: Sequence[Ranking], query: _PreparedQuestion) -> rank.Scores:
    """Return one score per candidate of any ranking.

    Keywords have their share, the other rankings have the rest.
    """
    profile = query.profile
    share = (
        profile.statement_keyword_share
        if is_statement(query.question.text)
        else profile.keyword_share
    )
    words = [ranking for ranking in rankings if ranking.name == "keyword"]
    if profile.full_coverage and words:
        best = words[0].ranked[0][1] / words[0].ceiling if words[0].ranked else 0.0
        share *= min(1.0, best / profile.full_coverage)
    if len(rankings) == 1:
        return profile.fuse(rankings, (1.0,), profile.candidates)
    rest = (1 - share if words else 1.0) / max(len(rankings) - len(words), 1)
    weights = [share if ranking.name == "keyword" else rest for ranking in rankings]
    return profile.fuse(rankings, weights, profile.candidates)


def _weigh_candidate(
    candidate: AnswerCandidate, profile: Profile, now: datetime, span: DateSpan | None, zone: tzinfo
) -> AnswerCandidate:
    """Weigh a candidate by its age, its own mark, and the days that the question names."""
    passage = candidate.passage
    day = passage.valid_from
    is_dated = day is not None and MADE_THEN not in passage.metadata
    age_s = None if span or day is None or not is_dated else (now - day).total_seconds()
    factors = {
        "decay": age_factor(age_s, profile.half_life_days, profile.decay_floor),
        "mark": importance_factor(passage.text) if profile.has_importance_marks else 1.0,
        "days": _days_factor(passage, span, profile, zone) if span else 1.0,
    }
    shown = {name: factor for name, factor in factors.items() if factor != 1.0}
    return candidate.weighed(shown) if shown else candidate


def _days_factor(passage: FoundPassage, span: DateSpan, profile: Profile, zone: tzinfo) -> float:
    if (
        passage.valid_from is not None
        and span.first <= timeline.find_passage_day(passage, zone) <= span.last
    ):
        return 1.0
    is_undated = passage.valid_from is None or MADE_THEN in passage.metadata
    return profile.undated_share if is_undated else profile.other_days_share


def _choose_hits(
    ranked: Sequence[AnswerCandidate], tokens: Collection[str], profile: Profile
) -> list[Hit]:
    """Diversify, cut at the threshold and the limit, and make snippets."""
    passing = {c.passage.id: c for c in ranked if c.score >= profile.min_score}
    is_diverse = profile.relevance_trade < 1
    words = {i: frozenset(c.passage.text.split()) for i, c in passing.items()} if is_diverse else {}
    scores = {i: c.score for i, c in passing.items()}
    order = rank.diversify(
        scores, words, profile.relevance_trade, profile.likeness_floor, profile.limit
    )
    return [_build_hit(passing[i], tokens, profile.snippet_chars) for i in order]


def _build_hit(candidate: AnswerCandidate, tokens: Collection[str], snippet_chars: int) -> Hit:
    snippet_text = snippet(candidate.passage.text, tokens, snippet_chars) if snippet_chars else ""
    return Hit(
        passage=candidate.passage,
        score=candidate.score,
        snippet=snippet_text,
        signals=candidate.signals,
        parts=candidate.parts(),
        line=candidate.line,
    )
