"""Rows of statements and of what they begin with."""

import pytest

from gieok.text.statement_subject import find_subject


@pytest.mark.parametrize(
    ("statement", "subject"),
    [
        ("The gym card is in the blue coat.", "gym card"),
        ("Our staging database has two replicas.", "staging database"),
        ("엄마는 딸기 케이크를 좋아하신다.", "엄마"),
        ("치과 예약은 목요일 오전 10시로 바뀌었다.", "치과 예약"),
        ("We ship on Tuesdays.", ""),
        ("It is in the blue coat.", ""),
        ("나는 성수동에 살아.", ""),
        ("우리는 화요일에 배포한다.", ""),
        ("The card that Hana gave me yesterday is blue.", ""),
    ],
)
def test_a_statement_is_of_the_thing_that_it_begins_with(statement: str, subject: str) -> None:
    assert find_subject(statement) == subject
