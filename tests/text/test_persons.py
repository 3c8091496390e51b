"""Words for persons are alternatives of a pattern, each once."""

import re

from gieok.text import persons
from gieok.text.persons import alternatives


def test_a_longer_word_stands_before_its_start() -> None:
    pattern = alternatives(persons.RELATIVES_KO, persons.CHILDREN_KO)
    for word in ("형수", "형", "이모부", "이모", "시어머니", "딸래미", "장모님", "장모"):
        found = re.match(pattern, word)
        assert found is not None
        assert found[0] == word


#: What picks words out of the groups by how they are used.
PICKED = {"NEAREST_KO", "CALLED_EN", "MEN_EN", "WOMEN_EN"}


def words_of(name: str) -> list[str]:
    text: str = vars(persons)[name]
    return text.split("|")


def groups() -> list[str]:
    return [
        name
        for name in vars(persons)
        if name.isupper() and not name.startswith("ANYBODY") and name not in PICKED
    ]


def test_no_word_stands_in_two_groups() -> None:
    words = [word for name in groups() for word in words_of(name)]
    assert sorted(words) == sorted(set(words))


def test_what_is_picked_stands_in_a_group() -> None:
    words = {word for name in groups() for word in words_of(name)}
    for name in PICKED:
        assert set(words_of(name)) <= words, name


def test_nobody_is_both_he_and_she() -> None:
    assert not set(words_of("MEN_EN")) & set(words_of("WOMEN_EN"))
