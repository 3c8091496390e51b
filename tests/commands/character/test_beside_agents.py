"""A home in which a service of characters runs, and everything that is done for agents by itself:
neither touches the other.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from contexts import opened_home

from gieok.character.memory.service import Bond, Memories
from gieok.commands import load_command
from gieok.commands.home import jobs
from gieok.home.call import Call
from gieok.model.conversation import Message, Role
from gieok.model.memory import Scope
from gieok.testing.clock import ManualClock

_BOND = Bond("kim", "mina")
_AGENT = Scope("agent:main")
_SAID = ("We decided to use Redis Streams for the queue.", "I always want tabs, never spaces.")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 2, 12, tzinfo=UTC))


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: ManualClock) -> Iterator[Call]:
    with opened_home(tmp_path / "h", monkeypatch, clock, ARCHIVE_HOT_TOKENS=30) as opened:
        yield opened


def _files(home: Path) -> list[str]:
    return [str(file.relative_to(home)) for file in sorted(home.rglob("*")) if file.is_file()]


def test_what_is_done_for_agents_leaves_characters_alone(call: Call, clock: ManualClock) -> None:
    memory = call.home.house.memory
    for text in (*_SAID, "I live in Leith and my cat is called Miso", "call me Min"):
        clock.advance(timedelta(minutes=1))
        memory.hear(_BOND, text, is_user=True)
    agent = [
        Message(f"a{n}", Role.USER, text, clock.now(), "s", "codex", 20)
        for n, text in enumerate(_SAID)
    ]
    call.home.journal.say(_AGENT, agent)
    canon = Scope("character:mina")
    call.home.journal.say(canon, [agent[0]])
    before: Memories = memory.memories(_BOND)
    assert before.facts
    keys = set(call.home.store.hashes(_BOND.scope))

    load_command("observe run")(call, once=True)
    for _ in range(3):
        clock.advance(timedelta(days=120))
        assert [ran.name for ran in jobs.run_due(call) if not ran.ok] == []
    for name, values in (("rebuild", {}), ("redact", {"all": True, "apply": True})):
        found = load_command(name)
        found(call, **values)

    assert memory.memories(_BOND) == before
    assert set(call.home.store.hashes(_BOND.scope)) == keys
    assert not call.home.store.hashes(canon)
    assert call.home.store.hashes(_AGENT), "agents are observed as ever"
    assert not call.home.journal.archived(_BOND.scope)
    assert not [file for file in _files(call.home.folder) if "mina" in file]
    assert memory.context(_BOND, "where do I live?").window[0].text == _SAID[0]
