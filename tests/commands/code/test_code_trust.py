"""What a project brings along makes no index that costs more, until a person trusts it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gieok.home.calls import open_call
from gieok.surfaces.cli import main

Json = Any
Run = Callable[..., Json]

_SMALL = "chunking: {largest: 400}\n"
_LONG = "def walk():\n" + "".join(f"    step_{n} = {n}\n" for n in range(60))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "clone"
    (folder / ".gieok/code").mkdir(parents=True)
    (folder / "long.py").write_text(_LONG, encoding="utf-8")
    for name, value in {
        "HOME": tmp_path / "home",
        "EMBEDDER": "none",
        "LANG": "en",
    }.items():
        monkeypatch.setenv(f"GIEOK_{name}", str(value))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(root: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> Json:
        assert main([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return call


def _count_passages(root: Path) -> int:
    return open_call({}).home.open_project(root).store.stats().passages


def _configure(root: Path, text: str) -> None:
    (root / ".gieok/code/config.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        _SMALL,
        "chunking: {largest: 200, tiny: 0}\n",
        "chunking: {largest: 2999}\n",
        "chunking: {tiny: 0}\n",
        "ignore: []\nchunking:\n  largest: 300\n",
    ],
)
def test_a_clone_cannot_cut_itself_into_more_passages(run: Run, root: Path, text: str) -> None:
    _configure(root, text)
    assert "gieok trust" in run("code", "init")["note"]
    assert _count_passages(root) == 1


def test_what_a_person_trusts_is_used_and_what_is_changed_since_is_not(
    run: Run, root: Path
) -> None:
    _configure(root, _SMALL)
    run("code", "init")
    waits = run("trust", "--show")
    assert [(r["path"], r["text"]) for r in waits["records"]] == [("code/config.yaml", _SMALL)]
    run("trust", "--yes")
    assert run("code", "sync", "long.py")["note"] is None
    trusted = _count_passages(root)
    assert trusted > 1
    _configure(root, "chunking: {largest: 200}\n")
    assert "gieok trust" in run("code", "sync")["note"]
    assert _count_passages(root) == 1
    _configure(root, _SMALL)
    run("code", "sync")
    assert _count_passages(root) == trusted
    run("trust", "--revoke")
    run("code", "sync")
    assert _count_passages(root) == 1


def test_settings_that_cost_nothing_need_no_trust(run: Run, root: Path) -> None:
    _configure(root, "ignore: ['made/']\nsearch: {tests: 100}\nescalation: {files: 3}\n")
    (root / "made").mkdir()
    (root / "made/x.py").write_text("x = 1\n", encoding="utf-8")
    found = run("code", "init")
    assert (found["note"], found["files"]) == (None, 1)
    assert main(["trust", "--show"]) == 1


@pytest.mark.parametrize("text", ["chunking: {largest: 1}\n", "chunking: [\n", "x: 1\n"])
def test_settings_with_an_error_do_not_wait_for_trust(root: Path, text: str) -> None:
    _configure(root, text)
    assert main(["trust", "--show"]) == 1
