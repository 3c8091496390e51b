"""Tables of the journal, in a schema of their own.

The journal's tables outlive every store, and are dumped and moved alone.

- A scope's number is made of its path, so that no table of next numbers is needed, and no table has
  a key without the scope's number.

- Every table that grows with users is hash-partitioned by that number, which is first in every key;
  no key refers to another table, and there are no triggers: all of this is what Citus asks of a
  distributed table.

- Numbers of messages come from one sequence, so they grow over all scopes. Writers of a scope take
  turns (`server`), so rows that a reader of a scope has not seen yet always have higher numbers
  than rows that it has seen.

- Texts are compared by their bytes, as in SQLite.
"""

from gieok.storage.postgres.tables import Tables, partitioned

NAME = "gieok_journal"
_PARTITIONS = 16
_NUMBER = "bigint NOT NULL DEFAULT nextval('gieok_journal.numbers')"
_TEXT = 'text COLLATE "C" NOT NULL'

#: Table → columns. The scope's number is `scope_id`, in `scopes` itself `id`.
OF_SCOPES = {
    "scopes": f"id bigint PRIMARY KEY, path {_TEXT}",
    "sources": f"""
        scope_id bigint NOT NULL, id {_NUMBER}, agent {_TEXT}, session {_TEXT}, path {_TEXT},
        PRIMARY KEY (scope_id, id), UNIQUE (scope_id, session, agent, path)""",
    "messages": f"""
        scope_id bigint NOT NULL, seq {_NUMBER}, id {_TEXT}, text_hash bytea NOT NULL,
        role text NOT NULL, text text NOT NULL,
        at bigint NOT NULL, tokens bigint NOT NULL, source_id bigint NOT NULL, line bigint NOT NULL,
        retracted smallint NOT NULL DEFAULT 0, place bigint,
        PRIMARY KEY (scope_id, seq), UNIQUE (scope_id, id, text_hash)""",
    "cursors": f"""
        scope_id bigint NOT NULL, identity {_TEXT}, path text NOT NULL, "offset" bigint NOT NULL,
        line bigint NOT NULL,
        head text NOT NULL, head_bytes bigint NOT NULL, tail text NOT NULL,
        tail_bytes bigint NOT NULL,
        is_rereading boolean NOT NULL, PRIMARY KEY (scope_id, identity)""",
    "rejects": f"""
        scope_id bigint NOT NULL, id {_NUMBER}, path {_TEXT}, line bigint NOT NULL,
        "offset" bigint NOT NULL,
        length bigint NOT NULL, reason text NOT NULL,
        PRIMARY KEY (scope_id, id), UNIQUE (scope_id, path, "offset", length)""",
    "positions": (
        f"scope_id bigint NOT NULL, reader {_TEXT}, seq bigint NOT NULL, PRIMARY KEY (scope_id, "
        "reader)"
    ),
    "chunks": f"""
        scope_id bigint NOT NULL, reader {_TEXT}, start bigint NOT NULL, "end" bigint NOT NULL,
        tokens bigint NOT NULL,
        body text NOT NULL, PRIMARY KEY (scope_id, reader, start), CHECK (start < "end")""",
    "outbox": f"""
        scope_id bigint NOT NULL, id {_NUMBER}, key {_TEXT}, entry text,
        is_archived smallint NOT NULL DEFAULT 0,
        PRIMARY KEY (scope_id, id)""",
    "history": f"""
        scope_id bigint NOT NULL, id {_NUMBER}, run_id bigint NOT NULL, document text NOT NULL,
        PRIMARY KEY (scope_id, id)""",
    "runs": f"""
        scope_id bigint NOT NULL, id {_NUMBER}, reader text NOT NULL, kind text NOT NULL,
        at bigint NOT NULL,
        start bigint NOT NULL, "end" bigint NOT NULL, messages bigint NOT NULL,
        source_tokens bigint NOT NULL,
        documents bigint NOT NULL, document_tokens bigint NOT NULL, model text NOT NULL,
        PRIMARY KEY (scope_id, id)""",
    "made": (
        f"scope_id bigint NOT NULL, key {_TEXT}, entry text NOT NULL, PRIMARY KEY (scope_id, key)"
    ),
    "kept": (
        f"scope_id bigint NOT NULL, realm {_TEXT}, name {_TEXT}, value text NOT NULL, PRIMARY KEY "
        "(scope_id, realm, name)"
    ),
    # The number of the newest change among the messages of a source.
    "changes": (
        f"scope_id bigint NOT NULL, source_id bigint NOT NULL, id {_NUMBER}, PRIMARY KEY "
        "(scope_id, source_id)"
    ),
    "archived": f"""
        scope_id bigint NOT NULL, key {_TEXT}, tier text NOT NULL, place {_TEXT},
        content_hash text NOT NULL,
        revision text NOT NULL, tokens bigint NOT NULL, moved_at bigint NOT NULL, day text NOT NULL,
        kind text NOT NULL,
        stands smallint NOT NULL, PRIMARY KEY (scope_id, key)""",
    "stale_places": f"""
        scope_id bigint NOT NULL, id {_NUMBER}, tier text NOT NULL, place {_TEXT},
        PRIMARY KEY (scope_id, tier, place)""",
}

_INDEXES = """
CREATE INDEX ON gieok_journal.messages (scope_id, source_id, seq);
CREATE INDEX ON gieok_journal.messages (scope_id, source_id, place) WHERE place IS NOT NULL;
CREATE INDEX ON gieok_journal.messages (scope_id, at, text_hash) WHERE retracted = 2;
CREATE INDEX ON gieok_journal.outbox (id);
CREATE INDEX ON gieok_journal.runs (scope_id, at);
CREATE INDEX ON gieok_journal.changes (scope_id, id);
CREATE INDEX ON gieok_journal.archived (scope_id, tier, place);
CREATE INDEX ON gieok_journal.archived (scope_id, day) WHERE stands = 1;
"""

#: The costs of models, and incidents: a row for each day and role, and for each incident, however
#: many users there are.
_OF_ALL = f"""
CREATE TABLE gieok_journal.usage (
    day text NOT NULL, role text NOT NULL, calls bigint NOT NULL, input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    failures bigint NOT NULL, seconds float8 NOT NULL, dollars float8 NOT NULL, PRIMARY KEY (day,
    role)
);
CREATE TABLE gieok_journal.incidents (
    name {_TEXT} PRIMARY KEY, detail text NOT NULL, since bigint NOT NULL, tries bigint NOT NULL,
    next_try bigint NOT NULL
);
"""

_FIRST = (
    "CREATE SEQUENCE gieok_journal.numbers;"
    + "".join(
        partitioned(
            f"gieok_journal.{name}",
            columns,
            _PARTITIONS,
            by="id" if name == "scopes" else "scope_id",
        )
        for name, columns in OF_SCOPES.items()
    )
    + _INDEXES
    + _OF_ALL
)

TABLES = Tables(NAME, (_FIRST,), lock=4)
#: Names of every table, those with rows of scopes first.
NAMES = (*OF_SCOPES, "usage", "incidents")
