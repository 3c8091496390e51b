"""With the managed store, what is put before prompts is found here: no prompt of an agent goes to
the service.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

_PROMPTS = (
    "고양이 보리는 무엇을 좋아하지?",
    "Which VLAN does the office have?",
    "고마워, 잘했어",
    "please go on",
)


@pytest.mark.parametrize("prompt", _PROMPTS)
def test_no_prompt_reaches_the_service(home: Any, gemini: Any, prompt: str) -> None:
    gemini.reset_counts()
    home.run("recall", prompt)
    home.run("recall", prompt, "--explain", "--agent", "claude-code", "--session", "s1")
    assert not gemini.calls


def test_the_words_here_answer_a_prompt(home: Any) -> None:
    _, found = home.run("recall", "고양이 보리는 연어를 좋아하나?")
    assert "연어" in found["text"]


@pytest.mark.parametrize("event", ["prompt", "session-start", "stop", "session-end"])
def test_no_hook_event_reaches_the_service(home: Any, gemini: Any, event: str) -> None:
    gemini.reset_counts()
    payload = {
        "session_id": "s1",
        "cwd": str(home.notes),
        "prompt": _PROMPTS[1],
        "hook_event_name": event,
    }
    command = [sys.executable, "-m", "gieok", "hook", event, "--agent", "claude-code"]
    done = subprocess.run(
        command, input=json.dumps(payload), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert not gemini.calls


def test_a_search_of_a_person_does_reach_it(home: Any, gemini: Any) -> None:
    gemini.reset_counts()
    home.run("search", "VLAN")
    assert gemini.calls["generate"] == 1
