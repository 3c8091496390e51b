"""Points: what earns them and what they buy.

Every credit and debit has a reference of its own, which counts once.

A reply is paid in two steps: its points are held before the model is asked, and spent once the
reply is in the journal. A crash between the two leaves a hold. The journal tells whether the reply
was delivered, and is asked when the user comes again (`standing`, or a reply for which the points
do not suffice), or for all users (`settle_stale`). Summaries and detection cost nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple, Self

from gieok.character.accounts import payments
from gieok.character.facts import scope_of
from gieok.character.zones import zone_named
from gieok.errors import BadRequest, Conflict, Forbidden, NotEnoughPoints
from gieok.model.accounts import USER_PATTERN, Hold, LedgerEntry, Posted, Posting
from gieok.ports.accounts import Accounts
from gieok.ports.journal import Journal
from gieok.ports.keys import Secrets
from gieok.ports.system import Clock
from gieok.zone import day_in

CHECK_IN, REPLY, SLOTS, CREDIT, PAYMENT = "check-in", "reply", "memory-slots", "credit", "payment"
WELCOME = "welcome"
#: Most points in one credit: far below the limit of a database, and above any intended amount.
_MOST_POINTS = 1_000_000_000
_MOST_SLOTS = 1_000
_MOST_ROWS = 100
_MOST_PAGES = 1_000_000_000
_MOST_NOTE = 500
_KEY = re.compile(r"[\x21-\x7e]{1,200}")
#: How many holds one run examines; the next run finds the rest.
_HOLDS = 10_000
#: A hold older than this was left by a crash; a reply that takes longer all the same is charged
#: when it ends.
_LONGEST_REPLY = timedelta(minutes=15)


class PointPrices(NamedTuple):
    """Points given and taken.

    `slots` holds (from this quantity on, points for each), ascending. `welcome` is what a user with
    an empty ledger starts with.
    """

    daily: int = 10
    reply: int = 1
    slots: tuple[tuple[int, int], ...] = ((1, 10), (10, 9), (30, 8))
    welcome: int = 0

    def of_slots(self, quantity: int) -> int:
        """Return the price of so many slots. Raises BadRequest for a quantity that is not sold."""
        fitting = [price for least, price in self.slots if least <= quantity]
        if not fitting or quantity < 1 or quantity > _MOST_SLOTS:
            least = min((least for least, _ in self.slots), default=0)
            raise BadRequest(
                "{quantity} slots cannot be bought",
                quantity=quantity,
                least=least,
                most=_MOST_SLOTS,
                hint="slots that are sold at once: {least} to {most}"
                if least
                else "slots that are sold at once: none",
            )
        return fitting[-1] * quantity


class PointsStanding(NamedTuple):
    """Balance and check-ins of a user today.

    `day` is today in the user's zone. `streak` is the number of consecutive days with a check-in,
    up to today or yesterday.
    """

    balance: int
    day: date
    has_checked_in: bool
    streak: int


class CheckedIn(NamedTuple):
    """Check-in of a user.

    `is_new` is False where the user checked in on that day before: nothing was given again.
    """

    day: date
    streak: int
    given: int
    balance: int
    is_new: bool


class SlotPurchase(NamedTuple):
    """Purchase of slots.

    `slots` is the total bought for the character so far, `room` how many episodes its memory holds
    with the free ones.
    """

    slots: int
    spent: int
    balance: int
    is_new: bool
    room: int = 0

    @property
    def is_done(self) -> bool:
        """Return True: a purchase that failed raises an error."""
        return True


class LedgerPage(NamedTuple):
    """A page of the ledger, the newest first; pages count from 1."""

    total: int
    page: int
    limit: int
    entries: list[LedgerEntry]


class SettledHolds(NamedTuple):
    """How many holds left by a crash were charged, and how many were released."""

    charged: int
    released: int


class ReplyHold:
    """Points that are held for one reply: charged once it was delivered, else released.

    A hold that another request made for the same reply is left to that request.
    """

    def __init__(self, desk: "PointsDesk", user: str, character: str, message: str) -> None:
        self._desk, self._reply = desk, (user, character, message)
        self._is_to_release = False

    def __enter__(self) -> Self:
        """Hold the points. Raises NotEnoughPoints."""
        self._is_to_release = self._desk.hold_reply(*self._reply)
        return self

    def keep(self) -> None:
        """Keep the hold from now on: the reply may be in the journal.

        Where it is not charged, `PointsDesk.settle_stale` looks there.
        """
        self._is_to_release = False

    def settle(self) -> int:
        """Charge the delivered reply; return the points."""
        self.keep()
        charged = self._desk.settle_reply(*self._reply)
        if not charged:  # the price changed, or it was charged before
            self._desk.release_reply(*self._reply)
        return charged

    def __exit__(self, *raised: object) -> None:
        """Release the points, unless they were charged or are kept."""
        if self._is_to_release:
            self._desk.release_reply(*self._reply)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsDesk:
    """Points of all users: credits, holds and purchases.

    `webhook_variable` names the secret that is shared with a payment service.
    """

    accounts: Accounts
    journal: Journal
    clock: Clock
    #: Zone of users who set none.
    zone: tzinfo = UTC
    prices: PointPrices = PointPrices()
    secrets: Secrets | None = None
    webhook_variable: str = ""
    tolerance_s: float = 300.0

    def standing(self, user: str) -> PointsStanding:
        """Return the points of a user; a new one has those that the first request will get."""
        self._settle_own(user)
        today, last = self._today(user), self.accounts.last_check_in(user)
        is_unbroken = last is not None and last.day >= today - timedelta(days=1)
        balance = self.accounts.balance(user) + self._count_unclaimed_welcome(user)
        has = last is not None and last.day >= today
        return PointsStanding(balance, today, has, last.streak if last and is_unbroken else 0)

    def check_in(self, user: str) -> CheckedIn:
        """Give the points of today in the user's zone; a second time in a day gives nothing
        more.
        """
        self._give_welcome(user)
        check, posted = self.accounts.check_in(
            user, self._today(user), self.prices.daily, self.clock.now()
        )
        amount = posted.entry.posting.amount
        return CheckedIn(
            day=check.day,
            streak=check.streak,
            given=amount,
            balance=self.accounts.balance(user),
            is_new=posted.is_new,
        )

    def hold_reply(self, user: str, character: str, message: str) -> bool:
        """Hold the points of a reply; False where they are held or were charged already.

        `message` is the reply's id in the journal. The user said something, whether the points
        suffice or not. Raises NotEnoughPoints.
        """

        def hold() -> bool:
            purpose = f"{character}/{message}"
            return self.accounts.hold(
                user,
                self.prices.reply,
                _format_reply_reference(character, message),
                self.clock.now(),
                purpose,
            )

        try:
            return hold()
        except NotEnoughPoints:
            self.accounts.seen(user, self.clock.now())
            if not self._give_welcome(user) and not self._settle_own(user).released:
                raise
            return hold()

    def settle_reply(self, user: str, character: str, message: str) -> int:
        """Charge a delivered reply; return the points.

        Return 0 where the reply was charged before, or its hold no longer exists.
        """
        posted = self._settle(
            user, _format_reply_reference(character, message), character, self.prices.reply
        )
        return -posted.entry.posting.amount if posted and posted.is_new else 0

    def release_reply(self, user: str, character: str, message: str) -> bool:
        """Release the points of a reply that failed; False where none are held."""
        return self.accounts.release(user, _format_reply_reference(character, message))

    def buy_slots(self, user: str, character: str, quantity: int, key: str) -> SlotPurchase:
        """Buy slots for a character; repeating the same `key` buys nothing more.

        Raises NotEnoughPoints, BadRequest, Conflict.
        """
        cost, reference = self.prices.of_slots(quantity), _format_points_reference(SLOTS, key)
        known = self.accounts.posted(user, reference)
        if known and (known.posting.character, known.posting.slots) == (character, quantity):
            cost = -known.posting.amount  # prices may have changed since
        bought = Posting(
            kind=SLOTS,
            amount=-cost,
            reference=reference,
            note="",
            character=character,
            slots=quantity,
        )
        self._give_welcome(user)
        posted = self.accounts.post(user, bought, self.clock.now())
        slots, balance = self.accounts.slots(user, character), self.accounts.balance(user)
        return SlotPurchase(slots, cost, balance, posted.is_new)

    def credit(self, user: str, points: int, key: str, note: str = "") -> Posted:
        """Give points, as an admin does; repeating the same `key` gives nothing more.

        Raises BadRequest, Conflict.
        """
        return self._give(CREDIT, user, points, key, note)

    def take_payment(self, body: bytes, signature: str) -> Posted:
        """Give the points of a payment, once.

        Raises Unauthorized, Forbidden without a secret, BadRequest, Conflict.
        """
        secret = self.secrets.secret(self.webhook_variable) if self.secrets else ""
        if not secret:
            raise Forbidden(
                "no payments are taken here", hint="set the key: `character.webhook_key_variable`"
            )
        payments.verify_payment_signature(
            body, signature, secret, self.clock.now(), self.tolerance_s
        )
        paid = payments.payment_of(body)
        return self._give(PAYMENT, paid.user, paid.points, paid.id, paid.note)

    def transactions(self, user: str, page: int = 1, limit: int = 20) -> LedgerPage:
        """Return a page of the ledger. Raises BadRequest."""
        if not (1 <= page <= _MOST_PAGES and 1 <= limit <= _MOST_ROWS):
            raise BadRequest(
                "no page {page} of {limit}",
                page=page,
                limit=limit,
                most=_MOST_ROWS,
                hint="page from 1 on, limit from 1 to {most}",
            )
        total, entries = self.accounts.ledger(user, (page - 1) * limit, limit)
        return LedgerPage(total, page, limit, entries)

    def settle_stale(self, before: datetime | None = None) -> SettledHolds:
        """Settle the holds from before a time, of all users.

        None: holds older than a reply takes. Delivered replies are charged, other holds are
        released.
        """
        return self._settle_all(
            self.accounts.holds(before or self.clock.now() - _LONGEST_REPLY, _HOLDS)
        )

    def _give_welcome(self, user: str) -> bool:
        """Give a user whose ledger is empty the points to begin with; False where nothing is given.

        The reference makes it one credit however many requests come first.
        """
        points = self._count_unclaimed_welcome(user)
        if not points:
            return False
        posting = Posting(WELCOME, points, WELCOME)
        return self.accounts.post(user, posting, self.clock.now()).is_new

    def _count_unclaimed_welcome(self, user: str) -> int:
        """Return the points that a user with an empty ledger will be given; 0 for other users."""
        has_welcome = self.prices.welcome and not self.accounts.ledger(user, 0, 1)[0]
        return self.prices.welcome if has_welcome else 0

    def _settle_own(self, user: str) -> SettledHolds:
        before = self.clock.now() - _LONGEST_REPLY
        return self._settle_all([hold for hold in self.accounts.holds_of(user) if hold.at < before])

    def _settle_all(self, holds: Sequence[Hold]) -> SettledHolds:
        charged = released = 0
        for hold in holds:
            if self._was_delivered(hold):
                character = hold.purpose.partition("/")[0]
                charged += (
                    self._settle(hold.user, hold.reference, character, hold.amount) is not None
                )
            else:
                released += self.accounts.release(hold.user, hold.reference)
        return SettledHolds(charged, released)

    def _was_delivered(self, hold: Hold) -> bool:
        """Return whether the reply of a hold is in the journal.

        The hold's purpose is `character/message id`.
        """
        character, _, message = hold.purpose.partition("/")
        return bool(self.journal.messages(scope_of(hold.user, character), [message]))

    def _settle(self, user: str, reference: str, character: str, points: int) -> Posted | None:
        spent, now = (
            Posting(kind=REPLY, amount=-points, reference=reference, note="", character=character),
            self.clock.now(),
        )
        try:
            # Without a hold, the reply was charged already, or its hold was released as stale
            # before the reply came.
            return self.accounts.settle(user, reference, spent, now) or self.accounts.post(
                user, spent, now
            )
        except (NotEnoughPoints, Conflict):  # the price changed meanwhile
            return None

    def _give(self, kind: str, user: str, points: int, key: str, note: str) -> Posted:
        if not 1 <= points <= _MOST_POINTS:
            raise BadRequest(
                "{points} points cannot be given",
                points=points,
                most_points=_MOST_POINTS,
                hint="give 1 to {most_points:,}",
            )
        if not re.fullmatch(USER_PATTERN, user):
            raise BadRequest(
                "no user can be called {user!r}",
                user=user[:80],
                hint="name the user as their token does",
            )
        if len(note) > _MOST_NOTE:
            raise BadRequest(
                "the note is too long", most=_MOST_NOTE, hint="write at most {most} characters"
            )
        return self.accounts.post(
            user, Posting(kind, points, _format_points_reference(kind, key), note), self.clock.now()
        )

    def _today(self, user: str) -> date:
        account = self.accounts.account(user)
        return day_in(self.clock.now(), zone_named(account.zone if account else "", self.zone))


def _format_reply_reference(character: str, message: str) -> str:
    return f"{REPLY}:{character}/{message}"


def _format_points_reference(kind: str, key: str) -> str:
    if not _KEY.fullmatch(key):
        raise BadRequest(
            "the idempotency key is missing, or no key",
            hint="send 1 to 200 visible ASCII characters",
        )
    return f"{kind}:{key}"
