"""Fits what `code impact` ranks by (`gieok.ranking.learned.impact`) on which functions the tests of
projects were seen to run.

    python scripts/fit_impact.py --data DIR … [--project P …]

`DIR/trees/P` and `DIR/impact/P.json` as benchmarks/code.py has them. Two logistic regressions with
a ridge: of a link, the share of the tests that run its source which run its target, too; of a test,
whether it runs a function. Shows how each project is judged by test weights that were fitted on all
others; those of links are fitted on all, this one too.

The committed weights were not written by one run of this file: its functions were called step by
step over 22 projects (links first, then the tests' features by them, kept, then the tests'
weights), before the resolvers changed again. A run over other projects, or today's graph, gives
other weights; run from end to end it was only tried on three projects.
"""

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from code_index import index
from gieok.code.ask import impact, likelihood
from gieok.code.ask.evidence import ChangeEvidence, Tests
from gieok.code.ask.likelihood import ChanceLink, Net, Sources
from gieok.code.languages import places
from gieok.model.code import Edge, Symbol
from gieok.ranking.learned import impact as learned

_OUT = Path(__file__).parents[1] / "src/gieok/ranking/learned/impact.json"
_STEPS, _MOST_TESTS, _MOST_OTHERS = 12, 60, 8
#: How much less a function counts that many tests run.
_POWER = 0.5
#: What was seen too seldom to be learned leans to these.
_PRIOR = {
    "given": -4.0,
    "targets": -1.5,
    "computed": -1.5,
    "maker": -1.0,
    "name": -1.0,
    "only": -1.0,
    "namesakes": -2.0,
}

Matrix = NDArray[np.float64]
Rows = tuple[list[Mapping[str, float]], list[float], list[float]]


class Traced(NamedTuple):
    """A project and which tests ran each function of it."""

    name: str
    symbols: dict[str, Symbol]
    links: dict[tuple[str, str], ChanceLink]
    edges: list[Edge]
    paths: list[str]
    sources: Sources
    tests: list[str]
    ran: dict[str, set[str]]


def traced(data: Path, name: str) -> Traced:
    truth = json.loads((data / "impact" / f"{name}.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        store = index(data / "trees" / name, folder).store
        symbols, edges, paths = (
            {s.key: s for s in store.all_symbols()},
            list(store.all_edges()),
            list(store.files()),
        )
    sources = Sources(data / "trees" / name)
    tests: list[str] = truth["tests"]
    ran = {
        key: {tests[n] for n in numbers}
        for key, numbers in truth["impact"].items()
        if key in symbols and numbers
    }
    return Traced(
        name,
        symbols,
        likelihood.build_chance_links(edges, edges, symbols, sources),
        edges,
        paths,
        sources,
        tests,
        ran,
    )


def link_rows(one: Traced) -> Rows:
    rows: Rows = ([], [], [])
    ran = {**one.ran, **{test: {test} for test in one.tests}}
    for (source, target), link in one.links.items():
        is_product = target in one.symbols and not places.is_test_file(target.partition("::")[0])
        if source in ran and is_product and one.symbols[target].kind in ("function", "method"):
            took = ran[source]
            rows[0].append(link.features)
            rows[1].append(len(took & ran.get(target, set())) / len(took))
            rows[2].append(min(1.0, len(took) / 3) ** 0.5)
    return rows


class Judged(NamedTuple):
    """The tests of a project by features, for each function that ran: rows `numbers` of `matrix`,
    and which of them ran it.
    """

    name: str
    features: tuple[str, ...]
    matrix: NDArray[np.float32]
    functions: list[tuple[slice, NDArray[np.bool_], int]]


def judged(one: Traced) -> Judged:
    """Return the features of every test for every function that ran, by the link weights in
    force.
    """
    columns: dict[str, int] = {}
    parts: list[NDArray[np.float32]] = []
    functions, end = [], 0
    for key, found in asked(one):
        part = np.zeros((len(found), 64), np.float32)
        for n, row in enumerate(found.values()):
            for name, value in row.items():
                part[n, columns.setdefault(name, len(columns))] = value
        parts.append(part)
        ran = np.array([test in one.ran[key] for test in found])
        functions.append((slice(end, end + len(found)), ran, len(one.ran[key])))
        end += len(found)
    return Judged(one.name, tuple(columns), np.vstack(parts)[:, : len(columns)], functions)


def asked(one: Traced) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    """Yield every function that ran, with the features of the tests as the product has them."""
    net, network = Net(one.links), impact.Network(one.edges)
    known = [one.symbols[test] for test in one.tests if test in one.symbols]
    by_path: dict[str, list[str]] = defaultdict(list)
    for key, s in one.symbols.items():
        by_path[s.path] += [key] if s.kind in ("function", "method") else []
    tests: dict[str, Tests] = {}
    for key in one.ran:
        path, symbol = key.partition("::")[0], one.symbols[key]
        if path not in tests:
            tests[path] = Tests(
                known, one.sources, {path: 0, **impact.importers(network, [path], one.paths)}
            )
        ways, methods = net.spread([key]), impact.methods_alone([symbol])
        classes = impact.family(
            network, methods, lambda keys: {key for key in keys if key in one.symbols}
        )
        is_orphan = impact.is_orphan(ways, one.symbols)
        beside = net.spread(by_path[path]) if is_orphan else None
        yield (
            key,
            tests[path].features(
                ChangeEvidence([symbol], ways, net.spread(classes) if methods else None, beside)
            ),
        )


def test_rows(one: Judged, names: Sequence[str]) -> tuple[Matrix, Matrix, Matrix]:
    """Return features, labels and weights of a sample: functions that few tests run count more, for
    there are more of them.
    """
    choice, at = (
        np.random.default_rng(0),
        [one.features.index(name) if name in one.features else -1 for name in names],
    )
    reached = one.features.index("reached")
    xs, ys, ws = [], [], []
    for place, ran, true in one.functions:
        part = one.matrix[place]
        near = np.flatnonzero((part[:, reached] > 0) | ran)
        far = np.flatnonzero((part[:, reached] == 0) & ~ran)
        share = 1_000 / (true + 3) ** _POWER / len(ran) ** 0.5 / len(one.functions)
        for numbers, most in ((near, _MOST_TESTS), (far, _MOST_OTHERS)):
            if len(numbers):
                taken = choice.choice(numbers, min(most, len(numbers)), replace=False)
                xs.append(part[taken])
                ys.append(ran[taken].astype(float))
                ws.append(np.full(len(taken), share * len(numbers) / len(taken)))
    x = np.hstack([np.vstack(xs), np.zeros((sum(map(len, xs)), 1))])[:, at]
    return x.astype(float), np.concatenate(ys), np.concatenate(ws)


def fitted_links(groups: Sequence[Rows]) -> dict[str, float]:
    """Return the weights of links by feature."""
    rows = [row for group in groups for row in group[0]]
    names = sorted({*_PRIOR, *(name for row in rows for name in row)})
    x = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    labels, weights = (np.array([value for group in groups for value in group[n]]) for n in (1, 2))
    return newton(names, x, labels, weights, np.full(len(names), 0.5))


def fitted_tests(groups: Sequence[Judged]) -> dict[str, float]:
    """Return the weights of tests by feature; the ridge of each is in units of its own spread."""
    names = sorted({name for one in groups for name in one.features})
    x, labels, weights = (
        np.concatenate(parts)
        for parts in zip(*(test_rows(one, names) for one in groups), strict=True)
    )
    return newton(names, x, labels, weights, np.maximum(x.std(0), 1e-3) ** 2)


def newton(
    names: Sequence[str], x: Matrix, y: Matrix, w: Matrix, ridge: Matrix
) -> dict[str, float]:
    """Return bias and weights of a logistic regression, by Newton's method."""
    x, w = np.hstack([np.ones((len(x), 1)), x]), w / w.mean()
    prior = np.array([0.0, *(_PRIOR.get(name, 0.0) for name in names)])
    pull, weights = np.array([1e-3, *ridge]), prior.copy()
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (w * (p - y)) + pull * (weights - prior)
        weights -= np.linalg.solve((x * (w * p * (1 - p))[:, None]).T @ x + np.diag(pull), slope)
    return {
        name: round(float(value), 3) for name, value in zip(["bias", *names], weights, strict=True)
    }


def use(weights: Mapping[str, Mapping[str, float]]) -> None:
    """Let the product judge by these weights."""
    # in place of a function that reads the shipped weights once and keeps them
    learned._load_impact_models = lambda: weights  # type: ignore[assignment]  # noqa: SLF001


def score(one: Judged, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the mean figures of the default list over the functions of a project."""
    by_feature = np.array([weights.get(name, 0.0) for name in one.features])
    chances = 1 / (1 + np.exp(-np.clip(one.matrix @ by_feature + weights["bias"], -30, 30)))
    rows = list[tuple[float, ...]]()
    for place, ran, true in one.functions:
        order = np.argsort(-chances[place], kind="stable")
        hits, sure = ran[order], chances[place][order]
        many = impact.worth_running([float(chance) for chance in sure])
        rows.append(
            (
                hits[:many][:10].sum() / max(min(many, 10), 1),
                float(hits[:10].any()),
                hits[:many].sum() / max(many, 1),
                hits[:many].sum() / true,
                many / len(ran),
                sure.sum() / true,
            )
        )
    p10, hit, precision, recall, _, _ = (float(value) for value in np.mean(rows, axis=0))
    share, mass = (float(np.median([row[n] for row in rows])) for n in (4, 5))
    f1 = 2 * precision * recall / (precision + recall or 1)
    return {
        "p@10": p10,
        "hit@10": hit,
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "share": share,
        "mass": mass,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--project", nargs="*", default=[])
    arguments = parser.parse_args()
    places_of = {
        file.stem: data
        for data in arguments.data
        for file in sorted((data / "impact").glob("*.json"))
    }
    names = [
        name
        for name in sorted(places_of)
        if not name.startswith("cochange") and (not arguments.project or name in arguments.project)
    ]
    projects = [one for one in (traced(places_of[name], name) for name in names) if one.ran]
    weights: dict[str, Any] = {"link": fitted_links([link_rows(one) for one in projects])}
    use(weights)
    found = [judged(one) for one in projects]
    figures = []
    for one in found:
        figures.append(
            score(one, fitted_tests([other for other in found if other.name != one.name]))
        )
        print(
            f"{one.name:14}",
            "  ".join(f"{name} {value:.3f}" for name, value in figures[-1].items()),
            flush=True,
        )
    print(
        f"{'mean':14}",
        "  ".join(f"{name} {np.mean([row[name] for row in figures]):.3f}" for name in figures[0]),
    )
    weights["test"] = fitted_tests(found)
    _OUT.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
