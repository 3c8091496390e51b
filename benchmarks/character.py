"""What a turn with a character costs on one PostgreSQL as users grow, and on SQLite beside it.

    python benchmarks/character.py [--memories 10000 100000 1000000] [--clients 50 200] [--seconds
    15] [--pause 10] [--json]

Forty people's memories (33 each: facts, moments, episodes; 60 messages) are written by the code
that serves, vectors of the bundled dimension too, and then copied to as many users as are wanted
inside the server: 1,000,000 memories are 30,303 users.
At each size: retrieval inside a scope by words and vectors (`retrieval`, the embedding of the
question left out), whole turns by `Turns` with a model that answers at once (`turn`: what the
service costs beside a model; what is learned in the background goes on meanwhile) with what they
send to the server (`turn_sends`: statements, transactions, round trips), by one client,
and by many of which each says something about every `--pause` seconds (what a model and a person
take), and without a pause, which is the most that the machine does. SQLite has the first size.
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import gieok.machine  # noqa: F401 - decides the number of threads before numpy is loaded

# isort: split
import numpy as np
import psycopg

sys.path.insert(0, str(Path(__file__).parent.parent / "tests/support"))
from character_talk import SilentNotifier
from postgres_server import running_server
from postgres_wire import Wire, note_traffic

from gieok.character.accounts.points import PointsDesk
from gieok.character.cards.canon import Canon
from gieok.character.cards.roster import Roster
from gieok.character.facts import (
    Episode,
    Fact,
    FactType,
    Moment,
    episode_entry,
    fact_entry,
    moment_entry,
)
from gieok.character.memory.recollection import RecallWeights, recalled
from gieok.character.memory.service import DETECTION, SUMMARY, Bond, CharacterService
from gieok.character.turn.model_reader import Reading
from gieok.character.turn.turn import Turns, Turnstile, UserTurn
from gieok.character.turn.upkeep import Tending
from gieok.flow.distil import deliver_scope
from gieok.flow.incidents import Incidents
from gieok.model.accounts import StoredCharacter
from gieok.model.conversation import Message, Role, Run
from gieok.model.memory import Entry, Scope
from gieok.ports.models import Sampling
from gieok.storage.accounts.postgres import PostgresAccounts
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.index.postgres.schema import OF_SCOPES
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.storage.postgres.numbers import scope_number
from gieok.testing.scripted_chat import ScriptedReplies

_MINA, _MODEL, _DIMENSION = "mina", "bench:384", 384
_LIVES, _PER_LIFE, _MESSAGES, _SUMMARISED = 40, 33, 60, 40
_NOW = datetime.now(UTC)
#: More ids than forty people's rows take; the copy of a row is so much higher for each user.
_SPAN = 1_000_000
_SETTINGS = "shared_buffers = '1GB'\nmax_connections = 100\nmax_wal_size = '8GB'\nautovacuum = on\n"
_LOADING, _SERVING = ("off", "off"), ("on", "on")  # fsync, full_page_writes
_THINGS = (
    "떡볶이 등산 고양이 필라테스 커피 바다 기타 드라마 빵 자전거 수영 사진 캠핑 뜨개질 영화 면접 이사 시험 부산 제주 "
    "hiking pottery sushi guitar piano cats dogs tea jazz running chess baking travel work "
    "exam garden novels coding tennis sea"
).split()
_CARD = json.dumps(
    {
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": {
            "name": "Mina",
            "description": "Mina runs a book shop by the sea. " * 20,
            "first_mes": "어서 와.",
        },
    }
)


class SystemClock:
    """`Clock` of this machine."""

    def now(self) -> datetime:
        """Return the time."""
        return datetime.now(UTC)


class Vectors:
    """`Embedder` that has vectors at hand: a text's is the mean of directions that its words
    have.
    """

    model, dimension = _MODEL, _DIMENSION

    def embed_query(self, text: str) -> bytes:
        """Return a unit vector."""
        rows = [
            np.random.default_rng(abs(hash(word)) % 2**32).standard_normal(_DIMENSION)
            for word in text.split()[:8]
        ]
        total = np.sum(rows or [np.ones(_DIMENSION)], axis=0)
        return bytes((total / np.linalg.norm(total)).astype("<f4").tobytes())

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return a vector for each."""
        return [self.embed_query(text) for text in texts]


class Question:
    """`Embedder` whose vector was made beforehand: retrieval is measured without embedding."""

    model, dimension = _MODEL, _DIMENSION

    def __init__(self, vector: bytes) -> None:
        self._vector = vector

    def embed_query(self, text: str) -> bytes:  # noqa: ARG002
        """Return the vector."""
        return self._vector

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return it for each."""
        return [self._vector for _ in texts]


class Service(NamedTuple):
    """Stores, and turns on them."""

    store: Any
    journal: Any
    accounts: Any
    memory: CharacterService
    turns: Turns

    def close(self) -> None:
        self.turns.close()
        for one in (self.store, self.journal, self.accounts):
            one.close()


def _desk(accounts: Any, journal: Any) -> PointsDesk:
    return PointsDesk(accounts=accounts, journal=journal, clock=SystemClock())


def service(store: Any, journal: Any, accounts: Any) -> Service:
    """Put a service together, with a model that answers at once."""
    clock, questions = SystemClock(), Vectors()
    memory = CharacterService(journal=journal, store=store, clock=clock, embedder=questions)
    canon = Canon(journal=journal, store=store, clock=clock)
    stored = StoredCharacter("", _MINA, "Mina", _CARD, _NOW, _NOW)
    accounts.keep_character(stored, is_new=True)
    roster = Roster(accounts=accounts, canon=canon, journal=journal, clock=clock)
    incidents = Incidents(journal, clock, SilentNotifier())
    tending = Tending(Reading(memory=memory, asker=None, incidents=incidents))
    turns = Turns(
        memory=memory,
        accounts=accounts,
        roster=roster,
        points=_desk(accounts, journal),
        models=ScriptedReplies(("그래, ", "들었어.")),
        tending=tending,
        order=Turnstile(journal),
        sampling=Sampling(0.8, 400),
    )
    return Service(store, journal, accounts, memory, turns)


def life(scope: Scope, number: int) -> tuple[list[Entry], list[Message]]:
    """Return what is remembered of somebody, and what was said last."""
    rng = random.Random(number)
    start = _NOW - timedelta(days=90)
    ids = [f"m{n}" for n in range(_MESSAGES)]
    facts = [
        Fact(
            subject="user",
            predicate=rng.choice(("likes", "job", "pet", "home")),
            object=f"{rng.choice(_THINGS)} {n}",
            type=rng.choice(list(FactType)),
            at=start + timedelta(hours=7 * n),
            confidence=0.9,
            source=f"나 요즘 {' '.join(rng.sample(_THINGS, 4))} 얘기만 해",
            message_ids=(ids[n],),
            importance=rng.random(),
        )
        for n in range(22)
    ]
    happened = [
        Moment(
            "fight",
            f"왜 {rng.sample(_THINGS, 5)} 안 왔어",
            start + timedelta(days=3 * n),
            ("서운함",),
            0.7,
            (ids[n],),
        )
        for n in range(6)
    ]
    told = [
        Episode(
            "민지가 한 말: " + " / ".join(" ".join(rng.sample(_THINGS, 6)) for _ in range(4)),
            start + timedelta(days=9 * n),
            start + timedelta(days=9 * n + 8),
            40,
            tuple(rng.sample(_THINGS, 5)),
            "기쁨",
            tuple(f"e{n}-{m}" for m in range(40)),
        )
        for n in range(5)
    ]
    entries = [fact_entry(scope, one) for one in facts]
    entries += [moment_entry(scope, one) for one in happened] + [
        episode_entry(scope, one) for one in told
    ]
    said = [
        Message(
            one,
            (Role.USER, Role.ASSISTANT)[n % 2],
            said_text(rng),
            start + timedelta(hours=n),
            "talk",
            "character",
            24,
        )
        for n, one in enumerate(ids)
    ]
    return entries, said


def said_text(rng: random.Random) -> str:
    """Return a message."""
    return (
        f"오늘은 {' '.join(rng.sample(_THINGS, 4))} 때문에 바빴어. 너는 {rng.choice(_THINGS)} 어때?"
    )


def write_lives(opened: Service, names: Sequence[str]) -> None:
    """Write people's memories by the code that serves; vectors too."""
    opened.store.use_model(_MODEL, _DIMENSION)
    for number, name in enumerate(names):
        scope = Bond(name, _MINA).scope
        entries, said = life(scope, number)
        opened.journal.say(scope, said)
        seqs = [one.seq for one in opened.journal.read(scope, 0, budget_tokens=1 << 40)]
        for reader, end in ((DETECTION, seqs[-1]), (SUMMARY, seqs[_SUMMARISED])):
            run = Run(scope, reader, "made", _NOW, 0, end, _MESSAGES, 1_400, len(entries), 900)
            assert opened.journal.commit(0, run, put=entries if reader == DETECTION else ())
        deliver_scope(opened.journal, opened.store, scope)
    vectors = Vectors()
    while waiting := opened.store.missing(500):
        opened.store.put_vectors(
            _MODEL, {passage: vectors.embed_query(text) for passage, text in waiting}
        )


_SHIFTED = {
    "id",
    "document_id",
    "passage_id",
    "seq",
    "source_id",
    "run_id",
    "place",
    "start",
    "end",
}
#: Columns of these names that are no number: places in a text, and the id of a message.
_NO_NUMBERS = {"passages": {"start", "end"}, "messages": {"id"}}
_COLUMNS = (
    "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT "
    "attisdropped ORDER BY attnum"
)
_JOURNAL = ("sources", "messages", "positions", "runs", "made")


def copy_users(db: psycopg.Connection, first: int, last: int) -> None:
    """Give users copies of the forty people's rows, inside the server; ids are shifted by the
    number of the user.
    """
    db.execute(
        "CREATE TEMP TABLE IF NOT EXISTS copied (n int, path text, scope_id bigint, like_id "
        "bigint, shift bigint)"
    )
    db.execute("TRUNCATE copied")
    with db.cursor().copy("COPY copied FROM STDIN") as out:
        for n in range(first, last):
            path, alike = (
                Bond(f"u{n}", _MINA).scope.path,
                Bond(f"life{n % _LIVES}", _MINA).scope.path,
            )
            out.write_row((n, path, scope_number(path), scope_number(alike), (n + 1) * _SPAN))
    db.execute("ANALYZE copied")
    db.execute("INSERT INTO gieok_journal.scopes SELECT scope_id, path FROM copied")
    db.execute(
        "INSERT INTO gieok.scopes SELECT c.scope_id, c.path, s.documents, s.passages, s.tokens, 0 "
        "FROM copied c JOIN gieok.scopes s ON s.id = c.like_id"
    )
    tables = [f"gieok.{name}" for name in OF_SCOPES if name not in ("scopes", "waiting", "notes")]
    for table in (*tables, *(f"gieok_journal.{name}" for name in _JOURNAL)):
        columns = [row[0] for row in db.execute(_COLUMNS, (table,))]
        kept = _NO_NUMBERS.get(table.partition(".")[2], set())

        def value(column: str, kept: set[str] = kept) -> str:
            if column == "scope_id":
                return "c.scope_id"
            return f't."{column}"' + (" + c.shift" if column in _SHIFTED - kept else "")

        names = ", ".join(f'"{column}"' for column in columns)
        db.execute(
            f"INSERT INTO {table} ({names}) SELECT {', '.join(map(value, columns))} FROM copied c "
            f"JOIN {table} t ON t.scope_id = c.like_id ORDER BY c.scope_id"
        )
    db.execute(
        "SELECT setval('gieok.ids', %s), setval('gieok_journal.numbers', %s)",
        ((last + 2) * _SPAN,) * 2,
    )


def grown(server: Any, first: int, last: int) -> float:
    """Copy users to the server without waiting for its disk; return the seconds."""
    begun = time.perf_counter()
    with psycopg.connect(server.url, autocommit=True) as db:
        _configure(db, _LOADING)
        for start in range(first, last, 5_000):
            copy_users(db, start, min(start + 5_000, last))
        _configure(db, _SERVING)
        db.execute("VACUUM (ANALYZE)")
        db.execute("CHECKPOINT")
    return time.perf_counter() - begun


def _configure(db: psycopg.Connection, durable: tuple[str, str]) -> None:
    for name, value in zip(("fsync", "full_page_writes"), durable, strict=True):
        db.execute(f"ALTER SYSTEM SET {name} = {value}")
    db.execute("ALTER SYSTEM SET synchronous_commit = on")
    db.execute("SELECT pg_reload_conf()")


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """Return p50 and p95 in milliseconds."""
    cut = statistics.quantiles(seconds, n=20) if len(seconds) > 1 else [*seconds] * 19
    return {
        "p50": round(1000 * statistics.median(seconds), 1),
        "p95": round(1000 * cut[18], 1),
        "n": len(seconds),
    }


def timed(work: Callable[[], object]) -> float:
    """Return how long something takes, in seconds."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def retrieval(opened: Service, users: int, count: int) -> dict[str, float]:
    """Search inside scopes, each of somebody else."""
    rng, vectors = random.Random(5), Vectors()
    found: list[float] = []
    for _ in range(count):
        scope = Bond(f"u{rng.randrange(users)}", _MINA).scope
        text = said_text(rng)
        question = Question(vectors.embed_query(text))

        def search(scope: Scope = scope, text: str = text, question: Question = question) -> None:
            assert recalled(opened.store, question, scope, text, _NOW, RecallWeights())

        found.append(timed(search))
    return percentiles(found[5:])


def turn(opened: Service, user: str, text: str) -> None:
    """Have a whole turn."""
    assert "".join(part.text for part in opened.turns.begin(UserTurn(user, _MINA, text)))


def server_cpu_s(server: Any) -> float:
    """Return the CPU of a server's processes, those that ended too; 0 for none."""
    if server is None:
        return 0.0
    postmaster = (server.folder / "postmaster.pid").read_text().split()[0]
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            row = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if row[1] == postmaster:
            ticks += int(row[11]) + int(row[12])
        elif file.parent.name == postmaster:
            ticks += sum(map(int, row[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def sent(server: Any, users: int, count: int) -> dict[str, float]:
    """Return what a turn sends to the server, on average, without what is learned beside it, and
    the CPU of its thread.
    """
    rng, wire = random.Random(8), Wire()
    with note_traffic(server.url, wire) as url:
        opened = service(PostgresStore(url), PostgresJournal(url), PostgresAccounts(url))
        opened.turns.close()
        names = [f"u{rng.randrange(users)}" for _ in range(count)]
        fund(opened, names)
        for name in set(names):  # the first message of a conversation costs more
            turn(opened, name, said_text(rng))
        wire.clear()
        begun = time.thread_time()
        for name in names:
            turn(opened, name, said_text(rng))
        cpu = time.thread_time() - begun
        opened.close()
    totals = {
        "statements": len(wire.statements),
        "transactions": wire.transactions,
        "round_trips": wire.round_trips,
        "thread_cpu_ms": 1000 * cpu,
    }
    return {name: round(total / count, 1) for name, total in totals.items()}


def alone(opened: Service, users: int, count: int, server: Any) -> dict[str, float]:
    """Have turns one after the other, each of somebody else; CPU is this process's, background work
    too, and the server's.
    """
    rng = random.Random(6)
    names = [f"u{rng.randrange(users)}" for _ in range(count)]
    fund(opened, names)
    here, there = time.process_time(), server_cpu_s(server)
    found = [timed(partial(turn, opened, name, said_text(rng))) for name in names]
    cpu = {"cpu": time.process_time() - here, "server_cpu": server_cpu_s(server) - there}
    return percentiles(found[5:]) | {
        name: round(1000 * seconds / count, 1) for name, seconds in cpu.items()
    }


def together(
    opened: Service, users: int, clients: int, seconds: float, pause_s: float
) -> dict[str, float]:
    """Let clients talk at once, each as somebody else, each resting about `pause_s` between two
    turns.
    """
    names = [f"u{n}" for n in random.Random(clients).sample(range(users), min(clients, users))]
    fund(opened, names)
    end = time.monotonic() + seconds
    found: list[float] = []
    failed: list[str] = []

    def talk(name: str) -> None:
        rng = random.Random(name)
        time.sleep(rng.random() * min(pause_s, seconds))
        while time.monotonic() < end:
            try:
                found.append(timed(lambda: turn(opened, name, said_text(rng))))
            except Exception as error:  # noqa: BLE001 - counted and told
                failed.append(f"{type(error).__name__}: {error}"[:120])
            time.sleep(pause_s * (0.5 + rng.random()))

    threads = [threading.Thread(target=talk, args=(name,)) for name in names]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - begun
    result: dict[str, Any] = percentiles(found) | {
        "turns_per_s": round(len(found) / took, 1),
        "failed": len(failed),
    }
    return result | {"first_failure": failed[0]} if failed else result


def fund(opened: Service, names: Sequence[str]) -> None:
    """Give users points."""
    desk = _desk(opened.accounts, opened.journal)
    for name in sorted(set(names)):
        desk.credit(name, 10_000, f"bench-{time.monotonic_ns()}")


def measured(
    opened: Service, users: int, asked: argparse.Namespace, server: Any = None
) -> dict[str, Any]:
    """Return the figures of one size."""
    row: dict[str, Any] = {
        "users": users,
        "memories": users * _PER_LIFE,
        "load": round(os.getloadavg()[0], 1),
    }
    row["retrieval_ms"] = retrieval(opened, users, 300)
    row["turn_ms"] = alone(opened, users, 150, server)
    if server is not None:
        row["turn_sends"] = sent(server, users, 50)
    for clients in asked.clients:
        if clients <= users:
            row[f"{clients}_clients_ms"] = together(
                opened, users, clients, asked.seconds, asked.pause
            )
    row[f"{asked.clients[0]}_clients_flat_out_ms"] = together(
        opened, users, asked.clients[0], asked.seconds / 2, 0
    )
    return row


_SIZES = """
SELECT n.nspname || '.' || regexp_replace(c.relname, '_[0-9]+$', ''), sum(pg_total_relation_size(c.oid))::bigint
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('gieok', 'gieok_journal', 'gieok_accounts') AND c.relkind = 'r' GROUP BY 1 ORDER BY 2 DESC
"""


def disk(url: str, users: int) -> dict[str, Any]:
    """Return bytes by table, and what a memory and a message take of them."""
    with psycopg.connect(url) as db:
        sizes: dict[str, int] = dict(db.execute(_SIZES).fetchall())
        (messages,) = db.execute("SELECT count(*) FROM gieok_journal.messages").fetchone() or (1,)
    of_memory = sum(
        size
        for name, size in sizes.items()
        if name.startswith("gieok.") or name == "gieok_journal.made"
    )
    return {
        "bytes_per_memory": round(of_memory / (users * _PER_LIFE)),
        "bytes_per_message": round(sizes["gieok_journal.messages"] / max(messages, 1)),
        "bytes_per_user": round(
            (sum(sizes.values()) - of_memory - sizes["gieok_journal.messages"]) / users
        ),
        "gib": round(sum(sizes.values()) / 2**30, 2),
        "tables_mib": {
            name: round(size / 2**20, 1) for name, size in sizes.items() if size > 2**20
        },
    }


def on_postgres(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure every size on one server."""
    rows: list[dict[str, Any]] = []
    with running_server(_SETTINGS) as server, ExitStack() as closing:
        opened = service(
            PostgresStore(server.url), PostgresJournal(server.url), PostgresAccounts(server.url)
        )
        closing.callback(opened.close)
        write_lives(opened, [f"life{n}" for n in range(_LIVES)])
        done = 0
        for memories in sorted(asked.memories):
            users = max(memories // _PER_LIFE, 1)
            loaded_s = grown(server, done, users)
            done = users
            space = disk(server.url, users)
            rows.append(
                {"store": "postgres", "loaded_s": round(loaded_s)}
                | measured(opened, users, asked, server)
                | {"disk": space}
            )
            show(rows[-1], asked)
    return rows


def on_sqlite(asked: argparse.Namespace) -> dict[str, Any]:
    """Measure the first size on SQLite."""
    users = min(asked.memories) // _PER_LIFE
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / f"{name}.sqlite" for name in ("memory", "journal", "accounts")]
        opened = service(SqliteStore(files[0]), SqliteJournal(files[1]), SqliteAccounts(files[2]))
        loaded_s = timed(lambda: write_lives(opened, [f"u{n}" for n in range(users)]))
        row = {"store": "sqlite", "loaded_s": round(loaded_s)} | measured(opened, users, asked)
        opened.close()
        row["disk"] = {"gib": round(sum(one.stat().st_size for one in folder.iterdir()) / 2**30, 2)}
    show(row, asked)
    return row


def show(row: dict[str, Any], asked: argparse.Namespace) -> None:
    """Print a row for a person."""
    if not asked.json:
        print(json.dumps(row, ensure_ascii=False), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--clients", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--pause", type=float, default=10.0)
    parser.add_argument("--no-sqlite", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = [] if asked.no_sqlite else [on_sqlite(asked)]
    rows += on_postgres(asked)
    if asked.json:
        print(json.dumps({"cpus": os.cpu_count(), "rows": rows}, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
