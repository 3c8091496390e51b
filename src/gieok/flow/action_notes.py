"""Where memories stand that name a file or a symbol, as small files of the home.

The files are derived from the store: they hold the names and the lines where they stand, and no
sentence. The hook reads them before edits, so the module imports little. Where `hook.action` is
off there are none.
"""

import json
import os
import re

from gieok.places.home import action_file, action_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

#: To be raised whenever the rows of the file change: an older file is no file.
VERSION = 2
#: What reading a damaged file raises.
DAMAGED = (ValueError, KeyError, TypeError, AttributeError)
_OWN_FILE = r"[0-9a-f]+\.(?:json|named)"


class NamedLines:
    """Lines of a document that state something and name files or symbols.

    `first` and `last` are line numbers from 1; `check` is the checksum of the lines, by which they
    are known to be the ones that were read. `at` is in Unix seconds; `is_rule`: a user's rule.
    `source` is the file of a note, '' for a turn, and `category` the kind of a record. `symbols`
    maps each symbol to the letters by which a file may be named like it.
    """

    __slots__ = (
        "at",
        "category",
        "check",
        "first",
        "is_rule",
        "key",
        "last",
        "paths",
        "source",
        "symbols",
    )

    def __init__(
        self,
        *,
        key: str,
        first: int,
        last: int,
        check: int,
        at: float,
        paths: "Sequence[str]",
        symbols: "Mapping[str, str]",
        is_rule: bool = False,
        source: str = "",
        category: str = "",
    ) -> None:
        self.key, self.first, self.last, self.check, self.at = key, first, last, check, at
        self.paths, self.symbols = list(paths), dict(symbols)
        self.is_rule, self.source, self.category = is_rule, source, category

    def build_row(self) -> "dict[str, Any]":
        """Return the lines as JSON."""
        return {name: getattr(self, name) for name in NamedLines.__slots__}


def load_named_lines(home: str, scope: str) -> "list[NamedLines]":
    """Return the lines of a scope, newest first; none where no file can be read."""
    try:
        with open(action_file(home, scope), encoding="utf-8") as opened:
            version, rows = json.load(opened)
        return [NamedLines(**row) for row in rows] if version == VERSION else []
    except (OSError, *DAMAGED):
        return []


def write_action_file(file: str, row: "Sequence[object]") -> None:
    """Write a file in one step that survives a kill; a lone surrogate is kept as it is."""
    from gieok import fs  # the hook only reads

    fs.make_private(os.path.dirname(file))
    fs.replace_private(file, json.dumps(row))


def drop_action_files(home: str, kept: "Collection[str]" = ()) -> None:
    """Remove the files of all scopes but those kept: one may be gone, or have another name.

    What else lies in the folder stays. Raises OSError.
    """
    folder = action_folder(home)
    if not os.path.isdir(folder):
        return
    from gieok import fs

    stems = {action_file(home, scope).removesuffix(".json") for scope in kept}
    for name in os.listdir(folder):
        file = os.path.join(folder, name)
        stem = os.path.splitext(file)[0]
        if stem in stems or not re.fullmatch(_OWN_FILE, name) or os.path.isdir(file):
            continue
        # Who writes the files of a scope at the moment writes all of them, or none.
        with fs.lock_resource(home, f"{stem}.json"):
            if os.path.lexists(file):
                os.unlink(file)
