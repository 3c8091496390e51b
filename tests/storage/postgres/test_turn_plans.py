"""A turn costs the same however many users there are: each statement of it, whosever the table,
looks into one partition.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from plans import partitions, relations

from gieok.character.facts import scope_of
from gieok.character.memory.service import Bond, CharacterService, TurnBudget
from gieok.flow.lifecycle import fill_vectors
from gieok.model.accounts import IssuedKey, KeyRole, Posting, StoredCharacter
from gieok.storage.accounts.postgres import PostgresAccounts
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.postgres.transaction import PendingRows, Transaction
from gieok.testing import HashEmbedder
from gieok.testing.clock import ManualClock
from gieok.testing.samples import build_entry

_NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
_LOOKED_AT = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
#: Statements that touch no row of a table.
_NO_ROWS = ("SELECT pg_", "SELECT gieok.take_ids")
_SAID = (
    "내 이름은 민지야",
    "내 생일은 3월 15일이야",
    "왜 어제 답장 안 했어? 서운해",
    "미안해, 내가 너무했어",
    "아니다, 내 생일은 4월 15일이야",
    "나 강아지 키워, 이름은 콩이",
)


class Plans:
    """What was sent, and the tables that each statement reads or changes."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, set[str]]] = []
        self.is_on = False


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> Plans:
    """Ask for the plan of each statement that psycopg or a transaction is given, before it is
    sent.
    """
    plans, execute, many = Plans(), psycopg.Cursor.execute, psycopg.Cursor.executemany

    def explain(cursor: psycopg.Cursor[Any], query: Any, params: Any) -> None:
        sql = str(query).strip()
        if "; " in sql:
            return  # of a transaction, which was asked about each
        if plans.is_on and sql.startswith(_LOOKED_AT) and not sql.startswith(_NO_ROWS):
            asked = cursor.connection.cursor(row_factory=psycopg.rows.tuple_row)
            ((plan,),) = execute(asked, f"EXPLAIN (FORMAT JSON) {sql}", params).fetchall()
            plans.seen.append((sql, set(relations(plan))))

    def executed(self: psycopg.Cursor[Any], query: Any, params: Any = None, **options: Any) -> Any:
        explain(self, query, params)
        return execute(self, query, params, **options)

    def executed_many(
        self: psycopg.Cursor[Any], query: Any, rows: Sequence[Any], **options: Any
    ) -> Any:
        for row in rows:
            explain(self, query, row)
        return many(self, query, rows, **options)

    def explain_first(name: str) -> None:
        defer = getattr(Transaction, name)

        def deferred(
            self: Transaction, query: str, values: Any = (), **options: Any
        ) -> PendingRows:
            if plans.is_on:
                explain(self.db.cursor(), query, values)
            return defer(self, query, values, **options)

        monkeypatch.setattr(Transaction, name, deferred)

    explain_first("defer")
    explain_first("defer_bound")
    monkeypatch.setattr(psycopg.Cursor, "execute", executed)
    monkeypatch.setattr(psycopg.Cursor, "executemany", executed_many)
    return plans


def _turn(memory: CharacterService, accounts: PostgresAccounts, bond: Bond, number: int) -> None:
    now = memory.clock.now()
    accounts.key(bond.user, "k")
    accounts.seen(bond.user, now)
    accounts.character("", bond.character)
    accounts.hold(bond.user, 1, f"r{number}", now, "reply")
    text = _SAID[number % len(_SAID)]
    memory.hear(bond, text, is_user=True, identity=f"u{number}")
    memory.context(bond, text)
    memory.hear(bond, "그랬구나, 기억할게. 약속할게!", is_user=False, identity=f"r{number}")
    accounts.settle(bond.user, f"r{number}", Posting("reply", -1, f"r{number}"), now)


def test_every_statement_of_a_turn_looks_into_one_partition(
    make_database: Callable[[], str], plans: Plans
) -> None:
    url, clock, embedder = make_database(), ManualClock(_NOW), HashEmbedder()
    store, journal, accounts = PostgresStore(url), PostgresJournal(url), PostgresAccounts(url)
    # More than a page of a table, so that an index is worth its while.
    store.put(
        [build_entry(f"{n}", "무엇이든", scope=scope_of(f"other{n}", "mina")) for n in range(30)]
    )
    budget = TurnBudget(context_tokens=700, narrative_tokens=500)
    memory = CharacterService(
        journal=journal, store=store, clock=clock, embedder=embedder, budget=budget
    )
    bond = Bond("kim", "mina")
    accounts.keep_key(IssuedKey("kim", "k", "hash", KeyRole.USER, "", _NOW))
    accounts.keep_character(StoredCharacter("", "mina", "미나", "{}", _NOW, _NOW), is_new=True)
    accounts.post("kim", Posting("credit", 100, "c"), _NOW)
    _turn(memory, accounts, bond, 0)
    fill_vectors(store, embedder)
    plans.is_on = True
    for number in range(1, 7):
        clock.advance(timedelta(minutes=5))
        _turn(memory, accounts, bond, number)
    memory.replace(
        bond,
        [journal.messages(bond.scope, ["u1"])[0].message._replace(text="내 생일은 5월 5일이야")],
    )
    memory.withdraw(bond, ["u2"])
    plans.is_on = False
    fill_vectors(store, embedder)
    held = memory.memories(bond)
    assert held.facts
    assert held.moments
    assert held.episodes
    read = {table.rstrip("0123456789").rstrip("_") for _, tables in plans.seen for table in tables}
    assert {
        "documents",
        "passages",
        "postings",
        "embeddings",
        "messages",
        "made",
        "outbox",
        "users",
        "holds",
    } <= read
    assert [
        (sql, sorted(tables)) for sql, tables in plans.seen if len(partitions(tables)) > 1
    ] == []
    for opened in (store, journal, accounts):
        opened.close()
