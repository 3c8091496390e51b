import json

import pytest

from gieok.agents.transcripts.own_talk import TOOLS, is_own_call, is_own_tool, may_ask
from gieok.surfaces import tool_table


def test_every_tool_that_models_are_given_is_known_under_any_prefix() -> None:
    assert set(tool_table.load_tool_operations()) <= set(TOOLS)
    for name in tool_table.load_tool_operations():
        for prefix in (
            "",
            "mcp__gieok__",
            "mcp_gieok_",
            "gieok__",
            "gieok.",
            "mcp__plugin_gieok_memory__",
            "mcp__mem__",
        ):
            assert is_own_tool(f"{prefix}{name}")
        assert may_ask(name.encode())
    assert not any(
        map(is_own_tool, ("Bash", "read", "web_search", "code_search_all", "search", "gieoks", ""))
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "gieok search 'launch date'"},
        {"command": "cd ~/work && GIEOK_LANG=ko /opt/venv/bin/gieok get notes/a.md"},
        {"command": "uv run gieok observe show | head -5"},
        {"command": "python3 -m gieok search x"},
        {"command": "timeout 5 sudo -u kim gieok --json search x"},
        {"command": ["bash", "-lc", "gieok search x"]},
        '{"cmd":"gieok why observe:1"}',
        'await tools.exec_command({cmd: "gieok search x"})',
        {"file_path": "/home/kim/.gieok/active_memory.md"},
        {"file_path": "memory/active_memory-project-shop.md"},
        {"path": "C:\\Users\\kim\\.gieok\\memory\\a.md"},
        {"pattern": "Redis", "path": "/w/shop/.gieok"},
        {"command": "cat .gieok/memory/decision/*.md"},
        {"edits": [{"file": {"path": "/data/mind/journal"}}]},
    ],
)
def test_a_call_that_asks_gieok_is_known(arguments: object) -> None:
    assert is_own_call("some_tool", arguments, ["/data/mind/"])
    assert may_ask(json.dumps({"arguments": arguments}).encode(), ["/data/mind/"])


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "cd ~/gieok && make test"},
        {"command": "git clone https://example.org/gieok.git && ls gieok"},
        {"command": "grep -rn gieok src"},
        {"command": "pip install gieok"},
        {"file_path": "src/gieok/text/echo.py"},
        {"file_path": "docs/not.gieok/x.md"},
        {"path": "/data/mindful/journal"},
        {"path": "active_memory.py"},
        {},
        None,
        7,
    ],
)
def test_a_call_about_something_else_is_none(arguments: object) -> None:
    assert not is_own_call("Bash", arguments, ["/data/mind/"])
