"""Ranking of functions and classes for a question in words.

Measured on CoSQA: words of a question are rarely in the code, so vectors count far more than for
prose. Passages are embedded in words (`index.wording`), so a question is embedded as it stands: one
rewritten as the head of a function found no more of 100 questions in a developer's own words. A
Korean one is embedded in English too (.56 → .65 of all among the first five, by
vectors alone).
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from gieok.code.model import korean_terms
from gieok.model.memory import PassageId
from gieok.model.retrieval import Ranking
from gieok.ranking.profile import Profile
from gieok.text.bm25 import CLASSIC, Bm25

_HANGUL = re.compile("[가-힣]")


def restate_in_english(question: str) -> str:
    """Return a Korean question in the English words of the table, which code is written in.

    Returns '' for a question without Korean, or without known terms.
    """
    return korean_terms.in_english(question) if _HANGUL.search(question) else ""


def fuse_score_shares(
    rankings: Sequence[Ranking], weights: Sequence[float], full: int
) -> dict[PassageId, float]:
    """Fuse rankings by a weighted sum of scores, each as a share of its ranking's best score.

    So magnitudes are kept, and all scores are positive.
    """
    del full
    fused: dict[PassageId, float] = defaultdict(float)
    for ranking, weight in zip(rankings, weights, strict=True):
        values = ranking.cosines or [score for _, score in ranking.ranked]
        low = min(values, default=0.0) if ranking.cosines else 0.0
        span = max(values, default=0.0) - low
        for (passage, _), value in zip(ranking.ranked, values, strict=True):
            fused[passage] += weight * (value - low) / (span or 1.0)
    return dict(fused)


#: Query of `code query` to the engine: many passages by plain scores; the code rib's own rules
#: order them (`query.py`).
SEARCH = Profile(
    name="code.search",
    #: At .65, of 40 questions in a developer's own words .70 had an answer among the first five,
    #: now .75 (nDCG@10 .61 and .60); files of semble's questions and Korean questions the same.
    keyword_share=0.5,
    statement_keyword_share=0.5,
    full_coverage=0.0,
    fuse=fuse_score_shares,
    #: The qualified name counts twice (.633 → .680 raw, before the rules).
    bm25=Bm25(CLASSIC.k1, CLASSIC.b, context_weight=2.0),
    hub_weight=0.3,
    also=korean_terms.tokens,
    imagine=lambda question: "",
    restate=restate_in_english,
    relevance_trade=1.0,
    candidates=400,
    #: 100 passages found .012 less: of a file with only small passages, few rank that high.
    considered=300,
    learned="",
    min_score=0.0,
    least_best=0.0,
    limit=300,
    snippet_chars=0,
)
