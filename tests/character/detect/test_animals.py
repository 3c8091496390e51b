"""What a later sentence says of an animal whose name is known: its age, or another kind."""

from datetime import UTC, date, datetime

import pytest

from gieok.character.detect.detect import Spoken, detect_statements
from gieok.character.facts import Fact
from gieok.character.predicates import PREDICATES


def _list_pets(text: str, held: str) -> list[tuple[str, bool]]:
    fact = Fact(
        subject="user",
        predicate="pet",
        object=held,
        type=PREDICATES["pet"].type,
        at=datetime(2026, 3, 1, tzinfo=UTC),
        confidence=0.9,
    )
    found = detect_statements(Spoken(text, is_user=True, day=date(2026, 3, 2)), (fact,))
    return [(one.object, one.is_change) for one in found.findings if one.predicate == "pet"]


@pytest.mark.parametrize(
    ("held", "text", "now"),
    [
        ("보리 (강아지)", "사실 보리는 고양이야. 다들 헷갈려 해", "보리 (고양이)"),
        ("보리 (강아지, 3살)", "보리 사실 고양이예요", "보리 (고양이, 3살)"),
        ("Pip (dog)", "Pip is actually a cat, people mix that up", "Pip (cat)"),
    ],
)
def test_another_kind_of_a_known_animal_takes_the_place_of_the_one_before(
    held: str, text: str, now: str
) -> None:
    assert (now, True) in _list_pets(text, held)


@pytest.mark.parametrize(
    ("held", "text"),
    [
        ("보리 (강아지)", "보리는 강아지야"),
        ("보리 (강아지)", "보리는 고양이가 아니야"),
        ("보리 (강아지)", "보리는 고양이야?"),
        ("보리 (강아지)", "보리는 고양이 같아"),
        ("Pip (dog)", "Pip is not a cat"),
        ("Pip (dog)", "is Pip a cat?"),
    ],
)
def test_what_says_no_other_kind_changes_none(held: str, text: str) -> None:
    assert not any(is_change for _, is_change in _list_pets(text, held))
