"""Sessions of Copilot CLI 1.0.102, Hermes 0.19.0, pi 0.74.2, Kilo 7.7.9 and Kimi Code 2.1.0.

In each a person said one sentence and asked one question, memory was put before the prompt, and the
model called one shell tool.
"""

import json
from pathlib import Path

import pytest

from gieok.agents.formats import recognise, replay
from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts.speakers import extract_words
from gieok.model.conversation import Role

_RECORDED = Path(__file__).parent / "recorded"
_SAID = "The deploy runs on Tuesday morning, does it? The depot opens at nine. RUN:echo probe;"
_PI = "2026-11-27T12-22-42-018Z_01a21cf5-3662-7b91-b069-63d2879e4eb1.jsonl"
_KIMI = "wd_shop_1/session_504340b8-f54a-4f2b-b644-b759cc5cd0b5/agents/main/wire.jsonl"
#: Agent → path of the file as the agent writes it, and the session's id.
_SESSIONS = {
    "copilot-cli": ("events.jsonl", ""),
    "hermes": ("", "20261127_122236_81b343"),
    "pi": (_PI, "01a21cf5-3662-7b91-b069-63d2879e4eb1"),
    "kimi-code": (_KIMI, "session_504340b8-f54a-4f2b-b644-b759cc5cd0b5"),
    "kilo": ("", "ses_de30a9860ffe9af3fTdlvyCXnr"),
}


def _lines(agent: str) -> list[bytes]:
    file = _RECORDED / f"{agent.replace('-', '_')}.jsonl"
    return file.read_bytes().splitlines()


def _said(agent: str, lines: list[bytes]) -> list[tuple[Role, str]]:
    transcript = recognise(_SESSIONS[agent][0], lines)
    assert transcript is not None
    events = [
        event
        for number, line in enumerate(lines)
        for event in transcript.events(json.loads(line), str(number))
    ]
    return [(message.role, message.text) for message in replay(events)]


@pytest.mark.parametrize("agent", _SESSIONS)
def test_a_session_is_known_with_its_folder(agent: str) -> None:
    name, identity = _SESSIONS[agent]
    transcript = recognise(name, _lines(agent))
    assert transcript is not None
    assert (transcript.session.agent, transcript.session.cwd) == (agent, "/home/u/shop")
    assert transcript.session.id == identity or agent == "copilot-cli"
    # `kilo run` denies questions from the beginning: a script may have typed the prompt.
    by_program = agent == "kilo"
    assert transcript.session.driver is (Speaker.PROGRAM if by_program else Speaker.PERSON)


@pytest.mark.parametrize("agent", ["copilot-cli", "hermes", "pi", "kimi-code"])
def test_what_was_said_and_done_is_kept_and_nothing_that_memory_added(agent: str) -> None:
    said = _said(agent, _lines(agent))
    assert [text for role, text in said if role is Role.USER] == [_SAID]
    assert [text for role, text in said if role is Role.ASSISTANT] == ["Noted."]
    tools = " ".join(text for role, text in said if role is Role.TOOL)
    assert "command=echo probe" in tools
    assert "probe" in tools.partition("command=echo probe")[2]
    assert "Mina" not in str(said)
    assert "memory-context" not in str(said)


@pytest.mark.parametrize("agent", ["copilot-cli", "pi", "kimi-code"])
def test_the_recording_holds_the_injected_text_that_is_left_out(agent: str) -> None:
    assert b"Mina" in b"".join(_lines(agent))


def test_kilo_keeps_a_persons_words_where_questions_are_allowed() -> None:
    lines = [line.replace(b'"action": "deny"', b'"action": "allow"') for line in _lines("kilo")]
    said = _said("kilo", lines)
    assert [text for role, text in said if role is Role.USER] == [_SAID]
    assert (Role.ASSISTANT, "Noted.") in said


def test_a_sub_agent_of_kimis_has_a_folder_of_its_own() -> None:
    transcript = recognise(_KIMI.replace("main", "agent-0"), _lines("kimi-code"))
    assert transcript is not None
    assert transcript.session.ignored == "a sub-agent"


def test_a_sub_agent_of_copilots_is_no_person() -> None:
    lines = [json.loads(line) for line in _lines("copilot-cli")]
    marked = [
        json.dumps({**line, "agentId": "a"} if line["type"] == "user.message" else line).encode()
        for line in lines
    ]
    assert [text for role, text in _said("copilot-cli", marked) if role is Role.USER] == []


def _said_from(source: str) -> list[str]:
    lines = [
        line.replace(b'"source": "cli"', f'"source": {source}'.encode())
        for line in _lines("hermes")
    ]
    return [text for role, text in _said("hermes", lines) if role is Role.USER]


@pytest.mark.parametrize(
    "source",
    [
        *("cron", "webhook", "msgraph_webhook", "relay", "api_server", "homeassistant", "email"),
        *("ntfy", "acp", "unknown", "a plugin of tomorrow", ""),
    ],
)
def test_what_hermes_was_sent_by_a_program_is_no_persons(source: str) -> None:
    assert _said_from(json.dumps(source)) == []


@pytest.mark.parametrize("source", ["cli", "tui", "telegram", "slack", "matrix"])
def test_what_hermes_was_told_in_a_chat_is_a_persons(source: str) -> None:
    assert _said_from(json.dumps(source)) == [_SAID]


_SKILL = (
    '[IMPORTANT: The user has invoked the "deploy" skill, indicating they want you to follow its '
    "instructions. The full skill content is loaded below.]\n\n# Deploy\nNever run terraform "
    "destroy.\nThe user has provided the following instruction alongside the skill invocation: x"
)
_INSTRUCTION = "The user has provided the following instruction alongside the skill invocation: "
_TASKS = (
    "[Your active task list was preserved across context compression]\n"
    "- [ ] 1. never deploy on Friday (pending)"
)
_BUNDLE = (
    '[IMPORTANT: The user has invoked the "back" skill bundle, loading 2 skills together.]\n\n'
    f"Bundle: back\n\nUser instruction: {_SAID}\n\n"
    '[Loaded as part of the "back" skill bundle.]\n\nUser instruction: never push.\n'
    f"{_INSTRUCTION}never push."
)


@pytest.mark.parametrize(
    ("host", "stored", "said"),
    [
        ("hermes", _SKILL.rpartition("\n")[0], ""),
        ("hermes", f"{_SKILL}\n\n{_INSTRUCTION}{_SAID}\n\n[Runtime note: never ask]", _SAID),
        ("hermes", _BUNDLE, _SAID),
        ("hermes", _TASKS, ""),
        ("hermes", f"{_SAID}\n\n{_TASKS}", _SAID),
        ("hermes", f"[System note: Your turn was interrupted.]\n\n{_SAID}", _SAID),
        ("hermes", "[System note: Your turn was interrupted.]", ""),
        ("hermes", "[IMPORTANT: 2 background processes ended.\nOutput:\nnever push]", ""),
        ("hermes", "[IMPORTANT: the depot opens at nine]", "[IMPORTANT: the depot opens at nine]"),
        ("pi", '<skill name="d" location="/d">\nNever push.\n</skill>', ""),
        ("pi", f'<skill name="d" location="/d">\nNever.\n</skill>\n\n{_SAID}', _SAID),
        ("pi", f'<file name="/a">\na </file>\nb\n</file>\n<file name="/b"></file>\n{_SAID}', _SAID),
        ("pi", "Put <file>a</file> into it.", "Put <file>a</file> into it."),
    ],
)
def test_of_what_a_host_stores_under_a_persons_name_the_persons_words_are_left(
    host: str, stored: str, said: str
) -> None:
    assert extract_words(host, stored) == said


def test_a_session_of_hermes_without_a_source_is_no_persons_and_a_delegated_one_is_left_out() -> (
    None
):
    assert _said_from("null") == []
    lines = [line.replace(b'"source": "cli"', b'"source": "subagent"') for line in _lines("hermes")]
    assert _said("hermes", lines) == []


def test_of_a_prompt_with_a_picture_hermes_keeps_the_text_is_read() -> None:
    lines = (_RECORDED / "hermes_parts.jsonl").read_bytes().splitlines()
    assert b"base64" in b"".join(lines)
    assert _said("hermes", lines) == [
        (Role.USER, "What is on this picture? The depot opens at nine."),
        (Role.ASSISTANT, "A red square."),
    ]
    broken = [line.replace(b"\\u0000json:[", b"\\u0000json:") for line in lines]
    assert broken != lines
    assert (Role.USER, "") not in _said("hermes", broken)
    assert "base64" not in str(_said("hermes", broken))
