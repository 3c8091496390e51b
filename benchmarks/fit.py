"""Fits the weights of `ranking/learned` (turns, notes) by running the product's own retrieval
and features.

    python benchmarks/fit.py collect --keep FOLDER --family turns|notes [--vectors FILE]
    [--most N] SET.json … python benchmarks/fit.py small --keep FOLDER --family turns|notes
    [--vectors FILE] SET.json … python benchmarks/fit.py fit --keep FOLDER --family turns|notes
    [--by words|vectors|read …] [--test SET …] [--write] SET[=WEIGHT] …
    python benchmarks/fit.py texts FOLDER      # our own conversations and notes (benchmarks/data)
    as sets

Sets have the form of retrieval.py; what ships is fitted on sets whose licence allows it
(docs/retrieval.md). A set named after `--test` is only measured. Two stages, both linear: the order
within a question, by a softmax over its candidates; then the probability that the best one answers,
by logistic regression on features of the question and of that candidate. A question asked in a
group without its answer is unanswerable there, and so is one without gold.

`small` makes rows of small scopes, as a set of its own named SET-small: three to a thousand items
that adjoin or are drawn from all groups, asked what they answer and what they do not (of adjoining
ones the latter are near misses).
"""

import argparse
import json
import pickle
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import retrieval
from gieok.flow.lifecycle import fill_lines, fill_vectors
from gieok.memory.files.profile import FILES, TURNS
from gieok.model.memory import Scope
from gieok.models.local.reader import LocalReader
from gieok.models.local.runtime import E5Embedder
from gieok.ports.models import Embedder
from gieok.ranking import likelihood, recall
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing import ManualClock

Floats = NDArray[np.float64]
LEARNED = Path(likelihood.__file__).parent / "learned"
#: A family is judged by its own profile, whatever the kind of a set's documents.
PROFILES = {
    "turns": replace(TURNS, kinds=frozenset()),
    "notes": replace(FILES, without=frozenset(), beside=()),
}
#: Notes keep the fused order: no feature helped there but how surely a note helps, which is fitted
#: beside it. Without vectors, what a passage holds itself helps.
FIXED = {
    likelihood.VECTORS: {"fused": 1.0},
    likelihood.WORDS: {"fused": 0.7, "coverage": 4.0},
}
READ_NOTES = ("fused", "help")
ORDER = (
    "fused", "help", "keyword", "vector_z", "cosine", "coverage_near", "near_vector", "near_keyword",
    "speaker", "names", "asks", "dated", "number", "length", "other_language", "user", "own_user",
    "of_assistant", "answers",
)  # fmt: skip
FITTED = {"turns": ORDER, "notes": READ_NOTES}
ANSWER = (
    "best_coverage_near", "best_keyword", "best_cosine", "best_help", "help_lead",
    "stands_out", "mean_cosine", "lead", "best_other_language", "scope_size", "unseen", "tokens",
    "statement", "korean", "unseen_names",
)  # fmt: skip
BY_VECTORS = frozenset(
    (
        "vector_z",
        "cosine",
        "near_vector",
        "best_cosine",
        "stands_out",
        "mean_cosine",
        "best_other_language",
    )
)
BY_HELP = frozenset(("help", "best_help", "help_lead"))
WITHOUT = {
    likelihood.WORDS: BY_VECTORS | BY_HELP,
    likelihood.VECTORS: BY_HELP,
    # A day in a line says less than the reader does; it put what was true once before what is now.
    likelihood.READ: frozenset(("dated",)),
}
#: Few of our questions name somebody whom nobody knows, so the fit starts from what the fits
#: without vectors agree on.
TOWARDS = {"unseen_names": (-2.0, 10.0)}
_SEED = 12
_MOST_OF_A_SET = 300
#: Items of a small scope, and how many such scopes are made of a set.
SMALL_SCOPES = {3: 100, 10: 40, 30: 20, 100: 8, 300: 4, 1000: 2}
_MOST_ASKED_OF_A_SCOPE = 30


class Row(NamedTuple):
    """One question in one group: the judgement of the engine, and which of its candidates
    answer.
    """

    set: str
    is_answerable: bool
    by: str
    judged: likelihood.EvidenceJudgement
    right: list[bool]


class Weighed(NamedTuple):
    """What a fit sees: features by candidate and by question, shape (questions, candidates,
    features).
    """

    order: Floats
    there: NDArray[np.bool_]
    right: NDArray[np.bool_]
    answer: Floats
    weights: Floats


def collect(
    file: Path,
    family: str,
    store: SqliteStore,
    embedder: Embedder,
    reader: LocalReader,
    most: int,
) -> Iterator[Row]:
    """Yield a row per question in its own group, and for half of them one in another group."""
    groups = [replace(group, profile=PROFILES[family]) for group in retrieval.load(file, most)]
    for group in groups:
        retrieval.index(store, group)
    fill_vectors(store, embedder)
    fill_lines(store, embedder)
    rng = random.Random(f"{_SEED} {file.stem}")
    for group in groups:
        others = [one for one in groups if one is not group]
        for question in group.questions:
            gold = set[str]() if question["type"] in retrieval.UNSCORED else set(question["gold"])
            asked_in = [(group, gold)]
            if others and gold and rng.random() < 0.5:
                asked_in.append((rng.choice(others), set()))
            for where, right in asked_in:
                for row in _rows(where, question["q"], right, store, embedder, reader):
                    yield row._replace(set=file.stem)


def collect_small(
    file: Path,
    family: str,
    store: SqliteStore,
    embedder: Embedder,
    reader: LocalReader,
) -> Iterator[Row]:
    """Yield rows of small scopes: as many questions that one of the scope's items answers as of
    those that none does.
    """
    groups = retrieval.load(file)
    rng = random.Random(f"{_SEED} {file.stem} small")
    for size, count in SMALL_SCOPES.items():
        for number in range(count):
            group = rng.choice(groups)
            name = Scope(f"bench:{file.stem}-small/group:{size}-{number}")
            if size < len(group.items) and number % 2:
                start = rng.randrange(len(group.items) - size + 1)
                items, of_groups = group.items[start : start + size], [group]
            else:
                everything = [item for one in groups for item in one.items]
                picked = {item["id"] for item in rng.sample(everything, min(size, len(everything)))}
                items, of_groups = [item for item in everything if item["id"] in picked], groups
            small = retrieval.Group(name, items, [], PROFILES[family])
            yield from _asked_of(small, of_groups, rng, store, embedder, reader, file.stem)
        print(file.stem, size, flush=True)


def _asked_of(
    small: retrieval.Group,
    groups: Sequence[retrieval.Group],
    rng: random.Random,
    store: SqliteStore,
    embedder: Embedder,
    reader: LocalReader,
    stem: str,
) -> Iterator[Row]:
    retrieval.index(store, small)
    fill_vectors(store, embedder)
    fill_lines(store, embedder)
    held = {item["id"] for item in small.items} | {item["session"] for item in small.items}
    near = {item["id"] for one in groups for item in one.items}
    answered = list[tuple[str, set[str]]]()
    unanswered = list[tuple[str, set[str]]]()
    for group in groups:
        for question in group.questions:
            gold = set[str]() if question["type"] in retrieval.UNSCORED else set(question["gold"])
            if gold & held:
                answered.append((question["q"], gold))
            elif not gold or gold <= near:
                unanswered.append((question["q"], set()))
    most = min(_MOST_ASKED_OF_A_SCOPE, len(answered))
    for text, gold in rng.sample(answered, most) + rng.sample(
        unanswered, min(most, len(unanswered))
    ):
        for row in _rows(small, text, gold, store, embedder, reader):
            yield row._replace(set=f"{stem}-small")
    store.forget(small.scope, sorted(store.hashes(small.scope)))


def _rows(
    group: retrieval.Group,
    text: str,
    gold: set[str],
    store: SqliteStore,
    embedder: Embedder,
    reader: LocalReader,
) -> Iterator[Row]:
    """Yield what the engine judges of a question by words, by vectors, and with the reader."""
    names, sessions = retrieval.item_names(group), {i["id"]: i["session"] for i in group.items}
    for by in (likelihood.WORDS, likelihood.VECTORS, likelihood.READ):
        judged = _judge(group, text, store, embedder, reader, by)
        if judged is None or not judged.ranked:
            continue
        places = {
            p.id: names[p.key, p.start_line]
            for p in store.passages([one.id for one in judged.ranked])
        }
        right = [
            places[one.id] in gold or sessions[places[one.id]] in gold for one in judged.ranked
        ]
        yield Row("", bool(gold), by, judged, right)


def _judge(
    group: retrieval.Group,
    text: str,
    store: SqliteStore,
    embedder: Embedder,
    reader: LocalReader,
    by: str,
) -> likelihood.EvidenceJudgement | None:
    seen: list[likelihood.EvidenceJudgement] = []
    place = "judge_read_evidence" if by == likelihood.READ else "judge_evidence"
    judge = getattr(likelihood, place)

    def kept(*given: object) -> likelihood.EvidenceJudgement:
        seen.append(judge(*given))
        return seen[-1]

    setattr(likelihood, place, kept)
    try:
        question = recall.Question(
            text=text, scopes=(group.scope,), use_vectors=by != likelihood.WORDS
        )
        recall.recall(
            store,
            embedder,
            question,
            group.profile,
            ManualClock(),
            reader=reader if by == likelihood.READ else None,
        )
    finally:
        setattr(likelihood, place, judge)
    return max(seen, key=lambda one: len(one.ranked), default=None)


def weighed(
    rows: Sequence[Row], of_set: Mapping[str, float], names: Sequence[str], about: Sequence[str]
) -> Weighed:
    """Return rows as arrays; a set counts by its weight and its questions, three hundred at
    most.
    """
    size = max(len(row.right) for row in rows)
    order, there = np.zeros((len(rows), size, len(names))), np.zeros((len(rows), size), bool)
    right = np.zeros((len(rows), size), bool)
    for n, row in enumerate(rows):
        count = len(row.right)
        order[n, :count] = [[one.values[name] for name in names] for one in row.judged.ranked]
        there[n, :count], right[n, :count] = True, row.right
    counts = Counter(row.set for row in rows)
    weights = [
        of_set.get(row.set, 1.0) * min(counts[row.set], _MOST_OF_A_SET) / counts[row.set]
        for row in rows
    ]
    answer = np.array([[row.judged.about[name] for name in about] for row in rows])
    return Weighed(order, there, right, answer, np.array(weights))


def fit_order(data: Weighed, ridge: float = 2e-3, steps: int = 200, rate: float = 0.05) -> Floats:
    """Return weights that put what answers first: softmax, Adam, features by their deviation; the
    first starts at 1.
    """
    known = data.right.any(1)
    xs, there, right, ws = (
        data.order[known],
        data.there[known],
        data.right[known],
        data.weights[known],
    )
    deviation = xs[there].std(0) + 1e-6
    xs = xs / deviation
    w: Floats = np.zeros(xs.shape[2])
    w[0] = deviation[0]
    m = v = np.zeros_like(w)
    for step in range(1, steps + 1):
        scores = xs @ w - 1e9 * ~there
        p = np.exp(scores - scores.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        q = p * right  # of several that answer any may stand first
        q /= q.sum(1, keepdims=True) + 1e-12
        gradient = (xs * ((p - q) * ws[:, None])[:, :, None]).sum((0, 1)) / ws.sum() + ridge * w
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
        w = w - rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    return np.asarray(w / deviation)


def fit_answer(
    data: Weighed, scores: Floats, names: Sequence[str], ridge: float
) -> tuple[dict[str, float], float]:
    """Return the weights of the question's features with their bias, and the scale of the distance
    to the best.
    """
    best = np.argsort(-scores, axis=1, kind="stable")
    rows = np.arange(len(scores))
    answer = data.answer.copy()
    if len(scores[0]) > 1:  # the lead follows from the order, which was just fitted
        two = np.sort(scores, axis=1)[:, ::-1][:, :2]
        answer[:, names.index("lead")] = np.where(
            data.there.sum(1) > 1, np.minimum(two[:, 0] - two[:, 1], 3), 0
        )
    w = logistic(answer, data.right[rows, best[:, 0]].astype(float), data.weights, names, ridge)
    base = answer @ w[1:] + w[0]
    top = best[:, 1:10]
    gaps = np.take_along_axis(scores, top, 1) - scores[rows, best[:, 0]][:, None]
    right, there = np.take_along_axis(data.right, top, 1), np.take_along_axis(data.there, top, 1)

    def loss(scale: float) -> float:
        z = base[:, None] + scale * gaps
        return float(((np.logaddexp(0, z) - right * z) * there * data.weights[:, None]).sum())

    scale = min(np.linspace(0.1, 3, 30), key=loss)
    return {"bias": float(w[0]), **dict(zip(names, w[1:].tolist(), strict=True))}, float(scale)


def logistic(
    x: Floats, y: Floats, ws: Floats, names: Sequence[str], ridge: float, steps: int = 60
) -> Floats:
    """Return bias and coefficients by Newton's method, pulled towards nought, or towards
    `TOWARDS`.
    """
    mean, deviation = x.mean(0), x.std(0) + 1e-9
    z = np.concatenate([np.ones((len(x), 1)), (x - mean) / deviation], 1)
    to, times = np.array([TOWARDS.get(name, (0.0, 1.0)) for name in names]).T
    prior, pull = np.append(0.0, to * deviation), np.append(0.0, ridge * times) * ws.sum()
    w = np.zeros(z.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(z @ w, -30, 30)))
        gradient = z.T @ (ws * (p - y)) + pull * (w - prior)
        w = w - np.linalg.solve(
            (z * (ws * p * (1 - p) + 1e-9)[:, None]).T @ z + np.diag(pull + 1e-9), gradient
        )
    return np.append(w[0] - (w[1:] / deviation) @ mean, w[1:] / deviation)


def fit(
    rows: Sequence[Row], family: str, of_set: Mapping[str, float], by: str
) -> dict[str, object]:
    """Return the figures of a family as `likelihood.FamilyWeights` reads them."""
    about = [name for name in ANSWER if name not in WITHOUT[by]]
    is_fixed = family == "notes" and by in FIXED
    names: Iterable[str] = FIXED[by] if is_fixed else FITTED[family]
    order = [name for name in names if name not in WITHOUT[by]]
    data = weighed(rows, of_set, order, about)
    weights = np.array(list(FIXED[by].values())) if is_fixed else fit_order(data)
    scores = np.where(data.there, data.order @ weights, -1e9)
    data = data._replace(answer=_describe_best(rows, scores, about))
    answer, scale = fit_answer(data, scores, about, ridge=0.1)
    rank = dict(zip(order, weights.tolist(), strict=True))
    return {"rank": _rounded(rank), "scale": round(scale, 3), "answer": _rounded(answer)}


def _describe_best(rows: Sequence[Row], scores: Floats, about: Sequence[str]) -> Floats:
    """Return the features of each question and of its best passage by the order just fitted.

    A row holds those of the passage that was best when it was collected.
    """
    described = []
    for row, own in zip(rows, scores, strict=True):
        ranked = row.judged.ranked
        best = ranked[int(own[: len(ranked)].argmax())]
        of_best = {
            "best_coverage_near": best.values["coverage_near"],
            "best_keyword": best.values["keyword"],
            "best_cosine": best.values["cosine"],
            "best_help": best.values["help"],
            "best_other_language": best.values["other_language"],
            "help_lead": likelihood.measure_help_lead(best, ranked),
        }
        described.append([of_best.get(name, row.judged.about[name]) for name in about])
    return np.array(described)


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in figures.items()}


def figures(rows: Sequence[Row], found: Mapping[str, object]) -> dict[str, object]:
    """Return how often the best answers, the error and the separation of its probability, and what
    unanswerable ones get.
    """
    by = likelihood.FamilyWeights(found)
    asked, unanswerable = [], []
    for row in rows:
        order = [
            sum(w * one.values[name] for name, w in by.rank.items()) for one in row.judged.ranked
        ]
        best = max(range(len(order)), key=order.__getitem__)
        about = [name for name in by.answer if name != "bias"]
        described = _describe_best([row], np.array([order]), about)[0]
        z = by.answer["bias"] + sum(
            by.answer[name] * value for name, value in zip(about, described, strict=True)
        )
        score = likelihood.apply_logistic(z)
        if row.is_answerable:
            asked.append(
                retrieval.Asked(
                    "", ["right"], {"ungated": ["right" if row.right[best] else "wrong"]}, score
                )
            )
        else:
            unanswerable.append(score)
    shown = {k: v for k, v in retrieval.calibration(asked, 0.0).items() if k in ("ece", "auroc")}
    right = sorted(one.score for one in asked if one.rankings["ungated"] == ["right"])
    cut = right[len(right) // 20] if right else 0.0
    share = (
        sum(score >= cut for score in unanswerable) / len(unanswerable) if unanswerable else None
    )
    return {
        "n": len(asked),
        "right": round(len(right) / max(len(asked), 1), 3),
        **shown,
        "cut": cut,
        "elsewhere": share,
    }


def texts(folder: Path) -> None:
    """Write `benchmarks/data/*.txt` as sets: `# group`, a line per item, `? question => numbers of
    the lines that answer`.
    """
    for file in sorted((Path(__file__).parent / "data").glob("*.txt")):
        groups: list[dict[str, Any]] = []
        for line in filter(None, file.read_text(encoding="utf-8").splitlines()):
            if line.startswith("# "):
                groups.append({"gid": line[2:].replace(" ", "-"), "items": [], "questions": []})
                continue
            gid, items, questions = groups[-1].values()
            if line.startswith("? "):
                text, _, lines = line[2:].rpartition(" => ")
                gold = [] if lines == "none" else [f"{gid}-{n}" for n in lines.split()]
                kind = "own" if gold else "none"
                questions.append(
                    {"qid": f"{gid}-q{len(questions)}", "type": kind, "q": text, "gold": gold}
                )
            else:
                session, text = f"{gid}-{len(items) // 16}", line.removeprefix("- ")
                items.append(
                    {"id": f"{gid}-{len(items) + 1}", "session": session, "text": text, "date": ""}
                )
        (folder / f"{file.stem}.json").write_text(
            json.dumps({"groups": groups}, ensure_ascii=False), encoding="utf-8"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("collect", "small", "fit", "texts"))
    parser.add_argument("--family", choices=sorted(PROFILES))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    parser.add_argument("--most", type=int, default=0, help="questions of a set, 0: all")
    parser.add_argument("--by", action="append", choices=sorted(WITHOUT), default=[])
    parser.add_argument("--test", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("sets", nargs="*")
    args = parser.parse_intermixed_args()
    reader = LocalReader(args.models)
    if args.what == "texts":
        texts(Path(args.sets[0]))
    elif args.what == "collect":
        kept = retrieval.KeptVectors(args.models, args.vectors)
        for file in map(Path, args.sets):
            for group in retrieval.load(file):
                kept.know([item["text"] for item in group.items])
            store = SqliteStore(args.keep / f"{file.stem}.sqlite", resident=True)
            rows = list(collect(file, args.family, store, kept, reader, args.most))
            store.close()
            (args.keep / f"{args.family}-{file.stem}.pickle").write_bytes(pickle.dumps(rows))
            print(file.stem, len(rows), flush=True)
    elif args.what == "small":
        for file in map(Path, args.sets):
            embedder = retrieval.RememberedQueries(
                E5Embedder(args.models), args.keep / f"{file.stem}-small.vectors"
            )
            store = SqliteStore(args.keep / f"{file.stem}-small.sqlite", resident=True)
            rows = list(collect_small(file, args.family, store, embedder, reader))
            store.close()
            (args.keep / f"{args.family}-{file.stem}-small.pickle").write_bytes(pickle.dumps(rows))
            print(file.stem, "small", len(rows), flush=True)
    else:
        fit_family(args)


def fit_family(args: argparse.Namespace) -> None:
    of_set = {
        name: float(weight or 1) for name, _, weight in (one.partition("=") for one in args.sets)
    }
    kept = {
        n: pickle.loads((args.keep / f"{args.family}-{n}.pickle").read_bytes())
        for n in (*of_set, *args.test)
    }
    written = LEARNED / f"{args.family}.json"
    found = json.loads(written.read_text(encoding="utf-8"))
    for name in args.by or WITHOUT:
        rows = {n: [row for row in these if row.by == name] for n, these in kept.items()}
        found[name] = fit([row for n in of_set for row in rows[n]], args.family, of_set, name)
        for n in kept:
            print(
                name,
                n,
                "(not fitted on)" if n in args.test else "(fitted on)",
                figures(rows[n], found[name]),
                flush=True,
            )
    if args.write:
        written.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
