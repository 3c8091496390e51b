"""What makes a score is said in words, in the language of the reader."""

import re

from gieok.commands.command import Style
from gieok.commands.memory.score_words import PARTS, format_parts, format_signals
from gieok.ranking import likelihood

_KO, _EN = Style("ko", colour=False), Style("en", colour=False)


def test_every_feature_of_the_weights_has_words_of_its_own_in_both_languages() -> None:
    names = {
        name
        for family in ("notes", "turns")
        for by in (likelihood.WORDS, likelihood.VECTORS, likelihood.READ)
        for part in (likelihood.weights(family, by).answer, likelihood.weights(family, by).rank)
        for name in part
    }
    assert names <= PARTS.keys()
    for words in PARTS.values():
        assert "_" not in words.say("en")
        assert re.search("[가-힣]", words.say("ko"))


def test_what_is_said_twice_is_added_up_and_the_sum_stays() -> None:
    parts = {"bias": -0.5, "keyword": 0.25, "best_keyword": 0.5}
    assert format_parts(parts, _KO) == "+0.75 낱말의 일치; -0.50 대부분은 답이 아니다: 출발점"
    assert format_parts(parts, _EN).startswith("+0.75 how well its words match; -0.50 most lines")


def test_a_retriever_says_its_value_and_the_place_that_it_gave() -> None:
    signals = {"fused": 2.912, "keyword_rank": 2.0, "keyword": 0.671, "vector": 0.5}
    assert format_signals(signals, _KO) == "여러 검색에서의 순위 2.91; 낱말 0.671 (2위); 뜻 0.5"
    assert format_signals(signals, _EN).endswith("the words 0.671 (place 2); the meaning 0.5")
