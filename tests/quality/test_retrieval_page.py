"""The figures of the profiles, as `docs/retrieval.md` tells them."""

from pathlib import Path

import pytest

from gieok.code.model.profile import SEARCH
from gieok.memory.files.profile import FILES, TURNS

_PAGE = Path(__file__).parents[2] / "docs/retrieval.md"


def _write_figure(number: float) -> str:
    return f"{number:g}".removeprefix("0")


@pytest.mark.parametrize(
    ("sentence", "figures"),
    [
        ("k1 {}, b {};", (FILES.bm25.k1, FILES.bm25.b)),
        ("Each ranks {} candidates", (FILES.candidates,)),
        ("loses {} × its mean cosine", (FILES.hub_weight,)),
        ("of a note is {}", (FILES.line_share,)),
        ("{} keyword, {} vector", (FILES.keyword_share, round(1 - FILES.keyword_share, 9))),
        (
            "({}/{} for statements)",
            (FILES.statement_keyword_share, round(1 - FILES.statement_keyword_share, 9)),
        ),
        ("{} of each for code", (SEARCH.keyword_share,)),
        ("is below {} of the query's ceiling", (FILES.full_coverage,)),
        ("lose up to {} of their score", (round(1 - FILES.decay_floor, 9),)),
        ("a half-life of {} days", (FILES.half_life_days,)),
        (
            "of other days keep {} of their score, undated ones {}",
            (FILES.other_days_share, FILES.undated_share),
        ),
        ("is below {} (turns) or {} (notes", (TURNS.least_best, FILES.least_best)),
        ("No hit is below {}", (FILES.min_score,)),
        ("The best {} are compared", (FILES.considered,)),
        ("relevance has a weight of {}", (FILES.relevance_trade,)),
        ("more than {} of their words", (FILES.likeness_floor,)),
        ("the best {} are shown", (FILES.limit,)),
        ("snippets of {} characters", (FILES.snippet_chars,)),
    ],
)
def test_the_page_tells_the_figures_of_the_profile(
    sentence: str, figures: tuple[float, ...]
) -> None:
    page = " ".join(_PAGE.read_text(encoding="utf-8").split())
    assert sentence.format(*map(_write_figure, figures)) in page


def test_marks_of_importance_count_in_notes_alone() -> None:
    assert FILES.has_importance_marks
    assert not TURNS.has_importance_marks
