from datetime import UTC, datetime, timedelta

import pytest

from gieok.backends.journals.sqlite.journal import SqliteJournal
from gieok.capabilities.observe import observation, scope_memory
from gieok.capabilities.observe.observation import Category, Observation, Observed, Priority
from gieok.capabilities.observe.reflect import READER, Reflector, model_ask, rules_ask
from gieok.engine.generate import Asker
from gieok.errors import DegenerateOutput
from gieok.model.memory import Scope
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore
from gieok.testing.scripted_generator import Answer, ScriptedGenerator

_SCOPE = Scope("agent:main")
_AT = datetime(2026, 11, 1, 5, 30, tzinfo=UTC)
_DECISION = Observation("출시는 금요일 오전 10시로 정했다", _AT, Priority.HIGH, Category.DECISION, message_ids=("d",))


def _reflector(journal: SqliteJournal, *answers: Answer) -> tuple[Reflector, MemoryStore, ScriptedGenerator]:
    store, clock, generator = MemoryStore(), ManualClock(), ScriptedGenerator(*answers)
    routine = [
        Observation(
            f"서버 {n}의 로그를 읽고 상태를 확인했다",
            _AT + timedelta(hours=n),
            Priority.LOW,
            Category.STATE,
            message_ids=(f"m{n}",),
        )
        for n in range(1, 30)
    ]
    store.put(observation.entries(_SCOPE, Observed((_DECISION, *routine), "점검"), _AT))
    asker = Asker("reflector", generator, journal, clock, UTC, lambda _: None, 1_000_000)
    return Reflector(journal, store, _SCOPE, clock, model_ask(asker, UTC)), store, generator


_SHORT = "<observations>\nDate: 2026-11-02\n* 🟢 (05:30) [state] 서버 29대의 로그를 확인했다 {2-30}\n</observations>"


def test_observations_are_replaced_and_stay_in_the_history(journal: SqliteJournal) -> None:
    reflector, store, generator = _reflector(journal, _SHORT + "\n<patterns>\n- 로그를 자주 본다\n</patterns>")
    result = reflector()
    held = scope_memory.load(store, _SCOPE)
    assert result.after_tokens <= result.before_tokens / 2
    assert [o.text for o in held.observations] == [_DECISION.text, "서버 29대의 로그를 확인했다"]
    assert held.observations[1].message_ids == tuple(f"m{n}" for n in range(1, 30)), "down to the messages"
    assert held.task == "점검"
    assert [p.text for p in held.patterns] == ["로그를 자주 본다"]
    assert len(journal.history(_SCOPE, 100)) == 29
    assert "<memory>" in generator.prompts[0].text


def test_a_decision_that_still_holds_is_never_dropped(journal: SqliteJournal) -> None:
    reflector, store, _ = _reflector(journal, _SHORT)
    reflector()
    assert _DECISION in scope_memory.load(store, _SCOPE).observations


def test_the_tries_grow_stronger_and_the_smallest_good_result_is_kept(journal: SqliteJournal) -> None:
    def lines(count: int) -> str:
        return "\n".join(
            f"* 🟢 (05:{n:02d}) [state] 서버 {n}의 로그를 읽고 상태를 확인했다 {{{n + 1}}}" for n in range(1, count)
        )

    reflector, store, generator = _reflector(journal, lines(29), lines(25), "", "", lines(20))
    result = reflector()
    levels = [prompt.system for prompt in generator.prompts]
    assert result.tries == 4
    assert len(set(levels)) == 4
    assert len(scope_memory.load(store, _SCOPE).observations) == 20, "19 lines and the decision"


@pytest.mark.parametrize(
    "answer", ["", "I cannot do that.", "<observations>\nNONE\n</observations>", "* 🔴 같은 줄을 되풀이한다\n" * 90]
)
def test_an_empty_or_degenerate_result_changes_nothing(journal: SqliteJournal, answer: str) -> None:
    reflector, store, _ = _reflector(journal, answer)
    before = store.hashes(_SCOPE)
    if "NONE" in answer:
        result = reflector()
        assert result.after_tokens == result.before_tokens
    else:
        with pytest.raises(DegenerateOutput):
            reflector()
    assert store.hashes(_SCOPE) == before
    assert journal.position(_SCOPE, READER) == 0


def test_of_two_reflections_at_once_one_counts(journal: SqliteJournal) -> None:
    outer, store, _ = _reflector(journal, lambda _: (inner(), _SHORT)[1])
    inner = Reflector(journal, store, _SCOPE, ManualClock(), rules_ask)
    result = outer()
    assert result.after_tokens == result.before_tokens
    assert journal.position(_SCOPE, READER) == 1
    assert _DECISION in scope_memory.load(store, _SCOPE).observations


def test_a_reflection_that_was_prepared_is_put_in_place_and_what_came_later_stays(journal: SqliteJournal) -> None:
    reflector, store, generator = _reflector(journal, _SHORT, "")
    before = store.hashes(_SCOPE)
    assert reflector.prepare()
    assert not reflector.prepare(), "there is one"
    assert store.hashes(_SCOPE) == before
    later = Observation("그 뒤에 관찰한 것", _AT + timedelta(days=9), Priority.LOW, Category.STATE, message_ids=("z",))
    store.put(observation.entries(_SCOPE, Observed((later,)), _AT))
    result = reflector()
    held = scope_memory.load(store, _SCOPE)
    assert [o.text for o in held.observations] == [_DECISION.text, "서버 29대의 로그를 확인했다", later.text]
    assert result.after_tokens == held.tokens
    assert len(generator.prompts) == 1
    assert journal.chunks(_SCOPE, READER) == []


def test_a_prepared_reflection_of_what_was_forgotten_is_not_used(journal: SqliteJournal) -> None:
    reflector, store, generator = _reflector(journal, _SHORT)
    assert reflector.prepare()
    gone = scope_memory.load(store, _SCOPE).documents[5]
    store.forget(_SCOPE, [gone.key])
    reflector()
    assert len(generator.prompts) == 2
    assert journal.chunks(_SCOPE, READER) == []
