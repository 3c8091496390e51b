"""The journal on SQLite and on PostgreSQL as users grow: what a turn waits for.

    python benchmarks/journals.py [--messages 10000 100000 1000000] [--only sqlite postgres]
    [--turns 300]

Messages of some twenty words, 33 a scope, loaded in bulk (COPY); then turns in scopes drawn at
random, measured one by one: `append` adds one message and moves the cursor of its conversation,
durable when it returns; `window` reads a scope's messages, as a prompt needs them; `turns` reads a
conversation. Milliseconds that a caller waits, all on one machine; CPU is that of client and server
for the three of them, which compares where the machine is shared.
"""

import argparse
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg

from gieok.model.conversation import Cursor, Message, Role
from gieok.model.memory import Scope
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.journal.sql.messages import text_hash
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.storage.postgres.numbers import scope_number
from stores import open_postgres

_PER_SCOPE = 33
_WINDOW_TOKENS = 2_000
_WARM = 20
_AT = datetime(2026, 1, 1, tzinfo=UTC)
_COLUMNS = "scope_id, seq, id, text_hash, role, text, at, tokens, source_id, line"
_WORDS = "오늘 결제 저녁 고양이 산책 coffee deploy again 어제 friend 면접 약속 음악 rain 생일 회의".split()


def scope(number: int) -> Scope:
    return Scope(f"user:u{number}/character:mina")


def text(chance: random.Random) -> str:
    return " ".join(chance.choices(_WORDS, k=20))


def rows(messages: int, scopes: int, number: Callable[[int], int]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of messages, scope by scope in turns, as users come and go."""
    chance = random.Random(1)
    start_ms = int(_AT.timestamp() * 1000)
    for seq in range(1, messages + 1):
        n = (seq - 1) % scopes
        said, role = text(chance), "user" if seq // scopes % 2 else "assistant"
        yield number(n), seq, f"m{seq}", text_hash(said), role, said, start_ms + seq, 40, n + 1, 1


def load_sqlite(file: Path, messages: int, scopes: int) -> None:
    SqliteJournal(file).close()
    with closing(sqlite3.connect(file)) as db, db:
        db.executemany(
            "INSERT INTO scopes (id, path) VALUES (?, ?)",
            [(n + 1, scope(n).path) for n in range(scopes)],
        )
        db.executemany(
            "INSERT INTO sources (id, agent, session, path) VALUES (?, 'api', ?, '')",
            [(n + 1, f"s{n}") for n in range(scopes)],
        )
        insert = f"INSERT INTO messages ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        db.executemany(insert, rows(messages, scopes, lambda n: n + 1))


def load_postgres(url: str, messages: int, scopes: int) -> None:
    PostgresJournal(url).scopes()
    numbers = [scope_number(scope(n).path) for n in range(scopes)]
    tables: tuple[tuple[str, Iterator[tuple[Any, ...]]], ...] = (
        ("scopes (id, path)", ((numbers[n], scope(n).path) for n in range(scopes))),
        (
            "sources (scope_id, id, agent, session, path)",
            ((numbers[n], n + 1, "api", f"s{n}", "") for n in range(scopes)),
        ),
        (f"messages ({_COLUMNS})", rows(messages, scopes, numbers.__getitem__)),
    )
    with psycopg.connect(url, autocommit=True) as db:
        for table, values in tables:
            with db.cursor().copy(f"COPY gieok_journal.{table} FROM STDIN") as out:
                for row in values:
                    out.write_row(row)
        db.execute("SELECT setval('gieok_journal.numbers', %s)", (messages,))
        db.execute(
            "VACUUM (ANALYZE) gieok_journal.messages, gieok_journal.sources, gieok_journal.scopes"
        )


def measured(
    journal: SqliteJournal | PostgresJournal, turns: int, scopes: int
) -> dict[str, list[float]]:
    chance = random.Random(2)
    waited: dict[str, list[float]] = {"append": [], "window": [], "turns": []}
    for turn in range(turns + _WARM):
        n = chance.randrange(scopes)
        who, line = scope(n), turn + 1
        said = Message(
            f"new{turn}",
            Role.USER,
            text(chance),
            _AT + timedelta(days=60),
            f"s{n}",
            "api",
            40,
            "",
            1,
        )
        identity = f"conversation:{turn}"
        first = Cursor(identity, "", line)
        assert journal.append(who, [], first, None)
        for name, act in (
            ("append", lambda: journal.append(who, [said], first._replace(offset=line + 1), first)),  # noqa: B023
            ("window", lambda: journal.read(who, 0, budget_tokens=_WINDOW_TOKENS)),  # noqa: B023
            ("turns", lambda: journal.turns(who, "api", f"s{n}")),  # noqa: B023
        ):
            began = time.perf_counter()
            found = act()
            if turn >= _WARM:  # the first open connections and fill caches
                waited[name].append(1000 * (time.perf_counter() - began))
            assert found
    return waited


def report(
    name: str,
    messages: int,
    scopes: int,
    loaded_s: float,
    waited: dict[str, list[float]],
    used_ms: float,
    disk: int,
) -> None:
    times = " | ".join(
        f"{statistics.median(t):.2f} / {statistics.quantiles(t, n=20)[18]:.2f}"
        for t in waited.values()
    )
    held = f"{messages:,} in {scopes:,} | {messages / loaded_s:,.0f}"
    print(f"| {name} | {held} | {times} | {used_ms:.1f} | {disk / messages:,.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument(
        "--only", nargs="+", choices=("sqlite", "postgres"), default=["sqlite", "postgres"]
    )
    parser.add_argument("--turns", type=int, default=300)
    asked = parser.parse_args()
    print(
        "| journal | messages in scopes | loaded a second | append p50 / p95, ms | window | "
        "turns | CPU ms | bytes a message |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in asked.only:
        for messages in asked.messages:
            scopes = max(messages // _PER_SCOPE, 1)
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder)
                server = open_postgres(place) if name == "postgres" else None
                url = server.url if server else ""
                began = time.perf_counter()
                if server:
                    load_postgres(url, messages, scopes)
                else:
                    load_sqlite(place / "journal.sqlite", messages, scopes)
                loaded_s = time.perf_counter() - began
                journal = (
                    PostgresJournal(url) if server else SqliteJournal(place / "journal.sqlite")
                )
                cpu_s = server.server_cpu_s if server else (lambda: 0.0)
                began_cpu = time.process_time() + cpu_s()
                waited = measured(journal, asked.turns, scopes)
                used_ms = 1000 * (time.process_time() + cpu_s() - began_cpu) / (asked.turns + _WARM)
                report(
                    name, messages, scopes, loaded_s, waited, used_ms, journal.stats().disk_bytes
                )
                journal.close()
                if server:
                    server.close()


if __name__ == "__main__":
    main()
