"""The journal follows what a front end shows, whatever is done there."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from character_house import KIM, MINA, CharacterHouse, opened
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gieok.character.memory.service import Bond
from gieok.character.turn import history
from gieok.character.turn.history import Shown
from gieok.model.conversation import Role
from gieok.ports.models import ChatMessage
from gieok.testing.clock import ManualClock
from gieok.testing.scripted_chat import ScriptedReplies

_GREETING = "어서 와, kim."


class FrontEnd:
    """Keeps a chat as a front end does, and sends all of it."""

    def __init__(self, house: CharacterHouse, conversation: str = "") -> None:
        self.house, self.conversation = house, conversation
        self.lines = [Shown("assistant", _GREETING)]

    def send(self, text: str, shown: int = 0) -> str:
        """Say something; the front end shows the last lines alone where `shown` says so."""
        self.lines.append(Shown("user", text))
        return self.reply(shown)

    def reply(self, shown: int = 0) -> str:
        """Ask for a reply to what stands there."""
        system = Shown("system", "You are Mina. Kim likes tea.")
        reply = self.house.send(system, *self.lines[-shown:], conversation=self.conversation)
        text = "".join(part.text for part in reply)
        self.lines.append(Shown("assistant", text))
        return text

    def swipe(self) -> None:
        self.lines.pop()
        self.reply()

    @property
    def texts(self) -> list[str]:
        return [f"{one.role[0]}: {one.text}" for one in self.lines]


def _numbered() -> ScriptedReplies:
    return ScriptedReplies(*((f"답 {number}",) for number in range(400)))


def _opened(folder: Path) -> CharacterHouse:
    house = opened(folder, ManualClock(datetime(2026, 3, 2, 12, tzinfo=UTC)), _numbered())
    house.turns.points.credit(KIM, 1000, "more")
    return house


@pytest.fixture
def house(tmp_path: Path) -> Iterator[CharacterHouse]:
    made = _opened(tmp_path)
    yield made
    made.close()


def test_a_history_that_is_sent_again_is_recognised(house: CharacterHouse) -> None:
    front = FrontEnd(house)
    for text in ("나 망원동에 살아", "오늘 비 온다", "우산 없어"):
        front.send(text)
    assert house.lines() == front.texts
    assert house.balance() == 1097
    (fact,) = house.turns.memory.memories(Bond(KIM, MINA)).facts
    assert fact.mentions == 1


def test_an_edit_a_swipe_and_a_deleted_end_replace(house: CharacterHouse) -> None:
    front = FrontEnd(house)
    front.send("나 망원동에 살아")
    front.send("오늘 비 온다")
    front.swipe()
    assert house.lines() == front.texts
    front.lines[1] = Shown("user", "나 성수동에 살아")
    front.send("기억해?")
    assert house.lines() == front.texts
    del front.lines[-4:]
    front.send("다른 이야기")
    assert house.lines() == front.texts


def test_a_beginning_that_is_not_shown_stays(house: CharacterHouse) -> None:
    front = FrontEnd(house)
    for number in range(8):
        front.send(f"이야기 {number}", shown=5)
    assert house.lines() == front.texts


def test_a_new_chat_leaves_the_old_one_and_both_go_on(house: CharacterHouse) -> None:
    old, new = FrontEnd(house), FrontEnd(house)
    for number in range(3):
        old.send(f"옛날 {number}")
    kept = house.lines()
    new.send("처음부터 다시")
    new.send("응")
    assert house.lines() == [*kept, *new.texts[1:]]
    old.send("돌아왔어")
    new.send("나도")
    assert sorted(house.lines()) == sorted([*old.texts, *new.texts[1:]])


def test_an_older_place_that_is_gone_on_from_leaves_the_other_path(house: CharacterHouse) -> None:
    trunk = FrontEnd(house)
    for number in range(12):
        trunk.send(f"길 {number}")
    branch = FrontEnd(house)
    branch.lines = trunk.lines[:5]
    branch.send("갈림길")
    branch.send("이쪽으로")
    assert house.lines() == [*trunk.texts, *branch.texts[5:]]
    trunk.send("원래 길로")
    branch.send("여기로")
    assert sorted(house.lines()) == sorted([*trunk.texts, *branch.texts[5:]])


def test_an_edit_on_one_path_changes_nothing_on_another(house: CharacterHouse) -> None:
    trunk = FrontEnd(house)
    for number in range(12):
        trunk.send(f"길 {number}")
    branch = FrontEnd(house)
    branch.lines = trunk.lines[:5]
    branch.send("갈림길")
    branch.lines[5] = Shown("user", "고친 갈림길")
    branch.send("이쪽으로", shown=3)
    branch.send("더 가자", shown=6)
    assert [line for line in trunk.texts if line not in house.lines()] == []
    assert house.lines().count("u: 고친 갈림길") == 1
    assert "u: 갈림길" not in house.lines()


def test_conversations_that_are_named_have_rows_of_their_own_and_one_memory(
    house: CharacterHouse,
) -> None:
    one, two = FrontEnd(house, "work"), FrontEnd(house, "home")
    one.send("나 망원동에 살아")
    two.send("나 어디 살아?")
    assert house.lines(session="work") == one.texts
    assert house.lines(session="home") == two.texts
    assert "망원동에 산다" in house.model.told[-1][0].text


def test_what_a_front_end_adds_itself_is_no_talk() -> None:
    shown = (
        Shown("system", "[Start a new Chat]"),
        Shown("system", "hello", "example_user"),
        Shown("user", "an example", "example_user"),
        Shown("assistant", "Mina: 안녕"),
        Shown("user", "Kim: 반가워"),
        Shown("user", "시간: 세 시"),
        Shown("developer", "be nice"),
        Shown("tool", "{}"),
    )
    lines = history.select_talk_lines(shown, ("Mina", "Kim"))
    assert lines == [(Role.ASSISTANT, "안녕"), (Role.USER, "반가워"), (Role.USER, "시간: 세 시")]


def test_memory_goes_where_the_prompt_says_and_a_full_context_loses_its_oldest_lines(
    house: CharacterHouse,
) -> None:
    FrontEnd(house).send("나 망원동에 살아")
    ask = Shown("user", "나 어디 살아?")
    list(house.send(Shown("system", "A {{memory}} Z"), Shown("system", "more"), ask))
    head, more, last = house.model.told[-1]
    assert head.text.startswith("A ")
    assert head.text.endswith(" Z")
    assert "망원동에 산다" in head.text
    assert (more.text, last.text) == ("more", ask.text)
    list(house.send(Shown("system", "first"), Shown("system", "more"), ask))
    head, more, last = house.model.told[-1]
    assert head.text == "first"
    assert "망원동에 산다" in more.text
    list(house.send(ask))
    assert "Mina runs a book shop" in house.model.told[-1][0].text, (
        "a front end without a prompt has the card's"
    )
    long = [
        Shown(role, f"{number} " + "긴 이야기 " * 60)
        for number in range(20)
        for role in ("user", "assistant")
    ]
    list(house.send(Shown("system", "first"), *long, ask))
    told = house.model.told[-1]
    assert told[0].text.startswith("first")
    assert "망원동에 산다" in told[0].text
    assert told[-1] == ChatMessage("user", ask.text)
    assert len(told) < 30


_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(0, 3)),
        st.tuples(st.just("edit"), st.integers(0, 9)),
        st.tuples(st.just("swipe"), st.just(0)),
        st.tuples(st.just("delete"), st.integers(1, 3)),
        st.tuples(st.just("trim"), st.integers(4, 9)),
    ),
    min_size=1,
    max_size=10,
)


@settings(
    max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(steps=_STEPS)
def test_the_journal_holds_what_a_front_end_shows(steps: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        house = _opened(Path(folder))
        front = FrontEnd(house)
        front.send("시작하자")
        for number, (step, value) in enumerate(steps):
            if step == "edit":
                place = 1 + value % (len(front.lines) - 1)
                front.lines[place] = Shown(front.lines[place].role, f"고침 {number}")
            elif step == "delete" and len(front.lines) > 2 * value + 3:
                del front.lines[-2 * value :]
            if step == "swipe":
                front.swipe()
            else:
                front.send(f"말 {number}", shown=value if step == "trim" else 0)
        assert house.lines() == front.texts
        house.close()
