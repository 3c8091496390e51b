"""Every call of the interface with every kind of fault: what is there in the end is what is wanted.

Run against the real SDK. A fault is an error in Google's shape, a connection that closes, or a page
in place of an answer; what was asked for may have been done all the same, so that nobody knows it.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from file_search_server import NO_ANSWER, NO_JSON, OTHER_JSON

from gieok.errors import StoreUnreachable
from gieok.storage.index.gemini.service import Access, GeminiService, Payload
from gieok.storage.index.gemini.store import GeminiStore
from gieok.testing import ManualClock
from gieok.testing.samples import HOME, build_entry

#: (status, word of it): each passes after a while.
_FAULTS = ((500, "INTERNAL"), (NO_ANSWER, "no answer"), (NO_JSON, "no JSON"))
_CALLS = (
    "list stores",
    "create store",
    "list documents",
    "start upload",
    "upload bytes",
    "get operation",
    "get document",
    "delete document",
)
#: Calls of the detour over the file service.
_DETOUR = ("start upload of a file", "import file", "delete file")
#: All tries of one call, and the first of the next.
_TIMES = 4
_RUNS = 6
_PAYLOAD = Payload("a.md", b"text", {}, 400, 80)
_FIRST = [
    build_entry("cat.md", "보리는 연어를 좋아한다."),
    build_entry("old.md", "The port is 8080."),
]
_THEN = [build_entry("cat.md", "보리는 참치를 좋아한다."), build_entry("new.md", "VLAN 10.")]
_WANTED = ["VLAN 10.", "보리는 참치를 좋아한다."]


@pytest.fixture(autouse=True)
def _no_waits_of_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the SDK's own repeats of a piece of an upload follow at once."""
    monkeypatch.setattr("google.genai._api_client.time.sleep", lambda seconds: None)


def _push_until_done(store: GeminiStore, clock: ManualClock) -> None:
    """Synchronise as the daily job does, until nothing waits."""
    for _ in range(_RUNS):
        try:
            store.push(verify=True)
        except StoreUnreachable:
            clock.advance(timedelta(hours=2))
        else:
            return
    pytest.fail("never done")


@pytest.mark.parametrize(("code", "status"), _FAULTS, ids=[status for _, status in _FAULTS])
@pytest.mark.parametrize("call", [*_CALLS, *_DETOUR])
def test_whatever_fails_each_document_is_there_once_in_the_end(
    open_gemini: Callable[..., GeminiStore],
    gemini: Any,
    clock: ManualClock,
    call: str,
    code: int,
    status: str,
) -> None:
    store = open_gemini()
    if call in _DETOUR:
        gemini.fail("start upload", 503, "UNAVAILABLE")
    gemini.fail(call, code, status, _TIMES)
    store.put(_FIRST)
    _push_until_done(store, clock)
    gemini.fail(call, code, status, _TIMES, is_done=True)
    store.forget(HOME, ["old.md"])
    store.put(_THEN)
    _push_until_done(store, clock)
    gemini.failures.clear()
    store.push(verify=True)
    assert (gemini.texts(), len(gemini.stores), gemini.files) == (_WANTED, 1, {})


@pytest.mark.parametrize(("code", "status"), _FAULTS, ids=[status for _, status in _FAULTS])
def test_a_store_whose_making_was_not_answered_is_found_and_not_made_again(
    open_gemini: Callable[..., GeminiStore], gemini: Any, code: int, status: str
) -> None:
    gemini.fail("create store", code, status, 1, is_done=True)
    store = open_gemini()
    store.put(_FIRST)
    assert store.push() == len(_FIRST)
    assert len(gemini.stores) == 1


def test_a_page_of_a_proxy_is_said_to_be_no_answer(
    open_gemini: Callable[..., GeminiStore], gemini: Any
) -> None:
    gemini.fail("list stores", NO_JSON, "no JSON")
    store = open_gemini()
    store.put(_FIRST)
    with pytest.raises(StoreUnreachable, match="was not understood") as failure:
        store.push()
    assert "proxy" in failure.value.hint
    assert "busy" not in str(failure.value)


@pytest.fixture
def service(gemini: Any) -> Iterator[GeminiService]:
    access = Access(gemini.key, gemini.url, 5.0, "gemini-test", "")
    made = GeminiService(access, lambda what, tokens_in, tokens_out: None, lambda seconds: None)
    yield made
    made.close()


@pytest.mark.parametrize("answer", ["{}", "[]", '"secret words"', "null"])
@pytest.mark.parametrize("call", ["create store", "get document", "generate"])
def test_json_of_another_form_is_said_to_be_no_answer(
    service: GeminiService, gemini: Any, call: str, answer: str
) -> None:
    name = service.make_store("gieok")
    gemini.fail(call, OTHER_JSON, answer)
    asking: Callable[[], object] = {
        "create store": partial(service.find_or_make_store, "other"),
        "get document": partial(service.document, f"{name}/documents/d1"),
        "generate": partial(service.search, [name], "port", "", 5, 5.0),
    }[call]
    with pytest.raises(StoreUnreachable, match="was not understood") as failure:
        asking()
    assert "secret words" not in f"{failure.value} {failure.value.hint}"


@pytest.mark.parametrize("answer", ["[]", '"secret words"', "null"])
@pytest.mark.parametrize(
    "call", ["list stores", "list documents", "upload bytes", "get operation", "delete store"]
)
def test_json_of_another_form_never_ends_in_another_error(
    service: GeminiService, gemini: Any, call: str, answer: str
) -> None:
    name = service.make_store("gieok")
    operation = service.upload(name, _PAYLOAD, list[str]().append)
    gemini.fail(call, OTHER_JSON, answer)
    with suppress(StoreUnreachable):
        match call:
            case "list stores":
                assert list(service.stores()) == []
            case "list documents":
                assert list(service.documents(name)) == []
            case "upload bytes":
                service.upload(name, _PAYLOAD, list[str]().append)
                pytest.fail("no answer was taken for one")
            case "get operation":
                service.progress(operation)
                pytest.fail("no answer was taken for one")
            case _:
                service.delete_store(name)


@pytest.mark.parametrize("key", ["AIza-key\n-more", "AIza key", "AIza-키"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_printed(
    open_gemini: Callable[..., GeminiStore], gemini: Any, key: str
) -> None:
    store = open_gemini(key=key)
    store.put(_FIRST)
    with pytest.raises(StoreUnreachable, match="the key for Gemini has a character") as failure:
        store.push()
    assert "AIza" not in f"{failure.value} {failure.value.hint}"
    assert not gemini.requests


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/a\nb", "ftp://127.0.0.1", "no address"])
def test_an_address_that_cannot_be_asked_is_refused(
    open_gemini: Callable[..., GeminiStore], url: str
) -> None:
    store = open_gemini(url=url)
    store.put(_FIRST)
    with pytest.raises(StoreUnreachable, match="is no address"):
        store.push()
