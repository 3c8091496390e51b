"""`gieok install plugin --to DIR`: an Agent Plugins package, by the rules of its specification."""

import json
import re
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.prompt.install import InstallResult
from gieok.errors import BadRequest
from gieok.home.calls import open_call


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def _install(**values: object) -> InstallResult:
    return load_command("install")(open_call({}), **values)


def test_the_package_has_a_manifest_a_server_and_a_skill(tmp_path: Path) -> None:
    result = _install(agent="plugin", to="pkg")
    package = tmp_path / "pkg"
    manifest = json.loads((package / "plugin.json").read_text())
    assert manifest["$schema"] == "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
    assert re.fullmatch(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", manifest["name"])
    allowed = {"$schema", "name", "version", "description", "license", "keywords"}
    assert set(manifest) <= allowed, "the schema is closed"
    servers = json.loads((package / "mcp.json").read_text())["mcpServers"]
    assert servers["gieok"] == {
        "type": "stdio",
        "command": "gieok",  # the package is copied, and a command is never expanded
        "args": ["mcp"],
        "env": {"GIEOK_MCP_ROOTS": "1"},
    }
    (skill,) = (package / "skills").glob("*/SKILL.md")
    assert f"\nname: {skill.parent.name}\n" in skill.read_text()
    shown = load_command("install").present(result, Style("en", colour=False))
    assert shown.splitlines() == [
        f"created: {package / name}"
        for name in ("plugin.json", "mcp.json", "skills/memory-search/SKILL.md")
    ]


def test_the_package_goes_in_twice_and_out_again(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "mine.txt").write_text("mine")
    _install(agent="plugin", to="pkg")
    again = _install(agent="plugin", to="pkg")
    assert {change.status for change in again.changes} == {"unchanged"}
    _install(agent="plugin", to="pkg", uninstall=True)
    assert [path.name for path in (tmp_path / "pkg").rglob("*")] == ["mine.txt"]


def test_a_package_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "plugin.json").write_text('{"name": "other"}')
    with pytest.raises(BadRequest, match="another file"):
        _install(agent="plugin", to=".")
    assert not (tmp_path / "mcp.json").exists()


@pytest.mark.parametrize("values", [{"agent": "plugin"}, {"agent": "codex", "to": "x"}])
def test_the_package_and_its_folder_belong_together(values: dict[str, object]) -> None:
    with pytest.raises(BadRequest, match="--to"):
        _install(**values)
