"""docs/retrieval.md states the parameters of the ranking that ships."""

import re
from pathlib import Path

import pytest

from gieok.memory.files.profile import FILES, TURNS
from gieok.ranking import likelihood
from gieok.ranking.profile import Profile
from gieok.text import bm25

_METHOD = " ".join(
    (Path(__file__).parents[2] / "docs" / "retrieval.md").read_text(encoding="utf-8").split()
)
_SHIPPED = Profile(name="shipped")


def _write(share: float) -> str:
    """Return a number as the documents write it: .4, 30."""
    return f"{share:g}".removeprefix("0") if share else "0"


def _less(share: float) -> str:
    return _write(round(1 - share, 6))


@pytest.mark.parametrize(
    "stated",
    [
        f"(k1 {_write(bm25.PROSE.k1)}, b {_write(bm25.PROSE.b)};",
        f"Each ranks {_SHIPPED.candidates} candidates",
        f"loses {_write(_SHIPPED.hub_weight)} × its mean cosine",
        f"in the nearness of a note is {_write(FILES.line_share)}.",
        f"{_write(_SHIPPED.keyword_share)} keyword, {_less(_SHIPPED.keyword_share)} vector",
        f"({_write(_SHIPPED.statement_keyword_share)}/{_less(_SHIPPED.statement_keyword_share)} ",
        f"below {_write(_SHIPPED.full_coverage)} of the query's ceiling",
        f"lose up to {_less(FILES.decay_floor)} of their score, with a half-life",
        f"with a half-life of {_write(FILES.half_life_days)} days",
        f"of other days keep {_write(_SHIPPED.other_days_share)} of their score, undated",
        f"of their score, undated ones {_write(_SHIPPED.undated_share)}",
        f"orders the best {likelihood.JUDGED} turns anew",
        f"below {_write(TURNS.least_best)} (turns) or {_write(FILES.least_best)} (notes)",
        f"No hit is below {_write(_SHIPPED.min_score)}.",
        f"Hits below {_write(likelihood.SURE)} are marked `unsure`",
        f"The best {_SHIPPED.considered} are compared",
        f"shares more than {_write(_SHIPPED.likeness_floor)} of their words",
        f"relevance has a weight of {_write(_SHIPPED.relevance_trade)})",
        f"the best {_SHIPPED.limit} are shown, with snippets of {_SHIPPED.snippet_chars} characters",
    ],
)
def test_the_documents_state_the_parameters_that_ship(stated: str) -> None:
    assert stated in _METHOD


def test_the_reader_reads_as_many_as_the_documents_state() -> None:
    words = {5: "five", 10: "ten"}
    assert f"the reader reads the best {words[TURNS.most_read]} together" in _METHOD
    assert f"the reader reads the best {words[FILES.most_read]}." in _METHOD
    assert TURNS.line_share == 0, "a turn is one line"


def test_neighbours_count_half_and_a_quarter() -> None:
    assert bm25.PROSE.spread == (1 / 2, 1 / 4)
    assert re.search(r"before or after counts half, and two passages away a quarter", _METHOD)
