"""An OpenClaw that is there moves in with one command, whichever generation it is of."""

import json
from pathlib import Path
from typing import Any

import pytest

from gieok.agents.openclaw import installation as openclaw
from gieok.errors import BadRequest
from gieok.surfaces.cli import main

_CURRENT = """{
  // from 2026.8 on
  agents: { defaults: { workspace: %(main)s }, entries: { work: { workspace: %(work)s } }, },
  memory: { search: { extraPaths: [ %(extra)s, { path: "diary", pattern: "*.md" } ] } },
}"""
_LEGACY = """{
  "agents": {"defaults": {"workspace": %(main)s, "memorySearch": {"extraPaths": [%(extra)s]}},
             "list": [{"id": "main", "default": true}, {"id": "work", "workspace": %(work)s}]},
  "memory": {"backend": "qmd"}
}"""


def _workspace(folder: Path, word: str) -> Path:
    (folder / "memory" / ".dreams").mkdir(parents=True)
    (folder / "skills").mkdir()
    (folder / "MEMORY.md").write_text(
        f"# Memory\n\n- The {word} VLAN is 10. <!-- importance: 9 -->\n"
    )
    (folder / "USER.md").write_text(f"{word}의 사용자는 커피를 좋아한다.\n")
    (folder / "memory" / "2026-11-20.md").write_text(f"Met Alice about the {word} router.\n")
    (folder / "memory" / ".dreams" / "d.md").write_text(f"a dream of {word}\n")
    (folder / "AGENTS.md").write_text(f"bootstrap {word}\n")
    (folder / "skills" / "s.md").write_text(f"skill {word}\n")
    return folder


@pytest.fixture(params=[_CURRENT, _LEGACY], ids=["2026.9", "2026.7"])
def installed(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    state = tmp_path / ".openclaw"
    main_workspace, work = (
        _workspace(tmp_path / "ws", "office"),
        _workspace(tmp_path / "work", "studio"),
    )
    extra = tmp_path / "notes"
    for folder in (extra, main_workspace / "diary", state):
        folder.mkdir()
    (extra / "extra.md").write_text("an umbrella in the extra folder")
    (main_workspace / "diary" / "d.md").write_text("the diary")
    values = {"main": main_workspace, "work": work, "extra": extra}
    (state / "openclaw.json").write_text(
        request.param % {k: json.dumps(str(v)) for k, v in values.items()}
    )
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(state))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    return tmp_path


def _run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    status = main([*arguments, "--json"])
    return status, json.loads(capfd.readouterr().out)


def test_every_agents_memory_is_a_scope_and_only_memory_is_indexed(
    installed: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, done = _run(capfd, "import", "openclaw")
    assert status == 0
    assert [agent["scope"] for agent in done["agents"]] == ["agent:main", "agent:work"]
    assert done["agents"][1]["index"]["added"] == 4
    for query in ("bootstrap", "skill", "dream"):
        assert _run(capfd, "search", query, "--scope", "agent:work")[0] == 1
    _, found = _run(capfd, "search", "Alice", "--scope", "agent:work")
    assert found["results"][0]["path"].endswith("memory/2026-11-20.md")
    _, found = _run(capfd, "search", "umbrella")
    assert found["results"][0]["path"] == "notes/extra.md"


def test_a_workspace_can_be_named_and_its_paths_are_those_that_openclaw_shows(
    installed: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, done = _run(capfd, "import", "openclaw", str(installed / "ws"), "--agent", "home")
    assert (status, done["agents"][0]["index"]["added"]) == (0, 3)
    _, found = _run(capfd, "search", "VLAN", "--explain", "--scope", "agent:home")
    assert found["results"][0]["citation"] == "MEMORY.md#L1-L3"
    assert found["results"][0]["signals"]["mark"] == 1.2
    assert _run(capfd, "get", "memory/2026-11-20.md:1", "--scope", "agent:home")[1][
        "text"
    ].startswith("Met Alice")
    assert _run(capfd, "get", "AGENTS.md", "--scope", "agent:home")[0] == 2
    (installed / "ws" / "memory" / "2026-11-21.md").write_text("a new day")
    (installed / "ws" / "USER.md").unlink()
    _, done = _run(capfd, "index", "--scope", "agent:home")
    assert (done["added"], done["removed"], done["failed"]) == (1, 1, [])


def test_the_whole_workspace_may_be_indexed_before_without_harm(
    installed: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _run(capfd, "index", str(installed / "ws" / "memory"))
    _, done = _run(capfd, "import", "openclaw", str(installed / "ws"))
    assert done["agents"][0]["index"]["failed"] == []
    _, found = _run(capfd, "search", "Alice")
    assert [hit["path"] for hit in found["results"]] == ["memory/2026-11-20.md"]


def test_an_unknown_agent_or_folder_is_named(
    installed: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, error = _run(capfd, "import", "openclaw", "--agent", "nobody")
    assert (status, error["error"]["code"]) == (2, "bad_request")
    assert "main, work" in error["error"]["hint"]
    assert _run(capfd, "import", "openclaw", str(installed / "nowhere"))[0] == 2


def test_places_come_from_the_environment_as_openclaw_reads_it(tmp_path: Path) -> None:
    (tmp_path / ".openclaw-p").mkdir()
    found = openclaw.find_openclaw(
        {"OPENCLAW_PROFILE": "p", "OPENCLAW_WORKSPACE_DIR": str(tmp_path / "w")}, tmp_path
    )
    assert (found.state, found.agents) == (
        tmp_path / ".openclaw-p",
        (openclaw.AgentWorkspace("main", tmp_path / "w"),),
    )
    with pytest.raises(BadRequest, match="no OpenClaw"):
        openclaw.find_openclaw({}, tmp_path)


def test_a_damaged_configuration_is_an_error_and_not_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / ".openclaw").mkdir()
    (tmp_path / ".openclaw" / "openclaw.json").write_text("{agents: ")
    with pytest.raises(BadRequest, match="cannot read"):
        openclaw.find_openclaw({}, tmp_path)
