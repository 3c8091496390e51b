"""Encryption at rest: everything that is there, resumed after a kill, opened by its key and no
other.
"""

import json
import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.errors import ArchiveFailed, BadConfig, BadRequest, Damaged, WrongKey
from gieok.flow import distil
from gieok.home import backup_restore, file_sealers
from gieok.home.backups import HomeBackups
from gieok.home.calls import open_call
from gieok.home.encryption import IN_CLEAR, HomeEncryption
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers import move, shelf, sweep
from gieok.memory.tiers.tiers import Group, Tiers
from gieok.model.memory import Tier
from gieok.storage.sealers.age import AgeSealer
from gieok.testing import ManualClock
from gieok.testing.samples import HOME

_START = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)
_SECRET = "결제는 화요일에 정산한다"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.delenv("GIEOK_PASSPHRASE", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(file_sealers, "_opened", {})
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


class House:
    """A home, as one process after the other opens it; time passes by itself."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.clock = ManualClock(_START)

    @property
    def encryption(self) -> HomeEncryption:
        self.clock.advance(timedelta(seconds=1))
        found = open_call({}, clock=self.clock, zone=UTC).home.encryption
        assert isinstance(found, HomeEncryption)
        return found

    @property
    def backups(self) -> HomeBackups:
        self.clock.advance(timedelta(seconds=1))
        found = open_call({}, clock=self.clock).home.backups
        assert isinstance(found, HomeBackups)
        return found

    @property
    def tiers(self) -> Tiers:
        return open_call({}, clock=self.clock, zone=UTC).home.tiers

    def archive(self, days: int = 3, text: str = _SECRET) -> None:
        """Let observations of some days be made, and move to warm."""
        tiers = self.tiers
        for day in range(days):
            at = self.clock.now() + timedelta(days=day)
            found = Observation(
                f"{text} {day}", at, Priority.MEDIUM, Category.STATE, message_ids=("s/1",)
            )
            tiers.journal.hand_over(
                observation.build_observed_entries(HOME, Observed((found,)), at)
            )
        distil.deliver(tiers.journal, tiers.store)
        self.clock.advance(timedelta(days=200))
        assert sweep.tier_due_memories(self.tiers).moved == days

    def files(self) -> dict[str, bytes]:
        folder = self.home / "archive" / "warm"
        return {
            str(f.relative_to(folder)): f.read_bytes()
            for f in sorted(folder.rglob("*"))
            if f.is_file()
        }

    def texts(self) -> list[str]:
        """Return what the archive says, read where the journal says that it lives; nothing may be
        wrong.
        """
        states = self.states()
        assert not [line for state in states for line in state.wrong]
        return sorted(one.entry.document.text for state in states for one in state.living.values())

    def states(self) -> list[move.FileState]:
        """Return every file in which something lives, as it reads."""
        tiers, found = self.tiers, []
        for one in tiers.journal.places():
            plain = tiers.shelves[Tier.WARM].plain(one.place.path)
            try:
                found.append(move.read_file_state(tiers, Group(one.place.scope, Tier.WARM, plain)))
            except ArchiveFailed as error:
                found.append(move.FileState(wrong=[str(error)]))
        return found

    def is_in_clear(self) -> bool:
        """Say whether the archive or a backup shows what was said, to anybody."""
        own = [one.path.read_bytes() for one in self.backups.listed()]
        return any(
            _SECRET.encode() in data or data.startswith(b"\x1f\x8b")
            for data in [*self.files().values(), *own]
        )


@pytest.fixture
def house(home: Path) -> House:
    return House(home)


def test_what_is_there_and_what_is_to_come_is_encrypted_and_reads_the_same(house: House) -> None:
    house.archive()
    house.backups.create()
    before = house.texts()
    assert house.is_in_clear()
    done = house.encryption.on()
    assert (done.wrong, done.files, done.is_new_key) == ((), 4, True)
    assert not house.is_in_clear()
    assert {name.endswith(".age") for name in house.files()} == {True}
    assert house.texts() == before
    house.archive(2)
    house.backups.create()
    assert not house.is_in_clear()
    assert len(house.texts()) == 5
    status = house.encryption.status()
    assert status.is_on
    assert not status.is_changing
    assert [tuple(place) for place in status.places] == [("archive", 5, 0), ("backups", 2, 0)]
    assert status.in_clear == IN_CLEAR
    assert not sweep.take_in_corrections(house.tiers).wrong


def test_off_leaves_everything_as_if_it_had_never_been_on(house: House) -> None:
    house.archive()
    house.backups.create()
    plain, texts = house.files(), house.texts()
    house.encryption.on()
    done = house.encryption.off()
    assert done.wrong == ()
    assert (house.files(), house.texts()) == (plain, texts)
    assert [one.is_encrypted for one in house.backups.listed()] == [False]
    assert house.backups.verify(house.backups.listed()[0].path).members
    assert not house.encryption.status().is_on
    with pytest.raises(BadRequest, match="nothing is encrypted"):
        house.encryption.off()


def test_a_key_change_lets_the_old_key_open_nothing_any_more(house: House) -> None:
    house.archive()
    house.encryption.on()
    (house.home / "memory").mkdir()
    (house.home / "memory" / "large.md").write_bytes(os.urandom(400_000))  # more than a pipe holds
    house.backups.create()
    texts, old = house.texts(), file_sealers.read_sealing_state(house.home).key
    assert old
    done = house.encryption.rotate()
    assert (done.wrong, done.files) == ((), 4)
    assert done.key_file != str(old.file)
    assert old.file.exists()
    stale = AgeSealer(old.recipient, lambda: old.file.read_text().splitlines()[-1])
    for data in [
        *house.files().values(),
        *(one.path.read_bytes() for one in house.backups.listed()),
    ]:
        with pytest.raises(WrongKey):
            stale.open(data)
    assert house.texts() == texts
    assert [place.revision for place in house.tiers.journal.places()] == [
        file.revision for file in house.tiers.shelves[Tier.WARM].archive(HOME).files()
    ]
    again = house.encryption.on()
    assert (again.files, again.wrong) == (0, ())


def test_the_key_is_private_and_in_the_form_of_age(house: House) -> None:
    done = house.encryption.on()
    file = Path(done.key_file)
    assert file == house.home / "keys" / "age.txt"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    lines = file.read_text().splitlines()
    assert lines[1] == f"# public key: {done.recipient}"
    assert AgeSealer.recipient_of(lines[2]) == done.recipient
    assert "AGE-SECRET" not in (house.home / "encryption.json").read_text()
    assert json.loads((house.home / "encryption.json").read_text())["key"]["file"] == "keys/age.txt"


def test_a_key_of_somebody_elses_making_is_used_as_it_is(house: House, tmp_path: Path) -> None:
    identity, recipient = AgeSealer.generated()
    (tmp_path / "mine").write_text(f"# created: today\n{identity}\n")
    (tmp_path / "mine").chmod(0o644)
    with pytest.raises(BadConfig, match="can be read by others") as caught:
        house.encryption.on(tmp_path / "mine")
    assert "chmod 600" in caught.value.hint
    assert not (house.home / "encryption.json").exists()
    (tmp_path / "mine").chmod(0o600)
    done = house.encryption.on(tmp_path / "mine")
    assert (done.recipient, done.is_new_key) == (recipient, False)
    (tmp_path / "none").write_text("no key\n")
    (tmp_path / "none").chmod(0o600)
    with pytest.raises(BadConfig, match="holds no key"):
        house.encryption.rotate(tmp_path / "none")


def test_writing_needs_no_secret_and_reading_without_it_says_what_to_do(house: House) -> None:
    house.archive(2)
    key = Path(house.encryption.on().key_file)
    kept = key.read_bytes()
    key.unlink()
    house.archive(1, "what comes later")
    assert house.backups.create().file.is_encrypted
    wrong = sweep.take_in_corrections(house.tiers).wrong
    states = house.states()
    assert [state.living for state in states] == [{}] * 3
    assert all("age.txt' cannot be read" in line for state in states for line in state.wrong)
    assert all(line for line in wrong)
    with pytest.raises(BadConfig, match="cannot be read") as caught:
        house.backups.verify(house.backups.listed()[0].path)
    assert "without the key nobody can read" in caught.value.hint
    with pytest.raises(BadConfig, match="cannot be read"):
        house.encryption.off()
    assert len(house.files()) == 3
    key.write_bytes(kept)
    key.chmod(0o600)
    assert len(house.texts()) == 3
    assert house.backups.verify(house.backups.listed()[0].path).members


def test_a_passphrase_opens_the_key_and_another_does_not(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.archive(1)
    done = house.encryption.on(None, lambda: "four good long words")
    assert Path(done.key_file).read_bytes().startswith(b"age-encryption.org/v1\n-> scrypt")
    assert house.encryption.status().has_passphrase
    opened = file_sealers._opened
    monkeypatch.setattr(file_sealers, "_opened", {})  # another process
    with pytest.raises(BadConfig, match="nobody can be asked") as caught:
        house.encryption.off()
    assert "GIEOK_PASSPHRASE" in caught.value.hint
    monkeypatch.setenv("GIEOK_PASSPHRASE", "other words")
    with pytest.raises(WrongKey, match="the passphrase does not open"):
        house.encryption.off()
    # opening takes a second, on purpose: once a process
    monkeypatch.setattr(file_sealers, "_opened", opened)
    assert house.texts() == [f"{_SECRET} 0"]


def test_a_damaged_or_foreign_file_is_named_and_left_as_it_is(house: House) -> None:
    house.archive(3)
    house.encryption.on()
    folder = next((house.home / "archive" / "warm").iterdir())
    cut, foreign, whole = sorted(folder.iterdir())
    cut.write_bytes(cut.read_bytes()[:-4])
    foreign.write_bytes(AgeSealer(AgeSealer.generated()[1], str).seal(b"x"))
    held = {file: file.read_bytes() for file in (cut, foreign)}
    wrong = house.encryption.rotate().wrong
    assert len(wrong) == 2
    assert any(cut.name in line and "damaged or cut off" in line for line in wrong)
    assert any(foreign.name in line and "another key" in line for line in wrong)
    assert {file: file.read_bytes() for file in (cut, foreign)} == held
    assert house.encryption.status().is_changing
    assert whole.exists()
    looked = sweep.take_in_corrections(house.tiers).wrong
    assert {name for name in (cut.name, foreign.name) if any(name in line for line in looked)} == {
        cut.name,
        foreign.name,
    }
    assert {file: file.read_bytes() for file in (cut, foreign)} == held


@pytest.mark.parametrize("change", ["on", "rotate", "off"])
def test_after_a_kill_at_any_file_everything_reads_and_the_same_command_goes_on(
    house: House, change: str
) -> None:
    house.archive(2)
    if change != "on":
        house.encryption.on()
    house.backups.create()
    texts = house.texts()
    for step in range(60):
        child = os.fork()
        if not child:
            try:
                _die_at(step)
                getattr(house.encryption, change)()
            except BaseException:  # noqa: BLE001 - a fork must not go on with the tests
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert house.texts() == texts
        assert house.backups.verify(house.backups.listed()[0].path).members
        if not os.WIFSIGNALED(status):
            break
    assert step > 5
    assert os.waitstatus_to_exitcode(status) == 0
    status_now = house.encryption.status()
    assert not status_now.is_changing
    assert {bool(place.clear) for place in status_now.places} == {change == "off"}
    assert {bool(place.sealed) for place in status_now.places} == {change != "off"}


def _die_at(step: int) -> None:
    """Have this process killed at the so-manieth change of a file's name."""
    left = [step]

    def dying(do: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return do(*args, **named)

        return call

    for name in ("replace", "link", "unlink", "rename"):
        setattr(os, name, dying(getattr(os, name)))


def test_a_restored_home_opens_with_the_key_that_was_kept_elsewhere(
    house: House, tmp_path: Path
) -> None:
    house.archive(2)
    key = Path(house.encryption.on().key_file)
    texts = house.texts()
    file = house.backups.create().file.path
    copy = tmp_path / "copy.key"
    copy.write_bytes(key.read_bytes())
    copy.chmod(0o600)
    home = house.home
    home.rename(tmp_path / "lost")
    with pytest.raises(BadRequest, match="this home has no key"):
        house.backups.restore(file, home)
    other = tmp_path / "other.key"
    other.write_text(AgeSealer.generated()[0])
    other.chmod(0o600)
    with pytest.raises(WrongKey, match=str(file.name)):
        house.backups.restore(file, home, key_file=other)
    file.write_bytes((whole := file.read_bytes())[:-9])
    with pytest.raises(Damaged, match=str(file.name)):
        house.backups.restore(file, home, key_file=copy)
    file.write_bytes(whole)
    house.backups.restore(file, home, key_file=copy)
    assert (home / "keys" / "age.txt").read_bytes() == copy.read_bytes()
    assert (home / "keys" / "age.txt").stat().st_mode & 0o777 == 0o600
    assert house.texts() == texts
    assert shelf.PlainSealer().suffix == ""


def test_forget_reaches_into_encrypted_archives_and_names_encrypted_backups(house: House) -> None:
    house.archive(2)
    house.encryption.on()
    file = house.backups.create().file.path
    context = open_call({}, clock=house.clock, zone=UTC)
    forget = load_command("forget")
    done = forget(context, match=f"{_SECRET} 0", yes=True).done
    assert house.texts() == [f"{_SECRET} 1"]
    sealer = file_sealers.in_use(context.home.encryption._home)
    assert not [
        data for data in house.files().values() if f"{_SECRET} 0".encode() in sealer.open(data)
    ]
    assert [path for path, _ in done.still_in] == [str(file)]


def test_a_backup_cannot_have_a_key_written_outside_the_home(house: House, tmp_path: Path) -> None:
    house.encryption.on()
    state = json.loads((house.home / "encryption.json").read_text())
    state["key"]["file"] = "../../outside"
    (house.home / "encryption.json").write_text(json.dumps(state))
    (tmp_path / "outside").write_text("")  # where `create` looks for the key
    wiring = house.encryption._home
    backup_restore.bring_key(wiring, house.home, house.home / "keys" / "age.txt")
    assert (tmp_path / "outside").read_text() == ""
    (tmp_path / "outside").unlink()
    backup_restore.bring_key(wiring, house.home, house.home / "keys" / "age.txt")
    assert not (tmp_path / "outside").exists()
    assert not (tmp_path.parent / "outside").exists()
