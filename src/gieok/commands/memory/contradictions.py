"""Memories that say something else on the same subject, for a person who looks at one of them.

What surely took the place of another statement is marked by itself (`memory.talk.claims`). Here
stands what a person should compare: the rules see one subject and another value, and are not sure.
"""

from datetime import date
from typing import NamedTuple

from gieok.commands.memory.handles import NamedMemory
from gieok.commands.memory.hits import SearchHit
from gieok.commands.memory.search import search_memory
from gieok.errors import GieokError
from gieok.home.call import Call
from gieok.memory.corrections import unmarked
from gieok.memory.talk.statements.relation import UNRELATED, relation
from gieok.memory.talk.statements.statement import read_sentence
from gieok.model.memory import Scope
from gieok.ranking import timeline
from gieok.text.gist import as_told
from gieok.text.turns import read_spoken_line

#: Hits that are compared. Their scores decide nothing: where ten notes repeat a value, another
#: value is an unlikely answer to it. What is on another subject is told by `relation`.
_COMPARED = 40
_MOST = 3
#: Statuses of what contradicts nothing any more.
_ENDED = ("replaced", "ended", "retired")
#: A longer text is no single statement.
_LONGEST = 600


class Contradiction(NamedTuple):
    """Memory with a sentence that may contradict another one: that sentence, and where it is."""

    handle: str
    text: str
    date: date | None
    scope: Scope


def find_contradictions(call: Call, memory: NamedMemory, text: str) -> tuple[Contradiction, ...]:
    """Return what may contradict a memory's `text`, the nearest first.

    They are searched by words alone: a person who reads a memory asks no service about it.
    """
    if not text.strip() or len(text) > _LONGEST:
        return ()
    try:
        found = search_memory(
            call, query=[text], limit=_COMPARED, min_score=0.0, keyword_only=True
        ).results
    except GieokError:  # what cannot be searched now is no reason to hide the memory itself
        return ()
    own_day = timeline.day_of_moment(
        memory.document.valid_from, memory.document.updated_at, call.zone
    )
    own = _cut_line_number(memory.handle)
    others = (hit for hit in found if _cut_line_number(hit.handle) != own)
    contradictions = filter(None, (_compare_with_hit(text, own_day, hit) for hit in others))
    # an answer shows the turn before it, which may have been replaced; said again, in another
    # session, the same words stand
    ended = {
        (_cut_line_number(hit.handle), _read_hit_statement(hit))
        for hit in found
        if hit.status in _ENDED
    }
    # what was said, and what was observed of it, are the same sentence
    distinct: dict[str, Contradiction] = {}
    for contradiction in contradictions:
        if (_cut_line_number(contradiction.handle), contradiction.text) not in ended:
            distinct.setdefault(contradiction.text, contradiction)
    return tuple(distinct.values())[:_MOST]


def _cut_line_number(handle: str) -> str:
    """Return the handle of the whole document in which a memory stands."""
    return handle.partition(".")[0]


def _read_hit_statement(hit: SearchHit) -> str:
    """Return the first turn that a hit shows; of another hit all of its text."""
    lines = hit.snippet.split("\n")
    spoken = next(
        (line for line in (read_spoken_line([one], 1) for one in lines) if line is not None), None
    )
    return as_told(unmarked(spoken.text if spoken else hit.snippet))


def _compare_with_hit(text: str, day: date, hit: SearchHit) -> Contradiction | None:
    """Return the sentence of a hit that may replace a statement, or be replaced by it."""
    if hit.status in _ENDED:
        return None
    other = _read_hit_statement(hit)
    if len(other) > _LONGEST:
        return None
    is_earlier = (hit.date or date.min) < day
    found = relation(*((other, as_told(text)) if is_earlier else (as_told(text), other)))
    if found.sureness == UNRELATED or not (
        found.spoke_for or _have_other_words(found.claim, found.by)
    ):
        return None
    said = found.claim if is_earlier else found.by
    return Contradiction(hit.handle, said, hit.date, hit.scope)


def _have_other_words(one: str, other: str) -> bool:
    """Say whether each of two sentences has a word that the other lacks.

    Where one has none, it says the same as the other, or a part of it.
    """
    first, second = frozenset(read_sentence(one).stems), frozenset(read_sentence(other).stems)
    return not (first <= second or second <= first)
