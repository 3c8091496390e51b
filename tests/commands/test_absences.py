"""Where nothing is found, an answer says what it did not look at; without such a gap, and only
then, it is a fact.
"""

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from contexts import opened_home

from gieok.commands import load_command
from gieok.commands.command import Style, Surface
from gieok.commands.prompt.recall import RecallResult
from gieok.commands.request import check_request
from gieok.home.call import Call
from gieok.model.conversation import Incident
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.testing import ManualClock

_EN, _KO = Style("en", colour=False), Style("ko", colour=False)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("The umbrella stands behind the door.\n")
    return folder


@pytest.fixture
def call(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    with opened_home(
        tmp_path / "h", monkeypatch, ManualClock(), OBSERVE_AGENTS="claude-code"
    ) as made:
        _run(made, "index", paths=[str(notes)])
        yield made


def _run(call: Call, name: str, **values: object) -> Any:
    found = load_command(name)
    return found(call, **check_request(found, values, Surface.CLI))


def _says(call: Call, name: str, style: Style = _EN, **values: object) -> str:
    return load_command(name).present(_run(call, name, **values), style)


def _put_elsewhere(call: Call, scope: str, text: str) -> None:
    now = call.clock.now()
    document = Document(
        scope=Scope(scope),
        key="x/a.md",
        kind="memory",
        title="",
        text=text,
        content_hash="1",
        created_at=now,
        updated_at=now,
    )
    call.home.store.put([Entry(document, (Passage(0, len(text), 1, 1),))])


def _write_transcript(tmp_path: Path, text: str, *, session: str = "s") -> Path:
    folder = tmp_path / "user" / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True, exist_ok=True)
    row = {
        "type": "user",
        "uuid": f"u-{session}",
        "sessionId": session,
        "timestamp": "2026-01-04T09:00:00Z",
        "message": {"role": "user", "content": text},
    }
    file = folder / f"{session}.jsonl"
    file.write_text(json.dumps(row) + "\n")
    return file


#: Commands that look for something in memory, with words that nothing holds.
_ASKING = [
    ("search", {"query": ["quasar"]}),
    ("list", {"words": ["quasar"]}),
    ("recall", {"prompt": ["which quasar?"]}),
    ("forget", {"match": "quasar", "dry_run": True}),
]


@pytest.mark.parametrize(("name", "values"), _ASKING)
def test_nothing_is_a_fact_where_everything_was_looked_at(
    call: Call, name: str, values: dict[str, object]
) -> None:
    result = _run(call, name, **values)
    assert not result.found
    assert result.not_looked_at is None
    assert "not everything was looked at" not in load_command(name).present(result, _EN)


@pytest.mark.parametrize(("name", "values"), _ASKING)
def test_a_transcript_that_cannot_be_read_may_have_held_it(
    call: Call, name: str, values: dict[str, object]
) -> None:
    now = call.clock.now()
    call.home.journal.raise_incident(
        Incident(
            "transcript /t/s.jsonl",
            "/t/s.jsonl: not in the format of a known transcript",
            now,
            1,
            now,
        )
    )
    said = _says(call, name, **values)
    assert "not everything was looked at" in said
    assert "/t/s.jsonl" in said
    assert "보지 않은 것이 있습니다" in _says(call, name, _KO, **values)


@pytest.mark.parametrize(("name", "values"), _ASKING)
def test_a_file_that_the_index_does_not_hold_may_have_held_it(
    call: Call, notes: Path, name: str, values: dict[str, object]
) -> None:
    (notes / "b.md").write_bytes(b"quasar \0\0\0")
    os.utime(notes / "b.md", (1, 1))
    said = _says(call, name, **values)
    assert "1 file of" in said
    assert "(b.md)" in said
    assert str(notes) in said


@pytest.mark.parametrize(("name", "values"), _ASKING[:3])
def test_what_others_scopes_hold_was_not_looked_at(
    call: Call, name: str, values: dict[str, object]
) -> None:
    _put_elsewhere(call, "project:shop-1", "The quasar is in the shop.")
    result = _run(call, name, **values)
    assert not result.found
    assert any("1 other scope" in gap.en for gap in result.not_looked_at)


@pytest.mark.parametrize("name", ["search", "list"])
def test_everywhere_leaves_no_scope_of_the_owners(call: Call, name: str) -> None:
    _put_elsewhere(call, "project:shop-1", "A note of the shop.")
    _put_elsewhere(call, "user:kim/character:mina", "The quasar is a secret of Kim's.")
    words = {"query": ["quasar"]} if name == "search" else {"words": ["quasar"]}
    assert _run(call, name, everywhere=True, **words).not_looked_at is None


def test_what_was_just_said_is_taken_in_before_it_is_listed_or_forgotten(
    call: Call, tmp_path: Path
) -> None:
    _write_transcript(tmp_path, "The quasar is our new logo.")
    assert _run(call, "list", words=["quasar"]).found
    _write_transcript(tmp_path, "The pulsar is our old logo.", session="t")
    assert _run(call, "forget", match="pulsar", dry_run=True).found


def test_what_another_process_takes_in_just_now_is_not_searched_yet(
    call: Call, tmp_path: Path
) -> None:
    _write_transcript(tmp_path, "The quasar is our new logo.")
    with call.home.journal.exclusive("catch-up"):
        result = _run(call, "search", query=["quasar"])
    assert not result.found
    assert "another process" in load_command("search").present(result, _EN)
    assert _run(call, "search", query=["quasar logo"], min_score=0.0).found


def test_a_time_or_a_filter_that_left_the_rest_out_is_named(call: Call) -> None:
    said = _says(call, "search", query=["umbrella"], since="2025-01-01", until="2025-01-31")
    assert "only 2025-01-01 – 2025-01-31" in said
    assert "only sessions" in _says(call, "search", query=["umbrella"], source="sessions")
    assert "2025-01-01" in _says(call, "list", since="2025-01-01", until="2025-01-31")
    assert "turn" in _says(call, "list", kind="turn")


def test_the_lines_of_a_time_are_not_said_to_be_below_a_score(call: Call) -> None:
    said = _says(call, "search", query=["what did we do in March 2024"])
    assert "2024-03-01 – 2024-03-31" in said
    assert "--min-score" not in said


def test_a_recall_says_what_kept_it_from_looking(call: Call) -> None:
    said = _says(call, "recall", prompt=["which linter"], scopes="project:nowhere-1")
    assert "project:nowhere-1 holds nothing yet" in said
    result = RecallResult(
        "", 0, (), (), "keyword search only: the model is away", not_times=("several weeks ago",)
    )
    said = load_command("recall").present(result, _EN)
    assert "note: keyword search only" in said
    assert "“several weeks ago” was not taken as a time" in said


def test_the_hook_is_told_no_gaps(call: Call) -> None:
    now = call.clock.now()
    call.home.journal.raise_incident(
        Incident("transcript /t/s.jsonl", "/t/s.jsonl: unreadable", now, 1, now)
    )
    assert _run(call, "recall", prompt=["which quasar?"], within_ms=600).not_looked_at is None


def test_days_alone_are_forgotten_of_this_folder_and_it_says_so(call: Call) -> None:
    _put_elsewhere(call, "project:shop-1", "An old note of the shop.")
    said = _says(call, "forget", before="2020-01-01", dry_run=True)
    assert "1 other scope" in said


def test_observations_that_wait_or_are_elsewhere_are_no_absence(call: Call, tmp_path: Path) -> None:
    assert "There are no observations yet" in _says(call, "observe show")
    _write_transcript(tmp_path, "We decided to ship on Tuesdays from now on.")
    _run(call, "list")
    said = _says(call, "observe show")
    assert "not everything was looked at" in said
    assert "wait to be observed" in said


def test_the_counters_of_other_days_are_counters_too(call: Call) -> None:
    folder = call.home.folder / "hook"
    folder.mkdir(exist_ok=True)
    at_ms = round(datetime.fromisoformat("2025-01-01T00:00:00+00:00").timestamp() * 1000)
    (folder / "calls.jsonl").write_text(json.dumps({"event": "prompt", "at": at_ms}) + "\n")
    assert "in the last 30 days" in _says(call, "hook stats")
    (folder / "calls.jsonl").unlink()
    assert "not called yet" in _says(call, "hook stats")


def test_what_waits_in_an_archive_that_was_not_compared_is_not_known(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no cold tier" in _says(call, "archive sync")
    (tmp_path / "cold").mkdir()
    monkeypatch.setenv("GIEOK_ARCHIVE_COLD", "folder")
    monkeypatch.setenv("GIEOK_ARCHIVE_FOLDER", str(tmp_path / "cold"))
    with opened_home(call.home.folder, monkeypatch, ManualClock()) as cold:
        assert _says(cold, "archive pending") == "nothing waits"
        now = cold.clock.now()
        cold.home.journal.raise_incident(
            Incident("archive cold", "the folder is away", now, 1, now)
        )
        assert "the folder is away" in _says(cold, "archive pending")


def test_notes_have_no_tier_and_are_remembered_all_the_same(call: Call) -> None:
    said = _says(call, "archive status")
    assert "Nothing is observed yet" in said
    assert "Nothing is remembered" not in said


def test_a_folder_of_backups_that_is_away_may_hold_some(call: Call, tmp_path: Path) -> None:
    assert "not known" in _says(call, "backup list", to=str(tmp_path / "away"))
    (tmp_path / "here").mkdir()
    assert "no backup in" in _says(call, "backup list", to=str(tmp_path / "here"))


def test_a_backup_may_hold_the_secrets_that_are_counted_and_cut(call: Call, tmp_path: Path) -> None:
    assert "not everything was looked at" not in _run(call, "redact", all=True).text
    _run(call, "backup create")
    assert "1 backup holds" in _run(call, "redact", all=True).text


def test_an_export_takes_in_what_was_just_said_and_names_what_it_could_not_read(
    call: Call, tmp_path: Path
) -> None:
    _write_transcript(tmp_path, "The quasar is our new logo.")
    done = _run(call, "export", to=str(tmp_path / "out.jsonl"))
    assert (done.messages, done.not_looked_at) == (1, None)
    now = call.clock.now()
    call.home.journal.raise_incident(
        Incident("transcript /t/s.jsonl", "/t/s.jsonl: unreadable", now, 1, now)
    )
    assert "/t/s.jsonl" in _says(call, "export", to=str(tmp_path / "again.jsonl"))


def test_a_day_that_is_archived_in_another_scope_is_not_said_to_be_nowhere(
    call: Call,
) -> None:
    assert "scopes that are read here" in _says(call, "archive restore", day="2020-01-05")
