"""Difference in the graph after files were read again.

The difference consists of symbols, moved lines, and the languages whose files are to be linked.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gieok.code.index import graph
from gieok.code.index.file_moves import map_moved_lines
from gieok.code.index.local_links import MOST_FILES
from gieok.code.index.read import CodeSource
from gieok.code.languages.table import LANGUAGES
from gieok.code.model.facts import parse_facts
from gieok.model.code import KEEPS_NOTHING, GraphChange, Keeping, SourceFile

if TYPE_CHECKING:
    from gieok.storage.index.sqlite.graph import ProjectStore


class Read(NamedTuple):
    """A file that was examined, with its facts as they are stored.

    `source` is None where the file's content is unchanged.
    """

    source: CodeSource | None
    file: SourceFile
    facts: str = ""


class Update(NamedTuple):
    """Files with their facts, the immediate changes to the graph, and the families to link.

    The families are families of languages.
    """

    rows: list[tuple[SourceFile, str]]
    graph: GraphChange | None
    families: set[str]
    keeping: Keeping = KEEPS_NOTHING


def compare_with_stored(
    store: "ProjectStore",
    known: Mapping[str, SourceFile],
    fresh: Mapping[str, Read],
    gone: Sequence[str],
    strange: Collection[str],
    due: Collection[str],
    *,
    full: bool,
) -> Update:
    """Compare the files that were read with the stored ones.

    `strange` files were left out of linking, and the families that are `due` wait for it: their
    edges are never just moved.
    """
    dumped = {path: read.facts for path, read in fresh.items() if read.source is not None}
    old = dict(store.facts([*fresh])) if known else {}
    rows = [
        (read.file, dumped.get(path, old.get(path, ""))) for path, read in sorted(fresh.items())
    ]
    if not dumped and not gone:
        return Update(rows, None, set())
    families = {_find_language_family(known[path].language) for path in gone}
    changed = {path: fresh[path].file.language for path in dumped if dumped[path] != old.get(path)}
    # where an earlier sync was stopped, edges into symbols that went and came back are lost
    outdated = {*families, *due}
    outdated |= {_find_language_family(changed[path]) for path in changed.keys() - old}
    keeping = _choose_what_to_keep(store, changed, None if full else outdated)
    moved: dict[str, dict[int, int]] = {}
    for path in sorted(dumped):
        family = _find_language_family(fresh[path].file.language)
        if not family or family in families:
            continue
        lines = None
        if path in old and path not in strange and family not in due and not full:
            lines = map_moved_lines(parse_facts(old[path]), parse_facts(dumped[path]))
        if lines is None:
            families.add(family)
        else:
            moved[path] = lines
    moved = {
        path: lines
        for path, lines in moved.items()
        if _find_language_family(fresh[path].file.language) not in families
    }
    symbols = {
        path: graph.select_graph_symbols(read.source.symbols)
        for path, read in fresh.items()
        if read.source is not None
    }
    return Update(
        rows,
        GraphChange({**{path: [] for path in gone}, **symbols}, moved, None),
        families - {""},
        keeping,
    )


def _choose_what_to_keep(
    store: "ProjectStore", changed: Mapping[str, str], outdated: Collection[str] | None
) -> Keeping:
    """Choose what to keep of the last link of all files, of those that change now.

    `changed` are files and their languages. Of the `outdated` families, None for all, all files
    are linked again, and nothing is kept. The same holds where too many files have changed since
    the last link of all.
    """
    solved = store.solved_families()
    dropped = solved if outdated is None else solved.intersection(outdated)
    by_family: dict[str, set[str]] = defaultdict(set)
    for path, language in {**store.linked_paths(), **changed}.items():
        by_family[_find_language_family(language)].add(path)
    dropped |= {family for family in solved if len(by_family[family]) > MOST_FILES}
    kept = [path for family in solved - dropped for path in by_family[family]]
    return Keeping(sorted(kept), sorted(dropped))


def _find_language_family(language: str) -> str:
    """Return the name of a language's family; '' where the language has no calls."""
    family = LANGUAGES[language].family
    return family.name if family else ""
