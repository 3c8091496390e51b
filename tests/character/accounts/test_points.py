"""Points are given and taken once, by the user's own day, and payments only from who holds the
secret.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok.character.accounts import payments
from gieok.character.accounts.points import (
    CheckedIn,
    PointPrices,
    PointsDesk,
    PointsStanding,
    SettledHolds,
    SlotPurchase,
)
from gieok.character.facts import scope_of
from gieok.errors import BadRequest, Conflict, Forbidden, NotEnoughPoints, Unauthorized
from gieok.model.accounts import Account
from gieok.model.conversation import Message, Role
from gieok.settings.rows.characters import parse_slot_prices
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing import ManualClock

_AT = datetime(2026, 11, 23, 14, 30, tzinfo=UTC)  # in Seoul half an hour before midnight
_DAY = timedelta(days=1)
_SECRET = "whsec"


class _Payments:
    """`Secrets` with the secret that is shared with a payment service."""

    def secret(self, variable: str, /) -> str:
        return {"PAYMENTS_KEY": _SECRET}[variable]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(_AT)


@pytest.fixture
def desk(tmp_path: Path, clock: ManualClock, journal: SqliteJournal) -> Iterator[PointsDesk]:
    accounts = SqliteAccounts(tmp_path / "accounts.sqlite")
    accounts.keep_account(Account("min", "Asia/Seoul"))
    journal.say(
        scope_of("min", "mina"),
        [Message(id="delivered", role=Role.ASSISTANT, text="응.", at=_AT, session="min")],
    )
    yield PointsDesk(
        accounts=accounts,
        journal=journal,
        clock=clock,
        secrets=_Payments(),
        webhook_variable="PAYMENTS_KEY",
    )
    accounts.close()


def test_a_day_is_the_users_own(desk: PointsDesk, clock: ManualClock) -> None:
    assert desk.standing("min") == PointsStanding(0, _AT.date(), has_checked_in=False, streak=0)
    first = desk.check_in("min")
    assert first == CheckedIn(_AT.date(), 1, 10, 10, is_new=True)
    assert desk.check_in("min") == first._replace(is_new=False)
    assert desk.check_in("abroad") == first
    clock.advance(timedelta(hours=1))
    assert desk.standing("min") == PointsStanding(
        10, _AT.date() + _DAY, has_checked_in=False, streak=1
    )
    assert desk.check_in("min") == CheckedIn(_AT.date() + _DAY, 2, 10, 20, is_new=True)
    assert not desk.check_in("abroad").is_new


def test_a_streak_ends_with_a_day_without_a_check_in(desk: PointsDesk, clock: ManualClock) -> None:
    desk.check_in("min")
    clock.advance(2 * _DAY)
    assert desk.standing("min").streak == 0
    assert desk.check_in("min").streak == 1


def test_changing_the_zone_gives_no_day_twice(desk: PointsDesk, clock: ManualClock) -> None:
    given = 0
    for _ in range(10):
        for zone in ("Pacific/Kiritimati", "Asia/Seoul", "UTC", "Etc/GMT+12"):
            desk.accounts.keep_account(Account("min", zone))
            given += desk.check_in("min").is_new
        clock.advance(_DAY)
    assert given <= 10 + 2
    assert desk.standing("min").balance == 10 * given


def test_a_reply_is_charged_once_and_only_when_it_was_delivered(desk: PointsDesk) -> None:
    desk.check_in("min")
    assert desk.hold_reply("min", "mina", "m1")
    assert not desk.hold_reply("min", "mina", "m1")
    assert desk.hold_reply("min", "mina", "m2")
    assert desk.standing("min").balance == 8
    assert (desk.settle_reply("min", "mina", "m1"), desk.settle_reply("min", "mina", "m1")) == (
        1,
        0,
    )
    assert (desk.release_reply("min", "mina", "m2"), desk.release_reply("min", "mina", "m1")) == (
        True,
        False,
    )
    assert not desk.hold_reply("min", "mina", "m1")
    assert desk.standing("min").balance == 9


def test_who_has_no_points_gets_no_reply(desk: PointsDesk) -> None:
    with pytest.raises(NotEnoughPoints):
        desk.hold_reply("min", "mina", "m1")


def test_what_a_crash_left_held_is_charged_where_the_reply_is_in_the_journal(
    desk: PointsDesk, clock: ManualClock
) -> None:
    desk.check_in("min")
    for message in ("delivered", "lost"):
        desk.hold_reply("min", "mina", message)
    clock.advance(timedelta(minutes=5))
    desk.hold_reply("min", "mina", "under-way")
    assert desk.settle_stale(clock.now() - timedelta(minutes=1)) == SettledHolds(
        charged=1, released=1
    )
    assert desk.settle_stale(clock.now()) == SettledHolds(0, 0)
    assert desk.standing("min").balance == 8
    assert desk.settle_reply("min", "mina", "lost") == 1  # it came after all
    assert desk.settle_reply("min", "mina", "under-way") == 1
    assert [row.posting.character for row in desk.transactions("min").entries] == ["mina"] * 3 + [
        ""
    ]


def test_what_a_crash_left_held_is_looked_at_when_its_user_comes_again(
    desk: PointsDesk, clock: ManualClock
) -> None:
    desk.credit("min", 2, "k")
    for message in ("delivered", "lost"):
        desk.hold_reply("min", "mina", message)
    with pytest.raises(NotEnoughPoints):
        desk.hold_reply("min", "mina", "next")
    clock.advance(timedelta(minutes=16))
    assert desk.hold_reply("min", "mina", "next")
    assert desk.release_reply("min", "mina", "next")
    assert desk.standing("min").balance == 1
    desk.hold_reply("min", "mina", "lost again")
    clock.advance(timedelta(minutes=16))
    assert desk.standing("min").balance == 1


def test_slots_are_cheaper_by_the_dozen_and_bought_once_for_a_key(desk: PointsDesk) -> None:
    desk.credit("min", 500, "k")
    assert desk.buy_slots("min", "mina", 1, "a") == SlotPurchase(1, 10, 490, is_new=True)
    assert desk.buy_slots("min", "mina", 30, "b") == SlotPurchase(31, 240, 250, is_new=True)
    dearer = PointsDesk(
        accounts=desk.accounts,
        journal=desk.journal,
        clock=desk.clock,
        prices=PointPrices(slots=((1, 99),)),
    )
    assert dearer.buy_slots("min", "mina", 30, "b") == SlotPurchase(31, 240, 250, is_new=False)
    with pytest.raises(Conflict):
        desk.buy_slots("min", "mina", 31, "b")
    with pytest.raises(Conflict):
        desk.buy_slots("min", "other", 30, "b")
    with pytest.raises(NotEnoughPoints):
        desk.buy_slots("min", "mina", 100, "c")
    assert desk.accounts.slots("min", "mina") == 31


@pytest.mark.parametrize("quantity", [0, -1, 1_001, 1 << 70])
def test_a_quantity_that_is_not_sold_costs_nothing(desk: PointsDesk, quantity: int) -> None:
    desk.credit("min", 100, "k")
    with pytest.raises(BadRequest, match="cannot be bought"):
        desk.buy_slots("min", "mina", quantity, "a")
    assert desk.standing("min").balance == 100


@pytest.mark.parametrize("points", [0, -1, 1 << 40, 1 << 80])
def test_only_a_sensible_number_of_points_is_given(desk: PointsDesk, points: int) -> None:
    with pytest.raises(BadRequest, match="cannot be given"):
        desk.credit("min", points, "k")


@pytest.mark.parametrize("key", ["", "a b", "\n", "열쇠", "k" * 201])
def test_a_credit_needs_a_key(desk: PointsDesk, key: str) -> None:
    with pytest.raises(BadRequest, match="idempotency key"):
        desk.credit("min", 1, key)


def test_the_same_key_gives_once_and_another_amount_is_refused(desk: PointsDesk) -> None:
    assert desk.credit("min", 5, "k", "sorry").is_new
    assert not desk.credit("min", 5, "k", "sorry").is_new
    with pytest.raises(Conflict):
        desk.credit("min", 6, "k", "sorry")
    assert desk.standing("min").balance == 5


def test_transactions_are_paged(desk: PointsDesk) -> None:
    for n in range(5):
        desk.credit("min", n + 1, f"k{n}")
    page = desk.transactions("min", 2, 2)
    assert (page.total, page.page, page.limit) == (5, 2, 2)
    assert [row.posting.amount for row in page.entries] == [3, 2]
    assert desk.transactions("min", 9, 100).entries == []
    for page_of in ((0, 1), (1, 0), (1, 101), (-1, 5), (1 << 70, 1)):
        with pytest.raises(BadRequest):
            desk.transactions("min", *page_of)


def _body(**changed: object) -> bytes:
    return json.dumps({"id": "pay_1", "user": "min", "points": 100, **changed}).encode()


def test_a_payment_counts_once_however_often_it_is_sent(
    desk: PointsDesk, clock: ManualClock
) -> None:
    body = _body()
    assert desk.take_payment(body, payments.sign(body, _SECRET, _AT)).is_new
    clock.advance(timedelta(seconds=200))
    assert not desk.take_payment(body, payments.sign(body, _SECRET, _AT)).is_new
    assert not desk.take_payment(body, payments.sign(body, _SECRET, clock.now())).is_new
    other = _body(points=999)
    with pytest.raises(Conflict):
        desk.take_payment(other, payments.sign(other, _SECRET, _AT))
    assert desk.standing("min").balance == 100


def test_a_payment_is_taken_only_from_who_signed_it_just_now(
    desk: PointsDesk, clock: ManualClock
) -> None:
    body, signed = _body(), payments.sign(_body(), _SECRET, _AT)
    digest = signed.partition("v1=")[2]
    for wrong in (
        "",
        "t=1",
        "v1=1",
        signed.replace("v1=", "v0="),
        signed + ",t=5",
        payments.sign(body, "another", _AT),
        signed[:-1],
        signed[:-1] + "\xe9",
        f"t={int(_AT.timestamp()) + 1},v1={digest}",
        f"t=-1,v1={digest}",
        f"t={'9' * 400},v1={digest}",
        f"t=١,v1={digest}",
    ):
        with pytest.raises(Unauthorized):
            desk.take_payment(body, wrong)
    for changed in (_body(points=101), body + b" ", b""):
        with pytest.raises(Unauthorized):
            desk.take_payment(changed, signed)
    for drift in (timedelta(seconds=301), -timedelta(seconds=602)):
        clock.advance(drift)
        with pytest.raises(Unauthorized):
            desk.take_payment(body, signed)
    assert desk.standing("min").balance == 0
    clock.advance(timedelta(seconds=301))
    assert desk.take_payment(
        body, f"{signed},v1=0000"
    ).is_new  # the secret is being changed: one of two fits


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"[" * 100_000,
        _body(points=True),
        _body(points="5"),
        _body(points=1.5),
        _body(points=-5),
        _body(points=0),
        _body(points=10**30),
        _body(user=""),
        _body(user=7),
        _body(user="a/b"),
        _body(user="x" * 129),
        _body(id=None),
        _body(id="a b"),
        _body(note=5),
        _body(note="x" * 501),
        _body(note="\ud800"),
    ],
)
def test_a_signed_payment_that_says_nonsense_gives_nothing(desk: PointsDesk, body: bytes) -> None:
    with pytest.raises(BadRequest):
        desk.take_payment(body, payments.sign(body, _SECRET, _AT))
    assert desk.accounts.users("", 9) == ["min"]


def test_without_a_secret_no_payment_is_taken(desk: PointsDesk, clock: ManualClock) -> None:
    closed = PointsDesk(accounts=desk.accounts, journal=desk.journal, clock=clock)
    with pytest.raises(Forbidden):
        closed.take_payment(_body(), payments.sign(_body(), "", _AT))


def test_prices_are_read_from_a_line() -> None:
    assert parse_slot_prices("30=8, 1=10") == ((1, 10), (30, 8))
    for wrong in ("1", "0=5", "1=-5", "1=2,1=3", "a=b", "1=1.5"):
        with pytest.raises(ValueError, match=r"number|twice"):
            parse_slot_prices(wrong)
    with pytest.raises(BadRequest):
        PointPrices(slots=()).of_slots(1)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "America", "x" * 9_000, "\0"])
def test_an_unknown_zone_is_named(desk: PointsDesk, zone: str) -> None:
    desk.accounts.keep_account(Account("lost", zone))
    with pytest.raises(BadRequest, match="unknown time zone"):
        desk.check_in("lost")
