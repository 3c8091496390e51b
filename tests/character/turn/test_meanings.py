"""What a character remembers is found by its meaning too."""

from datetime import UTC, datetime
from pathlib import Path

from gieok import registry
from gieok.character.memory.service import Bond, CharacterService
from gieok.character.turn.meanings import embed_recent_memories
from gieok.testing import HashEmbedder, ManualClock, MemoryStore

BOND = Bond("kim", "mina")


def test_what_was_learned_has_a_vector_after_it_was_tended(tmp_path: Path) -> None:
    journal = registry.load_backend(registry.JOURNALS, "sqlite")(tmp_path / "journal.sqlite")
    store = MemoryStore()
    memory = CharacterService(
        journal=journal,
        store=store,
        clock=ManualClock(datetime(2026, 4, 1, tzinfo=UTC)),
        embedder=HashEmbedder(),
    )
    memory.hear(BOND, "내 생일은 3월 15일이야", is_user=True)
    assert store.waiting(BOND.scope) == 1
    assert embed_recent_memories(memory, BOND) == 1
    assert store.waiting(BOND.scope) == 0
    assert embed_recent_memories(memory, BOND) == 0
    assert memory.search(BOND, "생일이 언제지")[0].document.text
    journal.close()


def test_without_an_embedder_words_do(tmp_path: Path) -> None:
    journal = registry.load_backend(registry.JOURNALS, "sqlite")(tmp_path / "journal.sqlite")
    memory = CharacterService(journal=journal, store=MemoryStore(), clock=ManualClock())
    memory.hear(BOND, "내 생일은 3월 15일이야", is_user=True)
    assert embed_recent_memories(memory, BOND) == 0
    journal.close()
