"""Survey of this machine: agents, Obsidian vaults, OpenClaw's webhook, a desktop."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gieok.agents import agent, sources, table
from gieok.agents.openclaw.gateway import webhook
from gieok.commands.prompt.hosts import find_integration, is_agent_present
from gieok.commands.prompt.sites import user_site
from gieok.home.call import Call
from gieok.memory.files.roots import is_memory_file, is_skipped
from gieok.memory.tiers import vaults
from gieok.model.memory import Scope

#: Usual names of folders in which people keep notes, in the languages of the interface.
_NOTE_FOLDERS = ("Notes", "notes", "노트", "메모")
#: Folders that hold everything: they are offered too, and a person must choose them.
_MIXED_FOLDERS = ("Documents", "문서")
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

    `note_folders`: where a person's own notes are, the vaults first; `default_notes`: the one that
    Enter takes, None for none. `has_webhook`: OpenClaw's
    webhook is configured. `has_desktop`: desktop notifications can be shown.
    """

    agents: tuple[FoundAgent, ...]
    vaults: tuple[Path, ...]
    note_folders: tuple[Path, ...]
    default_notes: Path | None
    has_webhook: bool
    has_desktop: bool


def survey_machine(call: Call) -> Surroundings:
    """Return what is on this machine; no program is run, and nobody is asked."""
    caller = call.caller
    hook = webhook(caller.environment, caller.user, lambda name: "", "OPENCLAW_HOOKS_TOKEN")
    found = vaults.find_obsidian_vaults(caller.environment, caller.user)
    vault_folders = tuple(vault.path for vault in found)
    note_folders = tuple(_iter_note_folders(caller.user, vault_folders))
    mixed = [caller.user / name for name in _MIXED_FOLDERS]
    return Surroundings(
        agents=tuple(_iter_found_agents(call)),
        vaults=vault_folders,
        note_folders=note_folders,
        default_notes=next((folder for folder in note_folders if folder not in mixed), None),
        has_webhook=not hook.missing,
        has_desktop=_has_desktop(caller.environment),
    )


def _iter_note_folders(user: Path, vault_folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the vaults, and the folders of a usual name in the home folder that hold a note.

    A folder that has two names is listed once.
    """
    usual = [user / name for name in (*_NOTE_FOLDERS, *_MIXED_FOLDERS)]
    seen = set[tuple[int, int]]()
    for folder in (*vault_folders, *(folder for folder in usual if _has_note(folder))):
        try:
            status = folder.stat()
        except OSError:
            continue
        if (status.st_dev, status.st_ino) not in seen:
            seen.add((status.st_dev, status.st_ino))
            yield folder


def _has_note(folder: Path) -> bool:
    """Return whether one of the first files below a folder is a note."""
    files = islice(_iter_files(folder), _MOST_LOOKED_AT)
    return any(is_memory_file(file.relative_to(folder)) for file in files)


def _iter_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, without the folders that are never indexed."""
    for base, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not is_skipped(name, Path(base).name)]
        yield from (Path(base, name) for name in files)


def _iter_found_agents(call: Call) -> Iterator[FoundAgent]:
    site = user_site(call)
    for name in table.NAMES:
        known_agent = agent.load_agent(name)
        user, environment = call.caller.user, call.caller.environment
        place = known_agent.find_place(user, environment)
        transcript_places = known_agent.list_places(user, environment)
        files = [source.path for source in sources.sources(transcript_places, Scope("agent:main"))]
        if files or is_agent_present(known_agent, site):
            is_installed = find_integration(site, name).is_whole
            yield FoundAgent(
                name=name,
                folder=place.folder if place else None,
                transcripts=len(files),
                size=sum(map(_read_file_size, files)),
                is_installed=is_installed,
            )


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
