"""Digest and page of a session: what is quoted, under what, and that the budget holds."""

from datetime import UTC, datetime, timedelta

import pytest

from gieok.memory.handoff.digest import SessionDigest, digest_session
from gieok.memory.handoff.page import HandedSession, render_page
from gieok.memory.observer.rules import GivenContext, RulesObserver, StatementJudge
from gieok.model.conversation import Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.text import handed
from gieok.text.echo import is_echo, strip_echo
from gieok.text.tokens import estimate_tokens

_AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
_SCOPE = Scope("project:shop")
_NAME = HandedSession("codex", "s1", "project:shop", "/t/s1.jsonl", "/w")
_USER, _AGENT, _TOOL = Role.USER, Role.ASSISTANT, Role.TOOL


def _digest(
    *turns: tuple[Role, str],
    ended: frozenset[str] = frozenset(),
    gaps: tuple[int, ...] = (),
    most: int = 0,
) -> SessionDigest:
    found = [
        Journalled(n, Message(f"m{n}", role, text, _AT + timedelta(minutes=n), "s1", "codex"))
        for n, (role, text) in enumerate(turns, start=1)
    ]
    observer = RulesObserver(UTC, StatementJudge(lambda: None), GivenContext())
    return digest_session(_SCOPE, found, observer, ended, gaps, most)


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
    assert "\n# codex 세션 인계\n" in page
    assert '## 지킬 규칙\n- 사용자, 11-20 10:03: "main에는 절대 바로 푸시하지 마."' in page
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


def test_what_speaks_of_something_else_is_no_answer_to_the_question_before_it() -> None:
    digest = _digest(
        (_AGENT, "Which do you prefer, tenacity or a loop?"),
        (_USER, "My phone number is 010-1234-5678"),
        (_AGENT, "Noted. Which do you prefer, tenacity or a loop?"),
        (_USER, "tenacity"),
        (_AGENT, "Which port should the queue listen on?"),
        (_USER, "9090"),
    )
    assert [(quote.text, quote.answers) for quote in digest.decided][:1] == [
        ("tenacity", "Which do you prefer, tenacity or a loop?"),
    ]
    assert all("phone" not in quote.text for quote in digest.decided)
    assert all(not quote.answers for quote in digest.told)


def test_nothing_answers_a_question_before_what_was_forgotten() -> None:
    turns = (
        (_AGENT, "Which do you prefer, tenacity or a loop?"),
        (_USER, "tenacity"),
    )
    assert len(_digest(*turns).decided) == 1
    assert _digest(*turns, gaps=(1,)).decided == ()


def test_a_task_that_was_called_done_is_open_no_longer() -> None:
    task = (_USER, "I must submit the visa papers to the embassy by 12 May.")
    assert len(_digest(task, (_AGENT, "OK.")).open) == 1
    assert (
        _digest((_USER, "Look at the queue."), (_AGENT, "OK."), (_USER, "It is done now.")).open
        == ()
    )
    done = (_USER, "I submitted the visa papers.")
    assert _digest(task, (_AGENT, "OK."), done).open == ()


def test_a_decision_that_was_taken_back_is_decided_no_longer() -> None:
    decided = (_USER, "We decided to use Postgres for the billing queue.")
    back = (_USER, "No, we don't use Postgres for the billing queue.")
    assert len(_digest(decided, (_AGENT, "OK.")).decided) == 1
    found = _digest(decided, (_AGENT, "OK."), back)
    assert decided[1] not in [quote.text for quote in (*found.decided, *found.told)]


def test_a_question_without_content_is_quoted_with_what_it_asks_of() -> None:
    digest = _digest(
        (_USER, "How do we retry?"),
        (_AGENT, "I would use tenacity with five tries for the sender. Should I?"),
        (_USER, "yes"),
    )
    for quote in digest.decided:
        assert "tenacity" in quote.answers


def test_with_a_limit_the_rules_and_the_newest_statements_are_told() -> None:
    turns = [(_USER, "Never push to main on Fridays.")] + [
        (_USER, f"We decided to move the service {n} to region eu-west-{n}.") for n in range(200)
    ]
    digest = _digest(*turns, most=20)
    assert [quote.text for quote in digest.rules] == ["Never push to main on Fridays."]
    assert 20 <= len(digest.decided) < 40
    assert "service 199" in digest.decided[-1].text


def test_a_session_that_was_not_read_to_its_end_says_so() -> None:
    digest = _digest((_USER, "Look at the queue."))
    page = render_page(_NAME._replace(is_whole=False), digest, UTC, 1_200, "en")
    assert "read up to 10:01; what follows is missing" in page
    assert "read up to" not in render_page(_NAME, digest, UTC, 1_200, "en")


def _page_of_everything(lang: str) -> str:
    digest = _digest(
        (_USER, "Please add a retry to the webhook sender."),
        (_TOOL, "[Bash command=make test]"),
        (_TOOL, "[tool ok] 3 passed"),
        (_TOOL, "[Bash command=npm test]"),
        (_TOOL, "[tool failed] boom"),
        (_TOOL, "[Bash command=make lint | tail -3]"),
        (_TOOL, "[tool ok] fine"),
        (_TOOL, "[Edit file_path=/w/a.py]"),
        (_TOOL, "[tool ok]"),
        (_AGENT, "Which do you prefer, tenacity or a loop?"),
        (_USER, "tenacity"),
        (_USER, "Never push to main on Fridays. My wife is called Petra Novak."),
        (_USER, "We'll use Postgres for the queue, and keep retries at five."),
        (_AGENT, "It is done. Shall we name the table outbox or queue?"),
    )
    told = digest.decided[:1]
    return render_page(_NAME, digest._replace(told=told), UTC, 2_000, lang)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_page_that_is_pasted_or_read_is_no_memory_also_in_parts(lang: str) -> None:
    page = _page_of_everything(lang)
    for heading in handed.HEADINGS[lang]:
        assert f"## {heading}\n" in page
    assert strip_echo(page) == ""
    assert strip_echo(f"Go on with this:\n\n{page}\nThe port is 9090.").split() == [
        *"Go on with this: The port is 9090.".split()
    ]
    assert is_echo(page)
    lines = page.splitlines()
    for cut in range(1, len(lines)):
        assert strip_echo("\n".join(lines[:cut])) == "", lines[cut - 1]
        assert strip_echo("\n".join(lines[cut:])) == "", lines[cut]
    bare = lines[1:-1]
    assert strip_echo("\n".join(bare)) == "", "also without its tags"


def test_a_users_own_list_behind_a_page_stays() -> None:
    own = "- `make test` fails for me\n- decided: nothing yet"
    assert strip_echo(own) == own
    assert strip_echo(f"{_page_of_everything('en')}\n{own}") == own
