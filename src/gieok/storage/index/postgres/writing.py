"""Changes documents, notes and postings.

Each function runs inside the caller's transaction. Writers of one scope take turns by its row in
`scopes`, always locked in the order of ids; writers of different scopes do not wait for each other.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import psycopg

from gieok.errors import StoreError
from gieok.model.memory import Scope
from gieok.storage.index.postgres import vectors
from gieok.storage.index.postgres.reading import key_hash
from gieok.storage.index.postgres.vectors import copy_postgres_rows
from gieok.storage.index.prepared import PreparedEntry
from gieok.storage.index.rows import DOCUMENT_COLUMNS, document_row
from gieok.storage.postgres.numbers import scope_number
from gieok.text.keywords import keyword_text

#: Largest count of neighbours that is stored; no query reaches further.
_FAR = 1_000


class PlacedEntry(NamedTuple):
    """Prepared entry with the id of its scope and its own id.

    The passages' ids follow the entry's id.
    """

    scope_id: int
    id: int
    item: PreparedEntry


def put(db: psycopg.Connection, prepared: Sequence[PreparedEntry]) -> None:
    """Replace documents; (scope, key) are distinct in `prepared`."""
    vectors.lock(db, to_switch=False)
    scopes = lock_scopes(db, {item.entry.document.scope.path for item in prepared})
    for sid, keys in _find_held_keys(
        db, [(scopes[p.entry.document.scope.path], p.entry.document.key) for p in prepared]
    ).items():
        _remove_postgres_documents(db, sid, keys)
    placed = _place_entries(db, scopes, prepared)
    copy_postgres_rows(
        db,
        f"documents (id, scope_id, key_hash, passage_count, {DOCUMENT_COLUMNS})",
        map(_document_row, placed),
    )
    copy_postgres_rows(
        db,
        (
            'passages (id, document_id, scope_id, start, "end", start_line, end_line, length, '
            "text_hash, context)"
        ),
        (row for p in placed for row in _passage_rows(p)),
    )
    copy_postings(db, placed)
    vectors.link(
        db, [(i, p.scope_id, h) for p in placed for i, h in enumerate(p.item.hashes, p.id + 1)]
    )
    _add_scope_counts(
        db, [(p.scope_id, 1, len(p.item.hashes), sum(p.item.lengths)) for p in placed]
    )


def _find_held_keys(
    db: psycopg.Connection, wanted: Sequence[tuple[int, str]]
) -> dict[int, list[str]]:
    """Return scope → existing keys among those of `wanted`.

    In a first index none exist, at the cost of one statement.
    """
    numbers = db.execute(
        "SELECT k.n FROM unnest(%s::bigint[], %s::bytea[]) WITH ORDINALITY k (sid, hash, n) "
        "WHERE EXISTS ("
        "SELECT FROM gieok.documents d WHERE d.scope_id = k.sid AND d.scope_id = ANY(%s) AND "
        "d.key_hash = k.hash)",
        (
            [sid for sid, _ in wanted],
            [key_hash(key) for _, key in wanted],
            list({sid for sid, _ in wanted}),
        ),
    )
    held: dict[int, list[str]] = defaultdict(list)
    for (number,) in numbers:
        sid, key = wanted[number - 1]
        held[sid].append(key)
    return held


def lock_scopes(db: psycopg.Connection, paths: Iterable[str]) -> dict[str, int]:
    """Return path → id of scopes, locked until the end of the transaction.

    New scopes get rows, in one order: else two writers would wait for each other in a circle.
    """
    ordered = sorted((scope_number(path), path) for path in set(paths))
    numbers = {path: number for number, path in ordered}
    ids = list(numbers.values())
    known = "SELECT path, id FROM gieok.scopes WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE"
    rows = db.execute(known, (ids,)).fetchall()
    if len(rows) < len(numbers):
        new = (
            "INSERT INTO gieok.scopes (id, path) SELECT * FROM unnest(%s::bigint[], %s::text[]) "
            "ON CONFLICT DO NOTHING"
        )
        db.execute(new, (ids, list(numbers)))
        rows = db.execute(known, (ids,)).fetchall()
    if missing := numbers.keys() - dict(rows):
        raise StoreError(
            "{scope} has the number of another scope",
            scope=min(missing),
            hint="use another name for it",
        )
    return dict(rows)


def update_note(
    db: psycopg.Connection, scope: Scope, name: str, change: Callable[[str], str]
) -> None:
    """Replace the value of a note by the result of `change`."""
    sid = lock_scopes(db, [scope.path])[scope.path]
    row = db.execute(
        "SELECT value FROM gieok.notes WHERE scope_id = %s AND name = %s", (sid, name)
    ).fetchone()
    db.execute(
        (
            "INSERT INTO gieok.notes VALUES (%s, %s, %s) ON CONFLICT (scope_id, name) DO UPDATE "
            "SET value = excluded.value"
        ),
        (sid, name, change(row[0] if row else "")),
    )


def set_adopted(db: psycopg.Connection) -> None:
    """Record that the journal knows the documents of this store."""
    db.execute("DELETE FROM gieok.meta WHERE name = 'unadopted'")


def forget(db: psycopg.Connection, scope: Scope, keys: Sequence[str]) -> int:
    """Remove documents; return how many existed."""
    named = "SELECT id FROM gieok.scopes WHERE id = %s AND path = %s FOR NO KEY UPDATE"
    row = db.execute(named, (scope_number(scope.path), scope.path)).fetchone()
    return _remove_postgres_documents(db, row[0], keys) if row else 0


def drop_scope(db: psycopg.Connection, scope: Scope) -> int:
    """Remove a scope, its documents and notes."""
    row = db.execute(
        "SELECT id FROM gieok.scopes WHERE path = %s FOR UPDATE", (scope.path,)
    ).fetchone()
    if row is None:
        return 0
    keys = [
        key
        for (key,) in db.execute(
            "SELECT key FROM gieok.documents WHERE scope_id = %s", row
        ).fetchall()
    ]
    removed = _remove_postgres_documents(db, row[0], keys)
    db.execute("DELETE FROM gieok.notes WHERE scope_id = %s", row)
    db.execute("DELETE FROM gieok.scopes WHERE id = %s", row)
    return removed


def _place_entries(
    db: psycopg.Connection, scopes: Mapping[str, int], prepared: Sequence[PreparedEntry]
) -> list[PlacedEntry]:
    row = db.execute(
        "SELECT gieok.take_ids(%s)", (sum(1 + len(item.hashes) for item in prepared),)
    ).fetchone()
    assert row
    placed, next_id = [], int(row[0])
    for item in prepared:
        placed.append(PlacedEntry(scopes[item.entry.document.scope.path], next_id, item))
        next_id += 1 + len(item.hashes)
    return placed


def _document_row(placed: PlacedEntry) -> tuple[object, ...]:
    document = placed.item.entry.document
    return (
        placed.id,
        placed.scope_id,
        key_hash(document.key),
        len(placed.item.hashes),
        *document_row(document),
    )


def _passage_rows(placed: PlacedEntry) -> Iterable[tuple[object, ...]]:
    item = placed.item
    rows = zip(item.entry.passages, item.lengths, item.hashes, strict=True)
    for number, (p, length, text_hash) in enumerate(rows, placed.id + 1):
        place = (number, placed.id, placed.scope_id, p.start, p.end, p.start_line, p.end_line)
        yield (*place, length, text_hash, p.context)


def copy_postings(db: psycopg.Connection, placed: Sequence[PlacedEntry]) -> None:
    """Write postings by COPY, with lines formatted here.

    Tokens hold nothing that COPY would escape, and postings are most of the data.
    """
    columns = "scope_id, passage_id, length, before, after, body, context, token"
    with db.cursor().copy(f"COPY gieok.postings ({columns}) FROM STDIN") as out:
        for sid, document_id, item in placed:
            last = len(item.hashes) - 1
            for place, (body, context) in enumerate(zip(item.bodies, item.contexts, strict=True)):
                before, after = min(place, _FAR), min(last - place, _FAR)
                head = f"{sid}\t{document_id + 1 + place}\t{item.lengths[place]}\t{before}\t{after}"
                counts = _token_counts(body, context)
                out.write(
                    "".join(
                        f"{head}\t{own}\t{near}\t{token}\n" for token, (own, near) in counts.items()
                    )
                )


def _token_counts(body: str, context: str) -> dict[str, tuple[int, int]]:
    own, around = Counter(body.split()), Counter(context.split())
    return {token: (own[token], around[token]) for token in own | around}


def _add_scope_counts(db: psycopg.Connection, changes: Iterable[tuple[int, int, int, int]]) -> None:
    """Add (scope, documents, passages, tokens) to the counters of scopes."""
    sids, documents, passages, tokens = zip(*changes, strict=True)
    db.execute(
        "UPDATE gieok.scopes s SET documents = s.documents + c.documents, passages = "
        "s.passages + c.passages, "
        "tokens = s.tokens + c.tokens, changed = changed + abs(c.passages) FROM ("
        "SELECT id, sum(d) AS documents, sum(p) AS passages, sum(t) AS tokens "
        "FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[]) c (id, d, p, t) "
        "GROUP BY id) c "
        "WHERE s.id = c.id AND s.id = ANY(%s)",
        (list(sids), list(documents), list(passages), list(tokens), list(set(sids))),
    )


def _remove_postgres_documents(db: psycopg.Connection, sid: int, keys: Sequence[str]) -> int:
    rows = db.execute(
        (
            "DELETE FROM gieok.documents WHERE scope_id = %s AND key_hash = ANY(%s) RETURNING id, "
            "passage_count, text"
        ),
        (sid, list({key_hash(key) for key in keys})),
    ).fetchall()
    if not rows:
        return 0
    texts = {document: text for document, _, text in rows}
    passages = db.execute(
        "DELETE FROM gieok.passages p USING unnest(%s::bigint[], %s::int[]) d (id, count) "
        "WHERE p.scope_id = %s AND p.document_id = d.id AND p.id BETWEEN d.id + 1 AND d.id + "
        "d.count "
        'RETURNING p.id, p.document_id, p.start, p."end", p.context, p.length',
        ([row[0] for row in rows], [row[1] for row in rows], sid),
    ).fetchall()
    ids = [row[0] for row in passages]
    _remove_postings(
        db, sid, [(i, texts[d][start:end], context) for i, d, start, end, context, _ in passages]
    )
    db.execute("DELETE FROM gieok.embeddings WHERE scope_id = %s AND id = ANY(%s)", (sid, ids))
    db.execute("DELETE FROM gieok.waiting WHERE scope_id = %s AND id = ANY(%s)", (sid, ids))
    _add_scope_counts(db, [(sid, -len(rows), -len(ids), -sum(row[5] for row in passages))])
    return len(rows)


def _remove_postings(
    db: psycopg.Connection, sid: int, passages: Sequence[tuple[int, str, str]]
) -> None:
    """Remove postings by the tokens of the passages' texts.

    An index by passage would be a third of all data.
    """
    pairs = [
        (t, i)
        for i, text, context in passages
        for t in _token_counts(keyword_text(text), keyword_text(context))
    ]
    db.execute(
        "DELETE FROM gieok.postings p USING unnest(%s::text[], %s::bigint[]) gone (token, id) "
        "WHERE p.scope_id = %s AND p.token = gone.token AND p.passage_id = gone.id",
        ([token for token, _ in pairs], [i for _, i in pairs], sid),
    )


def tidy_postgres_index(db: psycopg.Connection) -> bool:
    """Drop unused vectors beyond the cap once enough has changed; return whether it had.

    Enough is half as much as the store holds.
    """
    row = db.execute(
        "SELECT coalesce(sum(changed), 0), coalesce(sum(passages), 0) FROM gieok.scopes"
    ).fetchone()
    if row is None or 2 * row[0] < row[1] or not row[0]:
        return False
    vectors.drop_unused_postgres_vectors(db)
    db.execute("UPDATE gieok.scopes SET changed = 0 WHERE changed > 0")
    return True
