"""The contract of `Archived`: a memory lives in one place.

The place that the memory left is stale until it is swept.
"""

from dataclasses import replace
from datetime import timedelta

from gieok.model.archive import ArchivedMemory, Move, Place
from gieok.model.memory import Entry, Tier
from gieok.ports.journal import FullJournal
from gieok.testing.contracts.journal import JournalFixtures
from gieok.testing.samples import AT, HOME, OTHER, build_entry

WARM = Place(HOME, Tier.WARM, "2026-01-01.md")
COLD = Place(HOME, Tier.COLD, "2026/01/a b.md")


def lives(
    what: Entry, place: Place = WARM, *, stands: bool = False, day: int = 0
) -> ArchivedMemory:
    """Return the record of the place in which a memory lives."""
    document, at = what.document, AT.date() + timedelta(days=day)
    return ArchivedMemory(
        key=document.key,
        place=place,
        content_hash=document.content_hash,
        revision="r1",
        tokens=7,
        moved_at=AT,
        day=at,
        kind=document.kind,
        stands=stands,
    )


def _list_journal_keys(journal: FullJournal) -> tuple[list[str], list[str]]:
    return [memory.document.key for memory in journal.made(HOME)], [
        memory.key for memory in journal.archived(HOME)
    ]


def _list_stale_places(journal: FullJournal) -> list[Place]:
    return [stale.place for stale in journal.stale_places()]


class ArchivedContract(JournalFixtures):
    """Tests of the sentences of `gieok.ports.Archived`."""

    def test_what_moves_lives_there_alone_and_the_store_is_told_its_tier(
        self, journal: FullJournal
    ) -> None:
        a, b = build_entry("a", "x"), build_entry("b", "y")
        journal.hand_over([a, b])
        assert journal.archive([Move(a, lives(a))]) == []
        assert (_list_journal_keys(journal), journal.made_scopes()) == ((["b"], ["a"]), [HOME])
        assert journal.archived(HOME) == journal.archived(HOME, keys=["a", "z"]) == [lives(a)]
        assert journal.archived(HOME, place=WARM) == [lives(a)]
        assert journal.archived(HOME, day=AT.date()) == [lives(a)]
        assert journal.archived(HOME, day=AT.date() + timedelta(days=1)) == []
        assert journal.archived(HOME, place=COLD) == journal.archived(OTHER) == []
        (_, _, delivered) = journal.undelivered(9)[-1]
        assert delivered == Entry(replace(a.document, tier=Tier.WARM), a.passages)
        assert _list_stale_places(journal) == []

    def test_what_was_changed_since_it_was_read_does_not_move(self, journal: FullJournal) -> None:
        a, b, c = build_entry("a", "x"), build_entry("b", "y"), build_entry("c", "z")
        journal.hand_over([a, b, c])
        journal.hand_over([build_entry("a", "changed")], [(HOME, "b")])
        moves = [Move(entry, lives(entry)) for entry in (a, b, c)]
        assert journal.archive(moves) == moves[:2]
        assert (_list_journal_keys(journal), _list_stale_places(journal)) == (
            (["a"], ["c"]),
            [WARM],
        )

    def test_it_moves_on_from_where_it_lives_and_from_nowhere_else(
        self, journal: FullJournal
    ) -> None:
        a = build_entry("a", "x")
        journal.hand_over([a])
        journal.archive([Move(a, lives(a))])
        cold = Move(a, lives(a, COLD), before=lives(a))
        assert journal.archive([cold]) == []
        assert (journal.archived(HOME), _list_stale_places(journal)) == ([lives(a, COLD)], [WARM])
        assert journal.archive([cold, Move(a, None, before=lives(a))]) != []
        assert journal.archived(HOME) == [lives(a, COLD)]

    def test_a_correction_in_its_place_reaches_the_store_and_makes_nothing(
        self, journal: FullJournal
    ) -> None:
        a, fresh = build_entry("a", "x"), build_entry("a", "corrected")
        journal.hand_over([a])
        journal.archive([Move(a, lives(a))])
        assert (
            journal.archive([Move(fresh, lives(fresh), before=lives(a), replaced=a.document)]) == []
        )
        assert (_list_journal_keys(journal), _list_stale_places(journal)) == (([], ["a"]), [])
        assert journal.history(HOME, 9) == [a.document]
        delivered = journal.undelivered(9)[-1][2]
        assert isinstance(delivered, Entry)
        assert (delivered.document.text, delivered.document.tier) == ("corrected", Tier.WARM)

    def test_what_is_made_anew_or_brought_back_lives_in_hot_and_leaves_a_stale_place(
        self, journal: FullJournal
    ) -> None:
        a, b = build_entry("a", "x"), build_entry("b", "y")
        for back in (
            lambda: journal.hand_over([a]),
            lambda: journal.archive([Move(a, None, before=lives(a))]),
        ):
            journal.hand_over([a, b])
            journal.archive([Move(a, lives(a)), Move(b, lives(b, COLD))])
            assert not back()
            assert (_list_journal_keys(journal), _list_stale_places(journal)[-1]) == (
                (["a"], ["b"]),
                WARM,
            )
        warm = replace(a.document, tier=Tier.WARM)
        journal.hand_over([Entry(warm, a.passages)])
        assert journal.made(HOME) == [a]

    def test_what_is_forgotten_lives_nowhere(self, journal: FullJournal) -> None:
        a, b = build_entry("a", "x"), build_entry("b", "y")
        journal.hand_over([a, b])
        journal.archive([Move(a, lives(a)), Move(b, lives(b, COLD))])
        journal.hand_over(forget=[(HOME, "a")])
        journal.erase(HOME, [], ["b"])
        assert (_list_journal_keys(journal), _list_stale_places(journal)) == (
            ([], []),
            [WARM, COLD],
        )
        assert journal.archive([Move(a, None, before=lives(a))]) != []
        assert _list_journal_keys(journal) == ([], [])

    def test_what_is_archived_is_not_adopted_again(self, journal: FullJournal) -> None:
        a = build_entry("a", "x")
        journal.hand_over([a])
        journal.archive([Move(a, lives(a))])
        journal.adopt([a, build_entry("b", "old")])
        assert _list_journal_keys(journal) == (["b"], ["a"])

    def test_a_mark_is_dropped_unless_the_place_was_marked_again(
        self, journal: FullJournal
    ) -> None:
        a = build_entry("a", "x")
        journal.hand_over([a])
        journal.archive([Move(a, lives(a))])
        (first, _), (again,) = journal.mark_stale([WARM, COLD]), journal.mark_stale([WARM])
        assert journal.settle([(first, "r2")]) == [first]
        assert journal.stale_places()[-1] == again
        assert journal.settle([(mark, "r3") for mark in journal.stale_places()]) == []
        assert (journal.stale_places(), journal.archived(HOME)[0].revision) == ([], "r3")

    def test_places_count_what_lives_there(self, journal: FullJournal) -> None:
        some = [build_entry(name, name) for name in "abc"]
        journal.hand_over(some)
        journal.archive(
            [
                Move(one, lives(one, place))
                for one, place in zip(some, (WARM, WARM, COLD), strict=True)
            ]
        )
        places = [
            (one.place, one.day, one.memories, one.tokens, one.revision) for one in journal.places()
        ]
        assert places == [(COLD, AT.date(), 1, 7, "r1"), (WARM, AT.date(), 2, 14, "r1")]

    def test_standing_is_hot_and_the_newest_that_stands_in_archives(
        self, journal: FullJournal
    ) -> None:
        some = [build_entry(name, name) for name in "abcd"]
        journal.hand_over(some)
        journal.archive(
            [Move(entry, lives(entry, stands=n > 0, day=n)) for n, entry in enumerate(some[:3])]
        )
        hashes = {entry.document.key: entry.document.content_hash for entry in some}
        assert journal.standing(HOME, 9) == {key: hashes[key] for key in "bcd"}
        assert journal.standing(HOME, 1) == {key: hashes[key] for key in "cd"}
        assert journal.standing(OTHER, 9) == {}
