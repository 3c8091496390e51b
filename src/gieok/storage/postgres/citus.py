"""Spreads tables over the nodes of a cluster by Citus, an extension of PostgreSQL.

The number of a row's scope decides the node.
"""

from collections.abc import Iterable, Sequence

import psycopg

from gieok.errors import Phrase, StoreError
from gieok.storage.postgres.connection import Connections

#: Every table of scopes or users is on the same node as these rows.
_FIRST = "gieok_journal.scopes"
_HAS = "SELECT 1 FROM pg_proc WHERE proname = 'create_distributed_table'"
_CAN = "SELECT 1 FROM pg_available_extensions WHERE name = 'citus'"


def list_citus_statements(schema: str, tables: Iterable[str], of_all: Iterable[str]) -> list[str]:
    """Return the Citus calls for the tables of a schema, in order.

    First the tables with rows of scopes, then the tables that every node has whole.
    """
    calls = []
    for name in (f"{schema}.{table}" for table in tables):
        column = "id" if name.endswith(".scopes") else "scope_id"
        beside = "" if name == _FIRST else f", colocate_with => '{_FIRST}'"
        calls.append(f"SELECT create_distributed_table('{name}', '{column}'{beside})")
    return [*calls, *(f"SELECT create_reference_table('{schema}.{table}')" for table in of_all)]


def distribute(connections: Connections, wanted: Sequence[str], location: str) -> int:
    """Run the Citus calls that were not run before; return how many.

    Raises StoreError where Citus is missing.
    """
    with connections.autocommit() as db:
        if db.execute(_HAS).fetchone() is None:
            raise StoreError("{location} has no Citus", location=location, hint=_way_there(db))
        known = {row[0] for row in db.execute("SELECT logicalrelid::text FROM pg_dist_partition")}
        calls = [call for call in wanted if call.split("'")[1] not in known]
        for call in calls:
            db.execute(call)
    return len(calls)


def _way_there(db: psycopg.Connection) -> str:
    if db.execute(_CAN).fetchone():
        return Phrase(
            "as a superuser, on every node: `psql -d {database} -c 'CREATE EXTENSION citus'`",
            database=db.info.dbname,
        )
    version = db.info.server_version // 10_000
    return Phrase(
        "install Citus for PostgreSQL {version} on every node (packages: "
        "docs.citusdata.com), set `shared_preload_libraries = 'citus'`, restart, "
        "`CREATE EXTENSION citus`, and `SELECT citus_add_node('HOST', 5432)` for "
        "each worker; `--dry-run` shows what is issued then",
        version=version,
    )
