"""Fixtures of the managed store: Gemini File Search on the loopback, and homes that use it."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from file_search_server import FakeGemini, serving

from gieok.storage.index.gemini.costs import Terms
from gieok.storage.index.gemini.service import Access
from gieok.storage.index.gemini.store import GeminiStore
from gieok.storage.index.gemini.sync import UploadPlan
from gieok.surfaces.cli import main
from gieok.testing import ManualClock


@pytest.fixture
def gemini() -> Iterator[FakeGemini]:
    """Return a running service."""
    with serving(FakeGemini()) as fake:
        yield fake


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def open_gemini(
    gemini: FakeGemini, tmp_path: Path, clock: ManualClock
) -> Iterator[Callable[..., GeminiStore]]:
    """Return a function that opens a store of `tmp_path`; its pauses move the clock and take no
    time.
    """
    opened = []

    def open_(
        stores: tuple[str, ...] = ("gieok",), key: str = gemini.key, url: str = "", **terms: float
    ) -> GeminiStore:
        plan = UploadPlan("owner-1", stores, 400, 80, timeout_s=60.0)
        access = Access(key, url or gemini.url, 5.0, "gemini-test", "")
        limits = Terms(
            top_k=int(terms.get("top_k", 10)),
            daily_calls=int(terms.get("daily_calls", 100)),
            price_input=0.3,
            price_output=2.5,
            within_s=terms.get("within_s", 20),
            condition="",
            price_index=0.15,
            monthly_dollars=terms.get("monthly_dollars", 0.0),
        )
        store = GeminiStore(
            tmp_path / "gemini.sqlite",
            plan,
            access,
            limits,
            clock=clock,
            pause=lambda s: clock.advance(timedelta(seconds=s)),
        )
        opened.append(store)
        return store

    yield open_
    for store in opened:
        store.close()


class Home(NamedTuple):
    """A home whose memory is at the service, and what runs a command in it."""

    folder: Path
    notes: Path
    run: Callable[..., tuple[int, Any]]


@pytest.fixture
def home(
    gemini: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Home:
    user, notes = tmp_path / "user", tmp_path / "user" / "notes"
    notes.mkdir(parents=True)
    (notes / "cat.md").write_text("고양이 보리는 연어를 좋아한다.\n")
    (notes / "office.md").write_text("The VLAN of the office is 10.\n")
    folder = user / ".gieok"
    folder.mkdir()
    (folder / ".env").write_text(f"GEMINI_API_KEY={gemini.key}\n")
    (folder / ".env").chmod(0o600)
    for name, value in {
        "GIEOK_HOME": folder,
        "GIEOK_EMBEDDER": "none",
        "GIEOK_GEMINI_URL": gemini.url,
        "HOME": user,
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(user)
    # Commands of this process do not wait between tries: the service needs no time.
    monkeypatch.setitem(GeminiStore.__init__.__kwdefaults__, "pause", lambda seconds: None)

    def run(*arguments: str) -> tuple[int, Any]:
        status = main([*arguments, "--json"])
        return status, json.loads(capfd.readouterr().out)

    run("index", str(notes))
    assert run("store", "switch", "gemini")[0] == 0
    assert len(gemini.documents) == 2
    return Home(folder, notes, run)
