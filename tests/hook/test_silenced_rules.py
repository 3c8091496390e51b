"""What a person switched off is told to no agent, whichever list of rules shows it."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from gieok.flow.gate_rules import GateChoices, GateRule, change_gate_choices, write_gate_rules
from gieok.hook.rules import BindingRule, SilencedRules, bearing, read_binding_rules
from gieok.places.home import gate_choices_file, rules_file
from gieok.text.gates.statement import read_action_rules
from gieok.text.handles import build_handle, line_check

_SCOPE, _KEY = "project:shop-1", "sessions/codex/s#1"
_LINES = [
    "User: never push to main. never run terraform destroy. answer in Korean",
    "User: answer in Korean from now on",
]
_PUSH, _ANSWER = (build_handle(_SCOPE, _KEY, number) for number in (1, 2))


@pytest.fixture
def home(tmp_path: Path) -> str:
    """Return a home in which two turns state rules, the first two about actions."""
    rows = [
        (1.0, _SCOPE, _KEY, number, line_check(line), [*_place_sentences(line)])
        for number, line in enumerate(_LINES, start=1)
    ]
    file = Path(rules_file(str(tmp_path), _SCOPE))
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(rows))
    rules = [
        GateRule(
            handle=f"{number:08x}",
            scope=_SCOPE,
            said_at=1.0,
            day="2026-11-20",
            origin="codex",
            source=_PUSH,
            rule=rule,
        )
        for number, text in enumerate(("never push to main", "never run terraform destroy"))
        for rule in read_action_rules(text, date(2026, 11, 20))
    ]
    write_gate_rules(str(tmp_path), rules)
    return str(tmp_path)


def _place_sentences(line: str) -> Iterator[tuple[int, int]]:
    words = line.removeprefix("User: ")
    for sentence in words.split(". "):
        start = words.index(sentence)
        yield start, start + len(sentence)


def _read(home: str) -> list[BindingRule]:
    return read_binding_rules(home, [_SCOPE], lambda scope, key: _LINES)


def _told(home: str) -> list[str]:
    return [rule.handle for rule in _read(home)]


def _switch_off(home: str, *handles: str) -> None:
    def switch(choices: GateChoices) -> bool:
        choices.off.update(handles)
        return True

    change_gate_choices(home, switch)


def test_without_choices_all_rules_are_told(home: str) -> None:
    assert _told(home) == [_PUSH, _ANSWER]


def test_of_a_turn_what_is_off_is_left_out_and_the_rest_is_told(home: str) -> None:
    _switch_off(home, "00000000")
    assert _read(home)[0].text == "never run terraform destroy answer in Korean"
    _switch_off(home, "00000001")
    assert _read(home)[0].text == "answer in Korean"


def test_a_rule_that_acts_on_no_tool_is_switched_off_by_the_handle_of_its_turn(home: str) -> None:
    _switch_off(home, _ANSWER)
    assert _told(home) == [_PUSH]


def test_past_its_last_day_a_rule_is_not_told(home: str) -> None:
    def end(choices: GateChoices) -> bool:
        choices.until[_ANSWER] = "2020-01-01"
        return True

    change_gate_choices(home, end)
    assert _told(home) == [_PUSH]


def test_a_rule_is_told_with_its_last_day_and_not_of_a_line_that_changed(home: str) -> None:
    rows = [
        (1.0, _SCOPE, _KEY, number, line_check(line), [(0, 12)], [until])
        for number, (line, until) in enumerate(zip(_LINES, ("2999-12-31", ""), strict=True), 1)
    ]
    rows[1] = (*rows[1][:4], line_check("User: answer in English"), *rows[1][5:])
    Path(rules_file(home, _SCOPE)).write_text(json.dumps(rows))
    assert [(rule.text, rule.until) for rule in _read(home)] == [("never push t", "2999-12-31")]


@pytest.mark.parametrize(
    ("prompt", "is_shown"),
    [
        ("push this to main", True),
        ("how does a push to main work?", False),
        ("may I push to main?", True),
    ],
)
def test_rules_bear_on_work_and_on_what_may_be_done(home: str, prompt: str, is_shown: bool) -> None:
    _switch_off(home, "00000001")
    shown = bearing(_read(home), prompt)
    assert (_PUSH in [memory.handle for memory in shown]) is is_shown


def test_where_the_choices_cannot_be_read_all_rules_are_told(home: str) -> None:
    _switch_off(home, _ANSWER)
    Path(gate_choices_file(home)).write_text("{")
    assert _told(home) == [_PUSH, _ANSWER]


@pytest.mark.parametrize(
    ("off", "is_told"),
    [
        ("never push to main", False),
        ("push to main", False),
        ("never push to main or dev", False),
        ("never push to dev", True),
    ],
)
def test_a_rule_is_off_where_it_says_a_part_of_what_is_off_or_more(
    off: str, *, is_told: bool
) -> None:
    words = "never push to main. be kind"
    silenced = SilencedRules(texts={"h": [off]})
    kept = silenced.keep_parts("h", words, [(0, 18, ""), (20, 27, "")], "2026-11-20")
    assert kept == [(0, 18, "")] * is_told + [(20, 27, "")]


def test_the_first_two_hundred_rules_of_a_scope_are_told(tmp_path: Path) -> None:
    lines = [f"User: rule {number} holds" for number in range(201)]
    rows = [
        (1.0, _SCOPE, _KEY, number, line_check(line), []) for number, line in enumerate(lines, 1)
    ]
    file = Path(rules_file(str(tmp_path), _SCOPE))
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(rows))
    rules = read_binding_rules(str(tmp_path), [_SCOPE], lambda scope, key: lines)
    assert len(rules) == 200
