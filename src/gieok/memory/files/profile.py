"""Ranking profiles of memory files: the best one by measurement, and OpenClaw's."""

from gieok.ranking import rank
from gieok.ranking.age import HALF_LIFE_DAYS
from gieok.ranking.profile import Profile
from gieok.text import bm25

#: Turns of conversations, and observations made of them: their age says nothing of their worth, and
#: each turn is intelligible with its neighbours. Ranked among notes, of which a scope may have few,
#: observations ranked too high merely because they are rare.
TURNS = Profile(
    name="turns",
    kinds=frozenset(("turn", "observation")),
    learned="turns",
    reads_help=True,
    least_best=0.12,
    line_share=0.0,
)
#: Notes and records: every other kind; families are ranked among themselves.
FILES = Profile(
    name="files",
    without=TURNS.kinds,
    beside=(TURNS,),
    half_life_days=HALF_LIFE_DAYS,
    has_importance_marks=True,
)

#: The defaults of OpenClaw's memory-core (0.7 vector, 0.3 keyword, 0.35, 6), for comparing with its
#: scores.
OPENCLAW = Profile(
    name="openclaw",
    fuse=rank.openclaw_sum,
    keyword_share=0.3,
    statement_keyword_share=0.3,
    full_coverage=0.0,
    bm25=bm25.CLASSIC,
    hub_weight=0.0,
    line_share=0.0,
    imagine=lambda question: "",
    relevance_trade=0.7,
    likeness_floor=0.0,
    half_life_days=30.0,
    has_importance_marks=True,
    decay_floor=0.0,
    learned="",
    min_score=0.35,
    least_best=0.0,
    limit=6,
    other_days_share=1.0,
    undated_share=1.0,
)

PROFILES = {profile.name: profile for profile in (FILES, OPENCLAW)}
