"""`gieok backup` and `gieok encryption`, as a person calls them."""

import json
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.surfaces.cli import main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_LANG", "en")
    monkeypatch.delenv("GIEOK_PASSPHRASE", raising=False)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "MEMORY.md").write_text(
        "# 기억\n\n결제는 매주 화요일에 정산한다.\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["index", str(tmp_path / "notes")]) == 0
    return tmp_path / "home"


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, object]]:
    capsys.readouterr()
    status = main([*arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_group_alone_does_what_it_is_for(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, made = _json(capsys, "backup", "--to", str(home.parent / "usb"))
    assert status == 0
    assert str(home.parent / "usb") in json.dumps(made)
    assert _json(capsys, "encryption")[1]["is_on"] is False
    assert str(home.parent / "usb") in json.dumps(_json(capsys, "backup", "list")[1])
    assert _json(capsys, "backup", "list", "--to", str(home.parent / "usb"))[0] == 0


def test_what_cannot_be_done_says_what_to_do(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, said in (
        (["backup", "create", "--encrypt"], "gieok encryption on"),
        (["backup", "create", "--with-keys"], "only into a backup that is encrypted"),
        (["backup", "create", "--to", str(home / "in")], "is in the home"),
        (["backup", "verify"], "there is no backup"),
        (["backup", "verify", "nowhere.tar.gz"], "cannot read"),
        (["backup", "prune", "--keep", "-1"], "0 removes every backup"),
        (["encryption", "on"], "give --yes"),
        (["encryption", "rotate", "--yes"], "nothing is encrypted here"),
        (["encryption", "on", "--passphrase", "--yes"], "GIEOK_PASSPHRASE"),
    ):
        capsys.readouterr()
        assert main(arguments) == 2
        assert said in " ".join(capsys.readouterr().err.split())


def test_losing_the_key_is_told_before_it_is_made(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    call: Call = open_call({}, tell=told.append, ask=lambda question: "n")
    found = load_command("encryption on")
    result = found(call)
    assert "Without the key nobody can read" in "".join(told)
    assert not result.found
    assert not (home / "encryption.json").exists()
    assert not (home / "keys").exists()


def test_the_key_is_named_and_never_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["encryption", "on", "--yes"]) == 0
    shown = capsys.readouterr().out
    assert str(home / "keys" / "age.txt") in shown
    assert "copy it to another place now" in shown
    assert "AGE-SECRET" not in shown
    for arguments in (
        ["encryption", "status"],
        ["config", "show"],
        ["backup", "create", "--with-keys"],
    ):
        assert main(arguments) == 0
        assert "AGE-SECRET" not in capsys.readouterr().out
    assert main(["encryption", "off", "--yes"]) == 0


def test_forget_names_the_backups_that_may_still_hold_it_and_prune_removes_them(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = _json(capsys, "backup")[1]["backup"]
    assert isinstance(made, dict)
    status, done = _json(capsys, "forget", "--match", "화요일", "--yes")
    assert status == 0
    still = {one["path"]: one["reason"] for one in done["still_in"]}  # type: ignore[attr-defined]
    assert "gieok backup prune" in still[made["path"]]
    assert main(["backup", "prune", "--keep", "0"]) == 2  # nobody can be asked
    assert Path(made["path"]).exists()
    assert main(["backup", "prune", "--keep", "0", "--yes"]) == 0
    assert not Path(made["path"]).exists()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_everything_is_said_in_both_languages(home: Path, lang: str) -> None:
    call = open_call({}, ask=lambda question: "예")
    for name, values in (
        ("encryption on", {}),
        ("encryption status", {}),
        ("backup create", {}),
        ("backup list", {}),
        ("backup verify", {}),
        ("backup restore", {"to": str(home.parent / "new")}),
        ("encryption rotate", {}),
        ("encryption off", {}),
        ("backup prune", {"keep": 0}),
    ):
        found = load_command(name)
        result = found(call, **values)
        assert result.found
        assert encode(result)
        shown = found.present(result, Style(lang, colour=False))
        is_korean = any("가" <= char <= "힣" for char in shown)
        assert is_korean == (lang == "ko")
