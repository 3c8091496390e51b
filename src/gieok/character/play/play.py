"""Plays a conversation file turn by turn through the service.

The questions of the file are asked at their turns.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from gieok.character.accounts.points import zone_named
from gieok.character.memory.service import Bond, CharacterService
from gieok.character.play import measure
from gieok.character.play.measure import Row, Score
from gieok.errors import BadRequest
from gieok.flow.distil import deliver
from gieok.flow.lifecycle import fill_vectors
from gieok.ports.store import VectorSearch

_LISTS = ("turns", "facts", "moments", "not_facts", "questions")
_FORM = "docs/character.md describes the form of a conversation file"


class PlayedClock:
    """`Clock` that shows the time in the played conversation."""

    def __init__(self) -> None:
        self.at = datetime(1970, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time."""
        return self.at


class PlayedAnswer(NamedTuple):
    """Question with the context's narrative, for a person who reads the narrative."""

    question: str
    at: datetime
    narrative: str
    score: Score


def conversations(text: str) -> list[Row]:
    """Return the conversations of a file. Raises BadRequest, which names what is missing."""
    try:
        rows = json.loads(text)["conversations"]
        for row in rows:
            _check_conversation_rows(row)
    except (ValueError, KeyError, TypeError) as error:
        raise BadRequest(f"no conversation file: {error!r}", hint=_FORM) from error
    return list(rows)


def _check_conversation_rows(conversation: Mapping[str, Any]) -> None:
    for name in _LISTS:
        if not isinstance(conversation[name], list):
            raise TypeError(name)
    for turn in conversation["turns"]:
        _parse_zoned_time(turn["at"])
        if turn["role"] not in ("user", "character") or not isinstance(turn["text"], str):
            raise ValueError(turn["id"])
    for question in conversation["questions"]:
        _parse_zoned_time(question["at"])


def _parse_zoned_time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(text)
    return moment


def build_played_bond(conversation: Row) -> Bond:
    """Return the user and character of a conversation. Raises BadRequest for an unknown zone."""
    user, character = conversation["user"], conversation["character"]
    return Bond(user["id"], conversation["id"], character["persona"], zone_named(user["zone"]))


def play(
    conversation: Row, characters: CharacterService, clock: PlayedClock
) -> tuple[Score, list[PlayedAnswer]]:
    """Play one conversation; return the scores, and each question with the narrative at that
    time.
    """
    bond, turn_of, answers = build_played_bond(conversation), dict[str, int](), list[PlayedAnswer]()
    waiting = sorted(conversation["questions"], key=lambda row: _parse_zoned_time(row["at"]))
    for turn in conversation["turns"]:
        at = _parse_zoned_time(turn["at"])
        while waiting and _parse_zoned_time(waiting[0]["at"]) < at:
            answers.append(_ask_played_question(waiting.pop(0), bond, characters, clock))
        clock.at = at
        identity = characters.hear(
            bond, turn["text"], is_user=turn["role"] == "user", identity=f"turn-{turn['id']}"
        )
        turn_of[identity] = turn["id"]
    answers += [_ask_played_question(row, bond, characters, clock) for row in waiting]
    held = characters.memories(bond)
    score = measure.measured_facts(
        conversation, [fact for fact in held.facts if not fact.is_idea], turn_of
    )
    score.add(measure.measured_moments(conversation["moments"], held.moments, turn_of))
    for answer in answers:
        score.add(answer.score)
    return score, answers


def _ask_played_question(
    row: Row, bond: Bond, characters: CharacterService, clock: PlayedClock
) -> PlayedAnswer:
    clock.at = _parse_zoned_time(row["at"])
    _fill_played_vectors(characters)
    context = characters.context(bond, row["ask"])
    score = measure.measured_question(row, measure.ToldContext(context.narrative.now, context.text))
    return PlayedAnswer(row["ask"], clock.at, context.narrative.text, score)


def _fill_played_vectors(characters: CharacterService) -> None:
    """Make the vectors of newly stored documents, where vectors are wanted."""
    embedder = characters.embedder()
    if embedder is not None and isinstance(characters.store, VectorSearch):
        deliver(characters.journal, characters.store)
        fill_vectors(characters.store, embedder)


def total(scores: Sequence[Score]) -> Score:
    """Return the sum of scores."""
    sum_ = Score()
    for score in scores:
        sum_.add(score)
    return sum_
