"""Conversations of our own, written before the rules were tuned: what is remembered of them does
not get worse.
"""

from pathlib import Path

import pytest

from gieok.character.memory.service import CharacterService
from gieok.character.play import play
from gieok.character.play.play import PlayedClock
from gieok.errors import BadRequest
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.memory_store import MemoryStore

_DATA = Path(__file__).parents[3] / "benchmarks" / "data" / "character"


@pytest.mark.parametrize("name", ["ko", "en"])
def test_a_conversation_is_remembered(name: str, journal: SqliteJournal) -> None:
    (conversation,) = play.conversations((_DATA / f"{name}.json").read_text(encoding="utf-8"))
    clock = PlayedClock()
    score, asked = play.play(
        conversation, CharacterService(journal=journal, store=MemoryStore(), clock=clock), clock
    )
    assert score.right / score.kept >= 0.85
    assert score.found / score.wanted >= 0.8
    assert score.chains_right / score.chains >= 0.85
    assert score.traps_kept <= 1
    assert score.held / score.questions >= 0.9
    assert len(asked) == len(conversation["questions"])


@pytest.mark.parametrize(
    "text",
    ["", "{}", '{"conversations": [{}]}', '{"conversations": [{"turns": 1}]}', "[1]", "null"],
)
def test_a_file_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(BadRequest):
        play.conversations(text)
