"""What the messages of tools say of commands and files, for the forms that each host leaves."""

from datetime import UTC, datetime

import pytest

from gieok.memory.handoff.tool_log import is_looking, read_tool_steps
from gieok.model.conversation import Message, Role

_AT = datetime(2026, 11, 20, 10, tzinfo=UTC)


def _tools(*texts: str) -> list[Message]:
    return [Message(str(n), Role.TOOL, text, _AT) for n, text in enumerate(texts)]


def _steps(*texts: str) -> list[tuple[str, str, bool | None]]:
    return [(step.deed, step.text, step.worked) for step in read_tool_steps(_tools(*texts))]


@pytest.mark.parametrize(
    ("texts", "step"),
    [
        (
            ("[Bash command=make test description=Run tests]", "[tool ok] 3 passed"),
            ("run", "make test", True),
        ),
        (("[Bash command=make test]", "[tool failed] 1 failed"), ("run", "make test", False)),
        (("[Bash command=env A=1 make b=2]", "[tool ok]"), ("run", "env A=1 make b=2", True)),
        (("[bash command=npm test] [bash ok] fine",), ("run", "npm test", True)),
        (
            ('[shell command=["bash", "-lc", "go test ./..."] workdir=/w]', "[tool ok] ok"),
            ("run", "go test ./...", True),
        ),
        (("[exec_command cmd=cargo test workdir=/w]",), ("run", "cargo test", None)),
        (
            ("[run_shell_command command=npm t]", "[tool ok] Output: x\nExit Code: 1\nSignal: -"),
            ("run", "npm t", False),
        ),
        (
            ("[Edit file_path=/w/a b.py old_string=x = 1 new_string=y]", "[tool ok]"),
            ("write", "/w/a b.py", True),
        ),
        (("[write_file file_path=/w/a.md content=x]", "[tool ok]"), ("write", "/w/a.md", True)),
        (
            ("[apply_patch *** Begin Patch *** Update File: src/a.py @@ -1 +1]", "[tool ok] Done"),
            ("write", "src/a.py", True),
        ),
    ],
)
def test_a_call_and_its_result_are_one_step(
    texts: tuple[str, ...], step: tuple[str, str, bool | None]
) -> None:
    assert _steps(*texts) == [step]


def test_what_only_reads_or_asks_is_no_step() -> None:
    assert _steps("[Read file_path=/w/a.py]", "[tool ok] text", "[WebSearch query=x]") == []


def test_results_of_calls_at_once_are_known_where_all_agree() -> None:
    calls = ("[Bash command=a]", "[Bash command=b]")
    assert [s[2] for s in _steps(*calls, "[tool ok] 1", "[tool ok] 2")] == [True, True]
    assert [s[2] for s in _steps(*calls, "[tool ok] 1", "[tool failed] 2")] == [None, None]
    assert [s[2] for s in _steps(*calls, "[tool ok] 1")] == [None, None]


def test_a_call_that_was_interrupted_takes_no_later_result() -> None:
    messages = [
        *_tools("[Bash command=a]"),
        Message("u", Role.USER, "stop", _AT),
        *_tools("[Bash command=b]", "[tool ok] done"),
    ]
    assert [(s.text, s.worked) for s in read_tool_steps(messages)] == [("a", None), ("b", True)]


def test_a_failure_keeps_its_last_line() -> None:
    (step,) = read_tool_steps(_tools("[Bash command=a]", "[tool failed] one\ntwo\n"))
    assert step.said == "two"


@pytest.mark.parametrize(
    ("line", "looks"),
    [
        ("ls -la && cat a.txt | head -3", True),
        ("git status", True),
        ("git push", False),
        ("cat a > b", False),
        ("npm test", False),
        ("cd web && npm test", False),
    ],
)
def test_a_command_that_only_looks_is_told_from_one_that_does(line: str, looks: bool) -> None:
    assert is_looking(line) is looks
