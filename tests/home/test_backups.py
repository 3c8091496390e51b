"""A backup is of one moment, whole or not there, and what is restored from it is equal."""

import os
import signal
import sqlite3
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok import fs
from gieok.commands import load_command
from gieok.errors import BadRequest, Damaged, StoreCorrupt, StoreFull
from gieok.flow import distil
from gieok.home.backups import HomeBackups
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory.talk import turns
from gieok.model.accounts import Posting
from gieok.model.conversation import Cursor
from gieok.model.memory import Scope
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.backups import partial_backups
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite import schema
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing import ManualClock
from gieok.testing.samples import HOME, OTHER, build_entry, build_message, corpus

_START = datetime(2026, 11, 23, 2, 15, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def backups(home: Path) -> Callable[..., HomeBackups]:
    clock = ManualClock(_START)

    def opened(**settings: str) -> HomeBackups:
        clock.advance(timedelta(seconds=1))
        found = open_call(
            {k.replace("__", "."): v for k, v in settings.items()}, clock=clock
        ).home.backups
        assert isinstance(found, HomeBackups)
        return found

    return opened


def _say(journal: SqliteJournal, scope: Scope, texts: list[str], file: str) -> None:
    """Journal messages as a process does: what was read, and up to where, in one step."""
    before = next((cursor for cursor in journal.cursors() if cursor.identity == file), None)
    after = Cursor(file, f"/t/{file}.jsonl", offset=(before.offset if before else 0) + len(texts))
    assert journal.append(scope, [build_message(text) for text in texts], after, before)


def _fill(home: Path) -> None:
    """Make a home with something of every kind."""
    journal, store = SqliteJournal(home / "journal.sqlite"), SqliteStore(home / "memory.sqlite")
    _say(journal, HOME, ["결제는 화요일에 정산한다.", "린터는 ruff"], "1:1")
    _say(journal, OTHER, ["another"], "1:2")
    journal.hand_over(
        [
            build_entry("observe:1", "결제는 화요일", kind="observation"),
            build_entry("observe:2", "ruff"),
        ]
    )
    journal.hand_over([], [(HOME, "observe:2")])
    journal.keep("corrections:agent:main", {"m1": "정산은 수요일"})
    store.put(corpus(3, 40))
    distil.deliver(journal, store)
    turns.update_all(journal, store)
    journal.hand_over([build_entry("observe:3", "not delivered yet")])
    with closing(SqliteAccounts(home / "accounts.sqlite")) as accounts:
        accounts.post("min", Posting("credit", 10, "pay"), _START)
        accounts.hold("min", 1, "reply", _START, "mina/1")
    files = {
        "config.yaml": "lang: ko\n",
        "memory/decision/린터.md": "ruff",
        "active_memory.md": "# now",
        "labels.jsonl": "{}",
    }
    files |= {
        "archive/agent-main/2026-01-01.md": "- 기억",
        ".env": "OPENAI_API_KEY=sk-1",
        "tools.json": "{}",
        "keys/age.txt": "KEY",
    }
    files |= {"models/e5/x.bin": "0", "daemon.log": "log", "lasting/a.json": "[]"}
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
        (home / name).chmod(0o600)
        os.utime(home / name, (1_700_000_000, 1_700_000_000))
    journal.close()
    store.close()


def _rows(file: Path, *but: str) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table of a database."""
    db = sqlite3.connect(file)
    names = [
        row[0]
        for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    ]
    found = {n: sorted(db.execute(f'SELECT * FROM "{n}"'), key=repr) for n in names if n not in but}
    db.close()
    return found


def _texts(home: Path) -> dict[str, tuple[bytes, float]]:
    ends = (".sqlite", "-wal", "-shm", ".lock")
    return {
        str(file.relative_to(home)): (file.read_bytes(), file.stat().st_mtime)
        for file in home.rglob("*")
        if file.is_file() and not file.name.endswith(ends)
    }


def _search(home: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float]]:
    monkeypatch.setenv("GIEOK_HOME", str(home))
    context: Call = open_call({})
    found = load_command("search")
    result = found(context, query=text)
    return [(one.path, one.score) for one in result.results]


def test_what_is_restored_is_equal(
    home: Path, backups: Callable[..., HomeBackups], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(home)
    report = backups().create()
    assert report.file.path == tmp_path / "home-backups" / "gieok-20261123T021501Z.tar.gz"
    assert report.file.path.stat().st_mode & 0o777 == 0o600
    assert backups().verify(report.file.path).members == report.members
    there = tmp_path / "elsewhere" / "home"
    done = backups().restore(report.file.path, there)
    assert (done.messages, done.memories, done.kept_aside) == (3, 2, "")
    # Only what waited for its delivery has arrived.
    journal, restored = (
        _rows(one / "journal.sqlite", "outbox", "sqlite_sequence") for one in (home, there)
    )
    assert journal == restored
    assert _rows(there / "accounts.sqlite") == _rows(home / "accounts.sqlite")
    assert {e.document.key for e in SqliteJournal(there / "journal.sqlite").made(HOME)} == {
        "observe:1",
        "observe:3",
    }
    old, new = (SqliteStore(one / "memory.sqlite") for one in (home, there))
    added = new.hashes(HOME).keys() - old.hashes(HOME).keys()
    assert {key for key in added if key.startswith("observe:")} == {"observe:3"}
    assert {key: new.hashes(HOME)[key] for key in old.hashes(HOME)} == old.hashes(HOME)
    left_out = (".env", "tools.json", "models/", "daemon.log", "keys/", "resolved/")
    assert _texts(there) == {
        name: text for name, text in _texts(home).items() if not name.startswith(left_out)
    }
    distil.deliver(SqliteJournal(home / "journal.sqlite"), old)
    assert _search(there, "정산", monkeypatch) == _search(home, "정산", monkeypatch)
    with tarfile.open(report.file.path) as tar:  # as anybody's `tar` does
        assert "home/journal.sqlite" in tar.getnames()


def test_damaged_accounts_are_no_backup(home: Path, backups: Callable[..., HomeBackups]) -> None:
    _fill(home)
    size = (home / "accounts.sqlite").stat().st_size
    with (home / "accounts.sqlite").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    with pytest.raises(StoreCorrupt, match="accounts"):
        backups().create()
    assert backups().listed() == []


def test_only_whole_backups_count_and_the_newest_are_kept(
    home: Path, backups: Callable[..., HomeBackups]
) -> None:
    _fill(home)
    made = [backups(backup__keep="2").create() for _ in range(3)]
    (home.parent / "home-backups" / "mine.txt").write_text("x")
    assert [one.path for one in backups().listed()] == [made[2].file.path, made[1].file.path]
    assert [one.path for one in made[2].pruned] == [made[0].file.path]
    elsewhere = (
        backups().create(home.parent / "usb").file.path
    )  # known, to forget too, but not counted by the rest
    assert [one.path for one in backups().listed()] == [
        elsewhere,
        made[2].file.path,
        made[1].file.path,
    ]
    assert [one.path for one in backups().prune(0)] == [
        elsewhere,
        made[2].file.path,
        made[1].file.path,
    ]
    assert [file.name for file in (home.parent / "home-backups").iterdir()] == ["mine.txt"]


def test_a_home_in_use_is_not_replaced_unless_it_is_wished_and_then_kept(
    home: Path, backups: Callable[..., HomeBackups]
) -> None:
    _fill(home)
    file = backups().create().file.path
    SqliteJournal(home / "journal.sqlite").keep("later", {"a": "b"})
    with pytest.raises(BadRequest, match="holds memories already"):
        backups().restore(file, home)
    assert SqliteJournal(home / "journal.sqlite").kept("later") == {"a": "b"}
    done = backups().restore(file, home, replace=True)
    assert SqliteJournal(home / "journal.sqlite").kept("later") == {}
    assert SqliteJournal(Path(done.kept_aside) / "journal.sqlite").kept("later") == {"a": "b"}
    # What no backup holds comes along.
    assert (home / ".env").read_text() == "OPENAI_API_KEY=sk-1"
    assert (home / "models/e5/x.bin").exists()
    assert sorted(one.name for one in home.parent.iterdir() if "restoring" in one.name) == []


def test_a_folder_of_somebody_is_a_home_in_use(
    home: Path, backups: Callable[..., HomeBackups], tmp_path: Path
) -> None:
    _fill(home)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(BadRequest, match="holds memories already"):
        backups().restore(backups().create().file.path, tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"


def test_nothing_is_touched_where_a_backup_is_damaged_or_a_daemon_runs(
    home: Path, backups: Callable[..., HomeBackups]
) -> None:
    _fill(home)
    file = backups().create().file.path
    before, data = _texts(home), file.read_bytes()
    with fs.exclusive(home / "daemon.lock"), pytest.raises(BadRequest, match="a daemon runs"):
        backups().restore(file, home, replace=True)
    for bad in (data[: len(data) // 2], data[:-5], data[:3000] + b"xx" + data[3002:]):
        file.write_bytes(bad)
        with pytest.raises(Damaged, match="is damaged"):
            backups().restore(file, home, replace=True)
        with pytest.raises(Damaged):
            backups().verify(file)
    assert _texts(home) == before
    assert {one.name for one in home.parent.iterdir()} <= {
        "home",
        "home-backups",
        ".home.restoring.lock",
    }


def test_a_damaged_journal_is_not_backed_up(
    home: Path, backups: Callable[..., HomeBackups]
) -> None:
    _fill(home)
    good = backups(backup__keep="1").create().file.path
    with sqlite3.connect(home / "journal.sqlite") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = (home / "journal.sqlite").read_bytes()
    (home / "journal.sqlite").write_bytes(data[:8192] + b"\xff" * 4096 + data[12288:])
    with pytest.raises(StoreCorrupt, match="journal"):
        backups(backup__keep="1").create()
    assert [one.path for one in backups().listed()] == [good]


def test_a_full_disk_leaves_nothing_but_what_was_there(
    home: Path, backups: Callable[..., HomeBackups], monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(home)
    good = backups().create().file.path

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(partial_backups.os, "fsync", full)
        with pytest.raises(StoreFull, match="no space left"):
            backups(backup__keep="1").create()
    assert [one.name for one in good.parent.iterdir()] == [good.name]
    assert not list(home.glob(".backup-*"))


def test_a_disk_that_fills_up_while_a_home_is_restored_leaves_that_home_alone(
    home: Path, backups: Callable[..., HomeBackups], monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(home)
    file, before = backups().create().file.path, _texts(home)
    written = fs.create_private

    def full(path: Path) -> None:
        if path.name == "active_memory.md":
            raise OSError(28, "No space left on device")
        written(path)

    monkeypatch.setattr(fs, "create_private", full)
    with pytest.raises(StoreFull, match="no space left"):
        backups().restore(file, home, replace=True)
    assert _texts(home) == before
    assert not (home.parent / ".home.restoring").exists()


@pytest.mark.parametrize("place", ["snapshot", "gzip", "fsync", "link", "linked"])
def test_a_kill_leaves_a_whole_backup_or_none(
    home: Path, backups: Callable[..., HomeBackups], place: str
) -> None:
    _fill(home)
    child = os.fork()
    if not child:
        _die_at(place)
        try:
            backups().create()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    folder = home.parent / "home-backups"
    left = sorted(folder.iterdir()) if folder.exists() else []
    assert len(left) == (place == "linked")
    assert all(backups().verify(file).members for file in left)
    assert not [
        file for one in home.glob(".backup-*") for file in one.iterdir()
    ]  # no copy of a database either
    assert backups().create().members
    assert not list(home.glob(".backup-*"))


def _die_at(place: str) -> None:
    """Have this process killed at a step of a backup."""

    def dying(before: bool, do: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            if before:
                os.kill(os.getpid(), signal.SIGKILL)
            found = do(*args, **named)
            os.kill(os.getpid(), signal.SIGKILL)
            return found

        return call

    from gieok.storage.backups import bundle, members

    if place == "snapshot":
        members.snapshot = dying(False, members.snapshot)  # type: ignore[assignment]
    elif place == "gzip":
        bundle._put_source = dying(False, bundle._put_source)  # type: ignore[assignment]
    elif place == "fsync":
        partial_backups.os.fsync = dying(True, os.fsync)  # type: ignore[assignment]
    else:
        partial_backups.os.link = dying(place == "link", os.link)  # type: ignore[assignment]


def test_a_home_of_an_older_release_is_restored_and_brought_up_to_date(
    home: Path, backups: Callable[..., HomeBackups], tmp_path: Path
) -> None:
    _fill(home)
    newest = schema.SCHEMA_VERSION
    with sqlite3.connect(tmp_path / "old.sqlite") as db:  # as schema 4 was
        db.executescript(
            schema._TABLES.replace(schema._ARCHIVED, "")
            .replace(schema._TALK, "")
            .replace(f"user_version = {newest}", "user_version = 4")
        )
        db.execute(f"ATTACH {str(home / 'journal.sqlite')!r} AS new")
        for table in ("scopes", "sources", "messages", "kept", "made"):
            db.execute(f"INSERT INTO main.{table} SELECT * FROM new.{table}")
    db.close()
    (tmp_path / "old.sqlite").replace(home / "journal.sqlite")
    (home / "journal.sqlite-wal").unlink(missing_ok=True)
    maker = backups()
    # Opening the journal for its locks would upgrade it: back up as the older release did.
    file = _of_an_older_release(maker, home, tmp_path)
    done = backups().restore(file, tmp_path / "new")
    assert done.messages == 3
    assert (
        sqlite3.connect(tmp_path / "new" / "journal.sqlite")
        .execute("PRAGMA user_version")
        .fetchone()[0]
        == newest
    )


def _of_an_older_release(maker: HomeBackups, home: Path, folder: Path) -> Path:
    from gieok.storage.backups import bundle, members

    sources = [members.snapshot(file, folder)[0] for file in members.list_home_databases(home)]
    with (folder / "old.tar.gz").open("wb") as out:
        bundle.write_bundle(out, {"gieok": "0.1"}, sources)
    return folder / "old.tar.gz"


_WRITER = """
import sys
from pathlib import Path
from gieok.home.calls import open_call
sys.path[:0] = sys.argv[2:]
from test_backups import _write
print("ready", flush=True)
_write(Path(sys.argv[1]), "process", lambda: sys.stdin.closed or not sys.stdin.readline().startswith("go"))
"""


def _write(home: Path, name: str, is_done: Callable[[], bool]) -> None:
    """Say, make and keep number after number: each number is said first, then made, then kept."""
    journal, store = SqliteJournal(home / "journal.sqlite"), SqliteStore(home / "memory.sqlite")
    number = 0
    while not is_done():
        _say(journal, Scope(f"agent:{name}"), [f"{name} says {number}"], f"9:{name}")
        journal.hand_over(
            [build_entry(f"observe:{number:04}", f"{name} {number}", scope=Scope(f"agent:{name}"))]
        )
        if number % 3 == 0:
            distil.deliver(journal, store)
        journal.keep("soak", {name: str(number)})
        number += 1
    journal.close()
    store.close()


@pytest.fixture
def writer(home: Path) -> Iterator[Callable[[int], None]]:
    """Return a function that lets another process write so many numbers."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    child = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(home), str(Path(__file__).parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    assert child.stdin
    assert child.stdout
    assert child.stdout.readline() == "ready\n"

    def let(count: int) -> None:
        child.stdin.write("go\n" * count)  # type: ignore[union-attr]
        child.stdin.flush()  # type: ignore[union-attr]

    yield let
    child.stdin.close()
    assert child.wait(30) == 0
    child.stdout.close()


def test_backups_during_a_soak_of_writers_are_each_of_one_moment(
    home: Path, backups: Callable[..., HomeBackups], tmp_path: Path, writer: Callable[[int], None]
) -> None:
    _fill(home)
    is_done = threading.Event()
    threads = [
        threading.Thread(target=_write, args=(home, f"thread{n}", is_done.is_set)) for n in range(2)
    ]
    for thread in threads:
        thread.start()
    try:
        files = []
        for _ in range(4):
            writer(40)
            files.append(backups().create().file.path)
    finally:
        is_done.set()
        for thread in threads:
            thread.join()
    last: dict[str, int] = {}
    for number, file in enumerate(files):
        there = tmp_path / f"restored{number}"
        backups().restore(file, there)
        journal, store = (
            SqliteJournal(there / "journal.sqlite"),
            SqliteStore(there / "memory.sqlite"),
        )
        for name in ("thread0", "thread1", "process"):
            scope, kept = Scope(f"agent:{name}"), int(journal.kept("soak").get(name, "-1"))
            texts = [one.message.text for one in journal.read(scope, 0, budget_tokens=1 << 40)]
            made = {one.document.key: one.document.content_hash for one in journal.made(scope)}
            # Nothing is missing in between, and nothing is there before what it follows from.
            assert texts == [f"{name} says {n}" for n in range(len(texts))]
            assert sorted(made) == [f"observe:{n:04}" for n in range(len(made))]
            assert len(texts) >= len(made) >= kept + 1 >= len(made) - 1 >= len(texts) - 2
            assert {
                key: of for key, of in store.hashes(scope).items() if key.startswith("observe:")
            } == made
            assert len(texts) >= last.get(name, 0)
            last[name] = len(texts)
        assert not journal.undelivered(9)
    assert all(last.values())
