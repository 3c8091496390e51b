from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gieok.errors import DegenerateOutput
from gieok.flow.distil import deliver
from gieok.flow.generate import Asker
from gieok.memory import observation, scope_memory
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.reflection.reflect import (
    READER,
    ModelCondenser,
    Reflector,
    RulesCondenser,
    build_levels,
)
from gieok.model.memory import REPLACED_BY, Entry, Scope
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore
from gieok.testing.scripted_generator import Answer, ScriptedGenerator

_SCOPE = Scope("agent:main")
_AT = datetime(2026, 11, 1, 5, 30, tzinfo=UTC)
_DECISION = Observation(
    "출시는 금요일 오전 10시로 정했다", _AT, Priority.HIGH, Category.DECISION, message_ids=("d",)
)


def _keep(journal: SqliteJournal, store: MemoryStore, made: list[Entry]) -> None:
    journal.hand_over(made)
    deliver(journal, store)


def _reflector(
    journal: SqliteJournal, *answers: Answer
) -> tuple[Reflector, MemoryStore, ScriptedGenerator]:
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
    _keep(
        journal,
        store,
        observation.build_observed_entries(_SCOPE, Observed((_DECISION, *routine), "점검"), _AT),
    )
    asker = Asker("reflector", generator, journal, clock, UTC, lambda _: None, 1_000_000)
    return Reflector(journal, store, _SCOPE, clock, ModelCondenser(asker, UTC)), store, generator


_SHORT = (
    "<observations>\nDate: 2026-11-02\n* 🟢 (05:30) [state] 서버 29대의 로그를 확인했다 "
    "{2-30}\n</observations>"
)


def test_observations_are_replaced_and_stay_in_the_history(journal: SqliteJournal) -> None:
    reflector, store, generator = _reflector(
        journal, _SHORT + "\n<patterns>\n- 로그를 자주 본다\n</patterns>"
    )
    result = reflector()
    held = scope_memory.load_scope_memory(store, _SCOPE)
    assert result.after_tokens <= result.before_tokens / 2
    assert [o.text for o in held.observations] == [_DECISION.text, "서버 29대의 로그를 확인했다"]
    assert held.observations[1].message_ids == tuple(f"m{n}" for n in range(1, 30)), (
        "down to the messages"
    )
    assert held.task == "점검"
    assert [p.text for p in held.patterns] == ["로그를 자주 본다"]
    assert len(journal.history(_SCOPE, 100)) == 29
    assert "<memory>" in generator.prompts[0].text


def test_a_decision_that_still_holds_is_never_dropped(journal: SqliteJournal) -> None:
    reflector, store, _ = _reflector(journal, _SHORT)
    reflector()
    assert _DECISION in scope_memory.load_scope_memory(store, _SCOPE).observations


def test_the_tries_grow_stronger_and_the_smallest_good_result_is_kept(
    journal: SqliteJournal,
) -> None:
    def lines(count: int) -> str:
        return "\n".join(
            f"* 🟢 (05:{n:02d}) [state] 서버 {n}의 로그를 읽고 상태를 확인했다 {{{n + 1}}}"
            for n in range(1, count)
        )

    reflector, store, generator = _reflector(journal, lines(29), lines(25), "", "", lines(20))
    result = reflector()
    levels = [prompt.system for prompt in generator.prompts]
    assert result.tries == 4
    assert len(set(levels)) == 4
    assert len(scope_memory.load_scope_memory(store, _SCOPE).observations) == 20, (
        "19 lines and the decision"
    )


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I cannot do that.",
        "<observations>\nNONE\n</observations>",
        "* 🔴 같은 줄을 되풀이한다\n" * 90,
    ],
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
    inner = Reflector(journal, store, _SCOPE, ManualClock(), RulesCondenser())
    result = outer()
    assert result.after_tokens == result.before_tokens
    assert journal.position(_SCOPE, READER) == 1
    assert _DECISION in scope_memory.load_scope_memory(store, _SCOPE).observations


def test_a_reflection_that_was_prepared_is_put_in_place_and_what_came_later_stays(
    journal: SqliteJournal,
) -> None:
    reflector, store, generator = _reflector(journal, _SHORT, "")
    before = store.hashes(_SCOPE)
    assert reflector.prepare()
    assert not reflector.prepare(), "there is one"
    assert store.hashes(_SCOPE) == before
    later = Observation(
        "그 뒤에 관찰한 것",
        _AT + timedelta(days=9),
        Priority.LOW,
        Category.STATE,
        message_ids=("z",),
    )
    _keep(journal, store, observation.build_observed_entries(_SCOPE, Observed((later,)), _AT))
    result = reflector()
    held = scope_memory.load_scope_memory(store, _SCOPE)
    assert [o.text for o in held.observations] == [
        _DECISION.text,
        "서버 29대의 로그를 확인했다",
        later.text,
    ]
    assert result.after_tokens == held.tokens
    assert len(generator.prompts) == 1
    assert journal.chunks(_SCOPE, READER) == []


def _with(line: str, short: str = _SHORT) -> str:
    return short.replace("\n</observations>", f"\n{line}\n</observations>")


def _put(
    journal: SqliteJournal, store: MemoryStore, *observations: Observation, task: str = ""
) -> list[str]:
    made = observation.build_observed_entries(_SCOPE, Observed(observations, task), _AT)
    _keep(journal, store, made)
    return [entry.document.key for entry in made]


def _end(journal: SqliteJournal, store: MemoryStore, key: str, by: str, at: datetime) -> None:
    """Mark an observation as replaced, as an observer does."""
    (entry,) = store.entries(_SCOPE, [key])
    metadata = {**entry.document.metadata, REPLACED_BY: by}
    _keep(
        journal,
        store,
        [entry._replace(document=replace(entry.document, valid_to=at, metadata=metadata))],
    )


def test_a_prepared_reflection_does_not_undo_a_newer_task(journal: SqliteJournal) -> None:
    task = "\n<current-task>\nMonday: fix login\n</current-task>"
    reflector, store, _ = _reflector(journal, _SHORT + task)
    assert reflector.prepare()
    _put(journal, store, task="Thursday: billing page")
    reflector()
    assert scope_memory.load_scope_memory(store, _SCOPE).task == "Thursday: billing page"


def test_a_reflection_may_shorten_the_task_that_it_saw(journal: SqliteJournal) -> None:
    reflector, store, _ = _reflector(
        journal, _SHORT + "\n<current-task>\n점검 마무리\n</current-task>"
    )
    reflector()
    assert scope_memory.load_scope_memory(store, _SCOPE).task == "점검 마무리"


def test_a_prepared_reflection_does_not_revive_what_was_replaced_since(
    journal: SqliteJournal,
) -> None:
    reflector, store, _ = _reflector(
        journal, _with("* 🔴 (05:30) [decision] 출시는 금요일 10시 {1}")
    )
    (old,) = [
        d.key
        for d in scope_memory.load_scope_memory(store, _SCOPE).documents
        if d.text == _DECISION.text
    ]
    assert reflector.prepare()
    now = _AT + timedelta(days=3)
    new = Observation(
        "출시를 월요일로 미뤘다", now, Priority.HIGH, Category.DECISION, message_ids=("e",)
    )
    (key,) = _put(journal, store, new)
    _end(journal, store, old, key, now)
    reflector()
    held = scope_memory.load_scope_memory(store, _SCOPE)
    assert [
        o.text for d, o in zip(held.documents, held.observations, strict=True) if not d.valid_to
    ] == [
        "서버 29대의 로그를 확인했다",
        new.text,
    ]
    assert "금요일 10시" not in "".join(o.text for o in held.observations)


def test_what_was_replaced_goes_first_then_older_wordings(journal: SqliteJournal) -> None:
    store, clock = MemoryStore(), ManualClock()
    day = timedelta(days=1)
    busan = Observation(
        "I live in Busan near the old harbour market",
        _AT,
        Priority.HIGH,
        Category.STATE,
        message_ids=("a",),
    )
    incheon = busan._replace(
        text="I moved to Incheon", at=_AT + 9 * day, priority=Priority.MEDIUM, message_ids=("b",)
    )
    said = [
        Observation(
            text, _AT + n * day, Priority.MEDIUM, Category.PREFERENCE, message_ids=(f"w{n}",)
        )
        for n, text in enumerate(
            ("Please write short answers.", "I want answers short", "answers: short, please")
        )
    ]
    keys = _put(journal, store, busan, incheon, *said)
    _end(journal, store, keys[0], keys[1], incheon.at)
    reflected = Reflector(journal, store, _SCOPE, clock, RulesCondenser(), target=0.6)()
    held = scope_memory.load_scope_memory(store, _SCOPE)
    assert {o.text for o in held.observations} == {incheon.text, "answers: short, please"}
    assert next(o for o in held.observations if "short" in o.text).message_ids == ("w0", "w1", "w2")
    assert (reflected.tries, reflected.after_tokens) == (0, held.tokens), "nothing had to be asked"
    assert len(journal.history(_SCOPE, 10)) == 3


@pytest.mark.parametrize(("count", "fewer"), [(40, False), (1_300, True)])
def test_rules_keep_the_newer_of_two_that_nobody_linked(
    journal: SqliteJournal, count: int, fewer: bool
) -> None:
    store, clock = MemoryStore(), ManualClock()
    old = [
        Observation(
            f"Number {n} of the old notes: room {n} is cold and dark",
            _AT + timedelta(hours=n),
            Priority.HIGH,
            Category.STATE,
        )
        for n in range(count)
    ]
    new = Observation(
        "I moved to Incheon", _AT + timedelta(days=300), Priority.MEDIUM, Category.STATE
    )
    rule = Observation("Commit messages are Korean", _AT, Priority.LOW, Category.PREFERENCE)
    _put(journal, store, *old, new, rule)
    Reflector(journal, store, _SCOPE, clock, RulesCondenser())()
    texts = [o.text for o in scope_memory.load_scope_memory(store, _SCOPE).observations]
    assert new.text in texts
    assert rule.text in texts
    assert (len(texts) < 0.6 * count) is fewer, "where there is not much, no fact goes"


def test_a_model_that_keeps_the_old_and_drops_the_new_is_put_right(journal: SqliteJournal) -> None:
    reflector, store, _ = _reflector(
        journal, _with("* 🔴 (05:30) [state] The build server is called heron {31}")
    )
    at = _AT + timedelta(days=5)
    old = Observation(
        "The build server is called heron", at, Priority.MEDIUM, Category.STATE, message_ids=("h",)
    )
    new = old._replace(
        text="The build server is called osprey now", at=at + timedelta(days=2), message_ids=("o",)
    )
    rule = Observation("커밋은 한국어로", at + timedelta(days=1), Priority.LOW, Category.PREFERENCE)
    _put(journal, store, old, new, rule)
    reflector()
    texts = [o.text for o in scope_memory.load_scope_memory(store, _SCOPE).observations]
    assert new.text in texts
    assert rule.text in texts, "a preference is not dropped silently, however low"


def test_what_was_replaced_names_the_line_that_tells_its_successor(journal: SqliteJournal) -> None:
    line = "캐시는 밸키(라이선스), 큐는 카프카(파트너사)"
    texts = ("캐시는 밸키로 간다, 라이선스 때문이다", "큐는 카프카로 간다, 파트너사 요구다")
    answer = _with(f"* 🔴 (05:30) [decision] {line} {{1, 2}}", _SHORT.replace("{2-30}", "{4-32}"))
    reflector, store, _ = _reflector(journal, answer)
    new = [
        Observation(
            text,
            _AT - timedelta(hours=2 - n),
            Priority.HIGH,
            Category.DECISION,
            message_ids=(f"n{n}",),
        )
        for n, text in enumerate(texts)
    ]
    keys = _put(journal, store, *new)
    assert reflector.prepare()
    (old,) = _put(
        journal,
        store,
        Observation("캐시는 레디스", _AT - timedelta(days=9), Priority.HIGH, Category.DECISION),
    )
    _end(journal, store, old, keys[0], new[0].at)
    reflector()
    held = scope_memory.load_scope_memory(store, _SCOPE)
    (made,) = [d for d in held.documents if d.text == line]
    assert (made.provenance[0].message_ids, made.valid_to) == (("n0", "n1"), None)
    assert [d.metadata[REPLACED_BY] for d in held.documents if d.valid_to] == [made.key]


def test_what_a_person_corrected_outranks_what_is_said_again(journal: SqliteJournal) -> None:
    store, clock = MemoryStore(), ManualClock()
    keys = _put(
        journal, store, Observation("The standup is at 10:30", _AT, Priority.LOW, Category.STATE)
    )
    (document,) = store.get(_SCOPE, keys)
    _keep(journal, store, [observation.corrected(document, "The standup is at 10:45", _AT)])
    _put(
        journal,
        store,
        Observation("standup at 10:45", _AT + timedelta(days=1), Priority.LOW, Category.STATE),
    )
    Reflector(journal, store, _SCOPE, clock, RulesCondenser())()
    assert [o.text for o in scope_memory.load_scope_memory(store, _SCOPE).observations] == [
        "The standup is at 10:45"
    ]


def test_a_memory_that_cannot_be_made_smaller_is_left_alone_until_it_has_grown(
    journal: SqliteJournal,
) -> None:
    store, clock = MemoryStore(), ManualClock()
    _put(
        journal,
        store,
        *[
            Observation(f"Rule omega{n}: keep kappa{n}", _AT, Priority.HIGH, Category.DECISION)
            for n in range(9)
        ],
    )
    reflector = Reflector(journal, store, _SCOPE, clock, RulesCondenser())
    result = reflector()
    assert result.before_tokens == result.after_tokens
    assert reflector.is_in_vain(result.before_tokens)
    assert not reflector.is_in_vain(int(result.before_tokens * 1.2))


def test_a_prepared_reflection_of_what_was_forgotten_is_not_used(journal: SqliteJournal) -> None:
    reflector, store, generator = _reflector(journal, _SHORT)
    assert reflector.prepare()
    gone = scope_memory.load_scope_memory(store, _SCOPE).documents[5]
    store.forget(_SCOPE, [gone.key])
    reflector()
    assert len(generator.prompts) == 2
    assert journal.chunks(_SCOPE, READER) == []


@pytest.mark.parametrize("target", [0.5, 0.2])
def test_each_try_aims_at_a_share_of_what_a_reflection_may_leave(
    journal: SqliteJournal, target: float
) -> None:
    levels = build_levels(target)
    assert [round(level.share / target, 6) for level in levels] == [1, 0.8, 0.6, 0.4]
    nothing = "<observations>\n</observations>"
    reflector, _, generator = _reflector(journal, *[nothing] * 4)
    with pytest.raises(DegenerateOutput):
        replace(reflector, target=target)()
    asked = dict.fromkeys(prompt.system for prompt in generator.prompts)
    for level, system in zip(levels, asked, strict=True):
        assert f"about {level.share:.0%} of the length" in system


@pytest.mark.parametrize("target", [0.5, 0.2])
def test_rules_keep_the_share_of_a_level(target: float) -> None:
    observations = tuple(
        Observation(f"서버 {n}의 로그를 읽었다", _AT, Priority.LOW, Category.STATE)
        for n in range(100)
    )
    held = scope_memory.ScopeMemory((), observations, "", ())
    for level in build_levels(target):
        left = RulesCondenser().condense(held, level, 0)
        kept = sum(o.tokens for o in left.observations)
        assert 0.9 * level.share * held.tokens < kept <= level.share * held.tokens
