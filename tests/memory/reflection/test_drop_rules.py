"""What of what was replaced is still told, and for how long."""

from datetime import UTC, datetime, timedelta

import pytest

from gieok.memory.observation import observation_of
from gieok.memory.reflection.drop_rules import still_told
from gieok.model.memory import Document, Scope

_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def _replaced(days: float) -> Document:
    at = _NOW - timedelta(days=200)
    return Document(
        scope=Scope("agent:main"),
        key=f"observe:{days}",
        kind="observation",
        text="The port is 8080.",
        content_hash="h",
        created_at=at,
        updated_at=at,
        valid_from=at,
        valid_to=_NOW - timedelta(days=days),
    )


@pytest.mark.parametrize(
    ("days", "is_told"), [(0, True), (29.9, True), (30, True), (30.1, False), (190, False)]
)
def test_what_was_replaced_is_told_for_thirty_days(days: float, is_told: bool) -> None:
    assert bool(still_told([_replaced(days)], 900, _NOW)) is is_told


def test_the_newest_of_it_is_told_as_far_as_there_is_room() -> None:
    documents = [_replaced(days) for days in (9, 3, 6)]
    room = 2 * observation_of(documents[0]).tokens
    assert [one.key for one in still_told(documents, room, _NOW)] == ["observe:3", "observe:6"]
    assert len(still_told(documents, room - 1, _NOW)) == 1
