"""Parameters of one rib's ranking: plain data, chosen from `benchmarks/retrieval.py`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gieok.model.retrieval import Ranking
from gieok.ranking import age, rank
from gieok.ranking.calibration import Calibrations
from gieok.text import bm25
from gieok.text.bm25 import Bm25
from gieok.text.keywords import is_statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Parameters of one rib's ranking."""

    name: str
    #: Kinds of documents that the profile ranks (empty: all), and kinds that it leaves to the
    #: profiles in `beside`.
    kinds: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    #: Profiles of other families of documents, searched for the same question; the hits of all
    #: profiles merge by their probability.
    beside: "tuple[Profile, ...]" = ()
    #: Share of the keyword ranking in the fused score, for a question and for a statement; the
    #: vector ranking has the rest.
    keyword_share: float = 0.4
    statement_keyword_share: float = 0.3
    #: A best keyword score below this share of the highest possible score lowers the keyword share
    #: in proportion. 0: never.
    full_coverage: float = 0.3
    fuse: Callable[[Sequence[Ranking], Sequence[float], int], rank.Scores] = rank.standardised_sum
    bm25: Bm25 = bm25.PROSE
    hub_weight: float = 0.4
    #: Share of the score of a passage's best line in the passage's nearness; the passage's own
    #: vector has the rest. 0: no lines.
    line_share: float = 0.5
    stop_words: frozenset[str] = frozenset()
    #: Function that returns tokens which mean what the question says, with their weights: synonyms.
    also: Callable[[str], Mapping[str, float]] = lambda question: {}
    #: Function that returns a text that a passage with the answer might look like, embedded
    #: together with the question; '' for none.
    imagine: Callable[[str], str] = lambda question: question if is_statement(question) else ""
    #: Function that returns the question in other words, embedded together with it; '' for none.
    restate: Callable[[str], str] = lambda question: ""
    half_life_days: float = 0.0
    decay_floor: float = age.FLOOR
    #: Shares of their score that two kinds of documents keep where the question names days:
    #: documents of other days, and undated documents.
    other_days_share: float = 0.5
    undated_share: float = 0.8
    #: Whether marks of importance, which authors write into their text, change the score of a
    #: passage (`text.annotations`).
    has_importance_marks: bool = False
    #: Trade between relevance and diversity. 1: relevance alone; lower: hits that repeat each other
    #: make room for others.
    relevance_trade: float = 0.7
    #: Passages whose likeness is below this floor do not repeat each other; a floor of 0 cost .03
    #: of R@10 (XQuAD): same topic, other fact.
    likeness_floor: float = 0.7
    candidates: int = 200
    #: Number of fused candidates that are weighed, diversified and shown.
    considered: int = 20
    #: The weights that order the best of `candidates` and make a score the probability of an answer
    #: (`ranking/learned`); '': the fused score is the hit's score.
    learned: str = "notes"
    #: How many of the best the reader judges, together with the question, where there is one.
    most_read: int = 0
    #: Calibration for models other than the bundled one.
    calibrations: Calibrations = field(default_factory=dict)
    #: Hits below `min_score` are left out, and all hits of a family whose best hit is below
    #: `least_best`: then the family has no answer. The first threshold keeps the list short, the
    #: second keeps .95 and more of the right top hits of every set (docs/figures.md).
    min_score: float = 0.02
    least_best: float = 0.3
    limit: int = 6
    #: 0: no snippets.
    snippet_chars: int = 700

    def with_least_score(self, score: float) -> "Profile":
        """Return the profile with the asker's own least score as its only threshold."""
        beside = tuple(replace(family, least_best=0.0) for family in self.beside)
        return replace(self, min_score=score, least_best=0.0, beside=beside)

    def with_limit(self, limit: int) -> "Profile":
        """Return the profile for more or fewer hits, of every family.

        More hits need more candidates.
        """
        return replace(
            self,
            limit=limit,
            considered=max(self.considered, 2 * limit),
            candidates=max(self.candidates, 2 * limit),
            beside=tuple(family.with_limit(limit) for family in self.beside),
        )
