"""`gieok uninstall`: remove Gieok from every agent, Git hooks and system services.

The stored memory stays.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from gieok import fs
from gieok.agents.agent import load_agent
from gieok.agents.install import change
from gieok.agents.install.change import Edit, InstallChange, InstallRecord, RecordedFile
from gieok.agents.install.edits import InstallPlace
from gieok.agents.table import NAMES
from gieok.commands.code import install_hook
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Omitted, Reason
from gieok.commands.home import service
from gieok.commands.moving.erase import (
    EraseResult,
    confirm_erase,
    erase_home,
    render_erased,
)
from gieok.commands.prompt.install import FileChange
from gieok.commands.prompt.sites import build_own_command, project_site, user_site
from gieok.errors import GieokError
from gieok.home.call import Call
from gieok.memory.files.seeds import SESSION_FOLDERS
from gieok.places.home import DAEMON_DOWN
from gieok.places.workplace import find_workplace
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class UninstallResult:
    """Outcome of each file, what could not be removed and why, and commands that finish the
    work.
    """

    files: tuple[FileChange, ...]
    left: tuple[Reason, ...]
    next: tuple[str, ...]
    dry_run: bool
    erased: Omitted[EraseResult] = None

    @property
    def found(self) -> bool:
        """Return whether there was something to remove, and no data stays that should be deleted.

        Data stays if a service could not delete it.
        """
        return bool(self.files or self.erased) and not (self.erased and self.erased.is_stranded)


def render_uninstall(result: UninstallResult, style: Style) -> str:
    """Show a line for each file, and what is left to do."""
    verbs = {
        "changed": Words("taken out of"),
        "removed": Words("removed"),
        "created": Words("back"),
    }
    lines = [
        f"{verbs[row.status].say(style.lang)}: {printable(str(row.path))}" for row in result.files
    ]
    if not (lines or result.left):
        lines = [style.say("Gieok is installed nowhere")]
    if result.dry_run:
        lines.insert(0, style.say("would be done:"))
    lines += [
        f"  ✗ {printable(row.path)}: {printable(style.told(row.reason))}" for row in result.left
    ]
    lines += [style.say("now run: {command}", command=command) for command in result.next]
    if result.erased is not None:
        lines.append(render_erased(result.erased, style))
    else:
        note = Words(
            "what is remembered stays; `gieok erase --all` deletes it, `gieok install AGENT` "
            "puts Gieok back"
        )
        lines.append(style.dim(note.say(style.lang)))
    last = Words(
        "the program itself: `pip uninstall gieok` (or `uv tool uninstall gieok`, `pipx "
        "uninstall gieok`)"
    )
    lines.append(style.dim(last.say(style.lang)))
    return "\n".join(lines)


@command(
    "uninstall",
    Words("Take Gieok out of every agent, hook and service; keep what it remembers"),
    present=render_uninstall,
    examples=("gieok uninstall --dry-run", "gieok uninstall"),
    effect=Effect.WRITE,
    forgives_config=True,
)
def uninstall_gieok(
    call: Call,
    *,
    erase: Annotated[
        bool, Parameter(Words("delete everything that is remembered too, as `gieok erase --all`"))
    ] = False,
    dry_run: Annotated[bool, Parameter(Words("only show what would be taken out"))] = False,
    yes: Annotated[bool, Parameter(Words("of --erase: do not ask"))] = False,
) -> UninstallResult:
    """Stop the daemon, remove Gieok's parts from other programs' files, and erase if asked to."""
    if erase:
        confirm_erase(call, all=True, backups=False, projects=False, dry_run=dry_run, yes=yes)
    out = _TakingOut(call, is_dry=dry_run)
    out.stop_daemon()
    roots = _list_project_folders(call)
    out.agents(roots)
    out.projects(roots)
    out.services()
    erased = erase_home(call, all=True, dry_run=dry_run, yes=True) if erase else None
    return UninstallResult(
        files=tuple(out.files),
        left=tuple(out.left),
        next=tuple(out.next),
        dry_run=dry_run,
        erased=erased,
    )


def _list_project_folders(call: Call) -> list[Path]:
    """Return the folders of known projects, and of the project of the call."""
    try:
        known = [find_workplace(folder) for folder in call.home.journal.kept(SESSION_FOLDERS)]
    except GieokError:  # a home that is damaged must not keep its hooks
        known = []
    return sorted({Path(root) for root in known if root} | {project_site(call).folder})


class _TakingOut:
    """Removal of Gieok's parts one by one; a failure is reported, and the rest goes on."""

    def __init__(self, call: Call, *, is_dry: bool) -> None:
        self._call, self._is_dry = call, is_dry
        self.files: list[FileChange] = []
        self.left: list[Reason] = []
        self.next: list[str] = []

    def stop_daemon(self) -> None:
        """Stop the daemon, and let no session start the daemon again."""
        call = self._call
        if self._is_dry or not call.home.folder.is_dir():
            return
        if call.home.daemon is not None:
            try:
                call.home.daemon.stop()
            except GieokError as error:
                self.left.append(Reason("daemon", error.in_full))
        (call.home.folder / DAEMON_DOWN).touch()

    def agents(self, roots: list[Path]) -> None:
        """Undo installs of the user and of projects, then installs that only the record knows."""
        ledger = InstallRecord(self._call.home.folder)
        environment = self._call.caller.environment
        sites = [
            user_site(self._call),
            *(InstallPlace(root, True, environment) for root in roots),
        ]
        for site in sites:
            for edit in self._edits(site):
                self._attempt(edit.path, lambda edit=edit: self._undo(edit, ledger))  # type: ignore[misc]
        tried = {reason.path for reason in self.left}
        for path in (
            [path for path in ledger.paths() if str(path) not in tried] if not self._is_dry else ()
        ):
            unknown = RecordedFile(path)
            self._attempt(path, lambda edit=unknown: self._undo(edit, ledger, is_known=False))  # type: ignore[misc]

    def _edits(self, site: InstallPlace) -> Iterator[Edit]:
        for name in NAMES:
            agent, call = load_agent(name), build_own_command(self._call)
            # an agent that is not installed; the record of installs knows of earlier ones
            with suppress(GieokError):
                yield from agent.build_command_edits(site, call)
                yield from agent.list_site_edits(site, call)

    def _undo(
        self, edit: Edit, ledger: InstallRecord, *, is_known: bool = True
    ) -> InstallChange | None:
        with ledger.alone([edit]):
            install_change = change.plan_file_removal(edit, ledger)
            if not self._is_dry and (
                install_change.status != "unchanged" or edit.path in ledger.paths()
            ):
                change.uninstall([install_change], ledger)
        if install_change.status == "unchanged" and not is_known and edit.path.exists():
            self.left.append(
                Reason(str(edit.path), "somebody changed it since: look for `gieok` in it")
            )
        return install_change

    def _attempt(self, path: Path, undo: Callable[[], InstallChange | None]) -> None:
        try:
            install_change = undo()
        except (GieokError, OSError) as error:
            self.left.append(Reason(str(path), str(error)))
            return
        if install_change is not None and install_change.status != "unchanged":
            row = FileChange(install_change.path, install_change.status)
            if row not in self.files:  # a file that several agents share
                self.files.append(row)

    def projects(self, roots: list[Path]) -> None:
        """Remove Git hooks and commands from projects."""
        for root in roots:
            try:
                before = install_hook.list_installed_hooks(root)
                if not self._is_dry:
                    install_hook.remove_git_hooks(root)
            except OSError as error:
                self.left.append(Reason(str(root), str(error)))
                continue
            self.files += [
                FileChange(file, "changed" if file.exists() else "removed") for file in before
            ]

    def services(self) -> None:
        """Remove the services, and name the commands that unregister them from the system."""
        for file, unregistering in service.find_installed_service(self._call):
            if not self._is_dry:
                for link in (file, *file.parent.glob(f"*.wants/{file.name}")):
                    link.unlink(missing_ok=True)
            self.files.append(FileChange(file, "removed"))
            self.next.append(unregistering)
        if not self._is_dry:
            fs.sweep_temporary_files(self._call.home.folder / "installs")
