"""What is edited, swiped or deleted leaves memory as if it had never been said."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from character_talk import BOND, CharacterTalk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gieok.character.memory.service import CharacterService, TurnBudget
from gieok.errors import NotFound
from gieok.model.conversation import Message, Role
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore

_BEGIN = datetime(2026, 3, 2, 12, tzinfo=UTC)
_LINES = (
    "저는 망원동에 살아요",
    "나 이사했어 혜화동으로 어제 짐 다 옮겼어",
    "나 새우 알레르기 있어",
    "내 생일은 3월 15일이야",
    "아니다 생일은 3월 16일이야",
    "나 유튜브 채널 해볼까 고민중이야",
    "유튜브는 이제 안 해 접었어",
    "다음 주 금요일에 면접이야",
    "면접 다음 주 월요일로 바뀌었어",
    "존댓말로 할게요 저는 그냥 서진 님이라고 불러주세요",
    "우리 이제 말 놓자 나는 진이라고 불러줘",
    "너 왜 어제 내 말에 대답도 안 했어? 진짜 서운했어",
    "미안해",
    "오늘 도서관 갔다 왔어",
    "my sister Ada is 19",
    "sorry, she's 20, my sister Ada. i mean she turned 20",
    "I live in Leith",
    "I just moved to Portobello",
    "my cat is called Miso",
    "call me Min",
    "뻥이야 ㅋㅋ",
    "just kidding",
)


def _ids(talk: CharacterTalk) -> list[str]:
    return [one.id for one in talk.characters.context(BOND, "").window]


def test_what_was_learned_from_a_message_alone_goes_and_what_it_superseded_holds_again(
    talk: CharacterTalk,
) -> None:
    talk.say(
        "저는 망원동에 살아요", "나 이사했어 혜화동으로 어제 짐 다 옮겼어", "나 새우 알레르기 있어"
    )
    talk.characters.withdraw(BOND, [_ids(talk)[1]])
    held = talk.characters.memories(BOND).facts
    assert {(fact.object, fact.is_current) for fact in held} == {
        ("망원동", True),
        ("새우 알레르기", True),
    }
    assert not talk.characters.search(BOND, "혜화동")


def test_a_repeat_that_is_withdrawn_leaves_the_fact_with_what_else_says_it(
    talk: CharacterTalk,
) -> None:
    talk.say("나 새우 알레르기 있어", "아 참 나 새우 알레르기 있는 거 알지")
    talk.characters.withdraw(BOND, _ids(talk)[:1])
    (fact,) = talk.characters.memories(BOND).facts
    assert (fact.mentions, fact.message_ids) == (1, (_ids(talk)[0],))


def test_an_edited_message_says_something_else_in_its_place(talk: CharacterTalk) -> None:
    talk.say("저는 망원동에 살아요", "나 새우 알레르기 있어")
    first = talk.characters.context(BOND, "").window[0]
    talk.characters.replace(BOND, [first._replace(text="저는 혜화동에 살아요")])
    assert [one.text for one in talk.characters.context(BOND, "").window] == [
        "저는 혜화동에 살아요",
        "나 새우 알레르기 있어",
    ]
    assert {fact.object for fact in talk.characters.memories(BOND).facts} == {
        "혜화동",
        "새우 알레르기",
    }
    talk.characters.replace(BOND, [first])
    assert {fact.object for fact in talk.characters.memories(BOND).facts} == {
        "망원동",
        "새우 알레르기",
    }


def test_a_message_that_nobody_said_cannot_be_replaced(talk: CharacterTalk) -> None:
    with pytest.raises(NotFound):
        talk.characters.replace(BOND, [Message("none", Role.USER, "x", _BEGIN, "kim", "character")])


def test_a_summary_of_what_was_withdrawn_is_made_anew(
    talk: CharacterTalk, journal: SqliteJournal
) -> None:
    characters = replace(
        talk.characters, budget=TurnBudget(context_tokens=700, narrative_tokens=300)
    )
    small = CharacterTalk(characters, talk.clock)
    small.say(
        "나 새우 알레르기 있어",
        *(f"오늘은 도서관에서 책을 {n}권 빌렸는데 정말 재미있었어" for n in range(2, 14)),
    )
    episode = characters.memories(BOND).episodes[0]
    assert "새우" in episode.text
    characters.withdraw(BOND, episode.message_ids[:1])
    anew = characters.memories(BOND).episodes[0]
    assert "새우" not in anew.text
    assert anew.message_ids == episode.message_ids[1:]
    assert not characters.search(BOND, "새우 알레르기")


class Edit(NamedTuple):
    """What happens to a message after so many were said; '' withdraws it, None says again what it
    said first.
    """

    after: int
    which: int
    text: str | None


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    lines=st.lists(st.sampled_from(_LINES), min_size=2, max_size=10),
    edits=st.lists(
        st.builds(
            Edit, st.integers(1, 10), st.integers(0, 9), st.sampled_from((None, "", "", *_LINES))
        ),
        max_size=5,
    ),
)
def test_any_edits_leave_what_a_talk_without_them_leaves(
    tmp_path: Path, lines: list[str], edits: list[Edit]
) -> None:
    messages = [
        Message(f"m{n}", Role.USER, line, _BEGIN + timedelta(hours=7 * n), "kim", "character")
        for n, line in enumerate(lines)
    ]
    with _characters(tmp_path) as edited:
        holding = dict[str, Message]()
        for number, message in enumerate(messages, 1):
            _hear(edited, message)
            holding[message.id] = message
            for edit in (one for one in edits if one.after == number and one.which < number):
                old = messages[edit.which]
                if edit.text == "":
                    edited.withdraw(BOND, [old.id])
                    holding.pop(old.id, None)
                else:
                    new = old._replace(text=old.text if edit.text is None else edit.text)
                    edited.replace(BOND, [new])
                    holding[old.id] = new
        after_edits = edited.memories(BOND)
    with _characters(tmp_path) as fresh:
        for message in messages:
            if message.id in holding:
                _hear(fresh, holding[message.id])
        assert after_edits == fresh.memories(BOND)


def _hear(characters: CharacterService, message: Message) -> None:
    characters.hear(BOND, message.text, is_user=True, at=message.at, identity=message.id)


@contextmanager
def _characters(folder: Path) -> Iterator[CharacterService]:
    with TemporaryDirectory(dir=folder) as own:
        journal = SqliteJournal(Path(own) / "journal.sqlite")
        yield CharacterService(journal=journal, store=MemoryStore(), clock=ManualClock(_BEGIN))
        journal.close()
