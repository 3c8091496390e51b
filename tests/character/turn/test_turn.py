"""A turn: what is journalled, charged and told, however it goes."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from character_house import KIM, LEE, MINA, CharacterHouse, opened

from gieok.character.memory.service import SUMMARY, Bond, TurnBudget
from gieok.character.turn.turn import CUT, Turnstile, UserTurn
from gieok.errors import BadRequest, GeneratorFailed, NotEnoughPoints, NotFound, TooManyRequests
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.scripted_chat import ScriptedReplies, ScriptedReply

Opened = Callable[..., CharacterHouse]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Opened]:
    made: list[CharacterHouse] = []

    def of(*replies: ScriptedReply, budget: TurnBudget | None = None) -> CharacterHouse:
        clock = ManualClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
        made.append(opened(tmp_path, clock, ScriptedReplies(*replies), budget))
        return made[-1]

    yield of
    for one in made:
        one.close()


def test_a_reply_is_told_the_card_and_memory_and_costs_a_point_once_it_was_delivered(
    house: Opened,
) -> None:
    at = house()
    assert at.say("나 망원동에 살아") == "그래, 들었어."
    assert at.balance() == 99
    assert at.lines() == ["a: 어서 와, kim.", "u: 나 망원동에 살아", "a: 그래, 들었어."]
    at.say("나 어디 산다고 했지?")
    head, *talk, after = at.model.told[-1]
    assert "Mina runs a book shop and knows kim well." in head.text
    assert "망원동에 산다" in head.text
    assert [one.role for one in talk] == ["assistant", "user", "assistant", "user"]
    assert after.text == "Answer kim in one sentence."
    assert at.model.samplings[-1].max_tokens == 400
    at.say("등대는 어디야?")
    assert "Mina의 등대는 섬에 있다." in at.model.told[-1][0].text


@pytest.mark.parametrize(
    "replies",
    [(GeneratorFailed("down"),), (), ("  ", "\n"), ("그래", GeneratorFailed("broke off"))],
)
def test_a_model_that_fails_costs_nothing_and_the_message_stays_once(
    house: Opened, replies: ScriptedReply
) -> None:
    at = house(replies, ("이제 돼.",))
    with pytest.raises(GeneratorFailed):
        at.say("들려?")
    assert (at.balance(), at.lines()[1:]) == (100, ["u: 들려?"])
    assert at.say("들려?") == "이제 돼."
    assert (at.balance(), at.lines()[1:]) == (99, ["u: 들려?", "a: 이제 돼."])


def test_of_a_reply_that_is_cut_off_what_was_delivered_is_kept_and_charged(house: Opened) -> None:
    at = house(("하나 ", "둘 ", "셋 ", "넷"))
    reply = at.turns.begin(UserTurn(KIM, MINA, "세어 봐"))
    pieces = iter(reply)
    assert [next(pieces).text for _ in range(3)] == ["하나 ", "둘 ", "셋 "]
    reply.close()
    assert at.model.closed == 1
    assert (at.balance(), at.lines()[-1]) == (99, "a: 하나 둘")
    (kept,) = at.journal.messages(Bond(KIM, MINA).scope, [reply.id])
    assert kept.message.source == CUT
    reply = at.turns.begin(UserTurn(KIM, MINA, "다시"))
    reply.close()
    assert (at.balance(), at.lines()[-1]) == (99, "u: 다시"), "nothing was delivered"


def test_a_message_that_is_sent_again_is_answered_and_charged_once(house: Opened) -> None:
    at = house(("첫 답",), ("둘째 답",))
    assert at.say("안녕", message_id="a1") == "첫 답"
    assert at.say("안녕", message_id="a1") == "첫 답"
    assert (at.balance(), len(at.lines())) == (99, 3)
    assert at.say("안녕", message_id="a2") == "둘째 답"


def test_what_a_crash_left_held_is_spent_by_the_same_message(house: Opened) -> None:
    at = house()
    identity, _ = at.turns._build_ids(Bond(KIM, MINA).scope, "a1")
    at.turns.points.hold_reply(KIM, MINA, identity)
    assert at.balance() == 99
    at.say("안녕", message_id="a1")
    assert at.balance() == 99


def test_nothing_is_journalled_where_points_do_not_reach_or_the_message_is_bad(
    house: Opened,
) -> None:
    at = house()
    at.accounts.hold(LEE, 100, "all", at.clock.now(), "")
    with pytest.raises(NotEnoughPoints):
        at.say("안녕", LEE)
    assert at.lines(LEE, LEE) == []
    for text in ("", " \n", "x" * 200_001):
        with pytest.raises(BadRequest):
            at.say(text)
    with pytest.raises(NotFound, match="there is no character 'nobody'"):
        at.turns.begin(UserTurn(KIM, "nobody", "안녕"))
    assert at.say("half \ud800 a pair")
    assert at.balance() == 99


def test_a_secret_is_cut_before_it_is_stored_or_told(house: Opened) -> None:
    at = house()
    key = "sk-ant-" + "api03-" + "Ab3dEf6hIj" * 9
    at.say(f"my key is {key}")
    assert key not in "".join(at.lines())
    assert key not in "".join(one.text for one in at.model.told[-1])


def test_two_turns_of_one_bond_take_turns_and_start_one_summary(house: Opened) -> None:
    at = house(("그래.",), budget=TurnBudget(context_tokens=900, narrative_tokens=300))
    with ThreadPoolExecutor(4) as pool:
        replies = list(
            pool.map(
                at.say,
                [
                    f"오늘은 {number}번째 이야기를 해 줄게. 책방에 손님이 왔어."
                    for number in range(20)
                ],
            )
        )
    assert replies == ["그래."] * 20
    assert at.balance() == 80
    roles = [line[0] for line in at.lines()]
    assert "".join(roles) == "a" + "ua" * 20
    at.tending.close()
    scope = Bond(KIM, MINA).scope
    episodes = at.turns.memory.memories(Bond(KIM, MINA)).episodes
    spans = [set(one.message_ids) for one in episodes]
    assert episodes
    assert sum(map(len, spans)) == len(set().union(*spans)), "no message is summarised twice"
    assert at.journal.position(scope, SUMMARY) > 0


def test_the_context_alone_journals_and_charges_nothing(house: Opened) -> None:
    at = house()
    at.say("나 망원동에 살아")
    before = at.lines()
    prepared = at.turns.context(KIM, MINA, "나 어디 살아?")
    assert "망원동에 산다" in prepared.messages[0].text
    assert prepared.messages[-2].text == "나 어디 살아?"
    assert (at.lines(), at.balance()) == (before, 99)


@pytest.mark.parametrize("most_waiting", [0, 1])
def test_as_many_may_wait_as_are_allowed_and_the_next_is_refused(
    tmp_path: Path, most_waiting: int
) -> None:
    with (
        closing(SqliteJournal(tmp_path / "journal.sqlite")) as journal,
        ThreadPoolExecutor() as pool,
    ):
        turnstile, entered = Turnstile(journal, most_waiting), threading.Event()
        with turnstile.turn(KIM):
            waiting = [pool.submit(_pass, turnstile, entered) for _ in range(most_waiting + 1)]
            refused = next(one for one in as_completed(waiting, 30) if one.exception())
            assert isinstance(refused.exception(), TooManyRequests)
        others = [one.result() for one in waiting if one is not refused]
        assert others == [True] * most_waiting


def _pass(turnstile: Turnstile, entered: threading.Event) -> bool:
    with turnstile.turn(KIM):
        entered.set()
    return entered.is_set()


def test_the_words_around_the_card_are_in_the_language_of_the_talk(house: Opened) -> None:
    at = house()
    at.say("내 생일은 3월 15일이야")
    korean = at.turns.context(KIM, MINA, "나 몇 월생이게?").messages[0].text
    assert korean.startswith('당신은 "Mina"입니다.')
    assert "Mina가 기억하는 것들:\n" in korean
    at.say("i live in Leith by the sea", user=LEE)
    at.say("it is lovely here in the summer", user=LEE)
    english = at.turns.context(LEE, MINA, "where do i live?").messages[0].text
    assert "Write Mina's next reply" in english
    assert "What Mina remembers:\nThis is what I remember" in english
