"""`gieok transfer`: move memories to another project or to the user, and keep their origin."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.commands.memory import forgotten_marks, handles, untrusted
from gieok.commands.memory.handles import NamedMemory
from gieok.commands.memory.records import (
    RecordShelf,
    follow_meaning,
    rewrite_active_memory,
    scope_shelf,
)
from gieok.commands.memory.shelf_changes import ShelfChange
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest
from gieok.flow import distil
from gieok.home.call import Call
from gieok.hook import records
from gieok.memory import observation
from gieok.memory.files import roots
from gieok.model.memory import MOVED_FROM, RETIRED, Document, Entry, Scope, Tier
from gieok.places.scope import is_brought, is_served
from gieok.text.handles import build_handle
from gieok.text.markdown import front_matter
from gieok.text.messages import Words

_SHOWN_CHARS = 80


class TransferredMemory(NamedTuple):
    """Moved memory: its new handle, and its earlier handle and scope."""

    handle: str
    before: str
    scope_before: Scope
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class TransferResult:
    """Memories that are in the target scope now."""

    scope: Scope
    memories: tuple[TransferredMemory, ...]
    found: Hidden[bool] = True


def render_transferred(result: TransferResult, style: Style) -> str:
    """Show a line for each memory."""
    scope = printable(name_scope(result.scope).say(style.lang))
    head = style.bold(f"{style.say('now in')} {scope}:")
    rows = (
        f"  {memory.handle}  {style.memory(' '.join(memory.text.split()))[:_SHOWN_CHARS]}"
        for memory in result.memories
    )
    return "\n".join((head, *rows))


@command(
    "transfer",
    Words("Move memories to another scope: a project's, or the user's own"),
    present=render_transferred,
    effect=Effect.WRITE,
    examples=("gieok transfer 3fa9c01e --to agent:main",),
)
def transfer_memories(
    call: Call,
    *,
    memories: Annotated[
        Sequence[str],
        Parameter(
            Words("handles of records and of what was observed"),
            positional=True,
            needed="gieok transfer 3fa9c01e --to agent:main",
        ),
    ] = (),
    to: Annotated[
        str,
        Parameter(
            Words("the scope that they shall be in; `agent:main` is the user's own"),
            needed="gieok transfer 3fa9c01e --to agent:main",
        ),
    ] = "",
) -> TransferResult:
    """Move memories to a scope; safe to kill and to repeat.

    Every memory that cannot move is refused before any memory moves.
    """
    target = Scope(to)
    if is_served(target.path) or is_brought(target.path):
        raise BadRequest(
            "{target} is not yours to write",
            target=target,
            hint="move memories to a project's scope, or to `agent:main`",
        )
    chosen = [_select_transferable_memory(call, name, target) for name in memories]
    files = [(memory, source_shelf) for memory, source_shelf in chosen if source_shelf is not None]
    # The target's folder is resolved before anything moves: without a folder nothing moves.
    shelf = scope_shelf(call, target) if files else None
    moved = _transfer_observations(
        call, [memory for memory, source_shelf in chosen if source_shelf is None], target
    )
    if shelf is not None:
        moved += [
            _transfer_record(call, memory, source_shelf, shelf) for memory, source_shelf in files
        ]
    return TransferResult(target, tuple(moved))


def _select_transferable_memory(
    call: Call, name: str, target: Scope
) -> tuple[NamedMemory, RecordShelf | None]:
    """Return a memory that may move, and its shelf if it is a record.

    Raises BadRequest.
    """
    memory = handles.require_memory(call, name)
    document = memory.document
    if document.scope == target:
        raise BadRequest("{name!r} is in {target} already", name=name, target=target)
    if memory.away or document.metadata.get(RETIRED):
        raise BadRequest("{name!r} is put away", name=name, hint="`gieok restore {name}` first")
    known = roots.load_roots(call.home.store, document.scope)
    kind = handles.kind_of(document, known, str(call.home.folder))
    if kind == handles.RECORD:
        return memory, RecordShelf(
            next(root for root in known if root.owns(document.key)).path.parent, document.scope
        )
    if (
        kind == handles.OBSERVATION
        and not memory.was_replaced
        and document.kind == observation.KIND
    ):
        return memory, None
    why, hint = _REFUSED.get(kind, _REFUSED[handles.OBSERVATION])
    raise BadRequest(why, name=name, hint=hint)


_REFUSED = {
    handles.TURN: (
        "{name!r} is a part of a conversation, which belongs where it was held",
        'keep what it says there: `gieok remember "…"` in that project, or with --user',
    ),
    handles.NOTE: (
        "{name!r} is a file of your own",
        "index its folder there: `gieok index FOLDER --scope SCOPE`",
    ),
    handles.OBSERVATION: (
        "{name!r} holds no more, or goes on with its conversation",
        "move what stands: `gieok list`",
    ),
}


def _transfer_observations(
    call: Call, chosen: list[NamedMemory], target: Scope
) -> list[TransferredMemory]:
    """Move observations in one step of the journal; the stores follow."""
    if not chosen:
        return []
    journal, store = call.home.journal, call.home.store
    scopes = sorted({target, *(memory.document.scope for memory in chosen)})
    with handles.lock_observations(call, *scopes):
        documents = [handles.read_again(call, memory) for memory in chosen]
        put = [
            observation.build_whole_entry(_rescope_document(document, target))
            for document in documents
        ]
        _refuse_known(put, store.hashes(target))
        journal.hand_over(
            put=put, forget=[(document.scope, document.key) for document in documents]
        )
        distil.deliver(journal, store)
    follow_meaning(call)
    for scope in scopes:
        rewrite_active_memory(call, scope)
    return [
        _build_transferred_memory(memory, entry.document, handles.OBSERVATION)
        for memory, entry in zip(chosen, put, strict=True)
    ]


def _refuse_known(put: list[Entry], there: dict[str, str]) -> None:
    known = next((entry.document for entry in put if entry.document.key in there), None)
    if known is not None:
        raise BadRequest(
            "{scope} holds {text!r} of that day already",
            scope=name_scope(known.scope),
            text=known.text[:_SHOWN_CHARS],
        )


def _rescope_document(document: Document, target: Scope) -> Document:
    """Return a document moved to another scope; the document keeps where its messages are."""
    home = document.metadata.get(MOVED_FROM, document.scope.path)
    metadata = {name: value for name, value in document.metadata.items() if name != MOVED_FROM}
    if home != target.path:
        metadata[MOVED_FROM] = home
    fresh = replace(document, scope=target, metadata=metadata, tier=Tier.HOT)
    return replace(fresh, content_hash=observation.stamp(fresh))


def _transfer_record(
    call: Call, memory: NamedMemory, kept: RecordShelf | None, shelf: RecordShelf
) -> TransferredMemory:
    """Move a record's file: the new file is written and trusted before the old file is deleted."""
    assert kept is not None
    document = memory.document
    file = kept.base / records.MEMORY / Path(document.key).relative_to(Path(document.key).parts[0])
    with ShelfChange(call, shelf) as arrival, ShelfChange(call, kept) as departure:
        # locks in one order: two transfers between the same folders at once do not deadlock
        with ExitStack() as locks:
            for record_shelf in sorted({kept, shelf}):
                locks.enter_context(record_shelf.lock(call.home.folder))
            if not file.exists():
                raise BadRequest("{handle} was moved or forgotten meanwhile", handle=memory.handle)
            there = records.copy_record(shelf.base, file)
            if shelf.is_project:
                untrusted.grant_record_trust(call.home.folder, shelf.base, there)
            forgotten_marks.mark_removed(call, kept.scope, [file])
            file.unlink()
            if kept.is_project:
                untrusted.revoke_record_trust(
                    call.home.folder, kept.base, file.relative_to(kept.base).as_posix()
                )
        arrival.follow()
        departure.follow()
    root = next(
        root
        for root in roots.load_roots(call.home.store, shelf.scope)
        if root.path == shelf.base / records.MEMORY
    )
    return _build_transferred_memory(
        memory, replace(document, scope=shelf.scope, key=root.key_of(there)), handles.RECORD
    )


def _build_transferred_memory(memory: NamedMemory, now: Document, kind: str) -> TransferredMemory:
    handle = build_handle(now.scope.path, now.key)
    # a record's file begins with its fields, which nobody said
    start = front_matter(now.text).end if kind == handles.RECORD else 0
    return TransferredMemory(
        handle=handle,
        before=memory.handle,
        scope_before=memory.document.scope,
        kind=kind,
        text=now.text[start:].strip(),
    )
