"""Front matter and title of a Markdown file."""

import re
from collections.abc import Mapping
from typing import NamedTuple

_FRONT = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_FIELD = re.compile(r"([^\s:#][^:]*):(?:\s+(.*))?$")
_ITEM = re.compile(r"\s*-\s+(.*)$")
_OTHER = re.compile(r"\s|#|$")
_TITLE = re.compile(r"^#[ \t]+(\S.*)$", re.MULTILINE)
_QUOTES = "\"'"


class FrontMatter(NamedTuple):
    """Fields of the block between `---` lines, and the offset of the text after it."""

    fields: Mapping[str, str]
    end: int = 0
    end_line: int = 0


def front_matter(text: str) -> FrontMatter:
    """Read the front matter of `text`; the result is empty without one, and for prose between two rules.

    Reads `key: value` and lists (joined by commas), as notes have them. Not a YAML parser: an invalid block must not make a
    note unreadable, and the index must not depend on an optional library.
    """
    block = _FRONT.match(text)
    if not block:
        return FrontMatter({})
    fields: dict[str, str] = {}
    name = ""
    for line in (block[1] or "").splitlines():
        pair, item = _FIELD.match(line), _ITEM.match(line)
        if item and name:
            fields[name] = ", ".join(filter(None, (fields[name], _plain(item[1]))))
        elif pair:
            name = pair[1].strip()
            fields[name] = _plain(pair[2] or "")
        elif not item and not _OTHER.match(line):
            return FrontMatter({})
    return FrontMatter(fields, block.end(), text.count("\n", 0, block.end()))


def _plain(value: str) -> str:
    value = value.strip()
    if value.startswith("[") and value.endswith("]"):
        return ", ".join(_plain(part) for part in value[1:-1].split(","))
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in _QUOTES else value


def title(text: str, start: int = 0) -> str:
    """Return the first level-one heading at or after `start`, or ''."""
    found = _TITLE.search(text, start)
    return heading_text(found[1]) if found else ""


def heading_text(words: str) -> str:
    """Return the text of a heading without closing marks; a regular expression takes cubic time on spaces."""
    return words.rstrip().rstrip("#").rstrip()
