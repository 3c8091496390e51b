"""Impact of symbols, files and diffs over the stored graph.

Deleted symbols are looked up in the graph of the old version.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gieok.code.ask import changes, coverage_runs, impact, outside, routes
from gieok.code.ask.evidence import ChangeEvidence, Tests
from gieok.code.ask.impact import Impact
from gieok.code.ask.likelihood import Sources, Way
from gieok.code.ask.mentions import Mentions, find_mentions
from gieok.code.ask.outside import BoundNames
from gieok.code.index import graph
from gieok.code.index.project import Freshness, Project, freshness, without_collecting
from gieok.code.index.read import CodeSource, read_source_file
from gieok.code.languages import places
from gieok.code.languages.table import find_source_language
from gieok.code.model import facts as fact_file
from gieok.code.model.facts import FUNCTIONS, SymbolKind
from gieok.model.code import Edge, Symbol, key_name, key_path, module_key


class Analysis(NamedTuple):
    """The changed symbols, the code that depends on them, and the freshness of the index."""

    impact: Impact
    symbols: dict[str, Symbol]
    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    freshness: Freshness
    #: What may use the changed symbols besides; looked for only where no test or no code is known
    #: to reach them.
    mentions: Mentions = Mentions()


def of_symbols(project: Project, symbols: Sequence[Symbol]) -> Analysis:
    """Return the code that depends on these symbols.

    A file stands for all symbols in it, a class for its methods.
    """
    changed = [s.key for s in symbols]
    return _build_analysis(project, impact_of(project, symbols), changed, ())


def impact_of(project: Project, symbols: Sequence[Symbol]) -> tuple[Impact, dict[str, Symbol]]:
    """Return the impact of these symbols by the index as it is, and its symbols by key."""
    return _analyse_impact(project, _Asked(_with_members(project, symbols), (), {}, ()))


def of_diff(project: Project, revision: str) -> Analysis:
    """Return the code that depends on the differences from a revision. Raises BadRequest."""
    diff = _Diff({}, {}, {})
    sources = Sources(project.root)
    for file in changes.parse_unified_diff(project.versions.diff(revision)):
        if file.new_path:
            diff.take(
                project.store.symbols(paths=[file.new_path]),
                sources.lines(file.new_path),
                file.new_lines,
            )
        language = find_source_language(file.old_path) if file.old_path else None
        text = project.versions.old_text(revision, file.old_path) if language else None
        if text is not None and language is not None:
            diff.old[file.old_path] = read_source_file(
                file.old_path, language, text, project.parser
            )
            diff.take(diff.old[file.old_path].symbols, text.split("\n"), file.old_lines)
    changed = diff.changed
    present = {s.key for s in project.store.symbols(keys=sorted(changed))}
    gone = [key for key in sorted(changed) if key not in present]
    outer = {
        path: what for path, what in sorted(diff.outside.items()) if module_key(path) in present
    }
    parts = {path for path, what in outer.items() if not what.is_whole}
    whole = [
        s
        for s in changed.values()
        if s.key in present and not (s.kind == SymbolKind.MODULE and s.path in parts)
    ]
    seeds = sorted({*_with_members(project, whole), *(module_key(path) for path in parts)})
    reading = [
        edge
        for path, what in outer.items()
        for edge in outside.readers(project.store, sources, path, what)
    ]
    before = _ways_before(project, diff.old, gone) if gone else {}
    request = _Asked(
        seeds=seeds, gone=gone, before=before, was=[changed[key] for key in gone], reading=reading
    )
    return _build_analysis(project, _analyse_impact(project, request), sorted(changed), gone)


def _build_analysis(
    project: Project,
    analysed: tuple[Impact, dict[str, Symbol]],
    changed: Sequence[str],
    deleted: Sequence[str],
) -> Analysis:
    summary, known = analysed
    return Analysis(
        impact=summary,
        symbols=known,
        changed=tuple(changed),
        deleted=tuple(deleted),
        freshness=freshness(project),
        mentions=Mentions()
        if summary.tests and summary.symbols
        else find_mentions(project, Sources(project.root), changed),
    )


class _Diff(NamedTuple):
    """Differences from a revision.

    The fields are the changed symbols by key, the names that changed lines outside of functions
    bind, by path, and the old versions of the files.
    """

    changed: dict[str, Symbol]
    outside: dict[str, BoundNames]
    old: dict[str, CodeSource]

    def take(self, symbols: Sequence[Symbol], lines: Sequence[str], numbers: Iterable[int]) -> None:
        """Add the changed lines of a file in one of its versions.

        Symbols that are already in the diff come from the newer version, and stay.
        """
        if not symbols:
            return
        path = symbols[0].path
        language = find_source_language(path)
        for symbol, at in changes.find_innermost_symbols(
            symbols, outside.telling(lines, numbers, language)
        ):
            self.changed.setdefault(symbol.key, symbol)
            if symbol.kind == SymbolKind.MODULE:
                known = self.outside.get(path, BoundNames())
                self.outside[path] = known | outside.find_bound_names(lines, at, language)


def _with_members(project: Project, symbols: Sequence[Symbol]) -> list[str]:
    keys = {s.key for s in symbols}
    for path in sorted(
        {s.path for s in symbols if s.kind in (SymbolKind.MODULE, SymbolKind.CLASS)}
    ):
        for member in project.store.symbols(paths=[path]):
            whole = module_key(path) in keys
            inside = any(
                member.key.startswith(f"{s.key}.") for s in symbols if s.kind == SymbolKind.CLASS
            )
            if (whole or inside) and member.kind != SymbolKind.MARKER:
                keys.add(member.key)
    return sorted(keys)


def _ways_before(
    project: Project, old: dict[str, CodeSource], gone: Sequence[str]
) -> dict[str, Way]:
    """Link the project with the old version of the changed files.

    Return the ways along the edges into deleted symbols.
    """
    files = {
        path: fact_file.parse_facts(text) for path, text in project.store.facts() if path not in old
    }
    files |= {path: source.facts for path, source in old.items()}
    built = graph.build(list(files.items()))
    network = impact.Network([*built.edges, *coverage_runs.edges_into(project.store, gone)])
    symbols = {s.key: s for s in project.store.all_symbols() if s.path not in old}
    symbols |= {s.key: s for source in old.values() for s in source.symbols}
    return impact.net_of(network, impact.around(network, gone), symbols, Sources(None)).spread(gone)


class _Asked(NamedTuple):
    """Change in terms of the index.

    The fields are the keys of existing symbols, the deleted symbols with the ways to them, and the
    edges from readers of changed names.
    """

    seeds: Sequence[str]
    gone: Sequence[str]
    before: Mapping[str, Way]
    was: Sequence[Symbol]
    reading: Sequence[Edge] = ()


@without_collecting()
def _analyse_impact(project: Project, asked: _Asked) -> tuple[Impact, dict[str, Symbol]]:
    store, seeds, gone = project.store, asked.seeds, asked.gone
    edges, sources = coverage_runs.ObservedTests(store, asked.reading), Sources(project.root)
    own = store.symbols(keys=seeds)
    methods = impact.methods_alone([*own, *asked.was])
    classes = impact.family(store, methods, lambda keys: {s.key for s in store.symbols(keys=keys)})
    paths = sorted({key_path(key) for key in (*seeds, *gone)})
    imported = impact.importers(store, paths, store.files())
    tests_of = sorted(path for path in (*imported, *paths) if places.is_test_file(path))
    into = _find_edges_into(edges, [*seeds, *classes])
    if requesting := routes.find_request_edges(store, sources, seeds, into):
        edges = coverage_runs.ObservedTests(store, [*asked.reading, *requesting])
        into = _find_edges_into(edges, [*seeds, *classes])
    symbols = {
        s.key: s
        for s in store.symbols(
            keys=sorted({*seeds, *asked.before, *(e.source for e in into)}), paths=tests_of
        )
    }
    net = impact.net_of(edges, into, symbols, sources)
    ways = {**asked.before, **net.spread(seeds)}
    ways = {key: way for key, way in ways.items() if key in symbols or not way.distance}
    beside = (
        _find_sibling_ways(project, sources, edges, paths, symbols)
        if impact.is_orphan(ways, symbols)
        else None
    )
    change = ChangeEvidence(
        [*own, *asked.was], ways, net.spread(classes) if methods else None, beside
    )
    reached = {
        key: row
        for key, row in impact.rank_reached_symbols(ways).items()
        if key not in seeds and key not in gone
    }
    tests = [s for key, s in symbols.items() if impact.is_runnable_test(s) and key not in seeds]
    ran = [row.key for row in reached.values() if [e.kind for e in row.via] == [coverage_runs.RAN]]
    unlikely = (
        coverage_runs.not_run(store, seeds, [s.key for s in tests], symbols) if not gone else {}
    )
    ranked = impact.judge_tests(reached, Tests(tests, sources, imported), change, ran, unlikely)
    names = sorted({_split_bare_name(key) for key in (*seeds, *gone)} - {"<module>"})
    return impact.summarise_impact(
        [*seeds, *gone], reached, ranked, imported, store.unresolved_calls(names)
    ), symbols


def _find_edges_into(edges: coverage_runs.ObservedTests, seeds: Sequence[str]) -> list[Edge]:
    return impact.drop_other_bodies(edges, impact.around(edges, seeds), seeds)


def _find_sibling_ways(
    project: Project,
    sources: Sources,
    edges: coverage_runs.ObservedTests,
    paths: Sequence[str],
    symbols: dict[str, Symbol],
) -> dict[str, Way]:
    """Return the ways to other symbols in the changed files.

    The symbols on those ways are added to `symbols`.
    """
    others = [s.key for s in project.store.symbols(paths=paths) if s.kind in FUNCTIONS]
    into = impact.around(edges, others)
    symbols |= {s.key: s for s in project.store.symbols(keys=sorted({e.source for e in into}))}
    return impact.net_of(edges, into, symbols, sources).spread(others)


def _split_bare_name(key: str) -> str:
    return key_name(key).rpartition(".")[2]
