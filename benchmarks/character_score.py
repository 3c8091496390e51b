"""Compares memories with what a conversation file says should be remembered.

Facts, traps, moments and questions are measured. The file's form: `conversations`, each with
`turns`, `facts`, `moments`, `not_facts`, `questions` (docs/character.md).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gieok.character.facts import CHARACTER, USER, Fact, Moment, same_value

#: Row of a file, as JSON gives it.
Row = Mapping[str, Any]
#: A moment of a file counts as found where a moment begins within so many turns of it.
_NEAR_TURNS = 2


class ToldContext(NamedTuple):
    """Text of a context: the part told as current, and the whole."""

    now: str
    all: str


@dataclass(slots=True)
class Score:
    """Counts from one or more conversations."""

    kept: int = 0
    right: int = 0
    wanted: int = 0
    found: int = 0
    chains: int = 0
    chains_right: int = 0
    traps: int = 0
    traps_kept: int = 0
    moments: int = 0
    moments_found: int = 0
    moments_kept: int = 0
    questions: int = 0
    held: int = 0
    corrections: int = 0
    corrections_heard: int = 0
    stale_asked: int = 0
    stale: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, other: "Score") -> None:
        """Add the counts of another score."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def occurs(wanted: str, text: str) -> bool:
    """Return whether a text holds a value, in any case.

    A digit at the edge of the value must not continue in the text, nor a Latin letter at its
    beginning.
    """
    pattern = re.escape(wanted.strip().casefold()).replace(r"\ ", r"\s*")
    before = (
        r"(?<!\d)"
        if wanted[:1].isdigit()
        else r"(?<![a-z])"
        if wanted[:1].isascii() and wanted[:1].isalpha()
        else ""
    )
    after = r"(?!\d)" if wanted[-1:].isdigit() else ""
    return re.search(before + pattern + after, text.casefold()) is not None


def matches(fact: Fact, row: Row) -> bool:
    """Return whether a held fact is a fact of the file.

    Both must be about the same side, have the same type or predicate, and the file's value.
    """
    if (fact.subject == CHARACTER) != (
        row["subject"] == CHARACTER
    ) and fact.predicate != "speech_level":
        return False
    if fact.type != row["type"] and not row["predicate"].startswith(fact.predicate):
        return False
    values = [row["object"], *row["variants"]]
    own = same_value(fact.object)
    is_inside = len(own) > 1 and own in same_value(row["object"])
    return is_inside or any(occurs(value, fact.object) for value in values)


def measured_facts(conversation: Row, facts: Sequence[Fact], turn_of: Mapping[str, int]) -> Score:
    """Return the scores of facts and traps. `turn_of`: message id → turn."""
    rows: Sequence[Row] = conversation["facts"]
    score = Score()
    for fact in facts:
        good = [row for row in rows if matches(fact, row)]
        trap = _find_sprung_trap(conversation["not_facts"], fact, turn_of)
        if trap and not good:
            score.traps_kept += 1
            score.misses.append(f"TRAP {fact.predicate}={fact.object} ({trap['trap']})")
        if good and not any(row["certain"] for row in good):
            continue  # only thought of: neither asked for nor wrong
        score.kept += 1
        score.right += bool(good)
        if not good:
            score.misses.append(
                f"WRONG {fact.subject}.{fact.predicate}={fact.object} <- {fact.source}"
            )
    certain = [row for row in rows if row["certain"]]
    score.wanted = len(certain)
    score.traps = len(conversation["not_facts"])
    for row in certain:
        if any(matches(fact, row) for fact in facts):
            score.found += 1
        else:
            score.misses.append(
                f"MISSED {row['subject']}.{row['predicate']}={row['object']} @{row['evidence']}"
            )
        if row["replaced_by"] is None and row["retracted_at"] is None:
            _measure_current(row, rows, facts, score)
    return score


def _find_sprung_trap(traps: Sequence[Row], fact: Fact, turn_of: Mapping[str, int]) -> Row | None:
    """Return the trap into which a fact fell.

    The fact holds the trap's words, or was said in the trap's turn and holds a part of them.
    """
    turns = {turn_of.get(identity) for identity in fact.message_ids}
    own = same_value(fact.object)

    def is_in(trap: Row) -> bool:
        return occurs(trap["trap"], fact.object) or (
            trap["turn"] in turns and own in same_value(trap["trap"])
        )

    return next((trap for trap in traps if is_in(trap)), None)


def _measure_current(row: Row, rows: Sequence[Row], facts: Sequence[Fact], score: Score) -> None:
    """Count whether a fact that holds at the end of the file is the one held as current.

    Facts of which no part of the history was kept are not counted.
    """
    history, added = [row], True
    while added:
        older = [
            other
            for other in rows
            if other not in history and other["replaced_by"] in [h["id"] for h in history]
        ]
        history, added = history + older, bool(older)
    known = [fact for fact in facts if any(matches(fact, other) for other in history)]
    if not known:
        return
    score.chains += 1
    current = [fact for fact in known if fact.is_current]
    is_right = any(matches(fact, row) for fact in current) and all(
        matches(fact, row) for fact in current
    )
    score.chains_right += is_right
    if not is_right:
        score.misses.append(
            f"NOT CURRENT {row['predicate']}={row['object']}: {[f.object for f in current]}"
        )


def measured_corrections(rows: Sequence[Row], facts: Sequence[Fact]) -> Score:
    """Return how many corrections of the file are heard.

    A fact that holds has one of the new values, and none an old value without a new one beside it.
    A value may name its predicate (`likes:tea`); a correction without a new value only denies.
    """
    score = Score(corrections=len(rows))
    current = [fact for fact in facts if fact.is_current]
    for row in rows:
        new = [fact for fact in current if _holds_any(fact, row["new"])]
        old = [fact for fact in current if fact not in new and _holds_any(fact, row["old"])]
        is_heard = not old and (bool(new) or not row["new"])
        score.corrections_heard += is_heard
        if not is_heard:
            score.misses.append(f"NOT HEARD {row['form']} want {row['new']}")
    return score


def _holds_any(fact: Fact, values: Sequence[str]) -> bool:
    for value in values:
        predicate, _, word = value.rpartition(":")
        if predicate == "pred" and fact.predicate == word and fact.subject == USER:
            return True
        is_of_it = predicate in ("", fact.predicate)
        if is_of_it and any(occurs(word, text) for text in (fact.object, fact.day[5:])):
            return True
    return False


def measured_moments(
    rows: Sequence[Row], moments: Sequence[Moment], turn_of: Mapping[str, int]
) -> Score:
    """Return the scores of moments.

    A moment of the file is found where a moment of its type begins within two turns of it.
    """
    score = Score(moments=len(rows), moments_kept=len(moments))
    for row in rows:
        first, last = row["turns"]
        near = range(first - _NEAR_TURNS, last + _NEAR_TURNS + 1)
        if any(
            m.type == row["type"] and any(turn_of.get(i) in near for i in m.message_ids)
            for m in moments
        ):
            score.moments_found += 1
        else:
            score.misses.append(f"MOMENT {row['type']} {row['turns']} {row['gist']}")
    return score


def measured_question(row: Row, told: ToldContext) -> Score:
    """Return the scores of a question.

    The context must hold the wanted values, and must not tell the unwanted values as current.
    """
    score = Score(questions=1, stale_asked=bool(row["not"]))
    score.held = any(occurs(value, told.all) for value in row["want"])
    # An old value in raw messages misleads where no newer value stands in the context.
    misleads = not score.held and any(occurs(value, told.all) for value in row["not"])
    score.stale = misleads or any(occurs(value, told.now) for value in row["not"])
    if not score.held:
        score.misses.append(f"NOT HELD {row['ask']} want {row['want']}")
    if score.stale:
        score.misses.append(f"STALE {row['ask']} not {row['not']}")
    return score
