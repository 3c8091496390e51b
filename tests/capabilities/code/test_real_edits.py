"""Incremental equals full, on copies of real source trees of the test environment that are edited at random."""

import os
import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

import pytest

from gieok.backends.git import Git
from gieok.backends.parsers.treesitter import TreeSitterParser
from gieok.backends.stores.sqlite.graph import SqliteProjectStore
from gieok.capabilities.code.index import project, scan
from gieok.capabilities.code.index.project import Project
from gieok.testing import ManualClock

_DEFINES = re.compile(r"^(\s*)(?:async def|def|class|function|func|fn|pub fn|type|struct)\s+(\w+)", re.MULTILINE)
_EDITS = 100
_CHECKPOINTS = 4
#: Tables and what of them is the same whenever the files are: no numbers of rows.
_TABLES = (
    "SELECT path, language, content_hash, size, status, note, facts FROM code_files",
    """SELECT key, path, name, kind, start_line, end_line, parent, signature, doc, complexity, traits, status, code_hash
        FROM code_symbols""",
    """SELECT s.key, t.key, e.kind, e.line, e.tier, e.reason FROM code_edges e JOIN code_symbols s ON s.id = e.source
        JOIN code_symbols t ON t.id = e.target""",
    "SELECT count(*) FROM code_edges",
    "SELECT s.key, o.name, o.line FROM code_open o JOIN code_symbols s ON s.id = o.source",
    "SELECT key, kind, title, content_hash, metadata, text FROM documents",
    """SELECT d.key, p.start, p."end", p.start_line, p.end_line, p.length, p.text_hash, p.context
        FROM passages p JOIN documents d ON d.id = p.document_id""",
    "SELECT count(*) FROM passages",
    "SELECT passages, tokens FROM scopes",
    "SELECT term, doc, cnt FROM keyword_df",
    "SELECT value FROM notes WHERE name = 'code.unlinked'",
)


class Tree:
    """A copy of a source tree, edited at random. Every edit has a time of its own, whatever the file system tells apart."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.kept = {path: (root / path).read_bytes() for path in self.paths()}
        self._time_ns = 1_700_000_000_000_000_000

    def paths(self) -> list[str]:
        return [candidate.path for candidate in scan.scan(self.root)[0]]

    def edit(self) -> str:
        """Make one edit; return which."""
        paths = self.paths()
        kinds: list[Callable[[list[str]], str]] = [
            self._insert, self._insert, self._delete, self._delete, self._swap, self._swap, self._comment, self._rename,
            self._rename, self._move, self._move, self._nest, self._both_branches, self._rename_file, self._delete_file,
            self._add_file, self._restore, self._restore,
        ]  # fmt: skip
        return self.random.choice(kinds)(paths)

    def _lines(self, path: str) -> list[str]:
        return (self.root / path).read_bytes().decode("utf-8", "replace").splitlines(keepends=True) or ["\n"]

    def _put(self, path: str, lines: list[str] | bytes) -> str:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(lines if isinstance(lines, bytes) else "".join(lines).encode("utf-8"))
        self._time_ns += 1_000_000_000
        os.utime(file, ns=(self._time_ns, self._time_ns))
        return path

    def _insert(self, paths: list[str]) -> str:
        path, other = self.random.choice(paths), self.random.choice(paths)
        lines = self._lines(path)
        lines.insert(self.random.randint(0, len(lines)), self.random.choice(self._lines(other)))
        return f"insert a line into {self._put(path, lines)}"

    def _delete(self, paths: list[str]) -> str:
        path = self.random.choice(paths)
        lines = self._lines(path)
        first = self.random.randrange(len(lines))
        del lines[first : first + self.random.choice((1, 1, 1, 5, 30))]
        return f"delete lines of {self._put(path, lines)}"

    def _swap(self, paths: list[str]) -> str:
        path = self.random.choice(paths)
        lines = self._lines(path)
        a = self.random.randrange(len(lines))
        b = self.random.choice((min(a + 1, len(lines) - 1), self.random.randrange(len(lines))))
        lines[a], lines[b] = lines[b], lines[a]
        return f"swap lines of {self._put(path, lines)}"

    def _comment(self, paths: list[str]) -> str:
        path = self.random.choice(paths)
        lines = self._lines(path)
        sign = "#" if path.endswith((".py", ".pyi")) else "//"
        lines.insert(self.random.randint(0, len(lines)), f"{sign} TODO: {self.random.random()}\n")
        return f"comment in {self._put(path, lines)}"

    def _rename(self, paths: list[str]) -> str:
        """Give what is defined in a file another name, there or everywhere."""
        path = self.random.choice(paths)
        text = "".join(self._lines(path))
        names = [match[2] for match in _DEFINES.finditer(text)]
        if not names:
            return "nothing"
        old, new = self.random.choice(names), self.random.choice([*names, f"renamed_{self.random.randrange(9)}"])
        for each in paths if self.random.random() < 0.5 else [path]:
            text = "".join(self._lines(each))
            if re.search(rf"\b{old}\b", text):
                self._put(each, [re.sub(rf"\b{old}\b", new, text)])
        return f"rename {old} of {path} to {new}"

    def _block(self, path: str) -> tuple[int, int] | None:
        """Return the lines of a definition, by its indentation."""
        lines = self._lines(path)
        starts = [n for n, line in enumerate(lines) if _DEFINES.match(line)]
        if not starts:
            return None
        first = self.random.choice(starts)
        deep = len(lines[first]) - len(lines[first].lstrip())
        end = first + 1
        while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > deep):
            end += 1
        return first, end

    def _move(self, paths: list[str]) -> str:
        """Move a definition to another file, or to another place of its own."""
        path = self.random.choice(paths)
        other = self.random.choice([p for p in paths if p.rpartition(".")[2] == path.rpartition(".")[2]])
        block = self._block(path)
        if block is None:
            return "nothing"
        lines = self._lines(path)
        moved = lines[slice(*block)]
        del lines[slice(*block)]
        self._put(path, lines)
        target = self._lines(other)
        deep = len(moved[0]) - len(moved[0].lstrip())
        self._put(
            other, [*target, *("\n" if target[-1][-1:] != "\n" else ""), *(line[deep:] or "\n" for line in moved)]
        )
        return f"move a definition of {path} to {other}"

    def _nest(self, paths: list[str]) -> str:
        path = self.random.choice(paths)
        block = self._block(path) if path.endswith(".py") else None
        if block is None:
            return "nothing"
        lines = self._lines(path)
        indent = re.match(r"\s*", lines[block[0]])[0]  # type: ignore[index]
        inner = ["    " + line for line in lines[slice(*block)]]
        lines[slice(*block)] = [f"{indent}def nested_{len(inner)}(x):\n", *inner, f"{indent}    return x\n"]
        return f"nest a definition of {self._put(path, lines)}"

    def _both_branches(self, paths: list[str]) -> str:
        """Define something of a file in both branches of a condition: two symbols of one key."""
        path = self.random.choice(paths)
        block = self._block(path) if path.endswith(".py") else None
        if block is None:
            return "nothing"
        lines = self._lines(path)
        indent = re.match(r"\s*", lines[block[0]])[0]  # type: ignore[index]
        inner = ["    " + line for line in lines[slice(*block)]]
        lines[slice(*block)] = [f"{indent}if len:\n", *inner, f"{indent}else:\n", *inner]
        return f"two of a definition of {self._put(path, lines)}"

    def _rename_file(self, paths: list[str]) -> str:
        path = self.random.choice(paths)
        to = self.root / path
        to = to.with_name(f"{self.random.choice(('moved', 'other', '__init__'))}{to.suffix}")
        if not to.exists():
            (self.root / path).rename(to)
        return f"rename the file {path} to {to.name}"

    def _delete_file(self, paths: list[str]) -> str:
        path = self.random.choice(paths)
        if len(paths) > 5:
            (self.root / path).unlink()
        return f"delete the file {path}"

    def _add_file(self, paths: list[str]) -> str:
        path = self.random.choice(paths)
        folder = self.random.choice(["", "new/", "new/deep/"])
        name = f"{folder}added_{self.random.randrange(5)}{Path(path).suffix}"
        return f"add the file {self._put(name, self._lines(path))}"

    def _restore(self, paths: list[str]) -> str:
        path = self.random.choice(sorted(self.kept))
        return f"restore {self._put(path, self.kept[path])}"


def opened(root: Path, file: Path) -> Project:
    clock = ManualClock()
    clock.advance(timedelta(days=36500))  # after whatever time a file has
    return Project(root, SqliteProjectStore(file), TreeSitterParser(), Git(root), clock)


def everything(file: Path) -> list[list[tuple[object, ...]]]:
    """Return what an index holds."""
    db = sqlite3.connect(file)
    try:
        return [sorted(db.execute(query).fetchall(), key=repr) for query in _TABLES]
    finally:
        db.close()


def differences(folder: Path, root: Path) -> list[str]:
    """Return where the index that was kept differs from a fresh one."""
    fresh = folder / "fresh.sqlite"
    made = opened(root, fresh)
    project.sync(made)
    made.store.close()
    found = [
        f"{query.split()[1]}…: {sorted(set(kept) ^ set(new), key=repr)[:4]}"
        for query, kept, new in zip(_TABLES, everything(folder / "kept.sqlite"), everything(fresh), strict=True)
        if kept != new
    ]
    for file in folder.glob("fresh.sqlite*"):
        file.unlink()
    return found


def edited(folder: Path, tree: Tree, edits: int, checkpoints: int) -> None:
    """Edit a tree, sync after every few edits, and compare with a fresh index at checkpoints."""
    made = opened(tree.root, folder / "kept.sqlite")
    project.sync(made)
    done: list[str] = []
    due = checkpoint = edits // checkpoints
    while len(done) < edits:
        done += [tree.edit() for _ in range(min(tree.random.choice((1, 2, 4, 6)), edits - len(done)))]
        project.sync(made)
        if len(done) >= due:
            due += checkpoint
            assert differences(folder, tree.root) == [], done[-2 * checkpoint :]
    made.store.close()


@pytest.mark.parametrize("package", ["click", "importlinter"])  # the second has JavaScript too
def test_after_random_edits_of_a_real_project_the_index_is_what_a_fresh_one_would_be(
    tmp_path: Path, package: str
) -> None:
    spec = find_spec(package)
    if spec is None:
        pytest.skip(f"{package} is not installed")
    assert spec.origin is not None
    root = tmp_path / "tree"
    shutil.copytree(Path(spec.origin).parent, root, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    edited(tmp_path, Tree(root, seed=len(package)), _EDITS, _CHECKPOINTS)


def test_a_function_defined_in_both_branches_keeps_both_its_edges_when_another_file_is_added(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    text = "def outer(x):\n    if x:\n        def view(): ...\n    else:\n        def view(): ...\n    return view\n"
    (root / "a.py").write_text(text, encoding="utf-8")
    made = opened(root, tmp_path / "kept.sqlite")
    project.sync(made)
    (root / "b.py").write_text("x = 1\n", encoding="utf-8")
    project.sync(made)
    lines = sorted(e.line for e in made.store.edges_out_of(["a.py::outer"]) if e.reason == "defined inside")
    made.store.close()
    assert lines == [3, 5]
    assert differences(tmp_path, root) == []


def test_a_file_that_is_written_again_in_the_same_tick_of_the_clock_is_read_again(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    file = root / "a.py"
    file.write_text("def one(): ...\n", encoding="utf-8")
    made = opened(root, tmp_path / "kept.sqlite")
    now_ns = round(made.clock.now().timestamp()) * 1_000_000_000
    os.utime(file, ns=(now_ns, now_ns))
    project.sync(made)
    file.write_text("def two(): ...\n", encoding="utf-8")
    os.utime(file, ns=(now_ns, now_ns))
    project.sync(made)
    made.store.close()
    assert differences(tmp_path, root) == []
