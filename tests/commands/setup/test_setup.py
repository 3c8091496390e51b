"""`gieok setup` by real key presses: saved at once or not at all, back and cancel everywhere,
present values on a re-run.
"""

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
import yaml
from contexts import using
from gateway import Gateway
from key_server import GOOD, serving
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from wizard import BACK, CTRL_C, DOWN, ENTER, ERASE, ESCAPE, SPACE, UP, answer, dialogue, press

from gieok import paths
from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.setup.command import render_setup
from gieok.commands.setup.dialogue import Cancelled, Pick, WentBack
from gieok.commands.setup.machine import survey_machine
from gieok.commands.setup.note_folder import read_typed_path, survey_note_folder
from gieok.commands.setup.questions import QUESTIONS
from gieok.commands.setup.questions.after import AFTER
from gieok.errors import BadConfig, BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.model.memory import Document, Scope
from gieok.processes.client import DaemonStatus
from gieok.processes.http_address import ServerStatus
from gieok.testing.model_server import ModelServer

#: Agents, days, where to, model, notices, save: what a person presses who wants it all as it is.
_STEPS = 6
_SAID = "We settle payments on Tuesdays, with Redis Streams behind."


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "user"
    monkeypatch.setenv("GIEOK_HOME", str(made / ".gieok"))
    talks = made / ".claude" / "projects" / "-shop"
    talks.mkdir(parents=True)
    said = {"role": "user", "content": _SAID}
    row = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s",
        "timestamp": "2026-11-20T09:00:00Z",
        "message": said,
    }
    (talks / "s.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return made


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as made:
        made.script = [
            (
                "<observations>\n* 🔴 (12:00) [decision] They settle payments on Tuesdays "
                "{1}\n</observations>"
            )
        ]
        yield made


def _files(user: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(user)): path.read_bytes() for path in user.rglob("*") if path.is_file()
    }


def _settings(user: Path) -> object:
    return yaml.safe_load((user / ".gieok" / "config.yaml").read_text(encoding="utf-8"))


def _vault(user: Path) -> Path:
    vault = user / "내 노트"
    (vault / ".obsidian").mkdir(parents=True)
    listed = user / ".config" / "obsidian" / "obsidian.json"
    listed.parent.mkdir(parents=True)
    listed.write_text(
        json.dumps({"vaults": {"0123456789abcdef": {"path": str(vault), "ts": 1, "open": True}}})
    )
    return vault


def test_pressing_enter_takes_every_default_and_the_first_question_finds_what_was_said_long_ago(
    user: Path,
) -> None:
    keys = [ENTER] * _STEPS + [
        ENTER,
        ENTER,
        ENTER,
        ENTER,
    ]  # install, take in, notes, the question that is suggested
    result, shown = press(*keys, user=user)
    assert result is not None
    assert len(keys) + 2 <= 12  # `start` and `pages` are asked where a daemon may run
    assert (result.settings, result.secrets, result.files) == ({}, (), ())
    assert [deed.what for deed in result.done if deed.ok] == ["install claude-code", "observe run"]
    assert _SAID in result.answer
    assert re.search(r"1 transcript, \d\.\d kB", shown)
    assert "gieok" in (user / ".claude" / "settings.json").read_text()


@pytest.mark.parametrize(
    ("answered", "key"), [*((step, ESCAPE) for step in range(_STEPS)), (2, CTRL_C)]
)
def test_cancelled_at_any_question_the_home_stays_byte_for_byte(
    user: Path, answered: int, key: str
) -> None:
    before = _files(user)
    result, shown = press(
        *[DOWN, ENTER] * min(answered, 1), *[ENTER] * (answered - 1), key, user=user
    )
    assert result is None
    assert "nothing was changed" in shown
    assert _files(user) == before


def test_back_asks_again_with_the_answer_that_was_given(user: Path) -> None:
    # 30 days instead of 90, on; back by the key, then by the last line of the list; on to the end.
    keys = [ENTER, UP, ENTER, BACK, ENTER, UP, *[ENTER] * 6, ESCAPE]
    result, _ = press(*keys, user=user)
    assert result is not None
    assert result.settings == {"archive.hot_days": "30"}
    assert _settings(user) == {"archive": {"hot_days": 30}}


def test_what_is_set_is_shown_when_it_is_run_again_and_comments_stay(user: Path) -> None:
    file = user / ".gieok" / "config.yaml"
    file.parent.mkdir()
    file.write_text(
        "# mine\nlang: en  # here\narchive:\n  hot_days: 45 # days\nunknown: 1\n", encoding="utf-8"
    )
    with pytest.raises(BadConfig, match="unknown"):
        press(ESCAPE, user=user)
    file.write_text("# mine\nlang: en  # here\narchive:\n  hot_days: 45 # days\n", encoding="utf-8")
    result, shown = press(*[ENTER] * _STEPS, ESCAPE, user=user)
    assert result is not None
    assert "stay at hand? 45 days" in shown
    assert result.settings == {}
    typed = [ENTER, DOWN * 4, ENTER, "x", ERASE, "60", ENTER]
    assert press(*typed, *[ENTER] * 4, ESCAPE, user=user)[0] is not None
    assert (
        file.read_text(encoding="utf-8")
        == "# mine\nlang: en  # here\narchive:\n  hot_days: 60 # days\n"
    )


def test_a_vault_is_found_and_a_wrong_path_is_refused_as_it_is_typed(user: Path) -> None:
    vault = _vault(user)
    keys = [ENTER, ENTER, DOWN, ENTER, ENTER, ENTER, ENTER]  # … Obsidian, a year, ask, rules
    wrong = [DOWN, ENTER, "/nowhere", ENTER, ERASE, f"~/{vault.name}", ENTER]  # another folder
    result, shown = press(
        *keys,
        *wrong,
        ERASE,
        "../x",
        ENTER,
        ERASE,
        "AI/Gieok",
        ENTER,
        ENTER,
        ENTER,
        ESCAPE,
        user=user,
    )
    assert result is not None
    assert _settings(user) == {
        "archive": {"cold": "obsidian", "folder": str(vault), "subfolder": "AI/Gieok"}
    }
    assert "found: ~/" in shown


def test_a_wrong_key_is_found_before_it_is_saved_and_can_be_typed_again(
    user: Path, server: ModelServer
) -> None:
    (user / ".gieok").mkdir()
    (user / ".gieok" / ".env").write_text("# mine\nOTHER=1\n")
    (user / ".gieok" / ".env").chmod(0o600)
    model = [UP, UP, ENTER]  # the last of the list: another, OpenAI-compatible
    address = [f"{server.url}/v1", ENTER, "small", ENTER]
    keys = [
        *[ENTER] * 3,
        *model,
        *address,
        "key-wrong",
        ENTER,
        ENTER,
        GOOD,
        ENTER,
        ENTER,
        ENTER,
        ESCAPE,
    ]
    result, shown = press(*keys, user=user)
    assert result is not None
    assert "compatible: invalid" in shown
    assert "copy it again" in shown
    assert "it observed a sentence" in shown
    assert GOOD not in shown
    assert _settings(user) == {
        "observe": {
            "model": "compatible:small",
            "base_url": f"{server.url}/v1",
            "key_variable": "COMPATIBLE_API_KEY",
        }
    }
    private = user / ".gieok" / ".env"
    assert private.read_text() == f"# mine\nOTHER=1\nCOMPATIBLE_API_KEY={GOOD}\n"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_a_notification_is_tried_when_it_is_chosen(user: Path) -> None:
    gateway = Gateway()
    gateway.configure(user)
    try:
        result, shown = press(*[ENTER] * 4, DOWN, SPACE, ENTER, ENTER, ESCAPE, user=user)
    finally:
        gateway.close()
    assert result is not None
    assert result.settings == {"notify.to": "openclaw"}
    assert len(gateway.took) == 1
    assert "✓ openclaw:" in shown


def test_it_speaks_korean(user: Path) -> None:
    _, shown = press(*[ENTER] * _STEPS, ESCAPE, user=user, lang="ko")
    assert "기억을 얼마나 곁에 둘까요? 90일" in shown
    assert "설정은 저장했고" in shown


def test_what_a_variable_decides_is_not_asked(user: Path) -> None:
    result, shown = press(*[ENTER] * 5, ESCAPE, user=user, GIEOK_OBSERVE_MODEL="claude-code")
    assert result is not None
    assert "observe.model stays: GIEOK_OBSERVE_MODEL sets it" in shown


def test_without_a_terminal_it_says_what_to_do(user: Path) -> None:
    found, call = load_command("setup"), open_call({})
    with pytest.raises(BadRequest, match="no terminal") as refused:
        found(call)
    assert "--answers FILE" in refused.value.hint


def test_at_a_terminal_a_person_is_asked_on_stderr_and_stdout_stays_empty(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = {"HOME": str(user), "PATH": str(user)}
    call = open_call({}, environment=environment, folder=user, ask=lambda question: "")
    with create_pipe_input() as pipe, create_app_session(input=pipe):
        pipe.send_text(ESCAPE)
        with pytest.raises(KeyboardInterrupt):
            load_command("setup")(call)
    shown = capsys.readouterr()
    assert "nothing was changed" in shown.err
    assert shown.out == ""


_KILLED = """
import os, signal, sys
real, left = os.replace, [int(sys.argv.pop(1))]
def replace(*names):
    left[0] -= 1
    if left[0] < 0: os.kill(os.getpid(), signal.SIGKILL)
    real(*names)
os.replace = replace
from gieok.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize("replaced", [0, 1])
def test_killed_while_it_saves_the_settings_are_the_old_ones_and_the_next_run_saves(
    user: Path, replaced: int
) -> None:
    home = user / ".gieok"
    home.mkdir()
    (home / "config.yaml").write_text("observe.model: rules\n")
    answer_file = user / "answers.yaml"
    answer_file.write_text(
        "model: compatible\nbase_url: http://127.0.0.1:9/v1\nmodel_name: small\nkey: "
        "K\nkeep_untested: true\n"
        "hot_days: 33\ninstall: no\ntake_in: no\nstart: no\n"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(user),
        "K": "key-1",
        "GIEOK_HOME": str(home),
    }
    command = ["setup", "--answers", str(answer_file)]
    subprocess.run(
        [sys.executable, "-m", "gieok", "status"], env=environment, check=False, capture_output=True
    )
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(replaced), *command], env=environment, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert (home / "config.yaml").read_text() == "observe.model: rules\n"
    assert (home / ".env").exists() == bool(replaced)
    assert answer(answer_file, user=user, K="key-1").files
    assert _settings(user)["archive"] == {"hot_days": 33}
    assert (home / ".env").read_text() == "COMPATIBLE_API_KEY=key-1\n"


def test_answers_take_everything_that_is_asked(user: Path, server: ModelServer) -> None:
    vault, file = _vault(user), user / "answers.yaml"
    file.write_text(
        f"agents: [claude-code]\nhot_days: 60\ncold: obsidian\nfolder: {vault}\napprove: "
        "no\nmodel: compatible\n"
        f"base_url: {server.url}/v1\nmodel_name: small\nkey: MY_KEY\ntake_in: yes\ninstall: "
        "no\nask: Redis?\n",
        encoding="utf-8",
    )
    result = answer(file, user=user, MY_KEY=GOOD)
    assert result.settings["archive.auto_approve"] == "true"
    assert result.secrets == ("COMPATIBLE_API_KEY",)
    assert [deed.what for deed in result.done] == ["observe run"]
    assert "Redis Streams" in result.answer
    assert "sessions/" not in result.answer
    assert paths.locate_secrets_file(user / ".gieok").read_text() == f"COMPATIBLE_API_KEY={GOOD}\n"


@pytest.mark.parametrize(("unasked", "kept_back"), [("no", True), ("yes", False)])
def test_a_folder_of_notes_is_searched_and_injected_only_where_the_person_says_so(
    user: Path, unasked: str, kept_back: bool
) -> None:
    folder, file = user / "메모", user / "answers.yaml"
    folder.mkdir()
    (folder / "mother.txt").write_text("Mother takes the blue tablets.\n", encoding="utf-8")
    (folder / "letter.doc").write_bytes(b"old")
    file.write_text(
        f"agents: [claude-code]\ncold: none\nmodel: rules\ninstall: no\ntake_in: no\n"
        f"notes: ~/메모\nnotes_unasked: {unasked}\nask: who takes tablets?\n",
        encoding="utf-8",
    )
    result = answer(file, user=user)
    assert [deed.what for deed in result.done] == ["index"]
    assert "1 added" in result.done[0].said
    assert "1 .doc;" in result.done[0].said
    assert "blue tablets" in result.answer
    assert "mother.txt (" in result.answer
    config = user / ".gieok" / "config.yaml"
    assert (config.exists() and str(folder) in config.read_text(encoding="utf-8")) is kept_back


def test_a_folder_of_notes_that_was_found_is_offered_and_another_can_be_typed(user: Path) -> None:
    for name, text in (("Notes", "The boiler is in the cellar.\n"), ("Papers", "Rent is due.\n")):
        (user / name).mkdir()
        (user / name / "a.txt").write_text(text, encoding="utf-8")
    begin = [*[ENTER] * _STEPS, DOWN, ENTER, DOWN, ENTER]  # neither install nor take in
    found, shown = press(*begin, UP, ENTER, ENTER, ENTER, ESCAPE, user=user)
    assert found is not None
    assert "~/Notes" in shown
    assert [deed.what for deed in found.done] == ["index"]
    typed, shown = press(
        *begin, DOWN, ENTER, "~/Paper", ENTER, "s", *[ENTER] * 3, ESCAPE, user=user
    )
    assert typed is not None
    assert "· Search your own notes too? ~/Papers" in shown


def test_where_no_agent_is_here_enter_takes_the_notes_that_were_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / ".gieok"))
    (tmp_path / "메모").mkdir()
    (tmp_path / "메모" / "a.txt").write_text("전세 만기는 2027년 3월 1일.\n", encoding="utf-8")
    keys = [ENTER] * 3
    result, shown = press(*keys, ERASE, "전세 만기", ENTER, user=tmp_path, lang="ko")
    assert result is not None
    assert "다음은 내 노트입니다" in " ".join(shown.split())
    assert [deed.what for deed in result.done] == ["index"]
    assert "2027년 3월 1일" in result.answer


def _make_mixed_folder(folder: Path) -> None:
    """Write notes of several kinds, an export of ChatGPT, and documents that are not read."""
    folder.mkdir(parents=True)
    (folder / "lease.md").write_text("# Lease\n\nThe lease ends in March 2027.\n")
    (folder / "선물.txt").write_text("엄마: 남색 스카프\n")
    (folder / "todo.org").write_text("* TODO Renew the passport\n")
    (folder / "contract.pdf").write_bytes(b"%PDF-1.4")
    (folder / "notes.json").write_text('{"nothing": "known"}')
    said = {"role": "user", "parts": "Our cat Bori is allergic to chicken."}
    message = {
        "id": "a",
        "author": {"role": said["role"]},
        "create_time": 1_760_000_000,
        "content": {"content_type": "text", "parts": [said["parts"]]},
    }
    tree = {
        "r": {"id": "r", "message": None, "parent": None, "children": ["a"]},
        "a": {"id": "a", "message": message, "parent": "r", "children": []},
    }
    talk = {"title": "Cat", "id": "c", "current_node": "a", "mapping": tree}
    (folder / "chatgpt").mkdir()
    (folder / "chatgpt" / "conversations.json").write_text(json.dumps([talk]))
    (folder / "chatgpt" / "user.json").write_text('{"id": "u", "email": "kim@example.com"}')


@pytest.mark.parametrize(
    ("choose", "done"),
    [
        ([UP, ENTER], ["index", "import ~/my notes/chatgpt/conversations.json"]),
        ([ENTER], ["index"]),
        ([DOWN, ENTER], []),
    ],
)
def test_a_person_sees_what_is_in_a_folder_before_anything_of_it_is_taken_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choose: list[str], done: list[str]
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / ".gieok"))
    _make_mixed_folder(tmp_path / "my notes")
    dropped = f"'{tmp_path / 'my notes'}' "  # as a terminal writes a folder that is dropped on it
    keys = [*[ENTER] * 2, dropped, ENTER]
    before, shown = press(*keys, ESCAPE, user=tmp_path)
    assert before is not None
    assert before.done == ()
    told = " ".join(shown.split())
    assert re.search(r"3 notes: 1 \.\w+, 1 \.\w+, 1 \.\w+ ", told), told
    assert "not read: 1 .pdf" in told
    shown_export = "ChatGPT's data export: ~/my notes/chatgpt/conversations.json"
    assert f"{shown_export} (kim@example.com, 1 conversation)" in told
    assert "notes.json" not in shown
    result, _ = press(*keys, *choose, ESCAPE, user=tmp_path)
    assert result is not None
    assert [deed.what for deed in result.done if deed.ok] == done
    call = open_call({}, environment={"HOME": str(tmp_path), "PATH": ""}, folder=tmp_path)
    held = [
        document.text for scope in call.home.store.scopes() for document in _documents(call, scope)
    ]
    assert any("March 2027" in text for text in held) is ("index" in done)
    assert any("Bori" in text for text in held) is (len(done) > 1)


def test_who_has_no_agent_is_asked_for_notes_behind_one_question_or_for_each_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / ".gieok"))
    result, shown = press(ENTER, ESCAPE, user=tmp_path)
    assert result is not None
    assert result.settings == {}
    assert "Leave the settings as they are?" in shown
    assert "Search your own notes too?" in shown
    assert "1/6" not in shown
    result, shown = press(DOWN, ENTER, *[ENTER] * _STEPS, ESCAPE, user=tmp_path)
    assert result is not None
    assert "1/6" in shown
    assert "6/6" in shown
    assert press(ESCAPE, user=tmp_path)[0] is None


def _documents(call: Call, scope: Scope) -> list[Document]:
    store = call.home.store
    return list(store.get(scope, list(store.hashes(scope))))


def test_answers_take_the_text_files_and_no_export_unless_they_say_so(tmp_path: Path) -> None:
    _make_mixed_folder(tmp_path / "notes")
    file = tmp_path / "answers.yaml"
    done = []
    for more in ("", "take_notes: yes", "take_notes: no"):
        file.write_text(f"notes: ~/notes\nstart: no\n{more}\n")
        done.append([deed.what.partition(" ")[0] for deed in answer(file, user=tmp_path).done])
    assert done == [["index"], ["index", "import"], []]


def test_a_folder_without_anything_to_read_says_so_and_enter_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / ".gieok"))
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.pdf").write_bytes(b"%PDF")
    result, shown = press(*[ENTER] * 2, "~/papers", ENTER, ENTER, user=tmp_path)
    assert result is not None
    assert result.done == ()
    assert "nothing that Gieok reads" in shown
    assert "not read: 1 .pdf" in shown


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        (" ~/notes ", "~/notes"),
        ("'/home/kim/my notes' ", "/home/kim/my notes"),
        (r"/home/kim/my\ notes", "/home/kim/my notes"),
        ("/home/kim/my notes", "/home/kim/my notes"),
        ("/home/kim/kim's", "/home/kim/kim's"),
        ("{user}/o'x y'z", "{user}/o'x y'z"),
        ("{user}/o'x y'w", "{user}/ox yw"),  # no such folder is there: the quotes are the shell's
        (r"{user}/a\ b", r"{user}/a\ b"),
        ("file:///home/kim/my%20notes", "/home/kim/my notes"),
        ("'file:///home/kim/%EB%A9%94%EB%AA%A8'", "/home/kim/메모"),
    ],
)
def test_a_path_is_read_as_it_is_typed_or_dropped(tmp_path: Path, typed: str, path: str) -> None:
    caller = open_call({}, environment={"HOME": str(tmp_path), "PATH": ""}, folder=tmp_path).caller
    for name in ("o'x y'z", r"a\ b"):
        (tmp_path / name).mkdir()
    typed, path = (text.replace("{user}", str(tmp_path)) for text in (typed, path))
    assert read_typed_path(caller, typed) == caller.path(path)


@pytest.mark.skipif(os.name != "posix", reason="pipes and links as Unix has them")
def test_a_pipe_and_a_link_that_leads_out_are_no_exports(tmp_path: Path) -> None:
    _make_mixed_folder(tmp_path / "notes")
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_bytes((tmp_path / "notes" / "chatgpt" / "conversations.json").read_bytes())
    os.mkfifo(tmp_path / "notes" / "pipe.json")
    (tmp_path / "notes" / "out.json").symlink_to(elsewhere)
    (tmp_path / "notes" / "ring.json").symlink_to("ring.json")
    call = open_call({}, environment={"HOME": str(tmp_path), "PATH": ""}, folder=tmp_path)
    found = survey_note_folder(call, tmp_path / "notes")
    assert [export.file.name for export in found.exports] == ["conversations.json"]


def test_yes_lets_agents_read_a_folder_that_was_held_back_before(user: Path) -> None:
    folder, file = user / "메모", user / "answers.yaml"
    folder.mkdir()
    (folder / "mother.txt").write_text("Mother takes the blue tablets.\n", encoding="utf-8")
    shown = "agents: [claude-code]\ninstall: no\ntake_in: no\nnotes: ~/메모\nnotes_unasked: "
    held_back = []
    for unasked in ("no", "yes", "yes", "no"):
        file.write_text(shown + unasked, encoding="utf-8")
        answer(file, user=user)
        environment = {"HOME": str(user), "GIEOK_HOME": str(user / ".gieok")}
        settings = open_call({}, environment=environment, folder=user).home.settings
        held_back.append(settings.text("hook.asked_only"))
    assert held_back == [str(folder), "", "", str(folder)]


@pytest.mark.parametrize("name", ["Documents", "문서"])
def test_enter_never_takes_the_folder_of_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / ".gieok"))
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.txt").write_text("Rent is due.\n", encoding="utf-8")
    result, _ = press(*[ENTER] * 2, ESCAPE, user=tmp_path)
    assert result is not None
    call = open_call({}, environment={"HOME": str(tmp_path), "PATH": ""}, folder=tmp_path)
    assert survey_machine(call).note_folders == (tmp_path / name,)  # offered
    assert result.done == ()


def test_each_folder_of_notes_is_offered_once_and_what_is_never_indexed_is_no_note(
    tmp_path: Path,
) -> None:
    for name in ("Notes", "Documents"):
        (tmp_path / name).mkdir()
    packages = tmp_path / "Documents" / "node_modules" / "package"
    packages.mkdir(parents=True)
    for count in range(600):  # more than are looked at
        (packages / f"{count}.js").touch()
    for name in ("Notes/a.md", "Documents/z/a.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Rent is due.\n")
    (tmp_path / "notes").symlink_to(tmp_path / "Notes")
    call = open_call({}, environment={"HOME": str(tmp_path), "PATH": ""}, folder=tmp_path)
    found = survey_machine(call)
    assert found.note_folders == (tmp_path / "Notes", tmp_path / "Documents")
    assert found.default_notes == tmp_path / "Notes"


def test_setup_shows_no_link_that_a_browser_has_used_up(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", bool)
    file = user / "answers.yaml"
    file.write_text("install: no\ntake_in: no\npages: yes\n")
    environment = {"HOME": str(user), "PATH": "", "GIEOK_EMBEDDER": "none"}
    call = open_call({}, environment=environment, folder=user, lang="en", ask=lambda _: "")
    result = load_command("setup")(using(call, daemon=_Daemon()), answers=str(file))
    shown = render_setup(result, Style("en", colour=False))
    assert "your home page is open in the browser" in shown
    assert "/open?code=" not in shown


def test_setup_ends_on_the_address_of_the_home_page(user: Path) -> None:
    file = user / "answers.yaml"
    file.write_text("install: no\ntake_in: no\npages: yes\n")
    result = answer(file, user=user, daemon=_Daemon())
    shown = render_setup(result, Style("en", colour=False)).splitlines()
    assert [deed.what for deed in result.done] == ["open"]
    assert shown[-3] == "Your home page:"
    assert shown[-1].startswith("http://127.0.0.1:8377/open?code=")
    file.write_text("install: no\ntake_in: no\n")
    shown = render_setup(
        answer(file, user=user, daemon=_Daemon()), Style("en", colour=False)
    ).splitlines()
    assert "gieok open" in shown[-1]


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ("hot_day: 3", "'hot_day', which is not asked", "did you mean 'hot_days'"),
        ("hot_days: soon", "hot_days is 'soon': a whole number of days", ""),
        ("cold: attic", "cold is 'attic'", "none, obsidian, folder, dropbox"),
        ("agents: [emacs]", "agents is 'emacs'", "claude-code"),
        ("smtp_host: mail", "smtp_host is answered, but not asked", ""),
        ("cold: folder", "folder is missing: name a folder", ""),
        ("cold: obsidian\nfolder: /", "it has no .obsidian folder", ""),
        ("cold: folder\nfolder: /no/such/place", "there is no folder /no/such", ""),
        (
            "model: anthropic\nkey: sk-ant-in-the-file",
            "key must name a variable",
            "never stands in the file",
        ),
        ("notify: smtp", "smtp_host is missing", ""),
        ("- 1", "must hold `name: answer` lines", ""),
        ("a: [", "cannot read", ""),
    ],
)
def test_wrong_answers_are_named_and_nothing_is_saved(
    user: Path, text: str, told: str, hint: str
) -> None:
    file = user / "answers.yaml"
    file.write_text(text)
    before = _files(user)
    with pytest.raises(BadRequest) as refused:
        answer(file, user=user)
    assert told in str(refused.value)
    assert hint in refused.value.hint
    assert "sk-ant" not in f"{refused.value}{refused.value.hint}"
    assert _files(user) == before


def test_a_key_that_does_not_work_is_not_saved_without_a_person_unless_they_say_so(
    user: Path, server: ModelServer
) -> None:
    file = user / "answers.yaml"
    text = (
        f"model: compatible\nbase_url: {server.url}/v1\nmodel_name: m\nkey: K\ntake_in: "
        "no\ninstall: no\n"
    )
    file.write_text(text)
    with pytest.raises(BadRequest, match="nothing is saved: ✗ compatible: invalid"):
        answer(file, user=user, K="bad")
    assert not (user / ".gieok" / "config.yaml").exists()
    file.write_text(f"{text}keep_untested: true\n")
    assert answer(file, user=user, K="bad").secrets == ("COMPATIBLE_API_KEY",)


def test_dropbox_is_tried_before_its_keys_are_kept(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    file = user / "answers.yaml"
    file.write_text(
        "cold: dropbox\ndropbox_app_key: A\ndropbox_refresh_token: T\ninstall: no\ntake_in: no\n"
    )
    with pytest.raises(BadRequest, match="nothing is saved: ✗ dropbox") as refused:
        answer(file, user=user, A="app-1", T="token-1")
    assert "token-1" not in f"{refused.value}{refused.value.hint}"
    assert not (user / ".gieok" / ".env").exists()
    file.write_text("cold: dropbox\ndropbox_app_key: A\n")
    with pytest.raises(BadRequest, match="dropbox_refresh_token is missing: Dropbox needs it"):
        answer(file, user=user, A="app-1")


class _Daemon:
    """One that runs; keeps what it was told."""

    told: ClassVar[list[str]] = []

    def status(self) -> DaemonStatus:
        return DaemonStatus(1, "", "", {})

    def stop(self) -> bool:
        self.told.append("stop")
        return True

    def start(self) -> tuple[DaemonStatus, bool]:
        self.told.append("start")
        return self.status(), True

    def serve(self) -> tuple[ServerStatus, bool]:
        return ServerStatus("http://127.0.0.1:8377", 1, "open", "", ""), True


def test_a_service_that_runs_takes_the_new_settings(user: Path) -> None:
    file = user / "answers.yaml"
    for text, told in (("hot_days: 90", []), ("hot_days: 30", ["stop", "start"])):
        file.write_text(f"{text}\ninstall: no\ntake_in: no\n")
        _Daemon.told.clear()
        answer(file, user=user, daemon=_Daemon())
        assert _Daemon.told == told


def test_every_answer_of_the_documents_is_one_that_is_asked() -> None:
    text = (Path(__file__).parents[3] / "docs" / "setup.md").read_text(encoding="utf-8")
    shown = yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0])
    asked = {question.name for question in (*QUESTIONS, *AFTER)}
    assert set(shown) <= asked | {"ask"}
    assert {name for name in asked if name not in text} == set()


def test_questions_can_be_left_in_every_way() -> None:
    picks = [
        Pick("a", "first"),
        Pick("b", "second", "a note that is much too long for a terminal of sixty columns"),
    ]
    with dialogue(DOWN + ENTER) as (asking, _):
        assert asking.one("which", picks, "a") == "b"
    with dialogue(SPACE + DOWN + SPACE + ENTER) as (asking, _):
        assert asking.many("which", picks, ["a"]) == ["b"]
    for keys in (BACK, "\x1b[D", UP + ENTER):
        with dialogue(keys) as (asking, _), pytest.raises(WentBack):
            asking.one("which", picks, "a")
        with dialogue(keys) as (asking, _), pytest.raises(WentBack):
            asking.many("which", picks, ["a"])
    for keys in (CTRL_C, ESCAPE, "\x04"):
        with dialogue(keys) as (asking, _), pytest.raises(Cancelled):
            asking.text("what", "", lambda text: "")
    with dialogue("bad\r" + ERASE + "good\r") as (asking, screen):
        assert asking.text("what", "", lambda text: "no" if text == "bad" else "") == "good"
    assert max(map(len, screen.text.split("\n"))) < 60
