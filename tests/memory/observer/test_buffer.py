"""When messages are observed, and how many of them stay buffered."""

import pytest

from gieok.memory.observer.buffer import Thresholds, prefix
from gieok.model.conversation import BufferedSpan
from gieok.settings.table import OPTIONS


@pytest.mark.parametrize(
    ("tokens", "pending", "kept", "count"),
    [
        ((6000,) * 5, 30_000, 6000, 4),  # exactly
        ((7000, 7000, 7000, 7000), 30_000, 6000, 4),  # 28,000 rather than 21,000
        (
            (6000, 6000, 11_500, 6000),
            30_000,
            6000,
            3,
        ),  # 23,500 leaves 6,500; 29,500 would leave too little
        ((6000, 24_000), 30_000, 6000, 1),  # all would leave nothing
        ((30_000,), 30_000, 6000, 1),  # something must be activated
    ],
)
def test_a_prefix_of_chunks_leaves_about_a_fifth(
    tokens: tuple[int, ...], pending: int, kept: int, count: int
) -> None:
    chunks = [BufferedSpan(n, n + 1, size, "") for n, size in enumerate(tokens)]
    assert len(prefix(chunks, pending, kept)) == count


def test_thresholds_keep_a_fifth() -> None:
    assert Thresholds().kept_tokens == 6_000
    assert Thresholds(activation=0.7).kept_tokens == 9_000


def test_the_defaults_are_those_of_the_settings() -> None:
    names = (
        "observe.run_tokens",
        "observe.chunk_tokens",
        "observe.hard_stop_tokens",
        "observe.activation",
        "reflect.tokens",
        "reflect.ratio",
    )
    defaults = {option.name: option.default for option in OPTIONS}
    assert tuple(Thresholds()) == tuple(defaults[name] for name in names)
