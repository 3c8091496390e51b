"""Query → hits: gather legs, fuse, weigh, diversify, cut, cite.

One pass for every rib; what differs is in the `Profile`. A leg that cannot answer is named in `Recollection.degraded`,
never hidden: the hits then come from the legs that are left.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from math import sqrt
from typing import NamedTuple, TypeVar

from gieok.engine import rank
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


class Confidence(NamedTuple):
    """How a hit's score is made: the logistic of a weighted sum, fitted so that it compares between queries.

    `keyword` weighs the BM25 score divided by the query's ceiling, `cosine` the similarity to the question.
    """

    bias: float
    keyword: float
    cosine: float
    #: Added where question and passage are in different languages: their cosines are lower for the same meaning.
    other_language: float = 1.4
    #: The same without vectors.
    keyword_only_bias: float = -6.6
    keyword_only: float = 24.0
    #: What the first of a service that tells an order and no scores is worth; not fitted, there is nothing to fit to.
    managed: float = 0.8

    def of(self, signals: Mapping[str, float], *, has_vectors: bool) -> float:
        """Return the score of a passage, 0–1, from the signals of its legs."""
        keyword = signals.get("keyword", 0.0)
        if not has_vectors:
            by_words = rank.logistic(self.keyword_only_bias + self.keyword_only * keyword)
            return max(by_words, self.managed * signals.get("managed", 0.0))
        other = self.other_language * signals.get("other_language", 0.0)
        return rank.logistic(self.bias + other + self.keyword * keyword + self.cosine * signals.get("vector", 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How one rib ranks. Plain data; the figures are chosen from what `benchmarks/retrieval.py` shows."""

    name: str
    kinds: frozenset[str] = frozenset()
    #: Share of the keyword leg in the fused score, the vector leg has the rest: for a question, and for a statement.
    keyword_share: float = 0.4
    statement_keyword_share: float = 0.3
    #: Below this share of the ceiling, the keyword leg loses weight in proportion: it matched hardly anything. 0: never.
    full_coverage: float = 0.3
    fuse: Callable[[Sequence[Ranking], Sequence[float], int], rank.Scores] = rank.standardised_sum
    k1: float = 0.4
    b: float = 0.4
    context_weight: float = 0.5
    spread: tuple[float, ...] = (0.5, 0.25)
    hub_weight: float = 0.4
    stop_words: frozenset[str] = frozenset()
    #: What a passage that answers might look like, embedded beside the question; '' for nothing.
    imagine: Callable[[str], str] = lambda question: question if is_statement(question) else ""
    half_life_days: float = 0.0
    #: What remains of the score of a very old dated document: age breaks ties, it does not make memory blind.
    decay_floor: float = 0.7
    #: A dated document outside the days that the question names keeps this share of its score; an undated one the next.
    other_days_share: float = 0.5
    undated_share: float = 0.8
    #: 1: relevance alone; lower: hits that repeat each other make room.
    relevance_trade: float = 0.7
    #: What else makes of a passage's score, such as a mark that its author gave it.
    weigh: Callable[[FoundPassage], float] = lambda passage: 1.0
    #: Passages that share fewer words than this do not repeat each other; 0 cost .03 of R@10 (XQuAD): same topic, other fact.
    likeness_floor: float = 0.7
    candidates: int = 200
    #: Fused candidates that are weighed, diversified and shown.
    considered: int = 20
    #: None: the fused score is the hit's score.
    confidence: Confidence | None = Confidence(bias=-44.6, keyword=10.1, cosine=53.8)
    min_score: float = 0.01
    limit: int = 6
    #: 0: none, for who cuts them of the few that it shows.
    snippet_chars: int = 700

    def with_limit(self, limit: int) -> "Profile":
        """Return the profile for more or fewer hits; more need more candidates."""
        return replace(
            self,
            limit=limit,
            considered=max(self.considered, 2 * limit),
            candidates=max(self.candidates, 2 * limit),
        )


class Question(NamedTuple):
    """What is asked, of whom, and within which bounds."""

    text: str
    scopes: tuple[Scope, ...]
    where: Filter = Filter()
    use_vectors: bool = True
    #: Where a service searches for meaning: look for words too. They are looked for anyway where it does not answer.
    hybrid: bool = True


class Recollection(NamedTuple):
    """Hits, best first; why they may be fewer or worse than they could be; the days the question was taken to mean."""

    hits: tuple[Hit, ...]
    degraded: str | None = None
    span: DateSpan | None = None


class _Candidate(NamedTuple):
    passage: FoundPassage
    score: float
    signals: dict[str, float]


_S = TypeVar("_S", bound=Store)
_A = TypeVar("_A")


def first_answer(stores: Sequence[_S], ask: Callable[[_S], _A]) -> tuple[_A, str | None]:
    """Return what the first store that answers in time says, and why those before it did not."""
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
) -> Recollection:
    """Return what is remembered about a question, by one profile, from the legs that the store has."""
    question = question._replace(text=normalise(question.text))
    if profile.kinds:
        question = question._replace(where=question.where._replace(kinds=question.where.kinds or profile.kinds))
    if not keyword_text(question.text):  # "!!!" asks nothing, but its vector would be near to something
        return Recollection(())
    now = clock.now()
    span = find_span(question.text, now.astimezone(zone).date())
    vector, degraded = _query_vector(store, embedder, question, profile)
    tokens = _tokens(question, span, profile)
    wanted = _Wanted(question, tokens, vector, profile)
    searched = [_search_scope(store, scope, wanted) for scope in question.scopes]
    found = [candidate for candidates, _ in searched for candidate in candidates]
    # A stable sort: among equal scores the fused order stands.
    weighed = sorted((_weighed(c, profile, now, span) for c in found), key=lambda c: -c.score)
    hits = _chosen(weighed[: profile.considered], tokens, profile)
    reasons = [degraded, *(reason for _, reason in searched), _unfinished(store, question.scopes) if vector else None]
    return Recollection(tuple(hits), "; ".join(dict.fromkeys(filter(None, reasons))) or None, span)


def _tokens(question: Question, span: DateSpan | None, profile: Profile) -> dict[str, float]:
    """Return the tokens to look for; the words of a date count little, because notes carry their date elsewhere."""
    tokens = query_tokens(question.text, profile.stop_words)
    for token in query_tokens(span.words) if span else ():
        if token in tokens:
            tokens[token] = _DATE_WORD_WEIGHT
    return tokens


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


class _Wanted(NamedTuple):
    """A question made ready to be asked of every scope."""

    question: Question
    tokens: Mapping[str, float]
    vector: bytes | None
    profile: Profile


def _search_scope(
    store: Documents, scope: Scope, wanted: _Wanted, tries: int = _TRIES
) -> tuple[list[_Candidate], str | None]:
    """Return candidates, and why a leg is not among what found them."""
    question, profile = wanted.question, wanted.profile
    legs, degraded = _gather(store, scope, wanted)
    fused = _fuse(legs, question, profile)
    best = sorted(fused, key=lambda p: (-fused[p], p))[: profile.considered]
    all_have_vectors = wanted.vector is not None and not _waiting(store, scope)
    language = language_of(question.text)
    found = _candidates(store, best, fused, _signals(legs), profile, language, all_have_vectors=all_have_vectors)
    if len(found) < len(best) and tries > 1:  # another process replaced documents since the legs were gathered
        return _search_scope(store, scope, wanted, tries - 1)
    return found, degraded


def _gather(store: Documents, scope: Scope, wanted: _Wanted) -> tuple[list[Ranking], str | None]:
    """Ask every leg that the store has; one whose service cannot be reached is named and left out."""
    question, profile = wanted.question, wanted.profile
    legs, degraded = list[Ranking](), None
    if question.use_vectors and isinstance(store, ManagedSearch):
        try:
            legs.append(store.managed(scope, question.text, question.where, profile.candidates))
        except StoreUnreachable as error:
            degraded = f"{error} ({error.hint})"
    if wanted.vector is not None and isinstance(store, VectorSearch):
        near = VectorQuery(vector=wanted.vector, hub_weight=profile.hub_weight)
        legs.append(store.nearest(scope, near, question.where, profile.candidates))
    if isinstance(store, KeywordSearch) and (question.hybrid or not isinstance(store, ManagedSearch) or not legs):
        words = KeywordQuery(
            wanted.tokens, profile.k1, profile.b, context_weight=profile.context_weight, spread=profile.spread
        )
        legs.insert(0, store.keyword(scope, words, question.where, profile.candidates))
    return legs, degraded


def _fuse(legs: Sequence[Ranking], question: Question, profile: Profile) -> rank.Scores:
    """Return one score per candidate of any leg: words have their share, meaning has the rest."""
    share = profile.statement_keyword_share if is_statement(question.text) else profile.keyword_share
    words = [leg for leg in legs if leg.name == "keyword"]
    if profile.full_coverage and words:
        best = words[0].ranked[0][1] / words[0].ceiling if words[0].ranked else 0.0
        share *= min(1.0, best / profile.full_coverage)
    if len(legs) == 1:
        return profile.fuse(legs, (1.0,), profile.candidates)
    others = len(legs) - len(words)
    weights = [share if leg.name == "keyword" else (1 - share if words else 1.0) / others for leg in legs]
    return profile.fuse(legs, weights, profile.candidates)


def _candidates(
    store: Documents,
    best: Sequence[PassageId],
    fused: rank.Scores,
    signals: Mapping[PassageId, dict[str, float]],
    profile: Profile,
    language: str,
    *,
    all_have_vectors: bool,
) -> list[_Candidate]:
    """Return the best passages with the signals that made them, and a score that compares between queries.

    A passage that still waits for its vector is judged by its words alone: it can be found as soon as it is stored.
    """
    found = []
    lowest = 1.0
    for passage in store.passages(best):
        own = {"fused": fused[passage.id], **signals[passage.id]}
        has_vector = all_have_vectors or "vector" in own
        if language_of(passage.text) != language:
            own["other_language"] = 1.0
        sure = profile.confidence.of(own, has_vectors=has_vector) if profile.confidence else own["fused"]
        if has_vector or "managed" in own:
            # Never above a passage that ranks before it: the order is the better judge, the score says how sure.
            sure = lowest = min(lowest, sure)
        found.append(_Candidate(passage, sure, own))
    return found


def _signals(legs: Sequence[Ranking]) -> dict[PassageId, dict[str, float]]:
    """Return what each leg says of its passages: place, and a value that compares between queries."""
    signals: dict[PassageId, dict[str, float]] = defaultdict(dict)
    for leg in legs:
        for place, (passage, score) in enumerate(leg.ranked):
            signals[passage][f"{leg.name}_rank"] = place + 1
            signals[passage][leg.name] = leg.cosines[place] if leg.cosines else score / leg.ceiling
    return signals


def _weighed(candidate: _Candidate, profile: Profile, now: datetime, span: DateSpan | None) -> _Candidate:
    """Weigh a candidate by its age, its importance, and the days that the question names."""
    day = candidate.passage.valid_from
    fresh = rank.decay(None if span else day, now, profile.half_life_days)
    factors = {
        "decay": profile.decay_floor + (1 - profile.decay_floor) * fresh,
        "mark": profile.weigh(candidate.passage),
    }
    if span:
        factors["days"] = _days_factor(day, span, profile)
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
    if not passing:
        return []
    alike = profile.relevance_trade < 1
    words = {i: frozenset(c.passage.text.split()) for i, c in passing.items()} if alike else {}
    order = rank.diversify(
        {i: c.score for i, c in passing.items()}, words, profile.relevance_trade, profile.likeness_floor, profile.limit
    )
    return [
        Hit(
            passage=passing[i].passage,
            score=passing[i].score,
            snippet=snippet(passing[i].passage.text, tokens, profile.snippet_chars) if profile.snippet_chars else "",
            signals=passing[i].signals,
        )
        for i in order
    ]
