"""What happens to the remote: damaged files, folders that were removed, rows not understood."""

import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from devices import SHOP, DeviceHome, make_clone, run_git

from gieok.commands.home import doctor
from gieok.commands.moving import sync_exchange
from gieok.commands.moving.sync_items import COUNTERS, ScopeNames
from gieok.errors import BadRequest
from gieok.home.sync import SyncFault
from gieok.machine.segments.folder import SegmentFolder
from gieok.ports.sync import SegmentName, build_checksum

pytestmark = pytest.mark.usefixtures("device_environment")


@pytest.fixture(params=["folder", "git"])
def remote(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    place = tmp_path / "remote"
    place.mkdir()
    if request.param == "git":
        run_git("init", "--quiet", "--bare", str(place))
    return place


def join_later(tmp_path: Path, device: DeviceHome, remote: Path, name: str) -> DeviceHome:
    key = tmp_path / f"{name}.key"
    device.run("sync key", to=str(key))
    later = DeviceHome(tmp_path / name, device.clock)
    later.run("sync init", remote=str(remote), key_file=str(key))
    return later


def change_remote(remote: Path, tmp_path: Path, words: str) -> None:
    """Run a shell command in the remote: in a clone of it, which is then pushed, for Git."""
    is_git = (remote / "HEAD").exists()
    place = remote
    if is_git:
        place = tmp_path / "clone"
        run_git("clone", "--quiet", "--branch", "gieok-sync", str(remote), str(place))
    subprocess.run(["sh", "-ec", words], cwd=place, check=True)
    if is_git:
        run_git("-C", str(place), "add", "--all")
        run_git("-C", str(place), "commit", "--quiet", "-m", "change")
        run_git("-C", str(place), "push", "--quiet")
        shutil.rmtree(place)


def test_a_damaged_segment_of_this_device_is_sent_anew(
    tmp_path: Path, pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.sync()
    # Another byte than the one there, which is random: one time in 256 it is an X already.
    change_remote(
        remote,
        tmp_path,
        f"file=$(ls {one.find_id()}/*)\n"
        'is=$(dd if="$file" bs=1 skip=99 count=1 | od -An -c | tr -d " ")\n'
        'printf "$([ "$is" = X ] && echo Y || echo X)" | dd of="$file" bs=1 seek=99 conv=notrunc',
    )
    assert [fault.kind for fault in two.sync().faults] == [sync_exchange.DAMAGED]
    writer = one.open().home.journal.kept(sync_exchange.COUNTERS)["writer"]
    done = one.sync()
    assert done.sent > 0
    assert done.faults == (), "it is mended"
    for _ in range(2):
        done = one.sync()
        assert (done.sent, done.faults) == (0, ()), "once is enough"
    assert one.open().home.journal.kept(sync_exchange.COUNTERS)["writer"] == writer
    assert two.sync().faults == ()
    assert len(two.list_records()) == 1


def test_a_device_that_is_gone_from_the_remote_is_said_and_sent_again(
    tmp_path: Path, pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    two.remember("We lint with ruff.")
    for device in (two, one):
        device.sync()
    gone = two.find_id()
    change_remote(remote, tmp_path, f"rm -r {gone}")
    done = one.sync()
    assert (done.faults, done.found) == ((SyncFault(gone, sync_exchange.GONE),), False)
    assert one.run("sync status").faults == done.faults
    later = join_later(tmp_path, one, remote, "later")
    later.sync()
    assert not later.list_records()
    assert one.run("sync run", anew=True).faults == ()
    later.sync()
    assert later.export() == one.export()
    # A device that sends anew itself is not missed any more.
    for device in (two, one, later):
        assert device.sync().faults == ()


def test_what_a_device_did_not_understand_waits_for_the_release_that_does(
    pair: list[DeviceHome], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.sync()
    with monkeypatch.context() as older:

        def refuse(self: ScopeNames, shared: str) -> str:
            raise BadRequest("bad scope {path!r}", path=shared)

        older.setattr(ScopeNames, "to_local", refuse)
        done = two.run("sync run")
        assert done.rejected
        assert done.waiting_for == {sync_exchange.REFUSED: 1}
    assert not two.list_records()
    assert two.sync().taken == 1
    assert two.run("sync status").waiting_for == {}


def test_status_and_doctor_disturb_no_synchronisation(
    pair: list[DeviceHome], remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = pair
    one.remember("We lint with ruff.")
    one.sync()
    call = one.open()
    with call.home.sync.hold():
        half = one.home / "sync" / "outbox" / ".half.gieok.tmp"
        lock = one.home / "sync" / "git" / "index.lock"
        for file in (half, lock):
            file.parent.mkdir(exist_ok=True)
            file.write_text("half")
            os.utime(file, (0, 0))
        assert one.run("sync status").segments_waiting == 0
        (check,) = doctor._iter_sync_checks(call)
        assert check.ok
        assert half.exists()
        assert lock.exists()
    call.home.journal.close()


@pytest.fixture
def shops(pair: list[DeviceHome], source: Path) -> list[Path]:
    folders = [make_clone(source, device.folder / "shop", SHOP) for device in pair]
    for device, folder in zip(pair, folders, strict=True):
        device.run("remember", folder, text=[f"{device.folder.name} sells umbrellas."])
    for device in (*pair, *pair):
        device.sync()
    return folders


def list_records(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob(".gieok/*/*/*.md"))


def test_a_bare_mount_point_is_no_project(pair: list[DeviceHome], shops: list[Path]) -> None:
    one, two = pair
    shops[0].rename(one.folder / "unmounted")
    shops[0].mkdir()
    two.run("remember", shops[1], text=["The shop closes at six."])
    two.sync()
    for _ in range(2):
        done = one.sync()
        assert done.unmounted == (str(shops[0]),)
        assert done.waiting_for == {sync_exchange.UNMOUNTED: 1}
        assert (done.brought_back, done.vanished) == (0, 0)
    assert not list(shops[0].iterdir())
    two.sync()
    assert len(list_records(shops[1])) == 3
    shops[0].rmdir()
    (one.folder / "unmounted").rename(shops[0])
    done = one.sync()
    assert (done.unmounted, done.waiting) == ((), 0)
    assert list_records(shops[0]) == list_records(shops[1])


def test_records_of_a_repository_that_git_does_not_read_neither_go_nor_come(
    pair: list[DeviceHome], shops: list[Path]
) -> None:
    one, two = pair
    run_git("-C", str(shops[0]), "add", "--force", ".gieok/memory")
    one.sync()
    index = shops[0] / ".git/index"
    whole = index.read_bytes()
    index.write_bytes(b"damaged")
    next(shops[0].glob(".gieok/memory/*/one-*.md")).unlink()
    two.run("remember", shops[1], text=["The shop closes at six."])
    two.sync()
    for _ in range(2):
        one.run("remember", shops[0], text=["The shop opens at nine."])
        done = one.sync()
        assert done.unmounted == (str(shops[0]),)
        assert done.waiting_for == {sync_exchange.UNMOUNTED: 1}
        assert (done.sent, done.brought_back, done.vanished) == (0, 0, 0)
    index.write_bytes(whole)
    done = one.sync()
    assert (done.unmounted, done.waiting, done.sent) == ((), 0, 1)
    assert len(list_records(shops[0])) == 3


@contextmanager
def unread_repository(folder: Path, *, is_mounted: bool) -> Iterator[None]:
    """Keep Git from reading a repository: by a damaged index, or a bare mount point."""
    index, away = folder / ".git/index", folder.with_name("unmounted")
    whole = index.read_bytes()
    if is_mounted:
        index.write_bytes(b"damaged")
    else:
        folder.rename(away)
        folder.mkdir()
    yield
    if is_mounted:
        index.write_bytes(whole)
    else:
        folder.rmdir()
        away.rename(folder)


def remove_till(device: DeviceHome, folder: Path, command: str) -> None:
    """Remove the record of the till by a command, or by hand."""
    if command == "edit":
        device.edit_by_command("till", "The door is green.", folder)
    elif command == "retire":
        device.run("retire", folder, memories=device.list_handles("till", folder))
    elif command == "forget":
        device.run("forget", folder, match="till is red", yes=True)
    else:
        next(folder.glob(".gieok/memory/*/*till*.md")).unlink()


# How segments travel does not depend on the project: one case of each kind over Git too.
@pytest.mark.parametrize(
    ("remote", "command", "is_mounted"),
    [
        *itertools.product(["folder"], ["edit", "retire", "delete", "forget"], [True, False]),
        ("git", "edit", True),
        ("git", "forget", False),
    ],
    indirect=["remote"],
)
def test_what_is_removed_elsewhere_while_git_reads_no_repository_goes_when_it_does_again(
    pair: list[DeviceHome], shops: list[Path], command: str, *, is_mounted: bool
) -> None:
    one, two = pair
    for text in ("The till is red.", "Kim has the key.", "Bread is baked at four."):
        one.run("remember", shops[0], text=[text])
        one.clock.advance(timedelta(minutes=1))
    for device in (*pair, *pair):
        device.sync()
    with unread_repository(shops[1], is_mounted=is_mounted):
        remove_till(one, shops[0], command)
        one.sync()
        for _ in range(2):
            assert two.sync().unmounted == (str(shops[1]),)
    for device in (two, one, two):
        assert device.sync().unmounted == ()
    assert [list(shop.glob(".gieok/memory/*/*till*.md")) for shop in shops] == [[], []]
    # Of what is removed by hand, a copy is put away where it was not.
    assert command == "delete" or list_records(shops[0]) == list_records(shops[1])


@pytest.mark.parametrize(
    "name", ["GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_ALTERNATE_OBJECT_DIRECTORIES"]
)
def test_a_variable_of_a_git_hook_of_another_repository_lets_nothing_tracked_travel(
    tmp_path: Path, pair: list[DeviceHome], source: Path, name: str
) -> None:
    one, two = pair
    shops = [make_clone(source, device.folder / "shop", SHOP) for device in pair]
    one.run("remember", shops[0], text=["The shop opens at nine."])
    run_git("-C", str(shops[0]), "add", "--force", ".gieok/memory")
    two.run("remember", shops[1], text=["The shop closes at six."])
    other = tmp_path / "other"
    run_git("init", "--quiet", str(other))
    one.environment = {name: str(other / ".git")}
    for device in (*pair, *pair):
        device.sync()
    assert list_records(shops[1]) == ["the-shop-closes-at-six.md"]
    assert list_records(shops[0]) == ["the-shop-closes-at-six.md", "the-shop-opens-at-nine.md"]


def test_what_is_of_an_excluded_project_is_counted_apart(
    pair: list[DeviceHome], shops: list[Path]
) -> None:
    one, two = pair
    one.flags = {"exclude.folders": str(shops[0])}
    two.run("remember", shops[1], text=["The shop closes at six."])
    two.sync()
    assert one.sync().waiting_for == {sync_exchange.EXCLUDED: 1}
    one.flags = {}
    assert one.sync().waiting == 0
    assert len(list_records(shops[0])) == 3


def test_what_one_device_sent_anew_is_missed_by_no_other(
    tmp_path: Path, pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    three = join_later(tmp_path, one, remote, "three")
    two.remember("We lint with ruff.")
    for device in (two, one, three, one):
        device.sync()
    gone = SyncFault(two.find_id(), sync_exchange.GONE)
    change_remote(remote, tmp_path, f"rm -r {two.find_id()}")
    for device in (one, three):
        assert device.sync().faults == (gone,)
    one.run("sync run", anew=True)
    for device in (three, one, three):
        assert device.sync().faults == ()
    later = join_later(tmp_path, three, remote, "later")
    later.sync()
    assert later.list_records() == one.list_records()


def test_what_a_device_did_not_have_is_missed_after_it_sent_anew(
    tmp_path: Path, pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    three = join_later(tmp_path, one, remote, "three")
    for device in (one, two, three):
        device.sync()
    two.remember("We lint with ruff.")
    for device in (two, three):
        device.sync()
    change_remote(remote, tmp_path, f"rm -r {two.find_id()}")
    one.run("sync run", anew=True)
    assert three.sync().faults == (SyncFault(two.find_id(), sync_exchange.GONE),)


def test_a_dropped_device_is_not_missed(
    tmp_path: Path, pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    three = join_later(tmp_path, one, remote, "three")
    two.remember("We lint with ruff.")
    for device in (two, one, three, one, three):
        device.sync()
    one.run("sync devices", drop=two.find_id())
    change_remote(remote, tmp_path, f"rm -r {two.find_id()}")
    for device in (one, three, one):
        assert device.sync().faults == ()


def test_an_idle_run_asks_git_of_each_project_once_and_reads_no_file_again(
    tmp_path: Path, pair: list[DeviceHome], shops: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = pair
    one.sync()
    log, wrapper = tmp_path / "git.log", tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho "$@" >>{log}\nexec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    read = SegmentFolder._is_damaged
    reads = []

    def count(folder: SegmentFolder, name: SegmentName) -> bool:
        reads.append(name)
        return read(folder, name)

    monkeypatch.setattr(SegmentFolder, "_is_damaged", count)
    one.sync()
    lines = log.read_text().splitlines()
    assert len([line for line in lines if "--max-parents=0" in line]) == 1
    assert len([line for line in lines if "ls-files" in line]) == 1
    assert reads == []
    assert shops


def put_junk(device: DeviceHome, remote: Path, number: int) -> Path:
    """Put a file that is no segment beside those of a device."""
    data = b"garbage"
    file = remote / device.find_id() / f"{number:06}-{build_checksum(data)}.age"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    return file


@pytest.mark.parametrize("remote", ["folder"], indirect=True)
@pytest.mark.parametrize("number", [3, 999_999, 10**18 - 1])
def test_a_junk_file_silences_no_device(pair: list[DeviceHome], remote: Path, number: int) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.sync()
    put_junk(one, remote, number)
    for text in ("Staging is read-only.", "Deploys are on Tuesday."):
        one.remember(text)
        assert one.sync().segments == 1
    two.sync()
    assert len(two.list_records()) == 3
    numbers = sorted(int(file.name[:6]) for file in (remote / one.find_id()).glob("0*.age"))
    assert numbers == sorted(set(numbers)), "a number that is taken is given to none"
    assert max(numbers) < 6
    assert one.run("sync status").segments_waiting == 0


@pytest.mark.parametrize("remote", ["folder"], indirect=True)
@pytest.mark.parametrize("number", [999_999, 10**18 - 1, 10**30])
def test_a_home_that_counted_beyond_the_limit_goes_on(
    pair: list[DeviceHome], remote: Path, number: int
) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.sync()
    call = one.open()
    call.home.journal.keep(COUNTERS, {"number": str(number)})
    call.home.journal.close()
    for text in ("Staging is read-only.", "Deploys are on Tuesday."):
        one.remember(text)
        assert one.sync().segments == 1
    two.sync()
    assert len(two.list_records()) == 3


def test_what_waits_is_counted_whatever_its_name(pair: list[DeviceHome]) -> None:
    one, _ = pair
    one.sync()
    (one.home / "sync" / "outbox" / "strange.age").write_bytes(b"x")
    assert one.run("sync status").segments_waiting == 1
    call = one.open()
    (check,) = doctor._iter_sync_checks(call)
    call.home.journal.close()
    assert "1 segments wait" in str(check)
