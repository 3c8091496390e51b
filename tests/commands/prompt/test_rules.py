"""`gieok rules` lists, tries, switches, ends and allows; tries need no home."""

import json
from datetime import date, datetime
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.home.doctor import iter_chain_checks
from gieok.errors import BadRequest, NotFound
from gieok.flow.gate_rules import (
    GateRule,
    JudgedAction,
    find_damaged_gate_files,
    load_gate_choices,
    load_gate_rules,
    write_gate_rules,
    write_judged_action,
)
from gieok.home.calls import open_call
from gieok.hook import gates
from gieok.hook.rules import BindingRule
from gieok.places.home import gate_choices_file, gate_rules_file
from gieok.text.gates.statement import read_action_rules
from gieok.text.gates.verdict import ToolAttempt


class _Noon:
    """Clock that stands at noon of a Wednesday."""

    def now(self) -> datetime:
        return datetime.fromisoformat("2026-11-25T12:00:00+00:00")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_GATES_STOPS", "on")
    folder = tmp_path / "user" / "notes"
    folder.mkdir(parents=True)
    return open_call({}, folder=folder, clock=_Noon())


@pytest.fixture
def made_model(models: Path, tmp_path: Path) -> None:
    """Put the converted model into the home, where a command would make it for itself."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "models").symlink_to(models)


def _keep(call, *said: str, scope: str = "agent:main") -> None:
    rules = [
        GateRule(
            handle=f"{number:04x}beef",
            scope=scope,
            said_at=float(number),
            day="2026-11-20",
            origin="claude-code",
            source="3fa9c01e.3",
            rule=rule,
        )
        for number, text in enumerate(said)
        for rule in read_action_rules(text, date(2026, 11, 20))
    ]
    write_gate_rules(str(call.home.folder), rules)


def _run(call, name: str, **values: object):
    return load_command(name)(call, **values)


def test_rules_are_tried_without_any_home(call) -> None:
    trial = _run(
        call, "rules try", command_line="git push origin main", rule=["never push to main"]
    )
    assert (trial.outcome, trial.rule) == ("stop", "never push to main")
    trial = _run(call, "rules try", command_line="git push origin x", rule=["never push to main"])
    assert (trial.outcome, trial.rule, trial.found) == ("none", None, True)
    trial = _run(call, "rules try", edit=["src/billing/a.py"], rule=["billing 폴더는 건드리지 마"])
    assert trial.outcome == "ask"
    trial = _run(call, "rules try", tool="WebSearch", rule=["Don't use WebSearch"])
    assert trial.outcome == "ask"
    assert not Path(call.home.folder).exists()


def test_a_later_rule_that_is_tried_lifts_an_earlier_one(call) -> None:
    said = ["never push to main", "you can push to main again"]
    assert _run(call, "rules try", command_line="git push origin main", rule=said).outcome == "none"


def test_a_rule_is_tried_for_a_day(call) -> None:
    said = {"command_line": "npm run deploy", "rule": ["never deploy on Fridays"]}
    assert _run(call, "rules try", **said).outcome == "none"
    assert _run(call, "rules try", day="2026-11-27", **said).outcome == "stop"
    with pytest.raises(BadRequest):
        _run(call, "rules try", day="whenever", **said)
    with pytest.raises(BadRequest):
        _run(call, "rules try", rule=["never deploy"])


def test_rules_are_listed_with_what_they_do_the_newest_first(call) -> None:
    assert not _run(call, "rules list").found
    _keep(call, "never run terraform destroy", "ask me before you touch the billing folder")
    newest, oldest = _run(call, "rules list").rules
    assert (newest.outcome, newest.covers, newest.is_on) == ("ask", ("billing/",), True)
    assert (oldest.outcome, oldest.covers) == ("stop", ("terraform destroy",))
    assert (oldest.words, oldest.day) == ("never run terraform destroy", "2026-11-20")
    assert (oldest.origin, oldest.source) == ("claude-code", "3fa9c01e.3")


def test_rules_of_another_project_are_listed_on_request(call) -> None:
    _keep(call, "never run terraform destroy", scope="project:shop-1")
    assert _run(call, "rules list").rules == ()
    assert len(_run(call, "rules list", all_=True).rules) == 1


def test_a_rule_is_switched_off_and_on_by_the_first_digits_of_its_handle(call) -> None:
    _keep(call, "never run terraform destroy", "never push to main")
    tried = {"command_line": "terraform destroy"}
    assert _run(call, "rules try", **tried).handle == "0000beef"
    assert not _run(call, "rules off", handle="0000").rule.is_on
    assert _run(call, "rules try", **tried).outcome == "none"
    assert _run(call, "rules try", command_line="git push origin main").outcome == "stop"
    assert _run(call, "rules on", handle="0000be").rule.is_on
    assert _run(call, "rules try", **tried).outcome == "stop"


def test_a_rule_gets_a_last_day_which_on_takes_away(call) -> None:
    _keep(call, "never run terraform destroy")
    row = _run(call, "rules until", handle="0000", day="2026-11-26").rule
    assert (row.until, row.is_on) == ("2026-11-26", True)
    tried = {"command_line": "terraform destroy"}
    assert _run(call, "rules try", day="2026-11-26", **tried).outcome == "stop"
    assert _run(call, "rules try", day="2026-11-27", **tried).outcome == "none"
    assert _run(call, "rules on", handle="0000").rule.until is None
    with pytest.raises(BadRequest):
        _run(call, "rules until", handle="0000", day="2026-11-24")


def test_what_was_stopped_is_allowed_once_and_only_where_once_is_said(call) -> None:
    _keep(call, "never run terraform destroy")
    home = str(call.home.folder)
    with pytest.raises(BadRequest):
        _run(call, "rules allow", handle="0000")
    with pytest.raises(BadRequest, match="asked for no action"):
        _run(call, "rules allow", handle="0000", code="7d02be41", once=True)
    action = JudgedAction('{"command": "terraform destroy"}', "7d02be41f00d")
    write_judged_action(home, "0000beef", action)
    # Another action of the same code does not take its place.
    write_judged_action(home, "0000beef", JudgedAction("other", "7d02be41beef"))
    with pytest.raises(BadRequest, match="asked for no action"):
        _run(call, "rules allow", handle="0000", code="", once=True)
    allowed = _run(call, "rules allow", handle="0000", code="7D02BE41", once=True)
    assert (allowed.rule.is_allowed_once, allowed.action) == (True, action.shown)
    assert load_gate_choices(home).once == {"0000beef": action.key}


@pytest.mark.usefixtures("made_model")
def test_a_rule_asks_unless_the_person_lets_rules_stop(call, monkeypatch) -> None:
    monkeypatch.delenv("GIEOK_GATES_STOPS")
    again = open_call({}, folder=call.caller.folder, clock=_Noon())
    _keep(again, "never run terraform destroy")
    assert _run(again, "rules list").rules[0].outcome == "ask"
    tried = {"command_line": "terraform destroy"}
    assert _run(again, "rules try", **tried).outcome == "ask"
    assert _run(again, "rules try", rule=["never run terraform destroy"], **tried).outcome == "ask"


@pytest.mark.usefixtures("made_model")
def test_an_odd_entry_leaves_the_others_as_they_are_and_is_said(call) -> None:
    _keep(call, "never run terraform destroy", "never push to main", "never use sudo")
    home = Path(call.home.folder)
    file = Path(gate_rules_file(str(home)))
    data = json.loads(file.read_text())
    data["rules"][0]["names"] = 5
    data["rules"][1]["rule"] = '{"text": "x", "mode": "stop", "actions": [{"commands": 3}]}'
    file.write_text(json.dumps(data))
    choices = Path(gate_choices_file(str(home)))
    choices.write_text('{"off": [["x"], 7], "until": {"a": 5, "0002beef": "2026-11-30"}, "z": 1}')
    assert load_gate_choices(str(home)).until == {"0002beef": "2026-11-30"}
    damaged = find_damaged_gate_files(str(home))
    assert [(name, is_whole) for name, _, is_whole in damaged] == [
        (str(file), False),
        (str(choices), False),
    ]
    checks = [check for check in iter_chain_checks(call, is_free=True) if check.name == "rules"]
    assert [check.ok for check in checks] == [False, False]
    assert any("rules.json" in line for line in _run(call, "status").details)
    use = ToolAttempt(command="sudo git push origin main", day="2026-11-25")
    hit, *_ = gates.list_gate_hits(load_gate_rules(str(home)), load_gate_choices(str(home)), use)
    assert hit.rule.handle == "0002beef"
    assert not _run(call, "rules off", handle="0002").rule.is_on
    assert load_gate_choices(str(home)).until == {"0002beef": "2026-11-30"}
    assert len(list((home / "set-aside").glob("*/choices.json"))) == 1


@pytest.mark.usefixtures("made_model")
def test_a_damaged_file_of_choices_is_moved_aside_and_said_until_then(call) -> None:
    _keep(call, "never run terraform destroy")
    home = Path(call.home.folder)
    _run(call, "rules off", handle="0000")
    file = Path(gate_choices_file(str(home)))
    file.write_text('{"off": ["0000beef"')
    assert [name for name, *_ in find_damaged_gate_files(str(home))] == [str(file)]
    checks = [check for check in iter_chain_checks(call, is_free=True) if check.name == "rules"]
    assert [check.ok for check in checks] == [False]
    assert any("choices.json" in line for line in _run(call, "status").details)
    with pytest.raises(BadRequest, match="damaged"):
        _run(call, "rules list")
    _run(call, "rules on", handle="0000")
    (aside,) = (home / "set-aside").glob("*/choices.json")
    assert aside.read_text() == '{"off": ["0000beef"'
    assert find_damaged_gate_files(str(home)) == []


def test_a_damaged_file_of_rules_is_moved_aside_when_it_is_written_again(call) -> None:
    _keep(call, "never run terraform destroy")
    home = Path(call.home.folder)
    file = Path(gate_rules_file(str(home)))
    file.write_text("[]")
    assert [name for name, *_ in find_damaged_gate_files(str(home))] == [str(file)]
    _keep(call, "never run terraform destroy")
    assert [path.read_text() for path in (home / "set-aside").glob("*/rules.json")] == ["[]"]
    assert len(_run(call, "rules list").rules) == 1


def test_a_handle_that_names_none_or_several_is_refused(call) -> None:
    _keep(call, "never run terraform destroy")
    for handle in ("ffff", "000", ""):
        with pytest.raises(NotFound):
            _run(call, "rules off", handle=handle)
    rules = [
        GateRule(
            handle=handle,
            scope="agent:main",
            said_at=0.0,
            day="2026-11-20",
            origin="a",
            source="",
            rule=read_action_rules("never push", date(2026, 11, 20))[0],
        )
        for handle in ("abcd0000", "abcd1111")
    ]
    write_gate_rules(str(call.home.folder), rules)
    with pytest.raises(BadRequest):
        _run(call, "rules off", handle="abcd")


def test_a_turn_is_not_switched_off_for_the_rules_about_actions_in_it(
    call, monkeypatch: pytest.MonkeyPatch
) -> None:
    _keep(call, "never push to main")
    told = BindingRule("never push to main", "never push to main", "agent:main", "k", 3, 1.0)
    (rule,) = load_gate_rules(str(call.home.folder))
    rule.source = told.handle
    write_gate_rules(str(call.home.folder), [rule])
    module = "gieok.commands.prompt.rules.load_spoken_rules"
    monkeypatch.setattr(module, lambda call, scopes, *, with_silenced=False: [told])
    with pytest.raises(BadRequest) as refused:
        _run(call, "rules off", handle=told.handle)
    assert rule.handle in str(refused.value.hint)
    assert not load_gate_choices(str(call.home.folder)).off
