"""The hook asks the daemon first, and answers by words whenever that does not answer in time."""

import json
import threading
from pathlib import Path

import pytest
from tests.support.answering_daemon import answer_as_daemon

from gieok import __version__
from gieok.agents import table
from gieok.commands import load_command
from gieok.home.calls import open_call
from gieok.processes import wire
from gieok.text.handles import build_handle

_LINTER = "어떤 린터를 쓰기로 했지?"
_MEMORY = {
    "handle": "1a2b3c4d.2", "score": 0.9, "title": "", "text": "린터는 ruff", "citation": "",
    "category": "", "tags": "", "day": "2026-11-20", "who": "user", "answers": "", "status": "",
    "scope": "agent:main", "is_sure": True,
}  # fmt: skip
_DATA = {
    "text": "the daemon's text",
    "tokens": 7,
    "memories": [_MEMORY],
    "asked": [],
    "degraded": None,
    "is_hint": False,
}
_FAILURE = {"code": "error", "message": "x", "hint": ""}


def _answer(**more: object) -> dict[str, object]:
    return {"found": True, "data": _DATA, "text": "", "status": 0, "failure": None, **more}


def test_what_the_daemon_says_is_injected_and_kept_as_shown(known) -> None:
    with answer_as_daemon(known.home, _answer) as calls:
        said = known.hook(
            "prompt",
            known.payload(_LINTER, session_id="one"),
            GIT_EDITOR="true",
            HTTPS_PROXY="http://p",
        )
    assert said.context == "the daemon's text"
    (call,) = calls
    assert (call.operation, call.surface, call.folder) == ("recall", "hook", str(known.project))
    assert call.values["prompt"] == [_LINTER]
    assert (call.values["agent"], call.values["session"]) == ("claude-code", "one")
    assert call.values["within_ms"] > 0
    (kept,) = (
        json.loads(file.read_text()) for file in (known.home / "hook" / "sessions").iterdir()
    )
    assert kept["last"]["text"] == "the daemon's text"
    assert kept["last"]["memories"] == [_MEMORY]
    assert known.calls()[-1]["by"] == "daemon"


def test_where_the_daemon_fails_words_answer(known) -> None:
    with answer_as_daemon(known.home, lambda: _answer(failure=_FAILURE, data=None)):
        said = known.hook("prompt", known.payload(_LINTER))
    assert "flake8" in said.context
    assert known.calls()[-1]["by"] == "words"


def test_a_daemon_of_another_version_is_not_asked(known) -> None:
    with answer_as_daemon(known.home, _answer, "0.0.1") as calls:
        assert "flake8" in known.hook("prompt", known.payload(_LINTER)).context
    assert calls == []


def test_a_daemon_that_was_killed_leaves_an_address_that_harms_nobody(known) -> None:
    listening, _ = wire.listen(known.home, "now", __version__)
    listening.close()  # the files stay, as after `kill -9`
    assert "flake8" in known.hook("prompt", known.payload(_LINTER)).context
    (known.home / "daemon.json").write_text("{")
    assert "flake8" in known.hook("prompt", known.payload(_LINTER)).context
    assert known.log() == []


def test_a_daemon_that_does_not_answer_in_time_leaves_time_for_words(known) -> None:
    late = threading.Event()
    with answer_as_daemon(known.home, lambda: (late.wait(60), _answer())[1]):
        said = known.hook("prompt", known.payload(_LINTER), GIEOK_HOOK_DEADLINE_MS="4000")
        late.set()
    assert "flake8" in said.context
    assert known.calls()[-1]["by"] == "words"


def test_nothing_is_injected_twice_in_a_session_until_it_is_compacted(known) -> None:
    payload = known.payload(_LINTER, session_id="one")
    assert "flake8" in known.hook("prompt", payload).context
    assert known.hook("prompt", payload).out == b""
    assert "flake8" in known.hook("prompt", payload | {"session_id": "two"}).context
    known.hook("pre-compact", payload)
    assert "flake8" in known.hook("prompt", payload).context
    assert known.hook("prompt", payload).out == b""
    known.hook("session-start", payload | {"source": "compact"}, GIEOK_HOOK_SESSION_TOKENS="0")
    assert "flake8" in known.hook("prompt", payload).context


@pytest.mark.parametrize(
    ("agent", "name"),
    [("claude-code", "CLAUDE.md"), ("codex", "AGENTS.md"), ("gemini-cli", "GEMINI.md")],
)
def test_what_stands_in_the_agents_own_instructions_is_not_injected(
    known, agent: str, name: str
) -> None:
    text = "# Rules\n\n- 린터는 **ruff를** 쓰기로 했다. flake8은 느려서\n  버렸다.\n"
    (known.project / "sub").mkdir()
    (known.project / name).write_text(text)
    payload = known.payload(_LINTER) | {"cwd": str(known.project / "sub")}
    payload["hook_event_name"] = table.BY_NAME[agent].events["prompt"]
    assert known.hook("prompt", payload, "--agent", agent).out == b""
    (known.project / name).write_text("@rules/own.md\n" if agent == "claude-code" else "none\n")
    (known.project / "rules").mkdir()
    (known.project / "rules" / "own.md").write_text(text)
    assert bool(known.hook("prompt", payload, "--agent", agent).out) == (agent != "claude-code")


def test_the_handle_that_is_shown_is_that_of_the_memory(known) -> None:
    shown = known.hook("prompt", known.payload(_LINTER)).context
    handle = shown.splitlines()[-2].rpartition(", ")[2].rstrip(")")
    context = open_call({})
    keys = context.home.store.hashes(context.scope)
    assert [key for key in keys if build_handle(str(context.scope), key) == handle] == [
        key for key in keys if "decision/" in key
    ]


def test_what_stands_at_the_start_of_the_session_is_not_injected_again(known) -> None:
    payload = known.payload(_LINTER, session_id="one")
    assert (
        "린터는 ruff를 쓰기로 했다. flake8은 느려서 버렸다."
        in known.hook("session-start", payload).context
    )
    assert known.hook("prompt", payload).out == b""


def test_a_measure_asks_the_daemon_as_the_hook_does(
    known, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps({"prompt": _LINTER, "expect": ["1a2b3c4d.2"]}) + "\n")
    monkeypatch.setenv("GIEOK_HOME", str(known.home))
    with answer_as_daemon(known.home, _answer) as calls:
        measured = load_command("hook measure")(open_call({}, has_daemon=True), file=str(labels))
    assert len(calls) == 1
    assert measured.by == {"daemon": 1, "words": 0}
    assert measured.failed == ()
