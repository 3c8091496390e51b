"""Files beside the source that are read by name: never a pipe, a device, a link, or without end."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gieok import private
from gieok.code.ask import lookup, test_runs
from gieok.code.deepen import escalation
from gieok.code.index import project
from gieok.code.index.project import Project
from gieok.code.model import layout
from gieok.code.report import starts
from gieok.errors import BadRequest

Make = Callable[[Mapping[str, str]], Project]

#: Manifest → text that gives the package the name `zebra`.
_MANIFESTS = {
    "Cargo.toml": '[package]\nname = "zebra"\n',
    "go.mod": "module zebra\n",
    "package.json": '{"name": "zebra"}\n',
    "pyproject.toml": '[project]\nname = "zebra"\n',
}
_FILES = {"lib/core.py": "def helper(): ...\n"}
_LINK = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


def _names_package(made: Project) -> bool:
    """Say whether `zebra` is known as the name of the package around `lib`."""
    try:
        return bool(lookup.find_typed_symbols(made, "zebra.lib.core.helper"))
    except BadRequest:
        return False


@pytest.mark.parametrize("name", _MANIFESTS)
def test_a_manifest_names_its_package(indexed: Make, name: str) -> None:
    made = indexed(_FILES)
    (made.root / name).write_text(_MANIFESTS[name], encoding="utf-8")
    assert _names_package(made)


@pytest.mark.parametrize("name", _MANIFESTS)
def test_a_manifest_of_more_than_64_kilobytes_is_not_read(indexed: Make, name: str) -> None:
    made = indexed(_FILES)
    (made.root / name).write_text(_MANIFESTS[name] + " " * 65_536, encoding="utf-8")
    assert not _names_package(made)


@_LINK
@pytest.mark.parametrize("name", _MANIFESTS)
def test_a_manifest_that_is_a_link_is_not_followed(
    indexed: Make, name: str, tmp_path: Path
) -> None:
    made = indexed(_FILES)
    (tmp_path / "elsewhere").write_text(_MANIFESTS[name], encoding="utf-8")
    (made.root / name).symlink_to(tmp_path / "elsewhere")
    assert not _names_package(made)


@pytest.mark.parametrize("name", _MANIFESTS)
def test_an_excluded_manifest_is_not_opened(
    indexed: Make, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = indexed(_FILES)
    (made.root / name).write_text(_MANIFESTS[name], encoding="utf-8")
    monkeypatch.setattr(private, "_in_force", [])
    private.use_privacy(private.Privacy(folders=[str(made.root / name)]))
    assert not _names_package(made)


@_LINK
@pytest.mark.parametrize("name", [*_MANIFESTS, ".gitignore"])
def test_a_pipe_or_an_endless_device_is_not_read(indexed: Make, name: str) -> None:
    made = indexed(_FILES)
    os.mkfifo(made.root / name)
    (made.root / "lib" / name).symlink_to("/dev/zero")
    assert not _names_package(made)
    symbols = made.store.symbols(names=["helper"])
    assert test_runs.build_test_command(made.root, symbols) == "pytest lib/core.py::helper"
    assert starts.starts(made.root, symbols, made.store.files()) == []
    assert starts.about(made.root) == ""
    assert project.freshness(made).dirty == ()


@_LINK
def test_what_a_clone_brings_as_gieoks_own_files_is_not_followed(indexed: Make) -> None:
    made = indexed(_FILES)
    layout.prepare_code_folder(made.root)
    waiting = made.root / layout.FOLDER / "escalation" / "pending.json"
    waiting.parent.mkdir(exist_ok=True)
    elsewhere = made.root / "row.json"
    elsewhere.write_text(json.dumps({"reasons": ["x"]}), encoding="utf-8")
    waiting.symlink_to(elsewhere)
    assert escalation.read_pending(made.root) is None
    waiting.unlink()
    waiting.symlink_to("/dev/zero")
    assert escalation.read_pending(made.root) is None
    log = made.root / layout.FOLDER / "logs" / "changes.jsonl"
    log.parent.mkdir(exist_ok=True)
    log.symlink_to(elsewhere)
    assert list(layout.read_code_log(made.root, "changes")) == []
