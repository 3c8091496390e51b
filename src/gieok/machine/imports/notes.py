"""Markdown memory of other programs: basic-memory, memsearch and Claude Code.

They are basic-memory's notes, memsearch's day logs and Claude Code's own memory.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time
from pathlib import Path, PurePosixPath

from gieok.errors import BadRequest
from gieok.machine.imports.fields import parse_field_time, split_prose_statements
from gieok.model.conversation import Reject
from gieok.ports.imports import ImportedFact, ImportFiles, ImportPiece
from gieok.text.encoding import decode_note_bytes
from gieok.text.markdown import FrontMatter, front_matter
from gieok.text.written_days import day_in_name

_LARGEST_BYTES = 5_000_000
_FEW = 50
#: A category of one letter is the mark of a task; a category that begins with a digit is a time.
_OBSERVED = re.compile(r"^\s*[-*]\s+\[([^\[\]()\d][^\[\]()]+)\]\s+(.+)$")
_RELATED = re.compile(r"^\s*[-*]\s+(?:\"([^\"]+)\"|'([^']+)'|(\S+))\s+\[\[([^\[\]]+)\]\]")
_LINK_ALONE = re.compile(r"^\s*[-*]\s+\[[^\]]*\]\([^)\s]+\.md\)")
#: Headings above basic-memory's own lines.
_PARTS = re.compile(r"^#+\s+(?:Observations|Relations)\s*$", re.IGNORECASE)
_CONTEXT = re.compile(r"\s*\(([^()]*)\)$")
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")
_CLOCK = re.compile(r"^#{2,4}\s+(?:Session\s+)?(\d{1,2}):(\d\d)\s*$")
_ANCHOR = re.compile(r"^<!--\s*session:\S*\s+turn:")
_CATEGORIES = {
    "preference": "preference",
    "decision": "decision",
    "task": "task",
    "todo": "task",
    "requirement": "decision",
}
#: The types that Claude Code gives its own notes.
_CLAUDE_TYPES = {"user": "preference", "feedback": "preference"}


class _Notes:
    """Base of the readers: the Markdown files, each with its text and front matter."""

    def _texts(
        self, files: ImportFiles, names: list[str]
    ) -> Iterator[tuple[str, str, FrontMatter] | Reject]:
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


def _peek_first_notes(reader: _Notes, files: ImportFiles) -> Iterator[tuple[str, str, FrontMatter]]:
    # Of this module.
    for note in reader._texts(files, _list_markdown_names(files)[:_FEW]):  # noqa: SLF001
        if not isinstance(note, Reject):
            yield note


class BasicMemoryReader(_Notes):
    """`ImportReader` of basic-memory.

    Its lines are `- [category] fact #tag (context)` and `- relation [[Note]]`.
    """

    def recognises(self, files: ImportFiles) -> bool:
        """Say whether a note has a `permalink`, or lines of basic-memory's form."""
        return any(
            "permalink" in front.fields
            or ("title" in front.fields and any(map(_OBSERVED.match, text.split("\n"))))
            for _, text, front in _peek_first_notes(self, files)
            if "session_id" not in front.fields
        )

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield each fact and relation with the note's title, then the rest of the note."""
        for entry in self._texts(files, _list_markdown_names(files)):
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


class MemsearchReader(_Notes):
    """`ImportReader` of memsearch: `.memsearch/memory/YYYY-MM-DD.md` with `### HH:MM` and
    bullets.
    """

    def recognises(self, files: ImportFiles) -> bool:
        """Say whether the folder is memsearch's, or a log has memsearch's marks."""
        return bool(_list_day_logs(files)) and (
            ".memsearch" in files.path.parts
            or any(".memsearch" in PurePosixPath(name).parts for name in files.names())
            or any(
                _ANCHOR.match(row)
                for _, text, _ in _peek_first_notes(self, files)
                for row in text.split("\n")
            )
        )

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield the lines of each day."""
        for entry in self._texts(files, _list_day_logs(files)):
            if isinstance(entry, Reject):
                yield entry
                continue
            name, text, _ = entry
            day, clock, project = (
                day_in_name(PurePosixPath(name).stem),
                time(),
                _find_memsearch_project(files, name),
            )
            rows = text.split("\n")
            times: list[time] = []
            for row in rows:
                if stamp := _CLOCK.match(row):
                    clock = time(int(stamp[1]) % 24, int(stamp[2]) % 60)
                times.append(clock)
            plain = "\n".join(
                "" if _CLOCK.match(row) or row.startswith("<!--") else row for row in rows
            )
            for number, statement in split_prose_statements(plain):
                # Times in the log are of the machine that wrote it: this machine, or one in the
                # same zone in all likelihood.
                at = (
                    datetime.combine(day, times[number - 1]).astimezone(UTC)
                    if day
                    else files.modified(name)
                )
                if not statement.startswith("Memory summary unavailable"):
                    yield _build_note_fact(
                        "memsearch", statement, at, "", files.place(name), number, project
                    )


def _list_day_logs(files: ImportFiles) -> list[str]:
    return [name for name in _list_markdown_names(files) if day_in_name(PurePosixPath(name).stem)]


def _find_memsearch_project(files: ImportFiles, name: str) -> str:
    """Return the project folder that contains memsearch's folder."""
    parts = Path(files.place(name)).parts
    return str(Path(*parts[: parts.index(".memsearch")])) if ".memsearch" in parts[1:] else ""


class ClaudeCodeReader(_Notes):
    """`ImportReader` of Claude Code: `CLAUDE.md` and its `memory` folders of projects."""

    def recognises(self, files: ImportFiles) -> bool:
        """Say whether there is a `CLAUDE.md`, or a `memory` folder with Claude Code's index."""
        return bool(_claude_files(files))

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield the statements of each file; index lines that only point to a file are left out."""
        for entry in self._texts(files, _claude_files(files)):
            if isinstance(entry, Reject):
                yield entry
                continue
            name, text, front = entry
            category = _CLAUDE_TYPES.get(front.fields.get("type", ""), "")
            rows = ["" if _LINK_ALONE.match(row) else row for row in text[front.end :].split("\n")]
            about = front.fields.get("description", "") if front.fields.get("name") else ""
            if about:
                yield _build_note_fact(
                    "claude-code", about, files.modified(name), category, files.place(name), 1
                )
            for number, statement in split_prose_statements("\n".join(rows)):
                yield _build_note_fact(
                    "claude-code",
                    statement,
                    files.modified(name),
                    category,
                    files.place(name),
                    number + front.end_line,
                )


def _claude_files(files: ImportFiles) -> list[str]:
    names = [(name, PurePosixPath(name)) for name in _list_markdown_names(files)]
    indexed = {path.parent for _, path in names if path.name == "MEMORY.md"}
    memory_files = []
    for name, path in names:
        parts = (*files.path.parts[-2:], *path.parts)
        is_memory = "memory" in parts[:-1] and (
            ".claude" in files.path.parts or path.parent in indexed
        )
        if path.name in ("CLAUDE.md", "CLAUDE.local.md") or (
            is_memory and not day_in_name(path.stem)
        ):
            memory_files.append(name)
    return memory_files


def _read_note_date(fields: Mapping[str, str], modified: datetime) -> datetime:
    dates = (
        parse_field_time(fields.get(field, ""))
        for field in ("created", "date", "created_at", "modified", "updated")
    )
    return next(filter(None, dates), modified)


def _build_note_fact(
    whose: str, said: str, at: datetime, category: str, place: str, number: int, project: str = ""
) -> ImportedFact:
    identity = hashlib.sha256(f"{place}\0{said}".encode("utf-8", "replace")).hexdigest()[:24]
    return ImportedFact(
        f"{whose}:{identity}", said, at, category, place=place, line=number, project=project
    )
