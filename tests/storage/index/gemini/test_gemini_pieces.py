"""The parts of the managed store by themselves: calls, quotations, costs, recordings, options."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import httpx2
import pytest
from file_search_server import NO_ANSWER

from gieok.errors import BadConfig, StoreCorrupt, StoreUnreachable
from gieok.model.memory import Passage
from gieok.model.retrieval import Filter
from gieok.opening import Opening
from gieok.storage.index.gemini.comparison import ID
from gieok.storage.index.gemini.costs import MonthSpent, Terms, UploadCosts
from gieok.storage.index.gemini.ground import Placing, locate, overlapped
from gieok.storage.index.gemini.manifest import Upload, document_id
from gieok.storage.index.gemini.recording import Recorder, Replay
from gieok.storage.index.gemini.service import (
    Access,
    AnswerLate,
    GeminiService,
    GroundedChunk,
    Payload,
    RemoteGone,
    outcome,
)
from gieok.storage.index.gemini.store import GeminiStore
from gieok.storage.index.gemini.sync import UploadPlan
from gieok.testing import ManualClock
from gieok.testing.samples import HOME, OTHER, build_entry

Open = Callable[..., GeminiStore]
_SECONDS = 20.0


class _Calls:
    """A client with what it counted and how long it waited."""

    def __init__(self, gemini: Any) -> None:
        self.counted: list[tuple[str, int, int]] = []
        self.pauses: list[float] = []
        access = Access(gemini.key, gemini.url, 5.0, "gemini-test", "")
        self.service = GeminiService(
            access, lambda *counted: self.counted.append(counted), self.pauses.append
        )


@pytest.fixture
def calls(gemini: Any) -> Iterator[_Calls]:
    made = _Calls(gemini)
    yield made
    made.service.close()


#: Status → tries, and what is said.
_REFUSALS = {
    400: (1, "gemini failed (400"),
    401: (1, "gemini refused the key (401"),
    403: (1, "gemini refused the key (403"),
    404: (1, "gemini failed (404"),
    408: (3, "gemini failed (408"),
    429: (3, "gemini's quota is used up (429"),
    500: (3, "gemini failed (500"),
    502: (3, "gemini failed (502"),
    503: (3, "gemini failed (503"),
    504: (3, "gemini failed (504"),
    NO_ANSWER: (3, "gemini unreachable: "),
}


def test_a_call_is_tried_again_where_that_may_help(calls: _Calls, gemini: Any) -> None:
    for code, (tries, said) in _REFUSALS.items():
        gemini.failures.clear()
        calls.counted.clear()
        calls.pauses.clear()
        gemini.fail("create store", code, "WORD", message="of the service")
        with pytest.raises(StoreUnreachable) as failure:
            calls.service.make_store("a")
        assert str(failure.value).startswith(said)
        assert calls.counted == [("create store", 0, 0)] * tries
        assert calls.pauses == [1.0, 2.0][: tries - 1]
        assert isinstance(failure.value, RemoteGone) is (code == 404)


def test_a_key_that_is_refused_by_its_words_is_no_fault_that_passes(
    calls: _Calls, gemini: Any
) -> None:
    gemini.fail("create store", 503, "WORD", message=f"the API key {gemini.key} is wrong")
    with pytest.raises(StoreUnreachable, match="refused the key") as failure:
        calls.service.make_store("a")
    assert gemini.key not in str(failure.value)
    assert calls.pauses == []


def test_a_call_that_fails_twice_works_and_a_store_is_found_by_either_name(
    calls: _Calls, gemini: Any
) -> None:
    gemini.fail("create store", 500, "WORD", 2)
    made = calls.service.make_store("a")
    assert calls.pauses == [1.0, 2.0]
    assert [calls.service.find_or_make_store(name) for name in ("a", made)] == [made, made]
    assert len(gemini.stores) == 1


def test_a_search_waits_shortly_between_its_tries(calls: _Calls, gemini: Any) -> None:
    store = calls.service.make_store("a")
    for times, pauses in ((1, [0.25]), (2, [0.25, 0.5])):
        calls.pauses.clear()
        gemini.fail("generate", 500, "WORD", times)
        calls.service.search([store], "x", "", 3, _SECONDS)
        assert calls.counted[-1] == ("", 1000, 50)
        assert calls.pauses == pauses
    for code, pauses in ((500, [0.25, 0.5]), (400, [])):
        gemini.failures.clear()
        calls.pauses.clear()
        calls.counted.clear()
        gemini.fail("generate", code, "WORD")
        with pytest.raises(StoreUnreachable, match="gemini failed"):
            calls.service.search([store], "x", "", 3, _SECONDS)
        assert calls.pauses == pauses
        assert calls.counted == [("search", 0, 0)] * (len(pauses) + 1)


def test_a_search_without_time_asks_nothing(calls: _Calls, gemini: Any) -> None:
    for within_s in (0.0, -1.0):
        with pytest.raises(StoreUnreachable, match="did not answer within") as failure:
            calls.service.search(["fileSearchStores/a"], "x", "", 3, within_s)
        assert not isinstance(failure.value, AnswerLate)
    assert calls.counted == []
    assert not gemini.calls


def test_a_search_that_has_no_time_for_another_try_is_late(calls: _Calls, gemini: Any) -> None:
    gemini.fail("generate", 500, "WORD")
    with pytest.raises(StoreUnreachable, match=r"did not answer within 0\.25 s"):
        calls.service.search(["fileSearchStores/a"], "x", "", 3, 0.25)
    assert calls.pauses == []


def test_what_a_search_asks_is_short_and_the_same_each_time(calls: _Calls, gemini: Any) -> None:
    store = calls.service.make_store("a")
    gemini.reset_counts()
    calls.service.search([store], "x", "", 3, _SECONDS)
    ((_, _, data),) = gemini.requests
    asked = data["generationConfig"]
    assert (asked["temperature"], asked["maxOutputTokens"]) == (0.0, 64)


def test_an_upload_has_a_title_that_the_service_takes_and_its_chunks(
    calls: _Calls, gemini: Any
) -> None:
    store = calls.service.make_store("a")
    payload = Payload("t" * 600, b"text", {"word": "w", "number": 7}, 400, 80)
    calls.service.upload(store, payload, list[str]().append)
    (document,) = gemini.documents.values()
    assert document.title == "t" * 512
    assert document.labels == {"word": "w", "number": 7}
    begun = next(data for what, _, data in gemini.requests if what == "start upload")
    assert "400" in json.dumps(begun["chunkingConfig"])
    assert "80" in json.dumps(begun["chunkingConfig"])
    gemini.fail("start upload", 503, "UNAVAILABLE")
    files: list[str] = []
    calls.service.upload(store, payload, files.append)
    assert files == [*gemini.files]
    begun = next(data for what, _, data in gemini.requests if what == "start upload of a file")
    assert "t" * 512 in json.dumps(begun)
    assert "t" * 513 not in json.dumps(begun)


def test_what_is_gone_is_deleted_and_what_is_not_active_is_no_document_to_search(
    calls: _Calls, gemini: Any
) -> None:
    store = calls.service.make_store("a")
    gemini.states = ["STATE_PENDING", "STATE_FAILED", "STATE_ACTIVE"]
    calls.service.upload(store, Payload("a", b"text", {}, 400, 80), list[str]().append)
    (name,) = gemini.documents
    assert [calls.service.is_active(name) for _ in range(2)] == [False, True]
    assert [document.name for document in calls.service.documents(store)] == [name]
    for _ in range(2):
        calls.service.delete(name)
        calls.service.delete_file("files/none")
    assert calls.service.document(name) is None
    assert not calls.service.is_active(name)
    for _ in range(2):
        calls.service.delete_store(store)
    gemini.fail("delete document", 500, "WORD")
    with pytest.raises(StoreUnreachable):
        calls.service.delete(name)


def test_every_page_of_stores_and_documents_is_read(calls: _Calls, gemini: Any) -> None:
    gemini.stores = {f"fileSearchStores/s{n:03}": f"s{n}" for n in range(41)}
    assert len(list(calls.service.stores())) == 41
    assert gemini.calls["list stores"] == 3


@pytest.mark.parametrize(
    ("error", "document", "told"),
    [
        (None, "d", ("d", "")),
        (None, "", ("", "")),
        ({"message": "no"}, "", ("", "no")),
        ({"code": 3}, "d", ("d", "an error without words")),
        ({"message": ""}, "", ("", "an error without words")),
    ],
)
def test_an_operation_tells_its_document_or_its_error(
    error: Any, document: str, told: tuple[str, str]
) -> None:
    response = SimpleNamespace(document_name=document) if document else None
    assert outcome(SimpleNamespace(response=response, error=error)) == told


# Quotations.


@pytest.mark.parametrize(
    ("text", "quoted", "found"),
    [
        ("one two three four", "two thre", None),
        ("one two three four", "two three", "two three"),
        ("abcdefgh ij", "abcdefgh", "abcdefgh"),
        ("abcdefgh ij", "abcdefg", None),
        ("abc", "abc", "abc"),
        ("abc", "ab", None),
        ("", "abc", None),
        (
            "the fourth line",
            "the longest line here\na longer line of it\na long line of it\nthe fourth line",
            None,
        ),
        (
            "the third line is",
            "longest line here!\nlonger line here\nthe third line\nno",
            "the third line",
        ),
    ],
)
def test_a_quotation_is_located_by_its_whole_or_a_telling_line(
    text: str, quoted: str, found: str | None
) -> None:
    span = locate(text, quoted)
    assert (None if span is None else text[slice(*span)]) == found


@pytest.mark.parametrize(
    ("span", "places"),
    [
        ((0, 10), [0]),
        ((0, 15), [0, 1]),
        ((0, 14), [0]),
        ((5, 15), [0, 1]),
        ((6, 15), [1]),
        ((10, 10), []),
        ((8, 50), [2, 1]),
        ((19, 21), [1, 2]),
        ((40, 60), []),
    ],
)
def test_a_passage_is_quoted_where_half_of_it_or_of_the_quotation_stands(
    span: tuple[int, int], places: list[int]
) -> None:
    passages = [Passage(0, 10, 1, 1), Passage(10, 20, 2, 2), Passage(20, 40, 3, 3)]
    assert overlapped(passages, span) == places


_WORDS = "The office VLAN has the number ten."


def _upload(key: str, name: str, scope: Any = HOME) -> Upload:
    return Upload(document_id(scope, key), scope.path, key, "h", "c", "s", name)


def test_quotations_are_placed_by_label_name_or_title_and_else_counted(open_gemini: Open) -> None:
    store = open_gemini()
    store.put([build_entry("a.md", _WORDS), build_entry("b.md", _WORDS), build_entry("c.md", "C")])
    store.put([build_entry("a.md", _WORDS, scope=OTHER)])
    rows = [_upload("a.md", "n/a"), _upload("b.md", "n/b"), _upload("c.md", "n/c")]
    uploads = {row.id: row for row in (*rows, _upload("a.md", "n/o", OTHER))}

    def place(scopes: tuple[Any, ...], *chunks: GroundedChunk) -> tuple[list[str], list[str]]:
        placing = Placing(store, uploads, ["n/gone"], scopes)
        found = [(scope, i) for chunk in chunks for scope, i in placing.passages(chunk)]
        keys = [f"{scope.path} {store.passages([i], scope)[0].key}" for scope, i in found]
        return keys, placing.notes()

    ours = (HOME,)
    for chunk in (
        GroundedChunk(_WORDS, {ID: rows[0].id}),
        GroundedChunk(_WORDS, {}, "", "n/a"),
        GroundedChunk(_WORDS, {}, "a.md"),
        GroundedChunk(_WORDS, {ID: rows[0].id}, "b.md", "n/b"),
    ):
        assert place(ours, chunk) == ([f"{HOME.path} a.md"], [])
    assert place((HOME, OTHER), GroundedChunk(_WORDS, {}, "a.md", "n/o")) == (
        [f"{OTHER.path} a.md"],
        [],
    )
    unknown = "1 quotations by gemini are of documents that are not known here, and left out"
    for chunk in (
        GroundedChunk(_WORDS, {ID: "x"}, "a.md"),
        GroundedChunk(_WORDS, {}),
        GroundedChunk(_WORDS, {}, "z.md"),
        GroundedChunk(_WORDS, {}, "", "n/o"),
    ):
        assert place(ours, chunk) == ([], [unknown])
    both = GroundedChunk(_WORDS, {}, "a.md")
    assert place((HOME, OTHER), both) == ([], [unknown])
    assert place(ours, both, GroundedChunk(_WORDS, {}))[1] == [unknown]
    assert place(ours, GroundedChunk(_WORDS, {ID: rows[0].id}, "", "n/gone")) == ([], [])
    changed = GroundedChunk("what stands nowhere", {ID: rows[2].id})
    twice = place(ours, changed, changed, GroundedChunk(_WORDS, {}))
    assert twice == ([], [unknown, twice[1][1]])
    assert twice[1][1].startswith("2 quotations by gemini no longer stand")


# Costs.

_SEOUL = ZoneInfo("Asia/Seoul")


def test_costs_are_those_of_the_month_of_a_zone_and_end_at_its_money(
    open_gemini: Open, clock: ManualClock
) -> None:
    manifest = open_gemini()._manifest
    clock.advance(datetime(2026, 3, 31, 16, tzinfo=UTC) - clock.now())
    manifest.count("2026-03-31", "search", 0, 0)
    manifest.count("2026-03-31", "", 1_000_000, 0)
    manifest.count("2026-04-01", "", 1_000_000, 100_000)
    manifest.count("2026-04-01", "indexing", 2_000_000, 0)

    def spend(most: float, zone: Any = _SEOUL) -> UploadCosts:
        terms = Terms(10, 100, 0.5, 2.0, 2.0, "", 0.25, most)
        return UploadCosts(manifest, terms, clock, zone)

    costs = spend(0.0)
    assert costs.price_usage(costs.read_month_usage()) == pytest.approx(0.5 + 0.2 + 0.5)
    assert costs.read_month_usage().calls == {}
    costs.verify_money()
    march = spend(0.0, UTC)
    assert march.price_usage(march.read_month_usage()) == pytest.approx(1.7)
    assert march.read_month_usage().calls == {"search": 1}
    exact = costs.price_usage(costs.read_month_usage())
    for most in (exact, exact / 2):
        with pytest.raises(MonthSpent):
            spend(most).verify_money()
    spend(exact + 0.01).verify_money()
    spend(-1.0).verify_money()
    before = costs.read_month_usage().indexed_tokens
    costs.count_indexing("고양이 보리")
    assert costs.read_month_usage().indexed_tokens > before


# Recordings.


def _answer(request: httpx2.Request) -> httpx2.Response:
    if request.url.path.endswith("/text"):
        return httpx2.Response(200, content=b"no JSON")
    headers = {"x-goog-upload-url": "https://up.example/1"} if "upload" in request.url.path else {}
    return httpx2.Response(429, headers=headers, json={"name": "files/abc", "list": ["secret"]})


def test_a_recording_numbers_names_and_omits_texts() -> None:
    recorder = Recorder("the-key", ["a public   note"])
    client = httpx2.Client(transport=httpx2.MockTransport(_answer), **recorder.client_args)  # type: ignore[arg-type]
    address = "https://api.example/v1beta"
    sent = {
        "message": "the-key of files/abc and 12345 or 1234",
        "state": "ACTIVE",
        "text": "public note",
        "other": "hidden",
        "number": 5,
        "name": "files/xyz",
        "of": {"again": ["files/abc", "documents/abc"]},
    }
    client.post(f"{address}/files/abc", json=sent)
    client.get(f"{address}/text")
    client.get("https://api.example/upload/v1/files")
    client.get("https://api.example/upload/v1/files")
    client.get("https://up.example/1")
    first, second, third, _, fifth = recorder.exchanges
    assert (first.method, first.path, first.status, first.upload) == ("POST", "/files/n1", 429, 0)
    assert first.sent == {
        "message": "… of files/n1 and … or 1234",
        "state": "ACTIVE",
        "text": "public note",
        "other": "…",
        "number": 5,
        "name": "files/n2",
        "of": {"again": ["files/n1", "documents/n1"]},
    }
    assert first.answered == {"name": "files/n1", "list": ["…"]}
    assert 0 <= first.milliseconds < 60_000
    assert (second.path, second.answered, second.status) == ("/text", None, 200)
    assert (third.path, third.upload) == ("/upload/files", 1)
    assert fifth.path == "upload 1"
    plain = Recorder("", [])
    assert plain._blank({"message": "no key"}) == {"message": "no key"}


def test_a_replay_answers_in_order_and_refuses_all_else() -> None:
    recorder = Recorder("k", [])
    with httpx2.Client(transport=httpx2.MockTransport(_answer), **recorder.client_args) as client:  # type: ignore[arg-type]
        client.get("https://api.example/upload/v1/files")
        client.get("https://up.example/1")
    text = recorder.render("me", "a-model", {"step": "works"})
    replay = Replay(text)
    assert (replay.model, replay.outcome) == ("a-model", {"step": "works"})
    with httpx2.Client(transport=replay) as client:
        begun = client.get("https://other.example/upload/v1beta/files")
        assert begun.status_code == 429
        assert begun.headers["x-goog-upload-url"] == "https://uploads.invalid/1"
        again = client.get(begun.headers["x-goog-upload-url"])
        assert again.json() == {"name": "files/n1", "list": ["…"]}
        with pytest.raises(StoreUnreachable, match="goes on with nothing"):
            client.get("https://other.example/upload/v1beta/files")
    for method, path in (("POST", "upload/v1/files"), ("GET", "v1/files")):
        with (
            httpx2.Client(transport=Replay(text)) as client,
            pytest.raises(StoreUnreachable, match="goes on with GET /upload/files"),
        ):
            client.request(method, f"https://other.example/{path}")
    with pytest.raises(StoreCorrupt, match="no recording"):
        Replay(json.dumps({"format": "another"}))


# Options of a home.


class _Settings:
    """Settings as a home gives them; what a test does not name is as it is shipped."""

    def __init__(self, **values: str) -> None:
        from gieok.settings.table import OPTIONS

        self._values = {option.name: str(option.default) for option in OPTIONS}
        self._values |= {name.replace("__", "."): value for name, value in values.items()}

    def text(self, name: str) -> str:
        return self._values[name]

    def secret(self, name: str) -> str:
        return "a-key"


def _open(folder: Path, **values: str) -> GeminiStore:
    store = GeminiStore.open(Opening(folder, folder / "gemini.sqlite", _Settings(**values)))
    store.close()
    return store


@pytest.mark.parametrize(
    ("values", "chunk", "overlap"),
    [
        ({"gemini__chunk_tokens": "100", "gemini__chunk_overlap_tokens": "10"}, 100, 10),
        ({"gemini__chunk_tokens": "100", "gemini__chunk_overlap_tokens": "90"}, 100, 50),
        ({"gemini__chunk_tokens": "100", "gemini__chunk_overlap_tokens": "0"}, 100, 0),
        (
            {
                "gemini__chunk_tokens": "100",
                "gemini__chunk_overlap_tokens": "-1",
                "index__overlap_tokens": "7",
            },
            100,
            7,
        ),
        ({"gemini__chunk_tokens": "9", "gemini__chunk_overlap_tokens": "9"}, 21, 9),
        ({"gemini__chunk_tokens": "900", "gemini__chunk_overlap_tokens": "9"}, 512, 9),
        (
            {
                "gemini__chunk_tokens": "0",
                "index__passage_tokens": "300",
                "gemini__chunk_overlap_tokens": "9",
            },
            300,
            9,
        ),
    ],
)
def test_chunks_are_those_of_the_settings_within_what_the_service_takes(
    tmp_path: Path, values: dict[str, str], chunk: int, overlap: int
) -> None:
    plan = _open(tmp_path, **values)._plan
    assert (plan.chunk_tokens, plan.overlap_tokens) == (chunk, overlap)


def test_one_to_five_stores_are_named(tmp_path: Path) -> None:
    assert _open(tmp_path, gemini__stores=" a, b,,c,d ,e")._plan.stores == tuple("abcde")
    for names in ("", " , ", "a,b,c,d,e,f"):
        with pytest.raises(BadConfig):
            _open(tmp_path, gemini__stores=names)


def test_a_home_that_lost_its_manifest_is_not_clear(tmp_path: Path) -> None:
    first = _open(tmp_path)
    assert first._manifest.is_clear() is True
    assert _open(tmp_path)._manifest.is_clear() is True
    (tmp_path / "gemini.sqlite").unlink()
    assert _open(tmp_path)._manifest.is_clear() is False


# The store.


def test_an_upload_is_looked_at_ever_later_and_listed_at_every_fourth_look(
    gemini: Any, tmp_path: Path, clock: ManualClock
) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        clock.advance(timedelta(seconds=seconds))

    plan = UploadPlan("owner-1", ("gieok",), 400, 80, 60.0)
    access = Access(gemini.key, gemini.url, 5.0, "gemini-test", "")
    terms = Terms(10, 100, 0.3, 2.5, _SECONDS, "", 0.15, 0.0)
    store = GeminiStore(tmp_path / "g.sqlite", plan, access, terms, clock=clock, pause=pause)
    gemini.is_silent, gemini.states = True, ["STATE_PENDING"]
    store.put([build_entry("a.md", _WORDS)])
    with pytest.raises(StoreUnreachable, match="1 of 1 documents are not searchable"):
        store.push()
    assert pauses == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0, 10.0, 10.0]
    assert gemini.calls["get operation"] == 4, "it is named by the first list"
    assert gemini.calls["get document"] == 6
    store.close()


def test_an_attempt_of_an_hour_is_given_up_and_a_younger_one_is_waited_for(
    open_gemini: Open, gemini: Any, clock: ManualClock
) -> None:
    store = open_gemini()
    gemini.states = ["STATE_FAILED"]
    store.put([build_entry("a.md", _WORDS)])
    began = clock.now()
    with pytest.raises(StoreUnreachable):
        store.push()
    clock.advance(began + timedelta(seconds=3_599) - clock.now())
    with pytest.raises(StoreUnreachable):
        store.push()
    assert gemini.calls["upload bytes"] == 1
    clock.advance(began + timedelta(seconds=3_600) - clock.now())
    gemini.states = ["STATE_ACTIVE"]
    assert store.push() == 2
    assert gemini.calls["upload bytes"] == 2


def test_the_first_quoted_passage_is_the_surest_and_only_the_limit_is_ranked(
    open_gemini: Open, gemini: Any
) -> None:
    store = open_gemini(top_k=4)
    store.put([build_entry(f"{n}.md", f"office note number {n}") for n in range(4)])
    store.push()
    for limit, scores in (
        (2, (1.0, 0.5)),
        (4, (1.0, 0.75, 0.5, 0.25)),
        (8, (1.0, 0.875, 0.75, 0.625)),
    ):
        found = store.managed((HOME,), "office", Filter(), limit).by_scope[HOME]
        assert tuple(score for _, score in found.ranked) == scores
        assert gemini.searches()[-1]["top_k"] == min(limit, 4)


def test_what_was_never_pushed_is_told_of_and_asks_nothing(open_gemini: Open, gemini: Any) -> None:
    store = open_gemini()
    assert store.managed((HOME,), "office", Filter(), 3).note == ""
    store.put([build_entry("a.md", _WORDS)])
    found = store.managed((HOME,), "office", Filter(), 3)
    assert found.note == f"nothing of {HOME} is at gemini yet (run `gieok index`)"
    assert store.known_remote_data() == []
    assert not gemini.calls
    store.push()
    (known,) = store.known_remote_data()
    assert (known.documents, known.others) == (1, 0)
    assert "gieok" in known.name
