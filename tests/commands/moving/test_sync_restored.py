"""Homes and shelves that were put back to an earlier state, and clocks that go backwards."""

import shutil
from pathlib import Path

import pytest
from devices import START, DeviceHome, join_devices

from gieok.errors import RemoteUnreachable
from gieok.memory.exchange.versions import ItemVersion, VersionOrder, compare_versions
from gieok.testing import ManualClock


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "GIEOK_HOME"):
        monkeypatch.setenv(name, "/nowhere")
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    place = tmp_path / "remote"
    place.mkdir()
    return place


@pytest.fixture
def pair(tmp_path: Path, remote: Path) -> list[DeviceHome]:
    one, two = join_devices(tmp_path, ManualClock(START), remote, "one", "two")
    one.remember("Staging is called Heron.")
    for device in (one, two, one):
        device.sync()
    return [one, two]


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
        one.edit("staging", f"Staging is called {name}.")
        one.sync()
    two.sync()
    roll_back(one, tmp_path / "snapshot")
    assert "Heron" in one.record("staging").read_text()
    one.edit("staging", "Staging is called Swan.")
    if is_offline:
        sync_offline(one, remote)
    for device in (one, two, one, two):
        device.sync()
    assert one.export() == two.export()
    assert "Swan" in two.record("staging").read_text()
    assert any("Stork" in text for text in two.records().values()), "the other one is put away"


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
