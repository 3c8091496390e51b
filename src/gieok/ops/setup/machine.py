"""What is on this machine already: agents with their transcripts, vaults of Obsidian, OpenClaw's
webhook, a desktop.
"""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from gieok.agents import agent, sources, table
from gieok.agents.install.edits import InstallPlace
from gieok.agents.openclaw.gateway import webhook
from gieok.agents.openclaw.installation import state_folder
from gieok.memory.tiers import vaults
from gieok.model.memory import Scope
from gieok.ops.context import Context
from gieok.ops.prompt.install import call, user_site
from gieok.ops.prompt.installed import prompt_command


class FoundAgent(NamedTuple):
    """An agent that is here: where it writes (None: no transcripts), how much, and whether Gieok is
    installed in it.
    """

    name: str
    folder: Path | None
    transcripts: int
    size: int
    is_installed: bool


class Surroundings(NamedTuple):
    """What was found."""

    agents: tuple[FoundAgent, ...]
    vaults: tuple[Path, ...]
    has_webhook: bool
    has_desktop: bool


def survey(context: Context) -> Surroundings:
    """Look around; nothing is run, and nobody asked."""
    caller = context.caller
    hook = webhook(caller.environment, caller.user, lambda name: "", "OPENCLAW_HOOKS_TOKEN")
    return Surroundings(
        tuple(_agents(context)),
        tuple(vault.path for vault in vaults.found(caller.environment, caller.user)),
        not hook.missing,
        _has_desktop(caller.environment),
    )


def _agents(context: Context) -> Iterator[FoundAgent]:
    site = user_site(context)
    for name in table.NAMES:
        made = agent.load(name)
        place = made.place(context.caller.user, context.caller.environment) if made.place else None
        found = made.places(context.caller.user, context.caller.environment)
        files = [source.path for source in sources.sources(found, Scope("agent:main"))]
        if files or _is_here(name, made, site):
            is_installed = _is_installed(context, site, name, made)
            yield FoundAgent(
                name=name,
                folder=place.folder if place else None,
                transcripts=len(files),
                size=sum(map(_size, files)),
                is_installed=is_installed,
            )


def _is_here(name: str, made: agent.Agent, site: InstallPlace) -> bool:
    """Say whether the agent was ever used here, or its program is."""
    folders = [made.hook_files.folder(site)] if made.hook_files else []
    folders += [state_folder(site.environment, site.folder)] if name == "openclaw" else []
    program = made.rehearsal.program if made.rehearsal else ""
    return any(folder.is_dir() for folder in folders) or bool(
        program and shutil.which(program, path=site.environment.get("PATH", os.defpath))
    )


def _is_installed(context: Context, site: InstallPlace, name: str, made: agent.Agent) -> bool:
    if name in table.HOOKED:
        return bool(prompt_command(site, name))
    try:
        return made.edits is not None and all(
            edit.path.exists() for edit in made.edits(site, call(context))
        )
    # An agent's own files may be anything; installing says what is wrong with them.
    except Exception:  # noqa: BLE001
        return False


def _size(file: Path) -> int:
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
