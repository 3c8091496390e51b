"""What was there before Gieok is searched; what a repository brings along is in a scope of its
own.
"""

import subprocess
from pathlib import Path

import pytest

from gieok.agents import table
from gieok.commands.memory.seed_notes import index_seeds
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory.files import seeds
from gieok.model.memory import Scope
from gieok.places.project import project_scope
from gieok.places.scope import repository_scope
from gieok.surfaces.cli import main


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "CLAUDE_CONFIG_DIR": "",
    }.items():
        monkeypatch.setenv(name, value)
    shop = tmp_path / "shop"
    shop.mkdir()
    _git(shop, "init", "-q")
    _commit(
        shop,
        "a.py",
        "Send parcels above 20 kg by Hanjin\n\nCJ refuses heavy boxes.",
        "2026-05-01T10:00:00Z",
    )
    monkeypatch.chdir(shop)
    _context().home.journal.keep(seeds.SESSION_FOLDERS, {str(shop): ""})
    return shop


def _git(folder: Path, *words: str, **environment: str) -> None:
    import os

    own = {
        "GIT_AUTHOR_NAME": "Kim",
        "GIT_AUTHOR_EMAIL": "k@x",
        "GIT_COMMITTER_NAME": "Kim",
        "GIT_COMMITTER_EMAIL": "k@x",
    }
    subprocess.run(
        ["git", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        env=os.environ | own | environment,
    )


def _commit(folder: Path, name: str, message: str, at: str) -> None:
    (folder / name).write_text(message)
    _git(folder, "add", name)
    _git(folder, "commit", "-qm", message, GIT_AUTHOR_DATE=at, GIT_COMMITTER_DATE=at)


def _context() -> Call:
    return open_call({})


def _texts(call: Call, scope: str) -> dict[str, str]:
    store = call.home.store
    held = store.get(Scope(scope), sorted(store.hashes(Scope(scope))))
    return {document.key: document.text for document in held}


def test_a_projects_commits_say_what_changed_why_and_who(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = _context()
    index_seeds(call)
    scope = repository_scope(project_scope(str(shop)))
    (text,) = _texts(call, scope).values()
    assert text == (
        "Send parcels above 20 kg by Hanjin\n\nCJ refuses heavy boxes.\n\na.py\n\nKim, 2026-05-01"
    )
    assert main(["search", "who carries heavy boxes"]) == 0
    assert "Hanjin" in capsys.readouterr().out


def test_only_new_commits_are_taken_in_and_those_that_are_gone_are_forgotten(shop: Path) -> None:
    call = _context()
    index_seeds(call)
    _commit(shop, "b.py", "Round prices down", "2026-05-02T10:00:00Z")
    report = index_seeds(call)
    assert (len(report.added), report.unchanged, report.removed) == (1, 1, [])
    _git(shop, "reset", "-q", "--hard", "HEAD~1")
    assert len(index_seeds(call).removed) == 1


def test_agents_notes_are_the_projects_and_a_users_instructions_the_users(
    shop: Path, tmp_path: Path
) -> None:
    notes = (
        tmp_path
        / ".claude"
        / "projects"
        / str(shop).replace("/", "-").replace("_", "-").replace(".", "-")
        / "memory"
    )
    notes.mkdir(parents=True)
    (notes / "MEMORY.md").write_text("# Shop\n\nThe returns warehouse is in Icheon.\n")
    (tmp_path / ".claude" / "CLAUDE.md").write_text("Answer in Korean.\n")
    (shop / "AGENTS.md").write_text("Run make check before a commit.\n")
    call = _context()
    index_seeds(call)
    scope = project_scope(str(shop))
    assert list(_texts(call, scope)) == ["seeds/claude-code/memory/MEMORY.md"]
    assert _texts(call, "agent:main") == {"seeds/claude-code/CLAUDE.md": "Answer in Korean.\n"}
    assert "seeds/AGENTS.md" in _texts(call, repository_scope(scope))


def test_a_link_in_a_repository_leads_nowhere(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "private.md").write_text("my own\n")
    (shop / "AGENTS.md").symlink_to(tmp_path / "private.md")
    call = _context()
    index_seeds(call)
    assert "my own" not in "".join(
        _texts(call, repository_scope(project_scope(str(shop)))).values()
    )


def test_settings_turn_each_off_and_what_was_taken_in_is_forgotten(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "AGENTS.md").write_text("Run make check before a commit.\n")
    scope = repository_scope(project_scope(str(shop)))
    index_seeds(_context())
    monkeypatch.setenv("GIEOK_SEED_COMMITS", "0")
    call = _context()
    index_seeds(call)
    assert list(_texts(call, scope)) == ["seeds/AGENTS.md"]
    monkeypatch.setenv("GIEOK_SEED_FILES", "false")
    call = _context()
    index_seeds(call)
    assert _texts(call, scope) == {}


def test_an_unborn_branch_and_a_folder_that_is_gone_have_nothing(
    shop: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    _git(empty, "init", "-q")
    call = _context()
    call.home.journal.keep(seeds.SESSION_FOLDERS, {str(empty): "", str(tmp_path / "gone"): ""})
    index_seeds(call)
    assert _texts(call, repository_scope(project_scope(str(empty)))) == {}


def test_what_claude_code_noted_stands_in_its_own_context(shop: Path, tmp_path: Path) -> None:
    read = table.instructions("claude-code", str(shop), str(tmp_path))
    notes = Path(next(file for file in read if file.endswith("MEMORY.md")))
    notes.parent.mkdir(parents=True)
    notes.write_text("x")
    assert [
        seed.path for seed in seeds.agents_notes(tmp_path / ".claude" / "projects", str(shop))
    ] == [notes]
