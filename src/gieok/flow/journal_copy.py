"""Copies of a journal (or of accounts) to another one, compared by content."""

from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from gieok.errors import BadRequest, Phrase, StoreError
from gieok.model.memory import Scope
from gieok.ports.journal_rows import CopiedJournal

#: Passes over all parts, because other processes write during a pass.
_TRIES = 5


class Copied(NamedTuple):
    """Number of scopes that were copied, and of all scopes."""

    copied: int
    scopes: int


def hash_copied_rows(journal: CopiedJournal, scope: Scope | None) -> str:
    """Return a hash of the rows that a journal holds of a scope; '' for no rows.

    Scope None means the rows that belong to no scope.
    """
    # Sorted here: databases order texts in ways of their own.
    rows = sorted(repr(tuple(row)) for row in journal.copied_rows(scope))
    return sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest() if rows else ""


def list_copied_parts(journal: CopiedJournal) -> list[Scope | None]:
    """Return the parts to copy in order: each scope, then None for the rows of no scope."""
    return [*journal.copied_scopes(), None]


def find_differing_parts(source: CopiedJournal, target: CopiedJournal) -> list[Scope | None]:
    """Return the parts whose content differs between the two journals."""
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
    """Copy a journal until both journals hold the same.

    A copy that was killed at any scope can be run again: parts that are equal already are skipped.
    Raises BadRequest where the target holds other content of a part and `replace` is off;
    StoreError where other processes go on writing.
    """
    wrong = find_differing_parts(source, target)
    own = [scope for scope in wrong if hash_copied_rows(target, scope)]
    if own and not replace:
        named = ", ".join(str(scope) if scope else "what belongs to no scope" for scope in own[:3])
        raise BadRequest(
            "the other {what} holds something else already in {count} parts ({named})",
            what=Phrase(what),
            count=len(own),
            named=Phrase(named),
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
        "{count} parts of {what} differ from their copies",
        count=len(wrong),
        what=Phrase(f"the {what}"),
        hint=(
            "end what writes meanwhile (`gieok down`) and run it again; the journal in use is "
            "still the old one"
        ),
    )
