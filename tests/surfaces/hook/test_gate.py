"""What a user forbade in a transcript stops the tool of the next session, and nothing beside."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gieok import fs
from gieok.agents import table
from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.observe.run import observe_transcripts
from gieok.commands.prompt.rules import list_action_rules, render_rules, try_action_rules
from gieok.home.calls import open_call
from gieok.hook import gates
from gieok.places.home import gate_actions_file, gate_choices_file, gate_rules_file
from gieok.settings.hook import USED
from gieok.settings.resolved import FileSettings
from gieok.surfaces.hook import gate

_SAID = (
    "never run supabase db reset, it wipes everything.",
    "main에 바로 푸시하지 마",
    "Ask me before you touch the billing folder.",
)


def _tell(place, *turns: str, session: str = "s1", day: str = "2026-11-20") -> None:
    """Let Claude Code write a session of the project, and take it in."""
    chats = place.user / ".claude" / "projects" / "-shop"
    chats.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps(line, ensure_ascii=False)
        for number, text in enumerate(turns)
        for line in _turn(place.project, session, number, text, day)
    ]
    (chats / f"{session}.jsonl").write_text("\n".join(lines) + "\n")
    _run(lambda call: observe_transcripts(call, once=True))


def _turn(folder: Path, session: str, number: int, text: str, day: str) -> Iterator[object]:
    for role, content in (("user", text), ("assistant", [{"type": "text", "text": "Noted."}])):
        yield {
            "type": role,
            "uuid": f"{session}-{number}-{role}",
            "sessionId": session,
            "cwd": str(folder),
            "timestamp": f"{day}T10:{number:02}:00Z",
            "message": {"role": role, "content": content},
        }


def _run(work):
    call = open_call({})
    try:
        return work(call)
    finally:
        call.home.store.close()


def _try_tool(place, tool: str, *arguments: str, folder: str = "", **tool_input: object) -> dict:
    payload = {
        "session_id": "9e9176e3",
        "transcript_path": str(place.user / "t.jsonl"),
        "cwd": folder or str(place.project),
        "prompt_id": "0006afc7",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": tool_input,
        "tool_use_id": "toolu_1",
    }
    return json.loads(place.hook("pre-tool", payload, *arguments).out or b"{}")


@pytest.fixture(autouse=True)
def _stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rules stop, so that a test tells what stops from what asks."""
    monkeypatch.setenv("GIEOK_GATES_STOPS", "on")


def _decision(answer: dict) -> str:
    return answer.get("hookSpecificOutput", {}).get("permissionDecision", "")


@pytest.fixture
def told(place):
    _tell(place, *_SAID)
    return place


def test_a_rule_told_to_claude_code_stops_the_command_with_the_users_words(told) -> None:
    answer = _try_tool(told, "Bash", command="cd app && npx supabase db reset --linked")
    decision = answer["hookSpecificOutput"]
    assert decision["hookEventName"] == "PreToolUse"
    assert decision["permissionDecision"] == "deny"
    reason = decision["permissionDecisionReason"]
    assert "“never run supabase db reset, it wipes everything.”" in reason
    assert "2026-11-20" in reason
    assert "claude-code" in reason
    assert "gieok rules allow" in reason
    assert _decision(_try_tool(told, "Bash", command="npx supabase db push")) == ""
    assert told.calls()[-1].items() >= {"event": "pre-tool", "agent": "claude-code"}.items()


def test_what_was_only_asked_not_to_be_done_is_asked_in_the_users_language(told) -> None:
    answer = _try_tool(told, "Bash", command="git push origin main")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "ask"
    assert "사용자가 2026-11-20에 말했습니다" in answer["permissionDecisionReason"]
    edited = str(told.project / "src" / "billing" / "a.py")
    assert _decision(_try_tool(told, "Edit", file_path=edited, old_string="a")) == "ask"
    assert _decision(_try_tool(told, "Read", file_path=edited)) == ""
    assert _decision(_try_tool(told, "Bash", command="git push origin feature")) == ""


def test_an_agent_that_cannot_ask_is_stopped(told) -> None:
    def decide(agent: str) -> dict:
        return _try_tool(told, "Bash", "--agent", agent, command="git push origin main")

    assert _decision(decide("codex")) == "deny"
    assert _decision(decide("qwen-code")) == "ask"
    assert decide("cursor")["permission"] == "deny"
    assert decide("opencode")["decision"] == "deny"
    assert decide("openclaw")["decision"] == "ask"


def test_a_rule_of_one_project_does_not_hold_in_another(told) -> None:
    other = told.user / "blog"
    (other / ".git").mkdir(parents=True)
    command = "supabase db reset"
    assert _decision(_try_tool(told, "Bash", command=command, folder=str(other))) == ""
    inside = told.project / "app"
    inside.mkdir()
    assert _decision(_try_tool(told, "Bash", command=command, folder=str(inside))) == "deny"


def test_a_rule_that_a_later_session_lifted_holds_no_more(told) -> None:
    _tell(told, "You can push to main again.", session="s2", day="2026-11-22")
    assert _decision(_try_tool(told, "Bash", command="git push origin main")) == ""
    assert _decision(_try_tool(told, "Bash", command="supabase db reset")) == "deny"


def test_what_an_agent_said_is_no_rule(place) -> None:
    chats = place.user / ".claude" / "projects" / "-shop"
    chats.mkdir(parents=True)
    first, answer = _turn(place.project, "s1", 0, "What do you think of sudo?", "2026-11-20")
    answer["message"]["content"] = [{"type": "text", "text": "Never use sudo."}]
    (chats / "s1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (first, answer)))
    _run(lambda call: observe_transcripts(call, once=True))
    assert not Path(gate_rules_file(str(place.home))).exists()
    assert _decision(_try_tool(place, "Bash", command="sudo ls")) == ""


def test_a_rule_that_only_agents_are_told_is_listed_as_one_that_does_not_act(place) -> None:
    _tell(place, "Never deploy the old site on the demo machine.", session="s1", day="2026-11-20")
    listed = _run(list_action_rules)
    assert listed.rules == ()
    assert [row.words for row in listed.told_only] == [
        "Never deploy the old site on the demo machine."
    ]
    shown = render_rules(listed, Style("en", colour=False))
    assert "no tool is asked or stopped for them" in shown


def test_a_record_of_a_constraint_is_a_rule_until_it_is_retired(place) -> None:
    file = place.remember("never run terraform destroy", category="constraint")
    # Nobody knows whether a person or an agent wrote it.
    answer = _try_tool(place, "Bash", command="terraform destroy")
    assert _decision(answer) == "ask"
    reason = answer["hookSpecificOutput"]["permissionDecisionReason"]
    assert "the record" in reason
    assert "the user said" not in reason
    assert _decision(_try_tool(place, "Bash", command="terraform plan")) == ""
    _run(lambda call: load_command("retire")(call, memories=[file.stem]))
    assert _decision(_try_tool(place, "Bash", command="terraform destroy")) == ""


def test_a_record_ends_and_loosens_no_rule_of_a_person(told) -> None:
    for text in (
        "You can run supabase db reset again.",
        "Ask before you run supabase db reset.",
        "Never run supabase db reset until tomorrow.",
    ):
        told.remember(text, category="constraint")
    assert _decision(_try_tool(told, "Bash", command="supabase db reset")) == "deny"


def test_a_message_is_read_with_its_line_breaks_and_what_it_carries_is_no_rule(place) -> None:
    pasted = (
        "Look at this:\n```\nnever use sudo\n```\nand this:\n> never push\n\n    npm publish 금지"
    )
    listed = "Put this into the readme:\n- never run terraform destroy\n- never force push"
    _tell(place, pasted, listed, "Fix the page.\nAlso, never run npm audit fix.")
    rows = _run(load_command("rules list")).rules
    assert [row.words for row in rows] == ["Also, never run npm audit fix."]


def test_what_was_said_outside_of_projects_holds_outside_of_them(place) -> None:
    chats = place.user / ".claude" / "projects" / "-notes"
    chats.mkdir(parents=True)
    notes = place.user / "notes"
    notes.mkdir()
    said = [*_turn(notes, "s1", 0, "Never use sudo.", "2026-11-20")]
    said += _turn(notes, "s1", 1, "Never force push in any project.", "2026-11-20")
    (chats / "s1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in said))
    _run(lambda call: observe_transcripts(call, once=True))
    assert _decision(_try_tool(place, "Bash", command="sudo ls", folder=str(notes))) == "deny"
    assert _decision(_try_tool(place, "Bash", command="sudo ls")) == ""
    assert _decision(_try_tool(place, "Bash", command="git push -f")) == "deny"


def test_no_rule_acts_while_memory_is_paused_private_or_excluded(told) -> None:
    command = "supabase db reset"
    excluded = {"GIEOK_EXCLUDE_FOLDERS": str(told.project)}
    payload = {
        "session_id": "s9",
        "cwd": str(told.project),
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    assert told.hook("pre-tool", payload).out
    assert told.hook("pre-tool", payload, **excluded).out == b""
    assert told.hook("pre-tool", {**payload, "session_id": "p"}, GIEOK_PRIVATE="1").out == b""
    _run(load_command("pause"))
    assert told.hook("pre-tool", payload).out == b""
    listed = _run(list_action_rules)
    assert listed.rules
    assert "no rule acts now: memory is paused" in render_rules(listed, Style("en", colour=False))
    assert _run(lambda call: try_action_rules(call, command_line=command)).outcome == "none"
    _run(load_command("resume"))
    assert told.hook("pre-tool", payload).out


def test_an_agent_does_not_loosen_a_rule_by_itself(told) -> None:
    assert _decision(_try_tool(told, "Bash", command="gieok rules off 3fa9c01e")) == "ask"
    codex = _try_tool(told, "Bash", "--agent", "codex", command="gieok rules allow 3fa9 --once")
    assert _decision(codex) == "deny"
    assert _decision(_try_tool(told, "Bash", command="gieok rules")) == ""


def test_what_was_stopped_passes_once_where_a_person_allowed_it(told) -> None:
    rows = {row.words: row.handle for row in _run(load_command("rules list")).rules}
    (handle,) = [handle for words, handle in rows.items() if "supabase" in words]
    command = "supabase db reset"
    answer = _try_tool(told, "Bash", command=command)
    assert _decision(answer) == "deny"
    reason = answer["hookSpecificOutput"]["permissionDecisionReason"]
    (code,) = re.findall(rf"gieok rules allow {handle} (\w{{8}}) --once", reason)
    _try_tool(told, "Bash", command="supabase db reset --debug")  # what was stopped last
    allow = load_command("rules allow")
    allowed = _run(lambda call: allow(call, handle=handle, code=code, once=True))
    assert json.loads(allowed.action)["input"] == {"command": command}
    assert _decision(_try_tool(told, "Bash", command="supabase db reset --linked")) == "deny"
    assert _decision(_try_tool(told, "Bash", command=command)) == ""
    assert _decision(_try_tool(told, "Bash", command=command)) == "deny"


def test_a_failure_of_ours_lets_the_tool_run_and_is_shown_by_rules(told) -> None:
    file = Path(gate_rules_file(str(told.home)))
    whole = file.read_text()
    file.write_text(whole[:-20])
    assert _try_tool(told, "Bash", command="supabase db reset") == {}
    assert "the tool ran" in told.log()[-1]
    assert told.run("pre-tool", b"no json").status == 0
    _run(load_command("index"))
    assert _decision(_try_tool(told, "Bash", command="supabase db reset")) == "deny"
    (aside,) = (told.home / "set-aside").glob("*/rules.json")
    assert aside.read_text() == whole[:-20]
    result = _run(load_command("rules list"))
    assert len(result.rules) == 3
    assert "pre-tool" in result.failures[-1]


@pytest.mark.parametrize("name", ["rules.md", "rules.ko.md"])
def test_the_documents_say_of_each_agent_what_its_row_does(name: str) -> None:
    text = (Path(__file__).parents[3] / "docs" / name).read_text(encoding="utf-8")
    cells = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    said = {row[0]: row for row in cells if row[0] in table.BY_NAME}
    assert said.keys() == table.BY_NAME.keys()
    for agent, (_, stops, asks, *events) in said.items():
        row = table.BY_NAME[agent]
        # OpenClaw's plugin calls the hook by itself.
        is_gated = table.PRE_TOOL in row.events or agent == "openclaw"
        assert stops.startswith(("no", "안")) != is_gated, agent
        assert asks.startswith(("no", "안")) != (is_gated and row.can_ask), agent
        if table.PRE_TOOL in row.events:
            assert events[0].strip("`") == row.events[table.PRE_TOOL]


def test_what_is_forgotten_is_no_rule_any_more(told) -> None:
    (row,) = [row for row in _run(load_command("rules list")).rules if "supabase" in row.words]
    _run(lambda call: load_command("forget")(call, handles=[row.source], yes=True))
    assert _decision(_try_tool(told, "Bash", command="supabase db reset")) == ""
    assert "supabase" not in Path(gate_rules_file(str(told.home))).read_text()


def test_a_rule_asks_until_the_person_lets_it_stop(told) -> None:
    def decide(agent: str, setting: str) -> str:
        payload = {
            "session_id": "s9",
            "cwd": str(told.project),
            "tool_name": "Bash",
            "tool_input": {"command": "supabase db reset"},
        }
        said = told.hook("pre-tool", payload, "--agent", agent, GIEOK_GATES_STOPS=setting)
        return _decision(json.loads(said.out))

    assert [decide("claude-code", setting) for setting in ("off", "on")] == ["ask", "deny"]
    assert decide("codex", "off") == "deny"  # it cannot ask


@pytest.mark.parametrize(("name", "default"), [("gates.stops", False), ("gates.reminds", True)])
def test_a_project_cannot_set_whether_rules_stop_or_remind(name: str, default: bool) -> None:
    (option,) = [option for option in USED if option.name == name]
    assert option.default is default
    assert not option.in_project


def test_an_action_is_kept_only_where_the_agent_cannot_ask_the_user(told, monkeypatch) -> None:
    monkeypatch.setenv("GIEOK_GATES_STOPS", "off")
    judged = Path(gate_actions_file(str(told.home)))
    asked = _try_tool(told, "Bash", command="supabase db reset")
    assert "rules allow" not in asked["hookSpecificOutput"]["permissionDecisionReason"]
    assert not judged.exists()
    line = "PGPASSWORD=h7Kqx2zz supabase db reset"
    assert _decision(_try_tool(told, "Bash", "--agent", "codex", command=line)) == "deny"
    ((_, shown),) = json.loads(judged.read_text()).values()
    assert "supabase db reset" in shown
    assert "h7Kqx2zz" not in shown


def test_a_file_that_cannot_be_written_loses_no_answer(told) -> None:
    judged = Path(gate_actions_file(str(told.home)))
    judged.mkdir(parents=True)
    assert _decision(_try_tool(told, "Bash", command="supabase db reset")) == "deny"
    assert "gate not recorded" in told.log()[-1]


def test_a_lock_that_is_taken_holds_up_no_answer(told) -> None:
    home = str(told.home)
    (row,) = [row for row in _run(load_command("rules list")).rules if "supabase" in row.words]
    command = "supabase db reset"
    key = gates.build_judged_action(
        {"tool_name": "Bash", "tool_input": {"command": command}}, str(told.project)
    ).key
    Path(gate_choices_file(home)).write_text(json.dumps({"once": {row.handle: key}}))
    with (
        fs.lock_resource(home, gate_actions_file(home)),
        fs.lock_resource(home, gate_choices_file(home)),
    ):
        # What was allowed cannot be taken: it does not count, and is left.
        assert _decision(_try_tool(told, "Bash", command=command)) == "deny"
    assert _decision(_try_tool(told, "Bash", command=command)) == ""


def test_what_takes_too_long_to_judge_is_asked(told, monkeypatch, capfd) -> None:
    def judge_for_ever(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(gate, "_CPU_S", 0.01)
    monkeypatch.setattr(gates, "list_gate_hits", judge_for_ever)
    payload = {
        "session_id": "s9",
        "cwd": str(told.project),
        "tool_name": "Bash",
        "tool_input": {"command": "git status"},
    }
    monkeypatch.setattr(gate, "read_hook_payload", lambda: payload)
    assert gate.run_gate([], lambda _home, _file: FileSettings({})) == 0
    answer = json.loads(capfd.readouterr().out)
    assert _decision(answer) == "ask"
    assert "too long" in answer["hookSpecificOutput"]["permissionDecisionReason"]


#: More brackets than Python reads, and texts with brackets in them.
_DEEP = '["]", {"a}": ' * 2000 + '"\\\\\\"["' + "}]" * 2000


@pytest.mark.parametrize(
    "given",
    [
        '"toolName": "bash", "toolArgs": "\\n {\\"command\\": \\"git push origin main\\"}"',
        '"toolName": "exec", "params": {"command": "git push origin main"}',
        f'"x": {_DEEP}, "tool_name": "Bash", "tool_input": {{"command": "git push origin main"}}',
        f'"tool_name": "Bash", "tool_input": {{"y": {_DEEP}, "command": "git push origin main"}}',
        f'"toolArgs": "{{\\"y\\": {"[" * 2000 + "]" * 2000}, \\"command\\": \\"git push origin main\\"}}"',
        '"tool_name": "Bash", "tool_input": {"command": "git push origin main", "y": '
        + "[" * 900
        + "]" * 900
        + "}",
    ],
)
def test_no_form_of_a_payload_passes_a_forbidden_command(told, given: str) -> None:
    payload = f'{{"session_id": "s1", "cwd": {json.dumps(str(told.project))}, {given}}}'
    answer = told.run("pre-tool", payload.encode(), "--agent", "claude-code")
    assert _decision(json.loads(answer.out)) == "ask"


def test_what_a_deep_payload_would_do_is_judged_as_any_other(told) -> None:
    payload = (
        f'{{"cwd": "/x", "tool_name": "Bash", "tool_input": {{"command": "ls", "y": {_DEEP}}}}}'
    )
    said = told.run("pre-tool", payload.encode(), "--agent", "claude-code")
    assert (said.out, told.log()) == (b"", [])


def test_a_record_that_is_changed_or_removed_by_hand_is_no_rule_after_the_next_index(place) -> None:
    changed = place.remember("never run terraform destroy", category="constraint")
    removed = place.remember("never run helm rollback", category="constraint")
    changed.write_text(changed.read_text().replace("never run", "we ran"))
    removed.unlink()
    _run(load_command("index"))
    assert _decision(_try_tool(place, "Bash", command="terraform destroy")) == ""
    assert _decision(_try_tool(place, "Bash", command="helm rollback")) == ""
