"""Several processes on one database: writers, killed writers, and many that make the tables at the
same moment.
"""

from collections.abc import Callable

import pytest

from gieok.model.memory import Scope
from gieok.storage.index.postgres.store import PostgresStore
from gieok.testing.contracts import ProcessContract
from gieok.testing.contracts.processes import finish_store_process, go, start_store_process
from gieok.testing.samples import HOME, OTHER, build_entry

#: Puts into two scopes in one call, again and again; the order of the scopes is the other process's
#: turned round.
_CROSSING = """
import sys
from gieok.model.memory import Scope
from gieok.testing.samples import build_entry
print("ready", flush=True)
sys.stdin.readline()
{opening}
scopes = [Scope(name) for name in sys.argv[1:]]
for n in range(150):
    store.put([build_entry(f"{{n % 5}}", f"결제 {{n}}", scope=scope) for scope in scopes])
store.close()
"""


def _opening(url: str) -> str:
    return (
        "from gieok.storage.index.postgres.store import PostgresStore; store = "
        f"PostgresStore({url!r})"
    )


class TestPostgresProcesses(ProcessContract):
    @pytest.fixture
    def url(self, make_database: Callable[[], str]) -> str:
        return make_database()

    @pytest.fixture
    def make_store(self, url: str) -> Callable[[], PostgresStore]:
        return lambda: PostgresStore(url)

    @pytest.fixture
    def opening(self, url: str) -> str:
        return _opening(url)

    @pytest.fixture
    def new_opening(self, make_empty_database: Callable[[], str]) -> str:
        return _opening(make_empty_database())

    def test_writers_of_the_same_scopes_in_another_order_do_not_block_each_other(
        self, opening: str, store: PostgresStore
    ) -> None:
        names = [str(HOME), str(OTHER), "agent:new-a", "agent:new-b"]
        processes = [
            start_store_process(_CROSSING, opening, *names),
            start_store_process(_CROSSING, opening, *reversed(names)),
        ]
        go(*processes)
        for process in processes:
            finish_store_process(process)
        assert [store.stats(Scope(name)).documents for name in names] == [5, 5, 5, 5]
        assert store.check() == []

    def test_a_put_of_one_scope_does_not_wait_for_another(self, url: str) -> None:
        first, second = PostgresStore(url), PostgresStore(url, lock_timeout_ms=200)
        first.put([build_entry("a", "x")])
        second.put([build_entry("a", "x", scope=OTHER)])

        def write_meanwhile(old: str) -> str:
            second.put([build_entry("b", "나란히", scope=OTHER)])
            return old

        first.update_note(HOME, "held", write_meanwhile)
        assert second.hashes(OTHER).keys() == {"a", "b"}
        first.close()
        second.close()
