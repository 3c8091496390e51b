"""The PostgreSQL journal keeps the contract on a real server, and many processes may write to
it.
"""

import sys
from collections.abc import Callable, Iterator
from threading import Thread

import psycopg
import pytest
from plans import Explained, catalogue

from gieok.errors import StoreUnreachable
from gieok.model.archive import Move
from gieok.model.conversation import BufferedSpan, Cursor, Heard, Retraction, Usage
from gieok.storage.journal.postgres import schema
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.postgres.numbers import scope_number
from gieok.testing.contracts import JournalContract, JournalProcessContract
from gieok.testing.contracts.archive_rows import lives
from gieok.testing.contracts.journal import append_turns, held
from gieok.testing.contracts.journal_sequences import build_journal_sequence_test
from gieok.testing.contracts.positions import build_reader_run
from gieok.testing.contracts.processes import finish_store_process, go, start_store_process
from gieok.testing.samples import AT, EVERYTHING, HOME, OTHER, build_entry, build_message


class TestPostgresJournal(JournalContract):
    @pytest.fixture
    def make_journal(self, make_database: Callable[[], str]) -> Callable[[], PostgresJournal]:
        self.urls: dict[PostgresJournal, str] = {}
        return lambda: self.open(make_database())

    test_any_sequence_of_turns_leaves_what_a_list_of_them_leaves = build_journal_sequence_test(10)

    def open(self, url: str) -> PostgresJournal:
        journal = PostgresJournal(url)
        self.urls[journal] = url
        return journal

    def reopen(self, journal: PostgresJournal) -> PostgresJournal:
        return self.open(self.urls[journal])


class TestPostgresJournalProcesses(JournalProcessContract):
    @pytest.fixture
    def url(self, make_database: Callable[[], str]) -> str:
        return make_database()

    @pytest.fixture
    def make_journal(self, url: str) -> Callable[[], PostgresJournal]:
        return lambda: PostgresJournal(url)

    @pytest.fixture
    def opening(self, url: str) -> str:
        return (
            "from gieok.storage.journal.postgres.journal import PostgresJournal; journal = "
            f"PostgresJournal({url!r})"
        )


#: Whatever PostgreSQL refuses, our own escape, and what looks like one.
_STRANGE = "a\0b \ud83d 결제 \x10 \x100000 \udc00\U0001f35c % ? {}"


@pytest.fixture
def journal(make_database: Callable[[], str]) -> Iterator[PostgresJournal]:
    opened = PostgresJournal(make_database())
    yield opened
    opened.close()


def _reached(journal: PostgresJournal) -> int:
    return max(found.seq for found in journal.read(HOME, 0, budget_tokens=EVERYTHING))


def test_text_that_postgresql_refuses_comes_back_as_it_was(journal: PostgresJournal) -> None:
    append_turns(
        journal,
        build_message(_STRANGE, _STRANGE, session=_STRANGE),
        build_message(f"{_STRANGE}#0", "b"),
    )
    (found, _) = journal.read(HOME, 0, budget_tokens=EVERYTHING)
    assert (found.message.id, found.message.text, found.message.session) == (
        _STRANGE,
        _STRANGE,
        _STRANGE,
    )
    assert journal.occurrences(HOME, [_STRANGE]) == {_STRANGE: 1}
    assert [turn.message.text for turn in journal.turns(HOME, "plain", _STRANGE)] == [_STRANGE]
    made = build_entry("a", _STRANGE)
    journal.hand_over([made])
    assert journal.made(HOME) == [made]
    assert journal.standing(HOME, 9) == {"a": made.document.content_hash}
    journal.keep(_STRANGE, {_STRANGE: _STRANGE})
    assert journal.kept(_STRANGE) == {_STRANGE: _STRANGE}
    journal.correct(HOME, _STRANGE, f"{_STRANGE}!")
    assert journal.corrections(HOME) == {_STRANGE: f"{_STRANGE}!"}
    assert journal.rewrite(lambda text: text.replace("결제", "")) == 2


def test_what_grows_with_users_is_keyed_by_scope_and_tied_to_nothing(
    make_database: Callable[[], str],
) -> None:
    tables, keys, tied = catalogue(make_database(), schema.NAME)
    whole = {"usage", "incidents", "migrations"}
    assert {name for name, by in tables.items() if not by} == whole
    assert {by for name, by in tables.items() if name not in whole | {"scopes"}} == {
        "HASH (scope_id)"
    }
    assert tables["scopes"] == "HASH (id)"
    assert {name for name, _ in keys} == tables.keys() - whole
    assert {first for name, first in keys if name != "scopes"} == {"scope_id"}
    assert tied == []


class _Explained(Explained, PostgresJournal):
    pass


def test_every_statement_of_a_turn_looks_into_one_partition(
    make_database: Callable[[], str],
) -> None:
    journal = _Explained(make_database())
    append_turns(
        journal,
        build_message("a"),
        build_message("b"),
        build_message("b", "b2"),
        build_message("c"),
        scope=OTHER,
        file="2:2",
    )
    append_turns(
        journal,
        build_message("a"),
        build_message("b"),
        build_message("b", "b2"),
        build_message("c"),
    )
    journal.plans.clear()
    assert journal.append(
        HOME,
        [build_message("d"), Retraction("s", "c"), build_message("a", "a2")],
        Cursor("3:3", "/t"),
        None,
    )
    assert journal.append(HOME, [build_message("e")], Cursor("3:3", "/t", 2), Cursor("3:3", "/t"))
    journal.read(HOME, 0, budget_tokens=EVERYTHING)
    journal.messages(HOME, ["a", "b"])
    journal.occurrences(HOME, ["a"])
    journal.correct(HOME, "a", "another")
    _, (talk, *_) = journal.conversations(HOME, Heard(), EVERYTHING)
    journal.turns(HOME, talk.agent, talk.session, 2)
    journal.unheard(HOME, Heard())
    made, reached = build_entry("m", "x"), _reached(journal)
    journal.hand_over([made, build_entry("n", "y")], [(HOME, "n")])
    journal.made(HOME)
    journal.archive([Move(made, lives(made))])
    journal.archived(HOME)
    journal.standing(HOME, 9)
    journal.hand_over([made])
    journal.buffer(HOME, "r", BufferedSpan(0, reached - 1, 1, ""))
    journal.chunks(HOME, "r")
    assert journal.commit(
        0,
        build_reader_run(reached, reader="r"),
        put=[made],
        forget=[build_entry("n", "y").document],
    )
    journal.position(HOME, "r")
    journal.history(HOME, 9)
    journal.runs(HOME, AT)
    journal.charge(AT.date(), "reply", Usage(1))
    journal.keep("character:mina", {"a": "b"})
    journal.kept("character:mina")
    assert len(journal.plans) > 60
    assert journal.spread() == []
    journal.close()


def test_scopes_of_one_number_never_see_each_other(
    journal: PostgresJournal, make_database: Callable[[], str]
) -> None:
    append_turns(journal, build_message("a"))
    url = make_database()
    with psycopg.connect(url) as db:
        db.execute(
            f"INSERT INTO {schema.NAME}.scopes VALUES (%s, 'agent:somebody')",
            (scope_number(HOME.path),),
        )
    other = PostgresJournal(url)
    assert (held(journal), held(other)) == (["a"], [])
    with pytest.raises(Exception, match="number of another scope"):
        append_turns(other, build_message("b"))
    other.close()


def test_a_transcript_that_goes_to_another_scope_goes_on_there(journal: PostgresJournal) -> None:
    append_turns(journal, build_message("a"))
    (first,) = journal.cursors()
    moved = first._replace(offset=9)
    assert not journal.append(OTHER, [build_message("b")], moved, first._replace(offset=5))
    assert journal.append(OTHER, [build_message("b")], moved, first)
    assert not journal.append(HOME, [build_message("c")], moved, first)
    assert (held(journal), held(journal, OTHER), journal.cursors()) == (["a"], ["b"], [moved])


def test_a_reader_of_a_scope_misses_nothing_that_others_write_meanwhile(
    make_database: Callable[[], str],
) -> None:
    journal = PostgresJournal(make_database())
    lines = 25

    def write(who: str) -> None:
        for n in range(lines):
            append_turns(journal, build_message(f"{who}/{n}"), file=who)

    writers = [Thread(target=write, args=(who,)) for who in "abcd"]
    for writer in writers:
        writer.start()
    seen: list[str] = []
    at = 0
    while any(writer.is_alive() for writer in writers) or journal.unheard(HOME, Heard(at)):
        for found in journal.read(HOME, at, budget_tokens=EVERYTHING):
            seen.append(found.message.id)
            at = found.seq
    assert sorted(seen) == sorted(f"{who}/{n}" for who in "abcd" for n in range(lines))
    journal.close()


#: Takes documents out of one journal's outbox, by turns with others, and says which.
_DELIVERER = """
import sys
print("ready", flush=True)
sys.stdin.readline()
{opening}
while True:
    with journal.exclusive("deliver"):
        waiting = journal.undelivered(3)
        journal.delivered([number for number, _, _ in waiting])
    if not waiting:
        break
    print(*(entry.document.key for _, _, entry in waiting), flush=True)
journal.close()
"""
_HOLDER = """
import sys
print("ready", flush=True)
sys.stdin.readline()
{opening}
with journal.exclusive("a"):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
class TestPostgresJournalTurns:
    @pytest.fixture
    def opened(self, make_database: Callable[[], str]) -> Iterator[tuple[PostgresJournal, str]]:
        url = make_database()
        journal = PostgresJournal(url)
        yield (
            journal,
            (
                "from gieok.storage.journal.postgres.journal import *; journal = "
                f"PostgresJournal({url!r})"
            ),
        )
        journal.close()

    def test_what_waits_is_delivered_once_by_processes_in_turns(
        self, opened: tuple[PostgresJournal, str]
    ) -> None:
        journal, opening = opened
        journal.hand_over([build_entry(f"{n:02}", "x") for n in range(40)])
        processes = [start_store_process(_DELIVERER, opening) for _ in range(2)]
        go(*processes)
        keys = [
            key
            for process in processes
            for said in finish_store_process(process)
            for key in said.split()
        ]
        assert sorted(keys) == [f"{n:02}" for n in range(40)]
        assert journal.undelivered(9) == []

    def test_a_killed_process_lets_go_of_its_lock(
        self, opened: tuple[PostgresJournal, str]
    ) -> None:
        journal, opening = opened
        process = start_store_process(_HOLDER, opening)
        with process:
            assert process.stdout
            go(process)
            assert process.stdout.readline() == "held\n"
            with journal.exclusive("a", wait=False) as taken:
                assert not taken
            process.kill()
        with journal.exclusive("a") as free:
            assert free

    def test_of_many_that_move_a_position_one_does(
        self, opened: tuple[PostgresJournal, str]
    ) -> None:
        journal, _ = opened
        append_turns(journal, build_message("a"))
        end, done = _reached(journal), list[bool]()
        threads = [
            Thread(
                target=lambda n=n: done.append(
                    journal.commit(0, build_reader_run(end), put=[build_entry(f"{n}", "x")])
                )
            )  # type: ignore[misc]
            for n in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (sorted(done), len(journal.made(HOME)), len(journal.runs(HOME, AT))) == (
            [False] * 5 + [True],
            1,
            1,
        )

    def test_connections_that_the_server_ends_are_made_anew(
        self, opened: tuple[PostgresJournal, str]
    ) -> None:
        journal, opening = opened
        append_turns(journal, build_message("a"))
        with journal.exclusive("a"):
            pass
        url = opening.rpartition("(")[2].strip(")'")
        with psycopg.connect(url, autocommit=True) as db:
            db.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                "application_name = 'gieok'"
            )
        with journal.exclusive("a", wait=False) as taken:
            assert taken
        append_turns(journal, build_message("b"))
        assert held(journal) == ["a", "b"]


def test_a_server_that_is_down_is_named_with_the_next_step_and_no_secret() -> None:
    journal = PostgresJournal("postgresql://me@127.0.0.1:1/memory", password="hunter2")
    for act in (
        journal.scopes,
        lambda: journal.exclusive("a").__enter__(),
        lambda: append_turns(journal, build_message("a")),
    ):
        with pytest.raises(StoreUnreachable, match=r"127\.0\.0\.1:1/memory") as caught:
            act()
        assert "database.url" in str(caught.value.hint)
        assert "hunter2" not in f"{caught.value!s} {caught.value.hint}"
    journal.close()


def test_tables_that_grew_gave_no_space_back(
    make_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = PostgresJournal(make_database())
    sizes = iter((8_192, 16_384, 16_384, 8_192))
    monkeypatch.setattr(PostgresJournal, "_size", lambda _: next(sizes))
    assert [journal.compact(), journal.compact()] == [0, 8_192]
    journal.close()
