"""`gieok character points | key`: a user's points, and the keys that admit users over HTTP."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, NamedTuple

from gieok.character.accounts.identity import checked_user, decode_key_owner
from gieok.commands.character.arguments import require_single_word
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.model.accounts import IssuedKey, KeyRole, LedgerEntry
from gieok.places.scope import ME
from gieok.ports.accounts import Accounts
from gieok.text.messages import Words

_ROWS = 10
_KEY_DO = ("list", "create", "revoke")
#: Users whose keys are listed where none is named: a service may have millions.
_MOST_USERS = 1_000


class PointsRow(NamedTuple):
    """A row of the ledger."""

    at: str
    kind: str
    amount: int
    balance: int
    note: str


@dataclass(frozen=True, slots=True)
class CharacterPointsResult:
    """Balance of a user, and the newest rows of the ledger."""

    user: str
    balance: int
    streak: int
    has_checked_in: bool
    entries: tuple[PointsRow, ...]
    found: bool = True


class KeyLine(NamedTuple):
    """A key without its secret; times are '' where there are none."""

    id: str
    user: str
    role: str
    label: str
    created_at: str
    expires_at: str
    revoked_at: str


@dataclass(frozen=True, slots=True)
class CharacterKeyResult:
    """Keys; `key` is the text of a newly issued key, shown this once.

    `is_cut`: there are more users than keys are listed of.
    """

    keys: tuple[KeyLine, ...]
    key: str = ""
    is_cut: Hidden[bool] = False

    @property
    def found(self) -> bool:
        """False where there is no key."""
        return bool(self.keys)


def render_user_points(result: CharacterPointsResult, style: Style) -> str:
    """Show the balance and the newest rows."""
    name, streak = printable(result.user), result.streak
    lines = [style.bold(style.say("{name}: {balance} points", name=name, balance=result.balance))]
    lines += [style.say("  {streak} days in a row", streak=streak)] if streak else []
    lines += [
        f"  {row.at[:16]}  {row.amount:+}  {row.kind}  {printable(row.note)}".rstrip()
        for row in result.entries
    ]
    return "\n".join(lines)


@command(
    "character points",
    Words("Show a user's points, check in, give points"),
    present=render_user_points,
    effect=Effect.WRITE,
    examples=("gieok character points", "gieok character points kim --credit 100 --note gift"),
)
def change_user_points(
    call: Call,
    *,
    user: Annotated[
        Sequence[str], Parameter(Words("the user (default: me)"), positional=True)
    ] = (),
    credit: Annotated[int, Parameter(Words("give so many points"))] = 0,
    note: Annotated[str, Parameter(Words("why, for the ledger"))] = "",
    reference: Annotated[str, Parameter(Words("counts once, however often it is sent"))] = "",
    check_in: Annotated[bool, Parameter(Words("check in for today"))] = False,
) -> CharacterPointsResult:
    """Add or charge points as requested, and return the balance."""
    desk, checked_name = (
        call.home.house.points,
        checked_user(require_single_word(user or [ME], "user")),
    )
    if credit:
        desk.credit(checked_name, credit, reference or secrets.token_hex(8), note)
    if check_in:
        desk.check_in(checked_name)
    standing, page = desk.standing(checked_name), desk.transactions(checked_name, 1, _ROWS)
    return CharacterPointsResult(
        user=checked_name,
        balance=standing.balance,
        streak=standing.streak,
        has_checked_in=standing.has_checked_in,
        entries=tuple(map(_build_points_row, page.entries)),
    )


def render_user_keys(result: CharacterKeyResult, style: Style) -> str:
    """Show keys; a new key with its text, once."""
    if not result.keys:
        return style.say("There is no key: `gieok character key create`")
    lines = []
    for key_line in result.keys:
        state = (
            style.say("revoked")
            if key_line.revoked_at
            else key_line.expires_at[:10] or style.say("valid")
        )
        whose = printable(key_line.user) or "admin"
        lines.append(
            f"{key_line.id}  {whose}  {printable(key_line.label)}  {state}".replace("    ", "  ")
        )
    if result.is_cut:
        lines.append(style.say("There are more users: name one with `--user`"))
    once = style.say("the key, shown this once:")
    return "\n".join([*lines, *([once, result.key] if result.key else [])])


@command(
    "character key",
    Words("Issue, list and revoke keys for `gieok serve`"),
    present=render_user_keys,
    effect=Effect.WRITE,
    examples=(
        "gieok character key create --user kim --label phone",
        "gieok character key list",
        "gieok character key revoke ID",
    ),
)
def manage_user_keys(
    call: Call,
    *,
    do: Annotated[
        Sequence[str], Parameter(Words("list, create, or revoke ID"), positional=True)
    ] = (),
    user: Annotated[
        str, Parameter(Words("whose key (default: the keys of all are listed, one is made for me)"))
    ] = "",
    admin: Annotated[bool, Parameter(Words("a key that issues keys and credits points"))] = False,
    label: Annotated[str, Parameter(Words("what it is for"))] = "",
    days: Annotated[int, Parameter(Words("how long it holds (default: until revoked)"))] = 0,
) -> CharacterKeyResult:
    """List, issue or revoke keys."""
    house, (action, *rest) = call.home.house, do or ["list"]
    if (
        action not in _KEY_DO
        or (action == "revoke") != (len(rest) == 1)
        or (rest and action != "revoke")
    ):
        raise BadRequest(
            "{do!r} is not understood", do=" ".join(do), hint="`list`, `create`, `revoke ID`"
        )
    if action == "revoke":
        owner = user or ("" if admin else decode_key_owner(rest[0]) or "")
        return CharacterKeyResult((_build_key_line(house.identity.revoke(owner, rest[0])),))
    if action == "list" and not (user or admin):
        return _list_all_keys(house.accounts)
    checked_name = "" if admin else checked_user(user or ME)
    if action == "create":
        expires = house.memory.clock.now() + timedelta(days=days) if days else None
        role = KeyRole.ADMIN if admin else KeyRole.USER
        issued, text = house.identity.issue(checked_name, role, label, expires)
        return CharacterKeyResult((_build_key_line(issued),), text)
    return CharacterKeyResult(tuple(map(_build_key_line, house.accounts.keys(checked_name))))


def _list_all_keys(accounts: Accounts) -> CharacterKeyResult:
    """Return the keys of admins, and of users by name."""
    users = accounts.users("", _MOST_USERS + 1)
    owners = ("", *users[:_MOST_USERS])
    keys = tuple(_build_key_line(key) for owner in owners for key in accounts.keys(owner))
    return CharacterKeyResult(keys, is_cut=len(users) > _MOST_USERS)


def _build_points_row(entry: LedgerEntry) -> PointsRow:
    posting = entry.posting
    return PointsRow(
        at=entry.at.isoformat(),
        kind=posting.kind,
        amount=posting.amount,
        balance=entry.balance,
        note=posting.note,
    )


def _build_key_line(issued: IssuedKey) -> KeyLine:
    times = (
        moment.isoformat() if moment else ""
        for moment in (issued.created_at, issued.expires_at, issued.revoked_at)
    )
    return KeyLine(issued.id, issued.user, issued.role.value, issued.label, *times)
