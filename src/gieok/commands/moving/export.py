"""`gieok export`: write all memory in a form that others read and `gieok import` takes back."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import IO, Annotated, Any, NamedTuple

from gieok import fs
from gieok.commands.absence import gap_lines
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Omitted
from gieok.commands.memory import behind, forget_steps, gaps
from gieok.commands.memory.records import shelf_at
from gieok.errors import BadRequest
from gieok.flow.distil import deliver
from gieok.home.call import Call
from gieok.hook import records
from gieok.memory.exchange import json_lines
from gieok.memory.tiers import note_file
from gieok.memory.tiers.day_file import DayForm
from gieok.memory.tiers.shelf import Contents, Written
from gieok.model.memory import REPLACED_BY, Document, Entry, Scope, Tier
from gieok.places.home import scope_folder
from gieok.text.messages import Words

FORMATS = ("jsonl", "markdown", "obsidian")
#: Folder of the records in an export for people.
RECORDS = "records"
_EVERY = 500


class ExportedRecord(NamedTuple):
    """Record: its project's folder ('' for the user's own), shelf, path there, and text."""

    scope: Scope
    folder: str
    shelf: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class MemoryExportResult:
    """Place of the export, and the number of items."""

    path: Path
    format: str
    memories: int
    replaced: int
    messages: int
    records: int
    scopes: tuple[Scope, ...]
    #: Items that are missing from the export; left out where none are.
    not_looked_at: Omitted[tuple[Words, ...]] = None

    @property
    def found(self) -> bool:
        """False where nothing is remembered."""
        return bool(self.memories or self.replaced or self.messages or self.records)


def render_export(result: MemoryExportResult, style: Style) -> str:
    """Show where the export is, and what the export lacks."""
    lines = [
        style.say(
            (
                "{memories:,} memories, {replaced:,} of the history, {messages:,} messages, "
                "{records:,} records"
            ),
            memories=result.memories,
            replaced=result.replaced,
            messages=result.messages,
            records=result.records,
        ),
        f"→ {style.bold(printable(str(result.path)))}",
    ]
    if result.format != "jsonl":
        format_note = Words("messages and history are in `--format jsonl` alone")
        lines.append(style.dim(format_note.say(style.lang)))
    return "\n".join([*lines, *gap_lines(result.not_looked_at, style)])


@command(
    "export",
    Words("Write all that is remembered to a file, or a folder that people read"),
    present=render_export,
    effect=Effect.WRITE,
    examples=(
        "gieok export",
        "gieok export --format obsidian --to ~/vault/Gieok",
        "gieok export --scope agent:work",
    ),
)
def export_memory(
    call: Call,
    *,
    format: Annotated[
        str,
        Parameter(
            Words(
                "jsonl: everything, to be imported again; markdown: a file a day; obsidian: a "
                "note a memory"
            ),
            choices=FORMATS,
        ),
    ] = "jsonl",
    to: Annotated[
        str, Parameter(Words("the file, or the folder, which must be new (default: here)"))
    ] = "",
) -> MemoryExportResult:
    """Write the whole export, or nothing under its name: a partial export is removed on failure."""
    day = call.clock.now().astimezone(call.zone).date()
    ending = ".jsonl" if format == "jsonl" else f"-{format}"
    target = call.caller.path(to or f"gieok-{day}{ending}")
    if target.exists() and (not target.is_dir() or format == "jsonl" or any(target.iterdir())):
        raise BadRequest(
            "{target!r} is there already", target=target, hint="name another with --to"
        )
    counts = dict.fromkeys(("memory", "replaced", "message", "record"), 0)
    late = behind.caught_up(call, use_vectors=False)
    write = {"jsonl": _write_lines, "markdown": _write_days, "obsidian": _write_notes}[format]
    write(call, target, _build_export_counter(call, counts))
    return MemoryExportResult(
        path=target,
        format=format,
        memories=counts["memory"],
        replaced=counts["replaced"],
        messages=counts["message"],
        records=counts["record"],
        scopes=tuple(_list_exported_scopes(call)),
        not_looked_at=tuple(_list_export_gaps(call, late)) or None,
    )


def _list_export_gaps(call: Call, late: behind.Behind | None) -> Iterator[Words]:
    """Yield what was said and is not in the export.

    Messages that wait to be searchable are in the export.
    """
    if late and (late.transcripts or late.why):
        yield late.words()
    yield from gaps.gaps_of_transcripts(call)


def _build_export_counter(call: Call, counts: dict[str, int]) -> Callable[[str], None]:
    progress = call.progress(call.words("exported"))

    def count(kind: str) -> None:
        counts[kind] = counts.get(kind, 0) + 1
        if sum(counts.values()) % _EVERY == 0:
            progress(sum(counts.values()))

    return count


def _list_exported_scopes(call: Call) -> list[Scope]:
    if call.is_scope_named:
        return [call.scope]
    journal = call.home.journal
    return sorted({*journal.scopes(), *journal.made_scopes()})


def _iter_exported_records(call: Call) -> Iterator[ExportedRecord]:
    """Yield records of the user, of scopes that programs made, and of indexed projects."""
    for base in forget_steps.list_record_folders(call):
        record_shelf = shelf_at(call, base)
        scope = record_shelf.scope
        if call.is_scope_named and scope != call.scope:
            continue
        for shelf in records.SHELVES:
            for file in records.list_records(base, shelf):
                path = file.relative_to(base / shelf).as_posix()
                text = records.read_record_text(file)
                yield ExportedRecord(
                    scope=scope,
                    folder=str(base.parent) if record_shelf.is_project else "",
                    shelf=shelf,
                    path=path,
                    text=text,
                )


def _write_lines(call: Call, target: Path, count: Callable[[str], None]) -> None:
    fs.make_private(target.parent)
    part = target.with_name(f"{target.name}.part")
    fs.create_private(part)
    journal, store = call.home.journal, call.home.store
    with part.open("w", encoding="utf-8", newline="\n") as file:
        _write_line(file, json_lines.HEADER)
        for row in json_lines.iter_export_lines(journal, store, _list_exported_scopes(call)):
            _write_line(file, row)
            count(row["is"])
        for record in _iter_exported_records(call):
            _write_line(file, {"is": "record", **record._asdict(), "scope": record.scope.path})
            count("record")
        file.flush()
        os.fsync(file.fileno())
    part.replace(target)


def _write_line(file: IO[str], row: dict[str, Any]) -> None:
    line = json.dumps(row, ensure_ascii=False)
    if not line.isascii() and line.encode("utf-8", "replace").decode() != line:
        line = json.dumps(row)  # halves of pairs, which UTF-8 has no bytes for
    file.write(line + "\n")


def _iter_exported_entries(call: Call, scope: Scope) -> Iterator[Entry]:
    deliver(call.home.journal, call.home.store)
    yield from json_lines.iter_export_entries(call.home.journal, call.home.store, scope)


def _find_valid_since(document: Document) -> datetime:
    return document.said_at


def _write_days(call: Call, target: Path, count: Callable[[str], None]) -> None:
    form = DayForm(call.zone)
    for scope in _list_exported_scopes(call):

        def day_of(entry: Entry) -> str:
            return _find_valid_since(entry.document).astimezone(call.zone).date().isoformat()

        exported = sorted(
            _iter_exported_entries(call, scope),
            key=lambda entry: (day_of(entry), entry.document.key),
        )
        for day, entries in groupby(exported, key=day_of):
            contents = Contents(tuple(Written(entry) for entry in entries))
            file = target / scope_folder(scope.path) / f"{day}.md"
            fs.replace_private(
                file, form.render(scope, Tier.HOT, file.name, contents).encode("utf-8", "replace")
            )
            for _ in contents.memories:
                count("memory")
    _write_records(call, target, count)


def _write_notes(call: Call, target: Path, count: Callable[[str], None]) -> None:
    """Write a note for each memory; names are chosen first, so that links between notes resolve."""
    for scope in _list_exported_scopes(call):
        folder = scope_folder(scope.path)
        names: dict[str, str] = {}
        replaces: dict[str, list[str]] = {}
        form = note_file.NoteForm(folder, call.zone)
        for entry in _iter_exported_entries(call, scope):
            day = _find_valid_since(entry.document).astimezone(call.zone).date()
            names[entry.document.key] = form.path(entry.document, day)
            if by := entry.document.metadata.get(REPLACED_BY):
                replaces.setdefault(by, []).append(entry.document.key)
        for entry in _iter_exported_entries(call, scope):
            text = note_file.format_note(
                entry, call.zone, _build_note_links(entry.document, names, replaces)
            )
            fs.replace_private(target / names[entry.document.key], text.encode("utf-8", "replace"))
            count("memory")
    _write_records(call, target, count)


def _build_note_links(
    document: Document, names: dict[str, str], replaces: dict[str, list[str]]
) -> note_file.NoteLinks:
    def link(key: str) -> str:
        return names.get(key, "").removesuffix(note_file.SUFFIX)

    older = tuple(link(key) for key in sorted(replaces.get(document.key, ())))
    return note_file.NoteLinks(link(document.metadata.get(REPLACED_BY, "")), older)


def _write_records(call: Call, target: Path, count: Callable[[str], None]) -> None:
    for record in _iter_exported_records(call):
        file = target / RECORDS / scope_folder(record.scope.path) / record.shelf / record.path
        fs.replace_private(file, record.text.encode("utf-8", "surrogateescape"))
        count("record")
