"""The note of one memory, as Obsidian shows it, and back without loss.

    ---
    properties of the memory: type, category, priority, status, dates, links to what replaced it and what it replaces, tags,
    and behind them those of the person
    ---

    what the memory says

    <!-- gieok {…} -->
    what the person wrote below, which stays

The comment holds what properties do not show, with a sum of the text above it: another text is an edit by a person. Without
its comment, a note is still known by its property `gieok`, the handle.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from gieok import places
from gieok.capabilities.observe.archive.fields import from_fields, to_fields
from gieok.model.memory import CORRECTED, REPLACED_BY, Document
from gieok.text import filenames, properties

SUFFIX = ".md"
#: Of a file's name, its ending included: eCryptfs takes 143, Windows paths 260 characters.
MOST_NAME_BYTES = 120
_TITLE_BYTES = 100
_OPENS, _CLOSES = "<!-- gieok ", " -->"
_COMMENT = re.compile(rf"^{_OPENS}(\{{.*\}}){_CLOSES}[ \t]*$", re.MULTILINE)
_BELOW = "%% Write below this line: Gieok keeps it as it is. %%"
_UNSAFE = re.compile("[<>\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_HANDLE, _TAG = "gieok", "gieok"
_OURS = (
    *("type", "category", "priority", "status", "date", "until", "corrected", "scope"),
    *("replaced_by", "replaces", "tags", _HANDLE),
)
_PRIORITIES, _CATEGORIES = ("high", "medium", "low"), ("state", "decision", "preference", "task")
_DONE, _CURRENT = "done", "current"
_SENTENCE = re.compile(r"(?<=[.!?。])\s")
#: Copies that Obsidian Sync, Dropbox, Syncthing and this program make of what was written in two places: a person's to judge.
_COPY = re.compile(r"conflicted copy|\.sync-conflict-|\(.*충돌.*\)|\(Gieok's version\b", re.IGNORECASE)


class Links(NamedTuple):
    """Notes that a note leads to: their paths from the vault's own folder, without the ending."""

    replaced_by: str = ""
    replaces: tuple[str, ...] = ()


NO_LINKS = Links()


class ReadNote(NamedTuple):
    """What a note says. `document` has the text that stands there; it is None where only the `handle` tells whose it is."""

    handle: str
    document: Document | None
    text: str
    links: Links = NO_LINKS
    priority: str = ""
    category: str = ""
    status: str = ""

    def is_edit(self, document: Document) -> bool:
        """Say whether a person changed what Gieok wrote of a document."""
        if _sum(self.text) != _sum(_shown(document.text)) and self.text != document.text:
            return True
        return self.applied(document).metadata != document.metadata

    def applied(self, document: Document) -> Document:
        """Return a document with the properties that a person changed here; its text is left."""
        metadata = dict(document.metadata)
        if self.priority in _PRIORITIES and "priority" in metadata:
            metadata["priority"] = self.priority
        if self.category in _CATEGORIES and "category" in metadata:
            metadata["category"] = self.category
        if self.status == _DONE and _status(document) != _DONE:
            metadata["done"] = "yes"
        elif self.status == _CURRENT and _status(document) == _DONE:
            del metadata["done"]
        return replace(document, metadata=metadata)


class BrokenNote(ValueError):
    """The properties of a note have no end, or its comment is cut: nothing of it can be trusted."""


def is_copy(path: str) -> bool:
    """Say whether a file is the copy that a program made of a conflict."""
    return bool(_COPY.search(path.rpartition("/")[2]))


def path(document: Document, zone: tzinfo, taken: Collection[str]) -> str:
    """Return where the note of a document goes, `2026/03/04 We use ruff.md`.

    `taken` are paths that others have, each as `filenames.same` makes it.
    """
    day = _since(document).astimezone(zone)
    title = filenames.legal(title_of(document), _TITLE_BYTES) or document.kind
    for name in (
        title,
        f"{title} {_handle(document)}",
        f"{title[:20].strip()} {_hash(document.scope.path, document.key)}",
    ):
        found = f"{day:%Y/%m/%d} {name}{SUFFIX}"
        if filenames.same(found) not in taken:
            return found
    raise FileExistsError(found)


def title_of(document: Document) -> str:
    """Return what a document is called in a list of files: its title, or its first sentence."""
    if document.title.strip():
        return document.title
    first = next((line.strip(" #>*-\t") for line in document.text.splitlines() if line.strip(" #>*-\t")), "")
    return _SENTENCE.split(first, maxsplit=1)[0]


def written(document: Document, zone: tzinfo, links: Links = NO_LINKS, before: str = "") -> str:
    """Return the note of a document. `before` is the note in whose place it comes: what is the person's there stays.

    Raises BrokenNote for one that cannot be read.
    """
    own, theirs, below = _persons(before)
    ours = {name: value for name, value in _properties(document, zone, links).items() if value}
    dropped = set(theirs.wrote) - set(theirs.tags)
    tags = [tag for tag in _tags(document) if tag not in dropped]
    ours["tags"] = [*tags, *(tag for tag in theirs.tags if tag not in theirs.wrote and tag not in tags)]
    blocks = {name: properties.block(name, value) for name, value in ours.items()} | own
    body = _shown(document.text)
    fields = {**to_fields(document), "sum": _sum(body), "tags": _tags(document)}
    if _read_back(body) != document.text:
        fields["text"] = document.text
    comment = f"{_OPENS}{_comment(fields)}{_CLOSES}"
    return f"{properties.joined(blocks)}\n{body}\n\n{comment}\n{below or _BELOW + chr(10)}"


def read(text: str) -> ReadNote | None:
    """Return what a note says; None for one that is not Gieok's. Raises BrokenNote."""
    found = properties.split(text)
    comment = _COMMENT.search(text)
    if found is None:
        if comment or re.search(rf"^{_HANDLE}\s*:", text, re.MULTILINE):
            raise BrokenNote("its properties cannot be read: `---` is missing, or a line among them has no name")
        return None
    blocks, rest = found
    comment = _COMMENT.search(rest)
    handle = properties.word(blocks, _HANDLE)
    if comment is None:
        if _OPENS.strip() in rest and handle:
            raise BrokenNote("Gieok's comment in it is cut: undo that in your editor, or delete the note")
        return _without_comment(blocks, rest, handle) if handle else None
    return _with_comment(blocks, rest, comment)


def _without_comment(blocks: Mapping[str, str], rest: str, handle: str) -> ReadNote:
    return ReadNote(handle, None, rest.partition(_BELOW)[0].strip(), _links(blocks), *_chosen(blocks))


def _with_comment(blocks: Mapping[str, str], rest: str, comment: re.Match[str]) -> ReadNote:
    fields = _fields(comment)
    body = rest[: comment.start()]
    is_same = _sum(body) == fields.get("sum")
    text = str(fields["text"]) if is_same and "text" in fields else _read_back(body)
    document = from_fields(fields, text)
    return ReadNote(_handle(document), document, text, _links(blocks), *_chosen(blocks))


def _fields(comment: re.Match[str]) -> dict[str, Any]:
    try:
        found = json.loads(comment[1])
        from_fields(found, "")
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenNote("Gieok's comment in it was changed: undo that in your editor, or delete the note") from error
    return dict(found)


def _chosen(blocks: Mapping[str, str]) -> tuple[str, str, str]:
    priority, category, status = (properties.word(blocks, name) for name in ("priority", "category", "status"))
    return priority, category, status


class _Theirs(NamedTuple):
    """Tags that a note has, and those of them that Gieok wrote."""

    tags: tuple[str, ...] = ()
    wrote: tuple[str, ...] = ()


def _persons(before: str) -> tuple[dict[str, str], _Theirs, str]:
    """Return a person's own properties, the tags, and what they wrote below."""
    if not before:
        return {}, _Theirs(), ""
    note = read(before)
    found = properties.split(before)
    if note is None or found is None:
        raise BrokenNote("it is not Gieok's any more")
    blocks, rest = found
    own = {name: block for name, block in blocks.items() if name and name not in _OURS}
    comment = _COMMENT.search(rest)
    below = rest[comment.end() + 1 :] if comment else "".join(rest.partition(_BELOW)[1:])
    wrote = _fields(comment).get("tags", ()) if comment else (_TAG,)
    return own, _Theirs(tuple(properties.words(blocks, "tags")), tuple(wrote)), below


def _properties(document: Document, zone: tzinfo, links: Links) -> dict[str, properties.Value]:
    metadata, end = document.metadata, document.valid_to
    corrected = metadata.get(CORRECTED, "")
    return {
        "type": document.kind,
        "category": metadata.get("category", ""),
        "priority": metadata.get("priority", ""),
        "status": _status(document),
        "date": f"{_since(document).astimezone(zone):%Y-%m-%dT%H:%M:%S}",
        "until": f"{end.astimezone(zone):%Y-%m-%d}" if end else "",
        "corrected": corrected[:10],
        "scope": document.scope.path,
        "replaced_by": f"[[{links.replaced_by}]]" if links.replaced_by else "",
        "replaces": [f"[[{link}]]" for link in links.replaces],
        "tags": [],
        _HANDLE: _handle(document),
    }


def _status(document: Document) -> str:
    """Return what `model.memory.status_of` says once the day of its end is over."""
    if document.valid_to is not None or document.metadata.get(REPLACED_BY):
        return "replaced"
    if document.metadata.get("done") == "yes":
        return _DONE
    return "corrected" if document.metadata.get(CORRECTED) else _CURRENT


def _links(blocks: Mapping[str, str]) -> Links:
    def plain(link: str) -> str:
        return link.removeprefix("[[").removesuffix("]]").partition("|")[0]

    replaces = tuple(plain(link) for link in properties.words(blocks, "replaces"))
    return Links(plain(properties.word(blocks, "replaced_by")), replaces)


def _tags(document: Document) -> list[str]:
    return [tag for tag in (_TAG, document.metadata.get("category", "")) if tag]


def _shown(text: str) -> str:
    """Return a text as the body of a note: what would be read as Gieok's own lines is not."""
    body = text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\0", "\ufffd")
    return body.replace(_OPENS, "<!- gieok ").replace(_BELOW, _BELOW.strip("% ")).strip()


def _read_back(body: str) -> str:
    return _same_lines(body).strip()


def _same_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _sum(body: str) -> str:
    """Return a sum of what a body says; editors change line ends and spaces at the end of lines."""
    return _hash("\n".join(line.rstrip() for line in _same_lines(body).strip().split("\n")))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


def _comment(fields: Mapping[str, object]) -> str:
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(fields, ensure_ascii=False))


def _handle(document: Document) -> str:
    return places.handle(document.scope.path, document.key)


def _since(document: Document) -> datetime:
    return document.valid_from or document.updated_at
