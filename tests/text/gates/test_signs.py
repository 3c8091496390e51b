"""Signs that a use of a tool is what a rule means, or is not."""

import pytest

from gieok.memory.talk.rule_sense import ASKED
from gieok.text.gates.action import ANY, Action, CommandPattern
from gieok.text.gates.signs import (
    SIGNS,
    WEIGHTS,
    SignPattern,
    find_signs,
    measure_log_odds,
    split_rule_words,
    weigh_signs,
)
from gieok.text.gates.touched import WRITE, TouchedPath
from gieok.text.gates.verdict import ToolAttempt

_NONE = WEIGHTS._replace(**dict.fromkeys(WEIGHTS._fields, 0.0))
_PLAIN = _NONE._replace(base=1.0)


def _list_signs(sense: str, command: str, *, allowed: tuple[str, ...] = ()) -> set[str]:
    """Return the names of the signs of a command line under a rule."""
    return _name_signs(sense, ToolAttempt(tool="Bash", command=command), command, allowed)


def _name_signs(
    sense: str, use: ToolAttempt, described: str, allowed: tuple[str, ...] = ()
) -> set[str]:
    signs = find_signs(split_rule_words(sense, allowed), use, described)
    return {name for name, value in signs._asdict().items() if value} - {"base"}


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.example)
def test_a_pattern_finds_its_example_and_not_its_counter_example(sign: SignPattern) -> None:
    assert sign.pattern.search(sign.example)
    assert not sign.pattern.search(sign.counter_example)


@pytest.mark.parametrize(
    ("sense", "command", "signs"),
    [
        ("mails go out from me", "python mailer.py --all", set()),
        ("mails go out from me", "python mailer.py --preview", {"tries", "elsewhere"}),
        ("no previews before noon", "python mailer.py --preview", {"tries", "elsewhere"}),
        ("production is mine", "psql -h stg-db -c 'drop table x'", {"elsewhere"}),
        ("staging is mine", "psql -h staging-db -c 'drop table x'", set()),
        ("the database is mine", "psql -c 'select 1'", {"asks_database"}),
        ("the database is mine", "psql -c 'drop table x; select 1'", set()),
        ("the billing api is mine", "curl -s https://billing.example", {"looks"}),
        ("the billing api is mine", "curl -X POST https://billing.example", set()),
        ("alerts are mine", "amtool alert query instance=a", {"a_step_looks", "all_steps_look"}),
        ("alerts are mine", "amtool alert query x && amtool silence add x", {"a_step_looks"}),
        ("alerts are mine", "ssh web-1 'systemctl restart nginx'", set()),
        ("don't restart pve1", "pct reboot pve2", {"names_other"}),
        ("don't restart pve1", "pct reboot pve1", set()),
        ("다이아 이름은 iap_products에서 고치지 마", "sed -i s/a/b/ other.json", {"names_other"}),
        ("다이아 이름은 iap_products에서 고치지 마", "sed -i s/a/b/ iap_products.json", set()),
    ],
)
def test_signs_of_a_command_line(sense: str, command: str, signs: set[str]) -> None:
    assert _list_signs(sense, command) == signs


def test_what_is_allowed_beside_a_rule_is_a_sign_where_the_rule_has_no_such_word() -> None:
    sense = "raw stays as it is, derived is yours. ask before you touch data/raw"
    allowed = ("derived is yours",)
    assert "allowed_word" in _list_signs(sense, "rm derived/a.csv", allowed=allowed)
    assert "allowed_word" not in _list_signs(sense, "rm data/raw/a.csv", allowed=allowed)
    named = ("data/derived is yours",)
    assert "allowed_name" in _list_signs("raw stays", "rm data/derived/a.csv", allowed=named)
    assert "allowed_name" not in _list_signs("raw stays", "rm data/raw/a.csv", allowed=named)


@pytest.mark.parametrize(
    ("sense", "tool", "signs"),
    [
        ("mails go out from me", "mcp__gmail__send_email", {"by_words", "by_tool"}),
        ("mails to clients go out from me", "mcp__gmail__send_email", set()),
        ("mails go out from me", "mcp__gmail__searchMessages", {"looks"}),
        ("never open my mail", "mcp__gmail__read_thread", {"looks", "looked_for"}),
        ("메일함은 열지 마", "mcp__gmail__read_thread", {"looks", "looked_for"}),
    ],
)
def test_a_tool_that_looks_is_one_by_its_own_name(sense: str, tool: str, signs: set[str]) -> None:
    assert _name_signs(sense, ToolAttempt(tool=tool), f"{tool}: {{}}") == signs


def test_an_edit_of_a_file_counts_where_the_rule_has_a_word_of_its_path() -> None:
    use = ToolAttempt(tool="Edit", paths=[TouchedPath(WRITE, "/work/ledger/a.csv")])
    described = "Edit: ledger/a.csv"
    assert _name_signs("closed ledgers stay", use, described) == {"edits", "edits_named"}
    assert _name_signs("mails go out from me", use, described) == {"edits"}


def test_what_is_allowed_is_cut_out_of_what_is_forbidden() -> None:
    words = split_rule_words("plan freely, apply is mine", ("plan freely",))
    assert (words.forbidden, words.allowed) == (" , apply is mine", "plan freely")


def test_the_readers_chance_is_weighed_with_the_signs() -> None:
    assert weigh_signs(_PLAIN, 0.9) > weigh_signs(_PLAIN, 0.5)
    assert weigh_signs(_PLAIN._replace(by_words=1.0), 0.5) > weigh_signs(_PLAIN, 0.5)
    assert weigh_signs(_PLAIN._replace(tries=1.0), 0.9) < weigh_signs(_PLAIN, 0.9)


def test_chances_near_none_and_certainty_are_held() -> None:
    assert measure_log_odds(0.5) == 0
    assert measure_log_odds(0.0) == measure_log_odds(0.001)
    assert measure_log_odds(1.0) == measure_log_odds(0.999)
    assert measure_log_odds(0.002) > measure_log_odds(0.001)


def _list_naming_signs(sense: str, use: ToolAttempt, described: str, *acting: Action) -> set[str]:
    signs = find_signs(split_rule_words(sense, ()), use, described, acting)
    return {name for name, value in signs._asdict().items() if value} - {"base"}


def test_a_file_that_a_rule_names_counts_also_where_it_is_read() -> None:
    use = ToolAttempt(tool="Bash", command="head -5 data/customers.csv")
    sense = "customers.csv는 열지 마"
    file = Action(deed=ANY, paths=["customers.csv"])
    assert _list_naming_signs(sense, use, use.command, file) == {"by_words", "by_path"}
    assert _list_naming_signs(sense, use, use.command) == {"looks", "looked_for"}
    assert (
        weigh_signs(_PLAIN._replace(by_words=1.0, by_path=1.0, edits=1.0, edits_named=1.0), 0.03)
        > ASKED
    )


def test_a_command_as_it_is_typed_counts_unless_the_use_has_the_name_of_another_thing() -> None:
    typed = Action([CommandPattern("docker", ["system", "prune"], is_literal=True)])
    bare = Action([CommandPattern("docker", is_literal=True)])
    sense = "never docker system prune on build01"
    there = ToolAttempt(tool="Bash", command="ssh build01 docker system prune")
    here = ToolAttempt(tool="Bash", command="docker system prune")
    assert "by_command" in _list_naming_signs(sense, there, there.command, typed)
    assert "by_command" not in _list_naming_signs(sense, there, there.command, bare)
    assert "by_command" not in _list_naming_signs(sense, here, here.command, typed)
