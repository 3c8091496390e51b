"""What memory says before an edit: lines that name the file, or a symbol in it.

Imported by the hook: see the package. Most edits have nothing said about them: those cost a look
at small files, and only an edit of what memory names is read closely.
"""

import os
import re

from gieok.flow.action_notes import NamedLines
from gieok.text.said_names import fold_stem, names_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from gieok.hook.inject import InjectedMemory
    from gieok.hook.validity import Standing

    class DocumentLines(Protocol):
        """A read-only view of a store; `IndexReader` documents the method."""

        def lines(self, scope: str, key: str) -> list[str]:
            """Return the lines of a document."""


class FoundLines:
    """Lines that name what an edit is about, and the names, as they were written there."""

    __slots__ = ("lines", "names", "scope")

    def __init__(self, scope: str, lines: NamedLines, names: "Sequence[str]") -> None:
        self.scope, self.lines, self.names = scope, lines, list(names)


def find_edit_lines(
    scope: str, known: "Iterable[NamedLines]", paths: "Sequence[str]", edited: str
) -> "list[FoundLines]":
    """Return the lines that name a file that is edited, a folder above it, or a symbol in it.

    `paths` are relative to the project, `edited` is the text that is replaced. A symbol may also be
    the file's name: `ChatRoom`, `chat_room.dart`. Where a line names files, its symbols are theirs.
    """
    stems = set(map(fold_stem, _iter_stems(paths)))
    words = set(re.findall(r"[\w-]+|\w+", edited)) | set(re.findall(r"\w+", edited))
    found = []
    for lines in known:
        names = [named for named in lines.paths if any(names_path(named, path) for path in paths)]
        names += [symbol for symbol, stem in lines.symbols.items() if stem in stems]
        if not names and not lines.paths:
            names = [symbol for symbol in lines.symbols if symbol in words]
        if names:
            found.append(FoundLines(scope, lines, names))
    return found


def _iter_stems(paths: "Iterable[str]") -> "Iterable[str]":
    """Yield the names of files without ending, alone and behind their folders' names."""
    for path in paths:
        folder, _, name = path.rpartition("/")
        stem = name.partition(".")[0]
        yield stem
        yield folder.rpartition("/")[2] + stem


def may_name_path(known: "Iterable[NamedLines]", given: str) -> bool:
    """Return whether a text that a tool is given may name what lines name; cheap."""
    folded = re.sub(r"[^a-z0-9]", "", given.lower())
    return any(
        any(path.rstrip("/").rpartition("/")[2] in given for path in lines.paths)
        or any(stem in folded for stem in lines.symbols.values())
        for lines in known
    )


def read_named_memory(
    index: "DocumentLines", found: FoundLines, standing: "Standing", cwd: str
) -> "InjectedMemory | None":
    """Return the memory that stands in lines; None where they changed, or hold no more."""
    from gieok.hook import choice
    from gieok.hook.inject import InjectedMemory
    from gieok.hook.matches import shown_path
    from gieok.text.handles import build_handle, line_check
    from gieok.text.turns import is_users

    scope, line = found.scope, found.lines
    text = "\n".join(index.lines(scope, line.key)[line.first - 1 : line.last])
    if line_check(text) != line.check or standing.ended(scope, line.key, line.first, text):
        return None
    if line.source and os.path.isabs(line.source) and not os.path.exists(line.source):
        return None
    is_said = is_users(text)
    lines = f"#L{line.first}" + (f"-L{line.last}" if line.last != line.first else "")
    return InjectedMemory(
        title="",
        citation=f"{shown_path(line.source, cwd)}{lines}" if line.source else "",
        text=text.partition(": ")[2] if is_said else text,
        category=line.category,
        day=choice.day(line.at),
        scope=scope,
        handle=build_handle(scope, line.key, line.first if is_said else 0),
        who="user" if is_said else "",
        score=1.0,
    )
