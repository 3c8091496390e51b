"""Settings edited in a person's own editor: what is wrong does not take effect."""

import sys
from pathlib import Path

import pytest

from gieok.commands.home import edit_config
from gieok.commands.home.edit_config import EditedConfig
from gieok.errors import BadConfig, BadRequest
from gieok.home.calls import open_call

_EDITOR = "import sys; f = open(sys.argv[-1], 'a'); f.write(TEXT); f.close()"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def _edit(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> EditedConfig:
    """Edit with a program that adds a text at the end."""
    program = folder / "editor.py"
    program.write_text(_EDITOR.replace("TEXT", repr(text)))
    monkeypatch.setenv("EDITOR", f"{sys.executable} {program}")
    return edit_config.edit_user_config(open_call({}))


def test_what_is_written_takes_effect(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _edit(monkeypatch, home.parent, "search.limit: 4\n").changed
    assert open_call({}).home.settings.text("search.limit") == "4"
    assert (home / "config.yaml").stat().st_mode & 0o777 == 0o600
    assert not _edit(monkeypatch, home.parent, "").changed


def test_what_is_wrong_leaves_the_old_settings_and_is_gone_on_with(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _edit(monkeypatch, home.parent, "search.limit: 4\n")
    before = (home / "config.yaml").read_text()
    with pytest.raises(BadConfig, match="must be a whole number") as caught:
        _edit(monkeypatch, home.parent, "search.limit: four\n")
    assert "config.draft.yaml" in caught.value.hint
    assert (home / "config.yaml").read_text() == before
    assert _edit(monkeypatch, home.parent, "search.limit: 5\n").changed
    assert open_call({}).home.settings.text("search.limit") == "5"
    assert not (home / "config.draft.yaml").exists()


def test_without_an_editor_the_way_on_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadRequest, match="no terminal") as caught:
        edit_config.edit_user_config(open_call({}))
    assert "gieok config set" in caught.value.hint
    monkeypatch.setenv("VISUAL", "no-such-editor")
    with pytest.raises(BadRequest, match="no-such-editor"):
        edit_config.edit_user_config(open_call({}))
    assert not home.exists() or not (home / "config.yaml").exists()
