"""What `gieok install openclaw` changes: a memory plugin and an MCP server from 2026.8 on, the qmd backend up to 2026.7.

Only keys that OpenClaw's own schema knows are written, because an unknown one stops its Gateway.
"""

import json
from collections.abc import Callable
from pathlib import Path

from gieok.agents.install import edits
from gieok.agents.install.change import Edit, json_items, own_file
from gieok.agents.install.edits import Call, Site
from gieok.agents.openclaw import installation
from gieok.errors import BadRequest
from gieok.text import jsonc

PLUGIN = "gieok-memory"
NOTE = (
    "run `openclaw config validate`, restart the Gateway, and `gieok import openclaw` indexes what is there",
    "`openclaw config validate`를 실행하고 Gateway를 다시 시작하세요; 있는 기억은 `gieok import openclaw`로 색인합니다",
)
_BUILT_IN = ("", "memory-core", "none", PLUGIN)
Item = tuple[tuple[str, ...], object, bool]


def edits_of(site: Site, call: Call) -> list[Edit]:
    """Return what changes in OpenClaw's files, by its generation. Raises BadRequest."""
    if site.is_project:
        raise BadRequest("OpenClaw has no settings of a project", hint="`gieok install openclaw`")
    found = installation.find(site.environment, site.folder)
    return _current(found, call) if found.is_current else [_legacy(found, call)]


def _current(found: installation.Installation, call: Call) -> list[Edit]:
    folder = found.state / PLUGIN
    tools = {"contracts": {"tools": ["memory_search", "memory_get"]}}
    manifest = {"id": PLUGIN, "name": "Gieok memory", "kind": "memory", "activation": {"onStartup": True}, **tools}
    schema = {"configSchema": {"type": "object", "additionalProperties": False, "properties": {}}}
    package = {"name": PLUGIN, "version": "1.0.0", "type": "module", "openclaw": {"extensions": ["./index.js"]}}
    return [
        own_file(folder / "openclaw.plugin.json", _written(manifest | schema)),
        own_file(folder / "package.json", _written(package)),
        own_file(
            folder / "index.js", edits.script("openclaw.js", GIEOK=list(call.words), ENVIRONMENT=dict(call.environment))
        ),
        _settings(found.config, folder, call),
    ]


def _settings(config: Path, folder: Path, call: Call) -> Edit:
    items: list[tuple[Item, Callable[[object], bool]]] = [
        ((("plugins", "load", "paths"), str(folder), True), lambda value: value == str(folder)),
        ((("plugins", "entries", PLUGIN), {"enabled": True}, False), lambda value: True),
        ((("plugins", "slots", "memory"), PLUGIN, False), lambda value: value == PLUGIN),
        ((("mcp", "servers", "gieok"), call.server(), False), lambda value: True),
    ]
    each = [json_items(config, [item], is_ours) for item, is_ours in items]
    allowed = json_items(config, [(("plugins", "allow"), PLUGIN, True)], lambda value: value == PLUGIN)

    def add(now: str) -> str:
        plugins = _plugins(now)
        slot = str(installation.mapping(plugins.get("slots")).get("memory", ""))
        if slot not in _BUILT_IN:
            raise ValueError(f"its memory is the plugin {slot!r}; free plugins.slots.memory first")
        for part in [*each, *([allowed] if isinstance(plugins.get("allow"), list) else [])]:
            now = part.add(now)
        return now

    def remove(now: str) -> str:
        for part in [*each, allowed]:
            now = part.remove(now)
        return now

    return Edit(config, add, remove)


def _plugins(now: str) -> installation.Json:
    data = jsonc.load(now) if now.strip() else {}
    return installation.mapping(installation.mapping(data).get("plugins"))


def _legacy(found: installation.Installation, call: Call) -> Edit:
    beside = Path(call.words[0]).with_name("gieok-qmd")
    command = str(beside) if beside.exists() else "gieok-qmd"
    part = json_items(
        found.config,
        [(("memory", "backend"), "qmd", False), (("memory", "qmd", "command"), command, False)],
        lambda value: value in ("qmd", command),
    )

    def remove(now: str) -> str:
        memory = installation.mapping(installation.mapping(jsonc.load(now) if now.strip() else {}).get("memory"))
        own = str(installation.mapping(memory.get("qmd")).get("command", ""))
        return part.remove(now) if own.endswith("gieok-qmd") else now

    return Edit(found.config, part.add, remove)


def _written(data: object) -> str:
    return json.dumps(data, indent=2) + "\n"
