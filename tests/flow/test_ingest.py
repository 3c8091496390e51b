"""Sources → store: what changed is put, what is gone is forgotten, what cannot be read stays."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from gieok.errors import StoreFull
from gieok.flow.ingest import Failed, SourceItem, ingest
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.testing import MemoryStore

_SCOPE = Scope("agent:main")
_DAY = datetime(2026, 1, 1, tzinfo=UTC)


def _document(key: str, text: str, content_hash: str = "") -> Document:
    return Document(
        scope=_SCOPE,
        key=key,
        kind="memory",
        text=text,
        content_hash=content_hash or text,
        created_at=_DAY,
        updated_at=_DAY,
        title=f"T {text}",
        metadata={"note": text},
    )


def _whole(document: Document) -> tuple[Passage, ...]:
    return (Passage(0, len(document.text), 1, document.text.count("\n") + 1),)


def _found(key: str, text: str, warning: str = "") -> SourceItem:
    return SourceItem(key, text, lambda: _document(key, text), _whole, warning)


def _everything(key: str) -> bool:
    return True


def _texts(store: MemoryStore) -> dict[str, str]:
    return {d.key: d.text for d in store.get(_SCOPE, sorted(store.hashes(_SCOPE)))}


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    ingest(
        store,
        _SCOPE,
        [_found("a", "one"), _found("b", "two"), _found("dir/c", "three")],
        owns=_everything,
    )
    return store


def test_everything_is_added_to_an_empty_store(store: MemoryStore) -> None:
    assert _texts(store) == {"a": "one", "b": "two", "dir/c": "three"}


def test_only_what_differs_is_put(store: MemoryStore) -> None:
    items = [_found("a", "one"), _found("b", "2"), _found("d", "four")]
    report = ingest(store, _SCOPE, items, owns=_everything)
    assert (report.added, report.changed, report.removed, report.unchanged) == (
        ["d"],
        ["b"],
        ["dir/c"],
        1,
    )
    assert _texts(store) == {"a": "one", "b": "2", "d": "four"}


def test_unchanged_items_are_not_even_built(store: MemoryStore) -> None:
    def build() -> Document:
        raise AssertionError

    report = ingest(
        store, _SCOPE, [SourceItem("a", "one", build, _whole)], owns=lambda key: key == "a"
    )
    assert (report.unchanged, report.failed) == (1, [])


def test_force_puts_them_again(store: MemoryStore) -> None:
    ids = [p.id for p in store.passages(range(1, 100))]
    report = ingest(store, _SCOPE, [_found("a", "one")], owns=lambda key: key == "a", force=True)
    assert (report.changed, report.unchanged) == (["a"], 0)
    assert [p.id for p in store.passages(range(1, 100))] != ids


def test_only_owned_keys_are_removed(store: MemoryStore) -> None:
    report = ingest(store, _SCOPE, [], owns=lambda key: key.startswith("dir/"))
    assert report.removed == ["dir/c"]
    assert sorted(_texts(store)) == ["a", "b"]


def test_what_cannot_be_read_keeps_what_is_stored(store: MemoryStore) -> None:
    items = [Failed("a", "unreadable"), _found("b", "two"), Failed("dir", "permission denied")]
    report = ingest(store, _SCOPE, items, owns=_everything)
    assert [f.key for f in report.failed] == ["a", "dir"]
    assert report.removed == []
    assert _texts(store) == {"a": "one", "b": "two", "dir/c": "three"}


def test_a_folder_keeps_only_what_lies_in_it(store: MemoryStore) -> None:
    report = ingest(
        store,
        _SCOPE,
        [Failed("di", "no"), _found("a", "one"), _found("b", "two")],
        owns=_everything,
    )
    assert report.removed == ["dir/c"]


@pytest.mark.parametrize(
    "error", [ValueError("strange"), OSError(5, "input/output error"), RecursionError()]
)
def test_an_item_that_cannot_be_built_is_named_and_the_rest_goes_on(
    store: MemoryStore, error: Exception
) -> None:
    def build() -> Document:
        raise error

    report = ingest(
        store,
        _SCOPE,
        [SourceItem("a", "new", build, _whole), _found("b", "2")],
        owns=lambda key: key in "ab",
    )
    assert [f.key for f in report.failed] == ["a"]
    assert type(error).__name__ in report.failed[0].reason
    assert (_texts(store)["a"], _texts(store)["b"]) == ("one", "2")


class _FullStore(MemoryStore):
    def put(self, entries: Sequence[Entry]) -> None:
        raise StoreFull("no space left")


def test_a_store_that_fails_ends_it_and_removes_nothing() -> None:
    store = _FullStore()
    with pytest.raises(StoreFull):
        ingest(store, _SCOPE, [_found("a", "one")], owns=_everything)


def test_warnings_are_told_each_time(store: MemoryStore) -> None:
    for _ in range(2):
        report = ingest(
            store, _SCOPE, [_found("a", "one", "invalid UTF-8")], owns=lambda key: False
        )
        assert report.warnings == [Failed("a", "invalid UTF-8")]


def test_secrets_are_replaced_before_anything_is_cut_or_stored() -> None:
    store, secret = MemoryStore(), "ghp_" + "a1B2" * 10
    ingest(store, _SCOPE, [_found("a", f"key {secret} end")], owns=_everything)
    (document,) = store.get(_SCOPE, ["a"])
    (passage,) = store.passages(range(1, 100))
    assert secret not in document.text + document.title + document.metadata["note"]
    assert passage.text == document.text == "key [redacted:github-token] end"


def test_big_batches_are_put_in_pieces_and_progress_counts_them() -> None:
    told: list[int] = []
    progress: Callable[[int], None] = told.append
    items = [_found(str(n), f"{n} " + "x" * 300_000) for n in range(9)]
    report = ingest(MemoryStore(), _SCOPE, items, owns=_everything, progress=progress)
    assert len(report.added) == 9
    assert told == sorted(told)
    assert len(told) >= 3
    assert told[-1] == 9
