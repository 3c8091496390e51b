"""The table of rules: each proves itself by an example and a counter-example, and reads any text in
linear time.
"""

import re
import string
from contextvars import copy_context

import pytest
from row_tables import for_each_row

from gieok.text.redact import RULES, SOURCE_RULES, redact, redact_counted, redact_source, user_rules
from gieok.text.redact.commands import COMMANDS
from gieok.text.redact.hints import Hints
from gieok.text.redact.linear import why_not
from gieok.text.redact.near import NEAR
from gieok.text.redact.prose import PROSE
from gieok.text.redact.rule import Rule, line_before, search_before
from gieok.text.redact.tables import TABLES
from gieok.text.redact.user_rules import BadRule
from gieok.text.secrets.placeholder import PLACEHOLDER

_RULE = {
    "name": "badge",
    "pattern": "BDG-[0-9]{6}",
    "example": "BDG-123456",
    "counter_example": "BDG-12",
}


@for_each_row(RULES)
def test_each_rule_cuts_its_example_and_leaves_its_counter_example(rule: Rule) -> None:
    clean = redact(rule.example)
    assert f"[redacted:{rule.name}]" in clean
    assert clean.count("\n") == rule.example.count("\n")
    assert redact(clean) == clean
    assert redact(rule.counter_example) == rule.counter_example


def _list_present(hints: Hints, text: str) -> list[tuple[str, list[int], list[int]]]:
    return sorted(hints.present(text.lower()))


def test_the_first_short_texts_and_the_scan_find_the_same_hints() -> None:
    scanned = Hints(enumerate(RULES))
    assert _list_present(scanned, "no hint " * 300) == []  # too long to do without the scan
    for text in (text for rule in RULES for text in (rule.example, rule.counter_example)):
        assert _list_present(Hints(enumerate(RULES)), text) == _list_present(scanned, text)


@for_each_row(SOURCE_RULES)
def test_the_rules_of_source_code_hold_there_too(rule: Rule) -> None:
    assert f"[redacted:{rule.name}]" in redact_source(rule.example)
    assert redact_source(rule.counter_example) == rule.counter_example


@for_each_row([*COMMANDS, *TABLES, *PROSE, *NEAR])
def test_what_people_type_and_say_is_no_secret_in_source_code(rule: Rule) -> None:
    assert redact_source(rule.example) == rule.example


@for_each_row(RULES)
def test_no_pattern_can_be_slow_and_each_is_looked_for_by_small_letters(rule: Rule) -> None:
    assert not why_not(rule.pattern)
    assert not rule.lead or not why_not(rule.lead)
    assert all(hint == hint.lower() for hint in rule.hints)
    assert rule.hints or rule.needs or rule.least
    assert not rule.opens or not why_not(rule.opens)


def test_a_placeholder_breaks_no_json_and_no_line() -> None:
    for rule in RULES:
        shown = f"[redacted:{rule.name}]"
        assert PLACEHOLDER.fullmatch(shown)
        assert not set(shown) & set("\"'\\\n\r`")


@for_each_row(
    [
        "(a+)+b",
        r"\w+\d+x",
        "(?:a{1,30}){1,30}b",
        ".*x",
        "(x+x+)+y",
        r"(?:\w{1,9}|\d{1,9}){2,9}",
        "(a|a+)+",
        # Without an end, before the end: of a group, a branch, an assertion, of any greed.
        "a+b",
        "(a+)b",
        "(?:a+|b)c",
        "(?:b|a+)c",
        "(?>a+)b",
        "(?=a+)b",
        "(?!a+)b",
        "a+?b",
        "a++b",
        "(?:ba+){1,2}",
        "(?:ba+){2}",
        # A repeat in a repeat, neither end of which is a sign of its own.
        "(?:a{1,3}){2}",
        "(?:a{1,3}?){2}",
        "(?:(a{1,3})){2}",
        "(?:(?:a{1,3}){2}){2}",
        "(?:a{1,3}|b){2}",
        "(?:b?a{1,3}){2}",
        "(?:b?a{1,3}c?){2}",
        "(?:(?:b|)a{1,3}){2}",
        "(?:m[a-z]{1,9}){2}",
        "(?:c[a-c]{1,3}){2}",
        "(?:a[a-c]{1,3}){2}",
        r"(?:\d\w{1,3}){2}",
        r"(?:-[\s-]{1,3}){2}",
        "(?:.a{1,3}){2}",
        "(?:[^b]a{1,3}){2}",
        "(?:b(?:ab{1,2}){1,2}){2}",
        "(?:b(?:(b)|a){1,2}){2}",
        "(?:ba{1,3}b{1,3}){2}",
    ]
)
def test_a_pattern_that_may_be_slow_is_known_by_its_form(pattern: str) -> None:
    assert why_not(pattern)


@for_each_row(
    [
        "foo-[a-z]+",
        "(?:,[a-z]{1,9}){1,5}",
        r"(?:\.[a-z]{2})*",
        "(?:[a-z]{1,12} ){0,5}x",
        "ba+",
        "(ba+)",
        "b(?:c|a+)",
        "(?:ba+)?",
        "(?:a{1,3})?b",
        "(?:a{3}){1,5}",
        "(?:a?b){2}",
        "(?:a{1,3}b){2}",
        "(?:ba{1,3}){2}",
        "(?:a{1,3}(b)){2}",
        "(?:(b)a{1,3}){2}",
        "(?:b{2}a{1,3}){2}",
        "(?:^ba{1,3}){2}",
        "(?:(?=b)ba{1,3}){2}",
        "(?:(?!c)ba{1,3}){2}",
        "(?:(?:b|c)a{1,3}){2}",
        "(?:c(?:a{1,3}|b)){2}",
        "(?:d[a-c]{1,3}){2}",
        "(?:`[a-c]{1,3}){2}",
        "(?:[^a]a{1,3}){2}",
        "(?:[^ab]a{1,3}){2}",
        r"(?:\W\w{1,3}){2}",
        r"(?:\S\s{1,3}){2}",
        r"(?:\D\d{1,3}){2}",
        r"(?:.\n{1,3}){2}",
    ]
)
def test_a_pattern_that_reads_a_text_in_one_way_is_taken(pattern: str) -> None:
    assert not why_not(pattern)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"pattern": "("}, "not a regular expression"),
        ({"pattern": "(a+)+b"}, "may be slow"),
        ({"pattern": "x?"}, "empty text"),
        ({"pattern": r"\[redacted:.{1,9}"}, "or a placeholder"),
        ({"example": "BDG-1"}, "does not match its example 'BDG-1'"),
        ({"counter_example": "BDG-654321"}, "matches its counter_example 'BDG-654321'"),
        ({"name": "My Badge"}, "'My Badge'"),
        ({"name": 3}, "rule 1 must have"),
        ({"more": "x"}, "rule 1 must have"),
    ],
)
def test_a_rule_of_the_users_that_cannot_be_used_is_named(
    change: dict[str, object], what: str
) -> None:
    with pytest.raises(BadRule, match=re.escape(what)):
        user_rules.build_own_rules([{**_RULE, **change}])


@pytest.mark.parametrize("given", ["BDG", {"name": "x"}, 3])
def test_rules_of_the_users_are_a_list(given: object) -> None:
    with pytest.raises(BadRule, match="must be a list"):
        user_rules.build_own_rules(given)


def test_the_users_rules_stand_beside_the_built_in_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_rules, "_rules", user_rules.build_own_rules([_RULE]))
    assert (
        redact("badge BDG-123456, password=h7Kqx2vP")
        == "badge [redacted:badge], password=[redacted:password]"
    )
    assert redact_source("x = BDG-123456") == "x = [redacted:badge]"
    assert redact_counted("BDG-123456 BDG-123457") == (
        "[redacted:badge] [redacted:badge]",
        {"badge": 2},
    )


def test_keys_repeated_without_an_end_are_read_once() -> None:
    """Work is counted: how often a rule is asked, and how much text the answers took."""
    for unit in (
        "password=",
        "sk-",
        "eyJ-",
        "-----BEGIN RSA PRIVATE KEY-----",
        "://a:",
        "비밀번호 ",
        'pass="',
        "cookie: a=",
    ):
        few, many = (_work(unit * (n // len(unit))) for n in (5_000, 20_000))
        assert many <= 5 * few + 1_000, unit


def _work(text: str) -> int:
    """Return how many characters all matches took, those that were no secret too."""
    taken = 0
    rules = []
    for rule in RULES:

        def counted(found: re.Match[str], cut: object = rule.cut) -> tuple[int, int] | None:
            nonlocal taken
            taken += found.end() - found.start() + 1
            return cut(found)  # type: ignore[operator]

        rules.append(rule._replace(cut=counted))
    for rule in rules:
        for hint in rule.hints or ("",):
            if hint in text.lower():
                places = (
                    [found.start() for found in re.finditer(re.escape(hint), text.lower())]
                    if hint
                    else []
                )
                taken += sum(
                    end - start for start, end in rule.spans(text, text.lower(), hint, places)
                )
    return taken


def test_every_letter_may_stand_in_a_text() -> None:
    for n in range(0x3200):
        text = f"{chr(n)} {string.ascii_letters} {chr(n)}"
        assert redact(text) == text


def test_rules_of_a_call_hold_in_it_and_those_of_the_process_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(user_rules, "_rules", None)
    badge = user_rules.build_own_rules([_RULE])
    room = user_rules.build_own_rules([{**_RULE, "name": "room"}])

    def list_names() -> list[str]:
        return [rule.name for rule in user_rules.list_own_rules()]

    call = copy_context()
    call.run(user_rules.use_own_rules, badge, in_call=True)
    assert call.run(list_names) == ["badge"]
    assert list_names() == ["badge"]  # a process without any takes those of its first call
    other = copy_context()
    other.run(user_rules.use_own_rules, room, in_call=True)
    assert other.run(list_names) == ["room"]
    assert list_names() == ["badge"]
    copy_context().run(user_rules.use_own_rules, room)
    assert list_names() == ["room"]
    assert call.run(list_names) == ["badge"]


def test_what_stands_before_a_place_is_looked_for_in_a_stretch_of_text() -> None:
    begin = re.compile("x")
    assert search_before(begin, "x" + "o" * 419, 420)
    assert not search_before(begin, "x" + "o" * 420, 421)
    assert search_before(begin, "x", 1)
    assert not search_before(begin, "ox", 1)
    assert search_before(re.compile("x$"), "oxo", 2)


def test_a_line_before_a_place_begins_behind_a_break() -> None:
    assert line_before("a\nbc d", 4) == "bc"
    assert line_before("abc", 2) == "ab"
    assert line_before("abc", 0) == ""
    assert line_before("a" * 130, 125) == "a" * 120
