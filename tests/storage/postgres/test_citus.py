"""Spreading tables over nodes: which calls, in which order, and what to install where there is no
Citus.

Citus itself is not to be had here: functions of its names write down what they are asked.
"""

from collections.abc import Callable

import psycopg
import pytest

from gieok.errors import StoreError
from gieok.storage.accounts.postgres import PostgresAccounts
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.journal.postgres.journal import PostgresJournal

_STUB = """
CREATE TABLE public.pg_dist_partition (n serial, logicalrelid regclass, by text, beside text);
CREATE FUNCTION public.create_distributed_table(t regclass, by text, colocate_with text DEFAULT 'default') RETURNS void
    LANGUAGE sql AS $$ INSERT INTO public.pg_dist_partition (logicalrelid, by, beside) VALUES (t, by, colocate_with) $$;
CREATE FUNCTION public.create_reference_table(t regclass) RETURNS void
    LANGUAGE sql AS $$ INSERT INTO public.pg_dist_partition (logicalrelid, by, beside) VALUES (t, '', '') $$;
"""
#: Tables whose rows are of scopes or users: partitioned, each by its distribution column, which is
#: first in every unique index.
_GROWING = """
SELECT c.oid::regclass::text, substring(pg_get_partkeydef(c.oid) from '\\((.*)\\)'), array_agg(DISTINCT a.attname::text)
FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisunique
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
WHERE c.relkind = 'p'
AND c.relnamespace IN ('gieok'::regnamespace, 'gieok_journal'::regnamespace, 'gieok_accounts'::regnamespace)
GROUP BY c.oid
"""
_WHOLE = """
SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND NOT relispartition
AND relnamespace IN ('gieok'::regnamespace, 'gieok_journal'::regnamespace, 'gieok_accounts'::regnamespace)
"""
_TIED = """
SELECT conname FROM pg_constraint WHERE contype = 'f' AND connamespace::regnamespace::text LIKE 'gieok%'
UNION ALL SELECT tgname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace::regnamespace::text LIKE 'gieok%'
"""


def test_the_calls_are_for_every_table_and_by_the_first_column_of_its_keys(
    make_database: Callable[[], str],
) -> None:
    url = make_database()
    parts = PostgresJournal(url), PostgresStore(url), PostgresAccounts(url)
    for part, touch in zip(
        parts, (parts[0].scopes, parts[1].scopes, lambda: parts[2].account("a")), strict=True
    ):
        touch()
        with pytest.raises(StoreError, match="has no Citus") as caught:
            part.distribute()
        assert "shared_preload_libraries" in str(caught.value.hint)
        assert "CREATE EXTENSION citus" in str(caught.value.hint)
    with psycopg.connect(url, autocommit=True) as db:
        growing = {name: (by, first) for name, by, first in db.execute(_GROWING)}
        whole = {name for (name,) in db.execute(_WHOLE)}
        assert {name: [by] for name, (by, _) in growing.items()} == {
            name: first for name, (_, first) in growing.items()
        }
        assert db.execute(_TIED).fetchall() == []
        db.execute(_STUB)
        issued = [part.distribute() for part in parts]
        asked = db.execute(
            "SELECT logicalrelid::text, by, beside FROM pg_dist_partition ORDER BY n"
        ).fetchall()
        assert [part.distribute() for part in parts] == [0, 0, 0]
        db.execute("DROP FUNCTION public.create_distributed_table, public.create_reference_table")
        db.execute("DROP TABLE public.pg_dist_partition")
    assert (sum(issued), asked[0]) == (len(asked), ("gieok_journal.scopes", "id", "default"))
    assert {name: by for name, by, _ in asked if by} == {
        name: by for name, (by, _) in growing.items()
    }
    assert {beside for _, by, beside in asked[1:] if by} == {"gieok_journal.scopes"}
    assert {name for name, by, _ in asked if not by} == whole
    for part in parts:
        part.close()
