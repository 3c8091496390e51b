"""Copies a journal (or accounts) to another, and compares them by what they hold."""

from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from gieok.errors import BadRequest, StoreError
from gieok.model.memory import Scope
from gieok.ports.journal_rows import CopiedJournal

#: How often what others write meanwhile is copied after.
_TRIES = 5


class Copied(NamedTuple):
    """How many scopes were copied, and how many there are."""

    copied: int
    scopes: int


def hash_copied_rows(journal: CopiedJournal, scope: Scope | None) -> str:
    """Return a hash of what a journal holds of a scope, or of none; '' for nothing."""
    # Sorted: databases put texts in an order of their own.
    rows = sorted(repr(tuple(row)) for row in journal.copied_rows(scope))
    return sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest() if rows else ""


def list_copied_parts(journal: CopiedJournal) -> list[Scope | None]:
    """Return what is copied one after the other: each scope, and at the end what belongs to
    none.
    """
    return [*journal.copied_scopes(), None]


def find_differing_parts(source: CopiedJournal, target: CopiedJournal) -> list[Scope | None]:
    """Return the parts of which both do not hold the same."""
    known = {*list_copied_parts(source), *target.copied_scopes()}
    ordered = sorted(known, key=lambda scope: (scope is None, str(scope)))
    return [
        scope
        for scope in ordered
        if hash_copied_rows(source, scope) != hash_copied_rows(target, scope)
    ]


def copy_journal(
    source: CopiedJournal,
    target: CopiedJournal,
    *,
    replace: bool = False,
    progress: Callable[[int], None] = lambda done: None,
    what: str = "journal",
) -> Copied:
    """Copy until both hold the same. Killed at any scope, the next run goes on: what is equal is
    left as it is.

    Raises BadRequest where the target holds something else of a part, unless it may be replaced;
    StoreError where others go on writing.
    """
    wrong = find_differing_parts(source, target)
    own = [scope for scope in wrong if hash_copied_rows(target, scope)]
    if own and not replace:
        named = ", ".join(str(scope) if scope else "what belongs to no scope" for scope in own[:3])
        raise BadRequest(
            f"the other {what} holds something else already in {len(own)} parts ({named})",
            hint=(
                "`--replace` drops all of that; or set `journal` in config.yaml by hand to use "
                "what is there"
            ),
        )
    done = 0
    for _ in range(_TRIES):
        for scope in wrong:
            target.take_rows(scope, source.copied_rows(scope))
            done += 1
            progress(done)
        wrong = find_differing_parts(source, target)
        if not wrong:
            return Copied(done, len(source.copied_scopes()))
    raise StoreError(
        f"{len(wrong)} parts of the {what} differ from their copies",
        hint=(
            "end what writes meanwhile (`gieok down`) and run it again; the journal in use is "
            "still the old one"
        ),
    )
