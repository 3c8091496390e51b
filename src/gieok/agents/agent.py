"""Description of an agent as its own file gives it, and the loader by the agent's name."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from gieok.agents import table
from gieok.agents.install.change import Edit
from gieok.agents.install.edits import InstallPlace, OwnCommand, parse_prompt_command
from gieok.agents.transcripts.session import Format
from gieok.model.memory import Scope


class Unread(NamedTuple):
    """Conversations that an agent keeps but Gieok does not read.

    `names` are patterns below the place, and `why` is the reason. Where a file `unless` stands
    beside such a file, that other file holds the same content and is read. `orphans` counts the
    content of a file that is nowhere else; a file without such content is not reported.
    """

    names: str
    why: str
    unless: str = ""
    orphans: Callable[[Path], int] | None = None


class TranscriptPlace(NamedTuple):
    """Folder below which transcripts lie, with patterns for transcript files and databases.

    Several patterns are joined by spaces.
    """

    folder: Path
    files: str = ""
    databases: str = ""
    #: Maps a path relative to `folder` to its scope. None: the default scope, or the scope of the
    #: project in which the session works.
    scope_of: Callable[[Path], Scope | None] = lambda path: None
    #: Whether no person takes part in a transcript.
    is_silent: Callable[[Path], bool] = lambda path: False
    #: Working folder of a file's session, for formats whose lines do not name it.
    cwd_of: Callable[[Path], str] = lambda path: ""
    #: False where unrelated files change below the folder; hooks and the periodic rescan trigger
    #: reading instead.
    is_watched: bool = True
    #: Conversations of the agent that are not read.
    unread: tuple[Unread, ...] = ()
    #: Name of the agent that writes there; '' for a folder that the user named.
    agent: str = ""


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
    by line, the last answer with the id `answer`. `untrusted` takes that answer, the file of hooks
    and the text of the user's settings; it returns the events whose hook would be skipped.
    """

    arguments: tuple[str, ...]
    lines: tuple[str, ...]
    answer: int
    hooks: str
    settings: str
    untrusted: Callable[[Mapping[str, object], Path, str], list[str]]


class HookFiles(NamedTuple):
    """Where an agent looks for hooks of the user and of a project, and what turns hooks off."""

    #: Returns the agent's folder at an install place.
    folder: Callable[[InstallPlace], Path]
    #: Names of the hook files below that folder.
    names: tuple[str, ...]
    #: Path of a setting, and the value (or one of the values) with which it turns hooks off.
    switches: tuple[tuple[tuple[str, ...], object], ...] = ()


class Agent(NamedTuple):
    """One agent; a field is None where the agent has no such thing.

    The agent's name and the events of its hooks stand in `table`.
    """

    #: Takes the user's home and the environment.
    place: Callable[[Path, Mapping[str, str]], TranscriptPlace] | None = None
    format: Format | None = None
    #: What an install changes. Raises BadRequest.
    edits: Callable[[InstallPlace, OwnCommand], list[Edit]] | None = None
    #: What a person still has to do after an install, in English.
    note: str | None = None
    #: Names, in English, what the installed release of the agent lacks where it
    #: injects nothing; None where the release supports everything.
    missing: Callable[[InstallPlace], str | None] = lambda site: None
    #: Takes the text of a file that an install changes; returns the command of Gieok's prompt hook
    #: in that text, '' for none.
    prompt_command: Callable[[str], str] = parse_prompt_command
    hook_files: HookFiles | None = None
    rehearsal: Rehearsal | None = None
    inventory: Inventory | None = None
    #: Whether no person takes part in a session of the agent's database, by the session's key.
    is_system_session: Callable[[str], bool] = lambda key: False
    #: Command files for a project's code, installed only for users who ask for them.
    commands: Callable[[InstallPlace, OwnCommand], list[Edit]] | None = None
    #: The agent's own folder, where it may keep conversations outside of transcripts too; takes the
    #: same arguments as `place`.
    folder: Callable[[Path, Mapping[str, str]], Path] | None = None
    #: Other places where the agent keeps conversations, such as archived sessions; takes the same
    #: arguments as `place`.
    other_places: Callable[[Path, Mapping[str, str]], tuple[TranscriptPlace, ...]] = (
        lambda home, environment: ()
    )

    def places(self, home: Path, environment: Mapping[str, str]) -> tuple[TranscriptPlace, ...]:
        """Return all places where the agent keeps conversations."""
        return (
            (self.place(home, environment), *self.other_places(home, environment))
            if self.place
            else ()
        )


def load_agent(name: str) -> Agent:
    """Return an agent by its name in the table."""
    loaded_agent: Agent = import_module(f"gieok.agents.{name.replace('-', '_')}").AGENT
    return loaded_agent


def observed() -> tuple[str, ...]:
    """Return the names of the agents whose transcripts are read."""
    return tuple(name for name in table.NAMES if load_agent(name).place)


def own_folder(variables: str, usual: str) -> Callable[[Path, Mapping[str, str]], Path]:
    """Return a function that finds an agent's own folder.

    The folder is the value of the first of the variables that is set, else `~/usual`.
    """

    def folder(home: Path, environment: Mapping[str, str]) -> Path:
        moved = next(filter(None, map(environment.get, variables.split())), None)
        return Path(moved).expanduser() if moved else home / usual

    return folder


def below(
    variables: str, usual: str, folder: str, files: str, *unread: Unread
) -> Callable[[Path, Mapping[str, str]], TranscriptPlace]:
    """Return a function that finds the place `folder` below the agent's own folder.

    See `own_folder` for the agent's own folder.
    """
    own = own_folder(variables, usual)
    return lambda home, environment: TranscriptPlace(
        own(home, environment) / folder, files, unread=unread
    )
