"""The contract of `Positions` and `Ledger`.

The buffer begins at the position, and each document made is delivered once.
"""

from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta

import pytest

from gieok.errors import StoreError, StoreUnreachable
from gieok.model.conversation import (
    BufferedSpan,
    HeldWindow,
    Incident,
    Retraction,
    Run,
    Usage,
    Window,
    WindowMark,
)
from gieok.model.memory import Document, Entry, Scope
from gieok.ports.journal import FullJournal
from gieok.testing.contracts.journal import JournalFixtures, append_turns, held
from gieok.testing.samples import AT, HOME, OTHER, build_entry, build_message

_READER = "observe"
_DAY = date(2026, 11, 21)


def build_reader_run(
    end: int, *, start: int = 0, scope: Scope = HOME, reader: str = _READER, hours: int = 0
) -> Run:
    """Return a run of a reader that ends at message `end`."""
    return Run(
        scope=scope,
        reader=reader,
        kind="observed",
        at=AT + timedelta(hours=hours),
        start=start,
        end=end,
        messages=3,
        source_tokens=300,
        documents=2,
        document_tokens=20,
        model="m",
    )


def _append_numbered_messages(journal: FullJournal, count: int) -> list[int]:
    append_turns(journal, *(build_message(str(n)) for n in range(count)))
    return [message.seq for message in journal.read(HOME, 0, budget_tokens=1 << 40)]


def _open_held_window(journal: FullJournal) -> HeldWindow:
    window = journal.window(HOME, _READER)
    return HeldWindow(window.mark, tuple(window.messages))


def _go_on_after_a_failure(journal: FullJournal, seq: int) -> None:
    with journal.transaction(HOME, "turn"):
        journal.move(HOME, _READER, seq)
        with suppress(StoreUnreachable), journal.transaction(HOME):
            _say_and_fail(journal, seq)
        with suppress(StoreError):
            journal.move(HOME, _READER, seq)


def _say_and_fail(journal: FullJournal, end: int) -> None:
    journal.say(HOME, [build_message("lost")])
    journal.move(HOME, _READER, end)
    assert journal.position(HOME, _READER) == end
    raise StoreUnreachable("gone")


def _list_undelivered(journal: FullJournal) -> list[tuple[Scope, Entry | str]]:
    return [(scope, what) for _, scope, what in journal.undelivered(99)]


class PositionContract(JournalFixtures):
    """Tests of the sentences of `gieok.ports.Positions`."""

    def test_chunks_follow_one_another_from_the_position_on(self, journal: FullJournal) -> None:
        one, two, three, *_ = _append_numbered_messages(journal, 3)
        chunks = [BufferedSpan(0, one, 10, "가"), BufferedSpan(one, two, 10, "b")]
        assert not journal.buffer(HOME, _READER, BufferedSpan(one, two, 10, "gap"))
        assert all(journal.buffer(HOME, _READER, chunk) for chunk in chunks)
        assert not any(
            journal.buffer(HOME, _READER, chunk)
            for chunk in (*chunks, BufferedSpan(three, three + 1, 1, "gap"))
        )
        assert journal.chunks(HOME, _READER) == chunks
        assert journal.stats(HOME).chunks == 2

    def test_of_a_window_that_is_held_only_what_came_since_is_read(
        self, journal: FullJournal
    ) -> None:
        assert journal.window(HOME, _READER) == Window(WindowMark(0, 0), [])
        one, *_ = _append_numbered_messages(journal, 3)
        held = _open_held_window(journal)
        assert journal.window(HOME, _READER, held) == Window(held.mark, [], is_rest=True)
        append_turns(journal, build_message("next"))
        (last,) = journal.window(HOME, _READER, held).messages
        assert last.message.id == "next"
        assert journal.commit(0, build_reader_run(one))
        behind = journal.window(HOME, _READER, held)
        assert (behind.is_rest, [journalled.message.id for journalled in behind.messages]) == (
            False,
            ["1", "2", "next"],
        )

    def test_a_window_is_read_anew_where_a_message_of_it_changed_or_the_scope_began_again(
        self, journal: FullJournal
    ) -> None:
        _, two, _ = _append_numbered_messages(journal, 3)
        held = _open_held_window(journal)
        journal.erase(HOME, [two])
        without = journal.window(HOME, _READER, held)
        assert (without.is_rest, [journalled.message.id for journalled in without.messages]) == (
            False,
            ["0", "2"],
        )
        append_turns(journal, Retraction("s", "2"))
        assert [
            journalled.message.id for journalled in journal.window(HOME, _READER, held).messages
        ] == ["0"]
        begun = _open_held_window(journal)
        journal.drop(HOME)
        assert journal.window(HOME, _READER, begun).messages == []
        journal.say(HOME, [build_message("0"), build_message("new")])
        again = journal.window(HOME, _READER, begun)
        assert (again.is_rest, [journalled.message.id for journalled in again.messages]) == (
            False,
            ["0", "new"],
        )

    def test_a_commit_moves_the_position_and_drops_the_chunks_up_to_it(
        self, journal: FullJournal
    ) -> None:
        one, two, three = _append_numbered_messages(journal, 3)
        last = BufferedSpan(two, three, 10, "c")
        for chunk in (BufferedSpan(0, one, 10, "a"), BufferedSpan(one, two, 10, "b"), last):
            assert journal.buffer(HOME, _READER, chunk)
        assert journal.commit(0, build_reader_run(two))
        assert journal.position(HOME, _READER) == two
        assert journal.chunks(HOME, _READER) == [last]
        assert journal.runs(HOME, AT) == [build_reader_run(two)]

    def test_nothing_is_done_where_the_position_moved_or_a_chunk_would_be_torn(
        self, journal: FullJournal
    ) -> None:
        one, two, three = _append_numbered_messages(journal, 3)
        assert journal.commit(0, build_reader_run(one))
        assert journal.buffer(HOME, _READER, BufferedSpan(one, three, 20, "x"))
        assert not journal.commit(0, build_reader_run(two), put=[build_entry("a", "late")])
        assert not journal.commit(
            one, build_reader_run(two, start=one), put=[build_entry("a", "torn")]
        )
        assert (journal.position(HOME, _READER), _list_undelivered(journal)) == (one, [])
        assert len(journal.runs(HOME, AT)) == len(journal.chunks(HOME, _READER)) == 1

    def test_what_is_taken_back_takes_its_chunk_and_those_behind_along(
        self, journal: FullJournal
    ) -> None:
        one, two, three = _append_numbered_messages(journal, 3)
        first = BufferedSpan(0, one, 10, "a")
        for chunk in (first, BufferedSpan(one, two, 10, "b"), BufferedSpan(two, three, 10, "c")):
            assert journal.buffer(HOME, _READER, chunk)
        append_turns(journal, Retraction("s", "1"))
        assert journal.chunks(HOME, _READER) == [first]

    def test_readers_and_scopes_have_positions_of_their_own(self, journal: FullJournal) -> None:
        one, *_ = _append_numbered_messages(journal, 2)
        append_turns(journal, build_message("x"), scope=OTHER)
        assert journal.commit(0, build_reader_run(one))
        assert [journal.position(s, r) for s, r in ((HOME, "reflect"), (OTHER, _READER))] == [0, 0]
        assert journal.buffer(HOME, "reflect", BufferedSpan(0, one, 1, ""))
        assert (journal.chunks(HOME, _READER), journal.chunks(OTHER, "reflect")) == ([], [])

    def test_documents_wait_in_order_until_they_are_delivered(self, journal: FullJournal) -> None:
        one, two, *_ = _append_numbered_messages(journal, 2)
        new, gone = (
            build_entry("a", "새것", "둘째 줄", context="제목"),
            build_entry("a", "old").document,
        )
        assert journal.commit(
            0, build_reader_run(one), put=[new], forget=[gone, replace(gone, key="b")]
        )
        assert journal.commit(one, build_reader_run(two, start=one), put=[build_entry("c", "x")])
        assert _list_undelivered(journal) == [
            (HOME, "a"),
            (HOME, "b"),
            (HOME, new),
            (HOME, build_entry("c", "x")),
        ]
        assert journal.stats(HOME).undelivered == 4
        journal.delivered([row for row, _, _ in journal.undelivered(3)])
        assert _list_undelivered(journal) == [(HOME, build_entry("c", "x"))]

    def test_what_was_replaced_stays_in_the_history_the_newest_first(
        self, journal: FullJournal
    ) -> None:
        one, two = _append_numbered_messages(journal, 2)
        old: list[Document] = [
            build_entry(key, key, day=day).document for day, key in enumerate("ab")
        ]
        assert journal.commit(0, build_reader_run(one), forget=[old[0]])
        assert journal.commit(one, build_reader_run(two, start=one), forget=[old[1]])
        assert journal.history(HOME, 9) == old[::-1]
        assert journal.history(HOME, 1) == old[1:]
        assert journal.history(OTHER, 9) == []

    def test_runs_of_all_readers_come_oldest_first_from_a_time_on(
        self, journal: FullJournal
    ) -> None:
        one, two = _append_numbered_messages(journal, 2)
        runs = [
            build_reader_run(one),
            build_reader_run(two, reader="reflect", hours=1),
            build_reader_run(two, start=one, hours=2),
        ]
        assert all(journal.commit(run.start, run) for run in runs)
        assert journal.runs(HOME, AT) == runs
        assert journal.runs(HOME, AT + timedelta(hours=1)) == runs[1:]
        assert journal.runs(OTHER, AT) == []

    def test_a_state_is_all_that_a_turn_needs_of_a_scope(self, journal: FullJournal) -> None:
        one, two, three = _append_numbered_messages(journal, 3)
        journal.hand_over([build_entry("b", "of another", scope=OTHER)])
        assert journal.commit(0, build_reader_run(one), put=[build_entry("a", "x")])
        assert journal.skip(HOME, "other", 0, three)
        state = journal.state(HOME, _READER)
        assert (state.positions, state.is_waiting) == ({_READER: one, "other": three}, True)
        assert ([message.seq for message in state.window.messages], state.made) == (
            [two, three],
            (build_entry("a", "x"),),
        )
        assert state.window == journal.window(HOME, _READER)
        held = HeldWindow(state.window.mark, tuple(state.window.messages[:1]))
        assert journal.state(HOME, _READER, held).window == journal.window(HOME, _READER, held)
        assert journal.state(Scope("agent:nobody"), _READER).made == ()

    def test_a_position_is_moved_over_what_gives_nothing_once(self, journal: FullJournal) -> None:
        one, two, _ = _append_numbered_messages(journal, 3)
        assert not journal.skip(HOME, _READER, one, two)
        assert [journal.skip(HOME, _READER, 0, one) for _ in range(2)] == [True, False]
        assert [journal.skip(HOME, _READER, one, two) for _ in range(2)] == [True, False]
        assert (journal.position(HOME, _READER), journal.runs(HOME, AT)) == (two, [])

    def test_a_message_is_added_fast_where_it_is_plainly_new(self, journal: FullJournal) -> None:
        first = build_message("0")
        assert journal.say_new(HOME, first) is None  # the first of its scope and session
        assert journal.read(HOME, 0, budget_tokens=1) == []
        journal.say(HOME, [first])
        late = AT + timedelta(microseconds=1_234)  # more than is stored
        odd = build_message("1", "a\0b \x10m")._replace(at=late)
        added = journal.say_new(HOME, odd)
        if added is None:  # a journal that always looks closer
            assert held(journal) == ["0"]
            return
        assert added == journal.read(HOME, 0, budget_tokens=1 << 40)[1]
        assert journal.say_new(HOME, odd) is None
        assert journal.say_new(HOME, build_message("1", "said anew")) is None
        assert journal.say_new(HOME, build_message("2", session="another")) is None
        assert journal.say_new(OTHER, build_message("2")) is None
        journal.erase(HOME, [journal.read(HOME, 0, budget_tokens=1)[0].seq])
        assert journal.say_new(HOME, first._replace(id="copied")) is None
        assert [one.message for one in journal.read(HOME, 0, budget_tokens=1 << 40)] == [
            added.message
        ]

    def test_a_transaction_is_kept_whole_or_not_at_all(self, journal: FullJournal) -> None:
        (one,) = _append_numbered_messages(journal, 1)
        with pytest.raises(StoreUnreachable), journal.transaction(HOME, "turn"):
            _say_and_fail(journal, one)
        assert (journal.position(HOME, _READER), held(journal)) == (0, ["0"])
        for scope in (HOME, OTHER):  # one that has messages, and one that has none
            with journal.transaction(scope, "turn"):
                assert journal.state(scope, _READER).positions == {}
                journal.say(scope, [build_message("1")])
                (*_, said) = journal.state(scope, _READER).window.messages
                journal.move(scope, _READER, said.seq)
                journal.hand_over([build_entry("a", "x", scope=scope)])
                assert journal.state(scope, _READER).is_waiting
            assert journal.position(scope, _READER) == said.seq
            assert [entry.document.key for entry in journal.made(scope)] == ["a"]
        assert (held(journal), held(journal, OTHER)) == (["0", "1"], ["1"])
        with journal.transaction(HOME):
            journal.say(HOME, [build_message("2")])
            journal.say(OTHER, [build_message("2")])
            journal.say(HOME, [build_message("3")])
        assert (held(journal), held(journal, OTHER)) == (["0", "1", "2", "3"], ["1", "2"])
        with journal.exclusive("turn", wait=False) as taken:
            assert taken

    def test_a_transaction_of_which_a_part_fails_is_not_kept(self, journal: FullJournal) -> None:
        (one,) = _append_numbered_messages(journal, 1)
        with pytest.raises(StoreError):
            _go_on_after_a_failure(journal, one)
        assert (journal.position(HOME, _READER), held(journal)) == (0, ["0"])
        with (
            journal.transaction(HOME),
            pytest.raises(StoreError),
            journal.transaction(OTHER, "turn"),  # another may hold it, and wait for HOME
        ):
            pass
        for wait in (True, False):
            with (
                journal.transaction(HOME, "turn"),
                pytest.raises(StoreError),
                journal.exclusive("other", wait=wait),
            ):
                pass
            with journal.transaction(HOME, "turn"), journal.exclusive("turn", wait=wait) as is_held:
                assert is_held
        with journal.transaction(HOME), pytest.raises(StoreError):
            journal.hand_over([build_entry("a", "x"), build_entry("b", "x", scope=OTHER)])
        assert journal.made(OTHER) == []

    def test_transactions_of_two_scopes_are_nested(self, journal: FullJournal) -> None:
        with journal.transaction(HOME, "turn"):
            journal.say(HOME, [build_message("0")])
            with journal.transaction(OTHER, "turn"):
                journal.say(OTHER, [build_message("1")])
                journal.say(HOME, [build_message("2")])
            journal.say(HOME, [build_message("3")])
        assert (held(journal), held(journal, OTHER)) == (["0", "2", "3"], ["1"])

    def test_what_waits_of_a_scope_is_handed_out_alone_and_in_order(
        self, journal: FullJournal
    ) -> None:
        journal.hand_over([build_entry("a", "x"), build_entry("b", "y", scope=OTHER)])
        journal.hand_over(forget=[(HOME, "a")])
        got: list[Entry | str] = []

        def fail(_: object) -> None:
            raise StoreUnreachable("gone")

        with pytest.raises(StoreUnreachable):
            journal.hand_out(HOME, fail, 9)
        assert [journal.hand_out(HOME, got.extend, 1) for _ in range(3)] == [1, 1, 0]
        assert got == [build_entry("a", "x"), "a"]
        assert _list_undelivered(journal) == [(OTHER, build_entry("b", "y", scope=OTHER))]


class LedgerContract(JournalFixtures):
    """Tests of the sentences of `gieok.ports.Ledger`."""

    def test_what_a_role_uses_in_a_day_adds_up(self, journal: FullJournal) -> None:
        for role, usage in (
            (
                "observer",
                Usage(calls=1, input_tokens=100, output_tokens=10, failures=0, seconds=0.5),
            ),
            ("reflector", Usage(1)),
            ("observer", Usage(2, 1)),
        ):
            journal.charge(_DAY, role, usage)
        journal.charge(_DAY - timedelta(days=1), "observer", Usage(9))
        today = {
            (_DAY, "observer"): Usage(
                calls=3, input_tokens=101, output_tokens=10, failures=0, seconds=0.5
            ),
            (_DAY, "reflector"): Usage(1),
        }
        assert journal.usage(_DAY) == today
        assert journal.usage(_DAY - timedelta(days=1)) == {
            (_DAY - timedelta(days=1), "observer"): Usage(9),
            **today,
        }

    def test_an_incident_is_new_once_and_keeps_its_beginning(self, journal: FullJournal) -> None:
        first = Incident(
            name="observer", detail="down", since=AT, tries=1, next_try=AT + timedelta(minutes=1)
        )
        again = first._replace(
            detail="still down", since=AT + timedelta(hours=1), tries=2, next_try=AT
        )
        older = Incident(
            name="reflector", detail="x", since=AT - timedelta(days=1), tries=1, next_try=AT
        )
        assert [journal.raise_incident(incident) for incident in (first, again, older)] == [
            True,
            False,
            True,
        ]
        assert journal.incidents() == [older, again._replace(since=AT)]
        assert [journal.resolve_incident("observer") for _ in range(2)] == [True, False]
        assert journal.raise_incident(again)
        assert journal.incidents() == [older, again]
