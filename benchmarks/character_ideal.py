"""The ceiling of memory for characters: the facts of a conversation file, told to the service at
the turn of their evidence.

What an ideal extractor would find goes through the same validation, supersession, storage,
narrative and context: `python benchmarks/character_ideal.py --data chats.json [--context TOKENS]`.
What is left is not the extractor's.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import character_play
from character_play import PlayedClock
from character_score import Score
from gieok.character.detect.detect import Detection, Finding, Spoken
from gieok.character.facts import Fact
from gieok.character.memory.service import CharacterService, TurnBudget
from gieok.character.predicates import PREDICATES
from gieok.model.conversation import Message
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.text.day_ahead import day_ahead

#: Predicates of files that the table calls otherwise; what it does not know at all is a detail of
#: its type.
SAME = {
    "work_routine": "routine",
    "discharge_date": "discharge",
    "book_title": "title",
    "cooking": "food",
}
DETAILS = {
    "personal": "detail",
    "preference": "taste",
    "relationship": "tie",
    "habit": "hobby",
    "plan": "plan",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IdealService(CharacterService):
    """Memory of a character that finds in each message what the file says is told there."""

    file_facts: Sequence[Mapping[str, Any]]

    def detect(self, spoken: Spoken, held: Sequence[Fact], message: Message) -> Detection:
        """Return the statements of a message by the file."""
        turn = int(message.id.removeprefix("turn-"))
        found = tuple(
            self._finding(row, spoken.day, message)
            for row in self.file_facts
            if turn in row["evidence"]
        )
        gone = {row["object"] for row in self.file_facts if row["retracted_at"] == turn}
        return Detection(found, tuple(fact for fact in held if fact.object in gone))

    def _finding(self, row: Mapping[str, Any], said: date, message: Message) -> Finding:
        predicate = SAME.get(row["predicate"], row["predicate"])
        if predicate not in PREDICATES:
            predicate = DETAILS[row["type"]]
        day = day_ahead(row["object"], said) if row["type"] == "plan" else None
        return Finding(
            predicate,
            row["object"],
            message.text,
            row["subject"],
            day=day.day.isoformat() if day else "",
            is_idea=not row["certain"],
            is_change=any(other["replaced_by"] == row["id"] for other in self.file_facts),
        )


def shares(total: Score) -> dict[str, float]:
    """Return counts as shares of 1."""
    return {
        "holds": round(total.held / total.questions, 3),
        "stale": round(total.stale / total.questions, 3),
        "precision": round(total.right / total.kept, 3),
        "recall": round(total.found / total.wanted, 3),
        "current_right": round(total.chains_right / total.chains, 3),
    }


def main() -> None:
    """Play every conversation with the ideal extractor; print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--context", type=int, default=TurnBudget().context_tokens)
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    total = Score()
    for conversation in character_play.conversations(asked.data.read_text(encoding="utf-8")):
        clock = PlayedClock()
        with tempfile.TemporaryDirectory() as folder:
            journal, store = (
                SqliteJournal(Path(folder) / "journal.sqlite"),
                SqliteStore(Path(folder) / "memory.sqlite"),
            )
            characters = IdealService(
                journal=journal,
                store=store,
                clock=clock,
                budget=replace(TurnBudget(), context_tokens=asked.context),
                file_facts=conversation["facts"],
            )
            score, _ = character_play.play(conversation, characters, clock)
            journal.close()
            store.close()
        total.add(score)
    print(json.dumps({**shares(total), "extractor": "ideal"}))
    if asked.misses:
        sys.stdout.write("\n".join(total.misses) + "\n")


if __name__ == "__main__":
    main()
