"""A server that restarts while people talk: what was acknowledged is there once, and the next turn
needs no help.
"""

from datetime import UTC, datetime
from threading import Event, Thread
from typing import Any

from gieok.character.memory.service import Bond, CharacterService
from gieok.errors import StoreBusy, StoreUnreachable
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.testing.clock import ManualClock

_LINES, _USERS = 12, ("kim", "lee", "park")


def test_a_server_that_restarts_during_turns_loses_nothing(own_server: Any) -> None:
    store, journal = PostgresStore(own_server.url), PostgresJournal(own_server.url)
    memory = CharacterService(
        journal=journal, store=store, clock=ManualClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
    )
    under_way, failures = Event(), list[str]()

    def talk(user: str) -> None:
        for n in range(_LINES):
            while True:  # as a client does that was told to try again
                try:
                    memory.hear(
                        Bond(user, "mina"),
                        f"내 생일은 3월 {n + 1}일이야",
                        is_user=True,
                        identity=f"{user}{n}",
                    )
                    memory.context(Bond(user, "mina"), "생일")
                    break
                except (StoreBusy, StoreUnreachable) as error:
                    failures.append(str(error))
            if n == 2:
                under_way.set()

    threads = [Thread(target=talk, args=(user,)) for user in _USERS]
    for thread in threads:
        thread.start()
    under_way.wait(60)
    own_server.stop()
    own_server.start()
    for thread in threads:
        thread.join(60)
    assert any("postgres unreachable" in one for one in failures)
    for user in _USERS:
        scope = Bond(user, "mina").scope
        said = [one.message.id for one in journal.read(scope, 0, budget_tokens=1 << 40)]
        assert said == [f"{user}{n}" for n in range(_LINES)]
        assert (
            {entry.document.key for entry in journal.made(scope)}
            == store.hashes(scope).keys()
            != set()
        )
    assert (journal.undelivered(9), store.check()) == ([], [])
    store.close()
    journal.close()
