"""What was said long ago leaves the database for readable files; nobody who asks the journal
notices.
"""

import gzip
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.errors import ArchiveFailed
from gieok.memory.talk import turns
from gieok.model.conversation import (
    Cursor,
    Heard,
    Message,
    Retraction,
    Role,
    TalkMoved,
    TranscriptEvent,
)
from gieok.model.memory import Scope
from gieok.ports.archive import PlainSealer, Sealer
from gieok.ports.journal import MessageFilter
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.storage.journal.sqlite.talk_files import TalkFiles
from gieok.testing.memory_store import MemoryStore

_SCOPE = Scope("agent:main")
_START = datetime(2025, 1, 20, 9, tzinfo=UTC)
_BEFORE = datetime(2025, 4, 1, tzinfo=UTC)
_EVERYTHING = MessageFilter(before=datetime(2100, 1, 1, tzinfo=UTC))


class Reversing:
    """A sealer that turns bytes around."""

    suffix = ".age"

    def seal(self, data: bytes) -> bytes:
        return data[::-1]

    def open(self, data: bytes) -> bytes:
        return data[::-1]


def _message(number: int, text: str, days: int = 0) -> Message:
    role = Role.USER if number % 2 else Role.ASSISTANT
    return Message(
        f"m{number}",
        role,
        text,
        _START + timedelta(days=days, seconds=number),
        "s",
        "a",
        3,
        "/t/a.jsonl",
        number,
    )


def _append(journal: SqliteJournal, *events: TranscriptEvent) -> None:
    (before,) = journal.cursors() or [None]
    after = Cursor("t", "/t/a.jsonl", (before.offset if before else 0) + 1)
    assert journal.append(_SCOPE, events, after, before)


def _seen(journal: SqliteJournal) -> tuple[object, ...]:
    """Return all that a journal tells of what was said."""
    ids = [f"m{n}" for n in range(40)]
    return (
        journal.read(_SCOPE, 0, budget_tokens=1 << 40),
        journal.messages(_SCOPE, ids),
        journal.turns(_SCOPE, "a", "s"),
        journal.find(_SCOPE, _EVERYTHING),
        journal.find(_SCOPE, MessageFilter(match="화요일")),
        journal.stats()._replace(disk_bytes=0),
        journal.conversations(_SCOPE, Heard(), 100),
        journal.unheard(_SCOPE, Heard()),
    )


def _files(home: Path) -> dict[str, str]:
    found = sorted((home / "archive" / "talk").rglob("*.gz"))
    return {file.name: gzip.decompress(file.read_bytes()).decode() for file in found}


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    opened = SqliteJournal(tmp_path / "journal.sqlite")
    _append(opened, *(_message(n, f"{n}번째 말, 화요일에", 20 * n) for n in range(6)))
    yield opened
    opened.close()


def test_whole_months_leave_and_everything_reads_as_before(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    before = _seen(journal)
    done = journal.archive_talk(_BEFORE)
    assert (done.messages, done.wrong) == (4, ())
    assert list(_files(tmp_path)) == ["2025-01.md.gz", "2025-02.md.gz", "2025-03.md.gz"]
    assert "> 0번째 말, 화요일에\n" in _files(tmp_path)["2025-01.md.gz"]
    assert _seen(journal) == before
    assert [(p.month, p.messages, bool(p.bytes)) for p in journal.talk_places()] == [
        ("2025-01", 1, True),
        ("2025-02", 1, True),
        ("2025-03", 2, True),
    ]
    assert journal.archive_talk(_BEFORE) == TalkMoved()
    _append(journal, *(_message(n, f"{n}번째 말, 화요일에", 20 * n) for n in range(6)))
    assert _seen(journal) == before, "a transcript that is read again adds nothing"
    assert journal.scrub() == []
    assert "3번째 말".encode() not in (tmp_path / "journal.sqlite").read_bytes()


def test_a_message_that_was_said_anew_is_archived_in_both_versions(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    _append(journal, _message(1, "1번째 말이 길어졌다", 20))
    before = _seen(journal)
    assert journal.archive_talk(_BEFORE).wrong == ()
    assert _seen(journal) == before
    assert "길어졌다" in "".join(_files(tmp_path).values())


def test_what_comes_late_joins_its_month(journal: SqliteJournal, tmp_path: Path) -> None:
    journal.archive_talk(_BEFORE)
    _append(journal, _message(30, "나중에 들여온 말", 1))
    before = _seen(journal)
    assert journal.archive_talk(_BEFORE).messages == 1
    assert _seen(journal) == before
    assert _files(tmp_path)["2025-01.md.gz"].count("\n> ") == 2


def test_turns_are_derived_once_and_again_from_the_files(journal: SqliteJournal) -> None:
    store, fresh = MemoryStore(), MemoryStore()
    turns.update_all(journal, store)
    journal.archive_talk(_BEFORE)
    assert turns.update_all(journal, store) == turns.Derived(), "to leave for a file is no change"
    turns.update_all(journal, fresh)
    keys = sorted(store.hashes(_SCOPE))
    assert keys
    assert fresh.get(_SCOPE, keys) == store.get(_SCOPE, keys)


def test_what_is_forgotten_or_redacted_leaves_the_files(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    journal.archive_talk(_BEFORE)
    journal.erase(_SCOPE, [1], blanks={1: "   "})
    assert journal.rewrite(lambda text: text.replace("2번째", "[gone]")) == 1
    assert journal.scrub() == []
    said = "".join(_files(tmp_path).values())
    assert "0번째" not in said
    assert "2번째" not in said
    assert "1번째" in said
    assert "2025-01.md.gz" not in _files(tmp_path), "an empty file goes"
    found = journal.turns(_SCOPE, "a", "s")
    assert [turn.message.text for turn in found[:3]] == [
        "   ",
        "1번째 말, 화요일에",
        "[gone] 말, 화요일에",
    ]
    assert journal.archive_talk(_BEFORE).messages == 1, "what was redacted leaves again"
    assert "[gone]" in _files(tmp_path)["2025-03.md.gz"]


_Step = Callable[[SqliteJournal], object]


def _erased(number: int) -> _Step:
    def step(journal: SqliteJournal) -> None:
        found = [
            one.seq for one in journal.find(_SCOPE, MessageFilter(ids=frozenset({f"m{number}"})))
        ]
        journal.erase(_SCOPE, found, blanks=dict.fromkeys(found[:1], "  "))

    return step


_NUMBERS = st.integers(0, 9)
_STEPS = st.one_of(
    st.builds(
        lambda n, days, v: lambda j: _append(j, _message(n, f"{n} v{v} 화요일", days)),
        _NUMBERS,
        st.integers(0, 99),
        _NUMBERS,
    ),
    st.builds(lambda n: lambda j: _append(j, Retraction("s", f"m{n}")), _NUMBERS),
    st.builds(_erased, _NUMBERS),
    st.builds(lambda n: lambda j: j.rewrite(lambda text: text.replace(f"v{n}", "[x]")), _NUMBERS),
    st.builds(lambda n: lambda j: j.correct(_SCOPE, f"m{n}", f"corrected {n}"), _NUMBERS),
)
_ARCHIVED = st.sampled_from([datetime(2025, month, 1, tzinfo=UTC) for month in (2, 3, 4, 9)])


@settings(max_examples=25, derandomize=True, deadline=None)
@given(st.lists(st.tuples(_STEPS, st.none() | _ARCHIVED), max_size=14))
def test_a_journal_that_archives_tells_what_one_that_does_not_tells(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[_Step, datetime | None]]
) -> None:
    folder = tmp_path_factory.mktemp("both")
    (folder / "b").mkdir()
    plain, archiving = SqliteJournal(folder / "a.sqlite"), SqliteJournal(folder / "b" / "b.sqlite")
    for step, before in steps:
        step(plain)
        step(archiving)
        if before:
            assert archiving.archive_talk(before).wrong == ()
    assert _seen(archiving) == _seen(plain)
    archiving.sweep_talk()
    held = sum(text.count("<!-- gieok") for text in _files(folder / "b").values())
    assert held == sum(place.messages for place in archiving.talk_places()), (
        "a file holds what lives there alone"
    )
    plain.close()
    archiving.close()


@pytest.mark.parametrize("killed", ["before writing", "after writing"])
def test_killed_at_any_step_nothing_is_lost_and_what_is_forgotten_then_is_in_no_file(
    journal: SqliteJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: str
) -> None:
    before, write = _seen(journal), TalkFiles.write

    def dying(self: TalkFiles, scope: str, place: str, found: Sequence[object]) -> None:
        if killed == "after writing":
            write(self, scope, place, found)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(TalkFiles, "write", dying)
        with pytest.raises(KeyboardInterrupt):
            journal.archive_talk(_BEFORE)
    assert _seen(journal) == before
    journal.erase(_SCOPE, [1])
    assert journal.scrub() == []
    assert "0번째" not in "".join(_files(tmp_path).values())
    assert journal.archive_talk(_BEFORE).messages == 3
    assert journal.find(_SCOPE, MessageFilter(match="번째")) == before[3][1:]  # type: ignore[index]


def test_a_file_that_is_gone_is_said_and_a_damaged_one_is_an_error_that_names_it(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    journal.archive_talk(_BEFORE)
    first, second, third = sorted((tmp_path / "archive" / "talk").rglob("*.gz"))
    first.unlink()
    assert [place.bytes is None for place in journal.talk_places()] == [True, False, False]
    assert [turn.message.text for turn in journal.turns(_SCOPE, "a", "s")[:2]] == [
        "",
        "1번째 말, 화요일에",
    ]
    second.write_bytes(third.read_bytes()[:-9])
    with pytest.raises(ArchiveFailed, match=r"2025-02\.md\.gz.* is damaged"):
        journal.turns(_SCOPE, "a", "s")
    assert [found.message.text for found in journal.messages(_SCOPE, ["m2"])] == [
        "2번째 말, 화요일에"
    ]


def test_files_are_sealed_with_the_key_of_now_and_written_anew_where_it_changes(
    tmp_path: Path,
) -> None:
    sealers: list[Sealer] = [PlainSealer()]
    journal = SqliteJournal(tmp_path / "journal.sqlite", sealers=lambda: sealers)
    _append(journal, *(_message(n, f"{n}번째 말, 화요일에", 20 * n) for n in range(4)))
    before = _seen(journal)
    journal.archive_talk(_BEFORE)
    sealers.insert(0, Reversing())
    assert _seen(journal) == before, "what is not sealed yet is read"
    journal.sweep_talk(renew=True)
    assert {file.suffix for file in (tmp_path / "archive" / "talk").rglob("*.*")} == {".age"}
    again = SqliteJournal(tmp_path / "journal.sqlite", sealers=lambda: sealers)
    assert _seen(again) == before
    again.close()
    del sealers[0]
    again = SqliteJournal(tmp_path / "journal.sqlite", sealers=lambda: sealers)
    with pytest.raises(ArchiveFailed, match="is encrypted"):
        again.turns(_SCOPE, "a", "s")
    again.close()
    journal.close()
