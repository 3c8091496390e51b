"""What an ideal model would find, through the whole path of a real one: prompt, loopback server,
JSON, checks, joining.

`python benchmarks/character_model.py --data chats.json [--model ideal|careless|slow|none]
[--alone] [--context TOKENS] [--every N]` plays each conversation of a file; the model's server
answers a prompt with the file's own facts of the messages that stand in it. What is lost against
`character_ideal.py` is lost on that path; what rules add or get wrong stays in. `careless` leaves
out every second fact, gives every fifth to another person or another value, takes back what holds,
and answers every fourth time with broken JSON; `slow` reads every 20 messages of the user; `none`
is the rules alone. `--alone` judges by the narrative.
"""

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import character_play
from character_ideal import DETAILS, SAME, shares
from character_play import PlayedClock
from character_score import Score
from gieok.character.memory.service import Bond, CharacterService, TurnBudget
from gieok.character.predicates import PREDICATES
from gieok.character.turn.model_reader import EVERY, Reading
from gieok.flow.generate import Asker
from gieok.flow.incidents import Incidents
from gieok.flow.notices import Notices
from gieok.models.generators.providers import build_chat_generator
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.model_server import ModelServer
from gieok.text.day_ahead import day_ahead

_LINE = re.compile(r"^\[(\d+)\] (\S+) \w+ \d\d:\d\d (user|character): (.*)$", re.MULTILINE)
_SUMMARIES = {"ko": "나는 우리 이야기를 기억한다.", "en": "I remember what we talked about."}


class Ideal:
    """Answers prompts as a model that misses nothing and invents nothing."""

    def __init__(self, conversation: Mapping[str, Any]) -> None:
        self._facts = conversation["facts"]
        self._turns = {" ".join(turn["text"].split()): turn for turn in conversation["turns"]}
        self._summary = _SUMMARIES[conversation["lang"]]

    def __call__(self, body: Mapping[str, Any]) -> str:
        asked = "\n".join(str(one["content"]) for one in body["messages"])
        if "Conversation:" not in asked:
            return self._summary
        rows: list[dict[str, object]] = []
        gone: list[dict[str, object]] = []
        for number, day, _, text in _LINE.findall(asked.partition("Conversation:")[2]):
            turn = self._turns.get(text.strip())
            rows += [
                self._row(int(number), day, fact)
                for fact in self._facts
                if turn and turn["id"] in fact["evidence"]
            ]
            gone += [
                self._row(int(number), day, fact)
                for fact in self._facts
                if turn and turn["id"] == fact["retracted_at"]
            ]
        return self._answer(rows, gone)

    def _answer(self, rows: list[dict[str, object]], gone: list[dict[str, object]]) -> str:
        return json.dumps({"facts": rows, "taken_back": gone}, ensure_ascii=False)

    def _row(self, number: int, day: str, fact: Mapping[str, Any]) -> dict[str, object]:
        from datetime import date

        predicate = SAME.get(fact["predicate"], fact["predicate"])
        predicate = predicate if predicate in PREDICATES else DETAILS[fact["type"]]
        ahead = (
            day_ahead(fact["object"], date.fromisoformat(day)) if fact["type"] == "plan" else None
        )
        return {
            "message": number,
            "about": fact["subject"],
            "predicate": predicate,
            "value": fact["object"],
            "day": ahead.day.isoformat() if ahead else "",
            "certain": fact["certain"],
            "confidence": 0.95,
            "change": any(other["replaced_by"] == fact["id"] for other in self._facts),
        }


class Careless(Ideal):
    """Answers prompts as a model that leaves out, mixes up, takes back, and breaks its JSON."""

    def __init__(self, conversation: Mapping[str, Any]) -> None:
        super().__init__(conversation)
        self._answers = self._told = 0

    def _answer(self, rows: list[dict[str, object]], gone: list[dict[str, object]]) -> str:
        self._answers += 1
        kept = []
        for row in rows:
            self._told += 1
            wrong = dict[str, object]()
            if self._told % 5 == 0:
                wrong["about"] = "친구" if row["about"] == "user" else "user"
            elif self._told % 5 == 3:
                wrong["value"] = self._facts[self._told % len(self._facts)]["object"]
            if self._told % 2:
                kept.append(row | wrong)
            elif self._told % 12 == 0:
                gone.append(row | wrong)
        answer = super()._answer(kept, gone)
        return answer[: len(answer) // 2] if self._answers % 4 == 0 else answer


_MODELS = {"ideal": Ideal, "careless": Careless, "slow": Ideal}
#: So many messages of the user a slow model reads at a time.
_SLOW = 20


class Tended(CharacterService):
    """`Characters` that a model reads after every message, as it does beside a conversation."""

    def hear(self, bond: Bond, text: str, **given: Any) -> str:
        identity = super().hear(bond, text, **given)
        READINGS[0].tend(bond)
        return identity


READINGS: list[Reading] = []


class _Silent(Notices):
    def __init__(self) -> None:
        """Open no channel."""

    def notify(self, title: str, text: str) -> None:
        """Tell nobody."""


def played(
    conversation: Mapping[str, Any],
    asked: argparse.Namespace,
    server: ModelServer,
) -> Score:
    """Play one conversation."""
    clock = PlayedClock()
    server.script = [_MODELS[asked.model](conversation)] if asked.model != "none" else []
    generator = build_chat_generator("compatible:ideal", "", f"{server.url}/v1")
    with tempfile.TemporaryDirectory() as folder:
        journal, store = (
            SqliteJournal(Path(folder) / "journal.sqlite"),
            SqliteStore(Path(folder) / "memory.sqlite"),
        )
        characters = Tended(journal=journal, store=store, clock=clock)
        characters = replace(
            characters, budget=replace(characters.budget, context_tokens=asked.context)
        )
        asker = Asker("character", generator, journal, clock, UTC, lambda seconds: None, 10**9)
        incidents = Incidents(journal, clock, _Silent())
        READINGS[:] = [
            Reading(
                memory=characters,
                asker=asker if asked.model != "none" else None,
                incidents=incidents,
                every=_SLOW if asked.model == "slow" else asked.every,
            )
        ]
        score, _ = character_play.play(conversation, characters, clock, is_alone=asked.alone)
        for one in journal.incidents():
            sys.stderr.write(f"{one.detail}\n")
        journal.close()
        store.close()
    return score


def main() -> None:
    """Play every conversation; print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, nargs="+")
    parser.add_argument("--model", choices=(*_MODELS, "none"), default="ideal")
    parser.add_argument("--alone", action="store_true", help="judge by the narrative alone")
    parser.add_argument("--context", type=int, default=TurnBudget().context_tokens)
    parser.add_argument("--every", type=int, default=EVERY)
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    server, total = ModelServer(), Score()
    for file in asked.data:
        for conversation in character_play.conversations(file.read_text(encoding="utf-8")):
            total.add(played(conversation, asked, server))
    print(
        json.dumps(
            {
                **shares(total),
                "requests": len(server.requests),
                "extractor": f"rules, model: {asked.model}",
            }
        )
    )
    if asked.misses:
        sys.stdout.write("\n".join(total.misses) + "\n")


if __name__ == "__main__":
    main()
