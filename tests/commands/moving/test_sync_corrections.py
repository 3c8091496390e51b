"""One record that two devices corrected, each under a name of its own, is one record still."""

from datetime import timedelta

import pytest
from devices import MAIN, DeviceHome, KeptDevices, change_device_environment

from gieok.commands.moving import sync_items

pytestmark = pytest.mark.usefixtures("device_environment")


@pytest.fixture(scope="module")
def kept_trio(tmp_path_factory: pytest.TempPathFactory) -> KeptDevices:
    folder = tmp_path_factory.mktemp("trio")
    with pytest.MonkeyPatch.context() as patch:
        change_device_environment(patch)
        return KeptDevices(folder, "one", "two", "three", prepare=tell_one_record)


def tell_one_record(trio: list[DeviceHome]) -> None:
    trio[0].remember("We lint with ruff.")
    for device in trio * 2:
        device.sync()


@pytest.fixture
def trio(kept_trio: KeptDevices) -> list[DeviceHome]:
    """Return three devices that know one record, which the first told."""
    return kept_trio.put_back()


def correct_record(device: DeviceHome, part: str, text: str) -> None:
    """Correct a record by `gieok edit`, at the time of the clock."""
    device.edit_by_command(part, text)
    device.date_file(device.find_record(text.rsplit(maxsplit=1)[-1].strip(".")))


def forget_matching(device: DeviceHome, match: str) -> None:
    device.clock.advance(timedelta(minutes=1))
    device.run("forget", match=match, yes=True)


def sync_all(*devices: DeviceHome) -> dict[str, int]:
    """Synchronise devices in turn, until a round moves nothing, at most four times.

    Returns the name of each → how many both were kept, in all.
    """
    kept = {device.folder.name: 0 for device in devices}
    for _ in range(4):
        done = {device.folder.name: device.sync() for device in devices}
        for name, one in done.items():
            kept[name] += one.both_kept
        if not any(one.taken or one.sent for one in done.values()):
            break
    return kept


@pytest.mark.parametrize("is_later_first", [True, False])
def test_of_two_corrections_the_later_one_is_in_use_and_the_earlier_one_kept(
    trio: list[DeviceHome], *, is_later_first: bool
) -> None:
    one, two, three = trio
    correct_record(one, "ruff", "We lint with pylint.")
    correct_record(two, "ruff", "We lint with flake8.")
    kept = sync_all(two, one, three) if is_later_first else sync_all(one, two, three)
    assert one.list_records() == two.list_records() == three.list_records()
    assert sorted(name.rpartition("/")[0] for name in one.list_records()) == [
        "archive/decision",
        "memory/decision",
    ]
    assert "flake8" in one.find_record("lint").read_text()
    assert kept["one"] == 1, "who made the correction that was put away is told"


def test_corrections_of_corrections_are_one_record_too(trio: list[DeviceHome]) -> None:
    one, two, three = trio
    correct_record(one, "ruff", "We lint with pylint.")
    correct_record(one, "pylint", "We lint with pyflakes.")
    correct_record(two, "ruff", "We lint with flake8.")
    correct_record(two, "flake8", "We lint with pycodestyle.")
    sync_all(one, two, three)
    assert one.list_records() == two.list_records() == three.list_records()
    assert "pycodestyle" in one.find_record("lint").read_text()
    # What is corrected again afterwards, on any device, is no third correction.
    correct_record(three, "pycodestyle", "We lint with bandit.")
    before = len(one.list_records())
    assert sync_all(three, one, two, one) == {"one": 0, "two": 0, "three": 0}
    assert one.list_records() == two.list_records() == three.list_records()
    assert len(one.list_records()) == before
    assert "bandit" in one.find_record("lint").read_text()
    two.run("sync run", anew=True)
    assert sync_all(one, two, three) == {"one": 0, "two": 0, "three": 0}
    assert len(one.list_records()) == before


def test_the_same_correction_on_two_devices_is_no_conflict(trio: list[DeviceHome]) -> None:
    one, two, three = trio
    for device in (one, two):
        correct_record(device, "ruff", "We lint with pylint.")
    kept = sync_all(one, two, three)
    assert set(kept.values()) == {0}
    assert one.list_records() == two.list_records() == three.list_records()
    assert len(one.list_records()) == 1


@pytest.mark.parametrize("is_sent_between", [True, False])
def test_forgetting_reaches_what_another_device_made_of_the_record_before(
    trio: list[DeviceHome], *, is_sent_between: bool
) -> None:
    one, two, three = trio
    correct_record(two, "ruff", "We lint with flake8.")
    correct_record(one, "ruff", "We lint with pylint.")
    if is_sent_between:
        one.sync()
    forget_matching(one, "pylint")
    sync_all(one, two, three)
    assert one.list_records() == two.list_records() == three.list_records() == {}


@pytest.mark.parametrize("forgets", ["one", "two", "three"])
def test_forgetting_reaches_the_correction_that_was_put_away(
    trio: list[DeviceHome], forgets: str
) -> None:
    one, two, three = trio
    correct_record(one, "ruff", "We lint with pylint.")
    correct_record(two, "ruff", "We lint with flake8.")
    sync_all(one, two, three)
    (device,) = [device for device in trio if device.folder.name == forgets]
    forget_matching(device, "flake8")
    sync_all(*trio)
    assert [one.list_records(), two.list_records(), three.list_records()] == [{}, {}, {}]


def test_forgetting_leaves_what_was_told_under_the_name_of_before(trio: list[DeviceHome]) -> None:
    one, two, three = trio
    correct_record(one, "ruff", "We lint with pylint.")
    one.remember("We lint with ruff.")
    forget_matching(one, "pylint")
    sync_all(one, two, three)
    assert one.list_records() == two.list_records() == three.list_records()
    assert list(one.list_records()) == ["memory/decision/we-lint-with-ruff.md"]


@pytest.mark.parametrize("is_corrected", [False, True])
@pytest.mark.parametrize("is_first", [False, True])
def test_forgetting_leaves_what_another_device_was_told_under_the_name_of_before(
    trio: list[DeviceHome], *, is_corrected: bool, is_first: bool
) -> None:
    one, two, three = trio
    correct_record(one, "ruff", "We lint with pylint.")
    sync_all(*trio)
    two.remember("We lint with ruff.")
    if is_corrected:
        correct_record(two, "ruff", "We lint with flake8.")
    forget_matching(one, "pylint")
    sync_all(*([one, three, two] if is_first else [two, one, three]))
    name = "flake8" if is_corrected else "ruff"
    for device in trio:
        assert list(device.list_records()) == [f"memory/decision/we-lint-with-{name}.md"]
    one.run("sync run", anew=True)
    sync_all(three, two, one)
    for device in trio:
        assert list(device.list_records()) == [f"memory/decision/we-lint-with-{name}.md"]


@pytest.mark.parametrize("is_heard", [True, False])
def test_a_record_that_was_renamed_by_hand_is_no_memory_under_its_old_name(
    trio: list[DeviceHome], *, is_heard: bool
) -> None:
    one, two, three = trio
    one.run("index")
    file = one.find_record("ruff")
    renamed = file.with_name("we-lint-with-pylint.md")
    renamed.write_text(file.read_text().replace("ruff", "pylint"))
    one.date_file(renamed)
    file.unlink()
    correct_record(two, "ruff", "We lint with flake8.")
    first = (two, one) if is_heard else (one, two)
    counts = [device.sync().renamed_by_hand for device in (*first, three, two, one)]
    assert sum(counts) == 1
    assert counts[1] == 1, "who hears of the other's name tells of it"
    for device in trio:
        assert device.open().home.journal.made(MAIN) == []
        device.run("index")
        assert list_keys(device) == [
            "memory/decision/we-lint-with-flake8.md",
            "memory/decision/we-lint-with-pylint.md",
        ]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2)])
def test_a_record_that_was_put_away_by_hand_is_not_told_as_renamed_by_hand(
    trio: list[DeviceHome], order: tuple[int, int, int]
) -> None:
    file = trio[0].find_record("ruff")
    archived = trio[0].home / "archive/decision" / file.name
    archived.parent.mkdir(parents=True)
    file.rename(archived)
    correct_record(trio[1], "ruff", "We lint with flake8.")
    for place in order * 3:
        assert trio[place].sync().renamed_by_hand == 0, "it is not in use under another name"
    for device in trio:
        assert sorted(device.list_records()) == [
            "archive/decision/we-lint-with-ruff.md",
            "memory/decision/we-lint-with-flake8.md",
        ]


def list_keys(device: DeviceHome) -> list[str]:
    """Return the keys of the memories of records that are found."""
    call = device.open()
    store = call.home.store
    keys = [key for scope in store.scopes() for key in store.hashes(scope) if key.endswith(".md")]
    call.home.journal.close()
    store.close()
    return sorted(keys)


def test_a_row_of_a_record_as_a_memory_is_not_taken(
    trio: list[DeviceHome], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, _ = trio
    one.run("index")
    call = one.open()
    (scope,) = call.home.store.scopes()
    (entry,) = call.home.store.entries(scope, sorted(call.home.store.hashes(scope)))
    one.put_entry(entry, call)
    with monkeypatch.context() as before:
        before.setattr(sync_items, "is_record_entry", lambda document: False)
        one.sync()
    two.sync()
    assert two.open().home.journal.made(scope) == []
    assert two.sync().sent == 0
    # What an earlier version took goes.
    two.put_entry(entry)
    for device in (one, two):
        device.sync()
        assert device.open().home.journal.made(scope) == []
        device.run("index")
        assert list_keys(device) == ["memory/decision/we-lint-with-ruff.md"]


@pytest.mark.parametrize("order", ["one two three", "two one three", "three one two"])
@pytest.mark.parametrize("is_told_by_third", [True, False])
@pytest.mark.parametrize("is_earlier", [True, False])
def test_a_record_told_under_a_name_of_before_stays_beside_two_corrections(
    trio: list[DeviceHome], order: str, *, is_told_by_third: bool, is_earlier: bool
) -> None:
    one, two, three = trio
    if is_earlier:
        correct_record(two, "ruff", "We lint with flake8.")
    correct_record(one, "ruff", "We lint with pylint.")
    sync_all(one, three)
    (three if is_told_by_third else one).remember("We lint with ruff.")
    if not is_told_by_third:
        sync_all(one, three)
    if not is_earlier:
        correct_record(two, "ruff", "We lint with flake8.")
    check_told_beside_corrections(trio, order, later="pylint" if is_earlier else "flake8")


@pytest.mark.parametrize("order", ["one two three", "two one three"])
def test_a_record_told_at_once_under_a_name_of_before_stays_beside_two_corrections(
    trio: list[DeviceHome], order: str
) -> None:
    one, two, _ = trio
    correct_record(one, "ruff", "We lint with pylint.")
    one.remember("We use it since Monday.", title="We lint with ruff")
    correct_record(two, "ruff", "We lint with flake8.")
    check_told_beside_corrections(trio, order, later="flake8")


def check_told_beside_corrections(trio: list[DeviceHome], order: str, *, later: str) -> None:
    """Check that the later correction and the record told since are in use on each device."""
    named = {device.folder.name: device for device in trio}
    sync_all(*(named[name] for name in order.split()))
    for device in trio:
        assert device.list_records() == trio[0].list_records()
        names = sorted(device.list_records())
        assert names[1:] == sorted(
            f"memory/decision/we-lint-with-{name}.md" for name in (later, "ruff")
        )
        assert names[0].startswith("archive/decision/we-lint-with-")
        assert "ruff" not in names[0]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2)])
def test_of_a_record_that_was_retired_and_corrected_the_correction_is_in_use(
    trio: list[DeviceHome], order: tuple[int, int, int]
) -> None:
    correct_record(trio[0], "ruff", "We lint with pylint.")
    trio[1].run("retire", memories=["decision/we-lint-with-ruff"], user=True)
    for place in order * 3:
        assert trio[place].sync().renamed_by_hand == 0, "a command did it"
    for device in trio:
        assert list(device.list_records()) == [
            "memory/decision/we-lint-with-pylint.md",
            "retired/decision/we-lint-with-ruff.md",
        ]


@pytest.fixture
def told_again(trio: list[DeviceHome]) -> list[DeviceHome]:
    """Return devices with a corrected record, and another one that was told under its old name."""
    correct_record(trio[0], "ruff", "We lint with pylint.")
    trio[0].remember("We lint with ruff.")
    sync_all(*trio)
    return trio


@pytest.mark.parametrize("remover", [0, 1])
def test_what_was_told_under_a_name_of_before_and_is_removed_by_hand_is_put_away_elsewhere(
    told_again: list[DeviceHome], remover: int
) -> None:
    told_again[remover].find_record("ruff").unlink()
    sync_all(*told_again)
    for device in told_again:
        device.find_record("pylint")
    for device in {*told_again} - {told_again[remover]}:
        (name,) = [name for name in device.list_records() if name.startswith("archive")]
        assert "with-ruff" in name


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2)])
def test_what_was_told_under_a_name_of_before_is_forgotten_though_another_device_edited_it(
    told_again: list[DeviceHome], order: tuple[int, int, int]
) -> None:
    told_again[1].edit_record("ruff", "We lint with ruff and mypy.")
    forget_matching(told_again[0], "ruff")
    sync_all(*(told_again[place] for place in order))
    for device in told_again:
        assert list(device.list_records()) == ["memory/decision/we-lint-with-pylint.md"]


@pytest.mark.parametrize("forgets", [1, 2])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2)])
def test_forgetting_a_correction_leaves_what_was_told_under_the_name_of_both(
    trio: list[DeviceHome], order: tuple[int, int, int], forgets: int
) -> None:
    correct_record(trio[0], "ruff", "We lint with pylint.")
    trio[0].remember("We lint with ruff.")
    correct_record(trio[1], "ruff", "We lint with flake8.")
    sync_all(*(trio[place] for place in order))
    forget_matching(trio[forgets], "flake8")
    sync_all(trio[forgets], *(trio[place] for place in order))
    for device in trio:
        assert list(device.list_records()) == ["memory/decision/we-lint-with-ruff.md"]


def test_a_record_that_got_its_name_back_is_the_one_of_before(trio: list[DeviceHome]) -> None:
    one, two, three = trio
    correct_record(one, "ruff", "We lint with pylint.")
    correct_record(one, "pylint", "We lint with ruff.")
    one.remember("We lint with pylint.")
    sync_all(*trio)
    correct_record(one, "ruff", "We lint with flake8.")
    two.edit_record("ruff", "We lint with ruff and mypy.")
    sync_all(one, two, three)
    for device in trio:
        assert device.list_records() == one.list_records()
        device.find_record("pylint")


def test_forgetting_what_was_told_under_a_name_of_before_leaves_the_record_of_before(
    trio: list[DeviceHome],
) -> None:
    one, two, three = trio
    correct_record(one, "ruff", "We lint with pylint.")
    sync_all(one, two)
    one.remember("We lint with ruff.")
    sync_all(one, two)
    forget_matching(one, "ruff")
    sync_all(one, two, three)  # the third one hears of all of it at once
    for device in trio:
        assert list(device.list_records()) == ["memory/decision/we-lint-with-pylint.md"]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_forgetting_on_one_and_telling_on_another_leave_the_correction_of_a_third(
    trio: list[DeviceHome], order: tuple[int, int, int]
) -> None:
    one, two, three = trio
    correct_record(one, "ruff", "We lint with pylint.")
    for device in (one, two):
        device.sync()
    two.remember("We lint with ruff.")
    correct_record(two, "ruff", "We lint with flake8.")
    for device in (one, three):
        device.sync()
    forget_matching(two, "flake8")
    three.remember("We lint with ruff.")
    for device in (one, two, three):
        device.sync()
    sync_all(*(trio[place] for place in order))
    for device in trio:
        assert list(device.list_records()) == [
            "memory/decision/we-lint-with-pylint.md",
            "memory/decision/we-lint-with-ruff.md",
        ]
