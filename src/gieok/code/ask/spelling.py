r"""Names as languages, stack traces and agents write them, with the module in front.

`pkg.core.helper`, `stage::run`, `com.x.Shop.total(Shop.java:12)`, `(*T).Go`, `Foo.prototype.bar`,
`App\Svc\Mail::send`, `core.py:helper`. A spelling is taken apart into parts; a symbol is meant
where the last parts are its qualified name and the parts before name its module: the path, the
package that the file declares, or the project and the manifests around the file.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gieok.code.index import scan
from gieok.code.index.project import Project
from gieok.code.languages import places
from gieok.code.model.facts import SymbolKind, parse_package
from gieok.model.code import Symbol

#: Kinds of symbols that nobody names.
PASSIVE = (SymbolKind.MARKER, SymbolKind.LAMBDA)
#: Longer text is no name: taking it apart would take time, and find nothing.
LONGEST_NAME = 1_000
#: More files than this are not asked for the package that they declare.
_MOST_PACKAGES = 200
_TRACEBACK = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>\S+))?')
_LEADING = re.compile(r"^(?:at|in|new|async|await|by)\s+")
#: Where a stack trace says that a name stands: `(src/foo.js:3:5)`, `Shop.java:12`.
_PLACE = (
    r"(?P<path>(?:file://)?(?:[^\s()]|\([^\s()]*\))*?[^\s():/]\.\w+)"
    r":(?P<line>\d+)(?::\d+)?"
)
_PLACE_BEHIND = re.compile(rf"\s*\({_PLACE}\)$")
_PLACE_ALONE = re.compile(rf"{_PLACE}$")
_SIGNATURE = re.compile(r"(?<!operator)\((?!\*)[^()]*\)[\w\s&]*$")
#: (pattern, replacement) of what spellings add to a name.
_ADDED = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"<([^<>]*?) as [^<>]*>", r"\1"),  # Rust: `<T as Trait>::go`
        (r"\.<locals>\.", "."),  # Python: a function inside of a function
        (r"\.<(?:init|clinit|module|lambda|listcomp|genexpr|anonymous)>$", ""),
        (r"\{\{?[^{}]*\}\}?", ""),  # Rust: `{{closure}}`, `{impl#0}`
        (r"::h[0-9a-f]{16}$", ""),  # Rust: the hash behind a name
        (r"\(?\*(\w+)\)|\((\w+)\)", r"\1\2"),  # Go: `(*T).Go`, also without the first sign
        (r"(?:\.func\d+)(?:\.\d+)*$", ""),  # Go: a function without a name
        (r"\.prototype\b", ""),
        (r"\[[^\]]*\]", ""),  # Go: type arguments
    )
)
_GENERIC = re.compile(r"(?<!operator)<[^<>]*>")
_WORD_SIGN = re.compile(r"\w")
_SEPARATORS = re.compile(r"::|->|[.#/\\:]+")
_NESTED = re.compile(r"(?<=\w)[$+](?=\w)")
#: Words of languages for the module or package that a name is used in.
_HERE = frozenset(("crate", "self", "super", "global", "src", "lib"))
_MANIFESTS = {
    "Cargo.toml": re.compile(r'^[^\S\n]*name\s*=\s*"([^"]+)"', re.MULTILINE),
    "go.mod": re.compile(r"^[^\S\n]*module\s+(\S+)", re.MULTILINE),
    "package.json": re.compile(r'"name"\s*:\s*"([^"]+)"'),
    "pyproject.toml": re.compile(r'^[^\S\n]*name\s*=\s*"([^"]+)"', re.MULTILINE),
}


class Spelled(NamedTuple):
    """A spelling taken apart: the parts of the name, and where it stands, if it says so."""

    parts: tuple[str, ...]
    path: str = ""
    line: int = 0


def parse_spelling(text: str) -> Spelled:
    """Take a spelling apart."""
    text = text.strip().strip("`'\"").strip()
    if len(text) > LONGEST_NAME:
        return Spelled(())
    if traced := _TRACEBACK.match(text):
        parts = _split_name(traced["name"] or "")
        return Spelled(parts, traced["path"], int(traced["line"]))
    while (shorter := _LEADING.sub("", text)) != text:
        text = shorter
    place = _PLACE_BEHIND.search(text) or _PLACE_ALONE.match(text)
    if place is not None:
        parts = _split_name(text[: place.start()])
        return Spelled(parts, place["path"].removeprefix("file://"), int(place["line"]))
    return Spelled(_split_name(text))


def _split_name(text: str) -> tuple[str, ...]:
    text = _SIGNATURE.sub("", text.strip())
    for pattern, replacement in _ADDED:
        text = pattern.sub(replacement, text)
    shorter = ""
    while shorter != text:
        shorter, text = text, _GENERIC.sub("", text)
    return tuple(part for part in _SEPARATORS.split(text.strip()) if part)


def iter_spellings(text: str) -> Iterator[str]:
    """Yield what may be a name with its module in a text: words, and lines of a stack trace."""
    for line in text.splitlines():
        if _TRACEBACK.match(line.strip()) or _LEADING.match(line.strip()):
            yield line
    for word in text.split():
        bare = word.strip("`'\",;?!")
        if _is_joined(bare):
            yield bare


def _is_joined(word: str) -> bool:
    """Say whether a separator of names stands between two signs of words, as in `a.b`, `A::go`."""
    first = _WORD_SIGN.search(word)
    last = _WORD_SIGN.search(word[::-1])
    if first is None or last is None or len(word) > LONGEST_NAME:
        return False
    return _SEPARATORS.search(word, first.end(), len(word) - last.end()) is not None


def find_symbol_at_line(symbols: Iterable[Symbol], line: int) -> list[Symbol]:
    """Return the innermost of the symbols around a line, alone; empty where none is around it."""
    around = [s for s in symbols if s.start_line <= line <= s.end_line]
    return sorted(around, key=lambda s: s.end_line - s.start_line)[:1]


class SpellingIndex:
    """Finds what spellings mean in a project; made for one question, however many it holds.

    What is read of the project stays for the next spelling.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        #: Folder → the words by which the project and the packages above it are named.
        self._roots: dict[str, frozenset[str]] = {}
        #: Path → the package that its facts declare, by parts.
        self._packages: dict[str, tuple[str, ...]] = {}

    @cached_property
    def files(self) -> Mapping[str, object]:
        """Return the indexed files."""
        return self._project.store.files()

    def find_symbols(self, text: str) -> list[Symbol]:
        """Return the symbols that a spelling means; empty where it names none of the project's."""
        spelled = parse_spelling(text)
        found = self._find_by_parts(spelled.parts)
        nested = tuple(name for part in spelled.parts for name in _NESTED.split(part))
        if not found and nested != spelled.parts:
            found = self._find_by_parts(nested)
        if not spelled.path:
            return found
        files = self._find_files(spelled.path)
        there = [symbol for symbol in found if symbol.path in files]
        if found or spelled.parts or len(files) != 1:
            return there or found
        symbols = self._project.store.symbols(paths=files)
        return find_symbol_at_line((s for s in symbols if s.kind not in PASSIVE), spelled.line)

    def _find_files(self, path: str) -> list[str]:
        """Return the indexed files that a path of a stack trace means."""
        parts = PurePosixPath(path.replace("\\", "/")).parts
        for first in range(len(parts)):
            end = "/".join(parts[first:])
            if same := self.find_files_ending(end):
                return same
        return []

    def find_files_ending(self, end: str) -> list[str]:
        """Return the indexed files whose path is, or ends with, `end`, in order."""
        return sorted(file for file in self.files if file == end or file.endswith(f"/{end}"))

    def _find_by_parts(self, parts: tuple[str, ...]) -> list[Symbol]:
        if not parts:
            return []
        named = {
            s: tuple(filter(None, _SEPARATORS.split(s.qualified)))
            for s in self._project.store.symbols(names=[parts[-1]])
            if s.kind not in PASSIVE
        }
        if whole := [s for s, own in named.items() if own[-len(parts) :] == parts]:
            return whole
        begun = {s: parts[: -len(own)] for s, own in named.items() if parts[-len(own) :] == own}
        self._load_packages([s.path for s in begun])
        rated = [(self._rate_module(s, leading), s) for s, leading in begun.items()]
        best = max((rate for rate, _ in rated), default=0)
        if best > 0:
            return [symbol for rate, symbol in rated if rate == best]
        if len(parts) < 2 and not self._is_module_name(parts[0]):
            return []
        return self._find_modules(parts)

    def _is_module_name(self, name: str) -> bool:
        return any(path.startswith((f"{name}/", f"src/{name}/")) for path in self.files)

    def _rate_module(self, symbol: Symbol, leading: tuple[str, ...]) -> int:
        """Return how well parts name a symbol's module: 3 all of them, 2 with the project, 0 not.

        1 is a namespace of C++, which no path tells, around a member of a class.
        """
        best = 0
        for module in self._spell_modules(symbol.path):
            if module[-len(leading) :] == leading:
                return 3
            best = best or self._rate_beyond(symbol.path, leading, module)
        is_c = symbol.path.endswith(_C_SUFFIXES) and "." in symbol.qualified
        return best or int(is_c)

    def _rate_beyond(self, path: str, leading: tuple[str, ...], module: tuple[str, ...]) -> int:
        """Return 2 where only the outermost parts are no module's, and they name the project."""
        known = _HERE | self._list_roots(path.rpartition("/")[0])
        for first, part in enumerate(leading, 1):
            if part not in known:
                return 0
            rest = leading[first:]
            if not rest or module[-len(rest) :] == rest:
                return 2
        return 0

    def _list_roots(self, folder: str) -> frozenset[str]:
        """Return the words by which the project and the packages around a folder are named."""
        if folder not in self._roots:
            above = folder.rpartition("/")[0]
            words = set(self._list_roots(above)) if folder else {self._project.root.name}
            for name in _read_manifest_names(self._project.root / folder):
                words.update(part for part in re.split(r"[./@]+", name) if part)
                words.add(name.replace("-", "_"))
            self._roots[folder] = frozenset(words)
        return self._roots[folder]

    def _spell_modules(self, path: str) -> Iterator[tuple[str, ...]]:
        """Yield the ways to name the module that a file is, by parts."""
        *folder, name = path.split("/")
        stem = name.partition(".")[0]
        yield (*folder, stem)
        yield (*folder, *name.split("."))
        yield tuple(folder)
        yield (*folder, f"{stem.capitalize()}Kt")
        yield (*folder, f"{stem}Kt")
        if package := self._packages.get(path):
            yield (*package, stem)
            yield package
            yield (*package, f"{stem}Kt")

    def _load_packages(self, paths: Iterable[str]) -> None:
        """Read which packages files declare, of so many files at most."""
        asked = [path for path in paths if path not in self._packages]
        for path, facts in self._project.store.facts(asked[:_MOST_PACKAGES]):
            package = parse_package(facts)
            is_name = re.fullmatch(r"[\w.]+", package)
            self._packages[path] = tuple(package.split(".")) if is_name else ()

    def _find_modules(self, parts: tuple[str, ...]) -> list[Symbol]:
        """Return the modules that parts name: `pkg.core`, `com.x`."""
        keys = []
        for path in sorted(self.files):
            *folder, name = path.split("/")
            stem = name.partition(".")[0]
            module = tuple(folder) if places.is_reexport(path) else (*folder, stem)
            if module[-len(parts) :] == parts and module:
                keys.append(path)
        found = self._project.store.symbols(paths=keys) if keys else []
        return [symbol for symbol in found if symbol.kind == SymbolKind.MODULE]


_C_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl")


def _read_manifest_names(folder: Path) -> list[str]:
    """Return the names that the manifests in a folder give to its package."""
    names = []
    for file, pattern in _MANIFESTS.items():
        names += pattern.findall(scan.read_source_text(folder, file))[:1]
    return names
