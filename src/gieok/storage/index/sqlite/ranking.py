"""Keyword ranking in SQL, also for the prompt hook.

Standard library, and none of it that is slow to import. Hence plain values instead of the model
types, and no `typing`, whose import alone costs a sixth of the hook's time.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gieok.model.memory import PassageId
    from gieok.model.retrieval import KeywordQuery

#: Version of the tables in `schema`; it changes with them.
SCHEMA_VERSION = 3
#: Versions that the hook can read: it upgrades nothing, and must not fall silent between an update
#: and the next command.
READABLE_VERSIONS = (1, 2, 3)
#: As `ports.store.SCORE_DIGITS`, which the hook has no time to import.
SCORE_DIGITS = 6


def term_statistics(db: sqlite3.Connection, sid: int, tokens: Iterable[str]) -> dict[str, int]:
    """Return how many passages of the scope hold each token; unknown tokens are left out."""
    counts = {}
    for token in tokens:
        row = db.execute(
            "SELECT doc FROM keyword_df WHERE term = ?", (f"{sid}_{token}",)
        ).fetchone()
        if row and row[0]:
            counts[token] = int(row[0])
    return counts


def rank_sqlite_keywords(
    db: sqlite3.Connection,
    sid: int,
    mean_length: float,
    query: "KeywordQuery",
    weights: Mapping[str, float],
    limit: int,
    condition: str = "",
    values: Sequence[object] = (),
) -> "list[tuple[PassageId, float]]":
    """Rank by `gieok.text.bm25`.

    `weights` is weight · idf of the tokens that occur, `condition` is on `documents d`.
    """
    if not weights:
        return []
    documents = f"JOIN documents d ON d.id = p.document_id{condition}" if condition else ""
    rows = db.execute(
        f"""WITH query (term, weight) AS (VALUES {",".join("(?,?)" for _ in weights)}),
        own AS (
            SELECT t.doc AS id, t.term AS term, q.weight AS weight,
                sum(CASE t.col WHEN 'body' THEN 1.0 ELSE {query.context_weight} END) AS tf
            FROM query q CROSS JOIN keyword_tf t ON t.term = q.term GROUP BY q.term, t.doc
        ),
        counted AS ({_build_sqlite_spread_sql(query) if query.spread else "SELECT * FROM own"})
        SELECT p.id, sum(c.weight * c.tf * {query.k1 + 1} / (
            c.tf + {query.k1} * ({1 - query.b} + {query.b} * p.length / ?))) AS score
        FROM counted c JOIN passages p ON p.id = c.id {documents}
        GROUP BY p.id HAVING score > 0 ORDER BY round(score, {SCORE_DIGITS}) DESC, p.id LIMIT ?""",
        [value for token, weight in weights.items() for value in (f"{sid}_{token}", weight)]
        + [mean_length, *values, limit],
    )
    return rows.fetchall()


def _build_sqlite_spread_sql(query: "KeywordQuery") -> str:
    """Return SQL that adds to each passage a share of its neighbours' matches.

    Neighbours are the passages around it in the document; short ones lend more.
    """
    lent = f"min(1.0, {float(query.spread_tokens)} / max(here.length, 1))"
    steps = ["SELECT 0 AS step, 1.0 AS share, 1 AS full"]
    steps += [
        f"SELECT {sign * n}, {share}, 0"
        for n, share in enumerate(query.spread, 1)
        for sign in (-1, 1)
    ]
    return f"""
        SELECT near.id AS id, own.term AS term, own.weight AS weight,
            sum(own.tf * s.share * CASE s.full WHEN 1 THEN 1.0 ELSE {lent} END) AS tf
        FROM own JOIN passages here ON here.id = own.id CROSS JOIN ({" UNION ALL ".join(steps)}) s
        JOIN passages near ON near.id = own.id + s.step AND near.document_id = here.document_id
        GROUP BY own.term, near.id"""
