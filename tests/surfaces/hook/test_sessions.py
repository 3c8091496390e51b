"""Around a session: the index at its start, the transcript that is kept at its ends, and what is
counted.
"""

import json
import os
from pathlib import Path

from gieok.hook import inject
from gieok.text.tokens import estimate_tokens

_LINTER = "어떤 린터를 쓰기로 했지?"


def _start(place, **environment: str) -> str:
    """Return what a new session is told."""
    return place.hook("session-start", place.payload(""), **environment).context


def _note(place, path: str, text: str) -> Path:
    file = place.project / ".gieok" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_session_is_told_what_is_known_what_binds_most_first(known) -> None:
    lines = [line for line in _start(known).splitlines() if line.startswith("- ")]
    assert [line.partition(":")[0] for line in lines] == [
        "- constraint",
        "- decision",
        "- preference",
    ]
    assert lines[0] == "- constraint: Deploy window (.gieok/memory/constraint/deploy-window.md)"
    assert "존댓말" not in "".join(lines)  # the user's own are no project's
    assert known.calls()[-1]["shown"] == 3


def test_the_index_keeps_to_its_budget(known) -> None:
    for budget, shown in ((600, 3), (30, 1), (1, 0), (0, 0)):
        context = _start(known, GIEOK_HOOK_SESSION_TOKENS=str(budget))
        lines = [line for line in context.splitlines() if line.startswith("- ")]
        assert len(lines) == shown
        assert sum(map(estimate_tokens, lines)) <= budget


def test_the_index_is_never_longer_than_an_agent_takes(place) -> None:
    quotes = '"' * 90
    for n in range(20):
        _note(place, f"memory/decision/{'&' * 241}{n}.md", f"# {quotes}\n\ntext {n}\n")
    place.trust()
    context = _start(place, GIEOK_HOOK_SESSION_TOKENS="100000")
    assert 5_000 < inject.count_text_bytes(context) <= inject.MOST_BYTES


def test_what_changed_by_hand_is_known_in_the_next_session_once_it_is_trusted(known) -> None:
    text = "---\ncategory: runbook\n---\n# Restore a backup\n\nRun pg_restore with four jobs.\n"
    _note(known, "memory/runbook/restore.md", text)
    (known.project / ".gieok" / "memory" / "constraint" / "deploy-window.md").unlink()
    context = _start(known)
    assert "Restore a backup" not in context
    assert "Deploy window" not in context
    known.trust()
    context = _start(known)
    assert "- runbook: Restore a backup (.gieok/memory/runbook/restore.md)" in context
    assert "Deploy window" not in context
    asked = known.payload("How do we restore a backup?")
    assert "| Run pg_restore with four jobs." in known.hook("prompt", asked).context


def test_what_was_retired_long_ago_is_deleted_when_a_session_starts(known) -> None:
    old = _note(known, "retired/decision/old.md", "---\nretired: 2020-01-01T00:00:00Z\n---\nold\n")
    new = _note(known, "retired/decision/new.md", "---\nretired: 2999-01-01T00:00:00Z\n---\nnew\n")
    hand = _note(known, "retired/decision/hand.md", "put here by hand\n")
    _start(known)
    assert (old.exists(), new.exists(), hand.exists()) == (False, True, True)


def test_a_wrong_setting_does_not_spoil_the_start_of_a_session(known) -> None:
    (known.home / "config.yaml").write_text("hook.limit: many\n")
    assert "Deploy window" in _start(known)


def test_a_spooled_file_is_private_and_whole(place) -> None:
    said = place.run(
        "stop",
        b'{"session_id": "s", "cwd": "/x", "transcript_path": "/t/caf\xe9 \xea\xb8\xb0.jsonl"}',
    )
    assert said == (0, b"", b"")
    (file,) = (place.home / "spool").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    row = json.loads(file.read_text())
    assert os.fsencode(row["transcript_path"]) == b"/t/caf\xe9 \xea\xb8\xb0.jsonl"


def test_the_counters_hold_no_word_of_a_prompt_or_a_memory(known) -> None:
    known.hook("prompt", known.payload(_LINTER))
    known.hook("prompt", known.payload(_LINTER), GIEOK_HOOK_FLOOR="0.95")
    known.hook("prompt", known.payload("지난번에 코끼리 사료를 어떻게 하기로 했지?"))
    known.hook("prompt", known.payload("Write a haiku about giraffes in Kenya."))
    _start(known)
    known.hook("stop", known.payload("", transcript_path="/t/elephant.jsonl"))
    rows = known.calls()
    assert [(row.get("high"), row.get("medium"), row.get("noted")) for row in rows[:4]] == [
        (1, 0, False),
        (0, 1, False),
        (0, 0, False),
        (0, 0, False),
    ]
    texts = {"event", "agent", "session", "by"}
    numbers = {"at", "ms", "high", "medium", "noted", "score", "tokens", "shown"}
    assert {name for row in rows for name in row} == texts | numbers
    assert all(isinstance(row.get(name, 0), int | float) for row in rows for name in numbers)
    text = (known.home / "hook" / "calls.jsonl").read_text()
    for word in (
        "린터",
        "ruff",
        "flake8",
        "코끼리",
        "haiku",
        "giraffe",
        "Deploy",
        "shop",
        "elephant",
    ):
        assert word not in text
