"""Fixtures of devices that synchronise; files that have some of another kind override them."""

from pathlib import Path

import pytest
from devices import (
    START,
    DeviceHome,
    change_device_environment,
    join_devices,
    make_repository,
)

from gieok.testing import ManualClock


@pytest.fixture
def device_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put back what devices change in the environment of this process."""
    change_device_environment(monkeypatch)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    place = tmp_path / "remote"
    place.mkdir()
    return place


@pytest.fixture
def pair(tmp_path: Path, clock: ManualClock, remote: Path) -> list[DeviceHome]:
    return join_devices(tmp_path, clock, remote, "one", "two")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a repository from which projects are cloned."""
    return make_repository(tmp_path / "source")
