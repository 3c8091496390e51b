"""The same error is known again, and another one is not."""

import pytest

from gieok.text.attempts.error_lines import (
    fold_error_line,
    list_error_lines,
    loosen_error_line,
    read_exit_code,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "File /home/kim/a/db.py: cannot connect to 10.0.0.1:5432",
            "File /srv/b/db.py: cannot connect to 10.0.0.9:6543",
        ),
        (
            "2026-11-01T10:00:00Z worker 17 crashed badly",
            "2026-12-24T01:02:03Z worker 4 crashed badly",
        ),
        ("\x1b[31mthe object 0x7ffe12 is missing here\x1b[0m", "the object 0x11ab is missing here"),
    ],
)
def test_numbers_times_and_folders_make_no_other_error(one: str, other: str) -> None:
    assert fold_error_line(one) == fold_error_line(other) != ""


def test_names_make_another_error() -> None:
    one, other = "No module named 'yaml' was there", "No module named 'requests' was there"
    assert fold_error_line(one) != fold_error_line(other)


@pytest.mark.parametrize(
    "line", ["Exit code 1", "error: exited with status 2", "FAILED", "2 tests failed"]
)
def test_a_line_that_every_failure_has_says_nothing(line: str) -> None:
    assert fold_error_line(line) == ""


def test_what_went_wrong_is_found_among_other_lines() -> None:
    output = "Exit code 1\ncollecting things\nModuleNotFoundError: No module named 'yaml'\nbye"
    assert list_error_lines(output) == [("ModuleNotFoundError: No module named 'yaml'",) * 2]


def test_a_file_is_left_out_where_much_else_is_said() -> None:
    one = fold_error_line(
        "IO: Could not set lock on file orch.db: conflicting lock is held elsewhere, says duckdb"
    )
    other = fold_error_line(
        "IO: Could not set lock on file eval.db: conflicting lock is held elsewhere, says duckdb"
    )
    assert one != other
    assert loosen_error_line(one) == loosen_error_line(other) != ""
    assert loosen_error_line(fold_error_line("cannot find settings.yaml here")) == ""
    missing = "python: can't open file 'a.py': [Errno 2] No such file or directory"
    assert loosen_error_line(fold_error_line(missing)) == ""


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("Exit code 127\nx", 127),
        ("Process exited with code 0", 0),
        ('{"exit_code": 2}', 2),
        ("fine", None),
    ],
)
def test_exit_codes(output: str, code: int | None) -> None:
    assert read_exit_code(output) == code
