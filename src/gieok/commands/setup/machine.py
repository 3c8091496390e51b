"""Survey of this machine: agents, Obsidian vaults, OpenClaw's webhook, a desktop."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gieok.agents import agent, sources, table
from gieok.agents.install.edits import InstallPlace
from gieok.agents.openclaw.gateway import webhook
from gieok.commands.prompt.install import build_own_command, user_site
from gieok.commands.prompt.installed_hooks import find_prompt_command
from gieok.home.call import Call
from gieok.memory.files.roots import is_memory_file
from gieok.memory.tiers import vaults
from gieok.model.memory import Scope

#: Usual names of folders in which people keep notes, in the languages of the interface.
_NOTE_FOLDERS = ("Notes", "notes", "노트", "메모", "Documents", "문서")
#: Files that are looked at to see whether a folder holds notes.
_MOST_LOOKED_AT = 500


class FoundAgent(NamedTuple):
    """Agent found on this machine.

    `folder` is where the agent writes transcripts (None: no transcripts), `transcripts` their
    number, `size` their bytes together. `is_installed`: Gieok is installed in the agent.
    """

    name: str
    folder: Path | None
    transcripts: int
    size: int
    is_installed: bool


class Surroundings(NamedTuple):
    """Result of the survey.

    `note_folders`: where a person's own notes are, the vaults first. `has_webhook`: OpenClaw's
    webhook is configured. `has_desktop`: desktop notifications can be shown.
    """

    agents: tuple[FoundAgent, ...]
    vaults: tuple[Path, ...]
    note_folders: tuple[Path, ...]
    has_webhook: bool
    has_desktop: bool


def survey_machine(call: Call) -> Surroundings:
    """Return what is on this machine; no program is run, and nobody is asked."""
    caller = call.caller
    hook = webhook(caller.environment, caller.user, lambda name: "", "OPENCLAW_HOOKS_TOKEN")
    found = vaults.find_obsidian_vaults(caller.environment, caller.user)
    vault_folders = tuple(vault.path for vault in found)
    return Surroundings(
        agents=tuple(_iter_found_agents(call)),
        vaults=vault_folders,
        note_folders=tuple(dict.fromkeys((*vault_folders, *_iter_note_folders(caller.user)))),
        has_webhook=not hook.missing,
        has_desktop=_has_desktop(caller.environment),
    )


def _iter_note_folders(user: Path) -> Iterator[Path]:
    """Yield the folders of a usual name in the home folder that hold a note."""
    for name in _NOTE_FOLDERS:
        if (user / name).is_dir() and _has_note(user / name):
            yield user / name


def _has_note(folder: Path) -> bool:
    """Return whether one of the first files below a folder is a note."""
    paths = (Path(base, file) for base, _, files in os.walk(folder) for file in files)
    return any(is_memory_file(path.relative_to(folder)) for path in islice(paths, _MOST_LOOKED_AT))


def _iter_found_agents(call: Call) -> Iterator[FoundAgent]:
    site = user_site(call)
    for name in table.NAMES:
        known_agent = agent.load_agent(name)
        user, environment = call.caller.user, call.caller.environment
        place = known_agent.find_place(user, environment)
        transcript_places = known_agent.list_places(user, environment)
        files = [source.path for source in sources.sources(transcript_places, Scope("agent:main"))]
        if files or _is_agent_present(known_agent, site):
            is_installed = _is_integration_installed(call, site, name, known_agent)
            yield FoundAgent(
                name=name,
                folder=place.folder if place else None,
                transcripts=len(files),
                size=sum(map(_read_file_size, files)),
                is_installed=is_installed,
            )


def _is_agent_present(made: agent.Agent, site: InstallPlace) -> bool:
    """Return whether the agent was ever used here, or its program is installed."""
    if made.find_settings_folder(site).is_dir():
        return True
    program = made.rehearsal.program if made.rehearsal else ""
    return bool(program and shutil.which(program, path=site.environment.get("PATH", os.defpath)))


def _is_integration_installed(call: Call, site: InstallPlace, name: str, made: agent.Agent) -> bool:
    if name in table.HOOKED:
        return bool(find_prompt_command(site, name))
    try:
        return all(edit.path.exists() for edit in made.build_edits(site, build_own_command(call)))
    # An agent's own files may be malformed; the command that installs Gieok reports the fault.
    except Exception:  # noqa: BLE001
        return False


def _read_file_size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _has_desktop(environment: Mapping[str, str]) -> bool:
    if sys.platform == "darwin":
        return True
    has_screen = bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
    return has_screen and bool(
        shutil.which("notify-send", path=environment.get("PATH", os.defpath))
    )
