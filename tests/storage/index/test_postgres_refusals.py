"""What PostgreSQL refuses, and a server that goes: named, without a password, and nothing is half
written.
"""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import psycopg
import pytest
from plain_settings import PlainSettings

from gieok.errors import BadConfig, ShapeMismatch, StoreBusy, StoreError, StoreUnreachable
from gieok.model.retrieval import Filter
from gieok.opening import Opening
from gieok.paths import locate_home
from gieok.storage.index.postgres import reading, schema, vectors
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.postgres.connection import read_address
from gieok.testing import HashEmbedder
from gieok.testing.contracts import RefusalContract
from gieok.testing.samples import HOME, build_entry, build_keyword_query, corpus, embed_missing
from gieok.text import keywords

_FULL = """
CREATE FUNCTION public.no_room() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$
"""


@pytest.fixture
def url(make_database: Callable[[], str]) -> str:
    return make_database()


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(url)
    yield store
    store.close()


@pytest.fixture
def db(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url, autocommit=True) as db:
        yield db


class TestPostgresRefusals(RefusalContract):
    @pytest.fixture
    def make_store(self, url: str) -> Callable[[], PostgresStore]:
        return lambda: PostgresStore(url, lock_timeout_ms=50)

    @pytest.fixture
    def fill_disk(
        self, db: psycopg.Connection
    ) -> Callable[[PostgresStore], AbstractContextManager[None]]:
        """The very error of a full disk, raised by the server where it would write the last of a
        put's tables.
        """

        @contextmanager
        def full(store: PostgresStore) -> Iterator[None]:
            db.execute(_FULL)
            for table in ("postings", "embeddings"):
                db.execute(
                    f"CREATE TRIGGER no_room BEFORE INSERT ON gieok.{table} FOR EACH ROW "
                    "EXECUTE FUNCTION public.no_room()"
                )
            try:
                yield
            finally:
                db.execute("DROP FUNCTION public.no_room CASCADE")

        return full

    @pytest.fixture
    def hold_lock(
        self, db: psycopg.Connection
    ) -> Callable[[PostgresStore], AbstractContextManager[None]]:
        @contextmanager
        def held(store: PostgresStore) -> Iterator[None]:
            with db.transaction():
                db.execute("SELECT id FROM gieok.scopes WHERE path = %s FOR UPDATE", (HOME.path,))
                yield

        return held


def test_a_server_that_stops_is_named_and_one_that_is_back_goes_on(own_server) -> None:
    store = PostgresStore(own_server.url)
    store.put(corpus(61, 20))
    before = store.hashes(HOME)
    own_server.stop()
    for work in (
        lambda: store.put([build_entry("a", "x")]),
        lambda: store.keyword(HOME, build_keyword_query("결제"), Filter(), 9),
    ):
        with pytest.raises(StoreUnreachable, match="postgres unreachable"):
            work()
    own_server.start()
    assert store.hashes(HOME) == before
    store.put([build_entry("a", "x")])
    assert store.check() == []
    store.close()


def test_a_connection_that_is_cut_in_the_middle_of_a_put_leaves_nothing_of_it(
    store: PostgresStore, db: psycopg.Connection
) -> None:
    store.put([build_entry("a", "old")])

    def cut(old: str) -> str:
        db.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND datname = current_database() AND application_name = 'gieok'"
        )
        return "new"

    with pytest.raises(StoreUnreachable):
        store.update_note(HOME, "roots", cut)
    assert store.notes(HOME) == {}
    store.put([build_entry("a", "new")])
    assert [d.text for d in store.get(HOME, ["a"])] == ["new"]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@127.0.0.1:1/memory",
        "host=127.0.0.1 port=1 user=me password=s3cret dbname=memory",
    ],
)
def test_no_error_shows_the_password(url: str) -> None:
    store = PostgresStore(url)
    with pytest.raises(StoreUnreachable) as caught:
        store.scopes()
    told = f"{caught.value} {caught.value.hint} {store.location}"
    assert "s3cret" not in told
    assert "127.0.0.1:1" in told
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    "url",
    ["postgresql://me:s3cret@x@host/db", "postgresql://me:s3cret@host/db?color=red", "s3cret"],
)
def test_an_address_that_cannot_be_understood_is_not_repeated(url: str) -> None:
    with pytest.raises(BadConfig) as caught:
        read_address(url, "")
    assert "s3cret" not in f"{caught.value} {caught.value.hint}"


def test_a_wrong_password_is_named_with_where_it_belongs(own_server) -> None:
    with psycopg.connect(own_server.url, autocommit=True) as db:
        db.execute("CREATE ROLE guest LOGIN PASSWORD 'right'")
    rules = own_server.folder / "pg_hba.conf"
    rules.write_text("local all guest scram-sha-256\n" + rules.read_text())
    with psycopg.connect(own_server.url, autocommit=True) as db:
        db.execute("SELECT pg_reload_conf()")
        db.execute("GRANT CREATE ON DATABASE postgres TO guest")
        db.execute("CREATE EXTENSION vector")
    url = own_server.url.replace("postgres:@", "guest@")
    for password in ("", "wr0ng"):
        store = PostgresStore(url, password=password)
        with pytest.raises(StoreUnreachable) as caught:
            store.scopes()
        assert "PGPASSWORD" in caught.value.hint
        assert "wr0ng" not in str(caught.value)
    store = PostgresStore(url, password="right")
    assert store.scopes() == []
    store.close()


def test_without_pgvector_the_error_names_the_command(
    make_empty_database: Callable[[], str],
) -> None:
    url = make_empty_database()
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("DROP ROLE IF EXISTS small")
        db.execute("CREATE ROLE small LOGIN")
        db.execute("GRANT CREATE ON DATABASE " + db.info.dbname + " TO small")
    store = PostgresStore(url.replace("postgres:@", "small@"))
    with pytest.raises(StoreError) as caught:
        store.scopes()
    assert "CREATE EXTENSION vector" in caught.value.hint
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE EXTENSION vector")
    assert store.scopes() == []
    store.close()


def test_a_database_that_is_not_there_is_named(postgres: str) -> None:
    with pytest.raises(StoreUnreachable, match="does not exist") as caught:
        PostgresStore(postgres.replace("/postgres?", "/nobody?")).scopes()
    assert "createdb" in caught.value.hint


def test_a_newer_schema_and_other_tokens_are_refused(url: str, db: psycopg.Connection) -> None:
    db.execute("INSERT INTO gieok.migrations (version) VALUES (%s)", (len(schema.MIGRATIONS) + 1,))
    with pytest.raises(ShapeMismatch, match="has schema"):
        PostgresStore(url).scopes()
    db.execute("DELETE FROM gieok.migrations WHERE version > %s", (len(schema.MIGRATIONS),))
    db.execute("UPDATE gieok.meta SET value = '99' WHERE name = 'keywords_version'")
    with pytest.raises(ShapeMismatch, match="tokens of version 99"):
        PostgresStore(url).scopes()
    db.execute(
        f"UPDATE gieok.meta SET value = '{keywords.VERSION}' WHERE name = 'keywords_version'"
    )


def test_keywords_of_an_earlier_version_are_made_anew_by_themselves(
    store: PostgresStore, url: str, db: psycopg.Connection
) -> None:
    store.put(corpus(62, 30))
    query = build_keyword_query("결제 deploy")
    before = store.keyword(HOME, query, Filter(), 50)
    db.execute("UPDATE gieok.meta SET value = '0' WHERE name = 'keywords_version'")
    db.execute("DELETE FROM gieok.postings")
    db.execute("UPDATE gieok.passages SET length = 0")
    renewed = PostgresStore(url)
    assert renewed.check() == []
    assert before.ranked
    assert renewed.keyword(HOME, query, Filter(), 50) == before
    renewed.close()


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("statement_timeout = '1ms'", "stopped a statement"),
        ("default_transaction_read_only = on", "read-only"),
    ],
)
def test_a_servers_own_limits_are_named(
    store: PostgresStore, url: str, db: psycopg.Connection, setting: str, told: str
) -> None:
    store.put(corpus(62, 30))
    db.execute(f"ALTER DATABASE {db.info.dbname} SET {setting}")
    store.close()
    # What holds for a database is asked for by a new connection, and the pool of that address may
    # have old ones.
    fresh = PostgresStore(f"{url}{'&' if '?' in url else '?'}application_name=fresh")
    with db.transaction():  # so that a statement waits
        db.execute("SELECT id FROM gieok.scopes FOR UPDATE")
        with pytest.raises(StoreError, match=told):
            fresh.put(corpus(63, 3))
    fresh.close()
    db.execute(f"ALTER DATABASE {db.info.dbname} RESET ALL")
    assert store.check() == []


def test_damage_to_any_table_is_found_by_check(
    store: PostgresStore, db: psycopg.Connection
) -> None:
    embedder = HashEmbedder()
    store.use_model(embedder.model, embedder.dimension)
    store.put(corpus(64, 20))
    embed_missing(store, embedder)
    for table in ("documents", "passages", "postings", "embeddings"):
        with db.transaction(force_rollback=True):
            db.execute(
                f"DELETE FROM gieok.{table} WHERE ctid = (SELECT ctid FROM gieok.{table} LIMIT 1) "
            )
            assert reading.check(db) != [], table
    assert store.check() == []


def test_unused_vectors_are_kept_up_to_the_cap_and_the_oldest_go_first(
    store: PostgresStore,
) -> None:
    embedder = HashEmbedder()
    store.use_model(embedder.model, embedder.dimension)
    for text in ("used", "old", "newer"):
        store.put([build_entry(text, text)])
        embed_missing(store, embedder)
    store.forget(HOME, ["old", "newer"])
    with store._writing() as db:
        vectors.drop_unused_postgres_vectors(db, keep=1)
    store.put([build_entry("old", "old"), build_entry("newer", "newer")])
    assert [text for _, text in store.missing(9)] == ["old"]
    assert store.check() == []


def test_indexing_the_same_documents_again_and_again_does_not_grow_the_database(
    store: PostgresStore,
) -> None:
    embedder = HashEmbedder()
    store.use_model(embedder.model, embedder.dimension)
    entries = corpus(65, 100)
    for _ in range(5):
        store.put(entries)
        embed_missing(store, embedder)
        store.compact()
    size = store.stats().disk_bytes
    for _ in range(40):
        store.put(entries)
        store.compact()
    assert store.stats().disk_bytes < 1.5 * size
    assert store.stats().passages == sum(len(e.passages) for e in entries)
    assert store.missing(1) == []
    assert store.check() == []


def test_too_many_connections_are_named_as_busy(url: str, db: psycopg.Connection) -> None:
    db.execute("DROP ROLE IF EXISTS lonely")
    db.execute("CREATE ROLE lonely LOGIN SUPERUSER CONNECTION LIMIT 0")
    db.execute("ALTER ROLE lonely NOSUPERUSER")
    with pytest.raises((StoreBusy, StoreUnreachable), match="too many connections"):
        PostgresStore(url.replace("postgres:@", "lonely@")).scopes()


def test_without_an_address_nothing_is_guessed() -> None:
    settings = {"database.url": "", "database.connections": "2", "store.timeout_s": "5"}
    opening = Opening(
        locate_home(),
        locate_home(),
        PlainSettings(settings),
    )
    with pytest.raises(BadConfig, match=r"database\.url"):
        PostgresStore.open(opening)
    with_host = opening._replace(settings=PlainSettings(settings, {"PGHOST": "h"}))
    assert PostgresStore.open(with_host).location  # libpq's own


def test_a_server_that_accepts_and_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = PostgresStore(
            f"postgresql://me@127.0.0.1:{silent.getsockname()[1]}/memory", timeout_s=1
        )
        with pytest.raises(StoreUnreachable, match="timeout expired"):
            store.scopes()


def test_a_table_that_somebody_locks_is_named_and_not_waited_for(
    url: str, db: psycopg.Connection
) -> None:
    store = PostgresStore(url, timeout_s=0.2)
    store.put(corpus(63, 5))
    for table in ("documents", "scopes", "migrations", "meta"):
        fresh = PostgresStore(url, timeout_s=0.2)
        with db.transaction():
            db.execute(f"LOCK TABLE gieok.{table} IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(StoreBusy):
                fresh.get(fresh.scopes()[0], ["a"])
        assert fresh.scopes() == [HOME]
        fresh.close()
    store.close()


@pytest.mark.parametrize(
    "work", [lambda s: s.scopes(), lambda s: s.check(), lambda s: s.put([build_entry("a", "x")])]
)
def test_a_server_that_freezes_is_hung_up_on(
    url: str, db: psycopg.Connection, work: Callable[..., object]
) -> None:
    store = PostgresStore(url, timeout_s=0.2)
    store.put(corpus(64, 5))
    (backend,) = db.execute(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND "
        "application_name = 'gieok'"
    ).fetchone()
    os.kill(backend, signal.SIGSTOP)
    try:
        with pytest.raises(StoreUnreachable, match=r"no answer within 0\.2 s"):
            work(store)
    finally:
        os.kill(backend, signal.SIGCONT)
    assert work(store) is not False  # on a new connection
    assert store.check() == []
    store.close()
