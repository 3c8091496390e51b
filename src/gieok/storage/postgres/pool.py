"""Pool of a process's connections to one server, each handed out for a transaction.

The connections are few, and shared by all users of the address. Our own rather than psycopg_pool's:
no threads of its own, nothing is opened before it is needed, a connection that the server closed is
replaced while the caller waits, and a thread that holds a connection is given more instead of
waiting for itself.
"""

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import psycopg
from psycopg.pq import TransactionStatus

from gieok.errors import Phrase, StoreBusy

#: Default number of connections of a process to one address (setting `database.connections`).
MOST = 10
#: After so many seconds without use, a connection is tried before anything depends on it.
MOST_IDLE_S = 3.0
#: SQLSTATEs of a server that ends connections.
_ENDED = ("57P01", "57P02", "57P03", "57P05")


class PoolKey(NamedTuple):
    """Properties that connections must have in common to be shared."""

    conninfo: str
    password: str
    timeout_s: float


class IdleConnection(NamedTuple):
    """Connection that waits for its next use, since a time of the monotonic clock."""

    db: psycopg.Connection
    since: float


class TakenConnection:
    """Connection of a pool in use: `is_known` one of earlier, unused for `idle_s`, or a new one."""

    def __init__(
        self, connect: Callable[[], psycopg.Connection], known: IdleConnection | None
    ) -> None:
        self._connect = connect
        self.is_known = known is not None
        self.idle_s = time.monotonic() - known.since if known else 0.0
        self.db = known.db if known else connect()

    def renew(self) -> None:
        """Replace the connection by a new one."""
        self.db.close()
        self.is_known, self.idle_s = False, 0.0
        self.db = self._connect()


class Pool:
    """Hands out up to `most` connections, the last one given back first.

    Waiting callers are served in turn. A thread that holds a connection gets further ones beyond
    `most`, so there are at most twice as many while transactions are nested once; so does a thread
    that is `exceeding`.
    """

    def __init__(self, connect: Callable[[], psycopg.Connection], most: int, location: str) -> None:
        self._connect = connect
        self._most = most
        self._location = location
        self._guard = threading.Lock()
        self._free = most
        self._waiting: deque[threading.Event] = deque()
        self._idle: list[IdleConnection] = []
        self._nested = threading.local()
        #: Users of the pool; when the last has left, the connections are closed.
        self.users: weakref.WeakSet[object] = weakref.WeakSet()
        weakref.finalize(self, _close_pool_connections, self._idle)

    @contextmanager
    def taken(
        self, wait_s: float, begin: Callable[[psycopg.Connection], None]
    ) -> Iterator[TakenConnection]:
        """Give a connection on which `begin` has run.

        Raises StoreBusy where no connection gets free within `wait_s`, psycopg.Error.
        """
        if self._depth:
            with self.exceeding(), self._lent(begin) as taken:
                yield taken
            return
        self._take_turn(wait_s)
        try:
            with self.exceeding(), self._lent(begin) as taken:
                yield taken
        finally:
            self._end_turn()

    @contextmanager
    def exceeding(self) -> Iterator[None]:
        """Give this thread connections beyond `most` inside.

        For a thread that has what the threads with the connections may be waiting for.
        """
        depth = self._depth
        self._nested.depth = depth + 1
        try:
            yield
        finally:
            self._nested.depth = depth

    @property
    def _depth(self) -> int:
        """Return how many blocks this thread is in that give it connections beyond `most`."""
        return getattr(self._nested, "depth", 0)

    @contextmanager
    def _lent(self, begin: Callable[[psycopg.Connection], None]) -> Iterator[TakenConnection]:
        taken = self._begun(begin)
        try:
            yield taken
        finally:
            self._give_back(taken.db)

    def leave(self, user: object) -> None:
        """Stop using the pool; the last user's leave closes the idle connections."""
        self.users.discard(user)
        if not self.users:
            with self._guard:
                _close_pool_connections(self._idle)

    def _take_turn(self, wait_s: float) -> None:
        with self._guard:
            if self._free:
                self._free -= 1
                return
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(wait_s):
            return
        with self._guard:
            if turn.is_set():  # at the last moment
                return
            self._waiting.remove(turn)
        message = Phrase(
            "{location}: all {most} connections of this process are in use",
            location=self._location,
            most=self._most,
        )
        raise StoreBusy(
            message, hint="raise database.connections, and the server's max_connections with it"
        )

    def _end_turn(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()  # handed over, so that nobody overtakes
            else:
                self._free += 1

    def _begun(self, begin: Callable[[psycopg.Connection], None]) -> TakenConnection:
        def connect() -> psycopg.Connection:
            db = self._connect()
            try:
                begin(db)
            except BaseException:
                db.close()
                raise
            return db

        while True:
            with self._guard:
                known = self._idle.pop() if self._idle else None
            if known is None:
                return TakenConnection(connect, None)
            if _is_hung_up(known.db):
                known.db.close()
                continue
            try:
                begin(known.db)
            except psycopg.OperationalError:
                is_gone = known.db.closed
                known.db.close()
                if not is_gone:
                    raise
                continue  # it was idle, and the server or a pooler hung up
            except BaseException:
                known.db.close()
                raise
            return TakenConnection(connect, known)

    def _give_back(self, db: psycopg.Connection) -> None:
        if not db.closed and db.info.transaction_status == TransactionStatus.IDLE:
            with self._guard:
                if self.users and len(self._idle) < 2 * self._most:
                    self._idle.append(IdleConnection(db, time.monotonic()))
                    return
        with suppress(psycopg.Error):
            db.close()


_POOLS: weakref.WeakValueDictionary[PoolKey, Pool] = weakref.WeakValueDictionary()
_BOUNDS: dict[str, int] = {}
_GUARD = threading.Lock()


def bound_pool_size(conninfo: str, most: int) -> None:
    """Limit this process's connections to an address, from its next pool on."""
    _BOUNDS[conninfo] = most


def share_pool(key: PoolKey, connect: Callable[[], psycopg.Connection], location: str) -> Pool:
    """Return the pool of an address; a missing pool is made."""
    with _GUARD:
        pool = _POOLS.get(key)
        if pool is None:
            pool = _POOLS[key] = Pool(connect, _BOUNDS.get(key.conninfo, MOST), location)
        return pool


def _is_hung_up(db: psycopg.Connection) -> bool:
    """Return whether the other side closed an idle connection, without asking it."""
    try:
        # Twice: the first may read the reason, which comes before the end.
        db.pgconn.consume_input()
        db.pgconn.consume_input()
    except psycopg.OperationalError:
        return True
    return db.closed


def is_lost(db: psycopg.Connection, error: Exception) -> bool:
    """Return whether an error says that the connection was lost.

    A server that refuses a statement gives another SQLSTATE, even where the connection was closed
    after it.
    """
    state = error.sqlstate or "" if isinstance(error, psycopg.Error) else ""
    return ends_connection(state) or (not state and db.closed)


def ends_connection(state: str) -> bool:
    """Return whether an SQLSTATE says that the connection is at its end."""
    return state in _ENDED or state.startswith("08")


def _close_pool_connections(connections: list[IdleConnection]) -> None:
    while connections:
        with suppress(psycopg.Error):
            connections.pop().db.close()
