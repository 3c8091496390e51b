"""What leaves the hot tier early."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers.limits import Limits, leave_early
from gieok.model.memory import CORRECTED, Document, Scope
from gieok.text.tokens import estimate_tokens

_NOW = datetime(2026, 11, 23, tzinfo=UTC)


def _document(
    text: str,
    days: int,
    priority: Priority = Priority.MEDIUM,
    category: Category = Category.STATE,
    **more: object,
) -> Document:
    at = _NOW - timedelta(days=days)
    made = Observation(text, at, priority, category)
    (entry,) = observation.build_observed_entries(Scope("agent:main"), Observed((made,)), _NOW)
    return replace(entry.document, **more)  # type: ignore[arg-type]


def _order(*documents: Document) -> list[str]:
    return [
        document.text for document in leave_early(documents, Limits(1, 0), _NOW, lambda d: True)
    ]


def test_what_holds_no_more_leaves_first_and_what_a_person_said_last() -> None:
    old = timedelta(days=80)
    found = _order(
        _document("corrected", 80, Priority.LOW, metadata={CORRECTED: "2026-09-01"}),
        _document("decision", 80, Priority.HIGH, Category.DECISION),
        _document("important state", 80, Priority.HIGH),
        _document("new and small", 1, Priority.LOW),
        _document("old and small", 80, Priority.LOW),
        _document("old", 80),
        _document("replaced decision", 1, Priority.HIGH, Category.DECISION, valid_to=_NOW - old),
        _document("done", 2, metadata={"done": "yes"}),
    )
    assert found == [
        "done",
        "replaced decision",
        "old and small",
        "new and small",
        "old",
        "important state",
        "decision",
        "corrected",
    ]


def test_no_more_leaves_than_must_and_what_may_not_leave_counts() -> None:
    documents = [_document(f"state number {n}", n) for n in range(10)]
    each = estimate_tokens(documents[0].text)
    assert leave_early(documents, Limits(10 * each, 0), _NOW, lambda d: True) == []
    assert leave_early(documents, Limits(0, 0), _NOW, lambda d: True) == []
    gone = leave_early(documents, Limits(8 * each, 0), _NOW, lambda d: d is not documents[9])
    assert gone == [documents[8], documents[7]]
    size = sum(len(d.text.encode()) for d in documents)
    assert leave_early(documents, Limits(0, 1 << 20), _NOW, lambda d: True) == []
    assert len(leave_early(documents, Limits(0, size // 2), _NOW, lambda d: True)) >= 5


@given(
    st.lists(st.tuples(st.text("가나 ab", min_size=1), st.integers(0, 400)), max_size=20),
    st.integers(1, 60),
)
def test_the_rest_is_within_the_limit_and_one_less_would_not_be(
    found: list[tuple[str, int]], limit: int
) -> None:
    documents = [_document(f"{number}{text}", days) for number, (text, days) in enumerate(found)]
    gone = leave_early(documents, Limits(limit, 0), _NOW, lambda d: True)
    rest = sum(estimate_tokens(d.text) for d in documents if d not in gone)
    assert rest <= limit
    assert not gone or rest + estimate_tokens(gone[-1].text) > limit
