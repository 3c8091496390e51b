"""mem0: the JSON result of `get_all`, the history's SQLite file, or its local Qdrant folder.

Qdrant pickles its points. They are read with inert stand-ins for every class, so that no code in a
file is ever run.
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
from gieok.machine.imports.fields import (
    listing,
    parse_field_time,
    read_mapping,
    read_one_line,
    text,
)
from gieok.machine.imports.json_items import items
from gieok.model.conversation import Reject
from gieok.ports.imports import ImportedFact, ImportFiles, ImportPiece

_HISTORY, _POINTS = "history.db", "storage.sqlite"
_NEEDS = ("id", "memory_id", "old_memory", "new_memory", "event")


class Mem0Reader:
    """`ImportReader` of mem0."""

    def recognises(self, files: ImportFiles) -> bool:
        """Say whether the files are in one of mem0's three forms."""
        return bool(
            _find_mem0_histories(files)
            or _find_qdrant_collections(files)
            or _list_mem0_answers(files)
        )

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield the current memories, and from the history those that were replaced or deleted."""
        held: set[str] = set()
        for name in _list_mem0_answers(files):
            yield from _collect_fact_ids(_parse_mem0_answer(files, name), held)
        for file in _find_qdrant_collections(files):
            yield from _collect_fact_ids(_read_qdrant_points(file), held)
        for file in _find_mem0_histories(files):
            yield from _read_mem0_history(file, held)


def _collect_fact_ids(pieces: Iterator[ImportPiece], held: set[str]) -> Iterator[ImportPiece]:
    for piece in pieces:
        if isinstance(piece, ImportedFact):
            held.add(piece.id)
        yield piece


def _list_mem0_answers(files: ImportFiles) -> list[str]:
    return [
        name for name in files.names() if name.endswith(".json") and _is_mem0_answer(files, name)
    ]


def _is_mem0_answer(files: ImportFiles, name: str) -> bool:
    first = first_item(files, name)
    rows = listing(first.get("results"))
    return "memory" in (read_mapping(rows[0]) if rows else first) and "id" in (
        read_mapping(rows[0]) if rows else first
    )


def _parse_mem0_answer(files: ImportFiles, name: str) -> Iterator[ImportPiece]:
    place, modified = files.place(name), files.modified(name)
    for item in items(files, name):
        if isinstance(item, Reject):
            yield item
            continue
        answer = read_mapping(item.value)
        for number, row in enumerate(listing(answer.get("results")) or [answer], start=item.number):
            yield _parse_mem0_fact(read_mapping(row), place, number, modified)


def _parse_mem0_fact(
    row: Mapping[str, object], place: str, number: int, modified: datetime
) -> ImportPiece:
    statement = read_one_line(row.get("memory")) or read_one_line(row.get("data"))
    identity = text(row.get("id"))
    if not statement or not identity:
        return Reject(
            path=place,
            line=number,
            offset=number,
            length=0,
            reason="a memory without an id or without words",
        )
    at = (
        parse_field_time(row.get("updated_at"))
        or parse_field_time(row.get("created_at"))
        or modified
    )
    return ImportedFact(f"mem0:{identity}", statement, at, place=place, line=number)


def _find_mem0_histories(files: ImportFiles) -> list[Path]:
    return [
        file
        for file in tables.find_sqlite_files(files, _HISTORY)
        if tables.has_tables(file, "history")
    ]


def _read_mem0_history(file: Path, held: set[str]) -> Iterator[ImportPiece]:
    """Yield every wording of every memory, except those in `held`, which were yielded already.

    The last wording of a memory holds unless the memory was deleted.
    """
    last: dict[str, tuple[str, str, datetime]] = {}
    for number, row in enumerate(
        tables.read_query_rows(file, "SELECT * FROM history ORDER BY rowid"), start=1
    ):
        if not {*_NEEDS} <= row.keys():
            yield Reject(
                path=str(file), line=number, offset=number, length=0, reason="no history of mem0"
            )
            return
        identity, event = text(row["memory_id"]), text(row["event"])
        at = (
            parse_field_time(row.get("updated_at"))
            or parse_field_time(row.get("created_at"))
            or datetime.fromtimestamp(0, UTC)
        )
        before = last.pop(identity, None)
        if event == "DELETE":
            continue
        wording = read_one_line(row["new_memory"])
        if not wording:
            yield Reject(
                path=str(file),
                line=number,
                offset=number,
                length=0,
                reason="a memory without words",
            )
            continue
        if before and before[1] != wording:
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
        last[identity] = (f"mem0:{identity}@{number}", wording, at)
    for identity, (_, wording, at) in last.items():
        if f"mem0:{identity}" not in held:
            yield ImportedFact(f"mem0:{identity}", wording, at, place=str(file))


def _find_qdrant_collections(files: ImportFiles) -> list[Path]:
    return [
        file
        for file in tables.find_sqlite_files(files, _POINTS)
        if tables.has_tables(file, "points")
    ]


def _read_qdrant_points(file: Path) -> Iterator[ImportPiece]:
    for number, row in enumerate(
        tables.read_query_rows(file, "SELECT id, point FROM points ORDER BY rowid"), start=1
    ):
        try:
            payload = _unpickle_point_payload(row["point"])
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
            yield _parse_mem0_fact(
                {**payload, "id": _decode_point_id(row["id"])},
                str(file),
                number,
                datetime.fromtimestamp(0, UTC),
            )


def _decode_point_id(value: object) -> str:
    """Return the id of a point, which Qdrant pickles and encodes in base64."""
    identity = _Inert.load(base64.b64decode(str(value)))
    return identity if isinstance(identity, str) else str(identity)


def _unpickle_point_payload(point: object) -> Mapping[str, object]:
    if not isinstance(point, bytes | sqlite3.Binary):
        return {}
    return read_mapping(
        read_mapping(getattr(_Inert.load(bytes(point)), "state", {})).get("payload")
    )


class _Inert:
    """Stand-in for any class of a pickle: it stores the state that it is given, and does
    nothing.
    """

    def __init__(self, *_: object, **__: object) -> None:
        self.state: object = {}

    def __setstate__(self, state: object) -> None:
        self.state = read_mapping(state).get("__dict__", state)

    @staticmethod
    def load(data: bytes) -> object:
        """Read a pickle without running any code of it. Raises the exceptions of `pickle`."""
        return _InertUnpickler(io.BytesIO(data)).load()


class _InertUnpickler(pickle.Unpickler):
    """Unpickler that replaces every class by `_Inert`."""

    def find_class(self, module: str, name: str) -> type[_Inert]:
        del module, name
        return _Inert
