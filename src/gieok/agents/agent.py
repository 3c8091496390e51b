"""What an agent's own file says, and how to load it by the agent's name."""

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
    """Talk that an agent keeps where it is not read: names below the place, and why.

    Where `unless` stands beside it, what it holds is there too, and is read. `orphans` says how
    much of a file is nowhere else; a file of nothing more is not named.
    """

    names: str
    why: str
    unless: str = ""
    orphans: Callable[[Path], int] | None = None


class TranscriptPlace(NamedTuple):
    """A folder below which transcripts lie, and which of the names below it are files or databases
    of them.

    Several patterns are joined by spaces.
    """

    folder: Path
    files: str = ""
    databases: str = ""
    #: The scope of a path relative to `folder`; None: the default one, or that of the project in
    #: which a session works.
    scope_of: Callable[[Path], Scope | None] = lambda path: None
    #: Whether a transcript has no person in it.
    is_silent: Callable[[Path], bool] = lambda path: False
    #: Working folder of a file's session, for formats whose lines do not name it.
    cwd_of: Callable[[Path], str] = lambda path: ""
    #: False where unrelated files change below the folder; hooks and the periodic rescan trigger
    #: reading instead.
    is_watched: bool = True
    #: What of the agent's talk is not read.
    unread: tuple[Unread, ...] = ()
    #: Who writes there; '' for a folder that the user named.
    agent: str = ""


#: Stand for the model's address and for the throwaway home, in what a rehearsal sets up.
URL, HOME = "<url>", "<home>"


class Rehearsal(NamedTuple):
    """How an agent answers one prompt without a person: in a throwaway home, against a model of
    ours, for no money.
    """

    #: As it is found on PATH.
    program: str
    #: Its arguments; the prompt comes behind them.
    arguments: tuple[str, ...]
    #: What leads it to our model: variables, and files below the home (`URL` and `HOME` are
    #: replaced in both).
    environment: Mapping[str, str]
    files: Mapping[str, str] = {}


class Inventory(NamedTuple):
    """How the agent's own program tells which hooks its user has trusted, without running any.

    The file of hooks is copied into the throwaway home; the program reads `lines` and answers line
    by line, the last one with the id `answer`. `untrusted` takes that answer, the file of hooks and
    the text of the user's settings; it returns the events whose hook would be passed over.
    """

    arguments: tuple[str, ...]
    lines: tuple[str, ...]
    answer: int
    hooks: str
    settings: str
    untrusted: Callable[[Mapping[str, object], Path, str], list[str]]


class HookFiles(NamedTuple):
    """Where an agent looks for hooks, of the user and of a project, and which settings turn them
    off.
    """

    #: The agent's folder at a place.
    folder: Callable[[InstallPlace], Path]
    #: Names below it.
    names: tuple[str, ...]
    #: Path of a setting, and the value (or one of the values) with which it turns hooks off.
    switches: tuple[tuple[tuple[str, ...], object], ...] = ()


class Agent(NamedTuple):
    """One agent; None where it has no such thing. Its name and its hooks' events stand in
    `table`.
    """

    #: Takes the user's home and the environment.
    place: Callable[[Path, Mapping[str, str]], TranscriptPlace] | None = None
    format: Format | None = None
    #: What an install changes. Raises BadRequest.
    edits: Callable[[InstallPlace, OwnCommand], list[Edit]] | None = None
    #: What a person still has to do after an install: in English and in Korean.
    note: str | None = None
    #: What the release of the agent that is there does not get, where it injects nothing; None
    #: where all is got.
    missing: Callable[[InstallPlace], str | None] = lambda site: None
    #: Takes the text of a file that an install changes; returns the command of our prompt hook in
    #: it, '' for none.
    prompt_command: Callable[[str], str] = parse_prompt_command
    hook_files: HookFiles | None = None
    rehearsal: Rehearsal | None = None
    inventory: Inventory | None = None
    #: Whether a session in the agent's database has no person in it, by the session's key.
    is_system_session: Callable[[str], bool] = lambda key: False
    #: Command files for a project's code, which are installed for who wants them.
    commands: Callable[[InstallPlace, OwnCommand], list[Edit]] | None = None
    #: The agent's own folder, where it may keep what was said outside of transcripts too; takes
    #: what `place` takes.
    folder: Callable[[Path, Mapping[str, str]], Path] | None = None
    #: Where else it keeps talk, such as sessions that were put away; takes what `place` takes.
    other_places: Callable[[Path, Mapping[str, str]], tuple[TranscriptPlace, ...]] = (
        lambda home, environment: ()
    )

    def places(self, home: Path, environment: Mapping[str, str]) -> tuple[TranscriptPlace, ...]:
        """Return all places where it keeps talk."""
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
    """Return what finds an agent's own folder: what the first variable that is set says, else
    `~/usual`.
    """

    def folder(home: Path, environment: Mapping[str, str]) -> Path:
        moved = next(filter(None, map(environment.get, variables.split())), None)
        return Path(moved).expanduser() if moved else home / usual

    return folder


def below(
    variables: str, usual: str, folder: str, files: str, *unread: Unread
) -> Callable[[Path, Mapping[str, str]], TranscriptPlace]:
    """Return the place `folder` below the agent's own folder; see `own_folder`."""
    own = own_folder(variables, usual)
    return lambda home, environment: TranscriptPlace(
        own(home, environment) / folder, files, unread=unread
    )
