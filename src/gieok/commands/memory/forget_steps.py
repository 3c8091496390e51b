"""Finds memories to forget, and removes them from everything that Gieok stores.

A message takes along what was distilled from that message alone, and an observation takes along the
messages that gave that observation alone: otherwise the memory would be observed, or found, again.
Files of the user are left as they are and named; the index leaves such files out until they change.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.commands.memory import copies, leftovers, shown_words, untrusted, whereabouts
from gieok.commands.memory.forget_plan import Chosen, ForgetFilter, ForgetPlan
from gieok.commands.memory.forgotten_marks import (
    build_memory_mark,
    mark_forgotten,
)
from gieok.commands.memory.handles import is_shelf
from gieok.commands.memory.records import shelf_at
from gieok.errors import StoreError
from gieok.flow import distil, durable
from gieok.home.call import Call
from gieok.hook import records
from gieok.memory import observation, retirement
from gieok.memory.files import roots
from gieok.memory.sidecar import observing, reflecting
from gieok.memory.talk import promotion, turns
from gieok.memory.tiers import sweep, sync
from gieok.model.memory import EDITED_TO, MOVED_FROM, Document, Scope
from gieok.places.home import action_folder
from gieok.ports.journal import MessageFilter
from gieok.ports.store import ManagedStore, Scrubbing, Store
from gieok.text.handles import build_handle
from gieok.text.keywords import fold_for_search

_AT_ONCE = 500
#: Realm of the journal that marks a run that has begun.
_PENDING = "pending"


class ForgetReport(NamedTuple):
    """Deleted files, (place, reason) of what could not be removed, and counts of removed items."""

    deleted: tuple[str, ...]
    still_in: tuple[tuple[str, str], ...]
    removed: tuple[whereabouts.RemovedFrom, ...] = ()


def plan_forgetting(call: Call, wanted: ForgetFilter) -> ForgetPlan:
    """Return the plan of everything that fits a filter.

    Searches the scope that the filter names, else every scope; a filter by day alone searches the
    scopes of the current folder.
    """
    draft = ForgetPlan()
    held = dict[Scope, dict[str, Document]]()
    known = set[str]()
    shelves = set[Path]()
    for scope in _select_forget_scopes(call, wanted):
        documents = held[scope] = _load_scope_documents(call, scope)
        there = roots.load_roots(call.home.store, scope)
        shelves |= {root.path.parent for root in there if is_shelf(root, str(call.home.folder))}
        chosen = draft.scopes[scope] = Chosen()
        for document in documents.values():
            names = _collect_document_names(document, there)
            if _is_forget_match(document, names, wanted):
                chosen.documents[document.key] = document
            known |= names
        _choose_messages(call, scope, wanted, chosen, documents)
        known |= {documents.message.id for documents in chosen.messages.values()}
        known |= {_format_document_handle(document) for document in chosen.replaced.values()}
    _choose_moved(call, draft, held)
    draft.records = {
        file
        for base in shelves | {call.home.folder}
        for file in _iter_matching_records(base, draft, wanted, known)
    }
    draft.unknown = [
        handle for handle in wanted.handles if _strip_citation_lines(handle) not in known
    ]
    return draft


def _select_forget_scopes(call: Call, wanted: ForgetFilter) -> list[Scope]:
    if call.is_scope_named:
        return [call.scope]
    if not (wanted.handles or wanted.match or wanted.source):
        return list(call.scopes)
    journal = call.home.journal
    return sorted({*call.home.store.scopes(), *journal.scopes(), *journal.made_scopes()})


def _load_scope_documents(call: Call, scope: Scope) -> dict[str, Document]:
    """Return the documents of a scope in every local store and the journal, without turns.

    Turns are derived from messages.
    """
    documents = {entry.document.key: entry.document for entry in call.home.journal.made(scope)}
    for store in memory_stores(call):
        keys = sorted(
            key for key in store.hashes(scope).keys() - documents.keys() if not turns.is_turns(key)
        )
        for start in range(0, len(keys), _AT_ONCE):
            documents |= {d.key: d for d in store.get(scope, keys[start : start + _AT_ONCE])}
    return documents


def memory_stores(call: Call) -> list[Store]:
    """Return every store that holds memory.

    These are the stores in use, and the stores that `store switch` left on this machine.
    """
    return [*call.home.stores.all(), *call.home.stores.left()]


def bring_copy_in_line(call: Call, store: Store) -> None:
    """Synchronise the copy that a store has at a service.

    For a store that is no longer in use, nothing is uploaded. Raises StoreError.
    """
    if not isinstance(store, ManagedStore):
        return
    if any(store is other for other in call.home.stores.all()):
        store.push()
    else:
        store.prune()


def list_record_folders(call: Call) -> list[Path]:
    """Return the `.gieok` folders whose records are indexed, including the user's own."""
    store = call.home.store
    folders = {
        root.path.parent
        for scope in store.scopes()
        for root in roots.load_roots(store, scope)
        if is_shelf(root, str(call.home.folder))
    }
    return sorted(folders | {call.home.folder})


def _collect_document_names(document: Document, there: Sequence[roots.Root]) -> set[str]:
    """Return the names of a document: its key, its path as search shows it, and its file's path."""
    return {
        document.key,
        _format_document_handle(document),
        roots.display(list(there), document.key),
        document.source,
    } - {""}


def _format_document_handle(document: Document) -> str:
    return build_handle(document.scope.path, document.key)


def _collect_shown_handles(chosen: ForgetPlan) -> set[str]:
    """Return the handles of documents that are forgotten whole, in any wording that they had."""
    return {
        _format_document_handle(document)
        for selection in chosen.scopes.values()
        for document in (*selection.documents.values(), *selection.replaced.values())
    }


def _strip_citation_lines(handle: str) -> str:
    """Return a handle without the line range of a citation."""
    return handle.partition("#L")[0]


def _is_forget_match(document: Document, names: set[str], wanted: ForgetFilter) -> bool:
    text = "\n".join((document.title, document.text, document.key, *document.metadata.values()))
    is_named = not wanted.handles or bool(
        names & {_strip_citation_lines(handle) for handle in wanted.handles}
    )
    return is_named and wanted.fits(text, document.source, document.said_at)


def _choose_messages(
    call: Call,
    scope: Scope,
    wanted: ForgetFilter,
    chosen: Chosen,
    found: Mapping[str, Document],
) -> None:
    """Add to `chosen` the messages that fit, and what depends on the chosen items alone.

    Those are documents distilled from these messages alone, and messages that gave chosen
    observations alone.
    """
    journal = call.home.journal
    named = MessageFilter(
        frozenset(_strip_citation_lines(handle) for handle in wanted.handles),
        wanted.match,
        wanted.source,
        wanted.before,
    )
    chosen.messages |= {m.seq: m for m in journal.find(scope, named)}
    gone = {m.message.id for m in chosen.messages.values()}
    chosen.documents |= {
        d.key: d
        for d in found.values()
        if _collect_source_message_ids(d) and _collect_source_message_ids(d) <= gone
    }
    others = {
        message_id
        for key, d in found.items()
        if key not in chosen.documents
        for message_id in _collect_source_message_ids(d)
    }
    alone = (
        {
            message_id
            for d in chosen.documents.values()
            for message_id in _collect_source_message_ids(d)
        }
        - others
        - gone
    )
    if alone:
        chosen.messages |= {m.seq: m for m in journal.find(scope, MessageFilter(frozenset(alone)))}
    gone |= alone
    corrections = journal.corrections(scope) if chosen.messages else {}
    chosen.corrected |= {
        n: corrections[m.message.id]
        for n, m in chosen.messages.items()
        if corrections.get(m.message.id, "").strip()  # a blank: it is put away
    }
    history = list(journal.replaced(scope))
    renamed = {
        document.key: document.metadata[EDITED_TO]
        for _, document in history
        if EDITED_TO in document.metadata
    }
    for number, document in history:
        if (
            _is_forget_match(document, {document.key, _format_document_handle(document)}, wanted)
            or not _list_names_since(document.key, renamed).isdisjoint(chosen.documents)
            or (
                _collect_source_message_ids(document)
                and _collect_source_message_ids(document) <= gone
            )
        ):
            chosen.replaced[number] = document


def _list_names_since(key: str, renamed: Mapping[str, str]) -> set[str]:
    """Return the key of a document, and the keys that corrections of its title gave it since."""
    names = {key}
    while (key := renamed.get(key, "")) and key not in names:
        names.add(key)
    return names


def _choose_moved(
    call: Call, made: ForgetPlan, held: Mapping[Scope, Mapping[str, Document]]
) -> None:
    """Add documents that moved to another scope, and messages that gave only forgotten documents.

    A moved document is added where the messages behind the document are forgotten.
    """
    for scope, documents in held.items():
        for document in documents.values():
            origin = document.metadata.get(MOVED_FROM, "")
            there = (
                made.scopes.get(Scope(origin))
                if origin and _collect_source_message_ids(document)
                else None
            )
            if there is None:
                continue
            if _collect_source_message_ids(document) <= {
                m.message.id for m in there.messages.values()
            }:
                made.scopes[scope].documents[document.key] = document
            elif document.key in made.scopes[scope].documents:
                remaining = [
                    d for key, d in held[Scope(origin)].items() if key not in there.documents
                ]
                alone = _collect_source_message_ids(document) - {
                    message_id for d in remaining for message_id in _collect_source_message_ids(d)
                }
                messages = (
                    call.home.journal.find(Scope(origin), MessageFilter(frozenset(alone)))
                    if alone
                    else ()
                )
                there.messages |= {m.seq: m for m in messages}


def _collect_source_message_ids(document: Document) -> set[str]:
    return {identity for origin in document.provenance for identity in origin.message_ids}


def _iter_matching_records(
    base: Path, made: ForgetPlan, wanted: ForgetFilter, known: set[str]
) -> Iterator[Path]:
    """Yield the records of a `.gieok` folder that fit, on any shelf.

    Adds to `known` the handles that name a record.
    """
    indexed = {d.source for chosen in made.scopes.values() for d in chosen.documents.values()}
    for shelf in records.SHELVES:
        for file in records.list_records(base, shelf):
            stem = file.with_suffix("")
            names = {
                str(file),
                str(stem),
                f"{file.parent.name}/{file.name}",
                f"{stem.parent.name}/{stem.name}",
                stem.name,
            }
            record_handles = {
                handle for handle in wanted.handles if _strip_citation_lines(handle) in names
            }
            known |= {_strip_citation_lines(handle) for handle in record_handles}
            if str(file) in indexed or (
                (record_handles or not wanted.handles) and _file_fits(file, wanted)
            ):
                yield file


def _file_fits(file: Path, wanted: ForgetFilter) -> bool:
    """Return whether a record that is not indexed fits; the file's date is the record's day."""
    text = f"{file.name}\n{file.read_text(encoding='utf-8', errors='replace')}"
    return wanted.fits(text, str(file), datetime.fromtimestamp(file.stat().st_mtime, UTC))


def execute_forget_plan(call: Call, chosen: ForgetPlan, wanted: ForgetFilter) -> ForgetReport:
    """Remove everything in a plan; safe to kill at any moment and to run again.

    After a kill, the rest still fits the filter, and unfinished steps are completed.

    Record files go first, because an index run would read them again; then the journal, which tells
    the stores. Observing, reflecting and rebuilding of these scopes are waited for: each may hold a
    text that is to be forgotten.
    """
    journal = call.home.journal
    with ExitStack() as held:
        for lock in (
            "rebuild",
            *(name(scope) for scope in sorted(chosen.scopes) for name in (observing, reflecting)),
        ):
            held.enter_context(journal.exclusive(lock))
        journal.keep(_PENDING, {"forget": "begun"})
        texts = [*chosen.texts(), *_texts_of(chosen.records)]
        shown = [*texts, *([wanted.match] if wanted.is_match_alone else ())]
        shown_handles = _collect_shown_handles(chosen)
        shown_words.clean_shown(call.home.folder, shown, shown_handles)
        for file in sorted(chosen.records):
            base = file.parents[2]
            mark_forgotten(
                call,
                shelf_at(call, base).scope,
                [],
                _texts_of([file]),
                file,
            )
            # else an edit that has just read the record would write it again
            with fs.lock_resource(call.home.folder, base):
                file.unlink(missing_ok=True)
                if base != call.home.folder:
                    # a pull could bring the record back
                    untrusted.revoke_record_trust(
                        call.home.folder, base, file.relative_to(base).as_posix()
                    )
        still = whereabouts.find_in_git(call, [*chosen.records, *_list_former_files(chosen)])
        still += _leave_out(call, chosen)
        removed, remaining = whereabouts.locate_documents(
            call, {scope: selection.documents for scope, selection in chosen.scopes.items()}
        )
        still += remaining
        for scope, selection in chosen.scopes.items():
            if selection:
                mark_forgotten(
                    call,
                    scope,
                    map(build_memory_mark, selection.documents),
                    [
                        document.text
                        for document in (
                            *selection.documents.values(),
                            *selection.replaced.values(),
                        )
                    ],
                )
                blanks = {seq: turns.blanks(m.message) for seq, m in selection.messages.items()}
                journal.erase(
                    scope,
                    list(selection.messages),
                    list(selection.documents),
                    list(selection.replaced),
                    blanks=blanks,
                )
                retirement.drop_turns(
                    journal, scope, [m.message.id for m in selection.messages.values()]
                )
        distil.deliver(journal, call.home.store)
        still += rederive_turns(call) + _out_of_stores(call, chosen) + _follow_action_notes(call)
        looked_for = [wanted.match] if wanted.is_match_alone else leftovers.select_needles(texts)
        # once more: a prompt may have been answered meanwhile
        shown_words.clean_shown(call.home.folder, shown, shown_handles)
        still += finish_forgetting(call, looked_for, chosen.scopes)
    named = {place for place, _ in still}
    still += [(file, why) for file, why in copies.in_agents(call, looked_for) if file not in named]
    return ForgetReport(
        tuple(str(file) for file in sorted(chosen.records)),
        tuple(dict.fromkeys(still)),
        removed
        + whereabouts.build_removed_counts(
            messages=chosen.count("messages"), history=chosen.count("replaced")
        ),
    )


def _list_former_files(chosen: ForgetPlan) -> list[Path]:
    """Return the files in which forgotten records were before a correction renamed them."""
    folders = {file.parent for file in chosen.records}
    former = (
        Path(document.source)
        for selection in chosen.scopes.values()
        for document in selection.replaced.values()
        if EDITED_TO in document.metadata
    )
    return [file for file in former if file.parent in folders]


def _texts_of(files: Iterable[Path]) -> Iterator[str]:
    """Yield the texts of record files."""
    for file in sorted(files):
        with suppress(FileNotFoundError):
            yield records.own_text(file.read_text(encoding="utf-8", errors="replace"))


def is_unfinished(call: Call) -> bool:
    """Say whether an earlier run was killed before it finished."""
    return bool(call.home.journal.kept(_PENDING))


def finish_forgetting(
    call: Call, looked_for: Sequence[str], emptied: Iterable[Scope] = ()
) -> list[tuple[str, str]]:
    """Clean logs and scrub database files; return (place, reason) of what is left.

    `emptied` are scopes that may hold nothing more.
    """
    journal = call.home.journal
    for scope in {*journal.made_scopes(), *journal.scopes(), *emptied}:
        if call.home.sidecar.active_file(scope).exists():
            call.home.sidecar.write_active_memory(scope)
    for incident in journal.incidents():
        if any(fold_for_search(text) in fold_for_search(incident.detail) for text in looked_for):
            journal.resolve_incident(incident.name)
    journal.keep(_PENDING, {}, ["forget"])
    leftovers.drop_set_aside(call.home.folder)
    still = [
        ("the archive", line)
        for line in [
            *sync.sweep_cold_tier(call.home.tiers),
            *sweep.drop_damaged(call.home.tiers).failed,
        ]
    ]
    still += _scrub_database("the journal", journal.scrub)
    for store in memory_stores(call):
        still += (
            _scrub_database(store.location, store.scrub) if isinstance(store, Scrubbing) else []
        )
    return still + leftovers.remove_text_leftovers(call.home.folder, looked_for)


def _scrub_database(place: str, scrub: Callable[[], Sequence[str]]) -> list[tuple[str, str]]:
    """Rewrite a database without the removed content; return (database, reason) of each failure."""
    try:
        return [(place, why) for why in scrub()]
    except StoreError as error:
        return [(place, error.in_full)]


def _leave_out(call: Call, chosen: ForgetPlan) -> list[tuple[str, str]]:
    """Exclude the files that hold forgotten memories from indexing until they change.

    Returns those files.
    """
    of_records = {str(file) for file in chosen.records}
    for scope, selection in chosen.scopes.items():
        files = [
            d for d in selection.documents.values() if _is_of_file(d) and d.source not in of_records
        ]
        if files:
            marks = {d.key: d.content_hash for d in files}
            durable.add_forgotten(call.home.notes, scope, marks)
            # a store that is taken into use again must not read the copy again
            for store in memory_stores(call)[1:]:
                durable.add_forgotten(store, scope, marks)
    return list_kept_sources(chosen)


def list_kept_sources(chosen: ForgetPlan) -> list[tuple[str, str]]:
    """Return the files that the memories came from and that stay as they are, each with why."""
    kept: list[tuple[str, str]] = []
    of_records = {str(file) for file in chosen.records}
    for selection in chosen.scopes.values():
        kept += [
            (d.source, "your own file; it is left out of memory until it changes")
            for d in selection.documents.values()
            if _is_of_file(d) and d.source not in of_records
        ]
        sources = {m.message.source for m in selection.messages.values() if m.message.source}
        kept += [
            (source, "the file that it was read from; it is not read again")
            for source in sorted(sources)
            if Path(source).exists()
        ]
    return list(dict.fromkeys(kept))


def _is_of_file(document: Document) -> bool:
    return not document.key.startswith(observation.PREFIX)


def rederive_turns(call: Call) -> list[tuple[str, str]]:
    """Rebuild the turn documents from the journal in every store; return where that failed.

    A store that `store switch` left holds no turns from then on.
    """
    still: list[tuple[str, str]] = []
    journal = call.home.journal
    in_use = call.home.stores.all() if call.home.settings.flag("index.sessions") else ()
    for store in memory_stores(call):
        try:
            if any(store is other for other in in_use):
                turns.update_all(journal, store)
                promotion.prune_promotions(store)
            else:
                turns.drop_turn_documents(journal, store)
        except StoreError as error:
            still.append((store.location, error.in_full))
    if in_use:
        try:
            call.home.settle_statements()
        except StoreError as error:
            still.append((str(call.home.folder / "lasting"), error.in_full))
        except OSError as error:
            still.append((str(call.home.folder), str(error)))
    else:
        still += _follow_action_notes(call)
    return still


def _follow_action_notes(call: Call) -> list[tuple[str, str]]:
    """Take what is forgotten out of what the hook reads before tools; return where that failed."""
    try:
        call.home.follow_action_notes()
    except OSError as error:
        return [(action_folder(str(call.home.folder)), str(error))]
    return []


def _out_of_stores(call: Call, chosen: ForgetPlan) -> list[tuple[str, str]]:
    still: list[tuple[str, str]] = []
    for store in memory_stores(call):
        try:
            for scope, selection in chosen.scopes.items():
                if selection.documents:
                    store.forget(scope, sorted(selection.documents))
            bring_copy_in_line(call, store)
        except StoreError as error:
            still.append((store.location, error.in_full))
    return still
