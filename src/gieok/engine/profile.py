"""How one rib ranks: plain data, chosen from what `benchmarks/retrieval.py` shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gieok.engine import age, rank
from gieok.model.retrieval import FoundPassage, Ranking
from gieok.text import bm25
from gieok.text.bm25 import Bm25
from gieok.text.keywords import is_statement


class Confidence(NamedTuple):
    """How a hit's score is made: the logistic of a weighted sum, fitted so that scores compare between queries.

    `keyword` weighs the BM25 score divided by the query's ceiling, `cosine` the similarity to the question.
    """

    bias: float
    keyword: float
    cosine: float
    #: Added where question and passage are in different languages: their cosines are lower for the same meaning.
    other_language: float = 1.4
    #: The same two weights without vectors.
    keyword_only_bias: float = -6.6
    keyword_only: float = 24.0
    #: Score of the first result of a service that returns an order without scores; chosen, not fitted.
    managed: float = 0.8

    def of(self, signals: Mapping[str, float], *, has_vectors: bool) -> float:
        """Return the score of a passage, 0–1, from the signals of its retrievers."""
        keyword = signals.get("keyword", 0.0)
        if not has_vectors:
            by_words = rank.logistic(self.keyword_only_bias + self.keyword_only * keyword)
            return max(by_words, self.managed * signals.get("managed", 0.0))
        other = self.other_language * signals.get("other_language", 0.0)
        return rank.logistic(self.bias + other + self.keyword * keyword + self.cosine * signals.get("vector", 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The parameters of one rib's ranking."""

    name: str
    kinds: frozenset[str] = frozenset()
    #: Share of the keyword ranking in the fused score, the vector ranking has the rest: for a question, for a statement.
    keyword_share: float = 0.4
    statement_keyword_share: float = 0.3
    #: A best keyword score below this share of the ceiling lowers the keyword share in proportion. 0: never.
    full_coverage: float = 0.3
    fuse: Callable[[Sequence[Ranking], Sequence[float], int], rank.Scores] = rank.standardised_sum
    bm25: Bm25 = bm25.PROSE
    hub_weight: float = 0.4
    stop_words: frozenset[str] = frozenset()
    #: Returns what a passage that answers might look like, embedded together with the question; '' for nothing.
    imagine: Callable[[str], str] = lambda question: question if is_statement(question) else ""
    half_life_days: float = 0.0
    decay_floor: float = age.FLOOR
    #: Share of its score that a document outside the days named by the question keeps, and an undated document.
    other_days_share: float = 0.5
    undated_share: float = 0.8
    #: Returns a factor of a passage's own, such as an importance mark by its author.
    weigh: Callable[[FoundPassage], float] = lambda passage: 1.0
    #: 1: relevance alone; lower: hits that repeat each other make room.
    relevance_trade: float = 0.7
    #: Passages that share fewer words than this do not repeat each other; 0 cost .03 of R@10 (XQuAD): same topic, other fact.
    likeness_floor: float = 0.7
    candidates: int = 200
    #: Fused candidates that are weighed, diversified and shown.
    considered: int = 20
    #: None: the fused score is the hit's score.
    confidence: Confidence | None = Confidence(bias=-44.6, keyword=10.1, cosine=53.8)
    min_score: float = 0.01
    limit: int = 6
    #: 0: no snippets.
    snippet_chars: int = 700

    def with_limit(self, limit: int) -> "Profile":
        """Return the profile for more or fewer hits; more need more candidates."""
        considered, candidates = max(self.considered, 2 * limit), max(self.candidates, 2 * limit)
        return replace(self, limit=limit, considered=considered, candidates=candidates)
