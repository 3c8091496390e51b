"""Isolate files that break a piece of work.

Such a file is found by halving, left out and reported; all other files are processed together.
"""

import gc
from collections.abc import Callable
from typing import TypeVar

from gieok.code.model.facts import Facts

Files = list[tuple[str, Facts]]
_Done = TypeVar("_Done")


def isolated(
    work: Callable[[Files], _Done], files: Files, again: Callable[[], Files]
) -> tuple[_Done, tuple[tuple[str, str], ...]]:
    """Return the result of `work`, and the files that had to be left out, each with the reason.

    `work` may take `files` apart; `again` gives the files once more. The same files give the same
    answer.
    """
    try:
        return work(files), ()
    except Exception:  # noqa: BLE001 - one strange file must not stop the others; it is named
        return _sift_strange_files(work, again())


def _sift_strange_files(
    work: Callable[[Files], _Done], files: Files
) -> tuple[_Done, tuple[tuple[str, str], ...]]:
    result = work([])
    sound: Files = []
    strange: list[tuple[str, str]] = []
    groups = [files]
    while groups:
        group = groups.pop()
        try:
            result = work([*sound, *group])
        except Exception as error:  # noqa: BLE001 - see above
            gc.collect()  # it is paused, and what was given up is as large as the whole
            half = len(group) // 2
            if half:
                groups += [group[half:], group[:half]]
            else:
                strange.append((group[0][0], f"{type(error).__name__}: {error}"))
        else:
            sound += group
    return result, tuple(strange)
