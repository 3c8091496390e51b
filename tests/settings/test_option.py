"""One setting: which values it may have."""

import pytest

from gieok.errors import BadConfig
from gieok.settings.option import Option

_RATE = Option("rate", 0.5, "A rate.", low=0.0)


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-inf", "1e999", "-0.1", "half"])
def test_a_number_is_finite_and_not_below_its_least(text: str) -> None:
    with pytest.raises(BadConfig, match="rate is"):
        _RATE.parse(text, "here")


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_a_number_without_a_least_is_finite_too(text: str) -> None:
    with pytest.raises(BadConfig, match="must be a number"):
        Option("rate", 0.5, "A rate.").parse(text, "here")


@pytest.mark.parametrize(("text", "value"), [("0", 0.0), ("0.0", 0.0), ("7e2", 700.0)])
def test_the_least_is_taken(text: str, value: float) -> None:
    assert _RATE.parse(text, "here") == value
