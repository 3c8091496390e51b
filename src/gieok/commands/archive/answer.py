"""`gieok archive approve | reject`: a person's answer to pending days and questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, NamedTuple

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.commands.home import cold
from gieok.commands.memory import forget_steps
from gieok.commands.memory.forget_plan import ForgetFilter
from gieok.commands.memory.search import span_of_days
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.memory.tiers import approval, questions, sync
from gieok.memory.tiers.questions import ArchiveQuestion, ArchiveQuestionKind
from gieok.memory.tiers.tiers import LOCK, Outcome, Tiers
from gieok.model.archive import Place
from gieok.model.memory import Tier
from gieok.text.messages import Words

_ALL = "all"
_EXAMPLE = "gieok archive approve 2026-01-05"
_NAMES = Words(
    "days (2025-08-01, 2025-08) or `all` of them, and questions as `archive pending` names them"
)


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """Outcome of the answers.

    Days and memories that moved to cold or stay, memories forgotten or written back, and faults.
    """

    days: int
    moved: int
    forgotten: int
    written_back: int
    settled: int
    wrong: tuple[str, ...]
    found: Hidden[bool] = True


def render_archive_answer(result: AnswerResult, style: Style) -> str:
    """Show the outcome of the answers."""
    parts = (
        (
            result.moved,
            style.say("{moved:,} moved to cold", moved=result.moved),
        ),
        (
            result.forgotten,
            style.say("{forgotten:,} forgotten", forgotten=result.forgotten),
        ),
        (
            result.written_back,
            style.say("{written_back:,} written back", written_back=result.written_back),
        ),
        (
            result.settled,
            style.say("{settled:,} settled", settled=result.settled),
        ),
    )
    texts = [text for count, text in parts if count]
    if result.days and not result.moved:
        texts.append(style.say("stays in warm: {days:,}", days=result.days))
    head = ", ".join(texts) or style.say("nothing changed")
    return "\n".join([head, *(f"  ✗ {printable(style.told(line))}" for line in result.wrong)])


@command(
    "archive approve",
    Words("Agree: days move to cold, what you deleted there is forgotten"),
    present=render_archive_answer,
    examples=("gieok archive approve all",),
    effect=Effect.DESTROY,
)
def approve_pending(
    call: Call,
    *,
    names: Annotated[Sequence[str], Parameter(_NAMES, positional=True, needed=_EXAMPLE)] = (),
) -> AnswerResult:
    """Move days to cold, forget memories deleted in the archive, and drop losing versions.

    A losing version is the note beside a file with a conflict.
    """
    tiers, days, edited, deleted = _select_pending_items(call, names)
    with tiers.journal.exclusive(LOCK):
        outcome = approval.approve_days(tiers, days)
        approval.drop_beside(tiers, edited)
    outcome.wrong += _forget_deleted_notes(call, tiers, deleted)
    forgotten = len(deleted) - len({*deleted} & {*questions.load_questions(tiers.journal)})
    return _build_answer_result(
        call,
        outcome,
        AnswerResult(
            days=len(days),
            moved=outcome.moved,
            forgotten=forgotten,
            written_back=0,
            settled=len(edited),
            wrong=(),
        ),
    )


@command(
    "archive reject",
    Words("Refuse: days stay in warm, what you deleted there is written back"),
    present=render_archive_answer,
    examples=("gieok archive reject all",),
    effect=Effect.WRITE,
)
def reject_pending(
    call: Call,
    *,
    names: Annotated[Sequence[str], Parameter(_NAMES, positional=True, needed=_EXAMPLE)] = (),
) -> AnswerResult:
    """Keep days in warm, write back deleted memories, and take the losing versions of conflicts.

    A losing version is the note beside a file with a conflict.
    """
    tiers, days, edited, deleted = _select_pending_items(call, names)
    with tiers.journal.exclusive(LOCK):
        approval.reject_days(tiers, days)
        outcome = approval.written_back(tiers, deleted)
        back = outcome.moved
        outcome.add(approval.take_beside(tiers, edited))
    return _build_answer_result(
        call,
        outcome,
        AnswerResult(
            days=len(days), moved=0, forgotten=0, written_back=back, settled=len(edited), wrong=()
        ),
    )


class _PendingItems(NamedTuple):
    """What was named of what waits for an answer: days, and questions by their kind."""

    tiers: Tiers
    days: list[date]
    edited: list[ArchiveQuestion]
    deleted: list[ArchiveQuestion]


def _select_pending_items(call: Call, names: Sequence[str]) -> _PendingItems:
    """Return the days and the questions with the given names. Raises BadRequest."""
    tiers = call.home.tiers
    if Tier.COLD not in tiers.shelves:
        if list(names) == [_ALL]:
            return _PendingItems(tiers=tiers, days=[], edited=[], deleted=[])
        raise BadRequest(
            "there is no cold tier", hint="set `archive.cold` to folder, obsidian or dropbox"
        )
    if not names:
        raise BadRequest("what is answered?", hint="`gieok archive pending` names it")
    due = [
        item.day
        for item in approval.list_due_days(tiers, call.home.settings.integer("archive.warm_days"))
    ]
    rejected = approval.rejected(tiers)
    open_questions = questions.load_questions(tiers.journal)
    days: set[date] = set()
    chosen_questions: list[ArchiveQuestion] = []
    for name in names:
        if name == _ALL:
            days |= set(due)
        elif some := [item for item in open_questions if name in (item.name, item.handle)]:
            chosen_questions += some
        else:
            days |= _select_waiting_days(call, name, {*due, *rejected})
    chosen = list(dict.fromkeys(chosen_questions))
    return _PendingItems(
        tiers=tiers,
        days=sorted(days),
        edited=_select_questions_by_kind(chosen, ArchiveQuestionKind.EDITED),
        deleted=_select_questions_by_kind(chosen, ArchiveQuestionKind.DELETED),
    )


def _select_waiting_days(call: Call, name: str, waiting: set[date]) -> set[date]:
    span = span_of_days(call, name)
    chosen_days = {day for day in waiting if span is not None and span.first <= day <= span.last}
    if not chosen_days:
        raise BadRequest(
            "nothing waits that is called {name!r}",
            name=name,
            hint="`gieok archive pending` names what waits",
        )
    return chosen_days


def _select_questions_by_kind(
    asked: Sequence[ArchiveQuestion], what: ArchiveQuestionKind
) -> list[ArchiveQuestion]:
    return [question for question in asked if question.what is what]


def _forget_deleted_notes(
    call: Call, tiers: Tiers, deleted: Sequence[ArchiveQuestion]
) -> list[str]:
    """Forget memories that a person deleted in the archive, in every place; return the
    leftovers.
    """
    if not deleted:
        return []
    forget_filter = ForgetFilter(tuple(question.handle for question in deleted))
    # A file that came back meanwhile is deleted too.
    tiers.journal.mark_stale(
        [Place(question.scope, Tier.COLD, question.path) for question in deleted]
    )
    still = forget_steps.execute_forget_plan(
        call, forget_steps.plan_forgetting(call, forget_filter), forget_filter
    ).still_in
    unforgotten = [
        question for question in deleted if tiers.store.get(question.scope, [question.key])
    ]
    sync.settle_questions(tiers, [question for question in deleted if question not in unforgotten])
    return [
        *(f"{place}: {why}" for place, why in still),
        *(f"{question.path}: not of {call.scope}" for question in unforgotten),
    ]


def _build_answer_result(call: Call, done: Outcome, result: AnswerResult) -> AnswerResult:
    wrong = (*done.wrong, *sync.sweep_cold_tier(call.home.tiers))
    cold.resolve_cold_approval(call)
    return AnswerResult(
        days=result.days,
        moved=result.moved,
        forgotten=result.forgotten,
        written_back=result.written_back,
        settled=result.settled,
        wrong=tuple(dict.fromkeys(wrong)),
    )
