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
    assert [(s.text, s.worked) for s in read_tool_steps(messages)] == [("b", True)]


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
        ("git -C web --no-pager log --oneline -3", True),
        ("git branch -a", True),
        ("git branch --list 'feat*'", True),
        ("git remote -v", True),
        ("git remote show origin", True),
        ("git stash list", True),
        ("git diff HEAD~1 -- a.py", True),
        ("git push origin show", False),
        ("git branch -D old", False),
        ("git branch new", False),
        ("git branch -m old new", False),
        ("git remote add o u", False),
        ("git stash", False),
        ("git stash drop show", False),
        ("git commit -m log", False),
        ("git -C status commit -m x", False),
        ("git checkout diff", False),
        ("git diff --output=f", False),
        ("sed -n 1,5p a.py", True),
        ("sed -i s/a/b/ a.py", False),
        ("sed -ni s/a/b/p a.py", False),
        ("find . -name '*.py'", True),
        ("find . -name '*.pyc' -delete", False),
        ("find . -fprint out", False),
        ("find . -exec rm {} +", False),
        ("date +%F", True),
        ("date -s 2020-01-01", False),
        ("hostname", True),
        ("hostname new-name", False),
        ("tree -L 2", True),
        ("tree -o out", False),
    ],
)
def test_a_command_that_only_looks_is_told_from_one_that_does(line: str, looks: bool) -> None:
    assert is_looking(line) is looks


@pytest.mark.parametrize(
    "call",
    [
        "command=make test | tail -5",
        "command=make test; echo done",
        "command=make test || true",
        "command=make serve &",
        "command=! make test",
        "command=bash -c 'make test; true'",
        "command=bash -ec 'make test; true'",
        "command=bash -euo pipefail -c 'make test; true'",
        "command=sudo bash -xc 'make test; true'",
        "command=eval 'make test; true'",
        "command=ssh prod 'systemctl restart shop; true'",
        "command=docker run -it image sh -c 'make test; true'",
        "command=unknown-runner --now sh -c 'make test; true'",
        'command=echo "tests: $(make test)"',
        "command=export V=$(make version) && make",
        "command=local x=$(make version)",
        "command=cat <(make test)",
        "command=make `make version`",
        "command=find . -exec make {} +",
        "command=git commit -m \"$(cat <<'EOF' Fix it EOF make test)\"",
        'command=git commit -m "$(cat <<EOF $(make test) EOF )"',
        'command=git commit -m "$(cat <<EOF `make test` EOF )"',
        "command=make -i test",
        "command=make -ki test",
        "command=make --ignore-errors test",
        "command=su - bob -c 'make; true'",
        "command=sudo su - bob -c 'make; true'",
        "command=script -c 'make; true' log",
        "command=trap 'exit 0' EXIT && make",
        "command=make serve run_in_background=true",
        "command=make a-very-long-lin…",
    ],
)
def test_a_success_that_a_failure_could_hide_behind_is_not_known(call: str) -> None:
    (step,) = read_tool_steps(_tools(f"[Bash {call}]", "[tool ok] done"))
    assert step.worked is None
    (step,) = read_tool_steps(_tools(f"[Bash {call}]", "[tool failed] no"))
    assert step.worked is False


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("make test && make lint", "3 passed"),
        ("git commit -m 'a; b | c'", "1 file changed"),
        ("bash -euo pipefail -c 'make test && make lint'", "3 passed"),
        ("ssh prod 'systemctl restart shop'", ""),
        ("git commit -m \"$(cat <<'EOF' Fix it; or so EOF )\"", "1 file changed"),
        ("git commit -m \"$(cat <<'EOF' Run `make` and $(x) EOF )\"", "1 file changed"),
        ("make -k -C lib test", "3 passed"),
        ("make test", "the child: exit code 1 is expected\n3 passed"),
        ("make test", "expected output:\nExit code: 3\nok"),
        ("make test", "Exit code: 0\nWall time: 1 seconds\nOutput:\nexit status 2"),
        ("make test", "Chunk ID: a\nWall time: 1.0 seconds\nProcess exited with code 0\nOutput:"),
    ],
)
def test_only_the_host_says_that_a_command_failed(line: str, said: str) -> None:
    assert _steps(f"[Bash command={line}]", f"[tool ok] {said}") == [("run", line, True)]


@pytest.mark.parametrize(
    "said",
    [
        "Exit code 2\nboom",
        "Chunk ID: a\nWall time: 1.0 seconds\nProcess exited with code 2\nOutput:",
        '{"output":"boom","metadata":{"exit_code":2,"duration_seconds":1.0}}',
    ],
)
def test_a_result_that_the_host_ended_with_a_status_is_a_failure(said: str) -> None:
    assert _steps("[shell command=make]", f"[tool ok] {said}") == [("run", "make", False)]


@pytest.mark.parametrize(
    "said",
    [
        "The user doesn't want to proceed with this tool use. The tool use was rejected",
        "exec command rejected by user",
        "[Request interrupted by user for tool use]",
    ],
)
def test_a_call_that_was_rejected_did_nothing(said: str) -> None:
    assert _steps("[Bash command=make deploy]", f"[tool failed] {said}") == []
    assert _steps("[Edit file_path=/w/a.py]", f"[tool failed] {said}") == []


def test_only_a_known_editor_changes_a_file() -> None:
    calls = ("[mcp__jira__create_issue path=/w/a.py]", "[tool ok] made")
    assert _steps(*calls) == []
    view = "[str_replace_based_edit_tool command=view path=/w/a.py]"
    edit = "[str_replace_based_edit_tool command=str_replace path=/w/a.py]"
    assert _steps(view, "[tool ok]", edit, "[tool ok]") == [("write", "/w/a.py", True)]
