"""A hook's payload is read into what a tool would do; the rule that stops counts first."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from gieok.commands import NAMES, load_command
from gieok.commands.command import Effect
from gieok.flow.gate_rules import (
    GateChoices,
    GateRule,
    JudgedAction,
    change_gate_choices,
    load_gate_choices,
)
from gieok.hook import gates
from gieok.text.gates.action import ASK, NONE, REMIND, STOP
from gieok.text.gates.statement import read_action_rules

_DAY = date(2026, 11, 25)


def _rule(said: str, handle: str = "0a0b0c0d", scope: str = "agent:main") -> GateRule:
    (rule,) = read_action_rules(said, _DAY)
    return GateRule(
        handle=handle,
        scope=scope,
        said_at=1.0,
        day=_DAY.isoformat(),
        origin="claude-code",
        source="",
        rule=rule,
    )


def _attempt(payload: dict[str, object]) -> gates.ToolAttempt:
    return gates.read_tool_attempt(
        payload, folder="/home/kim/proj", root="/home/kim/proj", day="2026-11-25", weekday=2
    )


def _find_first_hit(
    rules: Sequence[GateRule], choices: GateChoices, use: gates.ToolAttempt
) -> gates.GateHit | None:
    return next(iter(gates.list_gate_hits(rules, choices, use)), None)


#: What the agents sent when they were recorded, without what no gate reads.
_SHELL = (
    {"tool_name": "Bash", "tool_input": {"command": "git push origin main"}},
    {"tool_name": "run_shell_command", "tool_input": {"command": "git push origin main"}},
    {"tool_name": "bash", "tool_input": {"command": "git push origin main", "description": "x"}},
    {"tool_name": "shell", "tool_input": {"command": ["bash", "-lc", "git push origin main"]}},
    {"hook_event_name": "beforeShellExecution", "command": "git push origin main"},
    {"tool_name": "exec", "tool_input": {"command": "git push origin main"}},
)
_PATCH = "*** Begin Patch\n*** Update File: billing/a.py\n@@\n-a\n+b\n*** End Patch"
_EDITS = (
    {"tool_name": "Edit", "tool_input": {"file_path": "/home/kim/proj/billing/a.py"}},
    {"tool_name": "Write", "tool_input": {"file_path": "billing/a.py", "content": "x"}},
    {"tool_name": "MultiEdit", "tool_input": {"file_path": "/home/kim/proj/billing/a.py"}},
    {"tool_name": "write_file", "tool_input": {"file_path": "/home/kim/proj/billing/a.py"}},
    {"tool_name": "edit", "tool_input": {"filePath": "/home/kim/proj/billing/a.py"}},
    {"tool_name": "apply_patch", "tool_input": {"command": _PATCH}},
    {"tool_name": "Bash", "tool_input": {"command": f"apply_patch <<'EOF'\n{_PATCH}\nEOF\n"}},
)


@pytest.mark.parametrize("payload", _SHELL)
def test_a_command_is_read_from_each_agents_payload(payload: dict[str, object]) -> None:
    rules = [_rule("never push to main")]
    hit = _find_first_hit(rules, GateChoices(), _attempt(payload))
    assert hit is not None
    assert hit.outcome == "stop"


@pytest.mark.parametrize("payload", _EDITS)
def test_an_edit_is_read_from_each_agents_payload(payload: dict[str, object]) -> None:
    rules = [_rule("ask me before you touch the billing folder")]
    hit = _find_first_hit(rules, GateChoices(), _attempt(payload))
    assert hit is not None
    assert hit.outcome == "ask"


@pytest.mark.parametrize(
    "payload",
    [
        {"tool_name": "Read", "tool_input": {"file_path": "/home/kim/proj/billing/a.py"}},
        {"tool_name": "Grep", "tool_input": {"pattern": "billing", "path": "billing"}},
        {"tool_name": "Write", "tool_input": {"file_path": "docs/x.md", "content": "billing/a.py"}},
        {"tool_name": "TodoWrite", "tool_input": {"todos": ["touch billing"]}},
        {"tool_name": "Bash", "tool_input": {}},
        {"tool_name": "Bash", "tool_input": "git push"},
        {},
    ],
)
def test_what_only_mentions_a_rules_object_is_not_touched(payload: dict[str, object]) -> None:
    rules = [_rule("ask me before you touch the billing folder"), _rule("never push to main")]
    assert _find_first_hit(rules, GateChoices(), _attempt(payload)) is None


def test_a_tool_is_judged_by_the_text_that_it_runs_and_not_by_one_that_it_is_told() -> None:
    rules = [_rule("never run `DROP TABLE`"), _rule("never touch the production database")]
    given = {"tool_input": {"query": "DROP TABLE users -- production"}}
    for tool in ("mcp__supabase__execute_sql", "mcp__postgres__query"):
        assert _find_first_hit(rules, GateChoices(), _attempt({"tool_name": tool, **given}))
    for tool in ("WebSearch", "Task", "TodoWrite", "mcp__gieok__search", "AskUserQuestion"):
        use = _attempt({"tool_name": tool, **given})
        assert _find_first_hit(rules, GateChoices(), use) is None, tool


def test_the_rule_that_stops_is_told_before_one_that_asks() -> None:
    asks = _rule("ask me before you push", "aaaaaaaa")
    stops = _rule("never push to main", "bbbbbbbb")
    attempt = _attempt(_SHELL[0])
    for rules in ([asks, stops], [stops, asks]):
        hit = _find_first_hit(rules, GateChoices(), attempt)
        assert hit is not None
        assert hit.rule is stops
    hit = _find_first_hit([asks, stops], GateChoices(off=["bbbbbbbb"]), attempt)
    assert hit is not None
    assert hit.rule is asks


def test_a_rule_that_reminds_is_told_behind_one_that_asks_and_asks_nothing_itself() -> None:
    asks = _rule("ask me before you push", "aaaaaaaa")
    reminds = _rule("ask me before you push", "bbbbbbbb")
    reminds.rule.mode = REMIND
    hits = gates.list_gate_hits([reminds, asks], GateChoices(), _attempt(_SHELL[0]))
    assert [(hit.rule, hit.outcome) for hit in hits] == [(asks, ASK), (reminds, REMIND)]
    unread = gates.ToolAttempt(tool="Bash", command="git push " + "x" * 30_000)
    (hit,) = gates.list_gate_hits([reminds], GateChoices(), unread)
    assert (unread.is_unread, hit.outcome) == (True, REMIND)
    assert gates.list_asking_rules([reminds, asks]) == [asks]


@pytest.mark.parametrize(
    ("outcome", "may_stop", "reminds", "limited"),
    [
        (STOP, True, False, STOP),
        (STOP, False, True, ASK),
        (ASK, False, False, ASK),
        (REMIND, True, False, NONE),
        (REMIND, False, True, REMIND),
        (NONE, True, True, NONE),
    ],
)
def test_a_rule_stops_and_reminds_as_far_as_the_settings_let_it(
    outcome: str, may_stop: bool, reminds: bool, limited: str
) -> None:
    assert gates.limit_outcome(outcome, may_stop=may_stop, reminds=reminds) == limited


def test_a_rule_that_a_person_ended_holds_on_its_last_day_and_not_after() -> None:
    rules = [_rule("never push to main")]
    attempt = _attempt(_SHELL[0])
    ends = GateChoices(until={"0a0b0c0d": "2026-11-25"})
    assert _find_first_hit(rules, ends, attempt) is not None
    ended = GateChoices(until={"0a0b0c0d": "2026-11-24"})
    assert _find_first_hit(rules, ended, attempt) is None


def test_an_allowance_lets_pass_its_own_rule_for_its_own_action_once(tmp_path: Path) -> None:
    home = str(tmp_path)
    push, force = _rule("never push to main", "aaaaaaaa"), _rule("never force push", "bbbbbbbb")
    plain = _attempt({"tool_name": "Bash", "tool_input": {"command": "git push origin main"}})
    forced = _attempt({"tool_name": "Bash", "tool_input": {"command": "git push -f origin main"}})

    def left(use: gates.ToolAttempt) -> str:
        hits = gates.list_gate_hits([push, force], load_gate_choices(home), use)
        hit = gates.take_allowances(home, hits, JudgedAction(use.command))
        return hit.rule.handle if hit else ""

    def allow(choices: GateChoices) -> bool:
        choices.once["aaaaaaaa"] = JudgedAction(plain.command).key
        choices.off.add("ffffffff")
        return True

    assert left(plain) == "aaaaaaaa"
    assert change_gate_choices(home, allow)
    assert left(forced) in ("aaaaaaaa", "bbbbbbbb")  # another action, and another rule
    assert left(plain) == ""
    assert left(plain) == "aaaaaaaa"
    assert load_gate_choices(home).off == {"ffffffff"}


def test_an_allowance_of_one_rule_is_kept_where_another_rule_still_acts(tmp_path: Path) -> None:
    home = str(tmp_path)
    push, ask = _rule("never push to main", "aaaaaaaa"), _rule("ask me before you push", "bbbbbbbb")
    use = _attempt(_SHELL[0])
    action = JudgedAction("git push")

    def allow(choices: GateChoices) -> bool:
        choices.once["aaaaaaaa"] = action.key
        return True

    change_gate_choices(home, allow)
    hits = gates.list_gate_hits([push, ask], load_gate_choices(home), use)
    left = gates.take_allowances(home, hits, action)
    assert left is not None
    assert left.rule is ask
    assert load_gate_choices(home).once == {"aaaaaaaa": action.key}


@pytest.mark.parametrize(
    "command",
    [
        "gieok rules off 3fa9c01e",
        "gieok --lang ko rules until 3fa9 friday",
        "cd /tmp && /opt/venv/bin/gieok rules allow 3fa9 --once",
        "python3 -m gieok rules off 3fa9",
        "uvx gieok rules off 3fa9",
        "bash -lc 'gieok rules off 3fa9'",
        "echo 3fa9 | xargs gieok rules off",
        "gieok forget 3fa9c01e.3 --yes",
        "gieok pause",
        "gieok uninstall claude-code",
        "rm -rf ~/.gieok",
        "echo '{}' > /home/kim/.gieok/gates/choices.json",
        "sed -i s/stop/ask/ /home/kim/.gieok/gates/rules.json",
        "gieok rules on 3fa9",
        "gieok config set gates.stops off",
        "gieok --json pause",
        "gieok restore x",
        "rm $HOME/.gieok/gates/rules.json",
        "rm -rf ${HOME}/.gie*/gates",
        "rm ~/.g*/gates/rules.json",
        "cd ~/.gieok/gates && rm choices.json",
        "mv $GIEOK_HOME/gates/rules.json /tmp",
        "rm -rf .gieok",
        "echo x > .gieok/memory/a.md",
        "sed -i s/gieok// ~/.claude/settings.json",
        "rm .claude/settings.local.json",
        "rm -rf ~/.codex",
        "cp /tmp/x ~/.config/opencode/plugin/gieok.js",
        "cp /tmp/x ~/.config/kilo/plugins/gieok.js",
        "rm ~/.pi/agent/extensions/gieok.ts",
        "rm ~/.copilot/hooks/gieok.json",
        "sed -i s/gieok// ~/.kimi-code/config.toml",
        "rm -r ~/.hermes/plugins/gieok",
        "sed -i s/gieok// ~/.hermes/profiles/work/config.yaml",
        "rm -rf ~/.hermes/profiles/*/plugins",
        "rm -rf ~/.hermes/profiles/work",
        "echo '{}' > ~/.kimi-code/mcp.json",
        "echo x > .cursor/hooks.json",
        "echo 'gieok pause' | bash",
        f"echo {'x' * 20_001}; gieok pause",
    ],
)
def test_each_way_to_loosen_rules_is_seen(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/kim")
    use = _attempt({"tool_name": "Bash", "tool_input": {"command": command}})
    assert gates.loosens_rules(use, "/home/kim/.gieok")


def test_a_tool_that_edits_the_files_of_rules_or_is_gieoks_own_loosens_them() -> None:
    file = "/home/kim/.gieok/gates/choices.json"
    edit = _attempt({"tool_name": "Write", "tool_input": {"file_path": file, "content": "{}"}})
    assert gates.loosens_rules(edit, "/home/kim/.gieok")
    own = _attempt({"tool_name": "mcp__gieok__rules_off", "tool_input": {"handle": "3fa9"}})
    assert gates.loosens_rules(own, "/home/kim/.gieok")


@pytest.mark.parametrize(
    "command",
    [
        "gieok rules",
        "gieok rules try 'git push'",
        "gieok --lang ko rules list",
        "gieok forget --help",
        "git checkout -- .",
        "rm -rf dist .github",
        "echo x > .claude/commands/a.md",
        "gieok search rules off",
        "cat ~/.gieok/gates/rules.json",
        "cp a.txt /home/kim",
        "echo gieok rules off",
        "ls",
    ],
)
def test_what_loosens_no_rule_is_let_through(command: str) -> None:
    use = _attempt({"tool_name": "Bash", "tool_input": {"command": command}})
    assert not gates.loosens_rules(use, "/home/kim/.gieok")


@pytest.mark.parametrize(
    ("command", "sense", "is_held"),
    [
        ("python send.py --all", "send no newsletters", True),
        ("python send.py --all", "", False),
        ("cat send.py", "send no newsletters", False),
    ],
)
def test_a_use_that_does_something_is_held_against_rules_with_a_sense(
    command: str, sense: str, is_held: bool
) -> None:
    said = _rule("never push to main")
    said.sense = said.rule.sense = sense
    use = _attempt({"tool_name": "Bash", "tool_input": {"command": command}})
    assert gates.list_meant_rules([said], GateChoices(), use) == [said] * is_held


def test_a_rule_that_cannot_be_read_is_held_against_nothing() -> None:
    said = GateRule(
        handle="0a0b0c0d",
        scope="agent:main",
        said_at=1.0,
        day=_DAY.isoformat(),
        origin="codex",
        source="",
        rule="{",
        names=(),
        sense="send no newsletters",
    )
    use = _attempt({"tool_name": "Bash", "tool_input": {"command": "python send.py --all"}})
    assert gates.list_meant_rules([said], GateChoices(), use) == []


@pytest.mark.parametrize(
    ("name", "pattern", "fits"),
    [
        (".claude", "*", False),
        (".claude", ".c*", True),
        ("hooks.json", "*.json", True),
        ("hooks.json", "{hooks,x}.json", True),
        ("hooks.json", "hooks", False),
    ],
)
def test_a_part_of_a_path_is_read_as_a_shell_reads_it(name: str, pattern: str, fits: bool) -> None:
    assert gates._fits_part(name, pattern) is fits


def test_a_rule_holds_in_the_scope_in_which_it_was_said_or_everywhere_where_it_says_so() -> None:
    here = _rule("never push to main", scope="project:shop-1")
    everywhere = _rule("never force push in any project", scope="project:shop-1")
    own = _rule("never use sudo")
    mine = _rule("never use chmod")
    mine.is_record = True
    rules = [here, everywhere, own, mine]
    shop, blog = ["project:shop-1", "agent:main"], ["project:blog-2", "agent:main"]
    assert gates.list_scope_rules(rules, shop) == [here, everywhere, mine]
    assert gates.list_scope_rules(rules, blog) == [everywhere, mine]
    assert gates.list_scope_rules(rules, ["agent:main"]) == [everywhere, own, mine]


def test_the_branch_of_a_folder_is_read_without_git(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert gates.find_branch(str(tmp_path / "a" / "b")) == ""
    (tmp_path / "a" / ".git").mkdir()
    (tmp_path / "a" / ".git" / "HEAD").write_text("ref: refs/heads/fix/x\n")
    assert gates.find_branch(str(tmp_path / "a" / "b")) == "fix/x"
    (tmp_path / "a" / ".git" / "HEAD").write_text("0123456789abcdef\n")
    assert gates.find_branch(str(tmp_path / "a" / "b")) == ""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tmp_path / "a" / ".git" / "worktrees" / "tree").mkdir(parents=True)
    (tmp_path / "a" / ".git" / "worktrees" / "tree" / "HEAD").write_text("ref: refs/heads/main\n")
    (tree / ".git").write_text(f"gitdir: {tmp_path}/a/.git/worktrees/tree\n")
    assert gates.find_branch(str(tree)) == "main"


def test_a_mention_of_a_patch_hides_no_command_and_denies_no_file() -> None:
    rules = [_rule("never push to main"), _rule("don't touch billing/")]
    hidden = "git push origin main # *** Begin Patch"
    for given in (
        {"command": hidden},
        {"command": "git push origin main", "description": f"{_PATCH}"},
        {"command": "git push origin main", "input": _PATCH},
    ):
        use = _attempt({"tool_name": "Bash", "tool_input": given})
        assert _find_first_hit(rules[:1], GateChoices(), use) is not None
    write = {"file_path": "docs/x.md", "content": f"A patch:\n{_PATCH}"}
    use = _attempt({"tool_name": "Write", "tool_input": write})
    assert _find_first_hit(rules, GateChoices(), use) is None


@pytest.mark.parametrize(
    "payload",
    [
        {"tool_name": "fs__move_file", "tool_input": {"source": "billing/a", "destination": "b"}},
        {"tool_name": "fs__move_file", "tool_input": {"source": "b", "destination": "billing/a"}},
        {"tool_name": "write_files", "tool_input": {"files": [{"path": "billing/a.py"}]}},
        {"tool_name": "delete_files", "tool_input": {"paths": ["billing/a.py"]}},
        {"tool_name": "create_directory", "tool_input": {"directory": "billing/x"}},
        {"tool_name": "Bash", "tool_input": {"command": "rm a.py", "workdir": "billing"}},
        {
            "tool_name": "run_shell_command",
            "tool_input": {"command": "rm a", "directory": "billing"},
        },
    ],
)
def test_each_field_that_names_a_path_or_a_folder_is_read(payload: dict[str, object]) -> None:
    rules = [_rule("don't touch billing/")]
    assert _find_first_hit(rules, GateChoices(), _attempt(payload)) is not None


_PATCHED = "*** Begin Patch\n*** Delete File: billing/a.py\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("apply_patch", _PATCHED),
        ("str_replace_editor", {"command": "str_replace", "path": "billing/a.py", "old_str": "x"}),
        ("str_replace_editor", {"command": "insert", "path": "/w/billing/a.py"}),
        ("str_replace_based_edit_tool", {"command": "create", "path": "billing/new.py"}),
    ],
)
def test_a_patch_as_text_and_an_editor_of_many_commands_are_judged(
    tool: str, given: object
) -> None:
    rules = [_rule("don't touch billing/")]
    attempt = _attempt({"tool_name": tool, "tool_input": given})
    assert _find_first_hit(rules, GateChoices(), attempt) is not None
    assert _find_first_hit([_rule("don't touch docs/")], GateChoices(), attempt) is None


def test_an_editor_that_views_a_file_only_reads_and_a_shell_with_a_path_runs() -> None:
    view = _attempt(
        {"tool_name": "str_replace_editor", "tool_input": {"command": "view", "path": "a.py"}}
    )
    assert [(each.deed, each.path) for each in view.paths] == [("read", "a.py")]
    shell = _attempt({"tool_name": "bash", "tool_input": {"command": "git push", "path": "/w"}})
    assert shell.command == "git push"
    made = {"command": "git push", "path": "/w"}
    assert _attempt({"tool_name": "create_process", "tool_input": made}).command == "git push"


@pytest.mark.parametrize(
    "command", ["echo x > ~/.hermes/profiles/work/notes.md", "echo '{}' > ~/.cursor/mcp.json"]
)
def test_other_files_of_an_agent_are_written_unasked(command: str, monkeypatch) -> None:
    monkeypatch.setenv("HOME", "/home/kim")
    use = _attempt({"tool_name": "Bash", "tool_input": {"command": command}})
    assert not gates.loosens_rules(use, "/home/kim/.gieok")


def test_the_commands_that_pass_unasked_are_those_that_only_read() -> None:
    reading = {name for name in NAMES if load_command(name).effect is Effect.READ}
    assert reading == gates.READING_COMMANDS


@pytest.mark.parametrize(
    "command",
    ["rm -rf migrations/", "/bin/rm -rf migrations/", "/usr/bin/git rm migrations/a.sql"],
)
def test_a_program_is_known_by_its_name_also_with_its_folder(command: str) -> None:
    rules = [_rule("Never delete anything in migrations/")]
    attempt = _attempt({"tool_name": "Bash", "tool_input": {"command": command}})
    assert _find_first_hit(rules, GateChoices(), attempt) is not None


@pytest.mark.parametrize("command", ["gieok remember 'We use ruff.'", "gieok index notes"])
def test_what_only_adds_passes_unasked(command: str) -> None:
    rules = [_rule("never push to main")]
    attempt = _attempt({"tool_name": "Bash", "tool_input": {"command": command}})
    assert _find_first_hit(rules, GateChoices(), attempt) is None


def test_an_action_is_known_by_all_of_the_tools_input() -> None:
    def key(**given: object) -> str:
        payload = {"tool_name": "Bash", "tool_input": given}
        return gates.build_judged_action(payload, "/w").key

    assert key(command="rm a", timeout=1) == key(timeout=1, command="rm a")
    assert len({key(command="rm a"), key(command="rm a", timeout=1), key(command="rm b")}) == 3
