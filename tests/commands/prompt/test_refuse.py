"""`gieok hook refuse`: what it says holds, and what it cannot do is said."""

from pathlib import Path

import pytest

from gieok.commands.command import Style
from gieok.commands.home.doctor import Check, iter_chain_checks
from gieok.commands.memory.listing import list_memories
from gieok.commands.memory.remember import remember_record
from gieok.commands.prompt.refuse import refuse_memory, render_refusal
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.hook.note_gate import NoteGate
from gieok.settings import user_file

_PLAIN = Style("en", colour=False)


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, with a diary in a folder of notes."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes" / "diary").mkdir(parents=True)
    return tmp_path


def _setting() -> str:
    return open_call({}).home.settings.text("hook.asked_only")


def _keeps_back(note: Path) -> bool:
    """Say whether the hook keeps a note back."""
    gate = NoteGate(_setting(), ["user"], "what did I write")
    return not gate.admits(
        source=str(note), scope="user", key="diary/a.md", category="", score=0.9, text="diary"
    )


def _refuse(folder: str, *, lift: bool = False) -> tuple[str, bool]:
    result = refuse_memory(open_call({}), folder=folder, lift=lift)
    return render_refusal(result, _PLAIN), result.found


def test_a_folder_is_kept_back_once_and_released(user: Path) -> None:
    diary = user / "notes" / "diary"
    for _ in range(2):
        told, found = _refuse("~/notes/diary")
        assert (f"notes of {diary} are searched only" in told, found) == (True, True)
        assert _setting() == str(diary)
    assert _keeps_back(diary / "a.md")
    assert not _keeps_back(user / "notes" / "a.md")
    told, found = _refuse(str(diary), lift=True)
    assert ("may be given at prompts again" in told, found) == (True, True)
    assert not _keeps_back(diary / "a.md")
    told, found = _refuse(str(diary), lift=True)
    assert ("were not kept back" in told, found) == (True, False)


def test_what_another_process_kept_back_meanwhile_stays(user: Path) -> None:
    (user / "notes" / "tax").mkdir()
    stale = open_call({})
    assert stale.home.settings.text("hook.asked_only") == ""
    _refuse("~/notes/diary")
    refuse_memory(stale, folder="~/notes/tax")
    assert _setting() == f"{user}/notes/diary, {user}/notes/tax"
    refuse_memory(stale, folder="~/notes/tax", lift=True)
    assert _setting() == f"{user}/notes/diary"


@pytest.mark.parametrize("name", ["tea, cake", "a*b", "diary ", ","])
def test_a_name_that_the_setting_reads_as_another_one_is_refused(user: Path, name: str) -> None:
    folder = user / "notes" / name
    folder.mkdir()
    with pytest.raises(BadRequest, match="cannot name the folder"):
        _refuse(str(folder))
    assert _setting() == ""


def test_a_folder_that_is_not_there_is_refused_and_one_that_went_is_released(user: Path) -> None:
    with pytest.raises(BadRequest, match="there is no folder"):
        _refuse("~/notes/dairy")
    (user / "notes" / "file.md").write_text("# A file\n")
    with pytest.raises(BadRequest, match="there is no folder"):
        _refuse("~/notes/file.md")
    assert _setting() == ""
    _refuse("~/notes/diary")
    (user / "notes" / "diary").rmdir()
    assert _refuse("~/notes/diary", lift=True)[1]
    assert _setting() == ""


def test_a_folder_is_not_kept_out_of_session_starts() -> None:
    with pytest.raises(BadRequest, match="with a prompt or a folder"):
        refuse_memory(open_call({}), folder="~/notes/diary", at_start=True)
    assert _setting() == "", "a folder's notes are kept back from prompts, which nobody asked"


@pytest.mark.parametrize("above", ["~/notes", "~/*", "link"])
def test_a_folder_below_one_that_is_kept_back_is_not_released(user: Path, above: str) -> None:
    (user / "link").symlink_to(user / "notes")
    written = above.replace("link", str(user / "link"))
    _choose(open_call({}), f"~/elsewhere, {written}")
    diary = user / "notes" / "diary"
    assert _keeps_back(diary / "a.md")
    with pytest.raises(BadRequest, match="stays kept back") as raised:
        _refuse(str(diary), lift=True)
    assert f"--lift --folder {written}" in raised.value.hint
    told, _ = _refuse(str(diary))
    assert "are searched only" in told, "it holds already"
    assert _setting() == f"~/elsewhere, {written}"
    assert _refuse(written, lift=True)[1]
    assert not _keeps_back(diary / "a.md")
    assert _setting() == "~/elsewhere"


def _choose(call: Call, value: str) -> None:
    user_file.choose(call.home.settings, "hook.asked_only", value)


def test_a_refusal_that_is_not_there_is_not_taken_back(user: Path) -> None:
    call = open_call({})
    remember_record(call, text=["We lint with ruff."], user=True)
    handle = list_memories(call).memories[0].handle
    prompt = "which linter do we use for invoices"
    result = refuse_memory(call, handle=handle, prompt=prompt, lift=True)
    assert (result.found, "for no prompt like that" in render_refusal(result, _PLAIN)) == (
        False,
        True,
    )
    refuse_memory(call, handle=handle, prompt=prompt)
    result = refuse_memory(call, handle=handle, prompt="when is the lease up", lift=True)
    assert not result.found
    result = refuse_memory(call, handle=handle, prompt=prompt, lift=True)
    assert (result.found, "may be given at" in render_refusal(result, _PLAIN)) == (True, True)


def test_a_refusal_whose_secret_is_lost_is_named_until_it_is_made_anew_or_taken_back(
    user: Path,
) -> None:
    call = open_call({})
    remember_record(call, text=["We lint with ruff."], user=True)
    remember_record(call, text=["The lease ends in June."], user=True)
    first, second = (memory.handle for memory in list_memories(call).memories)
    prompt = "which linter do we use for invoices"
    for handle in (first, second):
        refuse_memory(call, handle=handle, prompt=prompt)
    assert _list_refusal_checks(call) == []
    (user / "home" / "hook" / "refused.key").unlink()
    (check,) = _list_refusal_checks(call)
    assert check.ok is False
    assert f"refusals of {', '.join(sorted((first, second)))} no longer count" in check.detail
    assert "기억 거부" in check.line(Style("ko", colour=False))
    refuse_memory(call, handle=first, prompt="which linter is it")
    (check,) = _list_refusal_checks(call)
    assert f"refusals of {second} no longer count" in check.detail
    assert refuse_memory(call, handle=second, prompt=prompt, lift=True).found
    assert _list_refusal_checks(call) == []


def _list_refusal_checks(call: Call) -> list[Check]:
    return [check for check in iter_chain_checks(call, is_free=True) if check.name == "refusals"]
