"""What the rules find in a message is a fact only where the reader sees it said."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from character_talk import BOND, CharacterTalk
from silent_reader import SilentReader

from gieok.character.detect.detect import Spoken, detect_statements
from gieok.character.facts import USER, Fact, FactType
from gieok.character.memory.told_readings import drop_unseen_findings
from gieok.errors import EmbedderFailed
from gieok.models.local.reader import LocalReader
from gieok.testing.clock import ManualClock


class _SureReader(SilentReader):
    """Reader that gives every reading one figure, and keeps what it was asked."""

    def __init__(self, figure: float) -> None:
        self._figure = figure
        self.asked: list[tuple[str, str, tuple[str, str]]] = []

    def measure_told(
        self, line: str, before: str, readings: Sequence[tuple[str, str]]
    ) -> list[float]:
        self.asked += [(line, before, reading) for reading in readings]
        return [self._figure] * len(readings)


class _BrokenReader(SilentReader):
    def measure_told(
        self, line: str, before: str, readings: Sequence[tuple[str, str]]
    ) -> list[float]:
        raise EmbedderFailed("no room", hint="make some")


def _list_seen(reader: SilentReader | LocalReader, text: str, before: str = "") -> list[str]:
    spoken = Spoken(text, is_user=True, day=ManualClock().now().date(), answers=before)
    found = drop_unseen_findings(reader, spoken, detect_statements(spoken, ()), ())
    return [one.object for one in found.findings]


@pytest.mark.parametrize(
    "text",
    [
        "바이올린은 배우다 손목만 나갔어",
        "한의원에 뜸 맞으러 다닌다",
        "너무 비려서 못 먹겠더라",
        "관장님이 한입먹고 바로 간판 메뉴에 올리래",
        "playing the new RPG with the lads, I'm Lord Barnaby, I'm 61, widowed",
    ],
)
def test_what_is_not_said_of_the_user_is_no_fact(models: Path, text: str) -> None:
    assert _list_seen(SilentReader(), text) != []  # the rules find something
    assert _list_seen(LocalReader(models), text) == []


@pytest.mark.parametrize(
    ("text", "before", "value"),
    [
        ("저는 통영에서 배관 기사로 일해요", "", "배관 기사"),
        ("나 지금 광양 살아", "", "광양"),
        ("이름은 배소라예요", "이름이 뭐예요?", "배소라"),
        ("갓김치 못 먹어", "", "갓김치"),
        ("나 복숭아 알레르기 있어", "", "복숭아 알레르기"),
        ("my name is Rhona", "", "Rhona"),
        ("I'm a midwife at the Royal", "", "midwife at the Royal"),
        ("I live in Leith now", "", "Leith"),
        ("I'm allergic to kiwi", "", "kiwi allergy"),
    ],
)
def test_a_plain_statement_stays_a_fact(models: Path, text: str, before: str, value: str) -> None:
    assert value in _list_seen(LocalReader(models), text, before)


def test_the_reader_is_asked_for_what_rules_found_and_nothing_else() -> None:
    never = _SureReader(-9.0)
    assert _list_seen(never, "갓김치 못 먹어", "뭐 안 먹어?") == []
    assert never.asked == [("갓김치 못 먹어", "뭐 안 먹어?", ("dislikes", "갓김치"))]
    assert _list_seen(never, "엄마는 목포에 살아") == ["목포"]  # told of kin
    assert _list_seen(never, "오늘 하늘이 파랗더라") == []
    assert len(never.asked) == 1


@pytest.mark.parametrize(
    ("text", "figure", "is_seen"),
    [
        ("갓김치 못 먹어", -2.0, True),
        ("갓김치 못 먹어", -2.1, False),
        ("나 진짜 갓김치 못 먹어", -2.6, True),
        ("나 진짜 갓김치 못 먹어", -2.7, False),
        ("나 어제도 진짜 갓김치 못 먹어", -2.6, False),
        ("반말해줘", -9.0, True),
        ("나 이혼했어", -9.0, True),
    ],
)
def test_how_sure_the_reader_must_be(text: str, figure: float, is_seen: bool) -> None:
    """Surest of a doubtful form, less of five words that name the user, and nothing of how to speak
    or of a value in our own words.
    """
    assert bool(_list_seen(_SureReader(figure), text)) is is_seen


@pytest.mark.parametrize(
    ("text", "slot"), [("나 이제 갓김치 못 먹어", "dislikes"), ("나 이제 여수 살아", "job")]
)
def test_news_of_another_slot_or_of_one_with_many_values_needs_the_reader(
    text: str, slot: str
) -> None:
    held = Fact(
        subject=USER,
        predicate=slot,
        object="교사",
        type=FactType.PERSONAL,
        at=ManualClock().now(),
        confidence=1.0,
    )
    spoken = Spoken(text, is_user=True, day=ManualClock().now().date())
    found = detect_statements(spoken, ())
    assert found.findings
    assert drop_unseen_findings(_SureReader(-9.0), spoken, found, (held,)).findings == ()


def test_without_a_reader_that_can_run_the_rules_stand(talk: CharacterTalk) -> None:
    assert _list_seen(_BrokenReader(), "갓김치 못 먹어") == ["갓김치"]
    assert _list_seen(SilentReader(), "갓김치 못 먹어") == ["갓김치"]
    talk.say("나 지금 광양 살아")
    assert [fact.object for fact in talk.characters.memories(BOND).facts] == ["광양"]


def test_news_of_a_held_fact_takes_its_place_though_the_reader_does_not_see_it(
    talk: CharacterTalk,
) -> None:
    talk.say("나 지금 광양 살아")
    never = CharacterTalk(replace(talk.characters, reader=_SureReader(-9.0)), talk.clock)
    never.say("나 지금 여수 살아")  # no word of news: perhaps somebody else's
    assert [fact.object for fact in talk.characters.memories(BOND).facts if fact.is_current] == [
        "광양"
    ]
    never.say("나 이제 여수 살아")
    assert [fact.object for fact in talk.characters.memories(BOND).facts if fact.is_current] == [
        "여수"
    ]


def test_the_service_asks_its_reader(talk: CharacterTalk) -> None:
    never = CharacterTalk(replace(talk.characters, reader=_SureReader(-9.0)), talk.clock)
    never.say("나 지금 광양 살아")
    assert never.characters.memories(BOND).facts == []
