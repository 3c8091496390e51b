"""Gemini File Search through the real SDK, against a service that behaves as the real one was seen
to.
"""

import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gieok.errors import StoreBusy, StoreUnreachable
from gieok.memory.files.profile import FILES
from gieok.model.memory import Entry, Passage
from gieok.model.retrieval import Filter, Ranking
from gieok.ranking.likelihood import HIGH, level
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, recall
from gieok.settings.rows.storage import OPTIONS
from gieok.storage.index.gemini.ground import locate, overlapped
from gieok.storage.index.gemini.store import GeminiStore
from gieok.testing import ManualClock
from gieok.testing.contracts import DocumentContract, KeywordContract
from gieok.testing.samples import HOME, OTHER, START, build_entry

Open = Callable[..., GeminiStore]

_ROUTER = build_entry(
    "memory/2026-11-20.md", "Met Alice about the router config.", "VLAN 10 is for the office."
)
_CAT = build_entry("cat.md", "고양이 보리는 연어를 좋아한다.", "", "병원은 화요일이다.")


def _changed(e: Entry, *lines: str) -> Entry:
    return build_entry(e.document.key, *lines)


@pytest.fixture
def store(open_gemini: Open) -> GeminiStore:
    return open_gemini()


@pytest.fixture
def filled(store: GeminiStore, gemini: Any) -> GeminiStore:
    store.put([_ROUTER, _CAT])
    store.push()
    gemini.reset_counts()
    return store


class TestLocalPart(DocumentContract, KeywordContract):
    """What is here keeps the contract; nothing of it touches the service."""

    @pytest.fixture
    def make_store(self, open_gemini: Open) -> Open:
        self.open = open_gemini
        return open_gemini

    def reopen(self, store: GeminiStore) -> GeminiStore:
        return self.open()


def _managed(store: GeminiStore, text: str, where: Filter, limit: int) -> Ranking:
    return store.managed((HOME,), text, where, limit).by_scope.get(HOME, Ranking("managed", ()))


def _uploads(gemini: Any) -> tuple[int, int]:
    """Return how many documents were uploaded and deleted."""
    return gemini.calls["upload bytes"], gemini.calls["delete document"]


def test_creating_modifying_and_deleting_a_file_are_one_upload_each_and_one_deletion(
    store: GeminiStore, gemini: Any
) -> None:
    store.put([_CAT])
    assert store.push() == 1
    assert _uploads(gemini) == (1, 0)
    gemini.reset_counts()
    store.put([_ROUTER])
    assert store.push() == 1
    assert _uploads(gemini) == (1, 0)
    gemini.reset_counts()
    store.put([_changed(_CAT, "고양이 보리는 이제 참치를 좋아한다.")])
    assert store.push() == 2
    assert _uploads(gemini) == (1, 1)
    gemini.reset_counts()
    store.forget(HOME, ["cat.md"])
    assert store.push() == 1
    assert _uploads(gemini) == (0, 1)
    assert gemini.texts() == [_ROUTER.document.text]


def test_what_is_unchanged_costs_no_call(filled: GeminiStore, gemini: Any) -> None:
    filled.put([_ROUTER, _CAT])
    assert filled.push() == 0
    assert not gemini.calls


def test_an_empty_store_makes_no_store_at_the_service(store: GeminiStore, gemini: Any) -> None:
    store.put([build_entry("empty.md"), build_entry("blank.md", "", "  ")])
    assert store.push() == 0
    assert not gemini.calls


def test_the_new_version_is_active_before_the_old_one_goes(
    filled: GeminiStore, gemini: Any
) -> None:
    gemini.states = ["STATE_PENDING", "STATE_PENDING", "STATE_ACTIVE"]
    filled.put([_changed(_CAT, "새 글")])
    filled.push()
    asked = [what for what, _, _ in gemini.requests]
    assert asked[-3:] == ["get document", "get document", "delete document"]


def test_a_search_finds_lines_of_the_files_here(filled: GeminiStore, gemini: Any) -> None:
    ranking = _managed(filled, "what is the VLAN of the office?", Filter(), 9)
    (found,) = filled.passages([ranking.ranked[0][0]])
    assert (ranking.name, found.key, found.start_line) == ("managed", "memory/2026-11-20.md", 1)
    assert ranking.ranked[0][1] == 1.0
    (tool,) = gemini.searches()
    assert tool["metadata_filter"] == 'gieok_owner="owner-1" AND gieok_scope="agent:main"'
    assert tool["top_k"] == 9


def test_both_versions_of_the_interface_are_spoken(
    store: GeminiStore, gemini: Any, open_gemini: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put([_CAT])
    store.push()
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "beta")
    again = open_gemini()
    again.put([_ROUTER])
    assert again.push() == 1
    assert _managed(again, "VLAN", Filter(), 3).ranked
    assert gemini.prefixes == {"/v1", "/v1beta"}


def test_another_scope_another_kind_and_another_day_are_not_found(filled: GeminiStore) -> None:
    filled.put([build_entry("theirs.md", "the office of another", scope=OTHER)])
    filled.put([build_entry("said.md", "they said office", kind="session", day=30)])
    filled.push()

    def names(where: Filter) -> set[str]:
        return {
            p.key
            for p in filled.passages([i for i, _ in _managed(filled, "office", where, 9).ranked])
        }

    assert names(Filter()) == {"memory/2026-11-20.md", "said.md"}
    assert names(Filter(frozenset({"session"}))) == {"said.md"}
    assert names(Filter(since=START + timedelta(days=9))) == {"said.md"}
    assert names(Filter(until=START + timedelta(days=9))) == {"memory/2026-11-20.md"}


def test_at_most_ten_uploads_are_in_flight_and_a_page_is_not_the_end(
    store: GeminiStore, gemini: Any, open_gemini: Open
) -> None:
    all_there = threading.Event()

    def wait_for_the_others() -> None:
        if gemini.in_flight == 10:
            all_there.set()
        assert all_there.wait(20)

    gemini.on_upload = wait_for_the_others
    store.put([build_entry(f"{n}.md", f"note {n}") for n in range(57)])
    assert store.push() == 57
    assert gemini.most_in_flight == 10
    assert store.stats(HOME).vectors == store.stats(HOME).passages == 57


def test_what_is_kept_from_the_service_waits_for_no_vector(store: GeminiStore) -> None:
    said = build_entry("sessions/claude-code/a.md", "who feeds the otter")
    elsewhere = build_entry("sessions/claude-code/b.md", "and when", scope=OTHER)
    store.put([build_entry("otter.md", "the otter eats at noon"), said, elsewhere])
    assert (store.stats(HOME).unsent, store.stats(HOME).waiting) == (1, 1)
    store.push()
    assert (store.stats(HOME).vectors, store.stats(HOME).waiting) == (1, 0)
    assert (store.stats().unsent, store.stats().waiting) == (2, 0)


def test_a_lost_manifest_is_rebuilt_from_the_service(
    filled: GeminiStore, gemini: Any, tmp_path: Path, open_gemini: Open
) -> None:
    filled.put([build_entry(f"{n}.md", f"note {n}") for n in range(45)])
    filled.push()
    filled.close()
    for file in tmp_path.glob("gemini.sqlite*"):
        file.unlink()
    gemini.reset_counts()
    again = open_gemini()
    again.put(
        [
            _ROUTER,
            _changed(_CAT, "새 글"),
            *(build_entry(f"{n}.md", f"note {n}") for n in range(45)),
        ]
    )
    again.push()
    assert _uploads(gemini) == (1, 1)
    assert len(gemini.documents) == 47
    assert len(gemini.stores) == 1


def test_the_documents_of_another_machine_are_left_alone(
    filled: GeminiStore, gemini: Any, tmp_path: Path, open_gemini: Open
) -> None:
    foreign = next(iter(gemini.documents.values()))
    foreign.labels["gieok_owner"] = "another"
    filled.close()
    for file in tmp_path.glob("gemini.sqlite*"):
        file.unlink()
    again = open_gemini()
    again.put([_ROUTER, _CAT])
    again.push()
    assert foreign.name in gemini.documents
    assert len(gemini.documents) == 3


def test_an_operation_that_never_ends_is_seen_through_the_documents_state(
    store: GeminiStore, gemini: Any
) -> None:
    gemini.is_silent = True
    store.put([_CAT])
    assert store.push() == 1
    assert store.push() == 0
    assert len(gemini.documents) == 1


def test_a_document_that_failed_and_becomes_active_is_not_uploaded_again(
    store: GeminiStore, gemini: Any, clock: ManualClock
) -> None:
    gemini.states = ["STATE_FAILED"]
    store.put([_CAT, _ROUTER])
    with pytest.raises(StoreUnreachable, match="2 of 2 documents are not searchable"):
        store.push()
    with pytest.raises(StoreUnreachable, match="2 of 2"):
        store.push()
    assert _uploads(gemini) == (2, 0)
    for document in gemini.documents.values():
        document.state = "STATE_ACTIVE"
    clock.advance(timedelta(minutes=5))
    assert store.push() == 2
    assert _uploads(gemini) == (2, 0)


def test_a_document_that_stays_failed_is_replaced_after_an_hour(
    store: GeminiStore, gemini: Any, clock: ManualClock
) -> None:
    gemini.states = ["STATE_FAILED"]
    store.put([_CAT])
    with pytest.raises(StoreUnreachable):
        store.push()
    clock.advance(timedelta(hours=2))
    gemini.states = ["STATE_ACTIVE"]
    store.push()
    assert _uploads(gemini) == (2, 1)
    assert gemini.texts() == [_CAT.document.text]


def test_an_operation_that_ends_in_an_error_is_told_of(store: GeminiStore, gemini: Any) -> None:
    gemini.operation_error = "unsupported language"
    store.put([_CAT])
    with pytest.raises(StoreUnreachable, match="unsupported language"):
        store.push()


@pytest.mark.parametrize(
    ("code", "status"), [(429, "RESOURCE_EXHAUSTED"), (503, "UNAVAILABLE"), (500, "INTERNAL")]
)
def test_what_may_pass_is_tried_three_times(
    store: GeminiStore, gemini: Any, clock: ManualClock, code: int, status: str
) -> None:
    gemini.fail("start upload", code, status, times=2)
    store.put([_CAT])
    before = clock.now()
    assert store.push() == 1
    assert gemini.calls["start upload"] == 3
    assert clock.now() - before >= timedelta(seconds=3)


def test_uploads_that_answer_503_take_the_detour_over_the_file_service(
    store: GeminiStore, gemini: Any
) -> None:
    gemini.fail("start upload", 503, "UNAVAILABLE")
    store.put([_CAT])
    assert store.push() == 1
    assert gemini.calls["import file"] == 1
    assert gemini.texts() == [_CAT.document.text]


def test_a_full_quota_is_named_and_what_was_done_stays_done(
    store: GeminiStore, gemini: Any
) -> None:
    store.put([build_entry(f"{n}.md", f"note {n}") for n in range(4)])
    store.push()
    gemini.fail("start upload", 429, "RESOURCE_EXHAUSTED", message="Total storage is full")
    store.put([_CAT, _ROUTER])
    with pytest.raises(
        StoreUnreachable,
        match=r"quota is used up \(429 RESOURCE_EXHAUSTED: Total storage is full\); 2 of 6",
    ):
        store.push()
    gemini.failures.clear()
    gemini.reset_counts()
    assert store.push() == 2
    assert _uploads(gemini) == (2, 0)


def test_a_refused_key_is_named_is_not_tried_again_and_is_never_shown(
    open_gemini: Open, gemini: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    key = "AIzaWRONG-0123456789-secret"
    store = open_gemini(key=key)
    store.put([_CAT])
    with pytest.raises(StoreUnreachable, match="refused the key") as caught:
        store.push()
    assert gemini.calls["list stores"] == 1
    assert "GEMINI_API_KEY" in caught.value.hint
    gemini.key = key
    gemini.fail(
        "list stores", 403, "PERMISSION_DENIED", times=1, message=f"key {key} may not do this"
    )
    with pytest.raises(StoreUnreachable, match="PERMISSION_DENIED") as caught:
        store.push()
    store.push()
    assert key not in (
        f"{caught.value!r} {caught.value.__cause__!r} {store.describe()} {store.location} "
        f"{caplog.text}"
    )


def test_without_a_key_nothing_is_asked(open_gemini: Open, gemini: Any) -> None:
    store = open_gemini(key="")
    store.put([_CAT])
    with pytest.raises(StoreUnreachable, match="no key") as caught:
        store.push()
    assert "GEMINI_API_KEY" in caught.value.hint
    assert not gemini.calls


def test_secrets_leave_neither_with_a_document_nor_with_a_question(
    filled: GeminiStore, gemini: Any
) -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    filled.put([build_entry("keys.md", f"the key is {secret}")])
    filled.push()
    _managed(filled, f"whose key is {secret}?", Filter(), 3)
    assert secret not in str(gemini.requests) + str(gemini.texts())


def test_a_stopped_service_leaves_the_words_and_is_told_of(
    filled: GeminiStore, open_gemini: Open, clock: ManualClock
) -> None:
    filled.close()
    cut_off = open_gemini(url="http://127.0.0.1:9")
    found = recall(cut_off, None, Question("고양이 연어", (HOME,)), Profile(name="p"), clock)
    assert found.hits[0].passage.key == "cat.md"
    assert found.degraded
    assert found.degraded.startswith("gemini unreachable")
    cut_off.put([build_entry("new.md", "new")])
    with pytest.raises(StoreUnreachable, match="gemini unreachable"):
        cut_off.push()
    assert cut_off.get(HOME, ["new.md"])


def test_before_the_first_upload_the_words_answer(store: GeminiStore, clock: ManualClock) -> None:
    assert _managed(store, "고양이", Filter(), 3).ranked == ()
    store.put([_CAT])
    found = recall(store, None, Question("고양이 연어", (HOME,)), Profile(name="p"), clock)
    assert found.hits[0].passage.key == "cat.md"
    assert found.degraded == "nothing of agent:main is at gemini yet (run `gieok index`)"


def test_managed_and_keyword_legs_are_fused_where_both_are_wanted(
    filled: GeminiStore, clock: ManualClock
) -> None:
    filled.put([build_entry("other.md", "the office plants")])
    for hybrid, keys in (
        (False, ["memory/2026-11-20.md"]),
        (True, ["memory/2026-11-20.md", "other.md"]),
    ):
        question = Question("office VLAN", (HOME,), hybrid=hybrid)
        found = recall(filled, None, question, Profile(name="p"), clock)
        assert found.hits[0].passage.key == "memory/2026-11-20.md"
        assert found.hits[0].signals.keys() >= {"managed", "keyword"}, (
            "words say how sure it is, either way"
        )
        assert list(dict.fromkeys(hit.passage.key for hit in found.hits)) == keys
        assert found.degraded is None


def test_a_service_that_hangs_costs_its_deadline_once_whatever_the_number_of_scopes(
    filled: GeminiStore, open_gemini: Open, gemini: Any, clock: ManualClock
) -> None:
    filled.put([build_entry("theirs.md", "the office of another", scope=OTHER)])
    filled.push()
    filled.close()
    store = open_gemini(within_s=0.2)
    gemini.reset_counts()
    gemini.hangs = "generate"
    found = recall(store, None, Question("office VLAN", (HOME, OTHER)), Profile(name="p"), clock)
    assert gemini.calls["generate"] == 1
    assert found.degraded is not None
    assert found.degraded.startswith("gemini did not answer within 0.2 s")
    assert {hit.passage.key for hit in found.hits} == {"memory/2026-11-20.md", "theirs.md"}
    # The service charges what it answers too late, and names its tokens to nobody.
    assert "4,003 tokens in, 64 out" in store.describe()[1]


def test_tries_end_with_the_deadline_and_uploads_keep_theirs(
    filled: GeminiStore, open_gemini: Open, gemini: Any
) -> None:
    filled.close()
    store = open_gemini(within_s=0.2)
    gemini.reset_counts()
    gemini.fail("generate", 503, "UNAVAILABLE")
    with pytest.raises(StoreUnreachable):
        _managed(store, "office", Filter(), 3)
    assert gemini.calls["generate"] == 1, "the next pause would end after the deadline"
    assert "; 0 tokens in" in store.describe()[1], "what is refused costs nothing"
    gemini.fail("start upload", 500, "INTERNAL", times=2)
    store.put([build_entry("new.md", "new")])
    assert store.push() == 1


def test_one_request_asks_all_scopes_and_each_gets_its_own(
    filled: GeminiStore, gemini: Any
) -> None:
    filled.put([build_entry("theirs.md", "the office of another", scope=OTHER)])
    filled.push()
    gemini.reset_counts()
    found = filled.managed((HOME, OTHER), "office", Filter(), 9)
    assert gemini.calls["generate"] == 1
    keys = {
        scope: {p.key for p in filled.passages([i for i, _ in one.ranked])}
        for scope, one in found.by_scope.items()
    }
    assert keys == {HOME: {"memory/2026-11-20.md"}, OTHER: {"theirs.md"}}
    assert filled.managed((HOME,), "office", Filter(), 9).by_scope.keys() == {HOME}


@pytest.mark.parametrize(("has_titles", "is_placed"), [(True, True), (False, False)])
def test_a_quotation_without_our_labels_is_placed_by_its_title_or_counted(
    filled: GeminiStore, gemini: Any, has_titles: bool, is_placed: bool
) -> None:
    gemini.has_labels, gemini.has_titles = False, has_titles
    found = filled.managed((HOME,), "VLAN office", Filter(), 9)
    assert bool(found.by_scope) == is_placed
    assert (
        "1 quotations by gemini are of documents that are not known here" in found.note
    ) != is_placed


def test_a_quotation_of_what_was_rewritten_here_since_is_counted(filled: GeminiStore) -> None:
    filled.put([_changed(_ROUTER, "something else altogether")])
    found = filled.managed((HOME,), "VLAN office", Filter(), 9)
    assert "no longer stand in their documents" in found.note


@pytest.mark.parametrize(
    "text", ["고마워, 잘했어", "thanks, well done", "ok", "what is the capital of Peru?"]
)
@pytest.mark.parametrize("hybrid", [True, False])
def test_what_the_words_here_do_not_bear_out_is_unsure_however_high_it_is_ranked(
    filled: GeminiStore, gemini: Any, clock: ManualClock, text: str, hybrid: bool
) -> None:
    gemini.quotes_anything = True
    filled.put([build_entry(f"n{n}.md", f"주문 {n}번은 화요일에 나간다") for n in range(5)])
    filled.push()
    found = recall(filled, None, Question(text, (HOME,), hybrid=hybrid), FILES, clock)
    assert found.hits
    assert all(level(hit.score) != HIGH for hit in found.hits)


def test_the_days_searches_have_an_end(
    filled: GeminiStore, open_gemini: Open, clock: ManualClock
) -> None:
    filled.close()
    store = open_gemini(daily_calls=2)
    for _ in range(2):
        _managed(store, "VLAN", Filter(), 3)
    with pytest.raises(StoreUnreachable, match="2 searches are used up"):
        _managed(store, "VLAN", Filter(), 3)
    clock.advance(timedelta(days=1))
    assert _managed(store, "VLAN", Filter(), 3).ranked


def test_the_months_money_has_an_end_for_searches_and_for_uploads(
    filled: GeminiStore, open_gemini: Open, gemini: Any, clock: ManualClock
) -> None:
    filled.close()
    # A search of the double has 1,000 tokens in and 50 out: $0.000425.
    store = open_gemini(monthly_dollars=0.0008)
    for _ in range(2):
        _managed(store, "VLAN", Filter(), 3)
    with pytest.raises(StoreUnreachable, match=r"this month's \$0\.00 are used up"):
        _managed(store, "VLAN", Filter(), 3)
    store.put([build_entry("later.md", "note of the office")])
    with pytest.raises(StoreUnreachable, match="1 of 3 documents wait"):
        store.push()
    assert len(gemini.documents) == 2
    store.forget(HOME, ["cat.md"])
    with pytest.raises(StoreUnreachable, match="1 of 2 documents wait"):
        store.push()
    assert gemini.texts() == [_ROUTER.document.text], "what is forgotten here is deleted there"
    clock.advance(timedelta(days=31))
    assert _managed(store, "VLAN", Filter(), 3).ranked
    assert store.push() == 1
    shipped = {option.name: option.default for option in OPTIONS}
    assert shipped["gemini.monthly_dollars"] <= 1, "less than a dollar a month"


def test_calls_and_cost_are_counted_and_shown(filled: GeminiStore) -> None:
    for _ in range(3):
        _managed(filled, "VLAN", Filter(), 3)
    where, calls, today = filled.describe()
    assert where.startswith("gemini-file-search: 2 documents sent to fileSearchStores/gieok-")
    assert "2 upload" in calls
    assert "3 search" in calls
    assert "3,000 tokens in, 150 out, 35 indexed, about $0.00" in calls
    assert today == "searches today: 3 of 100"


def test_several_stores_share_the_documents_and_are_all_asked(
    open_gemini: Open, gemini: Any
) -> None:
    names = tuple("abcde")
    store = open_gemini(stores=names)
    store.put([build_entry(f"{n}.md", f"note {n} office") for n in range(40)])
    store.push()
    assert len(gemini.stores) == 5
    assert {name.split("/documents/")[0] for name in gemini.documents} == set(gemini.stores)
    _managed(store, "office", Filter(), 9)
    assert len(gemini.searches()[0]["file_search_store_names"]) == 5


def test_a_store_is_found_by_its_id_as_by_its_name(open_gemini: Open, gemini: Any) -> None:
    gemini.stores["fileSearchStores/mine-0001"] = "Notes"
    for number, named in enumerate(("fileSearchStores/mine-0001", "Notes")):
        store = open_gemini(stores=(named,))
        store.put([build_entry(f"{number}.md", f"note {number} office")])
        store.push()
        store.close()
    assert list(gemini.stores) == ["fileSearchStores/mine-0001"], "none was made"
    assert len(gemini.documents) == 2


def test_a_store_that_is_named_by_a_wrong_id_is_not_made(open_gemini: Open, gemini: Any) -> None:
    store = open_gemini(stores=("fileSearchStores/mine-0002",))
    store.put([build_entry("a.md", "note office")])
    with pytest.raises(StoreUnreachable, match="no store 'fileSearchStores/mine-0002'"):
        store.push()
    assert not gemini.stores


def test_a_store_that_is_left_out_hands_its_documents_over(open_gemini: Open, gemini: Any) -> None:
    two = open_gemini(stores=("a", "b"))
    two.put([build_entry(f"{n}.md", f"note {n}") for n in range(12)])
    two.push()
    two.close()
    one = open_gemini(stores=("a",))
    one.push()
    (kept,) = (name for name, title in gemini.stores.items() if title == "a")
    assert {name.split("/documents/")[0] for name in gemini.documents} == {kept}
    assert len(gemini.documents) == 12


def test_a_store_deleted_at_the_service_is_made_again(filled: GeminiStore, gemini: Any) -> None:
    gemini.stores.clear()
    gemini.documents.clear()
    filled.put([build_entry("new.md", "new")])
    with pytest.raises(StoreUnreachable, match="gone from gemini"):
        filled.push()
    assert filled.push() == 3
    assert len(gemini.documents) == 3


def test_two_syncs_at_once_do_not_upload_twice(
    filled: GeminiStore, gemini: Any, tmp_path: Path
) -> None:
    from gieok.storage.index.gemini.sync import alone

    with (
        alone(tmp_path / "gemini.lock"),
        pytest.raises(StoreBusy),
        alone(tmp_path / "gemini.lock", 1),
    ):
        pass


_PUSH = """
import sys
from pathlib import Path
from gieok.storage.index.gemini.service import Access
from gieok.storage.index.gemini.costs import Terms
from gieok.storage.index.gemini.store import GeminiStore
from gieok.storage.index.gemini.sync import UploadPlan
from gieok.testing.samples import build_entry
file, url, key = sys.argv[1:]
access = Access(key, url, 5.0, "gemini-test", "")
plan = UploadPlan("owner-1", ("gieok",), 400, 80, 60.0)
store = GeminiStore(Path(file), plan, access, Terms(10, 100, 0.3, 2.5, 2.0, '', 0.15, 0.0), pause=lambda s: None)
store.put([build_entry(f"{n}.md", f"note {n}") for n in range(40)])
store.push()
store.close()
"""


@pytest.mark.parametrize("after", [1, 23])
def test_a_sync_that_is_killed_resumes_without_duplicates(
    gemini: Any, tmp_path: Path, open_gemini: Open, after: int
) -> None:
    children: list[subprocess.Popen[bytes]] = []

    def kill() -> None:
        if gemini.calls["upload bytes"] == after:
            children[0].send_signal(signal.SIGKILL)

    gemini.on_upload = kill
    command = [sys.executable, "-c", _PUSH, str(tmp_path / "gemini.sqlite"), gemini.url, gemini.key]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, env=environment) as child:
        children.append(child)
    assert child.returncode == -signal.SIGKILL
    arrived = gemini.calls["upload bytes"]
    gemini.on_upload = lambda: None
    store = open_gemini()
    store.push()
    assert gemini.texts() == sorted(f"note {n}" for n in range(40))
    # those in flight when it was killed may have been cut off
    assert gemini.calls["upload bytes"] <= 40 + 10
    assert arrived >= after
    gemini.reset_counts()
    assert store.push() == 0
    assert not gemini.calls


_TEXT = "# 제목\n\n첫째 줄이다.\n둘째  줄이고 끝이다.\n\n넷째 문단은 다르다."


@pytest.mark.parametrize(
    ("quoted", "found"),
    [
        ("첫째 줄이다. 둘째 줄이고 끝이다.", "첫째 줄이다.\n둘째  줄이고 끝이다."),
        ("넷째 문단은 다르다.", "넷째 문단은 다르다."),
        ("[p. 1] 무엇\n둘째 줄이고 끝이다.\n…", "둘째  줄이고 끝이다."),
        ("다른 곳에 있는 긴 문장이다", None),
        ("", None),
    ],
)
def test_a_quotation_is_found_whatever_became_of_its_spaces(quoted: str, found: str | None) -> None:
    span = locate(_TEXT, quoted)
    assert (None if span is None else _TEXT[slice(*span)]) == found


def test_the_passages_that_a_quotation_covers_come_most_overlapped_first() -> None:
    passages = [
        Passage(0, 10, 1, 1),
        Passage(8, 30, 2, 3),
        Passage(30, 40, 4, 4),
        Passage(40, 90, 5, 9),
    ]
    assert overlapped(passages, (9, 42)) == [1, 2]
    assert overlapped(passages, (41, 43)) == [3]
    assert overlapped(passages, (95, 99)) == []
