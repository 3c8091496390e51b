"""How passages are embedded: in which words, and the likeliest search results first."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gieok.code.index.chunks import symbol_key
from gieok.code.index.project import Project
from gieok.code.index.wording import describe_passage
from gieok.code.languages import places
from gieok.model.code import key_name
from gieok.model.memory import PassageId

if TYPE_CHECKING:
    from gieok.storage.index.sqlite.graph import ProjectStore


class PassageWording:
    """The words in which passages of a project are embedded."""

    def __init__(self, store: "ProjectStore") -> None:
        self._store = store

    def __call__(self, passages: Sequence[tuple[PassageId, str]]) -> list[str]:
        """Return the words of each; its text, where another process has replaced the passage."""
        known = {one.id: one for one in self._store.passages([number for number, _ in passages])}
        return [
            describe_passage(known[number].key, known[number].context, text)
            if number in known
            else text
            for number, text in passages
        ]


def order(project: Project) -> list[PassageId]:
    """Return the passages without a vector, in the order in which to embed them.

    Passages of public symbols with documentation come first, then the newest; those of tests last.
    """
    waiting = project.store.unembedded()
    documented = {s.key for s in project.store.all_symbols() if s.doc} if waiting else set()

    def rank(row: tuple[PassageId, str, str]) -> tuple[bool, bool, PassageId]:
        number, path, context = row
        key = symbol_key(path, context)
        return places.is_test_file(path), not (key in documented and _is_public(key)), -number

    return [row[0] for row in sorted(waiting, key=rank)]


def _is_public(key: str) -> bool:
    return not any(name.startswith("_") for name in key_name(key).split("."))
