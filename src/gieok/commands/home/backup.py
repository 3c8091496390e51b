"""`gieok backup create | list | verify | restore | prune`: the home as one file.

A backup is made while everything runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import As, Hidden, OrNull, Reason
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.ports.backup import BackupFile, BackupReport, Restored
from gieok.text.amounts import format_size
from gieok.text.messages import Words

_TO = Words("the folder (default: `backup.folder`)")
_FILE = Words("the backup (default: the newest)")
_KEY_FILE = Words("the key, where it is not that of this home")


class BackupRow(NamedTuple):
    """Backup in a list."""

    path: str
    made_at: str
    size_bytes: int
    is_encrypted: bool


def _build_backup_row(file: BackupFile) -> BackupRow:
    return BackupRow(str(file.path), file.made_at.isoformat(), file.size_bytes, file.is_encrypted)


def _build_backup_rows(files: Sequence[BackupFile]) -> tuple[BackupRow, ...]:
    return tuple(map(_build_backup_row, files))


@dataclass(frozen=True, slots=True)
class BackupResult:
    """Backup that was made or read.

    Number and size of its files, the files that it leaves out, and older backups that were removed.
    """

    backup: Annotated[BackupFile, As(_build_backup_row)]
    files: int
    content_bytes: int
    made_by: str
    left_out: tuple[Reason, ...]
    pruned: Annotated[Sequence[BackupFile], As(_build_backup_rows)]
    is_made: Hidden[bool]
    found: Hidden[bool] = True


@dataclass(frozen=True, slots=True)
class BackupListResult:
    """Backups in a folder, newest first, and how many are kept (0: all)."""

    folder: str
    backups: Annotated[Sequence[BackupFile], As(_build_backup_rows)]
    keep: int

    @property
    def found(self) -> bool:
        """True where there is a backup."""
        return bool(self.backups)


@dataclass(frozen=True, slots=True)
class RestoreBackupResult:
    """Restored home; `kept_aside` is the home that was there before."""

    home: str
    backup: Annotated[BackupFile, As(_build_backup_row)]
    files: int
    messages: int
    memories: int
    documents: int
    kept_aside: OrNull[str]
    found: Hidden[bool] = True


@dataclass(frozen=True, slots=True)
class PruneResult:
    """Backups that were removed."""

    removed: Annotated[Sequence[BackupFile], As(_build_backup_rows)]

    @property
    def found(self) -> bool:
        """True where a backup was removed."""
        return bool(self.removed)


def _render_backup_line(file: BackupFile, style: Style) -> str:
    lock = style.say("encrypted") if file.is_encrypted else style.say("in the clear")
    return f"{style.bold(printable(str(file.path)))}  {format_size(file.size_bytes)}, {lock}"


def render_backup(result: BackupResult, style: Style) -> str:
    """Show the backup that was made or read."""
    content = format_size(result.content_bytes)
    lines = [
        style.say("backed up and read back: ") if result.is_made else style.say("whole: "),
        style.say("  {files:,} files of {content}", files=result.files, content=content),
    ]
    lines[0] += _render_backup_line(result.backup, style)
    if result.is_made and not result.backup.is_encrypted:
        lines.append(
            style.say(
                "  anyone who has the file can read it: `gieok encryption on` encrypts the "
                "next ones"
            )
        )
    went = style.say("older, removed")
    lines += [f"  {went}: {printable(str(file.path))}" for file in result.pruned]
    without = style.say("not in it")
    return "\n".join(
        lines
        + [
            f"  ✗ {without}: {printable(file.path)}: {printable(style.told(file.reason))}"
            for file in result.left_out
        ]
    )


@command(
    "backup create",
    Words("Back up the home into one file while everything runs"),
    present=render_backup,
    when_stopped=Words(
        "no backup was made, and none of those there changed; `gieok backup` begins anew"
    ),
    effect=Effect.WRITE,
    examples=("gieok backup", "gieok backup --to /media/usb/gieok"),
)
def create_backup(
    call: Call,
    *,
    to: Annotated[str, Parameter(_TO)] = "",
    encrypt: Annotated[bool, Parameter(Words("refuse to make one that is not encrypted"))] = False,
    with_keys: Annotated[
        bool, Parameter(Words("put `.env` in too (encrypted backups only)"))
    ] = False,
) -> BackupResult:
    """Make a backup. Raises BadRequest, StoreError."""
    call.say(call.words("backing up"))
    report = call.home.backups.create(
        _resolve_backup_path(call, to),
        encrypt=encrypt,
        with_keys=with_keys,
    )
    return _build_backup_result(report, is_made=True)


def render_backups(result: BackupListResult, style: Style) -> str:
    """Show the backups, and how long they are kept."""
    if not result.backups and not Path(result.folder).is_dir():
        return style.say(
            "{folder} is not there now: whether it holds backups is not known", folder=result.folder
        )
    if not result.backups:
        return style.say("no backup in {folder}: `gieok backup` makes one", folder=result.folder)
    kept_note = style.say("the newest {keep} are kept (`backup.keep`)", keep=result.keep)
    every = style.say("all are kept (`backup.keep: 0`)")
    return "\n".join(
        [
            *(_render_backup_line(backup, style) for backup in result.backups),
            kept_note if result.keep else every,
        ]
    )


@command(
    "backup list",
    Words("List the backups, the newest first"),
    present=render_backups,
    examples=("gieok backup list",),
)
def list_backups(call: Call, *, to: Annotated[str, Parameter(_TO)] = "") -> BackupListResult:
    """Return the backups in a folder."""
    backups, folder = call.home.backups, _resolve_backup_path(call, to)
    keep = call.home.settings.integer("backup.keep")
    return BackupListResult(str(backups.folder(folder)), backups.listed(folder), keep)


@command(
    "backup verify",
    Words("Read a backup from its first byte to its last"),
    present=render_backup,
    effect=Effect.WRITE,  # it may ask for a passphrase: never in the daemon
    examples=(
        "gieok backup verify",
        "gieok backup verify gieok-20261123T021500Z.tar.gz.age --key-file key.txt",
    ),
)
def verify_backup(
    call: Call,
    *,
    file: Annotated[str, Parameter(_FILE, positional=True)] = "",
    key_file: Annotated[str, Parameter(_KEY_FILE)] = "",
) -> BackupResult:
    """Read a backup from its first byte to its last. Raises Damaged, WrongKey."""
    report = call.home.backups.verify(
        _find_meant_backup(call, file), _resolve_backup_path(call, key_file)
    )
    return _build_backup_result(report, is_made=False)


def render_restored_backup(result: RestoreBackupResult, style: Style) -> str:
    """Show the restored home."""
    lines = [
        style.say(
            (
                "restored {home}: {messages:,} messages, {memories:,} memories made of them, "
                "{documents:,} documents in the index"
            ),
            home=result.home,
            messages=result.messages,
            memories=result.memories,
            documents=result.documents,
        )
    ]
    if result.kept_aside:
        lines.append(style.say("  the home before: {kept_aside}", kept_aside=result.kept_aside))
    lines.append(
        style.say(
            "  next: `gieok move` where it is another machine or user, `gieok doctor`, `gieok up`"
        )
    )
    return "\n".join(lines)


@command(
    "backup restore",
    Words("Restore a home from a backup, once all of it is verified"),
    present=render_restored_backup,
    when_stopped=Words("nothing is in place that was not verified; the same command begins anew"),
    effect=Effect.WRITE,
    forgives_config=True,
    examples=(
        "gieok backup restore",
        "gieok backup restore FILE --to ~/.gieok-old",
        "gieok backup restore FILE --replace",
    ),
)
def restore_backup(
    call: Call,
    *,
    file: Annotated[str, Parameter(_FILE, positional=True)] = "",
    to: Annotated[str, Parameter(Words("the home to make (default: this one)"))] = "",
    replace: Annotated[
        bool, Parameter(Words("take the place of a home that is in use; that one is kept aside"))
    ] = False,
    key_file: Annotated[str, Parameter(_KEY_FILE)] = "",
) -> RestoreBackupResult:
    """Restore a home. Raises BadRequest, Damaged, WrongKey."""
    home = _resolve_backup_path(call, to) or call.home.folder
    call.say(call.words("restoring"))
    restored: Restored = call.home.backups.restore(
        _find_meant_backup(call, file),
        home,
        replace=replace,
        key_file=_resolve_backup_path(call, key_file),
    )
    counts = (restored.messages, restored.memories, restored.documents)
    return RestoreBackupResult(
        str(restored.home),
        restored.report.file,
        restored.report.members,
        *counts,
        restored.kept_aside,
    )


def render_pruned_backups(result: PruneResult, style: Style) -> str:
    """Show the removed backups."""
    if not result.removed:
        return style.say("nothing was removed")
    removed = style.say("removed")
    return "\n".join(f"{removed}: {printable(str(backup.path))}" for backup in result.removed)


@command(
    "backup prune",
    Words("Remove old backups: what was forgotten may still be in them"),
    present=render_pruned_backups,
    effect=Effect.DESTROY,
    examples=("gieok backup prune --keep 3", "gieok backup prune --keep 0 --yes"),
)
def prune_backups(
    call: Call,
    *,
    to: Annotated[str, Parameter(_TO)] = "",
    keep: Annotated[int, Parameter(Words("how many of the newest stay"))] = 1,
    yes: Annotated[bool, Parameter(Words("do not ask"))] = False,
) -> PruneResult:
    """Remove all but the newest, once a person agrees. Raises BadRequest."""
    if keep < 0:
        raise BadRequest("--keep is {keep}", keep=keep, hint="0 removes every backup")
    backups, folder = call.home.backups, _resolve_backup_path(call, to)
    old = backups.listed(folder)[keep:]
    if old and not yes:
        lines = [printable(str(backup.path)) for backup in old]
        question = call.words("remove these backups for good? (y/N) ")
        if not call.agrees(lines, question, "a backup that is removed is gone: give --yes"):
            return PruneResult(())
    return PruneResult(backups.prune(keep, folder))


def _resolve_backup_path(call: Call, text: str) -> Path | None:
    return call.caller.path(text) if text else None


def _find_meant_backup(call: Call, text: str) -> Path:
    """Return the backup that a text names.

    The text is a path, or a name in the folder of backups; an empty text means the newest there.
    """
    backups = call.home.backups
    if not text:
        newest = next(iter(backups.listed()), None)
        if newest is None:
            folder = str(backups.folder())
            raise BadRequest(
                "there is no backup in {folder!r}",
                folder=folder,
                hint="name one: `gieok backup verify FILE`",
            )
        return newest.path
    named = call.caller.path(text)
    beside = backups.folder() / text
    return beside if not named.exists() and beside.exists() else named


def _build_backup_result(report: BackupReport, *, is_made: bool) -> BackupResult:
    left_out = tuple(Reason(*row) for row in report.left_out)
    return BackupResult(
        backup=report.file,
        files=report.members,
        content_bytes=report.content_bytes,
        made_by=report.gieok,
        left_out=left_out,
        pruned=report.pruned,
        is_made=is_made,
    )
