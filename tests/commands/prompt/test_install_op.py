"""`gieok install` and `gieok doctor` as a whole: real processes, real shells, and one that is
killed in the middle.
"""

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import gieok
from gieok.agents.agent import load_agent
from gieok.agents.install.edits import InstallPlace
from gieok.agents.table import HOOKED
from gieok.commands import NAMES, load_command
from gieok.commands.command import Style
from gieok.commands.home.doctor import Check
from gieok.commands.prompt import installed_hooks
from gieok.commands.prompt.install import InstallResult
from gieok.errors import BadRequest
from gieok.home.calls import open_call
from gieok.surfaces import tool_table
from gieok.text import jsonc

_AGENTS = tuple(HOOKED)
_SETTINGS = {
    ".claude/settings.json": b'{\n\t"theme": "dark", // mine\n\t"hooks": {}}',
    ".claude.json": b'{"projects": {}}',
}


class Machine:
    """A user's folder with one project, and Gieok's home, whose name no shell likes."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.user, self.project, self.home = (
            folder / "user",
            folder / "user" / "shop",
            folder / "kim's $HOME; 기억 &",
        )
        (self.project / ".git").mkdir(parents=True)
        monkeypatch.chdir(self.project)
        self.environment = {
            "HOME": str(self.user),
            "PYTHONPATH": str(Path(gieok.__file__).parents[1]),
            "GIEOK_EMBEDDER": "none",
            "GIEOK_HOOK_DEADLINE_MS": "60000",
            "PATH": os.environ["PATH"],
        }
        for name in (
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "QWEN_HOME",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
        ):
            monkeypatch.delenv(name, raising=False)
        for name, value in {**self.environment, "GIEOK_HOME": str(self.home)}.items():
            monkeypatch.setenv(name, value)

    def install(self, agent: str = "claude-code", **values: object) -> InstallResult:
        return load_command("install")(open_call({}), agent=agent, **values)

    def statuses(self, **values: object) -> set[str]:
        return {change.status for change in self.install(**values).changes}

    def remember(self) -> None:
        call = open_call({})
        load_command("remember")(call, text=["린터는 ruff를 쓰기로 했다."])
        call.home.store.close()

    def tell(self, *texts: str) -> None:
        """Say something to Claude Code in the project, and read it."""
        chats = self.user / ".claude" / "projects" / "-shop"
        chats.mkdir(parents=True, exist_ok=True)
        rows = [
            {
                "type": "user",
                "uuid": f"u{number}",
                "sessionId": "told",
                "cwd": str(self.project),
                "timestamp": f"2026-11-20T10:{number:02}:00Z",
                "message": {"role": "user", "content": text},
            }
            for number, text in enumerate(texts)
        ]
        (chats / "told.jsonl").write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
        )
        call = open_call({})
        load_command("index")(call)
        call.home.store.close()

    def command(self, agent: str) -> str:
        return installed_hooks.find_prompt_command(
            InstallPlace(Path.home(), False, os.environ), agent
        )

    def hooks(self) -> list[Check]:
        """Return what `gieok doctor` says of hooks."""
        call = open_call({})
        checks = load_command("doctor")(call).checks
        call.home.store.close()
        return [check for check in checks if check.name == "hook"]

    def tree(self) -> dict[str, bytes | None]:
        found = sorted(self.user.rglob("*"))
        return {
            path.relative_to(self.user).as_posix(): path.read_bytes() if path.is_file() else None
            for path in found
        }


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.fixture
def set_up(machine: Machine) -> Machine:
    """Return a machine with settings of somebody else."""
    (machine.user / ".claude").mkdir()
    for name, data in _SETTINGS.items():
        (machine.user / name).write_bytes(data)
    return machine


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("agent", _AGENTS)
def test_a_dry_run_shows_what_would_change_and_changes_nothing(
    machine: Machine, agent: str, project: bool
) -> None:
    if project and load_agent(agent).no_project:
        pytest.skip("installed for the user alone")
    was = machine.tree()
    dry = machine.install(agent, project=project, dry_run=True)
    assert machine.tree() == was
    shown = load_command("install").present(dry, Style("en", colour=False))
    assert all(f"created: {change.path}" in shown for change in dry.changes)
    assert f"hook prompt --agent {agent}" in shown
    machine.install(agent, project=project)
    done = machine.tree()
    assert done == was | done
    assert all(change.path.read_bytes() == change.after for change in dry.changes)
    assert machine.statuses(agent=agent, project=project, dry_run=True, uninstall=True) == {
        "removed"
    }
    assert machine.tree() == done


@pytest.mark.parametrize(
    "values",
    [
        {"agent": "", "uninstall": True},
        {"agent": "codex", "user": True, "project": True},
        {"agent": "hermes", "project": True},
        {"agent": "copilot-cli", "project": True},
        {"agent": "openclaw", "project": True},
    ],
)
def test_an_agent_must_be_named_and_one_place(machine: Machine, values: dict[str, object]) -> None:
    with pytest.raises(BadRequest):
        machine.install(**values)


def test_a_file_that_cannot_be_edited_keeps_every_other_file_of_the_agent_as_it_was(
    machine: Machine,
) -> None:
    (machine.user / ".claude.json").write_text('{"mcpServers": ', encoding="utf-8")
    was = machine.tree()
    with pytest.raises(BadRequest, match=r"\.claude\.json"):
        machine.install()
    assert machine.tree() == was


@pytest.mark.parametrize("agent", _AGENTS)
def test_the_installed_command_injects_when_a_shell_runs_it(machine: Machine, agent: str) -> None:
    machine.remember()
    machine.install(agent)
    payload = {"session_id": "s", "cwd": str(machine.project), "prompt": "어떤 린터를 쓰기로 했지?"}
    done = subprocess.run(
        machine.command(agent),
        shell=True,
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
        cwd=machine.user,
        env=machine.environment,
    )
    assert (done.stderr, b"ruff" in done.stdout) == (b"", True)
    has_own_member = agent in ("cursor", "opencode", "kilo", "hermes", "pi")
    assert ("additional_context" in json.loads(done.stdout)) is has_own_member


def test_a_relative_home_is_the_same_home_from_every_folder(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", "../memory")
    machine.install()
    assert str(machine.user / "memory") in machine.command("claude-code")


def test_the_doctor_fires_what_is_installed_and_says_what_would_be_injected(
    machine: Machine,
) -> None:
    assert "gieok install claude-code" in machine.hooks()[0].detail
    for agent in _AGENTS:
        machine.install(agent)
    assert [(check.ok, "it knows nothing here" in check.detail) for check in machine.hooks()] == [
        (True, True)
    ] * len(_AGENTS)
    machine.remember()
    for check, agent in zip(machine.hooks(), _AGENTS, strict=True):
        assert check.ok
        assert check.detail.startswith(f"{agent}: ")
        assert "<memory-context" in check.detail
        assert "ruff" in check.detail
    assert all(check.ok for check in machine.hooks()), (
        "what it was shown before does not silence the hook"
    )


def test_the_doctor_tries_a_hook_with_what_was_told_where_there_is_no_note(
    machine: Machine,
) -> None:
    machine.install()
    machine.tell(
        "The staging gateway runs in Frankfurt.",
        "영업팀 회의는 화요일 오전에 해",
        "Invoices are sent on the first of the month.",
        "고객 지원은 지수가 맡아",
        "Backups go to the blue bucket.",
        "린터는 ruff로 하자, 포매터는 black 말고",
    )
    (check,) = machine.hooks()
    assert check.ok
    assert "<memory-context" in check.detail
    assert "ruff" in check.detail


def test_the_doctor_says_that_something_is_known_where_it_answers_no_trial(
    machine: Machine,
) -> None:
    machine.install()
    machine.tell("ok")
    (check,) = machine.hooks()
    assert check.ok
    assert "memory has something here" in check.detail


def test_the_doctor_fires_what_is_installed_in_a_project_without_memory_too(
    machine: Machine,
) -> None:
    machine.install(project=True)
    assert [check.detail.partition(":")[0] for check in machine.hooks()] == ["claude-code"]


def test_the_doctor_names_hooks_with_the_time_limit_of_an_earlier_release(
    machine: Machine,
) -> None:
    machine.install()
    file = machine.user / ".claude" / "settings.json"
    settings = json.loads(file.read_text(encoding="utf-8"))
    settings["hooks"]["PreCompact"][0]["hooks"][0]["timeout"] = 3
    file.write_text(json.dumps(settings), encoding="utf-8")
    (short,) = [check for check in machine.hooks() if not check.ok]
    assert "PreCompact" in short.detail
    machine.install()
    assert all(check.ok for check in machine.hooks())


def test_the_doctor_runs_no_command_that_is_not_this_very_gieok(machine: Machine) -> None:
    machine.remember()
    machine.install()
    file, mark = machine.user / ".claude" / "settings.json", machine.user / "mark"
    was = json.dumps(machine.command("claude-code"), ensure_ascii=False)
    installed = file.read_text("utf-8")
    for command, said in (
        (f"touch {mark}; gieok hook prompt", f"in part: it is not in {file}"),
        ("/nowhere/gieok hook prompt --agent claude-code", "not run"),
    ):
        file.write_text(installed.replace(was, json.dumps(command)), "utf-8")
        (check,) = machine.hooks()
        assert check.ok is False
        assert said in check.detail
        assert not mark.exists()
    assert "not run" in check.detail
    assert "install claude-code" in check.hint


def _run(*arguments: str, code: str = "") -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        *(["-c", code] if code else ["-m", "gieok"]),
        *arguments,
        "install",
        "claude-code",
    ]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def test_installing_in_several_processes_at_once_leaves_valid_files(set_up: Machine) -> None:
    was = set_up.tree()
    running = [_run() for _ in range(4)]
    assert [(process.communicate()[1], process.returncode) for process in running] == [(b"", 0)] * 4
    data = jsonc.load_jsonc((set_up.user / ".claude" / "settings.json").read_text(encoding="utf-8"))
    assert ([len(entries) for entries in data["hooks"].values()], data["theme"]) == (
        [1] * 6,
        "dark",
    )
    assert set_up.statuses() == {"unchanged"}
    set_up.install(uninstall=True)
    assert set_up.tree() == was


_KILLED = """
import os, signal, sys
left = int(sys.argv.pop(1))
def hook(event, arguments):
    global left
    if event == "os.rename":
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
sys.addaudithook(hook)
from gieok.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize("renames", range(8))
def test_a_process_that_is_killed_between_its_files_does_no_harm(
    set_up: Machine, renames: int
) -> None:
    was = set_up.tree()
    with _run(str(renames), code=_KILLED) as killed:
        assert (killed.wait(), killed.stderr.read()) == (-signal.SIGKILL, b"")
    for name in _SETTINGS:
        jsonc.load_jsonc((set_up.user / name).read_text(encoding="utf-8"))
    set_up.install()
    assert set_up.statuses() == {"unchanged"}
    set_up.install(uninstall=True)
    files = {
        name: data
        for name, data in set_up.tree().items()
        if not name.endswith(".tmp") and data is not None
    }
    assert files == _SETTINGS
    assert set_up.tree() == was


_COMMANDS = [f"gieok-{name}.md" for name in ("impact", "index", "query", "sync")]


def _commands(machine: Machine) -> dict[str, str]:
    folder = machine.user / ".claude" / "commands"
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.md"))}


def test_commands_for_code_are_installed_for_who_wants_them_and_taken_out(machine: Machine) -> None:
    machine.install()
    assert _commands(machine) == {}
    machine.install(commands=True)
    found = _commands(machine)
    assert list(found) == _COMMANDS
    for text in found.values():
        head, _, body = text.removeprefix("---\n").partition("\n---\n")
        assert yaml.safe_load(head).keys() >= {"description", "allowed-tools"}
        assert "{gieok}" not in text
        assert str(machine.home.name) in body.replace(
            "'\"'\"'", "'"
        )  # the home that this Gieok has
    assert machine.statuses(commands=True) == {"unchanged"}
    assert machine.statuses() == {"unchanged"}
    assert _commands(machine) == found
    machine.install(uninstall=True)
    assert not (machine.user / ".claude" / "commands").exists()


def test_a_command_of_the_users_own_is_never_overwritten_and_one_they_changed_stays(
    machine: Machine,
) -> None:
    folder = machine.user / ".claude" / "commands"
    folder.mkdir(parents=True)
    (folder / "gieok-query.md").write_text("my own, which calls gieok", encoding="utf-8")
    machine.install(commands=True)
    (folder / "gieok-sync.md").write_text("mine by now: gieok code sync", encoding="utf-8")
    machine.install(commands=True)
    assert _commands(machine)["gieok-query.md"] == "my own, which calls gieok"
    assert _commands(machine)["gieok-sync.md"] == "mine by now: gieok code sync"
    machine.install(uninstall=True)
    assert list(_commands(machine)) == ["gieok-query.md", "gieok-sync.md"]


@pytest.mark.parametrize(("said", "expected"), [("y", _COMMANDS), ("", []), ("no", [])])
def test_who_is_at_a_terminal_is_asked_for_the_commands_until_they_are_there(
    machine: Machine, said: str, expected: list[str]
) -> None:
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return said

    for _ in range(2):
        load_command("install")(replace(open_call({}), ask=ask), agent="claude-code")
    assert list(_commands(machine)) == expected
    assert len(asked) == (1 if expected else 2)


def test_an_agent_without_such_commands_says_so(machine: Machine) -> None:
    with pytest.raises(BadRequest, match="no command files"):
        machine.install("codex", commands=True)


def test_what_the_commands_call_are_tools_and_commands_that_there_are(machine: Machine) -> None:
    machine.install(commands=True)
    for text in _commands(machine).values():
        called = set(re.findall(r"mcp__gieok__(\w+)|`(code_\w+)`", text))
        assert {one or other for one, other in called} <= tool_table.load_tool_operations().keys()
        assert {
            f"code {name}" for name in re.findall(r"(?:gieok|gieok['\"]) code (\w+)", text)
        } <= set(NAMES)
