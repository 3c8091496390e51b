"""mem0: what `get_all` returned as JSON, the history's SQLite, or the folder of its local Qdrant.

Qdrant keeps points pickled. They are read with inert stand-ins for every class, so that nothing in
a file is ever run.
"""

import base64
import io
import pickle
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from gieok.machine.imports import tables
from gieok.machine.imports.chatgpt import first_item
from gieok.machine.imports.fields import line, listing, mapping, moment, text
from gieok.machine.imports.json_items import items
from gieok.model.conversation import Reject
from gieok.ports.imports import ImportedFact, ImportFiles, ImportPiece

_HISTORY, _POINTS = "history.db", "storage.sqlite"
_NEEDS = ("id", "memory_id", "old_memory", "new_memory", "event")


class Mem0Reader:
    """`ImportReader` of mem0."""

    def recognises(self, files: ImportFiles) -> bool:
        """Say whether there is one of its three forms."""
        return bool(_histories(files) or _collections(files) or _answers(files))

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield what holds, and of the history what was replaced or deleted."""
        held: set[str] = set()
        for name in _answers(files):
            yield from _noted(_answer(files, name), held)
        for file in _collections(files):
            yield from _noted(_points(file), held)
        for file in _histories(files):
            yield from _history(file, held)


def _noted(pieces: Iterator[ImportPiece], held: set[str]) -> Iterator[ImportPiece]:
    for piece in pieces:
        if isinstance(piece, ImportedFact):
            held.add(piece.id)
        yield piece


def _answers(files: ImportFiles) -> list[str]:
    return [name for name in files.names() if name.endswith(".json") and _is_answer(files, name)]


def _is_answer(files: ImportFiles, name: str) -> bool:
    first = first_item(files, name)
    rows = listing(first.get("results"))
    return "memory" in (mapping(rows[0]) if rows else first) and "id" in (
        mapping(rows[0]) if rows else first
    )


def _answer(files: ImportFiles, name: str) -> Iterator[ImportPiece]:
    place, modified = files.place(name), files.modified(name)
    for item in items(files, name):
        if isinstance(item, Reject):
            yield item
            continue
        found = mapping(item.value)
        for number, row in enumerate(listing(found.get("results")) or [found], start=item.number):
            yield _fact(mapping(row), place, number, modified)


def _fact(row: Mapping[str, object], place: str, number: int, modified: datetime) -> ImportPiece:
    said = line(row.get("memory")) or line(row.get("data"))
    identity = text(row.get("id"))
    if not said or not identity:
        return Reject(
            path=place,
            line=number,
            offset=number,
            length=0,
            reason="a memory without an id or without words",
        )
    at = moment(row.get("updated_at")) or moment(row.get("created_at")) or modified
    return ImportedFact(f"mem0:{identity}", said, at, place=place, line=number)


def _histories(files: ImportFiles) -> list[Path]:
    return [
        file for file in tables.databases(files, _HISTORY) if tables.has_tables(file, "history")
    ]


def _history(file: Path, held: set[str]) -> Iterator[ImportPiece]:
    """Yield every wording of every memory; the last one holds unless it was deleted, and `held` are
    those told already.
    """
    last: dict[str, tuple[str, str, datetime]] = {}
    for number, row in enumerate(
        tables.rows(file, "SELECT * FROM history ORDER BY rowid"), start=1
    ):
        if not {*_NEEDS} <= row.keys():
            yield Reject(
                path=str(file), line=number, offset=number, length=0, reason="no history of mem0"
            )
            return
        identity, event = text(row["memory_id"]), text(row["event"])
        at = (
            moment(row.get("updated_at"))
            or moment(row.get("created_at"))
            or datetime.fromtimestamp(0, UTC)
        )
        before = last.pop(identity, None)
        if event == "DELETE":
            continue
        said = line(row["new_memory"])
        if not said:
            yield Reject(
                path=str(file),
                line=number,
                offset=number,
                length=0,
                reason="a memory without words",
            )
            continue
        if before and before[1] != said:
            name, old, since = before
            yield ImportedFact(
                name,
                old,
                since,
                until=at,
                replaced_by=f"mem0:{identity}",
                place=str(file),
                line=number,
            )
        last[identity] = (f"mem0:{identity}@{number}", said, at)
    for identity, (_, said, at) in last.items():
        if f"mem0:{identity}" not in held:
            yield ImportedFact(f"mem0:{identity}", said, at, place=str(file))


def _collections(files: ImportFiles) -> list[Path]:
    return [file for file in tables.databases(files, _POINTS) if tables.has_tables(file, "points")]


def _points(file: Path) -> Iterator[ImportPiece]:
    for number, row in enumerate(
        tables.rows(file, "SELECT id, point FROM points ORDER BY rowid"), start=1
    ):
        try:
            payload = _payload(row["point"])
        except (
            pickle.UnpicklingError,
            EOFError,
            ValueError,
            TypeError,
            AttributeError,
            IndexError,
            KeyError,
        ) as error:
            yield Reject(
                path=str(file),
                line=number,
                offset=number,
                length=0,
                reason=f"a point that cannot be read: {error}",
            )
            continue
        if "data" in payload:  # mem0's own collection of its telemetry has none
            yield _fact(
                {**payload, "id": _identity(row["id"])},
                str(file),
                number,
                datetime.fromtimestamp(0, UTC),
            )


def _identity(value: object) -> str:
    """Return the id of a point, which Qdrant keeps pickled and in base64."""
    found = _Inert.load(base64.b64decode(str(value)))
    return found if isinstance(found, str) else str(found)


def _payload(point: object) -> Mapping[str, object]:
    if not isinstance(point, bytes | sqlite3.Binary):
        return {}
    return mapping(mapping(getattr(_Inert.load(bytes(point)), "state", {})).get("payload"))


class _Inert:
    """Stands in for any class of a pickle: it keeps what it is told, and does nothing."""

    def __init__(self, *_: object, **__: object) -> None:
        self.state: object = {}

    def __setstate__(self, state: object) -> None:
        self.state = mapping(state).get("__dict__", state)

    @staticmethod
    def load(data: bytes) -> object:
        """Read a pickle without running anything of it. Raises what `pickle` does."""
        return _InertUnpickler(io.BytesIO(data)).load()


class _InertUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> type[_Inert]:
        del module, name
        return _Inert
