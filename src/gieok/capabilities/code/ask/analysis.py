"""Impact of symbols, files and diffs over the stored graph; deleted symbols are looked up in the graph of the old version."""

from collections.abc import Sequence
from typing import NamedTuple

from gieok.capabilities.code.ask import changes, executed, impact
from gieok.capabilities.code.ask.impact import Impact, Reached
from gieok.capabilities.code.index import graph
from gieok.capabilities.code.index.project import Freshness, Project, freshness
from gieok.capabilities.code.index.read import CodeSource, read
from gieok.capabilities.code.languages.table import language_of
from gieok.capabilities.code.model import facts as fact_file
from gieok.capabilities.code.model.facts import Kind
from gieok.model.code import Symbol


class Analysis(NamedTuple):
    """The changed symbols, what depends on them, and the freshness of the index."""

    impact: Impact
    symbols: dict[str, Symbol]
    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    freshness: Freshness


def of_symbols(project: Project, symbols: Sequence[Symbol]) -> Analysis:
    """Return what depends on these symbols; a file stands for all that is in it, a class for its methods."""
    seeds = _with_members(project, symbols)
    return _analyse(project, seeds, (), {}, [s.key for s in symbols])


def of_diff(project: Project, revision: str) -> Analysis:
    """Return what depends on the differences to a revision. Raises BadRequest."""
    files = changes.parse(project.versions.diff(revision))
    changed: dict[str, Symbol] = {}
    old: dict[str, CodeSource] = {}
    for file in files:
        current = project.store.symbols(paths=[file.new_path]) if file.new_path else []
        for symbol in changes.symbols_at(current, file.new_lines):
            changed[symbol.key] = symbol
        language = language_of(file.old_path) if file.old_path else None
        text = project.versions.old_text(revision, file.old_path) if language else None
        if text is not None and language is not None:
            old[file.old_path] = read(file.old_path, language, text, project.parser)
            for symbol in changes.symbols_at(old[file.old_path].symbols, file.old_lines):
                changed.setdefault(symbol.key, symbol)
    present = {s.key for s in project.store.symbols(keys=sorted(changed))}
    gone = [key for key in sorted(changed) if key not in present]
    seeds = _with_members(project, [changed[key] for key in sorted(changed) if key in present])
    found = _reached_before(project, old, gone) if gone else {}
    return _analyse(project, seeds, gone, found, sorted(changed))


def _with_members(project: Project, symbols: Sequence[Symbol]) -> list[str]:
    keys = {s.key for s in symbols}
    for path in sorted({s.path for s in symbols if s.kind in (Kind.MODULE, Kind.CLASS)}):
        for member in project.store.symbols(paths=[path]):
            whole = f"{path}::<module>" in keys
            inside = any(member.key.startswith(f"{s.key}.") for s in symbols if s.kind == Kind.CLASS)
            if (whole or inside) and member.kind != Kind.MARKER:
                keys.add(member.key)
    return sorted(keys)


def _reached_before(project: Project, old: dict[str, CodeSource], gone: Sequence[str]) -> dict[str, Reached]:
    """Link the project with the old version of the changed files, and follow the edges into deleted symbols."""
    files = {path: fact_file.load(text) for path, text in project.store.facts() if path not in old}
    files |= {path: source.facts for path, source in old.items()}
    built = graph.build(list(files.items()))
    return impact.reach(impact.Network([*built.edges, *executed.edges_into(project.store, gone)]), gone)


def _analyse(
    project: Project, seeds: Sequence[str], gone: Sequence[str], before: dict[str, Reached], changed: Sequence[str]
) -> Analysis:
    store = project.store
    found = {**before, **impact.reach(executed.ObservedTests(store), seeds)}
    for key in seeds:
        found.pop(key, None)
    paths = sorted({key.partition("::")[0] for key in (*seeds, *gone)})
    imported = impact.importers(store, paths, store.files())
    beside = impact.beside(paths, imported)
    symbols = {s.key: s for s in store.symbols(keys=[*found, *seeds], paths=beside)}
    found = {key: one for key, one in found.items() if key in symbols}
    found |= executed.doubted(store, seeds, found, symbols) if not gone else {}
    names = sorted({_name(key) for key in (*seeds, *gone)} - {"<module>"})
    unresolved_calls = store.unresolved_calls(names)
    return Analysis(
        impact.summarise([*seeds, *gone], found, imported, symbols, unresolved_calls),
        symbols, tuple(changed), tuple(gone), freshness(project),
    )  # fmt: skip


def _name(key: str) -> str:
    return key.partition("::")[2].rpartition(".")[2]
