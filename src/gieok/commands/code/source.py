"""Excerpts of source files for people and agents: the file's own bytes, in numbered lines.

Notes beside an excerpt say where it differs from the file, such as a replaced secret.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from gieok.code.index import scan
from gieok.code.index.project import SCOPE, Project
from gieok.code.model.facts import DEFINITIONS, SymbolKind
from gieok.commands.command import Style, printable
from gieok.model.code import Symbol
from gieok.text import encoding
from gieok.text.inert import visible
from gieok.text.messages import Words

_REDACTED = re.compile(r"\[redacted:[a-z-]+\]")
_MOST_NAMED = 5
_SIGNATURE_CHARS = 140


class Excerpt(NamedTuple):
    """Lines of a file, from `first` on, with notes.

    The notes say how the lines differ from the view of an editor, or from the file.
    """

    first: int
    text: str
    notes: tuple[Words, ...] = ()

    @property
    def is_redacted(self) -> bool:
        """Say whether a secret was replaced: then the excerpt differs from the file."""
        return _REDACTION in self.notes


def read_code_excerpt(project: Project, path: str, first: int, last: int) -> Excerpt:
    """Return lines of a file as they were indexed.

    Text that was redacted there stays redacted, and a note says so.
    """
    documents = project.store.get(SCOPE, [path])
    if not documents:
        return Excerpt(first, "")
    lines = documents[0].text.split("\n")[first - 1 : last]
    text = "\n".join(lines)
    try:
        data = scan.read_source_bytes(project.root, path)
    except OSError:
        data = b""
    if sha256(data).hexdigest() == documents[0].content_hash:
        file_lines = scan.decode_source_text(data).split("\n")
        is_redacted = file_lines[first - 1 : last] != lines
    else:
        is_redacted, data = bool(_REDACTED.search(text)), b""
    return Excerpt(
        first, text, tuple(_build_excerpt_notes(first, text, data, is_redacted=is_redacted))
    )


def _build_excerpt_notes(first: int, text: str, data: bytes, *, is_redacted: bool) -> list[Words]:
    notes = [_REDACTION] if is_redacted else []
    hidden = {
        f"U+{ord(sign):04X} (L{number})": None
        for number, line in enumerate(text.split("\n"), first)
        for sign in line
        if not visible(sign)
    }
    if hidden:
        named = ", ".join(list(hidden)[:_MOST_NAMED]) + (" …" if len(hidden) > _MOST_NAMED else "")
        notes.append(
            Words.of(
                "the code below holds characters that do not show or change the order of what is "
                "shown: {named}",
                named=named,
            )
        )
    if b"\r\n" in data:
        notes.append(Words("the file's lines end in CR LF"))
    if "\N{REPLACEMENT CHARACTER}" in text and b"\xef\xbf\xbd" not in data:
        notes.append(Words("bytes that are not UTF-8 are shown as �"))
    elif (
        data and (read := encoding.decode_note_bytes(data)) is not None and read.encoding != "UTF-8"
    ):
        notes.append(Words.of("the file is in {encoding}, not in UTF-8", encoding=read.encoding))
    return notes


_REDACTION = Words(
    "[redacted:…] stands for a secret: the file holds something else there; do not write it back"
)


def render_numbered_lines(shown: Excerpt, style: Style) -> list[str]:
    """Return notes, then the lines, each behind its number and a tab.

    For a terminal, control sequences are removed.
    """
    lines = shown.text.split("\n") if shown.text else []
    noted = [style.dim(f"  ! {note.say(style.lang)}") for note in shown.notes]
    width = 0 if style.verbatim else 6  # a model pays for every space
    return [
        *noted,
        *(
            style.dim(f"{number:>{width}}\t") + (line if style.verbatim else printable(line))
            for number, line in enumerate(lines, shown.first)
        ),
    ]


def format_code_place(path: str, first: int, last: int = 0) -> str:
    """Return a place in the form that editors open: `path:line`, or `path:first-last`."""
    return f"{path}:{first}-{last}" if last > first else f"{path}:{first}"


class MemberRow(NamedTuple):
    """Member of a class or a file: its head, and its place."""

    symbol: str
    kind: str
    start_line: int
    end_line: int
    signature: str


def list_symbol_members(project: Project, s: Symbol) -> list[MemberRow]:
    """Return the direct members of a class or a file, in order; empty for other symbols."""
    if s.kind not in (SymbolKind.CLASS, SymbolKind.MODULE):
        return []
    prefix = f"{s.path}::" if s.kind == SymbolKind.MODULE else f"{s.key}."
    inside = (
        m
        for m in project.store.symbols(paths=[s.path])
        if m.key.startswith(prefix) and m.key != s.key
    )
    return [
        MemberRow(
            symbol=m.qualified,
            kind=m.kind,
            start_line=m.start_line,
            end_line=m.end_line,
            signature=m.signature,
        )
        for m in inside
        if m.kind in DEFINITIONS and "." not in m.key[len(prefix) :]
    ]


def render_member_heads(rows: Sequence[MemberRow], style: Style) -> list[str]:
    """Return a line for each member: its lines, and its signature."""
    return [
        style.dim(f"{m.start_line}-{m.end_line}")
        + f"  {printable(shorten_code_line(m.signature, _SIGNATURE_CHARS))}"
        for m in rows
    ]


def shorten_code_line(text: str, limit: int) -> str:
    """Return a text as one line of at most `limit` characters."""
    line = " ".join(text.split()).replace("( ", "(").replace(", )", ")")
    return line if len(line) <= limit else f"{line[: limit - 2].rstrip()} …"


def list_note_texts(notes: Sequence[Words]) -> list[str]:
    """Return notes as texts for machines."""
    return [note.en for note in notes]
