"""`gieok retire | restore`: put memories away from recall, and bring them back."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.commands.memory import away, forget_steps, forgotten_marks, handles, untrusted
from gieok.commands.memory.away import Away
from gieok.commands.memory.handles import NamedMemory
from gieok.commands.memory.records import (
    RecordShelf,
    find_record_shelf,
    follow_meaning,
    rewrite_active_memory,
)
from gieok.commands.memory.shelf_changes import ShelfChange
from gieok.errors import BadRequest
from gieok.flow import distil
from gieok.home.call import Call
from gieok.hook import records
from gieok.memory import retirement, scope_memory
from gieok.memory.files import roots
from gieok.memory.retirement import AwayTurn
from gieok.memory.talk import promotion, turn_reader, turns
from gieok.model.memory import RETIRED, Entry, Scope
from gieok.text.messages import Words

_SHOWN_CHARS = 80
_EXAMPLE = "gieok retire 3fa9c01e decision/use-ruff"
_MEMORIES = Words("handles; a record also by its path, category/name, or name")
_OF_USER = Words("a record of yours, not of the project you are in")


class RetiredMemory(NamedTuple):
    """Memory with its outcome.

    `path` is a record's file; `also` are observations that were retired or restored with a message.
    """

    handle: str
    kind: str
    status: str
    text: str
    path: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RetireResult:
    """Memories that were retired or restored."""

    memories: tuple[RetiredMemory, ...]
    found: Hidden[bool] = True


def render_retired(result: RetireResult, style: Style) -> str:
    """Show a line for each memory."""
    lines = []
    for memory in result.memories:
        text = " ".join(style.memory(memory.text).split())[:_SHOWN_CHARS]
        lines.append(
            f"{_DONE[memory.status].say(style.lang)}: "
            f"{printable(memory.path or f'{memory.handle}  {text}')}"
        )
        if memory.path and memory.status == "retired":
            lines.append(style.dim(f"  {_GRACE.say(style.lang)}"))
        if memory.also:
            lines.append(style.dim(f"  {style.say('with it')}: {', '.join(memory.also)}"))
    return "\n".join(lines)


@command(
    "retire",
    Words(
        "Put memories away: nothing recalls them; a record is deleted after 30 days unless --keep"
    ),
    present=render_retired,
    effect=Effect.DESTROY,
    examples=("gieok retire 3fa9c01e", "gieok retire decision/use-ruff --keep"),
)
def retire_memories(
    call: Call,
    *,
    memories: Annotated[Sequence[str], Parameter(_MEMORIES, positional=True, needed=_EXAMPLE)] = (),
    user: Annotated[bool, Parameter(_OF_USER)] = False,
    keep: Annotated[bool, Parameter(Words("keep a record's file for good"))] = False,
) -> RetireResult:
    """Put memories away, so that nothing recalls them; safe to kill and to run again.

    Every name is resolved before any memory is retired. Raises BadRequest.
    """
    chosen = [_select_retirable_memory(call, name, user=user) for name in memories]
    target, status = (records.ARCHIVE, "kept") if keep else (records.RETIRED, "retired")
    retired = [
        _move_record_file(call, memory, target, status)
        if isinstance(memory, _ShelfRecord)
        else _put_away(call, memory)
        for memory in chosen
    ]
    _rederive_retired_scopes(
        call, {memory.document.scope for memory in chosen if isinstance(memory, NamedMemory)}
    )
    return RetireResult(tuple(retired))


@command(
    "restore",
    Words("Bring back what was put away"),
    present=render_retired,
    effect=Effect.WRITE,
    examples=("gieok restore 3fa9c01e",),
)
def restore_memories(
    call: Call,
    *,
    memories: Annotated[Sequence[str], Parameter(_MEMORIES, positional=True, needed=_EXAMPLE)] = (),
    user: Annotated[bool, Parameter(_OF_USER)] = False,
) -> RetireResult:
    """Bring back retired memories.

    Raises BadRequest.
    """
    chosen = [_find_retired_memory(call, name, user=user) for name in memories]
    restored = [
        _move_record_file(call, memory, records.MEMORY, "restored")
        if isinstance(memory, _ShelfRecord)
        else _brought_back(call, memory)
        for memory in chosen
    ]
    _rederive_retired_scopes(call, {memory.scope for memory in chosen if isinstance(memory, Away)})
    return RetireResult(tuple(restored))


class _ShelfRecord(NamedTuple):
    """File of a record, with its shelf."""

    kept: RecordShelf
    file: Path
    handle: str


def _select_retirable_memory(call: Call, name: str, *, user: bool) -> NamedMemory | _ShelfRecord:
    """Return the memory to retire.

    Raises BadRequest for a memory that cannot be retired.
    """
    memory = None if user else handles.find_only_memory(call, name)
    if memory is None:
        if handles.is_handle(name) and not user and not _is_record(call, name):
            memory = handles.require_memory(call, name)  # says where else it is
        else:
            return _find_record_by_name(call, name, (records.MEMORY, records.RETIRED), user=user)
    document = memory.document
    if memory.away or document.metadata.get(RETIRED):
        raise BadRequest(
            "{name!r} is put away already", name=name, hint="`gieok restore {name}` brings it back"
        )
    known = roots.load_roots(call.home.store, document.scope)
    kind = handles.kind_of(document, known, str(call.home.folder))
    if kind == handles.RECORD:
        root = next(root for root in known if root.owns(document.key))
        file = root.file(document.key.partition("/")[2])
        return _ShelfRecord(RecordShelf(root.path.parent, document.scope), file, memory.handle)
    if kind == handles.NOTE:
        raise BadRequest(
            "{name!r} is a file of your own",
            name=name,
            hint="move the file, or leave its folder out: `gieok index --remove FOLDER`",
        )
    if kind == handles.TURN and not memory.line:
        raise BadRequest(
            "{name!r} is part of a conversation",
            name=name,
            hint="name a line of it: `gieok list --kind turn`",
        )
    return memory


def _is_record(call: Call, name: str) -> bool:
    try:
        return bool(_find_record_by_name(call, name, (records.MEMORY, records.RETIRED), user=False))
    except BadRequest:
        return False


def _find_record_by_name(
    call: Call, name: str, shelves: tuple[str, ...], *, user: bool
) -> _ShelfRecord:
    record_shelf = find_record_shelf(call, user=user)
    holding = [shelf for shelf in shelves if _has_record_named(record_shelf.base / shelf, name)]
    return _ShelfRecord(
        record_shelf, records.find_record(record_shelf.base, (holding or [shelves[0]])[0], name), ""
    )


def _has_record_named(root: Path, name: str) -> bool:
    try:
        return bool(records.find_record(root.parent, root.name, name))
    except BadRequest:
        return False


def _move_record_file(call: Call, one: _ShelfRecord, target: str, status: str) -> RetiredMemory:
    record_shelf, file, handle = one
    if file.parent.parent.name == target:
        raise BadRequest(
            "the record {stem!r} is there already",
            stem=file.stem,
            hint="`gieok list --status retired` shows what is put away",
        )
    with ShelfChange(call, record_shelf) as change:
        with record_shelf.lock(call.home.folder):
            if not file.exists():  # another process was faster
                raise BadRequest(
                    "the record {stem!r} was moved meanwhile",
                    stem=file.stem,
                    hint="`gieok list --status retired` shows what is put away",
                )
            forgotten_marks.mark_removed(
                call, record_shelf.scope, [file], forgotten_marks.WAS_MOVED
            )
            moved = records.move_record(record_shelf.base, file, target, call.clock.now())
            if record_shelf.is_project and target == records.MEMORY:
                untrusted.grant_record_trust(call.home.folder, record_shelf.base, moved)
            elif record_shelf.is_project:
                untrusted.revoke_record_trust(
                    call.home.folder,
                    record_shelf.base,
                    file.relative_to(record_shelf.base).as_posix(),
                )
        change.follow()
    return RetiredMemory(
        handle=handle,
        kind=handles.RECORD,
        status=status,
        text=moved.stem,
        path=record_shelf.shown(moved),
    )


def _put_away(call: Call, memory: NamedMemory) -> RetiredMemory:
    scope = memory.document.scope
    now = call.clock.now()
    with handles.lock_observations(call, scope):
        if memory.document.kind != turns.KIND:
            document = handles.read_again(call, memory)
            if document.metadata.get(RETIRED):
                raise BadRequest("{handle} was put away meanwhile", handle=memory.handle)
            _hand_over_entries(call, scope, [retirement.build_retired_entry(document, now)])
            return RetiredMemory(memory.handle, handles.OBSERVATION, "retired", document.text)
        return _turn_away(call, memory, now.isoformat(timespec="seconds"))


def _turn_away(call: Call, memory: NamedMemory, at: str) -> RetiredMemory:
    journal, document, number = call.home.journal, memory.document, memory.line
    if promotion.is_promoted(document):
        source, number = promotion.find_promoted_source(call.home.store, document, number)
        document = source or document
    located = turn_reader.at_line(journal, document, number) if number else None
    if located is None:
        raise BadRequest(
            "the journal does not hold {handle}",
            handle=memory.handle,
            hint="`gieok index` brings the turns up to date",
        )
    lines, message = located
    scope = document.scope
    if any(turn.id == message.id for turn in retirement.turns(journal, scope)):
        # the text that stood there before is kept, not the blank
        raise BadRequest("{handle} was put away meanwhile", handle=memory.handle)
    turn = AwayTurn(
        id=message.id,
        key=document.key,
        line=lines.start,
        before=journal.corrections(scope).get(message.id, ""),
        at=at,
    )
    retirement.retire_turn(journal, scope, turn)
    held = scope_memory.load_scope_memory(call.home.store, scope).documents
    with_it = [observation for observation in held if observation.message_ids == {message.id}]
    _hand_over_entries(
        call,
        scope,
        [
            retirement.build_retired_entry(observation, call.clock.now(), message.id)
            for observation in with_it
        ],
    )
    also = tuple(NamedMemory(observation).handle for observation in with_it)
    return RetiredMemory(
        NamedMemory(document, lines.start).handle, handles.TURN, "retired", memory.text, also=also
    )


def _find_retired_memory(call: Call, name: str, *, user: bool) -> Away | _ShelfRecord:
    """Return the retired memory to restore.

    Raises BadRequest.
    """
    away_memory = (
        away.find_away_memory(call, name, call.scopes)
        if handles.is_handle(name) and not user
        else None
    )
    if away_memory is None:
        return _find_record_by_name(call, name, (records.RETIRED, records.ARCHIVE), user=user)
    if away_memory.file is not None:
        return _ShelfRecord(
            RecordShelf(away_memory.file.parents[2], away_memory.scope),
            away_memory.file,
            away_memory.handle,
        )
    return away_memory


def _brought_back(call: Call, one: Away) -> RetiredMemory:
    journal = call.home.journal
    with handles.lock_observations(call, one.scope):
        if one.document is not None:
            documents = {entry.document.key: entry.document for entry in journal.made(one.scope)}
            document = documents.get(one.document.key)
            if document is None or not document.metadata.get(RETIRED):
                raise BadRequest(
                    "{handle} came back, or was forgotten, meanwhile", handle=one.handle
                )
            _hand_over_entries(call, one.scope, [retirement.restored(document)])
            return RetiredMemory(one.handle, handles.OBSERVATION, "restored", one.text)
        assert one.turn is not None
        if one.turn not in retirement.turns(journal, one.scope):
            raise BadRequest("{handle} came back, or was forgotten, meanwhile", handle=one.handle)
        retirement.restore_turn(journal, one.scope, one.turn)
        held = [entry.document for entry in journal.made(one.scope)]
        with_it = [
            document for document in held if retirement.is_retired_with(document, one.turn.id)
        ]
        _hand_over_entries(call, one.scope, [retirement.restored(document) for document in with_it])
    also = tuple(NamedMemory(document).handle for document in with_it)
    return RetiredMemory(one.handle, handles.TURN, "restored", one.text, also=also)


def _hand_over_entries(call: Call, scope: Scope, entries: list[Entry]) -> None:
    """Make documents durable, then tell the store.

    Raises StoreError where the store fails: the entries stay queued, and delivery follows.
    """
    if entries:
        call.home.journal.hand_over(put=entries)
        distil.deliver_scope(call.home.journal, call.home.store, scope)


def _rederive_retired_scopes(call: Call, scopes: set[Scope]) -> None:
    """Rebuild what is derived from these scopes: turns, active memory, vectors."""
    if not scopes:
        return
    for place, why in forget_steps.rederive_turns(call):
        call.tell(f"{place}: {why}")
    follow_meaning(call)
    for scope in scopes:
        rewrite_active_memory(call, scope)


_DONE = {
    "retired": Words("put away"),
    "kept": Words("put away (kept, not recalled)"),
    "restored": Words("restored"),
}
_GRACE = Words.of("its file is deleted in {GRACE_DAYS} days", GRACE_DAYS=records.GRACE_DAYS)
