"""How one rib ranks: plain data, chosen from what `benchmarks/retrieval.py` shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gieok.model.retrieval import FoundPassage, Ranking
from gieok.ranking import age, rank
from gieok.ranking.calibration import Calibrations
from gieok.text import bm25
from gieok.text.bm25 import Bm25
from gieok.text.keywords import is_statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The parameters of one rib's ranking."""

    name: str
    #: Kinds of documents that it ranks (none named: all), and kinds that it leaves to the profiles
    #: beside it.
    kinds: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    #: Profiles of other families of documents, searched for the same question; hits merge by their
    #: probability.
    beside: "tuple[Profile, ...]" = ()
    #: Share of the keyword ranking in the fused score, the vector ranking has the rest: for a
    #: question, for a statement.
    keyword_share: float = 0.4
    statement_keyword_share: float = 0.3
    #: A best keyword score below this share of the ceiling lowers the keyword share in proportion.
    #: 0: never.
    full_coverage: float = 0.3
    fuse: Callable[[Sequence[Ranking], Sequence[float], int], rank.Scores] = rank.standardised_sum
    bm25: Bm25 = bm25.PROSE
    hub_weight: float = 0.4
    #: Share of the best line of a passage in its nearness; the passage's own vector has the rest.
    #: 0: no lines.
    line_share: float = 0.5
    stop_words: frozenset[str] = frozenset()
    #: Returns tokens that mean what the question says, with their weights: other words for it.
    also: Callable[[str], Mapping[str, float]] = lambda question: {}
    #: Move the question's vector by the learned map (`learned/query_map`): a statement in passing
    #: lies far from its question.
    maps_question: bool = False
    #: Returns what a passage that answers might look like, embedded together with the question; ''
    #: for nothing.
    imagine: Callable[[str], str] = lambda question: question if is_statement(question) else ""
    half_life_days: float = 0.0
    decay_floor: float = age.FLOOR
    #: Share of its score that a document outside the days named by the question keeps, and an
    #: undated document.
    other_days_share: float = 0.5
    undated_share: float = 0.8
    #: Returns a factor of a passage's own, such as an importance mark by its author.
    weigh: Callable[[FoundPassage], float] = lambda passage: 1.0
    #: 1: relevance alone; lower: hits that repeat each other make room.
    relevance_trade: float = 0.7
    #: Passages that share fewer words than this do not repeat each other; 0 cost .03 of R@10
    #: (XQuAD): same topic, other fact.
    likeness_floor: float = 0.7
    candidates: int = 200
    #: Fused candidates that are weighed, diversified and shown.
    considered: int = 20
    #: The weights that order the best of `candidates` and make a score the probability of an answer
    #: (`ranking/learned`); '': the fused score is the hit's score.
    learned: str = "notes"
    #: What was fitted for models other than the bundled one.
    calibrations: Calibrations = field(default_factory=dict)
    #: Hits below are left out, and all of a family whose best hit is below `least_best`: then
    #: nothing answers. The first keeps the list short, the second keeps .95 and more of the right
    #: top hits of every set (docs/retrieval.md).
    min_score: float = 0.02
    least_best: float = 0.3
    limit: int = 6
    #: 0: no snippets.
    snippet_chars: int = 700

    def with_least_score(self, score: float) -> "Profile":
        """Return the profile that leaves out hits below a score of the asker's own, and nothing
        else.
        """
        beside = tuple(replace(one, least_best=0.0) for one in self.beside)
        return replace(self, min_score=score, least_best=0.0, beside=beside)

    def with_limit(self, limit: int) -> "Profile":
        """Return the profile for more or fewer hits, of every family; more need more candidates."""
        return replace(
            self,
            limit=limit,
            considered=max(self.considered, 2 * limit),
            candidates=max(self.candidates, 2 * limit),
            beside=tuple(one.with_limit(limit) for one in self.beside),
        )
