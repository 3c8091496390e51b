"""Synchronises the service with the local documents: uploads changes, deletes the rest.

A changed document is uploaded anew and active before the version that it replaces is deleted.
Nothing is read from the files: an upload has the stored text, from which secrets were cut.
"""

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from gieok.errors import Phrase, StoreUnreachable
from gieok.model.memory import Document, Scope
from gieok.ports.store import Documents
from gieok.ports.system import Clock
from gieok.storage.index.gemini.comparison import (
    HASH,
    ID,
    KIND,
    NONCE,
    OWNER,
    SCOPE,
    TIME,
    RemoteCopy,
)
from gieok.storage.index.gemini.costs import MonthSpent, UploadCosts
from gieok.storage.index.gemini.manifest import (
    UNSENT_PREFIX,
    Attempt,
    Upload,
    UploadManifest,
    document_id,
)
from gieok.storage.index.gemini.service import (
    GeminiService,
    Payload,
    RemoteGone,
    RemoteState,
    outcome,
)
from gieok.storage.sqlite.failures import translated
from gieok.storage.sqlite.files import BUSY_TIMEOUT_MS
from gieok.text.redact import redact

#: Uploads in flight. With more, uploads fail: 84 of 100 did; 50 small ones were fine.
_IN_FLIGHT = 10
#: A document that failed may become active minutes later; after this time it is uploaded again.
_FAILED_FOR_S = 3600
_LONGEST_PAUSE_S = 10.0
#: An operation may never report an active document: the documents are listed at every n-th poll.
_LOOKS_BETWEEN_LISTS = 4
_BATCH = 200


def uploaded(keys: Iterable[str]) -> list[str]:
    """Return the keys of the documents that the service gets.

    Conversations are left out: the local keyword index finds them.
    """
    return [key for key in keys if not key.startswith(UNSENT_PREFIX)]


class UploadPlan(NamedTuple):
    """Plan of uploads: owner, stores, chunk size, and how long an upload may take."""

    owner: str
    stores: tuple[str, ...]
    chunk_tokens: int
    overlap_tokens: int
    timeout_s: float


class _Wanted(NamedTuple):
    """Document that the service must hold, and the hash of its upload."""

    scope: Scope
    key: str
    hash: str
    content_hash: str

    def is_newer_than(self, upload: Upload) -> bool:
        """Say whether the document changed since its upload, not only whether it goes up again."""
        return self.hash != upload.hash if upload.hash else self.content_hash != upload.content_hash


class Sync:
    """One synchronisation run.

    `push` does all of it. `progress` receives the number of documents done.
    """

    def __init__(
        self,
        documents: Documents,
        manifest: UploadManifest,
        service: GeminiService,
        plan: UploadPlan,
        clock: Clock,
        pause: Callable[[float], None],
        progress: Callable[[int], None],
        costs: UploadCosts,
    ) -> None:
        self._documents = documents
        self._manifest = manifest
        self._service = service
        self._plan = plan
        self._remote = RemoteCopy(manifest, service, plan.owner, plan.stores, clock)
        self._clock = clock
        self._pause = pause
        self._progress = progress
        self._costs = costs
        self._moved = 0
        self._late: list[str] = []

    def push(self, *, verify: bool = False, anew: bool = False) -> int:
        """Upload and delete until the service agrees; return the number of documents changed.

        Raises StoreUnreachable, which says what still waits. With `verify`, the manifest is first
        corrected by what the service holds. With `anew`, unchanged documents are uploaded too, by
        this and, where it breaks off, the next runs; each takes the place of its former copy once
        it is active, so that no search finds less.
        """
        documents = dict(self._wanted())
        if not documents and self._manifest.is_empty():
            return 0  # nothing here, nothing there: no store is made for it
        try:
            if verify:
                return self._verified(documents, anew=anew)
            if anew:
                self._manifest.mark_all_stale()
            return self._bring_in_line(documents)
        except RemoteGone as error:
            self._manifest.forget_stores()
            raise StoreUnreachable(
                "a store is gone from gemini ({error})",
                error=error,
                hint="run `gieok index`: everything is uploaded anew",
            ) from error

    def _verified(self, wanted: Mapping[str, _Wanted], *, anew: bool) -> int:
        """Compare with the service, synchronise, compare again; return the number of changes."""
        try:
            self._remote.compare()
        except RemoteGone:  # a store was deleted there: it is looked for, or made, again
            self._manifest.forget_stores()
        if anew:
            self._manifest.mark_all_stale()
        moved = self._bring_in_line(wanted)
        self._remote.compare()
        return moved

    def prune(self) -> int:
        """Delete at the service the documents that were deleted or changed here.

        Uploads nothing. Returns how many documents were deleted.
        """
        if self._manifest.is_clear():
            return 0
        documents = dict(self._wanted())
        self._resume({})
        uploads = self._manifest.uploads()
        self._manifest.retire(
            [
                i
                for i, upload in uploads.items()
                if i not in documents or documents[i].is_newer_than(upload)
            ]
        )
        self._delete_retired()
        return self._moved

    def _bring_in_line(self, wanted: Mapping[str, _Wanted]) -> int:
        stores = self._open_stores(wanted)
        in_doubt = self._resume(wanted)
        uploads = self._manifest.uploads()
        self._manifest.retire([i for i in uploads if i not in wanted])
        changed = [
            i
            for i, want in wanted.items()
            if i not in in_doubt
            and (i not in uploads or uploads[i].hash != want.hash or uploads[i].store not in stores)
        ]
        try:
            self._upload_all(changed, wanted, stores)
        except MonthSpent:
            self._delete_retired()  # nobody waits for weeks with what is forgotten here
            raise
        self._delete_retired()
        if in_doubt or self._late:
            count = len(in_doubt) + len(self._late)
            raise StoreUnreachable(
                "{count} of {total} documents are not searchable at gemini yet: {why}"
                if self._late
                else "{count} of {total} documents are not searchable at gemini yet",
                count=count,
                total=len(wanted),
                why=Phrase("; ".join(self._late[:1])),
                hint="run `gieok index` again in a few minutes; nothing is uploaded twice",
            )
        return self._moved

    def _wanted(self) -> Iterator[tuple[str, _Wanted]]:
        for scope in self._documents.scopes():
            keys = uploaded(self._documents.hashes(scope))
            for start in range(0, len(keys), _BATCH):
                for document in self._documents.get(scope, keys[start : start + _BATCH]):
                    # The service takes no empty file, and search would find nothing in one.
                    if document.text.strip():
                        yield (
                            document_id(scope, document.key),
                            _Wanted(
                                scope, document.key, self._hash(document), document.content_hash
                            ),
                        )

    def _open_stores(self, wanted: Mapping[str, _Wanted]) -> list[str]:
        """Return the resource names of the configured stores.

        A store that is new to the manifest is adopted: this owner's documents in it are recorded.
        """
        known = self._manifest.store_names()
        for display_name in self._plan.stores:
            if display_name not in known:
                name = self._service.find_or_make_store(display_name)
                self._adopt(name, wanted)
                self._manifest.know_store(display_name, name)
        known = self._manifest.store_names()
        return [known[display_name] for display_name in self._plan.stores]

    def _adopt(self, store: str, wanted: Mapping[str, _Wanted]) -> None:
        """Rebuild the manifest from the documents that the service holds for this owner."""
        known = self._manifest.uploads()
        for remote in self._remote.documents(store):
            i, digest = remote.labels.get(ID, ""), remote.labels.get(HASH, "")
            want = wanted.get(i)
            if (
                want
                and want.hash == digest
                and i not in known
                and remote.state is RemoteState.ACTIVE
            ):
                known[i] = _build_upload(i, want, store, remote.name)
                self._manifest.finish(known[i], "", self._clock.now())
            elif all(upload.name != remote.name for upload in known.values()):
                self._manifest.add_retired([remote.name])

    def _resume(self, wanted: Mapping[str, _Wanted]) -> set[str]:
        """Settle uploads that an earlier run left unfinished.

        Returns those that may still become active.
        """
        attempts = self._manifest.attempts()
        stores = {attempt.store for attempt in attempts}
        remotes = {
            remote.labels.get(NONCE): remote
            for store in stores
            for remote in self._remote.documents(store)
        }
        in_doubt = set()
        now = self._clock.now().timestamp()
        for attempt in attempts:
            remote, want = remotes.get(attempt.nonce), wanted.get(attempt.id)
            is_wanted = want is not None and want.hash == attempt.hash
            is_young = now - attempt.begun_at < _FAILED_FOR_S
            if (
                remote is not None
                and want is not None
                and is_wanted
                and remote.state is RemoteState.ACTIVE
            ):
                upload = _build_upload(attempt.id, want, attempt.store, remote.name)
                self._manifest.finish(upload, attempt.nonce, self._clock.now())
                self._done()
            elif remote is not None and is_wanted and is_young:
                in_doubt.add(attempt.id)
            else:
                self._manifest.abandon(attempt.nonce, remote.name if remote else "")
        known = {upload.name for upload in self._manifest.uploads().values()}
        nonces = {attempt.nonce for attempt in attempts}
        strays = [
            r.name for nonce, r in remotes.items() if r.name not in known and nonce not in nonces
        ]
        self._manifest.add_retired(strays)  # of uploads that were abandoned too early
        return in_doubt

    def _upload_all(
        self, ids: Sequence[str], wanted: Mapping[str, _Wanted], stores: Sequence[str]
    ) -> None:
        """Upload several documents at a time.

        After the first failure the uploads in flight finish, and no other begins.
        """
        with ThreadPoolExecutor(_IN_FLIGHT, "gieok-upload") as pool:
            running = [pool.submit(self._upload, i, wanted[i], _store_for(i, stores)) for i in ids]
            try:
                for future in as_completed(running):
                    if future.result():
                        self._done()
            except StoreUnreachable as error:
                there = self._manifest.uploads()
                left = sum(i not in there or there[i].hash != wanted[i].hash for i in ids)
                raise type(error)(
                    f"{error}; {left} of {len(wanted)} documents wait", hint=error.hint
                ) from error
            finally:
                for future in running:
                    future.cancel()

    def _upload(self, i: str, want: _Wanted, store: str) -> bool:
        """Upload a document and wait until it is active; return whether it is."""
        documents = self._documents.get(want.scope, [want.key])
        if not documents or self._hash(documents[0]) != want.hash:
            return False  # changed meanwhile: the next run uploads it
        self._costs.verify_money()
        nonce = uuid.uuid4().hex
        self._manifest.begin(
            Attempt(
                nonce=nonce,
                id=i,
                hash=want.hash,
                store=store,
                begun_at=round(self._clock.now().timestamp()),
            )
        )
        payload = self._payload(documents[0], want, nonce)
        operation = self._service.upload(
            store, payload, lambda name: self._manifest.note_file(name, nonce)
        )
        self._costs.count_indexing(documents[0].text)
        name, wrong = outcome(operation)
        waited, pause_s, looks = 0.0, 1.0, 0
        while not (name and self._service.is_active(name)):
            if wrong or waited >= self._plan.timeout_s:
                # The attempt stays recorded: the next run settles it before anything is sent again.
                self._late.append(f"{want.key!r}: {wrong or 'still being prepared'}")
                return False
            self._pause(pause_s)
            waited, pause_s, looks = waited + pause_s, min(2 * pause_s, _LONGEST_PAUSE_S), looks + 1
            if not name:
                name, wrong = self._service.progress(operation)
            if not name and looks % _LOOKS_BETWEEN_LISTS == 0:
                name = next(
                    (r.name for r in self._remote.documents(store) if r.labels.get(NONCE) == nonce),
                    "",
                )
        self._manifest.finish(_build_upload(i, want, store, name), nonce, self._clock.now())
        return True

    def _delete_retired(self) -> None:
        for name in self._manifest.retired():
            self._service.delete(name)
            self._manifest.deleted(name)
            self._done()
        for name in self._manifest.files(of_attempts=False):
            self._service.delete_file(name)
            self._manifest.file_deleted(name)

    def _done(self) -> None:
        self._moved += 1
        self._progress(self._moved)

    def _payload(self, document: Document, want: _Wanted, nonce: str) -> Payload:
        labels = self._labels(document) | {
            ID: document_id(want.scope, want.key),
            HASH: want.hash,
            NONCE: nonce,
        }
        # Ingest has cut secrets from the text; a key is a file's name, from which no secret was
        # cut.
        text = redact(document.text)
        return Payload(
            title=redact(document.key),
            data=text.encode("utf-8"),
            labels=labels,
            chunk_tokens=self._plan.chunk_tokens,
            overlap_tokens=self._plan.overlap_tokens,
        )

    def _labels(self, document: Document) -> dict[str, str | int]:
        moment = document.said_at
        return {
            OWNER: self._plan.owner,
            SCOPE: document.scope.path,
            KIND: document.kind,
            TIME: round(moment.timestamp()),
        }

    def _hash(self, document: Document) -> str:
        """Return the hash of a document's upload.

        A new file time alone causes no upload, a new day in the name does.
        """
        labels = self._labels(document)
        if document.valid_from is None:
            del labels[TIME]
        shape = [
            labels,
            document.key,
            document.text,
            self._plan.chunk_tokens,
            self._plan.overlap_tokens,
        ]
        return hashlib.sha256(json.dumps(shape, sort_keys=True).encode()).hexdigest()


def _build_upload(i: str, want: _Wanted, store: str, name: str) -> Upload:
    return Upload(
        id=i,
        scope=want.scope.path,
        key=want.key,
        hash=want.hash,
        content_hash=want.content_hash,
        store=store,
        name=name,
    )


def _store_for(i: str, stores: Sequence[str]) -> str:
    """Return the store of a document, by rendezvous hashing.

    A further store moves few documents.
    """
    return max(stores, key=lambda store: hashlib.sha256(f"{store}\0{i}".encode()).digest())


@contextmanager
def alone(file: Path, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> Iterator[None]:
    """Hold a lock of this machine; a killed process loses it.

    Raises StoreBusy: two syncs at once would upload every document twice.
    """
    with (
        translated(file),
        closing(sqlite3.connect(file, timeout=busy_timeout_ms / 1000, isolation_level=None)) as db,
    ):
        db.execute("BEGIN EXCLUSIVE")
        yield
