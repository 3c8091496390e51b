"""Rules of words whose sense a model knows: they ask, and reach no further than what they name."""

from datetime import date

import pytest

from gieok.text.gates.action import ASK, NONE
from gieok.text.gates.marked import MarkedRule, read_marked_rules
from gieok.text.gates.statement import read_action_rules
from gieok.text.gates.verdict import ToolAttempt, judge_tool_attempt

_DAY = date(2026, 11, 20)


def _judge(command: str, *marked: MarkedRule, said: str = "") -> str:
    """Return what the marked rules do with a command beside those of a message."""
    rules = read_marked_rules(marked, read_action_rules(said, _DAY), _DAY)
    use = ToolAttempt(tool="Bash", command=command, folder="/tmp/shop", root="/tmp/shop")
    outcomes = {judge_tool_attempt(rule, use) for rule in rules}
    return ASK if ASK in outcomes else NONE


@pytest.mark.parametrize(
    ("words", "command", "near"),
    [
        ("leave the publishing to me", "cargo +stable publish", "cargo package --list"),
        ("푸시는 내 몫이야", "git push origin main", "git commit -m done"),
        ("make deploy is what I run", "make deploy", "make package"),
        ("docker compose down -v 는 내가 할게", "docker compose down -v", "docker compose down"),
    ],
)
def test_what_is_named_is_asked_and_what_is_near_is_not(
    words: str, command: str, near: str
) -> None:
    assert _judge(command, MarkedRule(words, words)) == ASK
    assert _judge(near, MarkedRule(words, words)) == NONE


def test_what_is_allowed_beside_a_rule_is_not_asked() -> None:
    words = "terraform is mine"
    assert _judge("terraform plan", MarkedRule(words, words)) == ASK
    assert (
        _judge("terraform plan", MarkedRule(words, words, ("`terraform plan` as often",))) == NONE
    )


@pytest.mark.parametrize(
    ("words", "allowed", "command"),
    [
        ("git push to main is mine", "feature branches are fine to push", "git push origin main"),
        ("force pushing is my job", "normal pushes are yours", "git push --force"),
        ("rm -rf is off limits", "rm is okay", "rm -rf src"),
        ("terraform apply is mine", "terraform is fine otherwise", "terraform apply"),
        ("hands off src/billing/", "src/ is yours otherwise", "rm src/billing/a.py"),
    ],
)
def test_what_is_allowed_lets_the_forbidden_pass_in_no_case(
    words: str, allowed: str, command: str
) -> None:
    assert _judge(command, MarkedRule(words, words, (allowed,))) == ASK


@pytest.mark.parametrize(
    ("words", "command", "outcome"),
    [
        ("npm publish stays with me", "npm publish", ASK),
        ("kubectl delete needs my ok", "kubectl delete pod a", ASK),
        ("keep your hands off my desktop", "rm desktop/a.txt", NONE),
        ("installing packages stays with me", "rm installing/a.txt", NONE),
        ("hands off the desktop folder", "rm desktop/a.txt", ASK),
    ],
)
def test_verbs_belong_to_no_command_and_words_are_no_paths(
    words: str, command: str, outcome: str
) -> None:
    assert _judge(command, MarkedRule(words, words)) == outcome


def test_words_that_name_nothing_known_ask_for_nothing() -> None:
    assert (
        _judge("git push", MarkedRule("that one is mine", "that one is mine, off the table"))
        == NONE
    )


def test_what_the_grammar_reads_is_no_second_rule() -> None:
    said = "never run supabase db reset"
    assert read_marked_rules([MarkedRule(said, said)], read_action_rules(said, _DAY), _DAY) == []


def test_what_a_rule_points_back_at_is_found_and_what_is_allowed_is_not() -> None:
    sentence = "infra/prod belongs to Dmitri, docs/ is yours, so keep out of that folder."
    marked = MarkedRule("keep out of that folder", sentence, ("docs/ is yours",))
    assert _judge("rm infra/prod/a.tf", marked) == ASK
    assert _judge("rm docs/a.md", marked) == NONE
    words = "you are never to go near the payments stuff"
    assert _judge("rm src/a.py", MarkedRule(words, f"Write new code into src/ and {words}")) == NONE


def test_a_rule_of_which_one_part_names_nothing_is_one_rule() -> None:
    said = "leave the publishing to me, you stop at the draft"
    parts = ("leave the publishing to me", "you stop at the draft")
    rules = read_marked_rules([MarkedRule(part, said, sense=said) for part in parts], [], _DAY)
    assert [bool(rule.actions) for rule in rules] == [True]
    alone = read_marked_rules([MarkedRule(parts[1], said, sense=said)], [], _DAY)
    assert [rule.sense for rule in alone] == [said]
