"""Incremental equals full, on copies of real source trees of the test environment that are edited
at random.
"""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from edits import Tree, copied
from kept_index import KeptIndex

_EDITS = 60
_CHECKPOINTS = 3


@pytest.mark.parametrize("package", ["click", "importlinter"])  # the second has JavaScript too
def test_after_random_edits_of_a_real_project_the_index_is_what_a_fresh_one_would_be(
    tmp_path: Path, package: str
) -> None:
    spec = find_spec(package)
    if spec is None:
        pytest.skip(f"{package} is not installed")
    assert spec.origin is not None
    root = copied(Path(spec.origin).parent, tmp_path / "tree")
    kept = KeptIndex(tmp_path, Tree(root, seed=len(package)))
    for _ in range(_CHECKPOINTS):
        done = kept.follow(_EDITS // _CHECKPOINTS)
        assert kept.differences() == [], done
    kept.close()


def test_a_function_defined_in_both_branches_keeps_both_its_edges_when_another_file_is_added(
    tmp_path: Path,
) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    text = (
        "def outer(x):\n    if x:\n        def view(): ...\n    else:\n        def view(): ...\n  "
        "  return view\n"
    )
    (root / "a.py").write_text(text, encoding="utf-8")
    kept = KeptIndex(tmp_path, Tree(root, seed=0))
    (root / "b.py").write_text("x = 1\n", encoding="utf-8")
    kept.follow(0)
    lines = sorted(
        e.line
        for e in kept.made.store.edges_out_of(["a.py::outer"])
        if e.reason == "defined inside"
    )
    assert lines == [3, 5]
    assert kept.differences() == []
    kept.close()


def test_a_file_that_is_written_again_in_the_same_tick_of_the_clock_is_read_again(
    tmp_path: Path,
) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    file = root / "a.py"
    file.write_text("def one(): ...\n", encoding="utf-8")
    kept = KeptIndex(tmp_path, Tree(root, seed=0))
    now_ns = round(kept.made.clock.now().timestamp()) * 1_000_000_000
    os.utime(file, ns=(now_ns, now_ns))
    kept.follow(0)
    file.write_text("def two(): ...\n", encoding="utf-8")
    os.utime(file, ns=(now_ns, now_ns))
    kept.follow(0)
    assert kept.differences() == []
    kept.close()
