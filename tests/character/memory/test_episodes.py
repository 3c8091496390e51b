"""What the summary of a span tells: who said what, how it felt, what happened, what is left."""

from dataclasses import replace

import pytest
from character_talk import BOND, CharacterTalk

from gieok.character.facts import Episode
from gieok.character.memory.control import Control
from gieok.character.memory.service import TurnBudget

_BOOKS = tuple(f"오늘은 도서관에서 책을 {n}권 빌렸는데 정말 재미있었어" for n in range(2, 14))


def _small(talk: CharacterTalk) -> CharacterTalk:
    budget = TurnBudget(context_tokens=700, narrative_tokens=300)
    return CharacterTalk(replace(talk.characters, budget=budget), talk.clock)


def _first(talk: CharacterTalk) -> Episode:
    return talk.characters.memories(BOND).episodes[0]


def test_a_summary_of_rules_is_prose_of_the_character(talk: CharacterTalk) -> None:
    small = _small(talk)
    small.say("이번 주 금요일에 면접 있어", "면접 때문에 너무 떨려", *_BOOKS)
    episode = _first(small)
    assert episode.text.startswith(
        "그 사람이 나에게 이런 이야기를 했다: “이번 주 금요일에 면접 있어”"
    )
    assert "긴장이 느껴지는 이야기였다." in episode.text
    assert episode.text.endswith("다음에 3월 6일 면접 이야기를 이어 가고 싶다.")
    assert len(episode.text) <= 200
    assert "\n" not in episode.text


def test_what_is_over_at_the_end_of_a_span_is_not_left_open(talk: CharacterTalk) -> None:
    small = _small(talk)
    small.say("내일 면접 있어")
    small.later(3)
    small.say(*_BOOKS)
    assert _first(small).open_topics == ()


@pytest.mark.parametrize("is_deleted", [False, True])
def test_an_episode_names_the_moments_in_it(talk: CharacterTalk, is_deleted: bool) -> None:
    small = _small(talk)
    small.say("나 오늘 너무 힘들었어 계속 울었어", *_BOOKS)
    (moment,) = small.characters.memories(BOND).moments
    if is_deleted:
        Control(memory=small.characters).delete(BOND, moment.key)
    assert _first(small).key_moments == (() if is_deleted else (moment.text,))


def test_an_english_summary_is_told_in_english(talk: CharacterTalk) -> None:
    small = _small(talk)
    small.say(
        "I have an interview next Friday",
        *(f"today I borrowed {n} books from the library and loved it" for n in range(2, 30)),
    )
    assert "told me this: “I have an interview next Friday”" in _first(small).text
