"""What ran under coverage: which test, which function, for how long that is believed, and what
impact makes of it.
"""

import os
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gieok.code.ask import analysis, coverage, coverage_runs, lookup
from gieok.code.ask.coverage import LearnedExecutions
from gieok.code.ask.coverage_runs import NOT_RUN, RAN
from gieok.code.index import project
from gieok.code.index.graph import Certainty
from gieok.code.index.project import Project
from gieok.errors import BadRequest
from gieok.machine.coverage_file import CoverageFile
from gieok.storage.index.sqlite.graph import ProjectStore

Make = Callable[[Mapping[str, str]], Project]
Write = Callable[..., Path]
Ran = dict[str, dict[str, list[int]]]
_SHOP = {
    "shop/rates.py": (
        "import json\n\n\ndef deco(f):\n    return f\n\n\n@deco\ndef rate(\n    kind,\n    "
        "fallback=len('x'),\n):\n    '''Say it.'''\n"
        "    def nested():\n        return 1\n    return [lambda: 2, nested]\n\n\ndef "
        "spare(): return 3\n\n\n"
        "class Table:\n    '''Doc.'''\n    size = 2\n\n    @property\n    def all(self):\n    "
        "    return self.size\n"
    ),
    "shop/pay.py": (
        "def pay(find):\n    return find('rate')('eur')\n\n\ndef refund():\n    return 1\n"
    ),
    "tests/test_pay.py": (
        "from shop.pay import pay, refund\n\n\ndef helper():\n    return 1\n\n\nclass Base:\n "
        "   def test_shared(self):\n        helper()\n\n\n"
        "class TestPay(Base):\n    def test_pay(self):\n        pay(1)\n\n\ndef "
        "test_refund():\n    refund()\n"
    ),
    "other/tests/test_pay.py": "def test_refund():\n    pass\n",
}
_PAY, _REFUND, _SHARED = (
    f"tests/test_pay.py::{n}" for n in ("TestPay.test_pay", "test_refund", "Base.test_shared")
)


@pytest.fixture
def taken_in(coverage_data: Write, tmp_path: Path) -> Callable[..., LearnedExecutions]:
    """Return what takes {path: {context: lines}} in, as a run that has just ended, or began so many
    seconds ago.
    """

    def take(made: Project, ran: Ran, *, commit: str = "", age_s: int = 0) -> LearnedExecutions:
        file = coverage_data(tmp_path / "data.coverage", ran)
        newest = max(one.mtime_ns for one in made.store.files().values())
        os.utime(file, ns=(newest - age_s * 10**9,) * 2)
        learned = coverage.learn(made, CoverageFile(file), commit)
        coverage_runs.store_test_executions(made, learned)
        return learned

    return take


def _pairs(made: Project) -> set[tuple[str, str]]:
    keys = [s.key for s in made.store.all_symbols()]
    return {
        (row.test.partition("::")[2], row.function.partition("::")[2])
        for row in made.store.executed(keys)
    }


def _tests(made: Project, target: str) -> list[tuple[str, int, str]]:
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, target)).impact.tests
    return [(r.key, r.tier, r.doubt or r.via[-1].reason) for r in found]


def test_only_bodies_count_and_each_line_is_its_innermost_functions(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(_SHOP)
    context = "tests/test_pay.py::test_refund|run"
    definitions = [4, 8, 9, 11, 19, 22, 23, 24, 26, 27]
    assert taken_in(made, {"shop/rates.py": {context: definitions}}).executions == ()
    for lines, names in (
        ([14], {"rate"}),
        ([15], {"rate.nested"}),
        ([16], {"rate"}),
        ([5, 28], {"deco", "Table.all"}),
    ):
        taken_in(made, {"shop/rates.py": {context: lines}})
        assert _pairs(made) == {("test_refund", name) for name in names}


@pytest.mark.parametrize(
    ("context", "test"),
    [
        ("tests/test_pay.py::TestPay::test_pay|run", _PAY),
        ("tests/test_pay.py::TestPay::test_pay[a|b::c.py::d[e]]|setup", _PAY),
        ("3.11|tests/test_pay.py::test_refund|teardown", _REFUND),
        ("above/tests/test_pay.py::test_refund|run", _REFUND),
        ("tests/test_pay.py::TestPay::test_shared|run", _SHARED),
        ("tests.test_pay.TestPay.test_pay", _PAY),
        ("label|test_pay.TestPay.test_pay", _PAY),
        ("test_pay.Base.test_shared", _SHARED),
        ("other.tests.test_pay.test_refund", "other/tests/test_pay.py::test_refund"),
        ("test_pay.test_refund", None),  # of two files
        ("tests/test_pay.py::test_gone|run", None),
        ("shop/pay.md::pay.md|run", None),
        ("nightly", None),
    ],
)
def test_a_context_names_a_test_in_every_form_that_tools_write(
    indexed: Make, taken_in: Callable[..., LearnedExecutions], context: str, test: str | None
) -> None:
    made = indexed(_SHOP)
    learned = taken_in(
        made,
        {
            "shop/pay.py": {
                context: [2],
                "tests/test_pay.py::TestPay::test_pay|run": [2],
                "": [1, 5],
            }
        },
    )
    assert {e.test for e in learned.executions} == {_PAY, test or _PAY}
    assert learned.unknown == (() if test else (context,))


@pytest.mark.parametrize(
    "prefix",
    ["{root}/", "", "/ci/build/", "C:\\ci\\build\\"],
    ids=["absolute", "relative", "elsewhere", "windows"],
)
def test_paths_of_this_root_and_of_another_are_mapped_and_foreign_files_counted(
    indexed: Make, taken_in: Callable[..., LearnedExecutions], prefix: str
) -> None:
    made = indexed(_SHOP)
    here = prefix.format(root=made.root)
    context = "tests/test_pay.py::test_refund|run"
    foreign = "/usr/lib/python3/site-packages/else/pay.py"
    slash = "\\" if "\\" in here else "/"
    lines = {"shop/pay.py": [2, 5, 6], "tests/test_pay.py": [5, 18]}
    ran = {here + path.replace("/", slash): {context: numbers} for path, numbers in lines.items()}
    learned = taken_in(made, {**ran, foreign: {context: [2]}})
    assert (learned.paths, learned.outside) == (("shop/pay.py", "tests/test_pay.py"), 1)
    assert _pairs(made) == {
        ("test_refund", "pay"),
        ("test_refund", "refund"),
        ("test_refund", "helper"),
    }


def test_a_run_in_a_folder_of_the_project_is_found_below_it(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed({f"backend/{path}": text for path, text in _SHOP.items() if "other" not in path})
    learned = taken_in(made, {"shop/pay.py": {"tests/test_pay.py::test_refund|run": [6]}})
    assert [(e.test, e.function) for e in learned.executions] == [
        ("backend/tests/test_pay.py::test_refund", "backend/shop/pay.py::refund")
    ]


def test_a_run_that_says_nothing_of_this_project_is_refused_with_the_next_step_and_changes_nothing(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(_SHOP)
    context = "tests/test_pay.py::test_refund|run"
    taken_in(made, {"shop/pay.py": {context: [6]}})
    for ran, said in (
        ({"shop/pay.py": {"": [1, 6]}}, "no contexts"),
        ({"shop/pay.py": {"nightly": [6]}}, "'nightly'"),
        ({"/ci/thing.py": {context: [6]}}, "'/ci/thing.py'"),
        ({}, "no contexts"),
    ):
        with pytest.raises(BadRequest, match=said) as caught:
            taken_in(made, ran)
        assert caught.value.hint
    with pytest.raises(BadRequest, match="changed after") as caught:
        taken_in(made, {"shop/pay.py": {context: [6]}}, age_s=60)
    assert "--commit" in caught.value.hint
    assert _pairs(made) == {("test_refund", "refund")}


def test_lines_of_a_file_that_is_newer_than_the_run_are_not_believed(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(_SHOP)
    context = "tests/test_pay.py::test_refund|run"
    for path in ("shop/pay.py", "tests/test_pay.py"):
        os.utime(made.root / path, ns=(10**18, 10**18))
    project.sync_project(made)
    learned = taken_in(
        made, {"shop/pay.py": {context: [6]}, "shop/rates.py": {context: [15]}}, age_s=1
    )
    assert (learned.paths, learned.changed) == (("shop/pay.py",), ("shop/rates.py",))
    assert _pairs(made) == {("test_refund", "refund")}


def test_a_line_that_is_empty_now_shows_that_the_file_was_another(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(_SHOP)
    context = "tests/test_pay.py::test_refund|run"
    for impossible in (3, 99):
        with pytest.raises(BadRequest, match="changed after"):
            taken_in(made, {"shop/pay.py": {context: [6], "": [1, impossible]}})


def test_a_commit_says_what_ran_whatever_the_times_say(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(_SHOP)
    identity = (
        "-c",
        "user.name=Kim",
        "-c",
        "user.email=kim@example.com",
        "-c",
        "commit.gpgsign=false",
    )
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(
            ["git", *identity, *arguments], cwd=made.root, check=True, capture_output=True
        )
    (made.root / "shop/rates.py").write_text("\n" + _SHOP["shop/rates.py"], encoding="utf-8")
    project.sync_project(made)
    context = "tests/test_pay.py::test_refund|run"
    ran = {"shop/pay.py": {context: [6]}, "shop/rates.py": {context: [14]}}
    learned = taken_in(made, ran, commit="HEAD", age_s=10**6)
    assert (learned.paths, learned.changed) == (("shop/pay.py",), ("shop/rates.py",))
    with pytest.raises(BadRequest, match="no-such"):
        taken_in(made, ran, commit="no-such")


def test_a_run_replaces_what_it_measured_of_its_tests_and_leaves_the_rest(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(_SHOP)
    pay, refund = "tests/test_pay.py::TestPay::test_pay|run", "tests/test_pay.py::test_refund|run"
    taken_in(made, {"shop/pay.py": {pay: [2], refund: [6]}, "shop/rates.py": {pay: [14]}})
    taken_in(made, {"shop/pay.py": {pay: [6]}})
    assert _pairs(made) == {
        ("TestPay.test_pay", "refund"),
        ("TestPay.test_pay", "rate"),
        ("test_refund", "refund"),
    }
    assert coverage_runs.taken_in(made)
    coverage_runs.forget_test_executions(made)
    assert (_pairs(made), coverage_runs.taken_in(made), made.store.count_executions().pairs) == (
        set(),
        "",
        0,
    )


def test_impact_names_the_tests_that_ran_a_function_and_says_when_code_changed_since(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(_SHOP)
    pay, refund = "tests/test_pay.py::TestPay::test_pay|run", "tests/test_pay.py::test_refund|run"
    # no reading of the code finds what `find` finds
    assert _tests(made, "shop/rates.py:rate") == []
    taken_in(made, {"shop/rates.py": {pay: [14], refund: [14]}})
    assert _tests(made, "shop/rates.py:rate") == [
        (_PAY, Certainty.OBSERVED, "ran under coverage"),
        (_REFUND, Certainty.OBSERVED, "ran under coverage"),
    ]
    (made.root / "tests/test_pay.py").write_text(
        _SHOP["tests/test_pay.py"].replace("    refund()", "    refund() or 1"), encoding="utf-8"
    )
    project.sync_project(made)
    assert _tests(made, "shop/rates.py:rate") == [
        (_PAY, Certainty.OBSERVED, "ran under coverage"),
        (_REFUND, Certainty.UNIQUE_NAME, "ran under coverage, changed since"),
    ]
    (made.root / "shop/rates.py").write_text(
        _SHOP["shop/rates.py"].replace("return 1", "return 4"), encoding="utf-8"
    )
    project.sync_project(made)
    assert _tests(made, "shop/rates.py:rate")[0] == (
        _PAY,
        Certainty.RESOLVED,
        "ran under coverage, changed since",
    )
    assert made.store.count_executions() == (2, 2, 1, 2, 0)
    for name in ("shop/rates.py", "tests/test_pay.py"):
        (made.root / name).unlink()
        project.sync_project(made)
        assert made.store.count_executions() == (0, 0, 0, 0, 2)
    for name in ("shop/rates.py", "tests/test_pay.py"):
        (made.root / name).write_text(_SHOP[name], encoding="utf-8")
    project.sync_project(made, full=True)
    assert made.store.count_executions() == (2, 2, 1, 0, 0)


def test_an_index_from_before_gets_the_tables(
    indexed: Make, taken_in: Callable[..., LearnedExecutions], tmp_path: Path
) -> None:
    made = indexed(_SHOP)
    made.store.close()
    db = sqlite3.connect(tmp_path / "index.sqlite")
    db.executescript("DROP TABLE code_executions; DROP TABLE code_versions")
    db.close()
    made = made._replace(store=ProjectStore(tmp_path / "index.sqlite"))
    assert project.sync_project(made).touched == []
    taken_in(made, {"shop/pay.py": {"tests/test_pay.py::test_refund|run": [6]}})
    assert _pairs(made) == {("test_refund", "refund")}


def test_what_ran_is_no_caller_and_no_edge_of_the_graph(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(_SHOP)
    before = list(made.store.all_edges())
    taken_in(made, {"shop/rates.py": {"tests/test_pay.py::test_refund|run": [14]}})
    assert list(made.store.all_edges()) == before
    assert made.store.edges_into(["shop/rates.py::rate"]) == [
        e for e in before if e.target == "shop/rates.py::rate"
    ]
    assert [e.kind for e in coverage_runs.edges_into(made.store, ["shop/rates.py::rate"])] == [RAN]


def test_a_test_that_was_seen_not_to_run_the_change_is_doubted_until_something_that_it_ran_changes(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(
        {
            "a.py": "def f(x):\n    if x:\n        g()\n\n\ndef g():\n    return 1\n",
            "test_a.py": (
                "from a import f\n\n\ndef test_yes():\n    f(1)\n\n\ndef test_no():\n    f(0)\n"
            ),
        }
    )
    assert {(key, tier) for key, tier, _ in _tests(made, "a.py:g")} == {
        ("test_a.py::test_yes", 1),
        ("test_a.py::test_no", 1),
    }
    ran = {"a.py": {"test_a.test_yes": [2, 3, 7], "test_a.test_no": [2]}}
    taken_in(made, ran)
    assert _tests(made, "a.py:g") == [
        ("test_a.py::test_yes", Certainty.OBSERVED, "ran under coverage"),
        ("test_a.py::test_no", Certainty.AMBIGUOUS, NOT_RUN),
    ]
    (made.root / "a.py").write_text(
        "def f(x):\n    if x:\n        g()\n\n\ndef g():\n    return 2\n", encoding="utf-8"
    )
    project.sync_project(made)
    assert [(key, tier) for key, tier, _ in _tests(made, "a.py:g")] == [
        ("test_a.py::test_yes", 1),
        ("test_a.py::test_no", 3),
    ]
    (made.root / "a.py").write_text(
        "def f(x):\n    g()\n\n\ndef g():\n    return 2\n", encoding="utf-8"
    )
    project.sync_project(made)
    assert ("test_a.py::test_no", 1, "resolved call") in _tests(made, "a.py:g")


def test_a_test_that_ran_what_was_changed_before_the_run_was_taken_in_is_not_doubted(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(
        {
            "a.py": "from b import h\n\n\ndef f():\n    return h()\n\n\ndef g():\n    return 1\n",
            "b.py": "def h():\n    from a import g\n    return g()\n",
            "test_a.py": (
                "from a import f, g\n\n\ndef test_f():\n    f()\n\n\ndef test_g():\n    g()\n"
            ),
        }
    )
    for path in ("a.py", "test_a.py"):
        os.utime(made.root / path, ns=(10**18, 10**18))
    project.sync_project(made)
    before = {"a.py": {"test_a.test_f": [5], "test_a.test_g": [9]}, "b.py": {"test_a.test_f": [2]}}
    learned = taken_in(made, before, age_s=1)  # as it was when `h` did not call `g` yet
    assert (learned.changed, len(learned.executions)) == (("b.py",), 2)
    assert ("test_a.py::test_f", Certainty.RESOLVED, "resolved call") in _tests(made, "a.py:g")
    assert made.store.count_executions() == (2, 2, 2, 0, 0)
    taken_in(
        made, {"a.py": {"test_a.test_f": [5], "test_a.test_g": [9]}, "b.py": {"test_a.test_f": [2]}}
    )
    assert ("test_a.py::test_f", Certainty.AMBIGUOUS, NOT_RUN) in _tests(made, "a.py:g")


def test_a_function_that_no_test_ran_makes_nobody_doubted(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(_SHOP)
    taken_in(made, {"shop/pay.py": {"tests/test_pay.py::TestPay::test_pay|run": [2]}})
    assert [(key, tier) for key, tier, _ in _tests(made, "shop/pay.py:refund")] == [
        (_REFUND, Certainty.RESOLVED)
    ]


def test_tests_of_a_function_that_a_diff_deletes_are_those_that_ran_it(
    indexed: Make, taken_in: Callable[..., LearnedExecutions]
) -> None:
    made = indexed(_SHOP)
    identity = (
        "-c",
        "user.name=Kim",
        "-c",
        "user.email=kim@example.com",
        "-c",
        "commit.gpgsign=false",
    )
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(
            ["git", *identity, *arguments], cwd=made.root, check=True, capture_output=True
        )
    taken_in(made, {"shop/rates.py": {"tests/test_pay.py::TestPay::test_pay|run": [28]}})
    kept = _SHOP["shop/rates.py"].partition("    @property")[0]
    (made.root / "shop/rates.py").write_text(kept, encoding="utf-8")
    project.sync_project(made)
    found = analysis.of_diff(made, "HEAD")
    assert "shop/rates.py::Table.all" in found.deleted
    assert [r.key for r in found.impact.tests] == [_PAY]
