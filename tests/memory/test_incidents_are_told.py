"""A model that fails is told of once an incident, through a real gateway, and what comes back of it
is no memory.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("pydantic_ai")

from gateway import TOKEN, Gateway

from gieok.commands.home.doctor import iter_chain_checks
from gieok.errors import MissingExtra
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory.sidecar import Sidecar
from gieok.model.memory import Scope
from gieok.paths import locate_daemon_log
from gieok.testing.clock import ManualClock
from gieok.testing.model_server import ModelServer

_SCOPE = Scope("agent:main")
_NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
_DOWN = (401, b'{"error":{"message":"no"}}')
_UP = (
    "<observations>\nDate: 2026-11-22\n* \N{LARGE RED CIRCLE} (12:00) [decision] We use Redis "
    "{1}\n</observations>"
)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    made = Gateway()
    made.configure(tmp_path / "user")
    yield made
    made.close()


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: ModelServer, gateway: Gateway
) -> Iterator[Call]:
    for name, value in {
        "GIEOK_HOME": tmp_path / "mind",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "openclaw",
        "GIEOK_OBSERVE_FOLDERS": tmp_path / "t",
        "GIEOK_OBSERVE_MODEL": "compatible:m",
        "GIEOK_OBSERVE_BASE_URL": f"{model.url}/v1",
        "GIEOK_NOTIFY_TO": "openclaw",
        "HOME": tmp_path / "user",
    }.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "t").mkdir()
    opened = open_call({}, clock=ManualClock(_NOW), zone=UTC, wait=lambda seconds: None)
    yield opened
    opened.home.journal.close()
    opened.home.store.close()


def _say(file: Path, text: str, number: int) -> None:
    at = (_NOW + timedelta(minutes=number)).isoformat()
    row = {"type": "user", "uuid": f"u{number}", "sessionId": "s", "timestamp": at}
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps({**row, "message": {"role": "user", "content": text}}) + "\n")


def _observe(call: Call, minutes: int = 0) -> None:
    """Capture and observe, as far ahead of now."""
    call.clock.advance(timedelta(minutes=minutes))
    sidecar = call.home.sidecar
    sidecar.capture_all()
    sidecar.observe(_SCOPE, flush=True)


def _incidents(call: Call) -> list[str]:
    return [incident.name for incident in call.home.journal.incidents()]


def test_an_incident_is_told_once_and_again_when_it_was_over_and_is_back(
    call, model, gateway, tmp_path
) -> None:
    model.script = [_DOWN]
    _say(tmp_path / "t" / "s.jsonl", "We decided to use Redis for the queue.", 1)
    for _ in range(4):
        _observe(call, minutes=20)
    assert len(gateway.took) == 1
    told = gateway.took[0][1]["text"]
    assert "compatible:m answered 401" in told
    facts = re.search(
        r"\[observer: generator_failed, tries: 1, tokens of messages that wait: (\d+)]", told
    )
    assert facts
    assert int(facts[1]) == call.home.sidecar.backlog_tokens(_SCOPE) > 0
    assert _incidents(call) == ["observer"]
    model.script = [_UP]
    _observe(call, minutes=20)
    assert _incidents(call) == []
    model.script = [_DOWN]
    _say(tmp_path / "t" / "s.jsonl", "We also decided to keep Postgres.", 2)
    _observe(call, minutes=20)
    _observe(call, minutes=20)
    assert len(gateway.took) == 2


def test_of_a_long_backlog_is_said_how_much_waits_at_least(call, model, gateway, tmp_path) -> None:
    model.script = [_DOWN]
    sidecar = call.home.sidecar
    low = sidecar.thresholds._replace(hard_stop_tokens=10)
    sidecar = replace(sidecar, thresholds=low)
    for number in range(3):
        _say(tmp_path / "t" / "s.jsonl", f"We decided to use Redis for queue {number}.", number)
    sidecar.capture_all()
    sidecar.observe(_SCOPE, flush=True)
    counted = sidecar.backlog_tokens(_SCOPE)
    assert gateway.took[0][1]["text"].endswith(f"that wait: at least {counted}]")


def test_of_what_was_never_asked_no_tries_are_told(
    call, model, gateway, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(type(call.home.sidecar.models), "open_observer", _raise_no_extra)
    _say(tmp_path / "t" / "s.jsonl", "We decided to use Redis for the queue.", 1)
    _observe(call)
    told = gateway.took[0][1]["text"]
    assert "[observer: missing_extra, tokens of" in told
    assert "tries" not in told


def _raise_no_extra(*_: object) -> None:
    raise MissingExtra("no package for the model")


def test_a_backlog_that_cannot_be_counted_leaves_the_incident_and_its_notice(
    call, model, gateway, tmp_path, monkeypatch
) -> None:
    model.script = [_DOWN]
    _say(tmp_path / "t" / "s.jsonl", "We decided to use Redis for the queue.", 1)
    sidecar = call.home.sidecar
    sidecar.capture_all()
    monkeypatch.setattr(Sidecar, "_describe_backlog", _raise_locked)
    with pytest.raises(OSError, match="locked"):
        sidecar.observe(_SCOPE, flush=True)
    assert _incidents(call) == ["observer"]
    assert "[observer: generator_failed, tries: 1]" in gateway.took[0][1]["text"]


def _raise_locked(*_: object) -> None:
    raise OSError("locked")


def test_a_gateway_that_is_gone_stops_nothing_and_raises_no_incident(
    call, model, gateway, tmp_path
) -> None:
    gateway.close()
    model.script = [_DOWN]
    _say(tmp_path / "t" / "s.jsonl", "We decided to use Redis for the queue.", 1)
    _observe(call)
    assert _incidents(call) == ["observer"]
    said = locate_daemon_log(call.home.folder).read_text(encoding="utf-8")
    assert "gieok: openclaw told nobody" in said
    assert TOKEN not in said
    checks = {check.name: check for check in iter_chain_checks(call)}
    assert not checks["notify openclaw"].ok
    assert checks["notify log"].ok
    model.script = [_UP]
    _observe(call, minutes=20)
    assert _incidents(call) == []


def test_what_the_gateway_writes_of_it_in_a_transcript_is_no_memory(
    call, model, gateway, tmp_path
) -> None:
    model.script = [_DOWN]
    _say(tmp_path / "t" / "s.jsonl", "We decided to use Redis for the queue.", 1)
    _observe(call)
    told = gateway.took[0][1]["text"]
    before = call.home.journal.stats(_SCOPE).messages
    sessions = tmp_path / "user" / ".openclaw" / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    rows = [{"type": "session", "id": "o", "timestamp": _NOW.isoformat(), "cwd": "/"}]
    for number, (role, text) in enumerate(
        [
            ("user", f"System: [2026-11-22 12:00:00 UTC] {told}\n\nRead HEARTBEAT.md if it exists"),
            ("user", told),
            ("assistant", f"> {told}"),
        ]
    ):
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        rows.append(
            {
                "type": "message",
                "id": f"m{number}",
                "timestamp": _NOW.isoformat(),
                "message": message,
            }
        )
    (sessions / "o.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    _observe(call)
    assert call.home.journal.stats(_SCOPE).messages == before
    assert len(gateway.took) == 1
