"""A server that speaks MongoDB's protocol, for all tests. Imported by the fixture that needs it.

With `GIEOK_TEST_MONGO=mongodb://127.0.0.1:27017`, without a database's name, the tests use that
server, such as MongoDB's own, with a database of their own that is dropped in the end.
"""

import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pymongo import MongoClient

#: It has to start within so many milliseconds.
_START_MS = 20_000


@contextmanager
def running_mongo() -> Iterator[str]:
    """Start nx-27017 in memory, and yield its URL; or yield that of a server that is named."""
    if named := os.environ.get("GIEOK_TEST_MONGO", "").rstrip("/"):
        database = f"gieok_test_{secrets.token_hex(4)}"
        yield f"{named}/{database}"
        with MongoClient(named, serverSelectionTimeoutMS=_START_MS) as client:
            client.drop_database(database)
        return
    with (
        TemporaryDirectory(prefix="gieok-nx-") as folder,
        socket.create_server(("127.0.0.1", 0)) as probe,
    ):
        port = probe.getsockname()[1]
        probe.close()
        place = Path(folder)
        program = Path(sys.executable).with_name("nx-27017")
        said = (place / "said").open("wb")
        files = ["--pid-file", place / "pid", "--log-file", place / "log"]
        with (
            said,
            subprocess.Popen(
                [program, "--db", "memory", "-p", str(port), *files],
                stdout=said,
                stderr=subprocess.STDOUT,
                cwd=folder,
            ) as server,
        ):
            url = f"mongodb://127.0.0.1:{port}/gieok_test"
            with MongoClient(url, serverSelectionTimeoutMS=_START_MS) as client:
                client.admin.command("ping")
            yield url
            server.kill()
