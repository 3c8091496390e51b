"""Fits the judge of changes (`gieok.engine.learned.changes`): does a later statement replace an earlier one.

    python scripts/fit_changes.py [--check] [--models FOLDER]

`scripts/learned/changes.tsv`: kind, earlier and later statement, written for this. `words`, `none`, `cross` and `cancel` are
changes (with words of change, without, across languages, taken back); all other kinds leave the earlier statement as it is. At
a share of the weight: what is said beside statements (`turns.tsv`), and statements on other subjects. `--check` shows precision
and recall over five folds of subjects.
"""

import argparse
import random
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gieok.backends.embedders.e5.runtime import E5Embedder
from gieok.engine.learned import changes
from gieok.engine.learned.weights import Weights, encoded
from gieok.text.embedform import text_to_embed

_HERE = Path(__file__).parent / "learned"
_OUT = Path(__file__).parents[1] / "src/gieok/engine/learned/changes.weights"
_CHANGES = ("words", "none", "cross", "cancel")
_BESIDE, _ELSEWHERE, _SHARE = 3, 3, 0.3
#: Nearer than this rank, a statement on another subject may be on the same one all the same.
_OTHER_SUBJECT = 25
_NEAR = 200
_LONGEST_BESIDE, _SHARE_IN_PASSING = 60, 0.5
_PENALTY = 3e-4
_FOLDS, _NEWTON_STEPS = 5, 20

Matrix = NDArray[np.float64]


class Pair(NamedTuple):
    """An earlier and a later statement, whether that is a change, of what kind, and how much it counts."""

    earlier: str
    later: str
    is_change: bool
    kind: str
    weight: float


def labelled() -> list[Pair]:
    rows = [line.split("\t") for line in (_HERE / "changes.tsv").read_text(encoding="utf-8").splitlines()]
    return [Pair(earlier, later, kind in _CHANGES, kind, 1.0) for kind, earlier, later in rows]


def in_passing(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield the pairs once more as they are said in passing: with a sentence before or after a statement, or both."""
    chance = random.Random(1)
    rows = [line.split("\t", 1) for line in (_HERE / "turns.tsv").read_text(encoding="utf-8").splitlines()]
    beside = [text for kind, text in rows if kind == "none" and len(text) < _LONGEST_BESIDE and "?" not in text]
    of = {True: [t for t in beside if is_korean(t)], False: [t for t in beside if not is_korean(t)]}

    def together(text: str) -> str:
        other = chance.choice(of[is_korean(text)])
        end = "" if text[-1] in ".!?" else "."
        return f"{text}{end} {other}" if chance.random() < 0.5 else f"{other.rstrip('.!')}. {text}"

    for pair in pairs:
        which = chance.randrange(3)
        earlier = together(pair.earlier) if which != 0 else pair.earlier
        later = together(pair.later) if which != 1 else pair.later
        yield Pair(earlier, later, pair.is_change, f"{pair.kind} in passing", _SHARE_IN_PASSING)


def is_korean(text: str) -> bool:
    return re.search("[가-힣]", text) is not None


def subjects(pairs: Sequence[Pair]) -> dict[str, str]:
    """Return statement → one that stands for all that are paired with it, over any number of pairs."""
    above = {text: text for pair in pairs for text in pair[:2]}

    def top(text: str) -> str:
        while above[text] != text:
            text = above[text]
        return text

    for pair in pairs:
        above[top(pair.earlier)] = top(pair.later)
    return {text: top(text) for text in above}


def unlike(pairs: Sequence[Pair], of: dict[str, str], pool: Sequence[str], alike: Matrix) -> Iterator[Pair]:
    """Yield pairs that are no change: with what is said beside statements, and with statements on other subjects."""
    chance = random.Random(0)
    rows = [line.split("\t", 1) for line in (_HERE / "turns.tsv").read_text(encoding="utf-8").splitlines()]
    beside = {text for kind, text in rows if kind == "none"}
    place = {text: number for number, text in enumerate(pool)}
    known = {frozenset(pair[:2]) for pair in pairs}
    for text in [*of, *chance.sample([text for _, text in rows], 300)]:
        found = {"beside": 0, "elsewhere": 0}
        for rank, other in enumerate(pool[i] for i in np.argsort(-alike[place[text]])[:_NEAR]):
            if of.get(other, other) == of.get(text, text) or frozenset((other, text)) in known:
                continue
            if other in beside or text in beside:
                kind, most = "beside", _BESIDE
            elif rank > _OTHER_SUBJECT and chance.random() < 0.1:
                kind, most = "elsewhere", _ELSEWHERE
            else:
                continue
            if found[kind] < most:
                found[kind] += 1
                yield Pair(other, text, False, kind, _SHARE)


def logistic(z: Matrix) -> Matrix:
    return 1 / (1 + np.exp(-np.clip(z, -30, 30)))


def fitted(inputs: Matrix, wanted: Matrix, weights: Matrix) -> Matrix:
    """Return the weights of a logistic model, its bias last, by Newton's method."""
    with_bias = np.hstack([inputs, np.ones((len(inputs), 1))])
    penalty = np.r_[np.full(inputs.shape[1], _PENALTY), 1e-9]
    shares, found = weights / weights.sum(), np.zeros(with_bias.shape[1])
    for _ in range(_NEWTON_STEPS):
        likely = logistic(with_bias @ found)
        curve = (with_bias * (shares * likely * (1 - likely) + 1e-9)[:, None]).T @ with_bias + np.diag(penalty)
        found -= np.linalg.solve(curve, with_bias.T @ (shares * (likely - wanted)) + penalty * found)
    return found


def checked(pairs: Sequence[Pair], of: dict[str, str], inputs: Matrix, wanted: Matrix, weights: Matrix) -> None:
    """Print how pairs of subjects that the fit did not see are judged."""
    early = np.array([zlib.crc32(of.get(p.earlier, p.earlier).encode()) % _FOLDS for p in pairs])
    late = np.array([zlib.crc32(of.get(p.later, p.later).encode()) % _FOLDS for p in pairs])
    kinds, likely = np.array([p.kind for p in pairs]), np.zeros(len(pairs))
    for k in range(_FOLDS):
        seen = (early != k) & (late != k)
        found = fitted(inputs[seen], wanted[seen], weights[seen])
        likely[late == k] = logistic(inputs[late == k] @ found[:-1] + found[-1])
    own = (weights == 1) | (weights == _SHARE_IN_PASSING)
    for cut in (changes.NEWER, 0.5, changes.REPLACES, 0.7, 0.8):
        yes = likely >= cut
        print(f"≥ {cut}: precision of labelled pairs {wanted[yes & own].mean():.3f}")
        print("   ", {str(kind): f"{yes[kinds == kind].mean():.3f}" for kind in dict.fromkeys(kinds)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, default=Path.home() / ".gieok/models")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    embedder, pairs = E5Embedder(given.models), labelled()
    together = list(in_passing(pairs))
    of = subjects(pairs)
    beside = {
        text: of[alone]
        for pair, whole in zip(pairs, together, strict=True)
        for alone, text in zip(pair[:2], whole[:2], strict=True)
    }
    said = [line.split("\t", 1)[1] for line in (_HERE / "turns.tsv").read_text(encoding="utf-8").splitlines()]
    pool = list(dict.fromkeys([*of, *said]))
    everything = [*pool, *(text for text in beside if text not in set(pool))]
    vectors = embedder.embed_passages([text_to_embed(f"User: {text}") for text in everything])
    matrix = np.array([np.frombuffer(vector, "<f4") for vector in vectors], dtype=np.float64)
    mean = matrix[: len(pool)].mean(0)
    centred = matrix - mean
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    alike = centred @ centred.T
    pairs += [*unlike(pairs, of, pool, alike[: len(pool), : len(pool)]), *together]
    of |= beside
    place = {text: number for number, text in enumerate(everything)}
    inputs = np.array(
        [
            changes.features(changes.read(p.earlier), changes.read(p.later), alike[place[p.earlier], place[p.later]])
            for p in pairs
        ]
    )
    wanted, weights = np.array([float(p.is_change) for p in pairs]), np.array([p.weight for p in pairs])
    if given.check:
        checked(pairs, of, inputs, wanted, weights)
        return
    found = fitted(inputs, wanted, weights).tolist()
    matrices = {"mean": [mean.tolist()], "features": [found[:-1]]}
    _OUT.write_bytes(encoded(Weights(embedder.model, matrices, {"bias": found[-1]})))
    print(f"{_OUT}: {_OUT.stat().st_size} bytes")
    print({name: round(weight, 2) for name, weight in zip(changes.NAMES, found, strict=False)})


if __name__ == "__main__":
    main()
