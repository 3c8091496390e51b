"""Promotes users' statements about themselves from a project to their own scope.

Every project then finds them. The promoted documents are derived from the documents of turns and
from `lasting`, which judges turns by vectors: one promoted document for each document of turns that
holds such lines. No judgement is kept, so a store without vectors promotes nothing, and a statement
that is forgotten in its project is forgotten here with the next step (`prune_promotions` does it at
once).
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from gieok import fs
from gieok.memory.talk import lasting_turns, rule_readings, settlement, turns
from gieok.memory.talk.claims.update import read_ahead, update_claims
from gieok.memory.talk.pair_judge import PairJudge
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.places.scope import PROMOTED, USER_SCOPE, is_brought
from gieok.ports.journal import FullJournal
from gieok.ports.models import Embedder, Reader
from gieok.ports.store import Documents, Store
from gieok.text.handles import line_check

#: Suffix of the key of a promoted document, behind the key of its source.
_ENDING = PROMOTED
#: Name of the metadata with the scope in which the turns were said.
_SCOPE = "scope"
_AT_ONCE = 200
_HOME = Scope(USER_SCOPE)


def update_promotions(
    store: Store,
    home: Path,
    journal: FullJournal | None = None,
    rewrite: Callable[[Scope], object] = lambda scope: None,
    *,
    zone: tzinfo = UTC,
    reader: Reader | None = None,
    embedder: Embedder | None = None,
    now: datetime,
) -> bool:
    """Judge the users' lasting statements, promote those about the user, and find ended claims.

    Raises StoreError. With a journal, observations that hold no more are ended in the journal, and
    `rewrite` is called for the scopes that have some. `reader` judges pairs besides the rules, and
    `embedder` tells which fact of a sentence changed. Returns whether statements still wait to be
    compared: a memory that is imported whole takes several steps.
    """
    judge = PairJudge(reader, embedder)
    found, waits_for_rules = (
        rule_readings.read_rules(store, home, reader) if reader else ({}, False)
    )
    with _lock_lasting_files(home):
        rule_readings.keep_readings(home, reader, found)
        promote(store, home)
    ahead = None
    if reader is not None:
        ahead = read_ahead(store, home, zone, judge)
        judge.close()
    with _lock_lasting_files(home):
        ends, waits = update_claims(
            store, home, zone=zone, journal=journal, judge=judge, ahead=ahead
        )
    for scope, scope_ends in ends.items() if journal is not None else ():
        if journal is not None and settlement.settle_observations(
            journal, store, scope, scope_ends
        ):
            rewrite(scope)
    with _lock_lasting_files(home):
        lasting_turns.update_lasting_lines(store, home, now, zone, journal)
    return waits or waits_for_rules


def refresh_gate_rules(
    store: Store, home: Path, journal: FullJournal, *, now: datetime, zone: tzinfo = UTC
) -> None:
    """Bring the rules about actions in line with what was said and recorded.

    Raises StoreError, OSError.
    """
    with _lock_lasting_files(home):
        lasting_turns.update_gate_rules(store, home, now, zone, journal)


def _lock_lasting_files(home: Path) -> fs.exclusive:
    """Return the lock of the files derived from turns.

    It keeps a slower process from overwriting newer files with older readings. Ending observations
    takes locks of the journal, under which others wait for this lock: do not do it inside.
    """
    return fs.lock_resource(home, home / "lasting")


def is_promoted(document: Document) -> bool:
    """Say whether a document repeats statements made in a project."""
    return document.kind == turns.KIND and document.key.endswith(_ENDING)


def find_promoted_source(
    store: Documents, promoted: Document, line: int
) -> tuple[Document | None, int]:
    """Return the document in which a line was said, and the number of the line there.

    None, or 0, if the document or the line is gone.
    """
    sources = store.get(Scope(promoted.metadata[_SCOPE]), [promoted.key.removesuffix(_ENDING)])
    if not sources:
        return None, 0
    source_lines, promoted_line = (
        sources[0].text.split("\n"),
        promoted.text.split("\n")[line - 1 : line],
    )
    return sources[0], line if promoted_line and promoted_line == source_lines[
        line - 1 : line
    ] else 0


def promote(store: Store, home: Path) -> tuple[int, int]:
    """Update the promoted documents; return how many were put, and how many forgotten.

    Raises StoreError. Safe to kill and to repeat.
    """
    known = {
        key: content_hash
        for key, content_hash in store.hashes(_HOME).items()
        if key.endswith(_ENDING)
    }
    seen: set[str] = set()
    put = 0
    for scope in store.scopes():
        if scope == _HOME or not scope.path.startswith("project:") or is_brought(scope.path):
            continue
        lines: dict[str, dict[int, int]] = {}
        for line in lasting_turns.iter_judged_lines(store, scope, home):
            if line.is_about_user:
                lines.setdefault(line.key, {})[line.line] = line.check
        for batch in _iter_promoted_batches(store, scope, lines):
            seen.update(entry.document.key for entry in batch)
            fresh = [
                entry
                for entry in batch
                if known.get(entry.document.key) != entry.document.content_hash
            ]
            store.put(fresh)
            put += len(fresh)
    gone = sorted(known.keys() - seen)
    store.forget(_HOME, gone)
    return put, len(gone)


def prune_promotions(store: Store) -> int:
    """Forget promoted documents with a line that their source says no more; return how many."""
    promoted = [key for key in store.hashes(_HOME) if key.endswith(_ENDING)]
    gone = [
        d.key
        for start in range(0, len(promoted), _AT_ONCE)
        for d in store.get(_HOME, promoted[start : start + _AT_ONCE])
        if not _is_promotion_current(store, d)
    ]
    return store.forget(_HOME, gone) if gone else 0


def _is_promotion_current(store: Documents, promoted: Document) -> bool:
    lines = enumerate(promoted.text.split("\n"), start=1)
    return all(find_promoted_source(store, promoted, number)[1] for number, line in lines if line)


def _iter_promoted_batches(
    store: Documents, scope: Scope, lines: Mapping[str, Mapping[int, int]]
) -> Iterator[list[Entry]]:
    keys = sorted(lines)
    for start in range(0, len(keys), _AT_ONCE):
        held = store.get(scope, keys[start : start + _AT_ONCE])
        yield [
            entry
            for source in held
            if (entry := _build_promoted_entry(source, lines[source.key])).passages
        ]


def _build_promoted_entry(source: Document, checks: Mapping[int, int]) -> Entry:
    """Return a promoted document with the given lines of its source.

    `checks` is line number → checksum; a line that has changed since is left out. The lines keep
    their numbers, with empty lines in place of the others, so that forgetting or judging anew
    changes no line's number.
    """
    whole = list(enumerate(source.text.split("\n"), start=1))
    lines = [line if checks.get(number) == line_check(line) else "" for number, line in whole]
    while lines and not lines[-1]:
        lines.pop()
    text = "\n".join(lines)
    stamp = hashlib.sha256(f"{source.content_hash}\0{text}".encode("utf-8", "replace")).hexdigest()[
        :32
    ]
    metadata = {
        **source.metadata,
        "project": turns.project_of(source.scope),
        _SCOPE: source.scope.path,
    }
    document = replace(
        source,
        scope=_HOME,
        key=source.key + _ENDING,
        text=text,
        content_hash=stamp,
        metadata=metadata,
    )
    return Entry(document, tuple(_cut_promoted_passages(lines)))


def _cut_promoted_passages(said: Iterable[str]) -> Iterator[Passage]:
    start = 0
    for number, line in enumerate(said, start=1):
        if line:
            yield Passage(start, start + len(line), number, number)
        start += len(line) + 1
