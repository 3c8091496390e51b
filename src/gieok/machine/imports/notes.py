"""Markdown notes of basic-memory."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath

from gieok.errors import BadRequest
from gieok.machine.imports.fields import parse_field_time, split_prose_statements
from gieok.model.conversation import Reject
from gieok.ports.imports import ImportedFact, ImportFiles, ImportPiece
from gieok.text.encoding import decode_note_bytes
from gieok.text.markdown import FrontMatter, front_matter

_LARGEST_BYTES = 5_000_000
_FEW = 50
#: A category of one letter is the mark of a task; a category that begins with a digit is a time.
_OBSERVED = re.compile(r"^\s*[-*]\s+\[([^\[\]()\d][^\[\]()]+)\]\s+(.+)$")
_RELATED = re.compile(r"^\s*[-*]\s+(?:\"([^\"]+)\"|'([^']+)'|(\S+))\s+\[\[([^\[\]]+)\]\]")
#: Headings above basic-memory's own lines.
_PARTS = re.compile(r"^#+\s+(?:Observations|Relations)\s*$", re.IGNORECASE)
_CONTEXT = re.compile(r"\s*\(([^()]*)\)$")
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")
_CATEGORIES = {
    "preference": "preference",
    "decision": "decision",
    "task": "task",
    "todo": "task",
    "requirement": "decision",
}


class BasicMemoryReader:
    """`ImportReader` of basic-memory.

    Its lines are `- [category] fact #tag (context)` and `- relation [[Note]]`.
    """

    def recognises(self, files: ImportFiles) -> bool:
        """Say whether a note has a `permalink`, or lines of basic-memory's form."""
        return any(
            "permalink" in front.fields
            or ("title" in front.fields and any(map(_OBSERVED.match, text.split("\n"))))
            for _, text, front in _peek_first_notes(files)
            if "session_id" not in front.fields
        )

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield each fact and relation with the note's title, then the rest of the note."""
        for entry in _read_notes(files, _list_markdown_names(files)):
            if isinstance(entry, Reject):
                yield entry
                continue
            name, text, front = entry
            title = front.fields.get("title") or PurePosixPath(name).stem
            at = _read_note_date(front.fields, files.modified(name))
            note = f"basic-memory:{front.fields.get('permalink') or name}"
            rest: list[str] = [""] * front.end_line
            for number, row in enumerate(
                text.split("\n")[front.end_line :], start=front.end_line + 1
            ):
                statement, category = _own_line(row, title)
                rest.append("" if statement or _PARTS.match(row) else row)
                if statement:
                    yield _build_note_fact(note, statement, at, category, files.place(name), number)
            for number, statement in split_prose_statements("\n".join(rest)):
                yield _build_note_fact(
                    note, _with_title(statement, title), at, "", files.place(name), number
                )


def _read_notes(
    files: ImportFiles, names: list[str]
) -> Iterator[tuple[str, str, FrontMatter] | Reject]:
    """Yield the name, text and front matter of each note, or why it cannot be read."""
    for name in names:
        try:
            with files.open(name) as stream:
                data = stream.read(_LARGEST_BYTES + 1)
        except (BadRequest, OSError) as error:
            yield Reject(path=files.place(name), line=0, offset=0, length=0, reason=str(error))
            continue
        decoded = decode_note_bytes(data)
        if decoded is None or len(data) > _LARGEST_BYTES:
            yield Reject(
                path=files.place(name),
                line=0,
                offset=0,
                length=len(data),
                reason="no text, or too long for a note",
            )
        else:
            text = decoded.text.replace("\r\n", "\n")
            yield name, text, front_matter(text)


def _list_markdown_names(files: ImportFiles) -> list[str]:
    return [name for name in files.names() if name.lower().endswith(".md")]


def _peek_first_notes(files: ImportFiles) -> Iterator[tuple[str, str, FrontMatter]]:
    for note in _read_notes(files, _list_markdown_names(files)[:_FEW]):
        if not isinstance(note, Reject):
            yield note


def _own_line(row: str, title: str) -> tuple[str, str]:
    """Return the statement of a line of basic-memory's form, and its category.

    Both are '' for any other line.
    """
    if related := _RELATED.match(row):
        relation = next(part for part in related.groups()[:3] if part)
        return f"{title} {relation.replace('_', ' ')} {related[4].partition('|')[0]}", "state"
    observed = _OBSERVED.match(row)
    if not observed:
        return "", ""
    statement = _CONTEXT.sub(r" (\1)", _TAG.sub(r"\1", observed[2]).strip())
    category = observed[1].strip()
    return f"{_with_title(statement, title)}", _CATEGORIES.get(category.lower(), "")


def _with_title(said: str, title: str) -> str:
    return said if title.lower() in said.lower() else f"{title}: {said}"


def _read_note_date(fields: Mapping[str, str], modified: datetime) -> datetime:
    dates = (
        parse_field_time(fields.get(field, ""))
        for field in ("created", "date", "created_at", "modified", "updated")
    )
    return next(filter(None, dates), modified)


def _build_note_fact(
    note: str, statement: str, at: datetime, category: str, place: str, number: int
) -> ImportedFact:
    identity = hashlib.sha256(f"{place}\0{statement}".encode("utf-8", "replace")).hexdigest()[:24]
    return ImportedFact(f"{note}:{identity}", statement, at, category, place=place, line=number)
