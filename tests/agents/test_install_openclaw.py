"""What is written into OpenClaw's configuration is what its schema knows, and leaves again byte for
byte.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gieok.surfaces.cli import main
from gieok.text import jsonc

#: The parts of OpenClaw 2026.9's schema that are written to; objects take no other keys.
_SCHEMA: dict[str, Any] = {
    "plugins": {
        "allow": [str],
        "load": {"paths": [str]},
        "slots": {"memory": str},
        "entries": {"*": {"enabled": bool, "hooks": {"allowConversationAccess": bool}}},
    },
    "mcp": {"servers": {"*": {"command": str, "args": [str], "env": {"*": str}}}},
}
_CURRENT = """{
  // mine
  "agents": {"entries": {"main": {}}},
  "plugins": {"allow": ["telegram"]}
}
"""
#: As OpenClaw's own documents write it.
_JSON5 = """// ~/.openclaw/openclaw.json
{
  agents: {
    defaults: { workspace: '~/.openclaw/workspace' }, // where it works
    entries: { main: { default: true } },
  },
  plugins: { allow: ['telegram'] },
}
"""
_LEGACY = '{"agents": {"list": [{"id": "main"}]}, "memory": {"citations": "on"}}\n'


def _fits(value: object, schema: Any) -> bool:
    if isinstance(schema, dict):
        return isinstance(value, dict) and all(
            (k in schema or "*" in schema) and _fits(v, schema.get(k, schema.get("*")))
            for k, v in value.items()
        )
    if isinstance(schema, list):
        return isinstance(value, list) and all(_fits(v, schema[0]) for v in value)
    return isinstance(value, schema)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / ".openclaw"
    folder.mkdir()
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(folder))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_DAEMON_AUTOSTART", "off")
    monkeypatch.setenv("GIEOK_HOOK_DEADLINE_MS", "60000")
    return folder


def _settings(state: Path) -> Any:
    return jsonc.load_jsonc((state / "openclaw.json").read_text())


def test_json5_with_bare_names_is_read_and_written_and_comes_back_byte_for_byte(
    state: Path,
) -> None:
    config = state / "openclaw.json"
    config.write_text(_JSON5)
    assert main(["install", "openclaw"]) == 0
    found = _settings(state)
    assert found["agents"]["entries"] == {"main": {"default": True}}
    assert found["plugins"]["allow"] == ["telegram", "gieok-memory"]
    assert found["plugins"]["slots"] == {"memory": "gieok-memory"}
    assert "// where it works" in config.read_text()
    assert main(["install", "openclaw", "--uninstall"]) == 0
    assert config.read_text() == _JSON5


def test_what_somebody_changed_since_in_json5_loses_our_part_alone(state: Path) -> None:
    config = state / "openclaw.json"
    config.write_text(_JSON5)
    assert main(["install", "openclaw"]) == 0
    config.write_text(config.read_text().replace("default: true", "default: false /* for now */"))
    assert main(["install", "openclaw", "--uninstall"]) == 0
    assert "gieok" not in config.read_text()
    assert _settings(state)["agents"]["entries"] == {"main": {"default": False}}
    assert "/* for now */" in config.read_text()
    assert "// where it works" in config.read_text()


def test_from_2026_8_on_a_memory_plugin_and_an_mcp_server_are_added(state: Path) -> None:
    config = state / "openclaw.json"
    config.write_text(_CURRENT)
    assert main(["install", "openclaw"]) == 0
    found = _settings(state)
    assert all(_fits(found[part], schema) for part, schema in _SCHEMA.items())
    assert found["plugins"]["slots"] == {"memory": "gieok-memory"}
    assert found["plugins"]["allow"] == ["telegram", "gieok-memory"]
    assert found["plugins"]["load"]["paths"] == [str(state / "gieok-memory")]
    assert found["mcp"]["servers"]["gieok"]["args"][-1] == "mcp"
    manifest = json.loads((state / "gieok-memory" / "openclaw.plugin.json").read_text())
    assert (manifest["id"], manifest["kind"]) == ("gieok-memory", "memory")
    assert "// mine" in config.read_text()
    before = config.read_text()
    assert main(["install", "openclaw"]) == 0
    assert config.read_text() == before
    assert main(["install", "openclaw", "--uninstall"]) == 0
    assert config.read_text() == _CURRENT
    assert not (state / "gieok-memory").exists()


def test_uninstalling_from_a_file_that_was_edited_takes_out_our_parts_alone(state: Path) -> None:
    config = state / "openclaw.json"
    config.write_text(_CURRENT)
    main(["install", "openclaw"])
    config.write_text(config.read_text().replace("// mine", "// edited"))
    assert main(["install", "openclaw", "--uninstall"]) == 0
    assert _settings(state) == {
        "agents": {"entries": {"main": {}}},
        "plugins": {"allow": ["telegram"]},
    }
    assert "// edited" in config.read_text()


def test_another_memory_plugin_is_named_and_not_replaced(
    state: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = state / "openclaw.json"
    config.write_text(
        '{"agents": {"entries": {}}, "plugins": {"slots": {"memory": "memory-lancedb"}}}'
    )
    before = config.read_bytes()
    assert main(["install", "openclaw"]) == 2
    assert "memory-lancedb" in capfd.readouterr().err
    assert config.read_bytes() == before


def test_up_to_2026_7_the_qmd_backend_is_set(state: Path) -> None:
    config = state / "openclaw.json"
    config.write_text(_LEGACY)
    assert main(["install", "openclaw"]) == 0
    memory = _settings(state)["memory"]
    assert (memory["citations"], memory["backend"]) == ("on", "qmd")
    assert memory["qmd"]["command"].endswith("gieok-qmd")
    assert not (state / "gieok-memory").exists()
    assert main(["install", "openclaw", "--uninstall"]) == 0
    assert config.read_text() == _LEGACY


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "nothing is given at a prompt"), ("ko", "아무것도 주지 않고")]
)
@pytest.mark.parametrize("config", [_LEGACY, _CURRENT])
def test_what_an_older_release_does_not_get_is_said(
    state: Path, capfd: pytest.CaptureFixture[str], config: str, lang: str, words: str
) -> None:
    (state / "openclaw.json").write_text(config)
    assert main(["install", "openclaw", "--lang", lang]) == 0
    said = capfd.readouterr().out
    assert (words in said) == (config == _LEGACY)
    assert ("`gieok doctor`" in said) == (config != _LEGACY), "there is no hook that it could fire"


_HOST = """
import plugin from "./index.js";
const tools = {};
plugin.register({
  registerTool(make, { names }) { for (const t of make({ agentId: "main" })) tools[t.name] = t; },
  on() {},
});
const search = (await tools.memory_search.execute("1", { query: "결제를 언제 정산하지", maxResults: 2 })).details;
const read = (await tools.memory_get.execute("2", { path: search.results[0].path, from: 3, lines: 1 })).details;
const none = (await tools.memory_get.execute("3", { path: "memory/none.md" })).details;
const nothing = (await tools.memory_search.execute("4", { query: "zebra" })).details;
console.log(JSON.stringify({ search, read, none, nothing }));
"""


def _driven(folder: Path, host: str, workspace: Path, program: Sequence[str] = ()) -> Any:
    """Run the installed plugin in a stand-in host; return what that prints.

    It calls `program`, or this interpreter's Gieok: the program that a test installs may be
    elsewhere.
    """
    script = folder / "index.js"
    words = json.dumps(list(program) or [sys.executable, "-m", "gieok"])
    lines = script.read_text().splitlines()
    script.write_text(
        "\n".join(
            f"const GIEOK = {words};" if line.startswith("const GIEOK") else line for line in lines
        )
    )
    (folder / "host.mjs").write_text(host)
    command = ["node", str(folder / "host.mjs")]
    done = subprocess.run(command, cwd=workspace, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(not shutil.which("node"), reason="the plugin is JavaScript")
def test_the_plugin_answers_as_memory_core_does(state: Path, tmp_path: Path) -> None:
    (state / "openclaw.json").write_text(_CURRENT)
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("# Memory\n\n- 결제는 매주 화요일에 정산한다.\n")
    assert main(["install", "openclaw"]) == 0
    assert main(["import", "openclaw", str(workspace)]) == 0
    answered = _driven(state / "gieok-memory", _HOST, workspace)
    (hit,) = answered["search"]["results"]
    assert (hit["path"], hit["startLine"], hit["citation"]) == ("MEMORY.md", 1, "MEMORY.md#L1-L3")
    assert answered["read"]["text"] == "- 결제는 매주 화요일에 정산한다."
    assert answered["none"] == {"status": "not_found", "text": "", "path": "memory/none.md"}
    assert answered["nothing"]["results"] == []
    assert "unavailable" not in answered["nothing"]


_COMPACTED = """
import plugin from "./index.js";
const handlers = {};
plugin.register({ registerTool() {}, on(name, handle) { handlers[name] = handle; } });
const where = { sessionId: "s1", agentId: "main" };
const turn = () => handlers.before_prompt_build({ prompt: "go on", messages: [{ role: "assistant" }] }, where);
await turn();
await turn();
await handlers.after_compaction({}, { sessionId: "unknown" });
await handlers.after_compaction({}, where);
await turn();
await turn();
console.log(JSON.stringify(null));
"""
_SENT = """
import json, sys
payload = json.load(sys.stdin)
with open("sent.jsonl", "a", encoding="utf-8") as log:
    log.write(json.dumps([sys.argv[2], payload.get("source")]) + "\\n")
print(json.dumps({"additional_context": "known"}))
"""


@pytest.mark.skipif(not shutil.which("node"), reason="the plugin is JavaScript")
def test_a_compacted_session_is_told_anew_what_it_begins_with(state: Path, tmp_path: Path) -> None:
    (state / "openclaw.json").write_text(_CURRENT)
    assert main(["install", "openclaw"]) == 0
    hook = tmp_path / "hook.py"
    hook.write_text(_SENT)
    _driven(state / "gieok-memory", _COMPACTED, tmp_path, [sys.executable, str(hook)])
    sent = [json.loads(line) for line in (tmp_path / "sent.jsonl").read_text().splitlines()]
    assert [row for row in sent if row[0] == "session-start"] == [
        ["session-start", None],
        ["session-start", "compact"],
    ]
    assert [row[0] for row in sent].count("prompt") == 4


_COMMANDS = """
import plugin from "./index.js";
let capability, registered;
plugin.register({
  registerTool() {}, on() {},
  registerMemoryCapability(found) { capability = found; },
  registerCli(register, options) { registered = { register, options }; },
});
const printed = [];
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text) => { printed.push(text); return true; };
const actions = {};
const node = (name) => ({
  command: (inner) => node(inner.split(" ")[0]), description() { return this; }, option() { return this; },
  action(act) { actions[name] = act; return this; },
});
registered.register({ program: node(""), config: { agents: { entries: { main: {} } } } });
await actions.status({ json: true });
await actions.search("결제를 언제 정산하지", { json: true });
await actions.search("결제를 언제 정산하지", { maxResults: "1" });
await actions.index({});
const { manager } = await capability.runtime.getMemorySearchManager({ cfg: {}, agentId: "main" });
const found = await manager.search("결제를 언제 정산하지", { maxResults: 2 });
const read = await manager.readFile({ relPath: found[0].path, from: 3, lines: 1 });
const names = registered.options.descriptors.map((one) => one.name);
write(JSON.stringify({ names, printed, status: manager.status(), found, read }));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="the plugin is JavaScript")
def test_openclaws_own_memory_commands_are_answered_by_ours(state: Path, tmp_path: Path) -> None:
    (state / "openclaw.json").write_text(_CURRENT)
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("# Memory\n\n- 결제는 매주 화요일에 정산한다.\n")
    assert main(["install", "openclaw"]) == 0
    assert main(["import", "openclaw", str(workspace)]) == 0
    manifest = json.loads((state / "gieok-memory" / "openclaw.plugin.json").read_text())
    assert [one["name"] for one in manifest["cliCommands"]] == ["memory"]
    answered = _driven(state / "gieok-memory", _COMMANDS, workspace)
    status, searched, text, indexed = (
        answered["printed"][0],
        answered["printed"][1],
        answered["printed"][2],
        answered["printed"][-1],
    )
    (row,) = json.loads(status)
    assert (row["agentId"], row["status"]["provider"], row["status"]["files"]) == (
        "main",
        "gieok",
        1,
    )
    assert row["status"]["vector"]["available"] is False, "there are none"
    assert json.loads(searched)["results"][0]["path"] == "MEMORY.md"
    assert "MEMORY.md:1-3" in text
    assert indexed == "Memory index updated (main): 1 files indexed.\n"
    assert answered["names"] == ["memory"]
    assert answered["found"][0]["path"] == "MEMORY.md"
    assert answered["read"]["text"] == "- 결제는 매주 화요일에 정산한다."
    assert answered["status"]["files"] == 1


_PROMPTS = """
import plugin from "./index.js";
let before;
plugin.register({ registerTool() {}, on(name, answer) { if (name === "before_prompt_build") before = answer; } });
const context = { agentId: "main", sessionId: "s", sessionKey: "agent:main:main", workspaceDir: process.cwd() };
const talked = [{ role: "user", content: "hi" }, { role: "assistant", content: "hi" }];
const first = await before({ prompt: "Good morning, how are you?", messages: [] }, context);
const second = await before({ prompt: "결제는 언제 정산하지?", messages: talked }, context);
const cron = await before({ prompt: "x", messages: [] }, { ...context, sessionKey: "agent:main:cron:1" });
console.log(JSON.stringify({ first, second, cron: cron ?? null }));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="the plugin is JavaScript")
def test_a_session_begins_with_memory_and_each_prompt_gets_its_own(
    state: Path, tmp_path: Path
) -> None:
    (state / "openclaw.json").write_text(_CURRENT)
    home, workspace = tmp_path / "home", tmp_path / "ws"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "pay.md").write_text("# Memory\n\n- 결제는 매주 화요일에 정산한다.\n")
    assert main(["install", "openclaw"]) == 0
    assert main(["import", "openclaw", str(workspace)]) == 0
    (home / "active_memory.md").write_text("## Notes\n- The user is called Hana.\n")
    # OpenClaw makes a repository of a workspace: its memory is the agent's all the same
    (workspace / ".git").mkdir()
    said = _driven(state / "gieok-memory", _PROMPTS, workspace)
    assert "The user is called Hana." in said["first"]["appendSystemContext"]
    assert "prependContext" not in said["first"]
    assert said["second"]["appendSystemContext"] == said["first"]["appendSystemContext"]
    assert "매주 화요일" in said["second"]["prependContext"]
    assert said["cron"] is None
