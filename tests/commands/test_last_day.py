"""A day that a person names for the end of something."""

from datetime import date

import pytest

from gieok.commands.last_day import parse_last_day
from gieok.errors import BadRequest

_TODAY = date(2026, 11, 20)


def test_the_last_day_of_what_is_named_is_meant_and_no_more_is_taken() -> None:
    assert parse_last_day("2026-11-27", _TODAY) == date(2026, 11, 27)
    assert parse_last_day("11월 말까지", _TODAY) == date(2026, 11, 30)
    for words in ("", "soon", "friday or monday"):
        with pytest.raises(BadRequest, match="is no day"):
            parse_last_day(words, _TODAY)
