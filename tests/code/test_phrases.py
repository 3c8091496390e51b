"""A message that stands in code is found by its words, as who met it pastes them."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask.phrases import measure_phrase, read_phrase
from gieok.code.ask.query import search_symbols
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

_MOORING = {
    "berth/plan.py": (
        "class Berth:\n"
        '    """A berth of the harbour, with the ships that have a berth there."""\n\n'
        "    def find_ship(self, name):\n"
        '        """Find the ship of a berth by its name."""\n'
        "        return self.ships.get(name)\n"
    ),
    "berth/texts.py": (
        "def explain(kind, values):\n"
        "    lines = []\n"
        + "".join(f"    lines.append('{word} of {word}')\n" for word in ("tug", "crane", "buoy"))
        + "    if kind == 'absent':\n"
        "        return f'the berth has no ship of that name: {values}'\n"
        "    return str(values)\n"
    ),
}


@pytest.mark.parametrize(
    ("question", "code", "share"),
    [
        ("the berth has no ship", "raise Absent('the berth has no ship')", 1.0),
        ("The berth has NO ship!", "'the  berth -- has no ship: {name}'", 1.0),
        ("error: the berth has no ship, Anna", "f'the berth has no ship, {name}'", 5 / 7),
        ("the berth has", "'the berth has'", 0.0),
        ("the berth has no ship", "the berth\nhas no ship", 0.0),
        ("the berth has no ship", "no ship has the berth", 0.0),
        ("선석에 그런 이름의 배가 없습니다", "'선석에 그런 이름의 배가 없습니다'", 1.0),
    ],
)
def test_the_words_that_stand_together_are_counted(question: str, code: str, share: float) -> None:
    assert measure_phrase(read_phrase(question), code) == pytest.approx(share)


@pytest.mark.parametrize(
    "question",
    ["the berth has no ship of that name", "ERROR: the berth has no ship of that name: Anna"],
)
def test_a_message_finds_the_code_that_says_it(indexed: Make, question: str) -> None:
    first = search_symbols(indexed(_MOORING), None, question, 3).answers[0]
    assert first.symbol.name == "explain"
    assert first.sureness >= 0.6


def test_what_only_shares_words_with_a_message_is_not_surer_than_before(indexed: Make) -> None:
    answers = search_symbols(indexed(_MOORING), None, "which ship has which berth", 3).answers
    assert answers[0].symbol.name in ("Berth", "find_ship")
