"""The contract at size: a hundred thousand passages are put, found, replaced and forgotten like one."""

from gieok.model.retrieval import Filter
from gieok.testing.contracts.base import StoreFixtures
from gieok.testing.memory_store import MemoryStore
from gieok.testing.samples import HOME, FullStore, entry, keys, question, scores

_DOCUMENTS, _LINES = 100, 1000


class ScaleContract(StoreFixtures):
    """Sentences of `gieok.ports.Store` and `KeywordSearch`, for many passages."""

    def test_a_hundred_thousand_passages(self, store: FullStore) -> None:
        exact = MemoryStore()
        for number in range(_DOCUMENTS):
            lines = [f"결제 {line}" for line in range(_LINES)]
            lines[number] = f"바늘 결제 {'needle ' * (number % 3)}"
            one = entry(f"{number:03d}", *lines)
            for held in (store, exact):
                held.put([one])
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
