"""Findings join held facts: repeated, ended, put right, or left out."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gieok.character.detect.detect import Detection, Finding
from gieok.character.facts import PERSON, Fact
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.fact_merge import (
    ToldMessage,
    added,
    build_set_fact,
    build_stated_fact,
    is_valid,
    join_detected_facts,
    join_set_fact,
    tells_news,
)

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
_NEXT_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)


def _find(predicate: str, value: str, **more: Any) -> Finding:
    return Finding(predicate, value, more.pop("sentence", value), **more)


def _tell(text: str = "x", after: timedelta = _NEXT_DAY, message_id: str = "m2") -> ToldMessage:
    return ToldMessage(_AT + after, message_id, text)


def _hold(predicate: str, value: str, **more: Any) -> Fact:
    finding = _find(predicate, value, **{k: more.pop(k) for k in ("day",) if k in more})
    return replace(build_stated_fact(finding, ToldMessage(_AT, "m1", value)), **more)


def _join(
    held: Fact | tuple[Fact, ...], finding: Finding, told: ToldMessage | None = None
) -> dict[str, str]:
    """Return value → what became of it: held, repeated, ended, gone, or left out."""
    facts = held if isinstance(held, tuple) else (held,)
    changes = join_detected_facts(Detection((finding,)), facts, told or _tell(finding.sentence))
    after = {fact.key: fact for fact in (*facts, *changes.put)}
    for fact in changes.forget:
        del after[fact.key]
    rows = {fact.object: "gone" for fact in changes.forget}
    for fact in after.values():
        state = f"x{fact.mentions}" if fact.is_current else "ended"
        rows[fact.object] = state
    return rows


@pytest.mark.parametrize(
    ("held", "finding", "rows"),
    [
        (_hold("job", "baker"), _find("job", "Baker!"), {"baker": "x2"}),
        (_hold("job", "baker"), _find("job", "nurse"), {"baker": "ended", "nurse": "x1"}),
        (_hold("job", "pastry baker"), _find("job", "baker"), {"pastry baker": "x2"}),
        (_hold("likes", "tea"), _find("likes", "coffee"), {"tea": "x1", "coffee": "x1"}),
        (_hold("likes", "green tea"), _find("likes", "tea"), {"green tea": "x2"}),
        (_hold("likes", "green tea"), _find("likes", "a"), {"green tea": "x1", "a": "x1"}),
        (_hold("job", "baker"), _find("job", "b"), {"baker": "x2"}),
        (
            _hold("likes", "tea"),
            _find("dislikes", "green tea"),
            {"tea": "ended", "green tea": "x1"},
        ),
        (_hold("dislikes", "tea"), _find("likes", "tea"), {"tea": "x1"}),
        (_hold("dislikes", "tea"), _find("likes", "milk"), {"tea": "x1", "milk": "x1"}),
        (
            _hold("dislikes", "tea"),
            _find("likes", "green tea", subject="friend"),
            {"tea": "x1", "green tea": "x1"},
        ),
        (_hold("name", "Minjun Kim"), _find("name", "Minjun"), {"Minjun Kim": "x2"}),
        (_hold("job", "baker"), _find("job", "nurse", confidence=0.59), {"baker": "x1"}),
        (
            _hold("job", "baker"),
            _find("job", "nurse", confidence=0.6),
            {"baker": "ended", "nurse": "x1"},
        ),
        (
            _hold("job", "baker"),
            _find("job", "nurse", confidence=0.1, is_idea=True),
            {"baker": "x1", "nurse": "x1"},
        ),
        (_hold("job", "baker"), _find("no such thing", "nurse"), {"baker": "x1"}),
        (_hold("job", "baker"), _find("job", "!?"), {"baker": "x1"}),
        (_hold("job", "baker"), _find("job", "n" * 201), {"baker": "x1"}),
        (
            _hold("pet", "cat (Bori)"),
            _find("pet", "dog (Nabi)"),
            {"cat (Bori)": "x1", "dog (Nabi)": "x1"},
        ),
        (
            _hold("pet", "cat (Bori)"),
            _find("pet", "cat (Nabi)", is_change=True),
            {"cat (Bori)": "ended", "cat (Nabi)": "x1"},
        ),
        (
            _hold("pet", "cat (Bori)"),
            _find("pet", "dog (Nabi)", is_change=True),
            {"cat (Bori)": "x1", "dog (Nabi)": "x1"},
        ),
        (
            _hold("habit", "running in the morning"),
            _find("habit", "running at night"),
            {"running in the morning": "ended", "running at night": "x1"},
        ),
        (
            _hold("habit", "running"),
            _find("habit", "swimming"),
            {"running": "x1", "swimming": "x1"},
        ),
        (
            _hold("speech_level", "존댓말과 반말"),
            _find("speech_level", "반말"),
            {"존댓말과 반말": "ended", "반말": "x1"},
        ),
    ],
)
def test_a_finding_repeats_ends_or_stands_beside_what_is_held(
    held: Fact, finding: Finding, rows: dict[str, str]
) -> None:
    assert _join(held, finding) == rows


def test_a_habit_is_given_up_where_the_message_says_so_and_not_within_minutes() -> None:
    held, finding = _hold("habit", "아침 수영"), _find("habit", "달리기")
    said = "수영 대신 달리기"
    assert _join(held, finding, _tell(said)) == {"아침 수영": "ended", "달리기": "x1"}
    assert _join(held, finding, _tell("수영이랑 달리기")) == {"아침 수영": "x1", "달리기": "x1"}
    ten = timedelta(minutes=10)
    assert _join(held, finding, _tell(said, ten))["아침 수영"] == "x1"
    assert _join(held, finding, _tell(said, ten + _SECOND))["아침 수영"] == "ended"


@pytest.mark.parametrize(
    ("text", "after", "state"),
    [
        ("sorry, a nurse", timedelta(minutes=10), "gone"),
        ("sorry, a nurse", timedelta(minutes=10, seconds=1), "ended"),
        ("a nurse", timedelta(minutes=1), "ended"),
    ],
)
def test_a_value_that_is_put_right_within_minutes_was_never_true(
    text: str, after: timedelta, state: str
) -> None:
    held = _hold("job", "baker")
    told = _tell(text, after)
    assert _join(held, _find("job", "nurse"), told) == {
        "baker": state,
        "nurse": "x2" if state == "gone" else "x1",
    }
    if state == "gone":
        (fact,) = join_detected_facts(Detection((_find("job", "nurse"),)), (held,), told).put
        assert (fact.at, fact.slips, fact.message_ids) == (_AT, (held,), ("m1", "m2"))


def test_a_fuller_value_takes_the_place_of_its_part() -> None:
    for predicate in ("name", "pet", "boss", "colleague"):
        finding = _find(predicate, "Minjun Kim", is_change=predicate == "pet")
        held = _hold(predicate, "Minjun")
        told = _tell("Minjun Kim", timedelta(days=9))
        rows = _join(held, finding, told)
        assert rows["Minjun Kim"] in ("x1", "x2")
    assert _join(_hold("name", "Minjun"), _find("name", "Minjun Kim")) == {
        "Minjun": "gone",
        "Minjun Kim": "x2",
    }
    assert _join(_hold("job", "baker"), _find("job", "pastry baker")) == {
        "baker": "ended",
        "pastry baker": "x1",
    }


def test_the_same_message_counts_once_and_a_dropped_fact_ends() -> None:
    held = _hold("job", "baker")
    told = ToldMessage(_AT, "m1", "baker")
    assert join_detected_facts(Detection((_find("job", "baker"),)), (held,), told) == ((), ())
    changes = join_detected_facts(Detection((), (held,)), (held,), _tell())
    assert [(fact.until, fact.ended_by) for fact in changes.put] == [(_AT + _NEXT_DAY, "m2")]
    ended = replace(held, until=_AT)
    assert join_detected_facts(Detection((), (ended,)), (ended,), _tell()) == ((), ())
    assert join_detected_facts(Detection((), (held,)), (), _tell()) == ((), ())


def test_what_a_person_set_ends_only_by_news() -> None:
    held = _hold("job", "baker", by=PERSON)
    both = {"baker": "ended", "nurse": "x1"}
    assert _join(held, _find("job", "nurse"), _tell("a nurse")) == {"baker": "x1"}
    assert _join(held, _find("job", "nurse"), _tell("a nurse now")) == both
    assert _join(held, _find("job", "nurse", is_change=True), _tell("a nurse")) == both
    right = _find("job", "nurse", corrects=held.key, is_change=True)
    assert _join(held, right, _tell("a nurse now")) == {"baker": "x1"}
    assert not join_detected_facts(Detection((), (held,)), (held,), _tell("x")).put
    assert join_detected_facts(Detection((), (held,)), (held,), _tell("no longer")).put


def test_what_is_told_late_is_a_former_value() -> None:
    held = (_hold("job", "baker"),)
    rows = _join(held, _find("job", "nurse"), _tell("nurse", -_NEXT_DAY))
    assert rows == {"baker": "x1", "nurse": "ended"}
    assert _join(held, _find("job", "nurse"), _tell("nurse", timedelta()))["baker"] == "ended"


def test_a_value_that_was_left_lately_gets_its_successor() -> None:
    sixty = timedelta(days=60)
    for since, replaced in ((sixty, True), (sixty + _SECOND, False)):
        left = _hold("job", "baker", until=_AT + _NEXT_DAY)
        told = _tell("nurse", _NEXT_DAY + since)
        changes = join_detected_facts(Detection((_find("job", "nurse"),)), (left,), told)
        was = {fact.object: fact.replaced_by for fact in changes.put}
        assert ("baker" in was) is replaced
    at_once = _hold("job", "baker", until=_AT)
    told = _tell("nurse")
    assert len(join_detected_facts(Detection((_find("job", "nurse"),)), (at_once,), told).put) == 1
    tea = _hold("likes", "tea", until=_AT + _NEXT_DAY)
    many = join_detected_facts(Detection((_find("likes", "milk"),)), (tea,), _tell(after=sixty))
    assert len(many.put) == 1
    idea = _hold("job", "baker", until=_AT + _NEXT_DAY, is_idea=True)
    ideas = join_detected_facts(Detection((_find("job", "nurse"),)), (idea,), _tell(after=sixty))
    assert len(ideas.put) == 1


def test_what_is_corrected_ends_and_is_replaced_whatever_it_is() -> None:
    held = _hold("likes", "tea")
    finding = _find("likes", "coffee", corrects=held.key)
    assert _join(held, finding) == {"tea": "ended", "coffee": "x1"}
    same = _find("likes", "Tea", corrects=held.key)
    assert _join(held, same)["Tea"] == "x1"
    part = _find("name", "Minjun", corrects=_hold("name", "Minjun Kim").key)
    assert _join(_hold("name", "Minjun Kim"), part) == {"Minjun Kim": "ended", "Minjun": "x1"}


_PLAN_DAY = (_AT + timedelta(days=5)).date().isoformat()
_LATER = (_AT + timedelta(days=6)).date().isoformat()


def test_a_plan_is_the_same_by_its_day_and_moved_by_its_name() -> None:
    from gieok.character.predicates import PLANS

    plan = min(PLANS)
    held = _hold(plan, "dentist on Monday", day=_PLAN_DAY)

    def join(value: str, day: str, **more: Any) -> dict[str, str]:
        after = more.pop("after", _NEXT_DAY)
        return _join(held, _find(plan, value, day=day, **more), _tell(value, after))

    assert join("dentist", _PLAN_DAY) == {"dentist on Monday": "x2"}
    assert join("dentist on Monday", _LATER) == {"dentist on Monday": "x2"}
    assert join("dentist on the Monday", _PLAN_DAY) == {
        "dentist on Monday": "gone",
        "dentist on the Monday": "x2",
    }
    both = {"dentist on Monday": "x1", "party": "x1"}
    assert join("party", _LATER) == both
    assert join("party", _LATER, is_change=True) == {"dentist on Monday": "ended", "party": "x1"}
    assert join("party", _LATER, is_change=True, replaces="dentist on Monday") == {
        "dentist on Monday": "ended",
        "party": "x1",
    }
    assert join("party", _LATER, is_change=True, replaces="another") == both
    past = timedelta(days=5)
    assert join("party", _LATER, is_change=True, after=past)["dentist on Monday"] == "ended"
    assert join("party", _LATER, is_change=True, after=past + _NEXT_DAY) == both
    undated = _hold(plan, "dentist", day="")
    finding = _find(plan, "party", day="", is_change=True)
    assert _join(undated, finding) == {"dentist": "x1", "party": "x1"}
    # A plan of the same name moves to another day.
    assert _join(
        _hold(plan, "March 7 dentist", day=_PLAN_DAY), _find(plan, "March 8 dentist", day=_LATER)
    ) == {"March 7 dentist": "ended", "March 8 dentist": "x1"}


def test_a_set_fact_takes_the_place_of_its_rivals() -> None:
    edit = MemoryEdit(subject="user", predicate="job", object="nurse")
    fact = build_set_fact("d1", _AT + _NEXT_DAY, edit, ())
    assert (fact.mentions, fact.confidence, fact.by, fact.is_important) == (1, 1.0, PERSON, False)
    row_importance = build_stated_fact(_find("job", "nurse"), _tell()).importance
    assert fact.importance == row_importance
    assert build_set_fact("d1", _AT, edit, ("a", "b", "c")).mentions == 3
    set_to = build_set_fact("d1", _AT, edit._replace(importance=0.1, is_important=True), ())
    assert (set_to.importance, set_to.is_important) == (0.1, True)
    baker, tea = _hold("job", "baker"), _hold("likes", "tea")
    ended, kept, new = join_set_fact(fact, (baker, tea))
    assert (ended.until, ended.replaced_by, ended.ended_by) == (fact.at, fact.key, "d1")
    assert (kept, new) == (tea, fact)
    same = _hold("job", "Nurse", mentions=4)
    (joined,) = join_set_fact(fact, (same,))
    assert (joined.slips, joined.mentions, joined.message_ids) == ((same,), 4, ("m1",))
    for other in (
        _hold("job", "baker", is_idea=True),
        _hold("job", "baker", until=_AT),
        _hold("job", "baker", subject="friend"),
    ):
        assert join_set_fact(fact, (other,)) == (other, fact)
    milk = build_set_fact(
        "d1", _AT, MemoryEdit(subject="user", predicate="likes", object="milk"), ()
    )
    assert join_set_fact(milk, (tea,)) == (tea, milk)


def test_the_findings_of_a_model_are_added_to_those_of_rules() -> None:
    rule = (_find("job", "pastry baker"), _find("likes", "tea"))
    assert added(rule, (_find("job", "baker"),)) == rule
    assert added(rule, (_find("job", "a pastry baker"),)) == rule
    nurse = _find("job", "nurse")
    assert added(rule, (nurse,)) == (rule[1], nurse)
    milk = _find("likes", "milk")
    assert added(rule, (milk,)) == (*rule, milk)
    friends = _find("job", "baker", subject="friend")
    assert added(rule, (friends,)) == (*rule, friends)


def test_a_source_is_the_sentence_or_the_message_and_no_longer_than_is_kept() -> None:
    told = _tell("one. two " + "x" * 300)
    assert build_stated_fact(_find("job", "a", sentence="two"), told).source == "two"
    assert build_stated_fact(_find("job", "a", sentence="no"), told).source == told.text[:200]
    assert is_valid(_find("job", "n" * 200))
    assert [tells_news(text) for text in ("now", "I gave up", "nothing")] == [True, True, False]


def test_what_was_said_before_a_person_put_it_right_says_nothing_new() -> None:
    from gieok.character.facts import LearnedFact

    plain = _hold("job", "baker")
    learned = LearnedFact(
        object="baker",
        **{name: getattr(plain, name) for name in LearnedFact._fields if name != "object"},
    )
    put_right = replace(plain, object="nurse", learned=learned)
    assert _join(put_right, _find("job", "baker"), _tell("baker now")) == {"nurse": "x2"}
