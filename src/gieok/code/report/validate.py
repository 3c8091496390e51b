"""Repeatable checks of the index, by name, and a score made of them."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from gieok.code.ask.query import search_symbols
from gieok.code.ask.statistics import Statistics, count_graph
from gieok.code.index.project import SCOPE, Project, freshness
from gieok.code.index.read import READ_WHOLE
from gieok.code.model.facts import DEFINITIONS, SymbolKind
from gieok.ports.models import Embedder

_SAMPLES = 12


class Validation(NamedTuple):
    """Result of one check: the share that passes, 0–1, and details."""

    name: str
    share: float
    detail: str
    weight: float

    @property
    def ok(self) -> bool:
        """True where everything passes."""
        return self.share >= 1.0


def validate(project: Project, embedder: Embedder | None) -> list[Validation]:
    """Run every check, in a fixed order."""
    counted = count_graph(project)
    return [
        _validate_hashes(project),
        _validate_files(project, counted),
        _validate_store(project),
        _validate_edges(project),
        _validate_calls(counted),
        _validate_vectors(counted, embedder),
        _validate_summaries(project),
        _validate_sample_queries(project),
    ]


def quality(checks: Sequence[Validation]) -> int:
    """Return the quality, 0–100: the weighted mean of the checks' shares."""
    total = sum(check.weight for check in checks)
    return round(100 * sum(check.share * check.weight for check in checks) / total) if total else 0


def _compute_passed_share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _validate_hashes(project: Project) -> Validation:
    state = freshness(project)
    total = len(project.store.files())
    share = max(0.0, 1 - _compute_passed_share(len(state.dirty), max(total, 1)))
    return Validation(
        "hashes current", share, f"{len(state.dirty)} of {total} files differ on disk", 2
    )


def _validate_files(project: Project, counted: Statistics) -> Validation:
    parsed = sum(counted.statuses.get(status, 0) for status in READ_WHOLE)
    hashes = project.store.hashes(SCOPE)
    missing = [path for path in project.store.files() if path not in hashes]
    share = _compute_passed_share(parsed, counted.files) if not missing else 0.0
    return Validation(
        "files accounted for",
        share,
        f"{parsed} of {counted.files} parsed whole, {len(missing)} without text",
        1,
    )


def _validate_store(project: Project) -> Validation:
    wrong = project.store.check()
    return Validation(
        "store sound", 0.0 if wrong else 1.0, "; ".join(wrong) or "the database is sound", 2
    )


def _validate_edges(project: Project) -> Validation:
    known = {s.key for s in project.store.all_symbols()}
    total = dangling = 0
    for edge in project.store.all_edges():
        total += 1
        dangling += edge.source not in known or edge.target not in known
    return Validation(
        "no dangling edges",
        1 - _compute_passed_share(dangling, max(total, 1)),
        f"{dangling} of {total} edges lead nowhere",
        2,
    )


def _validate_calls(counted: Statistics) -> Validation:
    calls = counted.edges.get("calls", 0)
    share = _compute_passed_share(calls, calls + counted.unresolved_calls)
    return Validation(
        "calls resolved",
        share,
        f"{counted.unresolved_calls} calls of known names without a target, {calls} with",
        1,
    )


def _validate_vectors(counted: Statistics, embedder: Embedder | None) -> Validation:
    if embedder is None:
        return Validation("embeddings present", 1.0, "no embedder is configured", 0)
    return Validation(
        "embeddings present",
        _compute_passed_share(counted.vectors, counted.passages),
        f"{counted.vectors} of {counted.passages}",
        1,
    )


def _validate_summaries(project: Project) -> Validation:
    """Check that summaries are fresh.

    A summary made from signature and documentation is as fresh as the symbol; a summary by a model
    waits where the code changed.
    """
    symbols = [
        s for s in project.store.all_symbols() if s.kind in (SymbolKind.MODULE, *DEFINITIONS)
    ]
    summaries = project.store.summaries()
    rows = [summaries.get(s.code_hash) for s in symbols]
    by_model, waiting = (
        sum(1 for row in rows if row and bool(row.text) is written) for written in (True, False)
    )
    total = sum(1 for s in symbols if s.kind in DEFINITIONS)
    headed = sum(1 for s in symbols if s.kind in DEFINITIONS and (s.signature or s.doc))
    detail = f"{headed} of {total} symbols have a head"
    if by_model or waiting:
        detail += f", {by_model} a summary by a model, {waiting} changed and wait for one"
    return Validation(
        "summaries fresh", _compute_passed_share(max(headed - waiting, 0), total), detail, 1
    )


def _validate_sample_queries(project: Project) -> Validation:
    """Check that symbols, chosen by a fixed seed, are found by their own name."""
    symbols = [
        s
        for s in project.store.all_symbols()
        if s.kind in (SymbolKind.FUNCTION, SymbolKind.CLASS) and len(s.name) > 3
    ]
    # A fixed seed on purpose, so that every run chooses the same symbols.
    chosen = random.Random(0).sample(symbols, min(_SAMPLES, len(symbols)))  # noqa: S311
    hit = 0
    for symbol in chosen:
        answers = search_symbols(project, None, symbol.name, 10, expand=False).answers
        hit += any(a.symbol.key == symbol.key or a.symbol.name == symbol.name for a in answers)
    return Validation(
        "sample queries",
        _compute_passed_share(hit, len(chosen)),
        f"{hit} of {len(chosen)} symbols are found by their name",
        2,
    )
