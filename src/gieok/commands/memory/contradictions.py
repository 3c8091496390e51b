"""Memories that say something else on the same subject, for a person who looks at one of them.

What surely took the place of another statement is marked by itself (`memory.talk.claims`). Here
stands what a person should compare: the rules see one subject and another value, and are not sure.
"""

from datetime import date

from gieok.commands.memory.handles import NamedMemory
from gieok.commands.memory.hits import SearchHit
from gieok.commands.memory.search import search_memory
from gieok.errors import GieokError
from gieok.home.call import Call
from gieok.memory.corrections import unmarked
from gieok.memory.talk.statements.relation import UNRELATED, relation
from gieok.ranking import timeline
from gieok.text.gist import as_told
from gieok.text.turns import read_spoken_line

#: Hits that are compared, and the least score of one: another value makes a statement an unlikely
#: answer (.06 by words alone, .25 with vectors), what shares a word by chance is at .001.
_COMPARED, _LEAST_SCORE = 8, 0.05
_MOST = 3
#: A longer text is no single statement.
_LONGEST = 600


def find_contradictions(call: Call, memory: NamedMemory, text: str) -> tuple[SearchHit, ...]:
    """Return the hits that may contradict a memory's `text`, the nearest first."""
    if not text.strip() or len(text) > _LONGEST:
        return ()
    try:
        found = search_memory(call, query=[text], limit=_COMPARED, min_score=_LEAST_SCORE).results
    except GieokError:  # what cannot be searched now is no reason to hide the memory itself
        return ()
    own_day = timeline.day_of_moment(
        memory.document.valid_from, memory.document.updated_at, call.zone
    )
    own = memory.handle.partition(".")[0]
    others = (hit for hit in found if hit.handle.partition(".")[0] != own)
    return tuple(hit for hit in others if _may_contradict(text, own_day, hit))[:_MOST]


def _may_contradict(text: str, day: date, hit: SearchHit) -> bool:
    """Say whether one of two statements, the earlier and the later, may replace the other."""
    if hit.status in ("replaced", "ended", "retired"):
        return False
    lines = hit.snippet.split("\n")
    spoken = next(
        (line for line in (read_spoken_line([one], 1) for one in lines) if line is not None), None
    )
    other = as_told(unmarked(spoken.text if spoken else hit.snippet))
    if len(other) > _LONGEST:
        return False
    pair = (other, as_told(text)) if (hit.date or date.min) < day else (as_told(text), other)
    return relation(*pair).sureness != UNRELATED
