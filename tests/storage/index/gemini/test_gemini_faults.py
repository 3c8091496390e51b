"""Every call of the interface with every kind of fault: what is there in the end is what is wanted.

Run against the real SDK. A fault is an error in Google's shape, a connection that closes, or a page
in place of an answer; what was asked for may have been done all the same, so that nobody knows it.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from file_search_server import NO_ANSWER, NO_JSON

from gieok.errors import StoreUnreachable
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
