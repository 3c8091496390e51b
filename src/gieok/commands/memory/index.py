"""`gieok index`: bring the store in line with the files on disk, once or continuously."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os.path import normpath
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.agents.unread_hosts import find_unread_hosts, name_unread_hosts
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import INLINE, As, Hidden, OrNull, Reason
from gieok.commands.memory.ownership import describe_ownership
from gieok.commands.memory.records import follow_gate_rules, has_gate_rules
from gieok.commands.memory.relocation import follow_project
from gieok.commands.memory.replica import copy_beside
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest, EmbedderFailed, NotIndexed, Phrase, StoreError
from gieok.flow import lifecycle
from gieok.flow.gate_rules import find_damaged_gate_files
from gieok.flow.ingest import Failed, Report
from gieok.home import withholding
from gieok.home.call import Call
from gieok.memory.files import read, roots, sync
from gieok.ports.models import Embedder, Followed
from gieok.ports.store import ManagedStore, ModelSwitch, VectorCopy, VectorSearch
from gieok.text.embedform import text_to_embed
from gieok.text.messages import Words
from gieok.text.turns import is_users


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRequest:
    """Parameters of `gieok index`; their defaults stand in the signature of `index_memory`."""

    paths: Sequence[str]
    force: bool
    rebuild: bool
    remove: bool
    sessions: bool
    no_wait: bool
    watch: bool


#: Number of left-out items that are named.
_MOST_NAMED = 10


class IndexCounts(NamedTuple):
    """Numbers of documents by outcome, and what failed."""

    added: int
    changed: int
    removed: int
    unchanged: int
    forgotten: list[str]
    failed: list[Reason]
    warnings: list[Reason]
    left_out: list[Reason]


def _count_index_report(r: Report) -> IndexCounts:
    return IndexCounts(
        added=len(r.added),
        changed=len(r.changed),
        removed=len(r.removed),
        unchanged=r.unchanged,
        forgotten=sorted(r.forgotten),
        failed=_build_failure_reasons(r.failed),
        warnings=_build_failure_reasons(r.warnings),
        left_out=_build_failure_reasons(r.left_out),
    )


def _build_failure_reasons(rows: list[Failed]) -> list[Reason]:
    return [Reason(row.key, row.reason) for row in rows]


@dataclass(frozen=True, slots=True)
class IndexResult:
    """Counts of an index run, and how many passages still wait for a vector."""

    report: Annotated[Report, As(_count_index_report), INLINE]
    embedded: int = 0
    waiting: int = 0
    #: Documents uploaded to a service, or deleted there.
    moved: int = 0
    note: OrNull[str] = ""
    #: Messages read from transcripts, and documents made of these messages.
    messages: int = 0
    turns: int = 0
    #: Named folders that hold no notes.
    empty: Hidden[tuple[str, ...]] = ()
    #: Folders that are no longer indexed.
    dropped: Hidden[tuple[str, ...]] = ()
    #: Documents in the named folders whose kind is not read: (suffix, number).
    unread: Hidden[tuple[tuple[str, int], ...]] = ()
    #: Agents whose conversations are on this machine and are not read yet.
    hosts_not_read: Hidden[Words | None] = None
    #: Scope that the named folders are in; '' where none was named.
    scope: Hidden[str] = ""

    @property
    def found(self) -> bool:
        """False where nothing in the named folders could be indexed."""
        return not self.empty


def render_index_report(result: IndexResult, style: Style) -> str:
    """Show one line of counts, then what failed."""
    r = result.report
    line = style.say(
        (
            "{added} added, {changed} changed, {removed} removed, {unchanged} unchanged, {failed} "
            "failed"
        ),
        added=len(r.added),
        changed=len(r.changed),
        removed=len(r.removed),
        unchanged=r.unchanged,
        failed=len(r.failed),
    )
    if result.embedded:
        line += style.say("; {embedded} passages embedded", embedded=result.embedded)
    if result.moved:
        line += style.say("; {moved} moved at the service", moved=result.moved)
    if result.messages or result.turns:
        line += style.say(
            "; {messages} messages of agents read, {turns} documents of turns",
            messages=result.messages,
            turns=result.turns,
        )
    lines = [line]
    lines += [
        style.say("  forgotten, left out until it changes: {key!r}", key=key) for key in r.forgotten
    ]
    if result.waiting:
        lines.append(
            style.say(
                (
                    "  {waiting:,} more wait for vectors: words find them already; `gieok index` "
                    "makes them now, `gieok up` in the background"
                ),
                waiting=result.waiting,
            )
        )
    lines += [f"  {printable(style.told(result.note))}"] if result.note else []
    if result.dropped:
        names, count = ", ".join(map(style.path, result.dropped)), len(r.removed)
        lines = [
            style.say(
                "no longer indexed: {names}; {count} document forgotten",
                plural="no longer indexed: {names}; {count} documents forgotten",
                names=names,
                count=count,
            )
        ]
    if result.empty and not r.failed:
        lines = [_format_no_notes(result, style)]
    if result.scope and not result.empty:
        lines.append(f"  {printable(describe_ownership(result.scope).say(style.lang))}")
    lines += _format_unread_kinds(result, style)
    if result.hosts_not_read:
        lines.append(f"  {printable(result.hosts_not_read.say(style.lang))}")
    lines += [f"  {style.say('failed')}: {f.key!r}: {style.told(f.reason)}" for f in r.failed]
    lines += [f"  {style.say('warning')}: {f.key!r}: {style.told(f.reason)}" for f in r.warnings]
    lines += _left_out_lines(r.left_out, style)
    return "\n".join(lines)


def _format_unread_kinds(result: IndexResult, style: Style) -> list[str]:
    """Return a line on documents that are not read; none where there are none."""
    if not result.unread:
        return []
    kinds = ", ".join(f"{count:,} {suffix}" for suffix, count in result.unread)
    return [
        style.say(
            "  not read, as files of these kinds are not: {kinds}; saved as .docx, .hwpx or .txt "
            "they are",
            kinds=kinds,
        )
    ]


def _left_out_lines(left_out: list[Failed], style: Style) -> list[str]:
    """Return lines on what was left out on purpose, the first items by name."""
    if not left_out:
        return []
    count = len(left_out)
    lines = [
        style.say(
            "  left out, {count:,}: copies of notes, and what other programs keep for themselves",
            count=count,
        )
    ]
    lines += [f"    {item.key!r}: {style.told(item.reason)}" for item in left_out[:_MOST_NAMED]]
    return lines + (["    …"] if count > _MOST_NAMED else [])


def _format_no_notes(result: IndexResult, style: Style) -> str:
    names = ", ".join(map(repr, result.empty))
    return style.say(
        (
            "There are no notes in {names} yet: {kinds} are indexed. For source code: `gieok code "
            "init`; to name another folder: `gieok index DIR`, then `gieok index --remove "
            "{folders}`"
        ),
        names=names,
        kinds=", ".join(roots.SUFFIXES),
        folders=shlex.join(result.empty),
    )


@command(
    "index",
    Words("Read folders of notes, so that you can search them"),
    present=render_index_report,
    when_stopped=Words("what was indexed is kept; `gieok index` goes on"),
    examples=(
        "gieok index ~/notes",
        "gieok index",
        "gieok index ~/notes --watch",
        "gieok index ~/old --remove",
    ),
    effect=Effect.WRITE,
)
def index_memory(
    call: Call,
    *,
    paths: Annotated[
        Sequence[str],
        Parameter(
            Words("folders or files; without any, everything indexed before"), positional=True
        ),
    ] = (),
    force: Annotated[
        bool,
        Parameter(
            Words(
                "cut and store unchanged files again too; a store at a service uploads everything "
                "again"
            )
        ),
    ] = False,
    rebuild: Annotated[
        bool,
        Parameter(
            Words(
                "make all vectors again with the configured model, beside the old ones, then swap"
            )
        ),
    ] = False,
    remove: Annotated[
        bool, Parameter(Words("index these folders no longer, and forget what came from them"))
    ] = False,
    sessions: Annotated[
        bool,
        Parameter(
            Words(
                "what was said to agents too, as without folders; with --remove, forget it "
                "(`index.sessions: false`)"
            )
        ),
    ] = False,
    no_wait: Annotated[
        bool, Parameter(Words("do not wait for vectors; keyword search works at once"))
    ] = False,
    watch: Annotated[bool, Parameter(Words("keep running and index what changes"))] = False,
) -> IndexResult:
    """Index the folders, and with `watch` go on until interrupted.

    Without named folders, conversations with agents are indexed too.
    """
    request = IndexRequest(
        paths=paths,
        force=force,
        rebuild=rebuild,
        remove=remove,
        sessions=sessions,
        no_wait=no_wait,
        watch=watch,
    )
    return index_requested_folders(call, request, has_talk=request.sessions or not request.paths)


def index_requested_folders(call: Call, request: IndexRequest, *, has_talk: bool) -> IndexResult:
    """Index the requested folders; with `has_talk`, conversations with agents too."""
    if request.rebuild and (request.no_wait or call.home.embedder_name == "none"):
        raise BadRequest(
            "--rebuild makes vectors, but no embedder is used",
            hint="leave out --no-wait, and set `embedder`",
        )
    if not request.remove:
        withholding.check_caller_withheld(call)
        for path in request.paths:
            withholding.check_folder(call, str(_normalize_folder_path(call, path)))
    store, scope = call.home.store, call.scope
    follow_project(call, call.project, store)
    if request.rebuild and not isinstance(store, ModelSwitch):
        raise BadRequest(
            "{current} makes its vectors itself",
            current=call.home.stores.name,
            hint="leave out --rebuild",
        )
    if request.remove:
        return _remove_indexed_folders(call, request)
    folders = (
        roots.add_roots(
            call.home.notes,
            scope,
            [_require_existing_path(call, path) for path in request.paths],
        )
        if request.paths
        else roots.load_roots(store, scope)
    )
    messages, turns, troubles = _take_in(call, request) if has_talk else (0, 0, [])
    if not (folders or request.rebuild) and not (has_talk and call.home.journal.scopes()):
        raise NotIndexed(
            "nothing has been indexed here ({scope}), so there is nothing to index again",
            scope=name_scope(scope),
        )
    total = sum(len(read.list_note_candidates(root)) for root in folders if root.path.exists())
    progress = call.progress(call.words("files"), total)
    report = (
        sync.sync_scope_roots(
            store, scope, folders, call.home.cut, force=request.force, progress=progress
        )
        if folders
        else Report()
    )
    report.failed += troubles
    empty = (
        tuple(request.paths)
        if request.paths and report.seen == len(report.failed) and not request.watch
        else ()
    )
    named = folders if request.paths else []
    caller = call.caller
    unread_hosts = find_unread_hosts(caller.user, caller.environment) if has_talk else ()
    result = replace(
        _with_vectors(call, request, report),
        messages=messages,
        turns=turns,
        hosts_not_read=name_unread_hosts(unread_hosts) if unread_hosts else None,
        empty=empty,
        unread=_count_unread_kinds(named),
        scope=str(scope) if request.paths else "",
    )
    if request.watch:
        call.tell(render_index_report(result, Style(call.lang, colour=False)))
        return _watch_indexed_folders(call, request, folders, result)
    return result


def _count_unread_kinds(folders: Sequence[roots.Root]) -> tuple[tuple[str, int], ...]:
    """Return how many documents in folders are of each kind that is not read."""
    counts = sum((read.count_unread_documents(root) for root in folders), Counter[str]())
    return tuple(sorted(counts.items()))


def _take_in(call: Call, request: IndexRequest) -> tuple[int, int, list[Failed]]:
    """Read every transcript and make its messages searchable.

    Returns the number of messages, the number of documents, and what failed.
    """
    if not call.home.settings.flag("index.sessions"):
        if request.sessions:
            raise BadRequest("`index.sessions` is off", hint="set `index.sessions: true`")
        return 0, 0, []
    sidecar = call.home.sidecar
    messages = sidecar.capture_all()
    report = sidecar.derive_turns(progress=call.progress("blocks of turns"))
    return (
        messages,
        report.put,
        [Failed(path, why) for path, why in sidecar.capture.captured.troubles.items()],
    )


def _remove_indexed_folders(call: Call, request: IndexRequest) -> IndexResult:
    store, scope = call.home.store, call.scope
    folders = [_normalize_folder_path(call, path) for path in request.paths]
    if not roots.retire_roots(call.home.notes, scope, folders) and not request.sessions:
        known = ", ".join(str(root.path) for root in roots.load_roots(store, scope)) or "none"
        raise BadRequest(
            "no indexed folder among {paths!r}",
            paths=request.paths,
            known=Phrase(known),
            hint="indexed: {known}",
        )
    if request.sessions:
        if call.home.settings.flag("index.sessions"):
            raise BadRequest(
                "what was said would be indexed again", hint="set `index.sessions: false` first"
            )
        call.home.sidecar.derive_turns()
    report = Report(removed=sync.forget_retired(store, scope))
    store.compact()
    copy_beside(call, call.scope)
    return IndexResult(report, dropped=tuple(map(str, folders)))


def _normalize_folder_path(call: Call, path: str) -> Path:
    return Path(normpath(call.caller.path(path)))  # `..` would be a root of that name


def _require_existing_path(call: Call, path: str) -> Path:
    if not path.strip():
        raise BadRequest(
            "a path is empty",
            hint="name a folder: `gieok index ~/notes`; `.` is the one that you stand in",
        )
    absolute_path = _normalize_folder_path(call, path)
    if absolute_path == Path(absolute_path.anchor):
        raise BadRequest("{path!r} is the whole disk", path=path, hint="give a folder of notes")
    if not absolute_path.exists():
        raise BadRequest(
            "no such file or folder: {path!r}",
            path=path,
            hint="give a folder with Markdown files, or one file",
        )
    return absolute_path


def _with_vectors(call: Call, request: IndexRequest, report: Report) -> IndexResult:
    store = call.home.store
    embedder = (
        None
        if request.no_wait or not isinstance(store, VectorSearch)
        else call.home.open_embedder()
    )
    embedded, note = 0, ""
    if embedder is not None and request.rebuild and isinstance(store, ModelSwitch):
        embedded = lifecycle.switch_model(store, embedder, call.progress("embedded"))
        note = "" if embedded else f"every vector was made by {_name_active_model(store)} already"
    elif embedder is not None and isinstance(store, VectorSearch):
        embedded = _embed_missing_passages(call, request, store, embedder)
        if not request.paths and isinstance(embedder, Followed) and embedder.is_upgrade:
            try:
                embedded += lifecycle.follow_release(store, embedder, call.progress("embedded"))
                embedder = call.home.open_embedder() or embedder  # which follows the new vectors
            except EmbedderFailed as error:  # the earlier release serves on
                note = error.in_full
    if embedded or find_damaged_gate_files(str(call.home.folder)):
        call.home.settle_statements()
    elif has_gate_rules(call):  # records may have been changed or removed by hand
        follow_gate_rules(call, store)
    if not note and isinstance(embedder, Followed) and not request.rebuild:
        note = embedder.behind
    stats = store.stats(call.scope)
    has_vectors = isinstance(store, VectorSearch) and call.home.embedder_name != "none"
    waiting = stats.waiting if has_vectors else 0
    store.compact()
    moved = 0
    if isinstance(store, ManagedStore) and not request.no_wait:
        moved = store.push(call.progress("uploaded"), verify=request.force, anew=request.force)
    copy_beside(call, call.scope, force=request.force)
    return IndexResult(report=report, embedded=embedded, waiting=waiting, moved=moved, note=note)


def _embed_missing_passages(
    call: Call, request: IndexRequest, store: VectorSearch, embedder: Embedder
) -> int:
    """Make the missing vectors; return their number.

    Where folders were named, only the passages of these folders are embedded: the rest may take
    minutes.
    """
    store_stats = call.home.store.stats()
    if not store_stats.waiting:
        # which checks that the model is still the store's
        embedded_count = lifecycle.fill_vectors(store, embedder)
        lifecycle.fill_lines(store, embedder)
        return embedded_count
    words = call.words("meanings")
    if not request.paths:
        show = call.progress(words, store_stats.waiting)
        embedded_count = lifecycle.fill_vectors(store, embedder, show, is_first=is_users)
        lifecycle.fill_lines(store, embedder)
        return embedded_count
    texts = _collect_embedded_texts(
        call, [_normalize_folder_path(call, path) for path in request.paths]
    )
    return lifecycle.fill_vectors(
        store, embedder, call.progress(words, len(texts)), is_wanted=texts.__contains__
    )


def _collect_embedded_texts(call: Call, paths: list[Path]) -> set[str]:
    """Return the texts to embed of all passages of files at or below some paths."""
    store, scope = call.home.store, call.scope
    known = roots.load_roots(store, scope)
    keys = [
        key
        for key in store.hashes(scope)
        if any(_is_key_below(root, key, path) for root in known for path in paths)
    ]
    return {
        text_to_embed(e.document.text[p.start : p.end])
        for e in store.entries(scope, keys)
        for p in e.passages
    }


def _is_key_below(root: roots.Root, key: str, path: Path) -> bool:
    if not root.owns(key):
        return False
    return root.path == path or (root.file(key.partition("/")[2]).is_relative_to(path))


def _name_active_model(store: ModelSwitch) -> str:
    active = store.active_model() if isinstance(store, VectorCopy) else None
    return active[0] if active else "one model"


def _watch_indexed_folders(
    call: Call, request: IndexRequest, wanted: list[roots.Root], result: IndexResult
) -> IndexResult:
    """Index changed files until interrupted; return the result of the last run."""
    store, scope = call.home.store, call.scope
    call.tell(call.words("watching; Ctrl-C ends it"))

    is_behind = False

    def read(changed: set[Path]) -> bool:
        nonlocal result, is_behind
        try:
            report = sync.sync_changed(store, scope, wanted, call.home.cut, changed)
            if is_behind or report.added or report.changed or report.removed or report.failed:
                result = _with_vectors(call, request, report)
                call.tell(render_index_report(result, Style(call.lang, colour=False)))
        except (StoreError, EmbedderFailed) as error:  # a busy store, a full disk
            call.tell(error.in_full)
            is_behind = True
            return False
        is_behind = False
        return True

    folders = [root.watched for root in wanted]
    call.home.watching.follow(lambda: folders, read)
    return result
