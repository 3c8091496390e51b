"""What `gieok install openclaw` changes in OpenClaw's files.

From 2026.8 on, that is a memory plugin and an MCP server; up to 2026.7, the qmd backend. Only keys
that OpenClaw's own schema knows are written, because an unknown key stops its Gateway.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from gieok.agents.install.change import (
    Edit,
    Item,
    JsonItems,
    OwnKeyItem,
    WholeFile,
    parse_json_members,
)
from gieok.agents.install.edits import OwnCommand, ScriptFile
from gieok.agents.openclaw.installation import Installation
from gieok.agents.transcripts.fields import read_object_field

PLUGIN = "gieok-memory"
NOTE = (
    "run `openclaw config validate`, restart the Gateway, and `gieok import openclaw` indexes "
    "what is there"
)
#: Without this entry, `openclaw memory` loads OpenClaw's own plugin and shows that plugin's index.
_COMMAND = {
    "name": "memory",
    "description": "Search, inspect, and index memory files",
    "hasSubcommands": True,
}
_BUILT_IN = ("", "memory-core", "none", PLUGIN)


#: Only the model queries the qmd backend; up to 2026.7 no plugin of Gieok's can add to a prompt.
MISSING = (
    "this OpenClaw (up to 2026.7) gets search alone: nothing is given at a prompt or at a "
    "session's start, and its MCP has no `gieok`; from 2026.8 on all of that is there: update "
    "OpenClaw, then `gieok install openclaw` again"
)


def build_plugin_edits(found: Installation, call: OwnCommand) -> list[Edit]:
    """Return the edits for the memory plugin and the MCP server, from 2026.8 on."""
    folder = found.state / PLUGIN
    tools = {"contracts": {"tools": ["memory_search", "memory_get"]}, "cliCommands": [_COMMAND]}
    activation = {"onStartup": True, "onCommands": ["memory"]}
    manifest = {
        "id": PLUGIN,
        "name": "Gieok memory",
        "kind": "memory",
        "activation": activation,
        **tools,
    }
    schema = {"configSchema": {"type": "object", "additionalProperties": False, "properties": {}}}
    package = {
        "name": PLUGIN,
        "version": "1.0.0",
        "type": "module",
        "openclaw": {"extensions": ["./index.js"]},
    }
    return [
        WholeFile(folder / "openclaw.plugin.json", _format_plugin_json(manifest | schema)),
        WholeFile(folder / "package.json", _format_plugin_json(package)),
        ScriptFile(
            folder / "index.js",
            "openclaw.js",
            GIEOK=list(call.words),
            ENVIRONMENT=dict(call.environment),
        ),
        PluginSettings(found.config, folder, call.server()),
    ]


class PluginSettings(Edit):
    """Gieok's memory plugin and MCP server in OpenClaw's configuration.

    `folder` is the folder of the plugin's files.
    """

    def __init__(self, path: Path, folder: Path, server: Mapping[str, object]) -> None:
        super().__init__(path)
        self.folder = folder
        self.server = server

    def add(self, now: str) -> str:
        """Return the configuration with the plugin and the server.

        Raises ValueError where the slot of memory belongs to another plugin.
        """
        plugins = read_object_field(parse_json_members(now).get("plugins"))
        slot = str(read_object_field(plugins.get("slots")).get("memory", ""))
        if slot not in _BUILT_IN:
            raise ValueError(f"its memory is the plugin {slot!r}; free plugins.slots.memory first")
        items = self._items()
        if isinstance(plugins.get("allow"), list):
            items.append(_ALLOWED)
        return JsonItems(self.path, items).add(now)

    def remove(self, now: str) -> str:
        """Return the configuration without the plugin and the server."""
        return JsonItems(self.path, [*self._items(), _ALLOWED]).remove(now)

    def has_part(self, now: str) -> bool:
        """Return whether the configuration names the plugin and the server."""
        return JsonItems(self.path, self._items()).has_part(now)

    def _items(self) -> list[Item]:
        # Without `allowConversationAccess`, OpenClaw does not ask a third-party plugin for text to
        # put before a prompt.
        entry = {"enabled": True, "hooks": {"allowConversationAccess": True}}
        return [
            Item(("plugins", "load", "paths"), str(self.folder), append=True),
            OwnKeyItem(("plugins", "entries", PLUGIN), entry),
            Item(("plugins", "slots", "memory"), PLUGIN),
            OwnKeyItem(("mcp", "servers", "gieok"), self.server),
        ]


#: Only a configuration that lists the allowed plugins gets this item.
_ALLOWED = Item(("plugins", "allow"), PLUGIN, append=True)


class QmdBackend(JsonItems):
    """Gieok as the qmd backend in OpenClaw's configuration, up to 2026.7."""

    def remove(self, now: str) -> str:
        """Return the configuration without the backend, unless it runs another program."""
        memory = read_object_field(parse_json_members(now).get("memory"))
        command = str(read_object_field(memory.get("qmd")).get("command", ""))
        return super().remove(now) if command.endswith("gieok-qmd") else now


def build_qmd_edit(found: Installation, call: OwnCommand) -> Edit:
    """Return the edit for the qmd backend, up to 2026.7."""
    beside = Path(call.words[0]).with_name("gieok-qmd")
    command = str(beside) if beside.exists() else "gieok-qmd"
    items = [Item(("memory", "backend"), "qmd"), Item(("memory", "qmd", "command"), command)]
    return QmdBackend(found.config, items)


def _format_plugin_json(data: object) -> str:
    return json.dumps(data, indent=2) + "\n"
