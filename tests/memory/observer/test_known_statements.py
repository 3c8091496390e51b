"""Which known observations are shown where not all of them have room."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.observer.known_statements import is_known, known
from gieok.memory.scope_memory import ScopeMemory
from gieok.model.conversation import Journalled, Message, Role
from gieok.model.memory import Scope

_AT = datetime(2026, 11, 20, 9, tzinfo=UTC)


def _observe(text: str, day: int = 0, *, is_done: bool = False) -> Observation:
    at = _AT + timedelta(days=day)
    return Observation(text, at, Priority.HIGH, Category.STATE, is_done)


def _show(texts: Sequence[str], said: str, most: int) -> list[int]:
    """Return the days of the observations shown, of one a day, where `most` of them have room."""
    made = [_observe(text, day) for day, text in enumerate(texts)]
    sizes = {one.tokens for one in made}
    assert len(sizes) == 1
    entries = observation.build_observed_entries(Scope("a:b"), Observed(tuple(made)), _AT)
    documents = tuple(entry.document for entry in entries)
    held = ScopeMemory(documents, tuple(map(observation.observation_of, documents)), "", ())
    messages = (Journalled(1, Message("s/1", Role.USER, said, _AT)),)
    found = known(held, None, (), messages, most * sizes.pop())
    shown = found.text.split("\n") if found.text else []
    dates = [datetime.fromisoformat(line.split("(")[1][:10]) for line in shown]
    return [(date.date() - _AT.date()).days for date in dates]


_NEAR = [f"zebra stands at post {chr(97 + n)}" for n in range(10)]
_FAR = [f"otter swims in pond {chr(97 + n)}" for n in range(10)]


@pytest.mark.parametrize(
    ("texts", "said", "most", "shown"),
    [
        ([*_NEAR, *_FAR], "zebra", 10, [3, 4, 5, 6, 7, 8, 9, 17, 18, 19]),
        ([*_NEAR[:2], *_FAR], "zebra", 4, [0, 1, 10, 11]),
        ([*_NEAR, *_FAR], "heron", 3, [17, 18, 19]),
        (_NEAR[:3], "heron", 3, [0, 1, 2]),
        ([*_NEAR[:3], *_FAR[:3]], "zebra", 5, [0, 1, 2, 4, 5]),
        # A word that few share says more than one that many share.
        (["tiger stands at post z", *_NEAR, *_FAR], "zebra tiger", 2, [0, 20]),
    ],
    ids=["both", "few near", "none near", "all", "nearly all", "rare"],
)
def test_what_shares_words_is_shown_and_then_the_newest(
    texts: Sequence[str], said: str, most: int, shown: Sequence[int]
) -> None:
    assert _show(texts, said, most) == shown


def test_the_same_is_known_only_where_both_are_done_or_not() -> None:
    said = "The load balancer setup for the shop"
    assert is_known(_observe(said), (_observe("Other"), _observe(said)))
    assert not is_known(_observe(said), (_observe(said, is_done=True),))
    assert not is_known(_observe(said), ())


@pytest.mark.parametrize(
    ("new", "old", "is_old"),
    [
        ("The gateway is blue", "The gateway is blue", True),
        ("The gateway is now blue", "The gateway is blue", False),
    ],
)
def test_what_replaces_something_is_known_only_word_for_word(
    new: str, old: str, *, is_old: bool
) -> None:
    made = _observe(new)._replace(replaces=("observe:x",))
    assert is_known(made, (_observe(old),)) is is_old
