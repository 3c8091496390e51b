"""`--tag`, `--agent`, `--category`, `--priority`, `--status`: what search and list leave out, by what a person or a note
said.
"""

import json
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.errors import BadRequest, NotIndexed
from gieok.home.call import Call
from gieok.home.calls import open_call


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    user = tmp_path / "user"
    (user / "shop" / ".git").mkdir(parents=True)
    settings = {"HOME": user, "GIEOK_HOME": tmp_path / "home", "GIEOK_EMBEDDER": "none"}
    for name, value in settings.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(user / "shop")
    for text, tags in (
        ("Harbour deploys go out on Tuesdays.", "배포, ops"),
        ("Harbour lint runs with ruff.", "lint,ci"),
        ("Harbour linters are never skipped.", "linters"),
    ):
        load_command("remember")(open_call({}), text=[text], tags=tags)
    for agent, session in (("claude-code", "s1"), ("codex", "s2")):
        _say(user, agent, session, f"The harbour gate of {agent} opens at nine.")
    call = open_call({})
    call.home.catch_up()
    return call


def _say(user: Path, agent: str, session: str, text: str) -> None:
    at = "2026-11-20T09:00:00Z"
    if agent == "claude-code":
        file = user / ".claude" / "projects" / "-shop" / f"{session}.jsonl"
        message = {"role": "user", "content": text}
        cwd = str(user / "shop")
        rows = [
            {
                "type": "user",
                "uuid": "u",
                "sessionId": session,
                "timestamp": at,
                "cwd": cwd,
                "message": message,
            }
        ]
    else:
        file = user / ".codex" / "sessions" / "2026" / "11" / "20" / f"rollout-{session}.jsonl"
        said = {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": text}],
        }
        rows = [
            {
                "type": "session_meta",
                "timestamp": at,
                "payload": {"id": session, "cwd": str(user / "shop")},
            },
            {"type": "response_item", "timestamp": at, "ordinal": 1, "payload": said},
        ]
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _found(call: Call, **fields: object) -> set[str]:
    found = load_command("search")(call, query=["harbour"], min_score=0.0, **fields)
    return {hit.snippet.split("\n")[-1] for hit in found.results}


def _listed(call: Call, **fields: object) -> set[str]:
    return {row.text for row in load_command("list")(call, **fields).memories}


def test_what_was_tagged_is_found_by_its_tag_and_nothing_else_is(here: Call) -> None:
    assert _found(here, tag="lint") == {"Harbour lint runs with ruff."}
    assert _listed(here, tag="lint") == {"Harbour lint runs with ruff."}
    assert _found(here, tag="#CI, 배포") == _listed(here, tag="#CI, 배포")
    assert len(_found(here, tag="#CI, 배포")) == 2
    assert _found(here, tag="lin") == set()


def test_a_category_and_a_priority_leave_the_others_out(here: Call) -> None:
    load_command("remember")(here, text=["Harbour is frozen in May."], category="constraint")
    assert _found(here, category="constraint") == {"Harbour is frozen in May."}
    assert _listed(here, category="constraint, runbook") == {"Harbour is frozen in May."}
    assert _found(here, category="runbook") == set()
    assert _found(here, priority="high") == set(), "records have none"
    gaps = load_command("search")(here, query=["harbour"], priority="low").not_looked_at
    assert "only low was looked at (`--priority`)" in [gap.say("en") for gap in gaps]
    with pytest.raises(BadRequest, match="'urgent'"):
        _found(here, priority="high,urgent")


def test_what_was_said_to_an_agent_is_found_by_its_name(here: Call) -> None:
    for agent in ("codex", "claude-code"):
        (found,) = _found(here, agent=agent)
        assert f"gate of {agent} opens" in found
        assert all(
            f"gate of {agent} opens" in text for text in _listed(here, agent=agent, kind="turn")
        )
    assert _found(here, agent="cursor") == set()


def test_where_a_filter_leaves_nothing_the_answer_names_it(here: Call) -> None:
    gaps = load_command("search")(here, query=["harbour"], tag="nowhere").not_looked_at
    assert any("--tag" in gap.en for gap in gaps or ())
    gaps = load_command("list")(here, agent="cursor").not_looked_at
    assert any("--agent" in gap.en for gap in gaps or ())


def test_what_is_over_is_found_by_its_status(here: Call) -> None:
    note = Path("notes") / "over.md"
    note.parent.mkdir()
    note.write_text("---\nuntil: 2020-01-01\n---\nHarbour dues were paid in cash.\n")
    load_command("index")(here, paths=["notes"])
    assert _found(here, status="ended") == {"Harbour dues were paid in cash."}
    assert "Harbour dues were paid in cash." not in _found(here, status="stands")
    assert _listed(here, status="ended") == {"over: Harbour dues were paid in cash."}


def test_a_filter_finds_nothing_where_nothing_is_indexed(here: Call) -> None:
    with pytest.raises(NotIndexed):
        load_command("search")(open_call({"scope": "agent:nobody"}), query=["x"], tag="lint")
