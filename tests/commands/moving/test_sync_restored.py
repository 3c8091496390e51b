"""Homes and shelves that were put back to an earlier state, and clocks that go backwards."""

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from devices import MAIN, START, DeviceHome, join_devices, run_git

from gieok.errors import RemoteUnreachable
from gieok.memory import observation
from gieok.memory.exchange.versions import ItemVersion, VersionOrder, compare_versions
from gieok.testing import ManualClock

pytestmark = pytest.mark.usefixtures("device_environment")


@pytest.fixture
def pair(pair: list[DeviceHome]) -> list[DeviceHome]:
    one, two = pair
    one.remember("Staging is called Heron.")
    for device in (one, two, one):
        device.sync()
    return pair


def sync_offline(device: DeviceHome, remote: Path) -> None:
    remote.rename(remote.with_name("away"))
    with pytest.raises(RemoteUnreachable):
        device.sync()
    remote.with_name("away").rename(remote)


def roll_back(device: DeviceHome, snapshot: Path) -> None:
    """Put a home back to a snapshot as one of a disk does: the files are the same ones."""
    for file in device.home.rglob("*"):
        if file.is_file() and not (snapshot / file.relative_to(device.home)).exists():
            file.unlink()
    for file in snapshot.rglob("*"):
        there = device.home / file.relative_to(snapshot)
        if file.is_file():
            shutil.copyfile(file, there)
            shutil.copystat(file, there)


@pytest.mark.parametrize("is_offline", [True, False])
def test_an_edit_of_a_home_that_was_rolled_back_stays(
    tmp_path: Path, pair: list[DeviceHome], remote: Path, *, is_offline: bool
) -> None:
    one, two = pair
    shutil.copytree(one.home, tmp_path / "snapshot")
    for name in ("Owl", "Crane", "Stork"):
        one.edit_record("staging", f"Staging is called {name}.")
        one.sync()
    two.sync()
    roll_back(one, tmp_path / "snapshot")
    assert "Heron" in one.find_record("staging").read_text()
    one.edit_record("staging", "Staging is called Swan.")
    if is_offline:
        sync_offline(one, remote)
    for device in (one, two, one, two):
        device.sync()
    assert one.export() == two.export()
    assert "Swan" in two.find_record("staging").read_text()
    assert any("Stork" in text for text in two.list_records().values()), "the other one is put away"


def test_a_version_that_counts_more_but_is_earlier_is_no_successor() -> None:
    day = "2026-03-0{}T09:00:00.000000+00:00"
    before = ItemVersion(day.format(4), "a", {"a": 4}, "stork")
    after = ItemVersion(day.format(5), "a", {"a": 2}, "swan")
    assert compare_versions(after, before) is VersionOrder.EARLIER
    assert compare_versions(before, after) is VersionOrder.LATER
    grown = ItemVersion(day.format(6), "a", {"a": 5}, "owl")
    assert compare_versions(before, grown) is VersionOrder.NEW
    assert compare_versions(grown, before) is VersionOrder.OLD
    assert compare_versions(grown, grown) is VersionOrder.OLD


def test_a_shelf_that_was_replaced_by_an_older_copy_loses_no_newer_text(
    tmp_path: Path, pair: list[DeviceHome]
) -> None:
    one, two = pair
    shutil.copytree(one.home / "memory", tmp_path / "older")
    one.clock.advance(timedelta(hours=2))
    two.edit_record("staging", "Staging is called Heron, on port 8443.")
    for device in (two, one):
        device.sync()
    shutil.rmtree(one.home / "memory")
    shutil.copytree(tmp_path / "older", one.home / "memory")
    for device in (one, two, one):
        device.sync()
    assert one.export() == two.export()
    held = {name.partition("/")[0] for name, text in one.list_records().items() if "8443" in text}
    assert held == {"archive"}
    assert "8443" not in one.find_record("staging").read_text()


def test_an_edit_replaces_what_it_was_made_of_without_a_copy(pair: list[DeviceHome]) -> None:
    one, two = pair
    two.edit_record("staging", "Staging is called Heron, on port 8443.")
    for device in (two, one):
        device.sync()
    one.edit_record("staging", "Staging is called Owl.")
    for device in (one, two, one):
        assert device.sync().both_kept == 0
    assert len(two.list_records()) == 1


@pytest.mark.parametrize(("minutes", "kept"), [(5, 0), (50, 0), (70, 1)])
def test_an_edit_by_a_clock_that_is_slow_is_no_file_of_a_backup(
    pair: list[DeviceHome], minutes: int, kept: int
) -> None:
    one, two = pair
    one.edit_record("staging", "Staging is called Crane.")
    for device in (one, two):
        device.sync()
    two.edit_record("staging", "Staging is called Owl.")
    moment = two.find_record("staging").stat().st_mtime - 60 - minutes * 60
    os.utime(two.find_record("staging"), (moment, moment))
    for device in (two, one):
        device.sync()
    assert "Owl" in one.find_record("staging").read_text()
    assert sum(name.startswith("archive/") for name in one.list_records()) == kept


def test_a_home_from_a_backup_that_knew_no_forgetting_forgets_again(
    tmp_path: Path, pair: list[DeviceHome]
) -> None:
    one, two = pair
    one.remember("Umbrellas stand in the hall.")
    for device in (one, two, one):
        device.sync()
    shutil.copytree(one.home, tmp_path / "backup")
    one.clock.advance(timedelta(minutes=1))
    one.run("forget", match="Umbrellas", yes=True)
    for device in (one, two):
        device.sync()
    roll_back(one, tmp_path / "backup")
    assert len(one.list_records()) == 2
    one.clock.advance(timedelta(minutes=1))
    for device in (one, two, one):
        device.sync()
    assert one.export() == two.export()
    assert len(one.list_records()) == 1
    one.remember("Umbrellas stand in the hall.")
    for device in (one, two, one):
        device.sync()
    assert len(one.list_records()) == len(two.list_records()) == 2, "told again, it stands"


@pytest.mark.parametrize("days", [1, 400])
def test_a_clock_that_goes_backwards_loses_neither_edits_nor_forgetting(
    pair: list[DeviceHome], days: int
) -> None:
    one, two = pair
    one.edit_record("staging", "Staging is called Owl.")
    one.remember("Umbrellas stand in the hall.")
    for device in (one, two):
        device.sync()
    for device in pair:
        device.clock = ManualClock(one.clock.now() - timedelta(days=days))
    one.edit_record("staging", "Staging is called Crane.")
    one.run("forget", match="Umbrellas", yes=True)
    for device in (one, two, one):
        device.sync()
    assert one.export() == two.export()
    assert "Crane" in two.find_record("staging").read_text()
    assert not any("Umbrellas" in text for text in two.list_records().values())
    two.edit_record("staging", "Staging is called Stork.")
    two.remember("Umbrellas stand in the hall.")
    for device in (two, one, two):
        device.sync()
    assert one.export() == two.export()
    assert "Stork" in one.find_record("staging").read_text()
    assert any("Umbrellas" in text for text in one.list_records().values())


def test_pushes_at_the_same_time_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "remote.git"
    run_git("init", "--quiet", "--bare", str(place))
    devices = join_devices(tmp_path, ManualClock(START), place, "a", "b", "c")
    for device in devices:
        device.remember(f"{device.folder.name} was here.")
    children = []
    for device in devices:
        child = os.fork()
        if not child:
            try:
                device.run("sync run")
            except BaseException:  # noqa: BLE001 - a fork must not return
                os._exit(1)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    for device in devices:
        device.sync()
        assert len(device.list_records()) == 3


def correct_memory(device: DeviceHome, text: str) -> None:
    device.clock.advance(timedelta(minutes=1))
    call = device.open()
    (entry,) = call.home.journal.made(MAIN)
    call.home.journal.close()
    device.put_entry(observation.corrected(entry.document, text, device.clock.now()))


def test_an_edit_that_comes_beside_its_own_history_is_there_once(
    tmp_path: Path, remote: Path
) -> None:
    one, two, three = join_devices(tmp_path, ManualClock(START), remote, "a", "b", "c")
    one.observe("The build takes nine minutes.")
    for device in (one, two, three):
        device.sync()
    correct_memory(one, "The build takes eight minutes.")
    sync_offline(one, remote)
    correct_memory(two, "The build takes seven minutes.")
    # The first one sends its edit, and that the later one replaced it: the third hears of all.
    for device in (two, one, three, two, one, three):
        device.sync()
    lines = three.export()
    assert sum("eight" in line for line in lines) == 1
    assert one.export() == two.export() == lines
