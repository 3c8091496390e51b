"""Changes to a project's graph: only differences are written.

Each function runs inside the caller's transaction.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from gieok.model.code import GraphChange, Keeping, Links, Symbol
from gieok.storage.index.rows import batches, marks

_SYMBOL = ", ".join(Symbol._fields)
#: The columns of edges and of unresolved calls, those of the key first.
_EDGE_KEY = "source, target, kind, line"
_EDGE, _CALL = f"{_EDGE_KEY}, tier, reason", "name, source, line"


def change_graph(db: sqlite3.Connection, graph: GraphChange) -> None:
    """Change the graph; its files are already in their new state."""
    _write_symbols(db, graph.symbols)
    for path, lines in graph.moved.items():
        _move_symbol_lines(db, path, lines)
    if (links := graph.links) is None:
        return
    if links.paths is None:
        _write_links(db, links)
    else:
        _write_links_of_files(db, links, links.paths)


def keep_linked_files(db: sqlite3.Connection, keeping: Keeping) -> None:
    """Keep what files are before they change, and drop the solutions that are outdated."""
    db.executemany("DELETE FROM code_solutions WHERE family = ?", [(f,) for f in keeping.outdated])
    rows = [
        row
        for batch in batches([*keeping.paths])
        for row in db.execute(
            f"SELECT path, facts FROM code_files WHERE path IN ({marks(batch)}) "
            "AND path NOT IN (SELECT path FROM code_before)",
            batch,
        )
    ]
    if not rows:
        return
    # as no index leads to the unresolved calls of a file, those of all files are read once
    calls: dict[str, list[tuple[str, str, int]]] = {path: [] for path, _ in rows}
    for batch in batches([*calls]):
        for path, *call in db.execute(
            "SELECT s.path, s.key, o.name, o.line FROM code_open o JOIN code_symbols s "
            f"ON s.id = o.source WHERE s.path IN ({marks(batch)})",
            batch,
        ):
            calls[path].append((call[0], call[1], call[2]))
    for path, facts in rows:
        edges = db.execute(
            "SELECT s.key, t.key, e.kind, e.tier, e.reason, e.line FROM code_symbols s "
            "JOIN code_edges e ON e.source = s.id JOIN code_symbols t ON t.id = e.target "
            "WHERE s.path = ?",
            (path,),
        ).fetchall()
        db.execute(
            "INSERT INTO code_before (path, facts, edges, calls) VALUES (?, ?, ?, ?)",
            (path, facts, json.dumps(edges), json.dumps(calls[path])),
        )


def _write_symbols(db: sqlite3.Connection, files: Mapping[str, Sequence[Symbol]]) -> None:
    """Replace the symbols of files.

    A symbol that stays keeps its number; the edges of a symbol that is gone go too.
    """
    assignments = ", ".join(f"{name} = ?" for name in Symbol._fields[1:])
    gone: list[tuple[int]] = []
    for path, symbols in files.items():
        rows = db.execute(f"SELECT id, {_SYMBOL} FROM code_symbols WHERE path = ?", (path,))
        known = {row[1]: (row[0], Symbol(*row[1:])) for row in rows}
        fresh = {symbol.key: symbol for symbol in symbols}
        gone += [(number,) for key, (number, _) in known.items() if key not in fresh]
        db.executemany(
            f"INSERT INTO code_symbols ({_SYMBOL}) VALUES ({marks(Symbol._fields)})",
            [symbol for key, symbol in fresh.items() if key not in known],
        )
        changed = [
            symbol for key, symbol in fresh.items() if key in known and known[key][1] != symbol
        ]
        db.executemany(
            f"UPDATE code_symbols SET {assignments} WHERE key = ?",
            [(*s[1:], s.key) for s in changed],
        )
    db.executemany("DELETE FROM code_symbols WHERE id = ?", gone)
    db.executemany("DELETE FROM code_edges WHERE source = ?", gone)
    db.executemany("DELETE FROM code_edges WHERE target = ?", gone)
    numbers = {number for (number,) in gone}
    calls = db.execute("SELECT name, source, line FROM code_open").fetchall() if gone else ()
    db.executemany(
        "DELETE FROM code_open WHERE name = ? AND source = ? AND line = ?",
        [c for c in calls if c[1] in numbers],
    )


def _move_symbol_lines(db: sqlite3.Connection, path: str, lines: Mapping[int, int]) -> None:
    """Move the symbols and edges of a file to new lines; `lines` is old → new."""
    own = [
        row[0]
        for row in db.execute("SELECT id FROM code_symbols WHERE path = ? ORDER BY id", (path,))
    ]
    edges = _read_edges(db, own)
    moved = [(*row[:3], lines[row[3]], *row[4:]) for row in edges]
    _write_difference(db, "code_edges", _EDGE, 4, edges, sorted(moved))
    calls = _read_calls(db, own)
    moved_calls = [(*row[:2], lines[row[2]]) for row in calls]
    _write_difference(db, "code_open", _CALL, 3, calls, sorted(moved_calls))


def _read_edges(db: sqlite3.Connection, sources: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return the edges that begin in some symbols, sorted."""
    return sorted(
        row
        for batch in batches(sources)
        for row in db.execute(
            f"SELECT {_EDGE} FROM code_edges WHERE source IN ({marks(batch)})", batch
        )
    )


def _read_calls(db: sqlite3.Connection, sources: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return the unresolved calls in some symbols, sorted; no index leads to them."""
    own = set(sources)
    return sorted(row for row in db.execute(f"SELECT {_CALL} FROM code_open") if row[1] in own)


def _write_links(db: sqlite3.Connection, links: Links) -> None:
    """Replace the edges and unresolved calls of some languages' files."""
    of_languages = f"SELECT path FROM code_files WHERE language IN ({marks(list(links.languages))})"
    query = f"SELECT key, id FROM code_symbols WHERE path IN ({of_languages})"
    ids = dict(db.execute(query, list(links.languages)).fetchall())
    own = set(ids.values())
    before = (
        row
        for row in db.execute(f"SELECT {_EDGE} FROM code_edges ORDER BY {_EDGE_KEY}")
        if row[0] in own
    )
    _replace_edges(db, before, links, ids)
    before = (
        row
        for row in db.execute(f"SELECT {_CALL} FROM code_open ORDER BY {_CALL}")
        if row[1] in own
    )
    _replace_calls(db, before, links, ids)
    db.executemany("DELETE FROM code_solutions WHERE family = ?", [(f,) for f in links.solutions])
    db.executemany(
        "INSERT INTO code_solutions (family, solution) VALUES (?, ?)",
        [row for row in links.solutions.items() if row[1]],
    )
    other = f"SELECT path FROM code_files WHERE path NOT IN ({of_languages})"
    db.execute(f"DELETE FROM code_before WHERE path NOT IN ({other})", list(links.languages))


def _write_links_of_files(db: sqlite3.Connection, links: Links, paths: Collection[str]) -> None:
    """Replace the edges and unresolved calls that begin in some files."""
    own = _read_numbers(db, "path", paths)
    ids = own | _read_numbers(db, "key", {edge.target for edge in links.edges})
    sources = [*own.values()]
    _replace_edges(db, _read_edges(db, sources), links, ids)
    _replace_calls(db, _read_calls(db, sources), links, ids)


def _read_numbers(db: sqlite3.Connection, column: str, values: Collection[str]) -> dict[str, int]:
    """Return the keys of the symbols with some values in a column, each with its number."""
    return {
        key: number
        for batch in batches([*values])
        for key, number in db.execute(
            f"SELECT key, id FROM code_symbols WHERE {column} IN ({marks(batch)})", batch
        )
    }


def _replace_edges(
    db: sqlite3.Connection, before: Iterable[tuple[Any, ...]], links: Links, ids: Mapping[str, int]
) -> None:
    """Write the edges of links in place of those `before`; `ids` are the numbers of symbols."""
    edges = [(ids[e.source], ids[e.target], e.kind, e.line, e.tier, e.reason) for e in links.edges]
    edges.sort()
    _write_difference(db, "code_edges", _EDGE, 4, before, edges)


def _replace_calls(
    db: sqlite3.Connection, before: Iterable[tuple[Any, ...]], links: Links, ids: Mapping[str, int]
) -> None:
    """Write the unresolved calls of links in place of those `before`."""
    calls = sorted((c.name, ids[c.source], c.line) for c in links.unresolved_calls)
    _write_difference(db, "code_open", _CALL, 3, before, calls)


def _write_difference(
    db: sqlite3.Connection,
    table: str,
    columns: str,
    keys: int,
    before: Iterable[tuple[Any, ...]],
    after: Iterable[tuple[Any, ...]],
) -> None:
    """Change the rows of a table from `before` to `after`, both sorted.

    The two are compared side by side, because neither fits in memory twice. The first `keys`
    columns are the key.
    """
    gone, new = [], []
    rows = iter(after)
    row = next(rows, None)
    for old in before:
        while row is not None and row < old:
            new.append(row)
            row = next(rows, None)
        if row == old:
            row = next(rows, None)
        else:
            gone.append(old[:keys])
    new += [] if row is None else [row, *rows]
    condition = " AND ".join(f"{name} = ?" for name in columns.split(", ")[:keys])
    db.executemany(f"DELETE FROM {table} WHERE {condition}", gone)
    db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks(columns.split(', '))})", new)
