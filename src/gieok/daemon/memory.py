"""Daemon part that keeps memory files indexed: the roots of every scope that has roots."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from gieok import fs, paths
from gieok.commands.scope_names import name_scope
from gieok.daemon.board import Board
from gieok.errors import StoreError
from gieok.home.call import Call
from gieok.memory.files import roots, sync
from gieok.memory.files.roots import Root
from gieok.model.memory import Scope

_PART = "memory"


class MemoryFiles:
    """Watcher of memory files.

    Words are searchable as soon as a file is quiet; `embed` then makes the vectors.
    """

    def __init__(self, call: Call, board: Board, embed: Callable[[], None]) -> None:
        self._call = call
        self._board = board
        self._embed = embed

    def follow(self) -> None:
        """Index changed files until the process is to stop."""
        self._call.home.watching.follow(
            self._folders, self._read, is_stopped=self._board.stop.is_set
        )

    def _roots(self) -> Mapping[Scope, Sequence[Root]]:
        """Return the existing roots; the files of a root that is missing for now stay in the
        index.
        """
        store = self._call.home.store
        known = {
            scope: [root for root in roots.load_roots(store, scope) if root.path.exists()]
            for scope in store.scopes()
        }
        return {scope: scope_roots for scope, scope_roots in known.items() if scope_roots}

    def _folders(self) -> list[Path]:
        folders = {root.watched for known in self._roots().values() for root in known}
        self._board.note(_PART, f"watching {len(folders)} folders")
        # Where there is no root yet, the spool is watched all the same, so that a root that is
        # added later is found.
        return sorted(folders) or [fs.make_private(paths.locate_spool(self._call.home.folder))]

    def _read(self, changed: set[Path]) -> bool:
        if self._call.privacy.pause(self._call.clock.now().timestamp()):
            self._board.note(_PART, "paused")
            return False  # what changed meanwhile is compared once it goes on
        try:
            reports = list(self._synced(changed))
        except StoreError as error:  # a busy store, a full disk
            self._board.note(_PART, f"failed: {error}")
            return False
        if any(reports):
            self._embed()
        return True

    def _synced(self, changed: set[Path]) -> Iterator[bool]:
        """Sync each scope, and yield whether anything changed in it."""
        store, cut = self._call.home.store, self._call.home.cut
        for scope, known in self._roots().items():
            report = sync.sync_changed(store, scope, known, cut, changed)
            for failed in report.failed:
                self._board.note(failed.key, failed.reason)
            count = len(report.added) + len(report.changed) + len(report.removed)
            if count:
                self._board.say(f"{name_scope(scope)}: {count} memory files indexed")
            yield bool(count)
