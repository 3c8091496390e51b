"""Where an agent is installed, and how it calls this Gieok."""

import os
import shutil
import sys
from pathlib import Path

from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.home.call import Call
from gieok.places.checkout import find_repository_top
from gieok.places.home import HOME_VARIABLE
from gieok.places.workplace import project_root


def user_site(call: Call) -> InstallPlace:
    """Return the user's own install place."""
    return InstallPlace(call.caller.user, False, call.caller.environment)


def project_site(call: Call) -> InstallPlace:
    """Return the project's install place.

    The place is the folder with `.gieok`, else the repository's top, else the current folder.
    """
    here = str(call.caller.folder)
    return InstallPlace(
        Path(project_root(here) or find_repository_top(here)),
        True,
        call.caller.environment,
    )


def build_own_command(call: Call) -> OwnCommand:
    """Return the command with which an agent calls this Gieok.

    The command has the full path, because an agent's PATH may differ.
    """
    script = Path(sys.executable).with_name("gieok.exe" if os.name == "nt" else "gieok")
    program = str(script) if script.exists() else shutil.which("gieok")
    words = (program,) if program else (sys.executable, "-m", "gieok")
    if not call.caller.environment.get(HOME_VARIABLE):
        return OwnCommand(words, {})
    # The agent runs elsewhere: a path from here would mean another place there. `resolve` follows
    # links.
    return OwnCommand(words, {HOME_VARIABLE: os.path.abspath(call.home.folder)})  # noqa: PTH100
