"""What a user may do with what a character remembers of them, and that it stays done."""

from dataclasses import replace

import pytest
from character_talk import BOND, CharacterTalk

from gieok.character.facts import Fact
from gieok.character.memory.control import Control
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.service import TurnBudget
from gieok.errors import BadRequest, NotFound
from gieok.model.conversation import Role
from gieok.storage.journal.sqlite.journal import SqliteJournal


@pytest.fixture
def control(talk: CharacterTalk) -> Control:
    return Control(memory=talk.characters)


def _fact(talk: CharacterTalk, value: str) -> Fact:
    return next(fact for fact in talk.characters.memories(BOND).facts if fact.object == value)


def _holding(talk: CharacterTalk) -> set[str]:
    return {fact.object for fact in talk.characters.memories(BOND).facts if fact.is_current}


def _held_by(talk: CharacterTalk, subject: str, predicate: str) -> set[str]:
    facts = talk.characters.memories(BOND).facts
    return {fact.object for fact in facts if fact.is_current and fact.slot == (subject, predicate)}


def _summarised(talk: CharacterTalk, first: str) -> tuple[CharacterTalk, Control]:
    characters = replace(
        talk.characters, budget=TurnBudget(context_tokens=700, narrative_tokens=300)
    )
    small = CharacterTalk(characters, talk.clock)
    small.say(
        first, *(f"오늘은 도서관에서 책을 {n}권 빌렸는데 정말 재미있었어" for n in range(2, 14))
    )
    return small, Control(memory=characters)


def test_memories_are_listed_by_layer_and_page_what_holds_first(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say(
        "저는 망원동에 살아요", "나 이사했어 혜화동으로 어제 짐 다 옮겼어", "나 새우 알레르기 있어"
    )
    first, second = (control.memories(BOND, "semantic", page, 2) for page in (1, 2))
    assert (first.total, first.page, first.limit) == (3, 1, 2)
    assert [item.object for item in first.items] == ["새우 알레르기", "혜화동"]
    assert [(item.object, item.is_current) for item in second.items] == [("망원동", False)]
    assert not control.memories(BOND, "episodic").items
    for layer, page in (("none", 1), ("semantic", 0)):
        with pytest.raises(BadRequest):
            control.memories(BOND, layer, page)


def test_a_memory_is_read_with_the_messages_that_it_came_from(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say("나 새우 알레르기 있어", "c: 조심해야겠네", "아 참 나 새우 알레르기 있는 거 알지")
    story = control.read(BOND, _fact(talk, "새우 알레르기").key)
    assert [one.text for one in story.messages] == [
        "나 새우 알레르기 있어",
        "아 참 나 새우 알레르기 있는 거 알지",
    ]
    with pytest.raises(NotFound):
        control.read(BOND, "character:fact:none")


def test_an_edit_keeps_its_id_and_a_history_and_wins_over_the_same_old_value(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say("저는 망원동에 살아요")
    key = _fact(talk, "망원동").key
    done = control.edit(BOND, key, MemoryEdit(object="망원1동", importance=0.3))
    assert done.memory is not None
    assert (done.memory.id, done.memory.object, done.memory.is_edited) == (key, "망원1동", True)
    assert [item.object for item in control.read(BOND, key).before] == ["망원동"]
    talk.say("저는 망원동에 살아요")
    assert _holding(talk) == {"망원1동"}
    assert _fact(talk, "망원1동").mentions == 2
    talk.say("나 이사했어 혜화동으로 어제 짐 다 옮겼어")
    assert _holding(talk) == {"혜화동"}


def test_an_edit_stays_where_the_talk_before_it_is_formed_again(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say("나 새우 알레르기 있어", "저는 망원동에 살아요", "오늘 도서관 갔다 왔어")
    control.edit(BOND, _fact(talk, "망원동").key, MemoryEdit(object="망원1동"))
    first = talk.characters.context(BOND, "").window[0]
    talk.characters.withdraw(BOND, [first.id])
    assert _holding(talk) == {"망원1동"}


def test_a_fact_is_said_to_be_about_another_and_what_it_had_replaced_holds_again(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say("나는 요리사로 일해", "나는 변호사로 일해")
    before = talk.characters.memories(BOND)
    wrong = _fact(talk, "변호사")
    done = control.edit(BOND, wrong.key, MemoryEdit(subject="남자친구"))
    assert done.memory is not None
    assert (done.memory.subject, done.memory.object) == ("남자친구", "변호사")
    assert done.memory.message_ids == wrong.message_ids
    assert _held_by(talk, "user", "job") == {"요리사"}
    assert _held_by(talk, "남자친구", "job") == {"변호사"}
    control.undo(BOND, done.undo)
    assert talk.characters.memories(BOND) == before


def test_a_predicate_is_changed_and_stays_so_where_the_talk_is_formed_again(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say("오늘 도서관 갔다 왔어", "저는 망원동에 살아요")
    done = control.edit(BOND, _fact(talk, "망원동").key, MemoryEdit(predicate="from"))
    first = talk.characters.context(BOND, "").window[0]
    talk.characters.withdraw(BOND, [first.id])
    assert _held_by(talk, "user", "from") == {"망원동"}
    assert not _held_by(talk, "user", "lives_in")
    assert done.memory is not None
    control.delete(BOND, done.memory.id)
    assert not _holding(talk)


def test_a_fact_is_added_outranks_what_is_detected_and_yields_to_news(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say("저는 망원동에 살아요")
    done = control.add(BOND, MemoryEdit(predicate="lives_in", object="합정동"))
    assert done.memory is not None
    assert (done.memory.confidence, done.memory.is_current) == (1.0, True)
    talk.say("저는 연남동에 살아요")
    assert _holding(talk) == {"합정동"}
    talk.say("나 이사했어 혜화동으로 어제 짐 다 옮겼어")
    assert _holding(talk) == {"혜화동"}
    control.undo(BOND, done.undo)
    assert _holding(talk) == {"혜화동"}
    assert "합정동" not in {one.object for one in talk.characters.memories(BOND).facts}


def test_a_fact_that_is_added_twice_is_one_and_can_be_deleted_for_good(
    talk: CharacterTalk, control: Control, journal: SqliteJournal
) -> None:
    talk.say("나 새우 알레르기 있어")
    told = talk.characters.memories(BOND)
    done = control.add(BOND, MemoryEdit(predicate="allergy", object="새우 알레르기"))
    (fact,) = talk.characters.memories(BOND).facts
    assert (fact.by, fact.message_ids) == ("person", told.facts[0].message_ids)
    control.undo(BOND, done.undo)
    assert talk.characters.memories(BOND) == told
    done = control.add(BOND, MemoryEdit(subject="엄마", predicate="job", object="교사"))
    assert done.memory is not None
    gone = control.delete(BOND, done.memory.id)
    control.undo(BOND, gone.undo)
    assert _held_by(talk, "엄마", "job") == {"교사"}
    control.delete(BOND, done.memory.id, for_good=True)
    assert not _held_by(talk, "엄마", "job")
    held = journal.read(BOND.scope, 0, budget_tokens=1 << 40)
    assert not any("교사" in one.message.text for one in held)
    assert not any("\\uad50" in one.message.text for one in held)


@pytest.mark.parametrize("for_good", [False, True])
def test_a_fact_that_was_added_twice_is_gone_once_it_is_deleted(
    talk: CharacterTalk, control: Control, journal: SqliteJournal, *, for_good: bool
) -> None:
    # as a client does that was told of a failure after the first was kept
    for _ in range(2):
        done = control.add(BOND, MemoryEdit(predicate="likes", object="barley tea"))
    assert done.memory is not None
    gone = control.delete(BOND, done.memory.id, for_good=for_good)
    assert not _held_by(talk, "user", "likes")
    if for_good:
        held = journal.read(BOND.scope, 0, budget_tokens=1 << 40)
        assert not any("barley" in one.message.text for one in held)
        return
    control.undo(BOND, gone.undo)
    assert _held_by(talk, "user", "likes") == {"barley tea"}


@pytest.mark.parametrize(
    "change",
    [
        MemoryEdit(object="교사"),
        MemoryEdit(predicate="no such", object="교사"),
        MemoryEdit(predicate="job", object="…"),
        MemoryEdit(predicate="job", object="교사", subject=" "),
        MemoryEdit(predicate="job", object="교사", day="soon"),
    ],
)
def test_a_fact_that_cannot_be_is_not_added(
    talk: CharacterTalk, control: Control, change: MemoryEdit
) -> None:
    with pytest.raises(BadRequest):
        control.add(BOND, change)
    assert not talk.characters.memories(BOND).facts


def test_an_edit_can_be_taken_back_for_a_while(talk: CharacterTalk, control: Control) -> None:
    talk.say("저는 망원동에 살아요")
    done = control.edit(BOND, _fact(talk, "망원동").key, MemoryEdit(object="망원1동"))
    other = control.mark(BOND, _fact(talk, "망원1동").key)
    control.undo(BOND, done.undo)
    fact = _fact(talk, "망원동")
    assert (fact.is_important, fact.importance) == (True, 0.9)
    with pytest.raises(NotFound):
        control.undo(BOND, done.undo)
    talk.later(8)
    with pytest.raises(NotFound):
        control.undo(BOND, other.undo)


@pytest.mark.parametrize(
    "change",
    [
        MemoryEdit(),
        MemoryEdit(object="…"),
        MemoryEdit(day="soon"),
        MemoryEdit(importance=2.0),
        MemoryEdit(text="x"),
        MemoryEdit(object="x" * 201),
    ],
)
def test_what_a_fact_cannot_be_is_refused(
    talk: CharacterTalk, control: Control, change: MemoryEdit
) -> None:
    talk.say("저는 망원동에 살아요")
    with pytest.raises(BadRequest):
        control.edit(BOND, _fact(talk, "망원동").key, change)


def test_what_is_deleted_is_not_learned_again_from_the_same_message(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say(
        "저는 망원동에 살아요", "나 이사했어 혜화동으로 어제 짐 다 옮겼어", "나 새우 알레르기 있어"
    )
    done = control.delete(BOND, _fact(talk, "혜화동").key)
    assert done.holds_again == (_fact(talk, "망원동").key,)
    assert _holding(talk) == {"망원동", "새우 알레르기"}
    assert not control.search(BOND, "혜화동").items
    talk.characters.withdraw(BOND, [_fact(talk, "새우 알레르기").message_ids[0]])
    first = talk.characters.context(BOND, "").window[0]
    talk.characters.replace(BOND, [first._replace(text="저는 연남동에 살아요")])
    assert _holding(talk) == {"연남동"}
    talk.say("나 이사했어 혜화동으로 오늘")
    assert "혜화동" in _holding(talk)


def test_a_deletion_can_be_taken_back(talk: CharacterTalk, control: Control) -> None:
    talk.say("저는 망원동에 살아요", "나 이사했어 혜화동으로 어제 짐 다 옮겼어")
    before = talk.characters.memories(BOND)
    done = control.delete(BOND, _fact(talk, "혜화동").key)
    control.undo(BOND, done.undo)
    assert talk.characters.memories(BOND) == before


def test_a_slip_does_not_come_back_when_what_put_it_right_is_deleted(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say("my sister Ada is 19", "sorry, she's 20, my sister Ada. i mean she turned 20")
    control.delete(BOND, _fact(talk, "20").key)
    assert not _holding(talk) & {"19", "20"}


def test_a_moment_is_deleted_and_comes_back_with_undo(
    talk: CharacterTalk, control: Control
) -> None:
    talk.say("너 왜 어제 내 말에 대답도 안 했어? 진짜 서운했어")
    (moment,) = talk.characters.memories(BOND).moments
    control.mark(BOND, moment.key)
    done = control.delete(BOND, moment.key)
    assert not talk.characters.memories(BOND).moments
    control.undo(BOND, done.undo)
    (again,) = talk.characters.memories(BOND).moments
    assert again.is_important


def test_a_summary_that_quotes_what_is_deleted_is_made_anew_and_the_users_own_is_named(
    talk: CharacterTalk,
) -> None:
    small, control = _summarised(talk, "나 새우 알레르기 있어")
    (episode, *_) = small.characters.memories(BOND).episodes
    assert "새우" in episode.text
    done = control.delete(BOND, _fact(small, "새우 알레르기").key)
    assert done.retold == (episode.key,)
    assert "새우" not in small.characters.memories(BOND).episodes[0].text
    control.undo(BOND, done.undo)
    control.edit(BOND, episode.key, MemoryEdit(text="새우 얘기를 했다"))
    done = control.delete(BOND, _fact(small, "새우 알레르기").key)
    assert (done.retold, done.stale) == ((), (episode.key,))


def test_an_episode_is_edited_deleted_and_comes_back(talk: CharacterTalk) -> None:
    small, control = _summarised(talk, "나 새우 알레르기 있어")
    (episode, *_) = small.characters.memories(BOND).episodes
    first = control.edit(
        BOND, episode.key, MemoryEdit(text="우리는 책 이야기를 했다", is_important=True)
    )
    assert small.characters.memories(BOND).episodes[0].text == "우리는 책 이야기를 했다"
    gone = control.delete(BOND, episode.key)
    assert episode.key not in [one.key for one in small.characters.memories(BOND).episodes]
    control.undo(BOND, gone.undo)
    assert small.characters.memories(BOND).episodes[0].is_important
    control.undo(BOND, first.undo)
    assert small.characters.memories(BOND).episodes[0] == episode


def test_a_deletion_for_good_leaves_nothing_but_the_message(
    talk: CharacterTalk, control: Control, journal: SqliteJournal
) -> None:
    talk.say("저는 망원동에 살아요")
    control.edit(BOND, _fact(talk, "망원동").key, MemoryEdit(object="합정동"))
    done = control.delete(BOND, _fact(talk, "합정동").key, for_good=True)
    assert done.undo == ""
    held = journal.read(BOND.scope, 0, budget_tokens=1 << 40)
    assert [one.message.text for one in held if one.message.role is not Role.TOOL] == [
        "저는 망원동에 살아요"
    ]
    assert not any("합정동" in one.message.text or "망원동" in one.message.text for one in held[1:])
    assert not journal.replaced(BOND.scope)
    assert not journal.made(BOND.scope)


def test_what_was_kept_of_a_deletion_goes_once_it_can_no_more_be_taken_back(
    talk: CharacterTalk, control: Control, journal: SqliteJournal
) -> None:
    talk.say("저는 망원동에 살아요")
    control.delete(BOND, _fact(talk, "망원동").key)
    assert (control.tidy(), len(journal.replaced(BOND.scope))) == (0, 1)
    talk.later(9)
    assert (control.tidy(), journal.replaced(BOND.scope), control.tidy()) == (1, [], 0)


def test_a_message_is_deleted_with_every_version_of_it(
    talk: CharacterTalk, control: Control, journal: SqliteJournal
) -> None:
    talk.say("저는 망원동에 살아요", "나 새우 알레르기 있어")
    first = talk.characters.context(BOND, "").window[0]
    talk.characters.replace(BOND, [first._replace(text="저는 혜화동에 살아요")])
    control.delete_message(BOND, first.id)
    assert _holding(talk) == {"새우 알레르기"}
    assert [one.text for one in control.messages(BOND).items] == ["나 새우 알레르기 있어"]
    assert [one.message.text for one in journal.messages(BOND.scope, [first.id])] == [""]
    assert not journal.replaced(BOND.scope)
    with pytest.raises(NotFound):
        control.delete_message(BOND, "none")
