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


def test_no_word_stands_in_two_groups() -> None:
    groups = {
        name: text.split("|")
        for name, text in vars(persons).items()
        if name.isupper() and not name.startswith("ANYBODY")
    }
    words = [word for group in groups.values() for word in group]
    assert sorted(words) == sorted(set(words))
