"""What users say about themselves in a project is found in every project, once, and goes with its
source.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.talk import build_block, build_key

from gieok.memory.talk import lasting_turns, promotion
from gieok.model.memory import Entry, Scope
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, recall
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore

_SHOP, _OTHER, _HOME = (
    Scope("project:shop-0badf00d"),
    Scope("project:other-0badf00d"),
    Scope("agent:main"),
)
_AT = datetime(2026, 3, 1, tzinfo=UTC)
_LEFT, _BUILD = "User: I am left-handed", "User: the build runs on Jenkins"


def _turns(scope: Scope, *lines: str, key: str = build_key("s")) -> Entry:
    return build_block(scope, key, *lines, at=_AT, metadata={"agent": "codex", "session": "s"})


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    """Return a store in which every line has a vector; who is left-handed speaks about
    themselves.
    """
    monkeypatch.setattr(lasting_turns, "judge_turn_worth", lambda text, vector, model: 0.9)
    monkeypatch.setattr(
        lasting_turns, "about_user", lambda text, vector, model: float("left-handed" in text)
    )
    return MemoryStore()


def _embed(store: MemoryStore) -> None:
    store.use_model("m", 2)
    store.put_vectors("m", {passage: b"\0" * 8 for passage, _ in store.missing(100)})


def test_it_is_kept_in_the_users_own_scope_as_it_was_said(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put([_turns(_SHOP, _BUILD, _LEFT)])
    _embed(store)
    assert promotion.promote(store, tmp_path) == (1, 0)
    (entry,) = store.entries(_HOME, ["sessions/codex/s#1/user"])
    assert (entry.document.text, entry.document.metadata["project"], len(entry.passages)) == (
        f"\n{_LEFT}",
        "shop",
        1,
    )
    assert entry.passages[0].start_line == 2  # as where it was said
    source, line = promotion.find_promoted_source(store, entry.document, 2)
    assert source is not None
    assert (source.scope, line) == (_SHOP, 2)
    assert promotion.promote(store, tmp_path) == (0, 0)


def test_without_vectors_nothing_is_promoted(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_turns(_SHOP, _LEFT)])
    assert promotion.promote(store, tmp_path) == (0, 0)


def test_it_goes_with_what_was_said(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_turns(_SHOP, _BUILD, _LEFT)])
    _embed(store)
    promotion.update_promotions(store, tmp_path, now=_AT)
    assert promotion.prune_promotions(store) == 0
    store.put([_turns(_SHOP, _BUILD)])
    assert promotion.prune_promotions(store) == 1
    assert store.hashes(_HOME) == {}
    store.put([_turns(_SHOP, _BUILD, _LEFT)])
    _embed(store)
    promotion.update_promotions(store, tmp_path, now=_AT)
    store.forget(_SHOP, ["sessions/codex/s#1"])
    assert promotion.promote(store, tmp_path) == (0, 1)


def test_every_project_finds_it_and_its_own_once(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_turns(_SHOP, _BUILD, _LEFT), _turns(_OTHER, _BUILD, key="sessions/codex/t#1")])
    _embed(store)
    promotion.update_promotions(store, tmp_path, now=_AT)
    for scope in (_SHOP, _OTHER):
        question = Question(text="left-handed", scopes=(scope, _HOME))
        hits = recall(store, None, question, Profile(name="p"), ManualClock(_AT)).hits
        assert [hit.passage.text for hit in hits if "left" in hit.passage.text] == [_LEFT]
