"""The connections that a process shares: bounded, in turn, for nested transactions too, and closed
with their last user.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Barrier, Event, Thread

import psycopg
import pytest

from gieok.errors import StoreBusy
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.postgres import pool
from gieok.testing.samples import HOME, OTHER, build_entry

_END_OTHERS = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_OURS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
    "application_name = 'gieok'"
)
_WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
    "wait_event_type = 'Lock'"
)


@pytest.fixture
def url(make_database: Callable[[], str]) -> Iterator[str]:
    made = make_database()
    gc.collect()
    # What another test of this process left open to a database that is given out again.
    for key in [key for key in pool._POOLS if key.conninfo == made]:
        del pool._POOLS[key]
    with psycopg.connect(made) as db:
        db.execute(_END_OTHERS)
    pool.bound_pool_size(made, 2)
    yield made
    pool.bound_pool_size(made, pool.MOST)


def _count(url: str) -> int:
    with psycopg.connect(url) as db:
        (found,) = db.execute(_OURS).fetchone() or (0,)
        return int(found)


def test_many_threads_of_store_and_journal_share_a_few_connections(url: str) -> None:
    store, journal = PostgresStore(url), PostgresJournal(url)

    def work(n: int) -> None:
        for _ in range(3):
            store.put([build_entry(f"{n}", "x")])
            journal.hand_over([build_entry(f"{n}", "x")])

    threads = [Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(store.hashes(HOME)), len(journal.made(HOME)), _count(url)) == (16, 16, 2)
    store.close()
    assert _count(url) == 2  # the journal's as well
    journal.close()
    assert _count(url) == 0


def test_a_transaction_within_another_does_not_wait_for_itself(url: str) -> None:
    store = PostgresStore(url)
    both = Barrier(2, timeout=20)

    def nested(old: str) -> str:
        both.wait()  # every connection is taken now
        assert store.hashes(HOME) == {}
        return "done"

    threads = [
        Thread(target=store.update_note, args=(scope, "a", nested)) for scope in (HOME, OTHER)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.notes(scope) for scope in (HOME, OTHER)] == [{"a": "done"}] * 2
    store.close()


def test_who_waits_too_long_is_told_that_all_are_in_use(url: str) -> None:
    holding, waiting = (
        PostgresStore(url, timeout_s=1),
        PostgresStore(url, timeout_s=1, lock_timeout_ms=10),
    )
    inside, done = Barrier(3, timeout=20), Event()

    def hold(old: str) -> str:
        inside.wait()
        done.wait(20)
        return ""

    threads = [
        Thread(target=holding.update_note, args=(scope, "a", hold)) for scope in (HOME, OTHER)
    ]
    for thread in threads:
        thread.start()
    inside.wait()
    with pytest.raises(StoreBusy, match="all 2 connections") as caught:
        waiting.scopes()
    assert "database.connections" in str(caught.value.hint)
    done.set()
    for thread in threads:
        thread.join()
    assert waiting.notes(HOME) == {"a": ""}
    holding.close()
    waiting.close()


def test_who_delivers_does_not_wait_for_the_connections_of_those_who_wait_for_it(url: str) -> None:
    journal, other = PostgresJournal(url), PostgresJournal(url, lock_timeout_ms=20_000)
    journal.hand_over([build_entry("1", "x")])
    handed: list[int] = []
    threads = [
        Thread(target=lambda: handed.append(other.hand_out(HOME, lambda _: None, 1)))
        for _ in range(2)
    ]
    with psycopg.connect(url, autocommit=True) as db, journal.exclusive("deliver"):
        for thread in threads:
            thread.start()
        while db.execute(_WAITING).fetchone() != (2,):  # every connection is taken now
            pass
        assert len(journal.undelivered(10)) == 1
        assert not handed
    for thread in threads:
        thread.join(20)
    assert sorted(handed) == [0, 1]
    journal.close()
    other.close()


def test_locks_that_nobody_else_holds_cost_one_connection_together(url: str) -> None:
    journal, other = PostgresJournal(url), PostgresJournal(url)
    with ExitStack() as held:
        assert all(held.enter_context(journal.exclusive(f"turn {n}")) for n in range(20))
        assert _count(url) == 1
        for one in (journal, other):
            with one.exclusive("turn 3", wait=False) as taken:
                assert not taken
        with other.exclusive("turn 20") as taken:
            assert taken
        waiting = [Thread(target=_through, args=(one, "turn 3")) for one in (journal, other)]
        for thread in waiting:
            thread.start()
    for thread in waiting:
        thread.join(20)
    with journal.exclusive("turn 3", wait=False) as taken:
        assert taken
    journal.close()
    other.close()


def _through(journal: PostgresJournal, name: str) -> None:
    with journal.exclusive(name):
        pass


def test_behind_a_pooler_each_lock_has_a_connection_of_its_own(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = PostgresJournal(url)
    # a pooler's answer, not the server's
    monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", 1)
    with journal.exclusive("a"), journal.exclusive("b"):
        assert _count(url) == 2
        with journal.exclusive("a", wait=False) as taken:
            assert not taken
    journal.close()
