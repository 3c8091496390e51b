"""Weighs what the rules found in a message by what the reader sees there.

A rule sees a form: "…에서 살아요" is where somebody lives, whoever that is. In chats by people for
whom no rule was written, a third of what the rules found was not so: a friend's job, a verb taken
for a noun, a joke. The reader was fitted to whether a person said something of themselves, so what
it does not see is no fact. Without a reader the rules' findings stand.
"""

import re
from collections.abc import Sequence

from gieok.character.detect import words
from gieok.character.detect.detect import Detection, Finding, Spoken
from gieok.character.facts import USER, Fact
from gieok.character.memory.fact_merge import tells_news
from gieok.character.predicates import PREDICATES
from gieok.errors import EmbedderFailed
from gieok.ports.models import Reader

#: Log-odds below which a finding is none (docs/figures.md): of a predicate of which the rules found
#: less than four right of five where nobody wrote them for it, and otherwise. So is one in a plain
#: statement, a short sentence in which the user names themselves.
_DOUBTFUL_FROM, _SEEN_FROM = -2.0, -2.6
_DOUBTFUL = frozenset(
    "boss colleague dislikes drink food habit job likes lives_in move name partner title".split()
)
#: How the character is to speak is asked for, and nothing of the user.
_ASKED_FOR = frozenset(("speech_level",))
_PLAIN_WORDS = 5
#: The first word of "I'm" counts alone.
_NAMES_USER = re.compile(rf"{words.USER}|\b(?:i|im|my|me)\b", re.IGNORECASE)
#: Predicate → the words that stand for it where the reader is asked, if not the predicate itself.
#: `training/tells.py` fits the reader to them.
READ_AS = {
    "address_form": "is called",
    "appointment": "has this coming",
    "before_sleep": "sleep",
    "boss": "friend",
    "class": "hobby",
    "colleague": "friend",
    "date": "has this coming",
    "deadline": "has this coming",
    "dentist": "has this coming",
    "discharge": "has this coming",
    "drink": "likes to eat or drink",
    "exam_score": "exam",
    "exercise": "hobby",
    "food": "likes to eat or drink",
    "from": "comes from",
    "interview": "has this coming",
    "job_start": "has this coming",
    "lives_in": "lives in",
    "major": "studies",
    "marital_status": "love life",
    "mbti": "MBTI",
    "meeting": "has this coming",
    "move": "plans",
    "partner": "love life",
    "performance": "has this coming",
    "plan": "plans",
    "roommate": "family",
    "routine": "habit",
    "school_year": "school",
    "speech_level": "asks you to",
    "study_language": "speaks or learns",
    "surgery": "has this coming",
    "taste": "likes",
    "tie": "family",
    "title": "owns",
    "trip": "has this coming",
    "wedding": "has this coming",
}


def drop_unseen_findings(
    reader: Reader, spoken: Spoken, found: Detection, held: Sequence[Fact]
) -> Detection:
    """Return what was found in a user's message, without what the reader does not see said.

    Everything stands where the reader cannot run, and so does what the reader knows nothing of: an
    idea, a correction of what is held, what is told of others, and a value in our own words. So
    does another value of what is held, where the sentence says that something became another: the
    old value would be told on.
    """
    if not spoken.is_user:
        return found
    try:
        return found._replace(
            findings=tuple(
                one
                for one in found.findings
                if _renews_held_fact(one, held) or _is_seen(reader, spoken, one)
            )
        )
    except EmbedderFailed:
        return found


def _renews_held_fact(one: Finding, held: Sequence[Fact]) -> bool:
    """Return whether a finding gives a held fact of one value another one, as news."""
    row = PREDICATES.get(one.predicate)
    is_single = row is not None and row.is_single
    is_held = any(fact.slot == (one.subject, one.predicate) and fact.is_current for fact in held)
    return is_single and is_held and tells_news(one.sentence)


def _is_seen(reader: Reader, spoken: Spoken, one: Finding) -> bool:
    """Return whether the reader sees a finding in its sentence, or cannot tell."""
    if one.subject != USER or one.is_idea or one.is_change or one.corrects:
        return True
    if one.predicate in _ASKED_FOR:
        return True
    if not any(word in one.sentence for word in one.object.split()):
        return True
    value = READ_AS.get(one.predicate, one.predicate), one.object
    is_doubtful = one.predicate in _DOUBTFUL and not _is_short_of_user(one.sentence)
    least = _DOUBTFUL_FROM if is_doubtful else _SEEN_FROM
    figures = reader.measure_told(one.sentence, spoken.answers, [value])
    return all(figure >= least for figure in figures)


def _is_short_of_user(sentence: str) -> bool:
    """Return whether a sentence is short and names who says it."""
    is_short = len(sentence.split()) <= _PLAIN_WORDS
    return is_short and _NAMES_USER.search(sentence) is not None
