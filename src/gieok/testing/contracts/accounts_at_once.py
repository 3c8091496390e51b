"""Contract suite of a user's points: threads, killed processes and random calls lose no point.

No posting counts twice, and what is held is never spent.
"""

import random
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gieok.errors import Conflict, NotEnoughPoints
from gieok.model.accounts import LedgerEntry, Posting
from gieok.ports.accounts import Accounts
from gieok.testing.contracts.accounts import AccountsFixtures
from gieok.testing.contracts.processes import finish_store_process, go, start_store_process

_AT = datetime(2026, 11, 23, 9, tzinfo=UTC)
_ALL = 10_000
_POINTS = 100


class _AccountReading(NamedTuple):
    """What an account says of one user: the ledger with its length, and the points that are held
    and that may be spent.
    """

    total: int
    rows: list[LedgerEntry]
    held: int
    free: int


def audit(accounts: Accounts, user: str) -> int:
    """Check that a user's sums agree and no entry is double; return the points that may be
    spent.
    """
    read = _read_account(accounts, user)
    # A server may still carry out the last statement of a client that was killed.
    while (again := _read_account(accounts, user)) != read:
        read = again
    balance = 0
    for number, row in enumerate(reversed(read.rows), 1):
        balance += row.posting.amount
        assert (row.number, row.balance) == (number, balance)
        assert balance >= 0
    assert read.total == len(read.rows) == len({row.posting.reference for row in read.rows})
    assert read.free == balance - read.held
    assert balance >= read.held >= 0
    return read.free


def _read_account(accounts: Accounts, user: str) -> _AccountReading:
    total, rows = accounts.ledger(user, 0, _ALL)
    holds = accounts.holds(_AT + timedelta(days=9_999), _ALL)
    held = sum(hold.amount for hold in holds if hold.user == user)
    return _AccountReading(total, list(rows), held, accounts.balance(user))


_USERS, _REFERENCES = st.sampled_from(["min", "jun"]), st.sampled_from(["a", "b", "c", "d"])
_CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("post"), _USERS, _REFERENCES, st.integers(-9, 20)),
        st.tuples(st.just("hold"), _USERS, _REFERENCES, st.integers(0, 9)),
        st.tuples(st.just("settle"), _USERS, _REFERENCES, st.integers(-9, 0)),
        st.tuples(st.just("release"), _USERS, _REFERENCES, st.just(0)),
    ),
    max_size=30,
)


class _Book:
    """Model of a user's points: what was posted and what is held, by reference."""

    def __init__(self) -> None:
        self.posted: dict[str, int] = {}
        self.held: dict[str, int] = {}

    @property
    def free(self) -> int:
        return sum(self.posted.values()) - sum(self.held.values())

    def do(self, name: str, reference: str, amount: int) -> object:
        if name == "release":
            return self.held.pop(reference, None) is not None
        return (
            self._hold(reference, amount)
            if name == "hold"
            else self._post(reference, amount, is_held=name == "settle")
        )

    def _hold(self, reference: str, amount: int) -> object:
        if reference in self.posted or reference in self.held:
            return False
        if amount > self.free:
            return NotEnoughPoints
        self.held[reference] = amount
        return True

    def _post(self, reference: str, amount: int, *, is_held: bool) -> object:
        if is_held and reference not in self.held:
            return None
        is_new = reference not in self.posted
        if self.posted.get(reference, amount) != amount:
            return Conflict
        if is_new and amount + self.free + is_held * self.held.get(reference, 0) < 0:
            return NotEnoughPoints
        if is_held:
            del self.held[reference]
        self.posted[reference] = amount
        return is_new


def _call_accounts(accounts: Accounts, name: str, user: str, reference: str, amount: int) -> object:
    posting = Posting("x", amount, reference)
    try:
        if name == "post":
            return accounts.post(user, posting, _AT).is_new
        if name == "hold":
            return accounts.hold(user, amount, reference, _AT, "")
        if name == "settle":
            posted = accounts.settle(user, reference, posting, _AT)
            return posted.is_new if posted else None
        return accounts.release(user, reference)
    except (Conflict, NotEnoughPoints) as error:
        return type(error)


def build_account_sequence_test(max_examples: int = 30) -> Callable[..., None]:
    """Return a test with random sequences of calls.

    `max_examples` is to be lower for accounts that take long to make.
    """

    @settings(
        max_examples=max_examples,
        derandomize=True,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(calls=_CALLS)
    def any_sequence(
        self: object,  # noqa: ARG001 - it becomes a method
        make_accounts: Callable[[], Accounts],
        calls: list[tuple[str, str, str, int]],
    ) -> None:
        accounts, books = make_accounts(), {"min": _Book(), "jun": _Book()}
        for name, user, reference, amount in calls:
            assert _call_accounts(accounts, name, user, reference, amount) == books[user].do(
                name, reference, amount
            )
        for user, book in books.items():
            assert audit(accounts, user) == book.free
            _, rows = accounts.ledger(user, 0, _ALL)
            assert {row.posting.reference: row.posting.amount for row in rows} == book.posted
        accounts.close()

    return any_sequence


#: Program that spends a point, in two steps, for each reference from the first one on until no
#: point is left; it prints the references that it has spent.
_SPENDER = """
import sys
from datetime import UTC, datetime
from gieok.errors import NotEnoughPoints
from gieok.model.accounts import Posting
print("ready", flush=True)
sys.stdin.readline()
{opening}
at = datetime(2026, 11, 23, 9, tzinfo=UTC)
first, last = int(sys.argv[1]), int(sys.argv[2])
for n in range(first, last):
    try:
        accounts.hold("min", 1, f"r{{n}}", at, "")
    except NotEnoughPoints:
        break
    if n % 7 == 3:
        accounts.release("min", f"r{{n}}")
    elif accounts.settle("min", f"r{{n}}", Posting("reply", -1, f"r{{n}}"), at):
        print(f"r{{n}}", flush=True)
accounts.close()
"""

#: Program that changes points in a child, which reports how many calls returned and dies at its
#: n-th statement, and then again in a child that lives; for every n. After each kill the data must
#: be those after the returned calls, or after one call more.
_DYING = """
import os, signal, sys
from datetime import UTC, datetime, timedelta
from gieok.model.accounts import Posting
from gieok.testing.contracts.accounts_at_once import audit
print("ready", flush=True)
sys.stdin.readline()
at = datetime(2026, 11, 23, 9, tzinfo=UTC)
exec({opening!r}.partition(";")[0])  # what is imported, once for all children
CALLS = [
    lambda accounts, user: accounts.check_in(user, at.date(), 10, at),
    lambda accounts, user: accounts.post(user, Posting("credit", 5, "pay"), at),
    lambda accounts, user: accounts.hold(user, 1, "one", at, ""),
    lambda accounts, user: accounts.settle(user, "one", Posting("reply", -1, "one"), at),
    lambda accounts, user: accounts.hold(user, 2, "two", at, ""),
    lambda accounts, user: accounts.release(user, "two"),
    lambda accounts, user: accounts.post(user, Posting("slots", -4, "buy", "", "mina", 3), at),
]
STATES = [
    (0, 0, 0), (1, 10, 0), (2, 15, 0), (2, 14, 1), (3, 14, 0), (3, 12, 2), (3, 14, 0), (4, 10, 0),
    (4, 10, 0),
]

def play(user, told):
    {opening}
    for call in CALLS:
        call(accounts, user)
        os.write(told, b".")
    assert (state(accounts, user), accounts.slots(user, "mina")) == (STATES[-1], 3)
    accounts.close()

def state(accounts, user):
    left = audit(accounts, user)
    held = sum(hold.amount for hold in accounts.holds_of(user))
    return accounts.ledger(user, 0, 9)[0], left, held

def look(user, told):
    {opening}
    done = len(os.read(told, 99))
    assert state(accounts, user) in STATES[done : done + 2], (done, state(accounts, user))
    accounts.close()

def child(act, user, told, kill_at=0):
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    def watch(frame, event, called):
        nonlocal kill_at
        name = frame.f_code.co_name if event == "call" else ""
        if event == "c_call":
            name = called.__name__
        if name == "execute":
            kill_at -= 1
            if kill_at == 0:
                os.kill(os.getpid(), signal.SIGKILL)
    try:
        if kill_at:
            sys.setprofile(watch)
        act(user, told)
    except BaseException as error:
        sys.setprofile(None)
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(3)
    os._exit(0)

first, step = int(sys.argv[1]), int(sys.argv[2])
killed = 0
while True:
    reading, telling = os.pipe()
    if child(play, f"user-{{killed}}", telling, first + killed * step) == 0:
        break
    os.close(telling)
    assert child(look, f"user-{{killed}}", reading) == 0, killed
    os.close(reading)
    if killed % 4 == 0:
        again, telling = os.pipe()
        assert child(play, f"user-{{killed}}", telling) == 0, killed
        os.close(again)
        os.close(telling)
    killed += 1
print(killed, flush=True)
"""


class PointsAtOnceContract(AccountsFixtures):
    """Contract of points for many threads and processes.

    A subclass defines `make_accounts`, and `opening`: statements that open the same data as the
    fixture `accounts`, and call it `accounts`. `kills` is the first statement at which a process
    dies, and the step to the next such statement.
    """

    kills = (1, 1)

    test_any_sequence_of_calls_leaves_what_a_book_of_them_leaves = build_account_sequence_test()

    def test_fifty_threads_spend_a_hundred_points_exactly_once(self, accounts: Accounts) -> None:
        accounts.post("min", Posting("credit", _POINTS, "pay"), _AT)

        def spend(thread: int) -> int:
            spent = 0
            for n in range(3):
                # Two threads use the same reference, as where a client sends its request again.
                reference = f"r{thread // 2}-{n}" if n else f"own-{thread}"
                try:
                    accounts.hold("min", 2, reference, _AT, "")
                    posted = accounts.settle("min", reference, Posting("reply", -1, reference), _AT)
                except NotEnoughPoints:
                    continue
                spent += bool(posted and posted.is_new)
            return spent

        with ThreadPoolExecutor(50) as threads:
            spent = sum(threads.map(spend, range(50)))
        left = _POINTS - spent
        for n in range(left):
            accounts.post("min", Posting("reply", -1, f"rest-{n}"), _AT)
        with pytest.raises(NotEnoughPoints):
            accounts.post("min", Posting("reply", -1, "one too many"), _AT)
        assert audit(accounts, "min") == 0
        total, rows = accounts.ledger("min", 0, _ALL)
        assert (total, sum(row.posting.amount for row in rows)) == (1 + _POINTS, 0)

    def test_a_day_is_given_once_to_many_who_ask_at_once(self, accounts: Accounts) -> None:
        with ThreadPoolExecutor(8) as threads:
            check_ins = list(
                threads.map(lambda n: accounts.check_in("min", _AT.date(), 10, _AT), range(16))
            )
        assert sum(posted.is_new for _, posted in check_ins) == 1
        assert {(check, posted.entry) for check, posted in check_ins} == {
            (check_ins[0][0], check_ins[0][1].entry)
        }
        assert audit(accounts, "min") == 10

    def test_processes_that_are_killed_overdraw_and_double_nothing(
        self, opening: str, accounts: Accounts
    ) -> None:
        if sys.platform == "win32":
            pytest.skip("SIGKILL")
        accounts.post("min", Posting("credit", _POINTS, "pay"), _AT)
        # A fixed seed, so that every run is the same.
        chance, acknowledged = random.Random(1), list[str]()  # noqa: S311
        for seed in range(2):
            pair = [start_store_process(_SPENDER, opening, first, _ALL) for first in (0, 20)[seed:]]
            go(*pair)
            for process in pair:
                assert process.stdout
                acknowledged += [
                    process.stdout.readline().strip() for _ in range(chance.randrange(1, 8))
                ]
            for process in pair:
                process.send_signal(signal.SIGKILL)
            for process in pair:
                with process:
                    assert process.stdout
                    acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
            # '': no point was left to spend
            acknowledged = [reference for reference in acknowledged if reference]
            audit(accounts, "min")
        with suppress(NotEnoughPoints):
            for n in range(_ALL):  # the same references again
                if accounts.hold("min", 1, f"r{n}", _AT, ""):
                    acknowledged.append(f"r{n}")
                accounts.settle("min", f"r{n}", Posting("reply", -1, f"r{n}"), _AT)
        assert audit(accounts, "min") == 0
        spent = [
            row.posting.reference
            for row in accounts.ledger("min", 0, _ALL)[1]
            if row.posting.amount < 0
        ]
        assert len(acknowledged) == len(set(acknowledged)) >= 4
        assert set(acknowledged) <= set(spent)

    @pytest.mark.skipif(sys.platform == "win32", reason="a child is forked for each kill")
    def test_killed_at_any_statement_what_is_done_again_ends_the_same(
        self, opening: str, accounts: Accounts
    ) -> None:
        assert accounts.users("", 1) == []
        dying = start_store_process(_DYING, opening, *self.kills)
        go(dying)
        (killed,) = finish_store_process(dying)
        assert int(killed) * self.kills[1] > 40
