"""What a server that was killed left on hold is decided by the next one that starts, by what the
journal says.
"""

from datetime import timedelta
from pathlib import Path

import pytest
from served import NOW, served

from gieok.character.memory.service import Bond
from gieok.model.conversation import Message, Role


def test_a_reply_that_is_in_the_journal_is_charged_and_another_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path, monkeypatch) as service:
        desk, house = service.house.points, service.house
        desk.credit("kim", 5, "first")
        for reply in ("delivered", "lost"):
            desk.hold_reply("kim", "mina", reply)
        house.memory.journal.say(
            Bond("kim", "mina").scope, [Message("delivered", Role.ASSISTANT, "응.", NOW)]
        )
        service.clock.advance(timedelta(minutes=10))
        desk.hold_reply("kim", "mina", "under way")
        assert house.accounts.balance("kim") == 2
        service.clock.advance(timedelta(minutes=6))
        assert house.points.settle_stale() == (1, 1)
        assert [one.purpose for one in house.accounts.holds(service.clock.now(), 9)] == [
            "mina/under way"
        ]
        assert house.accounts.balance("kim") == 3
        service.clock.advance(timedelta(hours=2))
        # A server that starts now does as this one would.
        assert house.points.settle_stale() == (0, 1)
