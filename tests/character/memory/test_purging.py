"""What a user deletes is gone from the files, and a kill in the middle loses and keeps nothing."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from character_talk import BOND, CharacterTalk

from gieok.character.detect.detect import Finding
from gieok.character.facts import Fact
from gieok.character.memory.control import Control
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.readings import (
    MessageReading,
    ReadMoment,
    RevokedValue,
    SpanMood,
    SpanReading,
)
from gieok.character.memory.service import CharacterService
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore

_START = datetime(2026, 3, 2, 12, tzinfo=UTC)
#: More writes than any command of these tests makes.
_MOST_WRITES = 40


class _Killed(BaseException):
    """Stands for a kill: nothing behind it runs."""


class _MortalJournal(SqliteJournal):
    """Journal of a process that is killed before its n-th write."""

    left = 1 << 30

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self.left -= 1
        if self.left < 0:
            raise _Killed
        with super()._writing() as db:
            yield db


class _Life(NamedTuple):
    """One process over a journal file, and its user's control."""

    journal: _MortalJournal
    talk: CharacterTalk
    control: Control

    @classmethod
    def of(cls, file: Path, clock: ManualClock) -> "_Life":
        journal = _MortalJournal(file)
        characters = CharacterService(journal=journal, store=MemoryStore(), clock=clock)
        return cls(journal, CharacterTalk(characters, clock), Control(memory=characters))

    def facts(self) -> set[tuple[str, str, str]]:
        """Return what holds, also where memory is formed again from the first message on."""
        first = self.talk.characters.journal.messages(BOND.scope, ["first"])[0]
        self.talk.characters.replace(BOND, [first.message._replace(text=first.message.text + " ")])
        return {
            (one.subject, one.predicate, one.object)
            for one in self.talk.characters.memories(BOND).facts
            if one.is_current
        }

    def fact(self, value: str) -> Fact:
        held = self.talk.characters.memories(BOND).facts
        return next(one for one in held if one.object == value)


def _correct(life: _Life) -> None:
    life.control.edit(BOND, life.fact("변호사").key, MemoryEdit(subject="남자친구"))


def _delete(life: _Life) -> None:
    life.control.delete(BOND, life.fact("변호사").key)


def _delete_for_good(life: _Life) -> None:
    life.control.delete(BOND, life.fact("변호사").key, for_good=True)


_COOK = ("user", "job", "요리사")
_LAWYER = ("user", "job", "변호사")


@pytest.mark.parametrize(
    ("command", "after"),
    [
        (_correct, {_COOK, ("남자친구", "job", "변호사")}),
        (_delete, {_COOK}),
        (_delete_for_good, {_COOK}),
    ],
)
def test_killed_at_any_write_a_decision_is_made_whole_or_not_at_all(
    tmp_path: Path, command: Callable[[_Life], None], after: set[tuple[str, str, str]]
) -> None:
    kills = 0
    for number in range(_MOST_WRITES):
        file, clock = tmp_path / f"{number}.sqlite", ManualClock(_START)
        life = _Life.of(file, clock)
        life.talk.characters.hear(BOND, "오늘 도서관 갔다 왔어", is_user=True, identity="first")
        life.talk.say("나는 요리사로 일해", "나는 변호사로 일해")
        life.journal.left = number
        try:
            command(life)
        except _Killed:
            kills += 1
        life.journal.close()
        again = _Life.of(file, clock)
        again.talk.characters.learn(BOND)
        assert again.facts() in ({_LAWYER}, after), number
        again.journal.close()
    assert 3 < kills < _MOST_WRITES
    assert again.facts() == after


def test_a_deletion_for_good_that_was_killed_is_completed_by_tidying(tmp_path: Path) -> None:
    for number in range(_MOST_WRITES):
        file, clock = tmp_path / f"{number}.sqlite", ManualClock(_START)
        life = _Life.of(file, clock)
        life.talk.say("나는 변호사로 일해")
        life.control.edit(BOND, life.fact("변호사").key, MemoryEdit(object="판사"))
        life.journal.left = number
        with suppress(_Killed):
            life.control.delete(BOND, life.fact("판사").key, for_good=True)
        life.journal.close()
        again = _Life.of(file, clock)
        again.talk.characters.learn(BOND)
        again.control.tidy()
        is_held = bool(again.talk.characters.memories(BOND).facts)
        again.journal.close()
        assert is_held or not _stands_in("판사", tmp_path, f"{number}."), number
    assert not is_held


def _stands_in(word: str, folder: Path, stem: str = "") -> bool:
    """Return whether a word is anywhere in files, plain or as JSON escapes it."""
    forms = (word.encode(), json.dumps(word)[1:-1].encode(), word.encode("utf-16-le"))
    texts = [file.read_bytes() for file in folder.glob(f"{stem}*") if file.is_file()]
    assert texts
    return any(form in text for form in forms for text in texts)


def _read(life: _Life, *told: tuple[str, MessageReading], mood: SpanMood | None = None) -> None:
    reading = SpanReading(dict(told), mood or SpanMood(), "model")
    life.talk.characters.take_in(BOND, reading)


def _job(value: str) -> Finding:
    return Finding("job", value, f"직업은 {value}", confidence=0.9, by="model")


def test_a_deleted_message_leaves_no_word_in_the_file(tmp_path: Path) -> None:
    life = _Life.of(tmp_path / "journal.sqlite", ManualClock(_START))
    hear = life.talk.characters.hear
    hear(BOND, "오늘 도서관 갔다 왔어", is_user=True, identity="first")
    hear(BOND, "나는 소목장으로 일해", is_user=True, identity="gone")
    hear(BOND, "요즘 주문이 많아", is_user=True, identity="last")
    _read(
        life,
        ("gone", MessageReading((_job("소목장"),), (RevokedValue("user", "job", "소목수"),))),
        ("last", MessageReading()),
        mood=SpanMood(("소목장",), "자랑"),
    )
    life.control.edit(BOND, life.fact("소목장").key, MemoryEdit(object="대목장"))
    first = life.talk.characters.journal.messages(BOND.scope, ["gone"])[0].message
    life.talk.characters.replace(BOND, [first._replace(text="나는 도배사로 일해")])
    life.control.edit(BOND, life.fact("도배사").key, MemoryEdit(object="미장이"))
    life.talk.characters.withdraw(BOND, ["gone"])
    life.control.delete_message(BOND, "gone")
    life.journal.close()
    for word in ("소목장", "소목수", "대목장", "도배사", "미장이"):
        assert not _stands_in(word, tmp_path), word
    assert _stands_in("도서관", tmp_path)


def test_a_memory_that_is_deleted_for_good_is_gone_from_all_that_a_model_read(
    tmp_path: Path,
) -> None:
    life = _Life.of(tmp_path / "journal.sqlite", ManualClock(_START))
    hear = life.talk.characters.hear
    hear(BOND, "나무를 다뤄", is_user=True, identity="first")
    hear(BOND, "오늘도 나무를 다뤘어", is_user=True, identity="second")
    moment = ReadMoment("confession", "새를 좋아한다고 했다")
    _read(life, ("first", MessageReading((_job("소목장"),), moments=(moment,))))
    _read(
        life,
        ("first", MessageReading((_job("소목장"),), moments=(moment,))),
        ("second", MessageReading((_job("소목장"),))),
        mood=SpanMood(("소목장", "나무"), "자랑"),
    )
    assert life.fact("소목장").message_ids == ("first", "second")
    life.control.delete(BOND, life.fact("소목장").key, for_good=True)
    assert [one.text for one in life.talk.characters.memories(BOND).moments] == [moment.description]
    life.talk.characters.withdraw(BOND, ["second"])
    assert not life.talk.characters.memories(BOND).facts
    life.journal.close()
    assert not _stands_in("소목장", tmp_path)
    assert _stands_in("나무", tmp_path)


def test_what_another_message_still_says_is_kept_when_one_is_deleted(tmp_path: Path) -> None:
    life = _Life.of(tmp_path / "journal.sqlite", ManualClock(_START))
    for identity in ("first", "second"):
        life.talk.characters.hear(BOND, "나무를 다뤄", is_user=True, identity=identity)
    _read(
        life,
        ("first", MessageReading((_job("소목장"),))),
        ("second", MessageReading((_job("소목장"),))),
    )
    life.control.delete_message(BOND, "first")
    assert life.fact("소목장").message_ids == ("second",)
    life.journal.close()
