"""What a question asks for, of which nothing is kept."""

from datetime import UTC, datetime

import pytest

from gieok.character.facts import USER, Fact
from gieok.character.memory.bearing import list_unknown_words
from gieok.character.predicates import PREDICATES


def _build_fact(predicate: str, value: str, source: str) -> Fact:
    return Fact(
        subject=USER,
        predicate=predicate,
        object=value,
        type=PREDICATES[predicate].type,
        at=datetime(2026, 3, 2, tzinfo=UTC),
        confidence=0.9,
        source=source,
    )


_HELD = [
    _build_fact("name", "지우", "내 이름은 지우야"),
    _build_fact("lives_in", "부산", "고양이 카페 옆에 살아"),
    _build_fact("dislikes", "오이", "오이는 싫어해"),
]


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("우리 강아지 이름 뭐였지", ("강아지",)),
        ("what was my dog's name", ("dog",)),
        ("나 생일이 언제야", ("생일",)),
        # Kept: of its kind, or with its word in what was said.
        ("내 이름 뭐야", ()),
        ("고양이 얘기 기억나?", ()),
        # Another kind that is asked for is kept, and the word is of nobody.
        ("where do I live, and since what year", ()),
        # Names an occasion, and no kind of fact.
        ("what shall I eat", ()),
        ("비가 오네", ()),
    ],
)
def test_a_word_is_unknown_where_no_memory_has_it_or_is_of_its_kind(
    question: str, unknown: tuple[str, ...]
) -> None:
    assert list_unknown_words(question, _HELD) == unknown
