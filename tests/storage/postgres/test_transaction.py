"""A transaction on a server that goes away, falls silent, is busy, or refuses a statement."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from select import select
from threading import Thread

import psycopg
import pytest

from gieok.errors import BadRequest, StoreBusy, StoreError, StoreUnreachable
from gieok.model.memory import Entry
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.postgres import connection, deadline, pool, transaction
from gieok.storage.postgres.connection import Connections, read_address
from gieok.storage.postgres.deadline import enforce_deadline
from gieok.storage.postgres.numbers import lock_number, scope_number
from gieok.storage.postgres.tables import Tables
from gieok.testing.samples import HOME, OTHER, build_entry, build_message

_OURS = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gieok'"
_WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


#: A table of which a row makes the end of its transaction slow.
_SLOW_TO_COMMIT = """
CREATE TABLE scratch.slow (id int);
CREATE FUNCTION scratch.slow() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN PERFORM pg_sleep(1); RETURN NULL; END$$;
CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON scratch.slow DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION scratch.slow()
"""


@pytest.fixture
def db(make_database: Callable[[], str]) -> Iterator[psycopg.Connection]:
    with psycopg.connect(make_database(), autocommit=True) as db:
        db.execute("CREATE SCHEMA scratch")
        yield db
        db.execute("DROP SCHEMA scratch CASCADE")


@pytest.fixture
def url(db: psycopg.Connection) -> str:
    return f"postgresql://{db.info.user}@/{db.info.dbname}?host={db.info.host}"


@pytest.fixture
def connections(url: str) -> Iterator[Connections]:
    opened = Connections(read_address(url, ""), Tables("pg_catalog", (), lock=5))
    yield opened
    opened.close()


@pytest.fixture
def journal(url: str) -> Iterator[PostgresJournal]:
    opened = PostgresJournal(url, timeout_s=0.2, lock_timeout_ms=200)
    opened.say(HOME, [build_message("0")])
    yield opened
    opened.close()


@contextmanager
def _frozen(db: psycopg.Connection) -> Iterator[None]:
    pids = [pid for (pid,) in db.execute(f"SELECT pid {_OURS}")]
    assert pids
    for pid in pids:
        _signal(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            _signal(pid, signal.SIGCONT)


def _signal(pid: int, sent: signal.Signals) -> None:
    # The server's process of a connection that was given up while frozen ends when it runs again.
    with suppress(ProcessLookupError):
        os.kill(pid, sent)


def _ids(journal: PostgresJournal) -> list[str]:
    return [one.message.id for one in journal.read(HOME, 0, budget_tokens=1 << 40)]


def test_a_connection_that_dies_unnoticed_costs_no_error_before_a_commit(
    db: psycopg.Connection, journal: PostgresJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    # as where the end of the connection is still on its way
    monkeypatch.setattr(pool, "_is_hung_up", lambda _: False)
    end = f"SELECT pg_terminate_backend(pid, 5000) {_OURS}"
    assert db.execute(end).fetchall()
    assert journal.position(HOME, "x") == 0
    assert db.execute(end).fetchall()
    journal.say(HOME, [build_message("1")])
    assert db.execute(end).fetchall()
    with journal.transaction(HOME, "turn"):
        journal.say(HOME, [build_message("2")])
    assert _ids(journal) == ["0", "1", "2"]


def test_a_session_that_the_server_ended_as_idle_costs_no_error(
    journal: PostgresJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_is_hung_up", lambda _: False)
    with journal._connections.autocommit() as idle:
        idle.execute("SET idle_session_timeout = 1")
        ended = idle.fileno()
    assert select([ended], [], [], 20)[0]
    journal.move(HOME, "x", 1)
    assert journal.position(HOME, "x") == 1


def test_a_connection_that_idled_is_tried_before_anything_depends_on_it(
    db: psycopg.Connection, journal: PostgresJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "MOST_IDLE_S", -1.0)
    with _frozen(db):
        journal.move(HOME, "x", 1)
        assert journal.position(HOME, "x") == 1
    monkeypatch.setattr(transaction, "MOST_IDLE_S", 1e9)
    with _frozen(db), pytest.raises(StoreUnreachable, match="no answer"):
        journal.position(HOME, "x")


def test_a_server_that_falls_silent_in_a_transaction_is_hung_up_on(
    db: psycopg.Connection, journal: PostgresJournal
) -> None:
    with pytest.raises(StoreUnreachable, match="no answer"):
        _say_to_a_frozen_server(db, journal)
    with pytest.raises(ValueError, match="own"):
        _fail_without_a_server(db, journal)
    assert _ids(journal) == ["0"]


def _say_to_a_frozen_server(db: psycopg.Connection, journal: PostgresJournal) -> None:
    with journal.transaction(HOME, "turn"):
        assert journal.position(HOME, "x") == 0
        with _frozen(db):
            journal.say(HOME, [build_message("1")])


def _fail_without_a_server(db: psycopg.Connection, journal: PostgresJournal) -> None:
    with journal.transaction(HOME, "turn"):
        assert journal.position(HOME, "x") == 0
        db.execute(f"SELECT pg_terminate_backend(pid, 5000) {_OURS}").fetchall()
        raise ValueError("own")


def test_a_statement_that_fails_ends_its_transaction(connections: Connections) -> None:
    with pytest.raises(StoreError, match="takes no statement"):
        _go_on_after_a_failure(connections)
    with (
        pytest.raises(StoreError, match="did not keep"),
        connections.writing() as db,
        suppress(psycopg.DataError),
    ):
        db.execute("SELECT 1 / 0")


def _go_on_after_a_failure(connections: Connections) -> None:
    with connections.begin_writing() as begun:
        with suppress(psycopg.DataError):
            begun.defer("SELECT 1 / %s", (0,)).fetchone()
        begun.defer("SELECT 1")


def _divide_by_zero(connections: Connections) -> None:
    with connections.begin_writing() as begun:
        one = begun.defer("SELECT 1 / length(%s)", ("",))
        begun.defer("SELECT 2, %s", ("a",))
        try:
            one.fetchone()
        finally:
            assert begun.connection.closed


def test_the_first_error_of_a_batch_is_told(connections: Connections) -> None:
    with pytest.raises(BadRequest, match="division by zero"):
        _divide_by_zero(connections)
    with connections.begin_writing() as begun:
        assert begun.defer("SELECT 3, %s", ("a",)).fetchone() == (3, "a")


def test_a_prompt_writer_from_whom_nothing_comes_loses_its_locks(connections: Connections) -> None:
    shown = "SHOW idle_in_transaction_session_timeout"
    with connections.begin_writing(is_prompt=True) as begun:
        assert begun.defer(shown).fetchone() == ("1min",)
    with connections.begin_writing() as begun:
        assert begun.defer(shown).fetchone() == ("0",)


def test_a_transaction_that_the_server_ended_is_worth_another_try(
    connections: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_MOST_IDLE_MS", 1)
    with pytest.raises(StoreBusy, match="nothing came"):
        _go_on_after_its_end(connections)


def _go_on_after_its_end(connections: Connections) -> None:
    with connections.begin_writing(is_prompt=True) as begun:
        ended = begun.db.fileno()
        assert select([ended], [], [], 20)[0]
        begun.defer("SELECT 1").fetchone()


def test_what_takes_an_entry_may_take_its_time(
    journal: PostgresJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_MOST_IDLE_MS", 1)
    journal.hand_over([build_entry("a", "x")])
    idle = f"SELECT count(*) {_OURS} AND state = 'idle in transaction'"

    def take(entries: Sequence[Entry | str]) -> None:
        assert len(entries) == 1
        with journal._connections.begin_reading() as begun:
            assert begun.defer(idle).fetchone() == (1,)
            begun.defer("SELECT pg_sleep(0.05)").fetchone()
            assert begun.defer(idle).fetchone() == (1,)

    assert journal.hand_out(HOME, take, 9) == 1


def test_each_lock_of_a_batch_may_take_its_time(
    connections: Connections, db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []

    def note(db: psycopg.Connection, limit_s: float, location: str, hint: str = "") -> object:
        limits.append(limit_s)
        return enforce_deadline(db, limit_s, location, hint)

    monkeypatch.setattr(transaction, "enforce_deadline", note)
    with connections.begin_writing(is_prompt=True) as begun:
        for number in (1, 2):
            begun.defer("SELECT pg_advisory_xact_lock(%s)", (number,))
    with connections.begin_writing(is_prompt=True) as begun:
        begun.defer("SELECT 1")
    assert limits == [65, 5]
    limits.clear()
    db.execute("CREATE TABLE scratch.rows (id int)")
    for sql in (
        "INSERT INTO scratch.rows VALUES (1)",
        "UPDATE scratch.rows SET id = 2; UPDATE scratch.rows SET id = 3",
        "DELETE FROM scratch.rows",
        "SELECT 1 FROM scratch.rows FOR NO KEY UPDATE",
        "SELECT pg_advisory_lock_shared(1)",
    ):
        with connections.begin_writing(is_prompt=True) as begun:
            for one in sql.split("; "):
                begun.defer(one)
    assert limits == [35] * 5


def test_a_row_that_another_adds_is_told_from_a_server_that_is_silent(
    url: str, db: psycopg.Connection
) -> None:
    connections = Connections(read_address(url, ""), Tables("pg_catalog", (), lock=5), 1_500, 0.2)
    db.execute("CREATE TABLE scratch.rows (id int PRIMARY KEY)")
    with db.transaction():
        db.execute("INSERT INTO scratch.rows VALUES (1)")
        with pytest.raises(StoreBusy, match="locked"):
            _insert_promptly(connections, "rows")
    connections.close()


def test_a_commit_may_take_as_long_as_the_longest_statement_of_its_transaction(
    url: str, db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.execute(_SLOW_TO_COMMIT)
    connections = Connections(read_address(url, ""), Tables("pg_catalog", (), lock=5), 200, 0.2)
    with connections.begin_writing() as begun:
        begun.defer("SELECT 1")
    monkeypatch.setattr(deadline, "_GRACE_S", 0.0)
    with connections.begin_writing() as begun:
        begun.defer("INSERT INTO scratch.slow VALUES (1)")
    with pytest.raises(StoreUnreachable, match="no answer") as raised:
        _insert_promptly(connections, "slow")
    assert "may have been kept" in raised.value.hint
    connections.close()


def _insert_promptly(connections: Connections, table: str) -> None:
    with connections.begin_writing(is_prompt=True) as begun:
        begun.defer(f"INSERT INTO scratch.{table} VALUES (1)")


def test_a_turn_that_waits_for_its_lock_occupies_no_connection_of_the_pool(
    url: str, db: psycopg.Connection
) -> None:
    pool.bound_pool_size(url, 1)
    journal = PostgresJournal(url)
    journal.say(HOME, [build_message("0")])

    def turn() -> None:
        with journal.transaction(HOME, "turn"):
            journal.say(HOME, [build_message("1")])

    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(%s)", (lock_number("turn"),))
        waiting = Thread(target=turn)
        waiting.start()
        while db.execute(_WAITING).fetchone() == (0,):
            pass
        assert journal.position(OTHER, "x") == 0
        assert _ids(journal) == ["0"]
    waiting.join(20)
    assert _ids(journal) == ["0", "1"]
    journal.close()


def test_a_statement_that_a_busy_server_refused_is_not_sent_again(
    url: str, db: psycopg.Connection
) -> None:
    connections = Connections(read_address(url, ""), Tables("pg_catalog", (), lock=5), 50)
    with connections.begin_reading() as begun:
        assert begun.defer("SELECT 1").fetchone() == (1,)
    db.execute("CREATE SEQUENCE scratch.tries")
    db.execute("SELECT pg_advisory_lock(42)")
    with pytest.raises(StoreBusy, match="locked"):
        _try_to_lock(connections)
    assert db.execute("SELECT last_value FROM scratch.tries").fetchone() == (1,)
    connections.close()


def _try_to_lock(connections: Connections) -> None:
    with connections.begin_writing() as begun:
        begun.defer("SELECT nextval('scratch.tries'), %s::text", ("a",))
        begun.defer("SELECT pg_advisory_xact_lock(42), %s::text", ("a",)).fetchone()


def test_a_busy_server_is_told_from_one_that_is_gone(
    db: psycopg.Connection, journal: PostgresJournal
) -> None:
    with db.transaction():
        locked = "SELECT 1 FROM gieok_journal.scopes WHERE id = %s FOR UPDATE"
        db.execute(locked, (scope_number(HOME.path),))
        with pytest.raises(StoreBusy):
            journal.say(HOME, [build_message("1")])
