"""The files of the rules about actions survive a kill at any moment."""

import json
import os
import signal
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from gieok.flow.gate_rules import (
    GateRule,
    JudgedAction,
    build_rule_handle,
    find_judged_action,
    load_gate_choices,
    load_gate_rules,
    write_gate_rules,
    write_judged_action,
)
from gieok.places.home import gate_actions_file, gate_rules_file
from gieok.text.gates.statement import read_action_rules

_WRITER = """
import sys
from datetime import date
from gieok.flow.gate_rules import GateRule, write_gate_rules
from gieok.text.gates.statement import read_action_rules
rules = read_action_rules("never push to main. never run rm -rf. npm publish 금지", date(2026, 1, 1))
for number in range(100_000):
    write_gate_rules(sys.argv[1], [
        GateRule(handle=f"{number:08x}", scope="agent:main", said_at=number, day="2026-01-01",
                 origin="a", source="", rule=rule)
        for rule in rules[: 1 + number % 3] for _ in range(200)
    ])
    if number == int(sys.argv[2]):
        print("ready", flush=True)
"""


def _rules(*said: str) -> list[GateRule]:
    return [
        GateRule(
            handle=build_rule_handle("agent:main", "k", 1, number),
            scope="agent:main",
            said_at=1.0,
            day="2026-01-01",
            origin="claude-code",
            source="",
            rule=rule,
        )
        for number, text in enumerate(said)
        for rule in read_action_rules(text, date(2026, 1, 1))
    ]


def test_rules_are_read_back_and_written_again_only_where_they_changed(tmp_path: Path) -> None:
    home = str(tmp_path)
    assert load_gate_rules(home) == []
    assert not write_gate_rules(home, [])
    assert not Path(gate_rules_file(home)).exists()
    rules = _rules("never push to main", "rm -rf 쓰지 마")
    assert write_gate_rules(home, rules)
    assert not write_gate_rules(home, rules)
    assert [rule.build_row() for rule in load_gate_rules(home)] == [
        rule.build_row() for rule in rules
    ]
    assert oct(Path(gate_rules_file(home)).stat().st_mode & 0o777) == "0o600"
    assert write_gate_rules(home, [])
    assert load_gate_rules(home) == []


def test_a_file_of_another_version_is_no_file_and_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    home = str(tmp_path)
    write_gate_rules(home, _rules("never push to main"))
    file = Path(gate_rules_file(home))
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "version": 0}))
    assert load_gate_rules(home) == []
    file.write_text("{")
    with pytest.raises(ValueError, match="Expecting"):
        load_gate_rules(home)
    assert load_gate_choices(home).once == {}


@pytest.mark.parametrize("writes", [1, 3, 8])
def test_a_kill_while_the_file_is_written_leaves_the_rules_of_before_or_after(
    tmp_path: Path, writes: int
) -> None:
    home = str(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, home, str(writes)],
        stdout=subprocess.PIPE,
        env={**os.environ, "GIEOK_HOME": home},
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        writer.send_signal(signal.SIGKILL)
    rules = load_gate_rules(home)
    assert len(rules) in (200, 400, 600)
    assert len({rule.handle for rule in rules}) == 1


def test_what_a_rule_had_asked_for_goes_with_the_rule(tmp_path: Path) -> None:
    home = str(tmp_path)
    kept, gone = _rules("never push to main", "never run rm -rf")
    write_gate_rules(home, [kept, gone])
    actions = [JudgedAction(f"shown {number}", f"{number:064x}") for number in range(2)]
    for rule, action in zip((kept, gone), actions, strict=True):
        write_judged_action(home, rule.handle, action)
    write_gate_rules(home, [kept])
    found = find_judged_action(home, kept.handle, actions[0].code)
    assert found is not None
    assert found.shown == "shown 0"
    assert find_judged_action(home, gone.handle, actions[1].code) is None
    assert "shown 1" not in Path(gate_actions_file(home)).read_text()
