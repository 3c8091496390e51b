"""Order in which passages are embedded: the likeliest search results first."""

from gieok.code.index.chunks import symbol_key
from gieok.code.index.project import Project
from gieok.code.languages import places
from gieok.model.code import key_name
from gieok.model.memory import PassageId


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
