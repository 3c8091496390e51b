"""`gieok journal switch`: copy the journal and its accounts elsewhere, and use the copy.

The copy is compared, and the setting changes only when both journals hold the same. After a
kill at any moment the journal in
use is whole, and running the command again resumes. The old journal stays.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from gieok.commands.command import Effect, Parameter, Style, Surface, command
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest
from gieok.flow import journal_copy
from gieok.home.call import Call
from gieok.home.stores import list_journal_names
from gieok.ports.journal_rows import CopiedJournal
from gieok.settings import user_file
from gieok.text.messages import Words

if TYPE_CHECKING:
    from gieok.ports.accounts import Accounts

_NOTHING = journal_copy.Copied(0, 0)


@dataclass(frozen=True, slots=True)
class JournalSwitchResult:
    """Result of a switch of the journal, or of its dry run.

    `done` is False for a dry run; `copied` then counts the parts that would be copied. `location`
    is the place of the new journal.
    """

    from_: str
    to: str
    location: str
    scopes: int
    copied: int
    done: bool
    users: int = 0
    found: Hidden[bool] = True


def render_journal_switch(result: JournalSwitchResult, style: Style) -> str:
    """Show the journal in use now."""
    if not result.done:
        return style.say(
            "{copied:,} parts would be copied to {location}. Nothing was changed.",
            copied=result.copied,
            location=result.location,
        )
    users = Words.of(", {users:,} users", users=result.users) if result.users else Words("")
    return style.say(
        (
            "The journal is in {to} now ({location}): {scopes:,} scopes{users}, compared and "
            "equal. The old one ({from_value}) is still there."
        ),
        to=result.to,
        location=result.location,
        scopes=result.scopes,
        users=users,
        from_value=result.from_,
    )


@command(
    "journal switch",
    Words(
        "Move the journal (raw messages, what was made of them) and accounts elsewhere, and "
        "use them from then on"
    ),
    present=render_journal_switch,
    when_stopped=Words("the journal in use is as it was; the same command goes on"),
    examples=("gieok journal switch postgres --dry-run",),
    effect=Effect.WRITE,
    surfaces=frozenset({Surface.CLI}),  # a person decides where memory lives, not an agent
)
def switch_journal(
    call: Call,
    *,
    name: Annotated[
        str, Parameter(Words("where to move it: sqlite, postgres"), positional=True)
    ] = "",
    dry_run: Annotated[bool, Parameter(Words("only tell what would be done"))] = False,
    replace: Annotated[
        bool, Parameter(Words("drop what the other journal holds beside or instead"))
    ] = False,
) -> JournalSwitchResult:
    """Copy, compare, and only then change the setting."""
    now = call.home.settings.text("journal")
    if name not in list_journal_names() or name == now:
        known = ", ".join(other for other in list_journal_names() if other != now)
        raise BadRequest(
            "{name!r} is no journal to switch to (now: {now})",
            name=name,
            now=now,
            known=known,
            hint="one of: {known}",
        )
    source, target = call.home.journal, call.home.stores.open_journal(name)
    with closing(target), _open_both_accounts(call, now, name) as accounts:
        if dry_run:
            copied = _compare_journals(source, target)
            users = _compare_journals(*accounts) if accounts else _NOTHING
        else:
            copy = partial(
                journal_copy.copy_journal,
                replace=replace,
                progress=call.progress("copied"),
            )
            with source.exclusive("rebuild"), source.exclusive("deliver"):
                copied = copy(source, target)
                users = copy(*accounts, what="list of accounts") if accounts else _NOTHING
                user_file.choose(call.home.settings, "journal", name)
    parts, is_done = copied.copied + users.copied, not dry_run
    return JournalSwitchResult(
        from_=now,
        to=name,
        location=target.location,
        scopes=copied.scopes,
        copied=parts,
        done=is_done,
        users=users.scopes,
    )


@contextmanager
def _open_both_accounts(
    call: Call, now: str, then: str
) -> "Iterator[tuple[Accounts, Accounts] | None]":
    """Open the accounts beside both journals.

    None where there are no accounts, or both journals share them.
    """
    stores = call.home.stores
    if not (stores.has_accounts(now) or stores.has_accounts(then)):
        yield None
        return
    with (
        closing(stores.open_accounts(now)) as source,
        closing(stores.open_accounts(then)) as target,
    ):
        yield (source, target) if source.location != target.location else None


def _compare_journals(source: CopiedJournal, target: CopiedJournal) -> journal_copy.Copied:
    return journal_copy.Copied(
        len(journal_copy.find_differing_parts(source, target)), len(source.copied_scopes())
    )
