"""`gieok install --list`, and `gieok install` without a name: which agents are here."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gieok.agents.agent import load_agent
from gieok.agents.support import describe_host
from gieok.agents.table import BY_NAME, NAMES, PRE_TOOL, SESSION_START
from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.prompt.install import InstallResult
from gieok.errors import BadRequest
from gieok.home.calls import open_call


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a user's folder with an agent that was used and one that was not; no program."""
    values = {"HOME": tmp_path / "user", "GIEOK_HOME": tmp_path / "home", "PATH": tmp_path / "bin"}
    for name, value in values.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "user" / ".qwen").mkdir(parents=True)
    (tmp_path / "user" / ".hermes").mkdir()
    monkeypatch.chdir(tmp_path / "user")
    return tmp_path / "user"


#: What a person was shown before they were asked.
_TOLD: list[str] = []


def _install(answers: Iterator[str] | None = None, **values: object) -> InstallResult:
    call = replace(open_call({}), tell=_TOLD.append)
    _TOLD.clear()
    if answers is not None:
        call = replace(call, ask=lambda question: next(answers))
    return load_command("install")(call, **values)


def _show(result: InstallResult, lang: str = "en") -> list[str]:
    return load_command("install").present(result, Style(lang, colour=False)).splitlines()


@pytest.mark.usefixtures("user")
def test_the_list_has_every_agent_and_says_which_are_here() -> None:
    result = _install(list_=True)
    assert result.hosts is not None
    assert tuple(host.name for host in result.hosts) == NAMES
    assert [host.name for host in result.hosts if host.is_here] == ["hermes", "qwen-code"]
    head, *lines = _show(result)
    assert head.split()[:2] == ["agent", "here"]
    assert [line.split()[:2] for line in lines if line.split()[1:2] == ["yes"]] == [
        ["hermes", "yes"],
        ["qwen-code", "yes"],
    ]
    assert lines[-2:] == ["→ `gieok install hermes`", "→ `gieok install qwen-code`"]


@pytest.mark.usefixtures("user")
def test_what_is_installed_is_said_and_not_offered_again() -> None:
    _install(agent="hermes")
    lines = _show(_install())
    assert [line.split()[:2] for line in lines[1:3]] == [
        ["hermes", "installed"],
        ["qwen-code", "yes"],
    ]
    assert lines[3] == "→ `gieok install qwen-code`"


def _name_state(name: str) -> str:
    (host,) = (host for host in _install(list_=True).hosts or () if host.name == name)
    (line,) = (line for line in _show(_install(list_=True)) if line.startswith(f"{name} "))
    words = line.removeprefix(name).split("  ")
    said = next(word.strip() for word in words if word.strip())
    assert (host.is_installed, host.is_in_part) == (said == "installed", said == "in part")
    return said


@pytest.mark.parametrize(
    ("name", "file", "was", "becomes"),
    [
        ("hermes", "{user}/.hermes/config.yaml", "provider: gieok", "provider: mem0"),
        ("hermes", "{user}/.hermes/config.yaml", "", None),
        ("hermes", "{user}/.hermes/plugins/gieok/plugin.yaml", "", None),
        ("qwen-code", "{user}/.qwen/settings.json", '"args"', '"arguments"'),
        ("qwen-code", "{user}/.qwen/settings.json", "hook prompt", "hook stop"),
        ("kilo", "{user}/.config/kilo/plugins/gieok.js", "/gieok hook", "/gone/gieok hook"),
        ("copilot-cli", "{user}/.copilot/mcp-config.json", "", ""),
        ("kimi-code", "{user}/.kimi-code/mcp.json", "", "{"),
        ("pi", "{user}/.pi/agent/extensions/gieok.ts", "/gieok hook", "/gone/gieok hook"),
    ],
)
def test_an_install_of_which_something_is_gone_is_in_part(
    user: Path, name: str, file: str, was: str, becomes: str | None
) -> None:
    _install(agent=name)
    assert _name_state(name) == "installed"
    path = Path(file.format(user=user))
    if becomes is None:
        path.unlink()
    else:
        text = path.read_text()
        assert was in text
        path.write_text(text.replace(was, becomes) if was else becomes)
    assert _name_state(name) == "in part"
    assert f"→ `gieok install {name}`" in _show(_install(list_=True))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_a_pipe_in_the_place_of_settings_is_not_waited_for(user: Path) -> None:
    file = user / ".qwen" / "settings.json"
    os.mkfifo(file)
    assert _name_state("qwen-code") == "yes"
    with pytest.raises(BadRequest, match="not a regular file"):
        _install(agent="qwen-code")
    file.unlink()
    (user / "dotfiles.json").write_text("{}")
    file.symlink_to(user / "dotfiles.json")
    _install(agent="qwen-code")
    assert _name_state("qwen-code") == "installed"


def test_a_server_that_a_person_added_and_a_skill_that_they_deleted_are_no_part(user: Path) -> None:
    _install(agent="qwen-code")
    (user / ".qwen" / "skills" / "memory-search" / "SKILL.md").unlink()
    assert _name_state("qwen-code") == "installed"
    (user / ".copilot").mkdir()
    server = '{"mcpServers": {"gieok": {"command": "gieok", "args": ["mcp"]}}}'
    (user / ".copilot" / "mcp-config.json").write_text(server)
    assert _name_state("copilot-cli") == "yes"


@pytest.mark.usefixtures("user")
def test_without_a_terminal_it_is_said_that_nothing_was_installed() -> None:
    result = _install()
    assert not result.found
    assert _show(result)[-1].startswith("! nothing was installed")
    assert _show(result, "ko")[-1] != _show(result)[-1]
    for name in ("hermes", "qwen-code"):
        _install(agent=name)
    assert _install().found, "nothing is left to install"


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(
    "values",
    [{"to": "x"}, {"commands": True}, {"dry_run": True}, {"project": True}, {"uninstall": True}],
)
def test_what_is_said_of_one_agent_needs_its_name(values: dict[str, object]) -> None:
    with pytest.raises(BadRequest, match="name an agent"):
        _install(iter(["y", "y"]), **values)


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(
    "values",
    [
        *({"list_": True, name: True} for name in ("uninstall", "dry_run", "user", "project")),
        {"list_": True, "agent": "kilo", "uninstall": True},
        {"list_": True, "agent": "kilo"},
        *({"agent": "plugin", "to": "D", name: True} for name in ("project", "commands", "user")),
    ],
)
def test_no_option_is_ignored(values: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(BadRequest):
        _install(**values)
    assert not list(tmp_path.rglob("plugin.json"))


def test_one_agent_that_refuses_leaves_the_report_of_the_others(user: Path) -> None:
    config = user / ".hermes" / "config.yaml"
    config.write_text("memory:\n  provider: mem0\n")
    result = _install(iter(["y", "y"]))
    assert [each.agent for each in result.chosen] == ["hermes", "qwen-code"]
    assert not result.found
    shown = _show(result)
    assert shown[0].startswith("! hermes is left as it is: ")
    assert "mem0" in shown[0]
    assert f"created: {user / '.qwen' / 'settings.json'}" in shown
    assert "qwen-code  installed" in "\n".join(shown)
    assert config.read_text() == "memory:\n  provider: mem0\n"


def test_a_person_chooses_from_what_is_here(user: Path) -> None:
    result = _install(iter(["n", "y"]))
    assert _TOLD[0].splitlines()[1].split()[:2] == ["hermes", "yes"], "the table comes first"
    assert [each.agent for each in result.chosen] == ["qwen-code"]
    assert (user / ".qwen" / "settings.json").exists()
    assert not (user / ".hermes" / "config.yaml").exists()
    assert f"created: {user / '.qwen' / 'settings.json'}" in _show(result)


def test_a_machine_without_agents_shows_all(user: Path) -> None:
    (user / ".qwen").rmdir()
    (user / ".hermes").rmdir()
    result = _install()
    assert result.hosts is not None
    assert len(result.hosts) == len(NAMES)
    assert not result.found


@pytest.mark.parametrize("name", NAMES)
def test_the_table_says_what_the_row_and_the_agent_do(name: str) -> None:
    support, row, agent = describe_host(name), BY_NAME[name], load_agent(name)
    assert (support.start == "no") is (SESSION_START not in row.called_events)
    assert support.gate.startswith("asks") is (PRE_TOOL in row.called_events and row.can_ask)
    assert (support.capture == "yes") is (agent.format is not None)
    assert bool(support.tried_release) is (name != "cursor")
