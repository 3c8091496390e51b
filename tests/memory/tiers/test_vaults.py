"""Obsidian's vaults are found where Obsidian keeps its list."""

import json
from pathlib import Path

import pytest

from gieok.memory.tiers import vaults


@pytest.mark.parametrize(
    "place",
    [
        ".config/obsidian",
        ".var/app/md.obsidian.Obsidian/config/obsidian",
        "snap/obsidian/current/.config/obsidian",
        "snap/obsidian/12/.config/obsidian",
        "Library/Application Support/obsidian",
        "AppData/Roaming/obsidian",
    ],
)
def test_the_list_is_found_on_each_system(tmp_path: Path, place: str) -> None:
    (tmp_path / "Notes").mkdir()
    _write(tmp_path / place, {"a": {"path": str(tmp_path / "Notes"), "ts": 1}})
    environment = {"APPDATA": str(tmp_path / "AppData/Roaming")}
    assert [one.path for one in vaults.find_obsidian_vaults(environment, tmp_path)] == [
        tmp_path / "Notes"
    ]


def test_the_open_one_comes_first_then_the_last_used_and_what_is_gone_is_left_out(
    tmp_path: Path,
) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    rows = {
        "1": {"path": str(tmp_path / "a"), "ts": 5},
        "2": {"path": str(tmp_path / "b"), "ts": 9},
        "3": {"path": str(tmp_path / "c"), "ts": 1, "open": True},
        "4": {"path": str(tmp_path / "gone"), "ts": 99},
        "5": {"path": "relative"},
        "6": "nonsense",
    }
    _write(tmp_path / "xdg/obsidian", rows)
    found = vaults.find_obsidian_vaults({"XDG_CONFIG_HOME": str(tmp_path / "xdg")}, tmp_path)
    assert [one.path.name for one in found] == ["c", "b", "a"]
    (tmp_path / "xdg/obsidian/obsidian.json").write_text("{")
    assert vaults.find_obsidian_vaults({"XDG_CONFIG_HOME": str(tmp_path / "xdg")}, tmp_path) == []


def test_a_folder_with_obsidians_own_is_a_vault(tmp_path: Path) -> None:
    assert not vaults.is_vault(tmp_path)
    (tmp_path / ".obsidian").mkdir()
    assert vaults.is_vault(tmp_path)


def _write(folder: Path, rows: object) -> None:
    folder.mkdir(parents=True)
    (folder / "obsidian.json").write_text(json.dumps({"vaults": rows}))
