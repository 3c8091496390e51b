"""`gieok archive approve | reject`: a person's word on what waits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gieok.errors import BadRequest
from gieok.memory.tiers import approval, questions, sync
from gieok.memory.tiers.questions import Asked, Question
from gieok.memory.tiers.tiers import LOCK, Outcome, Tiers
from gieok.model.archive import Place
from gieok.model.memory import Tier
from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.home import cold
from gieok.ops.memory import forgetting
from gieok.ops.memory.forget_plan import ForgetFilter
from gieok.ops.memory.search import span_of_days
from gieok.ops.operation import Effect, Operation, Style, Words, argument, printable

_ALL = "all"
_EXAMPLE = "gieok archive approve 2026-01-05"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveAnswerRequest:
    """Parameters of both: what is answered."""

    names: list[str] = argument(
        Words(
            (
                "days (2025-08-01, 2025-08) or `all` of them, and questions as `archive pending` "
                "names them"
            ),
            "날(2025-08-01, 2025-08) 또는 그 모두(`all`), 그리고 `archive pending`이 부르는 질문",
        ),
        [],
        positional=True,
        needed=_EXAMPLE,
    )


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """What came of it: days and memories that moved to cold or stay, memories forgotten or written
    back; what is wrong.
    """

    days: int
    moved: int
    forgotten: int
    written_back: int
    settled: int
    wrong: tuple[str, ...]
    found: Hidden[bool] = True


def approve(context: Context, request: ArchiveAnswerRequest) -> AnswerResult:
    """Move days to cold, forget what was deleted there, and drop the version that lies beside a
    conflict.
    """
    tiers, days, asked = _chosen(context, request.names)
    edited, deleted = _of(asked, Asked.EDITED), _of(asked, Asked.DELETED)
    with tiers.journal.exclusive(LOCK):
        done = approval.approve(tiers, days)
        approval.drop_beside(tiers, edited)
    done.wrong += _forget(context, tiers, deleted)
    forgotten = len(deleted) - len({*deleted} & {*questions.load(tiers.journal)})
    return _told(
        context,
        done,
        AnswerResult(
            days=len(days),
            moved=done.moved,
            forgotten=forgotten,
            written_back=0,
            settled=len(edited),
            wrong=(),
        ),
    )


def reject(context: Context, request: ArchiveAnswerRequest) -> AnswerResult:
    """Let days stay in warm, write back what was deleted, and take the version that lies beside a
    conflict.
    """
    tiers, days, asked = _chosen(context, request.names)
    edited, deleted = _of(asked, Asked.EDITED), _of(asked, Asked.DELETED)
    with tiers.journal.exclusive(LOCK):
        approval.reject(tiers, days)
        done = approval.written_back(tiers, deleted)
        back = done.moved
        done.add(approval.take_beside(tiers, edited))
    return _told(
        context,
        done,
        AnswerResult(
            days=len(days), moved=0, forgotten=0, written_back=back, settled=len(edited), wrong=()
        ),
    )


def _chosen(context: Context, names: Sequence[str]) -> tuple[Tiers, list[date], list[Question]]:
    """Return the days and the questions that are named. Raises BadRequest."""
    tiers = context.archive.tiers()
    if Tier.COLD not in tiers.shelves:
        if list(names) == [_ALL]:
            return tiers, [], []
        raise BadRequest(
            "there is no cold tier", hint="set `archive.cold` to folder, obsidian or dropbox"
        )
    if not names:
        raise BadRequest("what is answered?", hint="`gieok archive pending` names it")
    due = [one.day for one in approval.due(tiers, context.archive.warm_days)]
    rejected = approval.rejected(tiers)
    asked = questions.load(tiers.journal)
    days: set[date] = set()
    found: list[Question] = []
    for name in names:
        if name == _ALL:
            days |= set(due)
        elif some := [one for one in asked if name in (one.name, one.handle)]:
            found += some
        else:
            days |= _days(context, name, {*due, *rejected})
    return tiers, sorted(days), list(dict.fromkeys(found))


def _days(context: Context, name: str, waiting: set[date]) -> set[date]:
    span = span_of_days(context, name)
    found = {day for day in waiting if span is not None and span.first <= day <= span.last}
    if not found:
        raise BadRequest(
            f"nothing waits that is called {name!r}",
            hint="`gieok archive pending` names what waits",
        )
    return found


def _of(asked: Sequence[Question], what: Asked) -> list[Question]:
    return [one for one in asked if one.what is what]


def _forget(context: Context, tiers: Tiers, deleted: Sequence[Question]) -> list[str]:
    """Forget what a person deleted in the archive, wherever else it is; return where something is
    left.
    """
    if not deleted:
        return []
    wanted = ForgetFilter(tuple(one.handle for one in deleted))
    # Should the file be back meanwhile, it goes too.
    tiers.journal.mark_stale([Place(one.scope, Tier.COLD, one.path) for one in deleted])
    still = forgetting.carry_out(context, forgetting.plan(context, wanted), wanted).still_in
    left = [one for one in deleted if tiers.store.get(one.scope, [one.key])]
    sync.answered(tiers, [one for one in deleted if one not in left])
    return [
        *(f"{place}: {why}" for place, why in still),
        *(f"{one.path}: not of {context.scope}" for one in left),
    ]


def _told(context: Context, done: Outcome, result: AnswerResult) -> AnswerResult:
    wrong = (*done.wrong, *context.archive.sweep())
    cold.answered(context)
    return AnswerResult(
        days=result.days,
        moved=result.moved,
        forgotten=result.forgotten,
        written_back=result.written_back,
        settled=result.settled,
        wrong=tuple(dict.fromkeys(wrong)),
    )


def present(result: AnswerResult, style: Style) -> str:
    """Show what came of it."""
    parts = (
        (
            result.moved,
            style.say(f"{result.moved:,} moved to cold", f"기억 {result.moved:,}개를 cold로 옮김"),
        ),
        (
            result.forgotten,
            style.say(f"{result.forgotten:,} forgotten", f"{result.forgotten:,}개를 잊음"),
        ),
        (
            result.written_back,
            style.say(
                f"{result.written_back:,} written back", f"{result.written_back:,}개를 되돌려 씀"
            ),
        ),
        (
            result.settled,
            style.say(f"{result.settled:,} settled", f"충돌 {result.settled:,}개를 정리함"),
        ),
    )
    said = [text for count, text in parts if count]
    if result.days and not result.moved:
        said.append(
            style.say(f"stays in warm: {result.days:,}", f"{result.days:,}일은 warm에 남음")
        )
    head = ", ".join(said) or style.say("nothing changed", "달라진 것이 없습니다")
    return "\n".join([head, *(f"  ✗ {printable(style.told(line))}" for line in result.wrong)])


APPROVE = Operation(
    name="archive approve",
    examples=("gieok archive approve all",),
    handler=approve,
    present=present,
    effect=Effect.DESTROY,
    doc=Words(
        "Agree: days move to cold, what you deleted there is forgotten",
        "동의합니다: 날들은 cold로 옮기고, 거기서 지운 것은 잊습니다",
    ),
)
REJECT = Operation(
    name="archive reject",
    examples=("gieok archive reject all",),
    handler=reject,
    present=present,
    effect=Effect.WRITE,
    doc=Words(
        "Refuse: days stay in warm, what you deleted there is written back",
        "거절합니다: 날들은 warm에 두고, 거기서 지운 것은 되돌려 씁니다",
    ),
)
