"""RealMem: which earlier sessions answer a message of a long project.

    python benchmarks/board_realmem.py --data DIR [--person NAME …] [--write DIR] [--json]

DIR is a checkout of github.com/zhiyuan5986/RealMemBench (Apache-2.0, arXiv 2601.06966), with
`dataset/NAME_dialogues_256k.json` for ten people. Nothing is fetched. `--every N` asks every Nth
message alone.

From the board, read at commit 067c486 and written again: the order of things (README, "Evaluation
Pipeline Logic": a message is asked before its own session is known, the session is taken in
afterwards); `get_ground_truth`, `dcg`, `ndcg` and `evaluate_retrieval` of
eval/compute_auto_metrics_for_realmem.py. Gold of a message are the sessions that the data's own
assistant used for its answer; of a future or the same session, which nobody can find, too.
`recall_any@k`: one of them is among the first k sessions; `recall_all@k`: all are. The paper says
R@k and not which of the two.

Each person's sessions are a home of their own, laid out as transcripts of Claude Code with every
word of both sides, captured by `gieok observe run --once` before the next message that is asked.

- search: `gieok search MESSAGE --limit 200`, as shipped; sessions in the order of their best hit;
- all: the same with `--min-score 0`: nothing is held back for being unlikely;
- fts5: SQLite's FTS5 over the same turns (retrieval.py);
- vectors: cosine of the same vectors alone, of the same passages;
- possible: all gold sessions that are known when the message is asked, first.
- hook: whether the memories that the prompt's hook would inject (600 tokens) hold a turn of a gold
  session, and whether it injects anything.

The board's own systems generate keywords with a model before they search; Gieok is given the
message as it is. `--write` writes the rankings of `search` and `all` in the board's form, so that
its own script can score them. Answers are not generated: that part of the board needs a model.
"""

import argparse
import json
import math
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from gieok.home.calls import open_call
from gieok.testing import ManualClock
from gieok.text.handles import build_handle
from memaware import Memory, RememberedTexts, use_embedder
from retrieval import PlainFts5
from transcripts import Home, Session, session_uuid, write

_AGENT = "claude-code"
_DEPTHS = (5, 10, 20)
_HITS = 200
_BUDGET_TOKENS = 600
_MORNING, _BETWEEN = timedelta(hours=9), timedelta(hours=2)
#: The first two by name, who take some ten minutes of CPU together.
PEOPLE = ("Adeleke_Okonjo", "Ethan_Hunt")

Dialogue = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What came for one message: sessions by each way, best first, and what the hook did."""

    question: str
    gold: frozenset[str]
    rankings: Mapping[str, Sequence[str]]
    shown: frozenset[str]
    tokens: int


def find_gold(dialogues: Sequence[Dialogue]) -> dict[str, frozenset[str]]:
    """Return the gold sessions of each message of a user that has any: `get_ground_truth`."""
    by_uuid = {one["session_uuid"]: one["session_identifier"] for one in dialogues}
    gold = dict[str, frozenset[str]]()
    for dialogue in dialogues:
        turns = dialogue["dialogue_turns"]
        for turn, after in pairwise(turns):
            text = turn["content"].strip()
            if turn["speaker"] != "User" or after["speaker"] != "Assistant" or not text:
                continue
            used = after.get("memory_session_uuids") or ()
            found = {by_uuid[uuid] for uuid in used if uuid in by_uuid}
            memories = after.get("memory_used") or ()
            found = found or {
                by_uuid[one["session_uuid"]]
                for one in memories
                if isinstance(one, dict) and one.get("session_uuid") in by_uuid
            }
            if found:
                gold[text] = frozenset(found)
    return gold


def score_ranking(
    ranking: Sequence[str], gold: frozenset[str], corpus: frozenset[str], depth: int
) -> dict[str, float]:
    """Return `recall_any`, `recall_all` and `ndcg` at a depth: `evaluate_retrieval`."""
    first = [name for name in ranking if name in corpus][:depth]
    ideal = _discount([True] * min(len(gold & corpus), depth))
    return {
        f"recall_any@{depth}": float(bool(gold & set(first))),
        f"recall_all@{depth}": float(gold <= set(first)),
        f"ndcg@{depth}": _discount([name in gold for name in first]) / ideal if ideal else 0.0,
    }


def _discount(relevances: Sequence[bool]) -> float:
    """Return the discounted gain: the first place counts as much as the second."""
    return sum(is_gold / max(1.0, math.log2(n)) for n, is_gold in enumerate(relevances, 1))


class Person:
    """A person's home, into which sessions come one after the other."""

    def __init__(self, folder: Path, models: Path, kept: Path) -> None:
        self._home = Home(folder.resolve())
        self._work = self._home.path / "talks"
        self._work.mkdir(parents=True)
        self._home.memory.mkdir(mode=0o700)
        (self._home.memory / "models").symlink_to(models.resolve())
        self._home.set_clock(datetime(2025, 1, 1, tzinfo=UTC))
        self._home.gieok("install", _AGENT, folder=self._work)
        os.environ["HOME"] = str(self._home.path)
        self._clock = ManualClock(datetime(2025, 1, 1, tzinfo=UTC))
        call = open_call(
            {"hook.budget_tokens": str(_BUDGET_TOKENS)},
            environment=self._home.environment(),
            folder=self._work,
            clock=self._clock,
            zone=UTC,
        )
        inner = call.home.open_embedder()
        assert inner is not None
        embedder = RememberedTexts(inner, kept / "vectors.sqlite")
        use_embedder(call.home, embedder)
        self._sessions = dict[str, str]()
        self._memory = Memory(call, embedder, self._sessions, 0.0)
        self._last = datetime(2025, 1, 1, tzinfo=UTC)
        self._is_read = True

    def add(self, dialogue: Dialogue) -> None:
        """Write a session where the agent keeps its transcripts."""
        day = datetime.fromisoformat(dialogue["current_time"][:10]).replace(tzinfo=UTC)
        # Sessions keep the order of the file, also where a day has several or stands out of order.
        self._last = max(day + _MORNING, self._last + _BETWEEN)
        turns = [(one["speaker"].lower(), one["content"]) for one in dialogue["dialogue_turns"]]
        session = Session(dialogue["session_identifier"], self._last, self._work, turns)
        write(self._home, _AGENT, session)
        self._sessions[session_uuid(session)] = session.id
        self._clock.advance(session.end + timedelta(hours=1) - self._clock.now())
        self._is_read = False

    def ask(self, question: str, way: str) -> list[str]:
        """Return the sessions that search names, best first."""
        self._read()
        more = {"min_score": 0.0} if way == "all" else {}
        hits = self._memory.ask("search", query=[question], limit=_HITS, **more)["results"]
        names = (self._memory.session_of(hit["path"]) for hit in hits)
        return list(dict.fromkeys(name for name in names if name))

    def rank_by_cosine(self, question: str) -> list[str]:
        """Return the sessions of the nearest passages."""
        self._read()
        return self._memory.rank_by_cosine(question, _HITS)

    def recall(self, question: str) -> tuple[frozenset[str], int]:
        """Return the sessions whose turns the hook injects, and the tokens."""
        self._read()
        answer = self._memory.ask("recall", prompt=[question], agent=_AGENT)
        by_handle = {
            build_handle(str(scope), key): session
            for scope, key, session in self._memory.documents()
        }
        heads = {row["handle"].partition(".")[0] for row in answer["memories"]}
        return frozenset(by_handle[head] for head in heads if head in by_handle), answer["tokens"]

    def _read(self) -> None:
        if not self._is_read:
            self._memory.ask("observe run", once=True)
            self._is_read = True


def ask_person(
    dialogues: Sequence[Dialogue], person: Person, every: int = 1
) -> Iterator[tuple[Answer, frozenset[str]]]:
    """Yield each message that is asked with its answer, and the sessions of the person."""
    gold = find_gold(dialogues)
    corpus = frozenset(one["session_identifier"] for one in dialogues)
    turns = [
        {"id": f"{one['session_identifier']}\0{number}", "text": turn["content"]}
        for one in dialogues
        for number, turn in enumerate(one["dialogue_turns"])
    ]
    plain, known, asked = PlainFts5(turns), list[str](), 0
    for dialogue in dialogues:
        for turn in dialogue["dialogue_turns"]:
            text = turn["content"].strip()
            if not turn.get("is_query") or text not in gold:
                continue
            asked += 1
            if asked % every == 0:
                yield _ask(text, gold[text], person, plain, known), corpus
        person.add(dialogue)
        known.append(dialogue["session_identifier"])
    plain.close()


def _ask(
    text: str, gold: frozenset[str], person: Person, plain: PlainFts5, known: Sequence[str]
) -> Answer:
    ranked = (name.partition("\0")[0] for name in plain.rank(text, 10_000))
    shown, tokens = person.recall(text) if known else (frozenset[str](), 0)
    return Answer(
        question=text,
        gold=gold,
        rankings={
            "search": person.ask(text, "search") if known else (),
            "all": person.ask(text, "all") if known else (),
            "vectors": person.rank_by_cosine(text) if known else (),
            "fts5": list(dict.fromkeys(name for name in ranked if name in known)),
            "possible": [name for name in known if name in gold],
        },
        shown=shown,
        tokens=tokens,
    )


def summarise(answers: Sequence[tuple[Answer, frozenset[str]]]) -> dict[str, Any]:
    ways = answers[0][0].rankings
    result: dict[str, Any] = {"messages": len(answers)}
    for way in ways:
        rows = [
            {
                name: value
                for depth in _DEPTHS
                for name, value in score_ranking(one.rankings[way], one.gold, corpus, depth).items()
            }
            for one, corpus in answers
        ]
        result[way] = {name: _mean(row[name] for row in rows) for name in rows[0]}
    result["hook"] = {
        "hit": _mean(bool(one.shown & one.gold) for one, _ in answers),
        "spoke": _mean(one.tokens > 0 for one, _ in answers),
        "tokens_mean": round(mean(one.tokens for one, _ in answers), 1),
    }
    return result


def _mean(values: Iterable[float]) -> float:
    return round(mean(values), 4)


def write_rankings(folder: Path, name: str, way: str, answers: Sequence[Answer]) -> None:
    """Write rankings as the board's script reads them."""
    found = {
        one.question: {
            "question": one.question,
            "ranked_items": [
                {"res_type": "chunk", "chunk_id": session, "rank": rank}
                for rank, session in enumerate(one.rankings[way], 1)
            ],
        }
        for one in answers
    }
    file = folder / way / name / "example_retrieval_results.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")


def measure(given: argparse.Namespace, kept: Path, homes: Path) -> dict[str, Any]:
    by_person = dict[str, Any]()
    for name in given.person or PEOPLE:
        file = given.data / "dataset" / f"{name}_dialogues_256k.json"
        dialogues = json.loads(file.read_text(encoding="utf-8"))["dialogues"]
        person = Person(homes / name, given.models, kept)
        answers = list(ask_person(dialogues, person, given.every))
        print(f"{name}: {len(answers)} messages asked", file=sys.stderr, flush=True)
        for way in ("search", "all") if given.write else ():
            write_rankings(given.write, name, way, [one for one, _ in answers])
        print_misses([one for one, _ in answers], given.misses)
        by_person[name] = summarise(answers)
    return {**combine(list(by_person.values())), "people": by_person}


def combine(people: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the means over all messages of several people."""
    counts = [one["messages"] for one in people]
    return {
        "messages": sum(counts),
        **{
            way: {
                name: round(
                    sum(count * one[way][name] for count, one in zip(counts, people, strict=True))
                    / sum(counts),
                    4,
                )
                for name in people[0][way]
            }
            for way in people[0]
            if way != "messages"
        },
    }


def print_misses(answers: Sequence[Answer], count: int) -> None:
    """Print messages of which no gold session is among the first ten, evenly drawn."""
    missed = [one for one in answers if not one.gold & set(one.rankings["search"][:10])]
    for one in missed[:: max(1, len(missed) // count)][:count] if count else ():
        print(f"\n{one.question[:400]}", file=sys.stderr)
        print(f"  gold {sorted(one.gold)}, known {one.rankings['possible']}", file=sys.stderr)
        places = [n for n, name in enumerate(one.rankings["all"], 1) if name in one.gold]
        print(f"  places in all: {places}; search: {one.rankings['search'][:10]}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--person", action="append", default=[])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--keep", type=Path, help="keep the vectors of texts there")
    parser.add_argument("--write", type=Path, help="write rankings there in the board's form")
    parser.add_argument("--misses", type=int, default=0, help="show so many misses")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="realmem-") as temporary:
        kept = given.keep or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        result = measure(given, kept, Path(temporary))
    print(json.dumps(result, ensure_ascii=False, indent=None if given.json else 1))


if __name__ == "__main__":
    main()
