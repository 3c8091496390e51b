"""The topics of a talk are its nouns, and the feeling of a death is no joy."""

from datetime import UTC, datetime

import pytest

from gieok.character.memory.episodes import summarise_span
from gieok.character.memory.topics import find_topics
from gieok.model.conversation import Journalled, Message, Role


@pytest.mark.parametrize(
    ("texts", "topics"),
    [
        (["영화를 봤는데 라고 ㅋㅋ", "그 영화 진짜 좋았어", "ㅋㅋ 라고 했는데"], ("영화",)),
        (["엄마가 병원에 갔어", "병원에서 전화가 왔어 엄마가"], ("병원", "엄마")),
        (["the exam is on monday", "i failed the exam"], ("exam",)),
        (["좋아하는 게 있는데", "좋아하는 게 많은데"], ()),
        (["오늘은 그냥 그래", "오늘이 그래"], ()),
    ],
)
def test_topics_are_nouns_that_are_talked_about(texts: list[str], topics: tuple[str, ...]) -> None:
    assert set(find_topics(texts, [], 5)) == set(topics)


def test_what_a_fact_states_is_a_topic_by_itself() -> None:
    assert find_topics(["나 면접을 봐"], ["면접"], 5) == ("면접",)


@pytest.mark.parametrize(
    ("texts", "emotion"),
    [
        (["할머니가 어제 돌아가셨어!!!", "다들 와 줘서 좋았어 행복했지!!!"], "슬픔"),
        (["우리 강아지 무지개다리 건넜어", "그래도 좋아하던 곳에!!!"], "슬픔"),
        (["my dad died in march!!!", "happy he saw it!!! so happy"], "sadness"),
        (["나 합격했어!!! 너무 좋아"], "기쁨"),
    ],
)
def test_the_feeling_of_a_death_is_not_joy(texts: list[str], emotion: str) -> None:
    at = datetime(2026, 3, 2, 12, tzinfo=UTC)
    span = [
        Journalled(n, Message(f"m{n}", Role.USER, text, at, "kim", "character"))
        for n, text in enumerate(texts, 1)
    ]
    episode = summarise_span(span, [], [], "서진")
    assert episode is not None
    assert episode.emotion == emotion
