"""Shelves that were lost: what is brought back, what cannot be, and what was only renamed."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from devices import SHOP, START, DeviceHome, join_devices, run_git

from gieok.commands.moving import sync_exchange
from gieok.errors import RemoteUnreachable
from gieok.hook import records
from gieok.testing import ManualClock

TEXTS = (
    "We lint with ruff.",
    "Staging is read-only.",
    "Deploys are on Tuesday.",
    "Invoices stay for ten years.",
)

pytestmark = pytest.mark.usefixtures("device_environment")


@pytest.fixture
def pair(pair: list[DeviceHome]) -> list[DeviceHome]:
    """Return two devices that know the same four records, of which the first told all."""
    one, two = pair
    for text in TEXTS:
        one.remember(text)
    for device in (one, two, one):
        device.sync()
    assert len(two.list_records()) == len(TEXTS)
    return pair


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
    assert len(two.list_records()) == len(TEXTS) + told
    assert not any(name.startswith("archive/") for name in two.list_records())


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
    assert len(two.list_records()) == len(TEXTS) + 1


def test_records_that_were_all_renamed_are_there_once(pair: list[DeviceHome]) -> None:
    one, two = pair
    for file in sorted((one.home / "memory").glob("*/*.md")):
        file.rename(file.with_name(f"renamed-{file.name}"))
    assert one.sync().brought_back == 0
    for device in (two, one):
        device.sync()
    assert one.export() == two.export()
    assert len(two.list_records()) == len(TEXTS)
    assert all("/renamed-" in name for name in two.list_records())


def test_what_cannot_be_brought_back_now_is_the_next_time(
    pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    two.remember("The cat is Miso.")
    for device in (two, one):
        device.sync()
    segment = min((remote / one.find_id()).glob("*.age"))
    whole = segment.read_bytes()
    segment.write_bytes(whole[:200])
    shutil.rmtree(one.home / "memory")
    for _ in range(2):
        done = one.sync()
        assert (done.vanished, done.found) == (len(TEXTS), False)
        assert [fault.kind for fault in done.faults] == [sync_exchange.DAMAGED]
        shutil.rmtree(one.home / "memory")
    two.edit_record("ruff", "We lint with ruff and mypy.")
    two.sync()
    done = one.sync()
    assert (done.brought_back, done.vanished) == (2, 3), "an edit of another device is read"
    segment.write_bytes(whole)
    assert one.sync().brought_back == 3
    two.sync()
    assert one.export() == two.export()
    assert sum("mypy" in text for text in two.list_records().values()) == 1


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
    assert len(two.list_records()) == len(TEXTS)


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
    assert len(one.list_records()) == len(TEXTS)


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


def sync_twice(*devices: DeviceHome) -> None:
    for device in devices * 2:
        done = device.sync()
        assert (done.brought_back, done.vanished) == (0, 0)


@pytest.mark.parametrize("edited", [1, 3, 4])
def test_what_is_corrected_is_not_brought_back(pair: list[DeviceHome], edited: int) -> None:
    one, two = pair
    for number, part in enumerate(("ruff", "staging", "tuesday", "invoices")[:edited]):
        one.edit_by_command(part, f"Rule {number} is another one.")
    sync_twice(one, two)
    assert one.export() == two.export()
    assert sum("another one" in text for text in two.list_records().values()) == edited
    assert len(two.list_records()) == len(TEXTS), "the old text is in the history alone"


def test_the_only_record_is_corrected_retired_and_restored(tmp_path: Path, remote: Path) -> None:
    one, two = join_devices(tmp_path, ManualClock(START), remote, "one", "two")
    one.remember("Staging is called Heron.")
    sync_twice(one, two)
    one.edit_by_command("heron", "Staging is called Osprey.")
    sync_twice(one, two)
    two.run("retire", memories=["staging-is-called-osprey"], user=True)
    sync_twice(two, one)
    for device in (one, two):
        assert list(device.list_records()) == ["retired/decision/staging-is-called-osprey.md"]
    one.run("restore", memories=["staging-is-called-osprey"], user=True)
    sync_twice(one, two)
    assert one.export() == two.export()
    assert list(two.list_records()) == ["memory/decision/staging-is-called-osprey.md"]


@pytest.fixture
def shops(pair: list[DeviceHome], source: Path) -> list[Path]:
    """Return the clones of a project in which the first device told two records."""
    run_git("-C", str(source), "remote", "add", "origin", SHOP)
    folders = [device.folder / "shop" for device in pair]
    for device, folder in zip(pair, folders, strict=True):
        shutil.copytree(source, folder)
        device.run("remember", folder, text=[f"Kim wrote this on {device.folder.name}."])
    for text in ("The shop sells owls.", "The shop opens at ten."):
        pair[0].run("remember", folders[0], text=[text])
    return folders


def test_most_records_of_a_project_are_corrected(pair: list[DeviceHome], shops: list[Path]) -> None:
    one, two = pair
    sync_twice(one, two)
    for part in ("owls", "opens", "on-one"):
        one.edit_by_command(part, f"No {part} any more.", shops[0])
    sync_twice(one, two)
    texts = [file.read_text() for file in sorted(shops[1].glob(".gieok/*/*/*.md"))]
    assert len(texts) == 4
    assert sum("any more" in text for text in texts) == 3


@pytest.mark.parametrize("kept", [0, 3])
def test_records_that_were_rewritten_and_renamed_by_hand_are_no_lost_shelf(
    pair: list[DeviceHome], kept: int
) -> None:
    one, two = pair
    for file in sorted((one.home / "memory").glob("*/*.md"))[kept:]:
        text = file.read_text()
        file.with_name(f"new-{file.name}").write_text(text[: text.rindex("---\n")] + "---\nNew.\n")
        file.unlink()
    sync_twice(one, two)
    assert one.export() == two.export()
    in_use = [name for name in two.list_records() if name.startswith("memory/")]
    assert sum("/new-" in name for name in in_use) == len(TEXTS) - kept
    assert len(in_use) == len(TEXTS)


def test_one_record_that_is_left_does_not_stand_for_those_of_the_same_time(
    pair: list[DeviceHome],
) -> None:
    one, two = pair
    files = sorted((one.home / "memory").glob("*/*.md"))
    for file in files:
        head = "\n".join(line for line in file.read_text().split("\n") if "created:" not in line)
        file.write_text(head.replace("---\n", "---\ncreated: 2026-03-02T09:00:00Z\n", 1))
    sync_twice(one, two)
    for file in files[1:]:
        file.unlink()
    files[0].rename(files[0].with_name("another.md"))
    assert one.sync().brought_back == 3


def test_retired_records_whose_time_is_over_are_no_lost_shelf(pair: list[DeviceHome]) -> None:
    one, two = pair
    for part in ("ruff", "staging", "tuesday"):
        one.run("retire", memories=[one.find_record(part).stem], user=True)
    sync_twice(one, two)
    one.clock.advance(timedelta(days=records.GRACE_DAYS + 1))
    one.remember("Lunch is at noon.")
    sync_twice(one, two)
    assert one.export() == two.export()
    assert sorted(name.partition("/")[0] for name in two.list_records()) == ["memory", "memory"]


def test_a_retired_shelf_that_is_lost_is_put_away_elsewhere(pair: list[DeviceHome]) -> None:
    one, two = pair
    for part in ("ruff", "staging", "tuesday"):
        one.run("retire", memories=[one.find_record(part).stem], user=True)
    sync_twice(one, two)
    shutil.rmtree(one.home / "retired")
    sync_twice(one, two)
    held = sorted(name.partition("/")[0] for name in two.list_records())
    assert held == ["archive", "archive", "archive", "memory"]


def test_what_commands_removed_does_not_make_a_lost_rest_a_few(pair: list[DeviceHome]) -> None:
    one, _ = pair
    for part in ("ruff", "staging"):
        one.edit_by_command(part, f"No {part} any more.")
    for part in ("tuesday", "invoices"):
        one.find_record(part).unlink()
    assert one.sync().brought_back == 2


@pytest.mark.parametrize("is_edited_first", [True, False])
def test_forgetting_reaches_what_was_corrected_before_it(
    pair: list[DeviceHome], *, is_edited_first: bool
) -> None:
    one, two = pair
    if not is_edited_first:
        two.clock.advance(timedelta(minutes=1))
        two.run("forget", match="ruff", yes=True)
    one.edit_by_command("ruff", "We lint with pylint.")
    one.date_file(one.find_record("pylint"))
    one.edit_by_command("pylint", "We lint with flake8.")
    one.date_file(one.find_record("flake8"))
    if is_edited_first:
        two.clock.advance(timedelta(minutes=1))
        two.run("forget", match="ruff", yes=True)
    sync_twice(one, two)
    sync_twice(one, two)
    assert one.list_records() == two.list_records()
    assert any("flake8" in text for text in two.list_records().values()) is not is_edited_first


def test_one_correction_by_an_agent_and_by_a_person_is_one_record(pair: list[DeviceHome]) -> None:
    one, two = pair
    one.edit_by_command("ruff", "We lint with pylint.", by_agent=True)
    two.edit_by_command("ruff", "We lint with pylint.")
    sync_twice(one, two)
    sync_twice(one, two)
    assert one.list_records() == two.list_records()
    assert len(one.list_records()) == len(TEXTS)


def test_a_secret_that_is_cut_out_of_a_title_leaves_no_second_record(
    tmp_path: Path, remote: Path
) -> None:
    one, two = join_devices(tmp_path, ManualClock(START), remote, "one", "two")
    one.remember("We lint with ruff.")
    secret = "sk-ant-api03-" + "a1B2c3D4" * 11
    file = one.find_record("ruff")
    text = file.read_text().replace("We lint with ruff.", f"The key is {secret}.")
    named = file.with_name(f"{records.slug(f'The key is {secret}.')}.md")
    named.write_text(text)
    file.unlink()
    sync_twice(one, two)
    one.run("redact", all=True, apply=True)
    assert named.exists() is False
    sync_twice(one, two)
    assert one.list_records() == two.list_records()
    assert not any(secret in text for text in two.list_records().values())


def test_what_was_told_in_the_place_of_a_renamed_record_is_forgotten_alone(
    pair: list[DeviceHome],
) -> None:
    one, two = pair
    one.edit_by_command("ruff", "We lint with pylint.")
    one.date_file(one.find_record("pylint"))
    one.remember(TEXTS[0])
    one.clock.advance(timedelta(minutes=1))
    one.run("forget", match="ruff", yes=True)
    sync_twice(one, two)
    sync_twice(two, one)
    assert one.list_records() == two.list_records()
    assert any("pylint" in text for text in two.list_records().values())


@pytest.mark.parametrize("is_there", [True, False])
def test_a_shelf_that_leads_elsewhere_is_said_and_nothing_of_it_is_sent(
    tmp_path: Path, pair: list[DeviceHome], *, is_there: bool
) -> None:
    one, two = pair
    shelf, disk = one.home / "memory", tmp_path / "disk"
    shelf.rename(disk)
    shelf.symlink_to(disk)
    if not is_there:
        disk.rename(tmp_path / "away")
    two.edit_record("ruff", "We lint with pylint.")
    two.sync()
    for _ in range(2):
        done = one.sync()
        assert done.links == (str(shelf),)
        assert (done.vanished, done.brought_back, done.rejected, done.sent) == (0, 0, (), 0)
        assert done.waiting_for == {sync_exchange.LINKED: 1}
    two.sync()
    assert len(two.list_records()) == len(TEXTS)
    shelf.unlink()
    (disk if is_there else tmp_path / "away").rename(shelf)
    for device in (one, two):
        done = device.sync()
    assert (done.links, done.waiting) == ((), 0)
    assert one.list_records() == two.list_records()
    assert "pylint" in one.find_record("ruff").read_text()
