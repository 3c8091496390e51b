"""A home of its own for each test, without vectors."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import gieok


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[gieok.Memory]:
    for name, value in {
        "HOME": tmp_path / "home",
        "EMBEDDER": "none",
        "OBSERVE_AGENTS": "none",
    }.items():
        monkeypatch.setenv(f"GIEOK_{name}", str(value))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    with gieok.open() as found:
        yield found
