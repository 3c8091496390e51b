"""Times, statements and keyword tokens as the tables hold them."""

from datetime import UTC, datetime

from gieok.storage.index import rows

_MOMENT = datetime(2026, 11, 28, 12, 0, 1, 500_000, UTC)


def test_times_are_kept_in_milliseconds() -> None:
    assert rows.to_ms(datetime(1970, 1, 1, 0, 0, 1, 500_000, UTC)) == 1_500
    assert rows.to_ms(None) is None
    assert rows.utc(1_500) == datetime(1970, 1, 1, 0, 0, 1, 500_000, UTC)
    assert rows.from_ms(rows.to_ms(_MOMENT)) == _MOMENT
    assert rows.from_ms(None) is None
    assert rows.from_ms(0) == datetime(1970, 1, 1, tzinfo=UTC)


def test_values_are_asked_for_in_runs_of_five_hundred() -> None:
    assert [len(run) for run in rows.batches(range(1001))] == [500, 500, 1]
    assert [value for run in rows.batches("abc") for value in run] == ["a", "b", "c"]
    assert list(rows.batches([])) == []
    assert (rows.marks("abc"), rows.marks("")) == ("?,?,?", "")


def test_keyword_tokens_carry_their_scope_and_are_counted() -> None:
    assert rows.prefix_scope_tokens(7, "결제 서버") == "7_결제 7_서버"
    assert rows.prefix_scope_tokens(7, "") == ""
    assert [rows.count_keyword_tokens(text) for text in ("", "결제", "결제 서버 a")] == [0, 1, 3]
