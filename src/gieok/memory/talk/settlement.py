"""Ends replaced observations in the journal: sets `valid_to` and a link to the replacement.

An observation ends where all that it says has ended. Of one that says more, only the part is marked
(`hook.validity`): a rule beside a replaced sentence still holds.

The cause of the end is kept with an observation, so that it holds again when the cause is
forgotten, corrected or taken back. An end that an observer or a person set is not touched.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from gieok.flow.distil import finish_span
from gieok.memory import observation
from gieok.memory.talk.claims.claim import ClaimEnd
from gieok.model.conversation import Run
from gieok.model.memory import CORRECTED, REPLACED_BY, Document, Entry, Passage, Scope
from gieok.ports.journal import FullJournal
from gieok.ports.store import Store
from gieok.text.claim_share import is_whole_claim
from gieok.text.gist import as_told

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
    of_observations = [end for end in ends if end.old.key.startswith(observation.PREFIX)]
    before = [key for key in store.notes(scope).get(_NOTE, "").split("\n") if key]
    if not of_observations and not before:
        return False
    keys = sorted({*(end.old.key for end in of_observations), *before})
    held = {document.key: document for document in store.get(scope, keys)}
    parts_by_key: dict[str, list[ClaimEnd]] = {}
    for end in of_observations:
        parts_by_key.setdefault(end.old.key, []).append(end)
    ends_by_key = {
        key: parts[-1]
        for key, parts in parts_by_key.items()
        if key in held and _end_whole(parts, held[key])
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
    known = "\n".join(sorted(ends_by_key))
    if known != "\n".join(before):
        store.write_note(scope, _NOTE, known)
    return bool(put)


def _end_whole(ends: Sequence[ClaimEnd], document: Document) -> bool:
    """Say whether claims that ended are, together, all that an observation says."""
    lines = document.text.split("\n")
    places = sorted({(end.old.line, end.old.start, end.old.length) for end in ends})
    words = " ".join(
        lines[line - 1][start : start + length]
        for line, start, length in places
        if line <= len(lines)
    )
    return is_whole_claim(words, as_told(document.text))


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
