"""A home with two turns, the second of which changes what the first says."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.home.calls import open_call
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.text.handles import line_check

SCOPE = "agent:main"
OLD_KEY, NEW_KEY = "sessions/codex/s1#1", "sessions/codex/s2#1"


def enter_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a new home without an embedder, in which commands work from now on."""
    home = tmp_path / "home"
    monkeypatch.setenv("GIEOK_HOME", str(home))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    return home


def put_changed_turns(old: str, new: str, file: str) -> None:
    """Put two turns, and write into a file of claims that the second is later than the first."""
    put_turn(OLD_KEY, old, 1)
    put_turn(NEW_KEY, new, 9)
    at = int(datetime(2026, 11, 9, tzinfo=UTC).timestamp())
    row = [*_build_claim(OLD_KEY, old), SCOPE, *_build_claim(NEW_KEY, new), at]
    Path(file).parent.mkdir()
    Path(file).write_text(json.dumps([row]), encoding="utf-8")


def put_turn(key: str, line: str, day: int) -> None:
    """Put a block of one line, said on a day of November."""
    at = datetime(2026, 11, day, tzinfo=UTC)
    document = Document(
        scope=Scope(SCOPE),
        key=key,
        kind="turn",
        text=line,
        content_hash=line,
        created_at=at,
        updated_at=at,
        valid_from=at,
        metadata={
            "agent": "codex",
            "session": key.removeprefix("sessions/codex/").removesuffix("#1"),
            "from": "other:0",
        },
    )
    open_call({}).home.store.put([Entry(document, (Passage(0, len(line), 1, 1),))])


def _build_claim(key: str, line: str) -> list[object]:
    """Return how a claim is named that is all of a line: key, line, place, length, sum."""
    words = line.removeprefix("User: ")
    return [key, 1, len("User: "), len(words), line_check(words)]
