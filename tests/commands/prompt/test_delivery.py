"""`gieok doctor --agents`: stand-ins for the agents' programs run the installed hook and ask the
model they are led to.
"""

import json
import sys
from pathlib import Path

import pytest

import gieok
from gieok.agents.agent import load_agent
from gieok.agents.table import NAMES
from gieok.commands import load_command
from gieok.commands.prompt import delivery
from gieok.errors import GieokError
from gieok.home.calls import open_call

#: Does what Claude Code does: reads its settings, runs the prompt's hook, sends the context COPIES
#: times.
_CLAUDE = """
import json, os, subprocess, sys, urllib.request
if sys.argv[1] == "--version":
    sys.exit(print("9.8.7 (a stand-in)"))
assert sys.argv[1] == "-p" and "SECRET_KEY" not in os.environ and os.getcwd().startswith(os.environ["HOME"])
settings = json.load(open(os.path.join(os.environ["HOME"], ".claude", "settings.json")))
command = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
payload = {"session_id": "s", "cwd": os.getcwd(), "hook_event_name": "UserPromptSubmit", "prompt": sys.argv[-1]}
done = subprocess.run(command, shell=True, input=json.dumps(payload).encode(), capture_output=True)
context = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""
body = {"messages": [{"role": "user", "content": sys.argv[-1] + context * (COPIES or 0)}], "stream": True}
if COPIES is not None:
    url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
    urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())).read()
else:
    sys.exit("not logged in")
"""
#: Does what Codex's app server does, with the number of characters as its hash of a command.
_CODEX = """
import json, os, sys
if sys.argv[1] != "app-server":
    sys.exit("no exec here")
for line in sys.stdin:
    request = json.loads(line)
    if request.get("method") == "hooks/list":
        file = os.path.join(os.environ["HOME"], ".codex", "hooks.json")
        hooks = [
            {"key": f"{file}:{event}:0:0", "eventName": event, "command": groups[0]["hooks"][0]["command"],
             "currentHash": str(len(groups[0]["hooks"][0]["command"]))}
            for event, groups in json.load(open(file))["hooks"].items()
        ]
        print(json.dumps({"method": "warning"}), flush=True)
        print(json.dumps({"id": request["id"], "result": {"data": [{"hooks": hooks}]}}), flush=True)
"""


class Machine:
    """A user's folder with a project, Gieok's home, and a folder of programs that is all of
    PATH.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.user, self.project, self.programs = (
            folder / "user",
            folder / "user" / "shop",
            folder / "bin",
        )
        for made in (self.project / ".git", self.programs):
            made.mkdir(parents=True)
        for name in (
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "QWEN_HOME",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
        ):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.chdir(self.project)
        values = {
            "HOME": self.user,
            "GIEOK_HOME": folder / "home",
            "PYTHONPATH": Path(gieok.__file__).parents[1],
            "PATH": self.programs,
            "SECRET_KEY": "sk-of-the-user",
        }
        for name, value in values.items():
            monkeypatch.setenv(name, str(value))

    def program(self, name: str, text: str) -> None:
        file = self.programs / name
        file.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
        file.chmod(0o755)

    def install(self, agent: str, **values: object) -> None:
        load_command("install")(open_call({}), agent=agent, **values)

    def proven(self) -> dict[str, str]:
        """Return what was seen for each check; a failed one begins with ✗."""
        return {name: _seen(prove) for name, prove in delivery.iter_delivery_proofs(open_call({}))}


def _seen(prove: object) -> str:
    try:
        return str(prove())  # type: ignore[operator]
    except GieokError as error:
        return f"✗ {error} → {error.hint}"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def _claude(copies: int | None) -> str:
    return _CLAUDE.replace("COPIES", repr(copies))


def test_a_memory_that_reaches_the_models_request_once_is_proven_without_touching_anything(
    machine: Machine,
) -> None:
    machine.program("claude", _claude(1))
    machine.install("claude-code")
    was = {file: file.read_bytes() for file in machine.user.rglob("*") if file.is_file()}
    seen = machine.proven()
    assert (
        seen["delivery by claude-code"]
        == "claude-code 9.8.7: the memory stood in the model's request, once"
    )
    assert seen["hooks of claude-code"].startswith("registered once, in ")
    assert {file: file.read_bytes() for file in machine.user.rglob("*") if file.is_file()} == was


def test_a_release_that_a_program_names_on_its_error_output_is_shown(machine: Machine) -> None:
    on_errors = _claude(1).replace('"9.8.7 (a stand-in)"', '"9.8.7", file=sys.stderr')
    machine.program("claude", on_errors)
    machine.install("claude-code")
    assert machine.proven()["delivery by claude-code"].startswith("claude-code 9.8.7: ")


@pytest.mark.parametrize(
    ("copies", "said"),
    [
        (0, "did not reach the model's request"),
        (2, "2 times"),
        (None, "asked no model: not logged in"),
    ],
)
def test_a_memory_that_does_not_arrive_or_arrives_twice_is_told(
    machine: Machine, copies: int | None, said: str
) -> None:
    machine.program("claude", _claude(copies))
    machine.install("claude-code")
    seen = machine.proven()["delivery by claude-code"]
    assert seen.startswith("✗ claude-code 9.8.7")
    assert said in seen


def test_a_second_copy_of_the_hook_is_found_wherever_the_agent_would_read_it(
    machine: Machine,
) -> None:
    machine.install("claude-code")
    plugin = machine.user / ".claude" / "plugins" / "cache" / "mine" / "hooks" / "hooks.json"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(
        '{"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "\\"/opt/gieok\\" hook '
        'prompt"}]}]}}'
    )
    seen = machine.proven()["hooks of claude-code"]
    assert "registered more than once" in seen
    assert "settings.json" in seen
    assert str(plugin) in seen
    plugin.unlink()
    machine.install("claude-code", project=True)
    assert "settings.local.json" in machine.proven()["hooks of claude-code"]


def test_a_setting_that_turns_hooks_off_is_named(machine: Machine) -> None:
    settings = machine.user / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"hooksConfig": {"disabled": ["gieok"]}}', encoding="utf-8")
    machine.install("gemini-cli")
    assert "✗ hooksConfig.disabled in " in machine.proven()["hooks of gemini-cli"]


def test_the_hooks_that_codex_was_not_told_to_trust_are_named(machine: Machine) -> None:
    machine.program("codex", _CODEX)
    machine.install("codex")
    seen = machine.proven()["trust of codex"]
    assert seen.startswith("✗")
    assert "UserPromptSubmit" in seen
    assert seen.endswith("type /hooks in Codex and approve gieok's")
    file = machine.user / ".codex" / "hooks.json"
    hooks = json.loads(file.read_text(encoding="utf-8"))["hooks"]
    trusted = "".join(
        (
            f'\n[hooks.state."{file}:{event}:0:0"]\ntrusted_hash = '
            f'"{len(groups[0]["hooks"][0]["command"])}"\n'
        )
        for event, groups in hooks.items()
    )
    settings = machine.user / ".codex" / "config.toml"
    with settings.open("a", encoding="utf-8") as out:
        out.write(trusted)
    assert (
        machine.proven()["trust of codex"]
        == "codex says that its user has trusted every hook of ours"
    )


def test_what_cannot_be_proven_says_why_and_agents_without_gieok_are_named(
    machine: Machine,
) -> None:
    machine.program("qwen", "")
    for name in ("codex", "cursor"):
        machine.install(name)
    seen = machine.proven()
    assert seen["delivery by codex"] == "cannot be proven: `codex` is not on PATH"
    assert seen["delivery by cursor"].startswith("cannot be proven: ")
    assert seen["agent qwen-code"] == "is here without Gieok: `gieok install qwen-code`"
    assert not any("opencode" in name for name in seen)


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_that_runs_without_a_person_is_led_to_our_model_alone(name: str) -> None:
    rehearsal = load_agent(name).rehearsal
    if rehearsal is None:
        pytest.skip("it cannot be run")
    given = "\n".join((*rehearsal.environment.values(), *rehearsal.files.values()))
    assert "<url>" in given
    assert "http" not in given.replace("http://127.0.0.1", "")
    assert Path(rehearsal.program).name == rehearsal.program
