"""Index of archived memories: the places of memories outside the hot tier."""

import json
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from gieok.model.archive import ArchivedMemory, ArchivedPlace, Move, Place, StalePlace
from gieok.model.memory import Scope, Tier
from gieok.storage.index.rows import batches, document_row, marks, to_ms, utc
from gieok.storage.journal.sql.database import Db, SqlJournal
from gieok.storage.journal.sql.durable import to_entry, to_text

COLUMNS = "key, tier, place, content_hash, revision, tokens, moved_at, day, kind, stands"
_OF_PLACE = "scope_id = ? AND tier = ? AND place = ?"
_OF_KEY = "scope_id = ? AND key = ?"


class SqlArchived(SqlJournal):
    """`Archived` on an SQL database."""

    def archive(self, moves: Sequence[Move]) -> list[Move]:
        """Move memories in one step; return the moves that were refused."""
        with self._writing_to_all({move.entry.document.scope for move in moves}) as (db, ids):
            return [
                move for move in moves if not self._moved(db, ids[move.entry.document.scope], move)
            ]

    def archived(
        self,
        scope: Scope,
        *,
        keys: Sequence[str] | None = None,
        place: Place | None = None,
        day: date | None = None,
    ) -> list[ArchivedMemory]:
        """Return the archived memories of a scope, by key."""
        with self._reading_of(scope) as (db, sid):
            rows = sorted(_iter_archived_rows(db, sid, keys, place, day))
            return [_to_memory(scope, row) for row in rows]

    def places(self) -> list[ArchivedPlace]:
        """Return every place that holds an archived memory, sorted."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT s.path, tier, place, min(day), count(*), CAST(sum(tokens) AS BIGINT), "
                "max(revision) FROM archived a "
                "JOIN scopes s ON s.id = a.scope_id GROUP BY s.path, tier, place ORDER BY "
                "s.path, tier, place"
            )
            return [
                ArchivedPlace(
                    Place(Scope(scope), Tier(tier), path), date.fromisoformat(day), *counts
                )
                for scope, tier, path, day, *counts in rows
            ]

    def standing(self, scope: Scope, limit: int) -> dict[str, str]:
        """Return the content hashes of memories in hot, and of valid memories in archives.

        Of archived memories, the newest `limit`.
        """
        with self._reading_of(scope) as (db, sid):
            archived = db.execute(
                (
                    "SELECT key, content_hash FROM archived WHERE scope_id = ? AND stands = 1 "
                    "ORDER BY day DESC, key LIMIT ?"
                ),
                (sid, limit),
            ).fetchall()
            hot = db.execute(
                f"SELECT key, {self._hash_of_entry} FROM made WHERE scope_id = ?", (sid,)
            )
            return dict([*archived, *hot])

    def mark_stale(self, places: Sequence[Place]) -> list[StalePlace]:
        """Mark places whose files may hold memories that do not live there."""
        with self._writing_to_all({place.scope for place in places}) as (db, ids):
            return [
                StalePlace(mark_stale(db, ids[place.scope], place.tier, place.path), place)
                for place in places
            ]

    def stale_places(self) -> list[StalePlace]:
        """Return the stale places, each once."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT p.id, s.path, tier, place FROM stale_places p JOIN scopes s ON s.id = "
                "p.scope_id ORDER BY p.id"
            )
            return [
                StalePlace(number, Place(Scope(scope), Tier(tier), path))
                for number, scope, tier, path in rows
            ]

    def settle(self, swept: Sequence[tuple[StalePlace, str]]) -> list[StalePlace]:
        """Drop marks of swept places, and keep the revisions of the places' files.

        Returns the places that were marked again meanwhile.
        """
        with self._writing_to_all({stale.place.scope for stale, _ in swept}) as (db, ids):
            return [
                stale
                for stale, revision in swept
                if not _settle_stale_place(db, ids[stale.place.scope], stale, revision)
            ]

    def _moved(self, db: Db, sid: int, move: Move) -> bool:
        """Move a memory and return True; or mark the place of its file as stale and return
        False.
        """
        key, to, before = move.entry.document.key, move.to, move.before
        if not (_is_unmoved(db, sid, move) if before else _is_unchanged(db, sid, move)):
            if to:
                mark_stale(db, sid, to.place.tier, to.place.path)
            return False
        if move.replaced:
            history = "INSERT INTO history (scope_id, run_id, document) VALUES (?, 0, ?)"
            db.execute(history, (sid, json.dumps(document_row(move.replaced))))
        if to is None:
            self._queue(db, sid, [(key, to_text(move.entry))])
            return True
        if before is None:
            db.execute(f"DELETE FROM made WHERE {_OF_KEY}", (sid, key))
            db.execute(
                f"INSERT INTO archived (scope_id, {COLUMNS}) VALUES ({marks(range(11))})",
                (sid, *_to_row(to)),
            )
        else:
            names = COLUMNS.split(", ")[1:]
            changed = ", ".join(f"{name} = ?" for name in names)
            db.execute(
                f"UPDATE archived SET {changed} WHERE {_OF_KEY}", (*_to_row(to)[1:], sid, key)
            )
            if before.place != to.place:
                self._left(db, sid, before.place.tier, before.place.path)
        if before is None or (before.place.tier, before.content_hash) != (
            to.place.tier,
            to.content_hash,
        ):
            self._queue(db, sid, [(key, to_text(move.entry, to.place.tier))], is_archived=True)
        return True


def mark_stale(db: Db, sid: int, tier: str, path: str) -> int:
    """Mark a place as stale, anew where it is marked; return the number of the mark."""
    db.execute(f"DELETE FROM stale_places WHERE {_OF_PLACE}", (sid, tier, path))
    mark = "INSERT INTO stale_places (scope_id, tier, place) VALUES (?, ?, ?) RETURNING id"
    ((number,),) = db.execute(mark, (sid, tier, path)).fetchall()
    return int(number)


def _settle_stale_place(db: Db, sid: int, stale: StalePlace, revision: str) -> bool:
    place = (sid, stale.place.tier, stale.place.path)
    db.execute(f"UPDATE archived SET revision = ? WHERE {_OF_PLACE}", (revision, *place))
    return bool(
        db.execute(
            f"DELETE FROM stale_places WHERE {_OF_PLACE} AND id = ?", (*place, stale.number)
        ).rowcount
    )


def _is_unchanged(db: Db, sid: int, move: Move) -> bool:
    document = move.entry.document
    row = db.execute(f"SELECT entry FROM made WHERE {_OF_KEY}", (sid, document.key)).fetchone()
    return row is not None and (
        row[0] == to_text(move.entry) or to_entry(document.scope, row[0]) == move.entry
    )


def _is_unmoved(db: Db, sid: int, move: Move) -> bool:
    row = db.execute(
        f"SELECT tier, place, content_hash FROM archived WHERE {_OF_KEY}",
        (sid, move.entry.document.key),
    ).fetchone()
    before = move.before
    return before is not None and row == (before.place.tier, before.place.path, before.content_hash)


def _iter_archived_rows(
    db: Db, sid: int, keys: Sequence[str] | None, place: Place | None, day: date | None
) -> Iterator[tuple[Any, ...]]:
    select = f"SELECT {COLUMNS} FROM archived WHERE scope_id = ?"
    if place is not None:
        yield from db.execute(f"{select} AND tier = ? AND place = ?", (sid, place.tier, place.path))
    elif day is not None:
        yield from db.execute(f"{select} AND day = ?", (sid, day.isoformat()))
    elif keys is None:
        yield from db.execute(select, (sid,))
    else:
        for some in batches(sorted(set(keys))):
            yield from db.execute(f"{select} AND key IN ({marks(some)})", (sid, *some))


def _to_row(memory: ArchivedMemory) -> tuple[object, ...]:
    return (
        memory.key,
        memory.place.tier,
        memory.place.path,
        memory.content_hash,
        memory.revision,
        memory.tokens,
        to_ms(memory.moved_at),
        memory.day.isoformat(),
        memory.kind,
        int(memory.stands),
    )


def _to_memory(scope: Scope, row: tuple[Any, ...]) -> ArchivedMemory:
    key, tier, path, content_hash, revision, tokens, moved_at, day, kind, stands = row
    return ArchivedMemory(
        key=key,
        place=Place(scope, Tier(tier), path),
        content_hash=content_hash,
        revision=revision,
        tokens=tokens,
        moved_at=utc(moved_at),
        day=date.fromisoformat(day),
        kind=kind,
        stands=bool(stands),
    )
