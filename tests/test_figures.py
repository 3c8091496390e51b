"""A figure that a document quotes with its path is the one that was measured (`make bench`)."""

import json
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
