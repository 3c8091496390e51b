"""The contract of `Journal`: every message once and in order, with its cursor.

The cursor moves in the same transaction as the messages, or not at all.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from gieok.model.conversation import (
    Cursor,
    Heard,
    Message,
    Reject,
    Retraction,
    Role,
    TranscriptEvent,
)
from gieok.model.memory import Scope
from gieok.ports.journal import FullJournal, Journal, MessageFilter
from gieok.testing.samples import AT, EVERYTHING, HOME, OTHER, build_message

_ALL = 1 << 40


class JournalFixtures:
    """Fixtures for a journal.

    A subclass defines the fixture `make_journal`: a function that makes a new, empty journal.
    """

    @pytest.fixture
    def journal(self, make_journal: Callable[[], FullJournal]) -> Iterator[FullJournal]:
        """Return a new journal, closed at the end of the test."""
        journal = make_journal()
        yield journal
        journal.close()

    def reopen(self, journal: FullJournal) -> FullJournal:
        """Return another handle on the data of `journal`.

        The test is skipped for a journal that keeps nothing on disk.
        """
        pytest.skip(f"{type(journal).__name__} keeps nothing beyond its handle")


def append_turns(
    journal: Journal, *events: TranscriptEvent, scope: Scope = HOME, file: str = "1:1"
) -> None:
    """Append turns as if read from a file; the file's cursor moves one line for each turn."""
    before = next((cursor for cursor in journal.cursors() if cursor.identity == file), None)
    after = Cursor(
        file, "/t/s.jsonl", offset=(before.offset if before else 0) + max(len(events), 1)
    )
    assert journal.append(scope, events, after, before)


def held(journal: Journal, scope: Scope = HOME) -> list[str]:
    """Return the texts of the messages in force, in order."""
    return [
        journalled.message.text
        for journalled in journal.read(scope, 0, budget_tokens=_ALL, limit=EVERYTHING)
    ]


class MessageContract(JournalFixtures):
    """Tests of the sentences of `gieok.ports.Journal`."""

    def test_a_message_comes_back_exactly_as_it_was_added(self, journal: FullJournal) -> None:
        whole = Message(
            id="s/1#0",
            role=Role.TOOL,
            text="결제 🍜\n'; --",
            at=AT,
            session="세션",
            agent="claude-code",
            tokens=321,
            source="/t/줄 1.jsonl",
            line=42,
        )
        append_turns(journal, whole)
        (journalled,) = journal.read(HOME, 0, budget_tokens=1)
        assert journalled.message == whole
        assert journal.messages(HOME, ["s/1#0"]) == [journalled]

    def test_what_comes_from_no_transcript_is_said_once(self, journal: FullJournal) -> None:
        journal.say(HOME, [build_message("a"), build_message("b")])
        journal.say(HOME, [build_message("b")])
        assert held(journal) == [build_message("a").text, build_message("b").text]
        assert not journal.cursors()
        assert not held(journal, OTHER)

    def test_what_is_said_anew_keeps_its_place_and_can_be_taken_back_in_the_same_step(
        self, journal: FullJournal
    ) -> None:
        journal.say(HOME, [build_message("a"), build_message("b")])
        first = journal.messages(HOME, [build_message("a").id])[0]
        journal.say(HOME, [build_message("a")._replace(text="anew")])
        newer = journal.messages(HOME, [build_message("a").id])[0]
        assert (newer.place, newer.message.text) == (first.place, "anew")
        assert newer.seq > first.place == first.seq
        journal.say(
            HOME,
            [Retraction(build_message("a").session, build_message("a").id), build_message("a")],
        )
        assert held(journal) == [build_message("a").text, build_message("b").text]
        journal.say(HOME, [Retraction(build_message("a").session, build_message("a").id)])
        assert held(journal) == [build_message("b").text]

    def test_numbers_grow_over_all_scopes_and_reading_goes_on_behind_one(
        self, journal: FullJournal
    ) -> None:
        for scope, name in ((HOME, "a"), (OTHER, "b"), (HOME, "c")):
            append_turns(journal, build_message(name), scope=scope)
        first, second = journal.read(HOME, 0, budget_tokens=_ALL)
        (between,) = journal.read(OTHER, 0, budget_tokens=_ALL)
        assert first.seq < between.seq < second.seq
        assert journal.read(HOME, first.seq, budget_tokens=_ALL) == [second]
        assert journal.read(HOME, second.seq, budget_tokens=_ALL) == []

    def test_reading_stops_with_the_message_that_reaches_the_budget_or_the_limit(
        self, journal: FullJournal
    ) -> None:
        append_turns(journal, *(build_message(str(n), tokens=10) for n in range(9)))
        assert [
            len(journal.read(HOME, 0, budget_tokens=budget)) for budget in (1, 10, 11, 30, 31)
        ] == [1, 1, 2, 3, 4]
        assert len(journal.read(HOME, 0, budget_tokens=_ALL, limit=5)) == 5

    def test_nothing_is_done_where_somebody_else_has_read_on(self, journal: FullJournal) -> None:
        append_turns(journal, build_message("a"))
        (before,) = journal.cursors()
        stale, ahead = before._replace(offset=0), before._replace(offset=99)
        reject = Reject(path="/t/s.jsonl", line=1, offset=0, length=9, reason="not a JSON object")
        for expected in (None, stale, before._replace(is_rereading=True)):
            assert not journal.append(HOME, [build_message("b")], ahead, expected, [reject])
        assert not journal.append(
            HOME, [build_message("b")], Cursor("2:2", "/t/new.jsonl", 5), before
        )
        assert (held(journal), journal.cursors(), journal.rejects(9)) == (["a"], [before], [])

    def test_cursors_come_back_as_they_were_put(self, journal: FullJournal) -> None:
        cursors = [
            Cursor(
                identity="1:1",
                path="/t/가.jsonl",
                offset=1 << 40,
                line=12,
                head="ab",
                head_bytes=1024,
                tail="cd",
                tail_bytes=256,
                is_rereading=True,
            ),
            Cursor("2:1", "/t/b.jsonl"),
        ]
        for cursor in cursors:
            assert journal.append(HOME, [], cursor, None)
        assert sorted(journal.cursors()) == cursors

    def test_the_same_message_is_kept_once_and_a_later_version_replaces_it(
        self, journal: FullJournal
    ) -> None:
        append_turns(journal, build_message("a"), build_message("b", "b1"), build_message("a"))
        append_turns(
            journal,
            build_message("a"),
            build_message("b", "b2"),
            build_message("b", "b3"),
            build_message("c"),
        )
        append_turns(journal, build_message("b", "b1"), file="2:2")
        assert held(journal) == ["a", "b3", "c"]
        assert [
            journalled.message.text for journalled in journal.messages(HOME, ["b", "a", "gone"])
        ] == [
            "a",
            "b3",
        ]

    def test_turns_are_taken_back_one_from_one_on_or_all_of_a_session(
        self, journal: FullJournal
    ) -> None:
        append_turns(
            journal,
            *(build_message(name) for name in ("a", "b", "b#0", "c", "d")),
            build_message("x", session="other"),
        )
        append_turns(journal, Retraction("s", "b"))
        assert held(journal) == ["a", "c", "d", "x"]
        append_turns(journal, Retraction("s", "c", after=True), Retraction("s", "gone", after=True))
        assert held(journal) == ["a", "x"]
        append_turns(journal, Retraction("s", "", after=True), build_message("e"))
        assert held(journal) == ["x", "e"]

    def test_only_what_came_from_the_named_file_is_taken_back(self, journal: FullJournal) -> None:
        for name, source in (
            ("a", "/t/1"),
            ("b", "/t/1"),
            ("c", "/t/2"),
            ("d", "/t/2"),
            ("b", "/t/2"),
        ):
            append_turns(journal, build_message(name)._replace(source=source), file=source)
        append_turns(journal, Retraction("s", "", after=True, source="/t/2"), file="/t/2")
        assert held(journal) == ["a", "b"]
        append_turns(journal, Retraction("s", "a", after=True, source="/t/2"), file="/t/2")
        assert held(journal) == ["a", "b"]

    def test_what_was_taken_back_and_is_written_again_holds_again_in_its_place(
        self, journal: FullJournal
    ) -> None:
        append_turns(
            journal,
            build_message("a"),
            build_message("b", "b1"),
            build_message("b", "b2"),
            build_message("c"),
        )
        append_turns(
            journal,
            Retraction("s", "", after=True),
            build_message("c"),
            build_message("b", "b2"),
            build_message("a"),
        )
        assert held(journal) == ["a", "b2", "c"]

    def test_scopes_never_see_each_other(self, journal: FullJournal) -> None:
        append_turns(journal, build_message("a", "mine"))
        append_turns(journal, build_message("a", "yours"), build_message("b"), scope=OTHER)
        append_turns(journal, Retraction("s", "", after=True), scope=OTHER)
        assert (held(journal), held(journal, OTHER), held(journal, Scope("agent:nobody"))) == (
            ["mine"],
            [],
            [],
        )
        assert journal.messages(HOME, ["b"]) == []
        assert journal.occurrences(OTHER, ["c"]) == {}
        assert journal.scopes() == [HOME, OTHER]

    def test_occurrences_count_lines_and_not_their_parts(self, journal: FullJournal) -> None:
        append_turns(
            journal,
            *map(build_message, ("s/a", "s/a~2#0", "s/a~2#1", "s/a~10", "s/ab", "s/b#0", "s/b#1")),
        )
        assert journal.occurrences(HOME, ["s/a", "s/b", "s/", "s/c", "s/a"]) == {"s/a": 3, "s/b": 1}

    def test_thousands_of_ids_fit_in_one_call(self, journal: FullJournal) -> None:
        names = [f"{n:04}" for n in range(2500)]
        append_turns(journal, *map(build_message, names))
        assert [
            journalled.message.id for journalled in journal.messages(HOME, names[::-1])
        ] == names
        assert len(journal.occurrences(HOME, names)) == 2500

    def test_lines_that_were_set_aside_are_named_once_the_newest_first(
        self, journal: FullJournal
    ) -> None:
        one, two = (
            Reject(
                path="/t/s.jsonl", line=line, offset=line * 10, length=9, reason="not a JSON object"
            )
            for line in (1, 2)
        )
        for rejects in ([one], [one, two]):
            before = next(iter(journal.cursors()), None)
            assert journal.append(
                HOME, [], Cursor("1:1", "/t", (before.offset if before else 0) + 1), before, rejects
            )
        assert journal.rejects(9) == [two, one]
        assert journal.rejects(1) == [two]

    def test_stats_count_one_scope_or_all(self, journal: FullJournal) -> None:
        append_turns(journal, build_message("a", tokens=3), build_message("b", tokens=4))
        append_turns(journal, build_message("a", tokens=5), scope=OTHER, file="2:2")
        mine, everything = journal.stats(HOME), journal.stats()
        assert (mine.messages, mine.tokens) == (2, 7)
        assert (
            everything.messages,
            everything.tokens,
            everything.transcripts,
            everything.rejects,
        ) == (3, 12, 2, 0)
        assert journal.stats(Scope("agent:nobody")).messages == 0

    def test_a_lock_is_held_once_and_another_name_is_another_lock(
        self, journal: FullJournal
    ) -> None:
        other = self.reopen(journal)
        with journal.exclusive("a") as first, other.exclusive("a", wait=False) as second:
            assert (first, second) == (True, False)
            with other.exclusive("b", wait=False) as third:
                assert third
        with other.exclusive("a", wait=False) as free:
            assert free
        other.close()

    def test_another_handle_sees_what_was_written(self, journal: FullJournal) -> None:
        append_turns(journal, build_message("a"))
        other = self.reopen(journal)
        append_turns(other, build_message("b"))
        assert held(journal) == held(other) == ["a", "b"]
        other.close()

    def test_a_correction_stands_in_turns_and_what_was_said_stays(
        self, journal: FullJournal
    ) -> None:
        append_turns(journal, build_message("a", "port 8080"), build_message("b"))
        reached, _ = journal.conversations(HOME, Heard(), EVERYTHING)
        journal.correct(HOME, "a", "port 9090")
        assert [turn.message.text for turn in journal.turns(HOME, "plain", "s")] == [
            "port 9090",
            "b",
        ]
        assert held(journal) == ["port 8080", "b"]
        assert journal.corrections(HOME) == {"a": "port 9090"}
        assert journal.corrections(OTHER) == {}
        assert [
            journalled.message.id for journalled in journal.find(HOME, MessageFilter(match="9090"))
        ] == ["a"]
        again, changed = journal.conversations(HOME, reached, EVERYTHING)
        assert (again != reached, [conversation.session for conversation in changed]) == (
            True,
            ["s"],
        )
        journal.correct(HOME, "a", "")
        assert [turn.message.text for turn in journal.turns(HOME, "plain", "s")] == [
            "port 8080",
            "b",
        ]

    def test_a_session_is_read_whole_and_the_newest_comes_first(self, journal: FullJournal) -> None:
        append_turns(
            journal,
            build_message("a", "port 8080"),
            build_message("b", "[Bash command=make] [Bash ok]")._replace(role=Role.TOOL),
            build_message("c", "gone"),
            build_message("d", "later", session="t")._replace(at=AT + timedelta(hours=1)),
        )
        append_turns(journal, build_message("x", "other"), scope=OTHER, file="1:2")
        (gone,) = journal.messages(HOME, ["c"])
        journal.erase(HOME, [gone.seq])
        journal.correct(HOME, "a", "port 9090")
        assert [one.message.text for one in journal.session_messages(HOME, "plain", "s")] == [
            "port 9090",
            "[Bash command=make] [Bash ok]",
        ]
        assert journal.session_messages(HOME, "plain", "nobody") == []
        assert journal.session_gaps(HOME, "plain", "s") == [gone.place]
        assert journal.session_gaps(HOME, "plain", "t") == []
        newest = journal.newest_sessions(HOME, 5)
        assert [(known.agent, known.session) for known in newest] == [
            ("plain", "t"),
            ("plain", "s"),
        ]
        assert newest[0].at == AT + timedelta(hours=1)
        assert [known.session for known in journal.newest_sessions(HOME, 1)] == ["t"]

    def test_a_correction_is_rewritten_and_forgotten_with_its_message(
        self, journal: FullJournal
    ) -> None:
        append_turns(journal, build_message("a", "one"), build_message("b"))
        journal.correct(HOME, "a", "secret two")
        assert journal.rewrite(lambda text: text.replace("secret", "[gone]")) == 1
        assert journal.corrections(HOME) == {"a": "[gone] two"}
        (message,) = journal.messages(HOME, ["a"])
        journal.erase(HOME, [message.seq])
        assert journal.corrections(HOME) == {}
