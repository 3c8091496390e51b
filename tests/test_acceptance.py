"""What the five documents ask holds, but for what their walks list as known."""

import subprocess
import sys
from pathlib import Path

import pytest

_WALKS = Path(__file__).parents[1] / "examples" / "acceptance"
_DOCUMENTS = sorted(file.parent.name for file in _WALKS.glob("*/criteria.py"))


def test_there_is_a_walk_for_each_document() -> None:
    assert len(_DOCUMENTS) == 5


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
