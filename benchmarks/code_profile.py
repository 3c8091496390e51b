"""Ranks functions of CoSQA by their text alone: one profile beside that of `gieok code query`."""

from gieok.code.model.profile import as_function
from gieok.ranking.profile import Profile
from gieok.text.bm25 import CLASSIC

#: Its scores are those of notes; notes and code keep the fused order, so weights change no rank.
CODE = Profile(
    name="code",
    keyword_share=0.15,
    statement_keyword_share=0.15,
    bm25=CLASSIC,
    hub_weight=0.3,
    stop_words=frozenset("python code function can get make write using use way".split()),
    imagine=as_function,
    learned="notes",
    least_best=0.0,
)
