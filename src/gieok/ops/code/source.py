"""Source as it is shown: byte for byte the file's, line by line with numbers, and what a reader must know of it beside."""

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from gieok.capabilities.code.index.project import SCOPE, Project
from gieok.ops.operation import Style, Words, printable
from gieok.text.inert import visible

_REDACTED = re.compile(r"\[redacted:[a-z-]+\]")
_MOST_NAMED = 5


class Excerpt(NamedTuple):
    """Lines of a file, from `first` on, and how they differ from what an editor would show or the file holds."""

    first: int
    text: str
    notes: tuple[Words, ...] = ()

    @property
    def is_redacted(self) -> bool:
        """Say whether a secret was replaced in it: then it is not what the file holds."""
        return _REDACTION in self.notes


def excerpt(project: Project, path: str, first: int, last: int) -> Excerpt:
    """Return lines of a file as they were indexed: what was redacted there stays so, and is told."""
    documents = project.store.get(SCOPE, [path])
    if not documents:
        return Excerpt(first, "")
    lines = documents[0].text.split("\n")[first - 1 : last]
    text = "\n".join(lines)
    try:
        data = (project.root / path).read_bytes()
    except OSError:
        data = b""
    if sha256(data).hexdigest() == documents[0].content_hash:
        given = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        is_redacted = given[first - 1 : last] != lines
    else:
        is_redacted, data = bool(_REDACTED.search(text)), b""
    return Excerpt(first, text, tuple(_notes(first, text, data, is_redacted=is_redacted)))


def _notes(first: int, text: str, data: bytes, *, is_redacted: bool) -> list[Words]:
    found = [_REDACTION] if is_redacted else []
    hidden = {
        f"U+{ord(sign):04X} (L{number})": None
        for number, line in enumerate(text.split("\n"), first)
        for sign in line
        if not visible(sign)
    }
    if hidden:
        named = ", ".join(list(hidden)[:_MOST_NAMED]) + (" …" if len(hidden) > _MOST_NAMED else "")
        found.append(_hidden(named))
    if b"\r\n" in data:
        found.append(Words("the file's lines end in CR LF", "파일의 줄은 CR LF로 끝납니다"))
    if "\N{REPLACEMENT CHARACTER}" in text and b"\xef\xbf\xbd" not in data:
        found.append(Words("bytes that are not UTF-8 are shown as \ufffd", "UTF-8이 아닌 바이트는 \ufffd 로 보입니다"))
    return found


_REDACTION = Words(
    "[redacted:…] stands for a secret: the file holds something else there; do not write it back",
    "[redacted:…]는 비밀을 가린 것입니다: 파일에는 다른 글이 있으니 그대로 쓰지 마세요",
)


def _hidden(named: str) -> Words:
    return Words(
        f"the code below holds characters that do not show or change the order of what is shown: {named}",
        f"아래 코드에 보이지 않거나 보이는 순서를 바꾸는 문자가 있습니다: {named}",
    )


def numbered(shown: Excerpt, style: Style, most: int) -> list[str]:
    """Return notes, then the lines, each behind its number and a tab; for a terminal without what it would obey."""
    lines = shown.text.split("\n") if shown.text else []
    told = [style.dim(f"  ! {note.say(style.lang)}") for note in shown.notes]
    rows = [
        style.dim(f"{number:>6}\t") + (line if style.verbatim else printable(line))
        for number, line in enumerate(lines[:most], shown.first)
    ]
    left = len(lines) - most
    more = Words(
        f"  … {left} more lines, to L{shown.first + len(lines) - 1}",
        f"  … {left}줄 더, L{shown.first + len(lines) - 1}까지",
    )
    return [*told, *rows, *([style.dim(more.say(style.lang))] if left > 0 else [])]


def told(notes: Sequence[Words]) -> list[str]:
    """Return notes as texts for machines."""
    return [note.en for note in notes]
