"""What must cost no memory on another device: second clones, lost folders, copies, clocks."""

import json
import os
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from devices import MAIN, SHOP, START, DeviceHome, join_devices, make_clone, run_git
from synced_month import sync_killed

from gieok import errors
from gieok.commands.command import Style
from gieok.commands.memory.untrusted import grant_record_trust
from gieok.commands.moving import sync_exchange
from gieok.commands.moving.sync import render_sync
from gieok.errors import BadConfig, GieokError, RemoteUnreachable, Withheld, WrongKey
from gieok.home.sync import HomeSync
from gieok.memory import observation
from gieok.memory.exchange.segments import dump_segment
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.model.memory import Scope
from gieok.places.home import projects_file
from gieok.places.project import known_projects
from gieok.ports.sync import build_checksum
from gieok.testing import ManualClock

pytestmark = pytest.mark.usefixtures("device_environment")


TEXTS = ("The shop ships on Friday.", "The shop closes at six.", "The shop is in Busan.")


def list_project_records(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob(".gieok/memory/*/*.md"))


def tell_shop(pair: list[DeviceHome], source: Path) -> list[Path]:
    folders = [make_clone(source, device.folder / "shop", SHOP) for device in pair]
    for text in TEXTS:
        pair[0].clock.advance(timedelta(minutes=1))
        pair[0].run("remember", folders[0], text=[text])
    pair[0].sync()
    pair[1].run("remember", folders[1], text=["The shop sells umbrellas."])
    for device in (pair[1], pair[0], pair[1]):
        device.sync()
    assert [len(list_project_records(folder)) for folder in folders] == [4, 4]
    return folders


def test_a_second_clone_takes_nothing_from_the_first(pair: list[DeviceHome], source: Path) -> None:
    one, two = pair
    folders = tell_shop(pair, source)
    again = make_clone(source, one.folder / "another", SHOP)
    one.run("remember", again, text=["The second clone is for trials."])
    for device in (one, two, one, two):
        device.sync()
    assert [len(list_project_records(folder)) for folder in folders] == [4, 4]
    assert list_project_records(again) == ["the-second-clone-is-for-trials.md"]
    assert not list(two.folder.glob("shop/.gieok/archive/*/*.md"))


def test_products_of_one_starter_are_several_projects(pair: list[DeviceHome], source: Path) -> None:
    folders = [
        make_clone(source, device.folder / "product", origin)
        for device, origin in zip(pair, (SHOP, "git@example.org:kim/bank.git"), strict=True)
    ]
    for device, folder in zip(pair, folders, strict=True):
        device.run("remember", folder, text=[f"This is the product of {device.folder.name}."])
    for device in (*pair, *pair):
        device.sync()
    assert [list_project_records(folder) for folder in folders] == [
        ["this-is-the-product-of-one.md"],
        ["this-is-the-product-of-two.md"],
    ]


@pytest.mark.parametrize("is_told", [True, False])
def test_a_clone_that_was_made_again_has_its_memory_back(
    pair: list[DeviceHome], source: Path, *, is_told: bool
) -> None:
    one, two = pair
    folders = tell_shop(pair, source)
    shutil.rmtree(folders[0])
    make_clone(source, folders[0], SHOP)
    if is_told:
        one.run("remember", folders[0], text=["The shop was cloned again."])
    done = one.sync()
    assert done.brought_back == 4
    for device in (two, one):
        device.sync()
    assert [len(list_project_records(folder)) for folder in folders] == [4 + is_told] * 2


def test_a_folder_that_was_lost_is_brought_back_after_a_kill(
    pair: list[DeviceHome], source: Path
) -> None:
    one, two = pair
    folders = tell_shop(pair, source)
    for step in range(3, 120, 9):
        shutil.rmtree(folders[0])
        make_clone(source, folders[0], SHOP)
        sync_killed(one, step)
        for device in (one, two):
            device.sync()
        assert [len(list_project_records(folder)) for folder in folders] == [4, 4], step


def test_a_record_that_no_command_removed_is_put_away_on_other_devices(
    pair: list[DeviceHome],
) -> None:
    one, two = pair
    for text in ("We lint with ruff.", "Staging is read-only.", "Deploys are on Tuesday."):
        one.remember(text)
    one.sync()
    two.sync()
    one.find_record("ruff").unlink()
    for device in (one, two, one, two):
        device.sync()
    assert one.export() == two.export()
    held = {name.partition("/")[0] for name, text in two.list_records().items() if "ruff" in text}
    assert held == {"archive"}


def copy_home(device: DeviceHome, folder: Path) -> DeviceHome:
    twin = DeviceHome(folder, device.clock)
    twin.home.rmdir()
    subprocess.run(["cp", "-a", str(device.home), str(twin.home)], check=True)
    return twin


def test_two_copies_of_a_home_over_a_slow_folder_lose_nothing(
    tmp_path: Path, pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    for device in (one, two, one):
        device.sync()
    twin, slow = copy_home(one, tmp_path / "twin"), tmp_path / "slow"
    shutil.copytree(remote, slow)
    point_at(twin, slow)
    one.remember("Copy one learned apples.")
    twin.remember("Copy two learned pears.")
    one.sync()
    twin.sync()
    for file in slow.rglob("*.age"):
        there = remote / file.relative_to(slow)
        if there.exists() and there.read_bytes() != file.read_bytes():
            there = there.with_name(f"{there.stem} (conflicted copy).age")
        shutil.copy(file, there)
    point_at(twin, remote)
    for device in (one, twin, two) * 2:
        device.sync()
    assert one.export() == two.export() == twin.export()
    assert len(two.list_records()) == 2


def point_at(device: DeviceHome, remote: Path) -> None:
    file = device.home / "sync" / "sync.json"
    row = json.loads(file.read_text())
    file.write_text(json.dumps({**row, "remote": str(remote)}))


def test_what_does_not_read_as_it_was_written_is_sent_again(
    pair: list[DeviceHome], remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = pair
    remote.rename(remote.with_name("away"))
    one.remember("We lint with ruff.")
    with pytest.raises(RemoteUnreachable):
        one.sync()
    remote.with_name("away").rename(remote)
    (waiting,) = (one.home / "sync" / "outbox").glob("*.age")
    device = one.find_id()
    (remote / device).mkdir()
    (remote / device / waiting.name).write_bytes(b"half")
    one.sync()
    assert not list((one.home / "sync" / "outbox").iterdir())
    assert [fault.kind for fault in two.sync().faults] == [sync_exchange.DAMAGED]
    assert len(two.list_records()) == 1


def test_a_renamed_segment_is_a_fault(pair: list[DeviceHome], remote: Path) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.sync()
    (segment,) = remote.glob("*/*.age")
    segment.rename(segment.with_name(f"{segment.stem} (conflicted copy).age"))
    assert [fault.kind for fault in two.sync().faults] == [sync_exchange.STRAY]


def test_a_remote_that_was_made_again_is_filled_again(
    tmp_path: Path, pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.observe("The build takes nine minutes.")
    one.say("m1", "The umbrella is blue.")
    two.say("m2", "The umbrella is red.")
    for device in (one, two, one):
        device.sync()
    two.edit_record("ruff", "We lint with ruff and mypy.")
    shutil.rmtree(remote)
    remote.mkdir()
    one.sync()
    key = tmp_path / "later.key"
    one.run("sync key", to=str(key))
    three = DeviceHome(tmp_path / "three", one.clock)
    three.run("sync init", remote=str(remote), key_file=str(key))
    three.sync()
    assert three.export() == one.export(), "what is here of others is sent too"
    for device in (two, one, three):
        device.sync()
    assert one.export() == two.export() == three.export()
    assert "mypy" in one.find_record("ruff").read_text()
    assert len(set(one.export())) == len(one.export())


@pytest.mark.parametrize("is_setup_lost", [True, False])
def test_a_key_for_a_home_that_had_synchronised_doubles_nothing(
    tmp_path: Path, pair: list[DeviceHome], remote: Path, source: Path, *, is_setup_lost: bool
) -> None:
    one, two = pair
    plain = one.folder / "plain"
    run_git("clone", "--quiet", str(source), str(plain))
    one.run("remember", plain, text=["The plain project has no host."])
    made = Observation("The plain port is 9.", START, Priority.HIGH, Category.DECISION)
    scope = Scope(known_projects(str(one.home))[str(plain)].scope)
    (entry,) = observation.build_observed_entries(scope, Observed((made,)), one.clock.now())
    one.put_entry(entry)
    for device in (one, two, one):
        device.sync()
    before = one.export(), two.export()
    key = tmp_path / "again.key"
    one.run("sync key", to=str(key))
    if is_setup_lost:
        (one.home / "sync" / "sync.json").unlink()
    one.run("sync init", remote=str(remote), key_file=str(key))
    for device in (one, two, one):
        device.sync()
    assert (one.export(), two.export()) == before


@pytest.mark.parametrize("hours", [1, -1, 0])
def test_what_is_told_again_after_it_was_forgotten_stands(
    pair: list[DeviceHome], clock: ManualClock, hours: int
) -> None:
    one, two = pair
    one.remember("The safe code is with Kim.")
    for device in (one, two):
        device.sync()
    one.run("forget", match="safe code", yes=True)
    one.sync()
    two.clock = ManualClock(clock.now() + timedelta(hours=hours))
    two.sync()
    assert not two.list_records()
    two.run("remember", text=["The safe code is with Kim."], user=True)
    for device in (two, one, two, one):
        device.sync()
    assert len(one.list_records()) == 1
    assert one.export() == two.export()


def test_what_is_told_again_in_the_second_of_the_forgetting_stands(
    pair: list[DeviceHome],
) -> None:
    one, two = pair
    one.remember("The port is 80.")
    for device in (one, two):
        device.sync()
    one.run("forget", match="port is", yes=True)
    one.run("remember", text=["The port is 80."], user=True)
    two.remember("Staging is read-only.")
    for device in (two, one, two, one):
        device.sync()
    assert len(one.list_records()) == 2
    assert one.export() == two.export()


def test_what_is_forgotten_again_after_it_was_told_again_is_gone(
    pair: list[DeviceHome],
) -> None:
    one, two = pair
    for device in (one, two):
        device.remember("The safe code is with Kim.")
        for other in (device, one, two, one):
            other.sync()
        device.clock.advance(timedelta(minutes=1))
        device.run("forget", match="safe code", yes=True)
        for other in (device, one, two, one):
            other.sync()
        assert not one.list_records()
        assert not two.list_records()


@pytest.mark.parametrize("hours", [1, -1, 120, -120])
@pytest.mark.parametrize("is_skewed_first", [True, False])
def test_a_second_forgetting_holds_whatever_the_clocks_say(
    pair: list[DeviceHome], clock: ManualClock, *, hours: int, is_skewed_first: bool
) -> None:
    first, second = pair if is_skewed_first else (pair[1], pair[0])
    pair[0].clock = ManualClock(clock.now() + timedelta(hours=hours))
    second.remember("The safe code is with Kim.")
    for device in (second, first):
        device.sync()
    for device, other in ((first, second), (second, first), (first, second)):
        device.clock.advance(timedelta(seconds=5))
        device.run("forget", match="safe code", yes=True)
        for one in (device, other, device):
            one.sync()
        assert not device.list_records(), "forgotten here"
        assert not other.list_records(), "forgotten there"
        other.clock.advance(timedelta(minutes=1))
        other.remember("The safe code is with Kim.")
        for one in (other, device, other):
            one.sync()
        assert len(device.list_records()) == len(other.list_records()) == 1, "told again"


def test_what_nobody_trusted_is_not_sent(pair: list[DeviceHome], source: Path) -> None:
    one, two = pair
    folders = tell_shop(pair, source)
    file = next(folders[0].glob(".gieok/memory/*/the-shop-ships*.md"))
    strange = file.with_name("strange.md")
    strange.write_text(file.read_text().replace("ships on Friday", "gives everything away"))
    changed = file.read_text()
    file.write_text(changed.replace("Friday", "Sunday"))
    for device in (one, two, one):
        device.sync()
    assert "strange.md" not in list_project_records(folders[1])
    there = next(folders[1].glob(".gieok/memory/*/the-shop-ships*.md"))
    assert "Friday" in there.read_text()
    there.write_text(there.read_text().replace("Friday", "Monday"))
    two.date_file(there)
    grant_record_trust(two.home, folders[1] / ".gieok", there)
    assert (two.sync().sent, one.sync().waiting) == (1, 1)
    assert "Sunday" in file.read_text(), "what waits for trust is not written over"


def test_an_excluded_folder_and_a_pause_are_asked(pair: list[DeviceHome], source: Path) -> None:
    one, two = pair
    folders = tell_shop(pair, source)
    one.run("remember", folders[0], text=["The shop has a secret door."])
    two.run("remember", folders[1], text=["The shop has a window."])
    one.flags = {"exclude.folders": str(folders[0])}
    for device in (one, two, one, two):
        device.sync()
    assert len(list_project_records(folders[1])) == 5
    assert len(list_project_records(folders[0])) == 5
    one.flags = {}
    for device in (one, two, one):
        device.sync()
    assert [len(list_project_records(folder)) for folder in folders] == [6, 6]
    one.run("pause")
    with pytest.raises(Withheld):
        one.sync()


@pytest.mark.parametrize("loss", ["folder", "list"])
def test_memory_of_an_excluded_project_stays_when_its_folder_is_gone(
    pair: list[DeviceHome], source: Path, loss: str
) -> None:
    one, two = pair
    folder = make_clone(source, one.folder / "shop", SHOP)
    one.run("remember", folder, text=["The shop has a secret door."])
    scope = Scope(known_projects(str(one.home))[str(folder)].scope)
    made = Observation("The door is green.", START, Priority.HIGH, Category.DECISION)
    (entry,) = observation.build_observed_entries(scope, Observed((made,)), one.clock.now())
    one.put_entry(entry)
    one.flags = {"exclude.folders": str(folder)}
    assert one.sync().sent == 1, "this device alone"
    known = Path(projects_file(str(one.home)))
    for path in (folder, known)[: 1 + (loss == "list")]:
        path.rename(path.with_name("hidden"))
    done = one.sync()
    assert (done.sent, done.unplaced) == (0, int(loss == "list"))
    if loss == "list":
        one.flags = {"exclude.folders": str(one.folder / "elsewhere")}
        assert one.sync().sent == 0, "nobody knows where the project lay"
        known.with_name("hidden").rename(known)
    one.flags = {}
    assert one.sync().sent > 0
    assert two.sync().taken > 0


def test_what_waits_for_its_project_stands_nowhere_here(
    pair: list[DeviceHome], source: Path
) -> None:
    one, two = pair
    folder = make_clone(source, one.folder / "shop", SHOP)
    one.run("remember", folder, text=["Umbrellas stand in the shop."])
    one.sync()
    assert two.sync().waiting > 0
    call = two.open()
    data = Path(call.home.journal.location)
    call.home.journal.close()
    for file in data.parent.glob(f"{data.name}*"):
        assert b"mbrella" not in file.read_bytes()
    one.run("forget", match="Umbrellas", yes=True)
    one.sync()
    there = make_clone(source, two.folder / "shop", SHOP)
    two.run("remember", there, text=["The shop closes at six."])
    two.sync()
    assert two.sync().waiting == 0
    assert list_project_records(there) == ["the-shop-closes-at-six.md"]


def test_every_error_has_a_status() -> None:
    codes, kinds = set(), [GieokError]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        codes.add(kind.code)
    assert codes <= errors.STATUS.keys()


def test_what_lies_in_the_remote_stops_nothing(pair: list[DeviceHome], remote: Path) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.sync()
    (segment,) = remote.glob("*/*.age")
    device = remote / "cccccccc"
    device.mkdir()
    (device / f"000001-{'0' * 16}.age").mkdir()
    os.mkfifo(device / f"000002-{'0' * 16}.age")
    (device / f"000003-{'0' * 16}.age").symlink_to(segment)
    with (device / f"000004-{'0' * 16}.age").open("wb") as huge:
        huge.truncate(1 << 40)
    (remote / "dddddddd").symlink_to(segment.parent)
    (remote / "lost+found").mkdir(mode=0)
    done = two.sync()
    assert len(two.list_records()) == 1
    assert [fault.kind for fault in done.faults] == [sync_exchange.DAMAGED] * 4


@pytest.mark.parametrize(
    "row",
    [
        5,
        {"x": 1},
        {"is": "message", "item": "message:1", "scope": "agent:main"},
        {"is": "record", "item": "record:1"},
        {"is": "record", "item": "record:1", "scope": "device:x", "version": "[]"},
        {"is": "memory", "item": "memory:1", "scope": "agent:main", "version": "nope"},
        {"is": "memory", "item": "memory:1", "scope": "agent:main", "over": 5},
        {"is": "key", "generation": "a", "by": "b", "identity": "junk"},
        {"is": "key", "generation": 1, "by": "b", "identity": "junk"},
        {"is": "device"},
        {"is": "anew", "device": "x"},
        {"is": "record", "item": "record:1", "scope": "../../x", "version": "[]"},
        {"is": "record", "item": "record:1", "scope": "device:x|", "version": "[]"},
        {"is": "record", "item": "record:1", "scope": "device:x:../..|", "version": "[]"},
        {"is": "record", "item": "record:1", "scope": "project:shop", "version": "[]"},
        {"is": "record", "item": "record:1", "scope": "x|", "version": "[]"},
    ],
)
def test_a_row_of_another_form_stops_nothing(
    pair: list[DeviceHome], remote: Path, row: object
) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.sync()
    call = one.open()
    data = call.home.sync.seal(dump_segment([row], {}))  # type: ignore[list-item]
    call.home.journal.close()
    file = remote / "00000000" / f"000001-{build_checksum(data)}.age"
    file.parent.mkdir()
    file.write_bytes(data)
    assert "Error" not in str(two.run("sync run").rejected)
    assert len(two.list_records()) == 1
    two.remember("Staging is read-only.")
    two.run("sync run")
    one.run("sync run")
    assert len(one.list_records()) == 2


def test_what_is_not_understood_is_said_in_the_user_s_language_without_its_title(
    pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    row = {
        "is": "record",
        "item": "record:1",
        "scope": "agent:main",
        "version": json.dumps(["2026-03-02T10:00:00.000000+00:00", "dddddddd", {"d": 1}, "ab"]),
        "shelf": "memory",
        "path": "../../my-secret-title.md",
        "text": "x",
    }
    call = one.open()
    data = call.home.sync.seal(dump_segment([row], {}))
    call.home.journal.close()
    file = remote / "00000000" / f"000001-{build_checksum(data)}.age"
    file.parent.mkdir()
    file.write_bytes(data)
    shown = render_sync(two.run("sync run"), Style("ko", colour=False))
    assert "record:1: 기록이 있을 자리가 아닌 곳을 가리킵니다" in shown
    assert "secret" not in shown


def test_a_missing_key_is_named(pair: list[DeviceHome]) -> None:
    one, _ = pair
    one.sync()
    (one.home / "keys" / "sync.txt").unlink()
    with pytest.raises(BadConfig) as caught:
        one.sync()
    assert "sync key --to" in caught.value.hint


def test_a_changed_key_is_in_use_whatever_the_clock_says(
    pair: list[DeviceHome], clock: ManualClock
) -> None:
    one, two = pair
    for device in (one, two, one):
        device.sync()
    clock.advance(timedelta(days=-365))
    one.run("sync rotate")
    two.sync()
    for device in (one, two):
        call = device.open()
        keys = HomeSync(call.home).list_keys()
        call.home.journal.close()
        assert [key.generation for key in keys] == [2, 1]


def test_a_secret_that_the_user_wrote_is_put_away_not_lost(pair: list[DeviceHome]) -> None:
    one, two = pair
    secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    one.remember("Deploy with the token.")
    one.edit_record("deploy", f"Deploy with {secret} now.")
    one.sync()
    two.sync()
    two.edit_record("deploy", "Deploy with the other token, on Friday.")
    two.sync()
    one.sync()
    assert "on Friday" in one.find_record("deploy").read_text()
    assert any(secret in text for name, text in one.list_records().items() if "archive" in name)
    assert secret not in "".join(two.list_records().values())


def test_git_asks_the_user_s_ssh_and_names_nobody(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "remote.git"
    run_git("init", "--quiet", "--bare", str(place))
    hook = place / "hooks" / "pre-receive"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    (one,) = join_devices(tmp_path, clock, place, "one")
    config = one.folder / ".gitconfig"
    config.write_text(f'[core]\n\tsshCommand = "touch {tmp_path}/ssh-used; false"\n')
    one.environment = {"GIT_AUTHOR_EMAIL": "kim@example.org", "GIT_COMMITTER_NAME": "Kim"}
    one.remember("We lint with ruff.")
    one.sync()
    shown = subprocess.run(
        ["git", "-C", str(place), "log", "--format=%an %ae %cn %ce", "gieok-sync"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert set(shown.split()) == {"gieok", "gieok@localhost"}
    assert not (tmp_path / "ran").exists()
    with pytest.raises(RemoteUnreachable) as caught:
        one.run("sync init", remote="ssh://kim:pass@localhost/nowhere.git")
    assert (tmp_path / "ssh-used").exists()
    assert "pass" not in str(caught.value)


def test_many_small_segments_are_taken_at_once(
    pair: list[DeviceHome], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = pair
    for number in range(5):
        one.observe(f"Thing {number} is blue.")
        one.sync()
    scopes = []
    take = sync_exchange.ScopeTaking.take
    monkeypatch.setattr(
        sync_exchange.ScopeTaking,
        "take",
        lambda self, rows: (scopes.append(self.shared_scope.scope), take(self, rows))[1],
    )
    done = two.sync()
    assert scopes == [MAIN]
    assert done.sent == 1, "this device alone: what came from others is there"


def test_a_file_of_a_backup_is_not_told_again(pair: list[DeviceHome]) -> None:
    one, two = pair
    one.remember("The safe code is with Kim.")
    for device in (one, two):
        device.sync()
    ((name, text),) = two.list_records().items()
    one.clock.advance(timedelta(hours=1))
    one.run("forget", match="safe code", yes=True)
    for device in (one, two):
        device.sync()
    file = two.home / name
    file.write_text(text)
    one.remember("Staging is read-only.")
    for device in (one, two, one, two):
        device.sync()
    assert not file.exists()
    assert len(one.list_records()) == len(two.list_records()) == 1


def test_records_of_another_branch_are_neither_removed_nor_brought_back(
    pair: list[DeviceHome], source: Path
) -> None:
    one, two = pair
    folders = tell_shop(pair, source)
    run_git("-C", str(folders[0]), "checkout", "--quiet", "-b", "with-records")
    run_git("-C", str(folders[0]), "add", ".gieok")
    run_git("-C", str(folders[0]), "commit", "--quiet", "-m", "records")
    one.sync()
    run_git("-C", str(folders[0]), "checkout", "--quiet", "-")
    for device in (one, two):
        assert device.sync().brought_back == 0
    assert [len(list_project_records(folder)) for folder in folders] == [0, 4]


def test_a_new_remote_under_a_new_key_shuts_a_lost_device_out(
    tmp_path: Path, pair: list[DeviceHome]
) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    for device in (one, two, one):
        device.sync()
    one.run("sync rotate")
    two.sync()
    lost = (two.home / "keys" / "sync.txt").read_text()
    place, key = tmp_path / "new", tmp_path / "new.key"
    place.mkdir()
    (one.home / "keys" / "sync.txt").unlink()
    one.run("sync init", remote=str(place))
    one.run("sync key", to=str(key))
    two.run("sync init", remote=str(place), key_file=str(key))
    two.remember("Staging is read-only.")
    for device in (two, one, two):
        assert device.sync().faults == ()
    assert one.export() == two.export()
    assert len(one.list_records()) == 2
    (two.home / "keys" / "sync.txt").write_text(lost)
    call = two.open()
    for segment in place.glob("*/*.age"):
        with pytest.raises(WrongKey):
            call.home.sync.open(segment.read_bytes(), "it")
    call.home.journal.close()


def test_a_folder_that_both_devices_lost_comes_back(pair: list[DeviceHome], source: Path) -> None:
    one, two = pair
    folders = tell_shop(pair, source)
    for folder in folders:
        shutil.rmtree(folder)
        make_clone(source, folder, SHOP)
    for device in (one, two):
        assert device.sync().brought_back == 4
    assert [len(list_project_records(folder)) for folder in folders] == [4, 4]


def test_an_edit_meanwhile_is_not_kept_twice_where_a_shelf_is_brought_back(
    pair: list[DeviceHome],
) -> None:
    one, two = pair
    for text in ("We lint with ruff.", "Staging is read-only.", "Deploys are on Tuesday."):
        one.remember(text)
    for device in (one, two):
        device.sync()
    shutil.rmtree(one.home / "memory")
    two.edit_record("ruff", "We lint with ruff and mypy.")
    two.sync()
    assert one.sync().brought_back == 3
    two.sync()
    assert one.export() == two.export()
    assert sum("mypy" in text for text in one.list_records().values()) == 1


def test_a_record_that_was_transferred_is_nowhere_twice(
    pair: list[DeviceHome], source: Path
) -> None:
    one, two = pair
    folders = tell_shop(pair, source)
    for device, folder in zip(pair, folders, strict=True):
        for file in folder.glob(".gieok/memory/*/*.md"):
            device.date_file(file)
        device.sync()
    one.clock.advance(timedelta(minutes=1))
    handles = one.list_handles(folder=folders[0])
    one.run("transfer", folders[0], memories=handles, to="agent:main")
    for device in (one, two, one):
        assert device.sync().brought_back == 0
    for device, folder in zip(pair, folders, strict=True):
        assert not list(folder.glob(".gieok/*/*/*.md"))
        assert len(device.list_records()) == 4


def test_edits_of_two_copies_of_a_home_both_stay(
    tmp_path: Path, pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    one.remember("We deploy on Tuesday.")
    for device in (one, two, one):
        device.sync()
    twin = copy_home(one, tmp_path / "twin")
    remote.rename(remote.with_name("away"))
    for device, day in ((twin, "Friday"), (one, "Wednesday"), (twin, "Saturday")):
        device.edit_record("tuesday", f"We deploy on {day}.")
        with pytest.raises(RemoteUnreachable):
            device.sync()
    remote.with_name("away").rename(remote)
    for device in (one, twin, two, one, twin):
        device.sync()
    assert one.export() == two.export() == twin.export()
    assert sum("Wednesday" in text for text in two.list_records().values()) == 1
    assert "Saturday" in two.find_record("tuesday").read_text()
