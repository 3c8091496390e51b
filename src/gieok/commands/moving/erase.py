"""`gieok erase --all`: delete all that Gieok keeps, and name the copies it cannot delete."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.agents.agent import list_readable_agents, load_agent
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden, Reason
from gieok.commands.home.elsewhere import RemotePlace, iter_remote_places
from gieok.commands.memory import forget_steps
from gieok.errors import BadRequest, GieokError, StoreError
from gieok.home.call import Call
from gieok.home.stores import list_store_names
from gieok.model.memory import Tier
from gieok.ports.store import Droppable, ScopeDropping, Store
from gieok.ports.sync import hide_userinfo
from gieok.text.catalogues import list_languages
from gieok.text.messages import Words

#: Word that a person types to confirm.
_WORD = Words("erase", about="a word to type")
#: A folder without any of these is no home of Gieok, whatever GIEOK_HOME says.
_MARKS = (
    "journal.sqlite",
    "accounts.sqlite",
    "memory.sqlite",
    "gemini.owner",
    "config.yaml",
    "daemon.json",
    "trust",
    "installs",
)


class ErasedPlace(NamedTuple):
    """Place that was deleted, or would be, and its content."""

    path: str
    what: Words


@dataclass(frozen=True, slots=True)
class EraseResult:
    """Places that were deleted, and places where data remains, with the reason."""

    removed: tuple[ErasedPlace, ...]
    left: tuple[Reason, ...]
    dry_run: bool
    #: Data of this memory is at a service, and could not be deleted there.
    is_stranded: Hidden[bool] = False

    @property
    def found(self) -> bool:
        """False where there was nothing, or where data stays at a service that should be
        deleted.
        """
        return bool(self.removed) and not self.is_stranded


def render_erased(result: EraseResult, style: Style) -> str:
    """Show what was deleted, and where data remains."""
    verb = style.say("would be deleted") if result.dry_run else style.say("deleted")
    lines = [
        f"{verb}: {printable(place.path)}  {style.dim(place.what.say(style.lang))}"
        for place in result.removed
    ]
    still = style.say("still there")
    lines += [
        f"  ✗ {still}: {printable(place.path)}: {printable(style.told(place.reason))}"
        for place in result.left
    ]
    return "\n".join(lines or [style.say("there is nothing")])


@command(
    "erase",
    Words("Delete all that Gieok keeps, for good"),
    present=render_erased,
    effect=Effect.DESTROY,
    forgives_config=True,
    examples=("gieok erase --all --dry-run", "gieok erase --all"),
)
def erase_home(
    call: Call,
    *,
    all: Annotated[
        bool, Parameter(Words("everything; there is no less: see `gieok forget`"))
    ] = False,
    backups: Annotated[bool, Parameter(Words("backups too"))] = False,
    projects: Annotated[
        bool, Parameter(Words("the `.gieok` folders of projects too: records, indexes of code"))
    ] = False,
    yes: Annotated[bool, Parameter(Words("do not ask"))] = False,
    dry_run: Annotated[bool, Parameter(Words("only tell what would be deleted"))] = False,
) -> EraseResult:
    """Ask a person, then delete everything.

    Archives and servers go first, because only the home knows of them; the home goes last.
    """
    confirm_erase(call, all=all, backups=backups, projects=projects, yes=yes, dry_run=dry_run)
    work = _Erasing(call, is_dry=dry_run)
    work.attempt("archive", work.archives)
    work.attempt("store", work.servers)
    work.attempt("sync", work.remote)
    folders = list(_iter_erased_folders(call, backups=backups, projects=projects))
    work.left += _iter_remaining_places(call, backups=backups, projects=projects)
    if not dry_run:
        work.attempt("daemon", work.close)
    for folder, what in folders:
        work.folder(folder, what)
    left = tuple(dict.fromkeys(work.left))
    return EraseResult(tuple(work.removed), left, dry_run, is_stranded=work.is_stranded)


def confirm_erase(
    call: Call, *, all: bool, backups: bool, projects: bool, yes: bool, dry_run: bool
) -> None:
    """Let a person confirm by typing a word.

    Raises BadRequest where the person does not confirm, or the home is no home of Gieok.
    """
    if not all:
        raise BadRequest(
            "erase deletes everything: give --all", hint="`gieok forget` deletes some memories"
        )
    _check_erasable_home(call)
    if yes or dry_run:
        return
    if call.ask is None:
        raise BadRequest(
            "nobody can be asked: there is no terminal", hint="give --yes, or --dry-run to look"
        )
    shown = [
        f"  {printable(str(path))}  {what.say(call.lang)}"
        for path, what in _iter_erased_folders(call, backups=backups, projects=projects)
    ]
    call.tell("\n".join([call.words("this is deleted for good:"), *shown]))
    word = _WORD.say(call.lang)
    answer = call.ask(call.words("type `{word}` to go on: ", word=word))
    if answer.strip().lower() not in {_WORD.say(lang) for lang in list_languages()}:
        raise BadRequest("nothing was deleted", word=word, hint="type the word {word!r}")


def _check_erasable_home(call: Call) -> None:
    """Raise BadRequest if the home folder holds more than a home of Gieok."""
    home, user = call.home.folder.resolve(), call.caller.user.resolve()
    if user.is_relative_to(home) or home.parent == home or (home / ".git").exists():
        raise BadRequest(
            "{home!r} holds more than Gieok's memory",
            home=home,
            hint="delete by hand what is Gieok's in it",
        )
    if home.exists() and not any((home / name).exists() for name in _MARKS) and any(home.iterdir()):
        raise BadRequest(
            "{home!r} does not look like a home of Gieok", home=home, hint="is GIEOK_HOME right?"
        )


def _iter_erased_folders(
    call: Call, *, backups: bool, projects: bool
) -> Iterator[tuple[Path, Words]]:
    """Yield the folders that are deleted as a whole, the home last."""
    for file in _list_backup_files(call) if backups else ():
        yield file, Words("a backup")
    for base in _list_project_shelves(call) if projects else ():
        yield base, Words("records and index of a project")
    if written := call.home.settings.text("active_memory.path"):
        file = call.caller.path(written)
        if file.is_file() and not file.is_relative_to(call.home.folder):
            yield file, Words("active memory")
    yield (
        call.home.folder,
        Words("memory, journal, archive, settings, keys in .env, logs"),
    )


def _list_project_shelves(call: Call) -> list[Path]:
    """Return the `.gieok` folders of projects; none where the home is too damaged to tell."""
    try:
        return [
            base
            for base in forget_steps.list_record_folders(call)
            if base != call.home.folder and base.is_dir()
        ]
    except GieokError:
        return []


def _list_backup_files(call: Call) -> list[Path]:
    return [file.path for file in call.home.backups.listed()]


def _iter_remaining_places(call: Call, *, backups: bool, projects: bool) -> Iterator[Reason]:
    """Yield places with data that is not Gieok's to delete."""
    for file in _list_backup_files(call) if not backups else ():
        yield Reason(
            str(file),
            call.words("one of the backups: `--backups` deletes them"),
        )
    for base in _list_project_shelves(call) if not projects else ():
        yield Reason(
            str(base),
            call.words(
                "a project's own records and index: `--projects` deletes them; Git keeps what "
                "was committed"
            ),
        )
    for name in list_readable_agents():
        place = load_agent(name).find_place(call.caller.user, call.caller.environment)
        if place and place.folder.is_dir():
            yield Reason(
                str(place.folder),
                call.words("{name}'s own transcripts and notes", name=name),
            )
    for row in call.home.keys.rows():
        if row.place == "keyring":
            yield Reason(
                row.variable,
                call.words("a key in the system's keyring: delete it there"),
            )


class _Erasing:
    def __init__(self, call: Call, *, is_dry: bool) -> None:
        self._call, self._is_dry = call, is_dry
        self.removed: list[ErasedPlace] = []
        self.left: list[Reason] = []
        #: Data could not be deleted at a service; the files by which that data is found again stay.
        self.is_stranded = False
        self._marks: set[Path] = set()

    def attempt(self, what: str, work: Callable[[], None]) -> None:
        """Run a part of the deletion; a failure is reported, and the rest goes on."""
        try:
            work()
        except (GieokError, OSError) as error:
            self.left.append(
                Reason(what, error.in_full if isinstance(error, GieokError) else str(error))
            )

    def archives(self) -> None:
        """Delete the memories in archives outside the home; a file with a person's own words
        stays.
        """
        tiers = self._call.home.tiers
        gone: dict[str, int] = {}
        for archived in tiers.journal.places():
            place = archived.place
            shelf = tiers.shelves.get(place.tier)
            if place.tier is Tier.WARM:  # in the home
                continue
            if shelf is None:
                self.left.append(
                    Reason(
                        place.path,
                        self._call.words("its archive is not configured any more"),
                    )
                )
                continue
            archive = shelf.archive(place.scope)
            held = shelf.read(place)
            if held is None:
                continue
            if held.contents.own.strip():
                self.left.append(
                    Reason(
                        f"{archive.location}: {place.path}",
                        self._call.words("it holds words of your own"),
                    )
                )
                continue
            if not self._is_dry:
                archive.delete(place.path, held.revision)
            gone[archive.location] = gone.get(archive.location, 0) + 1
        for location, count in gone.items():
            self.removed.append(
                ErasedPlace(location, Words.of("{count:,} archived files", count=count))
            )
            self.left.append(
                Reason(
                    location,
                    self._call.words(
                        "a service, or a program that syncs, may keep earlier revisions for a while"
                    ),
                )
            )

    def remote(self) -> None:
        """Report the place over which devices are synchronised: other devices use it."""
        if setup := self._call.home.sync.find_setup():
            self.left.append(
                Reason(
                    hide_userinfo(setup.remote),
                    self._call.words(
                        "sent before, encrypted: it stays there and on your other devices. Delete "
                        "it there when no device needs it"
                    ),
                )
            )

    def servers(self) -> None:
        """Delete the data on servers and at services, and report what stays there."""
        home = self._call.home
        if home.stores.has_journal() and "://" in (where := home.journal.location):
            self.left.append(
                Reason(
                    where,
                    "the journal of all who use it: `DROP SCHEMA gieok_journal CASCADE` there",
                )
            )
        self._accounts(home.settings.text("journal"))
        for place in iter_remote_places(self._call):
            is_on_server = list_store_names()[place.name]
            try:
                if place.store is None:
                    self._strand(place, place.trouble)
                elif is_on_server and place.name == home.stores.name:
                    self._empty_server(place.store)
                elif is_on_server:
                    self._name_server(place)
                elif isinstance(place.store, Droppable):
                    self._drop(place.store)
            except (GieokError, OSError) as error:
                self._strand(
                    place,
                    error.in_full if isinstance(error, GieokError) else str(error),
                )
            finally:
                if place.store is not None and place.name != home.stores.name and not self._is_dry:
                    place.store.close()

    def _empty_server(self, store: Store) -> None:
        """Delete every scope of the index on a server; the tables stay, because others use them
        too.
        """
        for scope in store.scopes() if not self._is_dry else ():
            if isinstance(store, ScopeDropping):
                store.drop_scope(scope)
            else:
                store.forget(scope, sorted(store.hashes(scope)))
        if not self._is_dry and (still := store.stats().documents):
            raise StoreError(
                "{still:,} documents are still in {location}",
                still=still,
                location=store.location,
                hint="run it again",
            )
        self.removed.append(ErasedPlace(store.location, Words("the index on a server")))

    def _name_server(self, place: RemotePlace) -> None:
        """Report data on a server that is not in use from here: others may use that data."""
        if not isinstance(place.store, Droppable):
            return
        for remote in place.store.remote_data():
            self.left.append(
                Reason(
                    remote.name, f"{remote.documents:,} documents: `{place.how_by_hand()}` there"
                )
            )

    def _drop(self, store: Droppable) -> None:
        """Delete the data at a service; `Droppable.drop` verifies that the data is gone."""
        dropped = store.remote_data() if self._is_dry else store.drop()
        for remote in dropped:
            what = Words.of("{documents:,} documents at a service", documents=remote.documents)
            self.removed.append(ErasedPlace(remote.name, what))
            if remote.others:
                self.left.append(
                    Reason(remote.name, f"{remote.others:,} documents of others are in it")
                )

    def _strand(self, place: RemotePlace, why: str) -> None:
        """Report data that stays at a service, and how to delete it.

        The files that find this data again are kept.
        """
        self.is_stranded = True
        known = place.known()
        by_hand = f"; without Gieok: `{place.how_by_hand()}`" if place.how_by_hand() else ""
        for name, count in [
            (remote.name, f"{remote.documents:,} documents stay there: ") for remote in known
        ] or [(place.name, "")]:
            self.left.append(
                Reason(name, f"{count}{why}; then `gieok store drop {place.name}`{by_hand}")
            )
        if place.mark is not None:
            self._marks.add(place.mark)
            reason = self._call.words(
                "kept: by it `gieok store drop {name}` knows what is yours there", name=place.name
            )
            self.left.append(Reason(str(place.mark), reason))

    def _accounts(self, journal: str) -> None:
        stores = self._call.home.stores
        if not stores.has_accounts(journal):
            return
        with closing(stores.open_accounts(journal)) as accounts:
            if "://" in accounts.location:
                reason = (
                    "users, characters, keys and points: `DROP SCHEMA gieok_accounts CASCADE` there"
                )
                self.left.append(Reason(accounts.location, reason))

    def close(self) -> None:
        """Stop the daemon and close the files."""
        if self._call.home.daemon is not None:
            self._call.home.daemon.stop()
        for store in self._call.home.stores.all():
            store.close()
        self._call.home.journal.close()

    def folder(self, folder: Path, what: Words) -> None:
        """Delete a folder or a file; report what cannot be deleted."""
        if not folder.exists():
            return
        if not self._is_dry:
            marks = {mark for mark in self._marks if mark.parent == folder}
            if marks:
                self._remove_but(folder, marks)
            elif folder.is_dir() and not folder.is_symlink():
                shutil.rmtree(folder, onerror=self._failed)
            else:
                folder.unlink()
                with suppress(OSError):  # a folder of backups may hold something else
                    folder.parent.rmdir()
        if (
            self._is_dry
            or not folder.exists()
            or (folder.is_dir() and set(folder.iterdir()) <= self._marks)
        ):
            self.removed.append(ErasedPlace(str(folder), what))
        elif not any(reason.path.startswith(str(folder)) for reason in self.left):
            self.left.append(Reason(str(folder), "something is still in it"))

    def _remove_but(self, folder: Path, kept: set[Path]) -> None:
        for entry in set(folder.iterdir()) - kept:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, onerror=self._failed)
            else:
                entry.unlink()

    def _failed(
        self, function: object, path: str, error: "tuple[type, BaseException, object]"
    ) -> None:
        del function
        self.left.append(Reason(path, str(error[1])))
