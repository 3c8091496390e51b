"""What a script of the project runs is held against rules, as if it were typed."""

import json
from pathlib import Path

import pytest

from gieok.hook.gates import read_tool_attempt


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with scripts of each kind."""
    folder = tmp_path_factory.mktemp("project")
    scripts = {
        "ship": "npm run build && vercel --prod",
        "build": "vite build",
        "loop": "npm run loop",
    }
    (folder / "package.json").write_text(json.dumps({"scripts": scripts}))
    (folder / "Makefile").write_text(
        "FLAGS := -x\nall: build\n\nbuild:\n\tgo build\n\nrelease: build\n\t@git push origin main\n"
    )
    (folder / "justfile").write_text("wipe:\n    dropdb shop\n")
    (folder / "bin").mkdir()
    (folder / "bin/down").write_text("#!/usr/bin/env bash\nterraform destroy\n")
    (folder / "bin/tool.py").write_text("dropdb shop\n")
    return folder


@pytest.mark.parametrize(
    ("line", "started"),
    [
        ("npm run ship", {"npm", "vite", "vercel"}),
        ("yarn ship", {"yarn", "npm", "vite", "vercel"}),
        ("npm ship", {"npm"}),
        ("npm run loop", {"npm"}),
        ("make", {"make", "go"}),
        ("make release", {"make", "go", "git"}),
        ("make missing", {"make"}),
        ("just wipe", {"just", "dropdb"}),
        ("./bin/down", {"down", "terraform"}),
        ("cd bin && bash down", {"cd", "bash", "down", "terraform"}),
        ("python bin/tool.py", {"python", "tool.py"}),
        ("ssh web-1 ./bin/down", {"ssh", "down"}),
    ],
)
def test_programs_that_a_script_starts_are_those_of_the_line(
    project: Path, line: str, started: set[str]
) -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": line}}
    attempt = read_tool_attempt(given, folder=str(project), root=str(project))
    assert {step.program for step in attempt.invocations} == started


def test_a_script_runs_in_its_own_folder(project: Path) -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "npm --prefix .. run build"}}
    below = project / "bin"
    attempt = read_tool_attempt(given, folder=str(below), root=str(project))
    [_, script] = attempt.invocations
    assert Path(script.folder).resolve() == project.resolve()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"scripts": 3}', '{"scripts": {"a": 1}}'])
def test_a_damaged_file_of_scripts_starts_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "package.json").write_text(text)
    given = {"tool_name": "Bash", "tool_input": {"command": "npm run a"}}
    attempt = read_tool_attempt(given, folder=str(tmp_path), root=str(tmp_path))
    assert [step.program for step in attempt.invocations] == ["npm"]


def test_the_address_that_a_tool_fetches_is_a_place_that_a_rule_may_name() -> None:
    given = {"tool_name": "WebFetch", "tool_input": {"url": "https://wiki.example/a"}}
    assert read_tool_attempt(given, folder="/w", root="/w").text == "https://wiki.example/a"
