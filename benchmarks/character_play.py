"""What a character remembers of the conversations in a file.

`python benchmarks/character_play.py --data chats.json [--vectors] [--alone] [--context-tokens N]
[--misses] [--narratives]` plays each conversation turn by turn through the service into an empty
memory, asks the questions of the file at their time, and prints the figures of docs/character.md as
JSON. `--vectors` lets the models of the settings find and read, too. `--alone` judges questions by
the narrative, with the recent turns taken away; `--context-tokens` makes the window that holds them
smaller. Several files count together.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import character_score
from character_score import Row, Score
from gieok.character.memory.service import RULES, Bond, CharacterService, TurnBudget
from gieok.flow.distil import deliver
from gieok.flow.lifecycle import fill_vectors
from gieok.home.calls import open_call
from gieok.home.profiles import build_quoting_profile
from gieok.ports.models import Embedder, Reader
from gieok.ports.store import VectorSearch
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.zone import find_zone

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
    """Return the conversations of a file. Raises ValueError, which names what is missing."""
    try:
        rows = json.loads(text)["conversations"]
        for row in rows:
            _check_conversation_rows(row)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"no conversation file: {error!r}; {_FORM}") from error
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
    """Return the user and character of a conversation. Raises ValueError for an unknown zone."""
    user, character = conversation["user"], conversation["character"]
    return Bond(user["id"], conversation["id"], character["persona"], find_zone(user["zone"]))


def play(
    conversation: Row,
    characters: CharacterService,
    clock: PlayedClock,
    *,
    is_alone: bool = False,
) -> tuple[Score, list[PlayedAnswer]]:
    """Play one conversation; return the scores, and each question with the narrative at that
    time. `is_alone`: questions are judged by the narrative alone.
    """
    bond, turn_of, answers = build_played_bond(conversation), dict[str, int](), list[PlayedAnswer]()
    waiting = sorted(conversation["questions"], key=lambda row: _parse_zoned_time(row["at"]))
    for turn in conversation["turns"]:
        at = _parse_zoned_time(turn["at"])
        while waiting and _parse_zoned_time(waiting[0]["at"]) < at:
            row = waiting.pop(0)
            answers.append(_ask_played_question(row, bond, characters, clock, is_alone=is_alone))
        clock.at = at
        identity = characters.hear(
            bond, turn["text"], is_user=turn["role"] == "user", identity=f"turn-{turn['id']}"
        )
        turn_of[identity] = turn["id"]
    answers += [
        _ask_played_question(row, bond, characters, clock, is_alone=is_alone) for row in waiting
    ]
    held = characters.memories(bond)
    score = character_score.measured_facts(
        conversation, [fact for fact in held.facts if not fact.is_idea], turn_of
    )
    current = [fact for fact in held.facts if not fact.is_idea]
    score.add(character_score.measured_corrections(conversation.get("corrections", ()), current))
    score.add(character_score.measured_moments(conversation["moments"], held.moments, turn_of))
    for answer in answers:
        score.add(answer.score)
    return score, answers


def _ask_played_question(
    row: Row, bond: Bond, characters: CharacterService, clock: PlayedClock, *, is_alone: bool
) -> PlayedAnswer:
    clock.at = _parse_zoned_time(row["at"])
    _fill_played_vectors(characters)
    context = characters.context(bond, row["ask"])
    score = character_score.measured_question(
        row,
        character_score.ToldContext(
            context.narrative.now, context.narrative.text if is_alone else context.text
        ),
    )
    return PlayedAnswer(row["ask"], clock.at, context.narrative.text, score)


def _fill_played_vectors(characters: CharacterService) -> None:
    """Make the vectors of newly stored documents, where vectors are wanted."""
    if characters.embedder is not None and isinstance(characters.store, VectorSearch):
        deliver(characters.journal, characters.store)
        fill_vectors(characters.store, characters.embedder)


def shares(total: Score, conversations: int) -> dict[str, Any]:
    """Return the figures of an evaluation, as shares of 1, and what they were counted from."""
    return {
        "facts": {
            "precision": _share(total.right, total.kept),
            "recall": _share(total.found, total.wanted),
            "current_right": _share(total.chains_right, total.chains),
        },
        "traps_kept": _share(total.traps_kept, total.traps),
        "moments": {"recall": _share(total.moments_found, total.moments)},
        "corrections": {"heard": _share(total.corrections_heard, total.corrections)},
        "questions": {
            "holds": _share(total.held, total.questions),
            "stale": _share(total.stale, total.questions),
        },
        "extractor": RULES,
        "counts": {
            "conversations": conversations,
            "facts": total.wanted,
            "kept": total.kept,
            "traps": total.traps,
            "moments": total.moments,
            "moments_kept": total.moments_kept,
            "questions": total.questions,
            "corrections": total.corrections,
        },
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


class PlayedModels(NamedTuple):
    """What finds memories by meaning, and what reads lines together with a message."""

    embedder: Embedder | None = None
    reader: Reader | None = None


@contextmanager
def empty_memory(
    clock: PlayedClock, models: PlayedModels, budget: TurnBudget
) -> Iterator[CharacterService]:
    """Open a memory in a temporary folder of its own."""
    with tempfile.TemporaryDirectory(prefix="gieok-played-") as folder:
        journal = SqliteJournal(Path(folder) / "journal.sqlite")
        store = SqliteStore(Path(folder) / "memory.sqlite")
        try:
            yield CharacterService(
                journal=journal,
                store=store,
                clock=clock,
                embedder=models.embedder,
                reader=models.reader,
                quoting=build_quoting_profile(open_call({}).home.settings.home),
                budget=budget,
            )
        finally:
            journal.close()
            store.close()


def open_configured_models() -> PlayedModels:
    """Return the models that the settings ask for."""
    home = open_call({}).home
    embedder = home.open_embedder()
    return PlayedModels(embedder.wanted() if embedder else None, home.open_help_reader())


def main() -> None:
    """Play every conversation; print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, nargs="+")
    parser.add_argument("--alone", action="store_true", help="judge by the narrative alone")
    parser.add_argument("--vectors", action="store_true", help="find memories by meaning, too")
    parser.add_argument("--context-tokens", type=int, default=TurnBudget().context_tokens)
    parser.add_argument("--misses", action="store_true", help="list what was missed or wrong")
    parser.add_argument("--narratives", action="store_true", help="show it at each question")
    asked = parser.parse_args()
    rows = [row for file in asked.data for row in conversations(file.read_text(encoding="utf-8"))]
    models = open_configured_models() if asked.vectors else PlayedModels()
    budget = TurnBudget(context_tokens=asked.context_tokens)
    total, answers = Score(), list[PlayedAnswer]()
    for row in rows:
        clock = PlayedClock()
        with empty_memory(clock, models, budget) as characters:
            score, questions = play(row, characters, clock, is_alone=asked.alone)
        total.add(score)
        answers += questions
    print(json.dumps(shares(total, len(rows)), ensure_ascii=False))
    for miss in total.misses if asked.misses else ():
        sys.stdout.write(f"{miss}\n")
    for answer in answers if asked.narratives else ():
        sys.stdout.write(f"{answer.at:%Y-%m-%d %H:%M} {answer.question}\n{answer.narrative}\n")


if __name__ == "__main__":
    main()
