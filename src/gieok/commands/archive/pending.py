"""`gieok archive pending`: days and questions that wait for a person's answer."""

from dataclasses import dataclass
from datetime import date

from gieok.commands.absence import absence, gap_lines
from gieok.commands.command import Effect, Style, command, printable
from gieok.commands.encode import Hidden, Omitted
from gieok.commands.memory.gaps import gaps_of_archive
from gieok.home.call import Call
from gieok.memory.tiers import approval, questions
from gieok.memory.tiers.questions import ArchiveQuestion, ArchiveQuestionKind
from gieok.model.memory import Tier
from gieok.text.messages import Words

_TEXT_CHARS = 100
NO_COLD = Words("there is no cold tier: `archive.cold` is none")


@dataclass(frozen=True, slots=True)
class PendingDay:
    """A day that may go to cold."""

    day: date
    memories: int
    tokens: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """Question about a memory `deleted` in the archive, or `edited` on both sides.

    `name` answers it; `path` is that of one of its notes.
    """

    name: str
    what: str
    memories: int
    text: str
    path: str


@dataclass(frozen=True, slots=True)
class PendingResult:
    """Days that wait for approval, and questions; `place` is the place of cold ('' for none)."""

    days: tuple[PendingDay, ...]
    questions: tuple[PendingQuestion, ...]
    place: str
    #: Why the archive could not be compared; left out where it was compared.
    not_looked_at: Omitted[tuple[Words, ...]] = None
    found: Hidden[bool] = True


def render_pending(result: PendingResult, style: Style) -> str:
    """Show days, then questions, and how to answer."""
    if not result.place:
        return NO_COLD.say(style.lang)
    lines = [_render_pending_day(item, style) for item in result.days]
    if lines:
        lines.append(style.dim(style.say("  `gieok archive approve DAY …|all`, or `reject`")))
    lines += [_render_pending_question(item, style) for item in result.questions]
    if not lines:
        return absence(Words("nothing waits"), result.not_looked_at, style)
    return "\n".join([*lines, *gap_lines(result.not_looked_at, style)])


def _render_pending_day(one: PendingDay, style: Style) -> str:
    return style.say(
        "{day}  {count} memory, {size_bytes:,} bytes",
        plural="{day}  {count:,} memories, {size_bytes:,} bytes",
        day=one.day,
        count=one.memories,
        size_bytes=one.size_bytes,
    )


def _render_pending_question(one: PendingQuestion, style: Style) -> str:
    approve, reject = f"gieok archive approve {one.name}", f"gieok archive reject {one.name}"
    if one.what == ArchiveQuestionKind.DELETED:
        head = style.say("deleted there ({memories:,}):", memories=one.memories)
        hint = style.say(
            "`{approve}` forgets it, `{reject}` writes it back", approve=approve, reject=reject
        )
    else:
        head = style.say("edited on both sides:")
        hint = style.say(
            (
                "this holds, the other is in that note; `{approve}` drops the other, `{reject}` "
                "takes it"
            ),
            approve=approve,
            reject=reject,
        )
    return f"{head} {style.memory(one.text)}\n  {printable(one.path)}\n{style.dim('  ' + hint)}"


@command(
    "archive pending",
    Words("Show what waits for your word: days that may go to cold, and questions"),
    present=render_pending,
    examples=("gieok archive pending",),
    effect=Effect.READ,
)
def list_pending(call: Call) -> PendingResult:
    """Return the pending days and questions."""
    tiers = call.home.tiers
    if Tier.COLD not in tiers.shelves:
        return PendingResult((), (), "")
    days = [
        PendingDay(*due_day)
        for due_day in approval.list_due_days(
            tiers, call.home.settings.integer("archive.warm_days")
        )
    ]
    missed = tuple(gaps_of_archive(call)) or None
    return PendingResult(
        tuple(days),
        tuple(_group_pending_questions(call)),
        call.home.settings.text("archive.cold"),
        missed,
    )


def _group_pending_questions(call: Call) -> list[PendingQuestion]:
    grouped: dict[tuple[str, ArchiveQuestionKind], list[ArchiveQuestion]] = {}
    for question in questions.load_questions(call.home.journal):
        grouped.setdefault((question.name, question.what), []).append(question)
    return [
        PendingQuestion(
            name=name,
            what=what.value,
            memories=len(some),
            text=_read_question_text(call, some[0]),
            path=some[0].path,
        )
        for (name, what), some in grouped.items()
    ]


def _read_question_text(call: Call, question: ArchiveQuestion) -> str:
    documents = call.home.store.get(question.scope, [question.key])
    return " ".join(documents[0].text.split())[:_TEXT_CHARS] if documents else ""
