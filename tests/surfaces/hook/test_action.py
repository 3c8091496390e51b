"""At the moment of an action memory says what was decided, what worked, what mended an error."""

import json
import shutil

import pytest

from gieok.commands import load_command
from gieok.commands.observe.run import observe_transcripts
from gieok.home.calls import open_call
from gieok.memory.action import attempts


class Transcript:
    """A session of Claude Code, as it writes it."""

    def __init__(self, place, session: str, day: str = "2026-11-20") -> None:
        self._place, self._session, self._day = place, session, day
        self._lines: list[dict[str, object]] = []

    def _add(self, kind: str, content: object) -> None:
        number = len(self._lines)
        self._lines.append(
            {
                "type": kind,
                "uuid": f"{self._session}-{number}",
                "sessionId": self._session,
                "cwd": str(self._place.project),
                "timestamp": f"{self._day}T10:{number // 60:02}:{number % 60:02}Z",
                "message": {"role": kind, "content": content},
            }
        )

    def user(self, text: str) -> "Transcript":
        self._add("user", text)
        return self

    def agent(self, text: str) -> "Transcript":
        self._add("assistant", [{"type": "text", "text": text}])
        return self

    def tool(
        self, name: str, result: str, *, failed: bool = False, **given: object
    ) -> "Transcript":
        call = f"toolu_{self._session}_{len(self._lines)}"
        self._add("assistant", [{"type": "tool_use", "id": call, "name": name, "input": given}])
        answer = {"type": "tool_result", "tool_use_id": call, "content": result}
        self._add("user", [{**answer, "is_error": failed}])
        return self

    def bash(self, command: str, result: str = "", *, failed: bool = False) -> "Transcript":
        text = f"Exit code 1\n{result}" if failed else result
        return self.tool("Bash", text, failed=failed, command=command)

    def end(self) -> None:
        """Write the transcript, and take it in."""
        chats = self._place.user / ".claude" / "projects" / "-shop"
        chats.mkdir(parents=True, exist_ok=True)
        file = chats / f"{self._session}.jsonl"
        file.write_text(
            "\n".join(json.dumps(line, ensure_ascii=False) for line in self._lines) + "\n"
        )
        _observe()


def _observe() -> None:
    call = open_call({})
    try:
        observe_transcripts(call, once=True)
    finally:
        call.home.store.close()


def _payload(place, event: str, tool: str, given: dict[str, object], session: str) -> dict:
    return {
        "session_id": session,
        "cwd": str(place.project),
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": "toolu_1",
    }


def _before(place, tool: str, session: str = "s", **given: object):
    return place.hook("pre-tool", _payload(place, "PreToolUse", tool, given, session))


def _failure(place, command: str, error: str, session: str = "s") -> dict[str, object]:
    payload = _payload(place, "PostToolUseFailure", "Bash", {"command": command}, session)
    return {**payload, "error": f"Exit code 1\n{error}"}


def _after(place, command: str, error: str, session: str = "s"):
    return place.hook("post-tool", _failure(place, command, error, session))


_ERROR = "ModuleNotFoundError: No module named 'yaml'"


def _fail_and_mend(place) -> None:
    """Let an earlier session run into an error, and mend it."""
    Transcript(place, "s1").user("start it").bash("python app.py", _ERROR, failed=True).bash(
        "uv add pyyaml", "added"
    ).bash("python app.py", "listening on 8000").end()


def _call(name: str, **given: object):
    call = open_call({})
    try:
        return load_command(name)(call, **given)
    finally:
        call.home.store.close()


def _settle() -> None:
    call = open_call({})
    try:
        call.home.settle_statements()
    finally:
        call.home.store.close()


@pytest.fixture(autouse=True)
def _says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch the notes on: by default nothing is said."""
    monkeypatch.setenv("GIEOK_HOOK_ACTION", "on")


def test_the_form_that_worked_is_said_before_the_command(place) -> None:
    Transcript(place, "s1").user("run the tests").bash(
        "pytest -q", "bash: pytest: command not found", failed=True
    ).bash("uv run pytest -q", "12 passed").end()
    said = _before(place, "Bash", command="pytest tests/test_cart.py")
    assert "'uv run pytest -q' then worked" in said.context
    assert "2026-11-20" in said.context
    assert "permissionDecision" not in said.out.decode()
    assert not _before(place, "Bash", command="uv run pytest tests/test_cart.py").out
    assert not _before(place, "Bash", command="git status").out


def test_what_mended_an_error_is_said_after_it(place) -> None:
    error = "ModuleNotFoundError: No module named 'yaml'"
    Transcript(place, "s1").user("start it").bash("python app.py", error, failed=True).bash(
        "uv add pyyaml", "added"
    ).bash("python app.py", "listening on 8000").end()
    assert "'uv add pyyaml'" in _after(place, "python worker.py", error).context
    assert not _after(place, "python app.py", error.replace("yaml", "requests")).out


def test_what_was_decided_about_a_file_is_said_before_it_is_edited(place) -> None:
    place.remember("src/cart.py rounds half up, because the bank does.", category="decision")
    file = str(place.project / "src" / "cart.py")
    said = _before(place, "Edit", file_path=file, old_string="a", new_string="b")
    assert "rounds half up" in said.context
    other = str(place.project / "src" / "card.py")
    assert not _before(place, "Edit", file_path=other, old_string="a", new_string="b").out
    assert not _before(place, "Read", file_path=file).out


def test_nothing_is_said_twice_in_a_session(place) -> None:
    _fail_and_mend(place)
    assert _after(place, "python app.py", _ERROR, "5e550001").context
    assert not _after(place, "python app.py", _ERROR, "5e550001").out
    assert _after(place, "python app.py", _ERROR, "5e550002").context


def test_the_session_in_which_it_happened_is_told_nothing(place) -> None:
    _fail_and_mend(place)
    assert not _after(place, "python app.py", _ERROR, "s1").out


def test_a_form_that_worked_once_teaches_nothing(place) -> None:
    Transcript(place, "s1").user("test").bash("pytest -q", "2 failed", failed=True).bash(
        "pytest -q -x", "1 passed"
    ).end()
    assert _before(place, "Bash", command="pytest -q").context
    Transcript(place, "s2", "2026-11-21").user("test").bash("pytest -q", "3 passed").end()
    assert not _before(place, "Bash", command="pytest -q").out


def test_what_an_edit_mended_is_no_form_of_a_command(place) -> None:
    Transcript(place, "s1").user("test").bash(
        "make", "no rule to make this target", failed=True
    ).tool(
        "Edit", "ok", file_path=str(place.project / "Makefile"), old_string="a", new_string="b"
    ).bash("make -j2", "built").end()
    assert not _before(place, "Bash", command="make").out
    said = _after(place, "make", "no rule to make this target").context
    assert "an edit of" in said
    assert "Makefile" in said


def test_only_where_it_is_switched_on(place, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_and_mend(place)
    assert not place.hook(
        "post-tool", _failure(place, "python app.py", _ERROR), GIEOK_HOOK_ACTION="off"
    ).out
    monkeypatch.setenv("GIEOK_HOOK_ACTION", "off")
    _settle()
    assert not (place.home / "action").exists()


def test_a_pause_and_an_excluded_folder_withhold_it(place) -> None:
    _fail_and_mend(place)
    excluded = place.hook(
        "post-tool",
        _failure(place, "python app.py", _ERROR),
        GIEOK_EXCLUDE_FOLDERS=str(place.project),
    )
    assert not excluded.out
    assert not place.hook(
        "post-tool", _failure(place, "python app.py", _ERROR), GIEOK_PRIVATE="1"
    ).out
    _call("pause")
    assert not _after(place, "python app.py", _ERROR).out


def test_a_folder_that_is_only_asked_is_not_told_from(place) -> None:
    record = place.remember("src/cart.py rounds half up, for the bank.", category="decision")
    file = str(place.project / "src" / "cart.py")
    given = {"file_path": file, "old_string": "a", "new_string": "b"}
    payload = _payload(place, "PreToolUse", "Edit", given, "s")
    assert place.hook("pre-tool", payload).context
    assert not place.hook("pre-tool", payload, GIEOK_HOOK_ASKED_ONLY=str(record.parent)).out


def test_a_memory_that_is_not_wanted_for_a_file_stays_away(place) -> None:
    place.remember("src/cart.py rounds half up, for the bank.", category="decision")
    file = str(place.project / "src" / "cart.py")
    said = _before(place, "Edit", file_path=file, old_string="a", new_string="b").context
    handle = said.rpartition(", ")[2].partition(")")[0]
    _call("hook refuse", handle=handle, prompt=file)
    assert not _before(place, "Edit", file_path=file, old_string="a", new_string="b").out


def test_what_is_forgotten_is_said_no_more(place) -> None:
    _fail_and_mend(place)
    kept = "".join(file.read_text() for file in (place.home / "action").iterdir())
    assert "pyyaml" in kept
    chats = place.user / ".claude" / "projects" / "-shop" / "s1.jsonl"
    _call("forget", source=str(chats), yes=True)
    kept = "".join(file.read_text() for file in (place.home / "action").iterdir())
    assert "pyyaml" not in kept
    assert not _after(place, "python app.py", _ERROR).out


def test_a_rule_is_said_alone(place) -> None:
    Transcript(place, "s1").user("never run pytest, it wipes the data").bash(
        "pytest", "not found here", failed=True
    ).bash("uv run pytest", "ok").end()
    out = json.loads(_before(place, "Bash", command="pytest").out)["hookSpecificOutput"]
    assert out["permissionDecision"] == "ask"
    assert "additionalContext" not in out


def test_an_agent_whose_hook_takes_no_note_gets_none(place) -> None:
    _fail_and_mend(place)
    payload = _failure(place, "python app.py", _ERROR)
    assert not place.hook("post-tool", payload, "--agent", "codex").out


def test_why_and_stats_tell_of_it(place) -> None:
    _fail_and_mend(place)
    _after(place, "python app.py", _ERROR, "5e550001")
    last = _call("why", last=True)
    assert (last.event, last.by) == ("post-tool", "action")
    assert "uv add pyyaml" in last.text
    row = place.calls()[-1]
    assert (row["event"], row["noted"]) == ("post-tool", True)
    assert row["tokens"] <= 150
    assert _call("hook stats").stats.actions == 1


def test_a_secret_is_not_told(place) -> None:
    key = "sk-proj-" + "a1B2c3D4" * 6
    Transcript(place, "s1").user("go").bash(
        "deploy run", "no token was set here", failed=True
    ).bash(f"TOKEN={key} deploy run", "done").end()
    assert key not in "".join(file.read_text() for file in (place.home / "action").iterdir())
    said = _before(place, "Bash", command="deploy run")
    assert "TOKEN" in said.context
    assert key not in said.context


def _read_action_files(place) -> dict[str, str]:
    return {file.suffix: file.read_text() for file in sorted((place.home / "action").iterdir())}


def test_what_is_read_piece_by_piece_is_what_is_read_at_once(place, monkeypatch) -> None:
    with monkeypatch.context() as patched:
        patched.setenv("GIEOK_HOOK_ACTION", "off")
        _fail_and_mend(place)
    chats = place.user / ".claude" / "projects" / "-shop" / "s1.jsonl"
    lines = chats.read_text().replace("s1", "s3").splitlines(keepends=True)
    for number in range(1, len(lines) + 1):
        chats.with_name("s3.jsonl").write_text("".join(lines[:number]))
        _observe()
    by_pieces = _read_action_files(place)
    shutil.rmtree(place.home / "action")
    _settle()
    at_once = _read_action_files(place)
    assert at_once[".json"] == by_pieces[".json"]
    assert "uv add pyyaml" in at_once[".json"]


def test_a_kill_between_the_two_files_loses_nothing(place, monkeypatch: pytest.MonkeyPatch) -> None:
    class _Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise _Killed

    with monkeypatch.context() as patched:
        patched.setattr(attempts, "write_attempts", die)
        with pytest.raises(_Killed):
            _fail_and_mend(place)
    _settle()
    assert "uv add pyyaml" in _read_action_files(place)[".json"]
    assert "uv add pyyaml" in _read_action_files(place)[".attempts"]
    assert _after(place, "python app.py", _ERROR).context


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 1, "forms": 3}', '{"version": 99}'])
def test_a_damaged_file_says_nothing(place, text: str) -> None:
    _fail_and_mend(place)
    for file in (place.home / "action").iterdir():
        file.write_text(text)
    assert not _after(place, "python app.py", _ERROR).out
    assert not place.log()


def test_a_scope_that_is_gone_leaves_no_file(place) -> None:
    _fail_and_mend(place)
    stale = place.home / "action" / "0123456789abcdef.attempts"
    stale.write_text("uv add pyyaml")
    _settle()
    assert not stale.exists()
    assert _after(place, "python app.py", _ERROR).context
