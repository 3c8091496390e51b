"""Which claim holds in the end: chains, circles, changes that are cancelled, and what came later."""

from collections.abc import Sequence

import pytest

from gieok.memory.talk.claims.chains import list_ended, list_said_later
from gieok.memory.talk.claims.claim import Claim, ClaimEnd, ClaimLink


def _claim(name: str) -> Claim:
    """Return the claim of a name such as `b2+6`: document, line, and the place in the line."""
    place, _, start = name.partition("+")
    return Claim(key=place[0], line=int(place[1:]), start=int(start or 0), length=5, check=0, at=0)


def _link(old: str, new: str, at: int, *, takes_back: bool = False) -> ClaimLink:
    return ClaimLink(_claim(old), _claim(new), takes_back, at)


def _name(claim: Claim) -> str:
    return f"{claim.key}{claim.line}" + (f"+{claim.start}" if claim.start else "")


def _list_names(ends: Sequence[ClaimEnd]) -> list[tuple[str, str, int]]:
    return sorted((_name(end.old), _name(end.by), end.at) for end in ends if end.by is not None)


@pytest.mark.parametrize(
    ("links", "ended"),
    [
        ([("a1", "b1", 1), ("b1", "c1", 2)], [("a1", "c1", 1), ("b1", "c1", 2)]),
        # The later claim of a pair and the earlier one of the next are sentences of one line.
        ([("a1", "b1", 1), ("b1+6", "c1+3", 2)], [("a1", "c1+3", 1), ("b1+6", "c1+3", 2)]),
        ([("a1", "b1", 1), ("b2", "c1", 2)], [("a1", "b1", 1), ("b2", "c1", 2)]),
        ([("a1", "b1", 1), ("a1", "c1", 2)], [("a1", "c1", 1)]),
        ([("a1", "b1", 1), ("a1+6", "c1", 2)], [("a1", "c1", 1), ("a1+6", "c1", 1)]),
        ([("a1", "b1", 1), ("a2", "c1", 2)], [("a1", "b1", 1), ("a2", "c1", 2)]),
        ([("a1", "b1", 1), ("b1", "a1", 2)], [("a1", "b1", 1), ("b1", "a1", 2)]),
    ],
    ids=["chain", "line", "other line", "twice", "sentence", "line beside", "circle"],
)
def test_a_chain_is_followed_to_what_holds_now(
    links: Sequence[tuple[str, str, int]], ended: Sequence[tuple[str, str, int]]
) -> None:
    assert _list_names(list_ended([_link(*link) for link in links])) == ended


@pytest.mark.parametrize(
    ("change", "cancelled", "others", "ended"),
    [
        ("b1", "b1", [], [("b1", "c1", 3)]),
        ("b1", "b1+6", [], [("b1+6", "c1", 3)]),
        ("b1", "b2", [], [("a1", "b1", 2), ("b2", "c1", 3)]),
        ("b1", "b1", [("a1", "c1+4", 3)], [("b1", "c1", 3)]),
        ("b1", "b1", [("a1", "c2", 3)], [("a1", "c2", 3), ("b1", "c1", 3)]),
        ("b1", "b1", [("a2", "c1", 3)], [("a2", "c1", 3), ("b1", "c1", 3)]),
        ("b1", "b1", [("a1", "d1", 4)], [("a1", "d1", 4), ("b1", "c1", 3)]),
        ("b1", "b1", [("x1", "y1", 2)], [("b1", "c1", 3), ("x1", "y1", 2)]),
    ],
    ids=["plain", "sentence", "line", "both", "more", "beside", "changed anew", "else"],
)
def test_what_a_cancelled_change_replaced_holds_again(
    change: str,
    cancelled: str,
    others: Sequence[tuple[str, str, int]],
    ended: Sequence[tuple[str, str, int]],
) -> None:
    links = [_link("a1", change, 2), _link(cancelled, "c1", 3, takes_back=True)]
    links += [_link(*other) for other in others]
    assert _list_names(list_ended(links)) == ended


@pytest.mark.parametrize(
    ("likely", "replaced", "later"),
    [
        ([("a1", "b1", 1), ("b1", "c1", 2)], [], [("a1", "c1", 0), ("b1", "c1", 0)]),
        ([("a1", "b1", 1), ("b1+6", "c1", 2)], [], [("a1", "c1", 0), ("b1+6", "c1", 0)]),
        ([("a1", "b1", 1), ("b2", "c1", 2)], [], [("a1", "b1", 0), ("b2", "c1", 0)]),
        ([("a1", "b1", 1), ("a2", "c1", 2)], [], [("a1", "b1", 0), ("a2", "c1", 0)]),
        ([("a1+6", "b1", 1), ("a1+9", "c1", 2)], [], [("a1+6", "c1", 0)]),
        ([("a1", "b1", 1)], [("b1+6", "d1")], [("a1", "d1", 0)]),
        ([("a1", "b1", 1)], [("b2", "d1")], [("a1", "b1", 0)]),
        ([("a1", "b1", 1)], [("b1", "b1+6")], [("a1", "b1+6", 0)]),
        ([("a1", "b1", 1), ("d1", "e1", 2)], [("b1", "d1")], [("a1", "e1", 0), ("d1", "e1", 0)]),
        ([("a1", "b1", 1)], [("a1+6", "d1")], []),
        ([("a1", "b1", 1)], [("a2", "d1")], [("a1", "b1", 0)]),
        ([("a1", "b1", 1), ("b1", "a1+6", 2)], [], []),
        ([("a1", "b1", 1), ("b1", "a2", 2)], [], [("a1", "a2", 0), ("b1", "a2", 0)]),
    ],
)
def test_beside_a_claim_stands_the_newest_of_what_was_said_later(
    likely: Sequence[tuple[str, str, int]],
    replaced: Sequence[tuple[str, str]],
    later: Sequence[tuple[str, str, int]],
) -> None:
    ended = [ClaimEnd(_claim(old), _claim(by), 0) for old, by in replaced]
    assert _list_names(list_said_later([_link(*link) for link in likely], ended)) == later


def test_beside_a_claim_that_ended_by_itself_stands_nothing() -> None:
    ended = [ClaimEnd(_claim("a1+6"), None, 5), ClaimEnd(_claim("b1"), None, 5)]
    likely = [_link("a1", "b1", 1), _link("x1", "b1", 1)]
    assert _list_names(list_said_later(likely, ended)) == [("x1", "b1", 0)]
