from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from gieok.errors import DegenerateOutput
from gieok.memory.observation import (
    Category,
    Observation,
    Observed,
    Priority,
    dump_observed,
    load_observed,
)
from gieok.memory.observer.parse import SourceText, parse_observer_answer
from gieok.model.conversation import Journalled, Message, Role
from gieok.text.degenerate import is_degenerate

_SEOUL = timezone(timedelta(hours=9))
_AT = datetime(2026, 11, 21, 5, 30, tzinfo=UTC)
_MESSAGES = tuple(
    Journalled(n, Message(f"s/{n}", Role.USER, text, _AT + timedelta(minutes=n)))
    for n, text in enumerate(
        ("출시는 금요일이야", "we use PostgreSQL now", "고양이 이름은 보리"), start=1
    )
)
_LONG = "".join(f"{n * n}," for n in range(500))
_SOURCE = SourceText(_MESSAGES, _SEOUL, date(2026, 11, 21))


def _parse(answer: str, limit: int = 20) -> Observed:
    return parse_observer_answer(answer, _SOURCE, limit=limit, model="m")


def test_a_line_has_mark_time_category_text_and_messages() -> None:
    answer = """Sure!
<observations>
Date: 2026-11-20
* 🔴 (14:30) [decision] 출시는 금요일 (2026-11-27)로 정했다. {1,3}
* ✅ 🟢 (15:00) [task] 배포를 마쳤다 {2}
  * -> 세 서버 모두
Date: Nov 21, 2026
- 🟡 09:05 사용자가 PostgreSQL을 쓴다 (category: state)
</observations>
<current-task>
배포 준비
다음: 점검
</current-task>
<patterns>
- 금요일에 출시한다
</patterns>"""
    first, second, third = _parse(answer).observations
    at = datetime(2026, 11, 20, 5, 30, tzinfo=UTC)
    text = "출시는 금요일 (2026-11-27)로 정했다."
    assert first == Observation(text, at, Priority.HIGH, Category.DECISION, False, ("s/1", "s/3"))
    assert second.text == "배포를 마쳤다; 세 서버 모두"
    assert second.is_done
    assert second.priority is Priority.LOW
    assert third.at == datetime(2026, 11, 21, 0, 5, tzinfo=UTC)
    assert third.category is Category.STATE
    assert third.message_ids == ("s/2",), "not cited: those that share most words"
    assert _parse(answer).task == "배포 준비\n다음: 점검"
    assert _parse(answer).patterns == ("금요일에 출시한다",)


@pytest.mark.parametrize(
    "answer",
    [
        "* (14:30) 출시는 금요일",
        "날짜: 2026년 11월 20일\n1. **출시는** 금요일",
        "<observations>\n• 🔴 25:99 출시는 금요일",
        "```\n- 🟡 [preference] 출시는 금요일 {9-12}\n```",
    ],
)
def test_what_models_forget_is_made_up_for(answer: str) -> None:
    (found,) = _parse(answer).observations
    assert found.text == "출시는 금요일"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "   ",
        "I am sorry, I cannot help with that.",
        "<html><body>502 Bad Gateway</body></html>",
        "<observations></observations>",
    ],
)
def test_prose_markup_and_nothing_are_no_answer(answer: str) -> None:
    with pytest.raises(DegenerateOutput):
        _parse(answer)


def test_only_the_first_category_is_one_and_any_hour_of_a_day_is_read() -> None:
    (found,) = _parse("* (23:15) [decision] 출시는 [task] 목록에 적는다").observations
    assert (found.text, found.category) == ("출시는 [task] 목록에 적는다", Category.DECISION)
    assert found.at == datetime(2026, 11, 21, 14, 15, tzinfo=UTC)


def test_nothing_worth_remembering_must_be_said() -> None:
    assert _parse("<observations>\nNONE\n</observations>").observations == ()


def test_the_most_important_are_kept_in_the_order_of_time() -> None:
    lines = [f"* {'🔴' if n % 2 else '🟢'} (10:{n:02d}) 일 번호 {n}" for n in range(10)]
    kept = _parse("\n".join(lines), limit=5).observations
    assert [o.text for o in kept] == [f"일 번호 {n}" for n in (1, 3, 5, 7, 9)]


def test_an_answer_that_repeats_itself_is_refused() -> None:
    varied = "\n".join(
        f"* 🟡 (10:{n:02d}) 관찰 {n}: 서버 {n * 7} 번의 상태가 {n * n}로 바뀌었다"
        for n in range(40)
    )
    assert not is_degenerate(varied)
    assert is_degenerate("* 🔴 (10:00) 출시는 금요일로 정했다\n" * 30)
    assert is_degenerate("* 🔴 (10:00) " + "and then " * 200)
    assert is_degenerate("".join(f"* 줄 {n} 은 이렇게 이어진다\n" for n in range(21)) * 62)
    with pytest.raises(DegenerateOutput, match="repeats"):
        _parse("* 🔴 (10:00) 출시는 금요일로 정했다\n" * 30)


def test_what_was_observed_survives_a_chunk() -> None:
    observed = Observed(
        (Observation("a", _AT, Priority.LOW, Category.TASK, True, ("x", "y")),), "task", ("p",), "m"
    )
    assert load_observed(dump_observed(observed)) == observed


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("* (23:59) 출시는 금요일", datetime(2026, 11, 21, 23, 59, tzinfo=_SEOUL)),
        ("* (24:10) 출시는 금요일", datetime(2026, 11, 21, 5, 31, tzinfo=UTC)),
        ("* (10:60) 출시는 금요일", datetime(2026, 11, 21, 5, 31, tzinfo=UTC)),
        ("* 출시는 금요일", datetime(2026, 11, 21, 5, 31, tzinfo=UTC)),
        ("* 출시는 금요일 {2}", datetime(2026, 11, 21, 5, 32, tzinfo=UTC)),
        ("* 출시는 금요일 {1,2}", datetime(2026, 11, 21, 5, 32, tzinfo=UTC)),
        ("* nothing alike", datetime(2026, 11, 21, 5, 33, tzinfo=UTC)),
        ("Date: 2026-11-19\n* 출시는 금요일", datetime(2026, 11, 19, 5, 31, tzinfo=UTC)),
        ("Date: Mar. 3rd 2026\n* 출시는 금요일", datetime(2026, 3, 3, 5, 31, tzinfo=UTC)),
        ("Date: 2026-11-19\nDate: 2026-13-40\n* 출시는", datetime(2026, 11, 19, 5, 31, tzinfo=UTC)),
        ("Date: 2026-11-19\nDate: 3 of March\n* 출시는", datetime(2026, 11, 19, 5, 31, tzinfo=UTC)),
        ("Date: Foo 3, 2026\n* 출시는 금요일", datetime(2026, 11, 21, 5, 31, tzinfo=UTC)),
    ],
)
def test_an_event_has_the_time_of_its_line_or_of_the_last_message_that_it_is_about(
    line: str, at: datetime
) -> None:
    (found,) = _parse(line).observations
    assert found.at == at


def test_an_event_without_any_message_is_of_the_day() -> None:
    source = SourceText((), _SEOUL, date(2026, 11, 21))
    (found,) = parse_observer_answer("* 출시는 금요일", source, limit=5).observations
    assert found.at == datetime(2026, 11, 21, tzinfo=_SEOUL)


@pytest.mark.parametrize(
    ("cited", "numbers"),
    [
        ("{3, 1}", [3, 1]),
        ("{1-3}", [1, 2, 3]),
        ("{2–3}", [2, 3]),
        ("{2-}", [2]),
        ("{0, 2, 61}", [2]),
        ("{2-60}", list(range(2, 53))),
        ("{59-99}", [59, 60]),
    ],
)
def test_messages_are_cited_by_number_and_by_range(cited: str, numbers: list[int]) -> None:
    said = tuple(Journalled(n, Message(str(n), Role.USER, "x", _AT)) for n in range(1, 61))
    source = SourceText(said, UTC, date(2026, 11, 21))
    (found,) = parse_observer_answer(f"* something {cited}", source, limit=5).observations
    assert found.message_ids == tuple(map(str, numbers))


@pytest.mark.parametrize(
    ("lines", "texts"),
    [
        (["* one thing", "* another", "  - more"], ["one thing", "another; more"]),
        (["* one thing", "-> no item"], ["one thing"]),
        (["* one thing", "* -> more {1}"], ["one thing; more"]),
        (["* one thing", "  * 🟡 another"], ["one thing", "another"]),
        (["  * one thing"], ["one thing"]),
        (["* ab", "* abc"], ["abc"]),
        ([f"* {_LONG}"], [_LONG[:2000]]),
        (["* one thing", f"  - {_LONG}"], [f"one thing; {_LONG[:1989]}"]),
    ],
)
def test_what_stands_indented_under_a_line_belongs_to_it(
    lines: list[str], texts: list[str]
) -> None:
    assert [one.text for one in _parse("\n".join(lines)).observations] == texts


@pytest.mark.parametrize(
    ("body", "is_nothing"),
    [
        ("none " + "x" * 34, True),
        ("none " + "x" * 35, False),
        ("x" * 30, False),
        ("없음", True),
    ],
)
def test_a_short_answer_may_say_that_there_is_nothing(body: str, *, is_nothing: bool) -> None:
    answer = f"<observations>{body}</observations>"
    if is_nothing:
        assert _parse(answer).observations == ()
    else:
        with pytest.raises(DegenerateOutput):
            _parse(answer)
    with pytest.raises(DegenerateOutput):
        _parse(body)


def test_a_refused_answer_is_shown_in_its_first_words() -> None:
    with pytest.raises(DegenerateOutput) as refused:
        _parse(f"I  am sorry {_LONG[:500]}")
    assert str(refused.value).endswith(repr(f"I am sorry {_LONG}"[:80]))


def test_patterns_are_read_without_their_tags() -> None:
    found = _parse("* 출시는 금요일\n<patterns>- ships on Fridays\n- tests first</patterns>")
    assert found.patterns == ("ships on Fridays", "tests first")
