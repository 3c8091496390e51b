"""Each table of docs/figures.md says what measured it, when, and at which commit."""

import subprocess
import sys
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(_REPOSITORY / "benchmarks"))

import figures  # noqa: E402 - what reads the tables


def test_each_table_of_figures_says_where_it_comes_from() -> None:
    text = (_REPOSITORY / "docs" / "figures.md").read_text(encoding="utf-8")
    # What each part is measured with is the table of commands itself.
    assert figures.list_unfounded_tables(text.partition("\n## ")[2]) == []


def test_the_commits_above_tables_are_in_the_history() -> None:
    text = (_REPOSITORY / "docs" / "figures.md").read_text(encoding="utf-8")
    commits = sorted({commit for _, _, commit in figures.MEASURED.findall(text)})
    shallow = ["git", "rev-parse", "--is-shallow-repository"]
    told = subprocess.run(shallow, cwd=_REPOSITORY, capture_output=True, text=True, check=False)
    if told.stdout.strip() != "false":
        pytest.skip("this is no whole clone")
    asked = "".join(f"{commit}^{{commit}}\n" for commit in commits)
    known = subprocess.run(
        ["git", "cat-file", "--batch-check"],
        cwd=_REPOSITORY,
        input=asked,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [row for row in known.stdout.splitlines() if row.split()[1:2] != ["commit"]] == []


@pytest.mark.parametrize(
    ("above", "cell", "is_founded"),
    [
        ("", ".5", False),
        ("", ".5<!--told.hook.recalled-->", True),
        ("<!-- measured: python benchmarks/told.py; 2026-11-29; adbc8b58c -->", ".5", True),
        ("<!-- measured: python benchmarks/told.py; 2026-11-29; -->", ".5", False),
        ("`python benchmarks/told.py`", ".5", False),
        ("", "all", True),
    ],
)
def test_a_table_of_figures_without_a_source_is_seen(
    above: str, cell: str, *, is_founded: bool
) -> None:
    table = f"| | now |\n|---|---|\n| recalled | {cell} |"
    found = figures.list_unfounded_tables(f"Text.\n\n{above}\n\n{table}\n\nMore.")
    assert found == ([] if is_founded else ["| | now |"])
