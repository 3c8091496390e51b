"""Fit how sure `code query` is of an answer.

    python training/sureness.py --trees DIR --models FOLDER   # asks, and writes the evidence
    python training/sureness.py                               # fits the weights that ship

`data/code/questions.jsonl` has questions about open-source projects with the symbols that answer
them, `data/code/nowhere.txt` questions that none of the projects answers. Both were written by
the model that worked on this project, from lists of the projects' functions and before any answer
was seen. DIR holds the projects under their names, as the registries have them (PyPI's watchdog
6.0.0, npm's ws 8.18.3, Debian's robfig/cron 3.0.1 and ureq 2.6.2). The evidence of the first three
answers to each goes to `data/code/evidence.jsonl`; the second step needs nothing else.

Right and wrong answers have the same weight together. The fit is Newton's method with a ridge, from
zero, and rounded as the weights are written: the same rows give the same weights.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gieok.code.ask.query import FoundSymbol

_DATA = Path(__file__).parent / "data/code"
QUESTIONS = _DATA / "questions.jsonl"
NOWHERE = _DATA / "nowhere.txt"
EVIDENCE = _DATA / "evidence.jsonl"
SHIPPED = Path(__file__).parents[1] / "src/gieok/code/ask/sureness.json"
#: The parts of the evidence, in the order of the weights.
PARTS = ("words", "path", "name", "is_named")
_RIDGE = 0.3
#: Below it an answer is as good as none.
_CUT = 0.4
_STEPS = 50
#: Answers of each question whose evidence is taken.
_ANSWERS = 3

Array = NDArray[np.float64]


class Row(NamedTuple):
    """Evidence of an answer to a question, and whether the answer is right."""

    project: str
    asks: str
    is_korean: bool
    evidence: tuple[float, ...]
    cosine: float | None
    is_right: bool


def read_rows(*, with_vectors: bool) -> list[Row]:
    """Return the rows of the evidence file, of questions that were asked with or without vectors."""
    rows = [
        Row(
            project=row["project"],
            asks=row["asks"],
            is_korean=any("가" <= sign <= "힣" for sign in row["asks"]),
            evidence=tuple(float(row[part]) for part in PARTS),
            cosine=row["cosine"],
            is_right=row["is_right"],
        )
        for row in map(json.loads, EVIDENCE.read_text(encoding="utf-8").splitlines())
    ]
    return [row for row in rows if (row.cosine is not None) == with_vectors]


def fit_weights(rows: Sequence[Row]) -> list[float]:
    """Return the bias, the weights of the parts and, with vectors, that of the cosine."""
    features = np.array([_list_features(row) for row in rows])
    right = np.array([row.is_right for row in rows], dtype=float)
    share = right.mean()
    row_weights = np.where(right == 1, 0.5 / share, 0.5 / (1 - share))
    ridge = np.full(features.shape[1], _RIDGE)
    ridge[0] = 0.0
    weights = np.zeros(features.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (row_weights * (right - chance)) - ridge * weights
        bend = (features.T * (row_weights * chance * (1 - chance))) @ features + np.diag(ridge)
        weights += np.linalg.solve(bend, slope)
    return [round(float(weight), 2) for weight in weights]


def rate(row: Row, weights: Sequence[float]) -> float:
    """Return the probability that an answer is right."""
    return float(1 / (1 + np.exp(-np.dot(_list_features(row), weights))))


def _list_features(row: Row) -> list[float]:
    return [1.0, *row.evidence, *([] if row.cosine is None else [max(row.cosine, 0.0)])]


def measure_apart(rows: Sequence[Row]) -> list[tuple[float, Row]]:
    """Return each row with its probability by weights that were fitted on the other projects."""
    rated = []
    for project in sorted({row.project for row in rows}):
        weights = fit_weights([row for row in rows if row.project != project])
        rated += [(rate(row, weights), row) for row in rows if row.project == project]
    return rated


def auroc(rated: Sequence[tuple[float, Row]]) -> float:
    """Return how often a right answer is rated above a wrong one; ties count half."""
    right = [chance for chance, row in rated if row.is_right]
    wrong = [chance for chance, row in rated if not row.is_right]
    wins = sum((one > other) + 0.5 * (one == other) for one in right for other in wrong)
    return wins / (len(right) * len(wrong))


def describe_fit(rated: Sequence[tuple[float, Row]]) -> str:
    """Return in one line how well answers of projects that were kept apart are told apart."""
    right = [(chance, row) for chance, row in rated if row.is_right]
    korean = [(chance, row) for chance, row in right if row.is_korean]
    nowhere = {*NOWHERE.read_text(encoding="utf-8").splitlines()}
    best = dict[tuple[str, str], float]()
    for chance, row in rated:
        if row.asks in nowhere:
            best[row.project, row.asks] = max(best.get((row.project, row.asks), 0.0), chance)
    sure = [sum(c >= _CUT for c, _ in rows) for rows in (right, korean)]
    told = sum(chance < _CUT for chance in best.values())
    return (
        f"AUROC {auroc(rated):.3f} of {len(right)} right and {len(rated) - len(right)} wrong "
        f"answers; from {_CUT} on {sure[0]} of the right ones ({sure[1]} of {len(korean)} in "
        f"Korean); all below for {told} of {len(best)} questions that nothing answers"
    )


def collect(trees: Path, models: Path) -> Iterator[dict[str, object]]:
    """Yield the evidence of the first answer to each question, without and with vectors."""
    from gieok.code.ask.query import search_symbols
    from gieok.code.index.chunks import head
    from gieok.code.index.project import Project, sync_project
    from gieok.flow.lifecycle import fill_vectors
    from gieok.machine.git import Git
    from gieok.machine.parsers.treesitter import TreeSitterParser
    from gieok.models.local.runtime import E5Embedder
    from gieok.storage.index.sqlite.graph import ProjectStore
    from gieok.testing import ManualClock

    questions = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    nowhere = NOWHERE.read_text(encoding="utf-8").splitlines()
    embedder = E5Embedder(models)
    for name in sorted({question["project"] for question in questions}):
        asked = [(row["asks"], row["answers"]) for row in questions if row["project"] == name]
        asked += [(line, []) for line in nowhere]
        with tempfile.TemporaryDirectory() as folder:
            store = ProjectStore(Path(folder) / "index.sqlite", resident=True)
            git, clock = Git(Path(folder)), ManualClock()
            project = Project(trees / name, store, TreeSitterParser(), git, clock)
            sync_project(project)
            fill_vectors(store, embedder, form=head)
            for used in (None, embedder):
                for text, answers in asked:
                    found = search_symbols(project, used, text, _ANSWERS, expand=False)
                    for answer in found.answers:
                        if answer.evidence is not None:
                            yield _describe_answer(name, text, answer, answers)


def _describe_answer(
    project: str, text: str, answer: "FoundSymbol", answers: Sequence[str]
) -> dict[str, object]:
    evidence = answer.evidence._asdict() if answer.evidence is not None else {}
    return {
        "project": project,
        "asks": text,
        "answer": answer.symbol.key,
        "is_right": _is_among(answer.symbol.qualified, answers),
        **{
            part: None if value is None else round(float(value), 4)
            for part, value in evidence.items()
        },
    }


def _is_among(qualified: str, answers: Sequence[str]) -> bool:
    return any(qualified == answer or qualified.endswith(f".{answer}") for answer in answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=Path)
    parser.add_argument("--models", type=Path)
    given = parser.parse_args()
    if given.trees is not None:
        lines = [json.dumps(row, ensure_ascii=False) for row in collect(given.trees, given.models)]
        EVIDENCE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    shipped = {}
    for name, with_vectors in (("words", False), ("vectors", True)):
        rows = read_rows(with_vectors=with_vectors)
        shipped[name] = fit_weights(rows)
        print(f"{name}: {describe_fit(measure_apart(rows))}")
    SHIPPED.write_text(json.dumps(shipped) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
