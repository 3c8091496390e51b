"""`gieok archive sync`: the cold tier and Gieok, both ways; and what is done with cold by itself at its time."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from gieok.capabilities.observe.archive import approval, questions, sweep, sync
from gieok.capabilities.observe.archive.sync import Synced
from gieok.capabilities.observe.archive.tiers import LOCK
from gieok.engine.incidents import Incidents
from gieok.errors import ArchiveFailed
from gieok.model.memory import Tier
from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.operation import Effect, Operation, Style, Words, printable

_INCIDENT = "archive cold"
_REALM, _TOLD = "archive.told", "days"
_FIRST_WAIT, _LONGEST_WAIT = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSyncRequest:
    """Parameters of `gieok archive sync`: none."""


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What people did there: texts corrected, notes followed to another name, notes that came back; questions that are new.

    `wrong` is what could not be read or written, and was left as it is.
    """

    corrected: int
    followed: int
    returned: int
    asked: int
    wrong: tuple[str, ...]
    found: Hidden[bool] = True


def run(context: Context, request: ArchiveSyncRequest) -> SyncResult:
    """Take in what people did in the cold tier; without one, that is nothing. Raises ArchiveFailed where it is out of reach."""
    del request
    if Tier.COLD not in context.archive.tiers().shelves:
        return SyncResult(0, 0, 0, 0, ())
    done = synced(context)
    return SyncResult(done.corrected, done.followed, done.returned, done.asked, tuple(done.wrong))


def synced(context: Context) -> Synced:
    """Synchronise, keep what is wrong as an incident, and tell of new questions. Raises ArchiveFailed, StoreError."""
    tiers = context.archive.tiers()
    incidents = Incidents(tiers.journal, tiers.clock, context.admin.notices())
    before = len(questions.load(tiers.journal))
    try:
        with tiers.journal.exclusive(LOCK):
            done = sync.run(tiers)
    except ArchiveFailed as error:
        _failed(context, incidents, error)
        raise
    done.add(sweep.sweep(tiers))
    if done.wrong:
        _failed(context, incidents, ArchiveFailed("; ".join(done.wrong[:5])))
    else:
        incidents.resolved(_INCIDENT)
    if len(questions.load(tiers.journal)) > before:
        _tell(context, context.words("your archive has a question", "보관소에 질문이 있습니다"))
    return done


def _failed(context: Context, incidents: Incidents, error: ArchiveFailed) -> None:
    title = context.words("gieok: the archive needs you", "gieok: 보관소를 봐 주세요")
    incidents.failed(_INCIDENT, error, title, first=_FIRST_WAIT, longest=_LONGEST_WAIT)


def _tell(context: Context, text: str) -> None:
    hint = context.words("`gieok archive pending` shows it", "`gieok archive pending`이 보여줍니다")
    context.admin.notices().notify("gieok", f"{text}: {hint}")


def by_itself(context: Context, is_stopped: Callable[[], bool]) -> str:
    """Synchronise at its time; return what came of it."""
    del is_stopped
    if Tier.COLD not in context.archive.tiers().shelves:
        return ""
    done = synced(context)
    counts = {"corrected": done.corrected, "followed": done.followed, "asked": done.asked, "wrong": len(done.wrong)}
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def to_cold(context: Context, is_stopped: Callable[[], bool]) -> str:
    """Move to cold what is old enough where that needs no approval; else tell once of what waits."""
    del is_stopped
    tiers = context.archive.tiers()
    if Tier.COLD not in tiers.shelves:
        return ""
    days = [one.day for one in approval.due(tiers, context.archive.warm_days)]
    if not days:
        return ""
    if not context.archive.auto_approve:
        named = ",".join(day.isoformat() for day in days)
        if tiers.journal.kept(_REALM).get(_TOLD) != named:
            tiers.journal.keep(_REALM, {_TOLD: named})
            _tell(
                context,
                context.words(f"{len(days):,} days may go to cold", f"{len(days):,}일치를 cold로 옮길 수 있습니다"),
            )
        return f"{len(days)} days wait for approval"
    with tiers.journal.exclusive(LOCK):
        done = approval.approve(tiers, days)
    done.add(sweep.sweep(tiers))
    if done.wrong:
        raise ArchiveFailed("; ".join(done.wrong[:5]))
    return f"{done.moved} moved to cold"


def present(result: SyncResult, style: Style) -> str:
    """Show what people did, and what could not be taken in."""
    parts = (
        (result.corrected, style.say(f"{result.corrected:,} corrected", f"{result.corrected:,}개 고침")),
        (result.followed, style.say(f"{result.followed:,} moved", f"{result.followed:,}개 옮김")),
        (result.returned, style.say(f"{result.returned:,} came back", f"{result.returned:,}개 돌아옴")),
        (
            result.asked,
            style.say(
                f"{result.asked:,} questions: `gieok archive pending`",
                f"질문 {result.asked:,}개: `gieok archive pending`",
            ),
        ),
    )
    head = ", ".join(text for count, text in parts if count) or style.say(
        "nothing was changed there", "거기서 바뀐 것이 없습니다"
    )
    return "\n".join([head, *(f"  ✗ {printable(line)}" for line in result.wrong)])


OPERATION = Operation(
    name="archive sync",
    handler=run,
    present=present,
    effect=Effect.WRITE,
    doc=Words(
        "Take in what you edited, renamed or deleted in the cold tier",
        "cold 층에서 고치거나 이름을 바꾸거나 지운 것을 받아들입니다",
    ),
)
