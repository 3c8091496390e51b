"""What the calls of one process share, and when it is let go."""

import gc
import json
import threading
import weakref
from pathlib import Path

import pytest

from gieok.home.calls import open_call
from gieok.home.resident import Resident
from gieok.testing.hash_embedder import HashEmbedder
from gieok.text.redact import redact, user_rules


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home of its own."""
    for name, value in {
        "HOME": tmp_path,
        "GIEOK_HOME": tmp_path / "home",
        "GIEOK_EMBEDDER": "none",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def test_calls_with_the_same_settings_share_a_store_wherever_they_come_from(tmp_path: Path) -> None:
    resident = Resident()
    (tmp_path / "shop" / ".gieok").mkdir(parents=True)
    here = open_call({}, resident=resident)
    there = open_call({"lang": "ko"}, folder=tmp_path / "shop", resident=resident)
    assert here.scope != there.scope
    assert here.home.store is there.home.store
    other = open_call({}, environment={"GIEOK_STORE_TIMEOUT_S": "9"}, resident=resident)
    assert other.home.store is not here.home.store


def test_another_home_has_another_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resident = Resident()
    first = open_call({}, resident=resident).home.store
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "other"))
    assert open_call({}, resident=resident).home.store.location != first.location


def test_what_nobody_uses_is_let_go_and_made_again() -> None:
    resident = Resident()
    made = 0

    def make() -> HashEmbedder:
        nonlocal made
        made += 1
        return HashEmbedder(32)

    embedder = weakref.ref(resident.embedder("e5", make))
    store = weakref.ref(open_call({}, resident=resident).home.store)
    resident.release(3600)
    assert (resident.embedder("e5", make) is embedder(), made) == (True, 1)
    resident.release(0)
    gc.collect()
    assert (embedder(), store()) == (None, None)
    resident.embedder("e5", make)
    resident.embedder(("e5", 2), make)
    assert made == 3


def _rule(word: str) -> str:
    rule = {
        "name": word.lower(),
        "pattern": f"{word}-[0-9]{{6}}",
        "example": f"{word}-123456",
        "counter_example": "x",
    }
    return json.dumps([rule])


def test_the_redaction_rules_of_a_call_are_those_of_its_caller_and_of_no_one_else(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_rules, "_rules", None)
    home.mkdir()
    settings = home / "config.yaml"
    settings.write_text(f"redact: {{rules: {_rule('ZQX')}}}")
    open_call({})
    seen: list[str] = []

    def call(environment: dict[str, str] | None, *, forgiving: bool = False) -> str:
        """Return what a thread makes of a text: one that answers a caller, or, without, one of the
        process's own.
        """

        def answered() -> None:
            if environment is not None:
                open_call({}, environment=environment, resident=Resident(), forgiving=forgiving)
            seen.append(redact("ZQX-111111 OTH-222222"))

        thread = threading.Thread(target=answered)
        thread.start()
        thread.join()
        return seen.pop()

    assert call({"GIEOK_REDACT_RULES": _rule("OTH")}) == "ZQX-111111 [redacted:oth]"
    assert call(None) == "[redacted:zqx] OTH-222222"
    settings.write_text("redact: {rules: [")
    assert call({}, forgiving=True) == call(None) == "[redacted:zqx] OTH-222222"
