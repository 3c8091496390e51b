"""`gieok why --last` shows exactly what was last put before an agent, with scores and cost."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gieok.commands.run import OperationAnswer, run_operation
from gieok.home.calls import open_call
from gieok.hook.inject import InjectedMemory, render_injection
from gieok.hook.window import ContextWindow

_RULE = InjectedMemory(
    title="Deploy",
    citation="deploy.md#L1",
    text="On Tuesdays.",
    handle="1a2b3c4d",
    score=0.876,
    status="current",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def _shown(
    home: Path, session: str, at_s: float, memories: Sequence[InjectedMemory], **more: object
) -> None:
    ContextWindow(str(home), "codex", session).keep(
        "prompt", render_injection(list(memories), 700), at_s, by="daemon", ms=31.4, **more
    )


def _why(**values: object) -> OperationAnswer:
    return run_operation("why", values, lambda found: open_call({}), lang="en")


def test_the_last_injection_is_shown_with_its_scores_and_cost(home: Path) -> None:
    _shown(home, "one", 1_760_000_000.0, [_RULE])
    _shown(
        home,
        "two",
        1_760_000_060.0,
        [InjectedMemory(title="", citation="", text="몇 시로?", who="user", score=0.4)],
    )
    _shown(home, "one", 1_760_000_030.0, [])
    one, newest = _why(last=True, session="one"), _why(last=True)
    assert isinstance(one.data, dict)
    assert one.data["memories"] == [
        {"handle": "1a2b3c4d", "score": 0.876, "status": "current", "title": "Deploy"}
    ]
    assert (one.data["by"], one.data["ms"], one.data["agent"]) == ("daemon", 31.4, "codex")
    assert one.data["text"] == render_injection([_RULE], 700).text
    assert one.data["tokens"] == render_injection([_RULE], 700).tokens
    assert "0.88  1a2b3c4d" in one.text
    assert "몇 시로?" in newest.text


def test_secrets_that_only_a_newer_rule_knows_are_cut_from_what_is_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shown(
        home,
        "one",
        1_760_000_000.0,
        [InjectedMemory(title="Door", citation="d.md", text="Code DOOR-4711 opens it.")],
    )
    monkeypatch.setenv(
        "GIEOK_REDACT_RULES",
        (
            '[{"name": "door", "pattern": "DOOR-[0-9]+", "example": "DOOR-1", "counter_example": '
            '"DOOR"}]'
        ),
    )
    assert "4711" not in str(_why(last=True))


def test_who_asks_for_what_was_never_shown_is_told_so(home: Path) -> None:
    assert (failure := _why(last=True).failure)
    assert failure.message == "no agent was given anything yet"
    assert "gieok recall" in failure.hint
    _shown(home, "one", 1_760_000_000.0, [_RULE])
    assert (failure := _why(session="other").failure)
    assert failure.hint == "sessions: one"
    assert (failure := _why().failure)
    assert "gieok why --last" in failure.hint


def test_only_so_many_sessions_are_kept_and_for_nobody_else(home: Path) -> None:
    for number in range(60):
        _shown(home, f"s{number}", 1_760_000_000.0 + number, [_RULE])
    files = list((home / "hook" / "sessions").iterdir())
    assert len(files) <= 41
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
