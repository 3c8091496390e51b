"""What PostgreSQL says of our tables and of our statements: that each table is ready to be
distributed, and each statement of one scope looks into one partition. Imported by the tests that
need it: it needs `gieok[postgres]`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg

from gieok.storage.postgres.connection import Connections
from gieok.storage.postgres.statements import Statements
from gieok.storage.postgres.transaction import Transaction

_TABLES = """
SELECT c.relname, c.relkind, pg_get_partkeydef(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind IN ('r', 'p') AND NOT c.relispartition
"""
_KEYS = """
SELECT t.relname, a.attname FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
JOIN pg_namespace n ON n.oid = t.relnamespace JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
WHERE n.nspname = %s AND i.indisunique AND t.relkind = 'p'
"""
_TIED = """
SELECT conname FROM pg_constraint WHERE contype = 'f' AND connamespace = %(schema)s::regnamespace
UNION ALL SELECT tgname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace = %(schema)s::regnamespace
"""


class Catalogue(NamedTuple):
    """Tables with what they are partitioned by ('': nothing), first columns of unique indexes,
    foreign keys and triggers.
    """

    tables: dict[str, str]
    keys: list[tuple[str, str]]
    tied: list[str]


def catalogue(url: str, schema: str) -> Catalogue:
    """Return what the server's catalogue says of a schema."""
    with psycopg.connect(url) as db:
        tables = {name: by or "" for name, _, by in db.execute(_TABLES, (schema,))}
        keys = [(str(table), str(column)) for table, column in db.execute(_KEYS, (schema,))]
        tied = [str(name) for (name,) in db.execute(_TIED, {"schema": schema})]
    return Catalogue(tables, keys, tied)


class Explained:
    """Goes in front of a backend: asks for the plan of each statement before it runs it."""

    _connections: Connections

    @property
    def plans(self) -> list[tuple[str, set[str]]]:
        """Return statements with the tables that each reads."""
        return self.__dict__.setdefault("_plans", [])

    @contextmanager
    def _reading(self) -> Iterator[Statements]:
        with self._connections.begin_reading() as transaction:
            yield _Explaining(transaction, self.plans)

    @contextmanager
    def _writing(self) -> Iterator[Statements]:
        with self._connections.begin_writing() as transaction:
            yield _Explaining(transaction, self.plans)

    def spread(self) -> list[tuple[str, list[str]]]:
        """Return the statements that look into more than one partition, and what they read."""
        return [(sql, sorted(tables)) for sql, tables in self.plans if len(partitions(tables)) > 1]


class _Explaining(Statements):
    def __init__(self, transaction: Transaction, plans: list[tuple[str, set[str]]]) -> None:
        super().__init__(transaction)
        self._plans = plans

    def defer(self, sql: str, values: Sequence[Any] = ()) -> Any:
        if sql.split(maxsplit=1)[0] in (
            "SELECT",
            "INSERT",
            "UPDATE",
            "DELETE",
        ) and not sql.startswith("SELECT pg_"):
            ((plan,),) = super().defer(f"EXPLAIN (FORMAT JSON) {sql}", values).fetchall()
            self._plans.append((sql, set(relations(plan))))
        return super().defer(sql, values)

    def executemany(self, sql: str, values: Any) -> None:
        for row in values:
            self.execute(sql, row)


def relations(plan: Any) -> Iterator[str]:
    """Yield the tables that a plan reads."""
    for part in plan if isinstance(plan, list) else plan.values():
        if isinstance(part, list | dict):
            yield from relations(part)
    if (
        isinstance(plan, dict)
        and plan.get("Node Type") != "ModifyTable"
        and "Relation Name" in plan
    ):
        yield plan["Relation Name"]


def partitions(tables: set[str]) -> set[str]:
    """Return the numbers of partitions."""
    return {table.rpartition("_")[2] for table in tables if table.rpartition("_")[2].isdigit()}
