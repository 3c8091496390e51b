"""Changes of records that a store on a server does not know yet.

Such a store may go away, or this process be killed, between a change of a record's file and the
index that follows. A local store compares the files at the next command; for one on a server that
is too slow, so each change leaves a mark: a file in the home that its process holds the lock of
until the index has followed. A mark that nobody holds is of a change that the index does not know.
"""

import os
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Self

from gieok import fs
from gieok.commands.memory.records import RecordShelf, follow_shelf, follow_soon, shelf_at
from gieok.flow import distil
from gieok.home.call import Call
from gieok.places.home import build_unfollowed_path

_ENDING = ".mark"


class ShelfChange:
    """Context manager around a change of a shelf's records, and the index that follows it."""

    def __init__(self, call: Call, shelf: RecordShelf) -> None:
        self._call, self._shelf = call, shelf
        self._held = ExitStack()
        self._mark: Path | None = None

    def __enter__(self) -> Self:
        """Leave the mark where one is needed; a home that cannot be written to gets none."""
        if self._call.home.stores.is_remote:
            with suppress(OSError):
                self._leave_mark()
        return self

    def _leave_mark(self) -> None:
        folder = fs.make_private(Path(build_unfollowed_path(str(self._call.home.folder))))
        descriptor, name = mkstemp(dir=folder)
        with os.fdopen(descriptor, "w", encoding="utf-8") as fresh:
            fresh.write(str(self._shelf.base))
        self._held.enter_context(fs.exclusive(name))
        # It gets the ending of a mark when it is held, so that nobody takes it for a left one.
        self._mark = Path(name).rename(f"{name}{_ENDING}")

    def follow(self) -> bool:
        """Bring the index in line; return False, and tell a person, if the store does not answer
        now. Raises StoreError for a store that is broken.
        """
        is_followed = follow_soon(self._call, self._shelf)
        if is_followed and self._mark is not None:
            self._mark.unlink(missing_ok=True)
        return is_followed

    def __exit__(self, *_: object) -> None:
        """Let go of the mark; it stays where the index has not followed."""
        self._held.close()


def follow_left_changes(call: Call) -> int:
    """Bring the index in line with changes whose process could not; return how many shelves
    changed. Raises StoreError, OSError.
    """
    if not call.home.stores.is_remote:
        return 0
    followed = 0
    for mark in Path(build_unfollowed_path(str(call.home.folder))).glob(f"*{_ENDING}"):
        with fs.exclusive(mark, wait=False) as is_left:
            if not is_left:
                continue
            base = mark.read_text(encoding="utf-8")
            if base and Path(base).is_dir():
                shelf = shelf_at(call, Path(base))
                # An edit that was undone may wait there, which takes the record out of the index.
                distil.deliver_scope(call.home.journal, call.home.store, shelf.scope)
                follow_shelf(call, shelf, embed=False)
                followed += 1
            mark.unlink(missing_ok=True)
    return followed
