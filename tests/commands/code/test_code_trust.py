"""What a project brings along makes no index that costs more, until a person trusts it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gieok.code.model.tuning import EscalationRules, SearchWeights
from gieok.home.calls import open_call
from gieok.home.code_settings import load_tuning
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
    _configure(
        root,
        "ignore: ['made/']\nsearch: {tests: 100}\n"
        "escalation: {files: 30, new_modules: 0, quality: 10, failed_validations: 0}\n",
    )
    (root / "made").mkdir()
    (root / "made/x.py").write_text("x = 1\n", encoding="utf-8")
    found = run("code", "init")
    assert (found["note"], found["files"]) == (None, 1)
    assert main(["trust", "--show"]) == 1


@pytest.mark.parametrize("text", ["chunking: {largest: 1}\n", "chunking: [\n", "x: 1\n"])
def test_settings_with_an_error_do_not_wait_for_trust(root: Path, text: str) -> None:
    _configure(root, text)
    assert main(["trust", "--show"]) == 1


@pytest.mark.parametrize("text", ["{files: 1}", "{quality: 100}", "{failed_validations: 1}"])
def test_a_clone_cannot_ask_for_more_looks_than_by_default(run: Run, root: Path, text: str) -> None:
    _configure(root, f"escalation: {text[:-1]}, new_classes: 0}}\n")
    assert "gieok trust" in run("code", "init")["note"]
    tuning = load_tuning(open_call({}).home.folder, root)
    assert tuning.escalation == EscalationRules(new_classes=0), "what is looser counts"
    run("trust", "--yes")
    assert run("code", "sync")["note"] is None
    assert load_tuning(open_call({}).home.folder, root).escalation != tuning.escalation


def test_settings_behind_a_link_inside_of_the_project_are_used(run: Run, root: Path) -> None:
    (root / "gieok-code.yaml").write_text("search: {tests: 77}\n", encoding="utf-8")
    (root / ".gieok/code/config.yaml").symlink_to(root / "gieok-code.yaml")
    assert run("code", "init")["note"] is None
    assert load_tuning(open_call({}).home.folder, root).search.tests == 77


@pytest.mark.parametrize("target", ["../outside.yaml", "../clone", "/dev/zero", "gone", "itself"])
def test_a_link_to_no_file_of_the_project_leaves_the_default_settings(
    run: Run, root: Path, target: str
) -> None:
    (root.parent / "outside.yaml").write_text("search: {tests: 77}\n", encoding="utf-8")
    file = root / ".gieok/code/config.yaml"
    file.symlink_to(
        file if target == "itself" else root / target if not target.startswith("/") else target
    )
    assert "is a link" in run("code", "init")["note"]
    assert "is a link" in run("code", "sync")["note"]
    assert load_tuning(open_call({}).home.folder, root).search == SearchWeights()
    assert main(["trust", "--show"]) == 1
