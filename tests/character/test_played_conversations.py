"""Conversations of our own, written before the rules were tuned: what is remembered of them does
not get worse.
"""

import sys
from pathlib import Path

import pytest

from gieok.character.memory.service import CharacterService
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.memory_store import MemoryStore

_BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
_DATA = _BENCHMARKS / "data" / "character"
sys.path.insert(0, str(_BENCHMARKS))

import character_play  # noqa: E402 - the benchmark itself, so that both measure the same
from character_play import PlayedClock  # noqa: E402


@pytest.mark.parametrize("name", ["ko", "en"])
def test_a_conversation_is_remembered(name: str, journal: SqliteJournal) -> None:
    (conversation,) = character_play.conversations(
        (_DATA / f"{name}.json").read_text(encoding="utf-8")
    )
    clock = PlayedClock()
    score, asked = character_play.play(
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
    with pytest.raises(ValueError, match="no conversation file"):
        character_play.conversations(text)
