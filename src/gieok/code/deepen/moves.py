"""Tell symbols that a sync brought from those that only moved.

A move may be seen in two syncs: one finds the old place gone, another the new one. What went is
kept for a day beside the log of changes, so that the second sync knows it again.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.code.index.project import Project, ProjectChange
from gieok.code.languages.places import is_document, is_test_code
from gieok.code.model import layout
from gieok.code.model.facts import DEFINITIONS, SymbolKind
from gieok.model.code import Symbol

_FILE = "logs/gone.json"
_LARGEST_BYTES = 4_000_000
_MOST_KEPT = 5_000
_KEPT_FOR = timedelta(days=1)
#: Kinds of symbols that are new to a deeper look.
_LOOKED_AT = (SymbolKind.MODULE, SymbolKind.CLASS)


class BroughtSymbols(NamedTuple):
    """Keys of a kind of symbols that a sync brought, in order, and new key → old key of those that
    only moved.
    """

    new: list[str]
    moved: dict[str, str]


class GoneSymbol(NamedTuple):
    """Symbol that went lately, and the time in UTC when a sync saw it gone."""

    key: str
    kind: str
    code_hash: str
    at: str


def compare_symbols(project: Project, change: ProjectChange) -> dict[str, BroughtSymbols]:
    """Return which modules and classes are new, and which only moved; tests and documents left out.

    Moved is what has the same code as one that is gone, now or lately: each that is gone stands for
    one. A module without functions and classes is not new. Call it once a sync, under its lock.
    """
    at = project.clock.now()
    stored = _read_gone(project.root)
    known = [row for row in stored if row.at >= (at - _KEPT_FOR).isoformat()]
    before, after = _select_looked_at(change.was), _select_looked_at(change.now)
    went = [
        GoneSymbol(key, symbol.kind, symbol.code_hash, at.isoformat())
        for key, symbol in sorted(before.items())
        if key not in after
    ]
    # What is there again did not go.
    known = [row for row in known if row.key not in after]
    fresh = sorted(after.keys() - before.keys())
    gone_already = {row.key for row in (*known, *went)}
    vanished = _find_vanished_symbols(project, at.isoformat(), gone_already) if fresh else []
    gone: dict[tuple[str, str], list[GoneSymbol]] = defaultdict(list)
    for row in (*reversed(known), *vanished, *reversed(went)):
        gone[row.kind, row.code_hash].append(row)
    holding = {symbol.path for symbol in change.now if symbol.kind in DEFINITIONS}
    brought = {str(kind): BroughtSymbols([], {}) for kind in _LOOKED_AT}
    for key in fresh:
        symbol = after[key]
        rows = brought[symbol.kind]
        if same := gone[symbol.kind, symbol.code_hash]:
            rows.moved[key] = same.pop().key
        elif symbol.kind != SymbolKind.MODULE or symbol.path in holding:
            rows.new.append(key)
    used = {key for rows in brought.values() for key in rows.moved.values()}
    left = [row for row in (*known, *went) if row.key not in used][-_MOST_KEPT:]
    if left != stored and (left or used):
        layout.write_code_file(project.root, _FILE, json.dumps(left, ensure_ascii=False))
    return brought


def _select_looked_at(symbols: Iterable[Symbol]) -> dict[str, Symbol]:
    return {
        symbol.key: symbol
        for symbol in symbols
        if symbol.kind in _LOOKED_AT
        and not is_document(symbol.path)
        and not is_test_code(symbol.path, symbol.traits)
    }


def _find_vanished_symbols(project: Project, at: str, known: set[str]) -> list[GoneSymbol]:
    """Return the symbols of indexed files that are not on the disk.

    A sync of one file leaves them in the index, where it sees the new place of a move alone.
    """
    paths = [path for path in project.store.files() if not (project.root / path).exists()]
    symbols: Sequence[Symbol] = project.store.symbols(paths=paths) if paths else ()
    return [
        GoneSymbol(key, symbol.kind, symbol.code_hash, at)
        for key, symbol in _select_looked_at(symbols).items()
        if key not in known
    ]


def _read_gone(root: Path) -> list[GoneSymbol]:
    """Return the symbols that went lately, oldest first; none where the file is not one of ours."""
    try:
        rows = json.loads(fs.read_regular_file(root / layout.FOLDER / _FILE, _LARGEST_BYTES))
        return [GoneSymbol(*map(str, row)) for row in rows]
    except (OSError, ValueError, TypeError):
        return []
