"""Markdown, text files and documents of word processors → documents.

An unreadable file is reported with its reason and does not stop the others.
"""

import hashlib
import os
import re
import stat
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gieok import paths, private
from gieok.flow.ingest import Failed, SourceItem
from gieok.memory.files import copies
from gieok.memory.files.cut import Cut
from gieok.memory.files.roots import (
    UNREAD_SUFFIXES,
    Root,
    file_key,
    is_memory_file,
    is_office_document,
    is_skipped,
    section_key,
)
from gieok.model.memory import MADE_THEN, Document, Passage, Provenance, Scope
from gieok.places.home import is_shelf_folder
from gieok.places.scope import SEEDS
from gieok.settings import grants
from gieok.settings.grants import TrustJudge
from gieok.text.blobs import without_blobs
from gieok.text.chunk import VERSION as CHUNK_VERSION
from gieok.text.chunk import chunk
from gieok.text.diary import DaySection, may_be_diary, split_days
from gieok.text.encoding import Decoded, convert_line_ends, decode_note_bytes
from gieok.text.head import NoteHead, read_head, stem_without_identity
from gieok.text.keywords import normalise
from gieok.text.office.limits import LARGEST_DOCUMENT_BYTES, UnreadableDocument
from gieok.text.private_tags import CUT, cut_private, is_all_private
from gieok.text.redact.names import redact_path_names
from gieok.text.written_days import day_of_path, name_without_day

KIND = "memory"
#: Part of the stored shape: to be raised whenever heads would be parsed differently.
_HEADS = 3
EXCLUDED = "excluded by `exclude.folders`"
#: A bigger file is no note but a mistake, and would hold up everything else.
LARGEST_BYTES = 10_000_000
#: A file named as its day, below a folder of its month, has no name of its own.
_DAY_OF_FOLDER = re.compile(r"\d{1,2}일?")
#: Separators of words in a file name, outside of placeholders.
_JOIN = re.compile(r"[-_](?![^\[]*\])")


def read_root(scope: Scope, root: Root, cut: Cut) -> Iterator[SourceItem | Failed]:
    """Yield every file of a root, oldest first.

    The newest file then has the highest ids and is embedded first.
    """
    files = list_note_candidates(root)
    dated = sorted(
        (_read_mtime_seconds(file), str(file), file) for file in files if isinstance(file, Path)
    )
    judge = TrustJudge(paths.locate_home())
    for _, _, file in dated:
        yield from read_file(scope, root, file, cut, judge)
    for failed in (candidate for candidate in files if isinstance(candidate, Failed)):
        yield replace(failed, key=root.key_of(Path(failed.key)))


def list_note_candidates(root: Root) -> list[Path | Failed]:
    """Return the files of a root that look like notes, and failures.

    Failures are the root's unreadable folders, and the copies that are left out.
    """
    return [
        candidate
        for start in root.starts()
        for candidate in _list_notes_below(start, root.path.resolve())
    ]


def count_unread_documents(root: Root) -> Counter[str]:
    """Return how many documents below a root are of a kind that is not read, by their suffix."""
    files = (
        Path(file)
        for start in root.starts()
        for base, folders, names in os.walk(start)
        for file in _list_unskipped_names(folders, names)
    )
    suffixes = (file.suffix.lower() for file in files)
    return Counter(suffix for suffix in suffixes if suffix in UNREAD_SUFFIXES)


def _list_unskipped_names(folders: list[str], names: list[str]) -> list[str]:
    """Return the names of files; folders that are left out are taken from `folders`."""
    folders[:] = [folder for folder in folders if not is_skipped(folder)]
    return names


def list_failed(root: Root) -> list[Failed]:
    """Return the paths of a root that cannot be read, and those that are left out."""
    return [candidate for candidate in list_note_candidates(root) if isinstance(candidate, Failed)]


def _list_notes_below(start: Path, root: Path) -> Iterable[Path | Failed]:
    if start.is_file():
        return [start]
    # A path that a root names may be missing; a missing root is the caller's concern.
    return _walk_note_folder(start, root, frozenset()) if start.exists() or start == root else ()


def _walk_note_folder(folder: Path, root: Path, above: frozenset[Path]) -> Iterator[Path | Failed]:
    """Yield indexable files below `folder`.

    Links to folders are followed inside `root`, without loops.
    """
    try:
        here = folder.resolve()
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (OSError, RuntimeError) as error:
        yield Failed(str(folder), getattr(error, "strerror", None) or str(error))
        return
    if here in above:
        yield Failed(str(folder), "a link back to a folder above it", keeps=False)
        return
    if not here.is_relative_to(root):
        yield Failed(str(folder), "a link that leads out of the indexed folder", keeps=False)
        return
    for entry in entries:
        if private.is_excluded(entry.path):
            yield Failed(entry.path, EXCLUDED, keeps=False)
        elif not _is_folder(entry):
            yield from _classify_note_entry(entry)
        elif keeper := copies.keeper_of(entry.name, folder.name):
            yield from _report_copy_folder(Path(entry.path), keeper)
        elif not is_skipped(entry.name):
            yield from _walk_note_folder(Path(entry.path), root, above | {here})


def _classify_note_entry(entry: os.DirEntry[str]) -> Iterator[Path | Failed]:
    """Yield a file that looks like a note, or why it is none; nothing for other files."""
    path = Path(entry.path)
    if is_memory_file(Path(entry.name)):
        yield (
            Failed(str(path), why, keeps=False, is_left_out=True)
            if (why := why_copy(path))
            else path
        )
    elif not path.suffix and entry.is_symlink() and not path.exists():
        yield Failed(str(path), "a link to what is not there now; the memory of it is kept")


def why_copy(file: Path) -> str:
    """Return why a file is left out as a copy of another beside it; '' for a note."""
    copy = copies.copy_of(file.name, lambda name: file.with_name(name).is_file())
    if copy is None:
        return ""
    if copy.must_equal and not _is_equal(file, file.with_name(copy.original)):
        return ""
    return f"a copy of {redact_path_names(copy.original)!r}, which stands beside it"


def copies_of(files: Iterable[Path]) -> Iterator[Path]:
    """Yield the files whose names mark them as copies of one of `files`.

    The originals need not exist; each folder is listed once.
    """
    originals: dict[Path, set[str]] = defaultdict(set)
    for file in files:
        originals[file.parent].add(file.name)
    for folder, names in originals.items():
        try:
            beside = [entry.name for entry in folder.iterdir()]
        except OSError:
            continue
        for name in beside:
            if copies.copy_of(name, names) and is_memory_file(Path(name)):
                yield folder / name


def _is_equal(file: Path, other: Path) -> bool:
    try:
        return (
            file.stat().st_size == other.stat().st_size and file.read_bytes() == other.read_bytes()
        )
    except OSError:
        return False


def _report_copy_folder(folder: Path, keeper: str) -> Iterator[Failed]:
    """Yield a failure for a folder of another program's copies, with the number of notes in it.

    Nothing is yielded for a folder without notes.
    """
    files = (Path(name) for _, _, names in os.walk(folder) for name in names)
    if count := sum(map(is_memory_file, files)):
        files_in_it = "1 file" if count == 1 else f"{count:,} files"
        yield Failed(
            str(folder),
            f"{files_in_it} that {keeper} keeps there for itself",
            keeps=False,
            is_left_out=True,
        )


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _read_mtime_seconds(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def read_file(
    scope: Scope, root: Root, file: Path, cut: Cut, judge: TrustJudge | None = None
) -> Iterator[SourceItem | Failed]:
    """Read one file of a root: a document, and one more document for each day of a diary."""
    key = root.key_of(file)
    try:
        data, decoded, modified = read_contained(root, file, judge)
    except Unfit as error:
        yield Failed(key, str(error), keeps=error.keeps)
        return
    except OSError as error:
        yield Failed(key, error.strerror or str(error))
        return
    # Private parts are cut first: a title, a tag or a link may stand inside them.
    public_text = cut_private(decoded.text)
    if is_all_private(public_text):
        yield Failed(key, "all of it is marked as private", keeps=False)
        return
    warning = "" if is_office_document(file) else decoded.warning
    # The hash includes the encoding and whether something is cut: a file that an earlier version
    # read differently is read again.
    sort = (b"" if decoded.encoding == "UTF-8" else decoded.encoding.encode()) + (
        CUT.encode() * (public_text != decoded.text)
    )
    digest = hashlib.sha256(data + sort).hexdigest()
    note = RawNote(
        scope=scope, root=root, file=file, modified=modified, digest=digest, zone=cut.zone
    )
    sections: tuple[DaySection, ...] = ()
    if may_be_diary(public_text) and grants.record_of(str(file)) is None:
        text = _text_of(public_text)
        head = read_head(text)
        sections = _split_diary_sections(text, head, file)
    if not sections:
        yield SourceItem(
            key=key,
            content_hash=digest,
            build=lambda: note.document(_text_of(public_text)),
            cut=lambda d: cut_note_passages(d, cut),
            warning=warning,
        )
        return
    whole = note.document(text)
    rest = _hash_note_version(digest, "without its days")
    undated = replace(whole, text=_blank_out_sections(text, sections), content_hash=rest)
    yield SourceItem(
        key=key,
        content_hash=rest,
        build=lambda: undated,
        cut=lambda d: cut_note_passages(d, cut),
        warning=warning,
    )
    taken = Counter[str]()
    for section in sections:
        taken[str(section.day)] += 1
        again = taken[str(section.day)]
        own = section_key(key, str(section.day) + (f".{again}" if again > 1 else ""))
        document = _of_day(whole, text, section, own)
        yield SourceItem(
            own,
            document.content_hash,
            partial(_return_same_document, document),
            lambda d: cut_note_passages(d, cut),
        )


def _return_same_document(document: Document) -> Document:
    return document


def _text_of(said: str) -> str:
    return without_blobs(normalise(convert_line_ends(said)))


def _hash_note_version(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()


def _split_diary_sections(text: str, head: NoteHead, file: Path) -> tuple[DaySection, ...]:
    """Return the days of a diary.

    Empty for a note of one day, whose day is in its name or its head too.
    """
    sections = split_days(
        text,
        head.begin,
        head.end,
        normalise(_find_note_stem(file)),
        is_org=file.suffix.lower() == ".org",
    )
    days = {section.day for section in sections}
    own = day_of_path(normalise(file.name))
    return () if len(days) == 1 and own in days else sections


def _blank_out_sections(text: str, sections: Sequence[DaySection]) -> str:
    """Return a text with the lines of some sections empty, so that line numbers stay the same."""
    lines = text.split("\n")
    for section in sections:
        lines[section.start_line - 1 : section.end_line] = [""] * (
            section.end_line - section.start_line + 1
        )
    return "\n".join(lines)


def _of_day(whole: Document, text: str, section: DaySection, key: str) -> Document:
    """Return the document of one day of a diary."""
    own = text[section.start : section.end]
    above = [name for name in section.above if name not in whole.title]
    return replace(
        whole,
        key=key,
        title=" > ".join(filter(None, (whole.title, *above))),
        text=own,
        content_hash=_hash_note_version(
            own, section.day, section.start_line, whole.title, whole.metadata, section.above
        ),
        valid_from=datetime.combine(section.day, time(), UTC),
        metadata={name: value for name, value in whole.metadata.items() if name != MADE_THEN},
        provenance=(Provenance(whole.provenance[0].source, section.start_line, section.end_line),),
    )


class Unfit(Exception):
    """A file that is not for indexing; the message says why.

    `keeps`: what was read of it before stays, because it may become readable again.
    """

    keeps = False


class _UnreadableNote(Unfit):
    """A document that its program may be saving at this moment, or that is damaged."""

    keeps = True


class Untrusted(Unfit):
    """A project's record that nobody trusts yet."""


def read_contained(
    root: Root, file: Path, judge: TrustJudge | None = None
) -> tuple[bytes, Decoded, datetime]:
    """Return the bytes, text and time of a trusted file that lies in a root.

    Raises Unfit, OSError. Every indexed file is read here, so that no untrusted content of a
    project is indexed.
    """
    real = _resolve_contained_file(root, file)
    data, decoded, modified = _read_note_bytes(real)
    if not (judge or TrustJudge(paths.locate_home())).admits(data, file, real):
        raise Untrusted("it came with the project and waits for `gieok trust`")
    return data, decoded, modified


def _resolve_contained_file(root: Root, file: Path) -> Path:
    try:
        real = file.resolve(strict=True)
    except RuntimeError as error:
        raise Unfit("a link that leads to itself") from error
    if not real.is_relative_to(root.path.resolve()):
        raise Unfit("a link that leads out of the indexed folder")
    if private.is_excluded(str(real)):
        raise Unfit(EXCLUDED)
    return real


def peek(root: Root, file: Path) -> bytes:
    """Return the bytes of a file from `list_note_candidates`, trusted or not.

    Raises Unfit, OSError.
    """
    # Only a link can lead elsewhere; resolving all files takes long.
    return _read_note_bytes(_resolve_contained_file(root, file) if file.is_symlink() else file)[0]


def _read_note_bytes(real: Path) -> tuple[bytes, Decoded, datetime]:
    """Return the bytes, text and time of a file, trusted or not.

    Raises Unfit for a file that is no note, OSError.
    """
    file_facts = real.stat()
    if not stat.S_ISREG(file_facts.st_mode):
        raise Unfit("not a regular file")
    most = LARGEST_DOCUMENT_BYTES if is_office_document(real) else LARGEST_BYTES
    if file_facts.st_size > most:
        raise Unfit(f"{file_facts.st_size:,} bytes; notes larger than {most:,} are not indexed")
    data = real.read_bytes()
    decoded = _read_document(data, real) if is_office_document(real) else decode_note_bytes(data)
    if decoded is None:
        raise Unfit("binary, not text")
    return data, decoded, _convert_file_time(file_facts.st_mtime)


def _read_document(data: bytes, file: Path) -> Decoded:
    """Return the text of a document of a word processor. Raises Unfit."""
    from gieok.text.office.document import (
        OFFICE_VERSION,
        read_office_bytes,
    )  # slow to import, and most folders hold no such note

    suffix = file.suffix.lower()
    try:
        return Decoded(read_office_bytes(data, suffix), f"{suffix} {OFFICE_VERSION}")
    except UnreadableDocument as error:
        raise _UnreadableNote(str(error)) from error


def _convert_file_time(unix_s: float) -> datetime:
    """Return a file's time; an impossible one (a broken clock, a bad archive) becomes 1970."""
    try:
        return datetime.fromtimestamp(unix_s, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


class RawNote(NamedTuple):
    """File that was read, and whose text was not parsed yet."""

    scope: Scope
    root: Root
    file: Path
    modified: datetime
    digest: str
    zone: tzinfo

    def document(self, text: str) -> Document:
        """Return the document of the whole file."""
        head, key = read_head(text), self.root.key_of(self.file)
        named_day = _find_day_in_name(head, key, self.file)
        return Document(
            scope=self.scope,
            key=key,
            kind=KIND,
            title=_build_note_title(head.title, _find_note_stem(self.file)),
            text=text,
            content_hash=self.digest,
            created_at=self.modified,
            updated_at=self.modified,
            valid_from=_find_note_day(head, named_day),
            valid_to=_find_until_end(head.fields.get("until", ""), self.zone),
            metadata=_build_note_metadata(head, named_day, self.root.name),
            provenance=(Provenance(str(self.file), 1, text.count("\n") + 1),),
        )


def _build_note_metadata(head: NoteHead, named_day: date | None, root: str) -> dict[str, str]:
    """Return the fields of a note's head.

    Aliases and tags become one list each, wherever the note has them.
    """
    fields = {name: value for name, value in head.fields.items() if name != MADE_THEN}
    fields |= {"aliases": ", ".join(head.aliases)} if head.aliases else {}
    fields |= {"tags": ", ".join(head.tags)} if head.tags else {}
    is_made_then = head.day is None and named_day is None and head.created is not None
    return {**fields, **({MADE_THEN: "yes"} if is_made_then else {}), "root": root}


def described_again(document: Document) -> Document:
    """Return a stored document with the metadata that its text yields today.

    A day of a diary stays as it is.
    """
    if (
        document.key.startswith(f"{SEEDS}/")
        or file_key(document.key) != document.key
        or not document.provenance
    ):
        return document
    head, file = read_head(document.text), Path(document.provenance[0].source)
    kept = {name: value for name, value in document.metadata.items() if name != MADE_THEN}
    named_day = _find_day_in_name(head, document.key, file)
    return replace(
        document,
        title=_build_note_title(head.title, _find_note_stem(file)),
        valid_from=_find_note_day(head, named_day),
        metadata={
            **kept,
            **_build_note_metadata(head, named_day, document.metadata.get("root", "")),
        },
    )


def cut_note_passages(document: Document, cut: Cut) -> tuple[Passage, ...]:
    """Cut a document into passages.

    The head is metadata, not text, except for its summary; a note that is only a head is searched
    by that head.
    """
    head = read_head(document.text)
    first = document.provenance[0].start_line if document.provenance else None
    context = _build_note_context(document, head)
    body_passages = chunk(
        document.text[: head.end],
        budget_tokens=cut.budget_tokens,
        overlap_tokens=cut.overlap_tokens,
        start=head.begin,
        start_line=head.begin_line + (first or 1) - 1,
        context=context,
    )
    summed_up = tuple(Passage(*lines, context) for lines in head.summaries)
    if body_passages or summed_up or not document.text.strip():
        return summed_up + body_passages
    return chunk(
        document.text[: head.begin],
        budget_tokens=cut.budget_tokens,
        overlap_tokens=cut.overlap_tokens,
        context=context,
    )


def _build_note_context(document: Document, head: NoteHead) -> str:
    """Return the text that is searched with every passage of a note: title, other names, tags."""
    names = [document.title, *(name for name in head.aliases if name != document.title)]
    if not head.aliases and (others := document.metadata.get("aliases", "")):
        names.append(others)
    tags = ", ".join(head.tags) or document.metadata.get("tags", "")
    return " ".join(filter(None, (" = ".join(filter(None, names)), f"({tags})" if tags else "")))


def shape(cut: Cut) -> str:
    """Return the parameters of the passages' shape, as the store keeps them."""
    return f"{CHUNK_VERSION}.{_HEADS}:{cut.budget_tokens}:{cut.overlap_tokens}"


def _build_note_title(name: str, stem: str) -> str:
    """Return a note's title and the words that its file name adds.

    Both are searched with every passage.
    """
    plain = normalise(stem_without_identity(stem))
    words = _separate_path_words(name_without_day(plain))
    words = "" if _DAY_OF_FOLDER.fullmatch(words) else words
    # a title may have the day, too: without it the words beside it would be others
    known = _squeeze_title_words(name)
    adds_nothing = any(
        _squeeze_title_words(said) in known for said in (words, _separate_path_words(plain))
    )
    return name if adds_nothing else " > ".join(filter(None, (words, name)))


def _separate_path_words(name: str) -> str:
    """Return the words of a file's name, redacted, with single spaces between them."""
    return " ".join(_JOIN.sub(" ", redact_path_names(name)).split())


def _find_note_stem(file: Path) -> str:
    """Return the name of a note: the name of its bundle if it is in a bundle."""
    return file.parent.stem if file.parent.suffix == ".textbundle" else file.stem


def _squeeze_title_words(words: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in words.lower()).split())


def _find_note_day(head: NoteHead, named_day: date | None) -> datetime | None:
    """Return the day of a note; None without any.

    The day is taken from the note's head, its name or its folders, else it is the day when the
    note's program made it. A day without a time is midnight UTC.
    """
    if head.day:
        return head.day
    return datetime.combine(named_day, time(), UTC) if named_day else head.created


def _find_day_in_name(head: NoteHead, key: str, file: Path) -> date | None:
    """Return the day in a note's name or folders; None without any, and where its head has one.

    A record is named by its words, so that a day in its name is one that it speaks of.
    """
    return None if head.day or _is_record(key, file) else day_of_path(normalise(key))


def _is_record(key: str, file: Path) -> bool:
    """Say whether a file is a record, by the folder of its root; a person's note may have a head
    like that of a record.
    """
    below_root = len(PurePosixPath(key).parts) - 1
    return below_root <= len(file.parents) and is_shelf_folder(
        str(paths.locate_home()), str(file.parents[below_root - 1])
    )


def _find_until_end(until: str, zone: tzinfo) -> datetime | None:
    """Return when the day in `until: 2026-03-20` of a note's head ends in the user's time zone.

    None without a day.
    """
    try:
        day = date.fromisoformat(until.strip())
        return datetime.combine(day + timedelta(days=1), time(), zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
