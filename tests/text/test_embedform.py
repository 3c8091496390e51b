"""What an embedder is given, and under which hash its vector is kept."""

import pytest

from gieok.text.embedform import embed_hash, text_to_embed


@pytest.mark.parametrize(
    ("turn", "form"),
    [
        ("Kim: I moved to Busan.", 'Kim: "I moved to Busan."'),
        ("김 대리: 이사했어", '김 대리: "이사했어"'),
        ("Kim: one\ntwo", 'Kim: "one\ntwo"'),
    ],
)
def test_the_words_of_a_turn_are_quoted(turn: str, form: str) -> None:
    assert text_to_embed(turn) == form


@pytest.mark.parametrize(
    "text", ["plain", "12: 30", "- Kim: hello", "http://a", "Kim:", "Kim: ", f"{'a' * 50}: b", ""]
)
def test_other_text_is_left_alone(text: str) -> None:
    assert text_to_embed(text) == text


def test_equal_texts_have_equal_hashes_and_others_do_not() -> None:
    assert embed_hash("a") == embed_hash("a")
    assert len({embed_hash(text) for text in ("a", "b", "", "Kim: a")}) == 4
    assert len(embed_hash("\ud800")) == 16
