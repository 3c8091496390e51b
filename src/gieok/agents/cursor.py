"""Cursor: hooks and MCP servers in `~/.cursor` or a project's `.cursor`; the format of its transcripts is not documented."""

from gieok.agents.agent import Agent, HookFiles, own_folder
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, own_file
from gieok.agents.install.edits import InstallPlace, OwnCommand

NAME = "cursor"


def _edits(site: InstallPlace, call: OwnCommand) -> list[Edit]:
    folder = site.folder / ".cursor"
    return [
        edits.hooks(
            folder / "hooks.json", NAME, lambda event: {"command": call.line(event, NAME)}, first=("version", 1)
        ),
        edits.server(folder / "mcp.json", call.server()),
        own_file(folder / "commands" / "memory-search.md", edits.text_of("search.md")),
    ]


_NOTE = (
    "Cursor takes context at the start of a session; before a prompt only some versions do: the MCP tools always work",
    "Cursor는 세션을 시작할 때 문맥을 받고, 프롬프트 앞에서는 일부 버전만 받습니다: MCP 도구는 늘 됩니다",
)
AGENT = Agent(
    edits=_edits,
    note=_NOTE,
    hook_files=HookFiles(lambda site: site.folder / ".cursor", ("hooks.json",)),
    folder=own_folder("", ".cursor"),
)
