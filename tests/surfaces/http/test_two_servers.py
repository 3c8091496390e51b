"""Two servers over one home, or one database: each message is answered once and charged once,
whoever it is said to.
"""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path

import pytest
from served import NOW

from gieok.character.cards.card import new_card
from gieok.character.house import House
from gieok.character.memory.service import SUMMARY, Bond
from gieok.character.turn.turn import UserTurn
from gieok.home.calls import open_call
from gieok.testing.clock import ManualClock

_MESSAGES = 8


def _say(house: House, number: int) -> str:
    reply = house.turns.begin(
        UserTurn("kim", "mina", f"나 {number}월에 부산에 살았어. " * 40, f"m{number}")
    )
    text = "".join(part.text for part in reply)
    return f"{reply.id} {text}"


@pytest.mark.parametrize("journal", ["sqlite", "postgres"])
def test_two_servers_answer_each_message_once_and_hold_one_memory(
    journal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_database: Callable[[], str]
) -> None:
    settings = {
        "HOME": tmp_path,
        "EMBEDDER": "none",
        "STORE": journal,
        "JOURNAL": journal,
        "CHARACTER_CONTEXT_TOKENS": 2000,
    }
    for name, value in settings.items():
        monkeypatch.setenv(f"GIEOK_{name}", str(value))
    if journal == "postgres":
        monkeypatch.setenv("GIEOK_DATABASE_URL", make_database())
    one, other = (open_call({}, clock=ManualClock(NOW), zone=UTC).home.house for _ in range(2))
    one.roster.create(
        "", new_card({"name": "Mina", "description": "A friend."}, ("어서 와.",)), "mina"
    )
    one.points.credit("kim", 100, "first")
    with ThreadPoolExecutor(4) as pool:
        asked = [(house, number) for number in range(_MESSAGES) for house in (one, other)]
        answers = list(pool.map(lambda given: _say(*given), asked))
    for house in (one, other):
        house.turns.close()
    assert len(set(answers)) == _MESSAGES
    scope = Bond("kim", "mina").scope
    said = Counter(
        found.message.id for found in other.memory.journal.read(scope, 0, budget_tokens=1 << 40)
    )
    assert len(said) == sum(said.values()) == 2 * _MESSAGES + 1
    assert other.accounts.balance("kim") == 100 - _MESSAGES
    runs = [run for run in one.memory.journal.runs(scope, NOW) if run.reader == SUMMARY]
    assert runs
    assert [run.start for run in runs] == [0, *(run.end for run in runs[:-1])]
    seen = [house.memory.read_snapshot(Bond("kim", "mina")) for house in (one, other)]
    assert seen[0].window == seen[1].window
    for house in (one, other):
        house.memory.journal.close()
        house.memory.store.close()
        house.accounts.close()
