"""Compares the service with the manifest, and deletes this owner's documents there.

The manifest records what was uploaded, which may differ from what the service holds: a store may be
emptied at the service, a document expire, an upload be lost. Whoever promises that a document is
there, or gone, asks the service.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from gieok.errors import Phrase, StoreError
from gieok.ports.store import RemoteData
from gieok.ports.system import Clock
from gieok.storage.index.gemini.manifest import UploadManifest
from gieok.storage.index.gemini.service import GeminiService, Remote, RemoteGone, RemoteStore

#: Names of the labels of a document at the service.
OWNER, SCOPE, ID, HASH, NONCE, KIND, TIME = (
    f"gieok_{name}" for name in ("owner", "scope", "id", "hash", "nonce", "kind", "time")
)


class _HeldStore(NamedTuple):
    """Store at the service: its documents of this owner, and the number of others.

    `goes`: the store is deleted too once it is empty.
    """

    store: RemoteStore
    ours: list[Remote]
    others: int
    goes: bool


class RemoteCopy:
    """Documents of one owner at the service, as the service answers now.

    `named` are the stores of the settings.
    """

    def __init__(
        self,
        manifest: UploadManifest,
        service: GeminiService,
        owner: str,
        named: tuple[str, ...],
        clock: Clock,
    ) -> None:
        self._manifest = manifest
        self._service = service
        self._owner = owner
        self._named = named
        self._clock = clock

    def documents(self, store: str) -> Iterator[Remote]:
        """Yield the documents of this owner in a store."""
        return (
            document
            for document in self._service.documents(store)
            if document.labels.get(OWNER) == self._owner
        )

    def compare(self) -> int:
        """Correct the manifest by the service; return the number of this owner's documents there.

        Documents that the service has lost are forgotten, so that they are uploaded again;
        documents that the manifest does not have are marked for deletion. Raises RemoteGone for a
        store that is not there.
        """
        held: dict[str, Mapping[str, Remote]] = {}
        for store in self._manifest.store_names().values():
            held[store] = {document.name: document for document in self.documents(store)}
        uploads = self._manifest.uploads()
        self._manifest.lose(
            [
                i
                for i, document in uploads.items()
                if document.name not in held.get(document.store, {})
            ]
        )
        known = {document.name for document in uploads.values()} | set(self._manifest.retired())
        nonces = {attempt.nonce for attempt in self._manifest.attempts()}
        there = [document for documents in held.values() for document in documents.values()]
        self._manifest.add_retired(
            [
                document.name
                for document in there
                if document.name not in known and document.labels.get(NONCE) not in nonces
            ]
        )
        self._manifest.note_compared(self._clock.now(), len(there))
        return len(there)

    def look(self) -> list[RemoteData]:
        """Ask the service what it holds of this owner.

        Raises StoreUnreachable.
        """
        if self._manifest.is_clear():
            return []
        files = [f"file {name}" for name in self._manifest.files()]
        return [
            *(
                RemoteData(_format_store_title(held.store), len(held.ours), held.others)
                for held in self._held()
            ),
            *(RemoteData(name, 1, 0) for name in files),
        ]

    def drop(self, progress: Callable[[int], None]) -> list[RemoteData]:
        """Delete this owner's documents, and stores that are empty then; return what was there.

        Asks the service again afterwards. Raises StoreUnreachable, or StoreError where something is
        still there.
        """
        remote_data = self.look()
        deleted_count = 0
        for held in self._held() if remote_data else ():
            for remote in held.ours:
                self._service.delete(remote.name)
                self._manifest.deleted(remote.name)
                deleted_count += 1
                progress(deleted_count)
            if held.goes and next(iter(self._service.documents(held.store.name)), None) is None:
                self._service.delete_store(held.store.name)
        for name in self._manifest.files() if remote_data else ():
            self._service.delete_file(name)
            self._manifest.file_deleted(name)
        left = self._held() if remote_data else []
        left = [held for held in left if held.ours or held.goes]
        if left:
            names = ", ".join(
                Phrase(
                    "{store}: {count} documents",
                    store=_format_store_title(held.store),
                    count=len(held.ours),
                )
                for held in left
            )
            raise StoreError(
                "still at gemini after they were deleted: {names}",
                names=Phrase(names),
                hint="run the same command again",
            )
        self._manifest.note_dropped(self._clock.now())
        return remote_data

    def _held(self) -> list[_HeldStore]:
        """Return the stores that are this owner's, or hold documents of this owner.

        A store is known by the manifest, or named in the settings. After the loss of a manifest,
        every store at the service is searched.
        """
        known = self._manifest.store_names()
        names = {*known.values(), *known, *self._named}
        held_stores: list[_HeldStore] = []
        for store in self._service.stores():
            is_named = store.name in names or store.display_name in names
            if not is_named and known:
                continue
            try:
                documents = list(self._service.documents(store.name))
            except RemoteGone:
                continue
            ours = [document for document in documents if document.labels.get(OWNER) == self._owner]
            others = len(documents) - len(ours)
            # A store that somebody made, and named in the settings by its resource name, is not
            # ours to delete.
            goes = not others and store.name not in self._named
            if ours or (is_named and goes):
                held_stores.append(_HeldStore(store, ours, others, goes))
        return held_stores


def _format_store_title(store: RemoteStore) -> str:
    return f"{store.name} ({store.display_name})" if store.display_name else store.name
