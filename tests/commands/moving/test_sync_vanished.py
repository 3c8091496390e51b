"""Shelves that were lost: what is brought back, what cannot be, and what was only renamed."""

import shutil
from pathlib import Path

import pytest
from devices import START, DeviceHome, join_devices

from gieok.commands.moving import sync_exchange
from gieok.errors import RemoteUnreachable
from gieok.testing import ManualClock

TEXTS = (
    "We lint with ruff.",
    "Staging is read-only.",
    "Deploys are on Tuesday.",
    "Invoices stay for ten years.",
)


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
    """Return two devices that know the same four records, of which the first told all."""
    one, two = join_devices(tmp_path, ManualClock(START), remote, "one", "two")
    for text in TEXTS:
        one.remember(text)
    for device in (one, two, one):
        device.sync()
    assert len(two.records()) == len(TEXTS)
    return [one, two]


def list_own_segments(device: DeviceHome, remote: Path) -> list[Path]:
    call = device.open()
    setup = call.home.sync.find_setup()
    call.home.journal.close()
    assert setup is not None
    return sorted((remote / setup.device).glob("*.age"))


@pytest.mark.parametrize("told", [1, 2, 5])
def test_what_is_told_on_a_lost_shelf_does_not_make_it_whole(
    pair: list[DeviceHome], told: int
) -> None:
    one, two = pair
    shutil.rmtree(one.home / "memory")
    for number in range(told):
        one.remember(f"Room {number} is on the left.")
    assert one.sync().brought_back == len(TEXTS)
    for device in (two, one):
        device.sync()
    assert one.export() == two.export()
    assert len(two.records()) == len(TEXTS) + told
    assert not any(name.startswith("archive/") for name in two.records())


def test_a_lost_shelf_is_not_sent_offline_either(pair: list[DeviceHome], remote: Path) -> None:
    one, two = pair
    shutil.rmtree(one.home / "memory")
    one.remember("Lunch is at noon.")
    remote.rename(remote.with_name("away"))
    with pytest.raises(RemoteUnreachable):
        one.sync()
    remote.with_name("away").rename(remote)
    assert one.sync().brought_back == len(TEXTS)
    two.sync()
    assert one.export() == two.export()
    assert len(two.records()) == len(TEXTS) + 1


def test_records_that_were_all_renamed_are_there_once(pair: list[DeviceHome]) -> None:
    one, two = pair
    for file in sorted((one.home / "memory").glob("*/*.md")):
        file.rename(file.with_name(f"renamed-{file.name}"))
    assert one.sync().brought_back == 0
    for device in (two, one):
        device.sync()
    assert one.export() == two.export()
    assert len(two.records()) == len(TEXTS)
    assert all("/renamed-" in name for name in two.records())


def test_what_cannot_be_brought_back_now_is_the_next_time(
    pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    two.remember("The cat is Miso.")
    for device in (two, one):
        device.sync()
    segment = list_own_segments(one, remote)[0]
    whole = segment.read_bytes()
    segment.write_bytes(whole[:200])
    shutil.rmtree(one.home / "memory")
    for _ in range(2):
        done = one.sync()
        assert (done.vanished, done.found) == (len(TEXTS), False)
        assert [fault.kind for fault in done.faults] == [sync_exchange.DAMAGED]
        shutil.rmtree(one.home / "memory")
    two.edit("ruff", "We lint with ruff and mypy.")
    two.sync()
    done = one.sync()
    assert (done.brought_back, done.vanished) == (2, 3), "an edit of another device is read"
    segment.write_bytes(whole)
    assert one.sync().brought_back == 3
    two.sync()
    assert one.export() == two.export()
    assert sum("mypy" in text for text in two.records().values()) == 1


def test_what_is_nowhere_in_the_remote_comes_from_a_device_that_has_it(
    pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    for device in list(remote.iterdir()):
        shutil.rmtree(device)
    shutil.rmtree(two.home / "memory")
    assert two.sync().vanished == len(TEXTS)
    for device in (one, two):
        device.sync()
    assert one.export() == two.export()
    assert len(two.records()) == len(TEXTS)


def test_what_a_device_lost_with_its_own_segments_comes_from_one_that_has_it(
    pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    for device in list(remote.iterdir()):
        shutil.rmtree(device)
    shutil.rmtree(one.home / "memory")
    assert one.sync().vanished == len(TEXTS)
    two.run("sync run", anew=True)
    one.sync()
    assert one.export() == two.export()
    assert len(one.records()) == len(TEXTS)


def test_what_only_waits_to_be_sent_is_brought_back_too(
    pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    for text in ("Lunch is at noon.", "The cat is Miso.", "The dog is Rex.", "The key is blue."):
        one.remember(text)
    remote.rename(remote.with_name("away"))
    with pytest.raises(RemoteUnreachable):
        one.sync()
    remote.with_name("away").rename(remote)
    shutil.rmtree(one.home / "memory")
    assert one.sync().brought_back == 8
    two.sync()
    assert one.export() == two.export()
