"""Random sequences of writes, after which a store must be sound and equal to `MemoryStore`."""

from collections.abc import Callable

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from gieok.model.memory import Scope
from gieok.model.retrieval import Filter
from gieok.testing.contracts.base import StoreFixtures
from gieok.testing.hash_embedder import HashEmbedder
from gieok.testing.memory_store import MemoryStore
from gieok.testing.samples import (
    EVERYTHING,
    HOME,
    OTHER,
    FullStore,
    Place,
    build_entry,
    build_keyword_query,
    embed_missing,
    list_ranked_places,
    near,
    scores,
)

_KEYS = st.sampled_from(["a", "b", "줄\n바꿈", "🍜"])
_SCOPES = st.sampled_from([HOME, OTHER])
_WORDS = [
    "결제",
    "정산했다",
    "고양이",
    "cat",
    "parseInvoiceDate",
    "Mina:",
    "\0",
    "\ud800",
    "École",
    "日本語",
]
_LINE = st.lists(st.sampled_from(_WORDS), max_size=4)
_LINES = st.lists(_LINE.map(" ".join), max_size=4)
_ENTRIES = st.lists(
    st.tuples(_KEYS, _SCOPES, _LINES, st.sampled_from(["", "제목 cat"])), max_size=4
)
_SETTINGS = settings(
    stateful_step_count=25, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)


class MachineContract(StoreFixtures):
    """Tests with random sequences of operations."""

    #: Number of sequences. A server takes ten times as long for each, and SQLite has found every
    #: mistake so far.
    sequences = 60

    def test_any_sequence_of_writes_gives_what_brute_force_gives(
        self, make_store: Callable[[], FullStore]
    ) -> None:
        options = settings(_SETTINGS, max_examples=self.sequences)
        run_state_machine_as_test(lambda: StoreMachine(make_store()), settings=options)  # type: ignore[arg-type]


class StoreMachine(RuleBasedStateMachine):
    """State machine that applies operations to a store and to `MemoryStore`, and compares both."""

    def __init__(self, store: FullStore) -> None:
        super().__init__()
        self.store = store
        self.exact = MemoryStore()
        self.embedder = HashEmbedder(16)
        for held in (self.store, self.exact):
            held.use_model(self.embedder.model, self.embedder.dimension)

    @rule(documents=_ENTRIES)
    def put(self, documents: list[tuple[str, Scope, list[str], str]]) -> None:
        """Put or replace documents, one call for each scope.

        Which passage of a call is the newest is specified only within a scope.
        """
        entries = [
            build_entry(key, *lines, scope=scope, context=context)
            for key, scope, lines, context in sorted(documents, key=lambda one: one[1].path)
        ]
        for held in (self.store, self.exact):
            held.put(entries)

    @rule(scope=_SCOPES, keys=st.lists(_KEYS, max_size=3))
    def forget(self, scope: Scope, keys: list[str]) -> None:
        """Forget documents."""
        assert self.store.forget(scope, keys) == self.exact.forget(scope, keys)

    @rule(limit=st.sampled_from([1, 3, EVERYTHING]))
    def put_vectors(self, limit: int) -> None:
        """Embed some of the passages without a vector."""
        for held in (self.store, self.exact):
            embed_missing(held, self.embedder, limit)

    @rule(
        scope=_SCOPES,
        words=_LINE,
        spread=st.sampled_from([(), (0.3,), (0.5, 0.2)]),
        limit=st.sampled_from([2, 50]),
    )
    def search_words(
        self, scope: Scope, words: list[str], spread: tuple[float, ...], limit: int
    ) -> None:
        """Compare keyword rankings."""
        query = build_keyword_query(" ".join(words), spread=spread)
        actual, expected = (
            held.keyword(scope, query, Filter(), limit) for held in (self.store, self.exact)
        )
        assert _replace_unstorable_places(
            list_ranked_places(self.store, actual)
        ) == _replace_unstorable_places(list_ranked_places(self.exact, expected))
        assert all(abs(a - b) < 1e-4 for a, b in zip(scores(actual), scores(expected), strict=True))
        assert abs(actual.ceiling - expected.ceiling) < 1e-6

    @rule(words=_LINE)
    def search_vectors(self, words: list[str]) -> None:
        """Compare vector rankings."""
        actual = self.store.nearest(
            HOME, near(self.embedder, " ".join(words)), Filter(), EVERYTHING
        )
        expected = self.exact.nearest(
            HOME, near(self.embedder, " ".join(words)), Filter(), EVERYTHING
        )
        theirs = dict(
            zip(
                _replace_unstorable_places(list_ranked_places(self.exact, expected)),
                scores(expected),
                strict=True,
            )
        )
        ours = dict(
            zip(
                _replace_unstorable_places(list_ranked_places(self.store, actual)),
                scores(actual),
                strict=True,
            )
        )
        assert ours.keys() == theirs.keys()
        assert all(abs(ours[place] - theirs[place]) < 0.02 for place in ours)

    @invariant()
    def both_hold_the_same(self) -> None:
        """Compare everything that can be listed."""
        # a store that keeps scopes apart now takes over vectors of equal texts in other scopes
        self.store.missing(1)
        for scope in (HOME, OTHER):
            ours, theirs = self.store.stats(scope), self.exact.stats(scope)
            assert (ours.documents, ours.passages, ours.vectors) == (
                theirs.documents,
                theirs.passages,
                theirs.vectors,
            )
            assert self.store.hashes(scope) == self.exact.hashes(scope)
        assert self.store.scopes() == self.exact.scopes()
        assert len(self.store.missing(EVERYTHING)) == len(self.exact.missing(EVERYTHING))

    @invariant()
    def the_store_is_sound(self) -> None:
        """Let the store verify itself."""
        assert self.store.check() == []

    def teardown(self) -> None:
        """Close the store."""
        self.store.close()


def _replace_unstorable_places(found: list[Place]) -> list[Place]:
    """Return the places with U+FFFD in place of the characters that no database can hold.

    A store that replaces such characters returns its places in this form.
    """
    return [
        (key, line, text.translate({0: "\ufffd", 0xD800: "\ufffd"})) for key, line, text in found
    ]
