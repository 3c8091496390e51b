"""How memory files are ranked: ours by measurement, OpenClaw's by its own defaults."""

from gieok.memory.files.profile import FILES, OPENCLAW, PROFILES, TURNS
from gieok.ranking import rank
from gieok.text import bm25


def test_turns_and_notes_are_families_with_cuts_of_their_own() -> None:
    assert FILES.beside == (TURNS,)
    assert FILES.without == TURNS.kinds == {"turn", "observation"}
    assert (TURNS.learned, TURNS.least_best, TURNS.line_share) == ("turns", 0.12, 0.0)
    assert (TURNS.most_read, FILES.most_read) == (10, 5)
    assert (TURNS.half_life_days, FILES.half_life_days) == (0.0, 30.0)
    assert (TURNS.has_importance_marks, FILES.has_importance_marks) == (False, True)


def test_openclaws_profile_is_what_its_memory_core_ships() -> None:
    assert OPENCLAW.fuse is rank.openclaw_sum
    assert OPENCLAW.bm25 is bm25.CLASSIC
    assert (OPENCLAW.keyword_share, OPENCLAW.statement_keyword_share) == (0.3, 0.3)
    assert (OPENCLAW.min_score, OPENCLAW.least_best, OPENCLAW.limit) == (0.35, 0.0, 6)
    assert (OPENCLAW.relevance_trade, OPENCLAW.likeness_floor) == (0.7, 0.0)
    assert (OPENCLAW.half_life_days, OPENCLAW.decay_floor) == (30.0, 0.0)
    assert (OPENCLAW.other_days_share, OPENCLAW.undated_share) == (1.0, 1.0)
    assert (OPENCLAW.full_coverage, OPENCLAW.hub_weight, OPENCLAW.line_share) == (0.0, 0.0, 0.0)
    assert (OPENCLAW.learned, OPENCLAW.imagine("it rained.")) == ("", "")
    assert OPENCLAW.has_importance_marks
    assert list(PROFILES) == ["files", "openclaw"]
