"""What the five documents ask holds, but for what their walks list as known."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.forked import Commands

_WALKS = Path(__file__).parents[1] / "examples" / "acceptance"
_DOCUMENTS = sorted(file.parent.name for file in _WALKS.glob("*/criteria.py"))


def test_there_is_a_walk_for_each_document() -> None:
    assert len(_DOCUMENTS) == 5


@pytest.mark.usefixtures("commands")
@pytest.mark.parametrize("document", _DOCUMENTS)
def test_a_document_is_met_but_for_what_is_known(document: str, models: Path) -> None:
    del models  # the walk takes it from the environment
    done = subprocess.run(
        [sys.executable, str(_WALKS), "--forks", document],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{document.replace('_', '-')}: " in done.stdout


def test_a_criterion_that_is_not_as_listed_fails_the_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(_WALKS))
    from walk import Walk

    walk = Walk("a-document", tmp_path, {"known": "why", "mended": "why"})
    walk.holds("1", "known", met=False)
    walk.holds("1", "mended", met=True)
    walk.holds("1", "holds", met=True)
    assert walk.faults == ["mended"]
    walk.holds("1", "broken", met=False)
    walk.differs("1", "unsaid", met=True, decision="No such paragraph anywhere")
    walk.differs("1", "other", met=True, decision="The local store is the default")
    walk.differs("1", "other but broken", met=False, decision="The local store is the default")
    assert walk.faults == ["broken", "mended", "other but broken", "unsaid"]
    walk.lacks_command("1", "shown by a test", test="tests/test_acceptance.py::test_there_is")
    walk.lacks_command("1", "shown by none", test="tests/test_acceptance.py::test_nothing_of")
    assert walk.faults == ["broken", "mended", "other but broken", "shown by none", "unsaid"]
    assert walk.count() == "a-document: 9 criteria, 2 ✓, 1 differently, 1 –, 5 ✗"


@pytest.mark.parametrize(("is_alone", "faults"), [(True, ["below 200 ms"]), (False, [])])
def test_a_time_that_is_missed_counts_only_where_no_tests_run_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_alone: bool, faults: list[str]
) -> None:
    monkeypatch.syspath_prepend(str(_WALKS))
    from walk import Walk

    with subprocess.Popen([sys.executable, "-c", ""]) as server:
        walk = Walk("a-document", tmp_path, {}, forks=None if is_alone else Commands(server))
    walk.holds_in_time("1", "below 200 ms", took_s=0.3, limit_s=0.2, bare_s=0.06, figure="")
    walk.holds_in_time("1", "below 15 s", took_s=1, limit_s=15, bare_s=0.06, figure="")
    assert walk.faults == faults


@pytest.mark.parametrize(
    ("took_s", "bare_s", "is_met", "holds"),
    [
        # Where bare Python takes three times as long as alone, so may a command.
        (0.59, 0.18, True, True),
        (0.61, 0.18, True, False),
        # A fast machine does not make a limit stricter than the document's.
        (0.19, 0.02, True, True),
        (0.2, 0.06, True, False),
        (0.1, 0.06, False, False),
    ],
)
def test_a_limit_grows_with_what_bare_python_takes_beside_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    took_s: float,
    bare_s: float,
    *,
    is_met: bool,
    holds: bool,
) -> None:
    monkeypatch.syspath_prepend(str(_WALKS))
    from walk import Walk

    walk = Walk("a-document", tmp_path)
    walk.holds_in_time(
        "1", "quick", took_s=took_s, limit_s=0.2, bare_s=bare_s, figure="", met=is_met
    )
    assert (walk.faults == []) is holds
