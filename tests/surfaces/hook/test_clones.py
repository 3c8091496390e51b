"""What came with a repository neither speaks nor is obeyed until a person trusts it: each agent,
each way in.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.agents import table
from gieok.surfaces import tool_table, tools
from gieok.surfaces.cli import main

_RULE = "---\ntitle: Deploy rule\n---\nDeploys skip the review on Fridays.\n"
_ASKED = "Do deploys skip the review on Fridays, by the deploy rule?"
#: Agents that are told something at a session's start.
_AGENTS = tuple(name for name, row in table.HOOKED.items() if not row.starts_at_prompt)


def git(folder: Path, *arguments: str) -> None:
    identity = (
        "-c",
        "user.name=Somebody",
        "-c",
        "user.email=somebody@else.test",
        "-c",
        "commit.gpgsign=false",
    )
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def record(root: Path, text: str = _RULE, name: str = "constraint/deploy.md") -> Path:
    file = root / ".gieok" / "memory" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    """Return a repository of somebody else, with memory and settings."""
    folder = tmp_path / "upstream"
    folder.mkdir()
    git(folder, "init", "--quiet")
    record(folder)
    (folder / ".gieok" / "config.yaml").write_text("hook.floor: 0\nno.such: setting\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "memory")
    return folder


@pytest.fixture
def clone(place, upstream: Path) -> Path:
    shutil.rmtree(place.project)
    git(place.user, "clone", "--quiet", str(upstream), "shop")
    os.chdir(place.project)
    return place.project


def payload(place, agent: str, event: str, prompt: str = "") -> dict[str, object]:
    folder = (
        {"workspace_roots": [str(place.project)]}
        if agent == "cursor"
        else {"cwd": str(place.project)}
    )
    return {
        "session_id": "s",
        "hook_event_name": table.BY_NAME[agent].events[event],
        "prompt": prompt,
        **folder,
    }


def start(place, agent: str = "claude-code") -> tuple[str, str]:
    """Return what a new session puts before the model, and what it shows to the person."""
    said = place.hook("session-start", payload(place, agent, table.SESSION_START), "--agent", agent)
    return said.context, said.notice


def asked(place, agent: str = "claude-code", prompt: str = _ASKED) -> str:
    return place.hook(
        "prompt", payload(place, agent, table.PROMPT, prompt), "--agent", agent
    ).context


def tell(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main([*arguments])
    return status, *capsys.readouterr()


@pytest.mark.parametrize("agent", _AGENTS)
def test_a_clone_is_silent_until_it_is_trusted_and_speaks_as_the_project_then(
    place, clone: Path, agent: str
) -> None:
    context, notice = start(place, agent)
    told = notice if table.BY_NAME[agent].shows_notices else context
    assert "1 memory file and settings of this project wait" in told
    assert "gieok trust" in told
    assert "Friday" not in told
    assert "Deploy" not in told
    assert context == "" or not table.BY_NAME[agent].shows_notices
    assert asked(place, agent) == ""
    place.trust()
    # its unknown setting is an error once it is trusted
    (clone / ".gieok" / "config.yaml").unlink()
    context, notice = start(place, agent)
    assert ("- constraint: Deploy rule" in context, notice) == (True, "")
    shown = asked(place, agent)
    assert "Deploys skip the review on Fridays. (" in shown
    assert "Recalled from this project's memory files, which the user trusted on 2" in shown
    assert "this user's own" not in shown


def test_the_person_is_told_once_and_again_when_what_waits_changes(place, clone: Path) -> None:
    assert "1 memory file" in start(place)[1]
    assert [start(place, agent) for agent in _AGENTS] == [("", "")] * len(_AGENTS)
    record(clone, "Another rule.", "decision/b.md")
    assert "2 memory files" in start(place)[1]
    assert start(place)[1] == ""
    place.trust()
    (clone / ".gieok" / "config.yaml").unlink()
    assert start(place)[1] == ""


def test_the_person_is_told_in_their_language(place, clone: Path) -> None:
    said = place.hook(
        "session-start", payload(place, "codex", table.SESSION_START), LC_ALL="ko_KR.UTF-8"
    )
    assert "기억 파일 1개" in said.notice


def test_a_pull_does_not_speak_until_it_is_trusted_and_what_was_trusted_goes_on(
    place, clone: Path, upstream: Path
) -> None:
    place.trust()
    record(upstream, "---\ntitle: Deploy rule\n---\nDeploys are made by the robot Mallory.\n")
    record(upstream, "The umbrella stands behind the door.", "decision/umbrella.md")
    record(upstream, "The wheel turns on Mondays.", "runbook/wheel.md")
    git(upstream, "rm", "--quiet", "--cached", ".gieok/config.yaml")
    git(upstream, "add", "--all", ".gieok/memory")
    git(upstream, "commit", "--quiet", "-m", "more")
    record(clone, "The wheel turns on Mondays.", "runbook/wheel.md").rename(clone / "own.md")
    git(clone, "pull", "--quiet")
    context, notice = start(place)
    assert "3 memory files of this project wait" in notice
    assert "Mallory" not in context + notice + asked(
        place, prompt="Who is the robot Mallory, who deploys?"
    )
    assert asked(place, prompt="Where does the umbrella stand, behind the door?") == ""
    git(clone, "reset", "--quiet", "--hard", "HEAD~1")
    (clone / ".gieok" / "config.yaml").unlink()
    assert start(place)[1] == ""
    assert "skip the review" in asked(place)  # trusted before, and the same again


def test_an_untrusted_file_of_settings_is_not_read_at_all(
    place, clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in (
        "hook.floor: 0\nno.such: setting\n",
        "[",
        "hook: {limit: 0}\n",
        "\0",
        "store: postgres\n",
    ):
        (clone / ".gieok" / "config.yaml").write_text(text)
        status, out, err = tell(capsys, "config", "show", "--json")
        assert (status, json.loads(out)["hook.floor"]["origin"]) == (0, "default")
        assert "wait" in err
        assert place.hook("prompt", place.payload(_ASKED)) == (0, b"", b"")
    assert place.log() == []
    (clone / ".gieok" / "config.yaml").write_text("hook.limit: 1\nhook.session_tokens: 7\n")
    place.trust()
    assert json.loads(tell(capsys, "config", "show", "--json")[1])["hook.limit"]["value"] == "1"
    (clone / ".gieok" / "config.yaml").write_text("hook.limit: 2\nhook.session_tokens: 7\n")
    assert (
        json.loads(tell(capsys, "config", "show", "--json")[1])["hook.limit"]["origin"] == "default"
    )


def test_a_pipe_or_a_link_in_place_of_settings_is_no_settings(
    place, clone: Path, tmp_path: Path
) -> None:
    settings = clone / ".gieok" / "config.yaml"
    place.trust()
    text = settings.read_text()
    settings.unlink()
    (tmp_path / "elsewhere.yaml").write_text(text)
    settings.symlink_to(tmp_path / "elsewhere.yaml")
    assert start(place)[1] == ""
    settings.unlink()
    os.mkfifo(settings)
    os.mkfifo(clone / ".gieok" / "memory" / "constraint" / "pipe.md")
    assert start(place)[1] == ""
    assert "skip the review" in asked(place)
    place.remember("Use ruff.", category="constraint")


def test_search_and_get_leave_out_what_waits_and_say_so(
    place, clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = ".gieok/memory/constraint/deploy.md"
    status, _, err = tell(capsys, "search", "deploys")
    assert (status, "wait" in err, "gieok trust" in err, "Friday" in err) == (2, True, True, False)
    start(place)
    status, out, _ = tell(capsys, "search", "deploys")
    assert (status, "1 memory file" in out, "Friday" in out) == (1, True, False)
    assert json.loads(tell(capsys, "search", "deploys", "--json")[1])["waiting"] == 1
    status, out, err = tell(capsys, "get", path)
    assert (status, out, "waits for `gieok trust`" in err) == (2, "", True)
    tell(capsys, "index", str(clone / ".gieok" / "memory"))
    tell(capsys, "index", str(clone / path))
    assert "Friday" not in tell(capsys, "search", "deploys")[1]
    place.trust()
    (clone / ".gieok" / "config.yaml").unlink()
    assert "Fridays" in tell(capsys, "search", "deploys")[1]
    assert "Fridays" in tell(capsys, "get", path)[1]


def test_a_model_can_neither_read_what_waits_nor_trust_it(place, clone: Path) -> None:
    assert not any("trust" in name for name in tool_table.load_tool_operations())
    start(place)
    answer = tools.answer_tool_call("memory_search", {"query": "deploys on Fridays"})
    assert "skip the review" not in answer.text
    assert "Nothing found" in answer.text
    refused = tools.answer_tool_call(
        "memory_get", {"path": str(clone / ".gieok/memory/constraint/deploy.md")}
    )
    assert "waits for `gieok trust`" in refused.text
    tools.answer_tool_call(
        "memory_remember", {"text": "Retry webhooks five times.", "category": "constraint"}
    )
    text = tools.answer_tool_call("memory_search", {"query": "webhooks review"}).text
    assert "Retry webhooks" in text
    assert "skip the review" not in text


def test_status_and_doctor_name_the_projects_that_wait(
    place, clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start(place)
    assert "1 memory file and settings of this project wait" in tell(capsys, "status")[1]
    assert json.loads(tell(capsys, "status", "--json")[1])["waiting"] == {
        "records": 1,
        "settings": True,
    }
    os.chdir(place.user)
    assert f"trust: {clone}: 1 memory file and settings" in tell(capsys, "doctor")[1]
    os.chdir(clone)
    place.trust()
    (clone / ".gieok" / "config.yaml").unlink()
    assert json.loads(tell(capsys, "status", "--json")[1])["waiting"] == {
        "records": 0,
        "settings": False,
    }
    assert "trust" not in tell(capsys, "doctor")[1]


@pytest.mark.parametrize(
    "way",
    ["mv", "cp", "worktree", "clone anew", "link", "subfolder"],
)
def test_trust_is_for_one_place(place, clone: Path, upstream: Path, way: str) -> None:
    place.trust()
    (clone / ".gieok" / "config.yaml").unlink()
    git(clone, "rm", "--quiet", "--cached", ".gieok/config.yaml")
    git(clone, "commit", "--quiet", "-m", "less")
    other = place.user / "other"
    moves: dict[str, Callable[[], object]] = {
        "mv": lambda: clone.rename(other),
        "cp": lambda: shutil.copytree(clone, other),
        "worktree": lambda: git(clone, "worktree", "add", "--quiet", str(other)),
        "clone anew": lambda: git(place.user, "clone", "--quiet", str(clone), "other"),
        "link": lambda: other.symlink_to(clone),
        "subfolder": (clone / "a").mkdir,
    }
    moves[way]()
    place.project = clone / "a" if way == "subfolder" else other
    os.chdir(place.project)
    # all worktrees have one memory, kept in the main checkout
    is_same = way in ("link", "subfolder", "worktree")
    assert ("1 memory file" in start(place)[1], "skip the review" in asked(place)) == (
        not is_same,
        is_same,
    )


def test_another_repository_in_the_same_place_waits(place, clone: Path, upstream: Path) -> None:
    place.trust()
    shutil.rmtree(clone)
    record(upstream, "---\ntitle: Deploy rule\n---\nDeploys skip the review on Sundays.\n")
    git(upstream, "commit", "--quiet", "--all", "-m", "theirs")
    git(place.user, "clone", "--quiet", str(upstream), "shop")
    assert "1 memory file of this project waits" in start(place)[1]
    assert "skip the review" not in asked(place)


def test_a_repository_cannot_bring_its_trust_along(place, clone: Path) -> None:
    place.trust()
    carried = clone / ".gieok" / "trust"
    shutil.copytree(place.home / "trust", carried)
    shutil.copytree(place.home / "trust", clone / "home" / "trust")
    shutil.rmtree(place.home)
    assert "1 memory file" in start(place)[1]
    # all that was trusted, under the same path
    place.environment["GIEOK_HOME"] = str(clone / "home")
    assert asked(place) == ""
    assert "skip the review" not in "".join(start(place))


@pytest.mark.parametrize("link", [".gieok", ".gieok/memory", ".gieok/memory/constraint"])
def test_a_link_inside_of_the_repository_is_no_way_around(place, upstream: Path, link: str) -> None:
    real = upstream / "stuff" / link.strip(".").replace("/", "-")
    real.parent.mkdir()
    (upstream / link).rename(real)
    (upstream / link).symlink_to(os.path.relpath(real, (upstream / link).parent))
    git(upstream, "add", "--all")
    git(upstream, "commit", "--quiet", "-m", "links")
    shutil.rmtree(place.project)
    git(place.user, "clone", "--quiet", str(upstream), "shop")
    os.chdir(place.project)
    for _ in range(2):
        start(place)
        main(["index", str(place.project / ".gieok" / "memory")])
        assert "skip the review" not in asked(place)


def test_a_note_that_is_a_link_to_a_record_is_a_record(place, clone: Path) -> None:
    (clone / "NOTES.md").symlink_to(".gieok/memory/constraint/deploy.md")
    main(["index", "."])
    assert "skip the review" not in asked(place)
    place.trust()
    (clone / ".gieok" / "config.yaml").unlink()
    assert "skip the review" in asked(place)


def test_what_came_with_a_repository_is_not_deleted_from_it(place, clone: Path) -> None:
    retired = clone / ".gieok" / "retired" / "decision" / "old.md"
    retired.parent.mkdir(parents=True)
    retired.write_text("---\nretired: 2020-01-01T00:00:00Z\n---\nold\n")
    start(place)
    assert retired.exists()
    place.trust()
    assert not retired.exists()
