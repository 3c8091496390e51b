"""What earlier releases wrote is opened by this one, and everything is there.

`homes/schema-N.tar.gz` is a home folder with a project, written by the last code with that schema
of the journal (`-index-M`: and that schema of the index): notes, records, transcripts, observations
and a code index; from 5 on memories in warm files, from 6 on old talk in files, and accounts.
`schema-1` also has an observation that is not delivered yet, one that was replaced, a summary and a
run under coverage. `homes/make.py` makes one.
"""

import json
import sqlite3
import tarfile
import zlib
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from gieok import fs
from gieok.commands import load_command
from gieok.errors import StoreCorrupt
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.hook_index import open_hook_index
from gieok.memory import observation
from gieok.memory.files.sync import recut
from gieok.model.code import Execution
from gieok.model.memory import Scope
from gieok.places.project import project_scope
from gieok.settings.trust import grant_file
from gieok.storage.accounts import sqlite as sqlite_accounts
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.index.sqlite import ranking as index_ranking
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite import schema as journal_schema
from gieok.storage.journal.sqlite.journal import SqliteJournal

_HOMES = sorted((Path(__file__).parent / "homes").glob("schema-*.tar.gz"))
_HOMES_WITH_ACCOUNTS = [file for file in _HOMES if file.name.startswith("schema-6")]
_FIRST_HOME = Path(__file__).parent / "homes" / "schema-1.tar.gz"
#: Folder in which a home was made that has no file `made-in`.
_MADE_IN = "/home/user"
_USER = Scope("agent:main")
_KEPT = {
    "We decided to use Redis Streams for the queue.",
    "앞으로 배포는 항상 화요일에 하기로 결정했다.",
    "Spaces are preferred now, not tabs.",
    "Move the queue to Redis Streams",
}


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a user's folder with `.gieok`, `notes` and `project`, as schema 1 left it."""
    return _use_home(_FIRST_HOME, tmp_path / "user", monkeypatch)


@pytest.fixture(params=_HOMES, ids=lambda file: file.name.partition(".")[0])
def old_home(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Return a user's folder as each earlier schema left it."""
    return _use_home(request.param, tmp_path / "user", monkeypatch)


def _use_home(archive_file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Unpack a home, and let the commands of this test use it."""
    with tarfile.open(archive_file) as archive:
        archive.extractall(folder, filter="data")
    _move(folder)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("GIEOK_HOME", str(folder / ".gieok"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_OBSERVE_AGENTS", "none")
    monkeypatch.chdir(folder)
    return folder


def _move(folder: Path) -> None:
    """Let the files say that they were made here: paths, and what is called after the sum of a
    path.
    """
    mark = folder / "made-in"
    made_in = mark.read_text(encoding="utf-8") if mark.exists() else _MADE_IN
    home, project = folder / ".gieok", f"{made_in}/project"
    scopes = (
        f"project:project-{zlib.crc32(project.encode()):08x}",
        project_scope(str(folder / "project")),
    )
    columns = {
        "memory.sqlite": {"documents": ("provenance",), "notes": ("value",), "scopes": ("path",)},
        "journal.sqlite": {"sources": ("path",), "cursors": ("path",), "kept": ("realm", "value")},
    }
    for name, tables in columns.items():
        with closing(sqlite3.connect(home / name)) as db, db:
            there = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
            for table, column in (
                (table, column)
                for table, found in tables.items()
                for column in found
                if table in there
            ):
                for old, new in (scopes, (made_in, str(folder))):
                    db.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (old, new))
    old, new = (
        sha256(path.encode()).hexdigest()[:32]
        for path in (project, str((folder / "project").resolve()))
    )
    (home / "code" / old).rename(home / "code" / new)
    for grant in (home / "trust").glob("*.jsonl"):
        text = grant.read_text(encoding="utf-8").replace(made_in, str(folder.resolve()))
        grant.unlink()
        Path(grant_file(str(home), str(folder / "project"))).write_text(text, encoding="utf-8")


def _context(**flags: str) -> Call:
    return open_call(flags)


def _run(name: str, call: Call, **request: Any) -> Any:
    found = load_command(name)
    return found(call, **request)


def _search(text: str) -> list[str]:
    return [
        hit.passage.text
        for hit in _run("search", _context(), query=[text], min_score=-1.0).ranked.hits
    ]


def _everything(folder: Path) -> dict[str, Any]:
    """Return what a store holds but its ids, after a check of its integrity."""
    with closing(SqliteStore(folder / ".gieok" / "memory.sqlite")) as store:
        assert store.check() == []
        return {
            scope.path: sorted(
                store.entries(scope, list(store.hashes(scope))), key=lambda e: e.document.key
            )
            for scope in store.scopes()
        }


def _texts(scope: Scope = _USER) -> set[str]:
    call = _context()
    found = call.home.store.get(scope, list(call.home.store.hashes(scope)))
    return {document.text for document in found if document.key.startswith(observation.PREFIX)}


def test_everything_of_an_old_home_is_found(user: Path) -> None:
    assert any("화요일" in text for text in _search("배포 요일"))
    assert any("Redis" in text for text in _search("which queue?"))
    assert any("umbrella" in text for text in _search("umbrella door"))
    _run("observe run", _context(), once=True)
    assert _texts() == _KEPT
    shown = _run("why", _context(), id="observe:2026-11-18:4d7a06327609")
    assert [m.text for m in shown.messages] == ["We decided to use Redis Streams for the queue."]
    with closing(SqliteJournal(user / ".gieok" / "journal.sqlite")) as journal:
        assert {entry.document.text for entry in journal.made(_USER)} == _KEPT
        assert [d.text for d in journal.history(_USER, 9)] == ["I prefer tabs over spaces."]
    assert _run("doctor", _context()).found


def _query_file(file: Path, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query to a database, without any code of ours that could migrate it."""
    with closing(sqlite3.connect(file)) as db:
        return db.execute(query).fetchall()


def _read_schema(file: Path) -> int:
    (version,) = _query_file(file, "PRAGMA user_version")[0]
    return int(version)


def test_nothing_that_an_old_home_holds_is_lost(old_home: Path) -> None:
    index, journal_file = old_home / ".gieok" / "memory.sqlite", old_home / ".gieok/journal.sqlite"
    documents = _query_file(
        index, "SELECT path, key, text FROM documents JOIN scopes ON scopes.id = scope_id"
    )
    made = _query_file(journal_file, "SELECT key, entry FROM outbox")
    withdrawn = {key for key, entry in made if entry is None}
    said = [
        (line["role"], line["text"])
        for file in sorted((old_home / "transcripts").glob("*.jsonl"))
        for line in map(json.loads, file.read_text(encoding="utf-8").splitlines())
    ]
    assert len(documents) >= 7
    assert len(said) >= 4

    assert any("umbrella" in text for text in _search("umbrella door"))
    assert any("Redis" in text for text in _search("which queue?"))
    assert any("정산했다" in text for text in _search("정산 화요일"))
    _run("observe run", _context(), once=True)
    stored = {
        (path, entry.document.key): entry.document.text
        for path, entries in _everything(old_home).items()
        for entry in entries
    }
    assert {
        (path, key): stored.get((path, key)) for path, key, _ in documents if key not in withdrawn
    } == {(path, key): text for path, key, text in documents if key not in withdrawn}
    with closing(SqliteJournal(journal_file)) as journal:
        read = journal.read(_USER, 0, budget_tokens=9999)
        assert sorted((one.message.role, one.message.text) for one in read) == sorted(said)
        assert {entry.document.key for entry in journal.made(_USER)} | {
            row.key for row in journal.archived(_USER)
        } >= {key for path, key, _ in documents if key.startswith(observation.PREFIX)} - withdrawn
    assert _run("doctor", _context()).found


def test_an_old_home_is_rebuilt_whole(old_home: Path) -> None:
    _run("observe run", _context(), once=True)
    _read_anew()
    before = _everything(old_home)
    _remove(old_home / ".gieok")
    assert _run("rebuild", _context()).failed == ()
    assert _everything(old_home) == before


@pytest.mark.parametrize(
    "old_home", _HOMES_WITH_ACCOUNTS, indirect=True, ids=lambda file: file.name
)
def test_users_and_points_of_an_old_home_are_kept(old_home: Path) -> None:
    with closing(SqliteAccounts(old_home / ".gieok" / "accounts.sqlite")) as accounts:
        zones = [accounts.account(name).zone for name in ("min", "far")]
        assert zones == ["", "Asia/Seoul"]
        assert (accounts.balance("min"), accounts.balance("far")) == (380, 10)
        assert [hold.reference for hold in accounts.holds_of("min")] == ["turn-9"]
        assert accounts.ledger("min", 0, 9)[1][0].posting.note == "five hundred"
        assert accounts.last_check_in("far").streak == 1


def test_the_hook_reads_the_index_of_each_schema_before_a_command_upgrades_it(
    old_home: Path,
) -> None:
    index = old_home / ".gieok" / "memory.sqlite"
    schema = _read_schema(index)
    ((notes,),) = _query_file(
        index,
        "SELECT count(*) FROM documents JOIN scopes ON scopes.id = scope_id "
        "WHERE path = 'agent:main' AND kind NOT IN ('turn', 'session')",
    )
    reader, _ = open_hook_index(_context().home)
    assert reader.count("agent:main") == notes
    assert _read_schema(index) == schema


def test_every_earlier_schema_has_a_home(tmp_path: Path) -> None:
    """Where a schema is raised, a home of the one before joins `homes` (docs/releasing.md)."""
    newest = {
        "journal.sqlite": journal_schema.SCHEMA_VERSION,
        "memory.sqlite": index_ranking.SCHEMA_VERSION,
        "accounts.sqlite": sqlite_accounts._VERSION,
    }
    seen: dict[str, set[int]] = {name: set() for name in newest}
    for number, archive_file in enumerate(_HOMES):
        with tarfile.open(archive_file) as archive:
            archive.extractall(tmp_path / str(number), filter="data")
        for name, versions in seen.items():
            if (file := tmp_path / str(number) / ".gieok" / name).exists():
                versions.add(_read_schema(file))
    for name, version in newest.items():
        assert seen[name] >= set(range(1, version)), f"no home of an earlier {name}"


def _read_anew() -> None:
    """Have what is stored of notes read as this release does, which the next index of each scope
    does.
    """
    call = _context()
    for scope in call.home.store.scopes():
        recut(call.home.store, scope, call.home.cut)


def _remove(home: Path) -> None:
    fs.remove_database(home / "memory.sqlite")


def _settled(home: Path) -> Path:
    """Return the store's file with its log in it, whoever has it open."""
    file = home / "memory.sqlite"
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file


def _tear(home: Path) -> None:
    file = _settled(home)
    data = bytearray(file.read_bytes())
    data[4096 * 3 : 4096 * 9] = b"\x5a" * 4096 * 6
    file.write_bytes(data)


def _behead(home: Path) -> None:
    file = _settled(home)
    file.write_bytes(b"no database at all" + file.read_bytes()[18:])


@pytest.mark.parametrize(
    "damage",
    [lambda home: None, _remove, _tear, _behead],
    ids=["sound", "gone", "torn", "headless"],
)
def test_a_rebuilt_index_is_equal_to_what_was_there(
    user: Path, damage: Callable[[Path], None]
) -> None:
    _run("observe run", _context(), once=True)
    _read_anew()
    before = _everything(user)
    damage(user / ".gieok")
    result = _run("rebuild", _context())
    assert _everything(user) == before
    assert result.failed == ()
    assert bool(result.set_aside) == (damage in (_tear, _behead))
    assert _run("doctor", _context()).found


def test_what_is_indexed_and_observed_meanwhile_is_in_a_rebuilt_index(user: Path) -> None:
    (user / "extra").mkdir()
    (user / "extra" / "heron.md").write_text("# Heron\n\nIt nests at the pond.\n")
    done: list[str] = []

    def meanwhile(line: str) -> None:
        if "indexed" in line and not done:
            done.append(line)
            _run("index", _context(), paths=[str(user / "extra")])
            _run("observe run", _context(), once=True)

    _run("rebuild", open_call({}, say=meanwhile))
    assert done
    assert _texts() == _KEPT
    assert any("nests" in text for text in _search("heron pond"))
    assert "extra/heron.md" in _context().home.store.hashes(_USER)


def test_a_damaged_index_names_the_command_that_mends_it(user: Path) -> None:
    _behead(user / ".gieok")
    with pytest.raises(StoreCorrupt, match="damaged") as caught:
        _run("status", _context())
    assert "gieok rebuild" in caught.value.hint


def test_a_folder_that_is_not_there_keeps_its_memory_in_a_rebuild(user: Path) -> None:
    _run("observe run", _context(), once=True)
    _read_anew()
    before = _everything(user)
    (user / "notes").rename(user / "unmounted")
    assert "does not exist" in _run("rebuild", _context()).failed[0].reason
    assert _everything(user) == before
    (user / "unmounted").rename(user / "notes")
    (user / "notes" / "umbrella.md").unlink()
    _run("rebuild", _context())
    assert {e.document.key for e in before["agent:main"]} - {
        e.document.key for e in _everything(user)["agent:main"]
    } == {"notes/umbrella.md"}


def _spoil(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.write_bytes(b"no database at all" + file.read_bytes()[18:])


@pytest.mark.parametrize("damage", [fs.remove_database, _spoil], ids=["gone", "headless"])
def test_summaries_and_coverage_of_code_outlive_their_index(
    user: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], None]
) -> None:
    root = user / "project"
    monkeypatch.chdir(root)
    assert _summaries(root) == ["Says what cups cost."]
    call = _context()
    call.home.open_project(root).store.close()
    damage(root / ".gieok" / "code" / "index.sqlite")
    if damage is _spoil:
        with pytest.raises(StoreCorrupt) as caught:
            _run("code status", _context())
        assert "gieok code init" in caught.value.hint
    _run("code init", _context(), no_wait=True)
    assert _summaries(root) == ["Says what cups cost."]
    ran = _context().home.open_project(root).store.executed(["src/shop.py::price"])
    assert [row[:2] for row in ran] == [
        Execution("src/shop.py::test_price", "src/shop.py::price", "", "")[:2]
    ]


def _summaries(root: Path) -> list[str]:
    return [row.text for row in _context().home.open_project(root).store.summaries().values()]


def test_keywords_of_an_earlier_version_are_made_anew_by_themselves(user: Path) -> None:
    _context().home.store.close()
    with closing(sqlite3.connect(user / ".gieok" / "memory.sqlite")) as db, db:
        db.execute("UPDATE meta SET value = '0' WHERE name = 'keywords_version'")
        db.execute("INSERT INTO keywords (keywords) VALUES ('delete-all')")
    said: list[str] = []
    with closing(SqliteStore(user / ".gieok" / "memory.sqlite", say=said.append)) as store:
        assert store.check() == []
    assert "keywords made anew" in said[-1]
    assert any("umbrella" in text for text in _search("umbrella door"))
