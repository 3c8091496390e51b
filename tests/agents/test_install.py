"""Putting Gieok into an agent's own files and taking it out: what is somebody else's stays, to the
byte.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from gieok.agents import agent as agents
from gieok.agents.install import change
from gieok.agents.install.change import InstallRecord
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.table import BY_NAME, HOOKED
from gieok.commands.prompt.installed_hooks import find_prompt_command
from gieok.errors import BadRequest
from gieok.text import jsonc

_AGENTS = tuple(HOOKED)
_USUAL = """// mine
{
\t"theme": "dark", // "hooks": none
\t"mcpServers": {"other": {"command": "other" /* , */}},
\t"hooks": {
\t\t"UserPromptSubmit": [ /* first */ {"hooks": [{"type": "command", "command": "say hi # gieok"}]}],
\t\t"beforeSubmitPrompt": [{"command": "./check.sh"}]
\t},
\t"한글": "값\\u0000", "unknown": [1, [2]]
}""".encode()
_TOML = b'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "other"'
#: What may stand in a settings file, and in one of TOML, before us; None: there is none.
_BEFORE: dict[str, tuple[bytes | None, bytes | None]] = {
    "no file": (None, None),
    "comments, tabs, no final newline": (_USUAL, _TOML),
    "CRLF": (_USUAL.replace(b"\n", b"\r\n"), _TOML.replace(b"\n", b"\r\n") + b"\r\n"),
    "BOM, trailing commas": (
        b"\xef\xbb\xbf" + _USUAL.replace(b"]\n}", b", ],\n}"),
        b"\xef\xbb\xbf" + _TOML,
    ),
    "one line": (b'{"a": {"hooks": 1}, "hooks": {}}', b"a = 1\n"),
    "blank": (b"", b"\n"),
    "no members": (b"{}", b"# nothing yet"),
}


def edits_of(agent: str, place: InstallPlace, call: OwnCommand) -> list[change.Edit]:
    return agents.load_agent(agent).build_edits(place, call)


#: How each agent writes our MCP server.
_SERVER = dict.fromkeys(_AGENTS, '{"command": "gieok", "args": ["mcp"]}') | {
    "opencode": '{"type": "local", "command": ["gieok", "mcp"]}',
    "kilo": '{"type": "local", "command": ["gieok", "mcp"]}',
    "copilot-cli": ('{"type": "local", "command": "gieok", "args": ["mcp"], "tools": ["*"]}'),
}
#: Agents that speak no MCP by themselves: their extension has tools of its own.
_WITHOUT_SERVER = ("pi",)
#: Agents whose files hold no JSON of a user's.
_WITHOUT_JSON = ("hermes", "kimi-code", "pi")
#: Agents that have no settings of a project, or share them with everybody in it.
_OF_USERS = ("copilot-cli", "hermes", "kimi-code")
#: Agents with a plugin that calls the hooks.
_PLUGINS = (".js", ".ts", ".py")


class Home(NamedTuple):
    """A folder to install in, and where Gieok remembers what it did."""

    place: InstallPlace
    ledger: InstallRecord
    call: OwnCommand = OwnCommand(("gieok",), {})

    def parts(self, agent: str) -> list[change.Edit]:
        return edits_of(agent, self.place, self.call)

    def install(self, agent: str) -> set[str]:
        parts = self.parts(agent)
        changes = [change.plan_file_change(part, self.ledger) for part in parts]
        change.install_edits(parts, changes, self.ledger)
        return {c.status for c in changes}

    def uninstall(self, agent: str) -> set[str]:
        changes = [change.plan_file_removal(part, self.ledger) for part in self.parts(agent)]
        change.uninstall(changes, self.ledger)
        return {c.status for c in changes}

    def tree(self) -> dict[Path, bytes | None]:
        found = sorted(self.place.folder.rglob("*"))
        return {path: path.read_bytes() if path.is_file() else None for path in found}

    def prepare(
        self, agent: str, before: tuple[bytes | None, bytes | None]
    ) -> dict[Path, bytes | None]:
        """Write what the settings files hold before us; return what is there then."""
        for part in self.parts(agent):
            data = before[part.path.suffix == ".toml"]
            if (
                part.path.suffix in (".json", ".toml")
                and data is not None
                and "commands" not in part.path.parts
            ):
                part.path.parent.mkdir(parents=True, exist_ok=True)
                part.path.write_bytes(data)
        return self.tree()

    def hooks(self, agent: str) -> dict[str, list[str]]:
        """Return the agent's events, and the commands that it runs at each."""
        plugins = [part.path for part in self.parts(agent) if part.path.suffix in _PLUGINS]
        if plugins:
            found = re.search(
                r"^(?:const )?COMMANDS.* = (\{.*\});?$",
                plugins[0].read_text(encoding="utf-8"),
                re.MULTILINE,
            )
            assert found
            return {
                BY_NAME[agent].events[event]: [line] for event, line in json.loads(found[1]).items()
            }
        if agent == "kimi-code":
            tables = tomllib.loads(self.settings(agent).read_text(encoding="utf-8-sig"))
            return {hook["event"]: [hook["command"]] for hook in tables["hooks"]}
        hooks = jsonc.load_jsonc(self.settings(agent).read_text(encoding="utf-8"))["hooks"]
        return {event: _commands(entries) for event, entries in hooks.items()}

    def settings(self, agent: str) -> Path:
        return self.parts(agent)[0].path


@pytest.fixture(params=[False, True], ids=["user", "project"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    (tmp_path / "place" / "work").mkdir(parents=True)
    return Home(
        InstallPlace(tmp_path / "place", request.param, {}), InstallRecord(tmp_path / "home")
    )


@pytest.fixture
def user(tmp_path: Path) -> Home:
    (tmp_path / "place" / "work").mkdir(parents=True)
    return Home(InstallPlace(tmp_path / "place", False, {}), InstallRecord(tmp_path / "home"))


@pytest.fixture(autouse=True)
def _skip_projects_of_user_agents(request: pytest.FixtureRequest) -> None:
    """Skip an install in a project for agents that can be installed for the user alone."""
    values = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    if values.get("home") is True and values.get("agent") in _OF_USERS:
        pytest.skip("installed for the user alone")


def _commands(entries: object) -> list[str]:
    return re.findall(r'"command": "([^"]*)"', json.dumps(entries))


@pytest.mark.parametrize("before", _BEFORE.values(), ids=list(_BEFORE))
@pytest.mark.parametrize("agent", _AGENTS)
def test_our_part_goes_in_once_and_out_again_byte_for_byte(
    home: Home, agent: str, before: tuple[bytes | None, bytes | None]
) -> None:
    was = home.prepare(agent, before)
    assert home.install(agent) <= {"created", "changed"}
    expected = {
        name: f"gieok hook {event} --agent {agent}" for event, name in BY_NAME[agent].events.items()
    }
    assert {
        name: lines[-1] for name, lines in home.hooks(agent).items() if name in expected
    } == expected
    assert find_prompt_command(home.place, agent) == expected[BY_NAME[agent].events["prompt"]]
    if agent not in _WITHOUT_JSON and before[0] and b"// mine" in before[0]:
        text = home.settings(agent).read_text(encoding="utf-8")
        assert all(
            piece in text
            for piece in ("// mine", '// "hooks": none', "/* , */", "/* first */", "say hi # gieok")
        )
    servers = json.dumps(list(map(_servers, home.tree())))
    expected_count = 0 if agent in _WITHOUT_SERVER else 1
    assert servers.count(f'"gieok": {_SERVER[agent]}') == expected_count
    installed = home.tree()
    assert home.install(agent) == {"unchanged"}
    assert home.tree() == installed
    assert home.uninstall(agent) <= {"removed", "changed"}
    assert home.tree() == was


def _servers(file: Path) -> object:
    """Return the MCP servers of a settings file."""
    if file.name == "config.toml":
        return tomllib.loads(file.read_text(encoding="utf-8-sig")).get("mcp_servers")
    if file.name == "config.yaml":
        return yaml.safe_load(file.read_text(encoding="utf-8")).get("mcp_servers")
    data = jsonc.load_jsonc(file.read_text(encoding="utf-8")) if file.suffix == ".json" else {}
    return data.get("mcp" if file.name in ("opencode.json", "kilo.json") else "mcpServers")


@pytest.mark.parametrize("agent", _AGENTS)
def test_what_somebody_edited_in_between_stays_and_only_our_part_goes(
    home: Home, agent: str
) -> None:
    was = home.prepare(agent, (_USUAL, _TOML))
    home.install(agent)
    edits = {
        path: b"# edited\n" if path.suffix == ".toml" else b"// edited\n"
        for path, data in was.items()
        if data
    }
    for path, edit in edits.items():
        path.write_bytes(edit + path.read_bytes())
    assert home.install(agent) == {"unchanged"}
    home.uninstall(agent)
    assert {path: (data or b"").rstrip() for path, data in home.tree().items()} == {
        path: edits.get(path, b"") + (data or b"") for path, data in was.items()
    }


@pytest.mark.parametrize("agent", _AGENTS)
def test_an_older_call_of_ours_is_replaced_not_doubled(user: Home, agent: str) -> None:
    was = user.tree()
    user._replace(call=OwnCommand(("/old place's/bin/gieok",), {})).install(agent)
    new = user._replace(call=OwnCommand(("/new/python", "-m", "gieok"), {"GIEOK_HOME": "/a b"}))
    new.install(agent)
    found = [line for lines in new.hooks(agent).values() for line in lines]
    expected = ["GIEOK_HOME='/a b' /new/python -m gieok"] * len(BY_NAME[agent].events)
    assert [line.split(" hook ")[0] for line in found] == expected
    new.uninstall(agent)
    assert new.tree() == was


def test_a_hook_that_somebody_added_to_our_group_stays_without_ours(user: Home) -> None:
    user.install("claude-code")
    file = user.settings("claude-code")
    data = json.loads(file.read_text())
    data["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "./mine.sh"})
    file.write_text(json.dumps(data))
    user.install("claude-code")
    assert len(_commands(json.loads(file.read_text()))) == 7
    user.uninstall("claude-code")
    assert _commands(json.loads(file.read_text())) == ["./mine.sh"]


@pytest.mark.parametrize("agent", [name for name in _AGENTS if name not in _WITHOUT_JSON])
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (b'{"hooks": ', "at line 1"),
        (b'\xff{"a": 1}', "codec"),
        (b'{"mcpServers": "x", "mcp": 3, "hooks": 3}', "not an object"),
    ],
)
def test_settings_that_cannot_be_edited_are_named_and_left(
    home: Home, agent: str, wrong: bytes, said: str
) -> None:
    was = home.prepare(agent, (wrong, b"\xff"))
    with pytest.raises(
        BadRequest, match=f"{re.escape(str(home.settings(agent)))}.*{said}"
    ) as caught:
        home.install(agent)
    assert caught.value.hint
    assert home.tree() == was


@pytest.mark.parametrize("agent", _AGENTS)
@pytest.mark.parametrize("is_folder", [True, False])
def test_a_folder_or_an_unreadable_file_in_the_place_of_any_is_named(
    user: Home, agent: str, is_folder: bool
) -> None:
    for part in user.parts(agent):
        part.path.parent.mkdir(parents=True, exist_ok=True)
        part.path.mkdir() if is_folder else part.path.symlink_to(
            part.path.name
        )  # a loop: not even root reads it
        was = user.tree()
        for attempt in (user.install, user.uninstall):
            with pytest.raises(BadRequest, match=re.escape(repr(str(part.path)))):
                attempt(agent)
        assert user.tree() == was
        part.path.rmdir() if is_folder else part.path.unlink()


# called gieok among JSON's servers is taken for ours, replaced, and gone after the uninstall
# (edits.server).
@pytest.mark.parametrize(
    ("agent", "theirs"),
    [
        ("codex", b'[mcp_servers.gieok]\ncommand = "x"\n'),
        ("codex", b'[mcp_servers."gieok"]\ncommand = "x"\n'),
        ("codex", b'[mcp_servers]\ngieok = { command = "x" }\n'),
        ("claude-code", b'{"mcpServers": {"gieok": {"command": "x"}}}'),
        ("gemini-cli", b'{"mcpServers": {"gieok": {"command": "x"}}}'),
        ("cursor", b'{"mcpServers": {"gieok": {"url": "x"}}}'),
        ("qwen-code", b'{"mcpServers": {"gieok": {"command": "x"}}}'),
        ("opencode", b'{"mcp": {"gieok": {"command": ["x"]}}}'),
    ],
)
def test_another_program_with_our_name_is_refused_and_not_touched(
    user: Home, agent: str, theirs: bytes
) -> None:
    was = user.prepare(agent, (None, theirs) if agent == "codex" else (theirs, None))
    with pytest.raises(BadRequest, match=r"\.(json|toml)"):
        user.install(agent)
    assert user.tree() == was


def test_a_home_with_any_characters_stands_in_config_toml_as_it_is(user: Home) -> None:
    odd = "/a 'b' \"c\" \\d $e 기억 🧠"
    user._replace(call=OwnCommand(("gieok",), {"GIEOK_HOME": odd})).install("codex")
    assert _servers(user.place.folder / ".codex" / "config.toml")["gieok"]["env"] == {
        "GIEOK_HOME": odd
    }


@pytest.mark.parametrize(
    ("agent", "variable"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR"),
        ("codex", "CODEX_HOME"),
        ("qwen-code", "QWEN_HOME"),
        ("opencode", "XDG_CONFIG_HOME"),
        ("kilo", "XDG_CONFIG_HOME"),
        ("pi", "PI_CODING_AGENT_DIR"),
        ("kimi-code", "KIMI_CODE_HOME"),
    ],
)
def test_an_agents_own_variable_moves_its_folder_for_the_user_only(
    home: Home, agent: str, variable: str
) -> None:
    moved = home.place.folder / "moved"
    place = home.place._replace(environment={variable: str(moved)})
    paths = [part.path for part in edits_of(agent, place, home.call)]
    assert [moved in path.parents for path in paths] == [not place.is_project] * len(paths)


@pytest.mark.parametrize("agent", _AGENTS)
def test_links_stay_links_and_modes_stay_as_they_are(
    user: Home, tmp_path: Path, agent: str
) -> None:
    files = [path for path, data in user.prepare(agent, _BEFORE["one line"]).items() if data]
    for number, file in enumerate(files):
        file.rename(tmp_path / f"dotfile-{number}").chmod(0o640)
        file.symlink_to(tmp_path / f"dotfile-{number}")
    was = user.tree()
    for attempt in (user.install, user.uninstall):
        attempt(agent)
        assert all(file.is_symlink() and file.stat().st_mode & 0o777 == 0o640 for file in files)
    assert user.tree() == was


@pytest.mark.parametrize("agent", _AGENTS)
@pytest.mark.parametrize("is_installed", [True, False])
@pytest.mark.parametrize("before", [b"", b"\n", None])
def test_empty_folders_and_files_that_were_there_stay(
    home: Home, agent: str, is_installed: bool, before: bytes | None
) -> None:
    (home.place.folder / "work").rmdir()
    home.settings(agent).parent.mkdir(parents=True, exist_ok=True)
    was = home.prepare(agent, (before, before))
    if is_installed:
        home.install(agent)
    assert ("unchanged" in home.uninstall(agent)) is not is_installed
    assert home.place.folder.is_dir()
    assert home.tree() == was


@pytest.mark.parametrize("name", [name for name in BY_NAME if agents.load_agent(name).no_project])
def test_an_agent_without_settings_of_a_project_changes_nothing_at_one(
    name: str, tmp_path: Path
) -> None:
    environment = {"OPENCLAW_STATE_DIR": str(tmp_path / "state")}
    site = InstallPlace(tmp_path, True, environment)
    assert agents.load_agent(name).list_site_edits(site, OwnCommand(("gieok",), {})) == []


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli", "qwen-code"])
def test_a_hook_that_gets_less_time_than_it_needs_is_found(agent: str, home: Home) -> None:
    for edit in edits_of(agent, home.place, home.call):
        settings = edit.add("{}") if edit.path.name.startswith("settings") else ""
        limit = re.search(r'"timeout": (\d+)', settings)
        if limit:
            assert not edit.list_shorter_hooks(settings)
            assert edit.list_shorter_hooks(settings.replace(limit[0], '"timeout": 1'))
            return
    pytest.fail("no hook with a time limit")


#: What an install brings, by the way to search that an agent is told of.
_SEARCHES: dict[str, str] = {
    "/memory:search": r"commands/memory/search\.(md|toml)$",
    "/memory-search": r"commands/memory-search\.md$",
    "the skill `memory-search`": r"skills/memory-search/SKILL\.md$",
}


@pytest.mark.parametrize("agent", _AGENTS)
def test_the_way_to_search_that_an_agent_is_told_of_is_one_that_its_install_brings(
    user: Home, agent: str
) -> None:
    user.install(agent)
    told, paths = BY_NAME[agent].search, [path.as_posix() for path in user.tree()]
    if told in _SEARCHES:
        assert any(re.search(_SEARCHES[told], path) for path in paths)
        return
    has_server = any(map(_servers, user.tree()))
    has_tool = any(
        'name: "memory_search"' in (data or b"").decode() for data in user.tree().values()
    )
    assert told.startswith("the tool `memory_search`")
    assert has_server or has_tool
    assert not any(re.search(end, path) for end in _SEARCHES.values() for path in paths)
