"""Everything that changes the database. Each function runs inside the caller's transaction.

Writers of one scope take turns by its row in `scopes`, always locked in the order of ids; writers of different scopes
do not wait for each other.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import psycopg

from gieok.backends.stores.postgres.schema import SWITCHING, WRITING
from gieok.backends.stores.prepared import Prepared
from gieok.backends.stores.quantise import unpack
from gieok.backends.stores.rows import DOCUMENT_COLUMNS, document_row
from gieok.model.memory import Scope
from gieok.text.keywords import keyword_text

#: Vectors that no passage uses any more are kept for texts that come back (a branch switched to and fro).
CACHED_VECTORS = 50_000
#: Neighbours are counted up to this many; no query reaches further.
_FAR = 1_000


class Placed(NamedTuple):
    """A prepared entry with its scope's id and its own; the passages' ids follow it."""

    scope_id: int
    id: int
    item: Prepared


def key_hash(key: str) -> bytes:
    """Return what a document is found by: a key may be longer than an index takes."""
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def put(db: psycopg.Connection, prepared: Sequence[Prepared]) -> None:
    """Replace documents; (scope, key) are distinct in `prepared`."""
    db.execute(f"SELECT {WRITING}")
    scopes = lock_scopes(db, {item.entry.document.scope.path for item in prepared})
    for sid, keys in _held(db, [(scopes[p.entry.document.scope.path], p.entry.document.key) for p in prepared]).items():
        _remove(db, sid, keys)
    placed = _place(db, scopes, prepared)
    _copy(db, f"documents (id, scope_id, key_hash, passage_count, {DOCUMENT_COLUMNS})", map(_document_row, placed))
    _copy(
        db,
        'passages (id, document_id, scope_id, start, "end", start_line, end_line, length, text_hash, context)',
        (row for p in placed for row in _passage_rows(p)),
    )
    copy_postings(db, placed)
    _link(db, [(i, p.scope_id, h) for p in placed for i, h in enumerate(p.item.hashes, p.id + 1)])
    _count(db, [(p.scope_id, 1, len(p.item.hashes), sum(p.item.lengths)) for p in placed])


def _held(db: psycopg.Connection, wanted: Sequence[tuple[int, str]]) -> dict[int, list[str]]:
    """Return scope → keys of those (scope, key) that are there already: in a first index, none, at one statement's cost."""
    numbers = db.execute(
        "SELECT k.n FROM unnest(%s::int[], %s::bytea[]) WITH ORDINALITY k (sid, hash, n) WHERE EXISTS ("
        "SELECT FROM gieok.documents d WHERE d.scope_id = k.sid AND d.key_hash = k.hash)",
        ([sid for sid, _ in wanted], [key_hash(key) for _, key in wanted]),
    )
    held: dict[int, list[str]] = defaultdict(list)
    for (number,) in numbers:
        sid, key = wanted[number - 1]
        held[sid].append(key)
    return held


def lock_scopes(db: psycopg.Connection, paths: Iterable[str]) -> dict[str, int]:
    """Return path → id of scopes, making rows for new ones, and hold them until the end of the transaction."""
    names = sorted(paths)
    known = "SELECT path, id FROM gieok.scopes WHERE path = ANY(%s) ORDER BY id FOR NO KEY UPDATE"
    rows = db.execute(known, (names,)).fetchall()
    if len(rows) < len(names):
        db.execute("INSERT INTO gieok.scopes (path) SELECT unnest(%s::text[]) ON CONFLICT (path) DO NOTHING", (names,))
        rows = db.execute(known, (names,)).fetchall()
    return dict(rows)


def forget(db: psycopg.Connection, scope: Scope, keys: Sequence[str]) -> int:
    """Remove documents; return how many there were."""
    row = db.execute("SELECT id FROM gieok.scopes WHERE path = %s FOR NO KEY UPDATE", (scope.path,)).fetchone()
    return _remove(db, row[0], keys) if row else 0


def _place(db: psycopg.Connection, scopes: Mapping[str, int], prepared: Sequence[Prepared]) -> list[Placed]:
    row = db.execute("SELECT gieok.take_ids(%s)", (sum(1 + len(item.hashes) for item in prepared),)).fetchone()
    assert row
    placed, next_id = [], int(row[0])
    for item in prepared:
        placed.append(Placed(scopes[item.entry.document.scope.path], next_id, item))
        next_id += 1 + len(item.hashes)
    return placed


def _document_row(placed: Placed) -> tuple[object, ...]:
    document = placed.item.entry.document
    return placed.id, placed.scope_id, key_hash(document.key), len(placed.item.hashes), *document_row(document)


def _passage_rows(placed: Placed) -> Iterable[tuple[object, ...]]:
    item = placed.item
    rows = zip(item.entry.passages, item.lengths, item.hashes, strict=True)
    for number, (p, length, text_hash) in enumerate(rows, placed.id + 1):
        place = (number, placed.id, placed.scope_id, p.start, p.end, p.start_line, p.end_line)
        yield (*place, length, text_hash, p.context)


def _copy(db: psycopg.Connection, target: str, rows: Iterable[tuple[object, ...]]) -> None:
    with db.cursor().copy(f"COPY gieok.{target} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def copy_postings(db: psycopg.Connection, placed: Sequence[Placed]) -> None:
    """Write the lines of COPY ourselves: tokens hold nothing that it would escape, and this is most of the data."""
    columns = "scope_id, passage_id, length, before, after, body, context, token"
    with db.cursor().copy(f"COPY gieok.postings ({columns}) FROM STDIN") as copy:
        for sid, document_id, item in placed:
            last = len(item.hashes) - 1
            for place, (body, context) in enumerate(zip(item.bodies, item.contexts, strict=True)):
                before, after = min(place, _FAR), min(last - place, _FAR)
                head = f"{sid}\t{document_id + 1 + place}\t{item.lengths[place]}\t{before}\t{after}"
                counts = _token_counts(body, context)
                copy.write("".join(f"{head}\t{own}\t{near}\t{token}\n" for token, (own, near) in counts.items()))


def _token_counts(body: str, context: str) -> dict[str, tuple[int, int]]:
    own, around = Counter(body.split()), Counter(context.split())
    return {token: (own[token], around[token]) for token in own | around}


def _link(db: psycopg.Connection, passages: Sequence[tuple[int, int, bytes]]) -> None:
    """Give passages (id, scope, text hash) the active model's vectors that are here; the others wait."""
    model_id = active_model_id(db)
    packed = packed_vectors(db, model_id, [h for _, _, h in passages]) if model_id is not None else {}
    _copy_embeddings(db, [(i, sid, packed[h]) for i, sid, h in passages if h in packed])
    _copy(db, "waiting (id, scope_id, text_hash)", (row for row in passages if row[2] not in packed))


def _copy_embeddings(db: psycopg.Connection, rows: Sequence[tuple[int, int, bytes]]) -> None:
    if not rows:
        return
    values, scales = unpack([data for _, _, data in rows], len(rows[0][2]) - 4)
    with db.cursor().copy("COPY gieok.embeddings (id, scope_id, scale, embedding) FROM STDIN") as copy:
        for (passage, sid, _), row, scale in zip(rows, values.tolist(), scales.tolist(), strict=True):
            copy.write(f"{passage}\t{sid}\t{scale!r}\t{row}\n")


def _count(db: psycopg.Connection, changes: Iterable[tuple[int, int, int, int]]) -> None:
    """Add (scope, documents, passages, tokens) to the counters of scopes."""
    sids, documents, passages, tokens = zip(*changes, strict=True)
    db.execute(
        "UPDATE gieok.scopes s SET documents = s.documents + c.documents, passages = s.passages + c.passages, "
        "tokens = s.tokens + c.tokens, changed = changed + abs(c.passages) FROM ("
        "SELECT id, sum(d) AS documents, sum(p) AS passages, sum(t) AS tokens "
        "FROM unnest(%s::int[], %s::bigint[], %s::bigint[], %s::bigint[]) c (id, d, p, t) GROUP BY id) c "
        "WHERE s.id = c.id",
        (list(sids), list(documents), list(passages), list(tokens)),
    )


def _remove(db: psycopg.Connection, sid: int, keys: Sequence[str]) -> int:
    rows = db.execute(
        "DELETE FROM gieok.documents WHERE scope_id = %s AND key_hash = ANY(%s) RETURNING id, passage_count, text",
        (sid, list({key_hash(key) for key in keys})),
    ).fetchall()
    if not rows:
        return 0
    texts = {document: text for document, _, text in rows}
    passages = db.execute(
        "DELETE FROM gieok.passages p USING unnest(%s::bigint[], %s::int[]) d (id, count) "
        "WHERE p.scope_id = %s AND p.document_id = d.id AND p.id BETWEEN d.id + 1 AND d.id + d.count "
        'RETURNING p.id, p.document_id, p.start, p."end", p.context, p.length',
        ([row[0] for row in rows], [row[1] for row in rows], sid),
    ).fetchall()
    ids = [row[0] for row in passages]
    _remove_postings(db, sid, [(i, texts[d][start:end], context) for i, d, start, end, context, _ in passages])
    db.execute("DELETE FROM gieok.embeddings WHERE scope_id = %s AND id = ANY(%s)", (sid, ids))
    db.execute("DELETE FROM gieok.waiting WHERE id = ANY(%s)", (ids,))
    _count(db, [(sid, -len(rows), -len(ids), -sum(row[5] for row in passages))])
    return len(rows)


def _remove_postings(db: psycopg.Connection, sid: int, passages: Sequence[tuple[int, str, str]]) -> None:
    """Remove the tokens that the texts are known to have; an index by passage would be a third of all data."""
    pairs = [(t, i) for i, text, context in passages for t in _token_counts(keyword_text(text), keyword_text(context))]
    db.execute(
        "DELETE FROM gieok.postings p USING unnest(%s::text[], %s::bigint[]) gone (token, id) "
        "WHERE p.scope_id = %s AND p.token = gone.token AND p.passage_id = gone.id",
        ([token for token, _ in pairs], [i for _, i in pairs], sid),
    )


def active_model_id(db: psycopg.Connection) -> int | None:
    """Return the id of the model that search uses."""
    row = db.execute("SELECT value FROM gieok.meta WHERE name = 'model_id'").fetchone()
    return int(row[0]) if row else None


def packed_vectors(db: psycopg.Connection, model_id: int, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
    """Return text hash → packed vector of those that are here."""
    rows = db.execute(
        "SELECT text_hash, data FROM gieok.vectors WHERE model_id = %s AND text_hash = ANY(%s)",
        (model_id, sorted(set(hashes))),
    )
    return dict(rows.fetchall())


def put_vectors(db: psycopg.Connection, model_id: int, packed: Mapping[bytes, bytes]) -> None:
    """Keep text hash → data of the active model, and link every passage that waits with such a text."""
    keep_vectors(db, model_id, packed)
    hashes = sorted(packed)
    # A document may go meanwhile: hold its scope, then look again who still waits.
    held = db.execute(
        "SELECT id FROM gieok.scopes WHERE id IN (SELECT scope_id FROM gieok.waiting WHERE text_hash = ANY(%s)) "
        "ORDER BY id FOR NO KEY UPDATE",
        (hashes,),
    ).fetchall()
    waiting = db.execute(
        "DELETE FROM gieok.waiting WHERE text_hash = ANY(%s) AND scope_id = ANY(%s) RETURNING id, scope_id, text_hash",
        (hashes, [row[0] for row in held]),
    ).fetchall()
    _copy_embeddings(db, [(i, sid, packed[h]) for i, sid, h in waiting])


def keep_vectors(db: psycopg.Connection, model_id: int, packed: Mapping[bytes, bytes]) -> None:
    """Keep text hash → data without linking it: the side of a rebuild that is not seen yet."""
    hashes = sorted(packed)  # in one order, so that two writers never wait for each other in a circle
    db.execute(
        "INSERT INTO gieok.vectors (model_id, text_hash, data) SELECT %s, unnest(%s::bytea[]), unnest(%s::bytea[]) "
        "ON CONFLICT DO NOTHING",
        (model_id, hashes, [packed[h] for h in hashes]),
    )


def activate(db: psycopg.Connection, model_id: int) -> None:
    """Make a model the one that search uses, point every passage at its vectors, and drop those of others."""
    db.execute(
        "INSERT INTO gieok.meta VALUES ('model_id', %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (str(model_id),),
    )
    db.execute("DELETE FROM gieok.vectors WHERE model_id <> %s", (model_id,))
    db.execute("DELETE FROM gieok.models WHERE id <> %s", (model_id,))
    db.execute("DELETE FROM gieok.embeddings")  # not TRUNCATE, which searches that run now would see
    db.execute("DELETE FROM gieok.waiting")
    with db.cursor(name="passages") as passages:
        passages.itersize = 2_000
        passages.execute("SELECT id, scope_id, text_hash FROM gieok.passages")
        while rows := passages.fetchmany(2_000):
            _link(db, rows)


def hold_writers(db: psycopg.Connection) -> None:
    """Wait until nobody writes, and let nobody until the end of the transaction: the active model changes."""
    db.execute(f"SELECT {SWITCHING}")


def join_writers(db: psycopg.Connection) -> None:
    """Write beside others, but not while the active model changes."""
    db.execute(f"SELECT {WRITING}")


def tidy(db: psycopg.Connection) -> bool:
    """Drop unused vectors beyond the cap once as much as half of what is there has changed; return whether it had."""
    row = db.execute("SELECT coalesce(sum(changed), 0), coalesce(sum(passages), 0) FROM gieok.scopes").fetchone()
    if row is None or 2 * row[0] < row[1] or not row[0]:
        return False
    drop_unused_vectors(db)
    db.execute("UPDATE gieok.scopes SET changed = 0 WHERE changed > 0")
    return True


def drop_unused_vectors(db: psycopg.Connection, keep: int = CACHED_VECTORS) -> None:
    """Drop the oldest vectors of the active model that no passage uses, beyond `keep`; a rebuild's are not used yet."""
    db.execute(
        "DELETE FROM gieok.vectors WHERE (model_id, text_hash) IN (SELECT model_id, text_hash FROM gieok.vectors v "
        "WHERE model_id = (SELECT value::int FROM gieok.meta WHERE name = 'model_id') "
        "AND NOT EXISTS (SELECT FROM gieok.passages p WHERE p.text_hash = v.text_hash) ORDER BY kept DESC OFFSET %s)",
        (keep,),
    )


def add_model(db: psycopg.Connection, model: str, dimension: int) -> tuple[int, int]:
    """Return the id and the dimension that a model is known with, making a row when it is new."""
    db.execute(
        "INSERT INTO gieok.models (name, dimension) VALUES (%s, %s) ON CONFLICT (name) DO NOTHING", (model, dimension)
    )
    row: tuple[Any, ...] | None = db.execute(
        "SELECT id, dimension FROM gieok.models WHERE name = %s", (model,)
    ).fetchone()
    assert row
    return int(row[0]), int(row[1])
