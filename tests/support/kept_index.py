"""An index that is kept up to date through edits, and how it differs from one that is made of the
same files at once.
"""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

from edits import Tree

from gieok.code.ask import analysis, coverage_runs, query
from gieok.code.index import project
from gieok.code.index.project import Project
from gieok.machine.git import Git
from gieok.machine.parsers.treesitter import TreeSitterParser
from gieok.model.code import Execution, Symbol
from gieok.storage.index.sqlite.graph import ProjectStore
from gieok.testing import ManualClock

#: What of an index is the same whenever the files are: no numbers of rows.
_TABLES = {
    "files": "SELECT path, language, content_hash, size, status, note, facts FROM code_files",
    "symbols": """SELECT key, path, name, kind, start_line, end_line, parent, signature, doc, complexity, traits, status,
        code_hash FROM code_symbols""",
    "edges": """SELECT s.key, t.key, e.kind, e.line, e.tier, e.reason FROM code_edges e JOIN code_symbols s ON s.id = e.source
        JOIN code_symbols t ON t.id = e.target""",
    "dangling edges": "SELECT count(*) FROM code_edges",
    "unresolved": (
        "SELECT s.key, o.name, o.line FROM code_open o JOIN code_symbols s ON s.id = o.source"
    ),
    "documents": "SELECT key, kind, title, content_hash, metadata, text FROM documents",
    "passages": """SELECT d.key, p.start, p."end", p.start_line, p.end_line, p.length, p.text_hash, p.context
        FROM passages p JOIN documents d ON d.id = p.document_id""",
    "orphan passages": "SELECT count(*) FROM passages",
    "lengths": "SELECT passages, tokens FROM scopes",
    "words": "SELECT term, doc, cnt FROM keyword_df",
    "unlinked": "SELECT value FROM notes WHERE name = 'code.unlinked'",
}
#: Questions asked of both indexes, and pairs of a test and a function that it is said to have run.
_ASKED, _RAN = 3, 40
_FIRST = 4


def opened(root: Path, file: Path) -> Project:
    """Return a project with its index in `file`."""
    clock = ManualClock()
    clock.advance(timedelta(days=36500))  # after whatever time a file has
    return Project(root, ProjectStore(file), TreeSitterParser(), Git(root), clock)


class KeptIndex:
    """The index of a tree that is edited."""

    def __init__(self, folder: Path, tree: Tree) -> None:
        self.tree = tree
        #: Of its own: the same edits are made however often they are compared.
        self._random = random.Random(tree.seed)
        self._folder = folder
        self._ran: list[Execution] = []
        self.made = opened(tree.root, folder / "kept.sqlite")
        project.sync_project(self.made)
        self._run_tests()

    def close(self) -> None:
        """Close the index."""
        self.made.store.close()

    def _run_tests(self) -> None:
        """Take in executions between functions chosen at random: they have to outlive what happens
        to their ends.
        """
        symbols = [s for s in self.made.store.all_symbols() if s.kind in ("function", "method")]
        pairs = {
            tuple(self._random.sample(symbols, 2)) for _ in range(_RAN if len(symbols) > 1 else 0)
        }
        self._ran = [Execution(a.key, b.key, a.code_hash, b.code_hash) for a, b in sorted(pairs)]
        _put(self.made, self._ran)

    def follow(self, edits: int) -> list[str]:
        """Make edits and sync after every few of them, in the ways in which that happens. Return
        the edits.
        """
        done: list[str] = []
        while len(done) < edits:
            done += [
                self.tree.edit()
                for _ in range(min(self._random.choice((1, 2, 4, 6)), edits - len(done)))
            ]
            done[-1] += f" ({self._sync()})"
        project.sync_project(self.made)
        return done

    def _sync(self) -> str:
        """Sync everything, a few files alone, by another process, or not to the end."""
        way = self._random.choice(("all", "all", "all", "some", "reopened", "killed"))
        if way == "some":
            paths = self.tree.paths()
            project.sync_project(self.made, only=self._random.sample(paths, min(3, len(paths))))
        elif way == "killed":
            with suppress(KeyboardInterrupt):
                project.sync_project(self.made, progress=_killed)
        else:
            if way == "reopened":
                self.made.store.close()
                self.made = opened(self.tree.root, self._folder / "kept.sqlite")
            project.sync_project(self.made)
        return way

    def differences(self) -> list[str]:
        """Return where the index differs from a fresh one, and which answers of the two differ."""
        file = self._folder / "fresh.sqlite"
        fresh = opened(self.tree.root, file)
        project.sync_project(fresh)
        _put(fresh, self._ran)
        found = [
            f"{name}: {[repr(row)[:300] for row in sorted(set(kept) ^ set(new), key=repr)[:6]]}"
            for name, text in _TABLES.items()
            if (kept := _rows(self._folder / "kept.sqlite", text)) != (new := _rows(file, text))
        ]
        found += self._answers(fresh)
        fresh.store.close()
        for left in self._folder.glob("fresh.sqlite*"):
            left.unlink()
        return found

    def _answers(self, fresh: Project) -> list[str]:
        """Return the questions that the two indexes answer differently."""
        symbols = list(fresh.store.all_symbols())
        chosen = random.Random(len(symbols)).sample(symbols, min(_ASKED, len(symbols)))
        keys = [s.key for s in symbols]
        questions: dict[str, Callable[[Project], object]] = {
            "executions": lambda p: (
                coverage_runs.edges_into(p.store, keys),
                sorted(p.store.settled(keys)),
            ),
            **{f"query {s.name}": partial(_first, text=f"{s.name} {s.signature}") for s in chosen},
            **{f"impact {s.key}": partial(_reached, symbol=s) for s in chosen},
        }
        return [name for name, asked in questions.items() if asked(self.made) != asked(fresh)]


def _first(made: Project, text: str) -> list[str]:
    """Return the first answers. The last depend on which of equal candidates are cut off: those of
    lower row numbers stay.
    """
    return [one.symbol.key for one in query.search_symbols(made, None, text, _FIRST).answers]


def _reached(made: Project, symbol: Symbol) -> object:
    return analysis.of_symbols(made, [symbol])[:-1]


def _killed(stage: str, done: int, total: int) -> None:
    del done, total
    if stage == "linking":  # the texts are stored, the graph is not
        raise KeyboardInterrupt


def _put(made: Project, ran: list[Execution]) -> None:
    """Put what ran in place of all of it that is kept."""
    keys = [key for e in ran for key in (e.test, e.function)]
    made.store.put_executions(ran, keys, [key.partition("::")[0] for key in keys])


def _rows(file: Path, query_text: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as db:
        return sorted(db.execute(query_text).fetchall(), key=repr)
