"""What a model finds and tells joins what the rules found; where it fails, the rules' findings
stand.
"""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, timedelta

import pytest
from character_talk import BOND, CharacterTalk, SilentNotifier

from gieok.character.accounts import return_visits
from gieok.character.facts import Fact
from gieok.character.memory.control import Control
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.service import Bond, TurnBudget
from gieok.character.turn import extraction
from gieok.character.turn.model_reader import INCIDENT, PASSING, PRECISE, Reading
from gieok.character.turn.upkeep import INCIDENT as UPKEEP
from gieok.character.turn.upkeep import Tending
from gieok.errors import DegenerateOutput, GeneratorFailed
from gieok.flow.generate import Asker
from gieok.flow.incidents import Incidents
from gieok.ports.models import Prompt
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.scripted_generator import Answer, ScriptedGenerator

_FILLER = ("오늘 날씨 좋다", "점심 먹었어", "졸리다", "집에 가는 중")
_DOWN = GeneratorFailed("down")
#: How long a test waits for another thread before it fails.
_PATIENCE_S = 60


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


def _answer(*rows: dict[str, object], **more: object) -> str:
    return json.dumps({"facts": rows, **more}, ensure_ascii=False)


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
    assert "plan" in at.facts(), "the rules take it for a plan"
    at.tend()
    assert at.facts() == {"taste": "초록", "trip": "초록 여행"}


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


def test_what_comes_while_a_memory_is_tended_is_tended_after(read: Callable[..., Read]) -> None:
    at = read()

    def answer_after_more_was_said(prompt: Prompt) -> str:
        at.say("제빵 일도 같이 해", *_FILLER)
        tending.later(BOND)
        other_thread_gave_up.wait(_PATIENCE_S)
        return _facts(_row(1, "job", "간호 쪽 일"))

    class WatchedTending(Tending):
        """Tells when the other thread has left the memory to the first."""

        def _do(self, bond: Bond) -> None:
            super()._do(bond)
            other_thread_gave_up.set()

    other_thread_gave_up = threading.Event()
    at.model.answers = [answer_after_more_was_said, _facts(_row(1, "likes", "제빵 일"))]
    at.say("간호 쪽 일을 벌써 몇 년째야", *_FILLER)
    tending = WatchedTending(at.reading)
    tending.later(BOND)
    assert other_thread_gave_up.wait(_PATIENCE_S)
    tending.close()
    assert len(at.model.prompts) == 2
    assert at.facts() == {"job": "간호 쪽 일", "likes": "제빵 일"}


def test_an_unexpected_error_of_the_upkeep_is_told_until_it_works_again(
    read: Callable[..., Read],
) -> None:
    at = read(KeyError("odd"), _facts(_row(1, "job", "간호 쪽 일")))
    at.say("간호 쪽 일을 벌써 몇 년째야", *_FILLER)
    for names, facts in ([UPKEEP], {}), ([], {"job": "간호 쪽 일"}):
        tending = Tending(at.reading)
        tending.later(BOND)
        tending.close()
        assert [one.name for one in at.journal.incidents()] == names
        assert at.facts() == facts


def test_what_a_model_does_not_confirm_does_not_hold_and_what_was_said_before_does(
    read: Callable[..., Read],
) -> None:
    at = read(_answer(), _answer(_row(1, "lives_in", "망원동")))
    at.say("나 새우 알레르기 있어", *_FILLER)
    at.tend()
    assert at.facts() == {}
    at.say("저는 망원동에 살아요", "나는 변호사로 일해", *_FILLER[:3])
    assert at.facts() == {"lives_in": "망원동", "job": "변호사"}
    at.tend()
    assert at.facts() == {"lives_in": "망원동"}
    assert "[2] - user job: 변호사" in at.model.prompts[1].text


def test_what_a_model_overruled_stays_so_where_memory_is_formed_again(
    read: Callable[..., Read],
) -> None:
    at = read(_answer(_row(2, "job", "제빵사")))
    at.say("점심 뭐 먹지", "요리사 아니고 제빵사라니까", "나는 변호사로 일해", *_FILLER[:2])
    at.tend()
    assert at.facts() == {"job": "제빵사"}
    first = at.characters.context(BOND, "").window[0]
    at.characters.withdraw(BOND, [first.id])
    assert at.facts() == {"job": "제빵사"}
    second = at.characters.context(BOND, "").window[0]
    at.characters.replace(BOND, [second._replace(text="나는 소방관으로 일해")])
    assert at.facts() == {"job": "소방관"}, "a message that was said anew is read anew"


def test_a_model_writes_dates_in_digits_and_nothing_that_was_not_said(
    read: Callable[..., Read],
) -> None:
    at = read(_answer(_row(1, "birthday", "6월 12일"), _row(2, "age", "77세")))
    at.say("내 귀빠진 날이 유월 열이틀이여", "나이는 일흔일곱 살이지", *_FILLER[:3])
    at.tend()
    assert at.facts() == {"birthday": "6월 12일", "age": "77세"}
    wrong = read(_answer(_row(1, "birthday", "6월 13일")))
    wrong.say("내 귀빠진 날이 유월 열이틀이여", *_FILLER)
    wrong.tend()
    assert wrong.facts()["birthday"] == "6월 12일"


def test_a_model_takes_back_what_was_known_and_that_is_undone_with_the_message(
    read: Callable[..., Read],
) -> None:
    at = read(
        _answer(_row(1, "job", "변호사")),
        _answer(
            taken_back=[{"message": 1, "about": "user", "predicate": "job", "value": "변호사"}]
        ),
    )
    at.say("나는 변호사로 일해", *_FILLER)
    at.tend()
    at.say("아까 변호사라고 한 건 장난이었어", *_FILLER)
    at.tend()
    assert at.facts() == {}
    assert "변호사" not in at.characters.context(BOND, "").narrative.text
    said = at.characters.context(BOND, "").window[5]
    at.characters.withdraw(BOND, [said.id])
    assert at.facts() == {"job": "변호사"}


def test_what_a_person_set_is_not_taken_back_by_a_model(read: Callable[..., Read]) -> None:
    taken = {"message": 1, "about": "user", "predicate": "job", "value": ""}
    at = read(_answer(_row(1, "job", "변호사"), taken_back=[taken]))
    control = Control(memory=at.characters)
    at.say("요즘 법원에 자주 가네 변호사들도 보고", *_FILLER)
    control.add(BOND, MemoryEdit(predicate="job", object="판사"))
    at.tend()
    assert at.facts() == {"job": "판사"}


def test_what_a_user_marked_stays_although_a_model_does_not_confirm_it(
    read: Callable[..., Read],
) -> None:
    at = read(_answer())
    at.say(
        "나 새우 알레르기 있어", "너 왜 어제 내 말에 대답도 안 했어? 진짜 서운했어", *_FILLER[:3]
    )
    control = Control(memory=at.characters)
    (fact,), (moment,) = at.characters.memories(BOND).facts, at.characters.memories(BOND).moments
    control.mark(BOND, fact.key)
    control.mark(BOND, moment.key)
    at.tend()
    held = at.characters.memories(BOND)
    assert [one.is_important for one in (*held.facts, *held.moments)] == [True, True]


def test_moments_topics_and_feelings_are_as_a_model_names_them(read: Callable[..., Read]) -> None:
    event = {
        "message": 1,
        "type": "farewell",
        "description": "그 사람이 할머니를 떠나보냈다",
        "user_emotion": "슬픔",
        "character_emotion": "안쓰러움",
        "intensity": 0.9,
    }
    wrong = [{**event, "message": 99}, {**event, "type": "?"}, {**event, "description": ""}, 3]
    mood = {"topics": ["할머니", "장례식", "할머니"], "user_emotion": "슬픔"}
    at = read(_answer(emotional_events=[event, *wrong], **mood), "", _answer())
    at.characters = replace(
        at.characters, budget=TurnBudget(context_tokens=700, narrative_tokens=300)
    )
    for line in (
        "할머니가 어제 돌아가셨어!!!",
        *(f"{number}번째 이야기야" for number in range(30)),
    ):
        at.clock.advance(timedelta(minutes=1))
        _journalled(at, line)
    at.tend()
    held = at.characters.memories(BOND)
    (moment,) = [one for one in held.moments if one.type == "farewell"]
    assert (moment.text, moment.emotions, moment.character_emotion, moment.intensity) == (
        "그 사람이 할머니를 떠나보냈다",
        ("슬픔",),
        "안쓰러움",
        0.9,
    )
    assert (held.episodes[0].topics, held.episodes[0].emotion) == (("할머니", "장례식"), "슬픔")


def test_the_answer_of_the_original_design_is_read(read: Callable[..., Read]) -> None:
    answer = {
        "facts": [
            {
                "type": "personal.birthday",
                "value": "3월 15일",
                "confidence": 0.95,
                "source_text": "내 생일은 3월 15일이야",
            }
        ],
        "emotional_events": [
            {
                "type": "confession",
                "description": "사용자가 캐릭터를 좋아한다고 고백함",
                "user_emotion": "긴장",
                "intensity": 0.9,
                "source_text": "사실 너 좋아해",
            }
        ],
    }
    at = read(json.dumps(answer, ensure_ascii=False))
    at.say("내 생일은 3월 15일이야", "사실 너 좋아해", *_FILLER[:3])
    at.tend()
    assert at.facts() == {"birthday": "3월 15일"}
    assert [one.type for one in at.characters.memories(BOND).moments] == ["confession"]


def test_a_careless_model_that_gives_words_nobody_said_leaves_that_to_the_rules(
    read: Callable[..., Read],
) -> None:
    at = read(_answer(_row(1, "lives_in", "다른 값"), _row(2, "job", "비행사")))
    at.say("저는 망원동에 살아요", "나는 변호사로 일해", *_FILLER[:3])
    at.tend()
    assert at.facts() == {"lives_in": "망원동", "job": "변호사"}


def test_a_slow_model_is_read_where_it_was_asked_and_not_over_what_came_since(
    read: Callable[..., Read],
) -> None:
    at = read(lambda prompt: _answer(_row(1, "lives_in", "망원동"), _row(2, "job", "제빵사")))
    answer = at.model.answers[0]

    def slow(prompt: object) -> str:
        at.clock.advance(timedelta(minutes=1))
        at.say("나 이사했어 혜화동으로 어제 짐 다 옮겼어")
        at.clock.advance(timedelta(minutes=1))
        Control(memory=at.characters).add(BOND, MemoryEdit(predicate="job", object="요리사"))
        return answer(prompt)  # type: ignore[operator, arg-type]

    at.model.answers = [slow]
    at.say("저는 망원동에 살아요", "요리사 아니고 제빵사라니까", *_FILLER[:3])
    at.tend()
    assert at.facts() == {"lives_in": "혜화동", "job": "요리사"}
    assert set(at.past()) == {"망원동", "제빵사"}


def test_a_reading_goes_with_its_message_and_with_the_memory_that_is_deleted_for_good(
    read: Callable[..., Read], journal: SqliteJournal
) -> None:
    at = read(_answer(_row(1, "birthday", "6월 12일"), _row(2, "job", "제빵사")))
    at.say("내 귀빠진 날이 유월 열이틀이여", "제빵사라니까", *_FILLER[:3])
    at.tend()
    control = Control(memory=at.characters)
    (birthday,) = [one for one in at.characters.memories(BOND).facts if one.object == "6월 12일"]
    control.delete(BOND, birthday.key, for_good=True)
    assert at.facts() == {"job": "제빵사"}

    def kept(text: str) -> bool:
        held = journal.read(BOND.scope, 0, budget_tokens=1 << 40)
        return any(json.dumps(text)[1:-1] in one.message.text for one in held)

    assert not kept("6월 12일")
    assert kept("제빵사")
    control.delete_message(BOND, at.characters.context(BOND, "").window[1].id)
    assert at.facts() == {}
    assert not kept("제빵사")


def test_an_episode_that_is_formed_again_on_return_is_told_by_the_model(
    read: Callable[..., Read],
) -> None:
    told = "나는 그 사람과 책방 이야기를 오래 나눴다. 우리는 편안했다."
    at = read(told, _answer())
    at.characters = replace(
        at.characters, budget=TurnBudget(context_tokens=900, narrative_tokens=300)
    )
    at.say(*(f"{number}번째 이야기야, 책방에 손님이 왔어" for number in range(40)))
    assert at.characters.memories(BOND).episodes
    return_visits.fade(at.journal, at.characters.store, BOND.scope)
    tending = Tending(replace(at.reading, every=1_000))
    tending.tend(BOND)
    tending.close()
    (episode, *_) = at.characters.memories(BOND).episodes
    assert episode.text == told


def test_topics_feelings_and_what_is_left_open_are_those_that_a_model_read(
    read: Callable[..., Read],
) -> None:
    mood = {"topics": ["면접"], "user_emotion": "설렘", "open_topics": ["면접 결과", "이사"]}
    at = read(_answer(**mood), _answer(**mood), "나는 우리 이야기를 기억한다.")
    at.characters = replace(
        at.characters, budget=TurnBudget(context_tokens=500, narrative_tokens=200)
    )
    for number in range(30):
        _journalled(at, f"{number}번째 이야기야, 책방에 손님이 왔어")
    at.tend()
    (episode, *_) = at.characters.memories(BOND).episodes
    assert (episode.topics, episode.emotion) == (("면접",), "설렘")
    assert episode.open_topics == ("면접 결과", "이사")
