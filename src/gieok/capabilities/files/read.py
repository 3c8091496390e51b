"""Markdown and text files → documents. An unreadable file is reported with its reason and does not stop the others."""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from gieok import paths, private
from gieok.capabilities.files.cut import Cut
from gieok.capabilities.files.roots import SKIPPED_FOLDERS, Root, is_memory_file
from gieok.engine.ingest import Failed, SourceItem
from gieok.grants import Judge
from gieok.model.memory import Document, Passage, Provenance, Scope
from gieok.text.chunk import VERSION as CHUNK_VERSION
from gieok.text.chunk import chunk
from gieok.text.dates import day_in_name, name_without_day
from gieok.text.encoding import Decoded, decode
from gieok.text.keywords import normalise
from gieok.text.markdown import front_matter, title
from gieok.text.private_tags import CUT, cut_private, is_all_private
from gieok.text.redact.names import named

KIND = "memory"
EXCLUDED = "excluded by `exclude.folders`"
#: A bigger file is no note but a mistake, and would hold up everything else.
LARGEST_BYTES = 10_000_000
#: Joints of words in a file name, outside of placeholders.
_JOIN = re.compile(r"[-_](?![^\[]*\])")


def read_root(scope: Scope, root: Root, cut: Cut) -> Iterator[SourceItem | Failed]:
    """Yield every file of a root, oldest first: the newest then has the highest ids and is embedded first."""
    files = candidates(root)
    dated = sorted((_mtime(file), str(file), file) for file in files if isinstance(file, Path))
    judge = Judge(paths.home())
    for _, _, file in dated:
        yield read_file(scope, root, file, cut, judge)
    yield from (Failed(root.key_of(Path(f.key)), f.reason, f.keeps) for f in files if isinstance(f, Failed))


def candidates(root: Root) -> list[Path | Failed]:
    """Return the files of a root that look like notes, and its unreadable folders."""
    return [found for start in root.starts() for found in _below(start, root.path.resolve())]


def _below(start: Path, root: Path) -> Iterable[Path | Failed]:
    if start.is_file():
        return [start]
    # A path named by a root may be missing; a missing root is the caller's concern.
    return _walk(start, root, frozenset()) if start.exists() or start == root else ()


def _walk(folder: Path, root: Path, above: frozenset[Path]) -> Iterator[Path | Failed]:
    """Yield indexable files below `folder`; links to folders are followed inside `root`, without loops."""
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
        path = Path(entry.path)
        if private.is_excluded(entry.path):
            yield Failed(entry.path, EXCLUDED, keeps=False)
            continue
        if _is_folder(entry):
            if entry.name not in SKIPPED_FOLDERS:
                yield from _walk(path, root, above | {here})
        elif is_memory_file(Path(entry.name)):
            yield path


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _mtime(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def read_file(scope: Scope, root: Root, file: Path, cut: Cut, judge: Judge | None = None) -> SourceItem | Failed:
    """Read one file of a root."""
    key = root.key_of(file)
    try:
        data, decoded, modified = read_contained(root, file, judge)
    except Unfit as error:
        return Failed(key, str(error), keeps=False)
    except OSError as error:
        return Failed(key, error.strerror or str(error))
    # Cut before anything is made of it: a title, a tag or a link may stand inside.
    text = cut_private(decoded.text)
    if is_all_private(text):
        return Failed(key, "all of it is marked as private", keeps=False)
    # With the encoding, and whether something is cut: what an earlier version read otherwise is read again.
    sort = (b"" if decoded.encoding == "UTF-8" else decoded.encoding.encode()) + (CUT.encode() * (text != decoded.text))
    digest = hashlib.sha256(data + sort).hexdigest()
    return SourceItem(
        key,
        digest,
        lambda: _document(scope, root, file, digest, normalise(unix_lines(text)), modified),
        lambda d: passages(d, cut),
        decoded.warning,
    )


def unix_lines(text: str) -> str:
    """Return `text` with Unix line ends, so that lines count as in every editor."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Unfit(Exception):
    """A file that is not for indexing; the message says why."""


class Untrusted(Unfit):
    """A project's record that nobody trusts yet."""


def read_contained(root: Root, file: Path, judge: Judge | None = None) -> tuple[bytes, Decoded, datetime]:
    """Return the bytes, text and time of a file that lies in a root and is trusted. Raises Unfit, OSError.

    Every indexed file is read here, so that no untrusted content of a project is indexed.
    """
    real = _contained(root, file)
    data, decoded, modified = _read(real)
    if not (judge or Judge(paths.home())).admits(data, file, real):
        raise Untrusted("it came with the project and waits for `gieok trust`")
    return data, decoded, modified


def _contained(root: Root, file: Path) -> Path:
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
    """Return the bytes of one of a root's `candidates`, trusted or not. Raises Unfit, OSError."""
    # Only a link can lead elsewhere; resolving all files takes long.
    return _read(_contained(root, file) if file.is_symlink() else file)[0]


def _read(real: Path) -> tuple[bytes, Decoded, datetime]:
    """Return the bytes, text and time of a file, trusted or not. Raises Unfit for other than notes, OSError."""
    found = real.stat()
    if not stat.S_ISREG(found.st_mode):
        raise Unfit("not a regular file")
    if found.st_size > LARGEST_BYTES:
        raise Unfit(f"{found.st_size:,} bytes; notes larger than {LARGEST_BYTES:,} are not indexed")
    data = real.read_bytes()
    decoded = decode(data)
    if decoded is None:
        raise Unfit("binary, not text")
    return data, decoded, _moment(found.st_mtime)


def _moment(unix_s: float) -> datetime:
    """Return a file's time; an impossible one (a broken clock, a bad archive) becomes 1970."""
    try:
        return datetime.fromtimestamp(unix_s, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _document(scope: Scope, root: Root, file: Path, digest: str, text: str, modified: datetime) -> Document:
    front = front_matter(text)
    name = front.fields.get("title") or title(text, front.end)
    return Document(
        scope=scope,
        key=root.key_of(file),
        kind=KIND,
        title=_title(name, file.stem),
        text=text,
        content_hash=digest,
        created_at=modified,
        updated_at=modified,
        valid_from=_note_day(file.name),
        valid_to=_end_of(front.fields.get("until", "")),
        metadata={**front.fields, "root": root.name},
        provenance=(Provenance(str(file), 1, text.count("\n") + 1),),
    )


def passages(document: Document, cut: Cut) -> tuple[Passage, ...]:
    """Cut a document; its front matter is metadata, not text."""
    front = front_matter(document.text)
    tags = front.fields.get("tags", "")
    return chunk(
        document.text,
        budget_tokens=cut.budget_tokens,
        overlap_tokens=cut.overlap_tokens,
        start=front.end,
        start_line=front.end_line + 1,
        context=" ".join(filter(None, (document.title, f"({tags})" if tags else ""))),
    )


def shape(cut: Cut) -> str:
    """Return the parameters of the passages' shape, as stored with them."""
    return f"{CHUNK_VERSION}:{cut.budget_tokens}:{cut.overlap_tokens}"


def _title(name: str, stem: str) -> str:
    """Join a note's title and the words that its file name adds: both are searched with every passage."""
    words = _JOIN.sub(" ", normalise(named(name_without_day(stem)))).strip()
    return name if _squeezed(words) in _squeezed(name) else " > ".join(filter(None, (words, name)))


def _squeezed(words: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in words.lower()).split())


def _note_day(name: str) -> datetime | None:
    """Return the day in a daily note's file name, as midnight UTC; None for undated notes, which never decay."""
    day = day_in_name(name)
    return datetime.combine(day, time(), UTC) if day else None


def _end_of(until: str) -> datetime | None:
    """Return when the day in `until: 2026-03-20` of a note's front matter is over where the user is; None without a day."""
    try:
        day = date.fromisoformat(until.strip())
        return datetime.combine(day + timedelta(days=1), time()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
