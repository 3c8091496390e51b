"""The journal with its texts in MongoDB keeps the contract over the wire, and kills between the two
servers lose nothing.
"""

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from mongo_server import running_mongo
from pymongo import MongoClient

from gieok.errors import BadConfig, StoreError, StoreUnreachable
from gieok.flow import journal_copy
from gieok.storage.journal.mongo.journal import MongoJournal
from gieok.storage.journal.mongo.texts import Texts
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.contracts import JournalContract
from gieok.testing.contracts.journal import held
from gieok.testing.contracts.journal_sequences import build_journal_sequence_test
from gieok.testing.samples import HOME, OTHER, build_message


@pytest.fixture(scope="module")
def mongo() -> Iterator[str]:
    with running_mongo() as url:
        yield url


class TestMongoJournal(JournalContract):
    @pytest.fixture
    def make_journal(
        self, make_database: Callable[[], str], mongo: str
    ) -> Callable[[], MongoJournal]:
        self.urls: dict[MongoJournal, str] = {}
        self.mongo = mongo
        return lambda: self.open(make_database())

    test_any_sequence_of_turns_leaves_what_a_list_of_them_leaves = build_journal_sequence_test(3)

    def open(self, url: str) -> MongoJournal:
        journal = MongoJournal(url, Texts(self.mongo))
        self.urls[journal] = url
        return journal

    def reopen(self, journal: MongoJournal) -> MongoJournal:
        return self.open(self.urls[journal])


_OPENING = """
from gieok.storage.journal.mongo.journal import MongoJournal; from gieok.storage.journal.mongo.texts import Texts
journal = MongoJournal({url!r}, Texts({mongo!r}))
"""
#: Ends the process behind a step, as kill -9 does.
_KILLED = """
import os, signal
from gieok.testing.samples import HOME, build_message
step = Texts.{step}
def killed(*given):
    if {is_after}: step(*given)
    os.kill(os.getpid(), signal.SIGKILL)
Texts.{step} = killed
journal.{call}
"""


class _Servers:
    """A journal, and what MongoDB has of it."""

    def __init__(self, url: str, mongo: str) -> None:
        self.url, self.mongo = url, mongo
        self.journal = MongoJournal(url, Texts(mongo))
        self.client: MongoClient = MongoClient(mongo)

    @property
    def collection(self) -> Any:
        return self.client.get_default_database()[self.journal.kept("mongo:collection")["name"]]

    def texts(self) -> list[str]:
        return sorted(row["text"] for row in self.collection.find())

    def rows(self) -> list[str]:
        with psycopg.connect(self.url) as db:
            return [
                text
                for (text,) in db.execute("SELECT text FROM gieok_journal.messages ORDER BY seq")
            ]

    def kill(self, call: str, step: str, *, is_after: bool) -> None:
        self.journal.occurrences(HOME, [])
        code = _OPENING.format(url=self.url, mongo=self.mongo) + _KILLED.format(
            call=call, step=step, is_after=is_after
        )
        assert (
            subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode
            == -signal.SIGKILL
        )


@pytest.fixture
def servers(make_database: Callable[[], str], mongo: str) -> Iterator[_Servers]:
    opened = _Servers(make_database(), mongo)
    yield opened
    opened.journal.close()
    opened.client.close()


def test_what_was_said_is_in_mongodb_and_nothing_of_it_in_postgresql(servers: _Servers) -> None:
    strange = "a\0b \ud83d 결제 \x10 \x10m \x100000 \udc00\U0001f35c"
    servers.journal.say(
        HOME,
        [
            build_message("a", "비밀"),
            build_message("b", " "),
            build_message(strange, strange, session=strange),
        ],
    )
    assert held(servers.journal) == ["비밀", " ", strange]
    assert servers.rows() == ["\x10m", " ", "\x10m"]
    assert len(servers.texts()) == 2
    servers.journal.say(HOME, [build_message("a", "비밀")])
    assert len(servers.texts()) == 2


def test_a_text_that_left_its_row_leaves_mongodb_and_its_twin_stays(servers: _Servers) -> None:
    journal = servers.journal
    journal.say(
        HOME,
        [build_message("a", "twin"), build_message("b", "twin"), build_message("c", "secret word")],
    )
    journal.say(OTHER, [build_message("a", "twin")])
    journal.erase(HOME, [journal.messages(HOME, ["a"])[0].seq])
    assert servers.texts() == ["secret word", "twin", "twin"]
    assert journal.rewrite(lambda text: text.replace("secret", "[gone]")) == 1
    assert (servers.texts(), held(journal)) == (["twin", "twin"], ["twin", "[gone] word"])
    journal.drop(HOME)
    assert (servers.texts(), held(journal, OTHER), journal.kept("mongo:unswept")) == (
        ["twin"],
        ["twin"],
        {},
    )


def test_a_kill_between_mongodb_and_the_commit_leaves_nothing_said_and_once_when_said_again(
    servers: _Servers,
) -> None:
    servers.kill("say(HOME, [build_message('a', 'once')])", "put", is_after=True)
    assert (held(servers.journal), servers.texts()) == ([], ["once"])
    servers.journal.say(HOME, [build_message("a", "once")])
    assert (held(servers.journal), servers.texts()) == (["once"], ["once"])


def test_what_a_kill_left_of_a_removal_is_removed_by_who_comes_next(servers: _Servers) -> None:
    journal = servers.journal
    journal.say(HOME, [build_message("a", "forget me"), build_message("b", "stays")])
    seq = journal.messages(HOME, ["a"])[0].seq
    servers.kill(f"erase(HOME, [{seq}])", "leave", is_after=False)
    assert (held(journal), servers.texts()) == (["stays"], ["forget me", "stays"])
    journal.prune({})
    assert (servers.texts(), held(journal), journal.kept("mongo:unswept")) == (
        ["stays"],
        ["stays"],
        {},
    )


def test_without_mongodb_nothing_is_said_and_the_error_shows_no_password(
    make_database: Callable[[], str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    texts = Texts(f"mongodb://me:hunter2@127.0.0.1:{port}/gieok?authSource=admin", timeout_s=0.1)
    journal = MongoJournal(make_database(), texts)
    with pytest.raises(StoreUnreachable) as caught:
        journal.say(HOME, [build_message("a")])
    assert f"mongodb://127.0.0.1:{port}/gieok" in str(caught.value)
    assert "hunter2" not in f"{caught.value} {caught.value.hint} {journal.location}"
    assert held(journal) == []
    journal.close()


def test_a_text_that_mongodb_lost_is_an_error_and_not_silence(servers: _Servers) -> None:
    servers.journal.say(HOME, [build_message("a", "lost")])
    servers.collection.delete_many({})
    with pytest.raises(StoreError, match="lacks 1 texts"):
        held(servers.journal)


@pytest.mark.parametrize(
    "url", ["localhost:27017", "mongodb://me:hunter2@", "mongodb://me:hunter2@host:port/x"]
)
def test_a_bad_address_is_named_without_its_password(url: str) -> None:
    with pytest.raises(BadConfig) as caught:
        Texts(url)
    assert "hunter2" not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("url", "database"),
    [
        ("mongodb+srv://me:hunter2@cluster.example/talk?w=1", "talk"),
        ("mongodb+srv://me:hunter2@cluster.example", "gieok"),
    ],
)
def test_an_address_that_a_name_server_completes_is_taken_apart_without_asking_it(
    url: str, database: str
) -> None:
    texts = Texts(url)
    assert (texts.location, texts._database) == ("mongodb+srv://cluster.example", database)


def test_the_journal_of_postgresql_alone_says_where_the_texts_are_and_takes_them_back(
    servers: _Servers,
) -> None:
    servers.journal.say(HOME, [build_message("a", "비밀"), build_message("b", "again")])
    alone = PostgresJournal(servers.url)
    with pytest.raises(BadConfig, match="in MongoDB"):
        held(alone)
    journal_copy.copy_journal(servers.journal, alone, replace=True, progress=lambda done: None)
    assert (held(alone), servers.rows()) == (["비밀", "again"], ["비밀", "again"])
    assert held(servers.journal) == ["비밀", "again"]
    alone.close()


def test_a_journal_that_becomes_a_copy_of_another_keeps_its_collection_and_gives_it_to_none(
    servers: _Servers, tmp_path: Path
) -> None:
    servers.journal.say(OTHER, [build_message("x", "before")])
    with (
        closing(SqliteJournal(tmp_path / "one.sqlite")) as one,
        closing(SqliteJournal(tmp_path / "two.sqlite")) as two,
    ):
        one.say(HOME, [build_message("a", "비밀"), build_message("b", "다음")])
        one.correct(HOME, "b", "또 다음")
        assert one.identity() != servers.journal.identity()
        journal_copy.copy_journal(one, servers.journal, replace=True)
        assert servers.journal.corrections(HOME) == {"b": "또 다음"}
        assert (held(servers.journal), servers.texts()) == (["비밀", "다음"], ["다음", "비밀"])
        assert servers.rows() == ["\x10m", "\x10m"]
        journal_copy.copy_journal(servers.journal, two)
        assert (held(two), two.realms("mongo:")) == (["비밀", "다음"], [])
    servers.collection.delete_many({})
    with pytest.raises(StoreError, match="lacks 2 texts"):
        list(servers.journal.copied_rows(HOME))
