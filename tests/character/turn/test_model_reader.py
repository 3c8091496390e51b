"""What a model finds and tells joins what the rules found; where it fails, the rules' findings
stand.
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, timedelta

import pytest
from character_talk import BOND, CharacterTalk, SilentNotifier

from gieok.character.facts import Fact
from gieok.character.memory.control import Control
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.service import TurnBudget
from gieok.character.turn import extraction
from gieok.character.turn.model_reader import INCIDENT, PASSING, PRECISE, Reading
from gieok.errors import DegenerateOutput, GeneratorFailed
from gieok.flow.generate import Asker
from gieok.flow.incidents import Incidents
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.scripted_generator import Answer, ScriptedGenerator

_FILLER = ("오늘 날씨 좋다", "점심 먹었어", "졸리다", "집에 가는 중")
_DOWN = GeneratorFailed("down")


class Read(CharacterTalk):
    """A talk that a model reads."""

    def __init__(
        self, talk: CharacterTalk, journal: SqliteJournal, answers: tuple[Answer, ...]
    ) -> None:
        super().__init__(talk.characters, talk.clock)
        self.model, self.journal = ScriptedGenerator(*answers), journal

    @property
    def reading(self) -> Reading:
        asker = Asker(
            "character", self.model, self.journal, self.clock, UTC, lambda seconds: None, 10**9, ()
        )
        incidents = Incidents(self.journal, self.clock, SilentNotifier())
        return Reading(memory=self.characters, asker=asker, incidents=incidents)

    def tend(self) -> None:
        self.reading.tend(BOND)

    def facts(self) -> dict[str, str]:
        return {one.predicate: one.object for one in self._facts() if one.is_current}

    def past(self) -> list[str]:
        return [one.object for one in self._facts() if not one.is_current]

    def _facts(self) -> list[Fact]:
        return self.characters.memories(BOND).facts


@pytest.fixture
def read(talk: CharacterTalk, journal: SqliteJournal) -> Callable[..., Read]:
    return lambda *answers: Read(talk, journal, answers)


def _row(message: int, predicate: str, value: str, **more: object) -> dict[str, object]:
    return {
        "message": message,
        "about": "user",
        "predicate": predicate,
        "value": value,
        "confidence": 0.9,
        **more,
    }


def _facts(*rows: dict[str, object]) -> str:
    return json.dumps({"facts": rows}, ensure_ascii=False)


def test_a_model_reads_after_every_fifth_message_and_its_facts_join_the_rules(
    read: Callable[..., Read],
) -> None:
    at = read(f"```json\n{_facts(_row(1, 'job', '간호 쪽 일'))}\n```")
    at.say("간호 쪽 일을 벌써 몇 년째야", *_FILLER[:3])
    at.tend()
    assert not at.model.prompts
    at.say(_FILLER[3], "c: 조심히 가")
    at.tend()
    assert at.facts() == {"job": "간호 쪽 일"}
    assert "speech_level =" in at.model.prompts[0].system
    at.tend()
    assert len(at.model.prompts) == 1, "what was read is not read again"
    runs = at.journal.runs(BOND.scope, at.clock.now() - timedelta(hours=1))
    assert [(run.kind, run.model) for run in runs if run.reader == PASSING] == [
        ("read", "scripted:1")
    ]


def test_of_two_values_in_one_message_the_models_holds(read: Callable[..., Read]) -> None:
    at = read(_facts(_row(1, "lives_in", "연남동"), _row(1, "likes", "망원동 시장")))
    at.say("저는 망원동에 살아요 라고 했지만 사실 연남동이야", *_FILLER)
    at.tend()
    assert at.facts()["lives_in"] == "연남동"
    assert at.past() == []


def test_what_a_model_finds_in_an_older_message_does_not_replace_what_was_said_since(
    read: Callable[..., Read],
) -> None:
    at = read(_facts(_row(1, "lives_in", "연남동 골목"), _row(2, "lives_in", "다른 값")))
    at.say("요새 연남동 골목 쪽이 내 구역이지", "저는 망원동에 살아요", *_FILLER[:3])
    assert at.facts()["lives_in"] == "망원동"
    at.tend()
    assert at.facts()["lives_in"] == "망원동"
    assert at.past() == ["연남동 골목"]


@pytest.mark.parametrize("answer", ["", "no JSON", "[]", '{"facts": 3}', '{"facts": ' + "[" * 5000])
def test_an_answer_that_is_none_leaves_the_rules_findings_and_is_not_asked_for_again(
    read: Callable[..., Read], answer: str
) -> None:
    at = read(answer)
    at.say("저는 망원동에 살아요", *_FILLER)
    at.tend()
    assert at.facts() == {"lives_in": "망원동"}
    assert [one.name for one in at.journal.incidents()] == [INCIDENT]
    assert len(at.model.prompts) == 2
    at.later(1)
    at.tend()
    assert len(at.model.prompts) == 2


def test_a_model_that_is_down_is_asked_later(read: Callable[..., Read]) -> None:
    at = read(_DOWN, _facts(_row(1, "job", "간호 쪽 일")))
    at.say("간호 쪽 일을 벌써 몇 년째야", *_FILLER)
    at.tend()
    at.tend()
    assert (len(at.model.prompts), at.facts()) == (1, {})
    at.later(1)
    at.tend()
    assert at.facts() == {"job": "간호 쪽 일"}
    assert not at.journal.incidents()


def test_rows_that_nobody_said_or_that_are_unsure_or_unknown_are_left_out(
    read: Callable[..., Read],
) -> None:
    at = read(
        _facts(
            _row(1, "job", "우주 비행사"),
            _row(1, "favourite_color", "초록"),
            _row(1, "hobby", "초록", confidence=0.4),
            _row(9, "hobby", "초록"),
            _row(1, "hobby", ""),
            _row(1, "likes", "초록", confidence="high"),
            _row(1, "likes", "초록", about="character"),
            {"message": 1},
            _row(1, "taste", "초록"),
            _row(1, "trip", "초록 여행", day="2026-13-40"),
        )
    )
    at.say("초록 여행 생각중 초록 초록", *_FILLER)
    before = at.facts()
    at.tend()
    assert at.facts() == {**before, "taste": "초록", "trip": "초록 여행"}


def test_what_the_user_edited_is_not_put_right_by_a_model(read: Callable[..., Read]) -> None:
    at = read(_facts(_row(2, "lives_in", "연남동 골목")))
    at.say("저는 망원동에 살아요", "요새 연남동 골목 쪽이 내 구역이지", *_FILLER[:3])
    (fact,) = at.characters.memories(BOND).facts
    at.clock.advance(timedelta(minutes=1))
    Control(memory=at.characters).edit(BOND, fact.key, MemoryEdit(object="성수동"))
    at.tend()
    assert at.model.prompts
    assert at.facts()["lives_in"] == "성수동"


def test_what_the_user_deleted_is_not_found_again(read: Callable[..., Read]) -> None:
    at = read(_facts(_row(1, "lives_in", "망원동")), _facts(_row(1, "lives_in", "망원동")))
    at.say("저는 망원동에 살아요", *_FILLER)
    (fact,) = at.characters.memories(BOND).facts
    Control(memory=at.characters).delete(BOND, fact.key)
    at.tend()
    assert at.model.prompts
    assert at.facts() == {}


def test_a_secret_does_not_reach_the_model(read: Callable[..., Read]) -> None:
    at = read(_facts())
    key = "sk-ant-" + "api03-" + "Ab3dEf6hIj" * 9
    at.say(f"my key is {key}", *_FILLER)
    at.tend()
    assert at.model.prompts
    assert key not in at.model.prompts[0].text


def test_before_a_summary_a_model_reads_all_of_it_with_care_and_tells_it(
    read: Callable[..., Read],
) -> None:
    told = "나는 그 사람이 간호 일을 한다는 걸 들었다. 우리는 서로 편해졌다."
    at = read(_facts(), _facts(_row(1, "job", "간호 쪽 일")), told, _facts())
    at.characters = replace(
        at.characters, budget=TurnBudget(context_tokens=900, narrative_tokens=300)
    )
    for line in (
        "간호 쪽 일을 벌써 몇 년째야",
        *(f"{number}번째 이야기야, 책방에 손님이 왔어" for number in range(30)),
    ):
        at.clock.advance(timedelta(minutes=1))
        _journalled(at, line)
        if not at.model.prompts:
            at.tend()
    at.tend()
    (episode, *_) = at.characters.memories(BOND).episodes
    assert (episode.text, at.facts()["job"]) == (told, "간호 쪽 일")
    assert at.journal.position(BOND.scope, PRECISE) > 0
    assert "first person" in at.model.prompts[2].system


def _journalled(at: Read, text: str) -> None:
    from gieok.character.messages import AGENT
    from gieok.model.conversation import Message, Role

    at.journal.say(
        BOND.scope, [Message(f"id-{text}", Role.USER, text, at.clock.now(), "kim", AGENT, 30)]
    )


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("나는 그가 좋다.", "나는 그가 좋다."),
        ('"나는 그가 좋다."', "나는 그가 좋다."),
        (
            "나는 그가 좋다. " + "우리는 오래 걸었다. " * 3 + "길" * 300,
            "나는 그가 좋다." + " 우리는 오래 걸었다." * 3,
        ),
        ("길" * 300, ""),
        ("", ""),
        ("그 사람은 좋다.", ""),
        ("I like him.", ""),
        ("나는 " + "좋아 " * 30, ""),
        ("죄송하지만 저는 언어 모델이라 나는 못 한다.", ""),
    ],
)
def test_a_summary_is_in_the_first_person_and_language_and_no_longer_than_it_may_be(
    answer: str, kept: str
) -> None:
    try:
        assert extraction.fitting(answer, "ko", 200) == kept
    except DegenerateOutput:
        assert not kept


def test_two_that_tend_one_memory_ask_once(read: Callable[..., Read]) -> None:
    at = read(_facts(_row(1, "job", "간호 쪽 일")))
    at.say("간호 쪽 일을 벌써 몇 년째야", *_FILLER)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(at.reading.tend, [BOND] * 4))
    assert len(at.model.prompts) == 1
    assert at.facts() == {"job": "간호 쪽 일"}
