import json
from pathlib import Path

import pytest

from gieok.agents.agent import list_readable_agents
from gieok.agents.sources import (
    ScopedTranscript,
    find_changed_transcript,
    iter_unread_transcripts,
    list_transcript_places,
    sources,
)
from gieok.model.memory import Scope

_MAIN = Scope("agent:main")


def _touch(file: Path, text: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_transcripts_of_each_agent_are_found(tmp_path: Path) -> None:
    session = tmp_path / ".openclaw" / "agents" / "work" / "sessions"
    kept = [
        ScopedTranscript(_touch(tmp_path / ".claude/projects/-home-u-p/1.jsonl"), _MAIN),
        ScopedTranscript(_touch(tmp_path / ".codex/sessions/2026/11/21/rollout-1.jsonl"), _MAIN),
        ScopedTranscript(_touch(tmp_path / ".gemini/tmp/p/chats/session-1.jsonl"), _MAIN),
        ScopedTranscript(_touch(tmp_path / "own/deep/x.jsonl"), _MAIN),
        ScopedTranscript(_touch(session / "a.jsonl"), Scope("agent:work")),
        ScopedTranscript(
            _touch(session / "a.jsonl.reset.2026-11-21T20-45-55.413Z"), Scope("agent:work")
        ),
        ScopedTranscript(
            _touch(session.parent / "agent" / "openclaw-agent.sqlite"),
            Scope("agent:work"),
            "openclaw",
        ),
    ]
    _touch(session / "a.trajectory.jsonl")
    _touch(session / "cron.jsonl")
    listed = {"agent:work:cron:1": {"sessionId": "cron"}, "agent:work:main": {"sessionId": "a"}}
    _touch(session / "sessions.json", json.dumps(listed))
    found = list_transcript_places(tmp_path, {}, list_readable_agents(), [tmp_path / "own"])
    assert sorted(sources(found, _MAIN)) == sorted(kept)
    for source in kept:
        assert find_changed_transcript(source.path, found, _MAIN) == source
    assert find_changed_transcript(session / "cron.jsonl", found, _MAIN) is None
    assert find_changed_transcript(tmp_path / "elsewhere.jsonl", found, _MAIN) is None
    log = session.parent / "agent" / "openclaw-agent.sqlite-wal"
    assert find_changed_transcript(log, found, _MAIN) == kept[-1], (
        "a database changes in its log first"
    )


@pytest.mark.parametrize(
    ("variable", "agent", "folder"),
    [
        ("OPENCLAW_STATE_DIR", "openclaw", "agents"),
        ("CLAUDE_CONFIG_DIR", "claude-code", "projects"),
        ("CODEX_HOME", "codex", "sessions"),
    ],
)
def test_an_agents_own_variable_moves_its_folder(
    tmp_path: Path, variable: str, agent: str, folder: str
) -> None:
    place, *others = list_transcript_places(
        Path("/nowhere"), {variable: str(tmp_path)}, [agent], []
    )
    assert place.folder == tmp_path / folder
    assert all(tmp_path in (other.folder, other.folder.parent) for other in others)


def test_talk_that_is_kept_in_a_form_that_nobody_reads_is_named_by_its_file(tmp_path: Path) -> None:
    old = [
        _touch(tmp_path / ".gemini/tmp/alone/logs.json"),
        _touch(tmp_path / ".codex/archived_sessions/a.jsonl.zst"),
        _touch(tmp_path / ".openclaw/agents/main/sessions/cold/a.jsonl.zst"),
    ]
    _touch(tmp_path / ".gemini/tmp/shop/logs.json")  # its chats are read
    _touch(tmp_path / ".gemini/tmp/shop/chats/session-1.jsonl")
    talk = ".local/share/opencode/project/home-u-shop/storage/session/message"
    _touch(tmp_path / talk / "ses_1/msg_1.json")
    for number in range(7):
        _touch(tmp_path / f".codex/sessions/2025/01/01/{number}.jsonl.gz")
    told = dict(
        iter_unread_transcripts(list_transcript_places(tmp_path, {}, list_readable_agents(), []))
    )
    assert set(told) == {*old, tmp_path / talk, tmp_path / ".codex/sessions"}
    assert told[tmp_path / ".codex/sessions"] == "compressed sessions are not read (7 files)"


def test_the_folder_in_which_a_session_of_gemini_cli_works_stands_beside_its_chats(
    tmp_path: Path,
) -> None:
    chat = _touch(tmp_path / ".gemini/tmp/shop/chats/session-1.jsonl")
    found = list_transcript_places(tmp_path, {}, ["gemini-cli"], [])
    assert find_changed_transcript(chat, found, _MAIN) == ScopedTranscript(chat, _MAIN)
    _touch(tmp_path / ".gemini/tmp/shop/.project_root", "/home/u/shop\n")
    assert find_changed_transcript(chat, found, _MAIN) == ScopedTranscript(
        chat, _MAIN, cwd="/home/u/shop"
    )


def test_a_profile_of_openclaw_has_a_folder_of_its_own(tmp_path: Path) -> None:
    (place,) = list_transcript_places(tmp_path, {"OPENCLAW_PROFILE": "p"}, ["openclaw"], [])
    assert place.folder == tmp_path / ".openclaw-p" / "agents"


@pytest.mark.parametrize(
    ("folder", "transcript", "identity", "text"),
    [
        (".claude", "projects/-home-u-shop/{}.jsonl", "sessionId", "display"),
        (
            ".codex",
            "sessions/2026/11/20/rollout-2026-11-20T01-00-00-{}.jsonl",
            "session_id",
            "text",
        ),
        (".codex", "archived_sessions/rollout-2026-11-20T01-00-00-{}.jsonl", "session_id", "text"),
    ],
)
def test_prompts_of_sessions_that_are_gone_are_named_and_not_read(
    tmp_path: Path, folder: str, transcript: str, identity: str, text: str
) -> None:
    listed = tmp_path / folder / "history.jsonl"
    kept, gone = "0198-aa", "0198-bb"
    _touch(tmp_path / folder / transcript.format(kept))
    lines = [
        {identity: kept, text: "The crates are red."},
        {identity: gone, text: "The depot opens at nine."},
        {identity: gone, text: "/clear"},
        {text: "Nobody says where I was typed."},
    ]
    _touch(listed, "".join(json.dumps(line) + "\n" for line in lines) + "torn{")
    found = list_transcript_places(tmp_path, {}, list_readable_agents(), [])
    assert [(path, "(2 prompts)" in why) for path, why in iter_unread_transcripts(found)] == [
        (listed, True)
    ]
    assert listed not in [source.path for source in sources(found, _MAIN)]
    assert find_changed_transcript(listed, found, _MAIN) is None
    _touch(tmp_path / folder / transcript.format(gone))
    _touch(listed, "".join(json.dumps(line) + "\n" for line in lines[:3]))
    assert list(iter_unread_transcripts(found)) == []


def test_what_a_person_deleted_in_openclaw_stays_out_and_is_not_named(tmp_path: Path) -> None:
    deleted = _touch(
        tmp_path / ".openclaw/agents/main/sessions/a.jsonl.deleted.2026-06-11T01-02-03.004Z", "{}"
    )
    found = list_transcript_places(tmp_path, {}, list_readable_agents(), [])
    assert list(sources(found, _MAIN)) == []
    assert list(iter_unread_transcripts(found)) == []
    assert find_changed_transcript(deleted, found, _MAIN) is None
