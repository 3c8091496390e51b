"""`gieok store distribute`: spread a server's tables over a cluster's nodes, by scope."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from gieok.commands.command import Effect, Parameter, Style, Surface, command
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.ports.store import Distributable
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class DistributeResult:
    """Statements, their targets, and the number issued now."""

    location: str
    statements: tuple[str, ...]
    issued: int
    done: bool
    found: Hidden[bool] = True


def render_distributed_tables(result: DistributeResult, style: Style) -> str:
    """Show the statements of a dry run, else the outcome."""
    if not result.done:
        return "\n".join(f"{statement};" for statement in result.statements)
    return style.say(
        "{location}: {issued} of {statements} tables were distributed now.",
        location=result.location,
        issued=result.issued,
        statements=len(result.statements),
    )


@command(
    "store distribute",
    Words(
        "Spread the tables of a PostgreSQL server over several by Citus, each scope whole on one"
    ),
    present=render_distributed_tables,
    examples=("gieok store distribute --dry-run",),
    effect=Effect.WRITE,
    surfaces=frozenset({Surface.CLI}),
)
def distribute_tables(
    call: Call, *, dry_run: Annotated[bool, Parameter(Words("only show the statements"))] = False
) -> DistributeResult:
    """Issue the statements, the journal's first: the other tables are placed beside its scopes.

    Raises StoreError without the extension.
    """
    parts = list(_list_distributable_parts(call))
    statements = tuple(statement for part in parts for statement in part.distribution())
    issued = 0 if dry_run else sum(part.distribute() for part in parts)
    return DistributeResult(parts[0].location, statements, issued, not dry_run)


def _list_distributable_parts(call: Call) -> Iterator[Distributable]:
    journal, store = call.home.journal, call.home.store
    name = call.home.stores.journal_name
    if not isinstance(journal, Distributable) or not isinstance(store, Distributable):
        raise BadRequest(
            "only what is on a PostgreSQL server can be spread over several",
            hint="`gieok store switch postgres` and `gieok journal switch postgres` move it there",
        )
    yield journal
    yield store
    accounts = call.home.stores.open_accounts(name)
    if isinstance(accounts, Distributable):
        yield accounts
