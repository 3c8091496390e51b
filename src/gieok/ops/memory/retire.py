"""`gieok retire | restore`: take a record out of recall, and bring it back."""

from dataclasses import dataclass
from pathlib import Path

from gieok.capabilities.prompt import records
from gieok.errors import BadRequest
from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.memory import waiting
from gieok.ops.memory.records import follow_soon, shelf
from gieok.ops.operation import Effect, Operation, Style, Words, argument, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRequest:
    """Parameters of both: which record."""

    record: str = argument(
        Words("the record: its path, category/name, or name", "기억: 경로, 종류/이름, 또는 이름"),
        "",
        positional=True,
        needed="gieok retire decision/use-ruff",
    )
    user: bool = argument(
        Words("one of yours, not of the project you are in", "지금 프로젝트가 아니라 나의 기억에서"), False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RetireRequest(RecordRequest):
    """Parameters of `gieok retire`."""

    keep: bool = argument(Words("keep its file for good", "파일을 영영 남김"), False)


@dataclass(frozen=True, slots=True)
class RecordResult:
    """Where the record is now."""

    path: str
    status: str
    found: Hidden[bool] = True


def _move(context: Context, request: RecordRequest, shelves: tuple[str, ...], target: str, status: str) -> RecordResult:
    kept = shelf(context, user=request.user)
    holding = [name for name in shelves if _holds(kept.base / name, request.record)]
    file = records.find(kept.base, (holding or [shelves[0]])[0], request.record)
    moved = records.move(kept.base, file, target, context.clock.now())
    if kept.is_project and target == records.MEMORY:
        waiting.keep(context.home, kept.base, moved)
    elif kept.is_project:
        waiting.drop(context.home, kept.base, file.relative_to(kept.base).as_posix())
    follow_soon(context, kept)
    return RecordResult(kept.shown(moved), status)


def _holds(root: Path, name: str) -> bool:
    try:
        return bool(records.find(root.parent, root.name, name))
    except BadRequest:
        return False


def retire(context: Context, request: RetireRequest) -> RecordResult:
    """Take a record out of recall; it is deleted after the grace period, or kept."""
    if request.keep:
        return _move(context, request, (records.MEMORY, records.RETIRED), records.ARCHIVE, "kept")
    return _move(context, request, (records.MEMORY,), records.RETIRED, "retired")


def restore(context: Context, request: RecordRequest) -> RecordResult:
    """Bring a retired record back."""
    return _move(context, request, (records.RETIRED, records.ARCHIVE), records.MEMORY, "restored")


_DONE = {
    "retired": Words(f"retired (deleted in {records.GRACE_DAYS} days)", f"물림 ({records.GRACE_DAYS}일 뒤 지움)"),
    "kept": Words("retired (kept, not recalled)", "물림 (남기되 떠올리지 않음)"),
    "restored": Words("restored", "되살림"),
}


def present(result: RecordResult, style: Style) -> str:
    """Show where it is."""
    return f"{_DONE[result.status].say(style.lang)}: {printable(result.path)}"


OPERATION = Operation(
    name="retire",
    examples=("gieok retire decision/linter-ruff", "gieok retire decision/linter-ruff --keep"),
    handler=retire,
    present=present,
    effect=Effect.DESTROY,
    doc=Words(
        "Take a record out of recall; it is deleted after 30 days unless --keep",
        "기억을 물립니다; --keep이 아니면 30일 뒤 지워집니다",
    ),
)
RESTORE = Operation(
    name="restore",
    examples=("gieok restore decision/linter-ruff",),
    handler=restore,
    present=present,
    effect=Effect.WRITE,
    doc=Words("Bring a retired record back", "물린 기억을 되살립니다"),
)
