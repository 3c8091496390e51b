"""The plugin that `gieok install opencode` writes, run by Node as opencode runs it: what it sends,
adds and leaves.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gieok.agents.install.edits import script

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="the plugin is JavaScript")

_HOST = """
import { Gieok } from "./gieok.mjs";
const hooks = await Gieok({ directory: "/home/u/shop" });
const said = [];
async function say(sessionID, text) {
  const parts = [{ id: "prt_2", type: "text", text }, { id: "prt_3", type: "text", text: "file", synthetic: true }];
  await hooks["chat.message"]({ sessionID }, { message: { id: "msg_1" }, parts });
  said.push(parts.slice(2));
}
await hooks.event({ event: { type: "session.created", properties: { info: { id: "child", parentID: "s" } } } });
await say("s", "어떤 린터를 쓰지?");
await say("s", "again");
await say("child", "look");
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } });
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "child" } } });
const output = { context: [] };
await hooks["experimental.session.compacting"]({ sessionID: "s" }, output);
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s" } } });
await say("s", "go on");
await say("s", "and on");
said.push(output.context);
console.log(JSON.stringify(said));
"""
#: Stands for `gieok hook`: keeps what it is sent, and answers about linters.
_HOOK = """
import json, sys
payload = json.load(sys.stdin)
with open(sys.argv[2], "a", encoding="utf-8") as log:
    log.write(json.dumps([sys.argv[1], payload]) + "\\n")
if sys.argv[1] in ("session-start", "pre-compact") or "린터" in payload.get("prompt", ""):
    print(json.dumps({"additional_context": f"기억 of {sys.argv[1]}"}))
"""


def _run(folder: Path, line: str) -> list[list[dict[str, Any]]]:
    events = ("prompt", "session-start", "stop", "pre-compact")
    commands = {event: line.format(event=event) for event in events}
    text = script("opencode.js", COMMANDS=commands, TIMEOUT_S=dict.fromkeys(events, 10))
    (folder / "gieok.mjs").write_text(text, encoding="utf-8")
    (folder / "host.mjs").write_text(_HOST, encoding="utf-8")
    environment = {"PATH": "/usr/bin:/bin", "XDG_DATA_HOME": "/home/u/data"}
    done = subprocess.run(
        [str(shutil.which("node")), "host.mjs"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[list[dict[str, Any]]] = json.loads(done.stdout)
    return found


def test_memory_is_added_to_a_prompt_as_a_part_that_nobody_sees(tmp_path: Path) -> None:
    (tmp_path / "hook.py").write_text(_HOOK, encoding="utf-8")
    first, second, child, compacted, after, kept = _run(
        tmp_path, f"{sys.executable} hook.py {{event}} log.jsonl"
    )
    (part,) = first
    assert part.pop("id").startswith("prt_0"), (
        "before what the user wrote: parts are shown in the order of their ids"
    )
    assert part == {
        "sessionID": "s",
        "messageID": "msg_1",
        "type": "text",
        "text": "기억 of session-start\n기억 of prompt",
        "synthetic": True,
    }
    assert (second, child, after) == ([], [], [])
    assert kept == ["기억 of pre-compact"]
    assert [part["text"] for part in compacted] == ["기억 of session-start"]
    sent = [
        json.loads(line)
        for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [event for event, _ in sent] == [
        "session-start",
        "prompt",
        "prompt",
        "stop",
        "pre-compact",
        "session-start",
        "prompt",
        "prompt",
    ]
    assert [sent[place][1].get("source") for place in (0, 5)] == [None, "compact"]
    assert sent[1][1] == {
        "session_id": "s",
        "cwd": "/home/u/shop",
        "hook_event_name": "chat.message",
        "transcript_path": "/home/u/data/opencode/opencode.db",
        "prompt": "어떤 린터를 쓰지?",
    }


@pytest.mark.parametrize("line", ["exit 1", "/nowhere/gieok hook {event}", "echo no json"])
def test_a_hook_that_fails_stands_in_no_prompts_way(tmp_path: Path, line: str) -> None:
    assert _run(tmp_path, line) == [[], [], [], [], [], []]


_TOOL_HOST = """
import { Gieok } from "./gieok.mjs";
const hooks = await Gieok({ directory: "/home/u/shop" });
try {
  await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s" }, { args: { command: "git push" } });
  console.log("ran");
} catch (reason) {
  console.log(`stopped: ${reason.message}`);
}
"""


def _try_tool(folder: Path, line: str) -> str:
    """Return what opencode does with a tool, where the hook before it is a shell line."""
    limits = {"pre-tool": 0.3 if "sleep" in line else 10}
    text = script("opencode.js", COMMANDS={"pre-tool": line}, TIMEOUT_S=limits)
    (folder / "gieok.mjs").write_text(text, encoding="utf-8")
    (folder / "host.mjs").write_text(_TOOL_HOST, encoding="utf-8")
    done = subprocess.run(
        [str(shutil.which("node")), "host.mjs"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def test_a_tool_is_stopped_with_the_reason_that_the_hook_gives(tmp_path: Path) -> None:
    answer = json.dumps({"decision": "deny", "reason": "never push"})
    assert _try_tool(tmp_path, f"echo '{answer}'") == "stopped: never push"


@pytest.mark.parametrize(
    "line",
    [
        "exit 1",
        "/nowhere/gieok hook pre-tool",
        "echo no json",
        "echo null",
        # A child that keeps the output open lives longer than the shell that started it.
        "sleep 600",
        "sleep 600 & sleep 600",
        "cat > /dev/null; sleep 600 & wait",
    ],
)
def test_a_hook_that_fails_or_hangs_lets_the_tool_run(tmp_path: Path, line: str) -> None:
    assert _try_tool(tmp_path, line) == "ran"


def test_what_the_plugins_share_is_put_into_each_from_one_source() -> None:
    for name in ("opencode.js", "openclaw.js"):
        text = script(name)
        assert text.count("function answerHook(") == 1
        assert "// gieok:" not in text


_NOTED_HOST = """
import { Gieok } from "./gieok.mjs";
const hooks = await Gieok({ directory: "/home/u/shop" });
async function edit(callID, result) {
  const use = { tool: "edit", sessionID: "s", callID, args: { filePath: "a.py" } };
  await hooks["tool.execute.before"](use, { args: use.args });
  await hooks["tool.execute.after"](use, result);
  return result;
}
const both = [{ title: "a.py", output: "Edit applied." }, { title: "b.py", output: "Edit applied." }];
await Promise.all(both.map((result, number) => edit(`call_${number}`, result)));
const again = { title: "a.py", output: "Read." };
await hooks["tool.execute.after"]({ tool: "read", sessionID: "s", callID: "call_0" }, again);
console.log(JSON.stringify([...both, again, await edit("call_3", { content: [] })]));
"""


def test_what_memory_says_at_a_tool_stands_behind_its_result_and_once(tmp_path: Path) -> None:
    answer = json.dumps({"additional_context": "기억: it rounds half up"}, ensure_ascii=False)
    (tmp_path / "answer.json").write_text(answer, encoding="utf-8")
    text = script(
        "opencode.js", COMMANDS={"pre-tool": "cat answer.json"}, TIMEOUT_S={"pre-tool": 10}
    )
    (tmp_path / "gieok.mjs").write_text(text, encoding="utf-8")
    (tmp_path / "host.mjs").write_text(_NOTED_HOST, encoding="utf-8")
    done = subprocess.run(
        [str(shutil.which("node")), "host.mjs"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    noted = "Edit applied.\n기억: it rounds half up"
    assert json.loads(done.stdout) == [
        {"title": "a.py", "output": noted},
        {"title": "b.py", "output": noted},
        {"title": "a.py", "output": "Read."},
        {"content": []},
    ]
