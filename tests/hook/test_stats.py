"""Counters of the hook: what is counted, what follows what, and whose calls are nobody's."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.home.calls import open_call
from gieok.hook import stats
from gieok.surfaces.hook import trail
from gieok.testing import ManualClock

_NOW = datetime(2026, 11, 20, tzinfo=UTC)


def _prompt(at: int, session: str = "a", **levels: Any) -> dict[str, Any]:
    return {
        "at": at,
        "event": "prompt",
        "session": session,
        "ms": 1.0,
        "high": 0,
        "medium": 0,
        "noted": False,
        **levels,
    }


def _search(at: int, session: str = "a") -> dict[str, Any]:
    return {"at": at, "event": "search", "session": session}


def test_calls_are_counted_by_what_came_of_them() -> None:
    rows = [
        _prompt(1, high=2),
        _prompt(2, high=1, medium=1),
        _prompt(3, medium=3),
        _prompt(4, noted=True),
        _prompt(5, ms=9.0),
    ]
    s = stats.count_hook_calls(
        [
            *rows,
            {"at": 7, "event": "session-start", "ms": 900.0},
            {"at": 8, "event": "stop", "ms": 900.0},
        ]
    )
    assert (s.prompts, s.high, s.medium, s.notes, s.silent, s.followed) == (5, 2, 2, 1, 1, 0)
    assert s.events == {"prompt": 5, "session-start": 1, "stop": 1}
    assert (s.p50_ms, s.p95_ms) == (1.0, 9.0)


def test_the_share_of_prompts_that_words_alone_answered_is_told() -> None:
    rows = [_prompt(1, by="daemon"), _prompt(2, by="words"), _prompt(3, by="words"), _prompt(4)]
    s = stats.count_hook_calls(rows)
    assert (s.by_meaning, s.by_words) == (1, 2)
    assert stats.share_by_words(s) == pytest.approx(2 / 3)
    assert stats.share_by_words(stats.count_hook_calls([])) is None


@pytest.mark.parametrize(
    ("count", "p50", "p95"),
    [(0, 0, 0), (1, 1, 1), (2, 1, 2), (5, 3, 5), (20, 10, 19), (100, 50, 95)],
)
def test_a_percentile_is_the_least_value_that_so_many_do_not_exceed(
    count: int, p50: int, p95: int
) -> None:
    s = stats.count_hook_calls([_prompt(n, ms=float(n)) for n in range(count, 0, -1)])
    assert (s.p50_ms, s.p95_ms) == (p50, p95)


@pytest.mark.parametrize(
    ("searches", "followed"),
    [
        ([], 0),
        ([_search(1_500)], 1),
        ([_search(1_500), _search(1_600)], 1),
        ([_search(1_500, "b")], 0),
        ([_search(500)], 0),
        ([_search(10**9)], 1),
        ([_search(1_500, "")], 1),
        ([_search(1_000 + 600_001, "")], 0),
    ],
    ids=[
        "none",
        "after",
        "twice",
        "other session",
        "before",
        "late, same session",
        "soon, no session",
        "late, no session",
    ],
)
def test_a_title_is_followed_by_a_search_after_it_in_its_session(
    searches: list[dict[str, Any]], followed: int
) -> None:
    assert (
        stats.count_hook_calls(
            [_prompt(1_000, medium=1), _prompt(1_001, "c", high=1), *searches]
        ).followed
        == followed
    )


def _write(home: Path, name: str, *lines: object) -> None:
    (home / "hook").mkdir(exist_ok=True)
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    (home / "hook" / name).write_text(text, encoding="utf-8")


def test_lines_that_are_none_and_the_doctors_calls_are_passed_over(tmp_path: Path) -> None:
    assert stats.read_hook_calls(tmp_path) == []
    _write(tmp_path, "calls.jsonl.1", _prompt(1))
    wrong = [
        '{"at": 2, "ev',
        "[]",
        '"x"',
        {"event": "prompt"},
        {"at": "2", "event": "prompt"},
        {"at": 3},
    ]
    _write(tmp_path, "calls.jsonl", *wrong, _prompt(5))
    trail.count_hook_call(str(tmp_path), {"event": "prompt", "session": stats.PROBE})
    trail.count_hook_call(str(tmp_path), {"event": "prompt", "session": "\ud800 기억"})
    assert [row["at"] for row in stats.read_hook_calls(tmp_path)][:2] == [1, 5]
    assert len(stats.read_hook_calls(tmp_path)) == 3


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_last_days_are_counted_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path))
    call, op, style = (
        open_call({}, clock=ManualClock(_NOW)),
        load_command("hook stats"),
        Style(lang, colour=False),
    )
    nothing = op(call)
    assert (nothing.found, "not called" in op.present(nothing, style)) == (False, lang == "en")
    now_ms = round(_NOW.timestamp() * 1000)
    _write(
        tmp_path,
        "calls.jsonl",
        *(_prompt(now_ms - days * 86_400_000, ms=12.34) for days in (40, 20, 1)),
    )
    counted = [op(call, days=days) for days in (30, 2, 0)]
    assert [encode(result)["prompts"] for result in counted] == [2, 1, 3]
    assert "12.3 / 12.3" in op.present(counted[0], style)
