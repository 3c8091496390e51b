"""The contract at size: a hundred thousand passages are put, found, replaced and forgotten like one."""

from functools import cache

from gieok.model.memory import Entry
from gieok.model.retrieval import Filter
from gieok.testing.contracts.base import StoreFixtures
from gieok.testing.memory_store import MemoryStore
from gieok.testing.samples import HOME, FullStore, entry, keys, question, scores

_DOCUMENTS, _LINES = 100, 1000


@cache  # half of the time of a quick store; it is asked and never written
def _exact() -> tuple[list[Entry], MemoryStore]:
    """Return the documents, and the in-memory store that holds them."""
    entries = []
    for number in range(_DOCUMENTS):
        lines = [f"결제 {line}" for line in range(_LINES)]
        lines[number] = f"바늘 결제 {'needle ' * (number % 3)}"
        entries.append(entry(f"{number:03d}", *lines))
    store = MemoryStore()
    store.put(entries)
    return entries, store


class ScaleContract(StoreFixtures):
    """Sentences of `gieok.ports.Store` and `KeywordSearch`, for many passages."""

    def test_a_hundred_thousand_passages(self, store: FullStore) -> None:
        entries, exact = _exact()
        for one in entries:
            store.put([one])
        assert store.stats(HOME).passages == _DOCUMENTS * _LINES
        for text in ("바늘", "needle 결제"):
            found, expected = (held.keyword(HOME, question(text), Filter(), 20) for held in (store, exact))
            assert keys(store, found) == keys(exact, expected)
            assert [round(score, 4) for score in scores(found)] == [round(score, 4) for score in scores(expected)]
        store.put([entry("000", "하나만")])
        assert store.stats(HOME).passages == (_DOCUMENTS - 1) * _LINES + 1
        assert store.check() == []
        assert store.forget(HOME, list(store.hashes(HOME))) == _DOCUMENTS
        store.compact()
        assert (store.stats().passages, store.check()) == (0, [])
