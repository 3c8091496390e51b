"""Daemon part that keeps the code of handed-over projects in sync, each in its own thread.

A project that changes constantly or cannot be synced does not disturb the others.
"""

import threading
import time
from functools import partial
from pathlib import Path

from gieok.code.index import watch_list
from gieok.code.model import layout
from gieok.commands.code.watch import select_indexable_paths
from gieok.daemon import child
from gieok.daemon.board import Board
from gieok.errors import GieokError
from gieok.home import code_settings
from gieok.home.call import Call
from gieok.home.code import ignored_in
from gieok.processes.child import ask_child

_TICK_S = 1


class Projects:
    """Watched projects.

    `gieok code watch --daemon` hands a project over; `--stop` takes it back.
    """

    def __init__(self, call: Call, board: Board) -> None:
        self._call = call
        self._board = board
        self._roots: list[Path] = []
        #: Projects are synced one at a time: linking takes a processor and memory.
        self._syncing = threading.Lock()

    def keep(self) -> None:
        """Follow every handed-over project."""
        running: dict[Path, threading.Thread] = {}
        while not self._board.stop.is_set():
            self._roots = self._handed_over()
            for root in self._roots:
                if root not in running or not running[root].is_alive():
                    running[root] = self._board.start(
                        watch_list.name_watched_part(root), partial(self._follow, root)
                    )
            self._board.note("code", f"watching {len(self._roots)} projects")
            self._board.stop.wait(_TICK_S)
        for thread in running.values():
            thread.join()

    def _handed_over(self) -> list[Path]:
        """Return the projects to watch; a project whose folder is gone is dropped."""
        home = self._call.home.folder
        roots = watch_list.list_watched_roots(home)
        for root in filter(_is_index_gone, list(roots)):
            watch_list.unwatch_project(home, root)
            roots.remove(root)
            self._board.say(
                f"{root} is not watched any more: it has no index, `gieok code init` makes one"
            )
        return roots

    def _follow(self, root: Path) -> None:
        def is_stopped() -> bool:
            return self._board.stop.is_set() or root not in self._roots

        self._call.home.watching.follow(
            lambda: [root], partial(self._read, root), is_stopped=is_stopped
        )
        self._board.note(watch_list.name_watched_part(root), "")

    def _read(self, root: Path, changed: set[Path]) -> bool:
        is_behind = not changed or _may_concern_project(self._call.home.folder, root, changed)
        while is_behind:  # what changes while vectors are made is read before more of them are
            with self._syncing:
                is_behind = self._sync(root)
        return True

    def _sync(self, root: Path) -> bool:
        """Sync a project once; return whether vectors are still missing."""
        if self._board.stop.is_set():
            return False
        self._board.note(watch_list.name_watched_part(root), "syncing")
        answer = ask_child(
            self._call.home.folder,
            self._board.stop.is_set,
            child.sync_child_project,
            str(root),
        )
        if answer is None:
            return False
        if not answer:
            answer = {"error": "the sync ended without an answer"}
        if error := answer.get("error"):
            self._board.say(f"{root}: {error}")
            self._board.note(watch_list.name_watched_part(root), f"failed: {error}")
            return False
        note = f"; {answer['note']}" if answer["note"] else ""
        if count := answer["added"] + answer["changed"] + answer["removed"]:
            self._board.say(f"{root}: {count} files synced in {answer['ms']} ms{note}")
        self._board.note(
            watch_list.name_watched_part(root),
            f"up to date {time.strftime('%Y-%m-%d %H:%M:%S')}{note}",
        )
        return bool(answer["embedded"] and answer["waiting"])


def _is_index_gone(root: Path) -> bool:
    try:
        layout.index_file(root).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    # the file cannot be examined, and may exist (from Python 3.14 on, `is_file` returns False for
    # all such errors)
    except OSError:
        return False
    return False


def _may_concern_project(home: Path, root: Path, changed: set[Path]) -> bool:
    """Return whether a change may be a change of a project's code, or of its settings.

    The index is not opened to find out: a connection that outlives its database file would remove
    the write-ahead log of the next file.
    """
    if code_settings.locate_code_config(root) in changed:
        return True
    try:
        return bool(select_indexable_paths(root, changed, ignored_in(home, root)))
    except GieokError:  # the sync says why
        return True
