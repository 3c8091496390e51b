"""Agent Plugins package (1.0): Gieok's MCP server and skill for any program that reads it.

The format has no hooks: nothing is put before a prompt, no conversation is read and no tool is
stopped. The program copies the package, so the server is called by its bare name and asks for the
project itself.
"""

import json
from pathlib import Path

from gieok import __version__
from gieok.agents.install.change import Edit, WholeFile
from gieok.agents.install.edits import build_skill_edit
from gieok.places.home import ROOTS_VARIABLE

NAME = "plugin"

_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
_MANIFEST = {
    "$schema": f"{_SCHEMAS}/plugin.schema.json",
    "name": "gieok",
    "version": __version__,
    "description": "One long-term memory for all your agents, on your own machine",
    "license": "Apache-2.0",
    "keywords": ["memory", "recall", "mcp"],
}


def build_package_edits(folder: Path) -> list[Edit]:
    """Return the files of the package.

    Its server is told that the folder in which it starts is not the project.
    """
    server = {
        "type": "stdio",
        "command": "gieok",
        "args": ["mcp"],
        "env": {ROOTS_VARIABLE: "1"},
    }
    servers = {"$schema": f"{_SCHEMAS}/mcp.schema.json", "mcpServers": {"gieok": server}}
    return [
        WholeFile(folder / "plugin.json", f"{json.dumps(_MANIFEST, indent=2)}\n"),
        WholeFile(folder / "mcp.json", f"{json.dumps(servers, indent=2)}\n"),
        build_skill_edit(folder),
    ]
