"""At the moment of an action memory says what was decided, what worked, what mended an error."""

import json

import pytest

from gieok.commands.observe.run import observe_transcripts
from gieok.home.calls import open_call


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


def _after(place, command: str, error: str, session: str = "s"):
    payload = _payload(place, "PostToolUseFailure", "Bash", {"command": command}, session)
    return place.hook("post-tool", {**payload, "error": f"Exit code 1\n{error}"})


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
