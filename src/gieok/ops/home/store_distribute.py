"""`gieok store distribute`: spread the tables of a server over the nodes of a cluster, by the scope
of each row.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from gieok.errors import BadRequest
from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.operation import Effect, Operation, Style, Surface, Words, argument
from gieok.ports.store import Distributable


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributeRequest:
    """Parameters of `gieok store distribute`."""

    dry_run: bool = argument(Words("only show the statements", "문장만 보임"), False)


@dataclass(frozen=True, slots=True)
class DistributeResult:
    """The statements, where they are for, and how many were issued now."""

    location: str
    statements: tuple[str, ...]
    issued: int
    done: bool
    found: Hidden[bool] = True


def distribute_tables(context: Context, request: DistributeRequest) -> DistributeResult:
    """Issue the calls, the journal's first: the others are kept beside its scopes. Raises
    StoreError without the extension.
    """
    parts = list(_list_distributable_parts(context))
    statements = tuple(call for part in parts for call in part.distribution())
    issued = 0 if request.dry_run else sum(part.distribute() for part in parts)
    return DistributeResult(parts[0].location, statements, issued, not request.dry_run)


def _list_distributable_parts(context: Context) -> Iterator[Distributable]:
    journal, store = context.memory.journal(), context.memory.store()
    name = next((row.value for row in context.admin.settings if row.name == "journal"), "")
    if not isinstance(journal, Distributable) or not isinstance(store, Distributable):
        raise BadRequest(
            "only what is on a PostgreSQL server can be spread over several",
            hint="`gieok store switch postgres` and `gieok journal switch postgres` move it there",
        )
    yield journal
    yield store
    accounts = context.admin.open_accounts(name)
    if isinstance(accounts, Distributable):
        yield accounts


def render_distributed_tables(result: DistributeResult, style: Style) -> str:
    """Show the statements of a dry run, else what was done."""
    if not result.done:
        return "\n".join(f"{call};" for call in result.statements)
    return style.say(
        (
            f"{result.location}: {result.issued} of {len(result.statements)} tables were "
            f"distributed now."
        ),
        f"{result.location}: 표 {len(result.statements)}개 가운데 {result.issued}개를 이제 나누었습니다.",
    )


OPERATION = Operation(
    name="store distribute",
    examples=("gieok store distribute --dry-run",),
    handler=distribute_tables,
    present=render_distributed_tables,
    effect=Effect.WRITE,
    surfaces=frozenset({Surface.CLI}),
    doc=Words(
        "Spread the tables of a PostgreSQL server over several by Citus, each scope whole on one",
        "PostgreSQL 서버의 표를 Citus로 여러 대에 나눕니다. 범위 하나는 통째로 한 대에 있습니다",
    ),
)
