"""`gieok doctor`: a tick stands for something that was done just now, by the path of the work; the
rest says so.
"""

import json
import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.home.doctor import Check
from gieok.home.calls import open_call
from gieok.testing.model_server import ModelServer

#: The library that Google's client is built on warns of itself.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
_OBSERVED = (
    "<observations>\n* 🔴 (12:00) [decision] They settle payments on Tuesdays {1}\n</observations>"
)
_SAID = {"role": "user", "content": "We settle payments on Tuesdays."}
_ROW = {
    "type": "user",
    "uuid": "u1",
    "sessionId": "s",
    "timestamp": "2026-11-20T09:00:00Z",
    "message": _SAID,
}


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of somebody who uses nothing yet."""
    for name in [
        name for name in os.environ if name.endswith(("_API_KEY", "_CONFIG_DIR", "_HOME"))
    ]:
        monkeypatch.delenv(name)
    for name, value in {
        "HOME": tmp_path,
        "GIEOK_HOME": tmp_path / "g",
        "GIEOK_EMBEDDER": "none",
    }.items():
        monkeypatch.setenv(name, str(value))
    return tmp_path


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Return a provider of models on loopback."""
    made = ModelServer()
    yield made
    made.shutdown()
    made.server_close()


def _checks(*, free: bool = False, **flags: str) -> dict[str, Check]:
    call = open_call(
        {name.replace("__", "."): value for name, value in flags.items()}, forgiving=True
    )
    found = load_command("doctor")(call, free=free)
    return {check.name: check for check in found.checks}


def _observing(
    server: ModelServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    monkeypatch.setenv("OBSERVER_KEY", "k")
    address = server.url if provider in ("anthropic", "gemini", "ollama") else f"{server.url}/v1"
    return {
        "observe__model": f"{provider}:some-model",
        "observe__base_url": address,
        "observe__key_variable": "OBSERVER_KEY",
    }


@pytest.mark.parametrize("provider", ["anthropic", "compatible", "gemini", "ollama", "openai"])
def test_the_observer_observes_a_sentence_by_the_path_of_its_work(
    user: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    server.script = [_OBSERVED]
    check = _checks(**_observing(server, provider, monkeypatch))["observer"]
    assert (check.ok, check.detail) == (True, f"{provider}:some-model; it observed a sentence")
    assert len(server.requests) == 1
    assert "settle payments on Tuesdays" in json.dumps(server.requests[0][1])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((401, b'{"error": {"message": "no", "type": "x"}}'), "answered 401"),
        ((404, b'{"error": {"message": "no such model", "type": "x"}}'), "answered 404"),
        ((503, b"{}"), "answered 503"),
        ("I would rather not.", ""),
        ("<observations>\n</observations>", "without observations"),
        (None, "failed"),
    ],
)
def test_an_observer_that_does_not_is_broken_and_asked_at_most_twice(
    user: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, answer: object, words: str
) -> None:
    server.script = [answer]  # type: ignore[list-item]
    check = _checks(**_observing(server, "openai", monkeypatch))["observer"]
    assert check.ok is False
    assert words in check.detail
    assert 1 <= len(server.requests) <= 2


def test_every_model_that_a_setting_names_is_asked(
    user: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script = [_OBSERVED]
    url = f"{server.url}/v1"
    flags = {
        "code__model": "compatible:a",
        "code__base_url": url,
        "code__upkeep_model": "compatible:b",
        "reflect__model": "compatible:c",
        "reflect__base_url": url,
        "character__model": "compatible:d",
        "character__base_url": url,
        "character__memory_model": "compatible:e",
    }
    checks = _checks(**flags)
    names = {
        "code.model",
        "code.upkeep_model",
        "reflect.model",
        "character.model",
        "character.memory_model",
    }
    assert {name for name in names if checks[name].ok} == names
    assert {body["model"] for _, body in server.requests} == set("abcde")
    server.script = [(500, b"{}")]
    checks = _checks(**flags)
    assert {name for name in names if checks[name].ok is False} == names


@pytest.mark.parametrize("provider", ["anthropic", "compatible", "gemini", "ollama"])
def test_a_model_that_never_answers_is_waited_for_as_long_as_the_setting_says(
    user: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    done = threading.Event()
    server.script = [lambda body: "late" if done.wait(60) else "later"]
    check = _checks(**_observing(server, provider, monkeypatch), doctor__timeout_s="0.2")[
        "observer"
    ]
    done.set()
    assert check.ok is False
    assert "did not answer within 0.2 s" in check.detail
    assert len(server.requests) == 1


@pytest.mark.parametrize("provider", ["anthropic", "compatible", "gemini", "ollama"])
def test_a_model_of_characters_that_never_answers_is_waited_for_no_longer(
    user: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    done = threading.Event()
    server.script = [lambda body: "late" if done.wait(60) else "later"]
    flags = {
        name.replace("observe", "character"): value
        for name, value in _observing(server, provider, monkeypatch).items()
    }
    check = _checks(**flags, doctor__timeout_s="0.2")["character.model"]
    done.set()
    assert check.ok is False
    assert f"{provider}:some-model" in check.detail
    assert len(server.requests) == 1


def test_what_costs_money_is_not_tried_where_it_must_be_free(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "COHERE_API_KEY"):
        monkeypatch.setenv(name, "k")
    monkeypatch.setenv("GIEOK_EMBEDDER", "openai")
    flags = {
        "observe__model": "anthropic:claude-haiku-4-5",
        "reranker": "cohere",
        "code__model": "codex",
    }
    checks = _checks(
        free=True, **flags, embedder__model="text-embedding-3-small", reranker__model="rerank-v4"
    )
    for name in ("observer", "embedder", "reranker", "code.model"):
        assert checks[name].ok is None, name
        assert "may cost money" in checks[name].detail
    assert checks["write, read back, search"].ok


def test_a_model_on_this_machine_is_tried_where_it_must_be_free(
    user: Path, server: ModelServer
) -> None:
    server.script = [_OBSERVED]
    checks = _checks(free=True, observe__model="ollama:small", observe__base_url=server.url)
    assert checks["observer"].ok
    assert len(server.requests) == 1


def test_the_tokens_of_the_day_hold_for_the_doctor_too(
    user: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = _checks(**_observing(server, "openai", monkeypatch), observe__daily_tokens="10")[
        "observer"
    ]
    assert check.ok is None
    assert check.detail.startswith("not tried: 0 of 10 model tokens are spent today")
    assert server.requests == []


def test_what_there_is_nothing_of_has_neither_sign(user: Path) -> None:
    checks = _checks()
    assert {name for name, check in checks.items() if check.ok is None} == {
        "embedder",
        "folders",
        "transcripts",
        "hook",
    }
    assert all(
        check.detail.startswith("not tried: ") for check in checks.values() if check.ok is None
    )
    shown = load_command("doctor").present(
        load_command("doctor")(open_call({})), Style("en", colour=False)
    )
    assert "  – folders: not tried: " in shown


def _claude(user: Path, *lines: object) -> Path:
    file = user / ".claude" / "projects" / "-shop" / "s.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def test_the_newest_transcript_of_an_agent_is_read_and_nothing_is_kept(user: Path) -> None:
    file = _claude(user, _ROW, {**_ROW, "uuid": "u2"})
    check = _checks()["transcripts of claude-code"]
    assert (check.ok, check.detail) == (
        True,
        f"2 messages were read in the newest of 1, {str(file)!r}",
    )
    assert (
        not (user / "g" / "journal.sqlite").exists()
        or open_call({}).home.journal.stats().messages == 0
    )


def test_a_transcript_that_nobody_understands_is_no_success(user: Path) -> None:
    _claude(user, {"kind": "of another release", "what": 1})
    check = _checks()["transcripts of claude-code"]
    assert check.ok is False
    assert "not in the format of a known transcript" in check.detail


def test_a_session_in_which_nobody_spoke_yet_is_neither(user: Path) -> None:
    _claude(user, {"type": "summary", "summary": "x", "leafUuid": "u"})
    check = _checks()["transcripts of claude-code"]
    assert check.ok is None
    assert "0 messages" not in check.detail


@pytest.mark.skipif(sqlite3.sqlite_version_info >= (3, 43), reason="Python's own SQLite reads it")
def test_a_database_that_needs_an_extra_names_it(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = user / ".openclaw" / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"")
    monkeypatch.setitem(sys.modules, "apsw", None)
    check = _checks()["transcripts of openclaw"]
    assert check.ok is False
    assert "needs SQLite 3.43" in check.detail
    assert "[openclaw]" in check.hint


def test_an_archive_is_looked_into(user: Path) -> None:
    vault = user / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    flags = {"archive__cold": "obsidian", "archive__folder": str(vault)}
    assert _checks(**flags)["archive"].ok
    (vault / ".obsidian").rmdir()
    vault.rmdir()
    assert _checks(**flags)["archive"].ok is False
    without = _checks(archive__cold="dropbox")["archive"]
    assert without.ok is False
    assert "gieok keys set" in without.hint


def test_a_notification_that_would_be_seen_is_not_tried(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = user / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setattr(sys, "platform", "linux")
    checks = _checks(notify__to="desktop")
    assert (checks["notify log"].ok, checks["notify desktop"].ok) == (True, None)
    assert "not tried" in checks["notify desktop"].detail


def test_a_setting_that_is_wrong_lets_nothing_else_pass_for_it(user: Path) -> None:
    (user / "g").mkdir()
    (user / "g" / "config.yaml").write_text("observe.model: bogus:xyz\n", encoding="utf-8")
    checks = _checks()
    assert checks["settings"].ok is False
    assert "no provider 'bogus'" in checks["settings"].detail
    assert checks["observer"].ok is None


@pytest.mark.parametrize(
    ("model", "why", "next_step"),
    [
        (
            "anthropic:claude-haiku-4-5",
            "needs a key: ANTHROPIC_API_KEY is not set",
            "gieok keys set anthropic",
        ),
        ("codex", "needs the command `codex`", "install it"),
    ],
)
def test_status_says_that_observing_stopped_and_asks_nobody(
    user: Path, monkeypatch: pytest.MonkeyPatch, model: str, why: str, next_step: str
) -> None:
    monkeypatch.setenv("PATH", str(user))
    monkeypatch.setenv("GIEOK_OBSERVE_MODEL", model)
    found = load_command("status")(open_call({}))
    shown = load_command("status").present(found, Style("en", colour=False))
    assert "✗ observing stopped: " in shown
    assert why in shown
    assert next_step in shown
    assert "✓" not in shown


def test_status_names_a_model_that_the_file_of_settings_names_wrongly(user: Path) -> None:
    (user / "g").mkdir()
    (user / "g" / "config.yaml").write_text(
        "observe.model: rules:claude-haiku-4-5\n", encoding="utf-8"
    )
    found = load_command("status")(open_call({}, forgiving=True))
    shown = load_command("status").present(found, Style("en", colour=False))
    assert "✗ observing stopped: observe.model is 'rules:claude-haiku-4-5'" in shown
    assert "it takes no model's name" in shown
