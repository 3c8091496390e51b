"""The contract of `Durable` and `Forgetting`.

Documents that Gieok made are there until they are forgotten, and then they are gone.
"""

from datetime import timedelta

from gieok.model.conversation import BufferedSpan, Incident, Retraction
from gieok.ports.journal import FullJournal, MessageFilter
from gieok.testing.contracts.journal import JournalFixtures, append_turns, held
from gieok.testing.contracts.positions import build_reader_run
from gieok.testing.samples import AT, EVERYTHING, HOME, OTHER, build_entry, build_message

_READER = "observe"


class DurableContract(JournalFixtures):
    """Tests of the sentences of `gieok.ports.Durable`."""

    def test_what_is_committed_is_made_before_and_after_its_delivery(
        self, journal: FullJournal
    ) -> None:
        append_turns(journal, build_message("1"), build_message("2"))
        one, two = (message.seq for message in journal.read(HOME, 0, budget_tokens=EVERYTHING))
        first, second = build_entry("a", "새것", "둘째 줄", context="제목"), build_entry("b", "x")
        assert journal.commit(0, build_reader_run(one), put=[first, second])
        assert (journal.made(HOME), journal.made(OTHER), journal.made_scopes()) == (
            [first, second],
            [],
            [HOME],
        )
        journal.delivered([row for row, _, _ in journal.undelivered(9)])
        changed = build_entry("a", "anders")
        assert journal.commit(
            one,
            build_reader_run(two, start=one),
            put=[changed],
            forget=[first.document, second.document],
        )
        assert journal.made(HOME) == [changed]
        assert self.reopen_if_it_can(journal).made(HOME) == [changed]

    def reopen_if_it_can(self, journal: FullJournal) -> FullJournal:
        """Return another handle on the journal's data, or the same journal where there is no
        other.
        """
        return journal if type(self).reopen is JournalFixtures.reopen else self.reopen(journal)

    def test_what_is_handed_over_without_a_run_is_made_and_queued(
        self, journal: FullJournal
    ) -> None:
        journal.hand_over([build_entry("a", "x"), build_entry("b", "y")])
        journal.hand_over([build_entry("a", "z")], [(HOME, "a"), (HOME, "b")])
        assert journal.made(HOME) == [build_entry("a", "z")]
        assert len(journal.undelivered(9)) == 5

    def test_what_is_adopted_replaces_nothing_and_waits_for_no_delivery(
        self, journal: FullJournal
    ) -> None:
        journal.hand_over([build_entry("a", "new")])
        journal.adopt([build_entry("a", "old"), build_entry("b", "old")])
        assert journal.made(HOME) == [build_entry("a", "new"), build_entry("b", "old")]
        assert len(journal.undelivered(9)) == 1

    def test_values_are_kept_by_realm(self, journal: FullJournal) -> None:
        journal.keep("notes:가", {"a": "1", "b": "2"})
        journal.keep("code", {"a": "x"})
        journal.keep("notes:가", {"c": "3"}, gone=["b", "none"])
        assert journal.kept("notes:가") == {"a": "1", "c": "3"}
        assert journal.kept("none") == {}
        assert (journal.realms(), journal.realms("notes:")) == (["code", "notes:가"], ["notes:가"])

    def test_a_value_is_changed_from_what_it_is(self, journal: FullJournal) -> None:
        assert journal.update_kept("r", "n", lambda raw: raw + "1") == "1"
        assert journal.update_kept("r", "n", lambda raw: raw + "2") == "12"
        assert journal.kept("r") == {"n": "12"}


class ForgettingContract(JournalFixtures):
    """Tests of the sentences of `gieok.ports.Forgetting`."""

    def _find(self, journal: FullJournal, **wanted: object) -> list[str]:
        return [journalled.message.id for journalled in journal.find(HOME, MessageFilter(**wanted))]  # type: ignore[arg-type]

    def test_messages_are_found_by_each_condition_and_by_all_of_them(
        self, journal: FullJournal
    ) -> None:
        older = build_message("a", "Deploy the 결제 server")._replace(at=AT - timedelta(hours=48))
        append_turns(journal, older, build_message("b", "deploy it"), build_message("c", "lunch"))
        append_turns(journal, Retraction("s", "b"))
        assert self._find(journal, match="DEPLOY") == ["a", "b"]
        assert self._find(journal, ids=frozenset("ac")) == ["a", "c"]
        assert self._find(journal, before=AT - timedelta(hours=1)) == ["a"]
        assert (
            self._find(journal, source="/t")
            == self._find(journal, source="/t/s.jsonl")
            == ["a", "b", "c"]
        )
        assert self._find(journal, source="/t/s.json") == []
        assert self._find(journal, match="deploy", ids=frozenset("bc")) == ["b"]
        assert self._find(journal) == []
        assert journal.find(OTHER, MessageFilter(match="deploy")) == []

    def test_an_erased_message_is_gone_and_stays_gone_when_it_is_read_again(
        self, journal: FullJournal
    ) -> None:
        append_turns(journal, build_message("a", "my secret"), build_message("b", "else"))
        (message,) = journal.find(HOME, MessageFilter(match="secret"))
        journal.erase(HOME, [message.seq])
        assert held(journal) == ["else"]
        append_turns(journal, build_message("a", "my secret"))
        append_turns(journal, Retraction("s"))
        append_turns(journal, build_message("a", "my secret"), build_message("b", "else"))
        assert held(journal) == ["else"]
        append_turns(
            journal,
            build_message("copied/a", "my secret"),
            build_message("later", "my secret")._replace(at=AT + timedelta(days=1)),
        )
        assert held(journal) == ["else", "my secret"]
        assert self._find(journal, match="secret") == ["later"]

    def test_what_was_forgotten_stays_so_where_memory_moves_and_a_scope_that_is_dropped_is_new(
        self, journal: FullJournal
    ) -> None:
        append_turns(journal, build_message("a", "my secret"), build_message("b", "else"))
        (message,) = journal.find(HOME, MessageFilter(match="secret"))
        journal.erase(HOME, [message.seq], blanks={message.seq: "  "})
        (mark,) = journal.forgotten_messages(HOME)
        assert (mark.message.id, mark.message.text) == ("a", "  ")
        for _ in range(2):
            journal.keep_forgotten(OTHER, [mark])
        assert journal.forgotten_messages(OTHER) == [mark]
        append_turns(
            journal,
            build_message("a", "my secret"),
            build_message("b", "else"),
            scope=OTHER,
            file="2:2",
        )
        assert held(journal, OTHER) == ["else"]
        journal.drop(HOME)
        assert (held(journal), journal.forgotten_messages(HOME), journal.made(HOME)) == ([], [], [])
        append_turns(journal, build_message("a", "my secret"))
        assert held(journal) == ["my secret"]

    def test_erasing_drops_chunks_documents_and_history_and_tells_the_store(
        self, journal: FullJournal
    ) -> None:
        append_turns(journal, build_message("1"), build_message("2"), build_message("3"))
        one, two, three = (
            message.seq for message in journal.read(HOME, 0, budget_tokens=EVERYTHING)
        )
        entries = [build_entry("a", "x"), build_entry("b", "y")]
        assert journal.commit(
            0, build_reader_run(one), put=entries, forget=[build_entry("old", "z").document]
        )
        assert journal.buffer(HOME, _READER, BufferedSpan(one, two, 1, "c"))
        assert journal.buffer(HOME, _READER, BufferedSpan(two, three, 1, "d"))
        ((number, replaced),) = journal.replaced(HOME)
        assert replaced == build_entry("old", "z").document
        journal.erase(HOME, [three], ["a"], [number])
        assert journal.chunks(HOME, _READER) == [BufferedSpan(one, two, 1, "c")]
        assert journal.made(HOME) == [entries[1]]
        assert journal.replaced(HOME) == []
        waiting = [what for _, _, what in journal.undelivered(9)]
        assert waiting == ["old", entries[1], "a"]

    def test_rewriting_changes_every_text_and_dry_it_only_counts(
        self, journal: FullJournal
    ) -> None:
        append_turns(journal, build_message("a", "the cat"), build_message("b", "a dog"))
        one, two = (message.seq for message in journal.read(HOME, 0, budget_tokens=EVERYTHING))
        assert journal.commit(
            0, build_reader_run(one), forget=[build_entry("old", "cat food").document]
        )
        assert journal.buffer(HOME, _READER, BufferedSpan(one, two, 1, '["a \\"cat\\""]'))
        journal.raise_incident(Incident(name="i", detail="cat", since=AT, tries=1, next_try=AT))
        journal.keep("code:/cat", {"summary:1": '["a cat", "m"]', "run:cat": "[]"})

        def change(text: str) -> str:
            return text.replace("cat", "고양이")

        assert journal.rewrite(change, is_dry=True) == journal.rewrite(change) == 5
        assert journal.rewrite(change) == 0
        assert held(journal) == ["the 고양이", "a dog"]
        assert journal.replaced(HOME)[0][1].text == "고양이 food"
        assert journal.chunks(HOME, _READER) == []
        assert journal.incidents()[0].detail == "고양이"
        assert journal.kept("code:/cat") == {"summary:1": '["a 고양이", "m"]', "run:cat": "[]"}
        append_turns(journal, build_message("a", "the 고양이"))
        assert held(journal) == ["the 고양이", "a dog"]

    def test_scrubbing_leaves_everything_that_holds(self, journal: FullJournal) -> None:
        append_turns(journal, build_message("a"), build_message("b"))
        (message,) = journal.find(HOME, MessageFilter(ids=frozenset("a")))
        journal.erase(HOME, [message.seq])
        assert journal.scrub() == []
        assert held(journal) == ["b"]
