"""What the user said before the window is quoted where a message asks for it, and only there."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from character_talk import BOND, CharacterTalk

from gieok.character.accounts.return_visits import fade, form_again
from gieok.character.memory.control import Control
from gieok.character.memory.said_words import said_scope
from gieok.character.memory.service import CharacterService, TurnBudget
from gieok.flow.lifecycle import fill_vectors
from gieok.home.profiles import build_quoting_profile
from gieok.models.local.reader import LocalReader
from gieok.models.local.runtime import E5Embedder
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock

_SAID = said_scope(BOND.scope)
_LOOM = "베틀은 큰이모네 헛간에서 빌려온 거라 추석 전엔 돌려드려야 해"
_FILLER = (
    "아까 창문 닦다가 무지개 봤어",
    "요새 골목에 공사가 많아서 시끄럽네",
    "버스가 십 분이나 늦게 왔지 뭐야",
    "낮잠을 너무 오래 잤나 봐 머리가 띵해",
    "오늘은 하늘이 진짜 파랗더라",
    "라디오에서 옛날 노래가 나왔어",
)


@pytest.fixture
def talk(tmp_path: Path, e5: E5Embedder, models: Path) -> Iterator[CharacterTalk]:
    clock = ManualClock(datetime(2026, 3, 2, 3, tzinfo=UTC))
    journal = SqliteJournal(tmp_path / "journal.sqlite")
    store = SqliteStore(tmp_path / "memory.sqlite")
    characters = CharacterService(
        journal=journal,
        store=store,
        clock=clock,
        embedder=e5,
        reader=LocalReader(models),
        quoting=build_quoting_profile(tmp_path),
        budget=TurnBudget(context_tokens=220, narrative_tokens=150),
    )
    yield CharacterTalk(characters, clock)
    journal.close()
    store.close()


def _told(talk: CharacterTalk, ask: str) -> str:
    characters = talk.characters
    assert isinstance(characters.store, SqliteStore)
    assert characters.embedder
    fill_vectors(characters.store, characters.embedder)
    return talk.told(ask)


def _kept(talk: CharacterTalk) -> list[str]:
    return [entry.document.text for entry in talk.characters.journal.made(_SAID)]


def test_words_that_left_the_window_are_quoted_where_they_are_asked_for(
    talk: CharacterTalk,
) -> None:
    talk.say(_LOOM, *_FILLER)
    talk.later(20)
    assert _LOOM in _kept(talk)
    assert f"3월 2일에 그 사람이 이렇게 말했어: “{_LOOM}”" in _told(talk, "베틀 누구한테 빌렸더라?")
    assert _LOOM not in _told(talk, "오늘 점심 뭐 먹지").split("이야기를 떠올리면")[0]


def test_a_line_that_may_help_is_quoted_though_it_is_no_answer(talk: CharacterTalk) -> None:
    talk.say(_LOOM, *_FILLER, *_FILLER)
    talk.later(20)
    told = _told(talk, "짐 옮길 때 뭐부터 실어야 하나")  # a probability of .17
    assert f"말했어: “{_LOOM}”" in told


def test_a_short_answer_is_kept_with_what_it_answers(talk: CharacterTalk) -> None:
    talk.say("c: 그 도마뱀 이름이 뭐야?", "뭉치", *_FILLER)
    assert "그 도마뱀 이름이 뭐야?\n뭉치" in _kept(talk)
    told = _told(talk, "내 도마뱀 이름 기억나?")
    assert "내가 “그 도마뱀 이름이 뭐야?” 하니까 그 사람이 “뭉치” 했어" in told


def test_a_long_answer_is_found_by_what_it_answers_and_quoted_alone(talk: CharacterTalk) -> None:
    answer = "민정이, 박 민 정. 다들 받침을 빼먹고 불러서 두 번씩 말해 줘야 돼"
    talk.say("c: 그나저나 누나 성함을 아직 못 들었네?", answer, *_FILLER)
    told = _told(talk, "내 누나 이름 기억나?")
    assert f"말했어: “{answer}”" in told
    assert "성함" not in told


def test_questions_and_what_is_not_meant_are_not_kept(talk: CharacterTalk) -> None:
    talk.say("너는 어디 살아?", "*주문을 외운다* 나는 천 년을 산 용이다", *_FILLER)
    assert not any("살아" in text or "용이다" in text for text in _kept(talk))


def test_a_message_that_is_taken_back_or_said_anew_is_not_quoted_as_it_was(
    talk: CharacterTalk,
) -> None:
    talk.say(_LOOM, *_FILLER)
    journal = talk.characters.journal
    entries = journal.read(BOND.scope, 0, budget_tokens=1 << 30, limit=100)
    message = next(one.message for one in entries if one.message.text == _LOOM)
    anew = "물레는 작은고모 거야, 설 지나고 돌려드리기로 했어"
    talk.characters.replace(BOND, [message._replace(text=anew)])
    assert anew in _kept(talk)
    assert _LOOM not in _kept(talk)
    talk.characters.withdraw(BOND, [message.id])
    assert anew not in _kept(talk)


def test_words_of_a_refused_memory_are_quoted_again_only_where_it_is_restored(
    talk: CharacterTalk,
) -> None:
    said = "나는 수요일마다 검도 배우러 다녀"
    talk.say(said, *_FILLER)
    assert said in _kept(talk)
    control = Control(memory=talk.characters)
    fact = next(
        one for one in talk.characters.memories(BOND).facts if "검도" in f"{one.object}{one.source}"
    )
    undo = control.delete(BOND, fact.key).undo
    assert said not in _kept(talk)
    control.undo(BOND, undo)
    assert said in _kept(talk)


def test_of_two_lines_the_later_is_told_where_it_ends_the_earlier(talk: CharacterTalk) -> None:
    before, now = "알바는 화요일이랑 목요일에 가", "나 알바 화목 말고 이제 토요일에만 가"
    talk.say(before, *_FILLER[:3], now, *_FILLER[3:])
    told = _told(talk, "나 알바 무슨 요일에 가지?")
    assert now in told
    assert f"말했어: “{before}”" not in told


def test_words_go_with_the_episodes_of_who_stays_away_and_come_back(talk: CharacterTalk) -> None:
    talk.say(_LOOM, *_FILLER)
    characters = talk.characters
    fade(characters.journal, characters.store, BOND.scope)
    assert _kept(talk) == []
    assert not form_again(characters, BOND)
    assert _LOOM in _kept(talk)


def test_without_a_reader_nothing_is_quoted(talk: CharacterTalk) -> None:
    talk.say(_LOOM, *_FILLER)
    silent = CharacterTalk(replace(talk.characters, reader=None), talk.clock)
    assert "이렇게 말했어" not in _told(silent, "베틀 누구한테 빌렸더라?")
