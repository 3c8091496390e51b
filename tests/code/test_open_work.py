"""What is left to do is answered by the comments that say so."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask.open_work import OPEN_WORK, OpenWorkRow, find_open_work
from gieok.code.ask.query import search_symbols
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]
_SHOP = {
    "shop/parser.py": "def parse(text):\n    # TODO: accept a price without a currency\n    return text\n",
    "shop/cart.py": "def total(cart):\n    # FIXME: rounding of the discount\n    return cart\n",
    "shop/todo.py": "def store_todo(user):\n    return user\n",
}


@pytest.mark.parametrize("row", OPEN_WORK, ids=lambda row: row.example)
def test_a_row_matches_its_example_alone(row: OpenWorkRow) -> None:
    assert row.pattern.search(row.example)
    assert find_open_work(row.counter_example) is None


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what is left to do in the parser", "shop/parser.py::<TODO:2>"),
        ("파서에 남은 일이 뭐야", "shop/parser.py::<TODO:2>"),
        ("unfinished work about the discount", "shop/cart.py::<FIXME:2>"),
        ("TODO", "shop/cart.py::<FIXME:2>"),
    ],
)
def test_a_comment_of_open_work_comes_first(indexed: Make, question: str, first: str) -> None:
    answer = search_symbols(indexed(_SHOP), None, question, 3).answers[0]
    assert (answer.symbol.key, answer.why, answer.sureness) == (first, "marker", 0.9)


def test_comments_about_something_else_are_no_sure_answer(indexed: Make) -> None:
    answers = search_symbols(indexed(_SHOP), None, "what is left to do in the printer", 3).answers
    assert {a.sureness for a in answers if a.why == "marker"} == {0.3}


def test_a_program_of_tasks_is_asked_for_its_code(indexed: Make) -> None:
    answers = search_symbols(indexed(_SHOP), None, "where is a todo of the user stored", 3).answers
    assert answers[0].symbol.name == "store_todo"
    assert not [a for a in answers if a.why == "marker"]
