"""Limits of the hot tier: which memories leave early because a scope holds too much.

Memories that no longer hold leave first, then old and unimportant ones. Memories that a person
corrected, and important decisions that hold, leave last.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from gieok.memory.observation import Category, Priority
from gieok.model.memory import Document, find_document_status
from gieok.ranking.age import compute_faded_value
from gieok.text.tokens import estimate_tokens


class Limits(NamedTuple):
    """Most that a scope may hold in hot; 0 for any amount."""

    tokens: int = 0
    size_bytes: int = 0


def leave_early(
    documents: Iterable[Document],
    limits: Limits,
    now: datetime,
    may_leave: Callable[[Document], bool],
) -> list[Document]:
    """Return the documents that must leave hot to meet the limits, first to leave first.

    `documents` are all documents in hot; those that may not leave count towards the limits too.
    """
    held = list(documents)
    tokens, size = (
        sum(map(weigh, held)) for weigh in (_count_document_tokens, _count_document_bytes)
    )
    gone: list[Document] = []
    for document in sorted(filter(may_leave, held), key=lambda d: _weigh_leaving_order(d, now)):
        if (not limits.tokens or tokens <= limits.tokens) and (
            not limits.size_bytes or size <= limits.size_bytes
        ):
            break
        gone.append(document)
        tokens -= _count_document_tokens(document)
        size -= _count_document_bytes(document)
    return gone


def _weigh_leaving_order(document: Document, now: datetime) -> tuple[int, float, datetime, str]:
    """Return the sort key by which documents leave hot; the smallest key leaves first.

    The key is the rank by status, then the faded importance, the time, and the document's key.
    """
    since = document.said_at
    value = compute_faded_value(document.importance, since.timestamp(), now.timestamp())
    return _rank_leaving_document(document, now), value, since, document.key


def _rank_leaving_document(document: Document, now: datetime) -> int:
    status, is_important = (
        find_document_status(document, now),
        document.metadata.get("priority") == Priority.HIGH,
    )
    if status in ("replaced", "ended", "done"):
        return 0
    if status == "corrected":
        return 3
    return 2 if is_important and document.metadata.get("category") == Category.DECISION else 1


def _count_document_tokens(document: Document) -> int:
    return estimate_tokens(document.text)


def _count_document_bytes(document: Document) -> int:
    more = "".join(f"{name}{value}" for name, value in document.metadata.items())
    return len(f"{document.key}{document.title}{document.text}{more}".encode("utf-8", "replace"))
