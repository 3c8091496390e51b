"""Random edits of a real source tree, as people and branches make them, and what an index of it has
to be afterwards.
"""

import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from gieok.code.index import scan

_DEFINES = re.compile(
    r"^(\s*)(?:async def|def|class|function|func|fn|pub fn|type|struct)\s+(\w+)", re.MULTILINE
)
#: Files that say what names mean elsewhere: an edit of one changes edges of files that nobody
#: touched.
_MANIFESTS = frozenset(
    (
        "conftest.py",
        "__init__.py",
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "package.json",
        "tsconfig.json",
        "jsconfig.json",
        "go.mod",
        "go.work",
        "Cargo.toml",
        "mod.rs",
        "lib.rs",
        "index.ts",
        "index.js",
        "pom.xml",
        "pnpm-workspace.yaml",
    )
)
_BROKEN = (
    "\n((( def class {{{\n",
    "<<<<<<< HEAD\n",
    '"""\n',
    "/* ",
    "}\n}\n}\n",
    "\x0c\ufeff\n",
    "`${",
)
_LEFT_OUT = frozenset((".git", "node_modules", "__pycache__", ".venv", ".gieok"))


def copied(source: Path, to: Path) -> Path:
    """Copy a source tree without what is no source."""
    return Path(
        shutil.copytree(
            source, to, ignore=shutil.ignore_patterns(*_LEFT_OUT, "*.so"), symlinks=True
        )
    )


class Tree:
    """A copy of a source tree, edited at random. Every edit has a time of its own, whatever the
    file system tells apart.
    """

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.seed = seed
        self.random = random.Random(seed)
        self._time_ns = 1_700_000_000_000_000_000
        self.kept = self._state()
        self._before = self.kept

    def paths(self) -> list[str]:
        return [candidate.path for candidate in scan.scan(self.root)[0]]

    def edit(self) -> str:
        """Make one edit; return which."""
        paths = self.paths()
        kinds: list[Callable[[list[str]], str]] = [
            self._insert,
            self._insert,
            self._delete,
            self._delete,
            self._swap,
            self._swap,
            self._comment,
            self._rename,
            self._rename,
            self._move,
            self._move,
            self._nest,
            self._both_branches,
            self._rename_file,
            self._delete_file,
            self._add_file,
            self._restore,
            self._restore,
            self._break,
            self._manifest,
            self._manifest,
            self._move_folder,
            self._revert,
        ]
        kind = self.random.choice(kinds)
        before = self._state() if kind != self._revert else self._before
        said = kind(paths or [self._put("empty.py", ["x = 1\n"])])
        self._before = before
        return said

    def _state(self) -> dict[str, bytes]:
        """Return every file by its path, manifests too."""
        return {
            path: (self.root / path).read_bytes()
            for path in sorted({*self.paths(), *self._manifests()})
        }

    def _manifests(self) -> Iterator[str]:
        for file in sorted(self.root.rglob("*")):
            if file.name in _MANIFESTS and file.is_file() and _LEFT_OUT.isdisjoint(file.parts):
                yield file.relative_to(self.root).as_posix()

    def _lines(self, path: str) -> list[str]:
        return (self.root / path).read_bytes().decode("utf-8", "replace").splitlines(
            keepends=True
        ) or ["\n"]

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
        old, new = (
            self.random.choice(names),
            self.random.choice([*names, f"renamed_{self.random.randrange(9)}"]),
        )
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
        while end < len(lines) and (
            not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > deep
        ):
            end += 1
        return first, end

    def _move(self, paths: list[str]) -> str:
        """Move a definition to another file, or to another place of its own."""
        path = self.random.choice(paths)
        other = self.random.choice(
            [p for p in paths if p.rpartition(".")[2] == path.rpartition(".")[2]]
        )
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
            other,
            [
                *target,
                *("\n" if target[-1][-1:] != "\n" else ""),
                *(line[deep:] or "\n" for line in moved),
            ],
        )
        return f"move a definition of {path} to {other}"

    def _nest(self, paths: list[str]) -> str:
        def nested(indent: str, inner: list[str]) -> list[str]:
            return [f"{indent}def nested_{len(inner)}(x):\n", *inner, f"{indent}    return x\n"]

        return self._wrapped(paths, nested, "nest")

    def _both_branches(self, paths: list[str]) -> str:
        """Define something of a file in both branches of a condition: two symbols of one key."""

        def twice(indent: str, inner: list[str]) -> list[str]:
            return [f"{indent}if len:\n", *inner, f"{indent}else:\n", *inner]

        return self._wrapped(paths, twice, "two of")

    def _wrapped(
        self, paths: list[str], wrap: Callable[[str, list[str]], list[str]], said: str
    ) -> str:
        """Put a definition of a file deeper, inside of what `wrap` gives for its indentation and
        its lines.
        """
        path = self.random.choice(paths)
        block = self._block(path) if path.endswith(".py") else None
        if block is None:
            return "nothing"
        lines = self._lines(path)
        indent = re.match(r"\s*", lines[block[0]])[0]  # type: ignore[index]
        lines[slice(*block)] = wrap(indent, ["    " + line for line in lines[slice(*block)]])
        return f"{said} a definition of {self._put(path, lines)}"

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

    def _break(self, paths: list[str]) -> str:
        """Leave a file as it is in the middle of an edit or of a merge."""
        path = self.random.choice(paths)
        lines = self._lines(path)
        lines.insert(self.random.randint(0, len(lines)), self.random.choice(_BROKEN))
        return f"break {self._put(path, lines)}"

    def _manifest(self, paths: list[str]) -> str:
        """Change, copy or delete a file that says what names mean elsewhere."""
        found = list(self._manifests())
        if not found:
            return self._break(paths)
        path = self.random.choice(found)
        file = self.root / path
        what = self.random.randrange(4)
        if what == 0:
            file.unlink()
            return f"delete {path}"
        if what == 1:
            folder = self.random.choice(paths).rpartition("/")[0]
            return (
                f"copy {path} to "
                f"{self._put(f'{folder}/{file.name}'.lstrip('/'), file.read_bytes())}"
            )
        text = file.read_text(encoding="utf-8", errors="replace")
        words = list(re.finditer(r"[\w./@-]{3,}", text))
        if not words:
            return f"nothing of {path}"
        old = self.random.choice(words)
        new = self.random.choice(
            [*(word[0] for word in words), "other", "./src", self.random.choice(paths)]
        )
        return (
            f"{old[0]} of "
            f"{self._put(path, (text[: old.start()] + new + text[old.end() :]).encode())} to {new}"
        )

    def _move_folder(self, paths: list[str]) -> str:
        """Move a folder, with everything below it, to a new name or into another folder; or delete
        it.
        """
        folders = sorted({path.rpartition("/")[0] for path in paths} - {""})
        if not folders:
            return "nothing"
        folder = self.random.choice(folders)
        inside = sum(path.startswith(f"{folder}/") for path in paths)
        to = self.random.choice(
            [f"{folder}_moved", f"moved/{folder}", f"{self.random.choice(folders)}/inner"]
        )
        if f"{to}/".startswith(f"{folder}/") or (self.root / to).exists() or inside == len(paths):
            return "nothing"
        (self.root / to).parent.mkdir(parents=True, exist_ok=True)
        (self.root / folder).rename(self.root / to)
        return f"move the folder {folder} to {to}"

    def _revert(self, paths: list[str]) -> str:
        """Take back the last edit, or, rarely, every edit: as a checkout of a branch does."""
        del paths
        wanted = self.kept if self.random.random() < 0.2 else self._before
        now = self._state()
        for path in now.keys() - wanted.keys():
            (self.root / path).unlink()
        for path, data in wanted.items():
            if now.get(path) != data:
                self._put(path, data)
        return "take back everything" if wanted is self.kept else "take back the last edit"
