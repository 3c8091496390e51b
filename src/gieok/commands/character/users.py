"""`gieok character points | key`: a user's points, and the keys that admit users over HTTP."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from gieok.character.accounts.identity import checked_user
from gieok.commands.character.arguments import ME, require_single_word
from gieok.commands.command import Effect, Operation, Style, argument, printable
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.model.accounts import IssuedKey, KeyRole, LedgerEntry
from gieok.text.messages import Words

_ROWS = 10
_KEY_DO = ("list", "create", "revoke")


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterPointsRequest:
    """Parameters of `gieok character points`."""

    user: list[str] = argument(Words("the user (default: me)"), [], positional=True)
    credit: int = argument(Words("give so many points"), 0)
    note: str = argument(Words("why, for the ledger"), "")
    reference: str = argument(Words("counts once, however often it is sent"), "")
    check_in: bool = argument(Words("check in for today"), False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterKeyRequest:
    """Parameters of `gieok character key`."""

    do: list[str] = argument(Words("list, create, or revoke ID"), [], positional=True)
    user: str = argument(Words("whose key"), ME)
    admin: bool = argument(
        Words("a key that issues keys and credits points"),
        False,
    )
    label: str = argument(Words("what it is for"), "")
    days: int = argument(
        Words("how long it holds (default: until revoked)"),
        0,
    )


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
    """Keys; `key` is the text of a newly issued key, shown this once."""

    keys: tuple[KeyLine, ...]
    key: str = ""

    @property
    def found(self) -> bool:
        """False where there is no key."""
        return bool(self.keys)


def change_user_points(call: Call, request: CharacterPointsRequest) -> CharacterPointsResult:
    """Add or charge points as requested, and return the balance."""
    desk, user = (
        call.home.house.points,
        checked_user(require_single_word(request.user or [ME], "user")),
    )
    if request.credit:
        desk.credit(user, request.credit, request.reference or secrets.token_hex(8), request.note)
    if request.check_in:
        desk.check_in(user)
    standing, page = desk.standing(user), desk.transactions(user, 1, _ROWS)
    return CharacterPointsResult(
        user=user,
        balance=standing.balance,
        streak=standing.streak,
        has_checked_in=standing.has_checked_in,
        entries=tuple(map(_build_points_row, page.entries)),
    )


def manage_user_keys(call: Call, request: CharacterKeyRequest) -> CharacterKeyResult:
    """List, issue or revoke keys."""
    house, (do, *rest) = call.home.house, request.do or ["list"]
    if do not in _KEY_DO or (do == "revoke") != (len(rest) == 1) or (rest and do != "revoke"):
        raise BadRequest(
            f"{' '.join(request.do)!r} is not understood", hint="`list`, `create`, `revoke ID`"
        )
    user = "" if request.admin else checked_user(request.user)
    if do == "create":
        expires = house.memory.clock.now() + timedelta(days=request.days) if request.days else None
        role = KeyRole.ADMIN if request.admin else KeyRole.USER
        issued, text = house.identity.issue(user, role, request.label, expires)
        return CharacterKeyResult((_build_key_line(issued),), text)
    if do == "revoke":
        return CharacterKeyResult((_build_key_line(house.identity.revoke(user, rest[0])),))
    return CharacterKeyResult(tuple(map(_build_key_line, house.accounts.keys(user))))


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
    once = style.say("the key, shown this once:")
    return "\n".join([*lines, *([once, result.key] if result.key else [])])


POINTS = Operation(
    name="character points",
    handler=change_user_points,
    present=render_user_points,
    effect=Effect.WRITE,
    examples=("gieok character points", "gieok character points kim --credit 100 --note gift"),
    doc=Words("Show a user's points, check in, give points"),
)
KEY = Operation(
    name="character key",
    handler=manage_user_keys,
    present=render_user_keys,
    effect=Effect.WRITE,
    examples=(
        "gieok character key create --user kim --label phone",
        "gieok character key revoke ID --user kim",
    ),
    doc=Words("Issue, list and revoke keys for `gieok serve`"),
)
