"""Tools that a rule means, told from what their names say."""

import pytest

from gieok.text.gates.tool_names import VERBS, ToolVerb, names_tool


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.example)
def test_a_verb_stands_in_its_example_and_not_in_its_counter_example(verb: ToolVerb) -> None:
    assert verb.said.search(verb.example)
    assert not verb.said.search(verb.counter_example)


@pytest.mark.parametrize(
    ("rule", "tool"),
    [
        ("you do not post to Slack on my behalf", "mcp__slack__post_message"),
        ("내 허락 없이 트윗 올리지 마요", "mcp__twitter__create_tweet"),
        ("Don't change DNS. At all.", "mcp__cloudflare__dns_record_update"),
        ("never delete emails", "gmail_trash"),
        ("don't comment on issues for me", "mcp__github__addIssueComment"),
        ("my calendar is look-don't-touch", "mcp__calendar__delete_event"),
    ],
)
def test_a_tool_is_meant_whose_name_says_what_is_forbidden(rule: str, tool: str) -> None:
    assert names_tool(rule, "", tool)


@pytest.mark.parametrize(
    ("rule", "tool"),
    [
        ("you do not post to Slack on my behalf", "mcp__slack__search_messages"),
        ("you do not post to Slack on my behalf", "mcp__discord__post_message"),
        ("내 허락 없이 트윗 올리지 마요", "mcp__twitter__delete_tweet"),
        ("don't send invites for the board calendar", "mcp__outlook__create_event"),
        ("투자자한테 가는 메일은 내가 보낼게", "mcp__gmail__send_email"),
    ],
)
def test_a_rule_means_no_tool_that_looks_or_that_a_word_may_leave_out(rule: str, tool: str) -> None:
    assert not names_tool(rule, "", tool)


def test_what_it_stands_for_may_be_named_beside_the_rule() -> None:
    assert names_tool("never book anything in it", "read my calendar", "mcp__x__create_event")
    assert not names_tool("never book anything", "read my calendar", "mcp__x__create_event")
