"""What `shortened_lines` writes of a tool's use is read back."""

import pytest

from gieok.agents.transcripts.shortened_lines import tool_call, tool_result
from gieok.agents.transcripts.tool_lines import read_tool_line


@pytest.mark.parametrize(
    ("name", "given", "command"),
    [
        (
            "Bash",
            {"command": "uv run pytest -q", "description": "Run the tests"},
            "uv run pytest -q",
        ),
        ("shell", {"command": ["bash", "-lc", "ls -la"], "workdir": "/x"}, "ls -la"),
        ("exec_command", {"cmd": "make"}, "make"),
    ],
)
def test_a_command_is_read_back(name: str, given: object, command: str) -> None:
    line = read_tool_line(tool_call(name, given))
    assert (line.is_call, line.command, line.is_cut) == (True, command, False)


def test_a_command_that_was_cut_says_so() -> None:
    line = read_tool_line(tool_call("Bash", {"command": "echo " + "x" * 300}))
    assert line.is_cut


def test_an_edit_names_its_file_and_a_look_does_not() -> None:
    edit = tool_call("Edit", {"file_path": "/a/b.py", "old_string": "x", "new_string": "y"})
    assert read_tool_line(edit).paths == ("/a/b.py",)
    assert read_tool_line(tool_call("Read", {"file_path": "/a/b.py"})).paths == ()
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@"
    assert read_tool_line(tool_call("apply_patch", {"input": patch})).paths == ("src/a.py",)


def test_a_result_has_its_outcome() -> None:
    failed = read_tool_line(tool_result("tool", "Exit code 1\nno", failed=True))
    assert (failed.is_call, failed.outcome, failed.result) == (False, "failed", "Exit code 1\nno")
    both = read_tool_line(f"{tool_call('bash', {'command': 'ls'})} {tool_result('bash', 'a')}")
    assert (both.command, both.outcome, both.result) == ("ls", "ok", "a")
