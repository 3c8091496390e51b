"""Ends replaced observations in the journal: sets `valid_to` and a link to the replacement.

The cause of the end is kept with an observation, so that it holds again when the cause is
forgotten, corrected or taken back. An end that an observer or a person set is not touched.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from gieok.flow.distil import finish_span
from gieok.memory import observation
from gieok.memory.talk.claims import ClaimEnd
from gieok.model.conversation import Run
from gieok.model.memory import CORRECTED, REPLACED_BY, Document, Entry, Passage, Scope
from gieok.ports.journal import FullJournal
from gieok.ports.store import Store

_READER = "replaced"
#: Metadata of an observation that this module ended: the line that ended it.
_BY = "ended_by"
#: Value of that metadata for an observation that stated its own end.
_STATED = "stated"
_NOTE = "replaced"


def settle_observations(
    journal: FullJournal, store: Store, scope: Scope, ends: Sequence[ClaimEnd]
) -> bool:
    """Update the ends of a scope's observations; return whether any changed.

    Raises StoreError. Safe to kill and to repeat: documents and position are written together.
    """
    ends_by_key = {end.old.key: end for end in ends if end.old.key.startswith(observation.PREFIX)}
    before = [key for key in store.notes(scope).get(_NOTE, "").split("\n") if key]
    if not ends_by_key and not before:
        return False
    held = {
        document.key: document for document in store.get(scope, sorted({*ends_by_key, *before}))
    }
    put = list(_iter_settled_documents(held, ends_by_key))
    if put:
        position, at = journal.position(scope, _READER), max(d.updated_at for d in held.values())
        run = Run(
            scope=scope,
            reader=_READER,
            kind="compared",
            at=at,
            start=position,
            end=position + 1,
            messages=0,
            source_tokens=0,
            documents=len(put),
            document_tokens=0,
        )
        finish_span(
            journal, store, position, run, put=[_build_settled_entry(document) for document in put]
        )
    known = "\n".join(sorted(key for key in ends_by_key if key in held))
    if known != "\n".join(before):
        store.write_note(scope, _NOTE, known)
    return bool(put)


def _iter_settled_documents(
    held: Mapping[str, Document], wanted: Mapping[str, ClaimEnd]
) -> Iterator[Document]:
    for key, document in held.items():
        end, is_own = wanted.get(key), _BY in document.metadata
        if end is None and is_own:
            metadata = {
                name: value
                for name, value in document.metadata.items()
                if name not in (_BY, REPLACED_BY)
            }
            yield _restamp_document(replace(document, valid_to=None, metadata=metadata))
        elif (
            end is not None
            and document.kind == observation.KIND
            and not document.metadata.get(CORRECTED)
        ):
            by = f"{end.by.key}#L{end.by.line}" if end.by else _STATED
            if (is_own and document.metadata[_BY] != by) or (
                document.valid_to is None and not is_own
            ):
                until = max(document.said_at, datetime.fromtimestamp(end.at, UTC))
                link = {REPLACED_BY: end.by.key} if end.by else {}
                yield _restamp_document(
                    replace(
                        document, valid_to=until, metadata={**document.metadata, **link, _BY: by}
                    )
                )


def _restamp_document(document: Document) -> Document:
    return replace(document, content_hash=observation.stamp(document))


def _build_settled_entry(document: Document) -> Entry:
    return Entry(document, (Passage(0, len(document.text), 1, document.text.count("\n") + 1),))
