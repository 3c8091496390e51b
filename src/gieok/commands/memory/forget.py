"""`gieok forget`: remove memories for good, from every place where Gieok keeps them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Annotated, NamedTuple

from gieok import fs
from gieok.commands.absence import absence, gap_lines
from gieok.commands.command import Effect, Parameter, Style, Surface, command, printable
from gieok.commands.encode import INLINE, As, Omitted, Reason
from gieok.commands.memory import away, behind, forget_steps, gaps, handles, origin
from gieok.commands.memory.forget_plan import ForgetFilter, ForgetPlan
from gieok.commands.memory.forget_steps import ForgetReport
from gieok.commands.memory.records import shelf_at
from gieok.commands.memory.search import span_of_days
from gieok.commands.memory.whereabouts import RemovedFrom
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.memory.talk import turns
from gieok.places.scope import SESSIONS, is_of_account
from gieok.ports.sync import hide_userinfo
from gieok.text.markdown import front_matter
from gieok.text.messages import Words

_SHOWN = 20
_SHOWN_CHARS = 100
_KINDS = {
    "documents": Words("{count} document", plural="{count:,} documents"),
    "observations": Words("{count} observation", plural="{count:,} observations"),
    "messages": Words("{count} message", plural="{count:,} messages"),
    "replaced": Words("{count:,} of the history"),
    "records": Words("{count} record", plural="{count:,} records"),
}
#: Places that held the memories, with the number of items in each.
_REMOVED = {
    "hot": Words("hot {}"),
    "warm": Words("warm {}"),
    "cold": Words("cold {}"),
    "index": Words("the index of files {}"),
    "history": Words("history {}"),
    "messages": Words("messages and their lines in the index {}"),
}


class ForgetCounts(NamedTuple):
    """Numbers of items that would be forgotten."""

    documents: int
    records: int
    observations: int
    messages: int
    replaced: int


class PlannedItem(NamedTuple):
    """Thing that would be forgotten: its scope with its name, or its file, and its text."""

    name: str
    text: str


class ForgetOutcome(NamedTuple):
    """Whether the memories were forgotten, which files were deleted, and where copies remain."""

    done: bool
    deleted: tuple[str, ...] = ()
    still_in: tuple[Reason, ...] = ()
    removed: tuple[RemovedFrom, ...] = ()


def _count_forget_plan(plan: ForgetPlan) -> ForgetCounts:
    count = plan.count
    return ForgetCounts(
        documents=count("documents"),
        records=len(plan.records),
        observations=count("observations"),
        messages=count("messages"),
        replaced=count("replaced"),
    )


def _build_forget_outcome(done: ForgetReport | None) -> ForgetOutcome:
    if done is None:
        return ForgetOutcome(False)
    return ForgetOutcome(
        True, done.deleted, tuple(Reason(*pair) for pair in done.still_in), done.removed
    )


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """Memories that were to be forgotten, and the outcome; `done` is None if nothing was done."""

    plan: Annotated[ForgetPlan, As(_count_forget_plan), INLINE]
    done: Annotated[ForgetReport | None, As(_build_forget_outcome), INLINE]
    #: Places that were not searched and may hold the memories too; left out where every place was
    #: searched.
    not_looked_at: Omitted[tuple[Words, ...]] = None
    #: What would be forgotten, of a dry run alone: what was forgotten is shown to nobody.
    planned: Omitted[tuple[PlannedItem, ...]] = None

    @property
    def found(self) -> bool:
        """False where there was nothing to forget."""
        return not self.plan.is_empty


def render_forgotten(result: ForgetResult, style: Style) -> str:
    """Show what was removed from which place, and what could not be removed."""
    if not result.found:
        return absence(Words("nothing fits"), result.not_looked_at, style)
    lines = _format_forget_plan(result.plan, style)
    if result.done is None:
        lines += _format_kept_sources(result.plan, style)
        lines += [style.say("nothing was forgotten")] if result.planned is None else []
        return "\n".join([*lines, *gap_lines(result.not_looked_at, style)])
    lines[0] = f"{style.say('forgotten')}: {lines[0]}"
    gone = [
        _REMOVED[removal.kind].say(style.lang).format(removal.number)
        + _format_place_suffix(removal.place)
        for removal in result.done.removed
    ]
    lines += [f"  {style.say('out of')}: {', '.join(gone)}"] if gone else []
    lines += [f"  {style.say('deleted')}: {printable(path)}" for path in result.done.deleted]
    still = style.say("still in")
    lines += [
        f"  ✗ {still} {printable(path)}: {printable(style.told(why))}"
        for path, why in result.done.still_in
    ]
    return "\n".join([*lines, *gap_lines(result.not_looked_at, style)])


def _format_place_suffix(place: str) -> str:
    return f" ({printable(place)})" if place else ""


@command(
    "forget",
    Words("Forget memories for good: out of index, journal, vectors, logs"),
    present=render_forgotten,
    examples=(
        "gieok forget 3fa9c01e",
        'gieok forget --match "old address" --dry-run',
        "gieok forget --before 2026-01-01",
    ),
    effect=Effect.DESTROY,
    person_question=Words("Forget this memory for good?"),
    agreed_parameter="yes",
    rehearsal_parameter="dry_run",
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
    tool_hint="Only when the user asks to forget; one memory a call.",
)
def forget_memories(
    call: Call,
    *,
    handles: Annotated[
        Sequence[str],
        Parameter(
            Words("handles, ids of observations and messages, records, indexed files"),
            positional=True,
            tool_doc="the handle of one memory, as `list` and `search` show it",
        ),
    ] = (),
    match: Annotated[
        str, Parameter(Words("everything that holds this text, in any case"), cli_only=True)
    ] = "",
    source: Annotated[
        str,
        Parameter(
            Words("everything that came from this file, folder or transcript"), cli_only=True
        ),
    ] = "",
    before: Annotated[
        str, Parameter(Words("everything dated before this day"), cli_only=True)
    ] = "",
    yes: Annotated[bool, Parameter(Words("do not ask"), cli_only=True)] = False,
    dry_run: Annotated[
        bool, Parameter(Words("only tell what would be forgotten"), cli_only=True)
    ] = False,
) -> ForgetResult:
    """Find the memories that fit, ask a person to confirm, and forget the memories."""
    forget_filter = _build_forget_filter(
        call, handles=handles, match=match, source=source, before=before
    )
    if not any(
        (forget_filter.handles, forget_filter.match, forget_filter.source, forget_filter.before)
    ):
        raise BadRequest(
            "what is to be forgotten?", hint="name memories, or give --match, --source or --before"
        )
    if not dry_run and call.home.folder.is_dir():
        fs.make_room(call.home.folder)
    late = behind.caught_up(call, use_vectors=False)
    plan = forget_steps.plan_forgetting(call, forget_filter)
    missed = tuple(_list_forget_gaps(call, plan, late, handles=handles)) or None
    if plan.unknown:
        raise BadRequest(
            "no memory is called {unknown!r}",
            unknown=plan.unknown[0],
            hint=(
                "`gieok list` and `gieok search` show handles; `--match TEXT` finds by what is said"
            ),
        )
    if plan.is_empty and not dry_run and forget_steps.is_unfinished(call):
        forget_steps.finish_forgetting(
            call, [forget_filter.match] if forget_filter.is_match_alone else []
        )
    if dry_run:
        planned = tuple(PlannedItem(*item) for item in plan.shown())
        return ForgetResult(plan, None, missed, planned)
    if plan.is_empty or not (yes or _is_meant(call, plan)):
        return ForgetResult(plan, None, missed)
    report = forget_steps.execute_forget_plan(call, plan, forget_filter)
    fs.keep_reserve(call.home.folder)
    return ForgetResult(
        plan,
        report._replace(still_in=(*report.still_in, *_in_backups(call), *_in_sync(call, plan))),
        missed,
    )


def _list_forget_gaps(
    call: Call, plan: ForgetPlan, late: behind.Behind | None, *, handles: Sequence[str]
) -> Iterator[Words]:
    """Yield the places that were not searched.

    A request by known handles has no gaps: what a handle names can be nowhere else.
    """
    if handles:
        return
    store = call.home.store
    if late:
        yield late.words()
    yield from gaps.gaps_of_talk(call, store)
    if plan.is_empty:
        yield from gaps.gaps_of_files(call, store, list(plan.scopes))
        yield from gaps.gaps_of_scopes(store, list(plan.scopes))


def _in_backups(call: Call) -> list[tuple[str, str]]:
    """Return the earlier backups, which still hold the memories: nothing is removed from a
    backup.
    """
    why = (
        "a backup from before; it may hold it until newer ones take its place: `gieok backup prune`"
    )
    return [(str(backup.path), why) for backup in call.home.backups.listed()]


def _in_sync(call: Call, plan: ForgetPlan) -> list[tuple[str, str]]:
    """Return the place over which devices are synchronised, which holds what was sent before.

    What characters and other users have travels no more, and neither does forgetting it.
    """
    setup = call.home.sync.find_setup()
    if not setup:
        return []
    scopes = [scope for scope, chosen in plan.scopes.items() if chosen]
    scopes += [shelf_at(call, file.parents[2]).scope for file in plan.records]
    travels = {not is_of_account(scope.path) for scope in scopes}
    reasons = {
        True: (
            "sent before, encrypted; your other devices forget it when they synchronise: `gieok "
            "sync`"
        ),
        False: (
            "an earlier version may have sent it; forgetting it does not travel: forget it on each "
            "device"
        ),
    }
    remote = hide_userinfo(setup.remote)
    return [(remote, why) for does_travel, why in reasons.items() if does_travel in travels]


def _build_forget_filter(
    call: Call, *, handles: Sequence[str], match: str, source: str, before: str
) -> ForgetFilter:
    span = span_of_days(call, before)
    chosen_before = (
        datetime.combine(span.first, time(), call.zone).astimezone(UTC) if span else None
    )
    chosen_source = str(call.caller.path(source)) if source else ""
    return ForgetFilter(
        handles=_resolve_forget_handles(call, handles),
        match=match.strip(),
        source=chosen_source,
        before=chosen_before,
        is_scoped=call.is_scope_named,
    )


def _resolve_forget_handles(call: Call, given: Sequence[str]) -> tuple[str, ...]:
    """Return the given handles in full; a handle of a turn or its line becomes its message ids."""
    scopes = call.scopes if call.is_scope_named else call.home.store.scopes()
    memory_by_handle = {
        text: handles.find_only_memory(call, text, scopes, history=True)
        for text in given
        if handles.is_handle(text)
    }
    for text in [text for text, memory in memory_by_handle.items() if memory is None]:
        away_record = away.find_away_memory(
            call, text, scopes
        )  # a record that is put away is in no store
        if away_record is not None and away_record.file is not None:
            given = [str(away_record.file) if handle == text else handle for handle in given]
    return tuple(
        name
        for text in given
        for name in _expand_memory_names(call, text, memory_by_handle.get(text))
    )


def _expand_memory_names(
    call: Call, text: str, memory: handles.NamedMemory | None
) -> Sequence[str]:
    if memory is None:
        return [text]
    messages = origin.messages_of(call, memory) if memory.document.kind == turns.KIND else ()
    return [message.id for message in messages] or [memory._replace(line=0).handle]


def _is_meant(call: Call, plan: ForgetPlan) -> bool:
    """Ask a person to confirm, because forgetting cannot be undone.

    Raises BadRequest where nobody can be asked.
    """
    question = call.words("forget all of this for good? (y/N) ")
    style = Style(call.lang, colour=False)
    lines = [*_format_forget_plan(plan, style), *_format_kept_sources(plan, style)]
    return call.agrees(
        lines, question, "forgetting cannot be undone: give --yes, or --dry-run to look"
    )


def _format_forget_plan(plan: ForgetPlan, style: Style) -> list[str]:
    counts = _count_forget_plan(plan)._asdict()
    kind_counts = [
        words._replace(values=(("count", counts[what]),)).say(style.lang)
        for what, words in _KINDS.items()
        if counts[what]
    ]
    lines = [", ".join(kind_counts)]
    shown = plan.shown(style.lang)
    for name, text in shown[:_SHOWN]:
        is_spoken = name.startswith(f"{SESSIONS}/")
        words = style.memory(text[front_matter(text).end :], is_spoken=is_spoken)
        short = " ".join(words.split())[:_SHOWN_CHARS]
        lines.append(f"  {printable(name)}  {style.dim(short)}")
    more = len(shown) - _SHOWN
    return [*lines, f"  … +{more}"] if more > 0 else lines


def _format_kept_sources(plan: ForgetPlan, style: Style) -> list[str]:
    """Return the files that stay where a plan is carried out, a line each."""
    return [
        f"  {style.say('stays')} {printable(path)}: {printable(style.told(why))}"
        for path, why in forget_steps.list_kept_sources(plan)
    ]
