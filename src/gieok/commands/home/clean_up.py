"""Redaction of text stored before a rule existed: stores, journal, records, logs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.commands.encode import Reason
from gieok.commands.memory import forgotten_marks, leftovers, untrusted
from gieok.commands.memory.forget_steps import (
    bring_copy_in_line,
    list_record_folders,
    memory_stores,
    rederive_turns,
)
from gieok.commands.memory.records import shelf_at
from gieok.errors import StoreError
from gieok.flow import distil
from gieok.flow.clean import cleaned
from gieok.home.call import Call
from gieok.hook import records
from gieok.memory.files import read, roots, sync
from gieok.memory.tiers import sweep
from gieok.memory.tiers import sync as tiers_sync
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.places.scope import is_served
from gieok.ports.store import Scrubbing, Store
from gieok.settings.grants import TrustJudge
from gieok.text.encoding import decode_note_bytes
from gieok.text.markdown import front_matter
from gieok.text.redact import redact
from gieok.text.redact.sense import redact_document, redact_said

_AT_ONCE = 200


class Cleaned(NamedTuple):
    """Number of texts with a secret, by place; and (place, reason) of texts left uncleaned."""

    journal: int
    documents: int
    records: int
    files: int
    still_in: tuple[Reason, ...] = ()

    @property
    def total(self) -> int:
        """Return the number of texts with a secret."""
        return self.journal + self.documents + self.records + self.files


def redact_stored_home(call: Call, *, is_dry: bool) -> Cleaned:
    """Redact everything that Gieok stores, or only count the secrets.

    A killed run can be repeated at any time.
    """
    with call.home.journal.exclusive("rebuild"):
        return _redact_everything_stored(call, is_dry=is_dry)


def _redact_everything_stored(call: Call, *, is_dry: bool) -> Cleaned:
    of_records = sum(
        _clean_record(call, base, file, is_dry=is_dry) for base, file in _list_record_files(call)
    )
    journal = call.home.journal
    of_journal = journal.rewrite(redact_said, is_dry=is_dry) + _clean_made(call, is_dry=is_dry)
    still = [] if is_dry else [Reason(*one) for one in rederive_turns(call)]
    of_documents = 0
    for store in memory_stores(call):
        try:
            of_documents += _clean_store(
                call, store, is_dry=is_dry, has_files=store is call.home.store
            )
            if not is_dry:
                still += _settle_redacted_store(call, store)
        except StoreError as error:
            still.append(Reason(store.location, error.in_full))
    # notes of lines that no longer hold name documents, whose names may have held a secret
    if not is_dry:
        still += [Reason(*one) for one in rederive_turns(call)]
    of_files = leftovers.rewrite_kept_texts(call.home.folder, redact, is_dry=is_dry)
    of_files += len(leftovers.drop_set_aside(call.home.folder, is_dry=is_dry))
    if not is_dry:
        for scope in (one for one in journal.made_scopes() if not is_served(one.path)):
            call.home.sidecar.write_active_memory(scope)
        still += [Reason("the journal", why) for why in journal.scrub()]
    return Cleaned(
        journal=of_journal,
        documents=of_documents,
        records=of_records,
        files=of_files,
        still_in=tuple(still),
    )


def _clean_made(call: Call, *, is_dry: bool) -> int:
    """Redact derived documents in the journal, which delivers them to the store again."""
    journal = call.home.journal
    entries = [
        _build_cut_entry(
            fresh,
            lambda document: (Passage(0, len(document.text), 1, document.text.count("\n") + 1),),
        )
        for scope in journal.made_scopes()
        for entry in (*journal.made(scope), *_iter_archived_entries(call, scope))
        if (fresh := cleaned(entry.document, redact_said)) != entry.document
    ]
    if entries and not is_dry:
        journal.hand_over(entries)
        distil.deliver(journal, call.home.store)
        for line in (
            *tiers_sync.sweep_cold_tier(call.home.tiers),
            *sweep.drop_damaged(call.home.tiers).failed,
        ):
            call.tell(line)
    return len(entries)


def _iter_archived_entries(call: Call, scope: Scope) -> Iterator[Entry]:
    """Yield the archived entries of a scope, as the store holds them.

    A redacted entry is hot again until it leaves anew.
    """
    keys = [row.key for row in call.home.journal.archived(scope)]
    for start in range(0, len(keys), _AT_ONCE):
        yield from call.home.store.entries(scope, keys[start : start + _AT_ONCE])


def _build_cut_entry(document: Document, cut: Callable[[Document], tuple[Passage, ...]]) -> Entry:
    return Entry(document, cut(document))


def _clean_store(call: Call, store: Store, *, is_dry: bool, has_files: bool) -> int:
    """Redact documents of files and conversations from their stored text.

    The file need not exist.
    """
    count = 0
    for scope in store.scopes():
        for documents in _iter_redacted_documents(store, scope):
            count += len(documents)
            if not is_dry:
                store.put(
                    [
                        _build_cut_entry(fresh, lambda d: read.cut_note_passages(d, call.home.cut))
                        for fresh in documents
                    ]
                )
        there = [root for root in roots.load_roots(store, scope) if root.path.exists()]
        if there and has_files and not is_dry:  # the keys of files whose names hold a secret
            sync.sync_scope_roots(store, scope, there, call.home.cut)
    return count


def _iter_redacted_documents(store: Store, scope: Scope) -> Iterator[list[Document]]:
    keys = sorted(store.hashes(scope))
    for start in range(0, len(keys), _AT_ONCE):
        held = store.get(scope, keys[start : start + _AT_ONCE])
        changed_documents = [
            fresh
            for d in held
            if d.kind == read.KIND and (fresh := cleaned(d, redact_document)) != d
        ]
        if changed_documents:
            yield changed_documents


def _settle_redacted_store(call: Call, store: Store) -> list[Reason]:
    bring_copy_in_line(call, store)
    return (
        [Reason(store.location, why) for why in store.scrub()]
        if isinstance(store, Scrubbing)
        else []
    )


def _list_record_files(call: Call) -> list[tuple[Path, Path]]:
    """Return every record file, of all shelves, with its `.gieok` folder."""
    return [
        (base, file)
        for base in list_record_folders(call)
        for file in records.list_all_records(base)
    ]


def _clean_record(call: Call, base: Path, file: Path, *, is_dry: bool) -> bool:
    """Rewrite a record without its secrets, in content and name; the old file is removed last.

    A record that waits for trust is not the user's and stays unchanged. The bytes that are judged,
    cleaned and trusted are the same.
    """
    with fs.lock_resource(call.home.folder, base):
        return file.exists() and _clean_one(call, base, file, is_dry=is_dry)


def _clean_one(call: Call, base: Path, file: Path, *, is_dry: bool) -> bool:
    data = file.read_bytes()
    decoded = decode_note_bytes(data)
    if decoded is None or not TrustJudge(call.home.folder).admits(data, file):
        return False
    fresh = redact(decoded.text)
    if fresh == decoded.text:
        return False
    if not is_dry:
        title = front_matter(fresh).fields.get("title", "")
        target = records.rewritten(file, title or redact(file.stem), fresh)
        if base != call.home.folder and file.is_relative_to(base / records.MEMORY):
            untrusted.revoke_record_trust(call.home.folder, base, file.relative_to(base).as_posix())
            untrusted.grant_record_trust(call.home.folder, base, target, fresh.encode("utf-8"))
        if target != file:
            forgotten_marks.mark_removed(call, shelf_at(call, base).scope, [file], renamed=target)
            file.unlink()
    return True
