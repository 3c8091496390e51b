"""Context of an operation's handler: the call, and a small context for each rib.

`gieok.app` builds it.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gieok import places
from gieok.errors import BadConfig, BadRequest
from gieok.flow.follow import FollowedFolders, follow_files
from gieok.hook.options import HookSettings
from gieok.memory.files.cut import Cut
from gieok.model.memory import Scope
from gieok.ops.control import DaemonControl
from gieok.ports.models import Embedder
from gieok.ports.store import Notes, Store
from gieok.ports.system import Clock, Watcher
from gieok.private import Privacy
from gieok.ranking.calibration import Calibration
from gieok.ranking.profile import Profile
from gieok.ranking.rerank import Reranking
from gieok.text.messages import translate

if TYPE_CHECKING:  # a cold search has no time for it
    from gieok.character.house import House
    from gieok.character.memory.service import CharacterService
    from gieok.character.play.play import PlayedClock
    from gieok.code.index.project import Project
    from gieok.flow.generate import Asker
    from gieok.flow.notices import Notices
    from gieok.hook.matches import Reader
    from gieok.machine.coverage_file import CoverageFile
    from gieok.memory.capture.freshness import Backlog
    from gieok.memory.sidecar import Sidecar, TranscriptSources
    from gieok.memory.tiers.tiers import Tiers
    from gieok.ports.accounts import Accounts
    from gieok.ports.backup import Backups
    from gieok.ports.code import Commit
    from gieok.ports.dialogue import Dialogue
    from gieok.ports.encryption import Encryption
    from gieok.ports.imports import ImportFiles, ImportReader
    from gieok.ports.journal import FullJournal
    from gieok.ports.keys import Keys
    from gieok.ports.setup import SetupAccess

#: Longest name of a file, in bytes.
_LONGEST_NAME = 255
#: Answers by which a person agrees.
_YES = ("y", "yes", "예", "네", "ㅇ")


class SettingRow(NamedTuple):
    """One line of `config show`."""

    name: str
    value: str
    origin: str
    doc: str
    #: Fault of another value that was set, and its remedy; '' for no fault.
    wrong: str = ""
    hint: str = ""
    default: str = ""


class Caller(NamedTuple):
    """Caller of an operation: all that an operation knows of the calling process.

    `flags` is setting name → text. `lang` is the language to use where the settings leave it open.
    One process answers callers in other folders and with other variables; only the home is the
    process's own. `is_placed` is False where the caller's folder is unknown (over HTTP): then
    a relative path means nothing.
    """

    folder: Path
    environment: Mapping[str, str]
    flags: Mapping[str, str] = {}
    lang: str = "en"
    is_placed: bool = True

    @property
    def user(self) -> Path:
        """Return the home folder of the calling person."""
        return Path(self.environment.get("HOME") or Path.home())

    def path(self, text: str, *, may_be_name: bool = False) -> Path:
        """Return the absolute path of a caller's path text; links and `..` stay.

        Raises BadRequest for a text that no file can be named, and for a relative path of a caller
        without a folder; unless the text `may_be_name`, of an agent or a document.
        """
        is_own = text == "~" or text.startswith("~/")
        path = self.user / text[2:] if is_own else Path(text).expanduser()
        if not may_be_name and (
            "\0" in text or any(len(os.fsencode(part)) > _LONGEST_NAME for part in path.parts)
        ):
            raise BadRequest(
                "no file can have this name",
                hint="a part of a path has at most 255 bytes, and no NUL",
            )
        if not (self.is_placed or may_be_name or path.is_absolute()):
            raise BadRequest(
                f"{text!r} is a relative path, and the server is not where you are"
                if text
                else "no folder was named",
                hint="give an absolute path, or say where you are: `?folder=/an/absolute/path`",
            )
        return self.folder / path


class Watching(NamedTuple):
    """Opener of the file watcher, the quiet time of a file, and the interval of full
    comparisons.
    """

    open: Callable[[], Watcher]
    debounce_ms: int
    rescan_s: int

    def follow(
        self,
        folders: Callable[[], Sequence[Path]],
        read: Callable[[set[Path]], bool],
        *,
        debounce_ms: int = 0,
        folders_s: int = 60,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Follow files (`flow.follow.follow_files`) until `is_stopped`, or the process is
        interrupted.
        """
        followed = FollowedFolders(
            folders=folders,
            read=read,
            debounce_ms=debounce_ms or self.debounce_ms,
            rescan_s=self.rescan_s,
            folders_s=folders_s,
        )
        follow_files(self.open(), followed, is_stopped)


class SeedAccess(NamedTuple):
    """Access to seeds: agents' notes and instructions, and a project's commits.

    The fields say whether the notes are taken in, how many commits are, and what reads the Git log.
    """

    has_files: bool
    most_commits: int
    log: "Callable[[Path, int], Sequence[Commit]]"


class MemoryContext(NamedTuple):
    """Memory of a home; its functions open a resource at the first call.

    `stores` are the configured store and those that answer while it cannot be reached. `is_hybrid`:
    a local index of words stands beside a service that searches by meaning. `embedder()` is None
    where the user wants none, and so is `reranking()`; `keep_calibration` keeps the fitted
    calibration of a model. `notes` are those of the store, each durable in the journal.
    `catch_up()` takes in what agents wrote last, where no daemon follows them. `has_journal`: the
    journal has ever had an entry, or it is on a server.
    """

    store_name: str
    is_hybrid: bool
    store: Callable[[], Store]
    stores: Callable[[], Sequence[Store]]
    journal: Callable[[], "FullJournal"]
    has_journal: Callable[[], bool]
    notes: Callable[[], Notes]
    embedder_name: str
    embedder: Callable[[], Embedder | None]
    reranking: Callable[[], Reranking | None]
    keep_calibration: Callable[[str, Calibration | None], None]
    profile: Callable[[str], Profile]
    cut: Cut
    seeds: SeedAccess
    catch_up: "Callable[[], Backlog]"


class ObserveContext(NamedTuple):
    """Sidecar, its sources, and how long a conversation rests before it is observed whole.

    `has_turns`: whether turns are searched.
    """

    sidecar: Callable[[], "Sidecar"]
    transcripts: "Callable[[], TranscriptSources]"
    idle_minutes: int
    has_turns: bool


class ArchiveContext(NamedTuple):
    """Tiers of memory, opened at the first call.

    `sweep` leaves in files only the memories that live there, `drop_damaged` deletes copies of
    files that could not be read; both return their failures. `reach` looks for a file in the last
    tier and says where that is. `cold` is the place of the last tier (`none`: there is none);
    memories older than `warm_days` may go there, once a person approves, or at once with
    `auto_approve`.
    """

    tiers: Callable[[], "Tiers"]
    sweep: Callable[[], Sequence[str]]
    drop_damaged: Callable[[], Sequence[str]]
    reach: Callable[[], str]
    cold: str
    warm_days: int
    auto_approve: bool


class CodeContext(NamedTuple):
    """Code of projects: opens the index of a folder, and the data file of a run under coverage.

    `asker` returns the model of a name, '' for the configured one, for questions about the code of
    a folder; `upkeep` the cheap model for changed code. Both return None where there is no such
    model.
    """

    project: Callable[[Path], "Project"]
    coverage: "Callable[[Path], CoverageFile]"
    asker: "Callable[[Path, str], Asker | None]"
    upkeep: "Callable[[Path], Asker | None]"


class CharacterContext(NamedTuple):
    """Characters that remember.

    `playground` opens an empty memory in simulated time, deleted when the block ends; its second
    argument says whether the configured embedder is used there. `house` opens the service's house,
    the same every time. `has_accounts`: a user ever came, or the accounts are on a server.
    """

    playground: "Callable[[PlayedClock, bool], AbstractContextManager[CharacterService]]"
    house: "Callable[[], House]"
    has_accounts: Callable[[], bool]


class PromptContext(NamedTuple):
    """Inputs of the prompt hook.

    `reader` opens its read-only reader, and gives the error type that a late reader raises.
    """

    reader: Callable[[], "tuple[Reader, type[Exception]]"]
    settings: HookSettings


class MovingContext(NamedTuple):
    """Import from other programs.

    `open_files` opens the files at a path; `readers` are those of other programs by name, in order.
    """

    open_files: "Callable[[Path], ImportFiles]"
    readers: "Callable[[], Mapping[str, ImportReader]]"


class ModelTrial(NamedTuple):
    """Trial of a configured model, which does its work once.

    `attempt` returns the observation, or raises. `is_paid`: the model is asked beyond this machine,
    or by a subscription.
    """

    setting: str
    model: str
    is_paid: bool
    attempt: Callable[[], str]


class AdminContext(NamedTuple):
    """Settings, alternative stores, and processes.

    `choose` sets a setting for good; the data of a store or a journal has to be moved before.
    `left_stores` opens stores on this machine that are not in use any more. `set_aside` moves the
    damaged file of the configured store away; it returns the new path, and a store there if it
    opens. `try_embedder` uses the embedder and returns the observation, or raises. `observer` names
    the configured observer, or raises where it cannot run; nothing is asked. `model_trials` are
    those of the observer and of each other model; `is_paid` says whether the embedder and the
    reranker cost money. `daemon` is None in a process that cannot start one. `keys` are those of
    services, `notices` sends notices to a person, `backups` and `encryption` are those of the home,
    `setup` saves settings.
    """

    settings: Sequence[SettingRow]
    #: Name → whether its data is on a server.
    store_names: Mapping[str, bool]
    open_store: Callable[[str], Store]
    choose: Callable[[str, str], None]
    #: Returns the faults of a text as the user's settings file.
    wrong_settings: Callable[[str], Sequence[BadConfig]]
    journal_names: Sequence[str]
    open_journal: "Callable[[str], FullJournal]"
    #: The accounts that belong beside a journal of that name, and whether there are any; none are
    #: made by asking.
    open_accounts: "Callable[[str], Accounts]"
    has_accounts: Callable[[str], bool]
    left_stores: Callable[[], Sequence[Store]]
    #: Stores that may have data at a service or on a server, and the file by which it is known
    #: again there.
    elsewhere: Callable[[], Mapping[str, Path | None]]
    set_aside: Callable[[], tuple[Path, Store | None]]
    try_embedder: Callable[[Embedder], str]
    observer: Callable[[], str]
    model_trials: "Callable[[], Sequence[ModelTrial]]"
    is_paid: Callable[[str], bool]
    watching: Watching
    daemon: Callable[[], DaemonControl] | None
    keys: "Callable[[], Keys]"
    notices: "Callable[[], Notices]"
    setup: "Callable[[], SetupAccess]"
    #: Opens all ribs under the settings as they are now.
    reopened: "Callable[[], Ribs]"
    backups: "Callable[[], Backups]"
    encryption: "Callable[[], Encryption]"
    #: A secret by its variable; '' for none.
    secret: Callable[[str], str]

    def setting(self, name: str) -> str:
        """Return the value of a setting."""
        return next(row.value for row in self.settings if row.name == name)


class Ribs(NamedTuple):
    """Openers of the ribs' contexts; each returns the same context every time."""

    memory: Callable[[], MemoryContext]
    observe: Callable[[], ObserveContext]
    archive: Callable[[], ArchiveContext]
    code: Callable[[], CodeContext]
    character: Callable[[], CharacterContext]
    prompt: Callable[[], PromptContext]
    admin: Callable[[], AdminContext]
    moving: Callable[[], MovingContext]


@dataclass(frozen=True, slots=True)
class Context:
    """Context of one call: the caller, the scope, the output to a person, and each rib's context.

    A rib's context is opened when first used. `also` are scopes that are read beside `scope`. `say`
    shows a line of progress, or nothing; `tell` writes a line that stays, in `lang`; `ask` asks a
    person one line and is None where there is no terminal.
    """

    home: Path
    caller: Caller
    scope: Scope
    also: tuple[Scope, ...]
    #: Whether the caller named the scope; else it follows from the folder.
    is_scope_named: bool
    #: Settings that are wrong and were left out; empty in operations that do not run then.
    troubles: Sequence[BadConfig]
    lang: str
    zone: tzinfo
    clock: Clock
    say: Callable[[str], None]
    tell: Callable[[str], None]
    ask: Callable[[str], str] | None
    ribs: Ribs
    #: What is withheld from memory: a pause, private sessions, exclusions.
    privacy: Privacy = field(default_factory=Privacy)
    #: Asks a person many things on their terminal; None where there is none.
    dialogue: "Callable[[], Dialogue] | None" = None

    def words(self, template: str, about: str = "", plural: str = "", **values: object) -> str:
        """Return a message in the language of the call; see `gieok.text.messages`."""
        return translate(template, self.lang, values, about=about, plural=plural)

    def agrees(self, shown: Sequence[str], question: str, hint: str) -> bool:
        """Show a person lines and ask them whether to go on.

        Raises BadRequest where there is no terminal.
        """
        if self.ask is None:
            raise BadRequest("nobody can be asked: there is no terminal", hint=hint)
        self.tell("\n".join(shown))
        return self.ask(question).strip().lower() in _YES

    def progress(self, what: str, total: int = 0) -> Callable[[int], None]:
        """Return a progress function: it shows the amount done, the total if known, and the time
        left.
        """
        from gieok.ops.steps import Steps  # only what takes a while needs it

        return Steps(self.say, self.clock.now, self.lang, what, total)

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Return every scope to read: that of the call, then those of `also`."""
        return (self.scope, *self.also)

    @property
    def searched(self) -> tuple[Scope, ...]:
        """Return every scope to search: those to read, and the one of the repository's own memory.

        The repository's memory is only for callers that ask for it, and injected nowhere: others
        write it, and every pull changes it.
        """
        root = "" if self.is_scope_named else places.find_workplace(str(self.caller.folder))
        brought = (Scope(places.repository_scope(places.project_scope(root))),) if root else ()
        return (*self.scopes, *brought)

    @property
    def project(self) -> str:
        """Return the root of the project whose memory the call reads.

        '' for none, or where the caller named a scope.
        """
        return "" if self.is_scope_named else places.project_root(str(self.caller.folder))

    @property
    def memory(self) -> MemoryContext:
        """Return the context of the memory rib."""
        return self.ribs.memory()

    @property
    def observe(self) -> ObserveContext:
        """Return the context of the sidecar."""
        return self.ribs.observe()

    @property
    def archive(self) -> ArchiveContext:
        """Return the context of the tiers."""
        return self.ribs.archive()

    @property
    def code(self) -> CodeContext:
        """Return the context of the code rib."""
        return self.ribs.code()

    @property
    def character(self) -> CharacterContext:
        """Return the context of the character rib."""
        return self.ribs.character()

    @property
    def prompt(self) -> PromptContext:
        """Return the context of the prompt hook."""
        return self.ribs.prompt()

    @property
    def admin(self) -> AdminContext:
        """Return the context of settings, other stores and processes."""
        return self.ribs.admin()

    @property
    def moving(self) -> MovingContext:
        """Return the context of imports from other programs."""
        return self.ribs.moving()
