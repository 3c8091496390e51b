"""A figure that a document quotes with its path is the one that was measured (`make bench`)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(_REPOSITORY / "benchmarks"))

import figures  # noqa: E402 - what writes the figures

_DOCUMENTS = (
    "README.md",
    "README.ko.md",
    "benchmarks/korean/README.md",
    *sorted(str(file.relative_to(_REPOSITORY)) for file in (_REPOSITORY / "docs").glob("*.md")),
)


def _list_measured() -> dict[str, float]:
    return {
        f"{name}.{path}": value
        for name, kept in figures.read_figures().items()
        for path, value in kept["figures"].items()
    }


def _is_quoted_right(quoted: str, measured: float) -> bool:
    """Say whether a number is the measured one, to the digits that it shows."""
    digits = len(quoted.partition(".")[2])
    return round(measured, digits) == float(quoted.replace(",", ""))


@pytest.mark.parametrize("document", _DOCUMENTS)
def test_what_a_document_quotes_was_measured(document: str) -> None:
    measured = _list_measured()
    text = (_REPOSITORY / document).read_text(encoding="utf-8")
    for quoted, path in figures.QUOTE.findall(text):
        assert path in measured, f"{document} quotes {path}, which nothing measured"
        assert _is_quoted_right(quoted, measured[path]), f"{path} is {measured[path]}, not {quoted}"


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


def test_a_wrong_quote_is_seen() -> None:
    assert _is_quoted_right(".43", 0.4304)
    assert not _is_quoted_right(".44", 0.4304)
    assert _is_quoted_right("1,200", 1200.3)


def test_all_numbers_of_a_measurement_are_kept_by_their_path() -> None:
    found = dict(figures.flatten({"hook": {"all": 0.5, "ok": True, "rows": [1, {"ms": 2}]}}))
    assert found == {"hook.all": 0.5, "hook.rows.0": 1, "hook.rows.1.ms": 2}


def test_figures_name_a_command_a_day_and_a_commit_and_no_place_of_a_machine() -> None:
    for kept in figures.read_figures().values():
        assert kept["command"].startswith("python benchmarks/")
        assert kept["day"]
        assert kept["commit"]
    assert str(_REPOSITORY) not in json.dumps(figures.read_figures())


def test_what_takes_long_is_measured_only_where_it_is_named() -> None:
    usual = {one.name for one in figures.choose([])}
    assert {"korean", "told", "retrieval", "record"} <= usual
    assert not usual & {"record_filled", *(one.name for one in figures.choose(["boards"]))}
    assert "record_filled" in {one.name for one in figures.choose(["records"])}
