"""A table of rows that is divided into tests loses no row, and a fault names its row."""

import pytest
from row_tables import for_each_row


def test_every_row_is_checked_and_each_fault_names_its_row() -> None:
    seen: list[int] = []

    def check(number: int, word: str) -> None:
        seen.append(number)
        assert word == "good", "a bad word"

    rows = [(n, "bad" if n in {7, 49, 50} else "good") for n in range(120)]
    divided = for_each_row(rows)(check)
    (mark,) = divided.pytestmark
    _, starts = mark.args
    faults: list[Exception] = []
    for start in starts:
        try:
            divided(start)
        except ExceptionGroup as group:
            faults += group.exceptions
    assert seen == list(range(120))
    assert [fault.__notes__ for fault in faults] == [
        [f"in the row {rows[n]!r}"] for n in (7, 49, 50)
    ]
    assert divided.__name__ == "check"


def test_a_row_of_a_test_with_one_parameter_is_not_taken_apart() -> None:
    seen: list[object] = []
    for_each_row([("a", "b"), "c"])(seen.append)(0)
    assert seen == [("a", "b"), "c"]
    with pytest.raises(AssertionError, match="tests nothing"):
        for_each_row([])
