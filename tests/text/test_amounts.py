"""Sizes and ages are told in one way."""

from datetime import UTC, datetime, timedelta

import pytest

from gieok.text.amounts import describe_age, format_size

_NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (None, "–"),
        (0, "0.0 kB"),
        (99_999, "100.0 kB"),
        (100_000, "0.1 MB"),
        (1_234_500_000, "1,234.5 MB"),
    ],
)
def test_a_size_is_in_thousands_of_bytes(count: int | None, said: str) -> None:
    assert format_size(count) == said


@pytest.mark.parametrize(
    ("ago_s", "english", "korean"),
    [
        (-5, "just now", "방금"),
        (59, "just now", "방금"),
        (60, "1 minute ago", "1분 전"),
        (3_599, "59 minutes ago", "59분 전"),
        (3_600, "1 hour ago", "1시간 전"),
        (86_399, "23 hours ago", "23시간 전"),
        (3 * 86_400, "3 days ago", "3일 전"),
    ],
)
def test_an_age_is_in_its_largest_unit(ago_s: int, english: str, korean: str) -> None:
    age = describe_age(_NOW - timedelta(seconds=ago_s), _NOW)
    assert (age.en, age.say("ko")) == (english, korean)
