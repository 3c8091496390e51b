"""Digest and page of a session: what is quoted, under what, and that the budget holds."""

from datetime import UTC, datetime, timedelta

import pytest

from gieok.memory.handoff.digest import SessionDigest, digest_session
from gieok.memory.handoff.page import HandedSession, render_page
from gieok.memory.observer.rules import GivenContext, RulesObserver, StatementJudge
from gieok.model.conversation import Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.text.tokens import estimate_tokens

_AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
_SCOPE = Scope("project:shop")
_NAME = HandedSession("codex", "s1", "project:shop", "/t/s1.jsonl", "/w")
_USER, _AGENT, _TOOL = Role.USER, Role.ASSISTANT, Role.TOOL


def _digest(*turns: tuple[Role, str], ended: frozenset[str] = frozenset()) -> SessionDigest:
    found = [
        Journalled(n, Message(f"m{n}", role, text, _AT + timedelta(minutes=n), "s1", "codex"))
        for n, (role, text) in enumerate(turns, start=1)
    ]
    observer = RulesObserver(UTC, StatementJudge(lambda: None), GivenContext())
    return digest_session(_SCOPE, found, observer, ended)


def test_rules_decisions_and_requests_stand_apart_as_they_were_said() -> None:
    digest = _digest(
        (_USER, "Please add a retry to the webhook sender."),
        (_AGENT, "Done."),
        (
            _USER,
            "Never push to main on Fridays. We'll use Postgres for the queue, and keep retries at five.",
        ),
        (_AGENT, "Understood."),
    )
    assert [quote.text for quote in digest.asked] == ["Please add a retry to the webhook sender."]
    assert [quote.text for quote in digest.rules] == ["Never push to main on Fridays."]
    assert [quote.text for quote in digest.decided] == [
        "We'll use Postgres for the queue, and keep retries at five."
    ]
    assert digest.language == "en"


def test_a_choice_is_decided_with_what_it_chooses() -> None:
    digest = _digest(
        (_USER, "How do we migrate?"),
        (_AGENT, "Options:\n1. Alembic migrations\n2. Raw SQL files\nWhich one?"),
        (_USER, "1"),
        (_AGENT, "Which do you prefer, tenacity or a loop?"),
        (_USER, "tenacity"),
    )
    assert [(quote.text, quote.answers) for quote in digest.decided] == [
        ("1", "Alembic migrations"),
        ("tenacity", "Which do you prefer, tenacity or a loop?"),
    ]
    assert [quote.text for quote in digest.asked] == ["How do we migrate?"]


def test_what_an_agent_says_is_never_decided() -> None:
    digest = _digest(
        (_USER, "Look at the queue."), (_AGENT, "We decided to use Kafka. Always use Kafka.")
    )
    assert (digest.rules, digest.decided, digest.told) == ((), (), ())


def test_a_statement_that_holds_no_more_is_decided_no_longer() -> None:
    turns = ((_USER, "We'll use Postgres for the queue, and keep retries at five."),)
    assert len(_digest(*turns).decided) == 1
    assert _digest(*turns, ended=frozenset(("m1",))).decided == ()


@pytest.mark.parametrize(
    ("last", "opened"),
    [
        ((_USER, "Fix the login page next."), [(_USER, "Fix the login page next.")]),
        ((_USER, "thanks!"), []),
        (
            (_AGENT, "It is done. Shall we name the table outbox or queue?"),
            [(_AGENT, "Shall we name the table outbox or queue?")],
        ),
        ((_AGENT, "It is done."), []),
    ],
)
def test_a_session_leaves_open_what_nobody_answered(
    last: tuple[Role, str], opened: list[tuple[Role, str]]
) -> None:
    digest = _digest((_USER, "Look at the queue."), (_AGENT, "OK."), last)
    assert [(quote.who, quote.text) for quote in digest.open] == opened


def test_commands_and_files_are_summed_up_with_what_was_asked_before() -> None:
    digest = _digest(
        (_USER, "Add a retry."),
        (_TOOL, "[Edit file_path=/w/a.py old_string=x]"),
        (_TOOL, "[tool ok]"),
        (_TOOL, "[Bash command=make test]"),
        (_TOOL, "[tool failed] 1 failed"),
        (_TOOL, "[Edit file_path=/w/a.py old_string=y]"),
        (_TOOL, "[tool ok]"),
        (_TOOL, "[Bash command=make test]"),
        (_TOOL, "[tool ok] 3 passed"),
        (_TOOL, "[Bash command=ls]"),
        (_TOOL, "[tool ok]"),
        (_TOOL, "[Write file_path=/w/b.py content=x]"),
        (_TOOL, "[tool failed] no"),
    )
    (run,) = digest.commands
    assert (run.command, run.runs, run.failures, run.worked) == ("make test", 2, 1, True)
    (change,) = digest.files
    assert (change.path, change.times, change.asked) == ("/w/a.py", 2, "Add a retry.")


def test_the_page_is_in_the_language_of_the_session_and_names_what_it_quotes() -> None:
    digest = _digest(
        (_USER, "재시도를 넣어 줘."),
        (_AGENT, "했습니다."),
        (_USER, "main에는 절대 바로 푸시하지 마. 큐는 포스트그레스로 가기로 했어."),
    )
    assert digest.language == "ko"
    page = render_page(_NAME, digest, UTC, 1_200, digest.language)
    assert page.startswith("# codex 세션 인계\n")
    assert '## 지킬 규칙\n\n- 사용자, 11-20 10:03: "main에는 절대 바로 푸시하지 마."' in page
    assert "`/t/s1.jsonl`" in page


@pytest.mark.parametrize("budget", [300, 1_200])
def test_the_page_keeps_its_budget_and_counts_what_it_leaves_out(budget: int) -> None:
    turns = [
        (_USER, f"We decided to move the service {n} to region eu-west-{n}.") for n in range(200)
    ]
    page = render_page(_NAME, _digest(*turns), UTC, budget, "en")
    assert estimate_tokens(page) <= budget
    assert "service 199 " in page
    shown = page.count("- user, ")
    assert f"- … and {200 - shown} more" in page
