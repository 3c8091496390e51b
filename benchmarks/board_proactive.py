"""ProactiveMemBench: what a remark brings back of earlier sessions that it does not ask about.

    python benchmarks/board_proactive.py --data DIR [--domain NAME …] [--misses N] [--json]

DIR is a checkout of github.com/FxyQwQ/ProactiveMemBench (MIT): `data/DOMAIN/` with 20 sessions of
20 turns and about 100 questions for each of five people. Nothing is fetched.

The board asks whether a model's answer mentions the three concepts of a question. It publishes no
scorer and no results, and an answer needs a model. What is measured here is what the model would be
given, each person in a home of its own, sessions laid out and captured as in memaware.py:

- concepts: the board's Recall, the share of the three concepts that are mentioned, of the text that
  the prompt's hook puts before the model (at most 600 tokens), and of the first 1, 5 and 10 hits of
  `gieok search`. Mentioned: the concept's letters stand in the text, in any case. `sayable` is the
  share that stands in any turn of the person: no words of the history mention the others.
- turns: questions whose `source_pairs` are planted in turns (307 of 504); these turns are gold.
  Recall at 1, 5 and 10 of `gieok search` and of SQLite's FTS5 (retrieval.py); whether the hook
  brings one of them (`hook`).
- sessions: the same questions; whether the first 1 and 5 sessions that search names hold a gold
  turn, and whether the hook brings any turn of them (`hook`).
- withheld: two more homes for each person, with every second session alone. Questions are asked
  where their gold is in the other half. `silent`: nothing is injected. `silent_unrelated`: of the
  questions none of whose concepts is mentioned in what was told.

The board's Precision is not measured: it counts what an answer mentions.
"""

import argparse
import json
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

from locomo import said
from memaware import Memory, loaded
from retrieval import PlainFts5

DOMAINS = ("cooking", "fitness", "music", "pet", "travel")
_DEPTHS = (1, 5, 10)
_HITS = 80
_COMPARED_LETTERS = 100
_LEAST_LETTERS = 20
#: Words by which the names of the board's five types of association begin.
_TYPES = {
    "time": "temporal",
    "entity": "entity",
    "emotion": "emotional",
    "behavior": "behavioral",
    "multi": "multi-hop",
}


@dataclass(frozen=True)
class Turn:
    """One thing said; its name is the session and the number of the turn."""

    session: str
    number: int
    role: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.session}/{self.number}"


@dataclass(frozen=True)
class Question:
    """A remark, the concepts that it should bring to mind, and the turns that planted them."""

    text: str
    kind: str
    difficulty: str
    concepts: Sequence[str]
    gold: frozenset[str]

    @property
    def gold_sessions(self) -> frozenset[str]:
        return frozenset(name.partition("/")[0] for name in self.gold)


@dataclass(frozen=True)
class Person:
    """The sessions and questions of one domain."""

    domain: str
    begun: Mapping[str, str]
    turns: Sequence[Turn]
    questions: Sequence[Question]

    def rows(self, sessions: Iterable[str]) -> list[dict[str, Any]]:
        """Return sessions as `memaware.loaded` takes them."""
        return [
            {
                "id": f"{self.domain}-{session}",
                "at": self.begun[session],
                "turns": [
                    {"role": turn.role, "text": turn.text}
                    for turn in self.turns
                    if turn.session == session
                ],
            }
            for session in sessions
        ]


def load_person(data: Path, domain: str) -> Person:
    folder = data / "data" / domain
    sessions = json.loads((folder / "step4_conversations.json").read_text(encoding="utf-8"))
    rows = json.loads((folder / "step5_proactive_questions.json").read_text(encoding="utf-8"))
    turns, planted = list[Turn](), defaultdict[str, set[str]](set)
    for session in sessions:
        for row in session["turns"]:
            turn = Turn(str(session["session_id"]), row["turn_id"], row["role"], row["content"])
            turns.append(turn)
            for pair in row["planted_pairs"]:
                planted[pair].add(turn.name)
    return Person(
        domain=domain,
        begun={str(one["session_id"]): _utc(one["turns"][0]["timestamp"]) for one in sessions},
        turns=turns,
        questions=[
            Question(
                text=row["question"],
                kind=_type_of(row["trigger_type"]),
                difficulty=row["difficulty"],
                concepts=[one["concept"] for one in row["candidate_set"]],
                gold=frozenset(name for pair in row["source_pairs"] for name in planted[pair]),
            )
            for row in rows
        ],
    )


def _utc(stamp: str) -> str:
    moment = datetime.fromisoformat(stamp)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


def _type_of(trigger: str) -> str:
    return next(name for word, name in _TYPES.items() if trigger.casefold().startswith(word))


def count_mentioned(concepts: Sequence[str], text: str) -> float:
    """Return the share of concepts whose letters stand in a text."""
    told = _letters(text)
    return mean(_letters(concept) in told for concept in concepts)


def find_recall(ranking: Sequence[str], gold: frozenset[str], depth: int) -> float:
    return len(gold & set(ranking[:depth])) / len(gold)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


class Home:
    """A home in which sessions of a person were taken in, and which turn each handle is."""

    def __init__(self, person: Person, memory: Memory) -> None:
        self._memory = memory
        turns = [(turn, _letters(turn.text)) for turn in person.turns]
        self._turns = dict[str, Turn]()
        for handle, line in said(memory).items():
            # A line of a transcript begins with who said it; an observation is a part of a turn.
            told = re.sub("^(user|assistant)", "", line)[:_COMPARED_LETTERS]
            of = next((turn for turn, text in turns if told in text), None)
            if of and len(told) >= _LEAST_LETTERS:
                self._turns[handle] = of

    @property
    def known_turns(self) -> int:
        return len({turn.name for turn in self._turns.values()})

    def search(self, question: str) -> list[Turn]:
        """Return the turns that search names, best first, each once."""
        hits = self._memory.ask("search", query=[question], limit=_HITS)["results"]
        found = (self._turns.get(hit["handle"]) for hit in hits)
        return list(dict.fromkeys(turn for turn in found if turn))

    def recall(self, question: str) -> tuple[str, int, list[Turn]]:
        """Return what the hook injects, its tokens, and the turns in it."""
        answer = self._memory.ask("recall", prompt=[question], agent="claude-code")
        found = (self._turns.get(row["handle"]) for row in answer["memories"])
        return answer["text"], answer["tokens"], [turn for turn in found if turn]


@dataclass(frozen=True)
class Asked:
    """One question with what came of it."""

    question: Question
    sayable: float
    found: Sequence[Turn]
    plain: Sequence[str]
    injected: str
    tokens: int
    shown: Sequence[Turn]

    def concepts_at(self, depth: int) -> float:
        told = " ".join(turn.text for turn in self.found[:depth])
        return count_mentioned(self.question.concepts, told)

    @property
    def is_hit(self) -> bool:
        return bool({turn.name for turn in self.shown} & self.question.gold)

    @property
    def is_session_hit(self) -> bool:
        return bool({turn.session for turn in self.shown} & self.question.gold_sessions)

    def names_session_at(self, depth: int) -> bool:
        sessions = list(dict.fromkeys(turn.session for turn in self.found))
        return bool(set(sessions[:depth]) & self.question.gold_sessions)


def ask_person(person: Person, home: Home) -> Iterator[Asked]:
    fts5 = PlainFts5([{"id": turn.name, "text": turn.text} for turn in person.turns])
    history = " ".join(turn.text for turn in person.turns)
    for question in person.questions:
        injected, tokens, shown = home.recall(question.text)
        yield Asked(
            question=question,
            sayable=count_mentioned(question.concepts, history),
            found=home.search(question.text),
            plain=fts5.rank(question.text, max(_DEPTHS)),
            injected=injected,
            tokens=tokens,
            shown=shown,
        )
    fts5.close()


def summarise(asked: Sequence[Asked]) -> dict[str, Any]:
    planted = [one for one in asked if one.question.gold]
    return {
        "questions": len(asked),
        "concepts": {
            "sayable": _mean(one.sayable for one in asked),
            "hook": _mean(_hook_concepts(one) for one in asked),
            **{f"search@{k}": _mean(one.concepts_at(k) for one in asked) for k in _DEPTHS},
            "hook_by_type": _group(asked, "kind"),
            "hook_by_difficulty": _group(asked, "difficulty"),
        },
        "turns": {
            "questions": len(planted),
            **{f"recall@{k}": _mean(_recall(one, k) for one in planted) for k in _DEPTHS},
            **{
                f"fts5_recall@{k}": _mean(
                    find_recall(one.plain, one.question.gold, k) for one in planted
                )
                for k in _DEPTHS
            },
            "hook": _mean(one.is_hit for one in planted),
        },
        "sessions": {
            "hit@1": _mean(one.names_session_at(1) for one in planted),
            "hit@5": _mean(one.names_session_at(5) for one in planted),
            "hook": _mean(one.is_session_hit for one in planted),
        },
        "hook": {
            "spoke": _mean(one.tokens > 0 for one in asked),
            "tokens_mean": round(mean(one.tokens for one in asked), 1),
        },
    }


def _hook_concepts(asked: Asked) -> float:
    return count_mentioned(asked.question.concepts, asked.injected)


def _recall(asked: Asked, depth: int) -> float:
    return find_recall([turn.name for turn in asked.found], asked.question.gold, depth)


def _group(asked: Sequence[Asked], by: str) -> dict[str, float]:
    groups = defaultdict[str, list[float]](list)
    for one in asked:
        groups[getattr(one.question, by)].append(_hook_concepts(one))
    return {name: _mean(values) for name, values in sorted(groups.items())}


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return round(mean(known), 4) if known else 0.0


def ask_withheld(person: Person, told: Sequence[str], home: Home) -> Iterator[tuple[bool, bool]]:
    """Yield of each question whose gold is in no session that was told: whether the hook is silent,
    and whether none of its concepts was mentioned.
    """
    history = " ".join(turn.text for turn in person.turns if turn.session in told)
    for question in person.questions:
        if question.gold and not question.gold_sessions & set(told):
            injected, _, _ = home.recall(question.text)
            yield not injected, not count_mentioned(question.concepts, history)


def measure(given: argparse.Namespace, kept: Path, homes: Path) -> dict[str, Any]:
    asked, withheld = list[Asked](), list[tuple[bool, bool]]()
    for domain in given.domain or DOMAINS:
        person = load_person(given.data, domain)
        sessions = list(person.begun)
        home = Home(person, loaded(kept, homes / domain, person.rows(sessions), given))
        print_progress(f"{domain}: {home.known_turns} of {len(person.turns)} turns are found again")
        asked += ask_person(person, home)
        for half in (0, 1):
            told = sessions[half::2]
            folder = homes / f"{domain}-{half}"
            home = Home(person, loaded(kept, folder, person.rows(told), given))
            withheld += ask_withheld(person, told, home)
    if given.misses:
        print_misses(asked, given.misses)
    unrelated = [is_silent for is_silent, is_unrelated in withheld if is_unrelated]
    return {
        **summarise(asked),
        "withheld": {
            "questions": len(withheld),
            "silent": _mean(is_silent for is_silent, _ in withheld),
            "unrelated": len(unrelated),
            "silent_unrelated": _mean(unrelated),
        },
    }


def print_progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def print_misses(asked: Sequence[Asked], count: int) -> None:
    """Print questions none of whose gold turns the hook brought, evenly drawn."""
    missed = [one for one in asked if one.question.gold and not one.is_hit]
    for one in missed[:: max(1, len(missed) // count)][:count]:
        print_progress(f"\n{one.question.kind}, {one.question.difficulty}: {one.question.text}")
        print_progress(f"  wanted {one.question.concepts}, turns {sorted(one.question.gold)}")
        places = [n for n, turn in enumerate(one.found, 1) if turn.name in one.question.gold]
        print_progress(f"  places of gold in search: {places}; injected {one.tokens} tokens:")
        for turn in one.shown:
            print_progress(f"    {turn.name} {turn.role}: {turn.text[:150]}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--domain", action="append", choices=DOMAINS, default=[])
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--keep", type=Path, help="keep the vectors of texts there")
    parser.add_argument("--misses", type=int, default=0, help="show so many misses")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    given.assistant_chars = 0
    with tempfile.TemporaryDirectory(prefix="proactive-") as temporary:
        kept = given.keep or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        result = measure(given, kept, Path(temporary))
    print(json.dumps(result, ensure_ascii=False, indent=None if given.json else 1))


if __name__ == "__main__":
    main()
