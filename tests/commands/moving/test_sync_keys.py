"""Keys of devices: a wrong one, a forged segment, a device that is dropped."""

from pathlib import Path

import pytest
from devices import START, DeviceHome, join_devices

from gieok.errors import BadConfig, BadRequest
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
    return join_devices(tmp_path, ManualClock(START), remote, "one", "two")


@pytest.fixture
def wrong_key(tmp_path: Path) -> Path:
    """Return the key of another user, which ranks before that of any device."""
    place, key = tmp_path / "elsewhere", tmp_path / "wrong.key"
    place.mkdir()
    (stranger,) = join_devices(tmp_path, ManualClock(START), place, "stranger")
    (tmp_path / "carried.key").unlink()
    stranger.run("sync key", to=str(key))
    lines = key.read_text().splitlines()
    key.write_text("\n".join("# 7 ffffffff" if line.startswith("# 1") else line for line in lines))
    key.chmod(0o600)
    return key


def test_a_key_that_opens_nothing_in_the_remote_is_refused(
    tmp_path: Path, wrong_key: Path, pair: list[DeviceHome], remote: Path
) -> None:
    one, _ = pair
    one.remember("We lint with ruff.")
    one.sync()
    late = DeviceHome(tmp_path / "late", one.clock)
    with pytest.raises(BadRequest, match="opens nothing"):
        late.run("sync init", remote=str(remote), key_file=str(wrong_key))
    assert not (late.home / "sync" / "sync.json").exists()
    assert not (late.home / "keys" / "sync.txt").exists()
    late.run("sync init", remote=str(remote), key_file=str(tmp_path / "carried.key"))
    assert late.sync().taken == 1


def test_a_wrong_key_that_is_corrected_is_not_in_use(
    tmp_path: Path, wrong_key: Path, pair: list[DeviceHome], remote: Path
) -> None:
    one, two = pair
    late = DeviceHome(tmp_path / "late", one.clock)
    # Nothing is there yet that would tell that the key is wrong.
    late.run("sync init", remote=str(remote), key_file=str(wrong_key))
    late.remember("Staging is read-only.")
    late.sync()
    one.remember("We lint with ruff.")
    one.sync()
    late.run("sync init", remote=str(remote), key_file=str(tmp_path / "carried.key"))
    late.remember("Deploys are on Tuesday.")
    for device in (late, one, two, late):
        done = device.sync()
    assert done.faults == ()
    assert two.sync().faults == (), "all was sent anew under the key of all"
    assert one.export() == two.export() == late.export()
    assert len(two.records()) == 3


@pytest.mark.parametrize("more", [{}, {"to": "copy.key"}])
def test_a_missing_key_is_named_by_every_command(pair: list[DeviceHome], more: object) -> None:
    one, _ = pair
    (one.home / "keys" / "sync.txt").unlink()
    with pytest.raises(BadConfig, match="is missing"):
        one.run("sync key", **more)  # type: ignore[arg-type]
