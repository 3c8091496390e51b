"""Whoever leaves leaves nothing behind: hooks, servers, services, memory; and is told where
something still is.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from world import World, make

from gieok.agents.table import NAMES
from gieok.commands.code import install_hook
from gieok.commands.home.service import install_service
from gieok.commands.memory.remember import remember_record as remember
from gieok.commands.moving.erase import erase_home as erase
from gieok.commands.moving.uninstall import uninstall_gieok as uninstall
from gieok.commands.prompt.install import install_agent as install
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory.files.seeds import SESSION_FOLDERS

#: What a person has there already: it must be as it was, byte for byte.
_OWN = {
    ".claude/settings.json": '{\n  "model": "opus",\n'
    '  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}\n}\n',
    ".codex/config.toml": 'model = "gpt-5"\n\n[mcp_servers.other]\ncommand = "other"\n',
    ".gemini/settings.json": '{"theme": "dark"}',
}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = make(tmp_path / "user")
    for name, value in made.environment().items():
        if name != "PYTHONPATH":
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(made.user / ".openclaw"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name, text in _OWN.items():
        (made.user / name).parent.mkdir(parents=True, exist_ok=True)
        (made.user / name).write_text(text)
    (made.user / ".openclaw").mkdir()
    (made.user / ".openclaw" / "openclaw.json").write_text("{}")
    return made


def _context(world: World, typed: str | None = None) -> Call:
    import os

    flags = {"embedder": "none", "observe.agents": "none"}
    ask = None if typed is None else lambda question: typed
    return open_call(flags, environment=dict(os.environ), folder=world.project, ask=ask)


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "gieok" not in file.relative_to(folder).parts[:1]:
            yield str(file.relative_to(folder)), file.read_bytes()


def test_every_agent_is_as_it_was_and_memory_stays(world: World) -> None:
    call = _context(world)
    call.home.journal.keep(SESSION_FOLDERS, {str(world.project): ""})
    before = dict(_files(world.user))
    for name in NAMES:
        for is_project in (False, True):
            try:
                install(call, agent=name, project=is_project)
            except BadRequest:
                assert is_project, name
    install_service(call, system="systemd")
    hook = world.project / ".git" / "hooks" / "post-commit"
    hook.write_text(f"#!/bin/sh\n{install_hook.BLOCK}echo mine\n")
    assert hook.exists()
    assert b"gieok" in dict(_files(world.user))[".claude/settings.json"]
    looked = uninstall(_context(world), dry_run=True)
    assert hook.exists()
    done = uninstall(_context(world))
    assert {file.path for file in looked.files} == {file.path for file in done.files}
    assert not done.left
    assert done.next == ("systemctl --user daemon-reload",)
    after = {name: data for name, data in _files(world.user) if not name.startswith("shop/.gieok/")}
    assert after.pop("shop/.git/hooks/post-commit") == b"#!/bin/sh\necho mine\n"
    assert after == before
    assert (world.home / "journal.sqlite").exists()
    assert (world.home / "daemon.down").exists(), "no session start brings the daemon up again"
    assert not uninstall(_context(world)).found


def test_a_dry_run_names_each_file_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    call = _context(world)
    install(call, agent="claude-code", commands=True)
    monkeypatch.chdir(world.user)
    folder = open_call({}, environment=dict(os.environ), folder=world.user)
    looked = [file.path for file in uninstall(folder, dry_run=True).files]
    assert any("commands" in str(path) for path in looked)
    assert len(looked) == len(set(looked))


def test_what_somebody_changed_since_loses_our_part_alone_and_a_broken_file_is_named(
    world: World,
) -> None:
    call = _context(world)
    install(call, agent="claude-code")
    install(call, agent="gemini-cli")
    settings = world.user / ".claude" / "settings.json"
    row = json.loads(settings.read_text())
    settings.write_text(json.dumps({**row, "model": "haiku"}))
    (world.user / ".gemini" / "settings.json").write_text("{ torn")
    done = uninstall(_context(world))
    now = json.loads(settings.read_text())
    assert now["model"] == "haiku"
    assert "gieok" not in settings.read_text()
    assert now["hooks"]["Stop"] == [{"hooks": [{"type": "command", "command": "beep"}]}]
    assert [Path(one.path).parent.name for one in done.left] == [".gemini"]


def test_nothing_is_left_but_what_is_named(world: World) -> None:
    remember(_context(world), text=["We call the release train Heron."])
    remember(_context(world), text=["나는 새벽에 일한다."], user=True)
    _context(world).home.backups.create()
    (world.user / "gieok-backups" / "mine.txt").write_text("mine")
    with pytest.raises(BadRequest, match="nothing was deleted"):
        erase(_context(world, "yes"), all=True)
    with pytest.raises(BadRequest, match="nobody can be asked"):
        erase(_context(world), all=True)
    with pytest.raises(BadRequest, match="give --all"):
        erase(_context(world))
    looked = erase(_context(world), all=True, dry_run=True)
    assert world.home.exists()
    done = erase(_context(world, "erase\n"), all=True)
    assert not world.home.exists()
    assert (
        [one.path for one in done.removed]
        == [one.path for one in looked.removed]
        == [str(world.home)]
    )
    named = {one.path for one in done.left}
    assert named >= {str(world.project / ".gieok"), str(world.user / ".claude" / "projects")}
    assert any("backups" in one.reason for one in done.left)
    assert (world.project / ".gieok").exists()
    (world.home / "trust").mkdir(parents=True)
    erase(_context(world), all=True, yes=True, backups=True)
    assert [file.name for file in (world.user / "gieok-backups").iterdir()] == ["mine.txt"], (
        "it is not ours"
    )


def test_with_projects_and_backups_no_word_of_it_is_anywhere(world: World) -> None:
    remember(_context(world), text=["We call the release train Heron."])
    remember(_context(world), text=["The heron nests in May."], user=True)
    done = uninstall(_context(world), erase=True, yes=True)
    assert done.erased is not None
    erase_rest = erase(_context(world), all=True, yes=True, projects=True)
    assert erase_rest.found or not (world.project / ".gieok").exists()
    words = [
        name
        for name, data in _files(world.user)
        if b"eron" in data and not name.startswith("shop/.gieok")
    ]
    assert words == []


def test_a_folder_that_is_more_than_a_home_is_never_deleted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (world.user, world.user.parent):
        monkeypatch.setenv("GIEOK_HOME", str(folder))
        with pytest.raises(BadRequest, match="holds more than"):
            erase(_context(world), all=True, yes=True)
    monkeypatch.setenv("GIEOK_HOME", str(world.notes))
    with pytest.raises(BadRequest, match="does not look like"):
        erase(_context(world), all=True, yes=True)
    assert (world.notes / "MEMORY.md").exists()
