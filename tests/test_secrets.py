"""One canary for every way into Gieok: none of them is anywhere in its home, in its records, or in
its mirrors.
"""

import io
import json
import random
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gieok import paths
from gieok.commands import load_command
from gieok.errors import BadConfig, BadRequest
from gieok.home.calls import open_call
from gieok.settings import grants
from gieok.settings.values import load_effective_settings
from gieok.surfaces.cli import main
from gieok.text.redact import redact, user_rules
from gieok.text.redact.names import has_redacted_name, redact_path_names

_LETTERS = random.Random(20261122)


def _canary() -> str:
    return "ghp_" + "".join(
        _LETTERS.choice(string.ascii_letters + string.digits) for _ in range(36)
    )


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "user"
    (folder / "shop" / ".git").mkdir(parents=True)
    for name, value in (
        ("HOME", "user"),
        ("GIEOK_HOME", "home"),
        ("GIEOK_OBSERVE_FOLDERS", "talks"),
        ("GIEOK_OBSERVE_NOTES", "notes"),
        ("GIEOK_OBSERVE_NOTES_TARGET", "mirror"),
    ):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_HOOK_DEADLINE_MS", "600000")
    monkeypatch.chdir(folder)
    yield folder
    user_rules.use_own_rules(())


def _gieok(*arguments: str) -> int:
    return main(list(arguments))


def _hook(event: str, payload: dict[str, object]) -> None:
    command = [sys.executable, "-m", "gieok", "hook", event, "--agent", "claude-code"]
    subprocess.run(command, input=json.dumps(payload).encode(), capture_output=True, check=True)


def _notes(folder: Path, canaries: dict[str, str]) -> None:
    inside = folder / f"keys {canaries['folder name']}"
    inside.mkdir(parents=True)
    (folder / f"deploy {canaries['file name']}.md").write_text("# Deploy\n\nOn Friday.\n")
    (inside / "plain.md").write_text(f"# Key {canaries['title']}\n\nIt is {canaries['text']}.\n")
    front = (
        f"---\npassword: {canaries['front matter value']}\n{canaries['front matter name']}: "
        "yes\n---\n# Front\n\nText.\n"
    )
    (folder / "front.md").write_text(front)
    split = canaries["hidden"]
    (folder / "hidden.md").write_text(
        f"the key is {split[:9]}\u200b{split[9:20]}\u2060{split[20:]}\n"
    )


def _transcript(folder: Path, canaries: dict[str, str]) -> None:
    folder.mkdir()
    at = "2026-11-18T01:00:00Z"
    lines = [
        {
            "role": "user",
            "content": f"we decided: the token is {canaries['message']}",
            "timestamp": at,
        },
        {
            "role": "assistant",
            "content": f"비밀번호는 {canaries['prose']} 로 바꿨습니다",
            "timestamp": at,
        },
    ]
    (folder / f"talk-{canaries['transcript name']}.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines)
    )
    header = {
        "type": "session",
        "version": 3,
        "id": canaries["session id"],
        "timestamp": at,
        "cwd": "/w",
    }
    said = {
        "type": "message",
        "id": "e1",
        "parentId": None,
        "timestamp": at,
        "message": {
            "role": "user",
            "content": [{"type": "text", "text": "We use ruff from now on."}],
        },
    }
    (folder / "openclaw.jsonl").write_text(json.dumps(header) + "\n" + json.dumps(said) + "\n")


def _code(folder: Path, canaries: dict[str, str]) -> None:
    (folder / "pay.py").write_text(
        f'"""Pays with {canaries["docstring"]}."""\n\n\ndef pay(key="{canaries["literal"]}"):\n'
        f"    # TODO: {canaries['marker']}\n    return key\n"
    )
    (folder / "README.md").write_text(f"# Shop\n\n## Key {canaries['heading']}\n\nText.\n")
    (folder / f"{canaries['code file name']}.py").write_text("x = 1\n")


_WAYS = (
    "text", "title", "file name", "folder name", "front matter name", "front matter value",
    "hidden", "message", "prose", "transcript name", "session id", "docstring", "literal", "marker",
    "heading", "code file name", "record text", "record title", "record tag", "own record",
    "prompt", "prompt session", "spooled path", "spooled session", "spooled folder", "hook log",
    "label", "expected", "counter",
)  # fmt: skip


def test_no_canary_is_found_whatever_way_it_came_in(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    canaries = {way: _canary() for way in _WAYS}
    _notes(tmp_path / "notes", canaries)
    _transcript(tmp_path / "talks", canaries)
    project = user / "shop"
    _code(project, canaries)
    assert _gieok("index", str(tmp_path / "notes")) == 0
    assert _gieok("observe", "run", "--once") == 0
    monkeypatch.chdir(project)
    text = f"Deploys go out on Fridays. password: {canaries['record text']}"
    title = f"Deploy {canaries['record title']}"
    assert _gieok("remember", text, "--title", title, "--tags", f"ci,{canaries['record tag']}") == 0
    assert _gieok("remember", f"password: {canaries['own record']}", "--user") == 0
    assert _gieok("code", "init") == 0
    _gieok(
        "hook",
        "measure",
        "--add",
        f"use {canaries['label']}",
        "--expect",
        f"decision/{canaries['expected']}.md",
    )
    _hook(
        "prompt",
        {
            "prompt": f"why {canaries['prompt']}?",
            "session_id": canaries["prompt session"],
            "cwd": str(project),
        },
    )
    for path, session, folder in (
        (canaries["spooled path"], "s", "x"),
        ("t", canaries["spooled session"], "x"),
        ("t", "s", canaries["spooled folder"]),
    ):
        _hook(
            "stop",
            {
                "transcript_path": f"/tmp/{path}.jsonl",
                "session_id": session,
                "cwd": str(user / folder),
            },
        )
    _hook(canaries["hook log"], {"session_id": canaries["counter"]})
    found = {
        (way, str(file.relative_to(tmp_path)))
        for root in (tmp_path / "home", tmp_path / "mirror", project / ".gieok")
        for file in root.rglob("*")
        for way, canary in canaries.items()
        if canary[4:16] in str(file.relative_to(tmp_path)) or _holds(file, canary)
    }
    assert found == set()
    assert (tmp_path / "mirror").is_dir()


def _holds(file: Path, canary: str) -> bool:
    """Say whether a file holds a piece of a canary; the index keeps words in small letters."""
    data = file.read_bytes().lower() if file.is_file() else b""
    body = canary[4:].lower()
    return any(body[start : start + 12].encode() in data for start in range(0, 25, 4))


def test_a_file_whose_name_held_a_secret_is_found_and_can_be_read(
    user: Path, tmp_path: Path
) -> None:
    first, second = _canary(), _canary()
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / f"deploy {first}.md").write_text("# Deploy\n\nOn Friday, by hand.\n")
    (folder / f"deploy {second}.md").write_text("# Deploy\n\nOn Monday, by hand.\n")
    assert _gieok("index", str(folder)) == 0
    call = open_call({})
    keys = sorted(call.home.store.hashes(call.scope))
    assert len(keys) == 2
    assert all(
        key.startswith("notes/deploy [redacted:github-token]~") and key.endswith(".md")
        for key in keys
    )
    texts = {load_command("get")(call, path=key).text for key in keys}
    assert texts == {"# Deploy\n\nOn Friday, by hand.\n", "# Deploy\n\nOn Monday, by hand.\n"}
    shown = keys[0].removeprefix("notes/")
    assert load_command("get")(call, path=f"{shown}:3").text.endswith("by hand.")
    call.home.store.close()
    assert _gieok("index") == 0
    again = open_call({})
    assert sorted(again.home.store.hashes(again.scope)) == keys
    again.home.store.close()


def test_a_folder_with_a_secret_in_its_own_name_is_not_taken(user: Path, tmp_path: Path) -> None:
    canary = _canary()
    (tmp_path / canary).mkdir()
    (tmp_path / canary / "a.md").write_text("# A\n")
    call = open_call({})
    with pytest.raises(BadRequest, match="has a secret in its name") as caught:
        load_command("index")(call, paths=[str(tmp_path / canary)])
    assert canary not in str(caught.value)
    call.home.store.close()


@pytest.mark.parametrize(
    "name", ["notes/a.md", "메모/회의 2026-11-22.md", "src/test_password_reset.py", "a/b/c"]
)
def test_a_name_without_a_secret_stays(name: str) -> None:
    assert redact_path_names(name) == name
    assert not has_redacted_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "my-password-is-h7Kqx2vP9.md",
        "비밀번호는_h7Kqx2vP9_이다.md",
        "a/password=h7Kqx2vP9.txt/b.md",
    ],
)
def test_a_name_that_tells_a_password_does_not_keep_it_and_is_cleaned_once(name: str) -> None:
    clean = redact_path_names(name)
    assert "h7Kqx2vP9" not in clean
    assert redact_path_names(clean) == clean
    assert clean.endswith(".md")
    assert clean.count("/") == name.count("/")
    assert redact_path_names(name.replace("h7", "g7")) != clean


_OWN = [
    {
        "name": "badge",
        "pattern": "BDG-[0-9]{6}",
        "example": "BDG-123456",
        "counter_example": "BDG-12",
    }
]


def test_the_users_own_rules_hold_in_commands_and_in_the_hook(user: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text(json.dumps({"redact": {"rules": _OWN}}))
    assert _gieok("remember", "the badge is BDG-654321", "--user") == 0
    assert redact("BDG-654321") == "[redacted:badge]"
    assert not any(b"BDG-654321" in file.read_bytes() for file in home.rglob("*") if file.is_file())
    (home / "config.yaml").unlink()
    open_call({})
    assert redact("BDG-654321") == "BDG-654321"


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        ([{**_OWN[0], "pattern": "("}], "'badge' is not a regular expression"),
        ([{**_OWN[0], "pattern": "(a+)+b"}], "'badge' may be slow"),
        ([{**_OWN[0], "example": "no"}], "'badge' does not match its example"),
        ("BDG", "must be a list"),
    ],
)
def test_a_rule_that_cannot_be_used_is_an_error_of_the_settings(
    user: Path, tmp_path: Path, rules: object, what: str
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text(json.dumps({"redact": {"rules": rules}}))
    with pytest.raises(BadConfig, match=r"redact\.rules") as caught:
        open_call({})
    assert what in str(caught.value)


def test_a_project_may_not_set_rules(user: Path) -> None:
    (user / "shop" / ".gieok").mkdir()
    (user / "shop" / ".gieok" / "config.yaml").write_text(json.dumps({"redact": {"rules": _OWN}}))
    own_rules = json.dumps({"redact": {"rules": _OWN}})
    grants.edit_grant(
        paths.locate_home(), str(user / "shop"), lambda grant: grant._replace(settings=own_rules)
    )
    with pytest.raises(BadConfig, match="a project may not set"):
        load_effective_settings({}, {}, user / "shop")


def _filtered(data: bytes, *arguments: str) -> bytes:
    command = [sys.executable, "-m", "gieok", "redact", "--stdin", *arguments]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def test_what_is_no_secret_passes_the_filter_byte_for_byte(user: Path) -> None:
    data = b"\xff\xfe caf\xe9\r\n no end of line \x00 \xed\xa0\x80"
    assert _filtered(data) == data
    canary = _canary().encode()
    assert _filtered(b"\xff" + canary + b"\xff\n") == b"\xff[redacted:github-token]\xff\n"


def test_the_filter_counts_and_knows_source_code(user: Path) -> None:
    code = b'password = "h7Kqx2vP"\nsecret = self.secret  # the pin is 4821\n'
    assert (
        _filtered(code, "--source")
        == b'password = "[redacted:password]"\nsecret = self.secret  # the pin is 4821\n'
    )
    assert json.loads(_filtered(b"the pin is 4821, pw: h7Kqx2vP\n", "--json")) == {
        "text": "the pin is [redacted:password], pw: [redacted:password]\n",
        "found": {"password": 2},
    }


def test_the_filter_says_what_it_reads(
    user: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert _gieok("redact") == 2
    assert "gieok redact --stdin" in capsys.readouterr().err


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_what_an_issue_report_asks_for_holds_no_secret(
    user: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    store: str,
) -> None:
    key, password = _canary(), "Tr0ubador"
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / ".env").write_text(f"GEMINI_API_KEY={key}\n")
    (tmp_path / "home" / ".env").chmod(0o600)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("GIEOK_STORE", store)
    monkeypatch.setenv("GIEOK_DATABASE_URL", f"postgresql://kim:{password}@127.0.0.1:1/memory")
    assert _gieok("doctor", "--json") == (0 if store == "sqlite" else 1)
    said = "".join(capsys.readouterr())
    assert '"checks"' in said
    assert key not in said
    assert password not in said
