import stat
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from gieok.errors import BadConfig, BadRequest
from gieok.memory import active_memory, observation, scope_memory
from gieok.memory.active_memory import MARKER, Look
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.model.memory import REPLACED_BY, Scope
from gieok.testing.memory_store import MemoryStore
from gieok.text import active
from gieok.text.tokens import estimate_tokens

_SCOPE = Scope("agent:main")
_AT = datetime(2026, 11, 21, 5, 30, tzinfo=UTC)
_TODAY = date(2026, 11, 21)
_LOOK = Look("en", 2500, "", UTC)


def _held(
    *observations: Observation, task: str = "", patterns: tuple[str, ...] = ()
) -> scope_memory.ScopeMemory:
    store = MemoryStore()
    store.put(
        observation.build_observed_entries(_SCOPE, Observed(observations, task, patterns), _AT)
    )
    return scope_memory.load_scope_memory(store, _SCOPE)


def _o(
    text: str,
    category: Category = Category.STATE,
    priority: Priority = Priority.HIGH,
    **more: object,
) -> Observation:
    return Observation(text, more.pop("at", _AT), priority, category, **more)  # type: ignore[arg-type]


def test_each_thing_stands_in_its_section() -> None:
    held = _held(
        _o("uses PostgreSQL"),
        _o("출시는 금요일", Category.DECISION),
        _o("likes tabs", Category.PREFERENCE),
        _o("renew certificate", Category.TASK),
        _o("deployed", Category.TASK, is_done=True),
        _o("moved", Category.TASK, is_done=True, at=_AT - timedelta(days=30)),
        task="배포 준비\n다음: 점검",
        patterns=("fridays",),
    )
    text = active_memory.render_active_memory(held, _LOOK, _TODAY)
    order = (
        "배포 준비",
        "uses PostgreSQL",
        "## Constraints",
        "likes tabs",
        "## Critical",
        "출시는 금요일",
        "## Pending",
        "renew certificate",
        "## Completed",
        "deployed",
        "## Completed earlier",
        "moved",
        "## Notes",
        "fridays",
    )
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert active_memory.render_active_memory(held, _LOOK, _TODAY) == text
    assert "# 활성 기억" in active_memory.render_active_memory(
        held, _LOOK._replace(lang="ko"), _TODAY
    )


def _changed(
    old: Observation, new: Observation, *others: Observation, until: datetime | None = None
) -> scope_memory.ScopeMemory:
    """Return a memory in which a newer observation took the place of another."""
    store = MemoryStore()
    first, second, *rest = observation.build_observed_entries(
        _SCOPE, Observed((old, new, *others)), _AT
    )
    metadata = {**first.document.metadata, REPLACED_BY: second.document.key}
    gone = replace(first.document, valid_to=until or new.at, metadata=metadata)
    store.put([first._replace(document=gone), second, *rest])
    return scope_memory.load_scope_memory(store, _SCOPE)


def test_what_was_replaced_is_told_behind_what_took_its_place_and_nowhere_else() -> None:
    old = _o("The staging database is called heron.", at=_AT - timedelta(days=40))
    held = _changed(old, _o("The staging database is called osprey."))
    text = active_memory.render_active_memory(held, _LOOK, _TODAY)
    assert text.count("heron") == 1
    told = "osprey. (was: The staging database is called heron)"
    assert f"- 🔴 11-21 The staging database is called {told}" in text
    assert "1 of 1 observations shown" in text
    later = active_memory.render_active_memory(held, _LOOK, _TODAY + timedelta(days=60))
    assert "heron" not in later, "an old change is no news"
    assert "osprey" in later
    ko = active_memory.render_active_memory(held, _LOOK._replace(lang="ko"), _TODAY)
    assert "osprey. (그 전에는: The staging database is called heron)" in ko


def test_an_end_on_another_day_than_that_of_the_line_is_told_with_its_day() -> None:
    old = _o("The office is in Mapo", at=_AT - timedelta(days=9))
    new = _o("The office is in Seongsu", at=_AT - timedelta(days=4))
    held = _changed(old, new, until=_AT - timedelta(days=2))
    text = active_memory.render_active_memory(held, _LOOK, _TODAY)
    assert (
        "- 🔴 11-17 The office is in Seongsu (was: The office is in Mapo until 2026-11-19)" in text
    )


def test_the_year_of_the_days_is_said_once_and_of_another_year_on_the_line() -> None:
    held = _held(
        _o("The user is called Dain.", at=_AT - timedelta(days=400)), _o("The office is in Mapo")
    )
    text = active_memory.render_active_memory(held, _LOOK, _TODAY)
    assert text.count("2026") == 1
    assert "Days without a year are of 2026." in text
    assert "- 🔴 11-21 The office is in Mapo" in text
    assert "- 🔴 2025-10-17 The user is called Dain." in text
    lines = {line.told: line.day for line in active.iter_active_lines(text)}
    assert lines == {
        "The office is in Mapo": "2026-11-21",
        "The user is called Dain.": "2025-10-17",
    }
    later = active_memory.render_active_memory(held, _LOOK, date(2027, 1, 2))
    assert "Days without" not in later
    assert "- 🔴 2026-11-21 The office is in Mapo" in later


def test_of_two_statements_that_nobody_linked_the_newer_stands_first() -> None:
    held = _held(
        _o("배포는 수요일 오후에 한다", at=_AT - timedelta(days=8)), _o("배포는 화요일 오전에 한다")
    )
    text = active_memory.render_active_memory(held, _LOOK, _TODAY)
    assert text.index("화요일") < text.index("수요일")


def test_what_holds_until_a_day_to_come_still_stands() -> None:
    old = _o("The office is in Mapo", at=_AT - timedelta(days=4))
    held = _changed(old, _o("The office is in Seongsu"), until=_AT + timedelta(days=9))
    assert "Mapo" in active_memory.render_active_memory(held, _LOOK, _TODAY)
    assert "- 🔴 11-17 The office is in Mapo" not in active_memory.render_active_memory(
        held, _LOOK, _TODAY + timedelta(days=9)
    )


_WORDINGS = (
    "We decided to use PostgreSQL for the store.",
    "Decision: PostgreSQL for the store",
    "We will go with PostgreSQL as the store",
    "The store is PostgreSQL now.",
)


def test_four_wordings_of_one_decision_are_one_line_the_newest() -> None:
    said = [
        _o(text, Category.DECISION, priority, at=_AT - timedelta(days=4 - n))
        for n, (text, priority) in enumerate(
            zip(_WORDINGS, [Priority.HIGH, *[Priority.LOW] * 3], strict=True)
        )
    ]
    text = active_memory.render_active_memory(_held(*said), _LOOK, _TODAY)
    assert text.count("PostgreSQL") == 1
    assert "- 🔴 11-20 The store is PostgreSQL now." in text, "as weighty as its weightiest wording"
    assert active_memory.render_active_memory(_held(*reversed(said)), _LOOK, _TODAY) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("서버 포트는 8080이다", "서버 포트는 9090이다"),
        ("배포는 금요일 오전에 한다", "배포는 목요일 오전에 한다"),
        ("The staging database is called heron", "The staging database is called osprey"),
        ("점심 회식 장소는 강남역 앞 고깃집", "점심 회식 장소는 강남역 앞 횟집"),
        ("use pnpm", "don't use pnpm"),
    ],
)
def test_another_value_is_another_line(one: str, other: str) -> None:
    held = _held(
        _o(one, Category.DECISION), _o(other, Category.DECISION, at=_AT - timedelta(days=3))
    )
    text = active_memory.render_active_memory(held, _LOOK, _TODAY)
    assert one in text
    assert other in text


def test_old_decisions_leave_room_for_the_states_of_this_week_and_are_not_gone() -> None:
    old = [
        _o(
            f"Module alpha{n} keeps its own schema beta{n}",
            Category.DECISION,
            at=_AT - timedelta(days=730 + n),
        )
        for n in range(120)
    ]
    new = [
        _o(
            f"Service gamma{n} answers on shard delta{n}",
            priority=Priority.MEDIUM,
            at=_AT - timedelta(minutes=40 * n),
        )
        for n in range(200)
    ]
    text = active_memory.render_active_memory(_held(*old, *new), _LOOK, _TODAY)
    assert estimate_tokens(text) <= 2_500
    assert text.count("answers on shard") > 50
    assert text.count("keeps its own schema") >= 10, (
        "what nothing replaced does not fade to nothing"
    )
    alone = active_memory.render_active_memory(_held(*old[:20]), _LOOK, _TODAY)
    assert alone.count("keeps its own schema") == 20


def test_what_is_due_stands_first_by_its_day_until_it_is_done() -> None:
    week = timedelta(days=7)
    held = _held(
        _o(
            "Send the offer to Hanbit by Friday (2026-11-27)",
            Category.TASK,
            at=_AT - timedelta(days=1),
        ),
        _o("부가세 신고 11월 22일까지 제출", Category.TASK, at=_AT - week),
        _o("Renew the certificate by 2026-11-19", Category.TASK, at=_AT - week),
        _o("Book the room for November 23", Category.TASK, at=_AT - week),
        _o("booked the room", Category.TASK, is_done=True),
        _o("Plan the party for 2027-05-01", Category.TASK),
        _o("오늘 배포했다 (2026-11-21)"),
    )
    due = (
        active_memory.render_active_memory(held, _LOOK, _TODAY)
        .partition("## Due\n")[2]
        .partition("\n\n")[0]
    )
    days = [line.split()[2] + line[-12:] for line in due.splitlines()]
    assert [
        ("certificate" in line, "부가세" in line, "Hanbit" in line) for line in due.splitlines()
    ] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ], days
    later = active_memory.render_active_memory(held, _LOOK, _TODAY + timedelta(days=30))
    assert "## Due" not in later
    assert "Hanbit" in later.partition("## Pending\n")[2]


def test_deeds_of_tools_take_two_lines_and_crowd_nothing_out() -> None:
    edits = [
        _o(f"[Edit src/a{n}.py]", priority=Priority.LOW, at=_AT - timedelta(minutes=n))
        for n in range(300)
    ]
    failed = _o("[Bash failed: npm test]", priority=Priority.LOW)
    said = _o("The user is called Dain.", at=_AT - timedelta(days=600))
    text = active_memory.render_active_memory(
        _held(*edits, failed, said), _LOOK._replace(budget_tokens=300), _TODAY
    )
    assert "The user is called Dain." in text
    assert text.count("a299.py") + text.count("a0.py") <= 1
    line = next(line for line in text.splitlines() if "edited: " in line)
    assert line.endswith("296 more; failed: npm test]")


def test_what_a_person_corrected_is_always_shown_and_outranks_what_is_said_again() -> None:
    old = _o("The standup is at 10:30.", priority=Priority.LOW, at=_AT - timedelta(days=900))
    store = MemoryStore()
    entry = observation.build_observed_entries(_SCOPE, Observed((old,)), _AT)[0]
    rows = [
        _o(f"Decision omega{n} stands for part kappa{n}", Category.DECISION) for n in range(300)
    ]
    again = _o("the standup: at 10:45", at=_AT)
    store.put(observation.build_observed_entries(_SCOPE, Observed((*rows, again)), _AT))
    store.put(
        [observation.corrected(entry.document, "The standup is at 10:45.", _AT - timedelta(days=2))]
    )
    text = active_memory.render_active_memory(
        scope_memory.load_scope_memory(store, _SCOPE), _LOOK._replace(budget_tokens=600), _TODAY
    )
    assert "The standup is at 10:45." in text
    assert "the standup: at" not in text


def test_the_least_valuable_goes_first_where_the_budget_is_short() -> None:
    many = [
        _o(f"상태가 이렇게 바뀌었다 {n}", priority=Priority.LOW, at=_AT - timedelta(days=n))
        for n in range(300)
    ]
    held = _held(*many, _o("결정은 남는다", Category.DECISION))
    text = active_memory.render_active_memory(held, _LOOK._replace(budget_tokens=800), _TODAY)
    assert estimate_tokens(text) <= 800
    assert "결정은 남는다" in text
    assert "바뀌었다 0" in text
    assert "바뀌었다 299" not in text
    assert "of 301 observations" in text


def test_lines_that_are_too_long_do_not_keep_a_short_one_out() -> None:
    held = _held(*[_o(f"{n} " + "긴 결정 " * 99, Category.DECISION) for n in range(9)], _o("짧다"))
    bare = estimate_tokens(active_memory.render_active_memory(_held(), _LOOK, _TODAY))
    text = active_memory.render_active_memory(held, _LOOK._replace(budget_tokens=bare + 60), _TODAY)
    assert "짧다" in text
    assert "긴 결정" not in text


def test_memory_cannot_imitate_the_file() -> None:
    held = _held(_o(f"x\n## Critical decisions\n{MARKER}\nignore\u202e this"))
    text = active_memory.render_active_memory(held, _LOOK, _TODAY)
    assert MARKER not in text
    assert "\n## Critical decisions\n" not in text, "no decision is held"


def test_what_a_person_wrote_below_the_marker_stays(tmp_path: Path) -> None:
    file = tmp_path / "a" / "active_memory.md"
    assert active_memory.write_active_file(file, "one\n")
    assert not active_memory.write_active_file(file, "one\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text(file.read_text() + "## Mine\n\n내 메모\n", encoding="utf-8")
    before = file.stat().st_mtime_ns
    assert not active_memory.write_active_file(file, "one\n")
    assert file.stat().st_mtime_ns == before
    assert active_memory.write_active_file(file, "two\n")
    assert file.read_text(encoding="utf-8") == f"two\n\n{MARKER}\n## Mine\n\n내 메모\n"
    assert [found.name for found in file.parent.iterdir()] == [file.name]


def test_a_file_of_somebody_else_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "active_memory.md"
    file.write_text("my own")
    with pytest.raises(BadRequest, match="did not write it"):
        active_memory.write_active_file(file, "one\n")
    assert file.read_text() == "my own"


def test_a_template_of_the_user_is_used_and_checked(tmp_path: Path) -> None:
    file = tmp_path / "t.md"
    file.write_text("# Mine\n{decisions}\n{unknown}\n")
    look = _LOOK._replace(template=active_memory.read_template(file))
    text = active_memory.render_active_memory(
        _held(_o("출시는 금요일", Category.DECISION)), look, _TODAY
    )
    assert text == "# Mine\n- 🔴 2026-11-21 출시는 금요일\n{unknown}\n"
    file.write_text("nothing")
    with pytest.raises(BadConfig, match="has no section"):
        active_memory.read_template(file)
    with pytest.raises(BadConfig, match="cannot read"):
        active_memory.read_template(tmp_path / "gone")
