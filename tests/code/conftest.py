"""Small projects, indexed without vectors."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gieok.code.index import project
from gieok.code.index.project import Project
from gieok.machine.git import Git
from gieok.machine.parsers.treesitter import TreeSitterParser
from gieok.storage.index.sqlite.graph import ProjectStore
from gieok.testing import ManualClock

Make = Callable[[Mapping[str, str]], Project]


def write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def opened(root: Path, store: Path) -> Project:
    return Project(root, ProjectStore(store), TreeSitterParser(), Git(root), ManualClock())


@pytest.fixture
def indexed(tmp_path: Path) -> Make:
    """Return what writes files and indexes them."""

    def make(files: Mapping[str, str]) -> Project:
        root = tmp_path / "project"
        write(root, files)
        made = opened(root, tmp_path / "index.sqlite")
        project.sync_project(made)
        return made

    return make


@pytest.fixture
def edges(indexed: Make) -> Callable[[Mapping[str, str]], set[str]]:
    """Return what indexes files and gives `source -> target` of every call, without the paths."""

    def find(files: Mapping[str, str]) -> set[str]:
        return calls(indexed(files))

    return find


def calls(made: Project) -> set[str]:
    return {
        f"{e.source.partition('::')[2]} -> {e.target.partition('::')[2]}"
        for e in made.store.all_edges()
        if e.kind == "calls" and e.tier <= 1
    }
