"""What a handler may use: the call, and a small context for each rib. Put together by
`gieok.app`.
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
    from gieok.memory.capture.freshness import Backlog
    from gieok.memory.sidecar import Sidecar, TranscriptSources
    from gieok.memory.tiers.tiers import Tiers
    from gieok.ports.accounts import Accounts
    from gieok.ports.backup import Backups
    from gieok.ports.code import Commit, CoverageRun
    from gieok.ports.dialogue import Dialogue
    from gieok.ports.encryption import Encryption
    from gieok.ports.imports import ImportFiles, ImportReader
    from gieok.ports.journal import FullJournal
    from gieok.ports.keys import Keys
    from gieok.ports.setup import SetupAccess

#: Bytes of a file's name.
_LONGEST_NAME = 255
#: Answers by which a person agrees.
_YES = ("y", "yes", "예", "네", "ㅇ")


class SettingRow(NamedTuple):
    """One line of `config show`."""

    name: str
    value: str
    origin: str
    doc: str
    #: What is wrong with another value that was set, and what to do about it; '' where nothing is.
    wrong: str = ""
    hint: str = ""
    default: str = ""


class Caller(NamedTuple):
    """Who calls, and from where: all that an operation knows of the process that wants its answer.

    `flags` is setting name → text. `lang` is the language to use where the settings leave it open.
    One process answers callers in other folders and with other variables; only the home is the
    process's own. `is_placed` is False where nobody said in which folder they are (over HTTP): then
    a relative path means nothing.
    """

    folder: Path
    environment: Mapping[str, str]
    flags: Mapping[str, str] = {}
    lang: str = "en"
    is_placed: bool = True

    @property
    def user(self) -> Path:
        """Return the folder of the person who calls."""
        return Path(self.environment.get("HOME") or Path.home())

    def path(self, text: str, *, may_be_name: bool = False) -> Path:
        """Return the absolute path that a person in this folder means; links and `..` stay.

        Raises BadRequest for what no file can be called, and for a relative path of a caller that
        is nowhere; unless the text `may_be_name`, of an agent or a document.
        """
        is_own = text == "~" or text.startswith("~/")
        found = self.user / text[2:] if is_own else Path(text).expanduser()
        if not may_be_name and (
            "\0" in text or any(len(os.fsencode(part)) > _LONGEST_NAME for part in found.parts)
        ):
            raise BadRequest(
                "no file can have this name",
                hint="a part of a path has at most 255 bytes, and no NUL",
            )
        if not (self.is_placed or may_be_name or found.is_absolute()):
            raise BadRequest(
                f"{text!r} is a relative path, and the server is not where you are"
                if text
                else "no folder was named",
                hint="give an absolute path, or say where you are: `?folder=/an/absolute/path`",
            )
        return self.folder / found


class Watching(NamedTuple):
    """What opens the watcher of files, how long a file must be quiet, and how often everything is
    compared.
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
        """Follow files (`engine.follow`) until `is_stopped`, or the process is interrupted."""
        followed = FollowedFolders(
            folders=folders,
            read=read,
            debounce_ms=debounce_ms or self.debounce_ms,
            rescan_s=self.rescan_s,
            folders_s=folders_s,
        )
        follow_files(self.open(), followed, is_stopped)


class SeedAccess(NamedTuple):
    """Whether agents' notes and instructions are taken in, how many commits of a project are, and
    what reads its Git log.
    """

    has_files: bool
    most_commits: int
    log: "Callable[[Path, int], Sequence[Commit]]"


class MemoryContext(NamedTuple):
    """What is remembered. Functions open a resource at the first call.

        `stores` are the configured store and those that answer while it cannot be reached.
        `is_hybrid`: a local index of words
    stands beside a service that searches by meaning. `embedder()` is None where the user wants
    none, and so is `reranking()`; `keep_calibration` keeps what was fitted for a model. `notes` are
    those of the store, each durable in the journal. `catch_up()` takes in what agents wrote last,
    where no daemon follows them. `has_journal`: something was journalled ever, or the journal is on
    a server.
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
    """The sidecar, what it reads, how long a talk rests before it is observed whole, and whether
    turns are searched.
    """

    sidecar: Callable[[], "Sidecar"]
    transcripts: "Callable[[], TranscriptSources]"
    idle_minutes: int
    has_turns: bool


class ArchiveContext(NamedTuple):
    """The tiers of memory, opened at the first call.

    `sweep` leaves in their files what lives there, `drop_damaged` deletes copies of files that
    could not be read; both return what they could not do. `reach` looks for a file in the last tier
    and says where that is. `cold` is where the last tier is (`none`: there is none); what is older
    than `warm_days` may go there, once a person approves, or at once with `auto_approve`.
    """

    tiers: Callable[[], "Tiers"]
    sweep: Callable[[], Sequence[str]]
    drop_damaged: Callable[[], Sequence[str]]
    reach: Callable[[], str]
    cold: str
    warm_days: int
    auto_approve: bool


class CodeContext(NamedTuple):
    """The code of projects: opens the index of a folder, and the data file of a run under coverage.

    `asker` asks the model of a name, '' for the configured one, about the code of a folder;
    `upkeep` the cheap model about what changed there. Both return None where there is no such
    model.
    """

    project: Callable[[Path], "Project"]
    coverage: "Callable[[Path], CoverageRun]"
    asker: "Callable[[Path, str], Asker | None]"
    upkeep: "Callable[[Path], Asker | None]"


class CharacterContext(NamedTuple):
    """Characters that remember. `playground` opens an empty memory of its own, gone when the block
    ends, in played time.

    Its second argument says whether the configured embedder finds there, too.
    `house` opens the service's, the same every time. `has_accounts`: somebody came ever, or the
    accounts are on a server.
    """

    playground: "Callable[[PlayedClock, bool], AbstractContextManager[CharacterService]]"
    house: "Callable[[], House]"
    has_accounts: Callable[[], bool]


class PromptContext(NamedTuple):
    """What the prompt hook decides with. `reader` opens its read-only reader, and gives what that
    raises when it is late.
    """

    reader: Callable[[], "tuple[Reader, type[Exception]]"]
    settings: HookSettings


class MovingContext(NamedTuple):
    """Moving in. `open_files` opens what lies at a path; `readers` are those of other programs by
    name, in order.
    """

    open_files: "Callable[[Path], ImportFiles]"
    readers: "Callable[[], Mapping[str, ImportReader]]"


class ModelTrial(NamedTuple):
    """Tries the model of a setting by doing its work once: `attempt` returns what was seen, or
    raises.

    `is_paid`: it is asked beyond this machine, or by a subscription.
    """

    setting: str
    model: str
    is_paid: bool
    attempt: Callable[[], str]


class AdminContext(NamedTuple):
    """Settings, the stores that could be used instead, and processes.

    `choose` sets a setting for good; what a store or a journal holds has to be moved before.
    `left_stores` opens stores on this machine that are not in use any more. `set_aside` moves the
    damaged file of the configured store away; it returns where it is, and a store there if it
    opens. `try_embedder` uses the embedder and returns what was seen, or raises. `observer` says
    what observes, or raises where it cannot; nothing is asked. `model_trials` are those of the
    observer and of each other model; `is_paid` says it of the embedder and the reranker. `daemon`
    is None in a process that cannot start one. `keys` are those of services, `notices` is what
    tells a person, `backups` and `encryption` are those of the home, `setup` what saves settings.
    """

    settings: Sequence[SettingRow]
    #: Name → whether its data is on a server.
    store_names: Mapping[str, bool]
    open_store: Callable[[str], Store]
    choose: Callable[[str, str], None]
    #: What would be wrong with a text as the user's file of settings.
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
    """Openers, one a rib; each returns the same context every time."""

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
    """One call: who calls, whose memory is meant, how to talk to a person; and a context for each
    rib, opened when first used.

    `also` are scopes that are read beside `scope`. `say` shows a line of progress, or nothing;
    `tell` writes a line that stays, in `lang`; `ask` asks a person one line and is None where there
    is no terminal.
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
    #: What is nobody's business.
    privacy: Privacy = field(default_factory=Privacy)
    #: Asks a person many things on their terminal; None where there is none.
    dialogue: "Callable[[], Dialogue] | None" = None

    def words(self, template: str, about: str = "", plural: str = "", **values: object) -> str:
        """Return a message in the language of the call; see `gieok.text.messages`."""
        return translate(template, self.lang, values, about=about, plural=plural)

    def agrees(self, shown: Sequence[str], question: str, hint: str) -> bool:
        """Show a person lines and ask them whether to go on. Raises BadRequest where there is no
        terminal.
        """
        if self.ask is None:
            raise BadRequest("nobody can be asked: there is no terminal", hint=hint)
        self.tell("\n".join(shown))
        return self.ask(question).strip().lower() in _YES

    def progress(self, what: str, total: int = 0) -> Callable[[int], None]:
        """Return a function that shows how much is done, of how much where that is known, and how
        long the rest takes.
        """
        from gieok.ops.steps import Steps  # only what takes a while needs it

        return Steps(self.say, self.clock.now, self.lang, what, total)

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Return every scope to read: that of the call, then those beside it."""
        return (self.scope, *self.also)

    @property
    def searched(self) -> tuple[Scope, ...]:
        """Return every scope to search: those to read, and what the repository here brought along.

        The latter is for who asks for it, and injected nowhere: others write it, and every pull
        changes it.
        """
        root = "" if self.is_scope_named else places.find_workplace(str(self.caller.folder))
        brought = (Scope(places.repository_scope(places.project_scope(root))),) if root else ()
        return (*self.scopes, *brought)

    @property
    def project(self) -> str:
        """Return the root of the project whose memory the call reads; '' for none, or where a scope
        is named.
        """
        return "" if self.is_scope_named else places.project_root(str(self.caller.folder))

    @property
    def memory(self) -> MemoryContext:
        """Return what is remembered."""
        return self.ribs.memory()

    @property
    def observe(self) -> ObserveContext:
        """Return the sidecar's."""
        return self.ribs.observe()

    @property
    def archive(self) -> ArchiveContext:
        """Return the tiers."""
        return self.ribs.archive()

    @property
    def code(self) -> CodeContext:
        """Return the code of projects."""
        return self.ribs.code()

    @property
    def character(self) -> CharacterContext:
        """Return the characters'."""
        return self.ribs.character()

    @property
    def prompt(self) -> PromptContext:
        """Return what the prompt hook decides with."""
        return self.ribs.prompt()

    @property
    def admin(self) -> AdminContext:
        """Return settings, other stores and processes."""
        return self.ribs.admin()

    @property
    def moving(self) -> MovingContext:
        """Return what moves memory in."""
        return self.ribs.moving()
