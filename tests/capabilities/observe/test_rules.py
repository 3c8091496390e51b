from datetime import UTC, datetime

import pytest

from gieok.capabilities.observe import rules
from gieok.capabilities.observe.observation import Category
from gieok.engine.distil import Span
from gieok.model import Journalled, Message, Role, Scope

_AT = datetime(2026, 11, 21, 5, 30, tzinfo=UTC)


def _observe(text: str, role: Role = Role.USER) -> list[tuple[Category, str]]:
    span = Span(Scope("agent:main"), 0, 1, (Journalled(1, Message("s/1", role, text, _AT)),))
    return [(o.category, o.text) for o in rules.observe(span, UTC).observations]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("나는 짧은 답을 더 좋아해.", Category.PREFERENCE),
        ("앞으로는 존댓말로 답해 줘.", Category.PREFERENCE),
        ("I prefer tabs over spaces.", Category.PREFERENCE),
        ("Please never commit to main directly.", Category.PREFERENCE),
        ("출시는 금요일로 정했어.", Category.DECISION),
        ("데이터베이스는 PostgreSQL로 가자.", Category.DECISION),
        ("We decided to drop Python 3.10.", Category.DECISION),
        ("Let's go with the blue logo.", Category.DECISION),
        ("월요일까지 인증서를 갱신해야 해.", Category.TASK),
        ("Remind me to call the landlord.", Category.TASK),
        ("The launch is on Friday.", Category.STATE),
        ("회의는 11월 27일 오전이야.", Category.STATE),
        ("제 이름은 김민수입니다.", Category.STATE),
        ("I work at a small bakery in Busan.", Category.STATE),
        ("I upgraded the server from 1.4 to 2.0.", Category.STATE),
    ],
)
def test_a_sentence_says_what_it_is(text: str, category: Category) -> None:
    ((found, kept),) = _observe(text)
    assert (found, kept.startswith(text)) == (category, True)


@pytest.mark.parametrize(
    "text",
    [
        "안녕!",
        "금요일로 정했나요?",
        "Did we decide to use Postgres?",
        "```\nalways use tabs\n```",
        "고마워.",
        "x" * 500,
    ],
)
def test_questions_code_and_small_talk_are_left_out(text: str) -> None:
    assert _observe(text) == []


def test_an_error_of_a_tool_is_kept_and_what_it_read_is_not() -> None:
    assert _observe("[exec failed] make: *** [test] Error 1", Role.TOOL) == [
        (Category.STATE, "[exec failed] make: *** [test] Error 1")
    ]
    assert _observe("[Edit file_path=src/a.py old=1 new=2]", Role.TOOL) != []
    assert _observe("[Edit ok] done, we decided to use Rust.", Role.TOOL) == []
    assert _observe("[read ok] I prefer tabs. We decided to use Rust.", Role.TOOL) == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("어제 서버를 2.0으로 올렸어.", " (2026-11-20)"),
        ("내일까지 인증서를 갱신해야 해.", " (2026-11-22)"),
        ("출시는 다음 주 금요일로 정했어.", " (2026-11-27)"),
        ("We decided to launch next week on Tuesday.", " (2026-11-24)"),
        ("We decided last week to drop Python 3.10.", " (2026-11-09 to 2026-11-15)"),
        ("출시는 금요일로 정했어.", ""),
        ("출시는 2026-11-27로 정했어.", ""),
    ],
)
def test_relative_days_carry_the_date_where_it_is_certain(text: str, days: str) -> None:
    ((_, found),) = _observe(text)
    assert found == text + days


def test_a_finished_task_is_marked() -> None:
    span = Span(Scope("a:b"), 0, 1, (Journalled(1, Message("s/1", Role.ASSISTANT, "배포를 완료했습니다.", _AT)),))
    (found,) = rules.observe(span, UTC).observations
    assert found.is_done
    assert found.message_ids == ("s/1",)
