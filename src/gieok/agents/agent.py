"""Base class of agents, and the loader of an agent by its name.

Each agent has a module of its own, whose `AGENT` is the agent.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from gieok.agents import table
from gieok.agents.install import edits
from gieok.agents.install.change import Edit
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.transcripts.place import TranscriptPlace
from gieok.agents.transcripts.session import Format

#: Placeholders for the model's address and for the throwaway home, in the files and variables of a
#: rehearsal.
URL, HOME = "<url>", "<home>"


class Rehearsal(NamedTuple):
    """How an agent answers one prompt without a person.

    The agent runs in a throwaway home against a model that Gieok serves, and costs no money.
    """

    #: Name of the program, as found on PATH.
    program: str
    #: Arguments of the program; the prompt is appended.
    arguments: tuple[str, ...]
    #: What directs the program to Gieok's model: environment variables, and files below the home
    #: (`URL` and `HOME` are replaced in both).
    environment: Mapping[str, str]
    files: Mapping[str, str] = {}


class Inventory(NamedTuple):
    """How the agent's own program tells which hooks its user trusts, without running any hook.

    The file of hooks is copied into the throwaway home. The program reads `lines` and answers line
    by line, the last answer with the id `answer`, from which `Agent.list_untrusted_hooks` reads.
    `hooks` and `settings` are names of files in the folder of settings.
    """

    arguments: tuple[str, ...]
    lines: tuple[str, ...]
    answer: int
    hooks: str
    settings: str


class HookFiles(NamedTuple):
    """Where an agent looks for hooks of the user and of a project, and what turns hooks off."""

    #: Names of the hook files below the folder of settings.
    names: tuple[str, ...]
    #: Path of a setting, and the value (or one of the values) with which it turns hooks off.
    switches: tuple[tuple[tuple[str, ...], object], ...] = ()


class Agent(ABC):
    """One agent; each host's class overrides what the agent has.

    The agent's name and the events of its hooks stand in `table`.
    """

    #: Reader of the agent's transcripts; None where they are not read.
    format: Format | None = None
    #: What a person still has to do after an install, in English; '' for nothing.
    note = ""
    #: Why the agent is installed for the user alone, in English; '' where a project can have it.
    no_project = ""
    #: Newest release that was run against a model server on this machine; '' where the agent was
    #: built from its documents.
    tried_release = ""
    #: Events of Gieok's that only some releases of the agent support.
    partial_events: tuple[str, ...] = ()
    #: Whether the agent asks before a tool in a window alone, in which it was not tried.
    asks_untried = False
    #: Whether an install adds Gieok's MCP server.
    has_server = True
    #: None where a plugin calls the hooks by its name.
    hook_files: HookFiles | None = None
    #: None where the agent answers no prompt without its window.
    rehearsal: Rehearsal | None = None
    #: None where the agent asks nobody to trust hooks.
    inventory: Inventory | None = None

    @abstractmethod
    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return the folder of the agent's settings at an install place."""

    def find_own_folder(self, home: Path, environment: Mapping[str, str]) -> Path:
        """Return the folder where the agent may keep conversations, outside of transcripts too.

        By default that is the folder of the user's settings.
        """
        return self.find_settings_folder(InstallPlace(home, False, environment))

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace | None:
        """Return where the agent writes transcripts; None where they are not read."""
        del home, environment
        return None

    def find_other_places(
        self, home: Path, environment: Mapping[str, str]
    ) -> tuple[TranscriptPlace, ...]:
        """Return other places of conversations, such as archived sessions."""
        del home, environment
        return ()

    def list_places(
        self, home: Path, environment: Mapping[str, str]
    ) -> tuple[TranscriptPlace, ...]:
        """Return all places where the agent keeps conversations."""
        place = self.find_place(home, environment)
        return (place, *self.find_other_places(home, environment)) if place else ()

    def is_system_session(self, key: str) -> bool:
        """Return whether no person takes part in a session of the agent's database, by its key."""
        del key
        return False

    @abstractmethod
    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return what an install changes. Raises BadRequest."""

    def list_site_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return what an install changes at a place; nothing where it can have none.

        Raises BadRequest.
        """
        return [] if site.is_project and self.no_project else self.build_edits(site, call)

    def build_command_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return command files for a project's code, installed for users who ask for them."""
        del site, call
        return []

    def find_missing_features(self, site: InstallPlace) -> str | None:
        """Return what the installed release lacks, in English, where it injects nothing.

        None where the release supports everything.
        """
        del site
        return None

    def parse_prompt_command(self, text: str) -> str:
        """Return the command of Gieok's prompt hook in a file that an install changes; '' for none.

        By default the file holds JSON settings.
        """
        return edits.parse_prompt_command(text)

    def list_untrusted_hooks(
        self, answer: Mapping[str, object], file: Path, settings: str
    ) -> list[str]:
        """Return the events whose Gieok hook the agent skips, because its user did not trust it.

        `answer` is the answer of the program that `inventory` asks for, `file` the file of hooks,
        and `settings` the text of the user's settings.
        """
        del answer, file, settings
        return []


def load_agent(name: str) -> Agent:
    """Return an agent by its name in the table."""
    loaded_agent: Agent = import_module(f"gieok.agents.{name.replace('-', '_')}").AGENT
    return loaded_agent


def list_readable_agents() -> tuple[str, ...]:
    """Return the names of the agents whose transcripts are read, whatever the home is."""
    return tuple(name for name in table.NAMES if load_agent(name).find_place(Path(), {}))
