"""Digest and page of a session: what is quoted, under what, and that the budget holds."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from gieok.memory.handoff.digest import LaterWords, SessionDigest, digest_session
from gieok.memory.handoff.page import HandedSession, render_page
from gieok.memory.observer import repeats
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


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("budget", [*range(120, 420, 20), 600, 1_200])
def test_a_page_of_any_budget_counts_all_that_it_leaves_out(budget: int, lang: str) -> None:
    turns = [(_USER, "Never deploy on Fridays without asking the person on call first.")]
    for n in range(12):
        turns += [
            (_USER, f"We decided to use the library {n} with mode {n} for the service {n}."),
            (_TOOL, f"[Bash command=make part-{n}]"),
            (_TOOL, "[tool ok] fine"),
            (_USER, f"Please add a retry to the sender of the service {n}."),
        ]
    digest = _digest(*turns)
    page = render_page(_NAME, digest, UTC, budget, lang)
    every = (*digest.rules, *digest.decided, *digest.open, *digest.asked, *digest.told)
    shown = sum(line.startswith(("- user, ", "- 사용자, ", "- `make")) for line in page.split("\n"))
    left_out = sum(map(int, re.findall(r"(?m)^- … \D*(\d+)", page)))
    assert shown + left_out == len(every) + len(digest.commands)
    assert estimate_tokens(page) <= max(budget, 160)
    assert strip_echo(page) == ""


def test_a_quotation_keeps_its_backticks() -> None:
    said = "Please run `make test` before every commit."
    page = render_page(_NAME, _digest((_USER, said)), UTC, 1_200, "en")
    assert said in page


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


@pytest.mark.parametrize(
    ("question", "request_"),
    [
        ("Fixed. Anything else?", "Rename the cart module to basket."),
        ("Renamed. What else should I do?", "Write a migration for coupons."),
        ("Done. Want more?", "Add rate limiting to the login endpoint."),
        ("네, 무엇부터 할까요?", "로그인 테스트 고쳐줘"),
        ("바꿨습니다. 또 필요한 게 있나요?", "쿠폰 마이그레이션 작성해줘"),
    ],
)
def test_a_request_behind_a_question_of_the_agents_is_asked_and_open_while_unanswered(
    question: str, request_: str
) -> None:
    turns = ((_USER, "Let's plan the shop."), (_AGENT, question), (_USER, request_))
    assert request_ in [quote.text for quote in _digest(*turns).open]
    answered = _digest(*turns, (_AGENT, "OK, that is next."), (_USER, "thanks"))
    shown = (*answered.asked, *answered.told, *answered.open)
    assert request_ in [quote.text for quote in shown]


def test_a_turn_that_states_and_asks_is_asked_too() -> None:
    stated = "We'll use Postgres for the queue, and keep retries at five."
    said = f"{stated} Add a retry to the webhook sender."
    digest = _digest((_USER, said), (_AGENT, "Done."))
    assert [quote.text for quote in digest.decided] == [stated]
    assert [quote.text for quote in digest.asked] == [said]


def test_a_report_is_no_request() -> None:
    digest = _digest((_USER, "Look at the page."), (_AGENT, "OK."), (_USER, "The page is done."))
    assert [quote.text for quote in digest.asked] == ["Look at the page."]
    assert digest.open == ()


@pytest.mark.parametrize(
    "said",
    [
        "The login page is done, now build the checkout page.",
        "로그인은 끝났어. 이제 장바구니 만들어줘",
        "The login page is done. What is next?",
    ],
)
def test_a_report_that_asks_for_the_next_thing_is_a_request(said: str) -> None:
    edit = ((_TOOL, "[Edit file_path=/w/a.py old_string=x]"), (_TOOL, "[tool ok]"))
    digest = _digest((_USER, "Build the login page."), (_AGENT, "OK."), (_USER, said), *edit)
    assert [quote.text for quote in digest.asked] == ["Build the login page.", said]
    assert [change.asked for change in digest.files] == [said]


def test_a_refusal_that_asks_for_other_work_is_a_request() -> None:
    said = "아니, 대신 슬랙으로 보내줘"
    digest = _digest((_USER, "알림 만들어줘"), (_AGENT, "메일로 보낼까요?"), (_USER, said))
    assert said in [quote.text for quote in digest.open]


@pytest.mark.parametrize(
    ("task", "report"),
    [
        (
            "I must submit the visa papers by 12 May.",
            "I have not submitted the visa papers by 12 May.",
        ),
        (
            "We decided to use Postgres for the billing queue.",
            "We did not use Postgres for the billing queue.",
        ),
        (
            "We decided to use Postgres for the billing queue.",
            "We do not use Postgres for the billing queue yet.",
        ),
        ("주문 큐는 포스트그레스로 가기로 했어.", "주문 큐는 아직 포스트그레스로 안 가기로 했어."),
    ],
)
def test_what_is_said_to_be_not_yet_so_takes_nothing_back(task: str, report: str) -> None:
    for turns in (((_USER, task),), ((_USER, task), (_AGENT, "OK."), (_USER, report))):
        digest = _digest(*turns, (_AGENT, "OK."))
        assert task in [quote.text for quote in (*digest.decided, *digest.open)]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which port should the admin server use?", "9090"),
        ("포트는 몇 번으로 할까요?", "9090"),
        ("Should the queue use Redis – fast, but volatile – or Postgres?", "Postgres, then."),
        ("Should I delete the production backups?", "no"),
        ("운영 백업을 지울까요?", "아니"),
        ("운영 백업을 지울까요?", "아뇨"),
    ],
)
def test_an_answer_is_told_as_the_users_with_the_question_beside_it(
    question: str, answer: str
) -> None:
    digest = _digest((_USER, "Let's plan."), (_AGENT, question), (_USER, answer), (_AGENT, "OK."))
    assert [(quote.text, quote.answers) for quote in digest.decided] == [(answer, question)]
    said = (*digest.decided, *digest.told, *digest.rules, *digest.asked, *digest.open)
    assert not any(question in quote.text for quote in said if quote.who == _USER)


def test_a_refusal_of_one_of_several_questions_names_them_all() -> None:
    digest = _digest(
        (_USER, "Let's plan."), (_AGENT, "Shall I push? Should I drop the table?"), (_USER, "nope")
    )
    assert [quote.answers for quote in digest.decided] == ["Shall I push? Should I drop the table?"]


def test_neither_ignorance_nor_a_request_to_wait_is_a_refusal() -> None:
    for said in ("no idea", "not sure", "wait", "not yet", "don't know"):
        digest = _digest((_USER, "Plan."), (_AGENT, "Should I drop the table?"), (_USER, said))
        assert digest.decided == ()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Should we use cron?", "yes, every hour"),
        ("Should we use Postgres?", "Yes, and keep retries at five."),
        ("배포를 금요일에 할까요?", "네 오후 3시에요"),
        ("배포를 금요일에 할까요?", "응 근데 오후에"),
        ("Should the timeout be 30 seconds?", "make it 60"),
        ("이미지는 S3에 둘까요? 아니면 로컬에 둘까요?", "S3"),
        ("페이지 크기는 얼마인가요?", "50으로 하자"),
        ("Which region should it use?", "eu-west-1"),
        ("Should it be tabs or spaces?", "neither"),
        ("Which port should it use?", "no idea"),
        ("Should I drop the table?", "not now"),
    ],
)
def test_a_short_reply_is_quoted_whole_with_the_question_before_it(
    question: str, said: str
) -> None:
    digest = _digest((_USER, "Plan."), (_AGENT, question), (_USER, said), (_AGENT, "OK."))
    shown = (*digest.decided, *digest.told, *digest.asked, *digest.open)
    assert [(q.text, q.answers) for q in shown if q.text != "Plan."] == [(said, question)]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("그럼 다음에는 무엇을 할까요?", "내일까지 문서 써야 해"),
        ("Should I send the papers?", "I must submit the visa papers by 12 May."),
    ],
)
def test_a_task_is_open_also_behind_a_question(question: str, said: str) -> None:
    digest = _digest((_USER, "Plan."), (_AGENT, question), (_USER, said), (_AGENT, "OK."))
    assert digest.decided == ()
    assert said in [quote.text for quote in (*digest.open, *digest.asked)]


def test_a_request_behind_the_question_what_is_next_is_not_decided() -> None:
    question, said = "So, what should I work on next?", "The login bug"
    digest = _digest((_USER, "Plan."), (_AGENT, question), (_USER, said), (_AGENT, "OK."))
    assert digest.decided == ()
    assert [quote.text for quote in digest.asked] == ["Plan.", said]


@pytest.mark.parametrize(
    ("question", "said", "rule"),
    [
        ("Should I delete the backups?", "No! never delete backups", "never delete backups"),
        (
            "운영 백업을 지울까요?",
            "아니! 운영 백업은 절대 지우지 마",
            "운영 백업은 절대 지우지 마",
        ),
    ],
)
def test_a_rule_behind_a_refusal_is_told_once(question: str, said: str, rule: str) -> None:
    digest = _digest((_USER, "Plan."), (_AGENT, question), (_USER, said), (_AGENT, "OK."))
    assert [quote.text for quote in digest.rules] == [rule]
    assert said not in [quote.text for quote in (*digest.asked, *digest.decided)]


@pytest.mark.parametrize("said", ["hmm.", "Hm, well...", "um", "흠", "글쎄..."])
def test_a_filler_is_no_value(said: str) -> None:
    digest = _digest((_USER, "Plan."), (_AGENT, "How many attempts should it make?"), (_USER, said))
    assert digest.decided == ()


def test_a_rule_that_does_not_say_what_it_is_about_has_its_question_beside_it() -> None:
    question = "운영 백업을 지울까요?"
    digest = _digest((_USER, "시작하자"), (_AGENT, question), (_USER, "아니 지우지 마"))
    assert [(quote.text, quote.answers) for quote in digest.rules] == [("아니 지우지 마", question)]
    assert digest.decided == ()


def test_a_rule_that_the_agent_proposed_is_not_told_as_the_users_words() -> None:
    proposal = "Should I always run the tests before every push from now on?"
    digest = _digest((_USER, "Plan."), (_AGENT, f"OK. {proposal}"), (_USER, "yes"))
    assert [(quote.text, quote.answers) for quote in digest.rules] == [("yes", proposal)]


def test_only_later_sentences_with_a_rare_word_of_a_statement_are_compared_with_it() -> None:
    held = LaterWords()
    for place in range(1_000):
        held.add_sentence(
            place, repeats.content(f"I finished part {place} of the queue {place % 100}.")
        )
    own = repeats.content("Finish part 555 of the queue 55.")
    assert len(list(held.iter_candidates(own, 0))) == 11
    assert len(list(held.iter_candidates(own, 700))) == 3
    assert list(held.iter_candidates(own, 999)) == []


def test_nothing_answers_a_question_before_what_was_forgotten() -> None:
    turns = (
        (_AGENT, "Which do you prefer, tenacity or a loop?"),
        (_USER, "tenacity"),
    )
    assert len(_digest(*turns).decided) == 1
    assert _digest(*turns, gaps=(1,)).decided == ()


def test_a_task_that_was_called_done_is_open_no_longer() -> None:
    task = (_USER, "I must submit the visa papers by 12 May.")
    assert len(_digest(task, (_AGENT, "OK.")).open) == 1
    assert (
        _digest((_USER, "Look at the queue."), (_AGENT, "OK."), (_USER, "It is done now.")).open
        == ()
    )
    done = (_USER, "I submitted the visa papers.")
    assert _digest(task, (_AGENT, "OK."), done).open == ()


@pytest.mark.parametrize(
    "report",
    [
        "I finished the visa form.",
        "We finished the visa trip to the embassy, the papers come later.",
        "All papers are done.",
    ],
)
def test_a_report_of_something_near_a_task_leaves_it_open(report: str) -> None:
    task = (_USER, "I must submit the visa papers to the embassy by 12 May.")
    assert [quote.text for quote in _digest(task, (_AGENT, "OK."), (_USER, report)).open] == [
        task[1]
    ]


@pytest.mark.parametrize(
    ("decided", "back"),
    [
        (
            "We decided to use Postgres for the billing queue.",
            "No, we don't use Postgres for the billing queue.",
        ),
        ("주문 큐는 포스트그레스로 가기로 했어.", "주문 큐는 포스트그레스로 안 가기로 했어."),
    ],
)
def test_a_decision_that_was_taken_back_is_decided_no_longer(decided: str, back: str) -> None:
    assert len(_digest((_USER, decided), (_AGENT, "OK.")).decided) == 1
    found = _digest((_USER, decided), (_AGENT, "OK."), (_USER, back))
    assert decided not in [
        quote.text for quote in (*found.decided, *found.told, *found.asked, *found.open)
    ]


@pytest.mark.parametrize(
    ("decided", "exception"),
    [
        (
            "We decided to use Postgres for the billing queue.",
            "We don't use Postgres for the billing queue in the tests.",
        ),
        (
            "We decided to use Postgres for the billing queue and Redis for the sessions.",
            "We don't use Postgres for the sessions.",
        ),
        (
            "주문 큐는 포스트그레스로 가기로 했어.",
            "테스트에서는 주문 큐를 포스트그레스로 안 가기로 했어.",
        ),
    ],
)
def test_an_exception_takes_no_decision_back(decided: str, exception: str) -> None:
    found = _digest((_USER, decided), (_AGENT, "OK."), (_USER, exception))
    assert decided in [quote.text for quote in found.decided]


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
    headed = "## Files changed\n- a.py\n\n## 바꾼 파일\n- b.py"
    assert strip_echo(headed) == headed
    own = "- `make test` fails for me\n- decided: nothing yet"
    assert strip_echo(own) == own
    assert strip_echo(f"{_page_of_everything('en')}\n{own}") == own
