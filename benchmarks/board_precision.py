"""PrecisionMemBench: which beliefs come back for a question, and whether nothing else does.

    python benchmarks/board_precision.py --data DIR [--check] [--misses] [--json]
    python benchmarks/board_precision.py --data DIR --serve PORT [--way search] [--pooled]

DIR is a checkout of github.com/tenurehq/precisionMemBench (MIT, arXiv 2605.11325): `fixtures/` with
35 beliefs, 77 cases and 12 turns of sessions, `test-results/baseline/` with what its author got
from other systems. Nothing is fetched.

From the board, read at commit 18c7955 and written again in Python:

- what is kept of a belief (`beliefToText`): canonical name, aliases, content, why it matters;
- `buildContext` of src/adapters/baseAdapter.ts (`build_context`): pinned facts, open questions and
  the participants of relations are joined by the harness, the system is asked for the rest alone;
- the checks of src/retrieval.external.eval.test.ts (`score_case`) and of
  src/session-retrieval.external.eval.test.ts (`score_turn`), precision and recall as there;
- the summary of src/utils/buildRetrievalReport.ts (`summarise`): passes and their three types.

`--check` scores what stands in the author's reports, and says where the figures differ from the
author's. It scores the expected answers as well, and a system that finds nothing.

Gieok is asked through its Python API. `memory.add` keeps each belief; a user's beliefs of one
domain are one scope, since the harness names a domain with each question (`pooled`: one scope for a
user, the domain unused). Three ways of asking:

- search: `memory.search(question, limit=…)`, as shipped;
- sure: the hits of it that Gieok does not mark as unsure;
- hook: `memory.recall(question)`, the memories that an agent is given before a prompt.

`--serve` answers as a wrapper of the board does (/add, /search, /update, /reset), so that the
author's own harness can be run: `MEMORY_PROVIDER=… RESEED=true npx ava …`.

Where we differ: the session's new aliases are kept before the next turn is asked, which the
author's harness does not wait for.
"""

import argparse
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from statistics import median
from typing import Any, Protocol

from gieok.surfaces.python import Memory

Belief = dict[str, Any]
Case = Mapping[str, Any]

WAYS = ("search", "sure", "hook")
_USER = "test-user"
_BUDGET = 20
_MOST_QUESTIONS = 15
_PRELUDE = (
    "You prefer direct answers without preamble. You push back when plans have problems rather "
    "than defaulting to agreement. You edit AI output; you do not let AI edit your prose."
)
_STRUCTURAL = frozenset(
    (
        "Scope disambiguation",
        "Supersession chain exclusion",
        "Type routing and open questions",
        "Budget eviction and capacity",
        "Cross-user isolation",
        "Ranking stability",
        "Persona prelude content",
    )
)
_SESSION_CATEGORY = "Session-level noise isolation"


@dataclass(frozen=True)
class Context:
    """What stands before the model for one question, by the ids of beliefs."""

    prelude: str
    pinned: Sequence[str]
    relevant: Sequence[str]
    questions: Sequence[str]


@dataclass(frozen=True)
class Outcome:
    """One case or turn, scored."""

    name: str
    category: str
    failures: Sequence[str]
    precision: float | None
    recall: float | None
    relevant: Sequence[str]
    #: Whether the first of what was found is right; None where nothing is right.
    is_first_right: bool | None
    latency_ms: float = 0.0

    @property
    def drift(self) -> float:
        return 0.0 if self.precision is None else 1 - self.precision


class System(Protocol):
    """What is measured: it keeps texts by a name, and finds the names."""

    def keep(self, user: str, domain: str, name: str, text: str) -> None:
        """Keep a text; correct it where the name is known."""

    def search(self, user: str, domain: str, question: str, limit: int) -> Sequence[str]:
        """Return the names of what answers, best first."""


class Harness:
    """The author's adapter: the beliefs beside the system, and the context of a question."""

    def __init__(self, beliefs: Iterable[Belief], system: System) -> None:
        self._beliefs = {belief["_id"]: dict(belief) for belief in beliefs}
        self._system = system

    def seed(self) -> None:
        for belief in self._beliefs.values():
            self._keep(belief)

    def add(self, belief: Belief) -> None:
        self._beliefs[belief["_id"]] = dict(belief)
        self._keep(belief)

    def add_aliases(self, name: str, aliases: Sequence[str]) -> None:
        belief = self._beliefs[name]
        new = [alias.strip().lower() for alias in aliases]
        belief["aliases"] = list(dict.fromkeys([*belief["aliases"], *new]))
        self._keep(belief)

    def _keep(self, belief: Belief) -> None:
        self._system.keep(belief["user_id"], belief["scope"][0], belief["_id"], text_of(belief))

    def build_context(
        self, user: str, domains: Sequence[str], question: str, budget: Mapping[str, int]
    ) -> Context:
        most = budget.get("maxBeliefs", _BUDGET)
        pinned = [
            belief["_id"]
            for belief in self._list_own(user, domains)
            if belief["pinned"]
            and belief["type"] != "open_question"
            and not belief["superseded_by"]
            and not belief["resolved_at"]
        ]
        questions = [
            belief["_id"]
            for belief in self._list_own(user, domains)
            if belief["pinned"] and belief["type"] == "open_question" and not belief["resolved_at"]
        ]
        found = list[str]()
        if question.strip() and most > 0:
            hits = self._system.search(user, domains[0], question, most)
            known = dict.fromkeys(name for name in hits if name in self._beliefs)
            found = [name for name in known if name not in pinned]
        joined = self._list_participants(user, domains, found, {*pinned, *found})
        kept_pinned = pinned[:most]
        return Context(
            prelude=_PRELUDE if user == _USER else "",
            pinned=kept_pinned,
            relevant=[*found, *joined][: max(0, most - len(kept_pinned))],
            questions=questions[: budget.get("maxQuestions", _MOST_QUESTIONS)],
        )

    def _list_own(self, user: str, domains: Sequence[str]) -> Iterator[Belief]:
        for belief in self._beliefs.values():
            if belief["user_id"] == user and set(belief["scope"]) & set(domains):
                yield belief

    def _list_participants(
        self, user: str, domains: Sequence[str], found: Sequence[str], known: set[str]
    ) -> list[str]:
        """Return the beliefs that found relations join."""
        relations = [
            self._beliefs[name] for name in found if self._beliefs[name]["type"] == "relation"
        ]
        own = {belief["_id"] for belief in self._list_own(user, domains)}
        joined = [name for belief in relations for name in belief.get("participants") or ()]
        return [name for name in joined if name in own and name not in known]


def text_of(belief: Belief) -> str:
    """Return what a system is given of a belief."""
    parts = (
        belief["canonical_name"],
        *(belief.get("aliases") or ()),
        belief["content"],
        belief["why_it_matters"],
    )
    return " ".join(part for part in parts if part)


def score_case(case: Case, context: Context, pinned_in_seed: set[str]) -> Outcome:
    """Score a case of `retrieval.cases.json`."""
    expected = case["expect"].get("relevantBeliefs", {})
    relevant = list(dict.fromkeys(context.relevant))
    both = {*context.pinned, *relevant}
    failures = [*_check_relevant(expected, relevant, both), *_check_order(expected, relevant)]
    failures += _check_pinned_and_questions(case["expect"], context)
    failures += _check_prelude(case["expect"].get("personaPrelude", {}), context.prelude)
    only = expected.get("shouldOnlyInclude")
    gold = set(expected.get("mustInclude", ())) - pinned_in_seed if only is None else set(only)
    hits = len(gold & set(relevant))
    precision: float | None = hits / len(relevant) if relevant else 0.0
    return Outcome(
        name=case["caseId"],
        category=case["category"],
        failures=failures,
        precision=precision if relevant or gold else None,
        recall=hits / len(gold) if gold else None,
        relevant=relevant,
        is_first_right=bool(gold & set(relevant[:1])) if gold else None,
    )


def _check_relevant(
    expected: Mapping[str, Any], relevant: Sequence[str], both: set[str]
) -> Iterator[str]:
    for name in (*expected.get("mustInclude", ()), *expected.get("shouldInclude", ())):
        if name not in both:
            yield f"missing: {name}"
    for name in expected.get("mustExclude", ()):
        if name in both:
            yield f"forbidden: {name}"
    if "shouldOnlyInclude" in expected:
        yield from _check_only(expected["shouldOnlyInclude"], relevant)
    if len(relevant) > expected.get("maxCount", len(relevant)):
        yield "too many"
    if len(relevant) < expected.get("minCount", 0):
        yield "too few"


def _check_only(only: Sequence[str], relevant: Sequence[str]) -> Iterator[str]:
    yield from (f"unexpected: {name}" for name in relevant if name not in only)
    yield from (f"missing: {name}" for name in only if name not in relevant)


def _check_order(expected: Mapping[str, Any], relevant: Sequence[str]) -> Iterator[str]:
    for first, second in expected.get("orderedBefore", ()):
        if first not in relevant or second not in relevant:
            yield f"missing in the order: {first}, {second}"
        elif relevant.index(first) > relevant.index(second):
            yield f"order: {first}, {second}"


def _check_pinned_and_questions(expect: Mapping[str, Any], context: Context) -> Iterator[str]:
    for tier, shown in (("pinnedFacts", context.pinned), ("openQuestions", context.questions)):
        expected = expect.get(tier) or {}
        yield from (
            f"{tier} without {n}" for n in expected.get("mustInclude", ()) if n not in shown
        )
        yield from (f"{tier} with {n}" for n in expected.get("mustExclude", ()) if n in shown)


def _check_prelude(expected: Mapping[str, Any], prelude: str) -> Iterator[str]:
    if expected.get("nonEmpty") and not prelude:
        yield "prelude empty"
    if expected.get("isNull") and prelude:
        yield "prelude not empty"
    yield from (f"prelude without {w}" for w in expected.get("contains", ()) if w not in prelude)
    yield from (f"prelude with {w}" for w in expected.get("mustNotContain", ()) if w in prelude)


def score_turn(case: Case, turn: Case, context: Context) -> Outcome:
    """Score a turn of `session-retrieval.cases.json`.

    Precision counts a pinned belief as a hit, and is None where nothing was found, as there.
    """
    expected = turn["expect"].get("relevantBeliefs") or {}
    relevant = list(dict.fromkeys(context.relevant))
    both = {*context.pinned, *relevant}
    failures = list(_check_relevant(expected, relevant, both))
    failures += _check_pinned_and_questions(turn["expect"], context)
    noise = turn["expect"].get("noiseCheck", {}).get("mustNotSurface", ())
    failures += [f"noise: {name}" for name in noise if name in both]
    gold = set(expected.get("shouldOnlyInclude", expected.get("mustInclude", ())))
    hits = len(gold & both)
    return Outcome(
        name=f"{case['caseId']}/{turn['turnIndex']}",
        category=_SESSION_CATEGORY,
        failures=failures,
        precision=hits / len(relevant) if relevant else None,
        recall=hits / len(gold) if gold else None,
        relevant=relevant,
        is_first_right=bool(gold & set(relevant[:1])) if gold else None,
    )


def summarise(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return passes, their types, and the means of precision and recall."""
    types = Counter(_type_of_pass(one) for one in outcomes if not one.failures)
    return {
        "passed": sum(types.values()),
        "cases": len(outcomes),
        "active": types["active"],
        "structural": types["structural"],
        "trivially_empty": types["trivially_empty"],
        "precision": _mean(one.precision for one in outcomes),
        "recall": _mean(one.recall for one in outcomes),
    }


def count_first_right(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return in how many cases what came first is right, of those where anything is."""
    known = [one.is_first_right for one in outcomes if one.is_first_right is not None]
    return {"right": sum(known), "cases": len(known)}


def _type_of_pass(outcome: Outcome) -> str:
    if outcome.precision:
        return "active"
    return "structural" if outcome.category in _STRUCTURAL else "trivially_empty"


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 4) if known else None


@dataclass(frozen=True)
class Board:
    """The data of the board."""

    beliefs: Sequence[Belief]
    cases: Sequence[Case]
    sessions: Sequence[Case]

    @property
    def pinned(self) -> set[str]:
        return {b["_id"] for b in self.beliefs if b["pinned"] and b["user_id"] == _USER}


def load_board(data: Path) -> Board:
    names = ("beliefs.seed", "retrieval.cases", "session-retrieval.cases")
    read = [
        json.loads((data / "fixtures" / f"{name}.json").read_text(encoding="utf-8"))
        for name in names
    ]
    return Board(*read)


def run_cases(board: Board, system: System) -> list[Outcome]:
    """Ask the 77 cases; the system is given the beliefs first."""
    harness = Harness(board.beliefs, system)
    harness.seed()
    outcomes = []
    for case in board.cases:
        began = time.perf_counter()
        context = harness.build_context(
            case.get("userId", _USER), case["scope"], case["query"], case.get("budget", {})
        )
        outcome = score_case(case, context, board.pinned)
        outcomes.append(_with_latency(outcome, began))
    return outcomes


def run_sessions(board: Board, system: System) -> list[Outcome]:
    """Ask the turns of the sessions; beliefs are added and changed between them."""
    harness = Harness(board.beliefs, system)
    harness.seed()
    outcomes = []
    for case in board.sessions:
        for turn in case["turns"]:
            began = time.perf_counter()
            context = harness.build_context(_USER, turn["scope"], turn["userMessage"], {})
            outcomes.append(_with_latency(score_turn(case, turn, context), began))
            if turn.get("createBeliefAtTurn"):
                harness.add(turn["createBeliefAtTurn"])
            change = turn.get("updateBeliefAtTurn") or {}
            if change.get("addAliases"):
                harness.add_aliases(change["beliefId"], change["addAliases"])
    return outcomes


def _with_latency(outcome: Outcome, began: float) -> Outcome:
    values = {name: getattr(outcome, name) for name in Outcome.__dataclass_fields__}
    return Outcome(**values | {"latency_ms": (time.perf_counter() - began) * 1000})


class GieokSystem:
    """Gieok, asked through its Python API in the home of the environment."""

    def __init__(self, way: str, *, is_pooled: bool) -> None:
        self._way = way
        self._is_pooled = is_pooled
        self._memories = dict[str, Memory]()
        self._handles = dict[str, str]()
        self._names = dict[str, str]()

    def keep(self, user: str, domain: str, name: str, text: str) -> None:
        memory, known = self._open(user, domain), self._handles.get(name)
        handle = memory.update(known, text).handle if known else memory.add(text).handle
        assert handle is not None, "a record has a handle once it is indexed"
        self._handles[name] = handle
        self._names[handle] = name

    def search(self, user: str, domain: str, question: str, limit: int) -> Sequence[str]:
        memory = self._open(user, domain)
        if self._way == "hook":
            handles = [row.handle for row in memory.recall(question).memories][:limit]
        else:
            hits = memory.search(question, limit=limit)
            wanted = [hit for hit in hits if self._way == "search" or hit.level == "high"]
            handles = [hit.handle for hit in wanted]
        return [self._names[handle] for handle in handles]

    def _open(self, user: str, domain: str) -> Memory:
        scope = (
            f"user:{user}" if self._is_pooled else f"user:{user}/{domain.replace('user:', 'in:')}"
        )
        if scope not in self._memories:
            self._memories[scope] = Memory(scope=scope)
        return self._memories[scope]


class Oracle:
    """A system that finds what a case or a turn expects."""

    def __init__(self, board: Board) -> None:
        turns = [turn for case in board.sessions for turn in case["turns"]]
        rows = [(case["query"], case) for case in board.cases]
        rows += [(turn["userMessage"], turn) for turn in turns]
        self._expected = {
            (text, row["scope"][0], row.get("userId", _USER)): row["expect"].get(
                "relevantBeliefs", {}
            )
            for text, row in rows
        }

    def keep(self, user: str, domain: str, name: str, text: str) -> None:
        pass

    def search(self, user: str, domain: str, question: str, limit: int) -> Sequence[str]:
        expected = self._expected[question, domain, user]
        names: Sequence[str] = expected.get("shouldOnlyInclude", expected.get("mustInclude", ()))
        return names[:limit]


class Nothing:
    """A system that finds nothing."""

    def keep(self, user: str, domain: str, name: str, text: str) -> None:
        pass

    def search(self, user: str, domain: str, question: str, limit: int) -> Sequence[str]:  # noqa: ARG002
        return ()


def score_report(board: Board, report: Mapping[str, Any]) -> dict[str, Any]:
    """Score what one of the author's reports says was retrieved, by our scorer."""
    cases = {case["caseId"]: case for case in board.cases}
    outcomes = []
    for row in report["cases"]:
        case = cases[row["caseId"]]
        context = Context(
            prelude=_PRELUDE if case.get("userId", _USER) == _USER else "",
            pinned=row["pinnedBeliefs"],
            relevant=row["relevantBeliefs"],
            questions=row["retrievedQuestions"],
        )
        outcomes.append(score_case(case, context, board.pinned))
    return summarise(outcomes)


def check_scorer(data: Path, board: Board) -> dict[str, Any]:
    """Score the author's reports, the expected answers and nothing; name the differences."""
    checked, differences = dict[str, Any](), list[str]()
    for file in sorted((data / "test-results" / "baseline").glob("retrieval-report-*.json")):
        report = json.loads(file.read_text(encoding="utf-8"))
        name = file.stem.removeprefix("retrieval-report-")
        ours, theirs = score_report(board, report), _published(report["retrieval"])
        checked[name] = ours
        differences += [
            f"{name} {key}: {ours[key]}, its author {value}"
            for key, value in theirs.items()
            if ours[key] != value
        ]
    for name, system in (("oracle", Oracle(board)), ("nothing", Nothing())):
        checked[name] = summarise(run_cases(board, system))
        checked[f"{name}_sessions"] = summarise(run_sessions(board, system))
    return {"scored": checked, "differences": len(differences), "differing": differences}


def _published(summary: Mapping[str, Any]) -> dict[str, Any]:
    kinds = summary["passTypes"]
    return {
        "passed": summary["totalPassed"],
        "cases": summary["totalCases"],
        "active": kinds["activeRetrieval"],
        "structural": kinds["structural"],
        "trivially_empty": kinds["triviallyEmpty"],
        "precision": summary["meanPrecision"],
        "recall": summary["meanRecall"],
    }


@contextmanager
def fresh_home(models: Path) -> Iterator[Path]:
    """Give this process a home of its own, with the bundled models."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="board-") as folder:
        home = Path(folder) / ".gieok"
        home.mkdir(mode=0o700)
        (home / "models").symlink_to(models.resolve())
        os.environ |= {"HOME": folder, "GIEOK_HOME": str(home), "GIEOK_DAEMON_AUTOSTART": "off"}
        try:
            yield Path(folder)
        finally:
            os.environ.clear()
            os.environ.update(before)


def measure(data: Path, models: Path, *, has_misses: bool = False) -> dict[str, Any]:
    """Return the figures of each way, with one scope a domain and with one a user."""
    board, result = load_board(data), dict[str, Any]()
    for layout in ("by_domain", "pooled"):
        for way in WAYS:
            with fresh_home(models):
                system = GieokSystem(way, is_pooled=layout == "pooled")
                outcomes = run_cases(board, system)
            with fresh_home(models):
                turns = run_sessions(board, GieokSystem(way, is_pooled=layout == "pooled"))
            row = result.setdefault(layout, {})[way] = {
                **summarise(outcomes),
                "p50_ms": round(median(one.latency_ms for one in outcomes), 1),
                "by_category": _by_category(outcomes),
                "first": count_first_right(outcomes),
                "misses_by_kind": _count_misses(board, outcomes),
                "sessions": {
                    **summarise(turns),
                    "drift": _mean(turn.drift for turn in turns),
                },
            }
            if has_misses:
                row["misses"] = [
                    f"{one.name}: {'; '.join(one.failures)}"
                    for one in (*outcomes, *turns)
                    if one.failures
                ]
    checked = check_scorer(data, board)
    return {
        **result,
        "oracle": checked["scored"]["oracle"] | {"sessions": checked["scored"]["oracle_sessions"]},
        "nothing": checked["scored"]["nothing"]
        | {"sessions": checked["scored"]["nothing_sessions"]},
        "reports": {"scored": len(checked["scored"]) - 4, "differences": checked["differences"]},
    }


def _by_category(outcomes: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    kinds = dict.fromkeys(one.category for one in outcomes)
    return {
        kind: {
            "passed": sum(not one.failures for one in outcomes if one.category == kind),
            "cases": sum(one.category == kind for one in outcomes),
        }
        for kind in kinds
    }


def _count_misses(board: Board, outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return how many cases fail by what came, or did not come.

    `over`: all that came too much is superseded, resolved or an open question, which the board's
    harness does not tell a system. `beside`: a belief that holds and has not been
    asked for came. `missing`: nothing came too much.
    """
    over = {
        belief["_id"]
        for belief in board.beliefs
        if belief["superseded_by"] or belief["resolved_at"] or belief["type"] == "open_question"
    }
    kinds = Counter[str]()
    for one in outcomes:
        extra = {
            failure.partition(": ")[2]
            for failure in one.failures
            if failure.startswith("unexpected")
        }
        if one.failures:
            kinds["missing" if not extra else "over" if extra <= over else "beside"] += 1
    return {kind: kinds[kind] for kind in ("beside", "over", "missing")}


def serve(port: int, system: System) -> None:
    """Answer as a wrapper of the board does, one request after the other."""

    class Wrapper(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        do_PUT = do_POST  # noqa: N815 - the name that http.server calls

        def do_DELETE(self) -> None:
            self._answer({})

        def _answer(self, given: Mapping[str, Any]) -> None:
            answer: dict[str, Any] = {"ok": True}
            if self.path in ("/add", "/update"):
                metadata = given["metadata"]
                system.keep(
                    given["user_id"], metadata["scope"], metadata["beliefId"], given["text"]
                )
            elif self.path == "/search":
                names = system.search(
                    given["user_id"], given["scope"], given["query"], given["limit"]
                )
                answer = {"results": [{"id": name, "memory": name} for name in names]}
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    HTTPServer(("127.0.0.1", port), Wrapper).serve_forever()


def _build_system(given: argparse.Namespace) -> System:
    if given.way == "nothing":
        return Nothing()
    if given.way == "oracle":
        return Oracle(load_board(given.data))
    return GieokSystem(given.way, is_pooled=given.pooled)


def print_table(result: Mapping[str, Any]) -> None:
    columns = ("passed", "active", "structural", "trivially_empty", "precision", "recall")
    print(f"{'':24}" + "".join(f"{column:>17}" for column in (*columns, "sessions", "drift")))
    for layout in ("by_domain", "pooled"):
        for way, row in result[layout].items():
            turns = row["sessions"]
            cells = [*(row[column] for column in columns), turns["passed"], turns["drift"]]
            print(f"{layout + ' ' + way:24}" + "".join(f"{cell!s:>17}" for cell in cells))
            for miss in row.get("misses", ()):
                print(f"    {miss}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--check", action="store_true", help="score the author's own reports")
    parser.add_argument("--misses", action="store_true", help="name what was missed")
    parser.add_argument("--serve", type=int, default=0, help="answer the author's harness there")
    parser.add_argument("--way", choices=(*WAYS, "oracle", "nothing"), default="search")
    parser.add_argument("--pooled", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.serve:
        with fresh_home(given.models):
            serve(given.serve, _build_system(given))
    if given.check:
        print(json.dumps(check_scorer(given.data, load_board(given.data)), indent=1))
        return
    result = measure(given.data, given.models, has_misses=given.misses)
    if given.json:
        print(json.dumps(result, ensure_ascii=False))
    else:
        print_table(result)


if __name__ == "__main__":
    main()
