"""Fits the map on the vector of a question (`gieok.ranking.learned.query_map`).

    python scripts/fit_query_map.py --data DIR [--check] [--models FOLDER]

Pairs: `scripts/learned/pairs.tsv` (what was said in passing, and questions that need it; written
for this), and DIR's `memaware.json` and `longmemeval.json` over `sessions.jsonl.gz` (MIT; in
English), at .3 of the weight. A question is drawn to its own statement or session and away from all
others of the same kind (softmax over the best turn of each session); questions of other kinds
(`scripts/learned/other_questions.txt`) are kept where they are. The mean of two fits is cut to rank
16, which loses nothing.

`--check` fits on half of DIR (by source question), and shows the other half before and after.
"""

import argparse
import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gieok.models.embedders.e5.runtime import E5Embedder
from gieok.ranking.learned.weights import LearnedWeights, encoded
from gieok.text.embedform import text_to_embed

_HERE = Path(__file__).parent / "learned"
_OUT = Path(__file__).parents[1] / "src/gieok/ranking/learned/query_map.weights"
_RANK, _TRAINED_RANK, _EPOCHS, _BATCH = 16, 48, 15, 64
_STEP, _DECAY, _KEEP = 3e-4, 1e-3, 10.0
_FITS = ((0, 0.03), (1, 0.05))
_SHARE_OF_ENGLISH = 0.3
_PIECE_CHARS = 800

Matrix = NDArray[np.float32]


class Pool(NamedTuple):
    """Vectors of turns, session by session, and where each session starts."""

    vectors: Matrix
    starts: NDArray[np.int64]


class Asked(NamedTuple):
    """Questions about one pool: a vector, the sessions that answer, and the source each."""

    pool: Pool
    vectors: Matrix
    gold: list[list[int]]
    sources: list[str]
    weight: float

    def half(self, which: int) -> "Asked":
        """Return the questions of half of the sources."""
        mine = [
            i for i, source in enumerate(self.sources) if zlib.crc32(source.encode()) % 2 == which
        ]
        return self._replace(
            vectors=self.vectors[mine],
            gold=[self.gold[i] for i in mine],
            sources=[self.sources[i] for i in mine],
        )


def pieces(label: str, text: str) -> Iterator[str]:
    """Yield the lines that a turn is stored as."""
    text = " ".join(text.split())
    while text:
        space = text.rfind(" ", 1, _PIECE_CHARS + 1) if len(text) > _PIECE_CHARS else -1
        end = space if space > 0 else _PIECE_CHARS
        yield f"{label}: {text[:end]}"
        text = text[end:].lstrip()


def pool_of(embedder: E5Embedder, sessions: Sequence[Sequence[str]]) -> Pool:
    lines = [text_to_embed(line) for session in sessions for line in session]
    starts = np.cumsum([0, *(len(session) for session in sessions[:-1])])
    return Pool(matrix(embedder.embed_passages(lines)), starts)


def matrix(vectors: Sequence[bytes]) -> Matrix:
    return np.stack([np.frombuffer(vector, "<f4") for vector in vectors])


def questions(embedder: E5Embedder, texts: Sequence[str]) -> Matrix:
    return matrix([embedder.embed_query(text) for text in texts])


def own_pairs(embedder: E5Embedder) -> Asked:
    rows = [
        line.split("\t") for line in (_HERE / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    ]
    said = [[row[0] if row[0].startswith("Assistant: ") else f"User: {row[0]}"] for row in rows]
    asked = [(question, i) for i, row in enumerate(rows) for question in row[1:]]
    vectors = questions(embedder, [question for question, _ in asked])
    return Asked(
        pool_of(embedder, said), vectors, [[i] for _, i in asked], [str(i) for _, i in asked], 1.0
    )


def english(embedder: E5Embedder, data: Path) -> Asked:
    with gzip.open(data / "sessions.jsonl.gz", "rt", encoding="utf-8") as lines:
        sessions = [json.loads(line) for line in lines]
    said = [
        [p for t in s["turns"] if t["role"] == "user" for p in pieces("User", t["text"])]
        for s in sessions
    ]
    place = {
        s["id"]: i
        for i, s in enumerate(s for s, lines in zip(sessions, said, strict=True) if lines)
    }
    rows = json.loads((data / "memaware.json").read_text(encoding="utf-8"))
    rows += [
        {"prompt": row["question"], "gold": row["gold"], "source": row["id"]}
        for row in json.loads((data / "longmemeval.json").read_text(encoding="utf-8"))
    ]
    rows = [row for row in rows if any(gold in place for gold in row["gold"])]
    return Asked(
        pool_of(embedder, [lines for lines in said if lines]),
        questions(embedder, [row["prompt"] for row in rows]),
        [[place[gold] for gold in row["gold"] if gold in place] for row in rows],
        [row["source"] for row in rows],
        _SHARE_OF_ENGLISH,
    )


def unit(rows: Matrix) -> Matrix:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def session_scores(pool: Pool, turns: Matrix) -> Matrix:
    """Return the best turn's score for each session, per question."""
    return np.maximum.reduceat(turns, pool.starts, axis=1)


class Adam:
    """The optimiser, for one matrix that it changes in place."""

    def __init__(self, weights: Matrix) -> None:
        self._weights, self._steps = weights, 0
        self._mean, self._square = np.zeros_like(weights), np.zeros_like(weights)

    def step(self, gradient: Matrix) -> None:
        """Change the weights by one step down the gradient."""
        self._steps += 1
        self._mean += 0.1 * (gradient - self._mean)
        self._square += 0.001 * (gradient**2 - self._square)
        mean, square = self._mean / (1 - 0.9**self._steps), self._square / (1 - 0.999**self._steps)
        self._weights -= _STEP * mean / (np.sqrt(square) + 1e-8)


def pull(pool: Pool, moved: Matrix, gold: Sequence[Sequence[int]], temperature: float) -> Matrix:
    """Return the gradient of the loss with respect to the mapped questions (before they are made
    unit vectors).
    """
    norm = np.linalg.norm(moved, axis=1, keepdims=True)
    units = moved / norm
    turns = units @ pool.vectors.T
    scores = session_scores(pool, turns) / temperature
    likely = np.exp(scores - scores.max(1, keepdims=True))
    likely /= likely.sum(1, keepdims=True)
    ends = np.append(pool.starts[1:], len(pool.vectors))
    towards = np.zeros_like(units)
    for i, sessions in enumerate(gold):
        share = likely[i, sessions]
        error = likely[i].copy()
        error[sessions] -= share / share.sum() if share.sum() > 0 else 1 / len(sessions)
        felt = np.flatnonzero(np.abs(error) > 1e-5)
        best = [pool.starts[s] + int(turns[i, pool.starts[s] : ends[s]].argmax()) for s in felt]
        towards[i] = error[felt] @ pool.vectors[best] / (temperature * len(gold))
    return (towards - (towards * units).sum(1, keepdims=True) * units) / norm


def fitted(parts: Sequence[Asked], other: Matrix, seed: int, temperature: float) -> Matrix:
    """Return the map as one matrix: what is added to a question's vector, per dimension of it."""
    chance, size = np.random.default_rng(seed), other.shape[1]
    down = chance.normal(0, 0.02, (size, _TRAINED_RANK)).astype("f4")
    up = np.zeros((_TRAINED_RANK, size), "f4")
    optimisers = Adam(down), Adam(up)
    for _ in range(_EPOCHS):
        batches = [
            (part, batch)
            for part in parts
            for batch in np.array_split(
                chance.permutation(len(part.vectors)), max(1, len(part.vectors) // _BATCH)
            )
        ]
        chance.shuffle(batches)  # type: ignore[arg-type]
        for part, batch in batches:
            x = part.vectors[batch]
            gradient = part.weight * pull(
                part.pool, x + x @ down @ up, [part.gold[i] for i in batch], temperature
            )
            kept = other[chance.integers(0, len(other), 2 * _BATCH)]
            stray = kept @ down @ up * (_KEEP / _BATCH)
            slopes = (
                x.T @ (gradient @ up.T) + _DECAY * down + kept.T @ (stray @ up.T),
                (x @ down).T @ gradient + _DECAY * up + (kept @ down).T @ stray,
            )
            for optimiser, slope in zip(optimisers, slopes, strict=True):
                optimiser.step(slope)
    return down @ up


def low_rank(whole: Matrix) -> tuple[Matrix, Matrix]:
    """Return `down` and `up` as `QueryMap` takes them, both of rank 16."""
    left, sizes, right = np.linalg.svd(whole.astype("f8"))
    root = np.sqrt(sizes[:_RANK])
    return (left[:, :_RANK] * root).T, (root[:, None] * right[:_RANK]).T


def hits(asked: Asked, whole: Matrix | None) -> str:
    """Return hit@1, 5 and 20 of the sessions, by vectors alone."""
    x = asked.vectors if whole is None else unit(asked.vectors + asked.vectors @ whole)
    order = np.argsort(-session_scores(asked.pool, x @ asked.pool.vectors.T), axis=1)
    places = [
        min(int(np.flatnonzero(row == g)[0]) for g in gold)
        for row, gold in zip(order, asked.gold, strict=True)
    ]
    return " ".join(f"{np.mean(np.array(places) < k):.3f}" for k in (1, 5, 20))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=Path.home() / ".gieok/models")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    embedder = E5Embedder(given.models)
    own, told = own_pairs(embedder), english(embedder, given.data)
    other = questions(
        embedder, (_HERE / "other_questions.txt").read_text(encoding="utf-8").splitlines()
    )
    parts = [own, told.half(0)] if given.check else [own, told]
    whole = np.mean(
        [fitted(parts, other, seed, temperature) for seed, temperature in _FITS], axis=0
    )
    down, up = low_rank(whole)
    if given.check:
        unseen = told.half(1)
        print(
            f"{len(unseen.gold)} unseen questions, hit@1/5/20: {hits(unseen, None)} → "
            f"{hits(unseen, down.T @ up.T)}"
        )
        return
    _OUT.write_bytes(
        encoded(LearnedWeights(embedder.model, {"down": down.tolist(), "up": up.tolist()}, {}))
    )
    print(f"{_OUT}: {_OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
