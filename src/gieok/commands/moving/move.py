"""`gieok move`: reassign memory to folders that moved to another machine or another name."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Annotated, NamedTuple

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.setting_rows import list_setting_rows
from gieok.memory.exchange import scope_moves
from gieok.memory.exchange.scope_moves import Repointing
from gieok.memory.files import roots
from gieok.memory.files.seeds import SESSION_FOLDERS
from gieok.memory.tiers import sync
from gieok.model.memory import Scope
from gieok.places.home import (
    build_active_memory_path,
    build_readings_file,
    lasting_file,
    later_file,
    list_action_files,
    replaced_file,
)
from gieok.places.project import project_scope
from gieok.settings import grants
from gieok.text.messages import Words

_CODE = "code:"
#: Where agents keep transcripts, below a user's folder: this part of a transcript's path tells the
#: folder of the user who wrote the transcript.
_BELOW_USER = (".claude", ".codex", ".gemini", ".qwen", ".cursor", ".openclaw", ".local")


class MovedScope(NamedTuple):
    """Memory of a project, its scope before and now, and whether its folder is here."""

    folder: str
    now: str
    scope: Scope
    scope_now: Scope
    is_here: bool


@dataclass(frozen=True, slots=True)
class MoveResult:
    """Memory that was moved.

    `settings` still name the old folder; `missing` are folders of projects that are not here.
    """

    old: str
    new: str
    scopes: tuple[MovedScope, ...]
    memories: int
    messages: int
    indexed_folders: int
    settings: tuple[str, ...]
    missing: tuple[str, ...]
    done: Hidden[bool]

    @property
    def found(self) -> bool:
        """False where nothing belongs to the old folder."""
        return bool(self.scopes or self.indexed_folders)


def render_move(result: MoveResult, style: Style) -> str:
    """Show what is where now, and what a person has to do."""
    if not result.old:
        lines = [style.say("every folder is where it was")]
        if result.missing:
            lines = [style.say("these folders are not here; `gieok move OLD NEW`:")]
            lines += [f"  {printable(folder)}" for folder in result.missing]
        return "\n".join(lines)
    if not result.found:
        return style.say("nothing is remembered of {old}", old=result.old)
    lines = [style.bold(f"{printable(result.old)} → {printable(result.new)}")]
    lines += [f"  {one.scope} → {one.scope_now}  {printable(one.now)}" for one in result.scopes]
    if not result.done:
        lines.append(style.say("nothing was moved"))
    else:
        lines.append(
            style.say(
                "  {memories:,} memories, {messages:,} messages and {folders:,} indexed folders "
                "moved",
                memories=result.memories,
                messages=result.messages,
                folders=result.indexed_folders,
            )
        )
        lines.append(style.say("now run: gieok index"))
    lines += [style.say("  ✗ not here: {one}", one=one) for one in result.missing]
    if result.settings:
        words = style.say("settings that name the old folder")
        lines.append(f"  ✗ {words}: {', '.join(result.settings)}")
    return "\n".join(lines)


@command(
    "move",
    Words("Take what is remembered along when folders moved: to another machine, to another name"),
    present=render_move,
    effect=Effect.WRITE,
    examples=("gieok move", "gieok move /home/kim /Users/kim", "gieok move ~/shop ~/work/store"),
)
def move_folders(
    call: Call,
    *,
    folders: Annotated[
        Sequence[str],
        Parameter(
            Words(
                "the folder that was, and the folder that is (default: the user's folder on the "
                "old machine, and here)"
            ),
            positional=True,
        ),
    ] = (),
    dry_run: Annotated[bool, Parameter(Words("only show what would be moved"))] = False,
    yes: Annotated[bool, Parameter(Words("do not ask"))] = False,
) -> MoveResult:
    """Find the memory of the old folder, ask a person, and move that memory."""
    where = _find_repointing(call, folders=folders)
    if where is None:
        missing = tuple(_list_gone_folders(call))
        return MoveResult(
            old="",
            new="",
            scopes=(),
            memories=0,
            messages=0,
            indexed_folders=0,
            settings=(),
            missing=missing,
            done=False,
        )
    scopes = tuple(_iter_moved_scopes(call, where))
    indexed = _count_indexed_folders(call, where)
    settings = tuple(
        row.name
        for row in list_setting_rows(call.home.settings)
        if _has_moved_path(where, row.value)
    )
    missing = tuple(moved.now for moved in scopes if not moved.is_here)
    is_meant = not dry_run and (
        yes or not (scopes or indexed) or _confirm_move(call, where, scopes)
    )
    if not is_meant:
        return MoveResult(
            old=where.old,
            new=where.new,
            scopes=scopes,
            memories=0,
            messages=0,
            indexed_folders=sum(indexed.values()),
            settings=settings,
            missing=missing,
            done=False,
        )
    journal, store = call.home.journal, call.home.store
    journal.keep(scope_moves.REALM, {where.old: where.new})
    noted = {scope: store.notes(scope).get(roots.NOTE, "") for scope in indexed}
    taken = scope_moves.repoint(
        journal,
        store,
        call.clock,
        {moved_scope.scope: moved_scope.scope_now for moved_scope in scopes},
        where,
        call.progress(call.words("moved")),
    )
    now = {moved_scope.scope: moved_scope.scope_now for moved_scope in scopes}
    for scope, raw in noted.items():
        _move_roots(call, where, now.get(scope, scope), raw)
    _move_rest(call, where, scopes)
    return MoveResult(
        old=where.old,
        new=where.new,
        scopes=scopes,
        memories=taken.memories,
        messages=taken.messages,
        indexed_folders=sum(indexed.values()),
        settings=settings,
        missing=missing,
        done=True,
    )


def _find_repointing(call: Call, *, folders: Sequence[str]) -> Repointing | None:
    """Return the old and the new folder; None where neither the request nor the data tells.

    Raises BadRequest.
    """
    if len(folders) == 1 or len(folders) > 2:
        raise BadRequest(
            "name the folder that was, and the folder that is",
            hint="gieok move /home/kim /Users/kim",
        )
    if folders:
        old, new = (str(call.caller.path(folder)) for folder in folders)
        if old == new:
            raise BadRequest("both are the same folder")
        return Repointing(old.rstrip("/\\") or old, new.rstrip("/\\") or new)
    user_counts = Counter(
        filter(None, (_user_of(cursor.path) for cursor in call.home.journal.cursors()))
    )
    old = next(
        (name for name, _ in user_counts.most_common() if not Path(name).exists()), ""
    ) or _find_old_parent(call)
    return Repointing(old, str(call.caller.user)) if old else None


def _find_old_parent(call: Call) -> str:
    """Return the old parent of gone folders that are below the user's folder now; '' for none.

    The home's own records are such a folder, so that a home without any project is recognised.
    """
    parent_counts = Counter(
        str(up)
        for folder in map(PurePath, _list_gone_folders(call))
        for up in folder.parents
        if len(up.parts) > 1 and (call.caller.user / folder.relative_to(up)).is_dir()
    )
    return next((name for name, _ in parent_counts.most_common(1)), "")


def _list_gone_folders(call: Call) -> list[str]:
    """Return the projects' and the indexed folders that aren't on this machine."""
    store = call.home.store
    indexed = {
        str(root.path) for scope in store.scopes() for root in roots.load_roots(store, scope)
    }
    folders = sorted({*_list_known_folders(call), *indexed})
    return [folder for folder in folders if not Path(folder).exists()]


def _user_of(path: str) -> str:
    """Return the user's folder, from the path of an agent's transcript; '' where nothing tells."""
    parts = PurePath(path).parts
    at = next((n for n, part in enumerate(parts) if part in _BELOW_USER), 0)
    return str(PurePath(*parts[:at])) if at > 1 else ""


def _list_known_folders(call: Call) -> list[str]:
    """Return the folders of known projects."""
    journal = call.home.journal
    folders = {
        *journal.kept(SESSION_FOLDERS),
        *(grant.project for grant in grants.list_grants(call.home.folder)),
    }
    return sorted(folders | {realm.removeprefix(_CODE) for realm in journal.realms(_CODE)})


def _iter_moved_scopes(call: Call, where: Repointing) -> Iterator[MovedScope]:
    """Yield the memory of each project at or below the old folder.

    A scope's name contains the checksum of its folder's path, so that a move changes the name.
    """
    journal = call.home.journal
    there = {*journal.scopes(), *journal.made_scopes(), *call.home.store.scopes()}
    folders = {folder for folder in _list_known_folders(call) if where.path(folder) != folder} | {
        where.old
    }
    candidates = {
        str(up) for folder in folders for up in (PurePath(folder), *PurePath(folder).parents)
    }
    for folder in sorted(
        candidate for candidate in candidates if where.path(candidate) != candidate
    ):
        now = where.path(folder)
        old, new = project_scope(folder), project_scope(now)
        for scope in sorted(there):
            if scope.path == old or scope.path.startswith(f"{old}/"):
                to = Scope(new + scope.path[len(old) :])
                if scope != to:
                    yield MovedScope(
                        folder=folder,
                        now=now,
                        scope=scope,
                        scope_now=to,
                        is_here=Path(now).is_dir(),
                    )


def _count_indexed_folders(call: Call, where: Repointing) -> dict[Scope, int]:
    """Return the number of indexed folders below the old folder, of each scope that has some."""
    store = call.home.store
    counts = {
        scope: sum(
            _has_moved_path(where, str(root.path)) for root in roots.load_roots(store, scope)
        )
        for scope in store.scopes()
    }
    return {scope: count for scope, count in counts.items() if count}


def _has_moved_path(where: Repointing, text: str) -> bool:
    return any(where.path(part.strip()) != part.strip() for part in text.split(","))


def _move_roots(call: Call, where: Repointing, scope: Scope, raw: str) -> None:
    """Add to a scope's indexed folders the new places of the moved folders."""
    # Records that were kept before the move are below the new folder already: one row a path.
    moved = list({row["path"]: row for row in where.value(json.loads(raw or "[]"))}.values())

    def joined(held: str) -> str:
        rows = [row for row in where.value(json.loads(held or "[]")) if row not in moved]
        paths = {row["path"] for row in rows}
        return json.dumps([*rows, *(row for row in moved if row["path"] not in paths)])

    call.home.notes.update_note(scope, roots.NOTE, joined)


def _confirm_move(call: Call, where: Repointing, scopes: tuple[MovedScope, ...]) -> bool:
    lines = [
        f"{where.old} → {where.new}",
        *(f"  {printable(moved.folder)} → {printable(moved.now)}" for moved in scopes),
    ]
    question = call.words("move what is remembered of these? (y/N) ")
    return call.agrees(lines, question, "give --yes, or --dry-run to look")


def _move_rest(call: Call, where: Repointing, scopes: tuple[MovedScope, ...]) -> None:
    """Move what is kept by folder: session folders, models' summaries of code, trust."""
    journal = call.home.journal
    folders = [folder for folder in journal.kept(SESSION_FOLDERS) if where.path(folder) != folder]
    journal.keep(SESSION_FOLDERS, {where.path(folder): "" for folder in folders}, folders)
    for realm in journal.realms(_CODE):
        now = _CODE + where.path(realm.removeprefix(_CODE))
        if now != realm:
            values = journal.kept(realm)
            journal.keep(now, {**values, **journal.kept(now)})
            journal.keep(realm, {}, list(values))
    for grant in grants.list_grants(call.home.folder):
        now = where.path(grant.project)
        if now != grant.project and Path(now).is_dir():
            grants.move_grant(call.home.folder, grant.project, now)
    for moved in scopes:
        call.home.sidecar.write_active_memory(moved.scope_now)
        home, old = str(call.home.folder), moved.scope.path
        for file in (
            build_active_memory_path(home, old),
            lasting_file(home, old),
            build_readings_file(home, old),
            replaced_file(home, old),
            later_file(home, old),
            *list_action_files(home, old),
        ):
            Path(file).unlink(missing_ok=True)
    sync.sweep_cold_tier(call.home.tiers)
