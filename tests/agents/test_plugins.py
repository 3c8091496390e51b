"""The extension of pi and the memory provider of Hermes, run as their hosts run them.

The host is a stand-in that calls what the real one calls, in the order that was recorded.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gieok.agents import table
from gieok.agents.agent import load_agent
from gieok.agents.install.edits import (
    InstallPlace,
    OwnCommand,
    PluginFile,
    ScriptFile,
    get_hook_timeout_s,
    script,
)

#: Stands for `gieok hook`: keeps what it is sent, and answers.
_HOOK = """
import json, sys
payload = json.load(sys.stdin)
event = sys.argv[1]
with open("log.jsonl", "a", encoding="utf-8") as log:
    log.write(json.dumps([event, payload]) + "\\n")
if event == "pre-tool" and "push" in str(payload["tool_input"]):
    print(json.dumps({"decision": "ask" if payload.get("can_ask") else "deny", "reason": "never push"}))
elif event == "pre-tool" and "cart.py" in str(payload["tool_input"]):
    print(json.dumps({"additional_context": "기억 of cart.py"}))
elif event in ("session-start", "pre-compact") or payload.get("prompt") == "deploy?":
    print(json.dumps({"additional_context": f"기억 of {event}"}))
"""
_EVENTS = ("prompt", "session-start", "stop", "pre-compact", "session-end", "pre-tool")
#: Hooks that fail, each in another way.
_FAILURES = [
    *("exit 1", "/nowhere/gieok hook {event}", "echo no json", "echo null", "echo []"),
    'printf \'{{"additional_context": "%2000000d", "decision": "ask", "reason": "%9d"}}\' 1 1',
]
_PI_HOST = """
import extension from "./gieok.mjs";
const handlers = {}, tools = {}, asked = [];
extension({ on: (event, run) => { handlers[event] = run; }, registerTool: (tool) => { tools[tool.name] = tool; } });
const context = (hasUI) => ({
  cwd: process.cwd(), hasUI,
  ui: { confirm: async (title, text) => { asked.push(text); return text.length < 0; } },
  sessionManager: { getSessionId: () => "s", getSessionFile: () => "/home/u/s.jsonl" },
});
const ctx = context(false);
const first = await handlers.before_agent_start({ prompt: "deploy?" }, ctx);
const second = await handlers.before_agent_start({ prompt: "again" }, ctx);
const ran = await handlers.tool_call({ toolName: "bash", toolCallId: "1", input: { command: "ls" } }, ctx);
const stopped = await handlers.tool_call({ toolName: "bash", toolCallId: "2", input: { command: "git push" } }, ctx);
const refused = await handlers.tool_call({ toolName: "bash", toolCallId: "3", input: { command: "git push" } }, context(true));
await handlers.tool_call({ toolName: "edit", toolCallId: "5", input: { path: "cart.py" } }, ctx);
const edited = { toolName: "edit", toolCallId: "5", content: [{ type: "text", text: "Replaced." }] };
const noted = [await handlers.tool_result(edited, ctx), await handlers.tool_result(edited, ctx)];
await handlers.agent_end({}, ctx);
await handlers.session_before_compact({}, ctx);
await handlers.session_compact({}, ctx);
const third = await handlers.before_agent_start({ prompt: "again" }, ctx);
const fourth = await handlers.before_agent_start({ prompt: "again" }, ctx);
await handlers.session_shutdown({}, ctx);
const loop = {}; loop.self = loop;
for (const input of [loop, { size: 1n }]) await handlers.tool_call({ toolName: "x", toolCallId: "4", input }, ctx);
await tools.memory_search.execute("1", { query: "a\\0b" }, null, null, ctx);
const kept = await tools.memory_remember.execute("1", { text: "규칙: " + "x".repeat(300_000) }, null, null, ctx);
const found = (await tools.memory_search.execute("1", { query: "-x" }, null, null, ctx)).content[0].text;
console.log(JSON.stringify({ first, second, third, fourth, ran, stopped, refused, asked, found, kept, noted }));
"""
_HERMES_HOST = """
import json, os, sys, types
class MemoryProvider: pass
sys.modules["agent"] = types.ModuleType("agent")
sys.modules["agent.memory_provider"] = types.ModuleType("agent.memory_provider")
sys.modules["agent.memory_provider"].MemoryProvider = MemoryProvider
import plugin
class Memory:
    def register_memory_provider(self, provider): self.provider = provider
    def register_hook(self, *_): pass
class Hooks:
    def register_hook(self, name, run): self.name, self.run = name, run
memory, hooks = Memory(), Hooks()
plugin.register(memory); plugin.register(hooks)
provider = memory.provider
assert isinstance(provider, MemoryProvider) and provider.is_available()
provider.initialize("s", agent_context=sys.argv[1], hermes_home="/home/u/.hermes")
said = {"name": provider.name, "block": provider.system_prompt_block()}
said["again"] = [provider.system_prompt_block()]
provider.on_session_switch("t")
said["again"] += [provider.system_prompt_block()]
provider.on_session_switch("s")
provider.on_turn_start(1, "deploy?")
said["found"] = [provider.prefetch("deploy?", session_id="") for _ in range(2)]
said["ran"] = hooks.run(tool_name="terminal", args={"command": "ls"}, session_id="s", task_id="t")
said["stopped"] = hooks.run(tool_name="terminal", args={"command": "git push"}, session_id="s")
said["kept_in_summary"] = provider.on_pre_compress([{"role": "user", "content": "deploy?"}])
provider.on_session_end([]); provider.sync_turn("deploy?", "Noted.", session_id="s", messages=[])
class Thing: pass
loop = {}; loop["self"] = loop
said["odd"] = [
    hooks.run(tool_name="terminal", args={"a": Thing(), "b": b"git push"}, session_id="s"),
    hooks.run(tool_name="terminal", args=loop, session_id="s"),
    *(json.loads(provider.handle_tool_call(name, args)).get("error", "")[:10] for name, args in (
        ("no such tool", {}), ("memory_search", None), ("memory_search", {"text": "a\\0b"}))),
]
folder = os.getcwd() + "/gone"; os.mkdir(folder); os.chdir(folder); os.rmdir(folder)
said["gone"] = hooks.run(tool_name="terminal", args={"command": "git push"}, session_id="s")
os.chdir(os.path.dirname(folder))
tools = [schema["name"] for schema in provider.get_tool_schemas()]
said["tools"] = [tools, json.loads(provider.handle_tool_call("memory_search", {"text": "-x"}))]
said["kept"] = json.loads(provider.handle_tool_call("memory_remember", {"text": "규칙: x"}))
print(json.dumps(said))
"""


def _set_up(folder: Path, line: str) -> dict[str, object]:
    (folder / "hook.py").write_text(_HOOK, encoding="utf-8")
    commands = {event: line.format(event=event) for event in _EVENTS}
    run = "import sys; print('ran', *sys.argv[1:], *(sys.stdin if sys.argv[-1] == '-' else ()))"
    program = (sys.executable, "-c", run)
    return {
        "COMMANDS": commands,
        "TIMEOUT_S": {event: get_hook_timeout_s(event) for event in _EVENTS},
        "PROGRAM": program,
        "ENVIRONMENT": {"GIEOK_HOME": "/x"},
    }


def _run(folder: Path, *command: str) -> dict[str, Any]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def _run_pi(folder: Path, line: str) -> dict[str, Any]:
    text = script("pi.ts", **_set_up(folder, line))
    (folder / "gieok.mjs").write_text(text, encoding="utf-8")
    (folder / "host.mjs").write_text(_PI_HOST, encoding="utf-8")
    return _run(folder, str(shutil.which("node")), "host.mjs")


def _run_hermes(folder: Path, line: str, context: str = "primary") -> dict[str, Any]:
    text = script("hermes_provider.py", **_set_up(folder, line))
    if "sleep" in line:  # a hook that never ends is waited for until its time is up
        text = text.replace("TIMEOUT_S[event]", "0.5")
    (folder / "plugin.py").write_text(text, encoding="utf-8")
    (folder / "host.py").write_text(_HERMES_HOST, encoding="utf-8")
    return _run(folder, sys.executable, "host.py", context)


def _sent(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    return [tuple(json.loads(line)) for line in lines]


_WORKING = f"{sys.executable} hook.py {{event}}"
_needs_node = pytest.mark.skipif(not shutil.which("node"), reason="the extension is JavaScript")


@_needs_node
def test_pi_gets_memory_behind_a_prompt_as_a_message_that_nobody_sees(tmp_path: Path) -> None:
    said = _run_pi(tmp_path, _WORKING)
    text = "기억 of session-start\n기억 of prompt"
    assert said["first"] == {"message": {"customType": "gieok", "content": text, "display": False}}
    assert "second" not in said
    assert said["third"]["message"]["content"] == "기억 of session-start", "after a compaction"
    assert "fourth" not in said
    assert said["found"] == "ran search -- -x\n"
    assert said["kept"]["content"][0]["text"] == f"ran remember - 규칙: {'x' * 300_000}\n"
    sent = _sent(tmp_path)
    assert [event for event, _ in sent] == [
        *("session-start", "prompt", "prompt", "pre-tool", "pre-tool", "pre-tool", "pre-tool"),
        *("stop", "pre-compact", "session-start", "prompt", "prompt", "session-end", "pre-tool"),
    ]
    starts = [payload.get("source") for event, payload in sent if event == "session-start"]
    assert starts == [None, "compact"]
    assert sent[-1][1]["tool_input"] == {"size": "1"}
    assert sent[1][1] == {
        "session_id": "s",
        "transcript_path": "/home/u/s.jsonl",
        "cwd": str(tmp_path),
        "hook_event_name": "before_agent_start",
        "prompt": "deploy?",
    }


@_needs_node
def test_pi_stops_a_tool_and_asks_where_somebody_sits_in_front_of_it(tmp_path: Path) -> None:
    said = _run_pi(tmp_path, _WORKING)
    assert "ran" not in said
    assert said["stopped"] == said["refused"] == {"block": True, "reason": "never push"}
    assert said["asked"] == ["never push"]


@_needs_node
def test_what_memory_says_at_a_tool_of_pi_stands_behind_its_result_and_once(tmp_path: Path) -> None:
    replaced, note = ({"type": "text", "text": text} for text in ("Replaced.", "기억 of cart.py"))
    assert _run_pi(tmp_path, _WORKING)["noted"] == [{"content": [replaced, note]}, None]


@_needs_node
@pytest.mark.parametrize("line", _FAILURES)
def test_a_hook_that_fails_leaves_pi_alone(tmp_path: Path, line: str) -> None:
    said = _run_pi(tmp_path, line)
    assert said.keys() == {"asked", "found", "kept", "noted"}
    assert said["noted"] == [None, None]


def test_hermes_gets_memory_once_a_turn_and_its_database_is_named(tmp_path: Path) -> None:
    said = _run_hermes(tmp_path, _WORKING)
    assert (said["name"], said["block"]) == ("gieok", "기억 of session-start")
    assert said["found"] == ["기억 of prompt"] * 2
    sent = _sent(tmp_path)
    assert said["again"] == ["기억 of session-start"] * 2
    starts = [(row["session_id"], row.get("source")) for event, row in sent[:3]]
    assert starts == [("s", None), ("s", "compact"), ("t", None)]
    assert [event for event, _ in sent] == [
        *("session-start",) * 3,
        *("prompt", "pre-tool", "pre-tool", "pre-compact", "session-end", "stop", "pre-tool"),
    ]
    assert sent[3][1] == {
        "session_id": "s",
        "cwd": str(tmp_path),
        "hook_event_name": "prefetch",
        "prompt": "deploy?",
        "transcript_path": "/home/u/.hermes/state.db",
    }


def test_the_summary_of_hermes_is_given_what_it_must_keep(tmp_path: Path) -> None:
    assert _run_hermes(tmp_path, _WORKING)["kept_in_summary"] == "기억 of pre-compact"
    (sent,) = (row for event, row in _sent(tmp_path) if event == "pre-compact")
    assert sent["transcript_path"] == "/home/u/.hermes/state.db"


def test_hermes_does_not_run_what_was_forbidden(tmp_path: Path) -> None:
    said = _run_hermes(tmp_path, _WORKING)
    assert said["ran"] is None
    assert said["stopped"] == {"action": "block", "message": "never push"}


def test_nothing_that_hermes_hands_over_makes_the_provider_fail(tmp_path: Path) -> None:
    said = _run_hermes(tmp_path, _WORKING)
    stopped = {"action": "block", "message": "never push"}
    assert said["odd"] == [stopped, None, "KeyError: ", "AttributeE", "ValueError"]
    working = f"{sys.executable} {tmp_path / 'hook.py'} {{event}}"
    assert _run_hermes(tmp_path, f"cd {tmp_path}; {working}")["gone"] == stopped


@pytest.mark.parametrize("context", ["cron", "subagent", "flush"])
def test_a_session_of_hermes_without_a_person_gets_and_keeps_nothing(
    tmp_path: Path, context: str
) -> None:
    said = _run_hermes(tmp_path, _WORKING, context)
    assert (said["block"], said["found"], said["kept_in_summary"]) == ("", ["", ""], "")
    assert said["stopped"] is not None, "what was forbidden is forbidden there too"
    assert {event for event, _ in _sent(tmp_path)} == {"pre-tool"}


@pytest.mark.parametrize("line", [*_FAILURES, "sleep 600 & echo no json"])
def test_a_hook_that_fails_leaves_hermes_alone(tmp_path: Path, line: str) -> None:
    said = _run_hermes(tmp_path, line)
    assert (said["block"], said["found"]) == ("", ["", ""])
    assert said["ran"] is said["stopped"] is None


def test_hermes_has_tools_of_gieoks_where_it_cannot_speak_mcp(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("")
    said = _run_hermes(tmp_path, _WORKING)
    names, answer = said["tools"]
    assert names in ([], ["memory_search", "memory_remember"])  # none where `mcp` is installed
    assert answer == {"result": "ran search -- -x\n"}
    assert said["kept"] == {"result": "ran remember - 규칙: x\n"}, "in no list of processes"


@pytest.mark.parametrize("name", ["hermes", "kilo", "opencode", "pi"])
def test_a_plugin_waits_as_long_as_other_hosts_do_and_an_older_one_is_known(
    name: str, tmp_path: Path
) -> None:
    edits = load_agent(name).build_edits(
        InstallPlace(tmp_path, False, {}), OwnCommand(("gieok",), {})
    )
    (plugin,) = (edit for edit in edits if isinstance(edit, PluginFile))
    natives = table.BY_NAME[name].events
    assert plugin.list_shorter_hooks(plugin.text) == plugin.list_shorter_hooks("") == []
    for event, native in natives.items():
        limit = f'"{event}": {get_hook_timeout_s(event)}'
        assert plugin.text.count(limit) == 1
        shorter = plugin.text.replace(limit, f'"{event}": 2')
        assert plugin.list_shorter_hooks(shorter) == [native]
    before = plugin.text.replace("TIMEOUT_S", "TIMEOUT_MS")
    assert plugin.list_shorter_hooks(before) == list(natives.values())


def test_the_provider_is_found_by_what_its_beginning_says() -> None:
    assert "MemoryProvider" in script("hermes_provider.py")[:8192]


@pytest.mark.parametrize("name", ["hermes", "kilo", "openclaw", "opencode", "pi"])
def test_a_plugin_of_another_release_is_known_wherever_it_was_installed(
    name: str, tmp_path: Path
) -> None:
    def build_plugin(command: str) -> ScriptFile:
        (tmp_path / ".openclaw").mkdir(exist_ok=True)
        edits = load_agent(name).build_edits(
            InstallPlace(tmp_path, False, {}),
            OwnCommand((command,), {"GIEOK_HOME": f"{command}-home"}),
        )
        (plugin,) = (edit for edit in edits if isinstance(edit, ScriptFile))
        return plugin

    installed, plugin = build_plugin("/opt/gieok"), build_plugin("gieok")
    assert installed.text != plugin.text
    assert not plugin.is_outdated(installed.text)
    assert not plugin.is_outdated("")
    assert not plugin.is_outdated("another program's")
    assert plugin.is_outdated(installed.text.replace("return", "throw", 1))
