"""A project's store: documents and passages, with the project's files, symbols and edges.

One file per project, in the project's own folder: it goes where the project goes, and is removed
with it. Symbols keep their number as long as their key lives, so edges into a file that is indexed
again stay; only differences are written.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Unpack

from gieok.model.code import (
    KEEPS_NOTHING,
    Edge,
    Executed,
    Execution,
    ExecutionCount,
    GraphChange,
    Keeping,
    LinkedFile,
    SourceFile,
    Summary,
    Symbol,
    UnresolvedCall,
    key_path,
)
from gieok.model.memory import PassageId
from gieok.ports.journal import Realm
from gieok.storage.index.rows import batches, marks
from gieok.storage.index.sqlite import graph_writing, made_documents
from gieok.storage.index.sqlite.store import SqliteOptions, SqliteStore

_TABLES = (
    """CREATE TABLE IF NOT EXISTS code_files (
        path TEXT PRIMARY KEY, language TEXT NOT NULL, content_hash TEXT NOT NULL,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL, status TEXT NOT NULL, note TEXT NOT NULL, facts TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS code_symbols (
        id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, path TEXT NOT NULL,
        name TEXT NOT NULL,
        kind TEXT NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
        parent TEXT NOT NULL,
        signature TEXT NOT NULL, doc TEXT NOT NULL, complexity INTEGER NOT NULL,
        traits TEXT NOT NULL,
        status TEXT NOT NULL, code_hash TEXT NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS code_symbols_by_name ON code_symbols (name)",
    "CREATE INDEX IF NOT EXISTS code_symbols_by_path ON code_symbols (path, start_line)",
    """CREATE TABLE IF NOT EXISTS code_edges (
        source INTEGER NOT NULL, target INTEGER NOT NULL, kind TEXT NOT NULL, line INTEGER NOT NULL,
        tier INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (source, target, kind, line)
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS code_edges_by_target ON code_edges (target, kind)",
    """CREATE TABLE IF NOT EXISTS code_open (
        source INTEGER NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL, PRIMARY KEY (name,
        source, line)
    ) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS code_summaries (
        code_hash TEXT PRIMARY KEY, text TEXT NOT NULL, model TEXT NOT NULL
    ) WITHOUT ROWID""",
    # Executions are kept by key and hash, not by symbol, so that they outlive a branch without the
    # symbol.
    """CREATE TABLE IF NOT EXISTS code_versions (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL, code_hash TEXT NOT NULL, UNIQUE (key, code_hash)
    )""",
    """CREATE TABLE IF NOT EXISTS code_executions (
        function INTEGER NOT NULL, test INTEGER NOT NULL, PRIMARY KEY (function, test)
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS code_executions_by_test ON code_executions (test)",
)
_LAST_TABLE = "code_executions_by_test"
#: What the last link of all files found, and what the files that changed since then were.
_LINK_TABLES = (
    """CREATE TABLE IF NOT EXISTS code_solutions (
        family TEXT PRIMARY KEY, solution BLOB NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS code_before (
        path TEXT PRIMARY KEY, facts TEXT NOT NULL, edges TEXT NOT NULL, calls TEXT NOT NULL
    ) WITHOUT ROWID""",
)
_LAST_LINK_TABLE = "code_before"
_SYMBOL = ", ".join(Symbol._fields)
_FILE = ", ".join(SourceFile._fields)
_SUMMARY = ", ".join(Summary._fields)
_EDGES = (
    "SELECT s.key, t.key, e.kind, e.tier, e.reason, e.line FROM code_edges e "
    "JOIN code_symbols s ON s.id = e.source JOIN code_symbols t ON t.id = e.target"
)
#: The edges with both ends among the keys of one list. The plus keeps SQLite from trying each pair
#: of keys: it reads the edges out of each one.
_EDGES_BETWEEN = (
    "WITH asked AS (SELECT id FROM code_symbols WHERE key IN (SELECT value FROM json_each(?))) "
    f"{_EDGES} WHERE e.source IN asked AND +e.target IN asked"
)
_EDGE_ORDER = " ORDER BY s.key, t.key, e.kind, e.line"
_EXECUTED = """FROM code_executions e JOIN code_versions t ON t.id = e.test
    JOIN code_versions f ON f.id = e.function
    JOIN code_symbols ts ON ts.key = t.key LEFT JOIN code_symbols fs ON fs.key = f.key"""
#: Files in which a test ran an unknown function.
_UNREAD = "SELECT id FROM code_versions WHERE substr(key, -2) = '::'"
_OPEN = "SELECT s.key, o.name, o.line FROM code_open o JOIN code_symbols s ON s.id = o.source"


class ProjectStore(SqliteStore):
    """Everything of one project's code in one file: documents, files, symbols, edges, test runs.

    The summaries of models and the executions of test runs are kept in `realm` too: a new file
    begins with the copies there.
    """

    what = "code index"

    def __init__(
        self, file: Path, *, realm: Realm | None = None, **options: Unpack[SqliteOptions]
    ) -> None:
        super().__init__(file, **options)
        self._realm = realm
        with self._reading() as db:
            known = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        if _LAST_LINK_TABLE not in known:
            with self._writing() as db:
                for statement in _LINK_TABLES:
                    db.execute(statement)
        if _LAST_TABLE not in known:
            realm_values = (
                made_documents.load_made_values(realm.kept())
                if realm
                else made_documents.Made((), ())
            )
            with self._writing() as db:
                for statement in _TABLES:
                    db.execute(statement)
                _write_summaries(db, realm_values.summaries)
                _put_executions(db, realm_values.executions)
            self.set_adopted()
        elif realm and self.is_unadopted():
            with self._reading() as db:
                store_values = made_documents.Made(_read_graph_summaries(db), _read_executions(db))
            realm.keep(made_documents.dump_made_values(store_values))
            self.set_adopted()

    def files(self) -> dict[str, SourceFile]:
        """Return every file of the graph, by path."""
        with self._reading() as db:
            return {
                row[0]: SourceFile(*row)
                for row in db.execute(f"SELECT {_FILE} FROM code_files ORDER BY path")
            }

    def facts(self, paths: Sequence[str] | None = None) -> Iterator[tuple[str, str]]:
        """Yield (path, facts) of files that have facts, by path.

        Of all files, or of those among `paths`.
        """
        query = "SELECT path, facts FROM code_files WHERE facts <> ''"
        with self._reading() as db:
            if paths is None:
                yield from db.execute(f"{query} ORDER BY path")
            else:
                for batch in batches(sorted(paths)):
                    yield from db.execute(
                        f"{query} AND path IN ({marks(batch)}) ORDER BY path", batch
                    )

    def replace(
        self,
        files: Sequence[tuple[SourceFile, str]],
        gone: Sequence[str],
        graph: GraphChange | None,
        keeping: Keeping = KEEPS_NOTHING,
    ) -> None:
        """Store files with their facts, forget others and change the graph, in one transaction.

        With `graph` None, the graph stays as it is.
        """
        with self._writing() as db:
            graph_writing.keep_linked_files(db, keeping)
            db.executemany(
                (
                    f"INSERT OR REPLACE INTO code_files ({_FILE}, facts) VALUES (?, ?, ?, ?, ?, "
                    "?, ?, ?)"
                ),
                [(*file, facts) for file, facts in files],
            )
            db.executemany("DELETE FROM code_files WHERE path = ?", [(path,) for path in gone])
            if graph is not None:
                graph_writing.change_graph(db, graph)

    def solution(self, family: str) -> bytes:
        """Return what the last link of all files of a family found; empty where it is not kept."""
        with self._reading() as db:
            row = db.execute(
                "SELECT solution FROM code_solutions WHERE family = ?", (family,)
            ).fetchone()
        return bytes(row[0]) if row else b""

    def fact_paths(self, languages: Collection[str]) -> list[str]:
        """Return the files of some languages that have facts, sorted."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT path FROM code_files WHERE facts <> '' AND language IN "
                f"({marks([*languages])}) ORDER BY path",
                [*languages],
            )
            return [path for (path,) in rows]

    def solved_families(self) -> set[str]:
        """Return the families of which it is kept what the last link of all files found."""
        with self._reading() as db:
            return {family for (family,) in db.execute("SELECT family FROM code_solutions")}

    def linked_paths(self) -> dict[str, str]:
        """Return the files that changed since all files were linked, each with its language."""
        query = "SELECT path, language FROM code_files WHERE path IN (SELECT path FROM code_before)"
        with self._reading() as db:
            return dict(db.execute(query).fetchall())

    def linked_files(self, languages: Collection[str]) -> list[LinkedFile]:
        """Return changed files of some languages, as they were when all files were linked."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT b.path, b.facts, b.edges, b.calls FROM code_before b JOIN code_files f "
                f"ON f.path = b.path WHERE f.language IN ({marks([*languages])}) ORDER BY b.path",
                [*languages],
            )
            return [
                LinkedFile(
                    path=path,
                    facts=facts,
                    edges=[Edge(*row) for row in json.loads(edges)],
                    unresolved_calls=[UnresolvedCall(*row) for row in json.loads(calls)],
                )
                for path, facts, edges, calls in rows
            ]

    def symbols(
        self, *, keys: Sequence[str] = (), names: Sequence[str] = (), paths: Sequence[str] = ()
    ) -> list[Symbol]:
        """Return symbols by key, name or path, sorted by path and line."""
        with self._reading() as db:
            rows: list[tuple[object, ...]] = []
            for column, values in (("key", keys), ("name", names), ("path", paths)):
                for batch in batches(values):
                    rows += db.execute(
                        f"SELECT {_SYMBOL} FROM code_symbols WHERE {column} IN ({marks(batch)})",
                        batch,
                    )
        symbols = {Symbol(*row) for row in rows}  # type: ignore[arg-type]
        return sorted(symbols, key=lambda s: (s.path, s.start_line, s.key))

    def all_symbols(self) -> Iterator[Symbol]:
        """Yield every symbol by path and line."""
        with self._reading() as db:
            for row in db.execute(
                f"SELECT {_SYMBOL} FROM code_symbols ORDER BY path, start_line, key"
            ):
                yield Symbol(*row)

    def edges_into(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that end in these symbols, sorted."""
        return self._edges(keys, "t")

    def edges_out_of(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that begin in these symbols, sorted."""
        return self._edges(keys, "s")

    def _edges(self, keys: Sequence[str], side: str) -> list[Edge]:
        with self._reading() as db:
            rows = [
                Edge(*row)
                for batch in batches(keys)
                for row in db.execute(f"{_EDGES} WHERE {side}.key IN ({marks(batch)})", batch)
            ]
        return sorted(rows)

    def edges_between(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that begin and end in these symbols, sorted.

        The edges of a symbol that half of the project calls are not read for it.
        """
        if not keys:
            return []
        with self._reading() as db:
            rows = [Edge(*row) for row in db.execute(_EDGES_BETWEEN, (json.dumps([*keys]),))]
        return sorted(rows)

    def all_edges(self, kind: str = "") -> Iterator[Edge]:
        """Yield every edge, or those of one kind, sorted."""
        with self._reading() as db:
            chosen = " WHERE e.kind = ?" if kind else ""
            for row in db.execute(f"{_EDGES}{chosen}{_EDGE_ORDER}", (kind,) if kind else ()):
                yield Edge(*row)

    def unresolved_calls(self, names: Sequence[str]) -> list[UnresolvedCall]:
        """Return the unresolved calls of these names, sorted."""
        with self._reading() as db:
            rows = [
                UnresolvedCall(*row)
                for batch in batches(names)
                for row in db.execute(f"{_OPEN} WHERE o.name IN ({marks(batch)})", batch)
            ]
        return sorted(rows)

    def count_unresolved_calls(self) -> int:
        """Count the unresolved calls."""
        with self._reading() as db:
            return int(db.execute("SELECT count(*) FROM code_open").fetchone()[0])

    def unembedded(self) -> list[tuple[PassageId, str, str]]:
        """Return (id, path, context) of the passages without a vector, in order of id."""
        query = """SELECT p.id, d.key, p.context FROM passages p
        JOIN documents d ON d.id = p.document_id
            WHERE p.vector_id IS NULL ORDER BY p.id"""
        with self._reading() as db:
            return db.execute(query).fetchall()

    def summaries(self, hashes: Sequence[str] | None = None) -> dict[str, Summary]:
        """Return the summaries of code with these hashes, or all, by hash.

        They outlive the symbols, so that a revert finds them again. A summary that waits for a
        model has no text.
        """
        with self._reading() as db:
            if hashes is None:
                return {
                    row[0]: Summary(*row)
                    for row in db.execute(f"SELECT {_SUMMARY} FROM code_summaries")
                }
            return {
                row[0]: Summary(*row)
                for batch in batches(hashes)
                for row in db.execute(
                    f"SELECT {_SUMMARY} FROM code_summaries WHERE code_hash IN ({marks(batch)})",
                    batch,
                )
            }

    def write_summaries(self, rows: Sequence[Summary], gone: Sequence[str] = ()) -> None:
        """Put summaries and forget others, in one transaction.

        A summary that waits for a model replaces none.
        """
        if self._realm:
            made_values = made_documents.Made([row for row in rows if row.text], ())
            self._realm.keep(
                made_documents.dump_made_values(made_values),
                made_documents.names_of_summaries(gone),
            )
        with self._writing() as db:
            _write_summaries(db, rows)
            db.executemany(
                "DELETE FROM code_summaries WHERE code_hash = ?",
                [(code_hash,) for code_hash in gone],
            )

    def put_executions(
        self, seen: Sequence[Execution], tests: Sequence[str], paths: Sequence[str]
    ) -> None:
        """Replace the executions of these tests in these files, in one transaction."""
        with self._writing() as db:
            _forget_executions(db, tests, paths)
            _put_executions(db, seen)
            if self._realm:  # inside: what another process puts meanwhile is not left out
                before = made_documents.names_of_runs(self._realm.kept())
                after = made_documents.dump_made_values(
                    made_documents.Made((), _read_executions(db))
                )
                self._realm.keep(after, before - after.keys())

    def executed(self, functions: Sequence[str]) -> list[Executed]:
        """Return which of the existing tests ran these functions, sorted.

        Functions that were deleted are found too.
        """
        query = f"""SELECT t.key, f.key, max(ts.code_hash = t.code_hash),
        max(fs.code_hash IS f.code_hash)
            {_EXECUTED} WHERE f.key IN ({{}}) GROUP BY t.key, f.key"""
        with self._reading() as db:
            rows = [
                row
                for batch in batches(functions)
                for row in db.execute(query.format(marks(batch)), batch)
            ]
        return sorted(
            Executed(test, function, bool(same), bool(is_same))
            for test, function, same, is_same in rows
        )

    def settled(self, tests: Sequence[str]) -> set[str]:
        """Return the members of `tests` for which no code has changed since they ran.

        The code is that of the test and of all functions that the test ran. Tests without
        executions are left out.
        """
        query = f"""SELECT t.key {_EXECUTED} WHERE t.key IN ({{}})
            GROUP BY t.key HAVING min(ts.code_hash = t.code_hash AND fs.code_hash IS f.code_hash)"""
        with self._reading() as db:
            return {
                key
                for batch in batches(tests)
                for (key,) in db.execute(query.format(marks(batch)), batch)
            }

    def count_executions(self) -> ExecutionCount:
        """Count the executions."""
        query = f"""SELECT count(fs.key), count(DISTINCT CASE
        WHEN fs.key IS NOT NULL THEN t.key END), count(DISTINCT fs.key),
            coalesce(sum(fs.key IS NOT NULL AND (ts.code_hash <> t.code_hash
            OR fs.code_hash <> f.code_hash)), 0)
            {_EXECUTED}"""
        with self._reading() as db:
            pairs, tests, functions, changed = db.execute(query).fetchone()
            total = db.execute(
                f"SELECT count(*) FROM code_executions WHERE function NOT IN ({_UNREAD})"
            ).fetchone()[0]
        return ExecutionCount(
            pairs=pairs, tests=tests, functions=functions, changed=changed, gone=total - pairs
        )

    def forget_executions(self) -> None:
        """Forget all executions."""
        if self._realm:
            self._realm.keep({}, made_documents.names_of_runs(self._realm.kept()))
        with self._writing() as db:
            db.execute("DELETE FROM code_executions")
            db.execute("DELETE FROM code_versions")


def _read_graph_summaries(db: sqlite3.Connection) -> list[Summary]:
    """Return the summaries that models wrote.

    Summaries that wait for a model are left out: they can be asked for again.
    """
    return [
        Summary(*row)
        for row in db.execute(f"SELECT {_SUMMARY} FROM code_summaries WHERE text <> ''")
    ]


def _write_summaries(db: sqlite3.Connection, rows: Sequence[Summary]) -> None:
    for verb, chosen in (
        ("REPLACE", [r for r in rows if r.text]),
        ("IGNORE", [r for r in rows if not r.text]),
    ):
        db.executemany(
            f"INSERT OR {verb} INTO code_summaries ({_SUMMARY}) VALUES (?, ?, ?)", chosen
        )


def _read_executions(db: sqlite3.Connection) -> list[Execution]:
    rows = db.execute(
        "SELECT t.key, f.key, t.code_hash, f.code_hash FROM code_executions e "
        "JOIN code_versions t ON t.id = e.test JOIN code_versions f ON f.id = e.function "
        "ORDER BY 1, 2, 3, 4"
    )
    return [Execution(*row) for row in rows]


def _put_executions(db: sqlite3.Connection, seen: Sequence[Execution]) -> None:
    versions = {(e.test, e.test_hash) for e in seen} | {(e.function, e.function_hash) for e in seen}
    db.executemany(
        "INSERT OR IGNORE INTO code_versions (key, code_hash) VALUES (?, ?)", sorted(versions)
    )
    ids = {(key, code_hash): number for number, key, code_hash in _read_code_versions(db)}
    db.executemany(
        "INSERT OR IGNORE INTO code_executions (function, test) VALUES (?, ?)",
        sorted({(ids[e.function, e.function_hash], ids[e.test, e.test_hash]) for e in seen}),
    )


def _read_code_versions(db: sqlite3.Connection) -> list[tuple[int, str, str]]:
    return db.execute("SELECT id, key, code_hash FROM code_versions").fetchall()


def _forget_executions(db: sqlite3.Connection, tests: Sequence[str], paths: Sequence[str]) -> None:
    test_keys, inside = set(tests), set(paths)
    rows = _read_code_versions(db)
    functions = [number for number, key, _ in rows if key_path(key) in inside]
    of_tests = {number for number, key, _ in rows if key in test_keys}
    gone = [
        (function, test)
        for function in functions
        for (test,) in db.execute(
            "SELECT test FROM code_executions WHERE function = ?", (function,)
        )
        if test in of_tests
    ]
    db.executemany("DELETE FROM code_executions WHERE function = ? AND test = ?", gone)
    used = "SELECT function FROM code_executions UNION SELECT test FROM code_executions"
    db.execute(f"DELETE FROM code_versions WHERE id NOT IN ({used})")
