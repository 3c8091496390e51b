"""Imports what `gieok export` wrote: JSON lines, files of days, notes of a vault."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from gieok import fs
from gieok.commands.memory import untrusted
from gieok.commands.memory.records import RecordShelf, follow_soon, scope_shelf
from gieok.commands.moving.export import RECORDS
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.hook import records
from gieok.memory.exchange import json_lines
from gieok.memory.exchange.intake import TakenIn
from gieok.memory.exchange.json_lines import Carrying
from gieok.memory.tiers import note_file
from gieok.memory.tiers.day_file import DayForm
from gieok.model.conversation import Reject
from gieok.model.memory import Entry, Scope, Tier
from gieok.places.home import PROJECT_FOLDER, scope_folder
from gieok.places.project import project_scope
from gieok.places.scope import USER_SCOPE
from gieok.ports.imports import ImportFiles

NAME = "gieok"
_DAY = "---\ngieok: day\n"
_LARGEST_BYTES = 20_000_000
_FEW = 20


def recognises(files: ImportFiles) -> bool:
    """Return whether `gieok export` wrote the files at a path."""
    if any(_is_lines(files, name) for name in files.names() if name.endswith(".jsonl")):
        return True
    return any(
        _is_own_export(_read_export_text(files, name)) for name in _list_note_names(files)[:_FEW]
    )


def _is_lines(files: ImportFiles, name: str) -> bool:
    with files.open(name) as stream:
        return json_lines.is_export(stream.read(100))


def _list_note_names(files: ImportFiles) -> list[str]:
    return [
        name
        for name in files.names()
        if name.endswith(note_file.SUFFIX) and PurePosixPath(name).parts[0] != RECORDS
    ]


def _read_export_text(files: ImportFiles, name: str) -> str:
    with files.open(name) as stream:
        return stream.read(_LARGEST_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")


def _is_own_export(text: str) -> bool:
    try:
        return text.startswith(_DAY) or note_file.read_note(text) is not None
    except note_file.BrokenNote:
        return True


def take(
    call: Call, files: ImportFiles, progress: Callable[[int], None], *, is_dry: bool
) -> TakenIn:
    """Import all files; records go to their own folder, if that folder is here.

    Raises StoreError.
    """
    taker = _Records(call, str(files.path), is_dry=is_dry)
    carrying = Carrying(
        journal=call.home.journal,
        store=call.home.store,
        clock=call.clock,
        place=str(files.path),
        into=call.scope if call.is_scope_named else None,
        other=taker.take,
        is_dry=is_dry,
        progress=progress,
    )
    for name in files.names():
        if name.endswith(".jsonl") and _is_lines(files, name):
            with files.open(name) as stream:
                carrying.place = files.place(name)
                carrying.take(stream)
    for name in _list_note_names(files):
        _take_note(carrying, files, name)
    for name in files.names():
        _take_record_file(carrying, taker, files, name)
    taker.follow()
    carrying.done.rejected += len(taker.rejects)
    carrying.done.rejects += taker.rejects
    return carrying.done


def _take_note(carrying: Carrying, files: ImportFiles, name: str) -> None:
    """Import the memories of a file for people, as people left the file."""
    text = _read_export_text(files, name)
    try:
        entries_by_scope = _parse_exported_memories(text)
        for scope, entries in entries_by_scope.items():
            own = carrying.scope_of(scope)
            carrying.done.scopes.add(own)
            carrying.put(
                own,
                [Entry(replace(e.document, scope=own, tier=Tier.HOT), e.passages) for e in entries],
            )
    except (ValueError, KeyError, TypeError, BadRequest) as error:
        carrying.done.rejected += 1
        carrying.done.rejects.append(
            Reject(path=files.place(name), line=0, offset=0, length=0, reason=str(error))
        )


def _parse_exported_memories(text: str) -> Mapping[Scope, list[Entry]]:
    """Return the memories of a day's file or of a note, by scope.

    Empty for a file that Gieok did not write.
    """
    if text.startswith(_DAY):
        head = text.split("---\n", 2)[1]
        scope = Scope(
            json.loads(next(row for row in head.split("\n") if row.startswith("scope: "))[7:])
        )
        return {scope: [written.entry for written in DayForm().parse(scope, text).memories]}
    note = note_file.read_note(text)
    return {note.entry.document.scope: [note.entry]} if note and note.entry else {}


def _take_record_file(carrying: Carrying, taker: "_Records", files: ImportFiles, name: str) -> None:
    parts = PurePosixPath(name).parts
    if len(parts) == 5 and parts[0] == RECORDS and parts[1] == scope_folder(USER_SCOPE):
        row = {
            "scope": USER_SCOPE,
            "folder": "",
            "shelf": parts[2],
            "path": "/".join(parts[3:]),
        }
        carrying.done.memories += taker.take(
            {**row, "is": "record", "text": _read_export_text(files, name)}
        )


class _Records:
    """Writer of records to the shelves that are here."""

    def __init__(self, call: Call, place: str, *, is_dry: bool) -> None:
        self._call, self._place, self._is_dry = call, place, is_dry
        self._touched: set[RecordShelf] = set()
        self.rejects: list[Reject] = []

    def take(self, row: Mapping[str, Any]) -> bool:
        """Write one record; return whether the record is new here."""
        shelf, name, folder = (
            str(row.get("shelf")),
            PurePosixPath(str(row.get("path"))),
            str(row.get("folder", "")),
        )
        is_safe = (
            shelf in records.SHELVES
            and len(name.parts) == 2
            and name.suffix == ".md"
            and ".." not in name.parts
        )
        if row.get("is") != "record" or not is_safe:
            return self._reject(f"no record: {name}")
        record_shelf = self._shelf(folder, Scope(str(row.get("scope") or USER_SCOPE)))
        if record_shelf is None:
            return self._reject(
                f"{folder} is not on this machine: its records travel with the project itself"
            )
        file = record_shelf.base / shelf / name
        if not records.is_inside(record_shelf.base, file):
            return self._reject(f"{file} leads out of {record_shelf.base}")
        data = str(row["text"]).encode("utf-8", "surrogateescape")
        with record_shelf.lock(self._call.home.folder):
            if file.exists():
                return (
                    self._reject(f"{file} says something else here, and stays")
                    if file.read_bytes() != data
                    else False
                )
            if not self._is_dry:
                self._write(record_shelf, file, data)
        return True

    def _write(self, kept: RecordShelf, file: Path, data: bytes) -> None:
        fs.replace_private(file, data)
        if kept.is_project:
            untrusted.grant_record_trust(self._call.home.folder, kept.base, file)
        self._touched.add(kept)

    def _shelf(self, folder: str, scope: Scope) -> RecordShelf | None:
        if not folder:
            return scope_shelf(self._call, scope)
        base = Path(folder) / PROJECT_FOLDER
        return RecordShelf(base, Scope(project_scope(folder))) if base.is_dir() else None

    def _reject(self, why: str) -> bool:
        self.rejects.append(Reject(path=self._place, line=0, offset=0, length=0, reason=why))
        return False

    def follow(self) -> None:
        """Index what was written."""
        for shelf in sorted(self._touched):
            follow_soon(self._call, shelf)
