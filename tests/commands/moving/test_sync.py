"""Devices that synchronise: the same memory on all of them, nothing lost, nothing twice."""

import json
import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from devices import MAIN, SHOP, DeviceHome, join_devices, make_clone, make_repository, run_git
from synced_month import SyncedMonth, sync_killed

from gieok.commands.moving import sync_exchange
from gieok.errors import BadRequest, RemoteUnreachable
from gieok.memory import observation
from gieok.testing import ManualClock

pytestmark = pytest.mark.usefixtures("device_environment")


@pytest.fixture(params=["folder", "git"])
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    place = tmp_path / ("remote" if request.param == "folder" else "remote.git")
    if request.param == "folder":
        place.mkdir()
    else:
        run_git("init", "--quiet", "--bare", str(place))
    return place


def test_what_one_device_remembers_the_other_has(pair: list[DeviceHome]) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.observe("The build takes nine minutes.")
    one.say("m1", "결제는 화요일에 정산한다")
    assert one.sync().faults == ()
    two.remember("Staging is read-only.")
    two.sync()
    one.sync()
    assert one.export() == two.export()
    assert len(one.list_records()) == 2
    assert "nine minutes" in "".join(two.export())
    assert "화요일" in "".join(json.loads(row)["text"] for row in two.export() if '"m1"' in row)
    again = (one.sync(), two.sync())
    assert [(done.taken, done.sent) for done in again] == [(0, 0), (0, 0)]


def test_edits_of_one_record_on_two_devices_both_stay(pair: list[DeviceHome]) -> None:
    one, two = pair
    one.remember("We deploy on Tuesday.")
    one.sync()
    two.sync()
    one.edit_record("tuesday", "We deploy on Wednesday.")
    two.edit_record("tuesday", "We deploy on Thursday.")
    one.sync()
    assert two.sync().both_kept == 1
    one.sync()
    two.sync()
    assert one.export() == two.export()
    texts = one.list_records()
    assert "Thursday" in one.find_record("tuesday").read_text("utf-8")
    assert ["Wednesday" in text for name, text in texts.items() if "archive" in name] == [True]


def test_edits_of_one_memory_on_two_devices_both_stay(
    pair: list[DeviceHome], clock: ManualClock
) -> None:
    one, two = pair
    key = one.observe("The build takes nine minutes.")
    one.sync()
    two.sync()
    for device, minutes in ((two, "eight"), (one, "seven")):
        clock.advance(timedelta(minutes=1))
        call = device.open()
        (entry,) = (one for one in call.home.journal.made(MAIN) if one.document.key == key)
        call.home.journal.close()
        text = f"The build takes {minutes} minutes."
        device.put_entry(observation.corrected(entry.document, text, clock.now()))
    for device in (one, two, one):
        device.sync()
    assert one.export() == two.export()
    call = one.open()
    assert [e.document.text for e in call.home.journal.made(MAIN)] == [
        "The build takes seven minutes."
    ]
    assert [d.text for d in call.home.journal.history(MAIN, 9)] == [
        "The build takes eight minutes."
    ]
    call.home.journal.close()


def test_a_statement_told_on_two_devices_is_one_record_with_both_days(
    tmp_path: Path, clock: ManualClock, remote: Path
) -> None:
    one, two, three = join_devices(tmp_path, clock, remote, "one", "two", "three")
    one.remember("We lint with ruff.", tags="lint")
    clock.advance(timedelta(days=1))
    two.remember("We lint with ruff.", tags="python")
    clock.advance(timedelta(days=1))
    three.remember("We lint with ruff.", tags="ci")
    for device in (three, one, two, three, one):
        device.sync()
    assert one.export() == two.export() == three.export()
    ((_, text),) = one.list_records().items()
    assert "told: [2026-03-02, 2026-03-03, 2026-03-04]" in text
    assert "tags: [ci, lint, python]" in text


def test_forgetting_travels_and_wins_over_an_older_edit(
    pair: list[DeviceHome], clock: ManualClock
) -> None:
    one, two = pair
    one.remember("The door code is written on the wall.")
    one.observe("The wall is painted in a bright colour.")
    one.say("m1", "우산은 문 뒤에 있다")
    one.sync()
    two.sync()
    two.edit_record("door", "The door code is written on the window.")
    clock.advance(timedelta(minutes=1))
    for text in ("door code", "bright colour", "우산"):
        one.run("forget", match=text, yes=True)
    for device in (two, one, two, one):
        device.sync()
    for device in (one, two):
        assert not device.list_records()
        held = "".join(device.export())
        assert "bright" not in held
        assert "우산" not in held
    assert one.export() == two.export()
    call = two.open()
    assert b"\xec\x9a\xb0\xec\x82\xb0" not in Path(call.home.journal.location).read_bytes()
    call.home.journal.close()


def test_an_edit_after_forgetting_stays(pair: list[DeviceHome], clock: ManualClock) -> None:
    one, two = pair
    one.remember("We deploy on Tuesday.")
    one.sync()
    two.sync()
    one.run("forget", match="Tuesday", yes=True)
    clock.advance(timedelta(hours=1))
    two.edit_record("tuesday", "We deploy on Friday.")
    for device in (one, two, one):
        device.sync()
    assert one.export() == two.export()
    assert "Friday" in one.find_record("tuesday").read_text("utf-8")


def test_an_edit_of_a_record_that_was_renamed_elsewhere_is_archived(
    pair: list[DeviceHome], clock: ManualClock
) -> None:
    one, two = pair
    one.remember("We deploy on Tuesday.")
    one.sync()
    two.sync()
    two.edit_record("tuesday", "We deploy on Tuesday at nine.")
    clock.advance(timedelta(minutes=1))
    file = one.find_record("tuesday")
    file.rename(file.with_name("release-day.md"))
    for device in (two, one, two):
        device.sync()
    assert one.export() == two.export()
    assert [
        "at nine" in text for name, text in one.list_records().items() if "archive" in name
    ] == [True]


def test_corrections_and_retired_turns_travel(pair: list[DeviceHome], clock: ManualClock) -> None:
    one, two = pair
    one.say("m1", "We settle payments on Monday.")
    one.say("m2", "The umbrella stands behind the door.")
    one.sync()
    two.sync()
    call = two.open()
    call.home.journal.correct(MAIN, "m1", "We settle payments on Tuesday.")
    call.home.journal.close()
    clock.advance(timedelta(minutes=1))
    two.sync()
    one.sync()
    call = one.open()
    assert call.home.journal.corrections(MAIN) == {"m1": "We settle payments on Tuesday."}
    call.home.journal.correct(MAIN, "m1", "")
    call.home.journal.close()
    one.sync()
    two.sync()
    call = two.open()
    assert call.home.journal.corrections(MAIN) == {}
    call.home.journal.close()


def test_retired_records_travel(pair: list[DeviceHome]) -> None:
    one, two = pair
    one.remember("We deploy on Tuesday.")
    one.sync()
    two.sync()
    (name,) = one.list_records()
    one.run("retire", memories=[Path(name).stem], user=True)
    one.sync()
    two.sync()
    assert [name.partition("/")[0] for name in two.list_records()] == ["retired"]
    assert one.export() == two.export()


def test_a_project_is_known_by_its_repository_not_by_its_folder(
    pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    shop, store = one.folder / "shop", two.folder / "work" / "store"
    make_repository(shop)
    run_git("-C", str(shop), "remote", "add", "origin", SHOP)
    one.run("remember", shop, text=["The shop ships on Friday."])
    one.sync()
    assert two.sync().waiting > 0
    make_clone(shop, store, "https://kim@example.org/kim/shop")
    two.run("remember", store, text=["The shop closes at six."])
    two.sync()
    one.sync()
    held = [
        sorted(file.name for file in folder.glob(".gieok/memory/*/*.md"))
        for folder in (shop, store)
    ]
    assert held[0] == held[1] == ["the-shop-closes-at-six.md", "the-shop-ships-on-friday.md"]
    assert two.sync().waiting == 0
    run_git("-C", str(shop), "add", ".gieok")
    run_git("-C", str(shop), "commit", "--quiet", "-m", "records")
    (shop / ".gieok/memory/decision/the-shop-closes-at-six.md").unlink()
    assert one.sync().sent == 0, "what Git tracks travels with the repository"


def test_nothing_that_was_told_can_be_read_in_the_remote(
    tmp_path: Path, clock: ManualClock, remote: Path
) -> None:
    one, two = join_devices(tmp_path, clock, remote, "laptop-of-kim", "two")
    one.remember("Umbrellas stand behind the wardrobe.")
    one.remember("The key of the service is sk-proj-4fJ9xQ2mVb7RtYcZ8LwE3nHs6KdPaU1o.")
    one.say("m1", "우산은 옷장 뒤에 있다")
    one.sync()
    two.sync()
    data = [file.read_bytes() for file in remote.rglob("*") if file.is_file()]
    names = " ".join(str(file.relative_to(remote)) for file in remote.rglob("*"))
    if remote.suffix == ".git":
        shown = subprocess.run(
            ["git", "-C", str(remote), "log", "-p", "--text", "gieok-sync"],
            check=True,
            capture_output=True,
        )
        data.append(shown.stdout)
        tree = ["git", "-C", str(remote), "ls-tree", "-r", "--name-only", "gieok-sync"]
        names += subprocess.run(tree, check=True, capture_output=True, text=True).stdout
    assert len(data) > 1
    for word in ("mbrella", "wardrobe", "우산", "sk-proj", "AGE-SECRET", "laptop", "agent:main"):
        assert not [one for one in data if word.encode() in one], word
        assert word not in names
    assert "sk-proj-4fJ9" not in "".join(two.export()), "what is redacted never travels"


def test_a_remote_that_cannot_be_reached_loses_nothing(
    pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    away = remote.with_name("away")
    remote.rename(away)
    for text in ("We lint with ruff.", "Staging is read-only."):
        one.remember(text)
        with pytest.raises(RemoteUnreachable):
            one.sync()
    away.rename(remote)
    one.sync()
    two.sync()
    assert len(two.list_records()) == 2
    assert one.export() == two.export()


def test_a_device_that_was_overtaken_sends_on_top(
    pair: list[DeviceHome], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    two.remember("Staging is read-only.")
    stage = sync_exchange.DeviceExchange.stage

    def overtake(self: sync_exchange.DeviceExchange) -> None:
        monkeypatch.setattr(sync_exchange.DeviceExchange, "stage", stage)
        two.sync()
        os.environ["GIEOK_HOME"] = str(one.home)
        stage(self)

    monkeypatch.setattr(sync_exchange.DeviceExchange, "stage", overtake)
    one.sync()
    two.sync()
    one.sync()
    assert one.export() == two.export()
    assert len(one.list_records()) == 2


def test_a_segment_that_is_not_whole_is_named_and_taken_later(
    tmp_path: Path, clock: ManualClock
) -> None:
    remote = tmp_path / "remote"
    remote.mkdir()
    one, two = join_devices(tmp_path, clock, remote, "one", "two")
    one.remember("We lint with ruff.")
    one.sync()
    (segment,) = remote.glob("*/*.age")
    one.remember("Staging is read-only.")
    one.edit_record("ruff", "We lint with ruff and mypy.")
    one.sync()
    whole = segment.read_bytes()
    segment.write_bytes(whole[: len(whole) // 2])
    done = two.sync()
    assert [fault.kind for fault in done.faults] == [sync_exchange.DAMAGED]
    assert str(segment.relative_to(remote)) == done.faults[0].path
    assert len(two.list_records()) == 2, "what came after is taken in"
    segment.write_bytes(whole)
    assert two.sync().faults == ()
    assert one.export() == two.export(), "an older state that comes late changes nothing"


def test_a_home_with_another_key_is_refused_and_names_what_to_do(
    tmp_path: Path, clock: ManualClock, remote: Path
) -> None:
    (one,) = join_devices(tmp_path, clock, remote, "one")
    one.remember("We lint with ruff.")
    one.sync()
    two = DeviceHome(tmp_path / "two", clock)
    with pytest.raises(BadRequest) as caught:
        two.run("sync init", remote=str(remote))
    assert "sync key --to" in caught.value.hint
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    two.run("sync init", remote=str(elsewhere))
    two.run("sync init", remote=str(remote))
    assert [fault.kind for fault in two.sync().faults] == [sync_exchange.OTHER_KEY]


def test_a_changed_key_reaches_every_device_and_old_segments_stay_readable(
    tmp_path: Path, pair: list[DeviceHome], clock: ManualClock, remote: Path
) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    for device in (one, two, one):
        device.sync()
    one.run("sync rotate")
    one.remember("Staging is read-only.")
    one.sync()
    assert two.sync().faults == ()
    two.remember("Deploys are on Tuesday.")
    two.sync()
    one.sync()
    assert one.export() == two.export()
    key = tmp_path / "later.key"
    one.run("sync key", to=str(key))
    three = DeviceHome(tmp_path / "three", clock)
    three.run("sync init", remote=str(remote), key_file=str(key))
    assert three.sync().faults == (), "a key that was for others is no fault"
    assert len(three.list_records()) == 3


def test_a_restored_backup_sends_nothing_over_what_was_sent(pair: list[DeviceHome]) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.sync()
    subprocess.run(["cp", "-a", str(one.home), str(one.home.with_name("copy"))], check=True)
    one.remember("Staging is read-only.")
    one.sync()
    subprocess.run(["rm", "-rf", str(one.home)], check=True)
    one.home.with_name("copy").rename(one.home)
    one.remember("Deploys are on Tuesday.")
    for device in (one, two, one):
        device.sync()
    assert len(two.list_records()) == 3
    assert one.export() == two.export()


@pytest.mark.parametrize("seed", [5])
def test_a_month_of_offline_weeks_kills_changed_keys_and_a_dropped_device_ends_equal(
    tmp_path: Path, seed: int
) -> None:
    month = SyncedMonth(tmp_path, seed, days=8, acts_a_day=2)
    month.live()
    assert month.find_faults() == []
    assert month.kills > 0
    assert month.offline_days == {"one": 1, "two": 1, "three": 1}


def test_killed_before_any_write_the_next_run_goes_on(pair: list[DeviceHome], remote: Path) -> None:
    one, two = pair
    one.sync()
    kills = 0
    for step in range(5, 400, 20 if remote.suffix == ".git" else 26):
        one.remember(f"Thing {step} stands on shelf {step}.")
        one.say(f"m{step}", f"Thing {step} is blue.")
        two.observe(f"Thing {step} weighs {step} grams.")
        if step % 2:
            two.sync()
        kills += sync_killed(one, step)
        assert len(one.list_records()) == len([row for row in one.export() if "stands on" in row])
    for device in (one, two, one):
        assert device.sync().faults == ()
    assert kills > 5
    assert one.export() == two.export()
    assert len(set(one.export())) == len(one.export())
    for device in (one, two):
        assert not list((device.home / "sync" / "outbox").iterdir())


def test_a_choice_for_a_rule_travels(pair: list[DeviceHome]) -> None:
    one, two = pair
    one.remember("Never run rm -rf build.", category="constraint")
    one.run("index")
    rules = one.run("rules list", all_=True).rules
    for device in (one, two):
        device.sync()
    one.run("rules off", handle=rules[0].handle)
    for device in (one, two):
        device.sync()
    assert [rule.is_on for rule in two.run("rules list", all_=True).rules] == [False]
    two.run("rules on", handle=rules[0].handle)
    for device in (two, one):
        device.sync()
    assert [rule.is_on for rule in one.run("rules list", all_=True).rules] == [True]


def test_turns_stay_here_where_the_setting_says_so(
    pair: list[DeviceHome], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = pair
    one.say("m1", "The umbrella is blue.")
    one.observe("The umbrella was bought.")
    one.flags = {"sync.turns": "off"}
    one.sync()
    two.sync()
    held = "".join(two.export())
    assert "was bought" in held
    assert "is blue" not in held
    one.flags = {}
    one.sync()
    two.sync()
    assert one.export() == two.export()


def test_two_copies_of_one_home_lose_nothing(
    tmp_path: Path, pair: list[DeviceHome], clock: ManualClock
) -> None:
    one, two = pair
    one.remember("We lint with ruff.")
    one.sync()
    twin = DeviceHome(tmp_path / "twin", clock)
    twin.home.rmdir()
    subprocess.run(["cp", "-a", str(one.home), str(twin.home)], check=True)
    one.remember("Staging is read-only.")
    twin.remember("Deploys are on Tuesday.")
    for device in (one, twin, two, one, twin):
        device.sync()
    assert one.export() == two.export() == twin.export()
    assert len(one.list_records()) == 3


def test_doctor_names_a_synchronisation_that_is_broken(tmp_path: Path, clock: ManualClock) -> None:
    remote = tmp_path / "remote"
    remote.mkdir()
    one, two = join_devices(tmp_path, clock, remote, "one", "two")
    one.remember("We lint with ruff.")
    one.sync()
    two.sync()
    assert [check.ok for check in two.run("doctor").checks if check.name == "sync"] == [True]
    one.remember("Staging is read-only.")
    one.sync()
    (segment,) = remote.glob("*/000002-*.age")
    segment.write_bytes(segment.read_bytes()[:50])
    two.sync()
    (check,) = [check for check in two.run("doctor").checks if check.name == "sync"]
    assert check.ok is False
    assert "000002-" in check.detail


def test_a_message_that_is_there_already_is_not_taken_in(pair: list[DeviceHome]) -> None:
    one, two = pair
    for device in (one, two):
        device.say("m1", "The wall is painted.")
    one.say("m2", "The door is open.")
    one.sync()
    assert two.sync().taken == 1
    assert one.sync().taken == 0
    assert one.export() == two.export()
