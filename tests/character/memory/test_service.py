"""What a character remembers of a talk, what it tells itself, and that nothing is lost or made
twice.
"""

import contextlib
from dataclasses import replace

from character_talk import BOND, CharacterTalk

from gieok.character.memory.said_words import said_scope
from gieok.character.memory.service import SUMMARY, Bond, CharacterService, TurnBudget
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.memory_store import MemoryStore


def test_the_newest_value_holds_and_the_one_before_is_told_as_past(talk: CharacterTalk) -> None:
    talk.say("저는 망원동에 살아요")
    talk.later(40)
    talk.say("나 이사했어 혜화동으로 어제 짐 다 옮겼어")
    told = talk.told("나 어디 살아?")
    assert "그 사람은 혜화동에 산다고 했던 것 같아 (“나 이사했어 혜화동으로" in told
    assert "그 사람은 전에 망원동에 살았다고 했어 (4월 11일까지)." in told
    now = talk.characters.context(BOND, "나 어디 살아?").narrative.now
    assert "망원동" not in now


def test_a_repeat_is_counted_and_not_kept_twice(talk: CharacterTalk) -> None:
    talk.say("나 새우 알레르기 있어", "아 참 나 새우 알레르기 있는 거 알지")
    (fact,) = talk.characters.memories(BOND).facts
    assert fact.mentions == 2
    assert len(fact.message_ids) == 2


def test_a_slip_that_is_put_right_at_once_is_no_history(talk: CharacterTalk) -> None:
    talk.say("my sister Ada is 19", "sorry, she's 20, my sister Ada. i mean she turned 20")
    ages = [fact for fact in talk.characters.memories(BOND).facts if fact.predicate == "age"]
    assert [(fact.object, fact.is_current) for fact in ages] == [("20", True)]


def test_a_plan_is_near_the_day_before_and_not_talked_about_the_day_after(
    talk: CharacterTalk,
) -> None:
    talk.say("다음 주 금요일에 면접이야")
    talk.later(10)
    said = "(3월 2일에 한 말: “다음 주 금요일에 면접이야”)"
    assert f"내일: 3월 13일 면접이 있다고 했어 {said}." in talk.told()
    talk.later(2)
    assert "어제: 3월 13일 면접이 있다고 했는데, 어땠는지 아직 이야기하지 않았어 (" in talk.told()
    talk.say("면접 잘 봤어!")
    assert "어제: 3월 13일 면접이 있었어 (“다음 주 금요일에 면접이야”)." in talk.told()


def test_an_english_plan_said_once_is_hedged(talk: CharacterTalk) -> None:
    talk.say("I have an interview on March 9th")
    assert "In 7 days: March 9 interview, I think (" in talk.told("what's on?")
    talk.say("I have an interview on March 9th")
    assert "In 7 days: March 9 interview (" in talk.told("what's on?")


def test_a_thought_is_told_as_a_thought_and_as_dropped_once_it_is(talk: CharacterTalk) -> None:
    talk.say("나 유튜브 채널 해볼까 고민중이야")
    assert "이건 아직 생각만 하고 있다고 했어." in talk.told()
    talk.say("유튜브는 이제 안 해 접었어")
    assert "이건 이제 그만뒀다고 했어." in talk.told()


def test_how_they_speak_is_told_first_and_in_the_words_that_hold(talk: CharacterTalk) -> None:
    talk.say("존댓말로 할게요 저는 그냥 서진 님이라고 불러주세요")
    talk.say("우리 이제 말 놓자 나는 진이라고 불러줘")
    head, manners, *_ = talk.told().splitlines()
    assert head == "그 사람을 나는 이렇게 기억해."
    words = "“우리 이제 말 놓자 나는 진이라고 불러줘”"
    asked = f"'진이' 하고 불러 달라고 했던 것 같아 ({words})."
    assert manners == f"우리는 반말로 이야기해 ({words}). {asked}"


def test_peace_is_made_only_after_a_fight(talk: CharacterTalk) -> None:
    talk.say("미안 늦었어")
    talk.say("너 왜 어제 내 말에 대답도 안 했어? 진짜 서운했어", "c: 미안해")
    assert [moment.type for moment in talk.characters.memories(BOND).moments] == [
        "fight",
        "reconcile",
    ]


def test_two_characters_share_nothing(talk: CharacterTalk) -> None:
    talk.say("저는 망원동에 살아요")
    other = Bond("kim", "otis")
    assert not talk.told("나 어디 살아?", bond=other)
    assert not talk.characters.search(other, "망원동")
    assert talk.characters.search(BOND, "망원동")


def test_a_message_that_comes_again_changes_nothing(talk: CharacterTalk) -> None:
    for _ in range(2):
        talk.characters.hear(
            BOND, "나 새우 알레르기 있어", is_user=True, at=talk.clock.now(), identity="m1"
        )
    (fact,) = talk.characters.memories(BOND).facts
    assert fact.mentions == 1


def test_what_was_journalled_before_a_crash_is_learned_after_it(
    talk: CharacterTalk, journal: SqliteJournal
) -> None:
    silent = replace(talk.characters, journal=_NoCommit(journal))
    with contextlib.suppress(ConnectionError):
        silent.hear(BOND, "나 새우 알레르기 있어", is_user=True)
    assert not talk.characters.memories(BOND).facts
    talk.characters.learn(BOND)
    assert [fact.object for fact in talk.characters.memories(BOND).facts] == ["새우 알레르기"]


def test_a_full_window_is_summarised_once_and_only_its_oldest_part(
    talk: CharacterTalk, journal: SqliteJournal
) -> None:
    characters = replace(
        talk.characters, budget=TurnBudget(context_tokens=700, narrative_tokens=300)
    )
    small = CharacterTalk(characters, talk.clock)
    small.say(*(f"오늘은 도서관에서 책을 {n}권 빌렸는데 정말 재미있었어" for n in range(2, 14)))
    episodes = characters.memories(BOND).episodes
    assert episodes
    assert all(len(episode.text) <= 200 for episode in episodes)
    summarised = [identity for episode in episodes for identity in episode.message_ids]
    window = [message.id for message in characters.context(BOND, "").window]
    assert not {*summarised} & {*window}
    assert len(summarised) == len({*summarised})
    position = journal.position(BOND.scope, SUMMARY)
    assert characters.summarise(BOND) is None
    assert journal.position(BOND.scope, SUMMARY) == position


def test_a_context_stays_within_its_budget(talk: CharacterTalk) -> None:
    characters = replace(
        talk.characters, budget=TurnBudget(context_tokens=400, narrative_tokens=150)
    )
    small = CharacterTalk(characters, talk.clock)
    small.say(
        "저는 망원동에 살아요",
        "나 새우 알레르기 있어",
        *(f"오늘 {n}시에 밥을 먹었어 맛있더라" for n in range(1, 12)),
    )
    context = characters.context(BOND, "나 어디 살아?")
    assert context.tokens <= 400
    assert context.narrative.text


def test_a_pasted_megabyte_is_kept_whole_and_read_at_its_beginning(
    talk: CharacterTalk, journal: SqliteJournal
) -> None:
    pasted = "나 새우 알레르기 있어. " + "가" * 400_000
    talk.say(pasted)
    assert [fact.object for fact in talk.characters.memories(BOND).facts] == ["새우 알레르기"]
    (held,) = journal.read(BOND.scope, 0, budget_tokens=1)
    assert held.message.text == pasted


def test_the_store_can_be_lost(talk: CharacterTalk, journal: SqliteJournal) -> None:
    talk.say("저는 망원동에 살아요")
    fresh = CharacterService(journal=journal, store=MemoryStore(), clock=talk.clock)
    assert fresh.memories(BOND) == talk.characters.memories(BOND)


class _NoCommit:
    """A journal whose process dies before anything is made of what was said."""

    def __init__(self, journal: SqliteJournal) -> None:
        self._journal = journal

    def __getattr__(self, name: str) -> object:
        return getattr(self._journal, name)

    def commit(self, *args: object, **named: object) -> bool:
        raise ConnectionError


def test_what_a_user_takes_back_as_a_joke_was_never_said(talk: CharacterTalk) -> None:
    talk.say("저는 망원동에 살아요", "나 혜화동으로 이사했어", "사실은 나 어제 혼자 울었어")
    talk.say("뻥이야 ㅋㅋ", "나 새우 알레르기 있어")
    held = talk.characters.memories(BOND)
    assert not held.moments
    assert {fact.object for fact in held.facts if fact.is_current} == {
        "혜화동",
        "새우 알레르기",
    }
    talk.say("혜화동으로 이사했다고 한거 뻥이야")
    held = talk.characters.memories(BOND)
    assert {fact.object: fact.is_current for fact in held.facts} == {
        "망원동": True,
        "새우 알레르기": True,
    }
    window = talk.characters.context(BOND, "").window
    talk.characters.withdraw(BOND, [window[-1].id])
    held = talk.characters.memories(BOND)
    assert {fact.object for fact in held.facts if fact.is_current} == {
        "혜화동",
        "새우 알레르기",
    }


def test_a_plan_of_yesterday_that_came_to_nothing_is_moved(talk: CharacterTalk) -> None:
    talk.say("3월 20일 금요일에 검진 있어")  # the talk begins on March 2
    day = next(fact.day for fact in talk.characters.memories(BOND).facts)
    talk.later(19)
    talk.say("어제 병원 안 갔어. 회의가 길어져서 4월 8일로 미뤘어")
    held = talk.characters.memories(BOND).facts
    assert {(fact.day, fact.is_current) for fact in held} == {
        (day, False),
        ("2026-04-08", True),
    }


def test_a_message_stands_but_for_the_sentence_that_is_taken_back(talk: CharacterTalk) -> None:
    talk.say(
        "저는 망원동에 살아요. 새우 알레르기 있어요. 저는 변호사예요", "농담이었어요 속으셨죠?"
    )
    held = talk.characters.memories(BOND)
    assert {fact.object for fact in held.facts} == {"망원동", "새우 알레르기"}


def test_an_episode_tells_again_what_a_deleted_message_had_taken_back(talk: CharacterTalk) -> None:
    characters = replace(
        talk.characters, budget=TurnBudget(context_tokens=700, narrative_tokens=300)
    )
    small = CharacterTalk(characters, talk.clock)
    books = [f"오늘은 도서관에서 책을 {n}권 빌렸는데 정말 재미있었어" for n in range(2, 14)]
    small.say("나 옛날에 해병대 나왔어", *books)
    assert "해병대" in characters.memories(BOND).episodes[0].text
    characters.hear(BOND, "해병대 나왔다고 한거 뻥이야", is_user=True, identity="joke")
    assert "해병대" not in characters.memories(BOND).episodes[0].text
    characters.withdraw(BOND, ["joke"])
    assert "해병대" in characters.memories(BOND).episodes[0].text


def test_an_episode_of_a_return_leaves_out_what_was_taken_back_later(talk: CharacterTalk) -> None:
    characters = talk.characters
    characters.hear(
        BOND, "나 옛날에 해병대 나왔어. 도서관 가는 길이야", is_user=True, identity="one"
    )
    said = characters.journal.messages(BOND.scope, ["one"])
    talk.say("오늘은 책을 빌렸어", "해병대 나왔다고 한거 뻥이야")
    characters.tell_of(BOND, said, ["one"])
    text = characters.memories(BOND).episodes[0].text
    assert "도서관" in text
    assert "해병대" not in text
    kept = [one.document.text for one in characters.journal.made(said_scope(BOND.scope))]
    assert kept == ["도서관 가는 길이야"]


def test_what_was_only_imagined_is_no_moment(talk: CharacterTalk) -> None:
    talk.say("If I won the lotto, I would live on an island. I made it up years ago")
    assert not talk.characters.memories(BOND).moments


def test_only_the_user_gives_up_what_they_do(talk: CharacterTalk) -> None:
    talk.say("나 주말마다 축구 해")
    talk.say("동생이 축구 동아리 그만뒀어", "my brother quit 축구")
    talk.say("은퇴하신 교수님이랑 축구 했어", "I'm done with 축구 for today")
    assert all(fact.is_current for fact in talk.characters.memories(BOND).facts)
    talk.say("엄마가 하도 뭐라 해서 축구 그만뒀어")
    assert not any(fact.is_current for fact in talk.characters.memories(BOND).facts)


def test_the_user_behind_another_clause_gives_up_a_habit(talk: CharacterTalk) -> None:
    talk.say("I go running every morning")
    talk.say("You know what, I quit running")
    assert not any(fact.is_current for fact in talk.characters.memories(BOND).facts)
