"""A conversation of 40,000 tokens in Korean and English, distilled through a real client library
and a loopback server.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from gieok.commands import load_command
from gieok.commands.encode import encode
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import scope_memory
from gieok.memory.observer.buffer import READER
from gieok.paths import locate_daemon_log
from gieok.testing.clock import ManualClock
from gieok.testing.model_server import ModelServer, TruncatedAnswer, read_request_text
from gieok.text.tokens import estimate_tokens

_SEOUL = timezone(timedelta(hours=9))
_BEGIN = datetime(2026, 11, 18, 1, tzinfo=UTC)
_LINES = (
    (
        "user",
        "결정 {n}: 결제 재시도 간격을 {n}초로 바꾸기로 했다. 근거는 지난주 장애 보고서에 있는 시간 초과 기록이다. ",
    ),
    (
        "assistant",
        (
            "Understood. I changed retry_interval to {n} seconds in payments/config.yaml and ran "
            "the tests. "
        ),
    ),
    (
        "user",
        (
            "We also moved the invoice parser to version 2.{n}, because 1.9 fails on page three "
            "of scanned files. "
        ),
    ),
    ("assistant", "파서를 2.{n}으로 올리고 스캔 파일 열두 개로 확인했습니다. 모두 통과했습니다. "),
)


def _conversation(file: Path, tokens: int) -> int:
    """Write a conversation of about so many tokens over four days; return how many messages it
    has.
    """
    count = written = 0
    with file.open("w", encoding="utf-8") as out:
        while written < tokens:
            role, text = _LINES[count % len(_LINES)]
            text = text.format(n=count) * 3
            at = (_BEGIN + timedelta(minutes=15 * count)).isoformat()
            out.write(
                json.dumps({"role": role, "content": text, "timestamp": at}, ensure_ascii=False)
                + "\n"
            )
            written += estimate_tokens(text)
            count += 1
    return count


def _observe(body: dict[str, Any]) -> str:
    """Answer as a good model would: note the decisions that the prompt holds, with their messages
    and times.
    """
    told = read_request_text(body).rpartition("<conversation>")[2]
    found = re.findall(r"\[(\d+)\] (\d\d:\d\d) user: 결정 (\d+)|Date: (\d{4}-\d\d-\d\d)", told)
    lines = []
    for number, clock, decision, day in found:
        if day:
            lines.append(f"Date: {day}")
        elif len(lines) < 18:
            lines.append(
                f"* 🔴 ({clock}) [decision] 결제 재시도 간격을 {decision}초로 바꾸기로 했다 {{{number}}}"
            )
    text = "\n".join(lines)
    return f"<observations>\n{text}\n</observations>\n<current-task>\n결제 재시도 조정\n</current-task>"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> Path:
    for name, value in {
        "GIEOK_HOME": tmp_path / "home",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": tmp_path / "t",
        "GIEOK_OBSERVE_MODEL": "openai:some-model",
        "GIEOK_OBSERVE_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": "key",
    }.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "t").mkdir()
    return tmp_path


def _context(clock: ManualClock) -> Call:
    return open_call(
        {}, clock=clock, zone=_SEOUL, wait=lambda s: clock.advance(timedelta(seconds=s))
    )


def _run(call: Call) -> dict[str, Any]:
    done: dict[str, Any] = encode(load_command("observe run")(call, once=True))
    return done


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_long_conversation_becomes_dated_observations(
    home: Path, server: ModelServer, capsys
) -> None:
    count = _conversation(home / "t" / "a.jsonl", 40_000)
    server.script = [_observe]
    call = _context(ManualClock(_BEGIN + timedelta(days=5)))
    done = _run(call)
    assert done["messages"] == count
    held = scope_memory.load_scope_memory(call.home.store, call.scope)
    assert len(held.observations) > 30
    for o in held.observations:
        number = int(re.findall(r"간격을 (\d+)초", o.text)[0])
        assert o.at == _BEGIN + timedelta(minutes=15 * number), (
            "the day and time of its own message"
        )
        assert o.category == "decision"
        (message,) = call.home.journal.messages(call.scope, o.message_ids)
        assert message.message.text.startswith(f"결정 {number}:")
    assert held.task == "결제 재시도 조정"
    text = (home / "home" / "active_memory.md").read_text(encoding="utf-8")
    assert estimate_tokens(text) <= 2_500
    assert "결제 재시도 조정" in text
    stats = load_command("observe stats")(call)
    assert stats.compression > 5
    with capsys.disabled():
        print(
            f"\n{count} messages, {len(held.observations)} observations, compression "
            f"{stats.compression:.1f}"
        )
    why = load_command("why")(call, id=held.documents[0].key)
    assert why.messages[0].line == 1
    before = len(server.requests)
    assert _run(call)["steps"] == {}
    assert len(server.requests) == before, "nothing is asked twice"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_whatever_the_model_does_nothing_is_lost_and_it_resumes_by_itself(
    home: Path, server: ModelServer
) -> None:
    count = _conversation(home / "t" / "a.jsonl", 9_000)
    clock = ManualClock(_BEGIN + timedelta(days=5))
    call = _context(clock)
    loop = "* 🔴 (10:00) [state] 같은 말을 되풀이한다\n" * 80
    for trouble in ((500, b"{}"), None, "", "<html>it works</html>", (200, b"garbage"), loop):
        server.script = [trouble]
        assert _run(call)["waiting"]
        assert call.home.journal.position(call.scope, READER) == 0
        asked = len(server.requests)
        assert _run(call)["waiting"], "before its time it is not tried again"
        assert len(server.requests) == asked
        clock.advance(timedelta(minutes=16))
    assert call.home.journal.stats(call.scope).messages == count
    assert scope_memory.load_scope_memory(call.home.store, call.scope).observations == ()
    notified = locate_daemon_log(home / "home").read_text(encoding="utf-8").splitlines()
    assert len(notified) == 1
    assert "the observer waits" in notified[0]
    server.script = [_observe]
    assert _run(call)["waiting"] is None
    held = scope_memory.load_scope_memory(call.home.store, call.scope)
    assert held.observations
    assert call.home.journal.incidents() == []
    server.script = [(401, b"{}")]
    with (home / "t" / "a.jsonl").open("a") as out:
        out.write(
            json.dumps({"role": "user", "content": "더", "timestamp": "2026-11-24T01:00:00Z"})
            + "\n"
        )
    assert "401" in _run(call)["waiting"]
    assert len(locate_daemon_log(home / "home").read_text(encoding="utf-8").splitlines()) == 2, (
        "a new incident is told again"
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_answer_that_is_always_cut_off_is_never_kept_and_waits_until_tomorrow(
    home: Path, server: ModelServer
) -> None:
    _conversation(home / "t" / "a.jsonl", 9_000)
    server.script = [TruncatedAnswer("<observations>\n* 🔴 (10:00) [state] 반쪽\n")]
    clock = ManualClock(_BEGIN + timedelta(days=5, hours=9))
    call = _context(clock)
    assert "was cut off after 7 tokens" in _run(call)["waiting"]
    asked = len(server.requests)
    assert asked == 6, "whole, a half, a quarter, each with twice the room"
    clock.advance(timedelta(hours=2))
    _run(call)
    assert len(server.requests) == asked, "the same again would be cut again, and paid for"
    assert scope_memory.load_scope_memory(call.home.store, call.scope).observations == ()
    (incident,) = call.home.journal.incidents()
    assert incident.next_try.astimezone(_SEOUL).hour == 0
    clock.advance(timedelta(hours=24))
    server.script = [_observe]
    assert _run(call)["waiting"] is None
