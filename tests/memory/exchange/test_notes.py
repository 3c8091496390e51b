"""Notes are mirrored, and what somebody else wrote is never touched."""

import os
import unicodedata
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from gieok import fs
from gieok.commands import load_command
from gieok.commands.encode import encode
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory.exchange import notes
from gieok.memory.exchange.notes import Mirrored, NotesMirror

_NAME = "회의록.md"


class Killed(BaseException):
    """Stands for the process being killed."""


@pytest.fixture
def mirror(tmp_path: Path) -> NotesMirror:
    for name in ("notes", "vault"):
        (tmp_path / name).mkdir()
    return NotesMirror(
        (tmp_path / "notes", tmp_path / "vault"),
        tmp_path / "memory",
        tmp_path / "home" / "notes.json",
    )


def _note(mirror: NotesMirror, name: str, text: str, folder: int = 0) -> Path:
    file = mirror.folders[folder] / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def _copies(mirror: NotesMirror) -> dict[str, str]:
    assert mirror.target
    files = (file for file in mirror.target.rglob("*") if file.is_file())
    return {
        file.relative_to(mirror.target).as_posix(): file.read_text(encoding="utf-8")
        for file in files
    }


def test_a_note_is_mirrored_kept_up_to_date_and_deleted(mirror: NotesMirror) -> None:
    file = _note(mirror, f"일/{_NAME}", "하나")
    assert mirror.run() == Mirrored(written=1)
    assert mirror.run() == Mirrored()
    file.write_text("둘", encoding="utf-8")
    assert mirror.run() == Mirrored(written=1)
    assert _copies(mirror) == {f"일/{_NAME}": "둘"}
    file.unlink()
    assert mirror.run() == Mirrored(deleted=1)
    assert _copies(mirror) == {}


def test_a_copy_that_somebody_changed_is_left_alone_and_named_once(mirror: NotesMirror) -> None:
    file = _note(mirror, "plan.md", "one")
    mirror.run()
    copy = mirror.target / "plan.md"  # type: ignore[operator]
    copy.write_text("the agent's", encoding="utf-8")
    file.write_text("two", encoding="utf-8")
    assert mirror.run().left == [str(copy)]
    file.write_text("three", encoding="utf-8")
    assert mirror.run() == Mirrored()
    assert notes.list_changed_mirrors(mirror.record) == [str(copy)]
    file.unlink()
    assert mirror.run() == Mirrored()
    assert _copies(mirror) == {"plan.md": "the agent's"}


def test_a_changed_copy_that_is_deleted_or_put_back_follows_the_note_again(
    mirror: NotesMirror,
) -> None:
    file = _note(mirror, "plan.md", "one")
    mirror.run()
    copy = mirror.target / "plan.md"  # type: ignore[operator]
    copy.write_text("the agent's", encoding="utf-8")
    file.write_text("two", encoding="utf-8")
    mirror.run()
    copy.unlink()
    assert mirror.run() == Mirrored(written=1)
    assert notes.list_changed_mirrors(mirror.record) == []
    copy.unlink()
    assert mirror.run() == Mirrored()
    file.write_text("three", encoding="utf-8")
    assert mirror.run() == Mirrored(written=1)


def test_names_that_clash_get_the_folders_name_in_front(mirror: NotesMirror) -> None:
    assert mirror.target
    mirror.target.mkdir()
    (mirror.target / "2026-11-20.md").write_text("the agent's day", encoding="utf-8")
    _note(mirror, "2026-11-20.md", "my day")
    _note(mirror, "Plan.md", "of notes")
    _note(mirror, "plan.md", "of the vault", 1)
    mirror.run()
    assert _copies(mirror) == {
        "2026-11-20.md": "the agent's day",
        "notes-2026-11-20.md": "my day",
        "Plan.md": "of notes",
        "vault-plan.md": "of the vault",
    }


def test_a_copy_that_happens_to_say_the_same_as_a_note_is_not_ours(mirror: NotesMirror) -> None:
    assert mirror.target
    mirror.target.mkdir()
    (mirror.target / "plan.md").write_text("same", encoding="utf-8")
    file = _note(mirror, "plan.md", "same")
    mirror.run()
    file.unlink()
    mirror.run()
    assert _copies(mirror) == {"plan.md": "same"}


def test_both_ways_to_write_a_korean_name_are_one_name(mirror: NotesMirror) -> None:
    decomposed = unicodedata.normalize("NFD", _NAME)
    file = _note(mirror, decomposed, "하나")
    mirror.run()
    assert _copies(mirror) == {_NAME: "하나"}
    file.rename(file.with_name(_NAME))
    mirror.run()
    assert _copies(mirror) == {_NAME: "하나"}
    _note(mirror, decomposed, "둘", 1)
    mirror.run()
    assert _copies(mirror) == {_NAME: "하나", f"vault-{_NAME}": "둘"}


def test_links_hidden_folders_and_other_files_are_left_out(
    mirror: NotesMirror, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("no", encoding="utf-8")
    (mirror.folders[0] / "linked").symlink_to(outside)
    (mirror.folders[0] / "link.md").symlink_to(outside / "secret.md")
    _note(mirror, ".trash/old.md", "no")
    _note(mirror, "table.csv", "no")
    mirror.run()
    assert not (tmp_path / "memory").exists()


def test_a_link_in_the_agents_folder_is_not_written_through(
    mirror: NotesMirror, tmp_path: Path
) -> None:
    assert mirror.target
    outside = tmp_path / "outside"
    outside.mkdir()
    mirror.target.mkdir()
    (mirror.target / "work").symlink_to(outside)
    _note(mirror, "work/plan.md", "one")
    assert mirror.run().left == [str(mirror.target / "work" / "plan.md")]
    assert not list(outside.iterdir())


def test_the_agents_own_folder_is_not_mirrored_into_itself(tmp_path: Path) -> None:
    mirror = NotesMirror((tmp_path,), tmp_path / "memory", tmp_path / ".home" / "notes.json")
    _note(mirror, "memory/day.md", "the agent's")
    _note(mirror, "plan.md", "one")
    assert (mirror.run().written, mirror.run().written) == (1, 0)
    assert _copies(mirror) == {"day.md": "the agent's", "plan.md": "one"}


def test_secrets_are_cut_out_of_the_copy_alone(mirror: NotesMirror) -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    file = _note(mirror, "plan.md", f"the key is {key} here")
    mirror.run()
    assert key not in _copies(mirror)["plan.md"]
    assert key in file.read_text(encoding="utf-8")
    assert mirror.run() == Mirrored()


def test_a_folder_that_is_not_there_takes_no_copy_away(mirror: NotesMirror) -> None:
    _note(mirror, "plan.md", "one")
    mirror.run()
    mirror.folders[0].rename(mirror.folders[0].with_name("elsewhere"))
    done = mirror.run()
    assert (done.deleted, list(done.troubles)) == (0, [str(mirror.folders[0])])
    assert _copies(mirror) == {"plan.md": "one"}


def test_what_is_no_text_is_named_and_keeps_its_copy(mirror: NotesMirror) -> None:
    file = _note(mirror, "plan.md", "one")
    mirror.run()
    file.write_bytes(b"\xff\xfe")
    assert list(mirror.run().troubles) == [str(file)]
    assert _copies(mirror) == {"plan.md": "one"}


@pytest.mark.parametrize("moment", range(6))
@pytest.mark.parametrize("before", ["", "one"])
def test_killed_at_any_step_the_next_run_goes_on(
    mirror: NotesMirror, monkeypatch: pytest.MonkeyPatch, moment: int, before: str
) -> None:
    """The steps are the writes of the record and of the mirrors; the kill comes before or after one
    of them.
    """
    for name in ("a.md", "b.md"):
        if before:
            _note(mirror, name, before)
    mirror.run()
    for name in ("a.md", "b.md"):
        _note(mirror, name, "two")
    steps = 0

    def deadly(real: object) -> object:
        def step(*arguments: object) -> None:
            nonlocal steps
            if steps == moment:
                raise Killed
            steps += 1
            real(*arguments)  # type: ignore[operator]

        return step

    with monkeypatch.context() as patch:
        patch.setattr(notes, "_write_mirror_file", deadly(notes._write_mirror_file))
        patch.setattr(fs, "replace_private", deadly(fs.replace_private))
        try:
            mirror.run()
        except Killed:
            assert moment < 4
        else:
            assert moment >= 4
    assert mirror.run().left == []
    assert _copies(mirror) == {"a.md": "two", "b.md": "two"}
    for folder_name in ("a.md", "b.md"):
        (mirror.folders[0] / folder_name).unlink()
    assert mirror.run() == Mirrored(deleted=2)
    assert _copies(mirror) == {}


def _run(name: str, call: Call) -> dict[str, Any]:
    values = {"once": True} if name == "observe run" else {}
    result: dict[str, Any] = encode(load_command(name)(call, **values))
    return result


def test_notes_reach_the_workspace_of_openclaw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / _NAME).write_text("하나", encoding="utf-8")
    for name in [name for name in os.environ if name.startswith("OPENCLAW_")]:
        monkeypatch.delenv(name)
    for name, value in {
        "GIEOK_HOME": tmp_path / "home",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_NOTES": tmp_path / "vault",
        "OPENCLAW_STATE_DIR": tmp_path / "state",
    }.items():
        monkeypatch.setenv(name, str(value))
    call = open_call({}, zone=UTC)
    try:
        result = _run("observe run", call)
        assert result["notes"] == {"written": 1, "deleted": 0, "left": [], "troubles": {}}
        copy = tmp_path / "state" / "workspace" / "memory" / _NAME
        assert copy.read_text(encoding="utf-8") == "하나"
        copy.write_text("the agent's", encoding="utf-8")
        (tmp_path / "vault" / _NAME).write_text("둘", encoding="utf-8")
        assert _run("observe run", call)["notes"]["left"] == [str(copy)]
        assert _run("status", call)["sidecar"]["left_notes"] == [str(copy)]
    finally:
        call.home.journal.close()
        call.home.store.close()
