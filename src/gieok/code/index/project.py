"""Bring a project's index in line with its files.

Changed files are read again, and the graph is linked from all facts.

A full run is a sync in which every file has changed; the facts of unchanged files come from the
store, as they were read. Where a change is known to stay inside of its files (`local_links`), these
alone are linked; else all files of the family are.
"""

import gc
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gieok.code.index import graph, local_links, scan, update, wording
from gieok.code.index.ignore_rules import IgnoreRules
from gieok.code.index.read import CodeSource, dialect, read_source_file
from gieok.code.index.update import Read
from gieok.code.languages.language import Family
from gieok.code.languages.places import is_readme
from gieok.code.languages.table import LANGUAGES
from gieok.code.model import facts as fact_file
from gieok.code.model.facts import Facts
from gieok.code.model.tuning import Chunking, Tuning
from gieok.code.resolve.frozen.solution import parse_solution
from gieok.errors import BadRequest
from gieok.flow.ingest import Failed, Report, SourceItem, ingest
from gieok.model.code import GraphChange, Keeping, Links, SourceFile, Symbol
from gieok.model.memory import Document, Passage, Scope
from gieok.ports.system import Clock
from gieok.text.redact.names import redact_path_names

if TYPE_CHECKING:
    from gieok.machine.git import Git
    from gieok.machine.parsers.treesitter import TreeSitterParser
    from gieok.storage.index.sqlite.graph import ProjectStore

SCOPE = Scope("project:code")
_SHAPE_NOTE = "code.shape"
#: Noted instead of a shape while files of several shapes are stored.
_MIXED = "mixed"
_COMMIT_NOTE = "code.commit"
_TIME_NOTE = "code.indexed_at"
_UNLINKED_NOTE = "code.unlinked"
#: Files that were opened and not read, as rows of path, size, time and reason.
_UNWANTED_NOTE = "code.unwanted"
#: Families of languages whose links are older than their symbols.
_DUE_NOTE = "code.due"
#: At least the resolution of a file system's times; the kernel's own tick is 10 ms at most.
_TICK_NS = 50_000_000


class Project(NamedTuple):
    """A folder, with everything that reading and indexing it needs."""

    root: Path
    store: "ProjectStore"
    parser: "TreeSitterParser"
    versions: "Git"
    clock: Clock
    tuning: Tuning = Tuning()

    @property
    def rules(self) -> IgnoreRules:
        """Return the ignore rules of the project."""
        return IgnoreRules(self.tuning.ignore, self.versions)

    @property
    def shape(self) -> str:
        """Return the version of what is stored; where it differs, every file is read again."""
        chunking = self.tuning.chunking
        cut = "" if chunking == Chunking() else f":{chunking.largest}:{chunking.tiny}"
        return f"{graph.SHAPE}:{wording.VERSION}{cut}"


class UnwantedFile(NamedTuple):
    """File that was opened and not read, with the reason, as it was then."""

    path: str
    size: int
    mtime_ns: int
    reason: str


@dataclass(slots=True)
class ProjectChange:
    """The result of a sync."""

    report: Report = field(default_factory=Report)
    skipped: list[scan.Skipped] = field(default_factory=list)
    #: Those of the skipped files that were opened: binary, minified or generated.
    unwanted: list[UnwantedFile] = field(default_factory=list)
    notes: list[scan.Skipped] = field(default_factory=list)
    files: int = 0
    lines: int = 0
    #: Whether every file was read: for the first time, on request, or by another version.
    is_full: bool = False
    linked: bool = False
    #: Symbols of the re-read or deleted files, before and after; none where there was no index.
    was: list[Symbol] = field(default_factory=list)
    now: list[Symbol] = field(default_factory=list)

    @property
    def touched(self) -> list[str]:
        """Return the paths that were added, changed or removed."""
        return sorted({*self.report.added, *self.report.changed, *self.report.removed})


@contextmanager
def without_collecting() -> Iterator[None]:
    """Pause the garbage collector while millions of small, lasting tuples are made.

    Walking over the tuples would take two fifths of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@without_collecting()
def sync_project(
    project: Project,
    *,
    full: bool = False,
    only: Sequence[str] = (),
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> ProjectChange:
    """Read the changed files, among `only` or everywhere, and link. Raises BadRequest,
    StoreError.
    """
    known = project.store.files()
    if _begin_shape(project, is_empty=not known):
        full, only = True, ()  # what was cut by other settings is cut anew, wherever it is
    candidates, skipped = _look_for_candidates(project, only)
    change = ProjectChange(skipped=skipped, is_full=full or not known)
    fresh: dict[str, Read] = {}
    # Where the last sync was killed, the text in the store may be newer than the facts of its file:
    # such a file is read again.
    texts = {} if full else project.store.hashes(SCOPE)
    settled = {path: file for path, file in known.items() if texts.get(path) == file.content_hash}
    items = _iter_source_items(project, candidates, settled, fresh, change, progress)
    owned = (lambda key: key in only) if only else (lambda key: True)
    change.report = ingest(project.store, SCOPE, items, owns=owned, force=full)
    # A file that was read but could not be cut is not indexed, not even with an older version.
    project.store.forget(
        SCOPE, [failed.key for failed in change.report.failed if failed.key in fresh]
    )
    held = set(project.store.hashes(SCOPE))
    gone = sorted(path for path in known if path not in held)
    files = {path: file for path, file in known.items() if path in held}
    change.files = len(files.keys() | (fresh.keys() & held))
    for path in [path for path in fresh if path not in held]:
        del fresh[path]
    _write_project_changes(project, change, known, fresh, gone, progress, full=full)
    _note_unwanted_files(project, change, only)
    project.store.write_note(SCOPE, _SHAPE_NOTE, project.shape)
    project.store.write_note(SCOPE, _COMMIT_NOTE, project.versions.head())
    project.store.write_note(SCOPE, _TIME_NOTE, project.clock.now().isoformat())
    return change


def _begin_shape(project: Project, *, is_empty: bool) -> bool:
    """Say whether every file must be read again: what is stored has another shape, or several.

    Until all is read, no shape is noted, so that the next sync makes up for one that was killed
    between two shapes. An empty index has the shape that it is begun with.
    """
    noted = project.store.notes(SCOPE).get(_SHAPE_NOTE)
    if noted is None and is_empty:
        project.store.write_note(SCOPE, _SHAPE_NOTE, project.shape)
    elif noted != project.shape:
        project.store.write_note(SCOPE, _SHAPE_NOTE, _MIXED)
        return True
    return False


def _note_unwanted_files(project: Project, change: ProjectChange, only: Sequence[str]) -> None:
    """Store which files were opened and not read; those outside of `only` stay as they were."""
    notes = project.store.notes(SCOPE)
    kept = [row for row in _read_unwanted_files(notes) if only and row.path not in only]
    rows = sorted([*kept, *change.unwanted])
    project.store.write_note(SCOPE, _UNWANTED_NOTE, json.dumps(rows, ensure_ascii=False))


def _read_unwanted_files(notes: Mapping[str, str]) -> list[UnwantedFile]:
    return [UnwantedFile(*row) for row in _parse_note_rows(notes, _UNWANTED_NOTE)]


def _look_for_candidates(
    project: Project, only: Sequence[str]
) -> tuple[list[scan.SourceCandidate], list[scan.Skipped]]:
    if not only:
        return scan.scan(project.root, project.rules)
    looked = scan.look_at_paths(project.root, only, project.rules)
    candidates, skipped = scan.split_scan_results(looked)
    return candidates, [skip for skip in skipped if (project.root / skip.path).exists()]


def _iter_source_items(
    project: Project,
    candidates: Sequence[scan.SourceCandidate],
    known: dict[str, SourceFile],
    fresh: dict[str, Read],
    change: ProjectChange,
    progress: Callable[[str, int, int], None],
) -> Iterator[SourceItem | Failed]:
    """Yield every file; a file with unchanged size and time is not opened."""
    now = project.clock.now()
    for number, candidate in enumerate(candidates):
        progress("reading", number, len(candidates))
        if (clean_name := redact_path_names(candidate.path)) != candidate.path:
            change.skipped.append(scan.Skipped(clean_name, "its name holds a secret"))
            continue
        before = known.get(candidate.path)
        if before is not None and candidate.is_like(before):
            yield SourceItem(
                candidate.path, before.content_hash, _refuse_unchanged_source, _keep_source_uncut
            )
            continue
        try:
            data = scan.read_source_bytes(project.root, candidate.path)
            text = scan.decode_source(data, candidate.language)
        except OSError as error:
            yield Failed(
                candidate.path,
                error.strerror or "cannot be read",
                keeps=not isinstance(error, FileNotFoundError),
            )
            continue
        except scan.Unwanted as reason:
            change.skipped.append(scan.Skipped(candidate.path, str(reason)))
            change.unwanted.append(
                UnwantedFile(
                    candidate.path,
                    candidate.size,
                    _settled_ns(candidate.mtime_ns, now),
                    str(reason),
                )
            )
            continue
        content_hash = sha256(data).hexdigest()
        written_ns = _settled_ns(candidate.mtime_ns, now)
        file = SourceFile(
            path=candidate.path,
            language=candidate.language,
            content_hash=content_hash,
            size=candidate.size,
            mtime_ns=written_ns,
            status="parsed",
        )
        if before is not None and before.content_hash == content_hash:
            fresh[candidate.path] = Read(
                None, before._replace(size=file.size, mtime_ns=file.mtime_ns)
            )
            yield SourceItem(
                candidate.path, content_hash, _refuse_unchanged_source, _keep_source_uncut
            )
            continue
        try:
            source = read_source_file(candidate.path, candidate.language, text, project.parser)
        # One strange file must not stop the others; it is reported.
        except Exception as error:  # noqa: BLE001
            yield Failed(candidate.path, f"{type(error).__name__}: {error}", keeps=False)
            continue
        if source.note:
            change.notes.append(scan.Skipped(candidate.path, source.note))
        change.lines += text.count("\n") + 1
        dumped = source.dumped
        source = source._replace(facts=source.facts.packed(), dumped="")
        fresh[candidate.path] = Read(
            source, file._replace(status=source.status, note=source.note), dumped
        )
        yield SourceItem(
            candidate.path,
            content_hash,
            partial(_build_source_document, source, text, content_hash, now),
            partial(_cut_source_passages, source, project.tuning.chunking),
            dialect=dialect(candidate.language),
        )


def _settled_ns(mtime_ns: int, now: datetime) -> int:
    """Return the modification time to store for a file.

    A file that was modified so recently that it may be written again in the same tick of the clock
    gets a different time. Its content is then compared at the next sync, as git does with files
    that are "racily clean".
    """
    return mtime_ns + (mtime_ns > now.timestamp() * 1e9 - _TICK_NS)


def _refuse_unchanged_source() -> Document:
    raise BadRequest("an unchanged file is not stored again", hint="run `gieok code init --full`")


def _keep_source_uncut(document: Document) -> tuple[Passage, ...]:
    del document
    return ()


def _build_source_document(
    source: CodeSource, text: str, content_hash: str, now: datetime
) -> Document:
    return Document(
        scope=SCOPE,
        key=source.path,
        kind="code",
        text=text,
        content_hash=content_hash,
        created_at=now,
        updated_at=now,
        title=source.path,
        metadata={"language": source.language},
    )


def _cut_source_passages(
    source: CodeSource, chunking: Chunking, document: Document
) -> tuple[Passage, ...]:
    return tuple(
        passage._replace(label=wording.name_wording(source.path, passage.context))
        for passage in source.passages(document.text, chunking)
    )


def _write_project_changes(
    project: Project,
    change: ProjectChange,
    known: dict[str, SourceFile],
    fresh: dict[str, Read],
    gone: Sequence[str],
    progress: Callable[[str, int, int], None],
    *,
    full: bool,
) -> None:
    """Store facts and symbols at once; then link the affected families and store the edges.

    The families of languages that wait for their links are stored before: the next sync makes up
    for a sync that was killed in between. The solutions of families whose files are all to be
    linked are dropped with the first write, so that the next sync links them all, too.
    """
    store = project.store
    notes = store.notes(SCOPE)
    due: set[str] = set(_parse_note_rows(notes, _DUE_NOTE))
    strange = {path for path, _ in _parse_note_rows(notes, _UNLINKED_NOTE)}
    comparison = update.compare_with_stored(store, known, fresh, gone, strange, due, full=full)
    due |= comparison.families
    if comparison.graph is not None and known:
        change.was = store.symbols(paths=[*comparison.graph.symbols])
        change.now = [symbol for symbols in comparison.graph.symbols.values() for symbol in symbols]
    if due:
        store.write_note(SCOPE, _DUE_NOTE, json.dumps(sorted(due)))
    if comparison.rows or gone:
        store.replace(comparison.rows, gone, comparison.graph, comparison.keeping)
    facts = {path: read.source.facts for path, read in fresh.items() if read.source is not None}
    fresh.clear()
    del comparison  # all that linking does not need makes room
    if due:
        progress("linking", 0, 1)
        _link_families(project, due, facts)
        change.notes += unlinked(project)
        change.linked = True


def _link_families(project: Project, due: set[str], facts: dict[str, Facts]) -> None:
    """Link all files of families of languages; `facts` are the facts already in memory."""
    store = project.store
    due = due - _link_changed_files(project, due)
    if not due:
        store.write_note(SCOPE, _DUE_NOTE, "[]")
        return
    languages = _list_family_languages(due)
    paths = {path for path, file in store.files().items() if file.language in languages}

    def stored(wanted: Collection[str]) -> list[tuple[str, Facts]]:
        return [
            (path, fact_file.parse_packed_facts(text))
            for path, text in store.facts()
            if path in wanted
        ]

    files = [(path, file_facts) for path, file_facts in facts.items() if path in paths]
    files += stored(paths - facts.keys())
    facts.clear()
    built = graph.build(files, again=partial(stored, paths), is_recorded=True)
    solutions = {name: built.solutions.get(name, b"") for name in due}
    links = Links(languages, built.edges, built.unresolved_calls, solutions)
    store.replace((), (), GraphChange({}, {}, links))
    known = _parse_note_rows(store.notes(SCOPE), _UNLINKED_NOTE)
    others = [row for row in known if row[0] not in paths]
    held = store.files()
    rows = sorted([*(row for row in others if row[0] in held), *map(list, built.unlinked)])
    store.write_note(SCOPE, _UNLINKED_NOTE, json.dumps(rows, ensure_ascii=False))
    store.write_note(SCOPE, _DUE_NOTE, "[]")


def _list_family_languages(families: Collection[str]) -> set[str]:
    """Return the names of the languages of some families."""
    return {
        language.name
        for language in LANGUAGES.values()
        if language.family and language.family.name in families
    }


def _link_changed_files(project: Project, due: Collection[str]) -> set[str]:
    """Link the changed files of families alone, where their changes stay inside of them.

    Returns the families in which that was so; the files of the others are all to be linked.
    """
    store = project.store
    done: set[str] = set()
    for family in sorted({row.family for row in LANGUAGES.values() if row.family}):
        if family.name not in due:
            continue
        try:
            links = _link_locally(store, family)
            if links is not None:
                store.replace((), (), GraphChange({}, {}, links))
                done.add(family.name)
        # What is kept may be damaged, in ways that nobody can list: a whole link needs none of it.
        except Exception:  # noqa: BLE001
            store.replace((), (), None, Keeping(outdated=[family.name]))
    return done


def _link_locally(store: "ProjectStore", family: Family) -> Links | None:
    """Return the links of a family's changed files; None where all files are to be linked."""
    languages = _list_family_languages([family.name])
    solution = parse_solution(store.solution(family.name), graph.SHAPE)
    if solution is None or solution.paths != store.fact_paths(languages):
        return None
    own = store.linked_files(languages)
    if not 0 < len(own) <= local_links.MOST_FILES:
        return None
    after = dict(store.facts([file.path for file in own]))
    changed = [
        local_links.FileVersions(
            path=file.path,
            before=fact_file.parse_facts(file.facts),
            after=fact_file.parse_facts(after[file.path]),
            edges=file.edges,
            calls=file.unresolved_calls,
        )
        for file in own
    ]
    links = local_links.link_locally(store, family, solution, changed)
    if links is None:
        return None
    paths = [file.path for file in own]
    return Links(languages, links.edges, links.calls, paths=paths)


def _parse_note_rows(notes: Mapping[str, str], name: str) -> list[Any]:
    """Return the list that a note of the index holds; empty where there is no such note."""
    rows: list[Any] = json.loads(notes.get(name, "[]"))
    return rows


def unlinked(project: Project) -> list[scan.Skipped]:
    """Return the files that could not be linked, with the reason.

    Search finds these files, but their calls are not known.
    """
    return _list_unlinked_files(project.store.notes(SCOPE))


def _list_unlinked_files(notes: Mapping[str, str]) -> list[scan.Skipped]:
    rows = _parse_note_rows(notes, _UNLINKED_NOTE)
    return [scan.Skipped(path, f"calls followed in part: {reason}") for path, reason in rows]


def list_partial_files(project: Project) -> list[scan.Skipped]:
    """Return the files that are only partly indexed, each with the reason."""
    return _list_partial_files(project.store.files(), project.store.notes(SCOPE))


def _list_partial_files(
    files: Mapping[str, SourceFile], notes: Mapping[str, str]
) -> list[scan.Skipped]:
    partly = [scan.Skipped(file.path, file.note) for file in files.values() if file.note]
    return sorted([*partly, *_list_unlinked_files(notes)])


def read_index_time(project: Project) -> str:
    """Return when the project was last synced, as ISO 8601 in UTC; '' for never."""
    return project.store.notes(SCOPE).get(_TIME_NOTE, "")


class Freshness(NamedTuple):
    """State of the index behind an answer: its commit, its time and its gaps.

    `dirty` are files that differ on disk, `in_part` files whose calls or symbols are known only in
    part, `unread` files with a name of source code that were not read, each with its reason. `due`
    are families of languages whose calls are older than their symbols: the last sync was stopped.
    """

    commit: str
    head: str
    indexed_at: str
    dirty: tuple[str, ...]
    in_part: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    due: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Return whether everything was read, so that an answer of zero is reliable."""
        return not (self.dirty or self.in_part or self.unread or self.due)


def freshness(project: Project) -> Freshness:
    """Compare the index with the files on disk, by size and time; where these differ, by
    content.
    """
    known = project.store.files()
    notes = project.store.notes(SCOPE)
    candidates, skipped = _look_for_candidates(project, ())
    dirty = known.keys() - {c.path for c in candidates}
    unread = [*skipped]
    unwanted = {row.path: row for row in _read_unwanted_files(notes)}
    for candidate in candidates:
        file = known.get(candidate.path)
        if file is not None:
            is_dirty = (
                not candidate.is_like(file)
                and _hash_file(project, candidate.path) != file.content_hash
            )
        elif reason := _explain_unwanted(project, candidate, unwanted.get(candidate.path)):
            is_dirty = False
            unread.append(scan.Skipped(candidate.path, reason))
        else:
            is_dirty = True
        if is_dirty:
            dirty.add(candidate.path)
    return Freshness(
        commit=notes.get(_COMMIT_NOTE, ""),
        head=project.versions.head(),
        indexed_at=notes.get(_TIME_NOTE, ""),
        dirty=tuple(sorted(dirty)),
        in_part=tuple(dict.fromkeys(row.path for row in _list_partial_files(known, notes))),
        unread=tuple(f"{skip.path}: {skip.reason}" for skip in sorted(unread)),
        due=tuple(_parse_note_rows(notes, _DUE_NOTE)),
    )


def list_left_out_files(project: Project) -> list[scan.Skipped]:
    """Return the left-out source files and folders, each with the reason."""
    _, skipped = _look_for_candidates(project, ())
    rows = _read_unwanted_files(project.store.notes(SCOPE))
    unwanted = [scan.Skipped(row.path, row.reason) for row in rows]
    return sorted([*skipped, *unwanted])


def find_left_out_mentions(project: Project, name: str) -> scan.SkippedSearch:
    """Search the left-out files for a name; each is found with the reason why it is left out."""
    return scan.search_skipped_files(
        project.root, list_left_out_files(project), name, project.rules
    )


def _hash_file(project: Project, path: str) -> str:
    """Return the hash of a file's content; '' for a file that cannot be read."""
    try:
        return sha256(scan.read_source_bytes(project.root, path)).hexdigest()
    except OSError:
        return ""


def _explain_unwanted(
    project: Project, candidate: scan.SourceCandidate, known: UnwantedFile | None
) -> str:
    """Return why a file that is not in the index is not read; '' for a file that would be."""
    if known is not None and (known.size, known.mtime_ns) == (candidate.size, candidate.mtime_ns):
        return known.reason
    try:
        data = scan.read_source_bytes(project.root, candidate.path)
        scan.decode_source(data, candidate.language)
    except OSError as error:
        return error.strerror or "cannot be read"
    except scan.Unwanted as reason:
        return str(reason)
    return ""


def inside(project: Project, name: str, folder: Path | None = None) -> str:
    """Return the indexed path of a project file, from an absolute or a relative path.

    A relative path is relative to `folder` or to the project: paths that a person completes are
    relative to the current folder, paths that an answer cites to the project. The first counts
    where such a file exists. Raises BadRequest where the path leads out of the project.
    """
    try:
        full = (folder or project.root) / name
        if not full.exists():
            full = project.root / name
        return full.resolve().relative_to(project.root.resolve()).as_posix()
    except (ValueError, OSError, RuntimeError) as error:
        raise BadRequest(
            "{name!r} is outside of the project {root!r}",
            name=name,
            root=project.root,
            hint="name a path below it, or run the command in the other project",
        ) from error


def read_readmes(project: Project) -> list[Document]:
    """Return the indexed READMEs of a project, in the order of their paths."""
    paths = sorted(path for path in project.store.files() if is_readme(path))
    return project.store.get(SCOPE, paths)
