"""The contract of `gieok.ports.accounts`, for every backend."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta

import pytest

from gieok.errors import Conflict, NotEnoughPoints
from gieok.model.accounts import (
    Account,
    CheckIn,
    Hold,
    IssuedKey,
    KeyRole,
    Posting,
    StoredCharacter,
)
from gieok.model.memory import Scope
from gieok.ports.accounts import Accounts

_AT = datetime(2026, 11, 23, 9, tzinfo=UTC)
_LATER = _AT + timedelta(days=1)
_CREDIT = Posting("credit", 10, "pay-1", "thanks")


class AccountsFixtures:
    """Fixtures for accounts.

    A subclass defines the fixture `make_accounts`: a function that makes new, empty accounts.
    """

    @pytest.fixture
    def accounts(self, make_accounts: Callable[[], Accounts]) -> Iterator[Accounts]:
        """Return new accounts, closed at the end."""
        accounts = make_accounts()
        yield accounts
        accounts.close()


class AccountsContract(AccountsFixtures):
    """Contract of accounts with a single caller."""

    def test_nothing_is_known_of_a_user_who_never_came(self, accounts: Accounts) -> None:
        assert accounts.account("min") is None
        assert (
            accounts.balance("min"),
            accounts.ledger("min", 0, 9),
            accounts.slots("min", "mina"),
        ) == (0, (0, []), 0)
        assert accounts.last_check_in("min") is None
        assert (accounts.characters("min", 0, 9), accounts.keys("min"), accounts.users("", 9)) == (
            (0, []),
            [],
            [],
        )
        assert set(accounts.erase_account("min").values()) == {0}
        assert accounts.users("", 9) == []

    def test_a_user_is_kept_as_given(self, accounts: Accounts) -> None:
        account = Account(
            user="민",
            zone="Asia/Seoul",
            lang="ko",
            mail="min@example.com",
            created_at=_AT,
            seen_at=_LATER,
            stage="reminded",
            staged_at=_LATER,
        )
        accounts.keep_account(account)
        accounts.keep_account(Account("b"))
        assert (accounts.account("민"), accounts.account("b")) == (account, Account("b"))
        accounts.post("b", _CREDIT, _AT)
        accounts.keep_account(Account("b", lang="ko"))
        assert (accounts.account("b"), accounts.balance("b")) == (Account("b", lang="ko"), 10)

    def test_what_a_user_says_of_themselves_leaves_the_rest_as_it_is(
        self, accounts: Accounts
    ) -> None:
        new = accounts.describe("min", "Asia/Seoul", "ko", "", _AT)
        assert new == accounts.account("min") == Account("min", "Asia/Seoul", "ko", created_at=_AT)
        accounts.seen("min", _LATER)
        changed = accounts.describe("min", "UTC", "en", "min@example.com", _LATER)
        assert changed == Account(
            user="min",
            zone="UTC",
            lang="en",
            mail="min@example.com",
            created_at=_AT,
            seen_at=_LATER,
        )

    def test_a_new_user_is_filled_in_and_a_known_user_keeps_what_is_set(
        self, accounts: Accounts
    ) -> None:
        accounts.fill_account("min", "", "ko", _AT)
        assert accounts.account("min") == Account("min", lang="ko", created_at=_AT)
        accounts.fill_account("min", "Asia/Seoul", "en", _LATER)
        zoned = Account("min", zone="Asia/Seoul", lang="ko", created_at=_AT)
        assert accounts.account("min") == zoned
        described = accounts.describe("min", "Europe/Berlin", "de", "min@example.com", _LATER)
        accounts.fill_account("min", "UTC", "en", _LATER)
        assert accounts.account("min") == described

    def test_who_says_something_is_added_and_never_goes_back_in_time(
        self, accounts: Accounts
    ) -> None:
        assert accounts.seen("min", _LATER) == Account("min")
        assert accounts.seen("min", _AT) == Account("min", created_at=_LATER, seen_at=_LATER)
        assert accounts.account("min") == Account("min", created_at=_LATER, seen_at=_LATER)

    def test_a_stage_of_inactivity_is_set_once_and_gone_when_the_user_comes_back(
        self, accounts: Accounts
    ) -> None:
        accounts.seen("min", _AT)
        account = accounts.account("min")
        assert account is not None
        assert accounts.stage(account, "reminded", _LATER)
        assert not accounts.stage(account, "reminded", _LATER)
        staged = account._replace(stage="reminded", staged_at=_LATER)
        assert accounts.account("min") == staged
        accounts.seen("min", _LATER)
        assert accounts.account("min") == account._replace(seen_at=_LATER)
        assert not accounts.stage(staged, "warned", _LATER)

    def test_users_who_are_away_are_listed_by_name_in_pages(self, accounts: Accounts) -> None:
        for name, at in (("c", _AT), ("a", _AT), ("b", _LATER), ("d", _AT)):
            accounts.seen(name, at)
        accounts.keep_account(Account("never"))
        accounts.post("e", _CREDIT, _AT)
        first = accounts.accounts_unseen_since(_LATER, "", 2)
        rest = accounts.accounts_unseen_since(_LATER, "c", 2)
        assert [[account.user for account in page] for page in (first, rest)] == [["a", "c"], ["d"]]
        assert accounts.users("b", 3) == ["c", "d", "e"]

    def test_scopes_to_copy_are_those_of_users_whose_name_begins_so(
        self, accounts: Accounts
    ) -> None:
        for user in ("min", "other", "mia"):
            accounts.post(user, _CREDIT, _AT)
        assert accounts.copied_scopes("user:mi") == [Scope("user:mia"), Scope("user:min")]
        assert len(accounts.copied_scopes()) == 3

    def test_a_ledger_sums_to_the_balance_and_shows_the_newest_first(
        self, accounts: Accounts
    ) -> None:
        for n, amount in enumerate((10, -3, 5)):
            assert accounts.post(
                "min", Posting("x", amount, f"r{n}"), _AT + timedelta(hours=n)
            ).is_new
        total, rows = accounts.ledger("min", 0, 2)
        assert (total, [(row.number, row.balance, row.posting.amount) for row in rows]) == (
            3,
            [(3, 12, 5), (2, 7, -3)],
        )
        assert accounts.ledger("min", 2, 2)[1][0].at == _AT
        assert (accounts.ledger("min", 3, 2), accounts.balance("min")) == ((3, []), 12)

    def test_a_reference_counts_once_and_only_for_one_thing(self, accounts: Accounts) -> None:
        first = accounts.post("min", _CREDIT, _AT)
        assert accounts.post("min", _CREDIT, _LATER) == first._replace(is_new=False)
        for other in (_CREDIT._replace(amount=11), _CREDIT._replace(kind="purchase")):
            with pytest.raises(Conflict):
                accounts.post("min", other, _LATER)
        assert accounts.post("other", _CREDIT, _AT).is_new
        assert (accounts.balance("min"), accounts.ledger("min", 0, 9)[0]) == (10, 1)

    def test_what_is_not_there_cannot_be_spent(self, accounts: Accounts) -> None:
        accounts.post("min", _CREDIT, _AT)
        with pytest.raises(NotEnoughPoints):
            accounts.post("min", Posting("x", -11, "r"), _AT)
        with pytest.raises(NotEnoughPoints):
            accounts.hold("nobody", 1, "r", _AT, "")
        assert accounts.users("", 9) == ["min"]
        assert accounts.post("min", Posting("x", -10, "r"), _AT).entry.balance == 0

    def test_what_is_held_is_neither_spent_nor_to_be_spent(self, accounts: Accounts) -> None:
        accounts.post("min", _CREDIT, _AT)
        assert accounts.hold("min", 8, "reply-1", _AT, "mina/reply-1")
        assert not accounts.hold("min", 1, "reply-1", _AT, "")
        assert not accounts.hold("min", 1, "pay-1", _AT, "")
        assert (accounts.balance("min"), accounts.ledger("min", 0, 9)[0]) == (2, 1)
        with pytest.raises(NotEnoughPoints):
            accounts.post("min", Posting("x", -3, "r"), _AT)
        assert accounts.holds(_LATER, 9) == [
            Hold(user="min", reference="reply-1", amount=8, at=_AT, purpose="mina/reply-1")
        ]
        assert (accounts.holds(_AT, 9), accounts.holds_of("other")) == ([], [])
        assert accounts.holds_of("min") == accounts.holds(_LATER, 9)
        assert accounts.release("min", "reply-1")
        assert (accounts.release("min", "reply-1"), accounts.balance("min")) == (False, 10)

    def test_who_holds_points_said_something(self, accounts: Accounts) -> None:
        accounts.post("min", _CREDIT, _AT)
        assert accounts.hold("min", 4, "reply-1", _AT, "mina/m1")
        assert accounts.account("min") == Account("min", created_at=_AT, seen_at=_AT)
        assert not accounts.hold("min", 4, "reply-1", _LATER, "mina/m1")
        assert accounts.account("min") == Account("min", created_at=_AT, seen_at=_LATER)
        with pytest.raises(NotEnoughPoints):
            accounts.hold("lee", 4, "reply-1", _AT, "mina/m1")
        assert accounts.account("lee") is None

    def test_who_talks_is_read_at_once(self, accounts: Accounts) -> None:
        assert accounts.talkers("min", "mina") == ([], None)
        of_all = StoredCharacter(
            owner="", id="mina", name="Mina", card="{}", created_at=_AT, updated_at=_AT
        )
        accounts.keep_character(of_all, is_new=True)
        assert accounts.talkers("min", "mina") == ([of_all], None)
        accounts.post("min", _CREDIT, _AT)
        assert accounts.talkers("min", "mina") == ([of_all], None)
        accounts.keep_account(Account("min", "Asia/Seoul"))
        own = of_all._replace(
            owner="min", name="My Mina", package=b"file", package_type="image/png"
        )
        accounts.keep_character(own, is_new=True)
        found = accounts.talkers("min", "mina")
        assert found == ([own._replace(package=b""), of_all], accounts.account("min"))
        assert accounts.talkers("lee", "mina") == ([of_all], None)
        assert accounts.talkers("", "mina")[0] == [of_all]
        assert accounts.talkers("min", "other") == ([], accounts.account("min"))

    def test_a_hold_of_nothing_needs_no_points(self, accounts: Accounts) -> None:
        assert accounts.hold("min", 0, "reply-1", _AT, "mina/m1")
        assert not accounts.hold("min", 0, "reply-1", _AT, "mina/m1")
        posted = accounts.settle("min", "reply-1", Posting("reply", 0, "reply-1"), _AT)
        assert posted
        assert (posted.is_new, posted.entry.number, accounts.check()) == (True, 1, [])

    def test_a_hold_cannot_pay_for_more_than_is_left(self, accounts: Accounts) -> None:
        accounts.post("min", _CREDIT, _AT)
        accounts.hold("min", 4, "reply-1", _AT, "mina/m1")
        with pytest.raises(NotEnoughPoints):
            accounts.settle("min", "reply-1", Posting("reply", -11, "reply-1"), _AT)
        assert [one.reference for one in accounts.holds_of("min")] == ["reply-1"]
        accounts.post("min", Posting("reply", -2, "other"), _AT)
        with pytest.raises(Conflict):
            accounts.settle("min", "reply-1", Posting("reply", -1, "other"), _AT)
        known = accounts.settle("min", "reply-1", Posting("reply", -2, "other"), _AT)
        assert known
        assert (known.is_new, accounts.balance("min"), accounts.check()) == (False, 8, [])

    def test_a_hold_is_settled_once(self, accounts: Accounts) -> None:
        accounts.post("min", _CREDIT, _AT)
        accounts.hold("min", 1, "reply-1", _AT, "")
        spent = Posting("reply", -1, "reply-1")
        settled = accounts.settle("min", "reply-1", spent, _LATER)
        assert settled
        assert (settled.is_new, settled.entry.balance) == (True, 9)
        assert accounts.settle("min", "reply-1", spent, _LATER) is None
        assert accounts.posted("min", "reply-1") == settled.entry
        assert (accounts.posted("min", "reply-2"), accounts.posted("other", "reply-1")) == (
            None,
            None,
        )
        assert not accounts.hold("min", 1, "reply-1", _LATER, "")
        assert (accounts.balance("min"), accounts.holds(_LATER, 9)) == (9, [])

    def test_what_is_free_is_held_and_settled_too(self, accounts: Accounts) -> None:
        assert accounts.hold("min", 0, "reply-1", _AT, "")
        assert accounts.settle("min", "reply-1", Posting("reply", 0, "reply-1"), _AT)
        assert [row.number for row in accounts.ledger("min", 0, 9)[1]] == [1]

    def test_a_settlement_that_does_not_reach_leaves_the_hold(self, accounts: Accounts) -> None:
        accounts.post("min", _CREDIT, _AT)
        accounts.hold("min", 4, "a", _AT, "")
        accounts.hold("min", 6, "b", _AT, "")
        with pytest.raises(NotEnoughPoints):
            accounts.settle("min", "a", Posting("reply", -5, "a"), _AT)
        assert [hold.reference for hold in accounts.holds(_LATER, 9)] == ["a", "b"]
        assert accounts.balance("min") == 0

    def test_a_day_counts_once_and_days_in_a_row_make_a_streak(self, accounts: Accounts) -> None:
        days = [date(2026, 2, 27), date(2026, 2, 28), date(2026, 3, 1), date(2026, 3, 3)]
        check_ins = [accounts.check_in("min", day, 10, _AT) for day in days]
        assert [check.streak for check, _ in check_ins] == [1, 2, 3, 1]
        again = accounts.check_in("min", days[1], 99, _LATER)
        assert again == (CheckIn(days[1], 2), check_ins[1][1]._replace(is_new=False))
        assert (accounts.balance("min"), accounts.last_check_in("min")) == (40, CheckIn(days[3], 1))

    def test_slots_come_with_what_was_paid_for_them(self, accounts: Accounts) -> None:
        accounts.post("min", _CREDIT, _AT)
        bought = Posting(
            kind="memory-slots", amount=-5, reference="buy-1", note="", character="mina", slots=10
        )
        accounts.post("min", bought, _AT)
        accounts.post("min", bought, _AT)
        with pytest.raises(NotEnoughPoints):
            accounts.post("min", bought._replace(amount=-6, reference="buy-2"), _AT)
        assert (accounts.slots("min", "mina"), accounts.slots("min", "other")) == (10, 0)

    def test_a_character_belongs_to_its_owner(self, accounts: Accounts) -> None:
        mine = StoredCharacter(
            owner="min",
            id="mina",
            name="미나",
            card='{"data": 1}',
            created_at=_AT,
            updated_at=_LATER,
            model="m",
            package=b"\0\xff",
            package_type="image/png",
        )
        service = mine._replace(owner="", name="Mina", package=b"")
        assert accounts.keep_character(mine, is_new=True)
        assert accounts.keep_character(service, is_new=True)
        assert not accounts.keep_character(mine, is_new=True)
        assert not accounts.keep_character(mine._replace(id="yuna"), is_new=False)
        assert accounts.keep_character(mine._replace(name="M"), is_new=False)
        assert (accounts.character("min", "mina"), accounts.character("", "mina")) == (
            mine._replace(name="M"),
            service,
        )
        assert accounts.character("other", "mina") is None
        assert accounts.characters("min", 0, 9) == (1, [mine._replace(name="M", package=b"")])
        assert accounts.drop_character("min", "mina")
        assert not accounts.drop_character("min", "mina")
        assert accounts.character("", "mina") == service

    def test_characters_are_listed_by_id_in_pages(self, accounts: Accounts) -> None:
        for name in "cab":
            accounts.keep_character(
                StoredCharacter(
                    owner="", id=name, name=name, card="{}", created_at=_AT, updated_at=_AT
                ),
                is_new=True,
            )
        total, page = accounts.characters("", 1, 1)
        assert (total, [character.id for character in page]) == (3, ["b"])

    def test_a_key_is_found_under_its_user_and_kept_when_revoked(self, accounts: Accounts) -> None:
        key = IssuedKey(
            user="min",
            id="k1",
            secret_hash="hash",  # noqa: S106
            role=KeyRole.USER,
            label="phone",
            created_at=_LATER,
            expires_at=_LATER,
        )
        admin = IssuedKey(
            user="",
            id="k1",
            secret_hash="other",  # noqa: S106
            role=KeyRole.ADMIN,
            label="ops",
            created_at=_AT,
        )
        for issued in (key, admin, key._replace(id="k0", created_at=_AT)):
            accounts.keep_key(issued)
        accounts.keep_key(key._replace(revoked_at=_LATER))
        assert (accounts.key("min", "k1"), accounts.key("", "k1")) == (
            key._replace(revoked_at=_LATER),
            admin,
        )
        assert accounts.key("other", "k1") is None
        assert [issued.id for issued in accounts.keys("min")] == ["k0", "k1"]

    def test_an_erased_user_leaves_nothing_and_others_stay(self, accounts: Accounts) -> None:
        for user in ("min", "other"):
            accounts.seen(user, _AT)
            accounts.post(user, _CREDIT, _AT)
            accounts.hold(user, 1, "r", _AT, "")
            accounts.check_in(user, _AT.date(), 1, _AT)
            accounts.keep_character(
                StoredCharacter(
                    owner=user, id="c", name="C", card="{}", created_at=_AT, updated_at=_AT
                ),
                is_new=True,
            )
            accounts.keep_key(
                IssuedKey(
                    user=user,
                    id="k",
                    secret_hash="h",  # noqa: S106
                    role=KeyRole.USER,
                    label="",
                    created_at=_AT,
                )
            )
        gone = accounts.erase_account("min")
        assert gone == {
            "users": 1,
            "ledger": 2,
            "holds": 1,
            "check_ins": 1,
            "characters": 1,
            "api_keys": 1,
        }
        assert (accounts.account("min"), accounts.balance("min"), accounts.users("", 9)) == (
            None,
            0,
            ["other"],
        )
        assert (accounts.balance("other"), accounts.post("min", _CREDIT, _AT).entry.number) == (
            10,
            1,
        )
