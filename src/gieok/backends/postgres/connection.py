"""Connections, transactions, and the meaning of a server's errors. One connection per thread, opened on first use."""

import math
import socket
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict

from gieok.backends.opening import Opening
from gieok.backends.postgres.locks import Locks
from gieok.backends.postgres.tables import Tables
from gieok.backends.postgres.watchdog import Watchdog
from gieok.errors import (
    BadConfig,
    BadRequest,
    GieokError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreUnreachable,
)

#: How long an answer may take (setting `store.timeout_s`), and how long a writer waits for locks that other writers hold.
TIMEOUT_S = 5.0
LOCK_TIMEOUT_MS = 30_000
#: The server ends a statement that takes too long; if it does not, the connection is closed this much later.
_GRACE_S = 1.0
#: Notices a peer that vanished (a cable, a suspended machine), during a long write too.
_KEEPALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}

#: SQLSTATEs of a server that shuts down, and of other failures: (error, message, next step).
_GONE = ("57P01", "57P02", "57P03")
_MEANING: dict[str, tuple[type[StoreError], str, str | None]] = {
    "55P03": (StoreBusy, "is locked by another process", None),
    "40P01": (StoreBusy, "is busy", None),
    "40001": (StoreBusy, "is busy", None),
    "53300": (StoreBusy, "takes no more connections", "raise max_connections, or put a pooler in front"),
    "53100": (StoreFull, "has a full disk", None),
    "XX001": (StoreCorrupt, "is damaged", "restore it from a backup; the server's log says more"),
    "XX002": (StoreCorrupt, "has a damaged index", "run `reindexdb` on it; the server's log says more"),
    "57014": (StoreBusy, "stopped a statement", "raise store.timeout_s, or the server's own statement_timeout"),
    "54000": (StoreError, "has no room for a name in an index", "use one of less than 2,600 bytes"),
    "25006": (StoreError, "is read-only", "point database.url to the primary, not to a replica"),
    "42501": (StoreError, "refused", "GRANT the user CREATE on the database, or make it the owner"),
}


#: What libpq itself takes an address from.
_LIBPQ = ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE")


class ServerAddress(NamedTuple):
    """Address of the database: `conninfo` for libpq, a `password` outside of it, and a `location` without secrets."""

    conninfo: str
    password: str
    location: str
    secrets: tuple[str, ...]


def read_address(url: str, password: str) -> ServerAddress:
    """Return the address in a URL or connection string. Raises BadConfig, whose message holds no secret."""
    if url.partition("?")[0].count("@") > 1:
        raise BadConfig("database.url has more than one `@`", hint="write the `@` of a password as `%40`")
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:  # its message quotes the part that it does not understand, which may be the password
        hint = "write postgresql://user@host:5432/database; special characters of a password as %XX"
        raise BadConfig("database.url is no PostgreSQL address", hint=hint) from None
    host, port = parts.get("host") or parts.get("hostaddr") or "local", parts.get("port")
    where = f"{host}:{port}" if port else str(host)
    user = f"{parts['user']}@" if parts.get("user") else ""
    location = f"postgresql://{user}{where}/{parts.get('dbname') or ''}"
    secrets = tuple(str(secret) for secret in (parts.get("password"), password) if secret)
    return ServerAddress(url, "" if parts.get("password") else password, location, secrets)


def configured(opening: Opening, setting: str) -> tuple[str, str, float]:
    """Return URL, password and time-out of the server that settings name; `setting` is why one is needed. Raises BadConfig."""
    url = opening.setting("database.url")
    if not url and not any(map(opening.secret, _LIBPQ)):
        raise BadConfig(f"`{setting}` needs `database.url`", hint="such as postgresql://me@localhost/memory")
    return url, opening.secret("PGPASSWORD"), float(opening.setting("store.timeout_s"))


#: Compiling a query (jit) takes longer than any of ours runs.
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL jit = off"

_WATCHDOG = Watchdog()


class Connections:
    """One connection for each thread that uses the tables; a connection that broke is replaced when it is next asked for.

    `path` is the schema in which statements find their tables; '': names are qualified. It is set for a transaction, because a
    pooler may hand the next one another connection.
    """

    def __init__(
        self,
        address: ServerAddress,
        tables: Tables,
        lock_timeout_ms: int = LOCK_TIMEOUT_MS,
        timeout_s: float = TIMEOUT_S,
        *,
        path: str = "",
    ) -> None:
        self._address = address
        self._tables = tables
        self._in_path = f"; SET LOCAL search_path = {path}" if path else ""
        self._lock_timeout_ms = lock_timeout_ms
        self._timeout_s = timeout_s
        self._open: dict[threading.Thread, psycopg.Connection] = {}
        self._locks = Locks(self._connect)
        self._lock = threading.Lock()
        weakref.finalize(self, _close, self._open)

    @contextmanager
    def answering(self) -> Iterator[psycopg.Connection]:
        """As `reading`, for what a person waits for. Raises StoreBusy or StoreUnreachable after the timeout."""
        with self._transaction(f"{_READ}; {self._bounds()}") as db, self._deadline(db):
            yield db

    @contextmanager
    def reading(self) -> Iterator[psycopg.Connection]:
        """One snapshot for all statements inside, so that an answer never mixes two states. Waits for no lock for long."""
        with self._transaction(f"{_READ}; SET LOCAL lock_timeout = {self._timeout_s * 1000:.0f}") as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[psycopg.Connection]:
        """One transaction, durable when it returns."""
        with self._transaction(f"BEGIN; SET LOCAL lock_timeout = {self._lock_timeout_ms}") as db:
            yield db

    @contextmanager
    def autocommit(self) -> Iterator[psycopg.Connection]:
        """Each statement for itself, which VACUUM needs."""
        with self._translated():
            yield self._connection()

    def close(self) -> None:
        """Close the connections of every thread."""
        with self._lock:
            _close(self._open)
        self._locks.close()

    @contextmanager
    def holding(self, key: int, *, wait: bool) -> Iterator[bool]:
        """Hold an advisory lock by a connection of its own; False where it is taken and `wait` is off."""
        with self._translated():
            lock = self._locks.take(key, wait=wait)
        try:
            yield lock is not None
        finally:
            if lock is not None:
                self._locks.release(lock)

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[psycopg.Connection]:
        with self._translated():
            db = self._begun(begin + self._in_path)
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if not db.closed:
                    db.execute("ROLLBACK")
                raise

    def _bounds(self) -> str:
        """Return the statements that bound the others of a transaction."""
        most_ms = self._timeout_s * 1000
        # A little less for a lock, so that the error names the lock.
        return f"SET LOCAL statement_timeout = {most_ms:.0f}; SET LOCAL lock_timeout = {0.9 * most_ms:.0f}"

    @contextmanager
    def _deadline(self, db: psycopg.Connection) -> Iterator[None]:
        """Close the connection where the server is silent for too long. Raises StoreUnreachable."""
        late = threading.Event()
        # A duplicate: its number cannot become another file's meanwhile. The family does not matter to `shutdown`.
        line = socket.fromfd(db.fileno(), socket.AF_INET, socket.SOCK_STREAM)

        def hang_up() -> None:
            late.set()
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

        try:
            with _WATCHDOG.watching(self._timeout_s + _GRACE_S, hang_up):
                yield
        except psycopg.Error:
            if late.is_set():
                said = f"no answer within {self._timeout_s:g} s"
                raise StoreUnreachable(
                    f"postgres unreachable: {self._address.location}: {said}", hint=_way_in("")
                ) from None
            raise
        finally:
            line.close()

    def _begun(self, begin: str) -> psycopg.Connection:
        db = self._connection()
        try:
            with self._deadline(db):
                db.execute(begin)
        except psycopg.OperationalError:
            if not db.closed:
                raise
            db = self._connection()  # it was idle, and the server or a pooler hung up
            db.execute(begin)
        return db

    def _connection(self) -> psycopg.Connection:
        thread = threading.current_thread()
        db = self._open.get(thread)
        if db is None or db.closed:
            db = self._connect()
            with self._lock:
                for dead in [t for t in self._open if not t.is_alive()]:
                    self._open.pop(dead).close()
                self._open[thread] = db
        return db

    def _connect(self) -> psycopg.Connection:
        address = self._address
        given = conninfo_to_dict(address.conninfo)
        options = {
            "application_name": "gieok", "connect_timeout": math.ceil(self._timeout_s), "password": address.password,
        } | _KEEPALIVE  # fmt: skip
        extra = {name: value for name, value in options.items() if value and name not in given}
        # Nothing is prepared on the server: behind a pooler the next transaction may meet another one.
        db = psycopg.connect(address.conninfo, autocommit=True, prepare_threshold=None, **extra)  # type: ignore[arg-type]
        try:
            with self._deadline(db):
                db.execute(f"BEGIN; {self._bounds()}")
                is_ready = self._tables.are_ready(db)
                db.execute("COMMIT")
            if not is_ready:
                self._tables.migrate(db, address.location, self._lock_timeout_ms)
            with self._deadline(db):
                db.execute(f"BEGIN; {self._bounds()}")
                is_stale = self._tables.verify(db, address.location)
                db.execute("COMMIT")
            if is_stale:
                self._tables.renew(db)
        except BaseException:
            db.close()
            raise
        return db

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise _translate(error, self._address) from None  # the original's text may hold what is cut out here
        except UnicodeEncodeError as error:
            hint = "use a name without lone surrogates"
            raise BadRequest(f"{error.object!r} cannot be stored: it is not valid Unicode", hint=hint) from error


def _translate(error: psycopg.Error, address: ServerAddress) -> GieokError:
    said = str(error).strip().split("\n")[0] or type(error).__name__
    for secret in address.secrets:
        said = said.replace(secret, "***")
    where, code = address.location, error.sqlstate or ""
    if code in _GONE or code.startswith("08") or (not code and isinstance(error, psycopg.OperationalError)):
        return StoreUnreachable(f"postgres unreachable: {where}: {said}", hint=_way_in(said))
    if code in _MEANING:
        kind, what, hint = _MEANING[code]
        return kind(f"{where} {what}: {said}", hint=hint)
    if isinstance(error, psycopg.DataError):
        return BadRequest(f"{where} cannot store this: {said}", hint="use text without NUL characters")
    return StoreError(f"{where} failed: {said}")


def _way_in(said: str) -> str:
    if "password" in said:
        return "check PGPASSWORD in the environment or in ~/.gieok/.env, and the user in database.url"
    if "database" in said and "exist" in said:
        return "create it on the server: `createdb NAME`"
    return "check that the server runs, and database.url (`gieok config show`)"


def _close(connections: dict[threading.Thread, psycopg.Connection]) -> None:
    for connection in connections.values():
        connection.close()
    connections.clear()
