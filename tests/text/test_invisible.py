"""Characters that do not show are no part of a word, and emoji stay whole."""

import pytest

from gieok.text.keywords import keyword_tokens, normalise

_MARKS = (
    "\u200b\u00ad\u2060\ufeff\u200e\u200f\u202a\u202c\u2066\u2069\u061c\u180e\u034f\u3164\u115f"
)


@pytest.mark.parametrize("mark", _MARKS)
@pytest.mark.parametrize("word", ["환불", "tariff", "deadline", "customs2026", "Ünder"])
def test_a_word_with_a_mark_in_it_has_the_tokens_of_the_word(word: str, mark: str) -> None:
    assert keyword_tokens(f"{word[:2]}{mark}{word[2:]} x") == keyword_tokens(f"{word} x")
    assert normalise(f"{word[:1]}{mark}{word[1:]}") == word


def test_a_joiner_in_a_word_splits_no_token() -> None:
    assert keyword_tokens("ship\u200dment ca\ufe0ffe") == keyword_tokens("shipment cafe")


def test_what_is_seen_stays() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467 ❤\ufe0f"
    assert normalise(family) == family


def test_a_space_of_no_width_divides_words_where_scripts_need_it() -> None:
    thai = "ภาษา\u200bไทย"
    assert normalise(thai) == thai
