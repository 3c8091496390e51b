"""Repeatable checks of the index and of its answers, by name, and a score made of them."""

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from gieok.code.ask.query import search_symbols
from gieok.code.ask.statistics import Statistics, count_graph, is_aside
from gieok.code.index.graph import CALLS, CONSTRUCTS, Certainty
from gieok.code.index.project import SCOPE, Project, freshness
from gieok.code.index.read import READ_WHOLE
from gieok.code.languages import places
from gieok.code.model.facts import DEFINITIONS, FUNCTIONS, SymbolKind
from gieok.ports.models import Embedder

#: A word of a name, also of one in capitals and small letters.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+")
_MARKS = frozenset(("test", "tests", "it", "should"))
_CALLING = (CALLS, CONSTRUCTS)
_SAMPLES = 12
#: Questions that are made of the names of tests, and how many answers count.
_QUESTIONS, _COUNTED_ANSWERS = 24, 5
#: Weight of the answers, which an index is there for; fewer questions than this weigh less.
_ANSWERS_WEIGHT, _ENOUGH_QUESTIONS = 4, 12
#: A shorter name of a test is mostly the name of what it calls, and no question.
_LEAST_WORDS = 3
#: Answers that are asked for: tests are among them, and do not count.
_ASKED_ANSWERS = 15


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
        _validate_answers(project, embedder),
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


class _TestQuestion(NamedTuple):
    """The name of a test as a question, and the symbols of the product that the test calls."""

    text: str
    called: frozenset[str]


def _validate_answers(project: Project, embedder: Embedder | None) -> Validation:
    """Check that what a test is called leads to what it calls.

    A test's name says in a person's words what the code is to do, and the graph knows the answer:
    no name of the code has to be in the question. The test itself is no answer.
    """
    questions = _choose_test_questions(project)
    if not questions:
        return Validation("answers", 1.0, "no test is named in three words or more", 0)
    hit = sum(_leads_to_called(project, embedder, question) for question in questions)
    return Validation(
        "answers",
        _compute_passed_share(hit, len(questions)),
        f"{hit} of {len(questions)} tests find what they call by their name",
        _ANSWERS_WEIGHT * min(1.0, len(questions) / _ENOUGH_QUESTIONS),
    )


def _choose_test_questions(project: Project) -> list[_TestQuestion]:
    """Return questions of tests, chosen by a fixed seed."""
    symbols = {s.key: s for s in project.store.all_symbols()}
    product = {key for key, s in symbols.items() if not is_aside(s)}
    named = {
        key: " ".join(words)
        for key, s in symbols.items()
        if s.kind in FUNCTIONS
        and places.is_test_code(s.path, s.traits)
        and len(words := _list_question_words(s.name)) >= _LEAST_WORDS
    }
    called: dict[str, set[str]] = defaultdict(set)
    for edge in project.store.edges_out_of(list(named)):
        if edge.kind in _CALLING and edge.tier <= Certainty.UNIQUE_NAME and edge.target in product:
            called[edge.source].add(edge.target)
    keys = sorted(called)
    # A fixed seed on purpose, so that every run chooses the same tests.
    chosen = random.Random(0).sample(keys, min(_QUESTIONS, len(keys)))  # noqa: S311
    return [_TestQuestion(named[key], frozenset(called[key])) for key in chosen]


def _list_question_words(name: str) -> list[str]:
    """Return the words of a test's name, without those that only say that it is one."""
    return [word for word in _WORD.findall(name.replace("_", " ")) if word.lower() not in _MARKS]


def _leads_to_called(project: Project, embedder: Embedder | None, question: _TestQuestion) -> bool:
    """Return whether what the test calls, its class or a member of it is among the answers."""
    answers = search_symbols(project, embedder, question.text, _ASKED_ANSWERS, expand=False).answers
    own = [answer.symbol for answer in answers if not is_aside(answer.symbol)]
    holders = {key.rpartition(".")[0] for key in question.called}
    return any(
        symbol.key in question.called or symbol.key in holders or symbol.parent in question.called
        for symbol in own[:_COUNTED_ANSWERS]
    )
