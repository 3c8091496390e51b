"""What a chat line may tell of its writer: true and false readings of it, for the head *told*.

A reading is a predicate and a value. The true ones are what the rows say that the user holds of
themselves; false ones are what they say of others, of the past, in jest, the right words under
another predicate, other words of the line, and what the product's rules find where the row says
nothing of the kind. `kit.py` writes them, with the product's rules; the other scripts read them.
"""

import json
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from rows import ChatLine, Tell

FILE = "tells.json"
#: Predicate of the rows → words that stand for it in a reading.
WORDS = {
    "nickname": "is called",
    "lives_in": "lives in",
    "from": "comes from",
    "major": "studies",
    "mbti": "MBTI",
    "food_like": "likes to eat or drink",
    "food_dislike": "does not eat",
    "partner": "love life",
    "schedule": "has this coming",
    "plan": "plans",
    "wish": "wishes",
    "rule": "asks you to",
    "possession": "owns",
    "language": "speaks or learns",
    "feeling_about": "feels about",
    "event": "happened",
    "other": "detail",
}
#: Predicate of the product's rules → that of the rows, where they differ. *detail* is any of them.
_OF_RULES = {
    "title": "possession",
    "exam_score": "exam",
    "taste": "likes",
    "tie": "family",
    "detail": "other",
    "drink": "food_like",
    "food": "food_like",
    "before_sleep": "sleep",
    "exercise": "hobby",
    "study_language": "language",
    "routine": "habit",
    "colleague": "friend",
    "boss": "friend",
    "roommate": "family",
    "school_year": "school",
    "marital_status": "partner",
    "address_form": "nickname",
    "speech_level": "rule",
    "class": "hobby",
    "move": "plan",
} | dict.fromkeys(
    "job_start interview trip appointment dentist meeting deadline wedding surgery discharge"
    " performance date".split(),
    "schedule",
)
#: Predicates of the rows that one and the same words may stand under.
_ALIKE = (
    {"name", "nickname", "rule"},
    {"job", "workplace", "schedule", "other", "family"},
    {"lives_in", "from", "plan"},
    {"major", "school", "exam", "age"},
    {"hobby", "likes", "habit", "possession", "schedule", "sleep"},
    {"food_like", "likes", "habit"},
    {"food_dislike", "dislikes", "allergy"},
    {"health", "event", "allergy", "schedule"},
    {"family", "friend", "partner", "name", "other"},
    {"schedule", "plan", "exam", "event", "anniversary", "wish"},
    {"feeling_about", "likes", "dislikes", "partner"},
    {"language", "hobby", "habit"},
)
#: Modes of what has yet to come that are true of it.
_AHEAD = {
    "wish": ("wished", "plan"),
    "plan": ("wished", "plan"),
    "schedule": ("plan",),
    "exam": ("plan",),
    "event": ("plan",),
}
_SEED = 3
_OTHER_PREDICATES, _OTHER_WORDS = 2, 3
_DAY = date(2026, 3, 10)
_EDGES = ".,!?~…\"'*"


class Reading(NamedTuple):
    """Reading of a line, numbered within its author's: the words of its predicate, and its value."""

    author: str
    number: int
    kind: str
    predicate: str
    value: str
    is_true: bool


def write_readings(file: Path, chats: Sequence[ChatLine]) -> list[Reading]:
    """Write the readings of all lines as JSON, and return them. Needs the product."""
    source = random.Random(_SEED)
    shares = Counter(tell.predicate for row in chats for tell in row.tells)
    numbers: Counter[str] = Counter()
    readings = []
    for row in chats:
        number = numbers[row.author]
        numbers[row.author] += 1
        for kind, predicate, value, is_true in _list_line(row, shares, source):
            composed = unicodedata.normalize("NFC", value)
            if composed.strip():
                readings.append(Reading(row.author, number, kind, predicate, composed, is_true))
    file.write_text(json.dumps(readings, ensure_ascii=False), encoding="utf-8")
    return readings


def read_readings(file: Path) -> list[Reading]:
    """Return what `write_readings` wrote."""
    return [Reading(*row) for row in json.loads(file.read_text("utf-8"))]


def _list_line(
    row: ChatLine, shares: Counter[str], source: random.Random
) -> Iterator[tuple[str, str, str, bool]]:
    """Yield (kind, predicate's words, value, is it true) of one line."""
    names, weights = list(shares), list(shares.values())
    held = [tell for tell in row.tells if is_held(tell)]
    for tell in row.tells:
        value = row.text[tell.start : tell.end]
        yield "tell", _word(tell.predicate), value, is_held(tell)
        if is_held(tell):
            said = [one.predicate for one in row.tells]
            others = [name for name in names if not any(_is_alike(name, one) for one in said)]
            for name in source.sample(others, min(_OTHER_PREDICATES, len(others))):
                yield "predicate", _word(name), value, False
    words = [(found.start(), found.end()) for found in re.finditer(r"\S+", row.text)]
    for _ in range(_OTHER_WORDS if words else 0):
        first = source.randrange(len(words))
        last = min(len(words) - 1, first + source.choice([0, 0, 1, 2, 3]))
        start, end = words[first][0], words[last][1]
        name = source.choices(names, weights)[0]
        if all(end <= tell.start or tell.end <= start for tell in held):
            yield "words", _word(name), row.text[start:end].strip(_EDGES), False
    yield from _list_rules(row, held)


def _list_rules(row: ChatLine, held: Sequence[Tell]) -> Iterator[tuple[str, str, str, bool]]:
    """Yield what the product's rules find, and whether the row says so too."""
    from gieok.character.detect.detect import Spoken, detect_statements
    from gieok.character.facts import USER

    said = Spoken(row.text, is_user=True, day=_DAY, answers=row.before)
    for finding in detect_statements(said, ()).findings:
        if finding.subject == USER:
            predicate = _OF_RULES.get(finding.predicate, finding.predicate)
            is_true = any(
                _is_alike(predicate, tell.predicate)
                and _shares_words(finding.object, row.text[tell.start : tell.end])
                for tell in held
            )
            yield "rule", name_rule(finding.predicate), finding.object, is_true


def is_held(tell: Tell) -> bool:
    """Return whether a user holds this of themselves, now or for a day to come."""
    return tell.whose == "user" and (
        tell.mode == "held" or tell.mode in _AHEAD.get(tell.predicate, ())
    )


def name_rule(predicate: str) -> str:
    """Return the words that stand in a reading for a predicate of the product's rules."""
    return _word(_OF_RULES.get(predicate, predicate))


def _word(predicate: str) -> str:
    return WORDS.get(predicate, predicate)


def _is_alike(one: str, other: str) -> bool:
    """Return whether what stands under one predicate may stand under another one of a row."""
    return one in (other, "other") or any(one in group and other in group for group in _ALIKE)


def _shares_words(one: str, other: str) -> bool:
    """Return whether a word of one text begins like a word of the other."""
    first, second = (re.findall(r"\w+", text.casefold()) for text in (one, other))
    return any(
        a == b or (len(a) > 1 and len(b) > 1 and (a.startswith(b) or b.startswith(a)))
        for a in first
        for b in second
    )
