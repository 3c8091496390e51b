"""Three weeks of daily sessions with changes back and forth, and a reflection each Sunday: what
holds is held, newest first.
"""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gieok.flow.distil import finish_span
from gieok.flow.generate import Asker
from gieok.memory import active_memory, observation, scope_memory
from gieok.memory.active_memory import Look
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.reflection.reflect import ModelCondenser, Reflector, RulesCondenser
from gieok.model.conversation import Run
from gieok.model.memory import REPLACED_BY, Scope
from gieok.ports.models import Prompt
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore
from gieok.testing.scripted_generator import ScriptedGenerator
from gieok.text.tokens import estimate_tokens

_SCOPE = Scope("agent:main")
_START = datetime(2026, 11, 2, 9, tzinfo=UTC)  # a Monday
_LOOK = Look("en", 2_500, "", UTC)
_SUBJECTS = {
    "deploy": (Category.DECISION, "배포는 매주 {}에 한다", ("금요일", "목요일")),
    "port": (Category.STATE, "The gateway listens on port {}", ("8080", "9090", "7070")),
    "designer": (Category.STATE, "우리 디자이너는 {} 님이다", ("김서연", "이도윤")),
    "packages": (Category.DECISION, "Packages come with {}", ("Yarn", "Pnpm", "Bun")),
    "home": (Category.STATE, "The user lives in {}", ("Busan", "Incheon")),
}
_STANDING = (
    ("커밋 메시지는 한국어로 쓴다", "앞으로 커밋 메시지는 한국어로 써줘"),
    ("Answers are short, the reason first", "I prefer short answers, reason first"),
    ("환불은 14일까지 받는다", "환불은 14일까지 받기로 했다"),
)
_LINE = re.compile(r"\[(\d+)\] \* (🔴|🟡|🟢) (?:✅ )?\((\S+) (\d\d:\d\d)\) \[(\w+)\] (.+)")


class _Weeks:
    """Plays the observer: what it finds, and what that replaces, day by day."""

    def __init__(
        self, journal: SqliteJournal, reflector: Reflector, store: MemoryStore, clock: ManualClock
    ) -> None:
        self.journal, self.reflector, self.store, self.clock = journal, reflector, store, clock
        self.current: dict[str, Observation] = {}
        self.texts: dict[str, str] = {}

    def live(self) -> None:
        for day in range(21):
            self.clock.time = _START + timedelta(days=day)
            self._session(day)
            if day % 7 == 3:
                self.reflector.prepare()  # ahead of time, before more changes
            if day % 7 == 6:
                self.reflector()

    def _session(self, day: int) -> None:
        now = self.clock.now()
        name = list(_SUBJECTS)[day % len(_SUBJECTS)]
        category, said, values = _SUBJECTS[name]
        new = Observation(
            said.format(values[day // len(_SUBJECTS) % len(values)]),
            now,
            Priority.HIGH if day % 2 else Priority.MEDIUM,
            category,
            message_ids=(f"{name}-{day}",),
        )
        wording = _STANDING[day % 3][day // 3 % 2]
        routine = [
            Observation(
                f"Looked at log file {day}-{n} and found nothing new there",
                now,
                Priority.LOW,
                Category.STATE,
            )
            for n in range(9)
        ]
        deed = Observation(f"[Edit src/part{day}.py]", now, Priority.LOW, Category.STATE)
        standing = Observation(
            wording, now, Priority.MEDIUM, Category.PREFERENCE, message_ids=(f"w{day}",)
        )
        put = observation.build_observed_entries(
            _SCOPE, Observed((new, standing, deed, *routine), f"task of day {day}"), now
        )
        held = scope_memory.load_scope_memory(self.store, _SCOPE)
        old = [
            d
            for d in held.documents
            if name in self.current and d.text == self.current[name].text and not d.valid_to
        ]
        for document in old:
            metadata = {**document.metadata, REPLACED_BY: put[0].document.key}
            (entry,) = self.store.entries(_SCOPE, [document.key])
            put.append(entry._replace(document=replace(document, valid_to=now, metadata=metadata)))
        position = self.journal.position(_SCOPE, "observe")
        run = Run(_SCOPE, "observe", "observed", now, position, position + 1, 0, 0, len(put), 0)
        assert finish_span(self.journal, self.store, position, run, put=put)
        self.current[name] = new

    def check(self) -> None:
        held = scope_memory.load_scope_memory(self.store, _SCOPE)
        today = self.clock.now().date()
        whole = active_memory.render_active_memory(held, _LOOK, today)
        lines = [line.partition(" (was: ")[0] for line in whole.splitlines()]
        current = [d.text for d in held.documents if d.valid_to is None]
        for name, newest in self.current.items():
            _, said, values = _SUBJECTS[name]
            told = [line for line in lines if any(said.format(value) in line for value in values)]
            assert len(told) == 1, (name, told)
            assert newest.text in told[0]
            assert any(newest.text in text for text in current)
            old = [said.format(value) for value in values if said.format(value) != newest.text]
            assert not any(text in other for other in current for text in old), (name, current)
        for one, other in _STANDING:
            assert sum(one in line or other in line for line in lines) == 1, one
        assert held.task == "task of day 20"
        assert estimate_tokens(whole) <= 2_500
        keys = {document.key for document in held.documents}
        links = [d.metadata[REPLACED_BY] for d in held.documents if d.valid_to]
        assert keys.issuperset(links), "what was replaced names what is there"


def test_by_rules_the_newest_is_held_and_nothing_that_holds_is_lost(journal: SqliteJournal) -> None:
    store, clock = MemoryStore(), ManualClock()
    weeks = _Weeks(
        journal, Reflector(journal, store, _SCOPE, clock, RulesCondenser()), store, clock
    )
    weeks.live()
    weeks.check()
    assert len(journal.history(_SCOPE, 1_000)) > 50


def _careless(prompt: Prompt) -> str:
    """Answer as a careless model: joins the routine, keeps the oldest half of the rest, and says
    its own task.
    """
    rows = [found.groups() for found in _LINE.finditer(prompt.text)]
    routine = [row for row in rows if "Looked at log" in row[5] or row[5].startswith("[")]
    rest = [row for row in rows if row not in routine]
    kept = [
        f"* {mark} ({clock}) [{kind}] {text} {{{n}}}"
        for n, mark, _, clock, kind, text in rest[: len(rest) // 2]
    ]
    days = rows[0][2]
    numbers = ",".join(row[0] for row in routine)
    joined = [f"* 🟢 (09:00) [state] Looked at many log files {{{numbers}}}"] if routine else []
    body = "\n".join((f"Date: {days}", *joined, *kept))
    return (
        f"<observations>\n{body}\n</observations>\n<current-task>\nthe model's own "
        "idea\n</current-task>"
    )


def test_by_a_careless_model_the_newest_is_held_and_nothing_that_holds_is_lost(
    journal: SqliteJournal,
) -> None:
    store, clock = MemoryStore(), ManualClock()
    asker = Asker(
        "reflector", ScriptedGenerator(_careless), journal, clock, UTC, lambda _: None, 10_000_000
    )
    weeks = _Weeks(
        journal, Reflector(journal, store, _SCOPE, clock, ModelCondenser(asker, UTC)), store, clock
    )
    weeks.live()
    weeks.check()
    held = scope_memory.load_scope_memory(store, _SCOPE)
    assert len(journal.history(_SCOPE, 1_000)) > 50
    assert any("many log files" in text for text in (d.text for d in held.documents))


@pytest.mark.parametrize("ask", ["rules", "model"])
def test_reflecting_again_changes_nothing_more(journal: SqliteJournal, ask: str) -> None:
    store, clock = MemoryStore(), ManualClock()
    asker = Asker(
        "reflector", ScriptedGenerator(_careless), journal, clock, UTC, lambda _: None, 10_000_000
    )
    by = RulesCondenser() if ask == "rules" else ModelCondenser(asker, UTC)
    weeks = _Weeks(journal, Reflector(journal, store, _SCOPE, clock, by), store, clock)
    weeks.live()
    for _ in range(6):
        weeks.reflector(fresh=True)
    before = store.hashes(_SCOPE)
    weeks.reflector(fresh=True)
    assert store.hashes(_SCOPE) == before
