"""Forms that hand on what somebody said are told from nouns and wishes that look like them."""

import pytest

from gieok.text.hearsay import is_handed_on, is_said_to_be


@pytest.mark.parametrize(
    "word",
    """
    간대 한대요 온대ㅋㅋ 먹는대 받았대 끝났대요 갔대서 좋대 맛있대 없대요 편하시대
    간호사래 학생이래요 출장이래 래 온다더라 의사라던데 간다더니 있다는군요 나왔단다 간다네 온다네요 카더라
    """.split(),
)
def test_a_verb_that_hands_on_is_known_by_its_form(word: str) -> None:
    assert is_handed_on(word)


@pytest.mark.parametrize(
    "word",
    """
    군대 군대서 침대 무대 절대 시대 1980년대 2만원대 20대 대 그래 그래서 원래 노래 오래 미래
    갈래 할래요 먹을래 볼래ㅎㅎ 들어오길래 간다 갔어 좋아 했더라
    """.split(),
)
def test_a_noun_a_wish_or_a_statement_hands_on_nothing(word: str) -> None:
    assert not is_handed_on(word)


def test_only_the_copula_says_what_somebody_is() -> None:
    assert is_said_to_be("간호사래")
    assert not is_said_to_be("간대")
    assert not is_said_to_be("할래")
