"""The contract of `Store`: whole documents, and separate scopes.

Documents are kept, replaced and removed as a whole, and scopes never see each other.
"""

from dataclasses import replace
from datetime import timedelta

import pytest

from gieok.errors import BadRequest
from gieok.model.memory import PassageId, Provenance, Scope, Tier
from gieok.model.retrieval import Filter
from gieok.testing.contracts.base import StoreFixtures
from gieok.testing.samples import (
    EVERYTHING,
    HOME,
    OTHER,
    START,
    WORDS,
    FullStore,
    build_entry,
    build_keyword_query,
    corpus,
)

_NAMES = [
    "a b.md",
    "줄\n바꿈.md",
    "🍜.md",
    "'; DROP TABLE documents; --",
    "%_*?[a]",
    "",
    "x" * 3000,
]


class DocumentContract(StoreFixtures):
    """Tests of the sentences of `gieok.ports.Store`."""

    def test_a_document_comes_back_exactly_as_it_was_put(self, store: FullStore) -> None:
        whole = replace(
            build_entry("a.md", "제목", "text").document,
            title="제목 🍜",
            importance=0.875,
            tier=Tier.WARM,
            valid_from=START + timedelta(milliseconds=123),
            valid_to=START + timedelta(days=9),
            metadata={"lang": "ko", "이름": '값\n"x"'},
            provenance=(Provenance("journal", message_ids=("1", "2")), Provenance("a.md", 1, 2)),
        )
        store.put([build_entry("a.md", "제목", "text")._replace(document=whole)])
        assert store.get(HOME, ["a.md"]) == [whole]

    def test_get_follows_the_order_of_the_keys_and_leaves_out_what_is_not_there(
        self, store: FullStore
    ) -> None:
        store.put([build_entry(key, key) for key in "abc"])
        assert [d.key for d in store.get(HOME, ["c", "missing", "a", "b"])] == ["c", "a", "b"]

    def test_thousands_of_keys_fit_in_one_call(self, store: FullStore) -> None:
        names = [str(n) for n in range(2500)]
        store.put([build_entry(name) for name in names])
        assert [d.key for d in store.get(HOME, names[::-1])] == names[::-1]
        assert store.forget(HOME, names) == 2500

    def test_putting_a_key_again_replaces_its_document_and_passages(self, store: FullStore) -> None:
        store.put([build_entry("a", "one", "two"), build_entry("b", "three")])
        store.put([build_entry("a", "four")])
        assert [d.text for d in store.get(HOME, ["a", "b"])] == ["four", "three"]
        assert (store.stats().documents, store.stats().passages) == (2, 2)

    def test_the_last_of_equal_keys_in_one_put_stands(self, store: FullStore) -> None:
        store.put([build_entry("a", "first"), build_entry("a", "second", "third")])
        assert [d.text for d in store.get(HOME, ["a"])] == ["second\nthird"]
        assert store.stats().passages == 2
        assert store.check() == []

    def test_putting_twice_is_the_same_as_putting_once(self, store: FullStore) -> None:
        entries = corpus(1, 20)
        store.put(entries)
        once = (
            store.hashes(HOME),
            store.stats().documents,
            store.stats().passages,
            store.stats().vectors,
        )
        store.put(entries)
        assert (
            store.hashes(HOME),
            store.stats().documents,
            store.stats().passages,
            store.stats().vectors,
        ) == once
        assert store.check() == []

    def test_putting_nothing_does_nothing(self, store: FullStore) -> None:
        store.put([])
        assert store.scopes() == []

    def test_forget_removes_a_document_and_says_how_many_there_were(self, store: FullStore) -> None:
        store.put([build_entry("a", "one"), build_entry("b", "two")])
        assert store.forget(HOME, ["a", "a", "missing"]) == 1
        assert store.forget(HOME, ["a"]) == 0
        assert store.forget(OTHER, ["b"]) == 0
        assert store.hashes(HOME).keys() == {"b"}
        assert store.check() == []

    def test_hashes_name_every_document_of_the_scope(self, store: FullStore) -> None:
        store.put(
            [
                build_entry("a", "one"),
                build_entry("b", "two"),
                build_entry("a", "three", scope=OTHER),
            ]
        )
        assert store.hashes(HOME) == {
            k: build_entry(k, t).document.content_hash for k, t in (("a", "one"), ("b", "two"))
        }
        assert store.hashes(Scope("agent:nobody")) == {}

    def test_scopes_lists_what_holds_a_document_or_a_note_sorted(self, store: FullStore) -> None:
        third = Scope("user:김/character:mina")
        store.put(
            [
                build_entry("b", "x", scope=OTHER),
                build_entry("a", "x"),
                build_entry("gone", scope=Scope("agent:gone")),
            ]
        )
        store.forget(Scope("agent:gone"), ["gone"])
        store.write_note(third, "root", "/notes")
        assert store.scopes() == [HOME, OTHER, third]

    def test_the_same_key_in_two_scopes_is_two_documents(self, store: FullStore) -> None:
        store.put([build_entry("a", "mine"), build_entry("a", "yours", scope=OTHER)])
        store.forget(OTHER, ["a"])
        assert [d.text for d in store.get(HOME, ["a"])] == ["mine"]
        assert store.get(OTHER, ["a"]) == []

    def test_notes_are_kept_per_scope_and_the_last_value_stands(self, store: FullStore) -> None:
        store.write_note(HOME, "roots", "old")
        store.write_note(HOME, "roots", "/메모\n/b")
        store.write_note(OTHER, "roots", "other")
        assert store.notes(HOME) == {"roots": "/메모\n/b"}
        assert store.notes(Scope("agent:nobody")) == {}

    def test_stats_count_one_scope_or_all(self, store: FullStore) -> None:
        store.put(
            [build_entry("a", "1", "2"), build_entry("b"), build_entry("a", "3", scope=OTHER)]
        )
        mine, all_ = store.stats(HOME), store.stats()
        assert (mine.documents, mine.passages, mine.vectors) == (2, 2, 0)
        assert (all_.documents, all_.passages, all_.vectors) == (3, 3, 0)
        assert store.stats(Scope("agent:nobody")).documents == 0

    def test_passages_come_in_the_order_of_the_ids_and_tell_of_their_document(
        self, store: FullStore
    ) -> None:
        store.put(
            [build_entry("a", "첫째 🍜 줄", "second", context="제목 > 부제", kind="session", day=3)]
        )
        ids = _find_passage_ids(store, "첫째 second")[::-1]
        passages = store.passages([ids[1], 10**9, ids[0]])
        assert store.passages([ids[1], 10**9, ids[0]], HOME) == passages
        assert store.passages(ids, OTHER) == []
        assert [(p.text, p.start_line, p.end_line) for p in passages] == [
            ("첫째 🍜 줄", 1, 1),
            ("second", 2, 2),
        ]
        assert {(p.scope, p.key, p.kind, p.context, p.updated_at) for p in passages} == {
            (HOME, "a", "session", "제목 > 부제", START + timedelta(days=3))
        }

    def test_what_lies_within_a_time_comes_newest_document_first_and_as_in_its_text(
        self, store: FullStore
    ) -> None:
        store.put(
            [
                build_entry("b", "three", "four", day=2),
                build_entry("a", "one", "two", day=2),
                build_entry("old", "zero", day=1),
            ]
        )
        store.put(
            [
                build_entry("turn", "five", kind="turn", day=3),
                build_entry("empty", day=3),
                build_entry("z", "x", scope=OTHER, day=3),
            ]
        )
        later = build_entry("later", "six", day=0)
        store.put(
            [later._replace(document=replace(later.document, valid_from=START + timedelta(days=9)))]
        )

        def texts(where: Filter, limit: int = EVERYTHING) -> list[str]:
            return [p.text for p in store.passages(store.within(HOME, where, limit))]

        assert texts(Filter()) == ["six", "five", "one", "two", "three", "four", "zero"]
        assert texts(Filter(), 3) == ["six", "five", "one"]
        assert texts(Filter(since=START + timedelta(days=2), until=START + timedelta(days=9))) == [
            "five",
            "one",
            "two",
            "three",
            "four",
        ]
        assert texts(Filter(frozenset(("turn",)))) == ["five"]
        assert store.within(Scope("agent:nobody"), Filter(), 5) == []

    def test_a_filter_admits_by_what_it_names_what_the_model_says_it_admits(
        self, store: FullStore
    ) -> None:
        over, later = START + timedelta(days=2), START + timedelta(days=5)
        fields_by_key: dict[str, dict[str, object]] = {
            "sessions/codex/a#1": {},
            "seeds/codex/MEMORY.md": {"metadata": {"tags": "codex"}},
            "codex.md": {"metadata": {"tags": "배포, ops, 50%"}},
            "lint.md": {"metadata": {"tag": "#Lint", "agent": "claude-code,codex"}},
            "linter.md": {"metadata": {"tags": "linter,snake_case"}},
            "done.md": {"metadata": {"done": "yes", "category": "task", "priority": "high"}},
            "over.md": {"valid_to": over, "metadata": {"category": "decision"}},
            "replaced.md": {"valid_to": over, "metadata": {"replaced_by": "done.md"}},
            "fixed.md": {"valid_to": later, "metadata": {"corrected": "2026-01-01"}},
            "away.md": {"metadata": {"retired": "2026-01-01"}},
        }
        for key, fields in fields_by_key.items():
            entry = build_entry(key, f"결제 {key}")
            store.put([entry._replace(document=replace(entry.document, **fields))])  # type: ignore[arg-type]
        at = START + timedelta(days=3)
        expected = {
            Filter(tags=frozenset(("배포",))): {"codex.md"},
            Filter(tags=frozenset(("lint",))): {"lint.md"},
            Filter(tags=frozenset(("50%", "snake-case"))): {"codex.md"},
            Filter(tags=frozenset(("snake_case", "codex"))): {"linter.md", "seeds/codex/MEMORY.md"},
            Filter(agents=frozenset(("codex",))): {
                "sessions/codex/a#1",
                "seeds/codex/MEMORY.md",
                "lint.md",
            },
            Filter(agents=frozenset(("claude-code",)), tags=frozenset(("lint",))): {"lint.md"},
            Filter(agents=frozenset(("cod",))): set(),
            Filter(categories=frozenset(("task", "decision"))): {"done.md", "over.md"},
            Filter(priorities=frozenset(("high", "low"))): {"done.md"},
            Filter(categories=frozenset(("decision",)), priorities=frozenset(("high",))): set(),
            Filter(statuses=frozenset(("ended",)), at=at): {"over.md"},
            Filter(statuses=frozenset(("replaced", "corrected")), at=at): {
                "replaced.md",
                "fixed.md",
            },
            Filter(statuses=frozenset(("retired", "done")), at=at): {"away.md", "done.md"},
            Filter(statuses=frozenset(("ended", "replaced")), at=later + timedelta(days=1)): {
                "over.md",
                "replaced.md",
                "fixed.md",
            },
        }
        held = store.get(HOME, list(fields_by_key))
        for where, keys in expected.items():
            assert {document.key for document in held if where.admits(document)} == keys
            assert {p.key for p in store.passages(store.within(HOME, where, EVERYTHING))} == keys
            ranked = store.keyword(HOME, build_keyword_query("결제"), where, EVERYTHING).ranked
            assert {p.key for p in store.passages([i for i, _ in ranked])} == keys

    def test_a_passage_id_is_never_used_again(self, store: FullStore) -> None:
        store.put([build_entry("a", "one", "two")])
        old = set(_find_passage_ids(store, "one two"))
        store.forget(HOME, ["a"])
        store.put([build_entry("a", "one", "two")])
        assert len(old) == 2
        assert not old & set(_find_passage_ids(store, "one two"))
        assert store.passages(sorted(old)) == []

    @pytest.mark.parametrize("key", _NAMES)
    def test_a_key_may_be_any_text(self, store: FullStore, key: str) -> None:
        store.put([build_entry(key, "text")])
        assert [d.key for d in store.get(HOME, [key])] == [key]
        assert store.forget(HOME, [key]) == 1

    @pytest.mark.parametrize("key", ["a\0b", "a\ud800b"])
    def test_a_key_that_cannot_be_kept_is_refused_rather_than_changed(
        self, store: FullStore, key: str
    ) -> None:
        try:
            store.put([build_entry("good", "text"), build_entry(key, "text")])
        except BadRequest:
            assert store.hashes(HOME) == {}
        else:
            assert [d.key for d in store.get(HOME, [key])] == [key]

    @pytest.mark.parametrize("odd", ["\0", "\ud83d", "\udcff\0\ud800"])
    def test_characters_that_cannot_be_kept_are_replaced_one_for_one(
        self, store: FullStore, odd: str
    ) -> None:
        damaged = build_entry("a", f"앞{odd}뒤", "다음 줄", context=f"제목{odd}")
        store.put([damaged._replace(document=replace(damaged.document, title=f"제목{odd}"))])
        (document,) = store.get(HOME, ["a"])
        assert len(document.text) == len(damaged.document.text)
        assert "다음 줄" in [p.text for p in store.passages(_find_passage_ids(store, "다음"))]
        assert store.check() == []

    def test_a_document_may_have_no_passages(self, store: FullStore) -> None:
        store.put([build_entry("empty"), build_entry("a", "text"), build_entry("empty too")])
        assert store.hashes(HOME).keys() == {"empty", "a", "empty too"}
        store.put([build_entry("empty", "now it has one")])
        assert store.forget(HOME, ["empty too"]) == 1
        assert store.stats().passages == 2
        assert store.check() == []

    def test_a_document_that_cannot_be_written_takes_the_whole_call_with_it(
        self, store: FullStore
    ) -> None:
        store.put([build_entry("a", "old")])
        broken = replace(build_entry("b", "x").document, importance=object())  # type: ignore[arg-type]
        try:
            store.put([build_entry("a", "new"), build_entry("b", "x")._replace(document=broken)])
        except Exception:  # noqa: BLE001 - each store refuses in its own words
            assert [d.text for d in store.get(HOME, ["a"])] == ["old"]
        assert store.check() == []

    def test_what_was_put_is_there_in_another_handle(self, store: FullStore) -> None:
        store.put(corpus(2, 10))
        again = self.reopen(store)
        assert again.hashes(HOME) == store.hashes(HOME)
        store.forget(HOME, list(store.hashes(HOME)))
        assert again.hashes(HOME) == {}
        again.close()

    def test_entries_are_what_was_put(self, store: FullStore) -> None:
        entries = [*corpus(4, 10), build_entry("empty")]
        store.put(entries)
        keys = [e.document.key for e in entries][::-1]
        assert store.entries(HOME, [*keys, "missing"]) == entries[::-1]
        assert store.entries(OTHER, keys) == []

    def test_the_location_is_a_text_to_show(self, store: FullStore) -> None:
        assert store.location
        assert str(store.location) == store.location

    def test_compacting_changes_nothing_that_can_be_read(self, store: FullStore) -> None:
        store.put(corpus(3, 20))
        before = (store.hashes(HOME), _find_passage_ids(store, " ".join(WORDS)))
        store.compact()
        assert (store.hashes(HOME), _find_passage_ids(store, " ".join(WORDS))) == before
        assert store.check() == []


def _find_passage_ids(store: FullStore, words: str) -> list[PassageId]:
    """Return the ids of passages that hold any of the words, by keyword search.

    Every store has keyword search.
    """
    return sorted(
        i for i, _ in store.keyword(HOME, build_keyword_query(words), Filter(), EVERYTHING).ranked
    )
