"""A change of the chunking settings reaches every file, however the next sync comes about."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.index import project
from gieok.code.index.project import SCOPE, Project
from gieok.code.model.tuning import Chunking, Tuning

Make = Callable[[Mapping[str, str]], Project]

_LONG = "def walk():\n" + "".join(f"    step_{n} = {n}\n" for n in range(60))
_FILES = {"a.py": _LONG, "b.py": _LONG, "pkg/c.py": _LONG, "d.js": "function d(){}\n"}
_SMALL = Chunking(largest=400, tiny=40)


def _tuned(made: Project, chunking: Chunking) -> Project:
    return made._replace(tuning=Tuning(chunking=chunking))


def _count_passages(made: Project) -> dict[str, int]:
    return {document: _passages(made, document) for document in sorted(made.store.files())}


def _passages(made: Project, path: str) -> int:
    return sum(1 for _, key, _ in made.store.unembedded() if key == path)


@pytest.fixture
def cut_small(indexed: Make) -> dict[str, int]:
    made = _tuned(indexed(_FILES), _SMALL)
    project.sync_project(made, full=True)
    return _count_passages(made)


@pytest.mark.parametrize(
    "only",
    [
        (),
        ("a.py",),
        ("b.py",),
        ("pkg/c.py",),
        ("d.js",),
        ("a.py", "b.py"),
        ("gone.py",),
        ("new.py",),
        ("notes.txt",),
    ],
)
def test_a_sync_of_some_files_cuts_all_anew(
    indexed: Make, cut_small: dict[str, int], only: tuple[str, ...]
) -> None:
    made = _tuned(indexed(_FILES), Chunking())
    project.sync_project(made, full=True)
    assert _count_passages(made) != cut_small
    project.sync_project(_tuned(made, _SMALL), only=only)
    assert _count_passages(made) == cut_small


def test_a_sync_that_is_stopped_between_two_settings_is_made_up_for(
    indexed: Make, cut_small: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = indexed(_FILES)
    project.sync_project(made, full=True)
    before = _count_passages(made)
    assert before != cut_small
    write = project._write_project_changes

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(project, "_write_project_changes", killed)
    with pytest.raises(KeyboardInterrupt):
        project.sync_project(_tuned(made, _SMALL))
    monkeypatch.setattr(project, "_write_project_changes", write)
    project.sync_project(made)  # the settings are again what they were
    assert _count_passages(made) == before


def test_a_first_index_that_was_stopped_is_cut_by_the_settings_of_now(
    indexed: Make, cut_small: dict[str, int]
) -> None:
    made = indexed(_FILES)
    project.sync_project(made, full=True)
    made.store.write_note(SCOPE, "code.shape", "")
    project.sync_project(_tuned(made, _SMALL), only=["a.py"])
    assert _count_passages(made) == cut_small
