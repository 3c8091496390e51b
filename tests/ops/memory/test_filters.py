"""`--tag`, `--agent`, `--status`: what search and list leave out, by what a person or a note
said.
"""

import json
from pathlib import Path

import pytest

from gieok.app import open_context
from gieok.errors import NotIndexed
from gieok.ops import operation
from gieok.ops.context import Context
from gieok.ops.memory.listing import ListRequest
from gieok.ops.memory.remember import RememberRequest
from gieok.ops.memory.search import SearchRequest


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Context:
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
        operation("remember").handler(open_context({}), RememberRequest(text=[text], tags=tags))
    for agent, session in (("claude-code", "s1"), ("codex", "s2")):
        _say(user, agent, session, f"The harbour gate of {agent} opens at nine.")
    context = open_context({})
    context.memory.catch_up()
    return context


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


def _found(context: Context, **fields: object) -> set[str]:
    request = SearchRequest(query=["harbour"], min_score=0.0, **fields)
    return {
        hit.snippet.split("\n")[-1] for hit in operation("search").handler(context, request).results
    }


def _listed(context: Context, **fields: object) -> set[str]:
    return {row.text for row in operation("list").handler(context, ListRequest(**fields)).memories}


def test_what_was_tagged_is_found_by_its_tag_and_nothing_else_is(here: Context) -> None:
    assert _found(here, tag="lint") == {"Harbour lint runs with ruff."}
    assert _listed(here, tag="lint") == {"Harbour lint runs with ruff."}
    assert _found(here, tag="#CI, 배포") == _listed(here, tag="#CI, 배포")
    assert len(_found(here, tag="#CI, 배포")) == 2
    assert _found(here, tag="lin") == set()


def test_what_was_said_to_an_agent_is_found_by_its_name(here: Context) -> None:
    for agent in ("codex", "claude-code"):
        (found,) = _found(here, agent=agent)
        assert f"gate of {agent} opens" in found
        assert all(
            f"gate of {agent} opens" in text for text in _listed(here, agent=agent, kind="turn")
        )
    assert _found(here, agent="cursor") == set()


def test_where_a_filter_leaves_nothing_the_answer_names_it(here: Context) -> None:
    gaps = (
        operation("search")
        .handler(here, SearchRequest(query=["harbour"], tag="nowhere"))
        .not_looked_at
    )
    assert any("--tag" in gap.en for gap in gaps or ())
    gaps = operation("list").handler(here, ListRequest(agent="cursor")).not_looked_at
    assert any("--agent" in gap.en for gap in gaps or ())


def test_what_is_over_is_found_by_its_status(here: Context) -> None:
    note = Path("notes") / "over.md"
    note.parent.mkdir()
    note.write_text("---\nuntil: 2020-01-01\n---\nHarbour dues were paid in cash.\n")
    operation("index").handler(here, operation("index").request(paths=["notes"]))
    assert _found(here, status="ended") == {"Harbour dues were paid in cash."}
    assert "Harbour dues were paid in cash." not in _found(here, status="stands")
    assert _listed(here, status="ended") == {"over: Harbour dues were paid in cash."}


def test_a_filter_finds_nothing_where_nothing_is_indexed(here: Context) -> None:
    with pytest.raises(NotIndexed):
        operation("search").handler(
            open_context({"scope": "agent:nobody"}), SearchRequest(query=["x"], tag="lint")
        )
