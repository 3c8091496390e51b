"""Distil spans of the journal into documents, and deliver them to the store.

The journal writes a reader's position and the documents of the span together: the documents go to
its outbox in the transaction that moves the position. Delivery to the store follows and may be
repeated, because putting and forgetting by key are idempotent. So any store will do, a remote one
included, and a kill between any two steps neither loses a span nor distils it twice.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from gieok.flow.clean import cleaned
from gieok.model.conversation import Journalled, Run
from gieok.model.memory import CORRECTED, RETIRED, Document, Entry, Scope
from gieok.ports.journal import FullJournal, Journal
from gieok.ports.store import Documents

_DELIVERIES = 500
#: Name of the reader whose runs are a person's corrections.
CORRECTIONS = "corrections"


class MessageSpan(NamedTuple):
    """Consecutive messages of a scope: all valid ones after `start` up to `end`."""

    scope: Scope
    start: int
    end: int
    messages: tuple[Journalled, ...]

    @property
    def tokens(self) -> int:
        """Return the number of tokens of the messages."""
        return sum(journalled.message.tokens for journalled in self.messages)


def next_span(journal: Journal, scope: Scope, after: int, budget_tokens: int) -> MessageSpan | None:
    """Return the messages after a position, up to `budget_tokens`; None where there are none."""
    messages = journal.read(scope, after, budget_tokens=budget_tokens)
    return MessageSpan(scope, after, messages[-1].seq, tuple(messages)) if messages else None


def finish_span(
    journal: FullJournal,
    store: Documents,
    expected: int,
    run: Run,
    *,
    put: Sequence[Entry] = (),
    forget: Sequence[Document] = (),
    held: Sequence[Document] | None = None,
) -> bool:
    """Move a reader's position and deliver the documents; False if another process was faster.

    With False nothing was done. Documents that a person corrected stay as the person left them.
    With `held`, the documents of the scope as the caller has just read them, the store is not asked
    for them, and nothing of other scopes is delivered.
    """
    if held is not None:
        if not commit_span(journal, expected, run, put=put, forget=forget, held=held):
            return False
        if put or forget:
            deliver_scope(journal, store, run.scope)
        return True
    put, forget = _left_alone(journal, store, run.scope, put, forget)
    if not journal.commit(expected, run, put=[_clean_entry(entry) for entry in put], forget=forget):
        return False
    deliver(journal, store)
    return True


def commit_span(
    journal: FullJournal,
    expected: int,
    run: Run,
    *,
    put: Sequence[Entry],
    forget: Sequence[Document],
    held: Sequence[Document],
) -> bool:
    """Move a reader's position as `finish_span`; the documents wait for delivery."""
    put, forget = _without_corrected(held, put, forget)
    return journal.commit(expected, run, put=[_clean_entry(entry) for entry in put], forget=forget)


def correct(
    journal: FullJournal, store: Documents, old: Document, new: Entry, at: datetime
) -> None:
    """Replace a document by a person's correction; the old document goes to the history.

    Raises StoreError: delivery follows later.
    """
    while True:
        position = journal.position(old.scope, CORRECTIONS)
        run = Run(
            scope=old.scope,
            reader=CORRECTIONS,
            kind="corrected",
            at=at,
            start=position,
            end=position + 1,
            messages=0,
            source_tokens=0,
            documents=1,
            document_tokens=0,
        )
        if journal.commit(position, run, put=[_clean_entry(new)], forget=[old]):
            deliver_scope(journal, store, old.scope)
            return


def replaced(journal: FullJournal, store: Documents, old: Sequence[Document], at: datetime) -> None:
    """Move documents of one scope to the history, because a person corrected their sources.

    Raises StoreError.
    """
    while old:
        position = journal.position(old[0].scope, CORRECTIONS)
        run = Run(
            scope=old[0].scope,
            reader=CORRECTIONS,
            kind="corrected",
            at=at,
            start=position,
            end=position + 1,
            messages=0,
            source_tokens=0,
            documents=0,
            document_tokens=len(old),
        )
        if journal.commit(position, run, forget=old):
            deliver_scope(journal, store, old[0].scope)
            return


def _left_alone(
    journal: FullJournal,
    store: Documents,
    scope: Scope,
    put: Sequence[Entry],
    forget: Sequence[Document],
) -> tuple[list[Entry], list[Document]]:
    """Return the documents to put and to forget, without those that a person corrected or removed.

    Removed documents are those that a person put away.
    """
    keys = {*(entry.document.key for entry in put), *(document.key for document in forget)}
    if not keys:
        return list(put), list(forget)
    deliver(journal, store)  # a correction may wait
    return _without_corrected(store.get(scope, sorted(keys)), put, forget)


def _without_corrected(
    held: Sequence[Document], put: Sequence[Entry], forget: Sequence[Document]
) -> tuple[list[Entry], list[Document]]:
    own = {
        document.key
        for document in held
        if document.metadata.get(CORRECTED) or document.metadata.get(RETIRED)
    }
    return [e for e in put if e.document.key not in own], [d for d in forget if d.key not in own]


def deliver(journal: FullJournal, store: Documents) -> int:
    """Deliver the outbox to the store, in order; return the number of entries.

    Raises StoreError: the rest keeps waiting.
    """
    delivered = 0
    # Serialised: a slow process must not put again a document that a faster one has forgotten
    # meanwhile.
    with journal.exclusive("deliver"):
        while waiting := journal.undelivered(_DELIVERIES):
            for scope, is_put, group in _group_waiting_documents(waiting):
                _apply_document_changes(store, scope, is_put=is_put, group=group)
            journal.delivered([row for row, _, _ in waiting])
            delivered += len(waiting)
    return delivered


def deliver_scope(journal: FullJournal, store: Documents, scope: Scope) -> int:
    """Deliver the waiting entries of one scope; return their number. Raises StoreError.

    Waiting entries of other scopes do not matter.
    """

    def take(waiting: Sequence[Entry | str]) -> None:
        for is_put, group in groupby(waiting, key=lambda what: isinstance(what, Entry)):
            _apply_document_changes(store, scope, is_put=is_put, group=list(group))

    delivered = 0
    while handed := journal.hand_out(scope, take, _DELIVERIES):
        delivered += handed
        if handed < _DELIVERIES:
            break
    return delivered


def hand_over_scope(
    journal: FullJournal,
    store: Documents,
    scope: Scope,
    put: Sequence[Entry] = (),
    gone: Iterable[str] = (),
) -> None:
    """Put documents of one scope, or forget keys of it, durably; then deliver what waits there.

    Nothing happens where nothing is to be put or forgotten. Raises StoreError: delivery follows
    later.
    """
    forgotten = [(scope, key) for key in gone]
    if put or forgotten:
        journal.hand_over(put, forgotten)
        deliver_scope(journal, store, scope)


def _apply_document_changes(
    store: Documents, scope: Scope, *, is_put: bool, group: Sequence[Entry | str]
) -> None:
    if is_put:
        store.put([entry for entry in group if isinstance(entry, Entry)])
    else:
        store.forget(scope, [key for key in group if isinstance(key, str)])


def _group_waiting_documents(
    waiting: Sequence[tuple[int, Scope, Entry | str]],
) -> Iterator[tuple[Scope, bool, list[Entry | str]]]:
    """Yield runs of waiting entries of one kind and scope.

    The order stays, and each run is one transaction.
    """
    for (scope, is_put), group in groupby(
        waiting, key=lambda item: (item[1], isinstance(item[2], Entry))
    ):
        yield scope, is_put, [what for _, _, what in group]


def _clean_entry(entry: Entry) -> Entry:
    """Redact an entry once more, because a model may join the parts of a secret.

    Passages are clipped to the text.
    """
    document = entry.document
    clean = cleaned(document)
    text = clean.text
    if text == document.text:
        return Entry(clean, entry.passages)

    def inside(offset: int) -> int:
        return len(text) if offset == len(document.text) else min(offset, len(text))

    passages = tuple(
        p._replace(start=min(p.start, len(text)), end=inside(p.end)) for p in entry.passages
    )
    return Entry(clean, passages)
