"""The order in which passages get vectors, and how much of it one run does."""

from pathlib import Path

from gieok.code.index import embedding, project
from gieok.code.index.project import SCOPE, Project
from gieok.flow.lifecycle import fill_in_order
from gieok.machine.git import Git
from gieok.machine.parsers.treesitter import TreeSitterParser
from gieok.storage.index.sqlite.graph import ProjectStore
from gieok.testing import HashEmbedder, ManualClock

_FILES = {
    "a.py": (
        'def told(x):\n    """Say what is told."""\n    return x\n\n\ndef bare(x):\n    y = x + '
        "1\n    return y\n"
    ),
    "b.py": 'def _hidden(x):\n    """Keep out of sight."""\n    return x\n',
    "tests/test_a.py": 'def test_told():\n    """Say that it is told."""\n    assert True\n',
}


def test_public_and_documented_passages_come_first_then_the_newest_and_tests_last(
    tmp_path: Path,
) -> None:
    root = tmp_path / "tree"
    (root / "tests").mkdir(parents=True)
    for name, text in _FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    made = Project(
        root,
        ProjectStore(tmp_path / "i.sqlite"),
        TreeSitterParser(),
        Git(root),
        ManualClock(),
    )
    project.sync_project(made)
    order = embedding.order(made)
    names = [found.context.rpartition(" ")[2] for found in made.store.passages(order)]
    assert names == ["told", "_hidden", "bare", "test_told"]
    embedder = HashEmbedder()
    assert (
        fill_in_order(
            made.store,
            embedder,
            order[:2],
            lambda done: None,
            form=embedding.PassageWording(made.store),
        )
        == 2
    )
    assert made.store.waiting(SCOPE) == 2
    assert embedding.order(made) == order[2:]  # another run goes on
    assert (
        fill_in_order(
            made.store,
            embedder,
            embedding.order(made),
            lambda done: None,
            form=embedding.PassageWording(made.store),
        )
        == 2
    )
    assert embedding.order(made) == []
    made.store.close()
