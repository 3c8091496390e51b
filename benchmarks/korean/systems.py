"""Systems for the Korean benchmark: Gieok as an agent's hooks ask it, and plain methods.

    python benchmarks/korean/systems.py NAME FOLDER < questions.jsonl > answers.jsonl

| NAME | what it puts before the model |
|---|---|
| hook | what Gieok's hook adds to a prompt of Claude Code |
| search | the first five lines of `gieok search` |
| words | the five best turns by SQLite's FTS5, words as its tokenizer cuts them |
| bigrams | the five best turns by BM25 over pairs of neighbouring characters |
| vectors | the five nearest turns by multilingual-e5-small as it was published, in 8 bits |
| fused | the five best turns by bigrams and vectors, by reciprocal rank |
| newest | the last ten turns of the user |
| nothing | nothing |

`score.py` says what FOLDER, questions and answers are. Plain methods see each turn of the user as a
memory, at once. Gieok gets transcripts of Claude Code, session by session under their own dates,
and is asked in a fresh process for each question, at the question's date. `--models` is a folder of
vectors that are converted already; without it they are converted anew.
"""

import argparse
import json
import math
import sqlite3
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from gieok.models.local.releases import EARLIER
from gieok.models.local.runtime import E5Embedder

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from told import Asked, lay_out, start_daemon
from transcripts import Home, Session

MODELS = Path(__file__).resolve().parents[2] / ".cache" / "models"
_AGENT = "claude-code"
_SHOWN = 5
_NEWEST = 10
#: BM25's usual constants, and that of reciprocal rank.
_K1 = 1.2
_B = 0.75
_RANK = 60

Row = Mapping[str, Any]


def read_sessions(folder: Path) -> list[list[Row]]:
    """Read the sessions of a folder by their dates: of each its head, then its turns."""
    sessions = [
        [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for file in folder.glob("*.jsonl")
    ]
    return sorted(sessions, key=lambda rows: datetime.fromisoformat(rows[0]["at"]))


def list_user_turns(folder: Path) -> list[str]:
    """List what the user said, oldest first, a turn a line."""
    return [
        " ".join(turn["text"].split())
        for session in read_sessions(folder)
        for turn in session[1:]
        if turn["role"] == "user"
    ]


class Words:
    """Ranks turns by FTS5's BM25; a question's words are joined by OR."""

    def __init__(self, turns: Sequence[str]) -> None:
        self._index = sqlite3.connect(":memory:")
        self._index.execute("CREATE VIRTUAL TABLE turns USING fts5(text)")
        self._index.executemany("INSERT INTO turns VALUES (?)", [(turn,) for turn in turns])

    def rank(self, ask: str) -> list[int]:
        words = ["".join(filter(str.isalnum, word)) for word in ask.split()]
        query = " OR ".join(f'"{word}"' for word in words if word)
        if not query:
            return []
        found = self._index.execute(
            "SELECT rowid - 1 FROM turns WHERE turns MATCH ? ORDER BY bm25(turns)", (query,)
        )
        return [number for (number,) in found]


class Bigrams:
    """Ranks turns by BM25 over pairs of neighbouring characters of words."""

    def __init__(self, turns: Sequence[str]) -> None:
        self._turns = [Counter(_cut_bigrams(turn)) for turn in turns]
        self._lengths = [sum(terms.values()) for terms in self._turns]
        self._mean = sum(self._lengths) / max(len(turns), 1)
        self._holding = Counter(term for terms in self._turns for term in terms)

    def rank(self, ask: str) -> list[int]:
        terms = set(_cut_bigrams(ask))
        scores = [self._score(number, terms) for number in range(len(self._turns))]
        order = sorted(range(len(scores)), key=lambda number: -scores[number])
        return [number for number in order if scores[number] > 0]

    def _score(self, number: int, terms: Iterable[str]) -> float:
        held = self._turns[number]
        long = _K1 * (1 - _B + _B * self._lengths[number] / self._mean)
        return sum(
            self._rarity(term) * held[term] * (_K1 + 1) / (held[term] + long)
            for term in terms
            if term in held
        )

    def _rarity(self, term: str) -> float:
        holding = self._holding[term]
        return math.log(1 + (len(self._turns) - holding + 0.5) / (holding + 0.5))


def _cut_bigrams(text: str) -> Iterator[str]:
    for word in text.lower().split():
        letters = "".join(filter(str.isalnum, word))
        yield from (letters[at : at + 2] for at in range(max(len(letters) - 1, 1)))


class Vectors:
    """Ranks turns by the cosine of their vectors."""

    def __init__(self, turns: Sequence[str], models: Path) -> None:
        self._embedder = E5Embedder(models, release=EARLIER[-1])
        vectors = self._embedder.embed_passages(turns)
        self._vectors = np.stack([np.frombuffer(vector, "<f4") for vector in vectors])

    def rank(self, ask: str) -> list[int]:
        asked = np.frombuffer(self._embedder.embed_query(ask), "<f4")
        return [int(number) for number in np.argsort(-(self._vectors @ asked), kind="stable")]


class Fused:
    """Ranks turns by bigrams and vectors, joined by reciprocal rank."""

    def __init__(self, turns: Sequence[str], models: Path) -> None:
        self._methods = Bigrams(turns), Vectors(turns, models)

    def rank(self, ask: str) -> list[int]:
        scores: defaultdict[int, float] = defaultdict(float)
        for method in self._methods:
            for place, number in enumerate(method.rank(ask)):
                scores[number] += 1 / (_RANK + place)
        return sorted(scores, key=lambda number: -scores[number])


def answer_plainly(
    name: str, folder: Path, questions: Sequence[Row], models: Path
) -> Iterator[str]:
    """Yield what a plain method shows for each question."""
    turns = list_user_turns(folder)
    if name in ("newest", "nothing"):
        shown = turns[: -_NEWEST - 1 : -1] if name == "newest" else []
        yield from ("\n".join(shown) for _ in questions)
        return
    method = _open_method(name, turns, models)
    for question in questions:
        best = method.rank(question["ask"])[:_SHOWN]
        yield "\n".join(turns[number] for number in best)


def _open_method(
    name: str, turns: Sequence[str], models: Path
) -> Words | Bigrams | Vectors | Fused:
    match name:
        case "words":
            return Words(turns)
        case "bigrams":
            return Bigrams(turns)
        case "vectors":
            return Vectors(turns, models)
        case _:
            return Fused(turns, models)


def answer_by_gieok(
    name: str, folder: Path, questions: Sequence[Row], models: Path
) -> Iterator[str]:
    """Yield what Gieok's hook or search shows for each question, in a home of its own."""
    with tempfile.TemporaryDirectory(prefix="korean-home-") as place:
        home = Home(Path(place).resolve())
        told = [_build_session(home, rows) for rows in read_sessions(folder)]
        places = sorted({session.folder for session in told})
        for project in places:
            project.mkdir(parents=True)
            home.run("git init -q", project)
        home.memory.mkdir(mode=0o700)
        if models.is_dir():
            (home.memory / "models").symlink_to(models.resolve())
        home.set_clock(told[0].at - timedelta(days=1))
        home.gieok("install", _AGENT, folder=places[0])
        lay_out(home, _AGENT, told, [])
        try:
            start_daemon(home, [home.path, *places])
            asked = Asked(home, _AGENT)
            for question in questions:
                home.set_clock(datetime.fromisoformat(question["at"]))
                project = _locate_project(home, question["project"])
                if name == "hook":
                    yield asked.inject("prompt", project, asked.session(), question["ask"])
                else:
                    yield _search(home, project, question["ask"])
        finally:
            home.run(["gieok", "down"], home.path)


def _build_session(home: Home, rows: Sequence[Row]) -> Session:
    head, turns = rows[0], rows[1:]
    return Session(
        head["session"],
        datetime.fromisoformat(head["at"]),
        _locate_project(home, head["project"]),
        [(turn["role"], turn["text"]) for turn in turns],
    )


def _locate_project(home: Home, project: str | None) -> Path:
    return home.path / "work" / (project or "talk")


def _search(home: Home, folder: Path, ask: str) -> str:
    found = json.loads(home.gieok("search", "--json", "--limit", str(_SHOWN), ask, folder=folder))
    return "\n".join(
        " ".join(f"{hit.get('status') or ''} {hit['snippet']}".split()) for hit in found["results"]
    )


def main() -> None:
    plain = ("words", "bigrams", "vectors", "fused", "newest", "nothing")
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("name", choices=("hook", "search", *plain))
    parser.add_argument("folder", type=Path, help="a folder of sessions, as score.py writes it")
    parser.add_argument("--models", type=Path, default=MODELS, help="converted vectors")
    arguments = parser.parse_args()
    questions = [json.loads(line) for line in sys.stdin]
    answer = answer_plainly if arguments.name in plain else answer_by_gieok
    texts = answer(arguments.name, arguments.folder, questions, arguments.models)
    for question, text in zip(questions, texts, strict=True):
        print(json.dumps({"id": question["id"], "text": text}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
