"""Under a limit of memory, words are searched and the embedder says why it does not help."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest
import world as worlds
from world import GIEOK, World

_KB = [240_000, 200_000, 150_000, 120_000]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, models: Path) -> World:
    """Return an indexed world, in which tests only search words."""
    return _index_world(tmp_path_factory.mktemp("room"), models)


@pytest.fixture
def own_world(tmp_path: Path, models: Path) -> World:
    """Return an indexed world that a test may change."""
    return _index_world(tmp_path, models)


def _index_world(folder: Path, models: Path) -> World:
    world = worlds.make(folder / "user")
    world.home.mkdir()
    (world.home / "models").symlink_to(models)
    subprocess.run(world.command("index"), cwd=world.project, env=world.environment(), check=True)
    return world


def _limited(
    world: World, kilobytes: int, *command: str, **environment: str
) -> tuple[int, str, str]:
    script = f"ulimit -v {kilobytes}; exec {shlex.join(command)}"
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=world.project,
        env=world.environment(**environment),
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("kilobytes", _KB)
def test_words_are_searched_and_it_is_said(world: World, kilobytes: int) -> None:
    status, out, err = _limited(world, kilobytes, *world.command("search", "--json"))
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert "화요일" in found["results"][0]["snippet"]
    assert "too little memory" in found["degraded"]


def test_what_is_indexed_is_found_by_its_words_and_waits_for_its_vectors(own_world: World) -> None:
    (own_world.notes / "new.md").write_text("# New\n\nThe umbrella stands behind the door.\n")
    status, out, _ = _limited(own_world, 200_000, *own_world.command("index", "--json"))
    assert (status, json.loads(out)["error"]["code"]) == (2, "embedder_failed")
    status, out, _ = _limited(
        own_world, 200_000, *GIEOK, "search", "where is the umbrella?", "--json"
    )
    assert "umbrella" in json.loads(out)["results"][0]["snippet"]


def test_a_model_that_is_not_made_yet_is_not_begun(own_world: World, tmp_path: Path) -> None:
    (own_world.home / "models").unlink()
    status, out, _ = _limited(own_world, 500_000, *own_world.command("search", "--json"))
    assert status == 0
    assert "too little memory" in json.loads(out)["degraded"]
    assert not any((own_world.home / "models").glob("*/encoder.onnx"))


def test_enough_is_enough(own_world: World) -> None:
    status, out, _ = _limited(own_world, 400_000, *own_world.command("search", "--json"))
    assert (status, json.loads(out)["degraded"]) == (0, None)
