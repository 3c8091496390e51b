"""Form of the note of one memory, as Obsidian shows it, read back without loss.

    ---
    properties of the memory: type, category, priority, status, dates, links to what replaced it and
        what it replaces, tags, and behind them those of the person
    ---

    what the memory says

    <!-- gieok {…} -->
    what the person wrote below, which stays

The comment holds the fields that properties do not show, with a checksum of the text above the
comment: another text is an edit by a person. Without its comment, a note is still known by its
property `gieok`, the handle.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime, tzinfo
from typing import Any, NamedTuple

from gieok.errors import ArchiveFailed
from gieok.memory.tiers.fields import from_entry_fields, to_entry_fields
from gieok.memory.tiers.shelf import Contents, Written
from gieok.model.memory import CORRECTED, REPLACED_BY, RETIRED, Document, Entry, Scope, Tier
from gieok.text import filenames, properties
from gieok.text.encoding import convert_line_ends
from gieok.text.handles import build_handle

SUFFIX = ".md"
#: Longest name of a file, its ending included: eCryptfs takes 143, Windows paths 260 characters.
MOST_NAME_BYTES = 120
_TITLE_BYTES = 100
_OPENS, _CLOSES = "<!-- gieok ", " -->"
_COMMENT = re.compile(rf'^{_OPENS}(\{{"scope": .*\}}){_CLOSES}[ \t]*$', re.MULTILINE)
_BELOW = "%% Write below this line: Gieok keeps it as it is. %%"
#: Characters that end a comment, break a line, or make a link or a tag in Obsidian.
_UNSAFE = re.compile("[<>#]|\\[(?=\\[)|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_HANDLE, _TAG = "gieok", "gieok"
_MARK = re.compile(rf"^{_HANDLE}\s*:", re.MULTILINE)
_OURS = frozenset(
    (
        "type category priority status date until corrected scope replaced_by replaces tags gieok"
    ).split(),
)
_PRIORITIES, _CATEGORIES = ("high", "medium", "low"), ("state", "decision", "preference", "task")
_DONE, _STANDS = "done", "stands"
#: Words of a note for "not done"; notes of an earlier release have the older word.
_NOT_DONE = (_STANDS, "current")
_SENTENCE = re.compile(r"(?<=[.!?。])\s")
#: Names of the conflict copies that Obsidian Sync, Dropbox, Syncthing and this program make of a
#: file written in two places; a person decides about them.
_COPY = re.compile(
    r"conflicted copy|\.sync-conflict-|\(.*충돌.*\)|\((?:Gieok|Vault)'s version\b", re.IGNORECASE
)


#: Setting `archive.folder_structure` → how the path of a note begins.
_DATED = {"year_month": "%Y/%m/%d", "flat": "%Y-%m-%d", "daily": "%Y-%m-%d/%Y-%m-%d"}


class NoteLinks(NamedTuple):
    """Links of a note: paths of other notes from the vault's own folder, without the ending."""

    replaced_by: str = ""
    replaces: tuple[str, ...] = ()
    #: Scope and key of the memories that these notes belong to.
    of: frozenset[tuple[Scope, str]] = frozenset()


NO_LINKS = NoteLinks()
#: Word in the name of a conflict note: says whose version lost, Gieok's or the person's.
OURS, THEIRS = "Gieok's version", "Vault's version"


class BrokenNote(ValueError):
    """Error for a note that cannot be taken in.

    Its properties have no end, its comment is cut, or nothing is left of its text.
    """


class NoteForm:
    """`Form` with one note a memory, in folders below `folder`, which `structure` names.

    `is_taken` says whether a path belongs to another file than the note of a document; `links` maps
    scope and key of a memory to the links of its note.
    """

    def __init__(
        self,
        folder: str,
        zone: tzinfo,
        structure: str = "year_month",
    ) -> None:
        self._folder = f"{folder.strip('/')}/" if folder.strip("/") else ""
        self._zone = zone
        self._dated = _DATED[structure]
        self.is_taken: Callable[[str, Document], bool] = lambda path, document: False
        self.links: Mapping[tuple[Scope, str], NoteLinks] = {}
        self._given: dict[str, tuple[Scope, str]] = {}

    def path(self, document: Document, day: date) -> str:
        """Return the path of a document's note, `2026/03/04 We use ruff.md`: a name no other file
        has.
        """
        title = filenames.legal(find_document_title(document), _TITLE_BYTES) or document.kind
        whose = (document.scope, document.key)
        for name in (
            title,
            f"{title} {_find_document_handle(document)}",
            _hash_note_parts(document.scope.path, document.key),
        ):
            path = f"{self._folder}{day:{self._dated}} {name}{SUFFIX}"
            if self._given.get(
                filenames.fold_file_name(path), whose
            ) == whose and not self.is_taken(path, document):
                self._given[filenames.fold_file_name(path)] = whose
                return path
        raise ArchiveFailed("no name is left for the note {path!r}", path=path)

    def render(self, scope: Scope, tier: Tier, path: str, contents: Contents) -> str:
        """Return the text of a note; without a memory, the person's own part of the note.

        Raises ArchiveFailed for two memories.
        """
        del scope, tier
        if len(contents.memories) > 1:
            raise ArchiveFailed("two memories cannot be in the note {path!r}", path=path)
        if not contents.memories:
            return contents.own + "\n"
        entry = contents.memories[0].entry
        links = self.links.get((entry.document.scope, entry.document.key), NO_LINKS)
        return format_note(entry, self._zone, links, contents.own)

    def parse(self, scope: Scope, text: str) -> Contents:
        """Return the contents of a note, which a person may have edited.

        A file that is no note of Gieok's is the person's own text. Raises BrokenNote where the
        note's properties or its comment are damaged, or nothing is left of the memory's text.
        """
        del scope
        text = convert_line_ends(text)
        note = read_note(text)
        if note is None:
            return Contents(
                (),
                text.strip("\n")
                if text.startswith(properties.FENCE)
                else _format_personal_note(text),
            )
        if note.entry is None:
            raise BrokenNote("Gieok's comment in it is gone")
        return Contents((Written(note.entry, note.is_edited),), note.own)

    def restore_comment(self, text: str, entry: Entry) -> str:
        """Return a note that lost its comment, with the comment of its memory added again."""
        head, mark, below = convert_line_ends(text).partition(_BELOW)
        return f"{head.rstrip()}\n\n{_format_note_comment(entry, self._zone)}\n{mark}{below}"


class ReadNote(NamedTuple):
    """Note as it was read.

    `entry` is the memory as a person left it, None where only the `handle` names the memory; `own`
    is the person's own part.
    """

    handle: str
    text: str
    links: NoteLinks
    own: str
    entry: Entry | None = None
    is_edited: bool = False


def build_note_handle(scope: Scope, key: str) -> str:
    """Return the handle by which a note names its memory."""
    return build_handle(scope.path, key)


def is_copy(path: str) -> bool:
    """Say whether a file is the copy that a sync program made of a conflict."""
    return bool(_COPY.search(path.rpartition("/")[2]))


def find_document_title(document: Document) -> str:
    """Return the title of a document in a list of files: its own title, or its first sentence."""
    if document.title.strip():
        return document.title
    first = next(
        (line.strip(" #>*-\t") for line in document.text.splitlines() if line.strip(" #>*-\t")), ""
    )
    return _SENTENCE.split(first, maxsplit=1)[0]


def read_note(text: str) -> ReadNote | None:
    """Read a note; return None for a note that is not Gieok's. Raises BrokenNote."""
    text = convert_line_ends(text)
    parts = properties.split_properties(text)
    if parts is None:
        if _COMMENT.search(text) or _MARK.search(text):
            raise BrokenNote(
                "its properties cannot be read: `---` is missing, or a line among them has no name"
            )
        return None
    blocks, rest = parts
    whose, comment = properties.word(blocks, _HANDLE), _COMMENT.search(rest)
    if comment is not None:
        return _parse_whole_note(blocks, rest, comment)
    if whose and _OPENS.strip() in rest:
        raise BrokenNote(
            "Gieok's comment in it is cut: undo that in your editor, or delete the note"
        )
    if not whose:
        return None
    body, _, below = rest.partition(_BELOW)
    return ReadNote(
        whose,
        body.strip(),
        _parse_note_links(blocks),
        _extract_personal_part(blocks, (_TAG,), below),
    )


def format_conflict_note(document: Document, zone: tzinfo, of: str) -> str:
    """Return a note that keeps the losing version of a memory; `of` is its note's path."""
    of = of.removesuffix(SUFFIX)
    blocks = {
        "type": "conflict",
        "date": f"{_find_note_start(document).astimezone(zone):%Y-%m-%dT%H:%M:%S}",
        "of": f"[[{of}]]",
    }
    head = properties.join_properties(
        {name: properties.block(name, value) for name, value in blocks.items()}
    )
    return f"{head}\n{_format_note_body(document.text)}\n"


def read_conflict_text(text: str) -> str:
    """Return the text of a losing version from its conflict note."""
    parts = properties.split_properties(convert_line_ends(text))
    return parts[1].strip() if parts else ""


def build_conflict_path(path: str, day: date, whose: str, number: int = 1) -> str:
    """Return the path of a conflict note."""
    again = f" {number}" if number > 1 else ""
    folder, slash, name = path.rpartition("/")
    title = filenames.legal(name.removesuffix(SUFFIX), 60)
    return f"{folder}{slash}{title} ({whose} {day.isoformat()}{again}){SUFFIX}"


def _parse_whole_note(blocks: Mapping[str, str], rest: str, comment: re.Match[str]) -> ReadNote:
    fields = _parse_note_fields(comment)
    body = rest[: comment.start()]
    is_same = _hash_note_body(body) == fields.get("sum")
    text = str(fields["text"]) if is_same and "text" in fields else body.strip()
    if not is_same and not text:
        raise BrokenNote("nothing is left of its text: delete the note, or write what it shall say")
    entry = from_entry_fields(fields, text)
    chosen = _apply_note_properties(blocks, entry.document)
    is_edited = not is_same or chosen.metadata != entry.document.metadata
    own = _extract_personal_part(blocks, tuple(fields.get("tags", ())), rest[comment.end() + 1 :])
    return ReadNote(
        handle=_find_document_handle(chosen),
        text=text,
        links=_parse_note_links(blocks),
        own=own,
        entry=entry._replace(document=chosen),
        is_edited=is_edited,
    )


def _apply_note_properties(blocks: Mapping[str, str], document: Document) -> Document:
    """Return a document with the properties that a person changed in its note."""
    priority, category, status = (
        properties.word(blocks, name) for name in ("priority", "category", "status")
    )
    metadata = dict(document.metadata)
    if priority in _PRIORITIES and "priority" in metadata:
        metadata["priority"] = priority
    if category in _CATEGORIES and "category" in metadata:
        metadata["category"] = category
    if status == _DONE and _find_note_status(document) != _DONE:
        metadata["done"] = "yes"
    elif status in _NOT_DONE and _find_note_status(document) == _DONE:
        del metadata["done"]
    return replace(document, metadata=metadata)


def _extract_personal_part(blocks: Mapping[str, str], wrote: tuple[str, ...], below: str) -> str:
    """Return the person's own part of a note as a note of its own; '' for none.

    That part is the person's properties, tags, and the text below.
    """
    personal = {name: block for name, block in blocks.items() if name and name not in _OURS}
    if tags := [tag for tag in properties.read_property_list(blocks, "tags") if tag not in wrote]:
        personal["tags"] = properties.block("tags", tags)
    below = "" if below.strip() in ("", _BELOW) else below.strip("\n")
    below = _COMMENT.sub(_defuse_note_comment, below)  # of a note that was pasted here
    return f"{properties.join_properties(personal)}{below}".strip("\n") if personal or below else ""


def _defuse_note_comment(comment: re.Match[str]) -> str:
    return comment[0].replace(_OPENS, "<!- gieok ")


def _format_personal_note(text: str) -> str:
    """Return a person's note in the form of `_extract_personal_part`; '' for nothing."""
    return f"{properties.join_properties({})}{text}".strip("\n") if text.strip() else ""


def format_note(entry: Entry, zone: tzinfo, links: NoteLinks, own: str = "") -> str:
    """Return the note of a memory, with the person's part `own` in it."""
    theirs, below = (properties.split_properties(own + "\n") if own else None) or ({}, "")
    ours = {
        name: value
        for name, value in _build_note_properties(entry.document, zone, links).items()
        if value
    }
    ours["tags"] = [
        *_list_note_tags(entry.document, zone),
        *properties.read_property_list(theirs, "tags"),
    ]
    blocks = {name: properties.block(name, value) for name, value in ours.items()}
    blocks |= {name: block for name, block in theirs.items() if name != "tags"}
    below = below.strip("\n") or _BELOW
    return (
        f"{properties.join_properties(blocks)}\n{_format_note_body(entry.document.text)}\n\n"
        f"{_format_note_comment(entry, zone)}\n{below}"
        "\n"
    )


def _format_note_comment(entry: Entry, zone: tzinfo) -> str:
    """Return the comment of a memory, as its note is written now."""
    document = entry.document
    body = _format_note_body(document.text)
    fields = {
        **to_entry_fields(entry),
        "sum": _hash_note_body(body),
        "tags": _list_note_tags(document, zone),
    }
    if body != document.text:
        fields["text"] = document.text
    text = _UNSAFE.sub(
        lambda found: f"\\u{ord(found[0]):04x}", json.dumps(fields, ensure_ascii=False)
    )
    return f"{_OPENS}{text}{_CLOSES}"


def _parse_note_fields(comment: re.Match[str]) -> dict[str, Any]:
    try:
        parsed = json.loads(comment[1])
        from_entry_fields(parsed, "")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BrokenNote(
            "Gieok's comment in it was changed: undo that in your editor, or delete the note"
        ) from error
    return dict(parsed)


def _build_note_properties(
    document: Document, zone: tzinfo, links: NoteLinks
) -> dict[str, properties.Value]:
    metadata, end = document.metadata, document.valid_to
    corrected = metadata.get(CORRECTED, "")
    return {
        "type": document.kind,
        "category": metadata.get("category", ""),
        "priority": metadata.get("priority", ""),
        "status": _find_note_status(document),
        "date": f"{_find_note_start(document).astimezone(zone):%Y-%m-%dT%H:%M:%S}",
        "until": f"{end.astimezone(zone):%Y-%m-%d}" if end else "",
        "corrected": corrected[:10],
        "scope": document.scope.path,
        "replaced_by": f"[[{links.replaced_by}]]" if links.replaced_by else "",
        "replaces": [f"[[{link}]]" for link in links.replaces],
        "tags": [],
        _HANDLE: _find_document_handle(document),
    }


def _find_note_status(document: Document) -> str:
    """Return `model.memory.find_document_status`, or `ends` where the memory has a last day.

    So a note is not rewritten on the memory's last day.
    """
    if document.metadata.get(RETIRED):
        return "retired"
    if document.metadata.get(REPLACED_BY):
        return "replaced"
    if document.valid_to is not None:
        return "ends"
    if document.metadata.get("done") == "yes":
        return _DONE
    return "corrected" if document.metadata.get(CORRECTED) else _STANDS


def _parse_note_links(blocks: Mapping[str, str]) -> NoteLinks:
    def plain(link: str) -> str:
        return link.removeprefix("[[").removesuffix("]]").partition("|")[0]

    replaces = tuple(plain(link) for link in properties.read_property_list(blocks, "replaces"))
    return NoteLinks(plain(properties.word(blocks, "replaced_by")), replaces)


def _list_note_tags(document: Document, zone: tzinfo) -> list[str]:
    """Return the tags of a note: ours, its category, and its quarter, such as `2026-Q1`."""
    day = _find_note_start(document).astimezone(zone)
    return [
        _TAG,
        *(category for category in _CATEGORIES if category == document.metadata.get("category")),
        f"{day:%Y}-Q{(day.month + 2) // 3}",
    ]


def _format_note_body(text: str) -> str:
    """Return a text as the body of a note, with lines that would be read as Gieok's own escaped."""
    body = convert_line_ends(text.encode("utf-8", "replace").decode()).replace("\0", "\ufffd")
    return body.replace(_OPENS, "<!- gieok ").replace(_BELOW, _BELOW.strip("% ")).strip()


def _hash_note_body(body: str) -> str:
    """Return a checksum of a body that ignores line ends and trailing spaces.

    Editors change line ends and trailing spaces.
    """
    return _hash_note_parts(
        "\n".join(line.rstrip() for line in convert_line_ends(body).strip().split("\n"))
    )


def _hash_note_parts(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


def _find_document_handle(document: Document) -> str:
    return build_note_handle(document.scope, document.key)


def _find_note_start(document: Document) -> datetime:
    return document.said_at
