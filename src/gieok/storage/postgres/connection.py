"""Transactions on a PostgreSQL server, by shared connections, with errors translated."""

import math
import weakref
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict

from gieok.errors import (
    BadConfig,
    BadRequest,
    GieokError,
    Phrase,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreUnreachable,
)
from gieok.opening import Opening
from gieok.storage.postgres.deadline import enforce_deadline, name_way_in
from gieok.storage.postgres.locks import Locks
from gieok.storage.postgres.pool import MOST, PoolKey, bound_pool_size, ends_connection, share_pool
from gieok.storage.postgres.tables import Tables
from gieok.storage.postgres.transaction import Transaction, list_beginning

#: Seconds that an answer may take (setting `store.timeout_s`), and the time that a writer waits for
#: locks of other writers.
TIMEOUT_S = 5.0
LOCK_TIMEOUT_MS = 30_000
#: Time after which the server ends the transaction of a prompt writer from whom nothing more comes,
#: and with it the writer's locks.
_MOST_IDLE_MS = 60_000
#: Options that notice a peer that vanished (a cable, a suspended machine), during a long write too.
_KEEPALIVE = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}

#: SQLSTATE → error, message and next step.
_MEANING: dict[str, tuple[type[StoreError], str, str | None]] = {
    "55P03": (StoreBusy, "is locked by another process", None),
    "40P01": (StoreBusy, "is busy", None),
    "40001": (StoreBusy, "is busy", None),
    "53300": (
        StoreBusy,
        "takes no more connections",
        "raise max_connections, or put a pooler in front",
    ),
    "53100": (StoreFull, "has a full disk", None),
    "XX001": (StoreCorrupt, "is damaged", "restore it from a backup; the server's log says more"),
    "XX002": (
        StoreCorrupt,
        "has a damaged index",
        "run `reindexdb` on it; the server's log says more",
    ),
    "57014": (
        StoreBusy,
        "stopped a statement",
        "raise store.timeout_s, or the server's own statement_timeout",
    ),
    "25P03": (StoreBusy, "ended a transaction in which nothing came for too long", None),
    "54000": (StoreError, "has no room for a name in an index", "use one of less than 2,600 bytes"),
    "25006": (StoreError, "is read-only", "point database.url to the primary, not to a replica"),
    "42501": (StoreError, "refused", "GRANT the user CREATE on the database, or make it the owner"),
}


#: Environment variables from which libpq itself takes an address.
_LIBPQ = ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE")


class ServerAddress(NamedTuple):
    """Address of the database.

    `conninfo` for libpq, a `password` outside of it, and a `location` without secrets.
    """

    conninfo: str
    password: str
    location: str
    secrets: tuple[str, ...]


def read_address(url: str, password: str) -> ServerAddress:
    """Return the address in a URL or connection string.

    Raises BadConfig, whose message holds no secret.
    """
    if url.partition("?")[0].count("@") > 1:
        raise BadConfig(
            "database.url has more than one `@`", hint="write the `@` of a password as `%40`"
        )
    try:
        parts = conninfo_to_dict(url)
    # The error's message quotes the part that it does not understand, which may be the password.
    except psycopg.Error:
        hint = "write postgresql://user@host:5432/database; special characters of a password as %XX"
        raise BadConfig("database.url is no PostgreSQL address", hint=hint) from None
    host, port = parts.get("host") or parts.get("hostaddr") or "local", parts.get("port")
    where = f"{host}:{port}" if port else str(host)
    user = f"{parts['user']}@" if parts.get("user") else ""
    location = f"postgresql://{user}{where}/{parts.get('dbname') or ''}"
    secrets = tuple(str(secret) for secret in (parts.get("password"), password) if secret)
    return ServerAddress(url, "" if parts.get("password") else password, location, secrets)


def configured(opening: Opening, setting: str) -> tuple[str, str, float]:
    """Return URL, password and time-out of the configured server.

    `setting` is the setting that needs a server, for the error. Raises BadConfig.
    """
    url = opening.setting("database.url")
    if not url and not any(map(opening.secret, _LIBPQ)):
        raise BadConfig(
            "`{name}` needs `database.url`",
            name=setting,
            hint="such as postgresql://me@localhost/memory",
        )
    bound_pool_size(url, int(opening.setting("database.connections") or MOST))
    return url, opening.secret("PGPASSWORD"), float(opening.setting("store.timeout_s"))


#: No jit: compiling a query takes longer than any of our queries runs.
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_NO_JIT = {"jit": "off"}


class Connections:
    """Transactions on tables, by connections of the address's pool.

    Others use the pool too; a broken connection is replaced. `path` is the schema in which
    statements find their tables; '': names are qualified. The path is set for each transaction,
    because a pooler may hand the next transaction another connection.
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
        self._in_path = {"search_path": path} if path else {}
        self._lock_timeout_ms = lock_timeout_ms
        self._timeout_s = timeout_s
        key = PoolKey(address.conninfo, address.password, timeout_s)
        self._pool = share_pool(
            key, partial(_connect_postgres, address, timeout_s), address.location
        )
        #: Connections whose tables were checked to be of this release.
        self._ready: weakref.WeakSet[psycopg.Connection] = weakref.WeakSet()
        self._locks = Locks(self._connected)

    @contextmanager
    def answering(self) -> Iterator[psycopg.Connection]:
        """Give one read-only snapshot with a deadline, for a question that a person waits for.

        Raises StoreBusy where a lock or a statement takes too long, StoreUnreachable where the
        server is silent.
        """
        with self.begin_answering() as transaction:
            db = transaction.db
            with self._deadline(db):
                yield db

    @contextmanager
    def reading(self) -> Iterator[psycopg.Connection]:
        """Give one snapshot for all statements inside, so that an answer never mixes two states.

        Waits for no lock for long.
        """
        with self.begin_reading() as transaction:
            yield transaction.db

    @contextmanager
    def writing(self) -> Iterator[psycopg.Connection]:
        """Give one transaction, durable when the block ends."""
        with self.begin_writing() as transaction:
            yield transaction.db

    def begin_answering(self) -> AbstractContextManager[Transaction]:
        """Give the transaction of `answering`, whose beginning waits for its first statement."""
        return self._transaction(
            _READ, _NO_JIT | self._bounds(), 0.0, self._timeout_s, is_prompt=True
        )

    def begin_reading(self) -> AbstractContextManager[Transaction]:
        """Give the transaction of `reading`, whose beginning waits for its first statement."""
        return self._transaction(_READ, _NO_JIT, self._timeout_s)

    def begin_writing(
        self, *, is_prompt: bool = False, is_durable: bool = True
    ) -> AbstractContextManager[Transaction]:
        """Give the transaction of `writing`, whose beginning waits for its first statement.

        Each statement of an `is_prompt` one is short: a server that is silent is given up early,
        and ends it where nothing comes for a minute. Unless `is_durable`, a server whose power is
        cut within a second may lose it.
        """
        settings = {}
        if is_prompt:
            settings["idle_in_transaction_session_timeout"] = f"{_MOST_IDLE_MS}"
        if not is_durable:
            settings["synchronous_commit"] = "off"
        return self._transaction(
            "BEGIN", settings, self._lock_timeout_ms / 1000, is_prompt=is_prompt
        )

    @contextmanager
    def autocommit(self) -> Iterator[psycopg.Connection]:
        """Give a connection on which each statement commits by itself, as VACUUM needs."""
        self._pool.users.add(self)
        with self._translated(), self._pool.taken(self._writers_wait_s, self._make_ready) as taken:
            yield taken.db

    def close(self) -> None:
        """Close the connections, unless others of this process use the address."""
        self._pool.leave(self)
        self._locks.close()

    @contextmanager
    def holding(self, key: int, *, wait: bool) -> Iterator[bool]:
        """Hold an advisory lock by a connection of its own.

        Gives False where another process holds the lock and `wait` is off.
        """
        with self._translated():
            lock = self._locks.take(key, wait=wait)
        try:
            yield lock is not None
        finally:
            if lock is not None:
                self._locks.release(lock)

    def exceeding(self) -> AbstractContextManager[None]:
        """Give this thread connections beyond the pool's size inside, so that it waits for none.

        For a thread that holds a lock for which others wait by connections of the pool.
        """
        return self._pool.exceeding()

    @property
    def _writers_wait_s(self) -> float:
        return max(self._lock_timeout_ms / 1000, self._timeout_s)

    @contextmanager
    def _transaction(
        self,
        begin: str,
        settings: Mapping[str, str],
        lock_timeout_s: float,
        wait_s: float | None = None,
        *,
        is_prompt: bool = False,
    ) -> Iterator[Transaction]:
        """Give a transaction; a `lock_timeout_s` of 0 is among the `settings` already."""
        if lock_timeout_s:
            settings = {**settings, "lock_timeout": f"{1000 * lock_timeout_s:.0f}"}
        self._pool.users.add(self)
        with (
            self._translated(),
            self._pool.taken(wait_s or self._writers_wait_s, self._make_ready) as taken,
        ):
            transaction = Transaction(
                taken,
                begin,
                {**settings, **self._in_path},
                timeout_s=self._timeout_s,
                lock_timeout_s=lock_timeout_s,
                location=self._address.location,
                is_prompt=is_prompt,
            )
            try:
                yield transaction
                transaction.commit()
            except BaseException:
                transaction.roll_back()
                raise

    def _bounds(self) -> dict[str, str]:
        """Return the settings that limit the time of the other statements of a transaction."""
        most_ms = self._timeout_s * 1000
        # A little less for waiting on a lock, so that the error names the lock.
        return {"statement_timeout": f"{most_ms:.0f}", "lock_timeout": f"{0.9 * most_ms:.0f}"}

    def _deadline(self, db: psycopg.Connection) -> AbstractContextManager[None]:
        """Close the connection where the server is silent for too long.

        Raises StoreUnreachable.
        """
        return enforce_deadline(db, self._timeout_s, self._address.location)

    def _connected(self) -> psycopg.Connection:
        """Return a new connection for the caller alone."""
        db = _connect_postgres(self._address, self._timeout_s)
        try:
            self._make_ready(db)
        except BaseException:
            db.close()
            raise
        return db

    def _make_ready(self, db: psycopg.Connection) -> None:
        """Bring the tables to this release, once for a connection.

        Raises ShapeMismatch for tables of a newer release.
        """
        if db in self._ready:
            return
        begin = "; ".join(list_beginning("BEGIN", self._bounds()))
        with self._deadline(db):
            db.execute(begin)
            is_ready = self._tables.are_ready(db)
            db.execute("COMMIT")
        if not is_ready:
            self._tables.migrate(db, self._address.location, self._lock_timeout_ms)
        with self._deadline(db):
            db.execute(begin)
            is_stale = self._tables.verify(db, self._address.location)
            db.execute("COMMIT")
        if is_stale:
            self._tables.renew(db)
        self._ready.add(db)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            # `from None`, as the original error's text may hold the secrets that are cut out here.
            raise _translate_postgres_error(error, self._address) from None
        except UnicodeEncodeError as error:
            hint = "use a name without lone surrogates"
            raise BadRequest(
                "{value!r} cannot be stored: it is not valid Unicode", value=error.object, hint=hint
            ) from error


def _connect_postgres(address: ServerAddress, timeout_s: float) -> psycopg.Connection:
    own_options = conninfo_to_dict(address.conninfo)
    options = {
        "application_name": "gieok",
        "connect_timeout": math.ceil(timeout_s),
        "password": address.password,
    } | _KEEPALIVE
    extra = {name: value for name, value in options.items() if value and name not in own_options}
    # No statement is prepared on the server: behind a pooler the next transaction may meet another
    # connection.
    return psycopg.connect(address.conninfo, autocommit=True, prepare_threshold=None, **extra)  # type: ignore[arg-type]


def _translate_postgres_error(error: psycopg.Error, address: ServerAddress) -> GieokError:
    message = str(error).strip().split("\n")[0] or type(error).__name__
    for secret in address.secrets:
        message = message.replace(secret, "***")
    where, code = address.location, error.sqlstate or ""
    if ends_connection(code) or (not code and isinstance(error, psycopg.OperationalError)):
        return StoreUnreachable(
            "postgres unreachable: {where}: {message}",
            where=where,
            message=Phrase(message),
            hint=name_way_in(message),
        )
    if code in _MEANING:
        kind, what, hint = _MEANING[code]
        return kind(f"{where} {what}: {message}", hint=hint)
    if isinstance(error, psycopg.DataError):
        return BadRequest(
            "{where} cannot store this: {message}",
            where=where,
            message=Phrase(message),
            hint="use text without NUL characters",
        )
    return StoreError("{where} failed: {message}", where=where, message=Phrase(message))
