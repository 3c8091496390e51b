"""The databases of a home are encrypted and hold the same; killed at any step, each is whole; the
wrong key says so.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gieok import extras
from gieok.commands import load_command
from gieok.errors import BadRequest, MissingExtra, StoreBusy, WrongKey
from gieok.flow import distil
from gieok.home.calls import open_call
from gieok.home.encryption import HomeEncryption
from gieok.model.accounts import Posting
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.storage.journal.sqlite.journal_reader import last_session
from gieok.storage.sqlite import driver
from gieok.surfaces.cli import main
from gieok.testing import ManualClock
from gieok.testing.contracts.journal import append_turns, held
from gieok.testing.samples import AT as _AT
from gieok.testing.samples import HOME, build_entry, build_message, corpus

_SECRET = "결제는 화요일에 정산한다"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_LANG", "en")
    monkeypatch.delenv("GIEOK_PASSPHRASE", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    with closing(SqliteJournal(tmp_path / "home" / "journal.sqlite")) as journal:
        append_turns(journal, build_message(_SECRET), build_message("둘째"))
        journal.hand_over([build_entry("observe:1", _SECRET, kind="observation")])
        with closing(SqliteStore(tmp_path / "home" / "memory.sqlite")) as store:
            store.put([*corpus(3, 60), build_entry("n.md", _SECRET)])
            store.set_adopted()
            distil.deliver(journal, store)
    with closing(SqliteAccounts(tmp_path / "home" / "accounts.sqlite")) as accounts:
        accounts.post("min", Posting("credit", 10, _SECRET), _AT)
    return tmp_path / "home"


def _encryption() -> HomeEncryption:
    found = open_call({}, clock=ManualClock()).home.encryption
    assert isinstance(found, HomeEncryption)
    return found


def _rows(file: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table, and what the file says of itself."""
    with closing(driver.connect_sqlite(str(file))) as db:
        names = [
            row[0]
            for row in db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
        ]
        found = {
            n: sorted(db.execute(f'SELECT * FROM "{n}"'), key=repr)
            for n in names
            if n not in ("keyword_tf", "keyword_df")
        }
        for name in ("application_id", "user_version", "auto_vacuum"):
            found[name] = db.execute(f"PRAGMA {name}").fetchall()
        found["schema"] = sorted(db.execute("SELECT type, name, sql FROM sqlite_master"), key=repr)
    return found


def _search(text: str = "정산") -> list[tuple[str, float]]:
    context = open_call({})
    found = load_command("search")
    result = found(context, query=text)
    context.home.store.close()
    context.home.journal.close()
    return [(one.path, one.score) for one in result.results]


def _close(encryption: HomeEncryption) -> None:
    encryption._home.stores.journal().close()
    encryption._home.stores.configured().close()


def _change(name: str, **words: bool) -> None:
    encryption = _encryption()
    assert getattr(encryption, name)(**words).wrong == ()
    _close(encryption)


def _is_plain(file: Path) -> bool:
    return file.read_bytes().startswith(b"SQLite format 3")


def test_encrypted_they_hold_the_same_and_are_found_and_written_the_same(home: Path) -> None:
    files = [home / "journal.sqlite", home / "memory.sqlite", home / "accounts.sqlite"]
    hits, rows = _search(), [_rows(file) for file in files]
    _change("on", databases=True)
    for file in files:
        assert not _is_plain(file)
        assert _SECRET.encode() not in file.read_bytes()
    assert [_rows(file) for file in files] == rows
    assert _search() == hits
    with closing(SqliteJournal(files[0])) as journal, closing(SqliteStore(files[1])) as store:
        assert journal._db().execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        append_turns(journal, build_message("셋째"))
        assert held(journal)[-1] == "셋째"
        store.put([build_entry("later.md", "새 정산 규칙")])
        assert (journal.scrub(), store.scrub(), store.check()) == ([], [], [])
        with store.renewed() as fresh:
            fresh.put([build_entry("n.md", _SECRET)])
        assert set(store.hashes(HOME)) == {"n.md"}
    with closing(SqliteAccounts(files[2])) as accounts:
        assert accounts.post("min", Posting("reply", -1, "r"), _AT).entry.balance == 9
        assert (accounts.scrub(), accounts.check()) == ([], [])
    assert all(b"\xea\xb2\xb0" * 2 not in one.read_bytes() for one in home.glob("*.sqlite*"))
    status = _encryption().status()
    assert [tuple(one) for one in status.databases] == [
        ("accounts.sqlite", 1, 0),
        ("memory.sqlite", 1, 0),
        ("journal.sqlite", 1, 0),
    ]
    assert (home / driver.KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_a_new_key_opens_them_and_the_old_one_does_not(home: Path) -> None:
    _change("on", databases=True)
    rows, before = _rows(home / "journal.sqlite"), (home / driver.KEY_FILE).read_text()
    _change("rotate")
    assert _rows(home / "journal.sqlite") == rows
    (kept,) = (home / "keys").glob("databases-*.txt")  # for copies that were made before
    assert driver.read_key_file(str(kept)) == [before.splitlines()[-1]]
    (home / driver.KEY_FILE).write_text(before)
    with pytest.raises(WrongKey, match="encrypted with another key") as caught:
        SqliteJournal(home / "journal.sqlite")
    assert "put a copy of the key" in caught.value.hint


def test_off_leaves_them_as_they_were(home: Path) -> None:
    rows = [_rows(file) for file in sorted(home.glob("*.sqlite"))]
    _change("on", databases=True)
    _change("off")
    assert [_rows(file) for file in sorted(home.glob("*.sqlite"))] == rows
    assert all(map(_is_plain, home.glob("*.sqlite")))
    assert not (home / driver.KEY_FILE).exists()


@pytest.mark.parametrize("change", ["on", "rotate", "off"])
def test_after_a_kill_at_any_step_every_database_is_whole_and_it_goes_on(
    home: Path, change: str
) -> None:
    files = [home / "journal.sqlite", home / "memory.sqlite", home / "accounts.sqlite"]
    if change != "on":
        _change("on", databases=True)
    rows = [_rows(file) for file in files]
    words = {"databases": True} if change == "on" else {}
    for step in range(80):
        child = os.fork()
        if not child:
            try:
                _die_at(step)
                _encryption().__getattribute__(change)(**words)
            except BaseException:  # noqa: BLE001 - a fork must not go on with the tests
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert [_rows(file) for file in files] == rows
        if not os.WIFSIGNALED(status):
            break
    assert os.waitstatus_to_exitcode(status) == 0
    assert step > 10
    assert [_is_plain(file) for file in files] == [change == "off"] * 3
    assert not list(home.glob("*.sealing*"))


def _die_at(step: int) -> None:
    """Have this process killed at the so-manieth change of a name, or of what is on the disk."""
    left = [step]

    def dying(do: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return do(*args, **named)

        return call

    for name in ("replace", "link", "unlink", "rename", "fsync", "pwrite"):
        setattr(os, name, dying(getattr(os, name)))


def test_nobody_else_may_have_them_open(home: Path) -> None:
    with closing(SqliteJournal(home / "journal.sqlite")) as journal:
        assert held(journal)
        code = (
            "import sys; from gieok.surfaces.cli import main; "
            "sys.exit(main(['encryption','on','--databases','--yes']))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert "journal.sqlite' open" in done.stderr
        assert "gieok down" in done.stderr
        assert held(journal)
    assert _is_plain(home / "journal.sqlite")
    _change("on", databases=True)
    assert not _is_plain(home / "journal.sqlite")


def test_who_waited_for_the_old_file_never_writes_into_it(home: Path) -> None:
    late = sqlite3.connect(home / "journal.sqlite", timeout=0)  # opened, and nothing read yet
    _change("on", databases=True)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        late.execute("SELECT count(*) FROM messages")
    late.close()


def test_without_the_key_or_the_package_it_is_said_what_to_do(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _change("on", databases=True)
    key = home / driver.KEY_FILE
    text = key.read_text()
    for content, mode, said_, hint in (
        (text, 0o644, "can be read by others", "chmod 600"),
        ("none\n", 0o600, "holds no key of databases", "64 hexadecimal digits"),
        ("0" * 64 + "\n", 0o600, "encrypted with another key", "put a copy of the key"),
    ):
        key.write_text(content)
        key.chmod(mode)
        with pytest.raises(WrongKey, match=said_) as caught:
            SqliteJournal(home / "journal.sqlite")
        assert hint in caught.value.hint
    key.write_text(text)
    monkeypatch.setattr(driver, "_library", [])
    monkeypatch.setitem(sys.modules, "sqlcipher3.dbapi2", None)
    with pytest.raises(MissingExtra, match="'sqlcipher3' is not installed") as missing:
        SqliteJournal(home / "journal.sqlite")
    assert missing.value.hint == extras.install_hint("encryption")
    with pytest.raises(
        sqlite3.Error
    ):  # the prompt's hook says nothing then, as for any database that it cannot read
        last_session(str(home / "journal.sqlite"), HOME.path, "")
    status = _encryption().status()
    assert (status.can_databases, [one.sealed for one in status.databases]) == (False, [1, 1, 1])


def test_they_are_backed_up_and_the_key_of_the_backup_is_enough(home: Path, tmp_path: Path) -> None:
    _change("on", databases=True)
    hits = _search()
    context = open_call({})
    file = context.home.backups.create().file.path
    context.home.journal.close()
    copy = tmp_path / "copy.key"
    copy.write_bytes((home / "keys" / "age.txt").read_bytes())
    copy.chmod(0o600)
    home.rename(tmp_path / "lost")
    open_call({}).home.backups.restore(file, home, key_file=copy)
    assert not _is_plain(home / "journal.sqlite")
    assert _search() == hits


def test_the_command_says_which_are_encrypted(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["encryption", "on", "--databases", "--yes"]) == 0
    capsys.readouterr()
    assert main(["encryption"]) == 0
    assert "journal.sqlite: encrypted" in capsys.readouterr().out
    from gieok import fs

    with fs.exclusive(home / "daemon.lock"), pytest.raises(BadRequest, match="a daemon runs"):
        _encryption().off()
    assert not _encryption().status().is_changing
    assert StoreBusy.code == "store_busy"
