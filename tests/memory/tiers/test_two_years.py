"""Two years, a memory of each kind a day: on any day each lives in one tier, is found, and reads as
it went in.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gieok.flow.distil import deliver
from gieok.memory import observation, scope_memory
from gieok.memory.files.profile import FILES
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers import retention, sweep
from gieok.memory.tiers.day_file import DayForm
from gieok.memory.tiers.move import in_hot
from gieok.memory.tiers.shelf import Shelf
from gieok.memory.tiers.tiers import Tiers
from gieok.model.memory import Entry, Tier
from gieok.ranking.recall import Question, recall
from gieok.storage.archives.folder import FolderArchive
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.samples import HOME

_DAYS = 730
_NIGHTS = 10
_SEOUL_MORNING = datetime(2024, 1, 1, 0, 30, tzinfo=UTC)
_SAID = {
    Category.DECISION: "결정 {n}: 결제는 {n}초마다 다시 시도한다",
    Category.PREFERENCE: "Prefers answer number {n} to be short",
    Category.STATE: "The invoice parser is at version 2.{n}",
    Category.TASK: "인증서 {n}번을 갱신해야 한다",
}


def _day(number: int, now: datetime) -> list[Entry]:
    made = [
        Observation(text.format(n=number), now, list(Priority)[number % 3], category)
        for category, text in _SAID.items()
    ]
    return observation.build_observed_entries(
        HOME, Observed(tuple(made), f"task {number}", (f"habit number {number}",)), now
    )


def test_on_any_day_of_two_years_each_memory_lives_in_one_tier_is_found_and_equal(
    tmp_path: Path,
) -> None:
    clock, journal, store = (
        ManualClock(_SEOUL_MORNING),
        SqliteJournal(tmp_path / "journal.sqlite"),
        SqliteStore(tmp_path / "memory.sqlite"),
    )
    warm = Shelf(Tier.WARM, DayForm(UTC), lambda scope: FolderArchive(tmp_path / "warm"))
    tiers = Tiers(journal, store, {Tier.WARM: warm}, retention.build_retention_rules(), clock, UTC)
    put_in: dict[str, Entry] = {}
    for number in range(_DAYS):
        entries = _day(number, clock.now())
        put_in |= {entry.document.key: entry for entry in entries}
        journal.hand_over(entries)
        clock.advance(timedelta(days=1))
        if number % _NIGHTS == 0:
            assert sweep.tier_due_memories(tiers).wrong == []
        if number % 365 == 0 or number == _DAYS - 1:
            _verify(tiers, store, put_in, number)
    told = scope_memory.load_scope_memory(store, HOME, hashes=scope_memory.standing(journal, HOME))
    standing = {d.metadata["category"] for d in told.documents if d.tier is Tier.WARM}
    assert (standing, told.task) == ({"preference", "decision"}, f"task {_DAYS - 1}")
    journal.close()
    store.close()


def _verify(tiers: Tiers, store: SqliteStore, put_in: dict[str, Entry], number: int) -> None:
    deliver(tiers.journal, store)
    hot = {entry.document.key: entry for entry in tiers.journal.made(HOME)}
    warm = [
        in_hot(entry)
        for entries, _ in sweep.iter_filed_entries(tiers, lambda *_: [])
        for entry in entries
    ]
    lives = Counter([*hot, *(entry.document.key for entry in warm)])
    assert set(lives.values()) <= {1}
    assert hot | {entry.document.key: entry for entry in warm} == put_in
    oldest = min(entry.document.updated_at for entry in hot.values())
    assert tiers.clock.now() - oldest <= timedelta(days=90 + _NIGHTS)
    for n in {0, number // 2, number}:
        for text in _SAID.values():
            question = Question(text=text.format(n=n), scopes=(HOME,))
            hits = recall(store, None, question, FILES, tiers.clock).hits
            assert text.format(n=n) in [hit.passage.text for hit in hits]
