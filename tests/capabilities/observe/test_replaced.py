"""What a later statement replaced: links, chains, what is taken back, and nothing that dangles."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from gieok import places
from gieok.backends.journals.sqlite.journal import SqliteJournal
from gieok.capabilities.observe import lasting, observation, promotion, replaced, settling
from gieok.capabilities.prompt.standing import Standing
from gieok.engine.learned import changes
from gieok.engine.learned.changes import Judged
from gieok.model.memory import CORRECTED, REPLACED_BY, Document, Entry, Passage, Scope
from gieok.testing.memory_store import MemoryStore

_SHOP = Scope("project:shop-0badf00d")
_AT = datetime(2026, 3, 1, tzinfo=UTC)
#: A, B and C are values of one subject, in the order of the alphabet of the tests.
_A, _B, _C = "the port is 1111", "the port is 2222", "the port is 3333"


def _key(session: str) -> str:
    return f"sessions/codex/{session}#1"


def _turns(session: str, day: int, *said: str) -> Entry:
    lines = [f"User: {one}" for one in said]
    text, at = "\n".join(lines), _AT + timedelta(days=day)
    starts = [sum(len(line) + 1 for line in lines[:n]) for n in range(len(lines))]
    passages = tuple(
        Passage(start, start + len(line), n, n) for n, (start, line) in enumerate(zip(starts, lines, strict=True), 1)
    )
    document = Document(
        scope=_SHOP, key=_key(session), kind="turn", text=text, content_hash=sha256(text.encode()).hexdigest(),
        created_at=at, updated_at=at, valid_from=at, metadata={"agent": "codex", "session": session},
    )  # fmt: skip
    return Entry(document, passages)


def _observed(text: str, day: int, **metadata: str) -> Entry:
    document = Document(
        scope=_SHOP, key=f"{observation.PREFIX}{day}", kind=observation.KIND, text=text, content_hash=f"{text}{day}",
        created_at=_AT + timedelta(days=day), updated_at=_AT + timedelta(days=day), valid_from=_AT + timedelta(days=day),
        metadata=metadata,
    )  # fmt: skip
    return Entry(document, (Passage(0, len(text), 1, 1),))


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    """Return a store; two statements of the port with other values are a change."""

    def likely(earlier: Judged, later: Judged) -> float:
        is_port = "port" in earlier.said.text and "port" in later.said.text
        return 0.9 if is_port and not changes.is_repeated(earlier.said, later.said) else 0.0

    monkeypatch.setattr(changes, "fitted_on", lambda: "m")
    monkeypatch.setattr(changes, "judged", lambda text, vector, model: Judged(changes.read(text), [1.0]))  # type: ignore[arg-type]
    monkeypatch.setattr(changes, "replaces", likely)
    monkeypatch.setattr(replaced, "worth", lambda text, vector, model: 0.9)
    return MemoryStore()


def _update(store: MemoryStore, home: Path) -> bool:
    store.use_model("m", 2)
    while missing := store.missing(100):
        store.put_vectors("m", {passage: b"\0\0\x80\x3f\0\0\0\0" for passage, _ in missing})
    return promotion.update(store, home)


def _ended(home: Path) -> Mapping[tuple[str, int], tuple[str, int]]:
    """Return what holds no more → what holds in its place."""
    file = Path(places.replaced_file(str(home), str(_SHOP)))
    rows = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return {(row[0], row[1]): (row[4], row[5]) for row in rows}


def test_the_later_value_replaces_the_earlier_one_whichever_was_taken_in_first(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put([_turns("new", 9, _B)])
    _update(store, tmp_path)
    assert not _ended(tmp_path)
    store.put([_turns("old", 1, _A, "the lamp is on")])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(_key("old"), 1): (_key("new"), 1)}


def test_a_chain_leads_to_what_holds_now(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_turns("a", 1, _A), _turns("b", 2, _B), _turns("c", 3, _C)])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(_key("a"), 1): (_key("c"), 1), (_key("b"), 1): (_key("c"), 1)}
    ended = Standing(str(tmp_path)).ended(str(_SHOP), _key("a"), 1, f"User: {_A}")
    assert ended is not None
    assert (ended.handle, ended.since) == (places.handle(str(_SHOP), _key("c"), 1), "replaced on 2026-03-03")


def test_back_and_forth_ends_with_the_last(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_turns("a", 1, _A), _turns("b", 2, _B), _turns("c", 3, _A)])
    _update(store, tmp_path)
    assert _ended(tmp_path)[_key("b"), 1] == (_key("c"), 1)
    assert (_key("c"), 1) not in _ended(tmp_path)


def test_what_was_cancelled_is_replaced_and_what_stood_before_stands_again(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_turns("a", 1, _A), _turns("b", 2, _B), _turns("c", 3, "scrap 2222, keep the port at 1111")])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(_key("b"), 1): (_key("c"), 1)}


def test_a_cancellation_that_names_nothing_takes_back_the_change_before_it(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_turns("a", 1, _A), _turns("b", 2, _B, "그거 취소, 원래대로")])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(_key("b"), 1): (_key("b"), 2)}


def test_what_is_forgotten_leaves_no_link(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_turns("a", 1, _A), _turns("b", 2, _B)])
    _update(store, tmp_path)
    store.forget(_SHOP, [_key("b")])
    _update(store, tmp_path)
    assert not _ended(tmp_path)
    files = list((tmp_path / "lasting").iterdir())
    assert files
    assert all("1111" not in file.read_text(encoding="utf-8") for file in files)


def test_a_line_that_says_something_else_by_now_is_not_marked(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_turns("a", 1, _A), _turns("b", 2, _B)])
    _update(store, tmp_path)
    assert Standing(str(tmp_path)).ended(str(_SHOP), _key("a"), 1, "User: the port is 4444") is None
    store.put([_turns("a", 1, "the lamp is on")])
    _update(store, tmp_path)
    assert not _ended(tmp_path)


def test_what_a_person_corrected_stands(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_observed(_A, 1, **{CORRECTED: "2026-03-02"}), _turns("b", 5, _B)])
    _update(store, tmp_path)
    assert not _ended(tmp_path)


def test_a_correction_replaces_what_was_said_when_its_observation_was(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_turns("a", 5, _A), _observed(_B, 1, **{CORRECTED: (_AT + timedelta(days=9)).isoformat()})])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(_key("a"), 1): (f"{observation.PREFIX}1", 1)}


def test_what_was_replaced_takes_no_room_at_a_sessions_start(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting, "worth", lambda text, vector, model: 0.9)
    monkeypatch.setattr(lasting, "about_user", lambda text, vector, model: 0.0)
    store.put([_turns("a", 1, _A), _turns("b", 2, _B)])
    _update(store, tmp_path)
    rows = json.loads(Path(places.lasting_file(str(tmp_path), str(_SHOP))).read_text(encoding="utf-8"))
    assert [row[3] for row in rows] == [_key("b")]


def test_a_step_compares_some_documents_and_says_that_more_wait(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaced, "_MOST_DOCUMENTS", 1)
    store.put([_turns("a", 1, _A), _turns("b", 2, _B)])
    assert _update(store, tmp_path)
    assert not _update(store, tmp_path)
    assert _ended(tmp_path) == {(_key("a"), 1): (_key("b"), 1)}


def test_vectors_that_nothing_was_fitted_on_mark_nothing(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "fitted_on", lambda: "another")
    store.put([_turns("a", 1, _A), _turns("b", 2, _B)])
    _update(store, tmp_path)
    assert not _ended(tmp_path)


def test_an_observation_ends_in_the_journal_and_holds_again_where_what_ended_it_is_gone(
    store: MemoryStore, tmp_path: Path, journal: SqliteJournal
) -> None:
    old = _observed(_A, 1)
    store.put([old, _turns("b", 5, _B)])
    _update(store, tmp_path)
    ends, _ = replaced.update(store, tmp_path)
    assert settling.settle(journal, store, _SHOP, ends[_SHOP])
    (document,) = store.get(_SHOP, [old.document.key])
    assert (document.valid_to, document.metadata[REPLACED_BY]) == (_AT + timedelta(days=5), _key("b"))
    assert not settling.settle(journal, store, _SHOP, ends[_SHOP])
    assert settling.settle(journal, store, _SHOP, [])
    (document,) = store.get(_SHOP, [old.document.key])
    assert (document.valid_to, dict(document.metadata)) == (None, {})


def test_what_is_too_unsure_to_mark_names_the_likeliest_that_may_stand_in_its_place() -> None:
    def link(old: str, new: str, likely: float, *, takes_back: bool = False) -> replaced.Link:
        return replaced.Link(replaced.Line(old, 1, 0, 1), replaced.Line(new, 1, 0, 2), likely, takes_back)

    links = [
        link("a", "b", 0.55), link("a", "c", 0.7), link("d", "e", 0.95), link("d", "f", 0.6), link("g", "d", 0.7),
        link("h", "i", 0.3), link("j", "k", 0.7, takes_back=True),
    ]  # fmt: skip
    assert [(one.old.key, one.by.key, likely) for one, likely in replaced.succeeded(links)] == [("a", "c", 0.7)]
    assert [one.old.key for one in replaced.current(links)] == ["d"]
